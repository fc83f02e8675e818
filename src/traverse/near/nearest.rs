//! Searches around a point: for the closest point, or for all triangles within a distance.

use std::cmp::Ordering;
use std::mem::MaybeUninit;
use std::ops::ControlFlow;

use super::closest_point::ClosestPoint;
use super::far_point::FarPoint;
use super::four_distances::FourDistances;
use super::point::PointSetup;
use super::triangle_distances::{Candidate, leaf_distances};
use crate::array::Each;
#[cfg(test)]
use crate::bvh::Node;
use crate::bvh::{Facts, LANES, LeafBlock, ROOT};
use crate::geometry::{PointDistance, ReferencePoint};
use crate::simd::{Isa, Task, opaque};
use crate::traverse::collect::QueryFilter;
use crate::traverse::descent::walk_nearest_first;
use crate::traverse::found::Found;
use crate::traverse::place::InWorld;
use crate::traverse::walk::{Bound, LeafTest, walk};

/// A question about a point: which triangles are near it.
#[derive(Clone, Copy)]
pub(crate) struct NearQuery<'a> {
    pub(crate) filter: &'a QueryFilter<'a>,
    /// The point's index in its batch, if a filter asks for it.
    pub(crate) index: usize,
    pub(crate) point: [f32; 3],
    pub(crate) max_distance: f32,
}

/// A triangle near the point.
#[derive(Clone, Copy)]
pub(crate) struct Near {
    pub(super) distance: PointDistance,
    pub(super) found: Found,
}

impl NearQuery<'_> {
    fn accepts(&self, near: &Near) -> bool {
        let is_in_front = || near.found.is_in_front(self.point);
        let report = || Some(self.report(near)?.hit);
        self.filter.accepts_hit(self.index, near.found.id, is_in_front, report)
    }

    /// The result in the user's numbers.
    pub(crate) fn report(&self, near: &Near) -> Option<ClosestPoint> {
        let distance = near.distance.rounded(self.point, &near.found.corners);
        let weights = near.distance.weights.each(|x| x as f32);
        let on_triangle = (distance, weights, near.distance.feature);
        let (hit, feature) = near.found.report(self.filter, self.point, on_triangle)?;
        let point = near.distance.position(self.point).into();
        Some(ClosestPoint { point, distance, feature, hit })
    }
}

/// What a question keeps of the triangles that may be near enough.
pub(crate) trait NearCollector: Sized {
    const ORDERED: bool;

    fn offer(&mut self, query: &NearQuery<'_>, near: Near) -> Reach;

    /// About the closest point of the nearest triangle so far, to compare others with.
    fn nearest(&self, _point: [f32; 3]) -> Option<ReferencePoint> {
        None
    }
}

/// How far the walk has to look from now on.
pub(crate) enum Reach {
    /// As far as before: the triangle is not near enough.
    Farther,
    /// As far as before.
    Same,
    /// No farther than this.
    Distance(f64),
    /// Nowhere.
    Nowhere,
}

/// The closest triangle. Of equally near ones, the triangle of the lowest number.
pub(crate) struct Closest(pub(crate) Option<Near>);

impl NearCollector for Closest {
    const ORDERED: bool = true;

    #[inline(always)]
    fn offer(&mut self, query: &NearQuery<'_>, near: Near) -> Reach {
        let is_nearer = match &self.0 {
            None => near.is_within(query),
            Some(best) => {
                let order = near.cmp(best, query.point);
                order.then(near.found.id.cmp(&best.found.id)) == Ordering::Less
            }
        };
        if !is_nearer {
            return Reach::Farther;
        }
        if !query.accepts(&near) {
            return Reach::Same;
        }
        self.0 = Some(near);
        Reach::Distance(near.distance.at_most())
    }

    fn nearest(&self, point: [f32; 3]) -> Option<ReferencePoint> {
        Some(self.0.as_ref()?.reference(point))
    }
}

/// All triangles, in no order, until one is said to be enough. One may come several times: a
/// spatial split cut it, or the walk was given up for [`FarPoint`].
pub(crate) struct All<'a>(pub(crate) &'a mut dyn FnMut(&NearQuery<'_>, &Near) -> ControlFlow<()>);

impl NearCollector for All<'_> {
    const ORDERED: bool = false;

    #[inline(always)]
    fn offer(&mut self, query: &NearQuery<'_>, near: Near) -> Reach {
        if !near.is_within(query) {
            return Reach::Farther;
        }
        if query.accepts(&near) && (self.0)(query, &near).is_break() {
            return Reach::Nowhere;
        }
        Reach::Same
    }
}

impl Near {
    /// Which of two triangles is nearer to the same point.
    #[inline(always)]
    pub(crate) fn cmp(&self, other: &Self, point: [f32; 3]) -> Ordering {
        self.distance.cmp(&self.found.corners, (&other.distance, &other.found.corners), point)
    }

    /// About the closest point, to which the closest points of other triangles are compared from
    /// far away.
    pub(crate) fn reference(&self, point: [f32; 3]) -> ReferencePoint {
        ReferencePoint::new(&self.distance, point, &self.found.corners)
    }

    #[inline(always)]
    fn is_within(&self, query: &NearQuery<'_>) -> bool {
        self.distance.is_within(query.max_distance, query.point, &self.found.corners)
    }
}

/// The tests for a question about a point, and how far to look.
#[derive(Clone, Copy)]
pub(crate) struct NearTests {
    pub(crate) blocks: PointSetup,
    pub(crate) nodes: PointSetup,
    pub(crate) bound: f32,
    /// Whether the point is so far away that `f32` tells few of the triangles apart.
    pub(crate) is_far: bool,
}

/// A point is far if it is farther from the tree than this many times the tree's size.
const FAR: f32 = 32.0;

impl NearTests {
    /// `None` if nothing is asked, or the tree is empty. `facts` are the facts of the tree.
    pub(crate) fn new(facts: &Facts, point: [f32; 3], max_distance: f32) -> Option<Self> {
        let finite = point.iter().all(|x| x.is_finite());
        // Also false for NaN.
        let is_asked = finite && max_distance >= 0.0 && !facts.bounds().is_empty();
        is_asked.then(|| {
            let setup = PointSetup::new(facts, point);
            let (bound, is_far) = (setup.scaled(f64::from(max_distance)), is_far(facts, point));
            Self { blocks: setup, nodes: setup, bound, is_far }
        })
    }
}

/// Whether a point is far from a tree of these facts.
#[inline(always)]
pub(crate) fn is_far(facts: &Facts, point: [f32; 3]) -> bool {
    let outside = |k: usize| (facts.min[k] - point[k]).max(point[k] - facts.max[k]);
    outside(0).max(outside(1)).max(outside(2)) > 2.0 * FAR * facts.reach
}

/// A question about a point, as a task for an instruction set. The tree has a node. Gives how far
/// there is to look from then on.
pub(crate) struct Nearby<'a, C> {
    pub(crate) query: &'a NearQuery<'a>,
    pub(crate) tests: &'a NearTests,
    /// About the nearest point of all trees that were asked before, if it is known.
    pub(crate) known: Option<ReferencePoint>,
    pub(crate) collector: C,
}

/// A walk: the collector, and how far it looks.
struct Search<'a, C> {
    query: &'a NearQuery<'a>,
    setup: &'a PointSetup,
    collector: C,
    bound: f32,
    /// Whether the bound of an ordered question may be lowered without the exact distance, since
    /// all triangles count.
    defers: bool,
    deferred: Deferred,
    /// How many triangles may have been near enough by their bounds, and were not.
    farther: u32,
}

/// If more triangles than this looked near enough in `f32` and were not, `f32` does not tell them
/// apart: the walk is given up for [`FarPoint`]. Less than [`MAX_DEFERRED`], so that the first
/// triangles that were left for later can show it.
const MOST_FARTHER: u32 = 24;

/// The most triangles whose exact distances are left for later.
const MAX_DEFERRED: usize = 32;

/// Triangles whose exact distances are left for later. Few of them are as near as the nearest.
struct Deferred {
    all: [MaybeUninit<Candidate>; MAX_DEFERRED],
    count: usize,
}

impl<'a, C: NearCollector> Search<'a, C> {
    fn new(query: &'a NearQuery<'a>, setup: &'a PointSetup, collector: C, bound: f32) -> Self {
        let defers = query.filter.accepts_all;
        let deferred = Deferred { all: [const { MaybeUninit::uninit() }; MAX_DEFERRED], count: 0 };
        Self { query, setup, collector, bound, defers, deferred, farther: 0 }
    }

    /// Offers a triangle to the collector. `Break` ends the walk.
    #[inline(always)]
    fn offer(&mut self, found: Found) -> ControlFlow<()> {
        let distance = PointDistance::new(self.query.point, &found.corners);
        self.offer_near(Near { distance, found })
    }

    #[inline(always)]
    fn offer_near(&mut self, near: Near) -> ControlFlow<()> {
        match self.collector.offer(self.query, near) {
            Reach::Farther => self.farther += 1,
            Reach::Same => {}
            Reach::Distance(distance) => {
                self.bound = self.bound.min(self.setup.scaled(distance));
            }
            Reach::Nowhere => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    }

    /// # Safety
    /// The tree is valid and has a node.
    #[inline(always)]
    unsafe fn walk<I: Isa>(
        &mut self,
        isa: I,
        tests: (&PointSetup, &impl LeafTest<I, Self>),
    ) -> ControlFlow<()> {
        let tree = self.query.filter.tree;
        // SAFETY: as the caller says.
        unsafe {
            if C::ORDERED {
                walk_nearest_first(isa, tree, tests, self)
            } else {
                walk::<I, _, _, _, false>(isa, tree, tests, ROOT, self)
            }
        }
    }

    #[inline(always)]
    fn defer<I: Isa>(&mut self, isa: I, candidate: Candidate) {
        if self.deferred.count == MAX_DEFERRED {
            self.decide_deferred(isa);
        }
        self.deferred.all[self.deferred.count].write(candidate);
        self.deferred.count += 1;
    }

    /// Offers the triangles that were left for later and are still near enough. Not inlined: it is
    /// called from two places, and mostly once per question.
    #[inline(never)]
    fn decide_deferred<I: Isa>(&mut self, isa: I) {
        let mut next = 0;
        while next < self.deferred.count {
            let (mut slots, mut count) = ([0; 4], 0);
            while next < self.deferred.count && count < 4 {
                // SAFETY: as many have been written.
                let candidate = unsafe { self.deferred.all[next].assume_init() };
                next += 1;
                if candidate.is_within(self.bound) {
                    slots[count] = candidate.slot;
                    count += 1;
                }
            }
            if I::BRANCH_FREE && count > 1 {
                let found = [0, 1, 2, 3].each(|i| self.found(slots[i.min(count - 1)]));
                let of = found.refs().each(|found| (&self.query.point, found));
                let distances = isa.call_outlined(FourDistances(of));
                for (found, distance) in found.into_iter().zip(distances).take(count) {
                    let _ = self.offer_near(Near { distance, found });
                }
            } else {
                for &slot in &slots[..count] {
                    let _ = self.offer(self.found(slot));
                }
            }
        }
        self.deferred.count = 0;
    }

    /// Walks with distances that tell triangles apart where `f32` does not: at once from far away,
    /// or after the walk has been given up.
    #[cold]
    #[inline(never)]
    fn walk_from_far(&mut self, known: Option<ReferencePoint>) {
        let NearQuery { filter: QueryFilter { tree, place, .. }, point, max_distance, .. } =
            *self.query;
        let mut walk = FarPoint::new(point, max_distance, self.collector.nearest(point).or(known));
        let _ = walk.walk(tree.nodes, *place, &mut |walk, index| {
            let block = &tree.blocks[index as usize];
            walk.test_block(*place, (block, index), &mut |found, distance| match self
                .collector
                .offer(self.query, Near { distance, found })
            {
                Reach::Farther | Reach::Same => ControlFlow::Continue(false),
                Reach::Distance(distance) => {
                    self.bound = self.bound.min(self.setup.scaled(distance));
                    ControlFlow::Continue(true)
                }
                Reach::Nowhere => ControlFlow::Break(()),
            })
        });
    }

    /// The triangle at a place in the tree that was left for later.
    #[inline(always)]
    fn found(&self, slot: u32) -> Found {
        let QueryFilter { tree, place, .. } = self.query.filter;
        // SAFETY: the place is in a block that has been tested.
        let block = unsafe { tree.blocks.get_unchecked(slot as usize / LANES) };
        Found::at(block, slot).moved(*place)
    }
}

impl<C: NearCollector> Task for Nearby<'_, C> {
    type Output = (C, f32);

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> (C, f32) {
        let Self { query, tests, known, collector } = self;
        let NearTests { blocks: setup, nodes, bound, is_far } = tests;
        let mut search = Search::new(query, setup, collector, *bound);
        if *is_far {
            search.walk_from_far(known);
            return (search.collector, search.bound);
        }
        // SAFETY: a view is of a valid tree, and this one has a node.
        let _ = unsafe { search.walk(isa, (nodes, &InWorld(query.filter.place, NearLeafTest))) };
        if search.farther > MOST_FARTHER {
            search.walk_from_far(known);
        } else if C::ORDERED {
            search.decide_deferred(isa);
        }
        (search.collector, search.bound)
    }
}

impl<C: NearCollector> Bound for Search<'_, C> {
    const ORDERED: bool = C::ORDERED;
    const NODES_AHEAD: bool = false;

    #[inline(always)]
    fn bound(&self) -> f32 {
        self.bound
    }

    #[cfg(test)]
    fn on_node(&mut self, _node: &Node) {
        crate::test_work::count_node();
    }

    #[cfg(test)]
    fn on_block(&mut self, block: &LeafBlock) {
        crate::test_work::count_block(block.len());
    }
}

/// Offers a collector the triangles of a leaf block that may be near enough: the nearest first, or,
/// where exact distances are left for later, in any order.
struct NearLeafTest;

impl<I: Isa, C: NearCollector> LeafTest<I, Search<'_, C>> for NearLeafTest {
    #[inline(always)]
    fn test(
        &self,
        isa: I,
        block: &LeafBlock,
        index: u32,
        search: &mut Search<'_, C>,
    ) -> ControlFlow<()> {
        let (distances, mut mask) =
            leaf_distances::<I::Leaf>(isa, opaque(search.setup), block, search.bound);
        let defers = C::ORDERED && search.defers;
        if defers {
            search.bound = search.bound.min(distances.most());
        }
        while mask != 0 {
            let lane = match defers {
                true => mask.trailing_zeros() as usize,
                false => distances.nearest(mask),
            };
            mask &= !(1 << lane);
            let candidate = distances.candidate(lane, index * LANES as u32 + lane as u32);
            match candidate.is_within(search.bound) {
                true if defers => search.defer(isa, candidate),
                true => search.offer(Found::at(block, candidate.slot))?,
                false => {}
            }
        }
        if search.farther > MOST_FARTHER {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}
