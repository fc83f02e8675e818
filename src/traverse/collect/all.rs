//! All hits.

use smallvec::SmallVec;

use super::collector::{Met, Visitor};
use super::report::translate;
use super::{Filter, Sieve};
use crate::geometry::Ray;
use crate::simd::Isa;
use crate::traverse::hit::Hit;

/// Collects every hit, in no order; a triangle that is in several leaves, from each that it is met
/// in.
pub(crate) struct All<'a, F> {
    sieve: &'a Sieve<'a, F>,
    t_max: f32,
    hits: &'a mut SmallVec<[Hit; 4]>,
}

impl<'a, F: Filter> Visitor for All<'a, F> {
    type Input = (&'a Sieve<'a, F>, &'a mut SmallVec<[Hit; 4]>);
    type Output = ();

    #[inline(always)]
    fn new((sieve, hits): Self::Input, t_max: f32) -> Self {
        Self { sieve, t_max, hits }
    }

    const ORDERED: bool = false;

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.t_max
    }

    #[inline(always)]
    fn visit(&mut self, ray: &Ray, met: Met<'_>) -> bool {
        if self.sieve.sees(ray, met) {
            self.hits.extend(translate(self.sieve.tree, ray, met));
        }
        true
    }

    #[inline(always)]
    fn finish<I: Isa>(self, _: I, _: &Ray) {}
}
