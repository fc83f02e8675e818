//! All hits.

use smallvec::SmallVec;

use super::collector::{Collector, ExactCandidate};
use super::report::report_exact;
use super::{Filter, QueryFilter};
use crate::geometry::Ray;
use crate::simd::Isa;
use crate::traverse::hit::Hit;

/// Collects every hit, in no order; a triangle that is in several leaves, from each that it is met
/// in.
pub(crate) struct All<'a, F: Filter> {
    query_filter: &'a QueryFilter<'a, F>,
    index: F::Index,
    t_max: f32,
    hits: &'a mut SmallVec<[Hit; 4]>,
}

impl<'a, F: Filter> Collector for All<'a, F> {
    type Input = (&'a QueryFilter<'a, F>, &'a mut SmallVec<[Hit; 4]>);
    type Index = F::Index;
    type Output = ();

    #[inline(always)]
    fn new((query_filter, hits): Self::Input, index: F::Index, t_max: f32) -> Self {
        Self { query_filter, index, t_max, hits }
    }

    const CALLS_USER: bool = !F::ACCEPTS_ALL;

    const ORDERED: bool = false;

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.t_max
    }

    #[inline(always)]
    fn offer(&mut self, ray: &Ray, candidate: ExactCandidate<'_>) -> bool {
        if self.query_filter.accepts(ray, self.index, candidate) {
            self.hits.extend(report_exact(self.query_filter.tree, ray, candidate));
        }
        true
    }

    #[inline(always)]
    fn finish<I: Isa>(self, _: I, _: &Ray) {}
}
