//! A count of the work of an import, for the tests that hold it against the size of the file.

#[cfg(test)]
thread_local! {
    static WORK: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Counts bytes of JSON that are parsed, and bytes of data that are read or written.
pub(super) fn count(_bytes: usize) {
    #[cfg(test)]
    WORK.set(WORK.get().saturating_add(_bytes));
}

/// The work of this thread so far.
#[cfg(test)]
pub(super) fn so_far() -> usize {
    WORK.get()
}
