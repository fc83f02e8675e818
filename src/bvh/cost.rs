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

/// Half the surface areas of all boxes in the subtree of a node, each times the price of its
/// contents: first the node's own boxes, then the boxes `below` each child, lane by lane. So when
/// some boxes change, only the sums above them are to be added up again.
pub(super) fn subtree_area(node: &Node, below: impl Fn(usize) -> f64) -> f64 {
    let mut sum = 0.0;
    for lane in 0..node.len() {
        let price = if node.child[lane] & LEAF == 0 { NODE_COST } else { LEAF_COST };
        sum += f64::from(price) * area(&node.bounds(lane));
    }
    node.inner().fold(sum, |sum, (_, child)| sum + below(child))
}

/// The [areas](subtree_area) of all nodes' subtrees.
pub(super) fn subtree_areas(nodes: &[Node]) -> Vec<f64> {
    let mut areas = vec![0.0; nodes.len()];
    // Children come after their parents, so backwards every child is done first.
    for at in (0..nodes.len()).rev() {
        areas[at] = subtree_area(&nodes[at], |below| areas[below]);
    }
    areas
}

/// As [`sah_cost`], but for rounding: from the areas of the subtrees.
pub(super) fn sah_cost_of(nodes: &[Node], blocks: usize, areas: &[f64]) -> f64 {
    let Some(root) = nodes.first() else { return 0.0 };
    let whole = area(&root.whole());
    let prices =
        (nodes.len() - 1) as f64 * f64::from(NODE_COST) + blocks as f64 * f64::from(LEAF_COST);
    // As in `chance`.
    let below = if whole > 0.0 { areas[0] / whole } else { prices };
    f64::from(NODE_COST) + below
}
