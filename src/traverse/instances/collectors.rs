//! What a query keeps of the hits in instances.

use std::ops::ControlFlow;

use smallvec::SmallVec;

use crate::bvh::TreeView;
use crate::geometry::Ray;
use crate::simd::Isa;
use crate::traverse::collect::{All, Any, Closest, Collector, Filter, HitSink, QueryFilter};
use crate::traverse::hit::Hit;
use crate::traverse::instance_hit::{InstanceId, SceneHit};
use crate::traverse::options::{AcceptAll, QueryOptions, SceneFilter};
use crate::traverse::packet::{AnyPacket, ClosestPacket, PacketCollector};
use crate::traverse::place::Place;
use crate::traverse::ray::{Cast, CastInside};
use crate::traverse::walk::Bound;

/// What is asked of a scene: the options, the filter, and the ray's index in its batch.
pub(crate) struct SceneQuery<'a, F> {
    pub(crate) options: &'a QueryOptions,
    pub(crate) filter: &'a F,
    pub(crate) index: usize,
}

impl<'a, F> SceneQuery<'a, F> {
    /// The filter for what is found in one instance. For a question about a point or a shape, where
    /// it stands.
    #[inline(always)]
    pub(super) fn filter_in(
        &self,
        id: InstanceId,
        place: Option<&'a Place<'a>>,
    ) -> FilterInInstance<'a, F> {
        FilterInInstance { filter: self.filter, index: self.index, id, place }
    }
}

/// The user's filter, for the hits in one instance.
#[derive(Clone, Copy)]
pub(crate) struct FilterInInstance<'a, F> {
    filter: &'a F,
    index: usize,
    id: InstanceId,
    place: Option<&'a Place<'a>>,
}

impl<F: SceneFilter> Filter for FilterInInstance<'_, F> {
    const ACCEPTS_ALL: bool = F::ACCEPTS_ALL;
    type Index = ();

    #[inline(always)]
    fn accepts(&self, (): (), hit: &Hit) -> bool {
        self.filter.accepts_in_scene(self.index, &SceneHit { instance: self.id, hit: *hit })
    }

    #[inline(always)]
    fn place(&self) -> Option<&Place<'_>> {
        self.place
    }
}

/// What a query keeps of the hits in instances.
pub(crate) trait Keep {
    /// Whether near instances come first.
    const ORDERED: bool;

    /// Asks the tree of an instance, with the ray in its coordinates, and gives the `t` past which
    /// nothing matters from now on. `Break` ends the query.
    fn ask<I: Isa, F: SceneFilter>(
        &mut self,
        isa: I,
        query_filter: &QueryFilter<'_, FilterInInstance<'_, F>>,
        ray: &Ray,
    ) -> ControlFlow<(), f32>;
}

/// A query on its way through a scene.
pub(crate) struct SceneCollector<'a, F, K> {
    query: SceneQuery<'a, F>,
    t_max: f32,
    pub(super) kept: K,
}

impl<F, K: Keep> Bound for SceneCollector<'_, F, K> {
    const ORDERED: bool = K::ORDERED;

    #[inline(always)]
    fn bound(&self) -> f32 {
        self.t_max
    }
}

impl<'a, F: SceneFilter, K: Keep> SceneCollector<'a, F, K> {
    #[inline(always)]
    pub(super) fn new(query: SceneQuery<'a, F>, t_max: f32, kept: K) -> Self {
        Self { query, t_max, kept }
    }

    /// The query's layers.
    #[inline(always)]
    pub(super) fn mask(&self) -> u32 {
        self.query.options.mask
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
        let filter = self.query.filter_in(id, None);
        let query_filter = &QueryFilter { tree, query: self.query.options, filter };
        self.t_max = self.kept.ask(isa, query_filter, ray)?;
        ControlFlow::Continue(())
    }
}

/// What a query keeps that is done with one hit in each instance: what a batch may ask.
pub(crate) trait KeepBest: Keep + Copy + Default {
    /// What collects it in an instance.
    type Collector<'a, F: SceneFilter + Copy + 'a>: Collector<
            Input = &'a QueryFilter<'a, FilterInInstance<'a, F>>,
            Index = (),
            Output = Self::Found,
        > + Copy;
    type Found: Copy;
    type Answer;
    /// What collects it for a packet, if every hit is accepted. Only questions that are ordered
    /// go into instances together.
    type Packet<'a>: PacketCollector<
        Single: Collector<Input = &'a QueryFilter<'a, AcceptAll>, Output = Self::Found>,
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

/// The closest hit; of equally near ones that of the lowest handle, then mesh, then triangle.
#[derive(Clone, Copy, Default)]
pub(crate) struct ClosestInstance(pub(crate) Option<SceneHit>);

impl Keep for ClosestInstance {
    const ORDERED: bool = true;

    #[inline(always)]
    fn ask<I: Isa, F: SceneFilter>(
        &mut self,
        isa: I,
        query_filter: &QueryFilter<'_, FilterInInstance<'_, F>>,
        ray: &Ray,
    ) -> ControlFlow<(), f32> {
        let (tree, instance) = (query_filter.tree, query_filter.filter.id);
        let input = query_filter;
        let hit =
            isa.call_outlined(CastInside(Cast::<Closest<'_, _>> { tree, ray, index: (), input }));
        self.take(instance, hit, ray.t_max)
    }
}

impl KeepBest for ClosestInstance {
    type Collector<'a, F: SceneFilter + Copy + 'a> = Closest<'a, FilterInInstance<'a, F>>;
    type Found = Option<Hit>;
    type Packet<'a> = ClosestPacket<'a, AcceptAll>;
    const NOTHING: Option<Hit> = None;
    type Answer = Option<SceneHit>;

    #[inline(always)]
    fn take(&mut self, instance: InstanceId, hit: Option<Hit>, t_max: f32) -> ControlFlow<(), f32> {
        let Some(hit) = hit else { return ControlFlow::Continue(t_max) };
        let loses_tie = |best: SceneHit| best.hit.t == hit.t && best.instance < instance;
        if !self.0.is_some_and(loses_tie) {
            self.0 = Some(SceneHit { instance, hit });
        }
        ControlFlow::Continue(hit.t)
    }

    #[inline(always)]
    fn answer(self) -> Option<SceneHit> {
        self.0
    }
}

/// Any hit: ends with the first that is found.
#[derive(Clone, Copy, Default)]
pub(crate) struct AnyInstance(pub(crate) bool);

impl Keep for AnyInstance {
    const ORDERED: bool = false;

    #[inline(always)]
    fn ask<I: Isa, F: SceneFilter>(
        &mut self,
        isa: I,
        query_filter: &QueryFilter<'_, FilterInInstance<'_, F>>,
        ray: &Ray,
    ) -> ControlFlow<(), f32> {
        let (tree, input) = (query_filter.tree, query_filter);
        let found =
            isa.call_outlined(CastInside(Cast::<Any<'_, _>> { tree, ray, index: (), input }));
        self.take(query_filter.filter.id, found, ray.t_max)
    }
}

impl KeepBest for AnyInstance {
    type Collector<'a, F: SceneFilter + Copy + 'a> = Any<'a, FilterInInstance<'a, F>>;
    type Found = bool;
    type Packet<'a> = AnyPacket<'a, AcceptAll>;
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
pub(crate) struct AllInstances<'a>(pub(crate) &'a mut SmallVec<[SceneHit; 4]>);

/// Takes the hits in one instance.
struct SinkOfInstance<'a> {
    hits: &'a mut SmallVec<[SceneHit; 4]>,
    instance: InstanceId,
}

impl HitSink for SinkOfInstance<'_> {
    #[inline(always)]
    fn push(&mut self, hit: Hit) {
        self.hits.push(SceneHit { instance: self.instance, hit });
    }
}

impl Keep for AllInstances<'_> {
    const ORDERED: bool = false;

    #[inline(always)]
    fn ask<I: Isa, F: SceneFilter>(
        &mut self,
        isa: I,
        query_filter: &QueryFilter<'_, FilterInInstance<'_, F>>,
        ray: &Ray,
    ) -> ControlFlow<(), f32> {
        let sink = SinkOfInstance { hits: self.0, instance: query_filter.filter.id };
        let (tree, input) = (query_filter.tree, (query_filter, sink));
        isa.call_outlined(CastInside(Cast::<All<'_, _, _>> { tree, ray, index: (), input }));
        ControlFlow::Continue(ray.t_max)
    }
}
