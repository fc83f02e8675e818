//! Four `f32` at once: a point or a direction, for what is worked out once per ray.

use super::Vector;

/// A vector of three numbers and a spare fourth.
///
/// # Safety
///
/// As for [`Vector`], for every method.
pub(crate) trait Point: Vector {
    /// # Safety
    /// As for the trait.
    unsafe fn of(x: f32, y: f32, z: f32) -> Self;
    /// Lanes 1, 2 and 0; the fourth may become anything.
    ///
    /// # Safety
    /// As for the trait.
    unsafe fn turn(self) -> Self;
    /// The lanes whose numbers are given, all less than four.
    ///
    /// # Safety
    /// As for the trait.
    #[inline(always)]
    unsafe fn arrange(self, lanes: &[u32; 4]) -> Self {
        // SAFETY: the caller vouches for the CPU; four numbers are four numbers.
        unsafe {
            let from = self.to_array();
            Self::load(lanes.map(|lane| from[lane as usize % 4]).as_ptr())
        }
    }
    /// The bits of `bits` in lanes where `self` is negative (or minus zero), none in others.
    ///
    /// # Safety
    /// As for the trait.
    unsafe fn where_negative(self, bits: Self) -> Self;
    /// Lane 0.
    ///
    /// # Safety
    /// As for the trait.
    unsafe fn first(self) -> f32;
    /// # Safety
    /// As for the trait.
    unsafe fn to_array(self) -> [f32; 4];
    /// # Safety
    /// As for the trait.
    unsafe fn xor(self, other: Self) -> Self;
}
