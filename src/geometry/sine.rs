//! Sine and cosine, the same on every machine.

/// The largest angle, in radians.
pub(super) const MOST: f64 = (1u32 << 20) as f64;

/// A quarter of a turn, as the sum of three numbers, of which the first two have 33 bits each: so
/// products with whole numbers up to 2^20 are exact.
const QUARTER: [f64; 3] =
    [1.570_796_326_734_125_6, 6.077_100_506_303_966e-11, 2.022_266_248_795_950_6e-21];

/// Sine and cosine of an angle in radians, no larger than [`MOST`]: off by less than 2^-50. The
/// platform's functions are not the same everywhere.
///
/// The angle less some quarters of a turn is at most about 0.786; it is off by some 2^-53 of that.
/// There the series up to the 17th and 16th power are off by less than 2^-58, and their sums by a
/// few roundings.
pub(super) fn sine_and_cosine(angle: f64) -> [f64; 2] {
    let quarters = (angle * std::f64::consts::FRAC_2_PI).round();
    let x = QUARTER.iter().fold(angle, |rest, part| rest - quarters * part);
    let square = x * x;
    // From the last term on: each is a part of the one before.
    let series = |first: f64| {
        (0..8).rev().fold(1.0, |sum, i| {
            let power = first + 2.0 * f64::from(i) + 1.0;
            1.0 - sum * square / (power * (power + 1.0))
        })
    };
    let (sine, cosine) = (x * series(1.0), series(0.0));
    match quarters.rem_euclid(4.0) as u8 {
        0 => [sine, cosine],
        1 => [cosine, -sine],
        2 => [-sine, -cosine],
        _ => [-cosine, sine],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sines_and_cosines_are_near_the_platforms() {
        let whole = (-3000..3000).map(|i| f64::from(i) * 0.37);
        let eighths = (-40..40).map(|i| f64::from(i) * std::f64::consts::FRAC_PI_4);
        let large = (0..200).map(|i| MOST - f64::from(i) * 7.7);
        for angle in whole.chain(eighths).chain(large) {
            let [sine, cosine] = sine_and_cosine(angle);
            let (right_sine, right_cosine) = angle.sin_cos();
            let most = 2f64.powi(-50);
            assert!((sine - right_sine).abs() < most, "{angle}: {sine} {right_sine}");
            assert!((cosine - right_cosine).abs() < most, "{angle}: {cosine} {right_cosine}");
        }
        assert_eq!(sine_and_cosine(0.0), [0.0, 1.0]);
    }
}
