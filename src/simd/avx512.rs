//! AVX-512 (F, VL, DQ, BW): sixteen boxes at once; leaf blocks of one ray as with AVX2.

use std::arch::x86_64::*;

use super::columns::Row;
use super::sort::{Exchange, put_sorted, put8, sorted4, sorted8};
use super::vector::vector;
use super::wave::{CHILDREN, last_key};
use super::{Columns, Entry, Isa, Lone, Task, Vector, Wave};

pub(crate) struct Avx512;

impl Isa for Avx512 {
    type Node = __m512;
    type Leaf = __m256;
    type Point = super::avx2::FusedF32x4;
    type Quad = super::avx2::FusedF64x4;
    type Wave = Avx512;

    const FUSES: bool = true;

    unsafe fn apart<T: Task>(task: T) -> T::Output {
        // SAFETY: the caller vouches for the CPU.
        unsafe { run(task) }
    }
}

impl Columns for Avx512 {
    #[inline(always)]
    unsafe fn put<const ROWS: usize>(
        number: u32,
        table: &[Row; ROWS],
        columns: &Row,
        to: &mut [Row; ROWS],
    ) -> u32 {
        // SAFETY: the caller vouches for the CPU; rows are eight long.
        unsafe {
            let columns = _mm256_loadu_si256(columns.as_ptr().cast());
            let number = _mm256_set1_epi32(number as i32);
            let here = _mm256_cmpeq_epi32_mask(_mm256_srli_epi32::<3>(columns), number);
            for (to, row) in to.iter_mut().zip(table) {
                let row = _mm256_loadu_si256(row.as_ptr().cast());
                let to: *mut __m256i = to.as_mut_ptr().cast();
                let before = _mm256_loadu_si256(to);
                let put = _mm256_mask_permutexvar_epi32(before, here, columns, row);
                _mm256_storeu_si256(to, put);
            }
            u32::from(here)
        }
    }
}

impl Lone for Avx512 {
    type Boxes = __m512;

    const SORTS: bool = true;

    #[inline(always)]
    unsafe fn put_off_unsorted(child: &[u32; CHILDREN], mask: u32, to: *mut Entry) {
        // SAFETY: the caller vouches for the CPU and for the room; the array is sixteen long.
        unsafe {
            let child = _mm512_loadu_si512(child.as_ptr().cast());
            let child = _mm512_maskz_compress_epi32(mask as u16, child);
            put8(_mm256_setzero_si256(), _mm512_castsi512_si256(child), to);
        }
    }

    #[inline(always)]
    unsafe fn put_off_sorted(
        enter: &[f32; CHILDREN],
        child: &[u32; CHILDREN],
        mask: u32,
        to: *mut Entry,
    ) {
        // SAFETY: the caller vouches for the CPU and for the room; arrays are sixteen long.
        unsafe {
            let enter = _mm512_loadu_si512(enter.as_ptr().cast());
            let child = _mm512_loadu_si512(child.as_ptr().cast());
            let key = _mm512_maskz_compress_epi32(mask as u16, keyed(enter));
            let pick = |key: __m256i| {
                let child = _mm512_permutexvar_epi32(_mm512_castsi256_si512(key), child);
                _mm512_castsi512_si256(child)
            };
            put_sorted::<Self>(_mm512_castsi512_si256(key), mask.count_ones(), pick, to);
        }
    }
}

/// Runs a task with the instruction set switched on.
///
/// # Safety
/// The CPU has AVX-512 F, VL, DQ and BW, AVX2, FMA, BMI1, BMI2, LZCNT and POPCNT.
#[inline(never)]
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
    // The greatest size, its sign cleared.
    greater_size: _mm512_range_ps::<0b1011>(a, b),
    // A guess, off by at most 2^-14, and one step of Newton's: a division takes as long as all of a row's
    // other numbers.
    inverse: {
        let guess = _mm512_rcp14_ps(a);
        let rest = _mm512_fnmadd_ps(a, guess, _mm512_set1_ps(1.0));
        _mm512_fmadd_ps(guess, rest, guess)
    },
    both_le: (one, other) {
        let one = _mm512_cmp_ps_mask::<_CMP_LE_OQ>(one.0, one.1);
        _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(one, other.0, other.1).into()
    },
    load_fours: (from) {
        let four = |i: usize| _mm_loadu_ps(from(i));
        let fours = _mm512_castps128_ps512(four(0));
        let fours = _mm512_insertf32x4::<1>(fours, four(1));
        let fours = _mm512_insertf32x4::<2>(fours, four(2));
        _mm512_insertf32x4::<3>(fours, four(3))
    },
    transpose_fours: (rows) {
        let [a, b, c, d] = rows;
        let (ab_low, ab_high) = (_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
        let (cd_low, cd_high) = (_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
        [
            _mm512_shuffle_ps::<0x44>(ab_low, cd_low),
            _mm512_shuffle_ps::<0xee>(ab_low, cd_low),
            _mm512_shuffle_ps::<0x44>(ab_high, cd_high),
            _mm512_shuffle_ps::<0xee>(ab_high, cd_high),
        ]
    },
    choose: (bits) _mm512_mask_blend_ps(bits as u16, a, b),
}

impl Wave for Avx512 {
    const PAYS: bool = true;

    type Eights = __m512;

    #[inline(always)]
    unsafe fn load_eights(from: impl Fn(usize) -> *const f32) -> __m512 {
        // SAFETY: the caller vouches for the CPU and for the numbers.
        unsafe {
            let first = _mm512_castps256_ps512(_mm256_loadu_ps(from(0)));
            _mm512_insertf32x8::<1>(first, _mm256_loadu_ps(from(1)))
        }
    }

    #[inline(always)]
    unsafe fn splat_eights(number: impl Fn(usize) -> f32) -> __m512 {
        // SAFETY: the caller vouches for the CPU.
        unsafe {
            let (first, second) = (_mm512_set1_ps(number(0)), _mm512_set1_ps(number(1)));
            _mm512_mask_blend_ps(0xff00, first, second)
        }
    }

    #[inline(always)]
    unsafe fn store_eights(eights: __m512, to: impl Fn(usize) -> *mut f32) {
        // SAFETY: the caller vouches for the CPU and for the room.
        unsafe {
            _mm256_storeu_ps(to(1), _mm512_extractf32x8_ps::<1>(eights));
            _mm256_storeu_ps(to(0), _mm512_castps512_ps256(eights));
        }
    }

    #[inline(always)]
    unsafe fn put_off<const ORDERED: bool>(
        enter: &[f32; CHILDREN],
        child: &[u32; CHILDREN],
        mask: u32,
        keys: *mut u32,
        children: *mut u32,
    ) {
        // SAFETY: the caller vouches for the CPU and for the room; arrays are sixteen long.
        unsafe {
            let child = _mm512_loadu_si512(child.as_ptr().cast());
            if !ORDERED {
                let child = _mm512_maskz_compress_epi32(mask as u16, child);
                _mm512_storeu_si512(children.cast(), child);
                return;
            }
            let enter = _mm512_loadu_si512(enter.as_ptr().cast());
            let key = _mm512_maskz_compress_epi32(mask as u16, keyed(enter));
            // The one branch, for more are rare.
            if mask.count_ones() <= 4 {
                let x = sorted4::<Self>(_mm512_castsi512_si128(key));
                _mm_storeu_si128(keys.cast(), x);
                let child = _mm512_permutexvar_epi32(_mm512_castsi128_si512(x), child);
                _mm_storeu_si128(children.cast(), _mm512_castsi512_si128(child));
            } else if mask.count_ones() <= 8 {
                let x = sorted8::<Self>(_mm512_castsi512_si256(key));
                _mm256_storeu_si256(keys.cast(), x);
                let child = _mm512_permutexvar_epi32(_mm512_castsi256_si512(x), child);
                _mm256_storeu_si256(children.cast(), _mm512_castsi512_si256(child));
            } else {
                let lanes = lanes();
                let mut x = key;
                x = exchange::<1, 0x5555>(x, lanes);
                x = exchange::<3, 0x3333>(x, lanes);
                x = exchange::<1, 0x5555>(x, lanes);
                x = exchange::<7, 0x0f0f>(x, lanes);
                x = exchange::<2, 0x3333>(x, lanes);
                x = exchange::<1, 0x5555>(x, lanes);
                x = exchange::<15, 0x00ff>(x, lanes);
                x = exchange::<4, 0x0f0f>(x, lanes);
                x = exchange::<2, 0x3333>(x, lanes);
                x = exchange::<1, 0x5555>(x, lanes);
                _mm512_storeu_si512(keys.cast(), x);
                let child = _mm512_permutexvar_epi32(x, child);
                _mm512_storeu_si512(children.cast(), child);
            }
        }
    }

    #[inline(always)]
    unsafe fn keep(keys: *mut u32, children: *mut u32, count: usize, most: f32) -> usize {
        // SAFETY: the caller vouches for the CPU. No more than `count` are read, and what is written
        // beyond those that are kept was read before, or is the room behind them.
        unsafe {
            let last = _mm512_set1_epi32(last_key(most));
            let mut kept = 0;
            for first in (0..count).step_by(16) {
                let there = (u16::MAX as u32 >> (16 - (count - first).min(16))) as u16;
                let key = _mm512_maskz_loadu_epi32(there, keys.add(first).cast());
                let child = _mm512_maskz_loadu_epi32(there, children.add(first).cast());
                let mask = _mm512_mask_cmple_epi32_mask(there, key, last);
                let (key, child) = (
                    _mm512_maskz_compress_epi32(mask, key),
                    _mm512_maskz_compress_epi32(mask, child),
                );
                _mm512_storeu_si512(keys.add(kept).cast(), key);
                _mm512_storeu_si512(children.add(kept).cast(), child);
                kept += mask.count_ones() as usize;
            }
            kept
        }
    }
}

/// The number of each lane.
///
/// # Safety
/// As for [`Vector`].
#[inline(always)]
unsafe fn lanes() -> __m512i {
    // SAFETY: the caller vouches for the CPU.
    unsafe { _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) }
}

/// Where children are entered, as keys: the last bits say which child it is.
///
/// # Safety
/// As for [`Vector`].
#[inline(always)]
unsafe fn keyed(enter: __m512i) -> __m512i {
    // SAFETY: the caller vouches for the CPU.
    unsafe { _mm512_ternarylogic_epi32::<0xd8>(enter, lanes(), _mm512_set1_epi32(15)) }
}

impl Exchange for Avx512 {
    #[inline(always)]
    unsafe fn four<const GREATER: i32>(x: __m128i, other: __m128i) -> __m128i {
        // SAFETY: the caller vouches for the CPU.
        unsafe { _mm_mask_max_epi32(_mm_min_epi32(x, other), GREATER as u8, x, other) }
    }

    #[inline(always)]
    unsafe fn eight<const GREATER: i32>(x: __m256i, other: __m256i) -> __m256i {
        // SAFETY: the caller vouches for the CPU.
        unsafe { _mm256_mask_max_epi32(_mm256_min_epi32(x, other), GREATER as u8, x, other) }
    }
}

/// As [`Exchange`], with the lanes whose numbers differ from their own in the bits of `BY`.
///
/// # Safety
/// As for [`Vector`].
#[inline(always)]
unsafe fn exchange<const BY: i32, const GREATER: u16>(x: __m512i, lanes: __m512i) -> __m512i {
    // SAFETY: the caller vouches for the CPU.
    unsafe {
        let other = _mm512_permutexvar_epi32(_mm512_xor_si512(lanes, _mm512_set1_epi32(BY)), x);
        _mm512_mask_max_epi32(_mm512_min_epi32(x, other), GREATER, x, other)
    }
}
