//! Planes.

use glam::Vec3;

use super::ray::Ray;
use super::triangle::Triangle;
use super::vec3_f64::{dot, sub, to_f64};

#[cfg(test)]
mod tests;

/// A plane, given by one of its points and its normal.
///
/// A point keeps its bits where a distance from the origin would be rounded, so the plane is as
/// exact far from the origin as near it.
///
/// ```
/// use hitscan::{Plane, Ray};
///
/// let ground = Plane::from_point_normal([0.0; 3], [0.0, 1.0, 0.0]);
/// assert_eq!(ground.signed_distance([3.0, -2.0, 5.0]), -2.0);
/// assert_eq!(ground.intersect(&Ray::new([0.0, 4.0, 0.0], [0.0, -2.0, 0.0])), Some(2.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Any point of the plane.
    pub point: Vec3,
    /// The direction in which distances are positive; any length but zero.
    pub normal: Vec3,
}

impl Plane {
    /// The plane through a point, perpendicular to a normal of any length.
    ///
    /// With a normal of zero distances are NaN and all rays miss.
    #[must_use]
    pub fn from_point_normal(point: impl Into<Vec3>, normal: impl Into<Vec3>) -> Self {
        Self { point: point.into(), normal: normal.into() }
    }

    /// The plane through three points, with a normal of unit length on the side from which they
    /// are counter-clockwise. `None` when they lie on a line or are not finite.
    #[must_use]
    pub fn from_points(a: impl Into<Vec3>, b: impl Into<Vec3>, c: impl Into<Vec3>) -> Option<Self> {
        let triangle = Triangle::new(a, b, c);
        let normal = triangle.unit_normal();
        (normal != Vec3::ZERO).then_some(Self { point: triangle.v0, normal })
    }

    /// The distance of a point, negative behind the plane. NaN when the normal is zero.
    #[must_use]
    pub fn signed_distance(&self, point: impl Into<Vec3>) -> f32 {
        let normal = to_f64(self.normal);
        let height = dot(normal, sub(to_f64(point.into()), to_f64(self.point)));
        (height / dot(normal, normal).sqrt()) as f32
    }

    /// The `t` at which the ray meets the plane, within its bounds and from either side.
    ///
    /// A parallel ray misses, even one that lies in the plane. Parallel means that the dot product
    /// of normal and direction, in `f64`, is exactly zero.
    #[must_use]
    pub fn intersect(&self, ray: &Ray) -> Option<f32> {
        let normal = to_f64(self.normal);
        let rise = dot(normal, to_f64(ray.dir));
        let height = dot(normal, sub(to_f64(self.point), to_f64(ray.origin)));
        // Infinite or NaN, and so not admitted, if it is parallel.
        let t = (height / rise) as f32;
        (ray.is_castable() && ray.admits(t)).then_some(t)
    }
}
