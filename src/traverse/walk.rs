//! The walk through a tree, written once for every question and every instruction set.
//!
//! A question brings three parts. A [`NodeTest`] finds which children of a node may matter, and
//! where each is entered. A [`LeafTest`] tests the triangles of a leaf block. A collector keeps the
//! answer, and owns the [`Bound`] past which nothing matters. The order of the children, the stack,
//! nodes tested side by side, child prediction and prefetching are here, and the same for all.
//!
//! Testing one node after another is a chain of results: boxes are tested, the children that
//! remain are sorted, and memory is read where the nearest is. A single walk mostly waits for that
//! chain. So where it does not take the way of a walk before it, it tests up to three nodes side by
//! side: the next one, and those that follow if nothing nearer is found. A few of those tests turn
//! out to be needless.

use std::mem::MaybeUninit;
use std::ops::ControlFlow;

use super::prefetch::prefetch_block;
use super::ray::predict_child::predict_child;
use super::stack::{NODES_AT_ONCE, Stack};
use crate::bvh::{LEAF, LeafBlock, Node, TreeView, WIDTH};
use crate::platform::prefetch_line;
use crate::simd::Isa;

#[cfg(test)]
mod tests;

/// Which children of a node may matter to a question.
///
/// # Safety
/// [`intersect`](Self::intersect) gives bits of used lanes only, and writes all numbers of `entry`.
pub(crate) unsafe trait NodeTest<I: Isa> {
    /// The test's constants in registers.
    type Loaded<'a>
    where
        Self: 'a;

    fn load(&self, isa: I) -> Self::Loaded<'_>;

    /// The collector's bound, in the units of `entry`: not minus zero.
    fn limit(&self, bound: f32) -> f32;

    /// A bit for each child that may matter, and where each child is entered: a number that is
    /// not negative, nor minus zero. Nothing entered past `limit` matters.
    fn intersect(
        loaded: &Self::Loaded<'_>,
        node: &Node,
        limit: f32,
        entry: &mut MaybeUninit<[f32; WIDTH]>,
    ) -> u32;
}

/// What a question does with a leaf block.
pub(crate) trait LeafTest<I: Isa, C> {
    /// Tests the triangles of a block, whose number in the tree is `index`, and gives those that
    /// matter to the collector. `Break` ends the walk.
    fn test(&self, isa: I, block: &LeafBlock, index: u32, collector: &mut C) -> ControlFlow<()>;
}

/// What a walk does at a leaf: of a tree of triangles, a [`LeafTest`] of its block; of a tree of
/// instances, a walk in the tree of one.
pub(crate) trait VisitLeaf<I: Isa, C> {
    /// Looks at the leaf of this number. `Break` ends the walk.
    ///
    /// # Safety
    /// The tree is valid, and a leaf of it has this number.
    unsafe fn visit(&self, isa: I, index: u32, collector: &mut C) -> ControlFlow<()>;

    /// Prefetches what a visit to the leaf of this number reads first.
    fn prefetch(&self, index: u32);
}

/// The leaf blocks of a tree of triangles, each tested.
struct Blocks<'a, L> {
    tree: &'a TreeView<'a>,
    leaf_test: &'a L,
}

impl<I: Isa, C: Bound, L: LeafTest<I, C>> VisitLeaf<I, C> for Blocks<'_, L> {
    #[inline(always)]
    unsafe fn visit(&self, isa: I, index: u32, collector: &mut C) -> ControlFlow<()> {
        // SAFETY: the leaves of a tree of triangles are its blocks.
        unsafe { test_block(isa, self.tree, self.leaf_test, index, collector) }
    }

    #[inline(always)]
    fn prefetch(&self, index: u32) {
        prefetch_block(self.tree, index);
    }
}

/// What the walk needs of a collector.
pub(crate) trait Bound {
    /// Whether near children come first. A question that stops at the first answer does better
    /// without.
    const ORDERED: bool;

    /// Whether nodes may be tested before their turn, which might turn out to be needless.
    const NODES_AHEAD: bool = true;

    /// Nothing past this matters. Never rises.
    fn bound(&self) -> f32;

    /// The children of a node are about to be tested.
    #[inline(always)]
    fn on_node(&mut self, _node: &Node) {}

    /// The triangles of a leaf block are about to be tested.
    #[inline(always)]
    fn on_block(&mut self, _block: &LeafBlock) {}
}

/// Tests the nodes and leaf blocks of a subtree, `child`, that may matter. `Break` if the leaf test
/// said so. With `PREDICT`, the next child is predicted: that changes nothing but the time.
///
/// # Safety
/// The tree is valid and `child` is one of its children, or its root: each child in a used lane
/// names a node or a leaf block that is there, and no leaf lies deeper than `MAX_DEPTH` nodes.
#[inline(always)]
pub(crate) unsafe fn walk<I, N, L, C, const PREDICT: bool>(
    isa: I,
    tree: &TreeView<'_>,
    tests: (&N, &L),
    child: u32,
    collector: &mut C,
) -> ControlFlow<()>
where
    I: Isa,
    N: NodeTest<I>,
    L: LeafTest<I, C>,
    C: Bound,
{
    let mut entries = Stack::room();
    let mut top = 0;
    let mut stack = Stack::new(&mut entries, &mut top);
    // SAFETY: the caller's child is of the valid tree.
    unsafe { walk_on::<I, N, L, C, PREDICT>(isa, tree, tests, child, &mut stack, collector) }
}

/// As [`walk`], of a child and then of the subtrees on the stack.
///
/// # Safety
/// As for [`walk`]. The stack has only children of nodes on one way down from the root of the same
/// tree, the deepest last.
#[inline(always)]
pub(crate) unsafe fn walk_on<I, N, L, C, const PREDICT: bool>(
    isa: I,
    tree: &TreeView<'_>,
    (node_test, leaf_test): (&N, &L),
    child: u32,
    stack: &mut Stack<'_>,
    collector: &mut C,
) -> ControlFlow<()>
where
    I: Isa,
    N: NodeTest<I>,
    L: LeafTest<I, C>,
    C: Bound,
{
    let tests = (node_test, &Blocks { tree, leaf_test });
    // SAFETY: as the caller says; the leaves of the tree are blocks.
    unsafe {
        walk_to_leaves::<I, N, _, C, PREDICT>(isa, tree.nodes, tests, child, stack, collector)
    }
}

/// As [`walk_on`], for leaves of any kind.
///
/// # Safety
/// As for [`walk_on`], for a tree of these nodes whose leaves are those that `leaves` may visit.
#[inline(always)]
pub(crate) unsafe fn walk_to_leaves<I, N, L, C, const PREDICT: bool>(
    isa: I,
    nodes: &[Node],
    (node_test, leaves): (&N, &L),
    mut child: u32,
    stack: &mut Stack<'_>,
    collector: &mut C,
) -> ControlFlow<()>
where
    I: Isa,
    N: NodeTest<I>,
    L: VisitLeaf<I, C>,
    C: Bound,
{
    loop {
        if child & LEAF == 0 {
            // The constants stay in registers from node to node, and are loaded anew after a leaf.
            let loaded = node_test.load(isa);
            loop {
                let limit = node_test.limit(collector.bound());
                // SAFETY: the child is a node of the caller's valid tree, and the stack this
                // walk's.
                let next = unsafe {
                    let step = step::<I, N, L, C, PREDICT>;
                    step(isa, nodes, (&loaded, leaves), child, limit, stack, collector)
                };
                match next {
                    Some(next) => child = next,
                    None => return ControlFlow::Continue(()),
                }
                if child & LEAF != 0 {
                    break;
                }
            }
        }
        if !PREDICT {
            // SAFETY: nothing but this walk has filled the stack.
            unsafe { stack.prefetch_top(nodes, |index| leaves.prefetch(index)) };
        }
        // SAFETY: in a valid tree a child that is no node is a leaf that is there.
        unsafe { leaves.visit(isa, child & !LEAF, collector) }?;
        // SAFETY: the stack is still this walk's alone.
        match unsafe { stack.pop(node_test.limit(collector.bound())) } {
            Some(next) => child = next,
            None => return ControlFlow::Continue(()),
        }
    }
}

/// Tests the triangles of the leaf block of this number. `Break` if the leaf test said so.
///
/// # Safety
/// The tree has the block.
#[inline(always)]
pub(crate) unsafe fn test_block<I: Isa, L: LeafTest<I, C>, C: Bound>(
    isa: I,
    tree: &TreeView<'_>,
    leaf_test: &L,
    index: u32,
    collector: &mut C,
) -> ControlFlow<()> {
    // SAFETY: the caller knows that the tree has a block of this number.
    let block = unsafe { tree.blocks.get_unchecked(index as usize) };
    collector.on_block(block);
    leaf_test.test(isa, block, index, collector)
}

/// Tests a node, and perhaps others from the stack: what comes next, if anything does.
///
/// # Safety
/// As for [`walk`], whose node, test and stack these are.
#[inline(always)]
unsafe fn step<I: Isa, N: NodeTest<I>, L: VisitLeaf<I, C>, C: Bound, const PREDICT: bool>(
    isa: I,
    nodes: &[Node],
    (loaded, leaves): (&N::Loaded<'_>, &L),
    node: u32,
    limit: f32,
    stack: &mut Stack<'_>,
    collector: &mut C,
) -> Option<u32> {
    // SAFETY: node and stack belong to the caller's walk, so the nodes that are popped are nodes of
    // the same tree.
    unsafe {
        let first = node_at(nodes, node, collector);
        if !I::BRANCH_FREE || PREDICT || !C::NODES_AHEAD {
            return test_one::<I, N, C, PREDICT>(isa, loaded, first, limit, stack);
        }
        let Some(second) = stack.pop_node(limit) else {
            return test_one::<I, N, C, PREDICT>(isa, loaded, first, limit, stack);
        };
        let second = node_at(nodes, second, collector);
        if let Some(third) = stack.pop_node(limit) {
            let third = node_at(nodes, third, collector);
            let three = [first, second, third];
            test_some::<I, N, C, NODES_AT_ONCE>(isa, loaded, three, limit, stack);
        } else {
            stack.prefetch_top(nodes, |index| leaves.prefetch(index));
            test_some::<I, N, C, 2>(isa, loaded, [first, second], limit, stack);
        }
        stack.pop(limit)
    }
}

/// A node of the tree.
///
/// # Safety
/// The tree has a node of this number.
#[inline(always)]
unsafe fn node_at<'a, C: Bound>(nodes: &'a [Node], node: u32, collector: &mut C) -> &'a Node {
    // SAFETY: the caller knows that there is one.
    let node = unsafe { nodes.get_unchecked(node as usize) };
    collector.on_node(node);
    // The children's numbers are read when it is known which are entered: that would be too late.
    prefetch_line(node.child.as_ptr().cast());
    node
}

/// Tests a node; what comes next, if anything does.
///
/// # Safety
/// As for [`step`].
#[inline(always)]
unsafe fn test_one<I: Isa, N: NodeTest<I>, C: Bound, const PREDICT: bool>(
    isa: I,
    loaded: &N::Loaded<'_>,
    node: &Node,
    limit: f32,
    stack: &mut Stack<'_>,
) -> Option<u32> {
    let mut entry = MaybeUninit::uninit();
    let mask = N::intersect(loaded, node, limit, &mut entry);
    // SAFETY: the test has written all of `entry` and gives bits of used lanes, so the lane that is
    // taken is one; the stack belongs to the walk.
    unsafe {
        let entry = entry.assume_init_ref();
        if mask == 0 {
            stack.pop(limit)
        } else if I::BRANCH_FREE && C::ORDERED && !PREDICT && mask & (mask - 1) != 0 {
            Some(stack.push_and_pop(isa, mask, entry, &node.child))
        } else {
            let child = |lane: usize| *node.child.get_unchecked(lane);
            let lane = stack.push_rest(mask, entry, C::ORDERED, child);
            Some(if PREDICT { predict_child(&node.child, 1 << lane) } else { child(lane) })
        }
    }
}

/// Tests nodes, the nearest first, and pushes all their children.
///
/// # Safety
/// As for [`step`].
#[inline(always)]
unsafe fn test_some<I: Isa, N: NodeTest<I>, C: Bound, const COUNT: usize>(
    isa: I,
    loaded: &N::Loaded<'_>,
    nodes: [&Node; COUNT],
    limit: f32,
    stack: &mut Stack<'_>,
) {
    // Not zeroed: that would use the widest vectors, which may lower the clock.
    let mut entry = [const { MaybeUninit::<[f32; WIDTH]>::uninit() }; COUNT];
    let mut masks = [0; COUNT];
    for i in 0..COUNT {
        masks[i] = N::intersect(loaded, nodes[i], limit, &mut entry[i]);
    }
    for i in (0..COUNT).rev() {
        // SAFETY: the test has written each `entry`, with bits of used lanes; the stack belongs to
        // the walk, which has popped these nodes.
        unsafe {
            let entry = entry[i].assume_init_ref();
            stack.push_all(isa, masks[i], entry, &nodes[i].child, C::ORDERED);
        }
    }
}
