//! NEON, part of every AArch64.

use std::arch::aarch64::*;
use std::mem::MaybeUninit;

use super::scalar::{ScalarF32, ScalarF64x4};
use super::vector::{inlined, intrinsics};
use super::{F32x4, Isa, Task, Vector};

/// Proof of NEON, which every AArch64 has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Neon;

impl Neon {
    #[inline]
    pub(super) fn detect() -> Option<Self> {
        Some(Self)
    }
}

impl Isa for Neon {
    type Wide = NeonF32x4;
    type Node = NeonF32x4;
    type Leaf = NeonF32x4;
    type Blocks = ScalarF32<8, Self>;
    type Point = NeonF32x4;
    type F64x4 = ScalarF64x4<Self>;

    // Not inlined though every caller has the set: see `Scalar`.
    #[inline(never)]
    fn call_outlined<T: Task>(self, task: T) -> T::Output {
        task.run(self)
    }
}

/// Four `f32`.
#[derive(Clone, Copy)]
pub(crate) struct NeonF32x4(float32x4_t);

impl Vector for NeonF32x4 {
    type Isa = Neon;
    type Array = [f32; 4];

    inlined! { fn isa(self) -> Neon { Neon } }

    intrinsics! {
        fn load(_isa: Neon, from: &[f32; 4]) -> Self { Self(vld1q_f32(from.as_ptr())) }
        fn store(self, to: &mut MaybeUninit<[f32; 4]>) {
            vst1q_f32(to.as_mut_ptr().cast(), self.0);
        }
        fn splat(_isa: Neon, x: f32) -> Self { Self(vdupq_n_f32(x)) }
        fn load_fours['a](_isa: Neon, from: impl Fn(usize) -> &'a [f32; 4]) -> Self {
            Self(vld1q_f32(from(0).as_ptr()))
        }
        fn transpose_fours(rows: [Self; 4]) -> [Self; 4] {
            let [Self(a), Self(b), Self(c), Self(d)] = rows;
            let wide = |v: float32x4_t| vreinterpretq_f64_f32(v);
            let narrow = |v: float64x2_t| Self(vreinterpretq_f32_f64(v));
            let (ab_even, ab_odd) = (wide(vtrn1q_f32(a, b)), wide(vtrn2q_f32(a, b)));
            let (cd_even, cd_odd) = (wide(vtrn1q_f32(c, d)), wide(vtrn2q_f32(c, d)));
            [
                narrow(vtrn1q_f64(ab_even, cd_even)),
                narrow(vtrn1q_f64(ab_odd, cd_odd)),
                narrow(vtrn2q_f64(ab_even, cd_even)),
                narrow(vtrn2q_f64(ab_odd, cd_odd)),
            ]
        }
        fn add(self, other: Self) -> Self { Self(vaddq_f32(self.0, other.0)) }
        fn sub(self, other: Self) -> Self { Self(vsubq_f32(self.0, other.0)) }
        fn mul(self, other: Self) -> Self { Self(vmulq_f32(self.0, other.0)) }
        fn div(self, other: Self) -> Self { Self(vdivq_f32(self.0, other.0)) }
        fn mul_add(self, factor: Self, addend: Self) -> Self {
            Self(vfmaq_f32(addend.0, self.0, factor.0))
        }
        fn mul_sub_from(self, factor: Self, minuend: Self) -> Self {
            Self(vfmsq_f32(minuend.0, self.0, factor.0))
        }
        fn min(self, other: Self) -> Self {
            Self(vbslq_f32(vcltq_f32(self.0, other.0), self.0, other.0))
        }
        fn max(self, other: Self) -> Self {
            Self(vbslq_f32(vcgtq_f32(self.0, other.0), self.0, other.0))
        }
        fn abs(self) -> Self { Self(vabsq_f32(self.0)) }
        fn flip_sign(self, other: Self) -> Self {
            let sign = vandq_u32(vreinterpretq_u32_f32(other.0), vdupq_n_u32(1 << 31));
            Self(vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(self.0), sign)))
        }
        fn max_nonneg(self, other: Self) -> Self {
            let (a, b) = (vreinterpretq_s32_f32(self.0), vreinterpretq_s32_f32(other.0));
            Self(vreinterpretq_f32_s32(vmaxq_s32(a, b)))
        }
        fn min_nonneg(self, other: Self) -> Self {
            let (a, b) = (vreinterpretq_s32_f32(self.0), vreinterpretq_s32_f32(other.0));
            Self(vreinterpretq_f32_s32(vminq_s32(a, b)))
        }
        fn le(self, other: Self) -> u32 {
            let le = vcleq_f32(self.0, other.0);
            vaddvq_u32(vandq_u32(le, vld1q_u32(EACH.as_ptr())))
        }
        fn choose(self, other: Self, bits: u32) -> Self {
            let set = vtstq_u32(vdupq_n_u32(bits), vld1q_u32(EACH.as_ptr()));
            Self(vbslq_f32(set, other.0, self.0))
        }
    }
}

/// A bit for each lane.
const EACH: [u32; 4] = [1, 2, 4, 8];

impl F32x4 for NeonF32x4 {
    intrinsics! {
        fn new(_isa: Neon, x: f32, y: f32, z: f32) -> Self {
            Self(vld1q_f32([x, y, z, 0.0].as_ptr()))
        }
        fn turn(self) -> Self {
            let turned = vextq_f32::<1>(self.0, self.0);
            Self(vsetq_lane_f32::<2>(vgetq_lane_f32::<0>(self.0), turned))
        }
        fn splat_last(self) -> Self { Self(vdupq_laneq_f32::<2>(self.0)) }
        fn where_negative(self, bits: Self) -> Self {
            let negative = vshrq_n_s32::<31>(vreinterpretq_s32_f32(self.0));
            Self(vreinterpretq_f32_s32(vandq_s32(negative, vreinterpretq_s32_f32(bits.0))))
        }
        fn first(self) -> f32 { vgetq_lane_f32::<0>(self.0) }
        fn to_array(self) -> [f32; 4] { std::mem::transmute(self.0) }
        fn xor(self, other: Self) -> Self {
            let (a, b) = (vreinterpretq_u32_f32(self.0), vreinterpretq_u32_f32(other.0));
            Self(vreinterpretq_f32_u32(veorq_u32(a, b)))
        }
    }
}
