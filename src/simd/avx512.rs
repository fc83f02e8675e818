//! AVX-512 (F, VL, DQ, BW): sixteen boxes at once; leaf blocks as with AVX2.

use std::arch::x86_64::*;

use super::{Isa, Task, Vector};

pub(crate) struct Avx512;

impl Isa for Avx512 {
    type Node = __m512;
    type Leaf = __m256;
}

/// Runs a task with the instruction set switched on.
///
/// # Safety
/// The CPU has AVX-512 F, VL, DQ and BW, AVX2, FMA, BMI1, BMI2, LZCNT and POPCNT.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) unsafe fn run<T: Task>(task: T) -> T::Output {
    // SAFETY: the caller vouches for the CPU, and the attribute switches the set on.
    unsafe { task.run::<Avx512>() }
}

impl Vector for __m512 {
    const LANES: usize = 16;

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller vouches for the CPU and for 16 readable numbers.
        unsafe { _mm512_loadu_ps(from) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller vouches for the CPU and for 16 writable numbers.
        unsafe { _mm512_storeu_ps(to, self) }
    }
    #[inline(always)]
    unsafe fn splat(x: f32) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm512_set1_ps(x) }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm512_add_ps(self, other) }
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm512_sub_ps(self, other) }
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm512_mul_ps(self, other) }
    }
    #[inline(always)]
    unsafe fn div(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm512_div_ps(self, other) }
    }
    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, addend: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm512_fmadd_ps(self, factor, addend) }
    }
    #[inline(always)]
    unsafe fn mul_sub_from(self, factor: Self, minuend: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm512_fnmadd_ps(self, factor, minuend) }
    }
    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm512_min_ps(self, other) }
    }
    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm512_max_ps(self, other) }
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm512_andnot_ps(_mm512_set1_ps(-0.0), self) }
    }
    #[inline(always)]
    unsafe fn flip_sign(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm512_xor_ps(self, _mm512_and_ps(_mm512_set1_ps(-0.0), other)) }
    }
    #[inline(always)]
    unsafe fn later(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe {
            _mm512_castsi512_ps(_mm512_max_epi32(
                _mm512_castps_si512(self),
                _mm512_castps_si512(other),
            ))
        }
    }
    #[inline(always)]
    unsafe fn sooner(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe {
            _mm512_castsi512_ps(_mm512_min_epi32(
                _mm512_castps_si512(self),
                _mm512_castps_si512(other),
            ))
        }
    }
    #[inline(always)]
    unsafe fn no_later(self, other: Self) -> u32 {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe {
            _mm512_cmple_epi32_mask(_mm512_castps_si512(self), _mm512_castps_si512(other)).into()
        }
    }
    #[inline(always)]
    unsafe fn le(self, other: Self) -> u32 {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm512_cmp_ps_mask::<_CMP_LE_OQ>(self, other).into() }
    }
}
