//! What is to be done next for which flight.

use std::ops::Range;

/// Flights at a time: fewer wait for memory more often, and more the first cache does not hold. (48
/// are measured with one of 48 KiB, where 32 take 4 % longer, and 64 two.)
pub(crate) const FLIGHTS: usize = 48;

/// Room in a queue: whoever waits there, or is in the middle of the step, is there once, and the first of them is no
/// farther from the last who came. A power of two, so that numbers below it need not be checked.
const ROOM: usize = 64;
const _: () = assert!(FLIGHTS <= ROOM && ROOM.is_power_of_two());

/// What is to be done: a number, so that none need be told from another.
#[derive(Clone, Copy)]
pub(crate) struct Kind(u32);

impl Kind {
    /// A node is to be met.
    pub(crate) const NODE: Self = Self(0);
    /// A ray is done.
    pub(crate) const END: Self = Self(1);
    /// A leaf block is to be met.
    pub(crate) const BLOCK: Self = Self(2);
    /// Triangles are to be shown to the visitor.
    pub(crate) const LOOK: Self = Self(3);

    /// What a child asks for: its first two bits.
    #[inline(always)]
    pub(crate) fn of(child: u32) -> Self {
        Self(child >> 30)
    }

    /// If `look` is 1, [`LOOK`](Self::LOOK) in place of [`BLOCK`](Self::BLOCK), which it must be; itself if it is 0.
    #[inline(always)]
    pub(crate) fn or_look(self, look: u32) -> Self {
        const _: () = assert!(Kind::BLOCK.0 | 1 == Kind::LOOK.0);
        debug_assert!(look == 0 || self.0 | look == Self::LOOK.0);
        Self(self.0 | look)
    }

    #[inline(always)]
    fn index(self) -> usize {
        self.0 as usize % 4
    }
}

/// Where a flight is, in bytes from the first one: nobody has to multiply.
#[derive(Clone, Copy)]
pub(crate) struct Place(u32);

impl Place {
    /// That of the first one.
    const FIRST: Self = Self(0);

    /// Those of all flights, each of so many bytes.
    pub(crate) fn all(bytes: usize) -> [Self; FLIGHTS] {
        std::array::from_fn(|i| Self((i * bytes) as u32))
    }

    #[inline(always)]
    pub(crate) fn bytes(self) -> usize {
        self.0 as usize
    }
}

/// For each kind of work, who waits for it.
pub(crate) struct Queues {
    flights: [[Place; ROOM]; 4],
    /// How many have come in all, and how many of them have been taken.
    came: [usize; 4],
    taken: [usize; 4],
    /// How many had been taken when nobody was left in the middle of the step the last time.
    open: [usize; 4],
}

impl Queues {
    pub(crate) const EMPTY: Self =
        Self { flights: [[Place::FIRST; ROOM]; 4], came: [0; 4], taken: [0; 4], open: [0; 4] };

    /// No branch depends on the kind.
    #[inline(always)]
    pub(crate) fn push(&mut self, kind: Kind, flight: Place) {
        let came = &mut self.came[kind.index()];
        self.flights[kind.index()][*came % ROOM] = flight;
        *came += 1;
    }

    /// How many wait.
    pub(crate) fn len(&self, kind: Kind) -> usize {
        self.came[kind.index()] - self.taken[kind.index()]
    }

    /// How often somebody has come, to any of them.
    pub(crate) fn came_in_all(&self) -> usize {
        self.came.iter().sum()
    }

    /// Takes the first so many of those who wait, to be read with [`at`](Self::at): for as long as no more than there
    /// is room for have come behind them.
    #[inline(always)]
    pub(crate) fn take(&mut self, kind: Kind, count: usize) -> Range<usize> {
        let first = self.taken[kind.index()];
        self.taken[kind.index()] = first + count;
        first..first + count
    }

    /// Those taken since the step was [closed](Self::close): the last few of them may not have finished it.
    #[inline(always)]
    pub(crate) fn open(&self, kind: Kind) -> Range<usize> {
        self.open[kind.index()]..self.taken[kind.index()]
    }

    /// Notes that nobody is left in the middle of the step.
    pub(crate) fn close(&mut self, kind: Kind) {
        self.open[kind.index()] = self.taken[kind.index()];
    }

    #[inline(always)]
    pub(crate) fn at(&self, kind: Kind, i: usize) -> Place {
        self.flights[kind.index()][i % ROOM]
    }
}

/// The last so many of some, or all of them.
#[inline(always)]
pub(crate) fn last(count: usize, of: &Range<usize>) -> Range<usize> {
    of.start.max(of.end.saturating_sub(count))..of.end
}
