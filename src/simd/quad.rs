//! Four `f64` at once: for the last word on a ray's nearest triangle.

/// A vector of four `f64`.
///
/// Products and sums may be rounded once or twice: for values with a bound on their error.
///
/// # Safety
///
/// As for [`Vector`](super::Vector), for every method.
pub(crate) trait Quad: Copy {
    /// # Safety
    /// As for the trait.
    unsafe fn of(x: [f32; 4]) -> Self;
    /// Zero in the first lane, `x` in the others.
    ///
    /// # Safety
    /// As for the trait.
    unsafe fn thrice(x: f32) -> Self;
    /// # Safety
    /// As for the trait.
    unsafe fn new(x: [f64; 4]) -> Self;
    /// # Safety
    /// As for the trait.
    unsafe fn to_array(self) -> [f64; 4];
    /// The first lane and the third change places, and the second and the last.
    ///
    /// # Safety
    /// As for the trait.
    unsafe fn turn(self) -> Self;
    /// The first lane and the second change places, and the third and the last.
    ///
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
    /// All but the first lane, rounded to nearest, if those of `one` and of `other` have the same bits.
    ///
    /// # Safety
    /// As for the trait.
    unsafe fn rounded(one: Self, other: Self) -> Option<[f32; 3]>;
}
