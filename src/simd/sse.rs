//! SSE2, the baseline of x86-64.

use std::arch::x86_64::*;

use super::{Isa, Task, Vector};

pub(crate) struct Sse;

impl Isa for Sse {
    type Node = __m128;
    type Leaf = __m128;
}

/// Runs a task with the instruction set switched on.
///
/// # Safety
/// The CPU has SSE2.
#[target_feature(enable = "sse2")]
pub(crate) unsafe fn run<T: Task>(task: T) -> T::Output {
    // SAFETY: the caller vouches for the CPU, and the attribute switches the set on.
    unsafe { task.run::<Sse>() }
}

impl Vector for __m128 {
    const LANES: usize = 4;

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller vouches for the CPU and for 4 readable numbers.
        unsafe { _mm_loadu_ps(from) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller vouches for the CPU and for 4 writable numbers.
        unsafe { _mm_storeu_ps(to, self) }
    }
    #[inline(always)]
    unsafe fn splat(x: f32) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm_set1_ps(x) }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm_add_ps(self, other) }
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm_sub_ps(self, other) }
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm_mul_ps(self, other) }
    }
    #[inline(always)]
    unsafe fn div(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm_div_ps(self, other) }
    }
    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, addend: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm_add_ps(_mm_mul_ps(self, factor), addend) }
    }
    #[inline(always)]
    unsafe fn mul_sub_from(self, factor: Self, minuend: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm_sub_ps(minuend, _mm_mul_ps(self, factor)) }
    }
    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm_min_ps(self, other) }
    }
    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm_max_ps(self, other) }
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm_andnot_ps(_mm_set1_ps(-0.0), self) }
    }
    #[inline(always)]
    unsafe fn flip_sign(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm_xor_ps(self, _mm_and_ps(_mm_set1_ps(-0.0), other)) }
    }
    #[inline(always)]
    unsafe fn later(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { self.max(other) }
    }
    #[inline(always)]
    unsafe fn sooner(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { self.min(other) }
    }
    #[inline(always)]
    unsafe fn no_later(self, other: Self) -> u32 {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { self.le(other) }
    }
    #[inline(always)]
    unsafe fn le(self, other: Self) -> u32 {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm_movemask_ps(_mm_cmple_ps(self, other)) as u32 }
    }
}
