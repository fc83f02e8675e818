//! Any hit.

use super::collector::{Glimpse, Met, Sure, Visitor};
use super::{Filter, Sieve};
use crate::bvh::LANES;
use crate::geometry::Ray;
use crate::simd::Isa;

/// Stops at the first hit.
#[derive(Clone, Copy)]
pub(crate) struct Any<'a, F> {
    sieve: &'a Sieve<'a, F>,
    t_max: f32,
    /// Where the tree keeps what it found.
    pub(crate) found: Option<u32>,
}

impl<'a, F: Filter> Visitor for Any<'a, F> {
    type Input = &'a Sieve<'a, F>;
    type Output = bool;

    #[inline(always)]
    fn new(sieve: &'a Sieve<'a, F>, t_max: f32) -> Self {
        Self { sieve, t_max, found: None }
    }

    const ORDERED: bool = false;

    const ANY: bool = true;

    #[inline(always)]
    fn ended_in(&self) -> Option<u32> {
        self.found.map(|slot| slot / LANES as u32)
    }

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.t_max
    }

    #[inline(always)]
    fn glimpse(&mut self, sure: Sure) -> Glimpse {
        if !self.sieve.is_open() {
            return Glimpse::Unclear;
        }
        self.found = Some(sure.slot);
        Glimpse::Enough
    }

    #[inline(always)]
    fn visit(&mut self, ray: &Ray, met: Met<'_>) -> bool {
        if self.sieve.sees(ray, met) {
            self.found = Some(met.slot);
        }
        self.found.is_none()
    }

    #[inline(always)]
    fn finish<I: Isa>(self, _: I, _: &Ray) -> bool {
        self.found.is_some()
    }
}
