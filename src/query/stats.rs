//! How much of the tree a query looks at: what is left of a time once the tree's part of it is known.

use super::cast::Cast;
use super::visitor::{Glimpse, Met, Sure, Visitor};
use super::visitors::{Any, Closest, Every};
use super::{Hit, Query};
use crate::bvh::{BvhView, LeafBlock};
use crate::geometry::Ray;
use crate::simd::{self, Isa};

/// What one ray had to look at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueryStats {
    /// Nodes, each with the boxes of up to sixteen children.
    pub nodes: u32,
    /// Leaf blocks.
    pub blocks: u32,
    /// Triangles in those: up to eight each.
    pub triangles: u32,
}

impl BvhView<'_> {
    /// As [`closest_hit`](Self::closest_hit), with what had to be looked at: the same for every
    /// [`Level`](crate::Level) but for roundings of boxes.
    #[must_use]
    pub fn closest_hit_stats(&self, ray: &Ray, query: &Query) -> (Option<Hit>, QueryStats) {
        self.counted::<Closest<'_, _>>(ray, query, &self.sieve(query, Every))
    }

    /// As [`any_hit`](Self::any_hit), with what had to be looked at: by a ray that knows nothing of the one before it,
    /// so that the counts tell of the tree and the ray alone.
    #[must_use]
    pub fn any_hit_stats(&self, ray: &Ray, query: &Query) -> (bool, QueryStats) {
        self.counted::<Any<'_, _>>(ray, query, &self.sieve(query, Every))
    }

    fn counted<V: Visitor>(
        &self,
        ray: &Ray,
        query: &Query,
        input: V::Input,
    ) -> (V::Output, QueryStats) {
        let tree = self;
        simd::run(query.level, Cast::<Counted<V>> { tree, ray, input })
    }
}

/// A visitor that is watched.
struct Counted<V> {
    visitor: V,
    stats: QueryStats,
}

impl<V: Visitor> Visitor for Counted<V> {
    type Input = V::Input;
    type Output = (V::Output, QueryStats);

    fn new(input: Self::Input, t_max: f32) -> Self {
        Self {
            visitor: V::new(input, t_max),
            stats: QueryStats::default(),
        }
    }

    const ORDERED: bool = V::ORDERED;

    fn t_max(&self) -> f32 {
        self.visitor.t_max()
    }

    fn at_node(&mut self) {
        self.stats.nodes += 1;
    }

    fn at_block(&mut self, block: &LeafBlock) {
        self.stats.blocks += 1;
        self.stats.triangles += block.len() as u32;
    }

    fn glimpse(&mut self, sure: Sure) -> Glimpse {
        self.visitor.glimpse(sure)
    }

    fn settle(&mut self, ray: &Ray) {
        self.visitor.settle(ray);
    }

    fn visit(&mut self, ray: &Ray, met: Met<'_>) -> bool {
        self.visitor.visit(ray, met)
    }

    unsafe fn finish<I: Isa>(self, ray: &Ray) -> Self::Output {
        // SAFETY: the caller vouches for the CPU.
        (unsafe { self.visitor.finish::<I>(ray) }, self.stats)
    }
}
