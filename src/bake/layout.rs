//! The wide tree, written out: parents before children, depth first.

use super::Stage;
use super::collapse::{self, Choice, LEAF_COST, NODE_COST};
use super::gather::Kept;
use super::monitor::Monitor;
use super::split::{Binary, half_area};
use crate::bvh::{LANES, LEAF, LeafBlock, Node};

/// What the queries walk through.
pub(crate) struct Wide {
    pub(crate) nodes: Vec<Node>,
    pub(crate) blocks: Vec<LeafBlock>,
    pub(crate) depth: u32,
}

/// Triangles after which the monitor is told.
const REPORT: usize = 1 << 13;

pub(crate) fn layout(
    binary: &[Binary],
    choices: &[Choice],
    kept: &[Kept],
    monitor: &Monitor<'_>,
) -> Wide {
    let mut wide = Wide {
        nodes: Vec::new(),
        blocks: Vec::new(),
        depth: 0,
    };
    if binary.is_empty() {
        return wide;
    }
    // Nodes still to be written: which binary node, whose child in which lane, how deep.
    let mut open = vec![(0usize, None, 1u32)];
    let (mut placed, mut told) = (0, 0);
    while let Some((root, parent, depth)) = open.pop() {
        let at = wide.nodes.len();
        if let Some((parent, lane)) = parent {
            let parent: &mut Node = &mut wide.nodes[parent];
            parent.child[lane] = at as u32;
        }
        wide.depth = wide.depth.max(depth);
        let mut node = Node::EMPTY;
        let children = collapse::children(binary, choices, root);
        for (lane, &child) in children.as_slice().iter().enumerate() {
            for k in 0..3 {
                node.min[k][lane] = binary[child].min[k];
                node.max[k][lane] = binary[child].max[k];
            }
            if choices[child].leaf {
                node.child[lane] = LEAF | wide.blocks.len() as u32;
                wide.blocks.push(block(binary, child, kept));
                placed += binary[child].count as usize;
            }
        }
        // Backwards, so that the first child is written first.
        for (lane, &child) in children.as_slice().iter().enumerate().rev() {
            if !choices[child].leaf {
                open.push((child, Some((at, lane)), depth + 1));
            }
        }
        wide.nodes.push(node);
        if placed >= told + REPORT {
            if monitor.is_cancelled() {
                break;
            }
            monitor.advance(Stage::Layout, placed - told);
            told = placed;
        }
    }
    wide
}

/// The leaf block of a binary subtree of at most eight triangles.
fn block(binary: &[Binary], root: usize, kept: &[Kept]) -> LeafBlock {
    let count = binary[root].count as usize;
    let mut triangles = [u32::MAX; LANES];
    let below = binary[root..]
        .iter()
        .take(2 * count - 1)
        .filter(|node| node.count == 1);
    for (slot, leaf) in triangles.iter_mut().zip(below) {
        *slot = leaf.left;
    }
    // Kept triangles are in order of their ids.
    triangles.sort_unstable();
    let mut block = LeafBlock::EMPTY;
    for (lane, &index) in triangles[..count].iter().enumerate() {
        let triangle = &kept[index as usize];
        block.set_corners(lane, &triangle.corners);
        block.id[lane] = triangle.id;
    }
    block
}

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
