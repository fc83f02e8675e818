//! Counts the work of the readers, so that tests can hold it in proportion to the file: bytes
//! that are looked at, and steps of algorithms.

#[cfg(test)]
thread_local! {
    static DONE: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Adds to the work of this thread. Does nothing outside of tests.
#[cfg_attr(not(test), expect(unused_variables, reason = "only tests count"))]
#[inline]
pub(super) fn count(units: usize) {
    #[cfg(test)]
    DONE.set(DONE.get() + units);
}

/// The work of this thread so far.
#[cfg(test)]
pub(super) fn so_far() -> usize {
    DONE.get()
}

#[cfg(test)]
mod tests;
