//! Blocks written to a stream, by a thread of its own where there are threads.
//!
//! A question does not wait for the system, unless more comes than it takes.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::block::{Block, Spare};

/// The most blocks that wait to be written.
const MOST_WAITING: usize = 64;

/// A stream that blocks are written to in their order. Dropped, it ends when all are written.
pub(super) struct Writing {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    queue: Mutex<Queue>,
    /// The queue has changed.
    changed: Condvar,
    writer: Mutex<Box<dyn Write + Send>>,
    spare: Arc<Spare>,
}

#[derive(Default)]
struct Queue {
    blocks: VecDeque<Block>,
    is_writing: bool,
    is_closed: bool,
    /// Writing failed, so nothing more is written.
    failed: Option<io::Error>,
}

impl Writing {
    /// Writes the first bytes at once.
    pub(super) fn new(mut writer: Box<dyn Write + Send>, first: &[u8], spare: Arc<Spare>) -> Self {
        let failed = writer.write_all(first).and_then(|()| writer.flush()).err();
        let queue = Mutex::new(Queue { failed, ..Queue::default() });
        let writer = Mutex::new(writer);
        let shared = Arc::new(Shared { queue, changed: Condvar::new(), writer, spare });
        let of_thread = Arc::clone(&shared);
        let builder = thread::Builder::new().name("hitscan recorder".to_owned());
        // Not all machines have threads. Without one, blocks are written when they come.
        let thread = builder.spawn(move || of_thread.write_until_closed()).ok();
        Self { shared, thread }
    }

    pub(super) fn push(&self, block: Block) {
        let mut queue = self.shared.when(|queue| queue.blocks.len() < MOST_WAITING);
        queue.blocks.push_back(block);
        match self.thread {
            Some(_) => self.shared.changed.notify_all(),
            None => drop(self.shared.write_queued(queue)),
        }
    }

    /// Waits until all is written.
    ///
    /// # Errors
    ///
    /// If writing has failed, now or before.
    pub(super) fn flush(&self) -> io::Result<()> {
        let queue = self.shared.when(|queue| queue.blocks.is_empty() && !queue.is_writing);
        // An error of the system cannot be copied, but is said each time.
        let copy = |error: &io::Error| Err(io::Error::new(error.kind(), error.to_string()));
        queue.failed.as_ref().map_or(Ok(()), copy)
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        self.shared.lock().is_closed = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // It catches panics of the writer, and has none of its own.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The queue, when it is so.
    fn when(&self, is_so: impl Fn(&Queue) -> bool) -> MutexGuard<'_, Queue> {
        let waited = self.changed.wait_while(self.lock(), |queue| !is_so(queue));
        waited.unwrap_or_else(PoisonError::into_inner)
    }

    fn write_until_closed(&self) {
        loop {
            let queue = self.when(|queue| queue.is_closed || !queue.blocks.is_empty());
            if self.write_queued(queue).is_closed {
                return;
            }
        }
    }

    /// Writes what waits, also what comes meanwhile.
    fn write_queued<'a>(&'a self, mut queue: MutexGuard<'a, Queue>) -> MutexGuard<'a, Queue> {
        while let Some(mut block) = queue.blocks.pop_front() {
            queue.is_writing = true;
            let has_failed = queue.failed.is_some();
            drop(queue);
            // There is room for another.
            self.changed.notify_all();
            let written = if has_failed { Ok(()) } else { self.write(&mut block) };
            self.spare.give(block.into_memory());
            queue = self.lock();
            queue.is_writing = false;
            queue.failed = queue.failed.take().or(written.err());
            self.changed.notify_all();
        }
        queue
    }

    fn write(&self, block: &mut Block) -> io::Result<()> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = block.sealed();
        let write = AssertUnwindSafe(|| writer.write_all(bytes).and_then(|()| writer.flush()));
        catch_unwind(write).unwrap_or_else(|_| Err(io::Error::other("the writer panicked")))
    }
}
