//! The state of one point in flight, and of all of them.

use std::mem::MaybeUninit;

use bytemuck::Zeroable;

use crate::bvh::{Node, ROOT, TreeView, WIDTH};
use crate::geometry::{difference, dot};
use crate::traverse::near::nearest::NearTests;
use crate::traverse::near::point::PointSetup;
use crate::traverse::near::triangle_distances::Candidate;
use crate::traverse::prefetch::Prefetcher;
use crate::traverse::stream::{Queues, RAYS_IN_FLIGHT, SENTINEL, Stage, StateOffset};

/// Points in flight at a time. With half as many, points take 1 to 2 % longer.
pub(super) const IN_FLIGHT: usize = 32;
// As many as queues have room for (Lemma 60).
const _: () = assert!(IN_FLIGHT <= RAYS_IN_FLIGHT);

/// Children that a point's stack may hold before the point is searched for by itself. Tests use
/// less, so that this happens.
pub(super) const STACK_CAPACITY: usize = if cfg!(any(test, miri)) { 40 } else { 128 };

/// Triangles that may be kept for a point before it is searched for by itself.
pub(super) const MAX_KEPT: usize = if cfg!(any(test, miri)) { 6 } else { 24 };

/// A point in flight: its constants, its stack, and the triangles that are kept for it.
///
/// **Lemma 100 (stacks of points).** As Lemma 63, with a cull after each leaf block: between two
/// stages `top < STACK_CAPACITY`, the children at `0..=top` are written, and so are the keys at
/// `1..top`.
#[repr(C, align(64))]
pub(super) struct PointState {
    pub(super) setup: PointSetup,
    /// How far to look, and the same as node tests need it.
    pub(super) bound: f32,
    pub(super) limit: f32,
    /// The node or leaf block that is visited.
    pub(super) current: *const u8,
    /// The place of the visited child on the stack. [`SENTINEL`] lies at the bottom.
    pub(super) top: usize,
    pub(super) point_index: usize,
    /// How many triangles are kept. If they are more than there is room for, some are lost.
    kept_count: usize,
    kept: [MaybeUninit<Candidate>; MAX_KEPT],
    pub(super) keys: [MaybeUninit<u32>; STACK_CAPACITY + WIDTH],
    pub(super) children: [MaybeUninit<u32>; STACK_CAPACITY + WIDTH],
}

impl PointState {
    #[inline(always)]
    pub(super) fn set_bound(&mut self, bound: f32) {
        self.bound = bound;
        self.limit = self.setup.limit_of_boxes(bound);
    }

    /// Keeps a triangle for the end. Where there is no room, those go that are too far.
    #[inline(always)]
    pub(super) fn keep(&mut self, candidate: Candidate) {
        if self.kept_count == MAX_KEPT {
            self.drop_far();
        }
        if let Some(place) = self.kept.get_mut(self.kept_count) {
            place.write(candidate);
        }
        self.kept_count += 1;
    }

    #[cold]
    #[inline(never)]
    fn drop_far(&mut self) {
        let mut count = 0;
        for i in 0..MAX_KEPT {
            // SAFETY: as many have been written.
            let candidate = unsafe { self.kept[i].assume_init() };
            if candidate.is_within(self.bound) {
                self.kept[count].write(candidate);
                count += 1;
            }
        }
        self.kept_count = count;
    }

    /// Whether there were more triangles than there is room for, or [`give_up`](Self::give_up) was
    /// called.
    #[inline(always)]
    pub(super) fn has_given_up(&self) -> bool {
        self.kept_count > MAX_KEPT
    }

    /// The triangles that may be the nearest, or `None` if the walk has been given up.
    pub(super) fn kept(&self) -> Option<impl Iterator<Item = Candidate>> {
        let kept = self.kept.get(..self.kept_count)?;
        // SAFETY: as many have been written.
        let kept = kept.iter().map(|candidate| unsafe { candidate.assume_init() });
        Some(kept.filter(|candidate| candidate.is_within(self.bound)))
    }

    /// Ends the walk of a point for which there is too little room.
    #[cold]
    pub(super) fn give_up(&mut self) {
        self.kept_count = MAX_KEPT + 1;
        self.top = 0;
    }
}

/// All points in flight.
///
/// **Lemma 101 (points in queues).** As Lemma 64: the state of a point in a queue is written. In
/// the queue of nodes, `current` is the node on top of its stack, and in the queue of leaves the
/// leaf block there. For a point starts at the root, which the tree has: [`NearTests::new`] gives
/// no tests for an empty one.
pub(super) struct PointStream {
    pub(super) queues: Queues,
    /// A point that is done, and its distance. In the order of a curve the next ones are near it.
    pub(super) neighbor: Option<([f32; 3], f32)>,
    pub(super) states: [MaybeUninit<PointState>; IN_FLIGHT],
    prefetcher: Prefetcher,
    /// The first `free_count` of these states are free.
    free: [StateOffset; IN_FLIGHT],
    free_count: usize,
}

impl PointStream {
    pub(super) fn new(tree: &TreeView<'_>) -> Self {
        Self {
            queues: Queues::zeroed(),
            neighbor: None,
            states: [const { MaybeUninit::uninit() }; IN_FLIGHT],
            prefetcher: Prefetcher::new(tree),
            free: StateOffset::all(size_of::<PointState>()),
            free_count: IN_FLIGHT,
        }
    }

    pub(super) fn has_room(&self) -> bool {
        self.free_count > 0
    }

    /// Starts a point at the root of the tree with these nodes, if there is room.
    #[inline(always)]
    pub(super) fn start(
        &mut self,
        point: [f32; 3],
        tests: &NearTests,
        nodes: &[Node],
        point_index: usize,
    ) {
        let (setup, mut bound) = (tests.blocks, tests.bound);
        if let Some((neighbor, distance)) = self.neighbor {
            // No farther than by way of the neighbor, wherever that is. Its distance is rounded.
            let way = difference(point, neighbor);
            let most = f64::from(distance.next_up()) + dot(way, way).sqrt();
            bound = bound.min(setup.scaled(most * (1.0 + f64::from(f32::EPSILON))));
        }
        let Some(count) = self.free_count.checked_sub(1) else { return };
        self.free_count = count;
        let first: *mut PointState = self.states.as_mut_ptr().cast();
        let state = first.wrapping_byte_add(self.free[count].bytes());
        // SAFETY: the offset belongs to a state. The fields are written through a pointer to a
        // place for all of them.
        unsafe {
            (&raw mut (*state).setup).write(setup);
            (&raw mut (*state).bound).write(bound);
            (&raw mut (*state).limit).write(setup.limit_of_boxes(bound));
            (&raw mut (*state).current).write(nodes.as_ptr().cast());
            (&raw mut (*state).top).write(1);
            (&raw mut (*state).point_index).write(point_index);
            (&raw mut (*state).kept_count).write(0);
            (&raw mut (*state).children[0]).write(MaybeUninit::new(SENTINEL));
            (&raw mut (*state).children[1]).write(MaybeUninit::new(ROOT));
        }
        self.queues.push(Stage::NODE, self.free[count]);
    }

    /// Frees the place of a point that is done.
    pub(super) fn free(&mut self, point: StateOffset) {
        self.free[self.free_count] = point;
        self.free_count += 1;
    }

    /// # Safety
    /// The offset belongs to a point in flight.
    #[inline(always)]
    pub(super) unsafe fn state(&mut self, point: StateOffset) -> &mut PointState {
        let first: *mut PointState = self.states.as_mut_ptr().cast();
        // SAFETY: the pointer is to a written state of this array, which stays borrowed.
        unsafe { &mut *first.wrapping_byte_add(point.bytes()) }
    }

    /// Visits the child on top of the stack: prefetches it, and puts the point into its queue.
    ///
    /// # Safety
    /// The point has just finished a stage.
    #[inline(always)]
    pub(super) unsafe fn enter(&mut self, point: StateOffset) {
        // SAFETY: its state is written, and so is the child on top (Lemma 100).
        let child = unsafe {
            let state = self.state(point);
            state.children.get_unchecked(state.top).assume_init()
        };
        let current = self.prefetcher.prefetch_child(child);
        // SAFETY: as above.
        unsafe { self.state(point) }.current = current;
        self.queues.push(Stage::of(child), point);
    }
}
