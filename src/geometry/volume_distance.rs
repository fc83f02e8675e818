//! How far a volume is from a point.

use super::convex_core::Core;
use super::core_distance::{is_close, nearest};
use super::vec3_f64::{Vec3F64, add, max, scale, to_f64};
use super::volume::Volume;

/// The point of a volume that is nearest to another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VolumeNearest {
    pub(crate) point: Vec3F64,
    /// Zero inside.
    pub(crate) distance: f64,
    /// From the volume to the asked point, of unit length; zero inside.
    pub(crate) outwards: Vec3F64,
}

impl Volume {
    /// The point that is nearest to another one: that point itself, if it is inside. In `f64`.
    /// `None` if the volume is empty.
    pub(crate) fn nearest_to(&self, point: glam::Vec3) -> Option<VolumeNearest> {
        let at = to_f64(point);
        let inside = VolumeNearest { point: at, distance: 0.0, outwards: [0.0; 3] };
        if self.contains(point) {
            return Some(inside);
        }
        let core = Core::near(&(*self).into(), || self.bounds())?;
        let near = nearest(&[at], &core.points, [0.0; 3], &is_close);
        let length = near.at_most();
        if length == 0.0 {
            return Some(inside);
        }
        let outwards = scale(near.way, 1.0 / length);
        let point = add(near.on_other, scale(outwards, core.radius));
        Some(VolumeNearest { point, distance: max(length - core.radius, 0.0), outwards })
    }
}
