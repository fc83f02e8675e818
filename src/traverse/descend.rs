//! A ray's step from nodes to what is in them.
//!
//! One node after the other is a chain of results: boxes are met, what was met is sorted, and memory is asked for
//! what is nearest. A ray alone waits for most of it. Where it does not take the way of a ray before (see
//! [`guess`](super::guess)), it therefore meets up to three nodes side by side: the one that is next, and
//! those that it would come back to next if nothing nearer were hit. Now and then one was not worth it.

use std::mem::MaybeUninit;

use super::collect::collector::Collector;
use super::ray::node_test::SlabTest;
use super::ray::predict_child::predict_child;
use super::stack::Stack;
use crate::bvh::{Node, TreeView, WIDTH};
use crate::platform::prefetch_line;
use crate::simd::Isa;

/// The most nodes that are met side by side.
pub(crate) const NODES_AT_ONCE: usize = 3;

/// Meets a node, and perhaps others that were put off: what comes next, if anything does.
///
/// # Safety
/// As for [`walk`](super::walk::walk), whose node, slabs and stack these are. `t_max` is shifted.
#[inline(always)]
pub(crate) unsafe fn descend<I: Isa, V: Collector, const PREDICT: bool>(
    isa: I,
    tree: &TreeView<'_>,
    slab_test: &SlabTest<I::Node>,
    node: u32,
    t_max: f32,
    stack: &mut Stack<'_>,
    collector: &mut V,
) -> Option<u32> {
    // SAFETY: the node and the stack are those of the caller's walk, so what is popped is a node
    // of the same tree.
    unsafe {
        let first = node_at(tree, node, collector);
        if !I::SORTS || PREDICT || !V::AHEAD {
            return intersect_one::<I, V, PREDICT>(isa, slab_test, first, t_max, stack);
        }
        let Some(second) = stack.pop_node(t_max) else {
            return intersect_one::<I, V, PREDICT>(isa, slab_test, first, t_max, stack);
        };
        let second = node_at(tree, second, collector);
        if let Some(third) = stack.pop_node(t_max) {
            let third = node_at(tree, third, collector);
            intersect_nodes::<I, V, NODES_AT_ONCE>(
                isa,
                slab_test,
                [first, second, third],
                t_max,
                stack,
            );
        } else {
            stack.prefetch_top(tree);
            intersect_nodes::<I, V, 2>(isa, slab_test, [first, second], t_max, stack);
        }
        stack.pop(t_max)
    }
}

/// A node of the tree.
///
/// # Safety
/// It is one.
#[inline(always)]
unsafe fn node_at<'a, V: Collector>(tree: &TreeView<'a>, node: u32, collector: &mut V) -> &'a Node {
    // SAFETY: the number is that of a node, as this function asks.
    let node = unsafe { tree.nodes.get_unchecked(node as usize) };
    collector.on_node();
    // Where the children are is read when it is known which ones are met: too late.
    prefetch_line(node.child.as_ptr().cast());
    node
}

/// Meets a node; what comes next, if anything does.
///
/// # Safety
/// As for [`descend`].
#[inline(always)]
unsafe fn intersect_one<I: Isa, V: Collector, const PREDICT: bool>(
    isa: I,
    slab_test: &SlabTest<I::Node>,
    node: &Node,
    t_max: f32,
    stack: &mut Stack<'_>,
) -> Option<u32> {
    let mut enter = MaybeUninit::uninit();
    // SAFETY: the slabs write all of `enter`; bits of the mask, and the lane taken, are lanes of the
    // node, and the stack is that of the walk.
    unsafe {
        let mask = slab_test.intersect_node(node, t_max, &mut enter);
        let enter = enter.assume_init_ref();
        if mask == 0 {
            stack.pop(t_max)
        } else if I::SORTS && V::ORDERED && !PREDICT && mask & (mask - 1) != 0 {
            Some(stack.push_and_pop(isa, mask, enter, &node.child))
        } else {
            let child = |lane: usize| *node.child.get_unchecked(lane);
            let lane = stack.push_rest(mask, enter, V::ORDERED, child);
            Some(if PREDICT { predict_child(&node.child, 1 << lane) } else { child(lane) })
        }
    }
}

/// Meets nodes, the nearest first, and puts all of their children off.
///
/// # Safety
/// As for [`descend`].
#[inline(always)]
unsafe fn intersect_nodes<I: Isa, V: Collector, const COUNT: usize>(
    isa: I,
    slab_test: &SlabTest<I::Node>,
    nodes: [&Node; COUNT],
    t_max: f32,
    stack: &mut Stack<'_>,
) {
    // (Zeroed, they would be so in the widest vectors, which are slow to come by.)
    let mut enter = [const { MaybeUninit::<[f32; WIDTH]>::uninit() }; COUNT];
    let mut masks = [0; COUNT];
    // SAFETY: every entry of `enter` is written by the slabs before it is read; the stack holds what
    // the walk of a valid tree puts there.
    unsafe {
        for i in 0..COUNT {
            masks[i] = slab_test.intersect_node(nodes[i], t_max, &mut enter[i]);
        }
        for i in (0..COUNT).rev() {
            let enter = enter[i].assume_init_ref();
            stack.push_all(isa, masks[i], enter, &nodes[i].child, V::ORDERED);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::bvh::{Bvh, LEAF, LeafBlock, MAX_DEPTH, MeshRecord, Node, Sections, WIDTH};
    use crate::geometry::Ray;
    use crate::simd::InstructionSet;
    use crate::traverse::descend::NODES_AT_ONCE;
    use crate::traverse::hit::HitList;
    use crate::traverse::options::Query;

    /// As many levels as there may be; Miri would take hours.
    const LEVELS: u32 = if cfg!(miri) { 3 } else { MAX_DEPTH };

    /// A tree of all levels, of which a ray meets every box, and as many nodes side by side
    /// as it ever does: on each level three, of which one has three more, and the others leaf blocks alone.
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
            // The cheapest and the nearest last. Those that have leaf blocks alone are numbered before the one
            // that has nodes.
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
    fn the_deepest_tree_has_room() {
        let bvh = deepest();
        let count = bvh.view().blocks.len();
        assert_eq!(bvh.view().nodes.len(), 1 + 3 * (LEVELS as usize - 1));
        assert_eq!(count, (13 + 32) * (LEVELS as usize - 1) + 16);
        let ray = Ray::new([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
        // A ray that goes elsewhere before each, for one that takes the way of the last meets a node at a time.
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
}
