//! A triangle that a question has found.

use crate::bvh::{LANES, LeafBlock, TreeView};
use crate::geometry::{Corners, Feature, Ray, origin_side};
use crate::traverse::collect::corners;
use crate::traverse::collect::report::report;
use crate::traverse::hit::Hit;
use crate::traverse::ray::exact_hit::HitPoint;

/// A triangle, and where it is in the tree.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub(super) corners: Corners,
    pub(super) id: u32,
    slot: u32,
}

impl Found {
    /// The triangle in a lane of a block, whose number in the tree is `index`.
    #[inline(always)]
    pub(super) fn new(block: &LeafBlock, index: u32, lane: usize) -> Self {
        let lane = lane % LANES;
        let slot = index * LANES as u32 + lane as u32;
        Self { corners: corners(block, lane), id: block.id[lane], slot }
    }

    /// Whether a point is in front of the triangle's plane, or in it.
    pub(super) fn is_in_front(&self, point: [f32; 3]) -> bool {
        origin_side(&Ray::new(point, [1.0, 0.0, 0.0]), &self.corners) >= 0
    }

    /// The hit and the feature in the user's numbers, for a question that is asked from `point`.
    pub(super) fn report(
        &self,
        tree: &TreeView<'_>,
        point: [f32; 3],
        (t, [u, v], feature): (f32, [f32; 2], Feature),
    ) -> Option<(Hit, Feature)> {
        let hit_point = HitPoint { t, u, v, front: self.is_in_front(point) };
        let hit = report(tree, self.id, self.slot, &hit_point)?;
        let is_swapped = tree.meshes.get(hit.mesh as usize)?.is_swapped();
        Some((hit, if is_swapped { feature.mirrored() } else { feature }))
    }
}
