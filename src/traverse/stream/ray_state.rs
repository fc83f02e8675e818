//! The state of one ray in flight, and of all of them.

use std::mem::MaybeUninit;

use bytemuck::Zeroable;

use super::queues::{Queues, RAYS_IN_FLIGHT, SENTINEL, Stage, StateOffset};
use crate::bvh::{Facts, Node, ROOT, WIDTH};
use crate::geometry::Ray;
use crate::simd::Isa;
use crate::traverse::collect::Collector;
use crate::traverse::ray::leaf_test::Candidates;
use crate::traverse::ray::setup::{RaySetup, set_up_padded};

/// Children that a ray's stack may hold before the ray leaves the stream. Most trees need a third
/// of it. Tests use less so that rays do leave.
const STACK_CAPACITY: usize = if cfg!(miri) {
    3
} else if cfg!(test) {
    20
} else {
    128
};

/// A ray in flight: its constants, its stack and its collector.
///
/// **Lemma 63 (stack bounds).** `top < STACK_CAPACITY`, the children at `0..=top` are written, and
/// so are the keys at `1..top` if the collector wants an order. At the start `top` is 1, above it
/// lies nothing, and there are no such keys. A push overwrites the top: it writes at most `WIDTH`
/// places from there on, for which both arrays have room, and it leaves `top` on the last child it
/// wrote or, if it wrote none, on the place below; if that is too high the stack is cleared before
/// anything else. A pop and a cull only lower `top`. In a scene, [`push_root`](RayState::push_root)
/// makes a sentinel of the top, whose key is written unless it is place 0, and puts a root above
/// it.
#[repr(C, align(64))]
pub(crate) struct RayState<C, P> {
    pub(crate) setup: RaySetup,
    /// The collector's `t_max` as node tests need it, shifted by the setup.
    pub(crate) t_max: f32,
    /// The depth of a hit at `t_max`, as leaf tests need it.
    pub(crate) z_max: f32,
    /// The node or leaf block that the ray visits.
    current: *const u8,
    /// The place of the visited child on the stack. [`SENTINEL`] lies at the bottom.
    pub(crate) top: u32,
    pub(crate) ray_index: usize,
    /// The result of the last leaf test.
    pub(super) candidates: MaybeUninit<Candidates>,
    pub(crate) collector: C,
    /// What the stream's [`Space`] keeps of it.
    pub(crate) place: P,
    keys: [MaybeUninit<u32>; STACK_CAPACITY + WIDTH],
    children: [MaybeUninit<u32>; STACK_CAPACITY + WIDTH],
}

/// Where a ray starts: the facts about a tree, how much larger its boxes must be, and its nodes.
pub(crate) type Root<'a> = (&'a Facts, f32, &'a [Node]);

impl<C: Collector, P> RayState<C, P> {
    /// Writes the state of a ray at the root. `false`, and nothing written that counts, if the ray
    /// is not for these kernels (see [`set_up_padded`]).
    #[inline(always)]
    pub(crate) fn start<I: Isa>(
        isa: I,
        state: &mut MaybeUninit<Self>,
        (facts, padding, nodes): Root<'_>,
        ray: &Ray,
        ray_index: usize,
        collector: C,
        place: impl FnOnce(*mut P),
    ) -> bool {
        let state = state.as_mut_ptr();
        // SAFETY: the fields are written through a pointer to a place for all of them. One by one,
        // because most of the state is a stack that needs no value.
        unsafe {
            let setup = &mut *(&raw mut (*state).setup).cast::<MaybeUninit<RaySetup>>();
            if !set_up_padded::<I::Point>(isa, facts, ray, padding, setup) {
                return false;
            }
            let setup = setup.assume_init_ref();
            (&raw mut (*state).t_max).write(ray.t_max + setup.shift);
            (&raw mut (*state).z_max).write(setup.z_max(ray.t_max));
            (&raw mut (*state).current).write(nodes.as_ptr().cast());
            (&raw mut (*state).top).write(1);
            (&raw mut (*state).ray_index).write(ray_index);
            (&raw mut (*state).collector).write(collector);
            place(&raw mut (*state).place);
            (&raw mut (*state).children[0]).write(MaybeUninit::new(SENTINEL));
            (&raw mut (*state).children[1]).write(MaybeUninit::new(ROOT));
        }
        true
    }

    /// The node or leaf block that the ray visits.
    ///
    /// # Safety
    /// It is a `T`, and the tree outlives the reference.
    #[inline(always)]
    pub(crate) unsafe fn current<'a, T>(&self) -> &'a T {
        // SAFETY: `current` points to a `T` in the tree, as the caller says.
        unsafe { &*self.current.cast() }
    }

    /// The child that the ray visits, or the sentinel.
    #[inline(always)]
    pub(crate) fn top_child(&self) -> u32 {
        // SAFETY: a child is written at `top`, which is in bounds (Lemma 63).
        unsafe { self.children.get_unchecked(self.top as usize).assume_init() }
    }

    /// Replaces the node on top by its children whose bits are set, the nearest on top if the
    /// collector wants an order. `false` if the stack is too small.
    ///
    /// # Safety
    /// The mask has no bits past the bits of the node's lanes. After `false` comes
    /// [`clear_stack`](Self::clear_stack).
    #[inline(always)]
    pub(super) unsafe fn push<I: Isa>(
        &mut self,
        isa: I,
        t_near: &[f32; WIDTH],
        child: &[u32; WIDTH],
        mask: u32,
    ) -> bool {
        debug_assert!(self.top > 0 && mask < 1 << WIDTH);
        let top = self.top as usize;
        self.top = self.top + mask.count_ones() - 1;
        // SAFETY: from `top < STACK_CAPACITY` on both arrays have `WIDTH` places (Lemma 63).
        let (keys, children) = unsafe {
            let keys = self.keys.as_mut_ptr().add(top).cast();
            (&mut *keys, &mut *self.children.as_mut_ptr().add(top).cast())
        };
        if C::ORDERED {
            isa.put_off::<true>(t_near, child, mask, keys, children);
        } else {
            isa.put_off::<false>(t_near, child, mask, keys, children);
        }
        (self.top as usize) < STACK_CAPACITY
    }

    /// Removes all children: the sentinel is on top.
    pub(crate) fn clear_stack(&mut self) {
        self.top = 0;
    }

    /// Lowers `t_max` and removes the children from the stack that the ray enters later, if the
    /// collector wants an order: those above `floor`. The top is lost: a pop must follow.
    ///
    /// # Safety
    /// `floor` is the place of a sentinel below the top.
    #[inline(always)]
    pub(crate) unsafe fn cull<I: Isa>(&mut self, isa: I, floor: u32, t_max: f32) {
        if !C::ORDERED {
            return;
        }
        debug_assert!(self.top > floor);
        self.t_max = t_max + self.setup.shift;
        self.z_max = self.setup.z_max(t_max);
        let first = floor + 1;
        // SAFETY: the children and keys from `first` up to `top` are written, and behind them both
        // arrays have `WIDTH` places more (Lemma 63).
        let kept = unsafe {
            let keys = self.keys.as_mut_ptr().cast::<u32>().add(first as usize);
            let children = self.children.as_mut_ptr().cast::<u32>().add(first as usize);
            isa.keep(keys, children, (self.top - first) as usize, self.t_max)
        };
        self.top = first + kept as u32;
    }

    /// Puts a sentinel in place of the child on top, and another tree's root above it. `false`,
    /// and nothing written, if the stack is too small.
    #[inline(always)]
    pub(crate) fn push_root(&mut self) -> bool {
        let top = self.top as usize;
        if top + 1 >= STACK_CAPACITY {
            return false;
        }
        self.children[top].write(SENTINEL);
        self.children[top + 1].write(ROOT);
        self.top += 1;
        true
    }
}

/// Consecutive entries of the node queue whose results are kept (Lemma 62).
pub(super) const NODE_RESULTS: usize = 4;

/// Where a ray enters the children of a node.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct TNear(pub(super) [f32; WIDTH]);

/// The states of all rays in flight, written or free.
pub(crate) struct States<C, P>([MaybeUninit<RayState<C, P>>; RAYS_IN_FLIGHT]);

impl<C, P> States<C, P> {
    #[inline(always)]
    pub(crate) fn as_mut_ptr(&mut self) -> *mut RayState<C, P> {
        self.0.as_mut_ptr().cast()
    }

    /// A ray's state.
    ///
    /// # Safety
    /// The offset is one of this array's, and the state there is written.
    #[inline(always)]
    pub(crate) unsafe fn get(&mut self, ray: StateOffset) -> &mut RayState<C, P> {
        // SAFETY: the pointer is to a written state of this array, which stays borrowed.
        unsafe { &mut *state_at(self.as_mut_ptr(), ray) }
    }
}

/// Where a ray's state lies, from where the first one lies.
#[inline(always)]
pub(crate) fn state_at<C, P>(first: *mut RayState<C, P>, ray: StateOffset) -> *mut RayState<C, P> {
    first.wrapping_byte_add(ray.bytes())
}

/// All rays in flight.
///
/// **Lemma 64 (states in queues).** Let the tree be valid, and an entry of a queue unfinished. Then
/// the state of its ray is written. If the entry is of the node stage, `current` is the node on top
/// of the stack; if it is of the leaf or the resolve stage, the leaf block there; and once the
/// first part of the leaf stage is done, `candidates` is written, until the ray leaves the block.
/// In a scene, the tree is the one that the ray is in, which an entry of the instance and of the
/// leave stage changes. For a ray starts at the root in the node queue, if the tree has one:
/// otherwise [`set_up_padded`] accepts no ray. And [`enter`](Self::enter) sets `current` to the
/// child on top and chooses the queue by the same child, which names a node or a leaf block that is
/// there, as all children of a valid tree do, or is the sentinel.
pub(crate) struct RayStream<C, S: Space<C>> {
    pub(crate) space: S,
    pub(crate) states: States<C, S::Place>,
    pub(crate) queues: Queues,
    /// For each ray in the middle of the node stage, the children that it enters, and where.
    pub(super) node_masks: [u32; NODE_RESULTS],
    pub(super) node_t_near: [TNear; NODE_RESULTS],
}

/// What the rays of a stream go through: a tree, or the trees of a scene.
///
/// # Safety
/// [`locate`](Self::locate) gives what Lemma 64 says of a child of the trees that the ray is in,
/// and the sentinel's stage is none of nodes or leaf blocks.
pub(crate) unsafe trait Space<C>: Sized {
    /// What it keeps of each ray.
    type Place;

    /// Where a child lies that is on top of the stack, which is prefetched, and the stage for it.
    fn locate(&self, place: &Self::Place, child: u32) -> (*const u8, Stage);

    /// Where on the stack the sentinel of the tree lies that the ray is in.
    fn floor(place: &Self::Place) -> u32;

    /// The ray of this index in the coordinates of the tree that it is in.
    ///
    /// # Safety
    /// The ray has just tested a leaf block.
    unsafe fn ray<'s>(&'s self, place: &'s Self::Place, index: usize) -> &'s Ray;

    /// Traces a ray whose stack is too small by itself, and leaves a stack whose top is the
    /// sentinel of [`Stage::DONE`].
    ///
    /// # Safety
    /// The ray has just tested a node.
    unsafe fn walk_alone<I: Isa>(isa: I, stream: &mut RayStream<C, Self>, ray: StateOffset);
}

impl<C: Collector, S: Space<C>> RayStream<C, S> {
    pub(crate) fn new(space: S) -> Self {
        Self {
            space,
            states: States([const { MaybeUninit::uninit() }; RAYS_IN_FLIGHT]),
            queues: Queues::zeroed(),
            node_masks: [0; NODE_RESULTS],
            node_t_near: [TNear([0.0; WIDTH]); NODE_RESULTS],
        }
    }

    /// Pops `pops` children, prefetches the one on top then, and puts the ray into its queue; if
    /// `resolve` is 1, into the queue of the resolve stage. Both are computed, not branched on.
    ///
    /// # Safety
    /// The ray has just finished an entry of a queue. `pops` is 1 or 0, and 0 if the ray has just
    /// pushed children. If `resolve` is 1 it has finished the leaf stage, and `pops` is 0.
    #[inline(always)]
    pub(crate) unsafe fn enter(&mut self, ray: StateOffset, pops: u32, resolve: u32) {
        // SAFETY: who has finished an entry has a state (Lemma 64).
        let state = unsafe { self.states.get(ray) };
        debug_assert!(pops <= state.top);
        state.top -= pops;
        let child = state.top_child();
        let (current, stage) = self.space.locate(&state.place, child);
        state.current = current;
        self.queues.push(stage.or_resolve(resolve), ray);
    }
}
