//! The nearest hit.

use super::collector::{Glimpse, Met, Sure, Visitor, corners};
use super::report::{NOWHERE, kept_at, report};
use super::{Filter, Sieve};
use crate::bvh::TreeView;
use crate::geometry::{Ray, intersect_exact};
use crate::simd::Isa;
use crate::traverse::hit::Hit;
use crate::traverse::ray::exact_hit::locate;

/// Keeps the nearest hit; of equally near ones that of the lowest (mesh, triangle).
///
/// On the way it is enough to know where the tree keeps the triangle and about where it is: what
/// the caller is told is worked out once, at the end.
#[derive(Clone, Copy)]
pub(crate) struct Closest<'a, F> {
    pub(crate) sieve: &'a Sieve<'a, F>,
    pub(crate) t_max: f32,
    /// The best so far is at this `t`, or farther if it is not settled.
    pub(crate) least: f32,
    pub(crate) slot: u32,
    /// Its number among all triangles, if it is settled.
    pub(crate) id: Option<u32>,
}

impl<F> Closest<'_, F> {
    /// Whether the triangle kept at `slot` is the best so far.
    pub(crate) fn is_best(&self, slot: u32) -> bool {
        let id = |slot: u32| {
            let (block, lane) = kept_at(self.sieve.tree, slot)?;
            Some(block.id[lane])
        };
        self.slot != NOWHERE && id(slot) == id(self.slot)
    }
}

impl<'a, F: Filter> Visitor for Closest<'a, F> {
    type Input = &'a Sieve<'a, F>;
    type Output = Option<Hit>;

    #[inline(always)]
    fn new(sieve: &'a Sieve<'a, F>, t_max: f32) -> Self {
        Self { sieve, t_max, least: f32::INFINITY, slot: NOWHERE, id: None }
    }

    const ORDERED: bool = true;

    #[inline(always)]
    fn t_max(&self) -> f32 {
        self.t_max
    }

    #[inline(always)]
    fn glimpse(&mut self, sure: Sure) -> Glimpse {
        if !self.sieve.is_open() {
            return Glimpse::Unclear;
        }
        // Only if it is nearer beyond doubt need nobody know what the best so far was; unless it is
        // that, in another of the leaves that a spatial split put it into.
        if sure.most >= self.least {
            return if self.is_best(sure.slot) { Glimpse::Taken } else { Glimpse::Unclear };
        }
        self.slot = sure.slot;
        self.id = None;
        self.least = sure.least;
        if sure.most < self.t_max {
            self.t_max = sure.most;
        }
        Glimpse::Taken
    }

    fn settle(&mut self, ray: &Ray) {
        if self.slot != NOWHERE && self.id.is_none() {
            meet_at(self.sieve.tree, ray, self.slot, |met| Some(self.visit(ray, met)));
        }
    }

    fn visit(&mut self, ray: &Ray, met: Met<'_>) -> bool {
        // Hits past `t_max` do not get here, so this one is nearer or as near.
        let worse = met.hit.t == self.least && self.id.is_some_and(|id| met.id >= id);
        if !worse && self.sieve.sees(ray, met) {
            self.t_max = met.hit.t;
            self.least = met.hit.t;
            self.slot = met.slot;
            self.id = Some(met.id);
        }
        true
    }

    #[inline(always)]
    fn finish<I: Isa>(self, isa: I, ray: &Ray) -> Option<Hit> {
        if self.slot == NOWHERE {
            return None;
        }
        let tree = self.sieve.tree;
        let (block, lane) = kept_at(tree, self.slot)?;
        let located = locate::<I::F64x4>(isa, ray, &|| corners(block, lane))?;
        report(tree, block.id[lane], self.slot, &located)
    }
}

/// The reference's word on the triangle kept at `slot`, and what is made of it.
#[inline(always)]
fn meet_at<R>(
    tree: &TreeView<'_>,
    ray: &Ray,
    slot: u32,
    then: impl FnOnce(Met<'_>) -> Option<R>,
) -> Option<R> {
    let (block, lane) = kept_at(tree, slot)?;
    let hit = &intersect_exact(ray, &|| corners(block, lane))?;
    then(Met { hit, block, id: block.id[lane], slot })
}
