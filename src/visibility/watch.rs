//! Progress and cancellation, across threads.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::error::{VisibilityError, VisibilityErrorKind};

/// The caller's callback, with the part that is done.
pub(super) type Progress<'a> = dyn FnMut(f32) -> ControlFlow<()> + Send + 'a;

/// Counts the rays that are cast, calls the caller, and knows whether work goes on.
pub(super) struct Watch<'a> {
    whole: usize,
    done: AtomicUsize,
    stopped: AtomicBool,
    /// The last part reported, and the callback.
    progress: Mutex<(f32, &'a mut Progress<'a>)>,
}

impl<'a> Watch<'a> {
    pub(super) fn new(whole: usize, progress: &'a mut Progress<'a>) -> Self {
        Self {
            whole,
            done: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
            progress: Mutex::new((0.0, progress)),
        }
    }

    /// Counts `rays` more and calls the caller, unless another thread is calling it. Returns
    /// whether work goes on.
    pub(super) fn advance(&self, rays: usize) -> bool {
        let done = self.done.fetch_add(rays, Ordering::Relaxed) + rays;
        self.report(done as f32 / self.whole as f32);
        self.keeps_going()
    }

    pub(super) fn keeps_going(&self) -> bool {
        !self.stopped.load(Ordering::Relaxed)
    }

    /// Tells the caller that everything is done, unless the caller stopped it.
    pub(super) fn finish(&self) -> Result<(), VisibilityError> {
        self.report(1.0);
        match self.keeps_going() {
            true => Ok(()),
            false => Err(VisibilityError::new(
                VisibilityErrorKind::Cancelled,
                "the progress callback stopped the work",
            )),
        }
    }

    fn report(&self, part: f32) {
        // If the lock is taken, another thread reports about the same. If it is poisoned, the
        // callback panicked, and the panic is on its way to the caller.
        let Ok(mut guard) = self.progress.try_lock() else { return };
        // After a request to stop, the caller is not called again.
        if !self.keeps_going() {
            return;
        }
        let (last, progress) = &mut *guard;
        *last = part.clamp(*last, 1.0);
        if progress(*last).is_break() {
            self.stopped.store(true, Ordering::Relaxed);
        }
    }
}
