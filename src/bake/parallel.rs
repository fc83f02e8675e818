//! Threads, or none without the feature `parallel`. Results never depend on them.

use crate::{BakeError, BakeErrorKind};

/// Runs `work` on a pool of `threads` threads, or where the caller is.
pub(crate) fn on_threads<R: Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> R + Send,
) -> Result<R, BakeError> {
    #[cfg(feature = "parallel")]
    if let Some(threads) = threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| {
            let message = format!("{threads} threads could not be started: {error}");
            BakeError::new(BakeErrorKind::Threads, message).with_source(error)
        })?;
        return Ok(pool.install(work));
    }
    #[cfg(not(feature = "parallel"))]
    let _ = (threads, BakeErrorKind::Threads);
    Ok(work())
}

/// Does both, at once if that is `worthwhile` and possible.
pub(crate) fn join(worthwhile: bool, a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
    #[cfg(feature = "parallel")]
    if worthwhile {
        rayon::join(a, b);
        return;
    }
    let _ = worthwhile;
    a();
    b();
}

/// The results of `f` over `items`, in their order.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        items.par_iter().map(&f).collect()
    }
    #[cfg(not(feature = "parallel"))]
    items.iter().map(&f).collect()
}

/// Folds chunks of `items` and merges the results, which must not depend on how.
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
    let _ = (chunk, merge);
    f(items)
}
