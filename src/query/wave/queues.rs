//! What is to be done next for which flight.

/// Flights at a time. (Fewer wait for memory more often; the first cache holds no more.)
pub(super) const FLIGHTS: usize = 48;

/// A power of two, so that numbers below it need not be checked.
const ROOM: usize = 64;
const _: () = assert!(FLIGHTS < ROOM);

/// What is to be done: the first two bits of a child, and one more.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    /// A node is to be met.
    Node,
    /// A ray is done.
    End,
    /// A leaf block is to be met.
    Block,
    /// Triangles are to be shown to the visitor.
    Look,
}

impl Kind {
    /// What a child asks for.
    #[inline(always)]
    pub(super) fn of(child: u32) -> Self {
        match child >> 30 {
            0 => Self::Node,
            1 => Self::End,
            2 => Self::Block,
            _ => Self::Look,
        }
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
        let len = &mut self.len[kind as usize];
        self.flights[kind as usize][*len % ROOM] = flight;
        *len += 1;
    }

    pub(super) fn len(&self, kind: Kind) -> usize {
        self.len[kind as usize]
    }

    /// Empties a queue, to be read with [`at`](Self::at) while it fills again, more slowly.
    #[inline(always)]
    pub(super) fn begin(&mut self, kind: Kind) -> usize {
        std::mem::take(&mut self.len[kind as usize])
    }

    #[inline(always)]
    pub(super) fn at(&self, kind: Kind, i: usize) -> u8 {
        self.flights[kind as usize][i % ROOM]
    }
}
