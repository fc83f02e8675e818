//! The wide tree, written out: parents before children, depth first.

use smallvec::SmallVec;

use super::Stage;
use super::binary::{BinaryTree, Child, PRIM};
use super::collapse::Collapsed;
use super::gather::Kept;
use super::monitor::Monitor;
use super::prim::half_area;
use crate::bvh::{LANES, LEAF, LeafBlock, Node};

/// What the queries walk through.
pub(crate) struct Wide {
    pub(crate) nodes: Vec<Node>,
    pub(crate) blocks: Vec<LeafBlock>,
    pub(crate) depth: u32,
    /// Lanes in use in all leaf blocks: a triangle counts in each that it is in.
    pub(crate) references: usize,
}

/// Triangles after which the monitor is told.
const REPORT: usize = 1 << 13;

pub(crate) fn layout(collapsed: &Collapsed, kept: &[Kept], monitor: &Monitor<'_>) -> Wide {
    let mut wide = Wide {
        nodes: Vec::new(),
        blocks: Vec::new(),
        depth: 0,
        references: 0,
    };
    // Nodes still to be written: which binary node, whose child in which lane, how deep.
    let mut open: Vec<_> = collapsed
        .tree
        .root
        .map(|root| (root, None, 1u32))
        .into_iter()
        .collect();
    let mut told = 0;
    while let Some((root, parent, depth)) = open.pop() {
        let at = wide.nodes.len();
        if let Some((parent, lane)) = parent {
            let parent: &mut Node = &mut wide.nodes[parent];
            parent.child[lane] = at as u32;
        }
        wide.depth = wide.depth.max(depth);
        let mut node = Node::EMPTY;
        let children = collapsed.children(root);
        for (lane, &child) in children.as_slice().iter().enumerate() {
            let (min, max) = collapsed.tree.bounds(child);
            for k in 0..3 {
                node.min[k][lane] = min[k];
                node.max[k][lane] = max[k];
            }
            if collapsed.is_leaf(child) {
                node.child[lane] = LEAF | wide.blocks.len() as u32;
                let block = block(&collapsed.tree, child, kept);
                wide.references += block.len();
                wide.blocks.push(block);
            }
        }
        // Backwards, so that the first child is written first.
        for (lane, &child) in children.as_slice().iter().enumerate().rev() {
            if !collapsed.is_leaf(child) {
                open.push((child, Some((at, lane)), depth + 1));
            }
        }
        wide.nodes.push(node);
        if wide.references >= told + REPORT {
            if monitor.is_cancelled() {
                break;
            }
            monitor.advance(Stage::Layout, wide.references - told);
            told = wide.references;
        }
    }
    wide
}

/// The leaf block of a binary subtree of at most eight references.
fn block(tree: &BinaryTree, root: Child, kept: &[Kept]) -> LeafBlock {
    let mut triangles = SmallVec::<[u32; LANES]>::new();
    collect(tree, root, &mut triangles);
    // Kept triangles are in order of their ids.
    triangles.sort_unstable();
    triangles.dedup();
    let mut block = LeafBlock::EMPTY;
    for (lane, &index) in triangles.iter().enumerate() {
        let triangle = &kept[index as usize];
        block.set_corners(lane, &triangle.corners);
        block.id[lane] = triangle.id;
    }
    block
}

/// The triangles that a subtree refers to.
fn collect(tree: &BinaryTree, child: Child, triangles: &mut SmallVec<[u32; LANES]>) {
    if child & PRIM != 0 {
        triangles.push(tree.prims[(child & !PRIM) as usize].index);
    } else {
        let node = &tree.nodes[child as usize];
        collect(tree, node.left, triangles);
        collect(tree, node.right, triangles);
    }
}

/// What it costs to test the sixteen boxes of a node.
const NODE_COST: f32 = 1.0;
/// What it costs to test the eight triangles of a leaf block, by measurement on levels.
const LEAF_COST: f32 = 1.0;

/// The expected cost of a random line that meets the tree's box, by the surface area
/// heuristic (Goldsmith and Salmon 1987), in node tests.
pub(crate) fn sah_cost(nodes: &[Node]) -> f64 {
    let lane_area = |node: &Node, lane: usize| {
        let bounds = node.bounds(lane);
        half_area(&bounds.min.to_array(), &bounds.max.to_array())
    };
    let Some(root) = nodes.first() else {
        return 0.0;
    };
    let bounds = root.whole();
    let whole = half_area(&bounds.min.to_array(), &bounds.max.to_array());
    let mut cost = f64::from(NODE_COST);
    for node in nodes {
        for lane in 0..node.len() {
            let price = if node.child[lane] & LEAF == 0 {
                NODE_COST
            } else {
                LEAF_COST
            };
            // Whatever meets a tree that was flattened to a line or a point may meet all of it.
            let part = if whole > 0.0 {
                lane_area(node, lane) / whole
            } else {
                1.0
            };
            cost += f64::from(price) * part;
        }
    }
    cost
}
