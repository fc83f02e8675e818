//! The walk through the tree, written once for every query and instruction set.

use super::collect::collector::Collector;
use super::descend::descend;
use super::ray::leaf_candidates::offer_candidates;
use super::ray::leaf_test::leaf_candidates;
use super::ray::node_test::SlabTest;
use super::ray::setup::RaySetup;
use super::stack::Stack;
use crate::bvh::{LEAF, TreeView};
use crate::geometry::Ray;
use crate::simd::{Isa, opaque};

/// Shows a visitor the triangles of a subtree, `child`, that a ray may meet. `false` if it has seen
/// all it wants. Its way is predict_child or not, which makes no difference but in time.
///
/// # Safety
/// `setup` is what [`set_up_ray`](super::setup::prepare) made of the ray for this tree. The tree is valid: every
/// child names a node or a leaf block that is there, and no leaf lies deeper than `MAX_DEPTH`
/// nodes. It has a node: where there is none, `set_up_ray` makes nothing of any ray. (A used lane,
/// that is: an unused one is never entered, because a ray's constants are finite and its `inv` is
/// not zero, so that infinite planes stay infinite.)
#[inline(always)]
pub(crate) unsafe fn walk<I: Isa, V: Collector, const PREDICT: bool>(
    isa: I,
    tree: &TreeView<'_>,
    ray: &Ray,
    setup: &RaySetup,
    mut child: u32,
    collector: &mut V,
) -> bool {
    let mut entries = Stack::room();
    let mut top = 0;
    let mut stack = Stack::new(&mut entries, &mut top);
    loop {
        if child & LEAF == 0 {
            // The constants stay in registers from node to node, and are loaded anew after a leaf.
            let slab_test = SlabTest::<I::Node>::new(isa, opaque(setup));
            loop {
                let t_max = collector.t_max() + setup.shift;
                // SAFETY: the child is a node of the caller's valid tree, and the stack is this walk's.
                let next = unsafe {
                    descend::<I, V, PREDICT>(
                        isa, tree, &slab_test, child, t_max, &mut stack, collector,
                    )
                };
                match next {
                    Some(next) => child = next,
                    None => return true,
                }
                if child & LEAF != 0 {
                    break;
                }
            }
        }
        if !PREDICT {
            // SAFETY: nothing but this walk has filled the stack.
            unsafe { stack.prefetch_top(tree) };
        }
        // SAFETY: a valid tree's child that is no node is a leaf block of it.
        if !unsafe { intersect_block::<I, V>(isa, tree, ray, setup, child & !LEAF, collector) } {
            return false;
        }
        // SAFETY: the stack is still this walk's alone.
        match unsafe { stack.pop(collector.t_max() + setup.shift) } {
            Some(next) => child = next,
            None => return true,
        }
    }
}

/// Shows a visitor the triangles of a leaf block that a ray may meet. `false` if it has seen all it wants.
///
/// # Safety
/// As for [`walk`]; the tree has the block.
#[inline(always)]
pub(crate) unsafe fn intersect_block<I: Isa, V: Collector>(
    isa: I,
    tree: &TreeView<'_>,
    ray: &Ray,
    setup: &RaySetup,
    index: u32,
    collector: &mut V,
) -> bool {
    // SAFETY: the tree has a block of this number, as the caller knows.
    unsafe {
        let block = tree.blocks.get_unchecked(index as usize);
        collector.on_block(block);
        match leaf_candidates::<I::Leaf>(isa, opaque(setup), block, collector.t_max()) {
            Some(candidates) => offer_candidates(ray, block, index, &candidates, collector),
            None => true,
        }
    }
}
