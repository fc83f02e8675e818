//! AVX2 with FMA.

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use super::child_sort::{CHILDREN, Sorted, last_key};
use super::isa::{Row, put_off};
use super::opaque::opaque_number;
use super::sort_network::{Exchange, sorted4, sorted8, write_sorted, write8};
use super::sse2::{HasAvx2, Sse2F32x4, X86, with_equal};
use super::vector::{inlined, intrinsics};
use super::{BlockVector, F64x4, Isa, Task, Vector};

/// Proof of AVX2, FMA, BMI1, BMI2, LZCNT and POPCNT.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Avx2(());

impl Avx2 {
    #[inline]
    pub(super) fn detect() -> Option<Self> {
        let there = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        there.then_some(Self(()))
    }
}

// SAFETY: `Avx2::detect` finds FMA, and AVX2, which includes AVX.
unsafe impl X86 for Avx2 {
    const FUSES: bool = true;
}
// SAFETY: both are among the features that `Avx2::detect` looks for.
unsafe impl HasAvx2 for Avx2 {}

impl Isa for Avx2 {
    type Wide = Avx2F32x8<Self>;
    type Node = Avx2F32x8<Self>;
    type Leaf = Avx2F32x8<Self>;
    type Blocks = Avx2F32x8<Self>;
    type Point = Sse2F32x4<Self>;
    type F64x4 = Avx2F64x4<Self>;

    const BRANCH_FREE: bool = true;

    inlined! {
        fn call_outlined[T: Task](self, task: T) -> T::Output {
            #[inline(never)]
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
            fn outlined<T: Task>(isa: Avx2, task: T) -> T::Output {
                task.run(isa)
            }
            // SAFETY: `detect` made the token, and it looks for all six features.
            unsafe { outlined(self, task) }
        }

        fn list_children(self, child: &[u32; CHILDREN], mask: u32, to: &mut Sorted) {
            write8(self, zero(self), pick(self, child, chosen(self, mask)), to);
        }

        fn sort_children(
            self,
            enter: &[f32; CHILDREN],
            child: &[u32; CHILDREN],
            mask: u32,
            to: &mut Sorted,
        ) {
            let count = mask.count_ones();
            let key = keyed(self, enter, chosen(self, mask), count);
            write_sorted(self, key, count, |key| pick(self, child, key), to);
        }
    }

    intrinsics! {
        fn put_off[const ORDERED: bool](
            self,
            enter: &[f32; CHILDREN],
            child: &[u32; CHILDREN],
            mask: u32,
            keys: &mut [MaybeUninit<u32>; CHILDREN],
            children: &mut [MaybeUninit<u32>; CHILDREN],
        ) {
            let count = mask.count_ones();
            if count > 8 {
                put_many_off::<ORDERED>(enter, child, mask, keys, children);
                return;
            }
            let (keys, children) = (keys.as_mut_ptr(), children.as_mut_ptr());
            let lanes = chosen(self, mask);
            if !ORDERED {
                _mm256_storeu_si256(children.cast(), pick(self, child, lanes));
                return;
            }
            let x = keyed(self, enter, lanes, count);
            // The one branch, because more than four are rare.
            if count <= 4 {
                let x = sorted4(self, _mm256_castsi256_si128(x));
                _mm_storeu_si128(keys.cast(), x);
                let child = pick(self, child, _mm256_castsi128_si256(x));
                _mm_storeu_si128(children.cast(), _mm256_castsi256_si128(child));
            } else {
                let x = sorted8(self, x);
                _mm256_storeu_si256(keys.cast(), x);
                _mm256_storeu_si256(children.cast(), pick(self, child, x));
            }
        }

        fn select_columns[const ROWS: usize](
            self,
            number: u32,
            table: &[Row; ROWS],
            columns: &Row,
            to: &mut [Row; ROWS],
        ) -> u32 {
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

    #[inline(always)]
    unsafe fn keep(self, keys: *mut u32, children: *mut u32, count: usize, most: f32) -> usize {
        // SAFETY: masked loads read `count` numbers. Stores overwrite numbers that were read, and
        // the room behind them.
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

/// More than eight children, which is rare.
#[cold]
#[inline(never)]
fn put_many_off<const ORDERED: bool>(
    enter: &[f32; CHILDREN],
    child: &[u32; CHILDREN],
    mask: u32,
    keys: &mut [MaybeUninit<u32>; CHILDREN],
    children: &mut [MaybeUninit<u32>; CHILDREN],
) {
    put_off::<ORDERED>(enter, child, mask, keys, children);
}

intrinsics! {
    pub(super) fn zero[I: HasAvx2](_isa: I) -> __m256i { _mm256_setzero_si256() }

    /// The lanes of the first eight set bits.
    fn chosen(_isa: Avx2, mask: u32) -> __m256i {
        let (first, second) = (mask as usize & 0xff, (mask as usize >> 8) & 0xff);
        // Two shifts, because a shift by 64 is not allowed.
        let half = 4 * first.count_ones();
        let lanes = LANES[first] | (LANES[second] + 0x0808_0808_0808_0808) << half << half;
        _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(lanes as i64))
    }

    /// The keys of the first `count` of these children, with the lane of the child in the last
    /// bits.
    fn keyed(isa: Avx2, enter: &[f32; CHILDREN], lanes: __m256i, count: u32) -> __m256i {
        let enter = pick(isa, bytemuck::cast_ref(enter), lanes);
        let enter = _mm256_andnot_si256(_mm256_set1_epi32(15), enter);
        let all = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        let there = _mm256_cmpgt_epi32(_mm256_set1_epi32(count as i32), all);
        _mm256_and_si256(_mm256_or_si256(enter, lanes), there)
    }

    /// Picks from sixteen numbers by the last four bits of each lane.
    fn pick(_isa: Avx2, from: &[u32; CHILDREN], lanes: __m256i) -> __m256i {
        let half = |at: usize| _mm256_loadu_si256(from.as_ptr().add(at).cast());
        let first = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(half(0), lanes));
        let second = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(half(8), lanes));
        let is_second = _mm256_castsi256_ps(_mm256_slli_epi32::<28>(lanes));
        _mm256_castps_si256(_mm256_blendv_ps(first, second, is_second))
    }
}

impl Exchange for Avx2 {
    intrinsics! {
        fn four[const GREATER: i32](self, x: __m128i, other: __m128i) -> __m128i {
            _mm_blend_epi32::<GREATER>(_mm_min_epi32(x, other), _mm_max_epi32(x, other))
        }
        fn eight[const GREATER: i32](self, x: __m256i, other: __m256i) -> __m256i {
            _mm256_blend_epi32::<GREATER>(_mm256_min_epi32(x, other), _mm256_max_epi32(x, other))
        }
    }
}

/// The lanes of the set bits of each mask, one byte each.
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

/// Eight `f32`.
#[derive(Clone, Copy)]
pub(crate) struct Avx2F32x8<I>(__m256, I);

impl<I: HasAvx2> Vector for Avx2F32x8<I> {
    type Isa = I;
    type Array = [f32; 8];

    inlined! { fn isa(self) -> I { self.1 } }

    intrinsics! {
        fn load(isa: I, from: &[f32; 8]) -> Self { Self(_mm256_loadu_ps(from.as_ptr()), isa) }
        fn store(self, to: &mut MaybeUninit<[f32; 8]>) {
            _mm256_storeu_ps(to.as_mut_ptr().cast(), self.0);
        }
        fn splat(isa: I, x: f32) -> Self { Self(_mm256_set1_ps(x), isa) }
        fn load_fours['a](isa: I, from: impl Fn(usize) -> &'a [f32; 4]) -> Self {
            let four = |i: usize| _mm_loadu_ps(from(i).as_ptr());
            Self(_mm256_set_m128(four(1), four(0)), isa)
        }
        fn transpose_fours(rows: [Self; 4]) -> [Self; 4] {
            let [Self(a, isa), Self(b, _), Self(c, _), Self(d, _)] = rows;
            let (ab_low, ab_high) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
            let (cd_low, cd_high) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
            [
                Self(_mm256_shuffle_ps::<0x44>(ab_low, cd_low), isa),
                Self(_mm256_shuffle_ps::<0xee>(ab_low, cd_low), isa),
                Self(_mm256_shuffle_ps::<0x44>(ab_high, cd_high), isa),
                Self(_mm256_shuffle_ps::<0xee>(ab_high, cd_high), isa),
            ]
        }
        fn add(self, other: Self) -> Self { Self(_mm256_add_ps(self.0, other.0), self.1) }
        fn sub(self, other: Self) -> Self { Self(_mm256_sub_ps(self.0, other.0), self.1) }
        fn mul(self, other: Self) -> Self { Self(_mm256_mul_ps(self.0, other.0), self.1) }
        fn div(self, other: Self) -> Self { Self(_mm256_div_ps(self.0, other.0), self.1) }
        fn mul_add(self, factor: Self, addend: Self) -> Self {
            Self(_mm256_fmadd_ps(self.0, factor.0, addend.0), self.1)
        }
        fn mul_sub_from(self, factor: Self, minuend: Self) -> Self {
            Self(_mm256_fnmadd_ps(self.0, factor.0, minuend.0), self.1)
        }
        fn min(self, other: Self) -> Self { Self(_mm256_min_ps(self.0, other.0), self.1) }
        fn max(self, other: Self) -> Self { Self(_mm256_max_ps(self.0, other.0), self.1) }
        fn abs(self) -> Self { Self(_mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0), self.1) }
        fn flip_sign(self, other: Self) -> Self {
            let sign = _mm256_and_ps(_mm256_set1_ps(-0.0), other.0);
            Self(_mm256_xor_ps(self.0, sign), self.1)
        }
        fn max_nonneg(self, other: Self) -> Self {
            let (a, b) = (_mm256_castps_si256(self.0), _mm256_castps_si256(other.0));
            Self(_mm256_castsi256_ps(_mm256_max_epi32(a, b)), self.1)
        }
        fn min_nonneg(self, other: Self) -> Self {
            let (a, b) = (_mm256_castps_si256(self.0), _mm256_castps_si256(other.0));
            Self(_mm256_castsi256_ps(_mm256_min_epi32(a, b)), self.1)
        }
        fn le_nonneg(self, other: Self) -> u32 {
            let (a, b) = (_mm256_castps_si256(self.0), _mm256_castps_si256(other.0));
            let past = _mm256_castsi256_ps(_mm256_cmpgt_epi32(a, b));
            opaque_number(_mm256_movemask_ps(past) as u32) ^ 0xff
        }
        // Opaque, or the compiler would merge the masks of a node's two halves with packs and
        // shuffles, which take longer.
        fn le(self, other: Self) -> u32 {
            let le = _mm256_cmp_ps::<_CMP_LE_OQ>(self.0, other.0);
            opaque_number(_mm256_movemask_ps(le) as u32)
        }
        fn both_le(one: (Self, Self), other: (Self, Self)) -> u32 {
            let one = _mm256_cmp_ps::<_CMP_LE_OQ>(one.0.0, one.1.0);
            let other = _mm256_cmp_ps::<_CMP_LE_OQ>(other.0.0, other.1.0);
            _mm256_movemask_ps(_mm256_and_ps(one, other)) as u32
        }
        fn choose(self, other: Self, bits: u32) -> Self {
            let each = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
            let set = _mm256_and_si256(_mm256_set1_epi32(bits as i32), each);
            let set = _mm256_castsi256_ps(_mm256_cmpeq_epi32(set, each));
            Self(_mm256_blendv_ps(self.0, other.0, set), self.1)
        }
    }
}

impl<I: HasAvx2> BlockVector for Avx2F32x8<I> {
    inlined! {
        fn load_eights['a](isa: I, from: impl Fn(usize) -> &'a [f32; 8]) -> Self {
            Self::load(isa, from(0))
        }
        fn splat_eights(isa: I, number: impl Fn(usize) -> f32) -> Self {
            Self::splat(isa, number(0))
        }
        fn store_eights['a](self, to: impl Fn(usize) -> &'a mut MaybeUninit<[f32; 8]>) {
            self.store(to(0));
        }
    }
}

/// Four `f64`.
#[derive(Clone, Copy)]
pub(crate) struct Avx2F64x4<I>(__m256d, I);

impl<I: HasAvx2> F64x4 for Avx2F64x4<I> {
    type Isa = I;

    intrinsics! {
        fn new(isa: I, x: [f64; 4]) -> Self {
            let [a, b, c, d] = x;
            Self(_mm256_setr_pd(a, b, c, d), isa)
        }
        fn from_f32(isa: I, x: [f32; 4]) -> Self {
            let [a, b, c, d] = x;
            Self(_mm256_cvtps_pd(_mm_setr_ps(a, b, c, d)), isa)
        }
        fn splat_yzw(isa: I, x: f32) -> Self {
            let all_but_first = _mm_castsi128_ps(_mm_setr_epi32(0, -1, -1, -1));
            Self(_mm256_cvtps_pd(_mm_and_ps(_mm_set1_ps(x), all_but_first)), isa)
        }
        fn to_array(self) -> [f64; 4] { std::mem::transmute(self.0) }
        fn swap_halves(self) -> Self {
            Self(_mm256_permute2f128_pd::<1>(self.0, self.0), self.1)
        }
        fn swap_pairs(self) -> Self { Self(_mm256_permute_pd::<0b0101>(self.0), self.1) }
        fn sub(self, other: Self) -> Self { Self(_mm256_sub_pd(self.0, other.0), self.1) }
        fn add(self, other: Self) -> Self { Self(_mm256_add_pd(self.0, other.0), self.1) }
        fn mul(self, other: Self) -> Self { Self(_mm256_mul_pd(self.0, other.0), self.1) }
        fn mul_add(self, factor: Self, addend: Self) -> Self {
            Self(_mm256_fmadd_pd(self.0, factor.0, addend.0), self.1)
        }
        fn mul_sub(self, factor: Self, subtrahend: Self) -> Self {
            Self(_mm256_fmsub_pd(self.0, factor.0, subtrahend.0), self.1)
        }
        fn div(self, other: Self) -> Self { Self(_mm256_div_pd(self.0, other.0), self.1) }
        fn sqrt(self) -> Self { Self(_mm256_sqrt_pd(self.0), self.1) }
        fn abs(self) -> Self { Self(_mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0), self.1) }
        fn max(self, other: Self) -> Self { Self(_mm256_max_pd(self.0, other.0), self.1) }
        fn to_f32(self) -> [f32; 4] { std::mem::transmute(_mm256_cvtpd_ps(self.0)) }
        fn if_less(self, other: Self, then: Self, otherwise: Self) -> Self {
            let mask = _mm256_cmp_pd::<_CMP_LT_OQ>(self.0, other.0);
            Self(_mm256_blendv_pd(otherwise.0, then.0, mask), self.1)
        }
        fn less(self, other: Self) -> u32 {
            _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(self.0, other.0)) as u32
        }
        fn rounded(one: Self, other: Self) -> ([f32; 4], u32) {
            with_equal(one.1, _mm256_cvtpd_ps(one.0), _mm256_cvtpd_ps(other.0))
        }
    }

    inlined! { fn isa(self) -> I { self.1 } }
}
