//! Which rays wait for which stage.

use std::ops::Range;

use bytemuck::Zeroable;

use crate::bvh::{LEAF, MAX_BLOCKS, MAX_NODES};

/// Rays in flight at a time. With fewer, the stages wait for memory more often; with more, the
/// states no longer fit the first-level cache. 48 is the best with a cache of 48 KiB: 32 rays take
/// 4 % longer, 64 take 2 %.
pub(crate) const RAYS_IN_FLIGHT: usize = 48;

/// Entries in a queue (Lemma 60). A power of two, so that an index modulo it needs no check.
const QUEUE_CAPACITY: usize = 64;
const _: () = assert!(RAYS_IN_FLIGHT <= QUEUE_CAPACITY && QUEUE_CAPACITY.is_power_of_two());

/// At least as many as there are stages: a power of two, as above.
const STAGES: usize = 8;

/// At the bottom of every ray's stack: a number that no node and no leaf block has.
pub(crate) const SENTINEL: u32 = 1 << 30;
const _: () = assert!(MAX_NODES < SENTINEL as usize);
const _: () = assert!(MAX_BLOCKS < SENTINEL as usize);

/// The stage that a ray waits for. A number and not an enum: it is computed from a child, and an
/// index is all that it is used for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stage(u32);

impl Stage {
    /// Test the boxes of a node's children.
    pub(crate) const NODE: Self = Self::of(0);
    /// Compute the result.
    pub(crate) const DONE: Self = Self::of(SENTINEL);
    /// Test the triangles of a leaf block.
    pub(crate) const LEAF: Self = Self::of(LEAF);
    /// Offer the candidates of a leaf block to the collector.
    pub(crate) const RESOLVE: Self = Self::LEAF.or_resolve(1);

    /// Go into an instance of a scene, and leave it.
    pub(crate) const INSTANCE: Self = Self(4);
    pub(crate) const LEAVE: Self = Self(5);

    /// The stage of a child on top of the stack, which its two highest bits tell.
    #[inline(always)]
    pub(crate) const fn of(child: u32) -> Self {
        Self(child >> 30)
    }

    /// [`RESOLVE`](Self::RESOLVE) instead of [`LEAF`](Self::LEAF) if `resolve` is 1; `self` if it
    /// is 0.
    #[inline(always)]
    pub(crate) const fn or_resolve(self, resolve: u32) -> Self {
        debug_assert!(resolve == 0 || resolve == 1 && self.0 == Self::LEAF.0);
        Self(self.0 | resolve)
    }

    #[inline(always)]
    fn index(self) -> usize {
        self.0 as usize % STAGES
    }
}

/// Where a ray's state lies: the bytes from the first state to it. An index would have to be
/// multiplied at each use.
#[derive(Clone, Copy, Zeroable)]
pub(crate) struct StateOffset(u32);

impl StateOffset {
    /// The offsets of all states, each of which has this size.
    pub(crate) fn all<const STATES: usize>(size: usize) -> [Self; STATES] {
        let mut offsets = [Self(0); STATES];
        for (i, offset) in offsets.iter_mut().enumerate() {
            offset.0 = (i * size) as u32;
        }
        offsets
    }

    #[inline(always)]
    pub(crate) fn bytes(self) -> usize {
        self.0 as usize
    }
}

/// The queues of the stages.
///
/// The entries of a queue are numbered in the order in which they are pushed, from 0 on; entry `i`
/// is kept at `i % QUEUE_CAPACITY`. A stage *takes* entries from the front. Where it is a pipeline,
/// the last entries taken stay unfinished until others follow or the stage is *drained*.
///
/// **Lemma 60 (queue capacity).** No entry is overwritten before its ray has finished the stage. A
/// ray is pushed when it starts and when it has finished a stage, so it has at most one unfinished
/// entry in all queues. A stage finishes its entries in order. So the entries from the first
/// unfinished one to the last one belong to different rays, and there are at most
/// `RAYS_IN_FLIGHT <= QUEUE_CAPACITY` of them.
///
/// **Lemma 61 (pipelines).** Let a later part of a stage follow the first part at a distance of
/// `lag` entries: the turn that does the first part of entry `i` before does the later part of
/// entry `i - lag`, if that was taken since the last drain. Then the later part has been done once
/// for each entry taken since the last drain but the last `lag`, and the drain does it for these.
/// A part that follows at a greater distance never overtakes one at a smaller distance.
#[derive(Zeroable)]
pub(crate) struct Queues {
    entries: [[StateOffset; QUEUE_CAPACITY]; STAGES],
    /// How many entries have been pushed so far, and how many of them have been taken.
    pushed: [usize; STAGES],
    taken: [usize; STAGES],
    /// How many had been taken when the stage was drained last.
    drained: [usize; STAGES],
}

impl Queues {
    /// Adds a ray to the queue of a stage. Without a branch: the stage cannot be predicted.
    #[inline(always)]
    pub(crate) fn push(&mut self, stage: Stage, ray: StateOffset) {
        let pushed = &mut self.pushed[stage.index()];
        self.entries[stage.index()][*pushed % QUEUE_CAPACITY] = ray;
        *pushed += 1;
    }

    /// How many rays wait for a stage.
    pub(crate) fn len(&self, stage: Stage) -> usize {
        self.pushed[stage.index()] - self.taken[stage.index()]
    }

    /// How many entries have been pushed to all queues.
    pub(crate) fn total_pushed(&self) -> usize {
        self.pushed.iter().sum()
    }

    /// Takes the first `count` rays that wait: the numbers of their entries.
    #[inline(always)]
    pub(crate) fn take(&mut self, stage: Stage, count: usize) -> Range<usize> {
        debug_assert!(count <= self.len(stage));
        let first = self.taken[stage.index()];
        self.taken[stage.index()] = first + count;
        first..first + count
    }

    /// The entries taken since the last drain.
    #[inline(always)]
    pub(crate) fn undrained(&self, stage: Stage) -> Range<usize> {
        self.drained[stage.index()]..self.taken[stage.index()]
    }

    /// Notes that all entries taken are finished.
    pub(crate) fn set_drained(&mut self, stage: Stage) {
        self.drained[stage.index()] = self.taken[stage.index()];
    }

    /// The ray of an entry that is not finished (Lemma 60).
    #[inline(always)]
    pub(crate) fn ray(&self, stage: Stage, entry: usize) -> StateOffset {
        self.entries[stage.index()][entry % QUEUE_CAPACITY]
    }
}

/// The last `count` of a range, or all of it if it is shorter.
#[inline(always)]
pub(crate) fn last(count: usize, range: &Range<usize>) -> Range<usize> {
    range.start.max(range.end.saturating_sub(count))..range.end
}
