//! Progress and cancellation, across threads.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::{Progress, Stage};
use crate::{BakeError, BakeErrorKind};

/// The caller's callback.
pub(crate) type Callback<'a> = dyn FnMut(Progress) -> ControlFlow<()> + Send + 'a;

/// Counts the work done and tells the caller.
pub(crate) struct Monitor<'a> {
    callback: Mutex<(f32, &'a mut Callback<'a>)>,
    cancelled: AtomicBool,
    done: AtomicUsize,
    total: AtomicUsize,
}

impl<'a> Monitor<'a> {
    pub(crate) fn new(callback: &'a mut Callback<'a>) -> Self {
        Self {
            callback: Mutex::new((0.0, callback)),
            cancelled: AtomicBool::new(false),
            done: AtomicUsize::new(0),
            total: AtomicUsize::new(1),
        }
    }

    /// Begins a stage of `total` units of work.
    pub(crate) fn begin(&self, stage: Stage, total: usize) -> Result<(), BakeError> {
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total.max(1), Ordering::Relaxed);
        self.report(stage, 0.0);
        self.check()
    }

    /// Counts `units` more and tells the caller, unless another thread is telling.
    pub(crate) fn advance(&self, stage: Stage, units: usize) {
        let done = self.done.fetch_add(units, Ordering::Relaxed) + units;
        let total = self.total.load(Ordering::Relaxed);
        self.report(stage, (done as f32 / total as f32).min(1.0));
    }

    /// Tells the caller that all is done.
    pub(crate) fn finish(&self) -> Result<(), BakeError> {
        self.check()?;
        self.report(Stage::Layout, 1.0);
        self.check()
    }

    fn report(&self, stage: Stage, part: f32) {
        // Whoever holds the lock reports about as much; a poisoned one belongs to a caller
        // whose callback panicked, and that panic is on its way.
        let Ok(mut guard) = self.callback.try_lock() else {
            return;
        };
        // Whoever asked to stop is not called again.
        if self.is_cancelled() {
            return;
        }
        let (start, end) = stage.span();
        let (last, callback) = &mut *guard;
        *last = (start + part * (end - start)).max(*last);
        if callback(Progress {
            stage,
            fraction: *last,
        })
        .is_break()
        {
            self.cancelled.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the caller wants to stop.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// An error if the caller wants to stop.
    pub(crate) fn check(&self) -> Result<(), BakeError> {
        if self.is_cancelled() {
            return Err(BakeError::new(
                BakeErrorKind::Cancelled,
                "the bake was cancelled",
            ));
        }
        Ok(())
    }
}
