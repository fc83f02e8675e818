//! What a query keeps of the hits in instances.

use std::ops::ControlFlow;

use smallvec::SmallVec;

use crate::bvh::TreeView;
use crate::geometry::Ray;
use crate::simd::Isa;
use crate::traverse::collect::{All, Any, Closest, Filter, HitSink, QueryFilter};
use crate::traverse::hit::Hit;
use crate::traverse::instance_hit::{InstanceId, SceneHit};
use crate::traverse::options::{QueryOptions, SceneFilter};
use crate::traverse::ray::cast_inside;
use crate::traverse::walk::Bound;

/// What a query does with the instances that its ray may hit.
pub(crate) trait InstanceCollector: Bound {
    /// Asks the tree of an instance. The ray is in its coordinates and ends at the
    /// [bound](Bound::bound). `Break` ends the query.
    fn cast<I: Isa>(
        &mut self,
        isa: I,
        tree: &TreeView<'_>,
        ray: &Ray,
        id: InstanceId,
    ) -> ControlFlow<()>;
}

/// The user's filter, for the hits in one instance.
#[derive(Clone, Copy)]
struct InInstance<'a, F> {
    filter: &'a F,
    /// The ray's index in its batch.
    index: usize,
    id: InstanceId,
}

impl<F: SceneFilter> Filter for InInstance<'_, F> {
    const ACCEPTS_ALL: bool = F::ACCEPTS_ALL;
    type Index = ();

    #[inline(always)]
    fn accepts(&self, (): (), hit: &Hit) -> bool {
        self.filter.accepts_in_scene(self.index, &SceneHit { instance: self.id, hit: *hit })
    }
}

/// What all collectors are made of: the options, the filter, and the ray's index in its batch.
pub(crate) struct SceneQuery<'a, F> {
    pub(crate) options: &'a QueryOptions,
    filter: &'a F,
    index: usize,
}

impl<F> Clone for SceneQuery<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for SceneQuery<'_, F> {}

impl<'a, F: SceneFilter> SceneQuery<'a, F> {
    #[inline(always)]
    pub(crate) fn new(options: &'a QueryOptions, filter: &'a F, index: usize) -> Self {
        Self { options, filter, index }
    }

    #[inline(always)]
    fn of_tree<'b>(
        &self,
        tree: &'b TreeView<'b>,
        id: InstanceId,
    ) -> QueryFilter<'b, InInstance<'b, F>>
    where
        'a: 'b,
    {
        let filter = InInstance { filter: self.filter, index: self.index, id };
        QueryFilter { tree, query: self.options, filter }
    }
}

/// The closest hit; of equally near ones that of the lowest handle, then mesh, then triangle.
pub(crate) struct ClosestInstance<'a, F> {
    query: SceneQuery<'a, F>,
    t_max: f32,
    pub(crate) best: Option<SceneHit>,
}

impl<'a, F> ClosestInstance<'a, F> {
    pub(crate) fn new(query: SceneQuery<'a, F>, t_max: f32) -> Self {
        Self { query, t_max, best: None }
    }
}

impl<F> Bound for ClosestInstance<'_, F> {
    const ORDERED: bool = true;

    #[inline(always)]
    fn bound(&self) -> f32 {
        self.t_max
    }
}

impl<F: SceneFilter> InstanceCollector for ClosestInstance<'_, F> {
    #[inline(always)]
    fn cast<I: Isa>(
        &mut self,
        isa: I,
        tree: &TreeView<'_>,
        ray: &Ray,
        id: InstanceId,
    ) -> ControlFlow<()> {
        let query_filter = &self.query.of_tree(tree, id);
        if let Some(hit) = cast_inside::<I, Closest<'_, _>>(isa, tree, ray, (), query_filter) {
            let is_tie_lost =
                self.best.is_some_and(|best| best.hit.t == hit.t && best.instance < id);
            if !is_tie_lost {
                self.t_max = hit.t;
                self.best = Some(SceneHit { instance: id, hit });
            }
        }
        ControlFlow::Continue(())
    }
}

/// Any hit: ends with the first that is found.
pub(crate) struct AnyInstance<'a, F> {
    query: SceneQuery<'a, F>,
    t_max: f32,
    pub(crate) found: bool,
}

impl<'a, F> AnyInstance<'a, F> {
    pub(crate) fn new(query: SceneQuery<'a, F>, t_max: f32) -> Self {
        Self { query, t_max, found: false }
    }
}

impl<F> Bound for AnyInstance<'_, F> {
    const ORDERED: bool = false;

    #[inline(always)]
    fn bound(&self) -> f32 {
        self.t_max
    }
}

impl<F: SceneFilter> InstanceCollector for AnyInstance<'_, F> {
    #[inline(always)]
    fn cast<I: Isa>(
        &mut self,
        isa: I,
        tree: &TreeView<'_>,
        ray: &Ray,
        id: InstanceId,
    ) -> ControlFlow<()> {
        let query_filter = &self.query.of_tree(tree, id);
        self.found = cast_inside::<I, Any<'_, _>>(isa, tree, ray, (), query_filter);
        if self.found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// All hits, in no order.
pub(crate) struct AllInstances<'a, F> {
    query: SceneQuery<'a, F>,
    t_max: f32,
    hits: &'a mut SmallVec<[SceneHit; 4]>,
}

impl<'a, F> AllInstances<'a, F> {
    pub(crate) fn new(
        query: SceneQuery<'a, F>,
        t_max: f32,
        hits: &'a mut SmallVec<[SceneHit; 4]>,
    ) -> Self {
        Self { query, t_max, hits }
    }
}

impl<F> Bound for AllInstances<'_, F> {
    const ORDERED: bool = false;

    #[inline(always)]
    fn bound(&self) -> f32 {
        self.t_max
    }
}

/// Takes the hits in one instance.
struct SinkOfInstance<'a> {
    hits: &'a mut SmallVec<[SceneHit; 4]>,
    id: InstanceId,
}

impl HitSink for SinkOfInstance<'_> {
    #[inline(always)]
    fn push(&mut self, hit: Hit) {
        self.hits.push(SceneHit { instance: self.id, hit });
    }
}

impl<F: SceneFilter> InstanceCollector for AllInstances<'_, F> {
    #[inline(always)]
    fn cast<I: Isa>(
        &mut self,
        isa: I,
        tree: &TreeView<'_>,
        ray: &Ray,
        id: InstanceId,
    ) -> ControlFlow<()> {
        let query_filter = &self.query.of_tree(tree, id);
        let sink = SinkOfInstance { hits: self.hits, id };
        let input = (query_filter, sink);
        cast_inside::<I, All<'_, _, _>>(isa, tree, ray, (), input);
        ControlFlow::Continue(())
    }
}
