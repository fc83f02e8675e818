//! What a query keeps of the hits in instances.

use std::ops::ControlFlow;

use crate::bvh::{Node, TreeView};
use crate::geometry::Ray;
use crate::simd::Isa;
use crate::traverse::collect::{All, Any, Closest, Collector, QueryFilter};
use crate::traverse::hit::Hit;
use crate::traverse::instance_id::InstanceId;
use crate::traverse::options::Query;
use crate::traverse::packet::{AnyPacket, ClosestPacket, PacketCollector};
use crate::traverse::place::Place;
use crate::traverse::ray::{Cast, CastInside};
use crate::traverse::walk::Bound;

/// A question to a scene, and its index in its batch.
#[derive(Clone, Copy)]
pub(crate) struct SceneQuery<'a> {
    pub(crate) query: &'a Query<'a>,
    pub(crate) index: usize,
}

impl<'a> SceneQuery<'a> {
    /// One that is not in a batch.
    pub(crate) fn new(query: &'a Query<'a>) -> Self {
        Self { query, index: 0 }
    }

    /// Which hits in one instance are accepted. For a question about a point or a shape, with where
    /// it stands.
    #[inline(always)]
    pub(super) fn filter_in<'b>(
        &self,
        instance: InstanceId,
        tree: &'b TreeView<'b>,
        place: Option<&'b Place<'b>>,
    ) -> QueryFilter<'b>
    where
        'a: 'b,
    {
        QueryFilter::in_instance(tree, self.query, (instance, self.index), place)
    }
}

/// What a query keeps of the hits in instances.
pub(crate) trait Keep {
    /// Whether near instances come first.
    const ORDERED: bool;

    /// As in [`Bound`], for the tree of instances.
    const NODES_AHEAD: bool = true;

    /// The children of a node of the tree of instances are about to be tested.
    #[inline(always)]
    fn on_node(&mut self, _node: &Node, _bound: f32) {}

    /// Asks the tree of an instance, with the ray in its coordinates, and gives the `t` past which
    /// nothing matters from now on. `Break` ends the query.
    fn ask<I: Isa>(
        &mut self,
        isa: I,
        instance: InstanceId,
        query_filter: &QueryFilter<'_>,
        ray: &Ray,
    ) -> ControlFlow<(), f32>;
}

/// A query on its way through a scene.
pub(crate) struct SceneCollector<'a, K> {
    query: SceneQuery<'a>,
    t_max: f32,
    pub(super) kept: K,
}

impl<K: Keep> Bound for SceneCollector<'_, K> {
    const ORDERED: bool = K::ORDERED;
    const NODES_AHEAD: bool = K::NODES_AHEAD;

    #[inline(always)]
    fn bound(&self) -> f32 {
        self.t_max
    }

    #[inline(always)]
    fn on_node(&mut self, node: &Node) {
        self.kept.on_node(node, self.t_max);
    }
}

impl<'a, K: Keep> SceneCollector<'a, K> {
    #[inline(always)]
    pub(super) fn new(query: SceneQuery<'a>, t_max: f32, kept: K) -> Self {
        Self { query, t_max, kept }
    }

    #[inline(always)]
    pub(super) fn query(&self) -> &Query<'_> {
        self.query.query
    }

    /// Asks the tree of an instance. The ray is in its coordinates, and ends at the
    /// [bound](Bound::bound). `Break` ends the query.
    #[inline(always)]
    pub(super) fn ask<I: Isa>(
        &mut self,
        isa: I,
        tree: &TreeView<'_>,
        ray: &Ray,
        id: InstanceId,
    ) -> ControlFlow<()> {
        let query_filter = &self.query.filter_in(id, tree, None);
        self.t_max = self.kept.ask(isa, id, query_filter, ray)?;
        ControlFlow::Continue(())
    }
}

/// What a query keeps that is done with one hit in each instance: what a batch may ask.
pub(crate) trait KeepBest: Keep + Copy + Default {
    /// What collects it in an instance.
    type Collector<'a>: Collector<Input = &'a QueryFilter<'a>, Output = Self::Found> + Copy;
    type Found: Copy;
    type Answer;
    /// What collects it for a packet, if every hit is accepted. Only questions that are ordered
    /// go into instances together.
    type Packet<'a>: PacketCollector<
        Single: Collector<Input = &'a QueryFilter<'a>, Output = Self::Found>,
    >;
    /// Nothing found.
    const NOTHING: Self::Found;

    /// Takes what was found in an instance at `t_max` at the most, and gives the `t` past which
    /// nothing matters from now on. `Break` ends the query.
    fn take(
        &mut self,
        instance: InstanceId,
        found: Self::Found,
        t_max: f32,
    ) -> ControlFlow<(), f32>;

    fn answer(self) -> Self::Answer;
}

/// The closest hit; of equally near ones the hit with the lowest handle, then mesh, then triangle.
#[derive(Clone, Copy, Default)]
pub(crate) struct ClosestInstance(pub(crate) Option<Hit>);

impl Keep for ClosestInstance {
    const ORDERED: bool = true;

    #[inline(always)]
    fn ask<I: Isa>(
        &mut self,
        isa: I,
        instance: InstanceId,
        query_filter: &QueryFilter<'_>,
        ray: &Ray,
    ) -> ControlFlow<(), f32> {
        let (tree, input) = (query_filter.tree, query_filter);
        let hit = isa.call_outlined(CastInside(Cast::<Closest<'_>> { tree, ray, index: 0, input }));
        self.take(instance, hit, ray.t_max)
    }
}

impl KeepBest for ClosestInstance {
    type Collector<'a> = Closest<'a>;
    type Found = Option<Hit>;
    type Packet<'a> = ClosestPacket<'a>;
    const NOTHING: Option<Hit> = None;
    type Answer = Option<Hit>;

    #[inline(always)]
    fn take(&mut self, instance: InstanceId, hit: Option<Hit>, t_max: f32) -> ControlFlow<(), f32> {
        let Some(hit) = hit else { return ControlFlow::Continue(t_max) };
        let loses_tie = |best: Hit| best.t == hit.t && best.instance < instance;
        if !self.0.is_some_and(loses_tie) {
            self.0 = Some(Hit { instance, ..hit });
        }
        ControlFlow::Continue(hit.t)
    }

    #[inline(always)]
    fn answer(self) -> Option<Hit> {
        self.0
    }
}

/// Any hit: ends with the first that is found.
#[derive(Clone, Copy, Default)]
pub(crate) struct AnyInstance(pub(crate) bool);

impl Keep for AnyInstance {
    const ORDERED: bool = false;

    #[inline(always)]
    fn ask<I: Isa>(
        &mut self,
        isa: I,
        instance: InstanceId,
        query_filter: &QueryFilter<'_>,
        ray: &Ray,
    ) -> ControlFlow<(), f32> {
        let (tree, input) = (query_filter.tree, query_filter);
        let found = isa.call_outlined(CastInside(Cast::<Any<'_>> { tree, ray, index: 0, input }));
        self.take(instance, found, ray.t_max)
    }
}

impl KeepBest for AnyInstance {
    type Collector<'a> = Any<'a>;
    type Found = bool;
    type Packet<'a> = AnyPacket<'a>;
    const NOTHING: bool = false;
    type Answer = bool;

    #[inline(always)]
    fn take(&mut self, _: InstanceId, found: bool, t_max: f32) -> ControlFlow<(), f32> {
        self.0 = found;
        if found { ControlFlow::Break(()) } else { ControlFlow::Continue(t_max) }
    }

    #[inline(always)]
    fn answer(self) -> bool {
        self.0
    }
}

/// All hits, in no order.
pub(crate) struct AllInstances<'a>(pub(crate) &'a mut Vec<Hit>);

impl Keep for AllInstances<'_> {
    const ORDERED: bool = false;

    #[inline(always)]
    fn ask<I: Isa>(
        &mut self,
        isa: I,
        instance: InstanceId,
        query_filter: &QueryFilter<'_>,
        ray: &Ray,
    ) -> ControlFlow<(), f32> {
        let take = &mut |hit| self.0.push(Hit { instance, ..hit });
        let (tree, input) = (query_filter.tree, (query_filter, take as &mut dyn FnMut(Hit)));
        isa.call_outlined(CastInside(Cast::<All<'_>> { tree, ray, index: 0, input }));
        ControlFlow::Continue(ray.t_max)
    }
}
