//! The nearest hit.

use super::collector::{CertainHit, Collector, ExactCandidate, Offered, corners};
use super::report::{NO_SLOT, block_and_lane, report};
use super::{Filter, QueryFilter};
use crate::bvh::TreeView;
use crate::geometry::{Ray, intersect_exact};
use crate::simd::Isa;
use crate::traverse::hit::Hit;
use crate::traverse::ray::exact_hit::exact_hit;

/// Keeps the nearest hit; of equally near ones that of the lowest (mesh, triangle).
///
/// On the way it is enough to know where the tree keeps the triangle and about where it is: what
/// the caller is told is worked out once, at the end.
#[derive(Clone, Copy)]
pub(crate) struct Closest<'a, F: Filter> {
    pub(crate) query_filter: &'a QueryFilter<'a, F>,
    pub(crate) index: F::Index,
    pub(crate) t_max: f32,
    /// The best so far is at this `t`, or farther if it is not settled.
    pub(crate) t_lo: f32,
    pub(crate) slot: u32,
    /// Its number among all triangles, if it is settled.
    pub(crate) id: Option<u32>,
}

impl<F: Filter> Closest<'_, F> {
    /// Whether the triangle kept at `slot` is the best so far.
    pub(crate) fn is_best(&self, slot: u32) -> bool {
        let id = |slot: u32| {
            let (block, lane) = block_and_lane(self.query_filter.tree, slot)?;
            Some(block.id[lane])
        };
        self.slot != NO_SLOT && id(slot) == id(self.slot)
    }
}

impl<'a, F: Filter> Collector for Closest<'a, F> {
    type Input = &'a QueryFilter<'a, F>;
    type Index = F::Index;
    type Output = Option<Hit>;

    #[inline(always)]
    fn new(query_filter: &'a QueryFilter<'a, F>, index: F::Index, t_max: f32) -> Self {
        Self { query_filter, index, t_max, t_lo: f32::INFINITY, slot: NO_SLOT, id: None }
    }

    const CALLS_USER: bool = !F::ACCEPTS_ALL;

    const ORDERED: bool = true;

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.t_max
    }

    #[inline(always)]
    fn offer_certain(&mut self, hit: CertainHit) -> Offered {
        if !self.query_filter.accepts_all() {
            return Offered::Unclear;
        }
        // Only if it is nearer beyond doubt need nobody know what the best so far was; unless it is
        // that, in another of the leaves that a spatial split put it into.
        if hit.t_hi >= self.t_lo {
            return if self.is_best(hit.slot) { Offered::Taken } else { Offered::Unclear };
        }
        self.slot = hit.slot;
        self.id = None;
        self.t_lo = hit.t_lo;
        if hit.t_hi < self.t_max {
            self.t_max = hit.t_hi;
        }
        Offered::Taken
    }

    fn resolve(&mut self, ray: &Ray) {
        if self.slot != NO_SLOT && self.id.is_none() {
            meet_at(self.query_filter.tree, ray, self.slot, |candidate| {
                Some(self.offer(ray, candidate))
            });
        }
    }

    fn offer(&mut self, ray: &Ray, candidate: ExactCandidate<'_>) -> bool {
        // Hits past `t_max` do not get here, so this one is nearer or as near.
        let worse = candidate.hit.t == self.t_lo && self.id.is_some_and(|id| candidate.id >= id);
        if !worse && self.query_filter.accepts(ray, self.index, candidate) {
            self.t_max = candidate.hit.t;
            self.t_lo = candidate.hit.t;
            self.slot = candidate.slot;
            self.id = Some(candidate.id);
        }
        true
    }

    #[inline(always)]
    fn finish<I: Isa>(self, isa: I, ray: &Ray) -> Option<Hit> {
        if self.slot == NO_SLOT {
            return None;
        }
        let tree = self.query_filter.tree;
        let (block, lane) = block_and_lane(tree, self.slot)?;
        let hit_point = exact_hit::<I::F64x4>(isa, ray, &|| corners(block, lane))?;
        report(tree, block.id[lane], self.slot, &hit_point)
    }
}

/// The reference's word on the triangle kept at `slot`, and what is made of it.
#[inline(always)]
fn meet_at<R>(
    tree: &TreeView<'_>,
    ray: &Ray,
    slot: u32,
    then: impl FnOnce(ExactCandidate<'_>) -> Option<R>,
) -> Option<R> {
    let (block, lane) = block_and_lane(tree, slot)?;
    let hit = &intersect_exact(ray, &|| corners(block, lane))?;
    then(ExactCandidate { hit, block, id: block.id[lane], slot })
}
