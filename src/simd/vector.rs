//! The few operations that the traversal needs of a vector.

use std::fmt::Debug;

use super::{Columns, Lone, Point, Quad, Wave};

/// A vector of `f32`.
///
/// # Safety
///
/// Every method may be called only where the CPU has the instruction set of the type.
/// Implementations are `#[inline(always)]` and carry no `#[target_feature]` of their own:
/// they become part of the entry point that [`run`](super::run) has switched the set on
/// for. A method that stays out of line would be compiled for the baseline instead.
pub(crate) trait Vector: Copy + Debug {
    /// Numbers in a vector.
    const LANES: usize;

    /// # Safety
    /// As for the trait; `from` must point to `LANES` readable numbers.
    unsafe fn load(from: *const f32) -> Self;
    /// Four numbers from each address.
    ///
    /// # Safety
    /// As for the trait; the addresses must point to four readable numbers each.
    unsafe fn load_fours(from: impl Fn(usize) -> *const f32) -> Self;
    /// The numbers in each four lanes of four rows as columns.
    ///
    /// # Safety
    /// As for the trait.
    unsafe fn transpose_fours(rows: [Self; 4]) -> [Self; 4];
    /// # Safety
    /// As for the trait; `to` must point to `LANES` writable numbers.
    unsafe fn store(self, to: *mut f32);
    /// # Safety
    /// As for the trait.
    unsafe fn splat(x: f32) -> Self;
    /// # Safety
    /// As for the trait.
    unsafe fn add(self, other: Self) -> Self;
    /// # Safety
    /// As for the trait.
    unsafe fn sub(self, other: Self) -> Self;
    /// # Safety
    /// As for the trait.
    unsafe fn mul(self, other: Self) -> Self;
    /// # Safety
    /// As for the trait.
    unsafe fn div(self, other: Self) -> Self;
    /// One by each number, off by at most 9/8 of a rounding; of what is neither finite nor normal, anything.
    ///
    /// # Safety
    /// As for the trait.
    #[inline(always)]
    unsafe fn inverse(self) -> Self {
        // SAFETY: the caller vouches for the CPU.
        unsafe { Self::splat(1.0).div(self) }
    }
    /// `self * factor + addend`, rounded once or twice: for conservative bounds only, never
    /// for a promised bit.
    ///
    /// # Safety
    /// As for the trait.
    unsafe fn mul_add(self, factor: Self, addend: Self) -> Self;
    /// `minuend - self * factor`, rounded once or twice.
    ///
    /// # Safety
    /// As for the trait.
    unsafe fn mul_sub_from(self, factor: Self, minuend: Self) -> Self;
    /// `if self < other { self } else { other }`: a NaN on either side gives `other`.
    ///
    /// # Safety
    /// As for the trait.
    unsafe fn min(self, other: Self) -> Self;
    /// `if self > other { self } else { other }`: a NaN on either side gives `other`.
    ///
    /// # Safety
    /// As for the trait.
    unsafe fn max(self, other: Self) -> Self;
    /// # Safety
    /// As for the trait.
    unsafe fn abs(self) -> Self;
    /// The greater of two numbers' sizes; of a NaN and whatever else, anything.
    ///
    /// # Safety
    /// As for the trait.
    #[inline(always)]
    unsafe fn greater_size(self, other: Self) -> Self {
        // SAFETY: the caller vouches for the CPU.
        unsafe { self.abs().later(other.abs()) }
    }
    /// `self` with its sign changed where `other` is negative (or minus zero).
    ///
    /// # Safety
    /// As for the trait.
    unsafe fn flip_sign(self, other: Self) -> Self;
    /// `self` with the other sign.
    ///
    /// # Safety
    /// As for the trait.
    #[inline(always)]
    unsafe fn negative(self) -> Self {
        // SAFETY: the caller vouches for the CPU.
        unsafe { self.flip_sign(Self::splat(-1.0)) }
    }
    /// The greater of two numbers; of two negative ones (or minus zeros), either; of a NaN and
    /// whatever else, anything.
    /// Numbers that are not negative are in order as integers, too, which some sets compare sooner.
    ///
    /// # Safety
    /// As for the trait.
    unsafe fn later(self, other: Self) -> Self;
    /// The lesser of two numbers, or some negative number (or minus zero) if one of them is. There
    /// are no NaNs.
    ///
    /// # Safety
    /// As for the trait.
    unsafe fn sooner(self, other: Self) -> Self;
    /// A bit for each lane in which `self <= other`, where `self` is not negative, nor minus zero.
    /// There are no NaNs.
    ///
    /// # Safety
    /// As for the trait.
    unsafe fn no_later(self, other: Self) -> u32;
    /// `other` in the lanes whose bits are set, `self` in the rest.
    ///
    /// # Safety
    /// As for the trait.
    unsafe fn choose(self, other: Self, bits: u32) -> Self;
    /// A bit for each lane in which `self <= other`; a NaN on either side gives 0.
    ///
    /// # Safety
    /// As for the trait.
    unsafe fn le(self, other: Self) -> u32;
    /// A bit for each lane in which that holds of either pair.
    ///
    /// # Safety
    /// As for the trait.
    #[inline(always)]
    unsafe fn both_le(one: (Self, Self), other: (Self, Self)) -> u32 {
        // SAFETY: the caller vouches for the CPU.
        unsafe { one.0.le(one.1) & other.0.le(other.1) }
    }
}

/// An instruction set: the widest useful vectors for the sixteen boxes of a node and for
/// the eight triangles of a leaf block.
pub(crate) trait Isa: Lone + Columns {
    type Node: Vector;
    type Leaf: Vector;
    type Point: Point;
    type Quad: Quad;
    type Wave: Wave;

    /// Whether a product and a sum are one instruction.
    const FUSES: bool;

    /// Does part of a task in a function of its own: with all registers for a loop that has use for them.
    ///
    /// # Safety
    /// The CPU has the instruction set.
    unsafe fn apart<T: Task>(task: T) -> T::Output;
}

/// Something to do on an instruction set that is known at run time only.
pub(crate) trait Task {
    type Output;

    /// Does it. Implementations are `#[inline(always)]`.
    ///
    /// # Safety
    /// The CPU has the instruction set `I`, and the caller has it switched on.
    unsafe fn run<I: Isa>(self) -> Self::Output;
}

/// Writes a [`Vector`] as a table of expressions over the numbers' address `p`, a number `x` and
/// vectors `a`, `b` and `c`.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! vector {
    ($type:ty, $lanes:literal, ($p:ident, $x:ident, $a:ident, $b:ident, $c:ident)
        load: $load:expr, store: $store:expr, splat: $splat:expr,
        add: $add:expr, sub: $sub:expr, mul: $mul:expr, div: $div:expr,
        mul_add: $mul_add:expr, mul_sub_from: $mul_sub_from:expr,
        min: $min:expr, max: $max:expr, later: $later:expr, sooner: $sooner:expr,
        abs: $abs:expr, flip_sign: $flip_sign:expr, le: $le:expr, no_later: $no_later:expr,
        $(greater_size: $greater_size:expr,)?
        $(inverse: $inverse:expr,)?
        $(both_le: ($one:ident, $other:ident) $both_le:expr,)?
        load_fours: ($from:ident) $load_fours:expr,
        transpose_fours: ($rows:ident) $transpose_fours:expr,
        choose: ($bits:ident) $choose:expr $(,)?
    ) => {
        impl Vector for $type {
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn load($p: *const f32) -> Self {
                // SAFETY: the caller vouches for the CPU and for the numbers at `p`.
                unsafe { $load }
            }
            #[inline(always)]
            unsafe fn load_fours($from: impl Fn(usize) -> *const f32) -> Self {
                // SAFETY: as above.
                unsafe { $load_fours }
            }
            #[inline(always)]
            unsafe fn transpose_fours($rows: [Self; 4]) -> [Self; 4] {
                // SAFETY: the caller vouches for the CPU.
                unsafe { $transpose_fours }
            }
            #[inline(always)]
            unsafe fn store(self, $p: *mut f32) {
                let $a = self;
                // SAFETY: the caller vouches for the CPU and for the room at `p`.
                unsafe { $store }
            }
            #[inline(always)]
            unsafe fn splat($x: f32) -> Self {
                // SAFETY: the caller vouches for the CPU; that holds for each below.
                unsafe { $splat }
            }
            #[inline(always)]
            unsafe fn abs(self) -> Self {
                let $a = self;
                // SAFETY: as above.
                unsafe { $abs }
            }
            #[inline(always)]
            unsafe fn choose(self, $b: Self, $bits: u32) -> Self {
                let $a = self;
                // SAFETY: as above.
                unsafe { $choose }
            }
            vector!(binary ($a, $b) add -> Self: $add);
            vector!(binary ($a, $b) sub -> Self: $sub);
            vector!(binary ($a, $b) mul -> Self: $mul);
            vector!(binary ($a, $b) div -> Self: $div);
            vector!(binary ($a, $b) min -> Self: $min);
            vector!(binary ($a, $b) max -> Self: $max);
            $(vector!(binary ($a, $b) greater_size -> Self: $greater_size);)?
            $(
                #[inline(always)]
                unsafe fn inverse(self) -> Self {
                    let $a = self;
                    // SAFETY: as above.
                    unsafe { $inverse }
                }
            )?
            $(
                #[inline(always)]
                unsafe fn both_le($one: (Self, Self), $other: (Self, Self)) -> u32 {
                    // SAFETY: as above.
                    unsafe { $both_le }
                }
            )?
            vector!(binary ($a, $b) later -> Self: $later);
            vector!(binary ($a, $b) sooner -> Self: $sooner);
            vector!(binary ($a, $b) flip_sign -> Self: $flip_sign);
            vector!(binary ($a, $b) le -> u32: $le);
            vector!(binary ($a, $b) no_later -> u32: $no_later);
            vector!(ternary ($a, $b, $c) mul_add: $mul_add);
            vector!(ternary ($a, $b, $c) mul_sub_from: $mul_sub_from);
        }
    };
    (binary ($a:ident, $b:ident) $name:ident -> $output:ty: $expr:expr) => {
        #[inline(always)]
        unsafe fn $name(self, $b: Self) -> $output {
            let $a = self;
            // SAFETY: the caller vouches for the CPU.
            unsafe { $expr }
        }
    };
    (ternary ($a:ident, $b:ident, $c:ident) $name:ident: $expr:expr) => {
        #[inline(always)]
        unsafe fn $name(self, $b: Self, $c: Self) -> Self {
            let $a = self;
            // SAFETY: the caller vouches for the CPU.
            unsafe { $expr }
        }
    };
}
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) use vector;
