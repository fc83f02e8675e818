//! What is to be done next for which flight.

use crate::simd::first_cache;

/// Flights at a time, at the most.
pub(super) const FLIGHTS: usize = 48;

/// Flights at a time: fewer wait for memory more often, and more the first cache does not hold. (48 are measured
/// with one of 48 KiB, where 32 take 4 % longer, and 64 two.)
pub(super) fn flights() -> usize {
    match first_cache() {
        Some(0..=0x8000) => FLIGHTS / 3 * 2,
        _ => FLIGHTS,
    }
}

/// A power of two, so that numbers below it need not be checked.
const ROOM: usize = 128;
const _: () = assert!(FLIGHTS < ROOM);

/// What is to be done: a number, so that none need be told from another.
#[derive(Clone, Copy)]
pub(super) struct Kind(u32);

impl Kind {
    /// A node is to be met.
    pub(super) const NODE: Self = Self(0);
    /// A ray is done.
    pub(super) const END: Self = Self(1);
    /// A leaf block is to be met.
    pub(super) const BLOCK: Self = Self(2);
    /// Triangles are to be shown to the visitor.
    pub(super) const LOOK: Self = Self(3);

    /// What a child asks for: its first two bits.
    #[inline(always)]
    pub(super) fn of(child: u32) -> Self {
        Self(child >> 30)
    }

    /// [`LOOK`](Self::LOOK) if `look` is 1, itself if it is 0.
    #[inline(always)]
    pub(super) fn or_look(self, look: u32) -> Self {
        Self(self.0 | (Self::LOOK.0 * look))
    }

    #[inline(always)]
    fn index(self) -> usize {
        self.0 as usize % 4
    }
}

/// For each kind of work, who waits for it, by number.
pub(super) struct Queues {
    flights: [[u8; ROOM]; 4],
    len: [usize; 4],
}

impl Queues {
    pub(super) const EMPTY: Self = Self {
        flights: [[0; ROOM]; 4],
        len: [0; 4],
    };

    /// No branch depends on the kind.
    #[inline(always)]
    pub(super) fn push(&mut self, kind: Kind, flight: u8) {
        let len = &mut self.len[kind.index()];
        self.flights[kind.index()][*len % ROOM] = flight;
        *len += 1;
    }

    pub(super) fn len(&self, kind: Kind) -> usize {
        self.len[kind.index()]
    }

    /// Empties a queue, to be read with [`at`](Self::at) while it fills again, more slowly.
    #[inline(always)]
    pub(super) fn begin(&mut self, kind: Kind) -> usize {
        std::mem::take(&mut self.len[kind.index()])
    }

    #[inline(always)]
    pub(super) fn at(&self, kind: Kind, i: usize) -> u8 {
        self.flights[kind.index()][i % ROOM]
    }
}

/// Which of `count` flights takes a part of the step that lags so far behind, when the first part is `i`'s.
#[inline(always)]
pub(super) fn behind(i: usize, lag: usize, count: usize) -> Option<usize> {
    // (What is less than nothing is large.)
    let earlier = i.wrapping_sub(lag);
    (earlier < count).then_some(earlier)
}
