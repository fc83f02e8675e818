//! AVX2 with FMA.

use std::arch::x86_64::*;

use super::sse::pair;
use super::vector::vector;
use super::{Heap, Isa, Pair, Point, Task, Vector};

pub(crate) struct Avx2;

impl Heap for Avx2 {
    type Eights = __m256;
    #[inline(always)]
    unsafe fn load_eights(from: impl Fn(usize) -> *const f32) -> Self::Eights {
        unsafe { Vector::load(from(0)) }
    }
    #[inline(always)]
    unsafe fn splat_eights(x: impl Fn(usize) -> f32) -> Self::Eights {
        unsafe { Vector::splat(x(0)) }
    }
}

impl Isa for Avx2 {
    type Node = __m256;
    type Leaf = __m256;
    type Point = __m128;
    type Pair = FusedF64x2;
    type Heap = Avx2;
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

pair! {
    FusedF64x2, (a, b, c)
    mul_add: _mm_fmadd_pd(a, b, c),
    mul_sub: _mm_fmsub_pd(a, b, c),
}
