//! Planes.

use glam::Vec3;

use super::vec3_f64::{Wide, dot, narrow, scale, sub, wide};
use super::{Ray, Triangle};

#[cfg(test)]
mod tests;

/// A plane, given by one of its points and its normal.
///
/// A point keeps its bits where a distance from the origin would round, so the
/// plane is as exact far from the origin as near to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Any point of the plane.
    pub point: Vec3,
    /// The direction in which distances are positive; any length but zero.
    pub normal: Vec3,
}

impl Plane {
    /// The plane through a point, across a normal of any length.
    ///
    /// With a normal of zero nothing is a plane: distances are NaN and rays miss.
    #[must_use]
    pub fn from_point_normal(point: impl Into<Vec3>, normal: impl Into<Vec3>) -> Self {
        Self { point: point.into(), normal: normal.into() }
    }

    /// The plane through three points, with a normal of unit length on the side
    /// from which they go counter-clockwise.
    ///
    /// `None` when they lie on a line or are not finite.
    #[must_use]
    pub fn from_points(a: impl Into<Vec3>, b: impl Into<Vec3>, c: impl Into<Vec3>) -> Option<Self> {
        let triangle = Triangle::new(a, b, c);
        let normal = triangle.wide_normal();
        let square = dot(normal, normal);
        (square.is_finite() && square > 0.0).then(|| Self {
            point: triangle.v0,
            normal: narrow(scale(normal, 1.0 / square.sqrt())),
        })
    }

    /// The distance of a point in units of length, negative behind the plane.
    /// NaN when the normal is zero.
    #[must_use]
    pub fn signed_distance(&self, point: impl Into<Vec3>) -> f32 {
        let normal = wide(self.normal);
        let height = dot(normal, sub(wide(point.into()), wide(self.point)));
        (height / dot(normal, normal).sqrt()) as f32
    }

    /// Where the ray meets the plane, within its bounds and from either side.
    ///
    /// A parallel ray misses, even one that lies in the plane; parallel means that
    /// the product of normal and direction is exactly zero.
    #[must_use]
    pub fn intersect_ray(&self, ray: &Ray) -> Option<f32> {
        let t = line_parameter(wide(self.point), wide(self.normal), ray)? as f32;
        (ray.is_castable() && ray.admits(t)).then_some(t)
    }
}

/// Where the ray's line meets a plane; `None` when parallel.
pub(super) fn line_parameter(point: Wide, normal: Wide, ray: &Ray) -> Option<f64> {
    let rise = dot(normal, wide(ray.dir));
    let height = dot(normal, sub(point, wide(ray.origin)));
    (rise != 0.0).then(|| height / rise)
}
