//! Volumes of a scene: which a ray meets, and which a shape touches.

use std::ops::ControlFlow;

use super::TopLevels;
use super::visit::{Test, for_each_instance};
use crate::array::Each;
use crate::geometry::{Aabb, Ray, RayInterval, Shape, Support, TOLERANCE, Volume, round_up};
use crate::traverse::instance_id::InstanceId;
use crate::traverse::options::Query;
use crate::traverse::overlap::ShapeSetup;

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

/// The volumes of a scene, and what a question says about those that it sees.
pub(crate) struct VolumesInScene<'a> {
    pub(crate) tops: &'a TopLevels<'a>,
    pub(crate) query: &'a Query<'a>,
}

impl VolumesInScene<'_> {
    /// The volume that a ray meets first; of several the volume with the lowest handle.
    pub(crate) fn closest(&self, ray: &Ray) -> Option<VolumeHit> {
        let mut best: Option<VolumeHit> = None;
        self.for_each_met(ray, |hit| {
            let enter = hit.enter;
            let loses = |best: &VolumeHit| (best.enter, best.instance) < (enter, hit.instance);
            if !best.as_ref().is_some_and(loses) {
                best = Some(hit);
            }
            ControlFlow::Continue(best.map_or(ray.t_max, |best| best.enter))
        });
        best
    }

    /// Whether a ray meets any.
    pub(crate) fn any(&self, ray: &Ray) -> bool {
        let mut any = false;
        self.for_each_met(ray, |_| {
            any = true;
            ControlFlow::Break(())
        });
        any
    }

    /// All that a ray meets, in no order.
    pub(crate) fn all(&self, ray: &Ray, hits: &mut Vec<VolumeHit>) {
        self.for_each_met(ray, |hit| {
            hits.push(hit);
            ControlFlow::Continue(ray.t_max)
        });
    }

    /// Calls `met` with each volume that the ray meets before the bound which it gave last.
    ///
    /// The line may pass a volume by as much as its roundings in `f64`, and the test of boxes has
    /// room for more than those: see [`padding`](super::padding).
    fn for_each_met(&self, ray: &Ray, mut met: impl FnMut(VolumeHit) -> ControlFlow<(), f32>) {
        let mut bound = ray.t_max;
        let test = &Test::Ray(ray);
        for_each_instance(self.tops, self.query, test, bound, &mut |instance, volume| {
            let interval = volume.and_then(|volume| volume.ray_interval(ray)?.clipped(ray));
            if let Some(RayInterval { enter, exit, origin_inside }) = interval {
                bound = met(VolumeHit { instance: instance.id, enter, exit, origin_inside })?;
            }
            ControlFlow::Continue(bound)
        });
    }

    /// Calls `found` with each volume that touches a shape.
    pub(crate) fn for_each_touching(
        &self,
        shape: &Shape,
        mut found: impl FnMut(InstanceId) -> ControlFlow<()>,
    ) {
        let facts = &self.tops.facts.boxes;
        // Boxes of volumes have room for what counts as touching, in parts of their own size.
        let setup = match shape {
            Shape::Frustum(_) => ShapeSetup::new(facts, shape),
            _ => {
                let Some(support) = Support::of(shape) else { return };
                let [x, y, z, _] = facts.size.each(f64::from);
                let size = support.size().max(x).max(y).max(z);
                ShapeSetup::new(facts, &with_room(&support.bounds(), size).into())
            }
        };
        let Some(setup) = setup else { return };
        let (test, bound) = (&Test::Shape(&setup), f32::INFINITY);
        for_each_instance(self.tops, self.query, test, bound, &mut |instance, volume| {
            if volume.is_some_and(|&volume| shape.overlaps_shape(&volume.into())) {
                found(instance.id)?;
            }
            ControlFlow::Continue(bound)
        });
    }
}

/// A box with room for what counts as touching, next to numbers of this size.
fn with_room(bounds: &Aabb, size: f64) -> Aabb {
    let room = if size.is_finite() { 4.0 * TOLERANCE * size } else { 0.0 };
    bounds.expanded([round_up(room); 3])
}

/// A box around a volume of a scene, with room for what counts as touching.
pub(crate) fn volume_bounds(volume: &Volume) -> Aabb {
    let support = Support::of(&(*volume).into());
    support.map_or(Aabb::EMPTY, |support| with_room(&support.bounds(), support.size()))
}
