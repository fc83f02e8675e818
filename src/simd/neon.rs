//! NEON, part of every AArch64.

use std::arch::aarch64::*;

use super::vector::vector;
use super::{Columns, Isa, Lone, Point, Task, Vector};

pub(crate) struct Neon;

impl Isa for Neon {
    type Node = float32x4_t;
    type Leaf = float32x4_t;
    type Point = float32x4_t;
    type Quad = super::scalar::F64s;
    type Wave = super::scalar::Scalar;

    const FUSES: bool = true;

    unsafe fn apart<T: Task>(task: T) -> T::Output {
        // SAFETY: the caller vouches for the CPU.
        unsafe { run(task) }
    }
}

impl Columns for Neon {}

impl Lone for Neon {
    type Boxes = float32x4_t;
}

/// Runs a task with the instruction set switched on.
///
/// # Safety
/// The CPU has NEON.
#[inline(never)]
#[target_feature(enable = "neon")]
pub(crate) unsafe fn run<T: Task>(task: T) -> T::Output {
    // SAFETY: the caller vouches for the CPU, and the attribute switches the set on.
    unsafe { task.run::<Neon>() }
}

vector! {
    float32x4_t, 4, (p, x, a, b, c)
    load: vld1q_f32(p),
    store: vst1q_f32(p, a),
    splat: vdupq_n_f32(x),
    add: vaddq_f32(a, b),
    sub: vsubq_f32(a, b),
    mul: vmulq_f32(a, b),
    div: vdivq_f32(a, b),
    mul_add: vfmaq_f32(c, a, b),
    mul_sub_from: vfmsq_f32(c, a, b),
    min: vbslq_f32(vcltq_f32(a, b), a, b),
    max: vbslq_f32(vcgtq_f32(a, b), a, b),
    later: vreinterpretq_f32_s32(vmaxq_s32(vreinterpretq_s32_f32(a), vreinterpretq_s32_f32(b))),
    sooner: vreinterpretq_f32_s32(vminq_s32(vreinterpretq_s32_f32(a), vreinterpretq_s32_f32(b))),
    abs: vabsq_f32(a),
    flip_sign: {
        let sign = vandq_u32(vreinterpretq_u32_f32(b), vdupq_n_u32(1 << 31));
        vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(a), sign))
    },
    le: bits(vcleq_f32(a, b)),
    no_later: bits(vcleq_f32(a, b)),
    load_fours: (from) vld1q_f32(from(0)),
    transpose_fours: (rows) {
        let [a, b, c, d] = rows;
        let wide = |v: float32x4_t| vreinterpretq_f64_f32(v);
        let (ab_even, ab_odd) = (wide(vtrn1q_f32(a, b)), wide(vtrn2q_f32(a, b)));
        let (cd_even, cd_odd) = (wide(vtrn1q_f32(c, d)), wide(vtrn2q_f32(c, d)));
        [
            vreinterpretq_f32_f64(vtrn1q_f64(ab_even, cd_even)),
            vreinterpretq_f32_f64(vtrn1q_f64(ab_odd, cd_odd)),
            vreinterpretq_f32_f64(vtrn2q_f64(ab_even, cd_even)),
            vreinterpretq_f32_f64(vtrn2q_f64(ab_odd, cd_odd)),
        ]
    },
    choose: (bits) {
        let each = vld1q_u32([1u32, 2, 4, 8].as_ptr());
        vbslq_f32(vtstq_u32(vdupq_n_u32(bits), each), b, a)
    },
}

/// A bit for each lane of a comparison.
///
/// # Safety
/// The CPU has NEON.
#[inline(always)]
unsafe fn bits(lanes: uint32x4_t) -> u32 {
    // SAFETY: the caller vouches for the CPU, and the array has four numbers.
    unsafe { vaddvq_u32(vandq_u32(lanes, vld1q_u32([1u32, 2, 4, 8].as_ptr()))) }
}

impl Point for float32x4_t {
    #[inline(always)]
    unsafe fn of(x: f32, y: f32, z: f32) -> Self {
        // SAFETY: the caller vouches for the CPU; that holds for each below.
        unsafe { vld1q_f32([x, y, z, 0.0].as_ptr()) }
    }
    #[inline(always)]
    unsafe fn turn(self) -> Self {
        // SAFETY: the caller vouches for the CPU; that holds for each below.
        unsafe { vsetq_lane_f32::<2>(vgetq_lane_f32::<0>(self), vextq_f32::<1>(self, self)) }
    }
    #[inline(always)]
    unsafe fn splat_last(self) -> Self {
        // SAFETY: as above.
        unsafe { vdupq_laneq_f32::<2>(self) }
    }
    #[inline(always)]
    unsafe fn where_negative(self, bits: Self) -> Self {
        // SAFETY: as above.
        unsafe {
            let negative = vshrq_n_s32::<31>(vreinterpretq_s32_f32(self));
            vreinterpretq_f32_s32(vandq_s32(negative, vreinterpretq_s32_f32(bits)))
        }
    }
    #[inline(always)]
    unsafe fn first(self) -> f32 {
        // SAFETY: as above.
        unsafe { vgetq_lane_f32::<0>(self) }
    }
    #[inline(always)]
    unsafe fn to_array(self) -> [f32; 4] {
        // SAFETY: both are four `f32`.
        unsafe { std::mem::transmute(self) }
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe {
            let (a, b) = (vreinterpretq_u32_f32(self), vreinterpretq_u32_f32(other));
            vreinterpretq_f32_u32(veorq_u32(a, b))
        }
    }
}
