//! What rays through a tree are expected to cost.

use super::{LEAF, Node};
use crate::geometry::half_area;

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
