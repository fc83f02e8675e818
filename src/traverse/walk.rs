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

use super::ray::predict_child::predict_child;
use super::stack::{NODES_AT_ONCE, Stack};
use crate::bvh::{LEAF, LeafBlock, Node, TreeView, WIDTH};
use crate::platform::prefetch_line;
use crate::simd::Isa;

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
    fn on_node(&mut self) {}

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

/// As [`walk`], of the subtrees on a stack.
///
/// # Safety
/// The tree is valid, and the stack has children of nodes on one way down from its root alone, the
/// deepest last.
#[inline(always)]
pub(crate) unsafe fn walk_stack<I, N, L, C, const PREDICT: bool>(
    isa: I,
    tree: &TreeView<'_>,
    tests: (&N, &L),
    stack: &mut Stack<'_>,
    collector: &mut C,
) -> ControlFlow<()>
where
    I: Isa,
    N: NodeTest<I>,
    L: LeafTest<I, C>,
    C: Bound,
{
    // SAFETY: the caller's stack is of this tree, and what is popped one of its children.
    unsafe {
        match stack.pop(tests.0.limit(collector.bound())) {
            Some(child) => {
                walk_on::<I, N, L, C, PREDICT>(isa, tree, tests, child, stack, collector)
            }
            None => ControlFlow::Continue(()),
        }
    }
}

/// As [`walk`], of a child and of what is on the stack.
///
/// # Safety
/// As for [`walk`] and [`walk_stack`].
#[inline(always)]
unsafe fn walk_on<I, N, L, C, const PREDICT: bool>(
    isa: I,
    tree: &TreeView<'_>,
    (node_test, leaf_test): (&N, &L),
    mut child: u32,
    stack: &mut Stack<'_>,
    collector: &mut C,
) -> ControlFlow<()>
where
    I: Isa,
    N: NodeTest<I>,
    L: LeafTest<I, C>,
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
                    step::<I, N, C, PREDICT>(isa, tree, &loaded, child, limit, stack, collector)
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
            unsafe { stack.prefetch_top(tree) };
        }
        // SAFETY: in a valid tree a child that is no node is a leaf block that is there.
        unsafe { test_block(isa, tree, leaf_test, child & !LEAF, collector) }?;
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
unsafe fn step<I: Isa, N: NodeTest<I>, C: Bound, const PREDICT: bool>(
    isa: I,
    tree: &TreeView<'_>,
    loaded: &N::Loaded<'_>,
    node: u32,
    limit: f32,
    stack: &mut Stack<'_>,
    collector: &mut C,
) -> Option<u32> {
    // SAFETY: node and stack are those of the caller's walk, so what is popped is a node of the
    // same tree.
    unsafe {
        let first = node_at(tree, node, collector);
        if !I::BRANCH_FREE || PREDICT || !C::NODES_AHEAD {
            return test_one::<I, N, C, PREDICT>(isa, loaded, first, limit, stack);
        }
        let Some(second) = stack.pop_node(limit) else {
            return test_one::<I, N, C, PREDICT>(isa, loaded, first, limit, stack);
        };
        let second = node_at(tree, second, collector);
        if let Some(third) = stack.pop_node(limit) {
            let third = node_at(tree, third, collector);
            let nodes = [first, second, third];
            test_some::<I, N, C, NODES_AT_ONCE>(isa, loaded, nodes, limit, stack);
        } else {
            stack.prefetch_top(tree);
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
unsafe fn node_at<'a, C: Bound>(tree: &TreeView<'a>, node: u32, collector: &mut C) -> &'a Node {
    // SAFETY: the caller knows that there is one.
    let node = unsafe { tree.nodes.get_unchecked(node as usize) };
    collector.on_node();
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
    // SAFETY: the test has written all of `entry` and gives bits of used lanes, so the lane that
    // is taken is one; the stack is that of the walk.
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
        // SAFETY: the test has written each `entry`, with bits of used lanes; the stack is that of
        // the walk, which has popped these nodes.
        unsafe {
            let entry = entry[i].assume_init_ref();
            stack.push_all(isa, masks[i], entry, &nodes[i].child, C::ORDERED);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bake::Builder;
    use crate::bvh::{Bvh, LANES, MAX_DEPTH, MeshRecord, ROOT, Sections, UNUSED_ID};
    use crate::geometry::{Aabb, Ray};
    use crate::mesh::Mesh;
    use crate::simd::{self, InstructionSet, Task};
    use crate::test_rng;
    use crate::traverse::hit::HitList;
    use crate::traverse::options::Query;

    /// As many levels as there may be; Miri would take hours.
    const LEVELS: u32 = if cfg!(miri) { 3 } else { MAX_DEPTH };

    /// A tree of all levels, of which a ray enters every box, three nodes at once on each level:
    /// one has three more nodes, the others leaf blocks alone.
    fn deepest() -> Bvh {
        let (mut nodes, mut blocks) = (Vec::new(), Vec::new());
        let mut leaf = || {
            let mut block = LeafBlock::EMPTY;
            block.set_corners(0, &[[0.7, -9.0, -9.0], [0.7, 9.0, -9.0], [0.7, 0.0, 9.0]]);
            block.id[0] = blocks.len() as u32;
            blocks.push(block);
            (LEAF | block.id[0], 0.5)
        };
        let mut add = |children: &[(u32, f32)]| {
            let mut node = Node::EMPTY;
            for (lane, &(child, from)) in children.iter().enumerate() {
                node.child[lane] = child;
                for k in 0..3 {
                    node.min[k][lane] = if k == 0 { from } else { -9.0 };
                    node.max[k][lane] = 9.0;
                }
            }
            nodes.push(node);
        };
        for level in 1..=LEVELS {
            let below = if level == LEVELS { 0 } else { NODES_AT_ONCE };
            // The cheapest and the nearest last. Nodes with leaf blocks alone have lower numbers
            // than the one with nodes.
            let next = level * 3 - 2;
            for _ in 0..if level == 1 { 0 } else { 2 } {
                add(&[(); WIDTH].map(|()| leaf()));
            }
            let mut children: Vec<_> = (below..WIDTH).map(|_| leaf()).collect();
            let inner = (0..below as u32).map(|i| (next + i, 0.3 - 0.1 * i as f32));
            children.extend(inner);
            add(&children);
        }
        let count = blocks.len() as u32;
        let mesh = MeshRecord {
            first_triangle: 0,
            triangle_count: count,
            vertex_count: 3 * count,
            mask: u32::MAX,
            user_id: 0,
            index_hash: 0,
            flags: 0,
            reserved: 0,
        };
        Bvh::new(Sections { nodes, blocks, meshes: vec![mesh], ..Sections::default() })
    }

    #[test]
    fn the_stack_holds_the_deepest_tree() {
        let bvh = deepest();
        let count = bvh.view().blocks.len();
        assert_eq!(bvh.view().nodes.len(), 1 + 3 * (LEVELS as usize - 1));
        assert_eq!(count, (13 + 32) * (LEVELS as usize - 1) + 16);
        let ray = Ray::new([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
        // Before each query a ray elsewhere: one that follows the last ray tests a node at a time.
        let away = Ray::new([0.0, 0.0, 20.0], [0.0, 1.0, 0.0]);
        for isa in InstructionSet::available() {
            println!("{isa}");
            let query = Query::new().instruction_set(isa);
            let apart = || assert!(!bvh.any_hit(&away, &query));
            let mut hits = HitList::new();
            apart();
            bvh.all_hits(&ray, &query, &mut hits);
            let found: Vec<_> = hits.iter().map(|hit| hit.triangle as usize).collect();
            assert!(found.iter().copied().eq(0..count), "{isa}");
            apart();
            let nearest = bvh.closest_hit(&ray, &query).map(|hit| hit.triangle);
            assert_eq!(nearest, Some(0), "{isa}");
            apart();
            assert!(bvh.any_hit(&ray, &query), "{isa}");
            apart();
            assert!(!bvh.any_hit(&ray.with_range(0.0, 1.69), &query), "{isa}");
        }
    }

    /// The corners of the triangles in use, with their numbers.
    fn corners(block: &LeafBlock) -> impl Iterator<Item = (u32, [[f32; 3]; 3])> {
        let used = (0..LANES).filter(|&lane| block.id[lane] != UNUSED_ID);
        used.map(|lane| (block.id[lane], block.corners(lane)))
    }

    fn overlap(min: [f32; 3], max: [f32; 3], other: &Aabb) -> bool {
        (0..3).all(|k| min[k] <= other.max[k] && other.min[k] <= max[k])
    }

    fn bounds(corners: &[[f32; 3]; 3]) -> [[f32; 3]; 2] {
        let of = |pick: fn(f32, f32) -> f32| {
            [0, 1, 2].map(|k| pick(pick(corners[0][k], corners[1][k]), corners[2][k]))
        };
        [of(f32::min), of(f32::max)]
    }

    /// Question one: the triangles whose boxes overlap a box. In no order, without a bound.
    struct Overlap(Aabb);

    // SAFETY: every entry is written; an unused lane has infinite planes the wrong way round.
    unsafe impl<I: Isa> NodeTest<I> for Overlap {
        type Loaded<'a> = &'a Aabb;

        fn load(&self, _: I) -> &Aabb {
            &self.0
        }

        fn limit(&self, bound: f32) -> f32 {
            bound
        }

        fn intersect(
            other: &&Aabb,
            node: &Node,
            _: f32,
            entry: &mut MaybeUninit<[f32; WIDTH]>,
        ) -> u32 {
            entry.write([0.0; WIDTH]);
            let plane = |rows: &[[f32; WIDTH]; 3], lane: usize| rows.map(|row| row[lane]);
            (0..WIDTH).fold(0, |mask, lane| {
                let inside = overlap(plane(&node.min, lane), plane(&node.max, lane), other);
                mask | u32::from(inside) << lane
            })
        }
    }

    impl<I: Isa> LeafTest<I, Vec<u32>> for Overlap {
        fn test(&self, _: I, block: &LeafBlock, _: u32, all: &mut Vec<u32>) -> ControlFlow<()> {
            let bounds = corners(block).map(|(id, corners)| (id, bounds(&corners)));
            all.extend(
                bounds.filter(|(_, [min, max])| overlap(*min, *max, &self.0)).map(|of| of.0),
            );
            ControlFlow::Continue(())
        }
    }

    impl Bound for Vec<u32> {
        const ORDERED: bool = false;

        fn bound(&self) -> f32 {
            f32::INFINITY
        }
    }

    /// Question two: the corner nearest to a point. Ordered, the bound is the squared distance.
    struct NearestCorner([f32; 3]);

    impl NearestCorner {
        /// To the nearest point of a box, which may be a point. The roundings are monotone: no
        /// corner in a box is nearer than the box.
        fn distance(&self, min: [f32; 3], max: [f32; 3]) -> f32 {
            let off = [0, 1, 2].map(|k| (min[k] - self.0[k]).max(self.0[k] - max[k]).max(0.0));
            off[0] * off[0] + off[1] * off[1] + off[2] * off[2]
        }
    }

    // SAFETY: every entry is written; an unused lane is infinitely far, which is no bit.
    unsafe impl<I: Isa> NodeTest<I> for NearestCorner {
        type Loaded<'a> = &'a Self;

        fn load(&self, _: I) -> &Self {
            self
        }

        fn limit(&self, bound: f32) -> f32 {
            bound
        }

        fn intersect(
            point: &&Self,
            node: &Node,
            limit: f32,
            entry: &mut MaybeUninit<[f32; WIDTH]>,
        ) -> u32 {
            let plane = |rows: &[[f32; WIDTH]; 3], lane: usize| rows.map(|row| row[lane]);
            let distance =
                |lane: usize| point.distance(plane(&node.min, lane), plane(&node.max, lane));
            let entry = entry.write(std::array::from_fn(distance));
            let near = |lane: &usize| entry[*lane] <= limit && entry[*lane] < f32::INFINITY;
            (0..WIDTH).filter(near).fold(0, |mask, lane| mask | 1 << lane)
        }
    }

    impl<I: Isa> LeafTest<I, f32> for NearestCorner {
        fn test(&self, _: I, block: &LeafBlock, _: u32, nearest: &mut f32) -> ControlFlow<()> {
            for corner in corners(block).flat_map(|(_, corners)| corners) {
                *nearest = nearest.min(self.distance(corner, corner));
            }
            ControlFlow::Continue(())
        }
    }

    impl Bound for f32 {
        const ORDERED: bool = true;

        fn bound(&self) -> f32 {
            *self
        }
    }

    struct AskOverlap<'a>(&'a Bvh, &'a Overlap);

    impl Task for AskOverlap<'_> {
        type Output = Vec<u32>;

        fn run<I: Isa>(self, isa: I) -> Vec<u32> {
            let (mut all, tests) = (Vec::new(), (self.1, self.1));
            // SAFETY: a baked tree is valid, and this one has a node.
            let _ = unsafe { walk::<I, _, _, _, false>(isa, self.0.view(), tests, ROOT, &mut all) };
            all
        }
    }

    struct AskNearest<'a>(&'a Bvh, &'a NearestCorner);

    impl Task for AskNearest<'_> {
        type Output = f32;

        fn run<I: Isa>(self, isa: I) -> f32 {
            let (mut nearest, tests) = (f32::INFINITY, (self.1, self.1));
            // SAFETY: the baked tree is valid; it has triangles, and so a node.
            let _ =
                unsafe { walk::<I, _, _, _, false>(isa, self.0.view(), tests, ROOT, &mut nearest) };
            nearest
        }
    }

    #[test]
    fn other_questions_have_the_answers_of_brute_force() {
        let mut state = 3;
        let mut point = |size: f32| [0; 3].map(|_| size * test_rng::number(&mut state));
        let near = |at: [f32; 3], off: [f32; 3]| [at[0] + off[0], at[1] + off[1], at[2] + off[2]];
        let count = if cfg!(miri) { 60 } else { 2000 };
        let soup: Vec<[[f32; 3]; 3]> = (0..count)
            .map(|_| {
                let at = point(10.0);
                [at, near(at, point(1.0)), near(at, point(1.0))]
            })
            .collect();
        let mesh = Mesh::from_soup(soup.as_flattened().to_vec());
        // Without spatial splits: a leaf of a split triangle has a part of its box.
        let (bvh, _) = Builder::new().spatial_budget(0.0).bake(&[mesh]).unwrap();
        let mut overlaps = 0;
        for _ in 0..if cfg!(miri) { 2 } else { 50 } {
            let at = point(12.0);
            let overlap_query = Overlap(Aabb::from_min_max(at, near(at, [1.0, 2.0, 0.5])));
            let nearest_query = NearestCorner(at);
            let expected: Vec<u32> = (0..)
                .zip(&soup)
                .filter(|(_, corners)| {
                    let [min, max] = bounds(corners);
                    overlap(min, max, &overlap_query.0)
                })
                .map(|(id, _)| id)
                .collect();
            overlaps += expected.len();
            let corners = soup.as_flattened().iter();
            let nearest = corners.map(|&corner| nearest_query.distance(corner, corner));
            let nearest = nearest.fold(f32::INFINITY, f32::min);
            for isa in InstructionSet::available() {
                let mut found = simd::run(isa, AskOverlap(&bvh, &overlap_query));
                found.sort_unstable();
                found.dedup();
                assert_eq!(found, expected, "{isa}");
                let found = simd::run(isa, AskNearest(&bvh, &nearest_query));
                assert_eq!(found, nearest, "{isa}");
            }
        }
        assert!(overlaps > 0);
    }
}
