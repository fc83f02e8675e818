//! The vectors of an instruction set, as kernels see them.

use std::mem::MaybeUninit;

use bytemuck::{AnyBitPattern, NoUninit};

use super::Isa;

/// A vector of `f32`.
///
/// Methods are `#[inline(always)]` and carry no `#[target_feature]` of their own: they become part
/// of the function that [`Isa::call_outlined`] has switched the set on for. A method that stays
/// out of line would be compiled for the baseline instead.
pub(crate) trait Vector: Copy {
    /// The set's token, which every vector carries.
    type Isa: Isa;
    /// The numbers in memory.
    type Array: NoUninit + AnyBitPattern;

    /// Numbers in a vector.
    const LANES: usize = size_of::<Self::Array>() / size_of::<f32>();

    fn isa(self) -> Self::Isa;
    fn load(isa: Self::Isa, from: &Self::Array) -> Self;
    fn store(self, to: &mut MaybeUninit<Self::Array>);
    fn splat(isa: Self::Isa, x: f32) -> Self;

    /// The numbers of a row from `first` on, which is a multiple of `LANES`.
    #[inline(always)]
    fn load_at<const N: usize>(isa: Self::Isa, row: &[f32; N], first: usize) -> Self {
        const { assert!(N.is_multiple_of(Self::LANES)) }
        debug_assert!(first < N);
        // (Without a branch for what does not happen, or loops would not be unrolled.)
        Self::load(isa, &bytemuck::cast_slice(row)[first / Self::LANES % (N / Self::LANES)])
    }
    /// Writes a row's numbers from `first` on, which is a multiple of `LANES`.
    #[inline(always)]
    fn store_at<const N: usize>(self, row: &mut MaybeUninit<[f32; N]>, first: usize) {
        const { assert!(N.is_multiple_of(Self::LANES)) }
        debug_assert!(first < N);
        let part = first / Self::LANES % (N / Self::LANES);
        let parts: *mut MaybeUninit<Self::Array> = row.as_mut_ptr().cast();
        // SAFETY: the row is `N / LANES` such parts, and this is one of them.
        self.store(unsafe { &mut *parts.add(part) });
    }
    /// As [`store_at`](Self::store_at), in a row that has been written before.
    #[inline(always)]
    fn replace_at<const N: usize>(self, row: &mut [f32; N], first: usize) {
        let row: *mut [f32; N] = row;
        // SAFETY: stores write nothing but numbers, so the row stays a written one.
        self.store_at(unsafe { &mut *row.cast::<MaybeUninit<[f32; N]>>() }, first);
    }

    /// Four numbers from each place.
    fn load_fours<'a>(isa: Self::Isa, from: impl Fn(usize) -> &'a [f32; 4]) -> Self;
    /// The numbers in each four lanes of four rows as columns.
    fn transpose_fours(rows: [Self; 4]) -> [Self; 4];

    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    /// One by each number, off by at most 9/8 of a rounding; of what is neither finite nor normal,
    /// anything.
    #[inline(always)]
    fn inverse(self) -> Self {
        Self::splat(self.isa(), 1.0).div(self)
    }
    /// `self * factor + addend`, rounded once or twice: for conservative bounds only, never for a
    /// promised bit.
    fn mul_add(self, factor: Self, addend: Self) -> Self;
    /// `minuend - self * factor`, rounded once or twice.
    fn mul_sub_from(self, factor: Self, minuend: Self) -> Self;
    /// `if self < other { self } else { other }`: a NaN on either side gives `other`.
    fn min(self, other: Self) -> Self;
    /// `if self > other { self } else { other }`: a NaN on either side gives `other`.
    fn max(self, other: Self) -> Self;
    fn abs(self) -> Self;
    /// The greater of two numbers' sizes; of a NaN and another number, anything.
    #[inline(always)]
    fn greater_size(self, other: Self) -> Self {
        self.abs().max_nonneg(other.abs())
    }
    /// `self` with its sign changed where `other` is negative (or minus zero).
    fn flip_sign(self, other: Self) -> Self;
    /// `self` with the other sign.
    #[inline(always)]
    fn negative(self) -> Self {
        self.flip_sign(Self::splat(self.isa(), -1.0))
    }
    /// The greater of two numbers; of two negative ones (or minus zeros), either; of a NaN and
    /// another number, anything. Numbers that are not negative have the same order as integers,
    /// which some sets compare in less time.
    fn max_nonneg(self, other: Self) -> Self;
    /// The lesser of two numbers, or some negative number (or minus zero) if one of them is. There
    /// are no NaNs.
    fn min_nonneg(self, other: Self) -> Self;
    /// A bit for each lane in which `self <= other`, where `self` is not negative, nor minus zero.
    /// There are no NaNs.
    fn le_nonneg(self, other: Self) -> u32;
    /// `other` in the lanes whose bits are set, `self` in the rest.
    fn choose(self, other: Self, bits: u32) -> Self;
    /// A bit for each lane in which `self <= other`; a NaN on either side gives 0.
    fn le(self, other: Self) -> u32;
    /// A bit for each lane in which that holds of either pair.
    #[inline(always)]
    fn both_le(one: (Self, Self), other: (Self, Self)) -> u32 {
        one.0.le(one.1) & other.0.le(other.1)
    }
}

/// Eight `f32` or a multiple: the leaf blocks of one ray, or of several.
pub(crate) trait BlockVector: Vector {
    /// Eight numbers from each place.
    fn load_eights<'a>(isa: Self::Isa, from: impl Fn(usize) -> &'a [f32; 8]) -> Self;
    /// Each number eight times.
    fn splat_eights(isa: Self::Isa, number: impl Fn(usize) -> f32) -> Self;
    /// Eight numbers to each place, the first ones last. No place is held while the next is called
    /// for: all may be the same.
    fn store_eights<'a>(self, to: impl Fn(usize) -> &'a mut MaybeUninit<[f32; 8]>);
}

/// Four `f32`: a point or a direction and a spare lane, for what is worked out once per ray.
pub(crate) trait F32x4: Vector<Array = [f32; 4]> {
    fn new(isa: Self::Isa, x: f32, y: f32, z: f32) -> Self;
    /// Lanes 1, 2 and 0; the fourth may become anything.
    fn turn(self) -> Self;
    /// The three numbers turned until the one in lane `axis` comes last; the fourth may become
    /// anything.
    #[inline(always)]
    fn turn_last(self, axis: usize) -> Self {
        // Not by a branch: which axis it is cannot be foreseen.
        let from = self.to_array();
        Self::load(self.isa(), &TURNED[axis % 4].map(|lane| from[lane as usize % 4]))
    }
    /// Lane 2 in every lane.
    fn splat_last(self) -> Self;
    /// The bits of `bits` in lanes where `self` is negative (or minus zero), none in others.
    fn where_negative(self, bits: Self) -> Self;
    /// Lane 0.
    fn first(self) -> f32;
    fn to_array(self) -> [f32; 4];
    fn xor(self, other: Self) -> Self;
}

/// Which lanes a turned point has, by the axis that is to come last. (Fourth ones are spare.)
pub(super) const TURNED: [[u32; 4]; 4] = [[1, 2, 0, 3], [2, 0, 1, 3], [0, 1, 2, 3], [0, 1, 2, 3]];

/// Four `f64`: for the exact hit on one ray's nearest triangle.
///
/// Products and sums may be rounded once or twice: for values with a bound on their error.
pub(crate) trait F64x4: Copy {
    type Isa: Isa;

    fn new(isa: Self::Isa, x: [f64; 4]) -> Self;
    fn from_f32(isa: Self::Isa, x: [f32; 4]) -> Self;
    /// Zero in the first lane, `x` in the others.
    fn splat_yzw(isa: Self::Isa, x: f32) -> Self;
    fn to_array(self) -> [f64; 4];
    /// The first lane and the third change places, and the second and the last.
    fn swap_halves(self) -> Self;
    /// The first lane and the second change places, and the third and the last.
    fn swap_pairs(self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn add(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// `self * factor + addend`.
    fn mul_add(self, factor: Self, addend: Self) -> Self;
    /// `self * factor - subtrahend`.
    fn mul_sub(self, factor: Self, subtrahend: Self) -> Self;
    fn abs(self) -> Self;
    /// The greater of two numbers that are not negative.
    fn max(self, other: Self) -> Self;
    /// All but the first lane, rounded to nearest, if those of `one` and of `other` have the same
    /// bits.
    fn rounded(one: Self, other: Self) -> Option<[f32; 3]>;
}

/// Writes safe functions over a set's intrinsics.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! intrinsics {
    ($(
        $(#[$meta:meta])*
        $vis:vis fn $name:ident $([$($generics:tt)*])? ($($arguments:tt)*) $(-> $output:ty)?
            $body:block
    )*) => { $(
        $(#[$meta])*
        #[inline(always)]
        $vis fn $name $(<$($generics)*>)? ($($arguments)*) $(-> $output)? {
            // SAFETY: each function takes a token of the set, or a vector, which carries one, so
            // detection found the set. Loads and stores go through references to as many numbers.
            unsafe { $body }
        }
    )* };
}
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) use intrinsics;

#[cfg(test)]
mod tests {
    use super::*;
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

    #[test]
    fn a_point_is_turned_until_an_axis_comes_last() {
        for isa in InstructionSet::available() {
            run(isa, Turned);
        }
    }
}
