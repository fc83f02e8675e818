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
    /// The three numbers turned until the one in lane `axis` comes last; the fourth may become anything.
    ///
    /// # Safety
    /// As for the trait.
    #[inline(always)]
    unsafe fn turn_last(self, axis: usize) -> Self {
        // SAFETY: the caller vouches for the CPU; four numbers are four numbers.
        unsafe {
            // Not by a branch: which axis it is cannot be foreseen.
            let from = self.to_array();
            let turned = TURNED[axis % 4].map(|lane| from[lane as usize % 4]);
            Self::load(turned.as_ptr())
        }
    }
    /// Lane 2 in every lane.
    ///
    /// # Safety
    /// As for the trait.
    unsafe fn splat_last(self) -> Self;
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

/// Which lanes a turned point has, by the axis that is to come last. (Fourth ones are spare.)
pub(super) const TURNED: [[u32; 4]; 4] = [[1, 2, 0, 3], [2, 0, 1, 3], [0, 1, 2, 3], [0, 1, 2, 3]];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{InstructionSet, Isa, Task, run};

    struct Turned;

    impl Task for Turned {
        type Output = ();

        #[inline(always)]
        unsafe fn run<I: Isa>(self) {
            let turned = [[2.0, 3.0, 1.0], [3.0, 1.0, 2.0], [1.0, 2.0, 3.0]];
            for (axis, expected) in turned.into_iter().enumerate() {
                // SAFETY: the caller vouches for the instruction set.
                let (point, last) = unsafe {
                    let point = I::Point::of(1.0, 2.0, 3.0).turn_last(axis);
                    (point.to_array(), point.splat_last().to_array())
                };
                assert_eq!(point[..3], expected);
                assert_eq!(last, [expected[2]; 4]);
            }
        }
    }

    #[test]
    fn a_point_is_turned_until_an_axis_comes_last() {
        for isa in InstructionSet::available() {
            run(isa, Turned);
        }
    }
}
