//! What the crate asks of the machine: threads, memory for large arrays, prefetching.

pub(crate) mod memory;
pub(crate) mod parallel;
pub(crate) mod prefetch;
