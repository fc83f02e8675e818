//! Memory for large arrays: asked for without an abort, and in huge pages where they are to be had.

use std::collections::TryReserveError;
use std::mem::MaybeUninit;

use bytemuck::{Pod, Zeroable};

/// An empty vector with room for `count` elements.
pub(crate) fn room<T>(count: usize) -> Result<Vec<T>, TryReserveError> {
    let mut elements = Vec::new();
    elements.try_reserve_exact(count)?;
    prefer_huge_pages(elements.spare_capacity_mut());
    Ok(elements)
}

/// `count` elements that are zero. Their pages are not touched before they are written to.
pub(crate) fn zeros<T: Zeroable>(count: usize) -> Result<Vec<T>, TryReserveError> {
    // Larger alignments would be zeroed by hand, page by page.
    const { assert!(align_of::<T>() <= 16) }
    if let Ok(mut zeros) = bytemuck::allocation::try_zeroed_vec(count) {
        prefer_huge_pages(&mut zeros);
        return Ok(zeros);
    }
    // The same once more, for the error.
    let mut elements = room(count)?;
    elements.resize_with(count, T::zeroed);
    Ok(elements)
}

/// Gives an empty vector with room for them its first `count` elements, which `fill` writes.
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
    // SAFETY: they are within the capacity, and the caller promises that they were written.
    unsafe { empty.set_len(count) };
    Ok((empty, result))
}

/// Zeroes elements, after which they can be read and written.
pub(crate) fn zeroed<T: Pod>(elements: &mut [MaybeUninit<T>]) -> &mut [T] {
    for element in &mut *elements {
        element.write(T::zeroed());
    }
    // SAFETY: all of them were written just now, and `MaybeUninit<T>` is laid out as `T`.
    unsafe { &mut *(elements as *mut [MaybeUninit<T>] as *mut [T]) }
}

/// Asks for huge pages in memory that has not been touched yet. Rays jump about in a tree, and find
/// fewer pages sooner.
#[cfg(target_os = "linux")]
fn prefer_huge_pages<T>(untouched: &mut [T]) {
    const HUGE: usize = 2 << 20;
    let (start, bytes) = (untouched.as_mut_ptr().addr(), size_of_val(untouched));
    let first = start.next_multiple_of(HUGE);
    let pages = (start + bytes).saturating_sub(first) / HUGE;
    if pages > 0 {
        let first = untouched.as_mut_ptr().cast::<u8>().wrapping_add(first - start);
        // SAFETY: whole pages within memory of our own, and it is a hint: nothing that can be read
        // or written changes. Where it is refused, pages are small ones.
        unsafe { libc::madvise(first.cast(), pages * HUGE, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn prefer_huge_pages<T>(_untouched: &mut [T]) {}
