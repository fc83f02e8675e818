//! AVX-512, of which one ray alone uses vectors of 256 bits.
//!
//! Many CPUs work out wider ones on two of their three ports for vectors, and while any is on its way, all
//! others there, too: a ray alone, which needs both kinds, is sooner done with half the width. It still has
//! masks, and instructions to sort with them, which AVX2 lacks.

use std::arch::x86_64::*;

use super::avx512::Avx512;
use super::columns::Row;
use super::sort::{put_sorted, put8};
use super::wave::CHILDREN;
use super::{Columns, Entry, Isa, Lone, Task};

pub(crate) struct Avx512Half;

impl Isa for Avx512Half {
    type Node = <Avx512 as Isa>::Node;
    type Leaf = <Avx512 as Isa>::Leaf;
    type Point = <Avx512 as Isa>::Point;
    type Quad = <Avx512 as Isa>::Quad;
    type Wave = <Avx512 as Isa>::Wave;

    const FUSES: bool = true;

    unsafe fn apart<T: Task>(task: T) -> T::Output {
        // SAFETY: the caller vouches for the CPU.
        unsafe { run(task) }
    }
}

/// Runs a task with the instruction set switched on.
///
/// # Safety
/// As for [`avx512::run`](super::avx512::run).
#[inline(never)]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) unsafe fn run<T: Task>(task: T) -> T::Output {
    // SAFETY: the caller vouches for the CPU, and the attribute switches the set on.
    unsafe { task.run::<Avx512Half>() }
}

impl Columns for Avx512Half {
    #[inline(always)]
    unsafe fn put<const ROWS: usize>(
        number: u32,
        table: &[Row; ROWS],
        columns: &Row,
        to: &mut [Row; ROWS],
    ) -> u32 {
        // SAFETY: the caller vouches for the CPU.
        unsafe { Avx512::put(number, table, columns, to) }
    }
}

impl Lone for Avx512Half {
    type Boxes = __m256;

    const SORTS: bool = true;

    #[inline(always)]
    unsafe fn put_off_unsorted(child: &[u32; CHILDREN], mask: u32, to: *mut Entry) {
        // SAFETY: the caller vouches for the CPU and for the room; arrays are sixteen long.
        unsafe {
            let (first, second) = halves(child);
            put8(_mm256_setzero_si256(), chosen(first, second, mask), to);
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
            let ((first, second), (child, other_child)) = (halves(enter), halves(child));
            // Each key's last bits say which child it is.
            let key = |enter: __m256i, lanes: __m256i| {
                _mm256_ternarylogic_epi32::<0xd8>(enter, lanes, _mm256_set1_epi32(15))
            };
            let first = key(first, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
            let second = key(second, _mm256_setr_epi32(8, 9, 10, 11, 12, 13, 14, 15));
            let key = chosen(first, second, mask);
            let pick = |key: __m256i| _mm256_permutex2var_epi32(child, key, other_child);
            put_sorted::<Avx512>(key, mask.count_ones(), pick, to);
        }
    }
}

/// Sixteen numbers, eight by eight.
///
/// # Safety
/// As for [`Lone`].
#[inline(always)]
unsafe fn halves<T: bytemuck::Pod>(numbers: &[T; CHILDREN]) -> (__m256i, __m256i) {
    const { assert!(size_of::<T>() == size_of::<u32>()) }
    let from: *const __m256i = numbers.as_ptr().cast();
    // SAFETY: the caller vouches for the CPU; sixteen numbers are twice eight.
    unsafe { (_mm256_loadu_si256(from), _mm256_loadu_si256(from.add(1))) }
}

/// Of sixteen numbers those whose bits are set, the first eight of them.
///
/// # Safety
/// As for [`Lone`].
#[inline(always)]
unsafe fn chosen(first: __m256i, second: __m256i, mask: u32) -> __m256i {
    // SAFETY: the caller vouches for the CPU.
    unsafe {
        let first = _mm256_maskz_compress_epi32(mask as u8, first);
        let second = _mm256_maskz_compress_epi32((mask >> 8) as u8, second);
        // The second ones behind the first.
        let behind = 0xff << (mask & 0xff).count_ones();
        _mm256_mask_expand_epi32(first, behind as u8, second)
    }
}
