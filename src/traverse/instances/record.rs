//! What the walks of one ray test, in their order: in the trees of instances, and in each tree that
//! the ray reaches.

use std::mem::MaybeUninit;
use std::ops::ControlFlow;

use super::collectors::{Keep, KeepBest};
use super::{TopLevelView, TopLevels};
use crate::bvh::{Node, WIDTH};
use crate::geometry::Ray;
use crate::simd::{Isa, Plainest, Task as _};
use crate::traverse::collect::{QueryFilter, Record, Recorded, Slabs, Visit, place_in};
use crate::traverse::instance_id::InstanceId;
use crate::traverse::ray::setup::set_up_padded;
use crate::traverse::ray::{Cast, CastInside};

/// A step of the walk through the trees of instances.
pub(crate) enum SceneVisit<F> {
    /// A node of a tree of instances is tested, as in [`Visit::Node`].
    Node { level: usize, node: u32, entries: [Option<f32>; WIDTH] },
    /// The tree of an instance is asked.
    Instance {
        instance: InstanceId,
        /// In its coordinates. It ends at the best hit so far.
        ray: Ray,
        visits: Vec<Visit>,
        found: F,
    },
}

/// A question whose walks are recorded.
pub(crate) struct RecordedInstances<'a, K: KeepBest> {
    pub(crate) kept: K,
    pub(crate) visits: Vec<SceneVisit<K::Found>>,
    tops: &'a TopLevels<'a>,
    slabs: Option<Slabs>,
}

impl<'a, K: KeepBest> RecordedInstances<'a, K> {
    pub(crate) fn new(tops: &'a TopLevels<'a>, ray: &Ray) -> Self {
        let (facts, mut setup) = (tops.facts, MaybeUninit::uninit());
        let is_set_up = set_up_padded::<<Plainest as Isa>::Point>(
            Plainest,
            &facts.boxes,
            ray,
            facts.padding,
            &mut setup,
        );
        // SAFETY: the setup has been written if the call says so.
        let slabs = is_set_up.then(|| Slabs::F32(Box::new(unsafe { setup.assume_init() })));
        Self { kept: K::default(), visits: Vec::new(), tops, slabs }
    }
}

impl<K: KeepBest> Keep for RecordedInstances<'_, K> {
    const ORDERED: bool = K::ORDERED;

    /// As for [`CountedInstances`](super::CountedInstances), whose numbers are the same.
    const NODES_AHEAD: bool = false;

    fn on_node(&mut self, node: &Node, bound: f32) {
        let place = std::ptr::from_ref(node);
        let holds = |view: &TopLevelView<'_>| view.top.nodes.as_ptr_range().contains(&place);
        let level = self.tops.levels.iter().position(holds);
        let Some((level, slabs)) = level.zip(self.slabs.as_ref()) else { return };
        let (entries, nodes) = (slabs.entries(node, bound), &self.tops.levels[level].top.nodes);
        self.visits.push(SceneVisit::Node { level, node: place_in(nodes, node), entries });
    }

    fn ask<I: Isa>(
        &mut self,
        isa: I,
        instance: InstanceId,
        query_filter: &QueryFilter<'_>,
        ray: &Ray,
    ) -> ControlFlow<(), f32> {
        let tree = query_filter.tree;
        let record = &Record::new(tree, ray);
        let input = (query_filter, record);
        let cast = Cast::<Recorded<'_, K::Collector<'_>>> { tree, ray, index: 0, input };
        let found = CastInside(cast).run(isa);
        let visits = record.take_visits();
        self.visits.push(SceneVisit::Instance { instance, ray: *ray, visits, found });
        self.kept.take(instance, found, ray.t_max)
    }
}
