//! A triangle that a question has found.

use crate::bvh::{LANES, LeafBlock};
use crate::geometry::{Corners, Feature, Ray, origin_side};
use crate::traverse::collect::report::report;
use crate::traverse::collect::{QueryFilter, corners};
use crate::traverse::hit::Hit;
use crate::traverse::place::Place;
use crate::traverse::ray::exact_hit::HitPoint;

/// A triangle, and where it is in the tree.
#[derive(Clone, Copy)]
pub(crate) struct Found {
    pub(crate) corners: Corners,
    pub(crate) id: u32,
    slot: u32,
}

impl Found {
    /// The triangle in a lane of a block, whose number in the tree is `index`.
    #[inline(always)]
    pub(crate) fn new(block: &LeafBlock, index: u32, lane: usize) -> Self {
        let lane = lane % LANES;
        let slot = index * LANES as u32 + lane as u32;
        Self { corners: corners(block, lane), id: block.id[lane], slot }
    }

    /// The triangle at a place in the tree, of which this is the block.
    #[inline(always)]
    pub(crate) fn at(block: &LeafBlock, slot: u32) -> Self {
        Self::new(block, slot / LANES as u32, slot as usize % LANES)
    }

    /// The same triangle in the world.
    pub(crate) fn moved(self, place: Option<&Place<'_>>) -> Self {
        match place {
            Some(place) => Self { corners: place.corners(&self.corners), ..self },
            None => self,
        }
    }

    /// Whether a point is in front of the triangle's plane, or in it.
    pub(crate) fn is_in_front(&self, point: [f32; 3]) -> bool {
        origin_side(&Ray::new(point, [1.0, 0.0, 0.0]), &self.corners) >= 0
    }

    /// The hit and the feature in the user's numbers, for a question that is asked from `point`.
    pub(crate) fn report(
        &self,
        filter: &QueryFilter<'_>,
        point: [f32; 3],
        (t, weights, feature): (f32, [f32; 2], Feature),
    ) -> Option<(Hit, Feature)> {
        let tree = filter.tree;
        let ([u, v], feature) = match filter.place {
            Some(place) => place.in_order_of_tree(weights, feature),
            None => (weights, feature),
        };
        let hit_point = HitPoint { t, u, v, front: self.is_in_front(point) };
        let hit = report(tree, self.id, self.slot, &hit_point)?;
        let hit = Hit { instance: filter.instance, ..hit };
        let is_swapped = tree.meshes.get(hit.mesh as usize)?.is_swapped();
        Some((hit, if is_swapped { feature.mirrored() } else { feature }))
    }
}
