//! The capsule.

use glam::Vec3;

use super::aabb::Aabb;
use super::exact::near_segment::holds;
use super::ray::{Ray, RayInterval};
use super::sphere::chord;
use super::vec3_f64::{Vec3F64, add, cross, dot, max, min, scale, sub, to_f32, to_f64};
use crate::array::Each;

#[cfg(test)]
mod tests;

/// A capsule with its inside: all points within `radius` of the segment from `a` to `b`, its
/// surface included. The usual shape of a character.
///
/// With two equal ends it is a sphere, with a radius of zero a segment. A capsule is empty if its
/// radius is negative or NaN, or an end is not finite. All methods take constant time.
///
/// ```
/// use hitscan::Capsule;
///
/// // 1.8 units tall.
/// let body = Capsule::new([0.0, 0.4, 0.0], [0.0, 1.4, 0.0], 0.4);
/// assert!(body.contains([0.4, 1.0, 0.0]) && !body.contains([0.3, 1.75, 0.0]));
/// assert_eq!(body.distance([2.4, 1.0, 0.0]), 2.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// One end of the segment in the middle.
    pub a: Vec3,
    /// The other end.
    pub b: Vec3,
    /// The distance from the segment to the surface.
    pub radius: f32,
}

impl Capsule {
    /// From the ends of the segment and the radius.
    #[must_use]
    pub fn new(a: impl Into<Vec3>, b: impl Into<Vec3>, radius: f32) -> Self {
        Self { a: a.into(), b: b.into(), radius }
    }

    /// Whether the capsule holds no point. One with a radius of zero holds its segment.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.radius.is_nan() || self.radius < 0.0 || !(self.a.is_finite() && self.b.is_finite())
    }

    /// The smallest box around the capsule, rounded outwards: no point is lost.
    ///
    /// ```
    /// use hitscan::{Aabb, Capsule};
    ///
    /// let body = Capsule::new([0.0, 1.0, 0.0], [0.0, 3.0, 0.0], 1.0);
    /// assert_eq!(body.bounds(), Aabb::from_min_max([-1.0, 0.0, -1.0], [1.0, 4.0, 1.0]));
    /// ```
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        if self.is_empty() {
            return Aabb::EMPTY;
        }
        Aabb::from_points([self.a, self.b]).expanded(Vec3::splat(self.radius))
    }

    /// Whether a point lies in the capsule, its surface included. Decided without rounding; false
    /// for a point that is not finite.
    ///
    /// ```
    /// use hitscan::Capsule;
    ///
    /// // A point whose distance is exactly the radius.
    /// let capsule = Capsule::new([0.0, 0.0, 0.0], [0.0, 9.0, 0.0], 5.0);
    /// assert!(capsule.contains([3.0, -4.0, 0.0]));
    /// assert!(!capsule.contains([3.0, -4.0000005, 0.0]));
    /// ```
    #[must_use]
    pub fn contains(&self, point: impl Into<Vec3>) -> bool {
        let point = point.into();
        if self.is_empty() || !point.is_finite() || self.radius.is_infinite() {
            return !self.is_empty() && point.is_finite();
        }
        holds(&[self.a.to_array(), self.b.to_array()], self.radius, point.to_array())
    }

    /// The point of the capsule that is nearest to `point`, rounded: `point` itself when inside.
    /// NaN for an empty capsule.
    ///
    /// ```
    /// use hitscan::Capsule;
    ///
    /// let body = Capsule::new([0.0, 1.0, 0.0], [0.0, 3.0, 0.0], 1.0);
    /// assert_eq!(body.closest_point([5.0, 2.0, 0.0]).to_array(), [1.0, 2.0, 0.0]);
    /// assert_eq!(body.closest_point([0.5, 2.0, 0.0]).to_array(), [0.5, 2.0, 0.0]);
    /// ```
    #[must_use]
    pub fn closest_point(&self, point: impl Into<Vec3>) -> Vec3 {
        let point = point.into();
        if self.is_empty() {
            return Vec3::NAN;
        }
        if self.contains(point) {
            return point;
        }
        let (axis, off) = self.way_from_axis(point);
        let radius = f64::from(self.radius) / dot(off, off).sqrt();
        to_f32(add(axis, scale(off, radius)))
    }

    /// The distance from the capsule to a point, rounded: zero when inside. NaN for an empty
    /// capsule.
    ///
    /// ```
    /// use hitscan::Capsule;
    ///
    /// let body = Capsule::new([0.0, 1.0, 0.0], [0.0, 3.0, 0.0], 1.0);
    /// assert_eq!(body.distance([3.0, 7.0, 0.0]), 4.0);
    /// assert_eq!(body.distance([0.5, 2.0, 0.0]), 0.0);
    /// ```
    #[must_use]
    pub fn distance(&self, point: impl Into<Vec3>) -> f32 {
        let point = point.into();
        if self.is_empty() {
            return f32::NAN;
        }
        if self.contains(point) {
            return 0.0;
        }
        let (_, off) = self.way_from_axis(point);
        (dot(off, off).sqrt() - f64::from(self.radius)).max(0.0) as f32
    }

    /// Where the ray's line is inside the capsule; `None` when it misses.
    ///
    /// As in [`Aabb::ray_interval`], the whole line counts and `t` is in units of the ray's
    /// direction. Computed in `f64` as for a [`Sphere`](super::Sphere::ray_interval): a line whose
    /// distance from the capsule is within the rounding error touches it, and the interval is
    /// rounded outward to `f32`.
    ///
    /// ```
    /// use hitscan::{Capsule, Ray};
    ///
    /// let player = Capsule::new([8.0, 0.5, 0.0], [8.0, 1.5, 0.0], 0.5);
    /// let bullet = Ray::new([0.0, 1.0, 0.0], [2.0, 0.0, 0.0]);
    /// let interval = player.ray_interval(&bullet).expect("it is aimed at the player");
    /// assert_eq!((interval.enter, interval.exit), (3.75, 4.25));
    /// ```
    #[must_use]
    pub fn ray_interval(&self, ray: &Ray) -> Option<RayInterval> {
        if self.is_empty() || !ray.has_line() {
            return None;
        }
        let [a, b, origin, dir] = [self.a, self.b, ray.origin, ray.dir].each(to_f64);
        let (axis, from_a, from_b) = (sub(b, a), sub(origin, a), sub(origin, b));
        let (square, length) = (f64::from(self.radius).powi(2), dot(axis, axis));
        let distance = |v: Vec3F64| dot(v, v).sqrt();
        // The capsule is convex, so the ends of the interval are ends of the intervals of its
        // parts: a sphere around each end, and the cylinder in between.
        let ends = [from_a, from_b].each(|from| chord(from, dir, square, distance(from)));
        // A cross product with the axis has the length of the part perpendicular to the axis, times
        // the length of the axis. Where the line is parallel to the axis this gives NaN, so no
        // interval, and the spheres decide.
        let travelled = distance(from_a) * length.sqrt();
        let side = chord(cross(axis, from_a), cross(axis, dir), square * length, travelled);
        // Limited to the slab between the ends. What rounding loses there is in the spheres.
        let (height, rise) = (dot(axis, from_a), dot(axis, dir));
        let (to_a, to_b) = (-height / rise, (length - height) / rise);
        let limited = |[enter, exit]: [f64; 2]| {
            let (enter, exit) = (max(min(to_a, to_b), enter), min(max(to_a, to_b), exit));
            (enter <= exit).then_some([enter, exit])
        };
        let parts = ends.into_iter().chain([side.and_then(limited)]).flatten();
        let [enter, exit] =
            parts.reduce(|all, part| [min(all[0], part[0]), max(all[1], part[1])])?;
        Some(RayInterval::outward(enter, exit, self.contains(ray.origin)))
    }

    /// Whether the ray meets the capsule within its own `t_min..=t_max`.
    #[must_use]
    pub fn intersects_ray(&self, ray: &Ray) -> bool {
        self.ray_interval(ray).is_some_and(|interval| interval.clipped(ray).is_some())
    }

    /// The point of the segment that is nearest to a point, and the way from there.
    fn way_from_axis(&self, point: Vec3) -> (Vec3F64, Vec3F64) {
        let [a, b, point] = [self.a, self.b, point].each(to_f64);
        let along = sub(b, a);
        // NaN where both ends are the same, of which `max` makes zero.
        let reach = dot(sub(point, a), along) / dot(along, along);
        let axis = if reach >= 1.0 { b } else { add(a, scale(along, reach.max(0.0))) };
        (axis, sub(point, axis))
    }
}
