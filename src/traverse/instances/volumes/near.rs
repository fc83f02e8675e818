//! Which volumes of a scene are near a point.

use std::ops::ControlFlow;

use glam::Vec3;

use super::VolumesInScene;
use crate::geometry::{Face, Feature, SurfacePlace, Volume, VolumeNearest, to_f32};
use crate::traverse::instances::visit::Test;
use crate::traverse::near::{ClosestPoint, NearTests};

impl VolumesInScene<'_> {
    /// The closest point of all, or the point that is given, if that is closer.
    pub(crate) fn closest_point(
        &self,
        point: Vec3,
        max_distance: f32,
        mut best: Option<ClosestPoint>,
    ) -> Option<ClosestPoint> {
        let reach = |best: &Option<ClosestPoint>| best.map_or(max_distance, |best| best.distance);
        self.for_each_near(point, max_distance, reach(&best), &mut |near| {
            let key = |near: &ClosestPoint| (near.distance, near.hit.instance);
            if best.is_none_or(|best| key(&near) < key(&best)) {
                best = Some(near);
            }
            ControlFlow::Continue(reach(&best))
        });
        best
    }

    /// Whether any is as near as that.
    pub(crate) fn any_within(&self, point: Vec3, max_distance: f32) -> bool {
        let mut any = false;
        self.for_each_near(point, max_distance, max_distance, &mut |_| {
            any = true;
            ControlFlow::Break(())
        });
        any
    }

    /// All that are as near as that, in no order.
    pub(crate) fn all_within(&self, point: Vec3, max_distance: f32, near: &mut Vec<ClosestPoint>) {
        self.for_each_near(point, max_distance, max_distance, &mut |found| {
            near.push(found);
            ControlFlow::Continue(max_distance)
        });
    }

    /// Calls `found` with each that is within the distance, and perhaps others that are farther
    /// away than `found` said last, or `known` at first.
    fn for_each_near(
        &self,
        point: Vec3,
        max_distance: f32,
        known: f32,
        found: &mut dyn FnMut(ClosestPoint) -> ControlFlow<(), f32>,
    ) {
        let facts = &self.tops.facts.boxes;
        let Some(tests) = NearTests::new(facts, point.to_array(), max_distance) else { return };
        // Distances that are rounded to this one are as good.
        let scaled =
            |distance: f32| tests.blocks.scaled(f64::from(distance.next_up())).min(tests.bound);
        let mut bound = scaled(known);
        self.for_each(&Test::Point(&tests.blocks), bound, &mut |instance, volume| {
            if let Some(near) = volume.nearest_to(point)
                && near.distance <= f64::from(max_distance)
                && let distance = near.distance as f32
                && let (face, place) = seen_at(volume, &near)
                && let Some(hit) = self.accepted(instance, (distance, face), place)
            {
                let point = to_f32(near.point);
                let near = ClosestPoint { point, distance, feature: Feature::Face, hit };
                bound = scaled(found(near)?);
            }
            ControlFlow::Continue(bound)
        });
    }
}

/// The side of a volume that a point is on, and the place that is nearest to it.
pub(super) fn seen_at(volume: &Volume, near: &VolumeNearest) -> (Face, SurfacePlace) {
    let face = if near.distance == 0.0 { Face::Back } else { Face::Front };
    (face, volume.place_near(near.point, near.outwards))
}
