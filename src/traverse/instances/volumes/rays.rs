//! Which volumes of a scene a ray meets.

use std::ops::ControlFlow;

use super::VolumesInScene;
use crate::geometry::{Face, Ray, RayInterval, Volume, add, scale, to_f64};
use crate::traverse::hit::Hit;
use crate::traverse::instance_id::InstanceId;
use crate::traverse::instances::PlacedInstance;
use crate::traverse::instances::visit::Test;

/// Where a ray meets a [volume](crate::scene#volumes) of a scene: the part of its own
/// `t_min..=t_max` that is in the volume.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct VolumeHit {
    /// The instance.
    pub instance: InstanceId,
    /// Where the ray enters the volume: its `t_min` if it begins inside.
    pub enter: f32,
    /// Where it leaves the volume: its `t_max` if it ends inside.
    pub exit: f32,
    /// Whether the ray's origin is in the volume, its surface included.
    pub origin_inside: bool,
}

/// A volume that a ray meets, and where.
struct Met<'a> {
    instance: &'a PlacedInstance,
    volume: &'a Volume,
    interval: RayInterval,
    /// Whether the ray begins in the volume.
    begins_inside: bool,
}

impl VolumesInScene<'_> {
    /// The volume that a ray meets first, or the hit that is given, if that comes first.
    pub(crate) fn closest_hit(&self, ray: &Ray, mut best: Option<Hit>) -> Option<Hit> {
        let bound = best.map_or(ray.t_max, |hit| hit.t);
        self.for_each_met(ray, bound, &mut |met| {
            let key = (met.interval.enter, met.instance.id);
            if best.is_none_or(|best| key < (best.t, best.instance)) {
                best = self.hit(ray, met).or(best);
            }
            ControlFlow::Continue(best.map_or(ray.t_max, |best| best.t))
        });
        best
    }

    /// Whether a ray meets any.
    pub(crate) fn any_hit(&self, ray: &Ray) -> bool {
        let mut any = false;
        self.for_each_met(ray, ray.t_max, &mut |met| {
            any = self.hit(ray, met).is_some();
            if any { ControlFlow::Break(()) } else { ControlFlow::Continue(ray.t_max) }
        });
        any
    }

    /// All that a ray meets, in no order.
    pub(crate) fn all_hits(&self, ray: &Ray, hits: &mut Vec<Hit>) {
        self.for_each_met(ray, ray.t_max, &mut |met| {
            hits.extend(self.hit(ray, met));
            ControlFlow::Continue(ray.t_max)
        });
    }

    /// The same with where they are entered and left. Asks no filter.
    pub(crate) fn all_intervals(&self, ray: &Ray, hits: &mut Vec<VolumeHit>) {
        self.for_each_met(ray, ray.t_max, &mut |met| {
            let RayInterval { enter, exit, origin_inside } = met.interval;
            hits.push(VolumeHit { instance: met.instance.id, enter, exit, origin_inside });
            ControlFlow::Continue(ray.t_max)
        });
    }

    fn hit(&self, ray: &Ray, met: &Met<'_>) -> Option<Hit> {
        let (t, volume) = (met.interval.enter, met.volume);
        let (face, place) = if met.begins_inside {
            let start = add(to_f64(ray.origin), scale(to_f64(ray.dir), t.into()));
            (Face::Back, volume.place_near(start, [0.0; 3]))
        } else {
            (Face::Front, volume.place_entered(ray, t))
        };
        self.accepted(met.instance, (t, face), place)
    }

    /// Calls `met` with each volume that the ray meets before the bound which it gave last.
    ///
    /// The line may pass a volume by as much as its roundings in `f64`, and the test of boxes has
    /// room for more than those: see [`padding`](crate::traverse::instances::padding).
    fn for_each_met(
        &self,
        ray: &Ray,
        mut bound: f32,
        met: &mut dyn FnMut(&Met<'_>) -> ControlFlow<(), f32>,
    ) {
        self.for_each(&Test::Ray(ray), bound, &mut |instance, volume| {
            if let Some(whole) = volume.ray_interval(ray)
                && let Some(interval) = whole.clipped(ray)
                && interval.enter.is_finite()
            {
                let begins_inside = whole.enter < ray.t_min;
                bound = met(&Met { instance, volume, interval, begins_inside })?;
            }
            ControlFlow::Continue(bound)
        });
    }
}
