//! What the walks of one ray test: in the tree of instances, and in each tree that it reaches.

use std::ops::ControlFlow;

use super::collectors::{Keep, KeepBest};
use crate::bvh::Node;
use crate::geometry::Ray;
use crate::simd::Isa;
use crate::traverse::collect::{Counted, QueryFilter, VisitCounts};
use crate::traverse::instance_id::InstanceId;
use crate::traverse::ray::{Cast, CastInside};

/// A question, and what has been tested for it.
#[derive(Default)]
pub(crate) struct CountedInstances<K> {
    pub(crate) kept: K,
    pub(crate) counts: VisitCounts,
}

impl<K: KeepBest> Keep for CountedInstances<K> {
    const ORDERED: bool = K::ORDERED;

    /// As in [`Counted`].
    const NODES_AHEAD: bool = false;

    fn on_node(&mut self, _: &Node, _: f32) {
        self.counts.nodes += 1;
    }

    fn ask<I: Isa>(
        &mut self,
        isa: I,
        instance: InstanceId,
        query_filter: &QueryFilter<'_>,
        ray: &Ray,
    ) -> ControlFlow<(), f32> {
        let (tree, input) = (query_filter.tree, query_filter);
        let cast = Cast::<Counted<K::Collector<'_>, false>> { tree, ray, index: 0, input };
        let (found, counts) = isa.call_outlined(CastInside(cast));
        self.counts.add(counts);
        self.kept.take(instance, found, ray.t_max)
    }
}
