//! NEON, part of every AArch64.

use std::arch::aarch64::*;

use super::{Isa, Task, Vector};

pub(crate) struct Neon;

impl Isa for Neon {
    type Node = float32x4_t;
    type Leaf = float32x4_t;
}

/// Runs a task with the instruction set switched on.
///
/// # Safety
/// The CPU has NEON.
#[target_feature(enable = "neon")]
pub(crate) unsafe fn run<T: Task>(task: T) -> T::Output {
    // SAFETY: the caller vouches for the CPU, and the attribute switches the set on.
    unsafe { task.run::<Neon>() }
}

impl Vector for float32x4_t {
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller vouches for the CPU and for 4 readable numbers.
        unsafe { vld1q_f32(from) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller vouches for the CPU and for 4 writable numbers.
        unsafe { vst1q_f32(to, self) }
    }
    #[inline(always)]
    unsafe fn splat(x: f32) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { vdupq_n_f32(x) }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { vaddq_f32(self, other) }
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { vsubq_f32(self, other) }
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { vmulq_f32(self, other) }
    }
    #[inline(always)]
    unsafe fn div(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { vdivq_f32(self, other) }
    }
    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, addend: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { vfmaq_f32(addend, self, factor) }
    }
    #[inline(always)]
    unsafe fn mul_sub_from(self, factor: Self, minuend: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { vfmsq_f32(minuend, self, factor) }
    }
    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { vbslq_f32(vcltq_f32(self, other), self, other) }
    }
    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { vbslq_f32(vcgtq_f32(self, other), self, other) }
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { vabsq_f32(self) }
    }
    #[inline(always)]
    unsafe fn flip_sign(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe {
            let sign = vandq_u32(vreinterpretq_u32_f32(other), vdupq_n_u32(1 << 31));
            vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(self), sign))
        }
    }
    #[inline(always)]
    unsafe fn later(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe {
            vreinterpretq_f32_s32(vmaxq_s32(
                vreinterpretq_s32_f32(self),
                vreinterpretq_s32_f32(other),
            ))
        }
    }
    #[inline(always)]
    unsafe fn sooner(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe {
            vreinterpretq_f32_s32(vminq_s32(
                vreinterpretq_s32_f32(self),
                vreinterpretq_s32_f32(other),
            ))
        }
    }
    #[inline(always)]
    unsafe fn no_later(self, other: Self) -> u32 {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { self.le(other) }
    }
    #[inline(always)]
    unsafe fn le(self, other: Self) -> u32 {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe {
            let bits = vld1q_u32([1u32, 2, 4, 8].as_ptr());
            vaddvq_u32(vandq_u32(vcleq_f32(self, other), bits))
        }
    }
}
