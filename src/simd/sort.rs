//! Children in order, the farthest first, for instruction sets with vectors of 256 bits: sorting networks (Batcher's
//! bitonic sort, 1968), which have no branches to be guessed wrong.

use std::arch::x86_64::*;

use super::Entry;

/// What a network is made of.
///
/// # Safety
///
/// As for [`Vector`](super::Vector), for every method.
pub(super) trait Exchange {
    /// The greater of `x` and `other` in lanes whose bits are set, the lesser in the rest.
    ///
    /// # Safety
    /// As for the trait.
    unsafe fn four<const GREATER: i32>(x: __m128i, other: __m128i) -> __m128i;
    /// As [`four`](Self::four).
    ///
    /// # Safety
    /// As for the trait.
    unsafe fn eight<const GREATER: i32>(x: __m256i, other: __m256i) -> __m256i;
}

/// Four numbers, the greatest first.
///
/// # Safety
/// As for [`Exchange`].
#[inline(always)]
pub(super) unsafe fn sorted4<E: Exchange>(x: __m128i) -> __m128i {
    // SAFETY: the caller vouches for the CPU.
    unsafe {
        let x = E::four::<0x5>(x, _mm_shuffle_epi32::<0xb1>(x));
        let x = E::four::<0x3>(x, _mm_shuffle_epi32::<0x1b>(x));
        E::four::<0x5>(x, _mm_shuffle_epi32::<0xb1>(x))
    }
}

/// Eight numbers, as [`sorted4`].
///
/// # Safety
/// As for [`Exchange`].
#[inline(always)]
pub(super) unsafe fn sorted8<E: Exchange>(x: __m256i) -> __m256i {
    // SAFETY: the caller vouches for the CPU.
    unsafe {
        let x = E::eight::<0x55>(x, _mm256_shuffle_epi32::<0xb1>(x));
        let x = E::eight::<0x33>(x, _mm256_shuffle_epi32::<0x1b>(x));
        let x = E::eight::<0x55>(x, _mm256_shuffle_epi32::<0xb1>(x));
        let reversed = _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0);
        let x = E::eight::<0x0f>(x, _mm256_permutevar8x32_epi32(x, reversed));
        let x = E::eight::<0x33>(x, _mm256_shuffle_epi32::<0x4e>(x));
        E::eight::<0x55>(x, _mm256_shuffle_epi32::<0xb1>(x))
    }
}

/// Writes the first `count` of eight keys, the greatest first, each with the child that its last bits say, which `pick`
/// knows.
///
/// # Safety
/// As for [`Exchange`]; there must be room for eight.
#[inline(always)]
pub(super) unsafe fn put_sorted<E: Exchange>(
    key: __m256i,
    count: u32,
    pick: impl Fn(__m256i) -> __m256i,
    to: *mut Entry,
) {
    // SAFETY: the caller vouches for the CPU and for the room.
    unsafe {
        if count <= 4 {
            let key = sorted4::<E>(_mm256_castsi256_si128(key));
            let child = pick(_mm256_castsi128_si256(key));
            put4(key, _mm256_castsi256_si128(child), to);
        } else {
            let key = sorted8::<E>(key);
            put8(key, pick(key), to);
        }
    }
}

/// Writes eight keys and children, pair by pair.
///
/// # Safety
/// As for [`Exchange`]; there must be room.
#[inline(always)]
pub(super) unsafe fn put8(key: __m256i, child: __m256i, to: *mut Entry) {
    // SAFETY: the caller vouches for the CPU and for the room.
    unsafe {
        let low = |x: __m256i| _mm256_castsi256_si128(x);
        let high = |x: __m256i| _mm256_extracti128_si256::<1>(x);
        put4(low(key), low(child), to);
        put4(high(key), high(child), to.add(4));
    }
}

/// Writes four, as [`put8`].
///
/// # Safety
/// As for [`put8`].
#[inline(always)]
unsafe fn put4(key: __m128i, child: __m128i, to: *mut Entry) {
    // SAFETY: the caller vouches for the CPU and for the room.
    unsafe {
        _mm_storeu_si128(to.cast(), _mm_unpacklo_epi32(key, child));
        _mm_storeu_si128(to.add(2).cast(), _mm_unpackhi_epi32(key, child));
    }
}
