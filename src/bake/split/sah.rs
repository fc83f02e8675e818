//! The cheapest of the planes between bins, by the surface area heuristic (Goldsmith and Salmon
//! 1987, Wald 2007).

use super::super::areas::AreaScale;
use super::super::bounds::Bounds;
use super::super::weight::weight;

/// What lies in the bins of an axis.
#[derive(Clone, Copy)]
pub(super) struct Bins<const N: usize> {
    /// The box of it.
    pub(super) boxes: [Bounds; N],
    /// How many references begin there.
    pub(super) entries: [u32; N],
    /// How many end there.
    pub(super) exits: [u32; N],
}

/// One side of a plane.
#[derive(Clone, Copy)]
pub(super) struct Side {
    pub(super) bounds: Bounds,
    pub(super) count: u32,
}

impl Side {
    /// Its part in the surface area heuristic.
    pub(super) fn cost(&self) -> f64 {
        self.bounds.cost(self.count)
    }
}

/// A plane: below bin `bin` on one axis, and what is on its two sides.
pub(super) struct BestPlane {
    pub(super) axis: usize,
    pub(super) bin: usize,
    pub(super) left: Side,
    pub(super) right: Side,
}

impl BestPlane {
    pub(super) fn cost(&self) -> f64 {
        self.left.cost() + self.right.cost()
    }
}

/// Sweeps over the planes between the bins of some axes, each given with its number; the first of equals
/// wins. What begins in a bin counts on the left side of planes above, and what ends there on the
/// right side of planes below. `None` if no plane has something on both sides.
pub(super) fn cheapest<const N: usize, const AXES: usize>(
    axes: &[usize; AXES],
    bins: &[Bins<N>; AXES],
    areas: &AreaScale,
) -> Option<BestPlane> {
    let mut least = u64::MAX;
    for (axis, bins) in bins.iter().enumerate() {
        least = least.min(bins.least(areas, axis * N));
    }
    if least >= u64::from(f32::INFINITY.to_bits()) << 32 {
        return None;
    }
    let plane = least as u32 as usize;
    let (axis, bin) = (plane / N, plane % N);
    let side = |boxes: &[Bounds], counts: &[u32]| Side {
        bounds: boxes.iter().fold(Bounds::EMPTY, Bounds::merged),
        count: counts.iter().sum(),
    };
    let bins = &bins[axis];
    Some(BestPlane {
        axis: axes[axis],
        bin,
        left: side(&bins.boxes[..bin], &bins.entries[..bin]),
        right: side(&bins.boxes[bin..], &bins.exits[bin..]),
    })
}

impl<const N: usize> Bins<N> {
    pub(super) const EMPTY: Self =
        Self { boxes: [Bounds::EMPTY; N], entries: [0; N], exits: [0; N] };

    pub(super) fn merge(&mut self, other: &Self) {
        for bin in 0..N {
            self.boxes[bin].merge(&other.boxes[bin]);
            self.entries[bin] += other.entries[bin];
            self.exits[bin] += other.exits[bin];
        }
    }

    /// The least of the planes' costs, as bits: costs are positive, and so are in the order of
    /// their bits. Below them is the plane's number, from `first` on.
    #[inline(always)]
    fn least(&self, areas: &AreaScale, first: usize) -> u64 {
        let (mut right_areas, mut right_counts) = ([0.0; N], [0; N]);
        let (mut right, mut count) = (Bounds::EMPTY, 0);
        for four in (0..N).step_by(4).rev() {
            let mut rights = [Bounds::EMPTY; 4];
            for i in (0..4).rev() {
                right.merge(&self.boxes[four + i]);
                rights[i] = right;
                count += self.exits[four + i];
                right_counts[four + i] = count;
            }
            right_areas[four..four + 4].copy_from_slice(&areas.of(&rights).to_array());
        }
        let (mut left, mut count) = (Bounds::EMPTY, 0);
        // Of every fourth plane, the first of equals.
        let (mut least, mut at) = ([f32::INFINITY; 4], [0; 4]);
        for four in (0..N).step_by(4) {
            let mut lefts = [Bounds::EMPTY; 4];
            let mut counts = [0; 4];
            for i in 0..4 {
                lefts[i] = left;
                counts[i] = count;
                left.merge(&self.boxes[four + i]);
                count += self.entries[four + i];
            }
            let lefts = areas.of(&lefts).to_array();
            for i in 0..4 {
                let bin = four + i;
                // Nothing on one side makes it infinity times zero, which is no number and not less.
                let on_left = lefts[i] * weight(counts[i]);
                let cost = on_left + right_areas[bin] * weight(right_counts[bin]);
                let less = cost < least[i];
                least[i] = if less { cost } else { least[i] };
                at[i] = if less { bin as u32 } else { at[i] };
            }
        }
        let numbered = least.iter().zip(at).map(|(cost, bin)| {
            let plane = (first + bin as usize) as u64;
            u64::from(cost.to_bits()) << 32 | plane
        });
        numbered.fold(u64::MAX, u64::min)
    }
}
