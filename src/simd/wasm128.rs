//! WebAssembly's simd128, where the build has it: a module with an unknown instruction does not
//! load, so there is nothing to detect.

use std::arch::wasm32::*;
use std::mem::MaybeUninit;

use super::scalar::{ScalarF32, ScalarF64x4};
use super::vector::{inlined, intrinsics};
use super::{F32x4, Isa, Task, Vector};

/// Proof of simd128, for which this module is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Wasm128;

impl Wasm128 {
    #[inline]
    pub(super) fn detect() -> Option<Self> {
        Some(Self)
    }
}

impl Isa for Wasm128 {
    type Wide = Wasm128F32x4;
    type Node = Wasm128F32x4;
    type Leaf = Wasm128F32x4;
    type Blocks = ScalarF32<8, Self>;
    type Point = Wasm128F32x4;
    type F64x4 = ScalarF64x4<Self>;

    // Not inlined though every caller has the set: see `Scalar`.
    #[inline(never)]
    fn call_outlined<T: Task>(self, task: T) -> T::Output {
        task.run(self)
    }
}

/// Four `f32`.
#[derive(Clone, Copy)]
pub(crate) struct Wasm128F32x4(v128);

impl Vector for Wasm128F32x4 {
    type Isa = Wasm128;
    type Array = [f32; 4];

    inlined! { fn isa(self) -> Wasm128 { Wasm128 } }

    intrinsics! {
        fn load(_isa: Wasm128, from: &[f32; 4]) -> Self { Self(v128_load(from.as_ptr().cast())) }
        fn store(self, to: &mut MaybeUninit<[f32; 4]>) {
            v128_store(to.as_mut_ptr().cast(), self.0);
        }
        fn splat(_isa: Wasm128, x: f32) -> Self { Self(f32x4_splat(x)) }
        fn load_fours['a](isa: Wasm128, from: impl Fn(usize) -> &'a [f32; 4]) -> Self {
            Self::load(isa, from(0))
        }
        fn transpose_fours(rows: [Self; 4]) -> [Self; 4] {
            let [Self(a), Self(b), Self(c), Self(d)] = rows;
            let (ab_low, ab_high) =
                (i32x4_shuffle::<0, 4, 1, 5>(a, b), i32x4_shuffle::<2, 6, 3, 7>(a, b));
            let (cd_low, cd_high) =
                (i32x4_shuffle::<0, 4, 1, 5>(c, d), i32x4_shuffle::<2, 6, 3, 7>(c, d));
            [
                Self(i64x2_shuffle::<0, 2>(ab_low, cd_low)),
                Self(i64x2_shuffle::<1, 3>(ab_low, cd_low)),
                Self(i64x2_shuffle::<0, 2>(ab_high, cd_high)),
                Self(i64x2_shuffle::<1, 3>(ab_high, cd_high)),
            ]
        }
        fn add(self, other: Self) -> Self { Self(f32x4_add(self.0, other.0)) }
        fn sub(self, other: Self) -> Self { Self(f32x4_sub(self.0, other.0)) }
        fn mul(self, other: Self) -> Self { Self(f32x4_mul(self.0, other.0)) }
        fn div(self, other: Self) -> Self { Self(f32x4_div(self.0, other.0)) }
        // `pmin(x, y)` is `if y < x { y } else { x }`.
        fn min(self, other: Self) -> Self { Self(f32x4_pmin(other.0, self.0)) }
        fn max(self, other: Self) -> Self { Self(f32x4_pmax(other.0, self.0)) }
        fn abs(self) -> Self { Self(f32x4_abs(self.0)) }
        fn flip_sign(self, other: Self) -> Self {
            Self(v128_xor(self.0, v128_and(f32x4_splat(-0.0), other.0)))
        }
        fn max_nonneg(self, other: Self) -> Self { Self(i32x4_max(self.0, other.0)) }
        fn min_nonneg(self, other: Self) -> Self { Self(i32x4_min(self.0, other.0)) }
        fn le(self, other: Self) -> u32 { i32x4_bitmask(f32x4_le(self.0, other.0)).into() }
        fn choose(self, other: Self, bits: u32) -> Self {
            let each = i32x4(1, 2, 4, 8);
            let set = i32x4_eq(v128_and(u32x4_splat(bits), each), each);
            Self(v128_bitselect(other.0, self.0, set))
        }
    }
}

impl F32x4 for Wasm128F32x4 {
    intrinsics! {
        fn new(_isa: Wasm128, x: f32, y: f32, z: f32) -> Self { Self(f32x4(x, y, z, 0.0)) }
        fn turn(self) -> Self { Self(i32x4_shuffle::<1, 2, 0, 3>(self.0, self.0)) }
        fn splat_last(self) -> Self { Self(i32x4_shuffle::<2, 2, 2, 2>(self.0, self.0)) }
        fn where_negative(self, bits: Self) -> Self {
            Self(v128_and(i32x4_shr(self.0, 31), bits.0))
        }
        fn first(self) -> f32 { f32x4_extract_lane::<0>(self.0) }
        fn to_array(self) -> [f32; 4] { std::mem::transmute(self.0) }
        fn xor(self, other: Self) -> Self { Self(v128_xor(self.0, other.0)) }
    }
}
