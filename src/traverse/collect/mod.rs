//! The three questions: the nearest hit, any hit, all hits; each of one ray, and the first two of
//! several side by side.
//!
//! ```text
//! closest, any, all     what a ray's visitor keeps in mind
//! counted               any of them, watched
//! answers               what the callers of many rays are told
//! report                what the caller is told
//! filter                what the caller has to say
//! ```

mod all;
mod any;
pub(crate) mod batch;
mod closest;
pub(crate) mod collector;
#[cfg(any(test, feature = "stats"))]
mod count;
mod filter;
pub(crate) mod report;

pub(crate) use all::All;
pub(crate) use any::Any;
pub(crate) use closest::Closest;
#[cfg(any(test, feature = "stats"))]
pub(crate) use count::Counted;
pub(crate) use filter::{BatchFilter, Filter, RayIndex, SingleFilter};
use report::{mesh_of, report_exact};

use self::collector::ExactCandidate;
use crate::bvh::TreeView;
use crate::geometry::Ray;
use crate::traverse::options::{Facing, QueryOptions};

/// Which triangles a query sees.
#[derive(Clone, Copy)]
pub(crate) struct QueryFilter<'a, F> {
    pub(crate) tree: &'a TreeView<'a>,
    pub(crate) query: &'a QueryOptions,
    pub(crate) filter: F,
}

impl<F: Filter> QueryFilter<'_, F> {
    /// Whether every mesh of the tree is in one of the query's layers.
    #[inline(always)]
    fn sees_all_meshes(&self) -> bool {
        self.tree.facts.common_mask & self.query.mask != 0
    }

    /// Whether the query sees every triangle.
    #[inline(always)]
    pub(crate) fn accepts_all(&self) -> bool {
        F::ACCEPTS_ALL && self.sees_all_meshes() && self.query.facing == Facing::Both
    }

    /// Whether the query sees the triangle.
    #[inline(always)]
    fn accepts(&self, ray: &Ray, index: F::Index, candidate: ExactCandidate<'_>) -> bool {
        let faces = match self.query.facing {
            Facing::Both => true,
            Facing::Front => candidate.hit.front,
            Facing::Back => !candidate.hit.front,
        };
        let in_layer = || {
            mesh_of(self.tree, candidate.id)
                .is_some_and(|(_, mesh)| mesh.mask & self.query.mask != 0)
        };
        faces
            && (self.sees_all_meshes() || in_layer())
            && (F::ACCEPTS_ALL
                || report_exact(self.tree, ray, candidate)
                    .is_some_and(|hit| self.filter.accepts(index, &hit)))
    }
}
