//! The triangles near a point, in a scene.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use super::collectors::SceneQuery;
use super::visit::{Test, for_each_tree};
use super::{PlacedInstance, TopLevels};
use crate::array::Each;
use crate::bvh::TreeView;
use crate::geometry::ReferencePoint;
use crate::simd;
use crate::traverse::near::{
    AllNear, ClosestPoint, FarPoint, Near, NearCollector, NearQuery, NearTests, Nearby, Nearest,
    is_far,
};
use crate::traverse::place::Place;

/// A question about a point in a scene: which triangles are near it.
pub(crate) struct NearInScene<'a> {
    pub(crate) tops: &'a TopLevels<'a>,
    pub(crate) query: SceneQuery<'a>,
    pub(crate) point: [f32; 3],
    pub(crate) max_distance: f32,
}

/// The question in one instance, its tests, and about the nearest point so far, if it is known.
struct Here<'a, 'q> {
    query: &'q NearQuery<'a>,
    tests: &'q NearTests,
    known: Option<ReferencePoint>,
}

/// How far to look from then on.
struct Next {
    bound: f32,
    nearest: Option<ReferencePoint>,
    /// Whether the instance had anything that is near enough.
    has_any: bool,
}

/// With more instances that have nothing near enough, a walk is given up for the walk of
/// [`FarPoint`].
const MOST_WITHOUT: u32 = 64;

impl NearInScene<'_> {
    /// The closest point. If several triangles are equally near, the lowest handle decides, then
    /// the lowest number.
    #[inline(always)]
    pub(crate) fn closest(&self) -> Option<ClosestPoint> {
        let mut best: Option<(Near, ClosestPoint)> = None;
        self.ask_each(&mut |here| {
            let (nearest, bound) = self.ask(here, Nearest(None));
            let has_any = nearest.0.is_some();
            if let Some(near) = nearest.0 {
                let instance = here.query.filter.instance;
                let is_nearer = best.as_ref().is_none_or(|(other, found)| {
                    let order = near.cmp(other, self.point);
                    order.then(instance.cmp(&found.hit.instance)) == Ordering::Less
                });
                if is_nearer && let Some(found) = here.query.report(&near) {
                    best = Some((near, found));
                }
            }
            let nearest = best.as_ref().map(|(near, _)| near.reference(self.point));
            ControlFlow::Continue(Next { bound, nearest, has_any })
        });
        Some(best?.1)
    }

    /// Whether there is any triangle.
    #[inline(always)]
    pub(crate) fn any(&self) -> bool {
        let mut any = false;
        self.ask_each(&mut |here| {
            let mut visit = |_: &NearQuery<'_>, _: &Near| {
                any = true;
                ControlFlow::Break(())
            };
            self.ask(here, AllNear(&mut visit));
            if any { ControlFlow::Break(()) } else { ControlFlow::Continue(here.as_before(false)) }
        });
        any
    }

    /// All triangles, in no order. One may come several times.
    #[inline(always)]
    pub(crate) fn all(&self, near: &mut Vec<ClosestPoint>) {
        self.ask_each(&mut |here| {
            let before = near.len();
            let mut visit = |query: &NearQuery<'_>, found: &Near| {
                near.extend(query.report(found));
                ControlFlow::Continue(())
            };
            self.ask(here, AllNear(&mut visit));
            ControlFlow::Continue(here.as_before(near.len() > before))
        });
    }

    #[inline(always)]
    fn ask<C>(&self, here: &Here<'_, '_>, collector: C) -> (C, f32)
    where
        C: NearCollector,
    {
        let Here { query, tests, known, .. } = *here;
        simd::run(self.query.query.isa, Nearby { query, tests, known, collector })
    }

    /// Calls `ask` with the question in each instance that may matter.
    #[inline(always)]
    fn ask_each(&self, ask: &mut impl FnMut(&Here<'_, '_>) -> ControlFlow<(), Next>) {
        let Self { tops, ref query, point, max_distance } = *self;
        let Some(world) = NearTests::new(&tops.facts.boxes, point, max_distance) else { return };
        let (test, mut bound, mut nearest) = (&Test::Point(&world.blocks), world.bound, None);
        let mut without = 0;
        if !world.is_far {
            for_each_tree(tops, query.query, test, bound, |instance, tree| {
                let next = self.ask_one(&world, (instance, tree), (bound, nearest), ask)?;
                (bound, nearest) = (next.bound, next.nearest);
                without += u32::from(!next.has_any);
                if without > MOST_WITHOUT {
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(bound)
            });
        }
        if world.is_far || without > MOST_WITHOUT {
            self.ask_each_from_far(&world, (bound, nearest), ask);
        }
    }

    #[cold]
    #[inline(never)]
    fn ask_each_from_far(
        &self,
        world: &NearTests,
        (mut bound, nearest): (f32, Option<ReferencePoint>),
        ask: &mut impl FnMut(&Here<'_, '_>) -> ControlFlow<(), Next>,
    ) {
        let mut walk = FarPoint::new(self.point, self.max_distance, nearest);
        for view in &self.tops.levels {
            let flow = walk.walk(&view.top.nodes, None, &mut |walk, index| {
                let instance = view.get(index, self.query.query);
                let tree =
                    instance.and_then(|instance| Some((instance, self.tops.tree(instance)?)));
                let Some(tree) = tree else { return ControlFlow::Continue(()) };
                let next = self.ask_one(world, tree, (bound, walk.nearest), ask)?;
                (bound, walk.nearest) = (next.bound, next.nearest);
                ControlFlow::Continue(())
            });
            if flow.is_break() {
                return;
            }
        }
    }

    #[inline(always)]
    fn ask_one(
        &self,
        world: &NearTests,
        (instance, tree): (&PlacedInstance, &TreeView<'_>),
        (bound, known): (f32, Option<ReferencePoint>),
        ask: &mut impl FnMut(&Here<'_, '_>) -> ControlFlow<(), Next>,
    ) -> ControlFlow<(), Next> {
        let Self { ref query, point, max_distance, .. } = *self;
        let place = &Place::new(&instance.transform, &tree.facts);
        let filter = &query.filter_in(instance.id, tree, Some(place));
        let here = NearQuery { filter, index: 0, point, max_distance };
        let nodes = world.blocks.in_place(place, &tree.facts, point);
        let local = instance.transform.point_to_local(point).each(|x| x as f32);
        let is_far = world.is_far || is_far(&tree.facts, local);
        let tests = &NearTests { nodes, bound, is_far, ..*world };
        ask(&Here { query: &here, tests, known })
    }
}

impl Here<'_, '_> {
    fn as_before(&self, has_any: bool) -> Next {
        Next { bound: self.tests.bound, nearest: self.known, has_any }
    }
}
