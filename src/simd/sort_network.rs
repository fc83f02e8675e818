//! Sorts children, the farthest first, in vectors of 256 bits, by sorting networks (Batcher's
//! bitonic sort, 1968), which have no branches.

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use super::avx2::HasAvx2;
use super::child_sort::{Entry, SORTED};
use super::vector::intrinsics;

/// The step of a network, where sets differ.
pub(super) trait Exchange: HasAvx2 {
    /// The greater of `x` and `other` in lanes whose bits are set, the lesser in the others.
    fn four<const GREATER: i32>(self, x: __m128i, other: __m128i) -> __m128i;
    /// As [`four`](Self::four).
    fn eight<const GREATER: i32>(self, x: __m256i, other: __m256i) -> __m256i;
}

intrinsics! {
    /// Four numbers, the greatest first.
    pub(super) fn sorted4[E: Exchange](isa: E, x: __m128i) -> __m128i {
        let x = isa.four::<0x5>(x, _mm_shuffle_epi32::<0xb1>(x));
        let x = isa.four::<0x3>(x, _mm_shuffle_epi32::<0x1b>(x));
        isa.four::<0x5>(x, _mm_shuffle_epi32::<0xb1>(x))
    }

    /// Eight numbers, as [`sorted4`].
    pub(super) fn sorted8[E: Exchange](isa: E, x: __m256i) -> __m256i {
        let x = isa.eight::<0x55>(x, _mm256_shuffle_epi32::<0xb1>(x));
        let x = isa.eight::<0x33>(x, _mm256_shuffle_epi32::<0x1b>(x));
        let x = isa.eight::<0x55>(x, _mm256_shuffle_epi32::<0xb1>(x));
        let reversed = _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0);
        let x = isa.eight::<0x0f>(x, _mm256_permutevar8x32_epi32(x, reversed));
        let x = isa.eight::<0x33>(x, _mm256_shuffle_epi32::<0x4e>(x));
        isa.eight::<0x55>(x, _mm256_shuffle_epi32::<0xb1>(x))
    }

    /// Writes the first `count` of eight keys, the greatest first, each with its child. `pick`
    /// finds children by the last bits of keys.
    pub(super) fn write_sorted[E: Exchange](
        isa: E,
        key: __m256i,
        count: u32,
        pick: impl Fn(__m256i) -> __m256i,
        to: &mut [MaybeUninit<Entry>; SORTED],
    ) {
        if count <= 4 {
            let key = sorted4(isa, _mm256_castsi256_si128(key));
            let child = pick(_mm256_castsi128_si256(key));
            let to = to.first_chunk_mut().unwrap();
            write4(isa, key, _mm256_castsi256_si128(child), to);
        } else {
            let key = sorted8(isa, key);
            write8(isa, key, pick(key), to);
        }
    }

    /// Writes eight keys and children, pair by pair.
    pub(super) fn write8[E: HasAvx2](
        isa: E,
        key: __m256i,
        child: __m256i,
        to: &mut [MaybeUninit<Entry>; SORTED],
    ) {
        let low = |x: __m256i| _mm256_castsi256_si128(x);
        let high = |x: __m256i| _mm256_extracti128_si256::<1>(x);
        let (first, second) = to.split_at_mut(4);
        write4(isa, low(key), low(child), first.first_chunk_mut().unwrap());
        write4(isa, high(key), high(child), second.first_chunk_mut().unwrap());
    }

    /// Writes four, as [`write8`].
    fn write4[E: HasAvx2](
        _isa: E,
        key: __m128i,
        child: __m128i,
        to: &mut [MaybeUninit<Entry>; 4],
    ) {
        let to: *mut __m128i = to.as_mut_ptr().cast();
        _mm_storeu_si128(to, _mm_unpacklo_epi32(key, child));
        _mm_storeu_si128(to.add(1), _mm_unpackhi_epi32(key, child));
    }
}
