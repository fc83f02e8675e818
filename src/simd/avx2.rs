//! AVX2 with FMA.

use std::arch::x86_64::*;

use super::{Isa, Task, Vector};

pub(crate) struct Avx2;

impl Isa for Avx2 {
    type Node = __m256;
    type Leaf = __m256;
}

/// Runs a task with the instruction set switched on.
///
/// # Safety
/// The CPU has AVX2, FMA, BMI1, BMI2, LZCNT and POPCNT.
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) unsafe fn run<T: Task>(task: T) -> T::Output {
    // SAFETY: the caller vouches for the CPU, and the attribute switches the set on.
    unsafe { task.run::<Avx2>() }
}

impl Vector for __m256 {
    const LANES: usize = 8;

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller vouches for the CPU and for 8 readable numbers.
        unsafe { _mm256_loadu_ps(from) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller vouches for the CPU and for 8 writable numbers.
        unsafe { _mm256_storeu_ps(to, self) }
    }
    #[inline(always)]
    unsafe fn splat(x: f32) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm256_set1_ps(x) }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm256_add_ps(self, other) }
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm256_sub_ps(self, other) }
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm256_mul_ps(self, other) }
    }
    #[inline(always)]
    unsafe fn div(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm256_div_ps(self, other) }
    }
    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, addend: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm256_fmadd_ps(self, factor, addend) }
    }
    #[inline(always)]
    unsafe fn mul_sub_from(self, factor: Self, minuend: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm256_fnmadd_ps(self, factor, minuend) }
    }
    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm256_min_ps(self, other) }
    }
    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm256_max_ps(self, other) }
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), self) }
    }
    #[inline(always)]
    unsafe fn flip_sign(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { _mm256_xor_ps(self, _mm256_and_ps(_mm256_set1_ps(-0.0), other)) }
    }
    #[inline(always)]
    unsafe fn later(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe {
            _mm256_castsi256_ps(_mm256_max_epi32(
                _mm256_castps_si256(self),
                _mm256_castps_si256(other),
            ))
        }
    }
    #[inline(always)]
    unsafe fn sooner(self, other: Self) -> Self {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe {
            _mm256_castsi256_ps(_mm256_min_epi32(
                _mm256_castps_si256(self),
                _mm256_castps_si256(other),
            ))
        }
    }
    #[inline(always)]
    unsafe fn no_later(self, other: Self) -> u32 {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe {
            let past = _mm256_cmpgt_epi32(_mm256_castps_si256(self), _mm256_castps_si256(other));
            opaque(_mm256_movemask_ps(_mm256_castsi256_ps(past)) as u32) ^ 0xff
        }
    }
    #[inline(always)]
    unsafe fn le(self, other: Self) -> u32 {
        // SAFETY: as the trait asks, the CPU has the set.
        unsafe { opaque(_mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(self, other)) as u32) }
    }
}

/// The same mask, of which the compiler knows nothing. It would merge the masks of a node's two
/// halves with packs and shuffles, which take longer than two masks.
#[inline(always)]
fn opaque(mut mask: u32) -> u32 {
    // SAFETY: nothing happens here.
    unsafe {
        std::arch::asm!("/* {0:e} */", inout(reg) mask, options(pure, nomem, nostack, preserves_flags));
    }
    mask
}
