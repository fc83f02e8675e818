//! Which hits a query accepts.

use super::report::{mesh_of, report_exact};
use super::{ExactCandidate, RayIndex};
use crate::bvh::TreeView;
use crate::geometry::Ray;
use crate::traverse::hit::Hit;
use crate::traverse::options::{Facing, HitFilter, QueryOptions};
use crate::traverse::place::Place;

pub(crate) use crate::traverse::options::AcceptAll;

/// Which hits the user accepts.
pub(crate) trait Filter {
    /// Whether it accepts every hit, so that no kernel needs to call it.
    const ACCEPTS_ALL: bool;
    /// What it is told of the ray beside the hit.
    type Index: RayIndex;

    fn accepts(&self, ray: Self::Index, hit: &Hit) -> bool;

    /// Where the tree stands of whose hits it is asked; `None` where it was baked. For questions
    /// about points and shapes, which see triangles in the world.
    #[inline(always)]
    fn place(&self) -> Option<&Place<'_>> {
        None
    }
}

impl Filter for AcceptAll {
    const ACCEPTS_ALL: bool = true;
    type Index = ();

    #[inline(always)]
    fn accepts(&self, (): (), _: &Hit) -> bool {
        true
    }
}

/// The filter of a query for one ray, whose index is 0.
#[derive(Clone, Copy)]
pub(crate) struct SingleFilter<'a, F>(pub(crate) &'a F);

impl<F: HitFilter> Filter for SingleFilter<'_, F> {
    const ACCEPTS_ALL: bool = F::ACCEPTS_ALL;
    type Index = ();

    #[inline(always)]
    fn accepts(&self, (): (), hit: &Hit) -> bool {
        self.0.accepts(0, hit)
    }
}

/// The filter of a batch, called with the ray's index. Called through a pointer, so that the code
/// for batches is compiled once and not for each filter of a program.
#[derive(Clone, Copy)]
pub(crate) struct BatchFilter<'a>(pub(crate) &'a (dyn Fn(usize, &Hit) -> bool + Sync));

impl Filter for BatchFilter<'_> {
    const ACCEPTS_ALL: bool = false;
    type Index = usize;

    #[inline(always)]
    fn accepts(&self, ray: usize, hit: &Hit) -> bool {
        (self.0)(ray, hit)
    }
}

/// Which hits a query accepts: by the sides of triangles, the masks of meshes, and the user's
/// filter.
#[derive(Clone, Copy)]
pub(crate) struct QueryFilter<'a, F> {
    pub(crate) tree: &'a TreeView<'a>,
    pub(crate) query: &'a QueryOptions,
    pub(crate) filter: F,
}

impl<F: Filter> QueryFilter<'_, F> {
    /// Whether the query's mask has a bit of every mesh.
    #[inline(always)]
    fn sees_all_meshes(&self) -> bool {
        self.tree.facts.common_mask & self.query.mask != 0
    }

    /// Whether the query accepts every hit.
    #[inline(always)]
    pub(crate) fn accepts_all(&self) -> bool {
        F::ACCEPTS_ALL && self.sees_all_meshes() && self.query.facing == Facing::Both
    }

    /// Whether the query accepts the mesh of a triangle.
    #[inline(always)]
    pub(crate) fn accepts_mesh(&self, id: u32) -> bool {
        self.sees_all_meshes()
            || mesh_of(self.tree, id).is_some_and(|(_, mesh)| mesh.mask & self.query.mask != 0)
    }

    /// Whether the query accepts a hit.
    #[inline(always)]
    pub(super) fn accepts(
        &self,
        ray: &Ray,
        index: F::Index,
        candidate: ExactCandidate<'_>,
    ) -> bool {
        let report = || report_exact(self.tree, ray, candidate);
        self.accepts_hit(index, candidate.id, || candidate.hit.front, report)
    }

    /// Whether the query accepts a triangle. Its side and its hit are computed if they matter.
    #[inline(always)]
    pub(crate) fn accepts_hit(
        &self,
        index: F::Index,
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
            && (F::ACCEPTS_ALL || report().is_some_and(|hit| self.filter.accepts(index, &hit)))
    }
}
