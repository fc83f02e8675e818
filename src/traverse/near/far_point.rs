//! The walk for a point from which most of the tree is about as far, as far as `f32` can tell: one
//! that is far away, or next to triangles that are tiny as measured by the tree.
//!
//! It gives the same answers with differences of squared distances in `f64`, which tell boxes apart
//! wherever the point is, at a tenth of the speed. It is plain code, the same for every instruction
//! set.

#[cfg(test)]
mod tests;

use std::ops::ControlFlow;

use crate::array::Each;
use crate::bvh::{LANES, LEAF, LeafBlock, MAX_DEPTH, Node, ROOT, UNUSED_ID, WIDTH};
use crate::geometry::{PointDistance, ReferencePoint, is_finite};
use crate::traverse::found::Found;
use crate::traverse::place::Place;

/// A point, and how far there is to look.
pub(crate) struct FarPoint {
    point: [f64; 3],
    /// The square of the largest distance that counts, or more.
    limit: f64,
    /// About the closest point of the nearest triangle so far.
    pub(crate) nearest: Option<ReferencePoint>,
}

/// A subtree that is put off: a node, and the lane of its child.
type Entry = (u32, u32);

impl FarPoint {
    pub(crate) fn new(point: [f32; 3], max_distance: f32, nearest: Option<ReferencePoint>) -> Self {
        let limit = f64::from(max_distance);
        // More than the roundings of a square.
        let limit = limit * limit * (1.0 + 16.0 * f64::EPSILON);
        Self { point: point.each(f64::from), limit, nearest }
    }

    /// Whether a box matters whose nearest point this is.
    fn reaches(&self, at: [f64; 3]) -> bool {
        let way = [0, 1, 2].each(|k| at[k] - self.point[k]);
        let is_near = way[0] * way[0] + way[1] * way[1] + way[2] * way[2] <= self.limit;
        is_near && !self.nearest.is_some_and(|nearest| nearest.is_nearer_than(self.point, at))
    }

    /// Calls `leaf` for each leaf of a tree that matters, the nearest first, until it gives
    /// `Break`. A tree that stands elsewhere has a place.
    #[cold]
    #[inline(never)]
    pub(crate) fn walk(
        &mut self,
        nodes: &[Node],
        place: Option<&Place<'_>>,
        leaf: &mut dyn FnMut(&mut Self, u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut stack: [Entry; MAX_DEPTH as usize * (WIDTH - 1) + 1] =
            [(0, 0); MAX_DEPTH as usize * (WIDTH - 1) + 1];
        let mut top = 0;
        let Some(first) = nodes.first() else { return ControlFlow::Continue(()) };
        // To tell which of two boxes is nearer while nothing is found.
        let somewhere = ReferencePoint::corner(first.bounds(0).min.to_array());
        let mut child = ROOT;
        loop {
            if child & LEAF != 0 {
                leaf(self, child & !LEAF)?;
            } else {
                let node = &nodes[child as usize];
                #[cfg(test)]
                crate::test_work::count_node();
                let seen_from = self.nearest.unwrap_or(somewhere);
                let (mut keys, mut count) = ([0.0; WIDTH], 0);
                for lane in 0..node.len() {
                    let at = self.nearest_of_box(node, lane, place);
                    if !self.reaches(at) {
                        continue;
                    }
                    // The nearest last, so that it comes first.
                    let key = seen_from.difference(self.point, at);
                    let mut to = count;
                    while to > 0 && keys[to - 1] < key {
                        keys[to] = keys[to - 1];
                        stack[top + to] = stack[top + to - 1];
                        to -= 1;
                    }
                    keys[to] = key;
                    stack[top + to] = (child, lane as u32);
                    count += 1;
                }
                top += count;
            }
            // What has been found since may be nearer than what was put off.
            child = loop {
                let Some(next) = top.checked_sub(1) else { return ControlFlow::Continue(()) };
                top = next;
                let (node, lane) = (&nodes[stack[top].0 as usize], stack[top].1 as usize);
                if self.reaches(self.nearest_of_box(node, lane, place)) {
                    break node.child[lane];
                }
            };
        }
    }

    /// The point of a child's box that is nearest.
    fn nearest_of_box(&self, node: &Node, lane: usize, place: Option<&Place<'_>>) -> [f64; 3] {
        let [min, max] = [&node.min, &node.max].each(|planes| [0, 1, 2].each(|k| planes[k][lane]));
        let [min, max] = match place {
            Some(place) => place.box_to_world([min, max]),
            None => [min, max].each(|corner| corner.each(f64::from)),
        };
        [0, 1, 2].each(|k| self.point[k].max(min[k]).min(max[k]))
    }

    /// Calls `offer` for the triangles of a leaf block that may matter, until it gives `Break`. It
    /// says whether the triangle is the nearest so far.
    pub(super) fn test_block(
        &mut self,
        place: Option<&Place<'_>>,
        (block, index): (&LeafBlock, u32),
        offer: &mut dyn FnMut(Found, PointDistance) -> ControlFlow<(), bool>,
    ) -> ControlFlow<()> {
        #[cfg(test)]
        crate::test_work::count_block(block.len());
        let point = self.point.each(|x| x as f32);
        for lane in 0..LANES {
            if block.id[lane] == UNUSED_ID {
                continue;
            }
            let found = Found::new(block, index, lane).moved(place);
            // One that is too large for the world is not there.
            if !is_finite(&found.corners) {
                continue;
            }
            let distance = PointDistance::new(point, &found.corners);
            let at = ReferencePoint::new(&distance, point, &found.corners);
            let is_farther = self.nearest.is_some_and(|nearest| {
                nearest.is_nearer_than_triangle(self.point, (&at, &found.corners))
            });
            if !is_farther && offer(found, distance)? {
                self.nearest = Some(at);
            }
        }
        ControlFlow::Continue(())
    }
}
