//! Numbers with a fixed number of digits, so that a formula is written once: for `f64`, and for
//! numbers of twice as many.

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
