//! Long ways over many things, on which the monitor is told and asked piece by piece.

use super::progress::ProgressMonitor;
use crate::error::BakeError;

/// One way over many things, told to the monitor piece by piece.
#[derive(Clone, Copy)]
pub(super) struct Pass<'a, 'm> {
    monitor: &'a ProgressMonitor<'m>,
    units_each: f32,
    /// Whether there are so many that a piece is told of.
    long: bool,
}

/// Things after which a [`Pass`] has to tell, and ask whether to go on: well below a millisecond's
/// work each.
pub(super) const PIECE_LEN: usize = 1 << 14;

/// Ways over fewer things are not told.
const SHORT: usize = 1 << 10;

impl<'a, 'm> Pass<'a, 'm> {
    /// A way over `count` things, which is `units` of work.
    pub(super) fn new(monitor: &'a ProgressMonitor<'m>, units: u32, count: usize) -> Self {
        Self { monitor, units_each: units as f32 / count.max(1) as f32, long: count >= SHORT }
    }

    /// Tells of `count` things gone over; returns whether to go on.
    pub(super) fn advance_over(&self, count: usize) -> bool {
        if !self.long {
            return self.monitor.keep_going();
        }
        self.monitor.advance((count as f32 * self.units_each) as u32)
    }

    /// A piece to go over; nothing if the bake is not to go on, and whatever comes of that is not to
    /// be used.
    pub(super) fn over<'p, T>(&self, piece: &'p [T]) -> &'p [T] {
        if self.advance_over(piece.len()) { piece } else { &[] }
    }

    pub(super) fn keep_going(&self) -> bool {
        self.monitor.keep_going()
    }

    /// Stops everything.
    pub(super) fn fail(&self, error: BakeError) {
        self.monitor.fail(error);
    }
}
