//! AVX-512 (F, VL, DQ, BW): sixteen boxes at once; leaf blocks as with AVX2.

use std::arch::x86_64::*;

use super::vector::vector;
use super::{Isa, Task, Vector};

pub(crate) struct Avx512;

impl Isa for Avx512 {
    type Node = __m512;
    type Leaf = __m256;
    type Point = __m128;
    type Pair = super::avx2::FusedF64x2;
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

vector! {
    __m512, 16, (p, x, a, b, c)
    load: _mm512_loadu_ps(p),
    store: _mm512_storeu_ps(p, a),
    splat: _mm512_set1_ps(x),
    add: _mm512_add_ps(a, b),
    sub: _mm512_sub_ps(a, b),
    mul: _mm512_mul_ps(a, b),
    div: _mm512_div_ps(a, b),
    mul_add: _mm512_fmadd_ps(a, b, c),
    mul_sub_from: _mm512_fnmadd_ps(a, b, c),
    min: _mm512_min_ps(a, b),
    max: _mm512_max_ps(a, b),
    later: _mm512_castsi512_ps(_mm512_max_epi32(_mm512_castps_si512(a), _mm512_castps_si512(b))),
    sooner: _mm512_castsi512_ps(_mm512_min_epi32(_mm512_castps_si512(a), _mm512_castps_si512(b))),
    abs: _mm512_andnot_ps(_mm512_set1_ps(-0.0), a),
    flip_sign: _mm512_xor_ps(a, _mm512_and_ps(_mm512_set1_ps(-0.0), b)),
    le: _mm512_cmp_ps_mask::<_CMP_LE_OQ>(a, b).into(),
    no_later: _mm512_cmple_epi32_mask(_mm512_castps_si512(a), _mm512_castps_si512(b)).into(),
}
