//! The expected cost of rays through a tree.

use super::{LEAF, Node};
use crate::geometry::Aabb;
use crate::geometry::half_area;

/// The cost to test the sixteen boxes of a node: the unit.
pub(super) const NODE_COST: f32 = 1.0;
/// The cost to test the eight triangles of a leaf block, measured on levels.
pub(super) const LEAF_COST: f32 = 1.0;

/// How likely a random line that meets the tree's box is to meet a box in it.
pub(super) struct Chances {
    whole: f64,
}

impl Chances {
    pub(super) fn in_tree(nodes: &[Node]) -> Self {
        let root = nodes.first().unwrap_or(&Node::EMPTY);
        Self { whole: area(&root.whole()) }
    }

    pub(super) fn of(&self, bounds: &Aabb) -> f64 {
        chance(area(bounds), self.whole)
    }
}

/// How likely a random line that meets a box of surface area `whole` is to meet a box in it whose
/// area is `part`.
pub(crate) fn chance(part: f64, whole: f64) -> f64 {
    // A line that meets a box without area may meet all that is in it.
    if whole > 0.0 { part / whole } else { 1.0 }
}

/// Half the surface area.
fn area(bounds: &Aabb) -> f64 {
    half_area(&bounds.min.to_array(), &bounds.max.to_array())
}

/// The expected cost of a random line that meets the tree's box, by the surface area
/// heuristic (Goldsmith and Salmon 1987), in node tests.
pub(crate) fn sah_cost(nodes: &[Node]) -> f64 {
    sah_cost_while(nodes, |_| true)
}

/// The same, for as long as `goes_on`, which is called with the number of nodes that come next. The
/// result is of no use once that has returned `false`.
pub(crate) fn sah_cost_while(nodes: &[Node], goes_on: impl Fn(usize) -> bool) -> f64 {
    const RUN: usize = 1 << 14;
    if nodes.is_empty() {
        return 0.0;
    }
    let chances = Chances::in_tree(nodes);
    let mut cost = f64::from(NODE_COST);
    let runs = nodes.chunks(RUN).take_while(|run| goes_on(run.len()));
    for node in runs.flatten() {
        for lane in 0..node.len() {
            let price = if node.child[lane] & LEAF == 0 { NODE_COST } else { LEAF_COST };
            cost += f64::from(price) * chances.of(&node.bounds(lane));
        }
    }
    cost
}
