//! How values are distributed.

/// The least value, the mean, percentiles (each a value that is there), and the most.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Distribution {
    /// From the least to the most.
    sorted: Vec<f64>,
    pub(crate) mean: f64,
}

impl Distribution {
    /// Of values that are numbers, in any order.
    pub(crate) fn new(mut values: Vec<f64>) -> Self {
        values.sort_unstable_by(f64::total_cmp);
        let sum: f64 = values.iter().sum();
        let mean = sum / values.len().max(1) as f64;
        Self { sorted: values, mean }
    }

    /// The least value that this many percent of all do not exceed; zero if there are no values.
    pub(crate) fn percentile(&self, percent: usize) -> f64 {
        let rank = (self.sorted.len() * percent).div_ceil(100).max(1);
        self.sorted.get(rank - 1).copied().unwrap_or(0.0)
    }

    pub(crate) fn least(&self) -> f64 {
        self.percentile(0)
    }

    pub(crate) fn most(&self) -> f64 {
        self.percentile(100)
    }

    /// How many values are in each of some parts of equal width from `low` to `high`. The first
    /// and the last part take all beyond.
    pub(crate) fn histogram(&self, low: f64, high: f64, parts: usize) -> Vec<usize> {
        let mut counts = vec![0; parts];
        for value in &self.sorted {
            let part = (value - low) / (high - low) * parts as f64;
            // A negative number becomes zero, and so does NaN.
            counts[(part as usize).min(parts - 1)] += 1;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_are_there() {
        let hundred = Distribution::new((1..=100).rev().map(f64::from).collect());
        let ranks = [0, 1, 50, 95, 99, 100].map(|percent| hundred.percentile(percent));
        assert_eq!(ranks, [1.0, 1.0, 50.0, 95.0, 99.0, 100.0]);
        assert_eq!((hundred.least(), hundred.mean, hundred.most()), (1.0, 50.5, 100.0));
        assert_eq!(hundred.histogram(0.0, 100.0, 4), [24, 25, 25, 26]);
        assert_eq!(hundred.histogram(51.0, 76.0, 2), [63, 37]);
        let few = Distribution::new(vec![7.0, 3.0]);
        assert_eq!([0, 50, 51, 99].map(|percent| few.percentile(percent)), [3.0, 3.0, 7.0, 7.0]);
        let none = Distribution::new(Vec::new());
        assert_eq!((none.least(), none.mean, none.most()), (0.0, 0.0, 0.0));
        assert_eq!(few.histogram(3.0, 3.0, 3).iter().sum::<usize>(), 2);
    }
}
