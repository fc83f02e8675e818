//! Two `f64` at once: for the last word on a ray's nearest triangle.

/// A vector of two `f64`.
///
/// Products and sums may be rounded once or twice: for values with a bound on their error.
///
/// # Safety
///
/// As for [`Vector`](super::Vector), for every method.
pub(crate) trait Pair: Copy {
    /// # Safety
    /// As for the trait.
    unsafe fn new(low: f32, high: f32) -> Self;
    /// # Safety
    /// As for the trait.
    unsafe fn both(low: f64, high: f64) -> Self;
    /// # Safety
    /// As for the trait.
    unsafe fn splat(x: f64) -> Self;
    /// # Safety
    /// As for the trait.
    unsafe fn low(self) -> f64;
    /// # Safety
    /// As for the trait.
    unsafe fn high(self) -> f64;
    /// # Safety
    /// As for the trait.
    unsafe fn swap(self) -> Self;
    /// # Safety
    /// As for the trait.
    unsafe fn sub(self, other: Self) -> Self;
    /// # Safety
    /// As for the trait.
    unsafe fn add(self, other: Self) -> Self;
    /// # Safety
    /// As for the trait.
    unsafe fn mul(self, other: Self) -> Self;
    /// `self * factor + addend`.
    ///
    /// # Safety
    /// As for the trait.
    unsafe fn mul_add(self, factor: Self, addend: Self) -> Self;
    /// `self * factor - subtrahend`.
    ///
    /// # Safety
    /// As for the trait.
    unsafe fn mul_sub(self, factor: Self, subtrahend: Self) -> Self;
    /// # Safety
    /// As for the trait.
    unsafe fn abs(self) -> Self;
    /// The greater of two numbers that are not negative.
    ///
    /// # Safety
    /// As for the trait.
    unsafe fn max(self, other: Self) -> Self;
    /// Both of the first pair and the low one of the second, rounded to nearest, if those of `one` and of
    /// `other` have the same bits.
    ///
    /// # Safety
    /// As for the trait.
    unsafe fn rounded(one: [Self; 2], other: [Self; 2]) -> Option<[f32; 3]>;
}
