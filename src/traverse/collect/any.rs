//! Any hit.

use super::collector::{CertainHit, Collector, ExactCandidate, Offered};
use super::{Filter, QueryFilter};
use crate::bvh::LANES;
use crate::geometry::Ray;
use crate::simd::Isa;

/// Stops at the first hit.
#[derive(Clone, Copy)]
pub(crate) struct Any<'a, F: Filter> {
    query_filter: &'a QueryFilter<'a, F>,
    index: F::Index,
    t_max: f32,
    /// Where the tree keeps what it found.
    pub(crate) found: Option<u32>,
}

impl<'a, F: Filter> Collector for Any<'a, F> {
    type Input = &'a QueryFilter<'a, F>;
    type Index = F::Index;
    type Output = bool;

    #[inline(always)]
    fn new(query_filter: &'a QueryFilter<'a, F>, index: F::Index, t_max: f32) -> Self {
        Self { query_filter, index, t_max, found: None }
    }

    const CALLS_USER: bool = !F::ACCEPTS_ALL;

    const ORDERED: bool = false;

    const ANY: bool = true;

    #[inline(always)]
    fn hit_block(&self) -> Option<u32> {
        self.found.map(|slot| slot / LANES as u32)
    }

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.t_max
    }

    #[inline(always)]
    fn offer_certain(&mut self, hit: CertainHit) -> Offered {
        if !self.query_filter.accepts_all() {
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
