//! Numbers of about 106 bits: the sum of two `f64`.
//!
//! Directions across edges that are all but parallel lose the digits that `f64` has. Here enough of
//! them remain, and it takes much less time than integers.
//!
//! They are needed seldom, so operations are calls: in place they would be most of the code that
//! decides about shapes.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

use super::number::{Number, Ordered};
use crate::geometry::real::Real;

#[cfg(test)]
mod tests;

/// The unrounded sum of two `f64`, the second no more than half a unit in the last place of the
/// first.
///
/// **Lemma 110 (sums of two).** Let `u = 2^-53`. A difference of two `f32`, and a product of two
/// numbers whose second part is zero, are exact. A sum is off by `3 u^2 + 13 u^3` of itself at
/// most, however much cancels, and a product by `5 u^2` of itself (Joldes, Muller and Popescu,
/// "Tight and rigorous error bounds for basic building blocks of double-word arithmetic", 2017,
/// algorithms 6 and 11). Nothing overflows or underflows in sums of products of six `f32`, unless
/// they are zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::geometry) struct Double {
    high: f64,
    low: f64,
}

impl Double {
    pub(in crate::geometry) const ZERO: Self = Self { high: 0.0, low: 0.0 };

    pub(in crate::geometry) fn from_f64(number: f64) -> Self {
        Self { high: number, low: 0.0 }
    }

    /// Both parts, the larger one first.
    #[inline]
    pub(in crate::geometry) fn parts(&self) -> [f64; 2] {
        [self.high, self.low]
    }

    /// Rounded once.
    pub(in crate::geometry) fn value(&self) -> f64 {
        self.high
    }
}

/// A sum, rounded, and what it loses (Knuth).
#[inline]
pub(in crate::geometry) fn two_sum(a: f64, b: f64) -> Double {
    let high = a + b;
    let rest = high - a;
    Double { high, low: (a - (high - rest)) + (b - rest) }
}

/// The same, if the first number is the larger one (Dekker).
#[inline]
fn fast_two_sum(a: f64, b: f64) -> Double {
    let high = a + b;
    Double { high, low: b - (high - a) }
}

/// The upper 26 bits of a number, and the others (Dekker).
#[inline]
pub(in crate::geometry) fn halves(x: f64) -> [f64; 2] {
    let large = x * ((1u32 << 27) + 1) as f64;
    let upper = large - (large - x);
    [upper, x - upper]
}

/// A product, rounded, and what it loses (Dekker). Fused multiply-add would do, but it is not the
/// same everywhere.
#[inline]
fn two_product(a: f64, b: f64) -> Double {
    let high = a * b;
    let ([a, a_rest], [b, b_rest]) = (halves(a), halves(b));
    let low = ((a * b - high) + a * b_rest + a_rest * b) + a_rest * b_rest;
    Double { high, low }
}

impl From<f64> for Double {
    #[inline]
    fn from(number: f64) -> Self {
        Self::from_f64(number)
    }
}

impl PartialOrd for Double {
    #[inline(never)]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        let order = self.high.partial_cmp(&other.high)?;
        Some(order.then(self.low.partial_cmp(&other.low)?))
    }
}

impl Neg for Double {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Add for Double {
    type Output = Self;

    #[inline(never)]
    fn add(self, other: Self) -> Self {
        let (sum, rest) = (two_sum(self.high, other.high), two_sum(self.low, other.low));
        let sum = fast_two_sum(sum.high, sum.low + rest.high);
        fast_two_sum(sum.high, rest.low + sum.low)
    }
}

impl Sub for Double {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Double {
    type Output = Self;

    #[inline(never)]
    fn mul(self, other: Self) -> Self {
        let product = two_product(self.high, other.high);
        let rest = self.high * other.low + self.low * other.high;
        fast_two_sum(product.high, product.low + rest)
    }
}

impl Div for Double {
    type Output = Self;

    /// Off by less than 2^-102 of itself.
    #[inline(never)]
    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        let rest = self - other * Self::from(first);
        let second = rest.high / other.high;
        let rest = rest - other * Self::from(second);
        fast_two_sum(first, second) + Self::from(rest.high / other.high)
    }
}

impl Real for Double {
    const ROUNDING: f64 = 1.0 / (1u128 << 102) as f64;

    /// Off by less than 2^-102 of itself.
    #[inline(never)]
    fn sqrt(self) -> Self {
        let first = self.high.sqrt();
        if first == 0.0 {
            return Self::ZERO;
        }
        let more = |root: Self| Self::from((self - root * root).high / (2.0 * first));
        let root = Self::from(first) + more(Self::from(first));
        root + more(root)
    }

    #[inline]
    fn to_f64(self) -> f64 {
        self.high
    }
}

impl Number for Double {
    fn from_f32(number: f32) -> Self {
        Self::from_f64(number.into())
    }

    #[inline]
    fn add(&self, other: &Self) -> Self {
        *self + *other
    }

    #[inline]
    fn sub(&self, other: &Self) -> Self {
        *self - *other
    }

    #[inline]
    fn mul(&self, other: &Self) -> Self {
        *self * *other
    }

    fn sign(&self) -> Option<i32> {
        None
    }
}

impl Ordered for Double {
    fn abs(&self) -> Self {
        Real::abs(*self)
    }

    fn min(&self, other: &Self) -> Self {
        if other < self { *other } else { *self }
    }

    fn max(&self, other: &Self) -> Self {
        if self < other { *other } else { *self }
    }
}
