//! The tangent of an angle, with the same bits on every machine. The platform's may differ.

/// Terms of the power series: enough for angles up to half a right angle.
const TERMS: u32 = 11;

/// The tangent of an angle between 0 and 90 degrees, to a few units in the last place.
pub(crate) fn tangent(degrees: f64) -> f64 {
    if degrees > 45.0 {
        return 1.0 / tangent(90.0 - degrees);
    }
    let x = degrees * (std::f64::consts::PI / 180.0);
    sine_from(x, 1) / sine_from(x, 0)
}

/// The angle in degrees, from 0 to 90, with a tangent from zero on.
pub(crate) fn arctangent(value: f64) -> f64 {
    let (mut low, mut high) = (0.0, 90.0);
    // Halves it until no number is left between.
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if tangent(middle) <= value { low = middle } else { high = middle }
    }
    low
}

/// The power series of the sine (`first` is 1) or the cosine (`first` is 0), innermost term first.
fn sine_from(x: f64, first: u32) -> f64 {
    let mut sum = 1.0;
    for term in (1..TERMS).rev() {
        let power = f64::from(2 * term + first);
        sum = 1.0 - sum * x * x / (power * (power - 1.0));
    }
    if first == 1 { x * sum } else { sum }
}

#[cfg(test)]
mod tests {
    use super::{arctangent, tangent};

    #[test]
    fn it_is_the_tangent() {
        for i in 1..9000 {
            let degrees = f64::from(i) / 100.0;
            let expected = degrees.to_radians().tan();
            // Near 90 degrees the platform's own argument has an error that counts.
            let tolerance = 1e-15 + 3e-16 * expected;
            assert!((tangent(degrees) / expected - 1.0).abs() < tolerance, "{degrees}");
            assert!((arctangent(tangent(degrees)) - degrees).abs() < 1e-12, "{degrees}");
        }
        assert_eq!(arctangent(0.0), 0.0);
        assert!((arctangent(f64::INFINITY) - 90.0).abs() < 1e-12);
        // Halves of usual fields of view, from a table of more digits.
        assert!((tangent(45.0) - 1.0).abs() < 2e-16);
        assert!((tangent(30.0) - 0.577_350_269_189_625_8).abs() < 3e-16);
    }
}
