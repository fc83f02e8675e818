//! The state of one ray in flight, and of all of them.

use std::mem::MaybeUninit;

use bytemuck::Zeroable;

use super::queues::{Queues, RAYS_IN_FLIGHT, SENTINEL, Stage, StateOffset};
use crate::bvh::{ROOT, TreeView, WIDTH};
use crate::geometry::Ray;
use crate::simd::Isa;
use crate::traverse::collect::Collector;
use crate::traverse::prefetch::Prefetcher;
use crate::traverse::ray::leaf_test::Candidates;
use crate::traverse::ray::setup::{RaySetup, set_up_ray};

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
/// anything else. A pop and a cull only lower `top`.
#[repr(C, align(64))]
pub(super) struct RayState<C> {
    pub(super) setup: RaySetup,
    /// The collector's `t_max` as node tests need it, shifted by the setup.
    pub(super) t_max: f32,
    /// The depth of a hit at `t_max`, as leaf tests need it.
    pub(super) z_max: f32,
    /// The node or leaf block that the ray visits.
    current: *const u8,
    /// The place of the visited child on the stack. [`SENTINEL`] lies at the bottom.
    top: u32,
    pub(super) ray_index: usize,
    /// The result of the last leaf test.
    pub(super) candidates: MaybeUninit<Candidates>,
    pub(super) collector: C,
    keys: [MaybeUninit<u32>; STACK_CAPACITY + WIDTH],
    children: [MaybeUninit<u32>; STACK_CAPACITY + WIDTH],
}

impl<C: Collector> RayState<C> {
    /// Writes the state of a ray at the root. `false`, and nothing written that counts, if the ray
    /// is not for these kernels (see [`set_up_ray`]).
    #[inline(always)]
    pub(super) fn start<I: Isa>(
        isa: I,
        state: &mut MaybeUninit<Self>,
        tree: &TreeView<'_>,
        ray: &Ray,
        ray_index: usize,
        new_collector: impl FnOnce() -> C,
    ) -> bool {
        let state = state.as_mut_ptr();
        // SAFETY: the fields are written through a pointer to a place for all of them. One by one,
        // because most of the state is a stack that needs no value.
        unsafe {
            let setup = &mut *(&raw mut (*state).setup).cast::<MaybeUninit<RaySetup>>();
            if !set_up_ray::<I::Point>(isa, tree, ray, setup) {
                return false;
            }
            let setup = setup.assume_init_ref();
            (&raw mut (*state).t_max).write(ray.t_max + setup.shift);
            (&raw mut (*state).z_max).write(setup.z_max(ray.t_max));
            (&raw mut (*state).current).write(tree.nodes.as_ptr().cast());
            (&raw mut (*state).top).write(1);
            (&raw mut (*state).ray_index).write(ray_index);
            (&raw mut (*state).collector).write(new_collector());
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
    pub(super) unsafe fn current<'a, T>(&self) -> &'a T {
        // SAFETY: `current` points to a `T` in the tree, as the caller says.
        unsafe { &*self.current.cast() }
    }

    /// The child that the ray visits, or the sentinel.
    #[inline(always)]
    pub(super) fn top_child(&self) -> u32 {
        // SAFETY: a child is written at `top`, which is in bounds (Lemma 63).
        unsafe { self.children.get_unchecked(self.top as usize).assume_init() }
    }

    /// Replaces the node on top by those of its children whose bits are set, the nearest on top if
    /// the collector wants an order. `false` if the stack is too small.
    ///
    /// # Safety
    /// The mask has no bits past those of the node's lanes. After `false` comes
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
    pub(super) fn clear_stack(&mut self) {
        self.top = 0;
    }

    /// Lowers `t_max` to that of the collector and removes the children from the stack that the ray
    /// enters later, if the collector wants an order. The top is lost: a pop must follow.
    #[inline(always)]
    pub(super) fn cull<I: Isa>(&mut self, isa: I) {
        if !C::ORDERED {
            return;
        }
        debug_assert!(self.top > 0);
        let t_max = self.collector.bound();
        self.t_max = t_max + self.setup.shift;
        self.z_max = self.setup.z_max(t_max);
        // SAFETY: the children and keys at `1..top` are written, and behind them both arrays have
        // `WIDTH` places more (Lemma 63).
        let kept = unsafe {
            let keys = self.keys.as_mut_ptr().cast::<u32>().add(1);
            let children = self.children.as_mut_ptr().cast::<u32>().add(1);
            isa.keep(keys, children, self.top as usize - 1, self.t_max)
        };
        self.top = 1 + kept as u32;
    }
}

/// Consecutive entries of the node queue whose results are kept (Lemma 62).
pub(super) const NODE_RESULTS: usize = 4;

/// Where a ray enters the children of a node.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct TNear(pub(super) [f32; WIDTH]);

/// The states of all rays in flight, written or free.
pub(super) struct States<C>([MaybeUninit<RayState<C>>; RAYS_IN_FLIGHT]);

impl<C> States<C> {
    #[inline(always)]
    pub(super) fn as_mut_ptr(&mut self) -> *mut RayState<C> {
        self.0.as_mut_ptr().cast()
    }

    /// A ray's state.
    ///
    /// # Safety
    /// The offset is one of this array's, and the state there is written.
    #[inline(always)]
    pub(super) unsafe fn get(&mut self, ray: StateOffset) -> &mut RayState<C> {
        // SAFETY: the pointer is to a written state of this array, which stays borrowed.
        unsafe { &mut *state_at(self.as_mut_ptr(), ray) }
    }
}

/// Where a ray's state lies, from where the first one lies.
#[inline(always)]
pub(super) fn state_at<C>(first: *mut RayState<C>, ray: StateOffset) -> *mut RayState<C> {
    first.wrapping_byte_add(ray.bytes())
}

/// All rays in flight.
///
/// **Lemma 64 (states in queues).** Let the tree be valid, and an entry of a queue unfinished. Then
/// the state of its ray is written. If the entry is of the node stage, `current` is the node on top
/// of the stack; if it is of the leaf or the resolve stage, the leaf block there; and once the
/// first part of the leaf stage is done, `candidates` is written, until the ray leaves the block.
/// For a ray starts at the root in the node queue, if the tree has one: otherwise [`set_up_ray`]
/// accepts no ray. And [`enter`](Self::enter) sets `current` to the child on top and
/// chooses the queue by the same child, which names a node or a leaf block that is there, as all
/// children of a valid tree do, or is the sentinel.
pub(super) struct RayStream<'a, C> {
    pub(super) tree: &'a TreeView<'a>,
    pub(super) rays: &'a [Ray],
    pub(super) states: States<C>,
    pub(super) queues: Queues,
    /// For each ray in the middle of the node stage, the children that it enters, and where.
    pub(super) node_masks: [u32; NODE_RESULTS],
    pub(super) node_t_near: [TNear; NODE_RESULTS],
    prefetcher: Prefetcher,
}

impl<'a, C: Collector> RayStream<'a, C> {
    /// # Safety
    /// The tree is valid, but may be empty.
    pub(super) unsafe fn new(tree: &'a TreeView<'a>, rays: &'a [Ray]) -> Self {
        Self {
            tree,
            rays,
            states: States([const { MaybeUninit::uninit() }; RAYS_IN_FLIGHT]),
            queues: Queues::zeroed(),
            node_masks: [0; NODE_RESULTS],
            node_t_near: [TNear([0.0; WIDTH]); NODE_RESULTS],
            prefetcher: Prefetcher::new(tree),
        }
    }

    /// Pops `pops` children, prefetches the one on top then, and puts the ray into its queue; if
    /// `resolve` is 1, into the queue of the resolve stage. Both are computed, not branched on.
    ///
    /// # Safety
    /// The ray has just finished an entry of a queue. `pops` is 1 or 0, and 0 if the ray has just
    /// pushed children. If `resolve` is 1 it has finished the leaf stage, and `pops` is 0.
    #[inline(always)]
    pub(super) unsafe fn enter(&mut self, ray: StateOffset, pops: u32, resolve: u32) {
        // SAFETY: who has finished an entry has a state (Lemma 64).
        let state = unsafe { self.states.get(ray) };
        debug_assert!(pops <= state.top);
        state.top -= pops;
        let child = state.top_child();
        state.current = self.prefetcher.prefetch_child(child);
        self.queues.push(Stage::of(child).or_resolve(resolve), ray);
    }
}
