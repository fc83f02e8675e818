//! Progress and cancellation, across threads.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::error::{BakeError, BakeErrorKind};

/// A stage of a bake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Stage {
    /// Reading and checking triangles.
    Gather,
    /// Building the binary tree.
    Split,
    /// Choosing the nodes and leaves of the wide tree.
    Collapse,
    /// Writing nodes and leaf blocks.
    Layout,
}

impl Stage {
    const ALL: [Self; 4] = [Self::Gather, Self::Split, Self::Collapse, Self::Layout];

    /// The fractions of the whole bake at which the stages start, as measured, and the end.
    const STARTS: [f32; 5] = [0.0, 0.1, 0.75, 0.85, 1.0];

    /// The stage's name in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["gather", "split", "collapse", "layout"][self as usize]
    }
}

/// How far a bake is: see [`Builder::bake_with_progress`](crate::Builder::bake_with_progress).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// The current stage.
    pub stage: Stage,
    /// The fraction of the whole bake that is done, 0 to 1. It never falls and ends at 1.
    pub fraction: f32,
}

/// The caller's callback.
pub(super) type Callback<'a> = dyn FnMut(Progress) -> ControlFlow<()> + Send + 'a;

/// The work of a whole stage, in the units that it is divided into.
pub(super) const STAGE_UNITS: u32 = 1 << 30;

/// Counts the work done, calls the caller, and knows whether the bake goes on.
pub(super) struct ProgressMonitor<'a> {
    /// The last fraction reported, and the callback.
    callback: Mutex<(f32, &'a mut Callback<'a>)>,
    stopped: AtomicBool,
    /// Why the bake stopped, unless the caller stopped it.
    failure: Mutex<Option<BakeError>>,
    stage: AtomicU8,
    /// Units of work done in this stage.
    done: AtomicU32,
}

impl<'a> ProgressMonitor<'a> {
    pub(super) fn new(callback: &'a mut Callback<'a>) -> Self {
        Self {
            callback: Mutex::new((0.0, callback)),
            stopped: AtomicBool::new(false),
            failure: Mutex::new(None),
            stage: AtomicU8::new(Stage::Gather as u8),
            done: AtomicU32::new(0),
        }
    }

    /// Begins a stage, which is [`STAGE_UNITS`] of work.
    pub(super) fn begin(&self, stage: Stage) -> Result<(), BakeError> {
        self.stage.store(stage as u8, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
        self.advance(0);
        self.check()
    }

    /// Counts `units` more and calls the caller, unless another thread is calling it. Returns
    /// whether the bake goes on.
    pub(super) fn advance(&self, units: u32) -> bool {
        let done = self.done.fetch_add(units, Ordering::Relaxed) + units;
        self.report((done as f32 / STAGE_UNITS as f32).min(1.0));
        self.keep_going()
    }

    /// Tells the caller that everything is done.
    pub(super) fn finish(&self) -> Result<(), BakeError> {
        self.check()?;
        self.report(1.0);
        self.check()
    }

    fn report(&self, part: f32) {
        // If the lock is taken, another thread reports about the same. If it is poisoned, the
        // callback panicked, and the panic is on its way to the caller.
        let Ok(mut guard) = self.callback.try_lock() else {
            return;
        };
        // After a request to stop, the caller is not called again.
        if !self.keep_going() {
            return;
        }
        let number = usize::from(self.stage.load(Ordering::Relaxed));
        let (stage, start, end) =
            (Stage::ALL[number], Stage::STARTS[number], Stage::STARTS[number + 1]);
        let (last, callback) = &mut *guard;
        *last = (start + part * (end - start)).max(*last);
        let progress = Progress { stage, fraction: *last };
        if callback(progress).is_break() {
            self.stopped.store(true, Ordering::Relaxed);
        }
    }

    pub(super) fn keep_going(&self) -> bool {
        !self.stopped.load(Ordering::Relaxed)
    }

    /// Stops the bake with an error.
    pub(super) fn fail(&self, error: BakeError) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.get_or_insert(error);
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// An error if the bake does not go on.
    pub(super) fn check(&self) -> Result<(), BakeError> {
        if self.keep_going() {
            return Ok(());
        }
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        Err(failure
            .take()
            .unwrap_or_else(|| BakeError::new(BakeErrorKind::Cancelled, "the bake was cancelled")))
    }
}

/// A pass over many items, reported to the monitor piece by piece.
#[derive(Clone, Copy)]
pub(super) struct Pass<'a, 'm> {
    monitor: &'a ProgressMonitor<'m>,
    units_each: f32,
    /// Whether the pass is long enough to be reported.
    is_reported: bool,
}

/// The most items between two reports of a [`Pass`]: well below a millisecond of work.
pub(super) const PIECE_LEN: usize = 1 << 14;

/// Passes over fewer items are not reported.
const REPORTED_FROM: usize = 1 << 10;

impl<'a, 'm> Pass<'a, 'm> {
    /// A pass over `count` items, which is `units` of work.
    pub(super) fn new(monitor: &'a ProgressMonitor<'m>, units: u32, count: usize) -> Self {
        let units_each = units as f32 / count.max(1) as f32;
        Self { monitor, units_each, is_reported: count >= REPORTED_FROM }
    }

    /// Reports that the next `count` items are being worked on. Returns whether the bake goes on.
    pub(super) fn advance(&self, count: usize) -> bool {
        if !self.is_reported {
            return self.monitor.keep_going();
        }
        self.monitor.advance((count as f32 * self.units_each) as u32)
    }

    /// Reports a piece and returns it. If the bake does not go on, the piece is empty, and the
    /// result of the pass must not be used.
    pub(super) fn over<'p, T>(&self, piece: &'p [T]) -> &'p [T] {
        if self.advance(piece.len()) { piece } else { &[] }
    }

    pub(super) fn keep_going(&self) -> bool {
        self.monitor.keep_going()
    }

    /// Stops the bake with an error.
    pub(super) fn fail(&self, error: BakeError) {
        self.monitor.fail(error);
    }
}
