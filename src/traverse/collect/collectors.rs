//! The collectors of the three questions: closest hit, any hit, all hits.

use super::report::{NO_SLOT, block_and_lane, report, report_exact};
use super::{CertainHit, Collector, ExactCandidate, Offered, QueryFilter, corners};
use crate::bvh::LANES;
use crate::geometry::{Ray, intersect_exact};
use crate::simd::Isa;
use crate::traverse::hit::Hit;
use crate::traverse::ray::exact_hit::exact_hit;
use crate::traverse::walk::Bound;

/// The closest hit; of equally near ones the hit on the lowest mesh, then triangle.
///
/// During the walk the triangle's place and bounds on its `t` are mostly enough. The hit itself is
/// computed once, at the end.
#[derive(Clone, Copy)]
pub(crate) struct Closest<'a> {
    pub(crate) query_filter: &'a QueryFilter<'a>,
    pub(crate) index: usize,
    pub(crate) t_max: f32,
    /// A lower bound on the best `t` so far: `t` itself if `id` is known.
    pub(crate) t_lo: f32,
    pub(crate) slot: u32,
    /// The triangle's number among all, if it was tested exactly.
    pub(crate) id: Option<u32>,
}

impl Closest<'_> {
    /// Whether the triangle at `slot` is the best so far.
    pub(crate) fn is_best(&self, slot: u32) -> bool {
        let id = |slot: u32| {
            let (block, lane) = block_and_lane(self.query_filter.tree, slot)?;
            Some(block.id[lane])
        };
        self.slot != NO_SLOT && id(slot) == id(self.slot)
    }
}

impl Bound for Closest<'_> {
    const ORDERED: bool = true;

    #[inline(always)]
    fn bound(&self) -> f32 {
        self.t_max
    }
}

impl<'a> Collector for Closest<'a> {
    type Input = &'a QueryFilter<'a>;
    type Output = Option<Hit>;

    #[inline(always)]
    fn new(query_filter: &'a QueryFilter<'a>, index: usize, t_max: f32) -> Self {
        Self { query_filter, index, t_max, t_lo: f32::INFINITY, slot: NO_SLOT, id: None }
    }

    #[inline(always)]
    fn offer_certain(&mut self, hit: CertainHit) -> Offered {
        if !self.query_filter.accepts_all {
            return Offered::Unclear;
        }
        // Only a triangle that is certainly nearer takes the place of the best without an exact
        // test. Or it is the best itself, in another of the leaves that a spatial split put it in.
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
            let Some((block, lane)) = block_and_lane(self.query_filter.tree, self.slot) else {
                return;
            };
            if let Some(hit) = &intersect_exact(ray, &|| corners(block, lane)) {
                let (id, slot) = (block.id[lane], self.slot);
                self.offer(ray, ExactCandidate { hit, block, id, slot });
            }
        }
    }

    fn offer(&mut self, ray: &Ray, candidate: ExactCandidate<'_>) -> bool {
        // A hit past `t_max` is not offered, so this one is nearer or as near.
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

/// Any hit: ends with the first that is found.
#[derive(Clone, Copy)]
pub(crate) struct Any<'a> {
    query_filter: &'a QueryFilter<'a>,
    index: usize,
    t_max: f32,
    /// The place in the tree of the triangle that it found.
    pub(crate) found: Option<u32>,
}

impl Bound for Any<'_> {
    const ORDERED: bool = false;

    #[inline(always)]
    fn bound(&self) -> f32 {
        self.t_max
    }
}

impl<'a> Collector for Any<'a> {
    type Input = &'a QueryFilter<'a>;
    type Output = bool;

    #[inline(always)]
    fn new(query_filter: &'a QueryFilter<'a>, index: usize, t_max: f32) -> Self {
        Self { query_filter, index, t_max, found: None }
    }

    const ANY: bool = true;

    #[inline(always)]
    fn hit_block(&self) -> Option<u32> {
        self.found.map(|slot| slot / LANES as u32)
    }

    #[inline(always)]
    fn offer_certain(&mut self, hit: CertainHit) -> Offered {
        if !self.query_filter.accepts_all {
            return Offered::Unclear;
        }
        self.found = Some(hit.slot);
        Offered::Done
    }

    #[inline(always)]
    fn offer(&mut self, ray: &Ray, candidate: ExactCandidate<'_>) -> bool {
        if self.query_filter.accepts(ray, self.index, candidate) {
            self.found = Some(candidate.slot);
        }
        self.found.is_none()
    }

    #[inline(always)]
    fn finish<I: Isa>(self, _: I, _: &Ray) -> bool {
        self.found.is_some()
    }
}

/// All hits, in no order. A triangle that is in several leaves is collected from each that is
/// visited.
pub(crate) struct All<'a> {
    query_filter: &'a QueryFilter<'a>,
    index: usize,
    t_max: f32,
    /// Takes a hit. Called through a pointer, so that trees and scenes share a kernel.
    take: &'a mut dyn FnMut(Hit),
}

impl Bound for All<'_> {
    const ORDERED: bool = false;

    #[inline(always)]
    fn bound(&self) -> f32 {
        self.t_max
    }
}

impl<'a> Collector for All<'a> {
    type Input = (&'a QueryFilter<'a>, &'a mut dyn FnMut(Hit));
    type Output = ();

    #[inline(always)]
    fn new((query_filter, take): Self::Input, index: usize, t_max: f32) -> Self {
        Self { query_filter, index, t_max, take }
    }

    #[inline(always)]
    fn offer(&mut self, ray: &Ray, candidate: ExactCandidate<'_>) -> bool {
        if self.query_filter.accepts(ray, self.index, candidate)
            && let Some(hit) = report_exact(self.query_filter.tree, ray, candidate)
        {
            (self.take)(hit);
        }
        true
    }

    #[inline(always)]
    fn finish<I: Isa>(self, _: I, _: &Ray) {}
}
