//! SSE2, the baseline of x86-64.

use std::arch::x86_64::*;

use super::vector::vector;
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

vector! {
    __m128, 4, (p, x, a, b, c)
    load: _mm_loadu_ps(p),
    store: _mm_storeu_ps(p, a),
    splat: _mm_set1_ps(x),
    add: _mm_add_ps(a, b),
    sub: _mm_sub_ps(a, b),
    mul: _mm_mul_ps(a, b),
    div: _mm_div_ps(a, b),
    mul_add: _mm_add_ps(_mm_mul_ps(a, b), c),
    mul_sub_from: _mm_sub_ps(c, _mm_mul_ps(a, b)),
    min: _mm_min_ps(a, b),
    max: _mm_max_ps(a, b),
    later: _mm_max_ps(a, b),
    sooner: _mm_min_ps(a, b),
    abs: _mm_andnot_ps(_mm_set1_ps(-0.0), a),
    flip_sign: _mm_xor_ps(a, _mm_and_ps(_mm_set1_ps(-0.0), b)),
    le: _mm_movemask_ps(_mm_cmple_ps(a, b)) as u32,
    no_later: _mm_movemask_ps(_mm_cmple_ps(a, b)) as u32,
}
