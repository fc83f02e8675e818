//! AVX2 with FMA.

use std::arch::x86_64::*;

use super::columns::Row;
use super::opaque::opaque_number;
use super::point::TURNED;
use super::sort::{Exchange, put_sorted, put8, sorted4, sorted8};
use super::sse::{fours, last_three_if_alike};
use super::vector::vector;
use super::wave::{CHILDREN, last_key};
use super::{Columns, Entry, Isa, Lone, Point, Quad, Task, Vector, Wave};

pub(crate) struct Avx2;

impl Isa for Avx2 {
    type Node = __m256;
    type Leaf = __m256;
    type Point = FusedF32x4;
    type Quad = FusedF64x4;
    type Wave = Avx2;

    const FUSES: bool = true;

    unsafe fn apart<T: Task>(task: T) -> T::Output {
        // SAFETY: the caller vouches for the CPU.
        unsafe { run(task) }
    }
}

impl Columns for Avx2 {
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
            let here = _mm256_cmpeq_epi32(_mm256_srli_epi32::<3>(columns), number);
            for (to, row) in to.iter_mut().zip(table) {
                let row = _mm256_loadu_si256(row.as_ptr().cast());
                let to: *mut __m256i = to.as_mut_ptr().cast();
                let put = _mm256_permutevar8x32_epi32(row, columns);
                _mm256_storeu_si256(to, _mm256_blendv_epi8(_mm256_loadu_si256(to), put, here));
            }
            _mm256_movemask_ps(_mm256_castsi256_ps(here)) as u32
        }
    }
}

impl Lone for Avx2 {
    type Boxes = __m256;

    const SORTS: bool = true;

    #[inline(always)]
    unsafe fn put_off_unsorted(child: &[u32; CHILDREN], mask: u32, to: *mut Entry) {
        // SAFETY: the caller vouches for the CPU and for the room.
        unsafe { put8(_mm256_setzero_si256(), pick(child, chosen(mask)), to) };
    }

    #[inline(always)]
    unsafe fn put_off_sorted(
        enter: &[f32; CHILDREN],
        child: &[u32; CHILDREN],
        mask: u32,
        to: *mut Entry,
    ) {
        // SAFETY: the caller vouches for the CPU and for the room.
        unsafe {
            let count = mask.count_ones();
            let key = keyed(enter, chosen(mask), count);
            put_sorted::<Self>(key, count, |key| pick(child, key), to);
        }
    }
}

/// Runs a task with the instruction set switched on.
///
/// # Safety
/// The CPU has AVX2, FMA, BMI1, BMI2, LZCNT and POPCNT.
#[inline(never)]
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
    // (A compiler would merge the masks of a node's two halves with packs and shuffles, which take longer.)
    le: opaque_number(_mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(a, b)) as u32),
    no_later: {
        let past = _mm256_cmpgt_epi32(_mm256_castps_si256(a), _mm256_castps_si256(b));
        opaque_number(_mm256_movemask_ps(_mm256_castsi256_ps(past)) as u32) ^ 0xff
    },
    both_le: (one, other) {
        let one = _mm256_cmp_ps::<_CMP_LE_OQ>(one.0, one.1);
        let other = _mm256_cmp_ps::<_CMP_LE_OQ>(other.0, other.1);
        _mm256_movemask_ps(_mm256_and_ps(one, other)) as u32
    },
    load_fours: (from) _mm256_set_m128(_mm_loadu_ps(from(1)), _mm_loadu_ps(from(0))),
    transpose_fours: (rows) {
        let [a, b, c, d] = rows;
        let (ab_low, ab_high) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
        let (cd_low, cd_high) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
        [
            _mm256_shuffle_ps::<0x44>(ab_low, cd_low),
            _mm256_shuffle_ps::<0xee>(ab_low, cd_low),
            _mm256_shuffle_ps::<0x44>(ab_high, cd_high),
            _mm256_shuffle_ps::<0xee>(ab_high, cd_high),
        ]
    },
    choose: (bits) {
        let each = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        let set = _mm256_and_si256(_mm256_set1_epi32(bits as i32), each);
        _mm256_blendv_ps(a, b, _mm256_castsi256_ps(_mm256_cmpeq_epi32(set, each)))
    },
}

fours! {
    FusedF32x4, (a, b, c)
    mul_add: _mm_fmadd_ps(a.0, b.0, c.0),
    mul_sub_from: _mm_fnmadd_ps(a.0, b.0, c.0),
    turn_last: (axis) _mm_permutevar_ps(a.0, _mm_loadu_si128(TURNED[axis % 4].as_ptr().cast())),
}

/// Four `f64`.
#[derive(Clone, Copy)]
pub(crate) struct FusedF64x4(__m256d);

impl Quad for FusedF64x4 {
    #[inline(always)]
    unsafe fn of([a, b, c, d]: [f32; 4]) -> Self {
        // SAFETY: the caller vouches for the CPU; that holds for each below.
        unsafe { Self(_mm256_cvtps_pd(_mm_setr_ps(a, b, c, d))) }
    }
    #[inline(always)]
    unsafe fn thrice(x: f32) -> Self {
        // SAFETY: as above.
        unsafe {
            let all_but_first = _mm_castsi128_ps(_mm_setr_epi32(0, -1, -1, -1));
            Self(_mm256_cvtps_pd(_mm_and_ps(_mm_set1_ps(x), all_but_first)))
        }
    }
    #[inline(always)]
    unsafe fn new([a, b, c, d]: [f64; 4]) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_setr_pd(a, b, c, d)) }
    }
    #[inline(always)]
    unsafe fn to_array(self) -> [f64; 4] {
        // SAFETY: as above; a vector is four `f64`.
        unsafe { std::mem::transmute(self.0) }
    }
    #[inline(always)]
    unsafe fn turn(self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_permute2f128_pd::<1>(self.0, self.0)) }
    }
    #[inline(always)]
    unsafe fn swap(self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_permute_pd::<0b0101>(self.0)) }
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_sub_pd(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_add_pd(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_mul_pd(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, addend: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_fmadd_pd(self.0, factor.0, addend.0)) }
    }
    #[inline(always)]
    unsafe fn mul_sub(self, factor: Self, subtrahend: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_fmsub_pd(self.0, factor.0, subtrahend.0)) }
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0)) }
    }
    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_max_pd(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn rounded(one: Self, other: Self) -> Option<[f32; 3]> {
        // SAFETY: as above.
        unsafe { last_three_if_alike(_mm256_cvtpd_ps(one.0), _mm256_cvtpd_ps(other.0)) }
    }
}

impl Wave for Avx2 {
    const PAYS: bool = true;

    type Eights = __m256;

    #[inline(always)]
    unsafe fn load_eights(from: impl Fn(usize) -> *const f32) -> __m256 {
        // SAFETY: the caller vouches for the CPU and for the numbers.
        unsafe { _mm256_loadu_ps(from(0)) }
    }

    #[inline(always)]
    unsafe fn splat_eights(number: impl Fn(usize) -> f32) -> __m256 {
        // SAFETY: the caller vouches for the CPU.
        unsafe { _mm256_set1_ps(number(0)) }
    }

    #[inline(always)]
    unsafe fn store_eights(eights: __m256, to: impl Fn(usize) -> *mut f32) {
        // SAFETY: the caller vouches for the CPU and for the room.
        unsafe { _mm256_storeu_ps(to(0), eights) };
    }

    #[inline(always)]
    unsafe fn put_off<const ORDERED: bool>(
        enter: &[f32; CHILDREN],
        child: &[u32; CHILDREN],
        mask: u32,
        keys: *mut u32,
        children: *mut u32,
    ) {
        let count = mask.count_ones();
        if count > 8 {
            // SAFETY: the caller vouches for it.
            unsafe { put_many_off::<ORDERED>(enter, child, mask, keys, children) };
            return;
        }
        // SAFETY: the caller vouches for the CPU and for the room.
        unsafe {
            let lanes = chosen(mask);
            if !ORDERED {
                _mm256_storeu_si256(children.cast(), pick(child, lanes));
                return;
            }
            let x = keyed(enter, lanes, count);
            // More are rare.
            if count <= 4 {
                let x = sorted4::<Self>(_mm256_castsi256_si128(x));
                _mm_storeu_si128(keys.cast(), x);
                let child = pick(child, _mm256_castsi128_si256(x));
                _mm_storeu_si128(children.cast(), _mm256_castsi256_si128(child));
            } else {
                let x = sorted8::<Self>(x);
                _mm256_storeu_si256(keys.cast(), x);
                _mm256_storeu_si256(children.cast(), pick(child, x));
            }
        }
    }

    #[inline(always)]
    unsafe fn keep(keys: *mut u32, children: *mut u32, count: usize, most: f32) -> usize {
        // SAFETY: the caller vouches for the CPU. No more than `count` are read, and what is written
        // beyond those that are kept was read before, or is the room behind them.
        unsafe {
            let last = _mm256_set1_epi32(last_key(most));
            let all = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
            let mut kept = 0;
            for first in (0..count).step_by(8) {
                let left = _mm256_set1_epi32((count - first).min(8) as i32);
                let there = _mm256_cmpgt_epi32(left, all);
                let key = _mm256_maskload_epi32(keys.add(first).cast(), there);
                let child = _mm256_maskload_epi32(children.add(first).cast(), there);
                let mask = _mm256_andnot_si256(_mm256_cmpgt_epi32(key, last), there);
                let mask = _mm256_movemask_ps(_mm256_castsi256_ps(mask)) as usize & 0xff;
                let lanes = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(LANES[mask] as i64));
                let (key, child) = (
                    _mm256_permutevar8x32_epi32(key, lanes),
                    _mm256_permutevar8x32_epi32(child, lanes),
                );
                _mm256_storeu_si256(keys.add(kept).cast(), key);
                _mm256_storeu_si256(children.add(kept).cast(), child);
                kept += mask.count_ones() as usize;
            }
            kept
        }
    }
}

/// More than eight children.
///
/// # Safety
/// As for [`Wave::put_off`].
#[cold]
#[inline(never)]
unsafe fn put_many_off<const ORDERED: bool>(
    enter: &[f32; CHILDREN],
    child: &[u32; CHILDREN],
    mask: u32,
    keys: *mut u32,
    children: *mut u32,
) {
    // SAFETY: the caller vouches for it.
    unsafe { super::scalar::Scalar::put_off::<ORDERED>(enter, child, mask, keys, children) }
}

/// The lanes of the first eight bits that are set.
///
/// # Safety
/// As for [`Vector`].
#[inline(always)]
unsafe fn chosen(mask: u32) -> __m256i {
    let (first, second) = (mask as usize & 0xff, (mask as usize >> 8) & 0xff);
    // (In two steps, for one of 64 places is none.)
    let half = 4 * first.count_ones();
    let lanes = LANES[first] | (LANES[second] + 0x0808_0808_0808_0808) << half << half;
    // SAFETY: the caller vouches for the CPU.
    unsafe { _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(lanes as i64)) }
}

/// Where the first `count` of these children are entered, as keys: the last bits say which child it is.
///
/// # Safety
/// As for [`Vector`].
#[inline(always)]
unsafe fn keyed(enter: &[f32; CHILDREN], lanes: __m256i, count: u32) -> __m256i {
    // SAFETY: the caller vouches for the CPU.
    unsafe {
        let enter = pick(bytemuck::cast_ref(enter), lanes);
        let enter = _mm256_andnot_si256(_mm256_set1_epi32(15), enter);
        let all = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        let there = _mm256_cmpgt_epi32(_mm256_set1_epi32(count as i32), all);
        _mm256_and_si256(_mm256_or_si256(enter, lanes), there)
    }
}

/// Some of sixteen numbers: which ones, the last four bits of each lane say.
///
/// # Safety
/// As for [`Vector`].
#[inline(always)]
unsafe fn pick(from: &[u32; CHILDREN], lanes: __m256i) -> __m256i {
    // SAFETY: the caller vouches for the CPU; sixteen numbers are twice eight.
    unsafe {
        let half = |at: usize| _mm256_loadu_si256(from.as_ptr().add(at).cast());
        let first = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(half(0), lanes));
        let second = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(half(8), lanes));
        let is_second = _mm256_castsi256_ps(_mm256_slli_epi32::<28>(lanes));
        _mm256_castps_si256(_mm256_blendv_ps(first, second, is_second))
    }
}

impl Exchange for Avx2 {
    #[inline(always)]
    unsafe fn four<const GREATER: i32>(x: __m128i, other: __m128i) -> __m128i {
        // SAFETY: the caller vouches for the CPU.
        unsafe { _mm_blend_epi32::<GREATER>(_mm_min_epi32(x, other), _mm_max_epi32(x, other)) }
    }

    #[inline(always)]
    unsafe fn eight<const GREATER: i32>(x: __m256i, other: __m256i) -> __m256i {
        // SAFETY: the caller vouches for the CPU.
        unsafe {
            _mm256_blend_epi32::<GREATER>(_mm256_min_epi32(x, other), _mm256_max_epi32(x, other))
        }
    }
}

/// The lanes whose bits are set in each mask, one byte each.
static LANES: [u64; 256] = {
    let mut lanes = [0; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut count) = (0, 0);
        while lane < 8 {
            if (mask >> lane) & 1 != 0 {
                lanes[mask] |= lane << (8 * count);
                count += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    lanes
};
