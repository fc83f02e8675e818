//! Any hit.

use super::{Filter, Sieve};
use crate::geometry::Ray;
use crate::query::leaf::Verdict;
use crate::query::packet::{Group, Lanes, Packet};
use crate::query::visitor::{Glimpse, Met, Sure, Visitor};
use crate::simd::{Isa, Vector};

/// Stops at the first hit.
#[derive(Clone, Copy)]
pub(crate) struct Any<'a, F> {
    sieve: &'a Sieve<'a, F>,
    t_max: f32,
    found: bool,
}

impl<'a, F: Filter> Visitor for Any<'a, F> {
    type Input = &'a Sieve<'a, F>;
    type Output = bool;

    #[inline(always)]
    fn new(sieve: &'a Sieve<'a, F>, t_max: f32) -> Self {
        Self {
            sieve,
            t_max,
            found: false,
        }
    }

    const ORDERED: bool = false;

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.t_max
    }

    #[inline(always)]
    fn glimpse(&mut self, _: Sure) -> Glimpse {
        if !self.sieve.is_open() {
            return Glimpse::Unclear;
        }
        self.found = true;
        Glimpse::Enough
    }

    #[inline(always)]
    fn visit(&mut self, ray: &Ray, met: Met<'_>) -> bool {
        self.found = self.sieve.sees(ray, met);
        !self.found
    }

    #[inline(always)]
    unsafe fn finish<I: Isa>(self, _: &Ray) -> bool {
        self.found
    }
}

/// [`Any`], side by side.
pub(crate) struct AnyGroup<'a, F> {
    sieve: &'a Sieve<'a, F>,
    /// A bit for each that found something.
    found: u32,
}

impl<'a, F: Filter + Copy> Group for AnyGroup<'a, F> {
    type One = Any<'a, F>;

    #[inline(always)]
    fn new(sieve: &'a Sieve<'a, F>) -> Self {
        Self { sieve, found: 0 }
    }

    #[inline(always)]
    fn one(&self, lane: usize, t_max: f32) -> Self::One {
        Any {
            sieve: self.sieve,
            t_max,
            found: self.found >> lane & 1 != 0,
        }
    }

    #[inline(always)]
    fn put(&mut self, lane: usize, one: &Self::One) {
        self.found |= u32::from(one.found) << lane;
    }

    #[inline(always)]
    unsafe fn glimpse<V: Vector>(
        &mut self,
        _: &mut Lanes,
        first: usize,
        _: u32,
        verdict: &Verdict<V>,
    ) -> (u32, u32) {
        if !self.sieve.is_open() {
            return (0, 0);
        }
        self.found |= verdict.sure << first;
        (0, verdict.sure << first)
    }

    #[inline(always)]
    unsafe fn finish<I: Isa>(self, _: &Packet, _: &[Ray], results: &mut [bool]) {
        for (lane, result) in results.iter_mut().enumerate() {
            *result = self.found >> lane & 1 != 0;
        }
    }
}
