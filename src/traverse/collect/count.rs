//! How much of the tree a visitor is shown.

use super::collector::{Glimpse, Met, Sure, Visitor};
use crate::bvh::LeafBlock;
use crate::geometry::Ray;
use crate::simd::Isa;

/// What a visitor was shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LookedAt {
    pub(crate) nodes: u32,
    pub(crate) blocks: u32,
    pub(crate) triangles: u32,
}

/// A visitor that is watched. `KNOWS` says whether what was in the way of the ray before may be looked at first.
pub(crate) struct Counted<V, const KNOWS: bool> {
    visitor: V,
    looked_at: LookedAt,
}

impl<V: Visitor, const KNOWS: bool> Visitor for Counted<V, KNOWS> {
    type Input = V::Input;
    type Output = (V::Output, LookedAt);

    fn new(input: Self::Input, t_max: f32) -> Self {
        Self { visitor: V::new(input, t_max), looked_at: LookedAt::default() }
    }

    const ORDERED: bool = V::ORDERED;

    const ANY: bool = V::ANY && KNOWS;

    /// What is counted is the same on every instruction set.
    const AHEAD: bool = false;

    fn ended_in(&self) -> Option<u32> {
        self.visitor.ended_in()
    }

    fn t_max(&self) -> f32 {
        self.visitor.t_max()
    }

    fn at_node(&mut self) {
        self.looked_at.nodes += 1;
    }

    fn at_block(&mut self, block: &LeafBlock) {
        self.looked_at.blocks += 1;
        self.looked_at.triangles += block.len() as u32;
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

    fn finish<I: Isa>(self, isa: I, ray: &Ray) -> Self::Output {
        (self.visitor.finish(isa, ray), self.looked_at)
    }
}
