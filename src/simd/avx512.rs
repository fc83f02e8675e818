//! AVX-512 (F, VL, DQ, BW): sixteen boxes at once. A single ray tests leaf blocks as with AVX2.

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use super::avx2::{Avx2, Avx2F32x8, Avx2F64x4, zero};
use super::child_sort::{CHILDREN, Sorted, last_key};
use super::isa::Row;
use super::sort_network::{Exchange, sorted4, sorted8, write_sorted, write8};
use super::sse2::{HasAvx2, Sse2F32x4, X86};
use super::vector::{inlined, intrinsics};
use super::{BlockVector, Isa, Task, Vector};

/// Proof of AVX-512 F, VL, DQ and BW, and of the features of [`Avx2`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Avx512(());

impl Avx512 {
    #[inline]
    pub(super) fn detect() -> Option<Self> {
        Avx2::detect()?;
        // `avx512f` lets the compiler use `f16c`, too.
        let there = is_x86_feature_detected!("f16c")
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512bw");
        there.then_some(Self(()))
    }
}

/// A token of a set that includes AVX-512 F, VL, DQ and BW.
///
/// # Safety
/// Detection has found all four.
pub(super) unsafe trait HasAvx512: HasAvx2 {}

// SAFETY: `Avx512::detect` calls `Avx2::detect` first, which finds AVX and FMA.
unsafe impl X86 for Avx512 {
    const FUSES: bool = true;
}
// SAFETY: `Avx512::detect` returns nothing where AVX2 or FMA is missing.
unsafe impl HasAvx2 for Avx512 {}
// SAFETY: `Avx512::detect` looks for F, VL, DQ and BW.
unsafe impl HasAvx512 for Avx512 {}

/// [`Isa::call_outlined`] of a set that includes AVX-512.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn outlined<I: HasAvx512, T: Task>(isa: I, task: T) -> T::Output {
    task.run(isa)
}

impl Isa for Avx512 {
    type Wide = Avx512F32x16<Self>;
    type Node = Avx512F32x16<Self>;
    type Leaf = Avx2F32x8<Self>;
    type Blocks = Avx512F32x16<Self>;
    type Point = Sse2F32x4<Self>;
    type F64x4 = Avx2F64x4<Self>;

    const BRANCH_FREE: bool = true;

    intrinsics! {
        fn call_outlined[T: Task](self, task: T) -> T::Output { outlined(self, task) }

        fn list_children(self, child: &[u32; CHILDREN], mask: u32, to: &mut Sorted) {
            let child = _mm512_loadu_si512(child.as_ptr().cast());
            let child = _mm512_maskz_compress_epi32(mask as u16, child);
            write8(self, zero(self), _mm512_castsi512_si256(child), to);
        }

        fn sort_children(
            self,
            enter: &[f32; CHILDREN],
            child: &[u32; CHILDREN],
            mask: u32,
            to: &mut Sorted,
        ) {
            let enter = _mm512_loadu_si512(enter.as_ptr().cast());
            let child = _mm512_loadu_si512(child.as_ptr().cast());
            let key = _mm512_maskz_compress_epi32(mask as u16, keyed(self, enter));
            let pick = |key: __m256i| {
                let child = _mm512_permutexvar_epi32(_mm512_castsi256_si512(key), child);
                _mm512_castsi512_si256(child)
            };
            write_sorted(self, _mm512_castsi512_si256(key), mask.count_ones(), pick, to);
        }

        fn put_off[const ORDERED: bool](
            self,
            enter: &[f32; CHILDREN],
            child: &[u32; CHILDREN],
            mask: u32,
            keys: &mut [MaybeUninit<u32>; CHILDREN],
            children: &mut [MaybeUninit<u32>; CHILDREN],
        ) {
            let (keys, children) = (keys.as_mut_ptr(), children.as_mut_ptr());
            let child = _mm512_loadu_si512(child.as_ptr().cast());
            if !ORDERED {
                let child = _mm512_maskz_compress_epi32(mask as u16, child);
                _mm512_storeu_si512(children.cast(), child);
                return;
            }
            let enter = _mm512_loadu_si512(enter.as_ptr().cast());
            let key = _mm512_maskz_compress_epi32(mask as u16, keyed(self, enter));
            // More than four are rare, and more than eight rarer still.
            if mask.count_ones() <= 4 {
                let x = sorted4(self, _mm512_castsi512_si128(key));
                _mm_storeu_si128(keys.cast(), x);
                let child = _mm512_permutexvar_epi32(_mm512_castsi128_si512(x), child);
                _mm_storeu_si128(children.cast(), _mm512_castsi512_si128(child));
            } else if mask.count_ones() <= 8 {
                let x = sorted8(self, _mm512_castsi512_si256(key));
                _mm256_storeu_si256(keys.cast(), x);
                let child = _mm512_permutexvar_epi32(_mm512_castsi256_si512(x), child);
                _mm256_storeu_si256(children.cast(), _mm512_castsi512_si256(child));
            } else {
                let lanes = lanes(self);
                let mut x = key;
                x = exchange::<1, 0x5555>(self, x, lanes);
                x = exchange::<3, 0x3333>(self, x, lanes);
                x = exchange::<1, 0x5555>(self, x, lanes);
                x = exchange::<7, 0x0f0f>(self, x, lanes);
                x = exchange::<2, 0x3333>(self, x, lanes);
                x = exchange::<1, 0x5555>(self, x, lanes);
                x = exchange::<15, 0x00ff>(self, x, lanes);
                x = exchange::<4, 0x0f0f>(self, x, lanes);
                x = exchange::<2, 0x3333>(self, x, lanes);
                x = exchange::<1, 0x5555>(self, x, lanes);
                _mm512_storeu_si512(keys.cast(), x);
                let child = _mm512_permutexvar_epi32(x, child);
                _mm512_storeu_si512(children.cast(), child);
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

    #[inline(always)]
    unsafe fn keep(self, keys: *mut u32, children: *mut u32, count: usize, most: f32) -> usize {
        // SAFETY: only the first `count` numbers are loaded, by masks, and they are initialized. A
        // store ends at most `CHILDREN` behind the numbers kept so far.
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

intrinsics! {
    /// The index of each lane.
    fn lanes(_isa: Avx512) -> __m512i {
        _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
    }

    /// The keys of children, with the lane of the child in the last bits.
    fn keyed(isa: Avx512, enter: __m512i) -> __m512i {
        _mm512_ternarylogic_epi32::<0xd8>(enter, lanes(isa), _mm512_set1_epi32(15))
    }

    /// As [`Exchange`], with the lanes whose indices differ in the bits of `BY`.
    fn exchange[const BY: i32, const GREATER: u16](
        _isa: Avx512,
        x: __m512i,
        lanes: __m512i,
    ) -> __m512i {
        let other = _mm512_permutexvar_epi32(_mm512_xor_si512(lanes, _mm512_set1_epi32(BY)), x);
        _mm512_mask_max_epi32(_mm512_min_epi32(x, other), GREATER, x, other)
    }
}

impl Exchange for Avx512 {
    intrinsics! {
        fn four[const GREATER: i32](self, x: __m128i, other: __m128i) -> __m128i {
            _mm_mask_max_epi32(_mm_min_epi32(x, other), GREATER as u8, x, other)
        }
        fn eight[const GREATER: i32](self, x: __m256i, other: __m256i) -> __m256i {
            _mm256_mask_max_epi32(_mm256_min_epi32(x, other), GREATER as u8, x, other)
        }
    }
}

/// Sixteen `f32`.
#[derive(Clone, Copy)]
pub(crate) struct Avx512F32x16<I>(__m512, I);

impl<I: HasAvx512> Vector for Avx512F32x16<I> {
    type Isa = I;
    type Array = [f32; 16];

    inlined! { fn isa(self) -> I { self.1 } }

    intrinsics! {
        fn load(isa: I, from: &[f32; 16]) -> Self { Self(_mm512_loadu_ps(from.as_ptr()), isa) }
        fn store(self, to: &mut MaybeUninit<[f32; 16]>) {
            _mm512_storeu_ps(to.as_mut_ptr().cast(), self.0);
        }
        fn splat(isa: I, x: f32) -> Self { Self(_mm512_set1_ps(x), isa) }
        fn load_fours['a](isa: I, from: impl Fn(usize) -> &'a [f32; 4]) -> Self {
            let four = |i: usize| _mm_loadu_ps(from(i).as_ptr());
            let fours = _mm512_castps128_ps512(four(0));
            let fours = _mm512_insertf32x4::<1>(fours, four(1));
            let fours = _mm512_insertf32x4::<2>(fours, four(2));
            Self(_mm512_insertf32x4::<3>(fours, four(3)), isa)
        }
        fn transpose_fours(rows: [Self; 4]) -> [Self; 4] {
            let [Self(a, isa), Self(b, _), Self(c, _), Self(d, _)] = rows;
            let (ab_low, ab_high) = (_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
            let (cd_low, cd_high) = (_mm512_unpacklo_ps(c, d), _mm512_unpackhi_ps(c, d));
            [
                Self(_mm512_shuffle_ps::<0x44>(ab_low, cd_low), isa),
                Self(_mm512_shuffle_ps::<0xee>(ab_low, cd_low), isa),
                Self(_mm512_shuffle_ps::<0x44>(ab_high, cd_high), isa),
                Self(_mm512_shuffle_ps::<0xee>(ab_high, cd_high), isa),
            ]
        }
        fn add(self, other: Self) -> Self { Self(_mm512_add_ps(self.0, other.0), self.1) }
        fn sub(self, other: Self) -> Self { Self(_mm512_sub_ps(self.0, other.0), self.1) }
        fn mul(self, other: Self) -> Self { Self(_mm512_mul_ps(self.0, other.0), self.1) }
        fn div(self, other: Self) -> Self { Self(_mm512_div_ps(self.0, other.0), self.1) }
        // An estimate, off by at most 2^-14, and one Newton step. A division takes as long as all
        // the rest that is computed of a row.
        fn inverse(self) -> Self {
            let guess = _mm512_rcp14_ps(self.0);
            let rest = _mm512_fnmadd_ps(self.0, guess, _mm512_set1_ps(1.0));
            Self(_mm512_fmadd_ps(guess, rest, guess), self.1)
        }
        fn mul_add(self, factor: Self, addend: Self) -> Self {
            Self(_mm512_fmadd_ps(self.0, factor.0, addend.0), self.1)
        }
        fn mul_sub_from(self, factor: Self, minuend: Self) -> Self {
            Self(_mm512_fnmadd_ps(self.0, factor.0, minuend.0), self.1)
        }
        fn min(self, other: Self) -> Self { Self(_mm512_min_ps(self.0, other.0), self.1) }
        fn max(self, other: Self) -> Self { Self(_mm512_max_ps(self.0, other.0), self.1) }
        fn abs(self) -> Self { Self(_mm512_andnot_ps(_mm512_set1_ps(-0.0), self.0), self.1) }
        // The greater absolute value, with its sign cleared.
        fn greater_size(self, other: Self) -> Self {
            Self(_mm512_range_ps::<0b1011>(self.0, other.0), self.1)
        }
        fn flip_sign(self, other: Self) -> Self {
            let sign = _mm512_and_ps(_mm512_set1_ps(-0.0), other.0);
            Self(_mm512_xor_ps(self.0, sign), self.1)
        }
        fn max_nonneg(self, other: Self) -> Self {
            let (a, b) = (_mm512_castps_si512(self.0), _mm512_castps_si512(other.0));
            Self(_mm512_castsi512_ps(_mm512_max_epi32(a, b)), self.1)
        }
        fn min_nonneg(self, other: Self) -> Self {
            let (a, b) = (_mm512_castps_si512(self.0), _mm512_castps_si512(other.0));
            Self(_mm512_castsi512_ps(_mm512_min_epi32(a, b)), self.1)
        }
        fn le_nonneg(self, other: Self) -> u32 {
            let (a, b) = (_mm512_castps_si512(self.0), _mm512_castps_si512(other.0));
            _mm512_cmple_epi32_mask(a, b).into()
        }
        fn le(self, other: Self) -> u32 {
            _mm512_cmp_ps_mask::<_CMP_LE_OQ>(self.0, other.0).into()
        }
        fn both_le(one: (Self, Self), other: (Self, Self)) -> u32 {
            let one = _mm512_cmp_ps_mask::<_CMP_LE_OQ>(one.0.0, one.1.0);
            _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(one, other.0.0, other.1.0).into()
        }
        fn choose(self, other: Self, bits: u32) -> Self {
            Self(_mm512_mask_blend_ps(bits as u16, self.0, other.0), self.1)
        }
    }
}

impl<I: HasAvx512> BlockVector for Avx512F32x16<I> {
    intrinsics! {
        fn load_eights['a](isa: I, from: impl Fn(usize) -> &'a [f32; 8]) -> Self {
            let first = _mm512_castps256_ps512(_mm256_loadu_ps(from(0).as_ptr()));
            Self(_mm512_insertf32x8::<1>(first, _mm256_loadu_ps(from(1).as_ptr())), isa)
        }
        fn splat_eights(isa: I, number: impl Fn(usize) -> f32) -> Self {
            let (first, second) = (_mm512_set1_ps(number(0)), _mm512_set1_ps(number(1)));
            Self(_mm512_mask_blend_ps(0xff00, first, second), isa)
        }
        fn store_eights['a](self, to: impl Fn(usize) -> &'a mut MaybeUninit<[f32; 8]>) {
            _mm256_storeu_ps(to(1).as_mut_ptr().cast(), _mm512_extractf32x8_ps::<1>(self.0));
            _mm256_storeu_ps(to(0).as_mut_ptr().cast(), _mm512_castps512_ps256(self.0));
        }
    }
}
