//! The vectors of an instruction set, as kernels see them.

use std::mem::MaybeUninit;

use bytemuck::{AnyBitPattern, NoUninit};

use crate::array::Each;

/// Defines functions that are always inlined.
macro_rules! inlined {
    ($(
        $(#[$meta:meta])*
        $vis:vis fn $name:ident $([$($generics:tt)*])? ($($arguments:tt)*) $(-> $output:ty)?
            $body:block
    )*) => { $(
        $(#[$meta])*
        #[inline(always)]
        $vis fn $name $(<$($generics)*>)? ($($arguments)*) $(-> $output)? $body
    )* };
}
pub(super) use inlined;

/// Defines safe functions whose bodies call a set's intrinsics.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"))]
macro_rules! intrinsics {
    ($(
        $(#[$meta:meta])*
        $vis:vis fn $name:ident $([$($generics:tt)*])? ($($arguments:tt)*) $(-> $output:ty)?
            $body:block
    )*) => { $(
        $(#[$meta])*
        #[cfg_attr(target_arch = "wasm32", allow(unused_unsafe, reason = "all but memory is safe"))]
        #[inline(always)]
        $vis fn $name $(<$($generics)*>)? ($($arguments)*) $(-> $output)? {
            // SAFETY: an argument is a token of the set or a vector, which carries one, so
            // detection found the set. Loads and stores stay within the arrays that are passed by
            // reference.
            unsafe { $body }
        }
    )* };
}
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128"))]
pub(super) use intrinsics;

/// A vector of `f32`.
///
/// Methods are `#[inline(always)]` and carry no `#[target_feature]` of their own: they become part
/// of the function that [`Isa::call_outlined`](super::Isa::call_outlined) has switched the set on
/// for. A method that is not inlined would be compiled for the baseline instead.
pub(crate) trait Vector: Copy {
    /// The token of the set. Every vector carries it.
    type Isa: Copy;
    /// The numbers in memory: an array of `f32`.
    type Array: NoUninit + AnyBitPattern;

    /// Numbers in a vector.
    const LANES: usize = size_of::<Self::Array>() / size_of::<f32>();

    fn isa(self) -> Self::Isa;
    fn load(isa: Self::Isa, from: &Self::Array) -> Self;
    fn store(self, to: &mut MaybeUninit<Self::Array>);
    fn splat(isa: Self::Isa, x: f32) -> Self;

    /// The numbers of a row from `first` on.
    #[inline(always)]
    fn load_at<const N: usize>(isa: Self::Isa, row: &[f32; N], first: usize) -> Self {
        // In a loop over the row, the compiler knows this and leaves the check out.
        assert!(first <= N - Self::LANES);
        // SAFETY: the row has `LANES` numbers from there on, and `Array` is that many.
        Self::load(isa, unsafe { &*row.as_ptr().add(first).cast() })
    }
    /// Writes a row's numbers from `first` on.
    #[inline(always)]
    fn store_at<const N: usize>(self, row: &mut MaybeUninit<[f32; N]>, first: usize) {
        assert!(first <= N - Self::LANES);
        // SAFETY: the row has room for `LANES` numbers from there on, one `Array`.
        self.store(unsafe { &mut *row.as_mut_ptr().cast::<f32>().add(first).cast() });
    }
    /// As [`store_at`](Self::store_at), for a row that is initialized.
    #[inline(always)]
    fn replace_at<const N: usize>(self, row: &mut [f32; N], first: usize) {
        let row: *mut [f32; N] = row;
        // SAFETY: a store only writes numbers, so the row stays initialized.
        self.store_at(unsafe { &mut *row.cast::<MaybeUninit<[f32; N]>>() }, first);
    }

    /// Four numbers from each array.
    fn load_fours<'a>(isa: Self::Isa, from: impl Fn(usize) -> &'a [f32; 4]) -> Self;
    /// Transposes each block of four lanes of four rows.
    fn transpose_fours(rows: [Self; 4]) -> [Self; 4];

    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    /// `if self < other { self } else { other }`: a NaN on either side gives `other`.
    fn min(self, other: Self) -> Self;
    /// `if self > other { self } else { other }`: a NaN on either side gives `other`.
    fn max(self, other: Self) -> Self;
    fn abs(self) -> Self;
    /// `self` with its sign flipped where `other` is negative or minus zero.
    fn flip_sign(self, other: Self) -> Self;
    /// `other` in the lanes whose bits are set, `self` in the rest.
    fn choose(self, other: Self, bits: u32) -> Self;
    /// A bit for each lane with `self <= other`. A NaN on either side gives 0.
    fn le(self, other: Self) -> u32;

    inlined! {
        /// The reciprocal, off by at most 9/8 of a rounding. Anything where the number is not
        /// finite or not normal.
        fn inverse(self) -> Self { Self::splat(self.isa(), 1.0).div(self) }
        /// `self * factor + addend`, rounded once or twice: for conservative bounds only, because
        /// its bits differ between sets.
        fn mul_add(self, factor: Self, addend: Self) -> Self { self.mul(factor).add(addend) }
        /// `minuend - self * factor`, rounded once or twice.
        fn mul_sub_from(self, factor: Self, minuend: Self) -> Self {
            minuend.sub(self.mul(factor))
        }
        /// The greater of two absolute values. Anything if one is a NaN.
        fn greater_size(self, other: Self) -> Self { self.abs().max_nonneg(other.abs()) }
        /// `-self`.
        fn negative(self) -> Self { self.flip_sign(Self::splat(self.isa(), -1.0)) }
        /// The greater of two numbers. Either one if both are negative or minus zero, and anything
        /// if one is a NaN. Floats that are not negative are ordered like their bits as integers,
        /// which some sets compare faster.
        fn max_nonneg(self, other: Self) -> Self { self.max(other) }
        /// The lesser of two numbers. Some negative number or minus zero if one of them is that.
        /// Neither may be a NaN.
        fn min_nonneg(self, other: Self) -> Self { self.min(other) }
        /// A bit for each lane with `self <= other`. `self` may not be negative or minus zero, and
        /// neither may be a NaN.
        fn le_nonneg(self, other: Self) -> u32 { self.le(other) }
        /// A bit for each lane in which both pairs are in order.
        fn both_le(one: (Self, Self), other: (Self, Self)) -> u32 {
            one.0.le(one.1) & other.0.le(other.1)
        }
    }
}

/// A multiple of eight `f32`: one row of one leaf block or more.
pub(crate) trait BlockVector: Vector {
    /// Eight numbers from each array.
    fn load_eights<'a>(isa: Self::Isa, from: impl Fn(usize) -> &'a [f32; 8]) -> Self;
    /// Each number eight times.
    fn splat_eights(isa: Self::Isa, number: impl Fn(usize) -> f32) -> Self;
    /// Writes eight numbers to each place, the first place last. No place is in use while `to` is
    /// called for the next, so they may all be the same.
    fn store_eights<'a>(self, to: impl Fn(usize) -> &'a mut MaybeUninit<[f32; 8]>);
}

/// Four `f32`: a point or a direction and a spare lane, for numbers that are computed once per ray.
pub(crate) trait F32x4: Vector<Array = [f32; 4]> {
    fn new(isa: Self::Isa, x: f32, y: f32, z: f32) -> Self;
    /// Lanes 1, 2 and 0. The fourth may become anything.
    fn turn(self) -> Self;
    /// The three numbers rotated until the one in lane `axis` comes last. The fourth may become
    /// anything.
    #[inline(always)]
    fn turn_last(self, axis: usize) -> Self {
        // Without a branch, which would be hard to predict.
        let from = self.to_array();
        Self::load(self.isa(), &TURNED[axis % 4].each(|lane| from[lane as usize % 4]))
    }
    /// Lane 2 in every lane.
    fn splat_last(self) -> Self;
    /// The bits of `bits` in lanes where `self` is negative or minus zero, none in others.
    fn where_negative(self, bits: Self) -> Self;
    /// Lane 0.
    fn first(self) -> f32;
    fn to_array(self) -> [f32; 4];
    fn xor(self, other: Self) -> Self;
}

/// The lanes of a rotated point, by the axis that comes last. The fourth is spare.
pub(super) const TURNED: [[u32; 4]; 4] = [[1, 2, 0, 3], [2, 0, 1, 3], [0, 1, 2, 3], [0, 1, 2, 3]];

/// Four `f64`: for the exact hit on one ray's nearest triangle, to move rays into instances, and
/// for the distances of four triangles.
///
/// `mul_add` and `mul_sub` are rounded once or twice: for values with a bound on their error.
pub(crate) trait F64x4: Copy {
    type Isa: Copy;

    fn new(isa: Self::Isa, x: [f64; 4]) -> Self;
    fn from_f32(isa: Self::Isa, x: [f32; 4]) -> Self;
    /// Zero in the first lane, `x` in the others.
    fn splat_yzw(isa: Self::Isa, x: f32) -> Self;
    fn to_array(self) -> [f64; 4];
    /// Swaps the first lane with the third, and the second with the last.
    fn swap_halves(self) -> Self;
    /// Swaps the first lane with the second, and the third with the last.
    fn swap_pairs(self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn add(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    inlined! {
        /// `self * factor + addend`.
        fn mul_add(self, factor: Self, addend: Self) -> Self { self.mul(factor).add(addend) }
        /// `self * factor - subtrahend`.
        fn mul_sub(self, factor: Self, subtrahend: Self) -> Self {
            self.mul(factor).sub(subtrahend)
        }
    }
    fn div(self, other: Self) -> Self;
    fn sqrt(self) -> Self;
    fn abs(self) -> Self;
    /// The greater of two numbers that are not negative.
    fn max(self, other: Self) -> Self;
    /// Each number rounded to `f32`.
    fn to_f32(self) -> [f32; 4];
    /// `then` where `self < other`, `otherwise` elsewhere.
    fn if_less(self, other: Self, then: Self, otherwise: Self) -> Self;
    /// A bit for each lane with `self < other`.
    fn less(self, other: Self) -> u32;
    fn isa(self) -> Self::Isa;
    /// `one` rounded to `f32`, and a bit for each lane in which `other` gives the same bits.
    fn rounded(one: Self, other: Self) -> ([f32; 4], u32);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Isa;
    use crate::simd::{InstructionSet, Task, run};

    struct Turned;

    impl Task for Turned {
        type Output = ();

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) {
            let turned = [[2.0, 3.0, 1.0], [3.0, 1.0, 2.0], [1.0, 2.0, 3.0]];
            for (axis, expected) in turned.into_iter().enumerate() {
                let point = I::Point::new(isa, 1.0, 2.0, 3.0).turn_last(axis);
                assert_eq!(point.to_array()[..3], expected);
                assert_eq!(point.splat_last().to_array(), [expected[2]; 4]);
            }
        }
    }

    struct Numbers;

    impl Task for Numbers {
        type Output = ();

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) {
            let four = |x: [f64; 4]| I::F64x4::new(isa, x);
            let (a, b) = (four([1.0, 4.0, -0.0, f64::NAN]), four([2.0, 4.0, 0.0, 9.0]));
            assert_eq!(
                b.div(four([4.0, 3.0, -1.0, 0.0])).to_array(),
                [0.5, 4.0 / 3.0, 0.0, f64::INFINITY]
            );
            assert_eq!(b.sqrt().to_array(), [2f64.sqrt(), 2.0, 0.0, 3.0]);
            let chosen = a.if_less(b, four([1.0; 4]), four([0.0; 4])).to_array();
            assert_eq!(chosen, [1.0, 0.0, 0.0, 0.0]);
            let almost =
                [1.0 + f64::EPSILON, 1.0 + f64::from(f32::EPSILON), 0.0, f64::MIN_POSITIVE];
            let rounded = <I::F64x4 as F64x4>::rounded(four([1.0, 1.0, -0.0, 0.0]), four(almost));
            assert_eq!(
                (rounded.0.map(f32::to_bits), rounded.1),
                ([1.0, 1.0, -0.0, 0.0].map(f32::to_bits), 0b1001)
            );
            for lane in 0..4 {
                let mut x = [1.0; 4];
                assert_eq!(four(x).less(four([2.0; 4])), 0b1111);
                for greater in [2.0, 3.0, f64::NAN] {
                    x[lane] = greater;
                    assert_eq!(four(x).less(four([2.0; 4])), 0b1111 & !(1 << lane), "{greater}");
                }
            }
        }
    }

    #[test]
    fn four_numbers_are_divided_and_chosen() {
        for isa in InstructionSet::available() {
            run(isa, Numbers);
        }
    }

    #[test]
    fn a_point_is_turned_until_an_axis_comes_last() {
        for isa in InstructionSet::available() {
            run(isa, Turned);
        }
    }
}
