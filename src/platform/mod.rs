//! Services of the machine: a clock, threads, memory for large arrays, prefetching. They work, or
//! are left out, on machines that lack the clock or the threads.

mod clock;
pub(crate) mod memory;
pub(crate) mod parallel;
mod prefetch;
mod process;

pub(crate) use clock::Stopwatch;
pub(crate) use prefetch::{
    CACHE_LINE, prefetch_ahead, prefetch_line, prefetch_slice, prefetch_value,
};
pub(crate) use process::process_number;
