//! Services of the machine: threads, memory for large arrays, prefetching.

pub(crate) mod memory;
pub(crate) mod parallel;
mod prefetch;

pub(crate) use prefetch::{
    CACHE_LINE, prefetch_ahead, prefetch_line, prefetch_slice, prefetch_value,
};
