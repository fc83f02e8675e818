//! The answer to questions about a point.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use crate::geometry::Feature;
use crate::traverse::hit::Hit;

/// The point of a triangle or a [volume](crate::scene#volumes) that is closest to a point that was
/// asked about. A volume is solid: a point inside is its own closest point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ClosestPoint {
    /// The closest point, rounded.
    pub point: Vec3,
    /// Its distance, which is not negative: the exact value, rounded once.
    pub distance: f32,
    /// The part of the triangle that it is on, in the caller's order of vertices:
    /// [`Bvh::feature_points`](crate::Bvh::feature_points) gives its points.
    pub feature: Feature,
    /// The triangle. Here `t` is the distance, `u` and `v` are the weights of the closest point,
    /// and `face` is the side of the triangle's plane that the asked point is on: the front if it
    /// is in the plane.
    pub hit: Hit,
}

/// Puts the nearest first, then the lowest, and those that were found twice into one: a triangle
/// that a spatial split cut is in several leaves.
pub(crate) fn sort_near(near: &mut Vec<ClosestPoint>) {
    near.sort_unstable_by(|a, b| {
        a.distance.total_cmp(&b.distance).then(a.hit.key().cmp(&b.hit.key()))
    });
    near.dedup_by_key(|near| near.hit.key());
}
