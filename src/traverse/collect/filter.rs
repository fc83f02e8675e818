//! Which hits a query accepts.

use super::ExactCandidate;
use super::report::{mesh_of, report_exact};
use crate::bvh::TreeView;
use crate::geometry::Ray;
use crate::traverse::hit::Hit;
use crate::traverse::instance_hit::{InstanceId, SceneHit};
use crate::traverse::options::{Facing, HitFilter, QueryOptions, SceneFilter};
use crate::traverse::place::Place;
use crate::traverse::ray::Coherence;

/// The user's filter. It is called through a pointer, so that kernels are compiled once, in this
/// crate, and not for each filter of a program.
#[derive(Clone, Copy)]
pub(crate) enum Filter<'a> {
    /// Every hit is accepted.
    None,
    /// It is told of hits in a tree.
    InTree(&'a dyn HitFilter),
    /// It is told of hits in an instance, and of this index in place of that in a batch.
    InInstance { accepts: &'a dyn SceneFilter, index: usize, instance: InstanceId },
}

impl Filter<'_> {
    /// Not a part of kernels, which it would make larger.
    #[inline(never)]
    fn accepts(&self, index: usize, hit: &Hit) -> bool {
        Coherence::kept_during(|| match *self {
            Self::None => true,
            Self::InTree(filter) => filter.accepts(index, hit),
            Self::InInstance { accepts, index, instance } => {
                accepts.accepts_in_scene(index, &SceneHit { instance, hit: *hit })
            }
        })
    }
}

impl<'a> From<Option<&'a dyn HitFilter>> for Filter<'a> {
    #[inline(always)]
    fn from(filter: Option<&'a dyn HitFilter>) -> Self {
        filter.map_or(Self::None, Self::InTree)
    }
}

/// A filter that any thread may call.
pub(crate) type SharedFilter<'a> = &'a (dyn HitFilter + Sync);

impl<'a> From<Option<SharedFilter<'a>>> for Filter<'a> {
    #[inline(always)]
    fn from(filter: Option<SharedFilter<'a>>) -> Self {
        filter.map_or(Self::None, |filter| Self::InTree(filter))
    }
}

/// Which hits a query accepts: by the sides of triangles, the masks of meshes, and the user's
/// filter.
#[derive(Clone, Copy)]
pub(crate) struct QueryFilter<'a> {
    pub(crate) tree: &'a TreeView<'a>,
    pub(crate) query: &'a QueryOptions,
    filter: Filter<'a>,
    /// Where the tree stands, of whose hits it is asked; `None` where it was baked. For questions
    /// about points and shapes, which see triangles in the world.
    pub(crate) place: Option<&'a Place<'a>>,
    /// Whether the query accepts every hit.
    pub(crate) accepts_all: bool,
}

impl<'a> QueryFilter<'a> {
    /// For hits in a tree where it was baked.
    #[inline(always)]
    pub(crate) fn new(
        tree: &'a TreeView<'a>,
        query: &'a QueryOptions,
        filter: impl Into<Filter<'a>>,
    ) -> Self {
        Self::in_place(tree, query, filter.into(), None)
    }

    #[inline(always)]
    pub(crate) fn in_place(
        tree: &'a TreeView<'a>,
        query: &'a QueryOptions,
        filter: Filter<'a>,
        place: Option<&'a Place<'a>>,
    ) -> Self {
        let accepts_all = matches!(filter, Filter::None)
            && sees_all_meshes(tree, query)
            && query.facing == Facing::Both;
        Self { tree, query, filter, place, accepts_all }
    }

    /// Whether the user has a filter.
    #[inline(always)]
    fn has_filter(&self) -> bool {
        !matches!(self.filter, Filter::None)
    }

    /// Whether the query accepts the mesh of a triangle.
    #[inline(always)]
    pub(crate) fn accepts_mesh(&self, id: u32) -> bool {
        sees_all_meshes(self.tree, self.query)
            || mesh_of(self.tree, id).is_some_and(|(_, mesh)| mesh.mask & self.query.mask != 0)
    }

    /// Whether the query accepts a hit of the ray of this index.
    #[inline(always)]
    pub(super) fn accepts(&self, ray: &Ray, index: usize, candidate: ExactCandidate<'_>) -> bool {
        let report = || report_exact(self.tree, ray, candidate);
        self.accepts_hit(index, candidate.id, || candidate.hit.front, report)
    }

    /// Whether the query accepts a triangle. Its side and its hit are computed if they matter.
    #[inline(always)]
    pub(crate) fn accepts_hit(
        &self,
        index: usize,
        id: u32,
        is_in_front: impl FnOnce() -> bool,
        report: impl FnOnce() -> Option<Hit>,
    ) -> bool {
        let faces = match self.query.facing {
            Facing::Both => true,
            Facing::Front => is_in_front(),
            Facing::Back => !is_in_front(),
        };
        faces
            && self.accepts_mesh(id)
            && (!self.has_filter() || report().is_some_and(|hit| self.filter.accepts(index, &hit)))
    }
}

/// Whether the query's mask has a bit of every mesh.
#[inline(always)]
fn sees_all_meshes(tree: &TreeView<'_>, query: &QueryOptions) -> bool {
    tree.facts.common_mask & query.mask != 0
}
