//! The closest triangles of many points, with several points in flight.
//!
//! A single point waits like a single ray: for memory, for mispredicted branches, and for one
//! result after the other. So points go through the tree as rays of a
//! [stream](crate::traverse::stream) do, each from one queue to the next:
//!
//! ```text
//! node   test the boxes of a node, push those that are near enough   then node, leaf or done
//! leaf   test the triangles of a leaf block, cull the stack          then node, leaf or done
//! done   decide between the triangles that are left
//! ```
//!
//! What takes long in the first two, the tests, has no branch that depends on a point, so the
//! processor works on several points at once. The distances of these stages have bounds on their
//! errors. The nearest triangle by them lowers the bound, and all that may be as near are kept for
//! the last stage.

mod stages;
mod state;
#[cfg(test)]
mod tests;

use glam::Vec3;

use self::stages::{LeafStage, NodeStage};
use self::state::{IN_FLIGHT, PointStream};
use super::closest_point::ClosestPoint;
use super::four_distances::FourDistances;
use super::nearest::{Closest, Near, NearCollector, NearQuery, NearTests, Nearby};
use crate::array::Each;
use crate::bvh::LANES;
use crate::simd::{Isa, Task};
use crate::traverse::collect::QueryFilter;
use crate::traverse::found::Found;
use crate::traverse::stream::Stage;

/// Fewer points are searched for one by one.
const MIN_POINTS: usize = 8;

/// Points are decided when this many are done.
const DONE_AT_ONCE: usize = 8;

/// Points, and the question about each. The filter has no place: the tree is where it was baked.
pub(crate) struct NearestOfMany<'a, 'p> {
    pub(crate) filter: &'a QueryFilter<'a>,
    /// The index of the first point in its batch, if a filter asks for it.
    pub(crate) first: usize,
    pub(crate) points: &'p [Vec3],
    pub(crate) max_distance: f32,
    /// The points' indices, in the order in which they are asked about.
    pub(crate) order: &'p mut dyn Iterator<Item = usize>,
    /// One for each point.
    pub(crate) near: &'p mut [Option<ClosestPoint>],
}

impl<'a> NearestOfMany<'a, '_> {
    fn query(&self, index: usize) -> NearQuery<'a> {
        let (filter, max_distance) = (self.filter, self.max_distance);
        let number = self.first + index;
        NearQuery { filter, index: number, point: self.points[index].to_array(), max_distance }
    }

    #[inline(always)]
    fn ask_alone<I: Isa>(&mut self, isa: I, index: usize) {
        let query = &self.query(index);
        let facts = &self.filter.tree.facts;
        let tests = NearTests::new(facts, query.point, query.max_distance);
        self.near[index] = tests.and_then(|tests| {
            let nearby = Nearby { query, tests: &tests, known: None, collector: Closest(None) };
            let (Closest(near), _) = isa.call_outlined(nearby);
            query.report(&near?)
        });
    }

    #[inline(always)]
    fn ask_all<I: Isa>(&mut self, isa: I) {
        debug_assert!(self.filter.place.is_none());
        let stream = &mut PointStream::new(self.filter.tree);
        loop {
            self.start(isa, stream);
            let is_over = !step(isa, stream);
            let done = stream.queues.len(Stage::DONE);
            if done >= DONE_AT_ONCE || is_over && done > 0 {
                self.finish(isa, stream);
            } else if is_over {
                return;
            }
        }
    }

    /// Starts as many points as there is room for.
    #[inline(always)]
    fn start<I: Isa>(&mut self, isa: I, stream: &mut PointStream) {
        let tree = self.filter.tree;
        while stream.has_room()
            && let Some(index) = self.order.next()
        {
            let point = self.points[index].to_array();
            match NearTests::new(&tree.facts, point, self.max_distance) {
                Some(tests) if tests.is_far => self.ask_alone(isa, index),
                Some(tests) => stream.start(point, &tests, tree.nodes, index),
                None => self.near[index] = None,
            }
        }
    }

    /// Decides all points that are done.
    #[inline(always)]
    fn finish<I: Isa>(&mut self, isa: I, stream: &mut PointStream) {
        let tree = self.filter.tree;
        let done = stream.queues.take(Stage::DONE, stream.queues.len(Stage::DONE));
        let mut nearest = [const { Closest(None) }; IN_FLIGHT];
        let mut undecided = Undecided { triangles: [None; 4], count: 0 };
        for (entry, place) in done.clone().zip(0..) {
            // SAFETY: a point that is done keeps its state until its place is free, below.
            let state = unsafe { stream.state(stream.queues.ray(Stage::DONE, entry)) };
            for candidate in state.kept().into_iter().flatten() {
                if let Some(block) = tree.blocks.get(candidate.slot as usize / LANES) {
                    let found = Found::at(block, candidate.slot);
                    let triangle = Triangle { place, point_index: state.point_index, found };
                    undecided.triangles[undecided.count] = Some(triangle);
                    undecided.count += 1;
                    if undecided.count == 4 {
                        undecided.decide(isa, self, &mut nearest);
                    }
                }
            }
        }
        undecided.decide(isa, self, &mut nearest);
        for (entry, nearest) in done.zip(&nearest) {
            let offset = stream.queues.ray(Stage::DONE, entry);
            // SAFETY: as above.
            let state = unsafe { stream.state(offset) };
            let index = state.point_index;
            if state.has_given_up() {
                self.ask_alone(isa, index);
            } else {
                let near = nearest.0.as_ref().and_then(|near| self.query(index).report(near));
                self.near[index] = near;
                stream.neighbor = near.map(|near| (self.points[index].to_array(), near.distance));
            }
            stream.free(offset);
        }
    }
}

impl Task for NearestOfMany<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(mut self, isa: I) {
        // Where not all triangles count, a bound needs the filter's answer first.
        if I::BRANCH_FREE && self.points.len() >= MIN_POINTS && self.filter.accepts_all {
            self.ask_all(isa);
            return;
        }
        while let Some(index) = self.order.next() {
            self.ask_alone(isa, index);
        }
    }
}

/// Runs the stage that most points wait for. `false` if none do.
#[inline(always)]
fn step<I: Isa>(isa: I, stream: &mut PointStream) -> bool {
    let [nodes, leaves] = [Stage::NODE, Stage::LEAF].each(|stage| stream.queues.len(stage));
    if nodes > 0 && nodes >= leaves {
        isa.call_outlined(NodeStage(stream));
    } else if leaves > 0 {
        isa.call_outlined(LeafStage(stream));
    } else {
        return false;
    }
    true
}

/// A triangle that may be the nearest to a point.
#[derive(Clone, Copy)]
struct Triangle {
    /// The point's place among those that are done.
    place: usize,
    point_index: usize,
    found: Found,
}

/// Triangles whose distances are computed together.
struct Undecided {
    triangles: [Option<Triangle>; 4],
    count: usize,
}

impl Undecided {
    /// Offers them to the collectors of their points.
    fn decide<I: Isa>(
        &mut self,
        isa: I,
        many: &NearestOfMany<'_, '_>,
        nearest: &mut [Closest; IN_FLIGHT],
    ) {
        self.count = 0;
        let triangles = std::mem::take(&mut self.triangles);
        let Some(first) = &triangles[0] else { return };
        let of = triangles.refs().each(|triangle| {
            let triangle = triangle.as_ref().unwrap_or(first);
            (many.points[triangle.point_index].as_ref(), &triangle.found)
        });
        let distances = isa.call_outlined(FourDistances(of));
        for (triangle, distance) in triangles.into_iter().flatten().zip(distances) {
            let Triangle { place, point_index, found } = triangle;
            nearest[place].offer(&many.query(point_index), Near { distance, found });
        }
    }
}
