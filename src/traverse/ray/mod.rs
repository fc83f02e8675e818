//! One ray: its setup, the node test, the leaf test, the exact hit, and the query of a single ray.
//!
//! A triangle is tested in up to three stages: `f32` bounds rule most of them out, the reference
//! decides those in doubt, and the exact hit is computed for the one that is returned. Two of these
//! stages have two forms, so there are five triangle tests:
//!
//! ```text
//! ray/leaf_test           f32   the bounds of one ray and eight triangles
//! packet/triangle_test    f32   the bounds of a packet's rays and one triangle: sheared once per
//!                               block, not once per ray
//! geometry::exact         f64   the reference: decides, in integers where `f64` cannot
//! exact_hit               f64   t, u, v of one ray: its four determinants in one vector
//! exact_hit_x8            f64   t, u, v of eight rays of a batch, a ray in each lane
//! ```
//!
//! All answers come from the last three, which give the same bits: exact values, rounded once.

pub(crate) mod coherence;
pub(crate) mod exact_hit;
pub(crate) mod f64_fallback;
pub(crate) mod leaf_test;
pub(crate) mod node_test;
pub(crate) mod predict_child;
pub(crate) mod setup;

use std::mem::MaybeUninit;
use std::ops::ControlFlow;

pub(crate) use self::coherence::Coherence;
use self::leaf_test::{leaf_candidates, offer_candidates};
use self::setup::{RaySetup, set_up_ray};
use super::collect::Collector;
use super::stack::Stack;
use super::walk::{LeafTest, test_block};
use crate::bvh::{LeafBlock, ROOT, TreeView};
use crate::geometry::Ray;
use crate::simd::{Isa, Task, opaque};

/// A ray asked of a tree, as a task for an instruction set.
///
/// The collector is made inside, of a few pointers: these are passed faster than the collector.
/// `input` is best a single pointer, for a value written in parts and read at once would be waited
/// for. So what a collector is made of is not side by side.
#[repr(C)]
pub(crate) struct Cast<'a, V: Collector> {
    pub(crate) input: V::Input,
    pub(crate) tree: &'a TreeView<'a>,
    pub(crate) ray: &'a Ray,
    /// The ray's index in its batch.
    pub(crate) index: usize,
}

impl<V: Collector> Task for Cast<'_, V> {
    type Output = V::Output;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> V::Output {
        let Self { tree, ray, index, input } = self;
        let mut collector = V::new(input, index, ray.t_max);
        let mut setup = MaybeUninit::uninit();
        if !set_up_ray::<I::Point>(isa, tree, ray, &mut setup) {
            f64_fallback::walk(tree, ray, &mut collector);
            return collector.finish(isa, ray);
        }
        // SAFETY: the setup has been written.
        let setup = unsafe { setup.assume_init_ref() };
        let memory = Coherence::of(tree);
        let follows = memory.follows::<I::Point>(isa, tree, setup);
        // SAFETY: a view is of a valid tree, which has a node, or the setup would not be there; an
        // occluder is a block of the tree.
        unsafe {
            let mut again = false;
            if V::ANY
                && follows
                && let Some(index) = memory.occluder(tree)
            {
                let leaf_test = &RayLeafTest { ray, setup };
                again = test_block(isa, tree, leaf_test, index, &mut collector).is_break();
            }
            if !again {
                // One for both walks, because each would have its own.
                let (mut entries, mut top) = (Stack::room(), 0);
                let stack = &mut Stack::new(&mut entries, &mut top);
                if follows {
                    walk_on::<I, V, true>(isa, tree, ray, setup, ROOT, stack, &mut collector);
                } else {
                    walk_on::<I, V, false>(isa, tree, ray, setup, ROOT, stack, &mut collector);
                }
            }
            if V::ANY && !again {
                memory.set_occluder(collector.hit_block());
            }
        }
        collector.finish(isa, ray)
    }
}

/// As [`Cast`], without what a thread keeps between the rays that follow each other in one tree:
/// from within another walk, or for all hits, which must be found anyway.
pub(crate) struct CastInside<'a, V: Collector>(pub(crate) Cast<'a, V>);

impl<V: Collector> Task for CastInside<'_, V> {
    type Output = V::Output;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> V::Output {
        let Cast { tree, ray, index, input } = self.0;
        let mut collector = V::new(input, index, ray.t_max);
        let mut setup = MaybeUninit::uninit();
        if set_up_ray::<I::Point>(isa, tree, ray, &mut setup) {
            // SAFETY: the setup has been written. A view is of a valid tree, which has a node, or
            // it would not have been.
            unsafe {
                let setup = setup.assume_init_ref();
                walk::<I, V, false>(isa, tree, ray, setup, ROOT, &mut collector);
            }
        } else {
            f64_fallback::walk(tree, ray, &mut collector);
        }
        collector.finish(isa, ray)
    }
}

/// Offers a collector the triangles of a subtree, `child`, that a ray may hit. `false` if it wants
/// no more. With `PREDICT`, the next child is predicted: that changes nothing but the time.
///
/// # Safety
/// The setup is the ray's for this tree, which is valid and has a node; `child` is one of its
/// children, or its root.
#[inline(always)]
pub(crate) unsafe fn walk<I: Isa, V: Collector, const PREDICT: bool>(
    isa: I,
    tree: &TreeView<'_>,
    ray: &Ray,
    setup: &RaySetup,
    child: u32,
    collector: &mut V,
) -> bool {
    let (mut entries, mut top) = (Stack::room(), 0);
    let stack = &mut Stack::new(&mut entries, &mut top);
    // SAFETY: as the caller says; the stack is empty.
    unsafe { walk_on::<I, V, PREDICT>(isa, tree, ray, setup, child, stack, collector) }
}

/// As [`walk`], with an empty stack.
///
/// # Safety
/// As for [`walk`].
#[inline(always)]
unsafe fn walk_on<I: Isa, V: Collector, const PREDICT: bool>(
    isa: I,
    tree: &TreeView<'_>,
    ray: &Ray,
    setup: &RaySetup,
    child: u32,
    stack: &mut Stack<'_>,
    collector: &mut V,
) -> bool {
    let tests = (setup, &RayLeafTest { ray, setup });
    // SAFETY: the caller's tree is valid, and the child is one of it.
    let end = unsafe {
        let walk_on = super::walk::walk_on::<I, _, _, V, PREDICT>;
        walk_on(isa, tree, tests, child, stack, collector)
    };
    end.is_continue()
}

/// Offers a collector those triangles of a leaf block that a ray may hit.
struct RayLeafTest<'a> {
    ray: &'a Ray,
    setup: &'a RaySetup,
}

impl<I: Isa, V: Collector> LeafTest<I, V> for RayLeafTest<'_> {
    #[inline(always)]
    fn test(&self, isa: I, block: &LeafBlock, index: u32, collector: &mut V) -> ControlFlow<()> {
        let candidates =
            leaf_candidates::<I::Leaf>(isa, opaque(self.setup), block, collector.bound());
        match candidates {
            Some(candidates)
                if !offer_candidates(self.ray, block, index, &candidates, collector) =>
            {
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        }
    }
}
