//! Any hit.

use super::collector::{Glimpse, Many, Met, Sure, Visitor};
use super::{Filter, Sieve};
use crate::bvh::{LANES, TreeView};
use crate::geometry::Ray;
use crate::simd::{Isa, Vector};
use crate::traverse::packet::{Group, Lanes, Mask, Packet, ROW, WHOLE_ROW};
use crate::traverse::ray::leaf_test::Verdict;

/// Stops at the first hit.
#[derive(Clone, Copy)]
pub(crate) struct Any<'a, F> {
    sieve: &'a Sieve<'a, F>,
    t_max: f32,
    /// Where the tree keeps what it found.
    found: Option<u32>,
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

impl<'a, F: Filter + Copy> Many for Any<'a, F> {
    type Answers = ();
    const NO_ANSWERS: () = ();
    const MOST: usize = usize::MAX;

    #[inline(always)]
    fn answer<'b, I: Isa>(
        visitors: impl Iterator<Item = (usize, &'b Self)>,
        _tree: &TreeView<'_>,
        _rays: &[Ray],
        results: &mut [bool],
        _answers: &mut (),
    ) where
        Self: 'b,
    {
        for (number, visitor) in visitors {
            results[number] = visitor.found.is_some();
        }
    }

    #[inline(always)]
    fn write(_: &mut (), _: &TreeView<'_>, _: &[Ray], _: &mut [bool]) {}
}

/// [`Any`], side by side.
pub(crate) struct AnyGroup<'a, F> {
    sieve: &'a Sieve<'a, F>,
    /// A bit for each that found something.
    found: Mask,
}

impl<'a, F: Filter + Copy> Group for AnyGroup<'a, F> {
    type One = Any<'a, F>;

    #[inline(always)]
    fn new(sieve: &'a Sieve<'a, F>) -> Self {
        Self { sieve, found: 0 }
    }

    // (Nobody asks again who has found something.)
    #[inline(always)]
    fn one(&self, _lane: usize, t_max: f32) -> Self::One {
        Any::new(self.sieve, t_max)
    }

    #[inline(always)]
    fn put(&mut self, lane: usize, one: &Self::One) {
        self.found |= Mask::from(one.found.is_some()) << lane;
    }

    #[inline(always)]
    fn glimpse<V: Vector>(
        &mut self,
        _: &mut Lanes,
        first: usize,
        _: u32,
        verdict: &Verdict<V>,
    ) -> (Mask, Mask) {
        if !self.sieve.is_open() {
            return (0, 0);
        }
        let sure = Mask::from(verdict.sure) << first;
        self.found |= sure;
        (0, sure)
    }

    #[inline(always)]
    fn finish<I: Isa>(
        self,
        _: I,
        _: &Packet,
        _: &[Ray],
        rows: &[u32],
        taken: Mask,
        results: &mut [bool],
    ) {
        for (i, &row) in rows.iter().enumerate() {
            let results = &mut results[row as usize..][..ROW];
            let (taken, found) = (taken >> (i * ROW), self.found >> (i * ROW));
            let all = taken & WHOLE_ROW == WHOLE_ROW;
            for (lane, result) in results.iter_mut().enumerate() {
                if all || taken >> lane & 1 != 0 {
                    *result = found >> lane & 1 != 0;
                }
            }
        }
    }
}
