//! AVX2 with FMA.

use std::arch::x86_64::*;

use super::vector::vector;
use super::{Isa, Pair, Task, Vector};

pub(crate) struct Avx2;

impl Isa for Avx2 {
    type Node = __m256;
    type Leaf = __m256;
    type Point = __m128;
    type Pair = FusedPair;
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

vector! {
    __m256, 8, (p, x, a, b, c)
    load: _mm256_loadu_ps(p),
    store: _mm256_storeu_ps(p, a),
    splat: _mm256_set1_ps(x),
    add: _mm256_add_ps(a, b),
    sub: _mm256_sub_ps(a, b),
    mul: _mm256_mul_ps(a, b),
    div: _mm256_div_ps(a, b),
    mul_add: _mm256_fmadd_ps(a, b, c),
    mul_sub_from: _mm256_fnmadd_ps(a, b, c),
    min: _mm256_min_ps(a, b),
    max: _mm256_max_ps(a, b),
    later: _mm256_castsi256_ps(_mm256_max_epi32(_mm256_castps_si256(a), _mm256_castps_si256(b))),
    sooner: _mm256_castsi256_ps(_mm256_min_epi32(_mm256_castps_si256(a), _mm256_castps_si256(b))),
    abs: _mm256_andnot_ps(_mm256_set1_ps(-0.0), a),
    flip_sign: _mm256_xor_ps(a, _mm256_and_ps(_mm256_set1_ps(-0.0), b)),
    le: opaque(_mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(a, b)) as u32),
    no_later: {
        let past = _mm256_cmpgt_epi32(_mm256_castps_si256(a), _mm256_castps_si256(b));
        opaque(_mm256_movemask_ps(_mm256_castsi256_ps(past)) as u32) ^ 0xff
    },
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

/// Two `f64`, with products and sums fused.
#[derive(Clone, Copy)]
pub(crate) struct FusedPair(__m128d);

impl Pair for FusedPair {
    #[inline(always)]
    unsafe fn new(low: f32, high: f32) -> Self {
        // SAFETY: the caller vouches for the CPU; that holds for each below.
        unsafe { Self(<__m128d as Pair>::new(low, high)) }
    }
    #[inline(always)]
    unsafe fn both(low: f64, high: f64) -> Self {
        // SAFETY: as above.
        unsafe { Self(<__m128d as Pair>::both(low, high)) }
    }
    #[inline(always)]
    unsafe fn splat(x: f64) -> Self {
        // SAFETY: as above.
        unsafe { Self(<__m128d as Pair>::splat(x)) }
    }
    #[inline(always)]
    unsafe fn low(self) -> f64 {
        // SAFETY: as above.
        unsafe { self.0.low() }
    }
    #[inline(always)]
    unsafe fn high(self) -> f64 {
        // SAFETY: as above.
        unsafe { self.0.high() }
    }
    #[inline(always)]
    unsafe fn swap(self) -> Self {
        // SAFETY: as above.
        unsafe { Self(self.0.swap()) }
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(self.0.sub(other.0)) }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(self.0.add(other.0)) }
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(self.0.mul(other.0)) }
    }
    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, addend: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm_fmadd_pd(self.0, factor.0, addend.0)) }
    }
    #[inline(always)]
    unsafe fn mul_sub(self, factor: Self, subtrahend: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm_fmsub_pd(self.0, factor.0, subtrahend.0)) }
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        // SAFETY: as above.
        unsafe { Self(self.0.abs()) }
    }
    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(self.0.max(other.0)) }
    }
    #[inline(always)]
    unsafe fn rounded([a, b]: [Self; 2], [c, d]: [Self; 2]) -> Option<[f32; 3]> {
        // SAFETY: as above.
        unsafe { Pair::rounded([a.0, b.0], [c.0, d.0]) }
    }
}
