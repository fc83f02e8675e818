//! Memory for large arrays: a failed allocation is an error, not an abort, and huge pages are used
//! where the system has them.

use std::collections::TryReserveError;
use std::mem::MaybeUninit;

use bytemuck::{Pod, Zeroable};

use super::parallel;

/// An empty vector with room for `count` elements.
pub(crate) fn room<T>(count: usize) -> Result<Vec<T>, TryReserveError> {
    let mut elements = Vec::new();
    elements.try_reserve_exact(count)?;
    prefer_huge_pages(elements.spare_capacity_mut());
    Ok(elements)
}

/// `count` elements that are zero. Their pages are not touched until they are first written.
pub(crate) fn zeros<T: Zeroable>(count: usize) -> Result<Vec<T>, TryReserveError> {
    // The system's zeroed memory serves this alignment; for a larger one the allocator would zero
    // the memory itself, in small pages.
    const { assert!(align_of::<T>() <= 16) }
    if let Ok(mut zeros) = bytemuck::allocation::try_zeroed_vec(count) {
        prefer_huge_pages(&mut zeros);
        return Ok(zeros);
    }
    // The same allocation again, for its error.
    let mut elements = room(count)?;
    elements.resize_with(count, T::zeroed);
    Ok(elements)
}

/// A copy of elements.
pub(crate) fn copied<T: Pod + Send + Sync>(from: &[T]) -> Vec<T> {
    /// Bytes of a piece that a thread copies.
    const PIECE: usize = 1 << 20;
    let piece = (PIECE / size_of::<T>()).max(1);
    // Where there is no room, the process ends as in any other copy.
    let to = room(from.len()).unwrap_or_default();
    parallel::map_into(to, from, piece, |_, element| *element)
}

/// The first `count` elements of an empty vector with room for them, written by `fill`.
///
/// # Safety
///
/// When `fill` returns `Ok`, it must have [written](zeroed) all of them.
pub(crate) unsafe fn fill<T, R, E>(
    mut empty: Vec<T>,
    count: usize,
    fill: impl FnOnce(&mut [MaybeUninit<T>]) -> Result<R, E>,
) -> Result<(Vec<T>, R), E> {
    empty.clear();
    let result = fill(&mut empty.spare_capacity_mut()[..count])?;
    // SAFETY: `count` is within the capacity, or the slicing above would have panicked, and the
    // caller promises that `fill` has written all `count` elements.
    unsafe { empty.set_len(count) };
    Ok((empty, result))
}

/// Zeroes elements, after which they can be read and written.
pub(crate) fn zeroed<T: Pod>(elements: &mut [MaybeUninit<T>]) -> &mut [T] {
    for element in &mut *elements {
        element.write(T::zeroed());
    }
    // SAFETY: the loop above has written every element, and `MaybeUninit<T>` has `T`'s layout.
    unsafe { &mut *(elements as *mut [MaybeUninit<T>] as *mut [T]) }
}

/// Asks for huge pages in memory that has not been touched yet. Rays read a tree in no order, and
/// with fewer pages the address translation misses less often.
#[cfg(target_os = "linux")]
fn prefer_huge_pages<T>(untouched: &mut [T]) {
    const HUGE: usize = 2 << 20;
    let (start, bytes) = (untouched.as_mut_ptr().addr(), size_of_val(untouched));
    let first = start.next_multiple_of(HUGE);
    let pages = (start + bytes).saturating_sub(first) / HUGE;
    if pages > 0 {
        let first = untouched.as_mut_ptr().cast::<u8>().wrapping_add(first - start);
        // SAFETY: the range is whole pages within `untouched`, which is borrowed mutably. The call
        // is a hint that changes no contents; where it is refused, the pages stay small.
        unsafe { libc::madvise(first.cast(), pages * HUGE, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn prefer_huge_pages<T>(_untouched: &mut [T]) {}
