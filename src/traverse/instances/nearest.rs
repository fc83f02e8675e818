//! What is near a point, in a scene.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use super::TopLevels;
use super::collectors::{FilterInInstance, SceneQuery};
use super::visit::{Test, for_each_tree};
use crate::simd;
use crate::traverse::collect::QueryFilter;
use crate::traverse::instance_hit::{InInstance, InstanceId};
use crate::traverse::options::SceneFilter;
use crate::traverse::place::Place;
use crate::traverse::volume::{
    AllNear, AnyNear, ClosestPoint, Near, NearCollector, NearQuery, NearTests, Nearby, Nearest,
};

/// What is asked about a point in a scene.
pub(crate) struct NearInScene<'a, F> {
    pub(crate) tops: &'a TopLevels<'a>,
    pub(crate) query: SceneQuery<'a, F>,
    pub(crate) point: [f32; 3],
    pub(crate) max_distance: f32,
}

/// The question in one instance.
type NearHere<'a, F> = NearQuery<'a, FilterInInstance<'a, F>>;

impl<F: SceneFilter> NearInScene<'_, F> {
    /// The closest point; of equally near triangles that of the lowest handle, then number.
    #[inline(always)]
    pub(crate) fn closest(&self) -> Option<InInstance<ClosestPoint>> {
        let mut best: Option<(Near, InInstance<ClosestPoint>)> = None;
        self.ask_each(|instance, query, tests| {
            let (nearest, bound) = self.ask(query, tests, Nearest(None));
            let Some(near) = nearest.0 else { return ControlFlow::Continue(bound) };
            let is_nearer = best.as_ref().is_none_or(|(other, found)| {
                let order = near.cmp(other, self.point);
                order.then(instance.cmp(&found.instance)) == Ordering::Less
            });
            if is_nearer && let Some(found) = query.report(&near) {
                best = Some((near, InInstance { instance, found }));
            }
            ControlFlow::Continue(bound)
        });
        Some(best?.1)
    }

    /// Whether there is any triangle.
    #[inline(always)]
    pub(crate) fn any(&self) -> bool {
        let mut any = false;
        self.ask_each(|_, query, tests| {
            any = self.ask(query, tests, AnyNear(false)).0.0;
            if any { ControlFlow::Break(()) } else { ControlFlow::Continue(tests.bound) }
        });
        any
    }

    /// All triangles, in no order. One that a spatial split cut may come several times.
    #[inline(always)]
    pub(crate) fn all(&self, near: &mut Vec<InInstance<ClosestPoint>>) {
        self.ask_each(|instance, query, tests| {
            self.ask(query, tests, AllNear(|found| near.push(InInstance { instance, found })));
            ControlFlow::Continue(tests.bound)
        });
    }

    #[inline(always)]
    fn ask<C>(&self, query: &NearHere<'_, F>, tests: &NearTests, collector: C) -> (C, f32)
    where
        C: for<'a> NearCollector<FilterInInstance<'a, F>>,
    {
        simd::run(self.query.options.isa, Nearby { query, tests, collector })
    }

    /// Calls `ask` with the question in each instance that may matter.
    #[inline(always)]
    fn ask_each(
        &self,
        mut ask: impl FnMut(InstanceId, &NearHere<'_, F>, &NearTests) -> ControlFlow<(), f32>,
    ) {
        let Self { tops, ref query, point, max_distance } = *self;
        let Some(world) = NearTests::new(&tops.facts.boxes, point, max_distance) else { return };
        let (test, mut bound) = (&Test::Point(&world.blocks), world.bound);
        for_each_tree(tops, query.options, test, bound, |instance, tree| {
            let place = &Place::new(&instance.transform, &tree.facts);
            let filter = query.filter_in(instance.id, Some(place));
            let filter = &QueryFilter { tree, query: query.options, filter };
            let here = NearQuery { filter, index: (), point, max_distance };
            let nodes = world.blocks.in_place(place, &tree.facts, point);
            bound = ask(instance.id, &here, &NearTests { nodes, bound, ..world })?;
            ControlFlow::Continue(bound)
        });
    }
}
