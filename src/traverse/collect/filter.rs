//! Which hits a query accepts.

use super::ExactCandidate;
use super::report::{mesh_of, report_exact};
use crate::bvh::TreeView;
use crate::geometry::Ray;
use crate::traverse::hit::Hit;
use crate::traverse::instance_id::InstanceId;
use crate::traverse::options::{Facing, Query};
use crate::traverse::place::Place;
use crate::traverse::ray::Coherence;

/// Which hits a query accepts: by the sides of triangles, the masks of meshes, and the user's
/// filter.
#[derive(Clone, Copy)]
pub(crate) struct QueryFilter<'a> {
    pub(crate) tree: &'a TreeView<'a>,
    pub(crate) query: &'a Query<'a>,
    /// The instance at which the tree stands, if it is in a scene.
    pub(crate) instance: InstanceId,
    /// Added to the index that a filter is told.
    first: usize,
    /// Where the tree stands, of whose hits it is asked; `None` where it was baked. For questions
    /// about points and shapes, which see triangles in the world.
    pub(crate) place: Option<&'a Place<'a>>,
    /// Whether the query accepts every hit.
    pub(crate) accepts_all: bool,
}

impl<'a> QueryFilter<'a> {
    /// For hits in a tree where it was baked.
    #[inline(always)]
    pub(crate) fn new(tree: &'a TreeView<'a>, query: &'a Query<'a>) -> Self {
        Self::in_instance(tree, query, (InstanceId::NONE, 0), None)
    }

    /// For hits in a tree of a scene, of the question of this index.
    #[inline(always)]
    pub(crate) fn in_instance(
        tree: &'a TreeView<'a>,
        query: &'a Query<'a>,
        (instance, first): (InstanceId, usize),
        place: Option<&'a Place<'a>>,
    ) -> Self {
        let accepts_all =
            !query.has_filter() && sees_all_meshes(tree, query) && query.facing == Facing::Both;
        Self { tree, query, instance, first, place, accepts_all }
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
            && (!self.query.has_filter() || report().is_some_and(|hit| self.ask_user(index, hit)))
    }

    /// Not a part of kernels, which it would make larger.
    #[inline(never)]
    fn ask_user(&self, index: usize, hit: Hit) -> bool {
        let hit = &Hit { instance: self.instance, ..hit };
        Coherence::kept_during(|| self.query.accepts_of(self.first + index, hit))
    }
}

/// Whether the query's mask has a bit of every mesh.
#[inline(always)]
fn sees_all_meshes(tree: &TreeView<'_>, query: &Query<'_>) -> bool {
    tree.facts.common_mask & query.mask != 0
}
