//! The walk through the tree, written once for every query and instruction set.

use super::collect::collector::Visitor;
use super::descend::descend;
use super::ray::leaf_candidates::look;
use super::ray::leaf_test;
use super::ray::node_test::Slabs;
use super::ray::setup::Prepared;
use super::stack::Stack;
use crate::bvh::{LEAF, TreeView};
use crate::geometry::Ray;
use crate::simd::{Isa, opaque};

/// Shows a visitor the triangles of a subtree, `child`, that a ray may meet. `false` if it has seen
/// all it wants. Its way is guessed or not, which makes no difference but in time.
///
/// # Safety
/// `prepared` is what [`prepare`](super::setup::prepare) made of the ray for this tree. The tree is valid: every
/// child names a node or a leaf block that is there, and no leaf lies deeper than `MAX_DEPTH`
/// nodes. It has a node: where there is none, `prepare` makes nothing of any ray. (A used lane,
/// that is: an unused one is never entered, because a ray's constants are finite and its `inv` is
/// not zero, so that infinite planes stay infinite.)
#[inline(always)]
pub(crate) unsafe fn walk<I: Isa, V: Visitor, const GUESSES: bool>(
    isa: I,
    tree: &TreeView<'_>,
    ray: &Ray,
    prepared: &Prepared,
    mut child: u32,
    visitor: &mut V,
) -> bool {
    let mut entries = Stack::room();
    let mut top = 0;
    let mut stack = Stack::new(&mut entries, &mut top);
    loop {
        if child & LEAF == 0 {
            // The constants stay in registers from node to node, and are loaded anew after a leaf.
            let slabs = Slabs::<I::Node>::new(isa, opaque(prepared));
            loop {
                let t_max = visitor.t_max() + prepared.shift;
                // SAFETY: the child is a node of the caller's valid tree, and the stack is this walk's.
                let next = unsafe {
                    descend::<I, V, GUESSES>(isa, tree, &slabs, child, t_max, &mut stack, visitor)
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
        if !GUESSES {
            // SAFETY: nothing but this walk has filled the stack.
            unsafe { stack.ask_for_last(tree) };
        }
        // SAFETY: a valid tree's child that is no node is a leaf block of it.
        if !unsafe { meet_block::<I, V>(isa, tree, ray, prepared, child & !LEAF, visitor) } {
            return false;
        }
        // SAFETY: the stack is still this walk's alone.
        match unsafe { stack.pop(visitor.t_max() + prepared.shift) } {
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
pub(crate) unsafe fn meet_block<I: Isa, V: Visitor>(
    isa: I,
    tree: &TreeView<'_>,
    ray: &Ray,
    prepared: &Prepared,
    index: u32,
    visitor: &mut V,
) -> bool {
    // SAFETY: the tree has a block of this number, as the caller knows.
    unsafe {
        let block = tree.blocks.get_unchecked(index as usize);
        visitor.at_block(block);
        match leaf_test::glance::<I::Leaf>(isa, opaque(prepared), block, visitor.t_max()) {
            Some(glance) => look(ray, block, index, &glance, visitor),
            None => true,
        }
    }
}
