//! Numbers of `f64` and of twice its digits, so that a formula is written once.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number with a sign, of a fixed number of digits.
pub(crate) trait Real:
    Copy
    + PartialOrd
    + From<f64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// More than a rounding of any operation, relative to its result.
    const ROUNDING: f64;

    fn sqrt(self) -> Self;
    /// Rounded.
    fn to_f64(self) -> f64;

    #[inline(always)]
    fn abs(self) -> Self {
        if self < Self::from(0.0) { -self } else { self }
    }
}

impl Real for f64 {
    const ROUNDING: f64 = 1.0 / (1u64 << 53) as f64;

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.sqrt()
    }

    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }

    #[inline(always)]
    fn abs(self) -> Self {
        self.abs()
    }
}

/// A number of about 106 binary digits: the sum of two `f64`, the second of which is what the first
/// loses in rounding (Dekker, "A floating-point technique for extending the available precision",
/// 1971).
///
/// A sum, a product, a quotient and a root are off by less than 2^-102 of themselves, or by what
/// underflows. (Joldes, Muller and Popescu, "Tight and rigorous error bounds for basic building
/// blocks of double-word arithmetic", 2017, have bounds of some 2^-104.)
#[derive(Clone, Copy, Debug)]
pub(super) struct DoubleDouble {
    high: f64,
    low: f64,
}

impl DoubleDouble {
    #[inline]
    fn of_sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let rest = high - a;
        Self { high, low: (a - (high - rest)) + (b - rest) }
    }

    /// If the first is no smaller.
    #[inline]
    fn of_quick_sum(a: f64, b: f64) -> Self {
        let high = a + b;
        Self { high, low: b - (high - a) }
    }

    #[inline]
    fn of_product(a: f64, b: f64) -> Self {
        let high = a * b;
        let ([a, c], [b, d]) = (halves(a), halves(b));
        Self { high, low: ((a * b - high) + a * d + c * b) + c * d }
    }
}

/// Two numbers of half the digits, the sum of which this is.
#[inline]
fn halves(x: f64) -> [f64; 2] {
    let shifted = x * ((1u64 << 27) + 1) as f64;
    let high = shifted - (shifted - x);
    [high, x - high]
}

impl From<f64> for DoubleDouble {
    #[inline]
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

impl PartialEq for DoubleDouble {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.high == other.high && self.low == other.low
    }
}

impl PartialOrd for DoubleDouble {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        let order = self.high.partial_cmp(&other.high)?;
        Some(order.then(self.low.partial_cmp(&other.low)?))
    }
}

impl Neg for DoubleDouble {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Add for DoubleDouble {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        let (high, low) = (Self::of_sum(self.high, other.high), Self::of_sum(self.low, other.low));
        let sum = Self::of_quick_sum(high.high, high.low + low.high);
        Self::of_quick_sum(sum.high, sum.low + low.low)
    }
}

impl Sub for DoubleDouble {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        let product = Self::of_product(self.high, other.high);
        let rest = self.high * other.low + self.low * other.high;
        Self::of_quick_sum(product.high, product.low + rest)
    }
}

impl Div for DoubleDouble {
    type Output = Self;

    #[inline]
    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        let rest = self - other * Self::from(first);
        let second = rest.high / other.high;
        let rest = rest - other * Self::from(second);
        let third = rest.high / other.high;
        Self::of_quick_sum(first, second) + Self::from(third)
    }
}

impl Real for DoubleDouble {
    const ROUNDING: f64 = 1.0 / (1u128 << 102) as f64;

    #[inline]
    fn sqrt(self) -> Self {
        let first = self.high.sqrt();
        if first == 0.0 {
            return Self::from(0.0);
        }
        let rest = self - Self::of_product(first, first);
        let root = Self::of_quick_sum(first, rest.high / (2.0 * first));
        // Once more, as the first step leaves some 2^-104 of it.
        let rest = self - root * root;
        root + Self::from(rest.high / (2.0 * first))
    }

    #[inline]
    fn to_f64(self) -> f64 {
        self.high
    }
}

#[cfg(test)]
mod tests {
    use num_rational::BigRational;

    use super::*;
    use crate::test_rng::number;

    fn exact(x: DoubleDouble) -> BigRational {
        let of = |x: f64| BigRational::from_float(x).expect("finite");
        of(x.high) + of(x.low)
    }

    /// What the worst of many results is off by, in parts of 2^-102 of itself.
    #[test]
    fn results_have_a_hundred_digits() {
        let state = &mut 1;
        let next = |state: &mut u64| {
            let mut of = |scale: i32| f64::from(number(state)) * 2f64.powi(scale);
            DoubleDouble::of_sum(of(0), of(-24)) + DoubleDouble::of_sum(of(-60), of(-90))
        };
        let unit = BigRational::new(1.into(), num_bigint::BigInt::from(1) << 102);
        let mut worst = [0.0f64; 4];
        for i in 0..if cfg!(miri) { 20 } else { 4_000 } {
            let (a, mut b) = (next(state), next(state));
            if i % 4 == 0 {
                // Much cancels.
                b = -a + next(state) * DoubleDouble::from(1e-10);
            }
            let (x, y) = (exact(a), exact(b));
            let root = a.abs().sqrt();
            let results = [
                (exact(a + b), &x + &y),
                (exact(a * b), &x * &y),
                (exact(a / b), &x / &y),
                (exact(root * root), exact(a.abs())),
            ];
            for (worst, (found, right)) in worst.iter_mut().zip(results) {
                let off = (found - &right) / &right / &unit;
                let off = off.numer().to_string().parse::<f64>().unwrap()
                    / off.denom().to_string().parse::<f64>().unwrap();
                *worst = worst.max(off.abs());
            }
        }
        println!("{worst:?} of the bound");
        assert!(cfg!(miri) || worst.iter().all(|&off| off > 0.02 && off < 1.0), "{worst:?}");
    }

    #[test]
    fn both_parts_count_in_an_order() {
        let one = DoubleDouble::from(1.0);
        let more = one + DoubleDouble::from(1e-30);
        assert!(more > one && -more < -one && more != one && (more - one).to_f64() == 1e-30);
        assert_eq!((-more).abs(), more);
        assert_eq!(DoubleDouble::from(0.0).sqrt(), DoubleDouble::from(0.0));
        assert!(DoubleDouble::from(f64::NAN).partial_cmp(&one).is_none());
    }
}
