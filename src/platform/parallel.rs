//! Parallel loops, which run on one thread without the feature `parallel`. Results never depend on
//! the number of threads. The thread pool sees closures through pointers only: its code would be
//! compiled again for each type.

use std::sync::{Mutex, PoisonError};

use crate::error::{BakeError, BakeErrorKind};

/// With `threads`, runs `work` on a pool of as many. Without, or where the machine has no threads,
/// runs it as [`on_pool`].
pub(crate) fn on_threads<R: Send>(
    threads: Option<usize>,
    worthwhile: bool,
    work: impl FnOnce() -> R + Send,
) -> Result<R, BakeError> {
    #[cfg(feature = "parallel")]
    if let Some(threads) = threads {
        match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
            Ok(pool) => return Ok(erased(work, |work| pool.install(work)).0),
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

/// Runs `work` on the caller's pool or thread. If it is `worthwhile`, a caller outside of any pool
/// enters the global one for the whole of it: entering for each parallel loop would wake a thread
/// and put the caller to sleep each time.
pub(crate) fn on_pool<R: Send>(worthwhile: bool, work: impl FnOnce() -> R + Send) -> R {
    #[cfg(feature = "parallel")]
    if worthwhile {
        return erased(work, |work| rayon::scope(|_| work())).0;
    }
    let _ = worthwhile;
    work()
}

/// Gives `work` to `run` as a closure without a type of its own, to be called once. The results of
/// both.
#[cfg(feature = "parallel")]
fn erased<R: Send, S>(
    work: impl FnOnce() -> R + Send,
    run: impl FnOnce(&mut (dyn FnMut() + Send)) -> S,
) -> (R, S) {
    let (mut work, mut result) = (Some(work), None);
    let ran = run(&mut || result = work.take().map(|work| work()));
    (result.expect("the work was run"), ran)
}

/// Runs both closures, in parallel if that is `worthwhile` and possible.
pub(crate) fn join<A: Send, B: Send>(
    worthwhile: bool,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    #[cfg(feature = "parallel")]
    if worthwhile {
        let (a, (b, _)) = erased(a, |a| erased(b, |b| rayon::join(a, b)));
        return (a, b);
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
    const PIECE: usize = MANY / 4;
    if items.len() <= MANY || cfg!(not(feature = "parallel")) {
        return items.iter().enumerate().map(|(i, item)| f(i, item)).collect();
    }
    map_into(Vec::new(), items, PIECE, f)
}

/// The results of `f` over `items` and their numbers, in their order, in the memory of a vector; in
/// parallel, `piece` items at a time, if there are more.
pub(super) fn map_into<T: Sync, R: Send>(
    mut results: Vec<R>,
    items: &[T],
    piece: usize,
    f: impl Fn(usize, &T) -> R + Sync,
) -> Vec<R> {
    results.clear();
    results.reserve_exact(items.len());
    let room = &mut results.spare_capacity_mut()[..items.len()];
    let pieces = items.chunks(piece).zip(room.chunks_mut(piece)).enumerate().collect();
    map_each(true, pieces, |(number, (items, room))| {
        for (i, (item, room)) in items.iter().zip(room).enumerate() {
            room.write(f(number * piece + i, item));
        }
    });
    // SAFETY: the pieces are all of `items`, and each has written a result for each of its items.
    unsafe { results.set_len(items.len()) };
    results
}

/// The results of `f` over `items`, in their order; in parallel if that is `worthwhile`.
pub(crate) fn map_each<T: Send, R: Send>(
    worthwhile: bool,
    items: Vec<T>,
    f: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    map_erased(worthwhile, items, &f)
}

/// As [`map_each`], once for each pair of types, whatever the closure. In plain loops: each adapter
/// of an iterator would be compiled again for each pair.
fn map_erased<T: Send, R: Send>(
    worthwhile: bool,
    items: Vec<T>,
    f: &(dyn Fn(T) -> R + Sync),
) -> Vec<R> {
    let mut results = Vec::with_capacity(items.len());
    // A single item is not worth waking a thread.
    #[cfg(feature = "parallel")]
    if worthwhile && items.len() > 1 {
        let mut slots = Vec::with_capacity(items.len());
        for item in items {
            slots.push(Mutex::new((Some(item), None)));
        }
        for_each_number(slots.len(), &|i: usize| {
            let mut slot = slots[i].lock().unwrap_or_else(PoisonError::into_inner);
            slot.1 = slot.0.take().map(f);
        });
        for slot in slots {
            if let Ok((_, Some(result))) = slot.into_inner() {
                results.push(result);
            }
        }
        return results;
    }
    let _ = worthwhile;
    for item in items {
        results.push(f(item));
    }
    results
}

/// Calls `work` once with each number below `count`, on any thread.
#[cfg(feature = "parallel")]
fn for_each_number(count: usize, work: &(dyn Fn(usize) + Sync)) {
    use rayon::prelude::*;
    (0..count).into_par_iter().for_each(work);
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
