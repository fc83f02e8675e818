//! Progress and cancellation, across threads.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{Progress, Stage};
use crate::error::{BakeError, BakeErrorKind};

/// The caller's callback.
pub(crate) type Callback<'a> = dyn FnMut(Progress) -> ControlFlow<()> + Send + 'a;

/// The work of a whole stage, in the units that it is shared out in.
pub(super) const STAGE_UNITS: u32 = 1 << 30;

/// Counts the work done, tells the caller, and knows whether to go on.
pub(crate) struct ProgressMonitor<'a> {
    callback: Mutex<(f32, &'a mut Callback<'a>)>,
    stopped: AtomicBool,
    /// Why, if it was not the caller.
    failure: Mutex<Option<BakeError>>,
    stage: AtomicU8,
    done: AtomicU32,
}

impl<'a> ProgressMonitor<'a> {
    pub(crate) fn new(callback: &'a mut Callback<'a>) -> Self {
        Self {
            callback: Mutex::new((0.0, callback)),
            stopped: AtomicBool::new(false),
            failure: Mutex::new(None),
            stage: AtomicU8::new(Stage::Gather as u8),
            done: AtomicU32::new(0),
        }
    }

    /// Begins a stage, of [`STAGE_UNITS`] units of work.
    pub(crate) fn begin(&self, stage: Stage) -> Result<(), BakeError> {
        self.stage.store(stage as u8, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
        self.advance(0);
        self.check()
    }

    /// Counts `units` more and tells the caller, unless another thread is telling. Returns whether
    /// to go on.
    pub(crate) fn advance(&self, units: u32) -> bool {
        let done = self.done.fetch_add(units, Ordering::Relaxed) + units;
        self.report((done as f32 / STAGE_UNITS as f32).min(1.0));
        self.keep_going()
    }

    /// Tells the caller that all is done.
    pub(crate) fn finish(&self) -> Result<(), BakeError> {
        self.check()?;
        self.report(1.0);
        self.check()
    }

    fn report(&self, part: f32) {
        // Whoever holds the lock reports about as much; a poisoned one belongs to a caller
        // whose callback panicked, and that panic is on its way.
        let Ok(mut guard) = self.callback.try_lock() else {
            return;
        };
        // Whoever asked to stop is not called again.
        if !self.keep_going() {
            return;
        }
        let stage = Stage::ALL[usize::from(self.stage.load(Ordering::Relaxed))];
        let (start, end) = stage.span();
        let (last, callback) = &mut *guard;
        *last = (start + part * (end - start)).max(*last);
        let progress = Progress { stage, fraction: *last };
        if callback(progress).is_break() {
            self.stopped.store(true, Ordering::Relaxed);
        }
    }

    /// Whether there is still something to work for.
    pub(crate) fn keep_going(&self) -> bool {
        !self.stopped.load(Ordering::Relaxed)
    }

    /// Stops everything: it has come to nothing.
    pub(crate) fn fail(&self, error: BakeError) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.get_or_insert(error);
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// An error if the bake is not to go on.
    pub(crate) fn check(&self) -> Result<(), BakeError> {
        if self.keep_going() {
            return Ok(());
        }
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        Err(failure
            .take()
            .unwrap_or_else(|| BakeError::new(BakeErrorKind::Cancelled, "the bake was cancelled")))
    }
}
