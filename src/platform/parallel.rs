//! Threads, or none without the feature `parallel`. Results never depend on them.

use std::sync::{Mutex, PoisonError};

use crate::error::{BakeError, BakeErrorKind};

/// Runs `work` on a pool of `threads` threads, or on the one that the caller is in. If it is
/// `worthwhile`, a caller that is in none goes into the global one for all of it, and does not wake a
/// thread and fall asleep each time that there is something to share out.
pub(crate) fn on_threads<R: Send>(
    threads: Option<usize>,
    worthwhile: bool,
    work: impl FnOnce() -> R + Send,
) -> Result<R, BakeError> {
    #[cfg(feature = "parallel")]
    match threads {
        Some(threads) => {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.map_err(|error| {
                let message = format!("{threads} threads could not be started: {error}");
                BakeError::new(BakeErrorKind::Threads, message).with_source(error)
            })?;
            return Ok(pool.install(work));
        }
        None if worthwhile => return Ok(rayon::scope(|_| work())),
        None => {}
    }
    #[cfg(not(feature = "parallel"))]
    let _ = (threads, worthwhile, BakeErrorKind::Threads);
    Ok(work())
}

/// Does both, at once if that is `worthwhile` and possible.
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

/// The results of `f` over `items`, in their order; on several threads if that is `worthwhile`.
pub(crate) fn map_each<T: Send, R: Send>(
    worthwhile: bool,
    items: Vec<T>,
    f: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    // One alone is not worth waking a thread.
    #[cfg(feature = "parallel")]
    if worthwhile && items.len() > 1 {
        use rayon::prelude::*;
        return items.into_par_iter().map(&f).collect();
    }
    let _ = worthwhile;
    items.into_iter().map(&f).collect()
}

/// Folds chunks of `items` and merges the results, which must not depend on how. Without items the
/// one chunk is empty.
pub(crate) fn fold<T: Sync, R: Send>(
    items: &[T],
    chunk: usize,
    f: impl Fn(&[T]) -> R + Sync,
    merge: impl Fn(R, R) -> R + Sync,
) -> R {
    #[cfg(feature = "parallel")]
    if items.len() > chunk {
        use rayon::prelude::*;
        let partial: Vec<R> = items.par_chunks(chunk).map(&f).collect();
        let mut partial = partial.into_iter();
        let first = partial.next().unwrap_or_else(|| f(&[]));
        return partial.fold(first, merge);
    }
    let mut chunks = items.chunks(chunk);
    let first = f(chunks.next().unwrap_or(&[]));
    chunks.map(f).fold(first, merge)
}

/// How many threads work may be spread over.
pub(crate) fn threads() -> usize {
    #[cfg(feature = "parallel")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "parallel"))]
    1
}

/// Hands `items` out to at most `workers` workers, each of which takes the next when it has done
/// one and has a state of its own. Returns the states, in no order.
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
            // The lock is let go before the work begins.
            let next = items.lock().unwrap_or_else(PoisonError::into_inner).next();
            match next {
                Some(item) => work(&mut state, item),
                None => return state,
            }
        }
    };
    map_each(true, (0..workers).collect(), one)
}
