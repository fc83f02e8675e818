//! The way down to the nearest leaf block, taken before anything else.
//!
//! A walk that begins without a bound puts off nearly all children that it meets. With the bound of
//! a leaf block that is near, few are left.

use std::mem::MaybeUninit;
use std::ops::ControlFlow;

use super::stack::Stack;
use super::walk::{Bound, LeafTest, NodeTest, test_block, walk_on};
use crate::bvh::{LEAF, MAX_DEPTH, ROOT, TreeView, WIDTH};
use crate::simd::{Isa, Vector};

/// A node that was passed: which, by which lane, and where its children are entered.
type Step = (u32, usize, [f32; WIDTH]);

/// As [`walk`](super::walk::walk) from the root, but begins with the leaf block that is found by
/// always taking the nearest child.
///
/// # Safety
/// The tree is valid and has a node.
#[inline(always)]
pub(crate) unsafe fn walk_nearest_first<I, N, L, C>(
    isa: I,
    tree: &TreeView<'_>,
    tests: (&N, &L),
    collector: &mut C,
) -> ControlFlow<()>
where
    I: Isa,
    N: NodeTest<I>,
    L: LeafTest<I, C>,
    C: Bound,
{
    let (node_test, leaf_test) = tests;
    let mut path = [const { MaybeUninit::<Step>::uninit() }; MAX_DEPTH as usize];
    let mut depth = 0;
    let mut child = ROOT;
    {
        let loaded = node_test.load(isa);
        let limit = node_test.limit(collector.bound());
        while child & LEAF == 0 {
            // SAFETY: children of a valid tree are there.
            let node = unsafe { tree.nodes.get_unchecked(child as usize) };
            let mut entry = MaybeUninit::uninit();
            collector.on_node(node);
            if N::intersect(&loaded, node, limit, &mut entry) == 0 {
                break;
            }
            // SAFETY: the test has written all of it.
            let entry = unsafe { entry.assume_init() };
            let lane = least_lane(&entry);
            path[depth].write((child, lane, entry));
            depth += 1;
            child = node.child[lane];
        }
    }
    if child & LEAF != 0 {
        // SAFETY: a child of a valid tree that is no node is a leaf block that is there.
        unsafe { test_block(isa, tree, leaf_test, child & !LEAF, collector) }?;
    }

    let mut entries = Stack::room();
    let mut top = 0;
    let mut stack = Stack::new(&mut entries, &mut top);
    let limit = node_test.limit(collector.bound());
    for step in &path[..depth] {
        // SAFETY: as many steps have been written.
        let (node, lane, entry) = unsafe { step.assume_init_ref() };
        let mut mask = 0;
        let mut first = 0;
        while first < WIDTH {
            let near = I::Node::load_at(isa, entry, first);
            mask |= near.le_nonneg(I::Node::splat(isa, limit)) << first;
            first += I::Node::LANES;
        }
        // SAFETY: the node was read before. Unused lanes are entered past any limit, and each level
        // leaves fewer children on the stack than a walk's does (Lemma 20).
        unsafe {
            let node = tree.nodes.get_unchecked(*node as usize);
            stack.push_all(isa, mask & !(1 << lane), entry, &node.child, C::ORDERED);
        }
    }
    // SAFETY: the stack has only what was pushed above: children of the tree's nodes, in order.
    unsafe {
        match stack.pop(limit) {
            Some(next) => {
                walk_on::<I, N, L, C, false>(isa, tree, tests, next, &mut stack, collector)
            }
            None => ControlFlow::Continue(()),
        }
    }
}

/// The lane of the least of numbers that are not negative, but for their last bits. NaN is more
/// than any number.
#[inline(always)]
pub(crate) fn least_lane<const N: usize>(numbers: &[f32; N]) -> usize {
    const { assert!(N.is_power_of_two()) };
    // In integers, so that vectors do it without a branch.
    let last = N as u32 - 1;
    let mut least = u32::MAX;
    for lane in 0..N {
        least = least.min(numbers[lane].to_bits() & !last | lane as u32);
    }
    (least & last) as usize
}

/// The lane of the least of the numbers whose bits are set. The mask is not zero.
#[inline(always)]
pub(crate) fn least_of<const N: usize>(numbers: &[f32; N], mask: u32) -> usize {
    let mut least = mask.trailing_zeros() as usize % N;
    let mut rest = mask & mask.wrapping_sub(1);
    while rest != 0 {
        let lane = rest.trailing_zeros() as usize % N;
        if numbers[lane] < numbers[least] {
            least = lane;
        }
        rest &= rest - 1;
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_number_is_found() {
        for lane in 0..16 {
            let mut numbers = [f32::INFINITY; 16];
            numbers[(lane + 3) % 16] = f32::NAN;
            numbers[(lane + 5) % 16] = 2.0;
            numbers[lane] = [0.0, 1.0, 1.9999][lane % 3];
            assert_eq!(least_lane(&numbers), lane);
            assert_eq!(least_of(&numbers, !(1 << ((lane + 3) % 16)) & 0xffff), lane);
            assert_eq!(least_of(&numbers, 1 << ((lane + 5) % 16)), (lane + 5) % 16);
        }
    }
}
