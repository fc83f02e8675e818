//! A collector that counts what the walk tests.

use super::{CertainHit, Collector, ExactCandidate, Offered};
use crate::bvh::{LeafBlock, Node};
use crate::geometry::Ray;
use crate::simd::Isa;
use crate::traverse::walk::Bound;

/// What a walk has tested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct VisitCounts {
    pub(crate) nodes: u32,
    pub(crate) blocks: u32,
    pub(crate) triangles: u32,
}

impl VisitCounts {
    /// Adds what another walk has tested.
    #[cfg(feature = "stats")]
    pub(crate) fn add(&mut self, other: Self) {
        self.nodes += other.nodes;
        self.blocks += other.blocks;
        self.triangles += other.triangles;
    }
}

/// A collector, and what the walk has tested for it. `KNOWS` says whether the last occluder may be
/// tested first.
pub(crate) struct Counted<V, const KNOWS: bool> {
    collector: V,
    counts: VisitCounts,
}

impl<V: Collector, const KNOWS: bool> Bound for Counted<V, KNOWS> {
    const ORDERED: bool = V::ORDERED;

    /// So the counts are the same with every instruction set.
    const NODES_AHEAD: bool = false;

    fn bound(&self) -> f32 {
        self.collector.bound()
    }

    fn on_node(&mut self, _node: &Node) {
        self.counts.nodes += 1;
    }

    fn on_block(&mut self, block: &LeafBlock) {
        self.counts.blocks += 1;
        self.counts.triangles += block.len() as u32;
    }
}

impl<V: Collector, const KNOWS: bool> Collector for Counted<V, KNOWS> {
    type Input = V::Input;
    type Output = (V::Output, VisitCounts);

    fn new(input: Self::Input, index: usize, t_max: f32) -> Self {
        Self { collector: V::new(input, index, t_max), counts: VisitCounts::default() }
    }

    const ANY: bool = V::ANY && KNOWS;

    fn hit_block(&self) -> Option<u32> {
        self.collector.hit_block()
    }

    fn offer_certain(&mut self, hit: CertainHit) -> Offered {
        self.collector.offer_certain(hit)
    }

    fn resolve(&mut self, ray: &Ray) {
        self.collector.resolve(ray);
    }

    fn offer(&mut self, ray: &Ray, candidate: ExactCandidate<'_>) -> bool {
        self.collector.offer(ray, candidate)
    }

    fn finish<I: Isa>(self, isa: I, ray: &Ray) -> Self::Output {
        (self.collector.finish(isa, ray), self.counts)
    }
}
