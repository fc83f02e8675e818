//! AVX-512 (F, VL, DQ, BW): sixteen boxes at once; leaf blocks as with AVX2.

use std::arch::x86_64::*;

use super::vector::vector;
use super::{Heap, Isa, Task, Vector};

pub(crate) struct Avx512;

impl Isa for Avx512 {
    type Node = __m512;
    type Leaf = __m256;
    type Point = __m128;
    type Pair = super::avx2::FusedF64x2;
    type Heap = Avx512;
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

impl Heap for Avx512 {
    type Eights = __m512;
    #[inline(always)]
    unsafe fn load_eights(from: impl Fn(usize) -> *const f32) -> __m512 {
        unsafe {
            let low = _mm512_castps256_ps512(_mm256_loadu_ps(from(0)));
            _mm512_insertf32x8::<1>(low, _mm256_loadu_ps(from(1)))
        }
    }
    #[inline(always)]
    unsafe fn splat_eights(x: impl Fn(usize) -> f32) -> __m512 {
        unsafe { _mm512_mask_blend_ps(0xff00, _mm512_set1_ps(x(0)), _mm512_set1_ps(x(1))) }
    }

    #[inline(always)]
    unsafe fn push<const ORDERED: bool>(
        enter: &[f32; 16],
        child: &[u32; 16],
        mask: u32,
        keys: *mut u32,
        children: *mut u32,
    ) {
        unsafe {
            let child = _mm512_loadu_si512(child.as_ptr().cast());
            if !ORDERED {
                let packed = _mm512_maskz_compress_epi32(mask as u16, child);
                _mm512_storeu_si512(children.cast(), packed);
                return;
            }
            let iota = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            let enter = _mm512_loadu_si512(enter.as_ptr().cast());
            let key = _mm512_ternarylogic_epi32::<0xD8>(enter, iota, _mm512_set1_epi32(15));
            let packed = _mm512_maskz_compress_epi32(mask as u16, key);
            if mask.count_ones() <= 8 {
                let x = _mm512_castsi512_si256(packed);
                let x = step8::<0x55>(x, _mm256_shuffle_epi32::<0xB1>(x));
                let x = step8::<0x33>(x, _mm256_shuffle_epi32::<0x1B>(x));
                let x = step8::<0x55>(x, _mm256_shuffle_epi32::<0xB1>(x));
                let reverse = _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0);
                let x = step8::<0x0F>(x, _mm256_permutevar8x32_epi32(x, reverse));
                let x = step8::<0x33>(x, _mm256_shuffle_epi32::<0x4E>(x));
                let x = step8::<0x55>(x, _mm256_shuffle_epi32::<0xB1>(x));
                _mm256_storeu_si256(keys.cast(), x);
                let child = _mm512_permutexvar_epi32(_mm512_castsi256_si512(x), child);
                _mm256_storeu_si256(children.cast(), _mm512_castsi512_si256(child));
            } else {
                let flip = |x, by: i32| _mm512_permutexvar_epi32(_mm512_xor_si512(iota, _mm512_set1_epi32(by)), x);
                let x = packed;
                let x = step16::<0x5555>(x, flip(x, 1));
                let x = step16::<0x3333>(x, flip(x, 3));
                let x = step16::<0x5555>(x, flip(x, 1));
                let x = step16::<0x0F0F>(x, flip(x, 7));
                let x = step16::<0x3333>(x, flip(x, 2));
                let x = step16::<0x5555>(x, flip(x, 1));
                let x = step16::<0x00FF>(x, flip(x, 15));
                let x = step16::<0x0F0F>(x, flip(x, 4));
                let x = step16::<0x3333>(x, flip(x, 2));
                let x = step16::<0x5555>(x, flip(x, 1));
                _mm512_storeu_si512(keys.cast(), x);
                let child = _mm512_permutexvar_epi32(x, child);
                _mm512_storeu_si512(children.cast(), child);
            }
        }
    }

    #[inline(always)]
    unsafe fn keep(keys: *mut u32, children: *mut u32, count: usize, most: f32) -> usize {
        unsafe {
            let limit = _mm512_set1_epi32((most.to_bits() | 15) as i32);
            let mut kept = 0;
            let mut i = 0;
            while i < count {
                let key = _mm512_loadu_si512(keys.add(i).cast());
                let child = _mm512_loadu_si512(children.add(i).cast());
                let there = if count - i < 16 { (1u32 << (count - i)) - 1 } else { 0xffff };
                let mask = _mm512_mask_cmple_epu32_mask(there as u16, key, limit);
                _mm512_storeu_si512(keys.add(kept).cast(), _mm512_maskz_compress_epi32(mask, key));
                _mm512_storeu_si512(children.add(kept).cast(), _mm512_maskz_compress_epi32(mask, child));
                kept += mask.count_ones() as usize;
                i += 16;
            }
            kept
        }
    }

    #[inline(always)]
    unsafe fn prefetch_w(line: *const u8) {
        unsafe { _mm_prefetch::<_MM_HINT_ET0>(line.cast()) }
    }

    #[inline(always)]
    unsafe fn prefetch(line: *const u8) {
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.cast()) }
    }
}

#[inline(always)]
unsafe fn step8<const MAX: u8>(x: __m256i, y: __m256i) -> __m256i {
    unsafe { _mm256_mask_max_epi32(_mm256_min_epi32(x, y), MAX, x, y) }
}

#[inline(always)]
unsafe fn step16<const MAX: u16>(x: __m512i, y: __m512i) -> __m512i {
    unsafe { _mm512_mask_max_epi32(_mm512_min_epi32(x, y), MAX, x, y) }
}
