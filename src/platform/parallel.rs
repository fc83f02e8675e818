//! Parallel loops, which run on one thread without the feature `parallel`. Results never depend on
//! the number of threads.

use std::sync::{Mutex, PoisonError};

use crate::error::{BakeError, BakeErrorKind};

/// Runs `work` on a pool of `threads` threads, or on the caller's pool, also where the machine has
/// no threads. If it is `worthwhile`, a caller outside of any pool enters the global one for the
/// whole of it: entering for each parallel loop would wake a thread and put the caller to sleep
/// each time.
pub(crate) fn on_threads<R: Send>(
    threads: Option<usize>,
    worthwhile: bool,
    work: impl FnOnce() -> R + Send,
) -> Result<R, BakeError> {
    #[cfg(feature = "parallel")]
    if let Some(threads) = threads {
        match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
            Ok(pool) => return Ok(pool.install(work)),
            Err(error) if is_unsupported(&error) => {}
            Err(error) => {
                let message = format!("{threads} threads could not be started: {error}");
                return Err(BakeError::new(BakeErrorKind::Threads, message).with_source(error));
            }
        }
    }
    #[cfg(not(feature = "parallel"))]
    let _ = (threads, BakeErrorKind::Threads);
    Ok(on_pool(worthwhile, work))
}

/// Whether a pool could not be built because the machine has no threads, as WebAssembly. (There
/// rayon's global pool is the caller's thread.)
#[cfg(feature = "parallel")]
fn is_unsupported(error: &rayon::ThreadPoolBuildError) -> bool {
    let source = std::error::Error::source(error);
    source
        .and_then(|source| source.downcast_ref::<std::io::Error>())
        .is_some_and(|error| error.kind() == std::io::ErrorKind::Unsupported)
}

/// Runs `work` on the caller's pool, or if it is `worthwhile` on the global one, as above.
pub(crate) fn on_pool<R: Send>(worthwhile: bool, work: impl FnOnce() -> R + Send) -> R {
    #[cfg(feature = "parallel")]
    if worthwhile {
        return rayon::scope(|_| work());
    }
    let _ = worthwhile;
    work()
}

/// Runs both closures, in parallel if that is `worthwhile` and possible.
pub(crate) fn join<A: Send, B: Send>(
    worthwhile: bool,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    #[cfg(feature = "parallel")]
    if worthwhile {
        return rayon::join(a, b);
    }
    let _ = worthwhile;
    (a(), b())
}

/// The results of `f` over `items`, in their order.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    map_each(true, items.iter().collect(), f)
}

/// The results of `f` over `items` and their numbers, in their order; in parallel if there are
/// many: each takes less than a microsecond.
pub(crate) fn map_small<T: Sync, R: Send>(
    items: &[T],
    f: impl Fn(usize, &T) -> R + Sync,
) -> Vec<R> {
    const MANY: usize = 4096;
    #[cfg(feature = "parallel")]
    if items.len() > MANY {
        use rayon::prelude::*;
        let items = items.par_iter().with_min_len(MANY / 4).enumerate();
        return items.map(|(i, item)| f(i, item)).collect();
    }
    let _ = MANY;
    items.iter().enumerate().map(|(i, item)| f(i, item)).collect()
}

/// The results of `f` over `items`, in their order; in parallel if that is `worthwhile`.
pub(crate) fn map_each<T: Send, R: Send>(
    worthwhile: bool,
    items: Vec<T>,
    f: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    // A single item is not worth waking a thread.
    #[cfg(feature = "parallel")]
    if worthwhile && items.len() > 1 {
        use rayon::prelude::*;
        return items.into_par_iter().map(&f).collect();
    }
    let _ = worthwhile;
    items.into_iter().map(&f).collect()
}

/// Applies `f` to chunks of `items` and merges the results, which must not depend on the chunks.
/// Without items there is one empty chunk.
pub(crate) fn fold<T: Sync, R: Send>(
    items: &[T],
    chunk: usize,
    f: impl Fn(&[T]) -> R + Sync,
    merge: impl Fn(R, R) -> R,
) -> R {
    let mut results = map_each(true, items.chunks(chunk).collect(), &f).into_iter();
    let first = results.next().unwrap_or_else(|| f(&[]));
    results.fold(first, merge)
}

/// The number of threads that parallel loops use.
pub(crate) fn threads() -> usize {
    #[cfg(feature = "parallel")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "parallel"))]
    1
}

/// Processes `items` with at most `workers` workers. Each has its own state and takes the next item
/// when it has finished one. Returns the states, in no particular order.
pub(crate) fn share<I, S: Send>(
    workers: usize,
    items: I,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, I::Item) + Sync,
) -> Vec<S>
where
    I: ExactSizeIterator + Send,
{
    let workers = workers.min(threads()).min(items.len()).max(1);
    let items = Mutex::new(items);
    let one = |_: usize| {
        let mut state = state();
        loop {
            // The lock is released before the work begins.
            let next = items.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(item) = next else { return state };
            work(&mut state, item);
        }
    };
    map_each(true, (0..workers).collect(), one)
}
