//! One ray of a wave.

use std::mem::MaybeUninit;

use crate::bvh::{LeafBlock, MAX_BLOCKS, MAX_NODES, Node, TreeView, WIDTH};
use crate::geometry::Ray;
use crate::simd::Isa;
use crate::traverse::collect::RayIndex;
use crate::traverse::collect::collector::Collector;
use crate::traverse::ray::leaf_test::Candidates;
use crate::traverse::ray::setup::{RaySetup, set_up_ray};

/// Subtrees that a ray may put off: in most trees it is a third of that. (Tests have it end sooner.)
const ROOM: usize = if cfg!(miri) {
    3
} else if cfg!(test) {
    20
} else {
    128
};

/// What comes when all subtrees are done: neither a node nor a leaf block has this number.
pub(crate) const END: u32 = 1 << 30;
const _: () = assert!(MAX_NODES < END as usize);
const _: () = assert!(MAX_BLOCKS < END as usize);

/// A ray on its way, and whom it reports to.
#[repr(C, align(64))]
pub(crate) struct Flight<V> {
    pub(crate) setup: RaySetup,
    /// The greatest `t` that counts, shifted.
    pub(crate) t_max: f32,
    /// The depth of a hit there.
    pub(crate) z_max: f32,
    /// Where the subtree is kept that the flight takes a step in.
    pub(crate) at: *const u8,
    /// Where the subtree that is entered, or will be as the step ends, lies among those put off: on top of them.
    /// [`END`] lies below them all. (The root is entered without lying there.)
    top: u32,
    /// Which of the rays it is.
    pub(crate) number: usize,
    /// What is known of the leaf block that was met last, if one was.
    pub(crate) candidates: MaybeUninit<Candidates>,
    pub(crate) collector: V,
    keys: [MaybeUninit<u32>; ROOM + WIDTH],
    children: [MaybeUninit<u32>; ROOM + WIDTH],
}

impl<V: Collector> Flight<V> {
    /// Takes a ray up, at the root. `false` if it is not for the kernels (see [`set_up_ray`]).
    ///
    /// # Safety
    /// `flight` points to room for one.
    #[inline(always)]
    pub(crate) unsafe fn start<I: Isa>(
        isa: I,
        flight: *mut Self,
        tree: &TreeView<'_>,
        ray: &Ray,
        (first, number): (usize, usize),
        input: V::Input,
    ) -> bool {
        // SAFETY: there is room, as the caller says. It is written field by field, for most of a
        // flight is room itself.
        unsafe {
            let setup = &mut *(&raw mut (*flight).setup).cast::<MaybeUninit<RaySetup>>();
            if !set_up_ray::<I::Point>(isa, tree, ray, setup) {
                return false;
            }
            let setup = setup.assume_init_ref();
            (&raw mut (*flight).t_max).write(ray.t_max + setup.shift);
            (&raw mut (*flight).z_max).write(setup.z_max(ray.t_max));
            (&raw mut (*flight).at).write(tree.nodes.as_ptr().cast());
            (&raw mut (*flight).top).write(1);
            (&raw mut (*flight).number).write(number);
            (&raw mut (*flight).collector).write(V::new(
                input,
                V::Index::new(first + number),
                ray.t_max,
            ));
            (&raw mut (*flight).children[0]).write(MaybeUninit::new(END));
        }
        true
    }

    /// The node that is entered.
    ///
    /// # Safety
    /// It is a node, and the tree is still there.
    #[inline(always)]
    pub(crate) unsafe fn node<'a>(&self) -> &'a Node {
        // SAFETY: `at` is where the tree keeps the node, and the tree outlives the answer.
        unsafe { &*self.at.cast() }
    }

    /// The leaf block that is entered.
    ///
    /// # Safety
    /// It is a leaf block, and the tree is still there.
    #[inline(always)]
    pub(crate) unsafe fn block<'a>(&self) -> &'a LeafBlock {
        // SAFETY: `at` is where the block lies in a tree that is still there.
        unsafe { &*self.at.cast() }
    }

    /// Puts those children of the node off whose bits are set, in place of the node itself: what lies on top then is
    /// entered next. `false` if there is no room for more: then it must [`forget_all`](Self::forget_all) of them.
    ///
    /// # Safety
    /// The flight has entered a node, and there was room.
    #[inline(always)]
    pub(crate) unsafe fn put_off<I: Isa>(
        &mut self,
        isa: I,
        enter: &[f32; WIDTH],
        child: &[u32; WIDTH],
        mask: u32,
    ) -> bool {
        let top = self.top as usize;
        self.top = self.top + mask.count_ones() - 1;
        // SAFETY: the top was below `ROOM`, and both lists are `WIDTH` longer.
        unsafe {
            let keys = &mut *self.keys.as_mut_ptr().add(top).cast();
            let children = &mut *self.children.as_mut_ptr().add(top).cast();
            if V::ORDERED {
                isa.put_off::<true>(enter, child, mask, keys, children);
            } else {
                isa.put_off::<false>(enter, child, mask, keys, children);
            }
        }
        (self.top as usize) < ROOM
    }

    /// The subtree on top: the one that is entered.
    ///
    /// # Safety
    /// It is not the root, nor what was on top when the flight [forgot](Self::forget) others.
    #[inline(always)]
    pub(crate) unsafe fn entered(&self) -> u32 {
        // SAFETY: what lies there was written, and stays until others are put in its place, or some are forgotten.
        unsafe { self.children.get_unchecked(self.top as usize).assume_init() }
    }

    /// Leaves the leaf block that is entered for what lies below it, if `stay` is 0; if it is 1, stays there.
    /// (Reckoned, for a choice might become a branch.)
    #[inline(always)]
    pub(crate) fn go_on(&mut self, stay: u32) {
        debug_assert!(stay <= 1 && self.top > 0);
        self.top -= 1 - stay;
    }

    /// Forgets the subtrees that are entered too late for the visitor by now; what lies on top is lost, too, and is
    /// to be left next.
    ///
    /// # Safety
    /// The visitor's query is an ordered one.
    #[inline(always)]
    pub(crate) unsafe fn forget<I: Isa>(&mut self, isa: I) {
        let t_max = self.collector.t_max();
        self.t_max = t_max + self.setup.shift;
        self.z_max = self.setup.z_max(t_max);
        // SAFETY: an ordered query has written keys for all but the lowest, and behind the top, which
        // is below `ROOM`, is room for `WIDTH`.
        unsafe {
            let keys = self.keys.as_mut_ptr().cast::<u32>().add(1);
            let children = self.children.as_mut_ptr().cast::<u32>().add(1);
            let kept = isa.keep(keys, children, self.top as usize - 1, self.t_max);
            self.top = 1 + kept as u32;
        }
    }

    /// Nothing is put off any more.
    pub(crate) fn forget_all(&mut self) {
        self.top = 0;
    }
}
