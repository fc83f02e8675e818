//! Prefetching: asking for memory shortly before it is read or written.

/// Bytes in a cache line.
pub(crate) const CACHE_LINE: usize = 64;

/// Prefetches the cache line of an address, on targets where stable Rust can.
#[inline(always)]
pub(crate) fn prefetch_line(at: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the instruction is part of x86-64, and a prefetch of any address is harmless.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(at.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

/// Prefetches a value that is no larger than a line, but may lie in two.
#[inline(always)]
pub(crate) fn prefetch_value<T>(value: &T) {
    const { assert!(size_of::<T>() <= CACHE_LINE) };
    let start = (&raw const *value).cast::<u8>();
    prefetch_line(start);
    if size_of::<T>() > align_of::<T>() {
        prefetch_line(start.wrapping_add(size_of::<T>() - 1));
    }
}

/// Prefetches the lines of a slice, except perhaps the last if the slice does not start at a line.
#[inline(always)]
pub(crate) fn prefetch_slice<T>(slice: &[T]) {
    let bytes = slice.as_ptr_range();
    let mut at = bytes.start.cast::<u8>();
    while at < bytes.end.cast() {
        prefetch_line(at);
        at = at.wrapping_add(CACHE_LINE);
    }
}

/// Prefetches as many lines as `here` takes, some way behind it. For a pass straight through more
/// memory than the caches hold: the processor's own prefetching stops at the end of each page.
#[inline(always)]
pub(crate) fn prefetch_ahead<T>(here: &[T]) {
    const DISTANCE: usize = 2048;
    let start = here.as_ptr().cast::<u8>().wrapping_add(DISTANCE);
    for line in 0..size_of_val(here).div_ceil(CACHE_LINE) {
        prefetch_line(start.wrapping_add(CACHE_LINE * line));
    }
}
