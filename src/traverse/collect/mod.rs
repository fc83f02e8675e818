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
pub(crate) use filter::{Every, Filter, OfMany};
pub(crate) use report::kept_at;
use report::{mesh_of, translate};

use self::collector::Met;
use crate::bvh::TreeView;
use crate::geometry::Ray;
use crate::traverse::options::{Facing, Query};

/// Which triangles a query sees.
#[derive(Clone, Copy)]
pub(crate) struct Sieve<'a, F> {
    pub(crate) tree: &'a TreeView<'a>,
    pub(crate) query: &'a Query,
    pub(crate) filter: F,
}

impl<F: Filter> Sieve<'_, F> {
    /// Whether every mesh of the tree is in one of the query's layers.
    #[inline(always)]
    fn sees_all_meshes(&self) -> bool {
        self.tree.facts.common_mask & self.query.mask != 0
    }

    /// Whether the query sees every triangle.
    #[inline(always)]
    pub(crate) fn is_open(&self) -> bool {
        F::TRIVIAL && self.sees_all_meshes() && self.query.facing == Facing::Both
    }

    /// Whether the query sees the triangle.
    #[inline(always)]
    fn sees(&self, ray: &Ray, met: Met<'_>) -> bool {
        let faces = match self.query.facing {
            Facing::Both => true,
            Facing::Front => met.hit.front,
            Facing::Back => !met.hit.front,
        };
        let in_layer =
            || mesh_of(self.tree, met.id).is_some_and(|(_, mesh)| mesh.mask & self.query.mask != 0);
        faces
            && (self.sees_all_meshes() || in_layer())
            && (F::TRIVIAL
                || translate(self.tree, ray, met).is_some_and(|hit| self.filter.accepts(ray, &hit)))
    }
}
