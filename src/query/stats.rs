//! How much of the tree a query looks at: what is left of a time once the tree's part of it is known.

use crate::bvh::BvhView;
use crate::geometry::Ray;
use crate::simd;
use crate::traverse::cast::Cast;
use crate::traverse::collect::collector::Collector;
use crate::traverse::collect::{AcceptAll, Any, Closest, Counted, RayIndex};
use crate::traverse::hit::Hit;
use crate::traverse::options::Query;

/// What one ray had to look at, one node after the other: so it tells of the tree and the ray alone. (Where a ray
/// does not run much like the one before it, queries on AVX2 and AVX-512 meet up to three nodes side by side, and a
/// tenth more nodes in all. It takes less time.)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueryStats {
    /// Nodes, each with the boxes of up to sixteen children.
    pub nodes: u32,
    /// Leaf blocks.
    pub blocks: u32,
    /// Triangles in those: up to eight each.
    pub triangles: u32,
}

impl BvhView<'_> {
    /// As [`closest_hit`](Self::closest_hit), with what had to be looked at: the same for every
    /// [`InstructionSet`](crate::InstructionSet) but for roundings of boxes.
    #[must_use]
    pub fn closest_hit_stats(&self, ray: &Ray, query: &Query) -> (Option<Hit>, QueryStats) {
        self.counted::<Closest<'_, _>>(ray, query, &self.hit_filter(query, AcceptAll))
    }

    /// As [`any_hit`](Self::any_hit), with what had to be looked at: by a ray that knows nothing of the one before it,
    /// so that the counts tell of the tree and the ray alone.
    #[must_use]
    pub fn any_hit_stats(&self, ray: &Ray, query: &Query) -> (bool, QueryStats) {
        self.counted::<Any<'_, _>>(ray, query, &self.hit_filter(query, AcceptAll))
    }

    fn counted<V: Collector>(
        &self,
        ray: &Ray,
        query: &Query,
        input: V::Input,
    ) -> (V::Output, QueryStats) {
        let (tree, index) = (self, V::Index::new(0));
        let (output, counts) =
            simd::run(query.isa, Cast::<Counted<V, false>> { tree, ray, index, input });
        let stats =
            QueryStats { nodes: counts.nodes, blocks: counts.blocks, triangles: counts.triangles };
        (output, stats)
    }
}
