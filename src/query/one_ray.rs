//! One ray at a time.

use std::ops::ControlFlow;

use crate::bvh::BvhView;
use crate::geometry::Ray;
use crate::simd;
use crate::traverse::cast::Cast;
use crate::traverse::collect::collector::Collector;
use crate::traverse::collect::{AcceptAll, All, Any, Closest, Filter, HitFilter, RayIndex};
use crate::traverse::hit::{Hit, HitList};
use crate::traverse::options::Query;

/// Asks one ray on the level that the query names.
#[inline(always)]
fn cast<V: Collector>(tree: &BvhView<'_>, ray: &Ray, query: &Query, input: V::Input) -> V::Output {
    simd::run(query.isa, Cast::<V> { tree, ray, index: V::Index::new(0), input })
}

impl BvhView<'_> {
    /// The nearest hit at `t_min <= t <= t_max`, or `None`. Of equally near triangles it is the
    /// one of the lowest mesh, then triangle number.
    ///
    /// Expected time grows with the logarithm of the number of triangles. Nothing is allocated.
    #[must_use]
    pub fn closest_hit(&self, ray: &Ray, query: &Query) -> Option<Hit> {
        self.closest(ray, query, AcceptAll)
    }

    /// The nearest hit that a filter accepts.
    ///
    /// The filter must depend on nothing but the hit: it may be asked about any hit within the
    /// interval, any number of times and in any order.
    #[must_use]
    pub fn closest_hit_where(
        &self,
        ray: &Ray,
        query: &Query,
        filter: impl Fn(&Hit) -> bool,
    ) -> Option<Hit> {
        self.closest(ray, query, filter)
    }

    /// Whether there is any hit at `t_min <= t <= t_max`: the question for lines of sight and
    /// shadows, and cheaper than the nearest hit. Cheapest in an order in which a ray runs much like the one before
    /// it on the same thread: what was in the way of that is looked at first.
    #[must_use]
    pub fn any_hit(&self, ray: &Ray, query: &Query) -> bool {
        self.any(ray, query, AcceptAll)
    }

    /// Whether there is any hit that a filter accepts (see
    /// [`closest_hit_where`](Self::closest_hit_where)).
    #[must_use]
    pub fn any_hit_where(&self, ray: &Ray, query: &Query, filter: impl Fn(&Hit) -> bool) -> bool {
        self.any(ray, query, filter)
    }

    /// Every hit at `t_min <= t <= t_max`, each triangle once, in order of `t`, then mesh, then
    /// triangle. What the list held before is gone; its memory is used again.
    pub fn all_hits(&self, ray: &Ray, query: &Query, hits: &mut HitList) {
        self.all(ray, query, hits, AcceptAll);
    }

    /// Every hit that a filter accepts (see [`closest_hit_where`](Self::closest_hit_where)).
    pub fn all_hits_where(
        &self,
        ray: &Ray,
        query: &Query,
        hits: &mut HitList,
        filter: impl Fn(&Hit) -> bool,
    ) {
        self.all(ray, query, hits, filter);
    }

    /// Calls `each` with every hit in order of `t`, then mesh, then triangle, until it breaks.
    /// `buffer` is where the hits are collected and sorted first; keep it and use it again.
    pub fn for_each_hit(
        &self,
        ray: &Ray,
        query: &Query,
        buffer: &mut HitList,
        each: impl FnMut(&Hit) -> ControlFlow<()>,
    ) {
        self.all_hits(ray, query, buffer);
        let _ = buffer.iter().try_for_each(each);
    }

    #[inline(always)]
    pub(crate) fn hit_filter<'a, F: Filter>(
        &'a self,
        query: &'a Query,
        filter: F,
    ) -> HitFilter<'a, F> {
        HitFilter { tree: self, query, filter }
    }

    #[inline(always)]
    pub(crate) fn closest(&self, ray: &Ray, query: &Query, filter: impl Filter) -> Option<Hit> {
        cast::<Closest<'_, _>>(self, ray, query, &self.hit_filter(query, filter))
    }

    #[inline(always)]
    pub(crate) fn any(&self, ray: &Ray, query: &Query, filter: impl Filter) -> bool {
        cast::<Any<'_, _>>(self, ray, query, &self.hit_filter(query, filter))
    }

    pub(crate) fn all(&self, ray: &Ray, query: &Query, hits: &mut HitList, filter: impl Filter) {
        hits.clear();
        let hit_filter = &self.hit_filter(query, filter);
        cast::<All<'_, _>>(self, ray, query, (hit_filter, &mut hits.hits));
        hits.hits.sort_unstable_by(|a, b| {
            // No hit has a NaN; minus zero is zero.
            let by_t = a.t.partial_cmp(&b.t).unwrap_or(std::cmp::Ordering::Equal);
            by_t.then((a.mesh, a.triangle, a.slot).cmp(&(b.mesh, b.triangle, b.slot)))
        });
        // A triangle that a spatial split cut is in several leaves.
        hits.hits.dedup_by_key(|hit| (hit.mesh, hit.triangle));
    }
}
