//! A walk in plain code that takes the most promising box first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use crate::bvh::{LEAF, Node, ROOT};
use crate::geometry::Aabb;

/// What a walk asks about boxes, and does at leaves.
pub(crate) trait BoxVisitor {
    /// Asked about a box: `None` leaves out all that is in it. Of all boxes that wait, the one of
    /// the lowest order comes first. It is asked once more right before the box is entered.
    fn enter(&mut self, bounds: &Aabb) -> Option<f32>;

    /// Told the number of a leaf whose box was entered. `Break` ends the walk.
    fn leaf(&mut self, number: u32) -> ControlFlow<()>;
}

/// Walks through the nodes of a tree. Takes O(m log m) time and O(m) memory for m boxes that are
/// let in.
pub(crate) fn visit_boxes(nodes: &[Node], visitor: &mut dyn BoxVisitor) {
    let Some(root) = nodes.first() else { return };
    let mut waiting = BinaryHeap::new();
    let bounds = root.whole();
    if let Some(order) = visitor.enter(&bounds) {
        waiting.push(Waiting::new(order, ROOT, bounds));
    }
    while let Some(Waiting { child, bounds, .. }) = waiting.pop() {
        if visitor.enter(&bounds).is_none() {
            continue;
        }
        if child & LEAF != 0 {
            if visitor.leaf(child & !LEAF).is_break() {
                return;
            }
            continue;
        }
        let node = &nodes[child as usize];
        for lane in 0..node.len() {
            let bounds = node.bounds(lane);
            if let Some(order) = visitor.enter(&bounds) {
                waiting.push(Waiting::new(order, node.child[lane], bounds));
            }
        }
    }
}

/// A box that was let in.
struct Waiting {
    order: f32,
    /// As in [`Node::child`].
    child: u32,
    bounds: Aabb,
}

impl Waiting {
    fn new(order: f32, child: u32, bounds: Aabb) -> Self {
        // One zero, and one NaN that comes last.
        let order = if order.is_nan() { f32::NAN.abs() } else { order + 0.0 };
        Self { order, child, bounds }
    }
}

/// The greatest is the one that comes first.
impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        other.order.total_cmp(&self.order).then(other.child.cmp(&self.child))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Waiting {}
