//! Memory that is soon read or written, asked for in time.

/// Bytes that come at once.
pub(crate) const LINE: usize = 64;

/// Asks for the cache line that an address is in, where a stable Rust can say so.
#[inline(always)]
pub(crate) fn prefetch(at: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: part of x86-64, and any address will do.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(at.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

/// Asks for something that is no larger than a line, but may lie in two.
#[inline(always)]
pub(crate) fn prefetch_one<T>(one: &T) {
    const { assert!(size_of::<T>() <= LINE) };
    let start = (&raw const *one).cast::<u8>();
    prefetch(start);
    if size_of::<T>() > align_of::<T>() {
        prefetch(start.wrapping_add(size_of::<T>() - 1));
    }
}

/// Asks for the lines of some memory; but perhaps for the last, if it begins in the middle of one.
#[inline(always)]
pub(crate) fn prefetch_all<T>(some: &[T]) {
    let bytes = some.as_ptr_range();
    let mut at = bytes.start.cast::<u8>();
    while at < bytes.end.cast() {
        prefetch(at);
        at = at.wrapping_add(LINE);
    }
}

/// Bytes from where somebody is to what [`prefetch_ahead`] asks for.
const AHEAD: usize = 2048;

/// Asks for what lies some way behind the things that are looked at right now, as many lines as they take: for
/// those who go straight through more memory than the caches hold. (What processors ask for by themselves
/// ends with each page.)
#[inline(always)]
pub(crate) fn prefetch_ahead<T>(here: &[T]) {
    let start = here.as_ptr().cast::<u8>().wrapping_add(AHEAD);
    for line in 0..size_of_val(here).div_ceil(LINE) {
        prefetch(start.wrapping_add(LINE * line));
    }
}
