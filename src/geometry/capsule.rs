//! The capsule.

use glam::Vec3;

use super::aabb::Aabb;
use super::exact::near_segment::holds;
use super::vec3_f64::{
    Vec3F64, add, difference_down, difference_up, dot, round_down, round_up, scale, sub, to_f32,
    to_f64,
};

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
        let mut bounds = Aabb::from_points([self.a, self.b]);
        let radius = f64::from(self.radius);
        for k in 0..3 {
            bounds.min[k] = round_down(difference_down(bounds.min[k].into(), radius));
            bounds.max[k] = round_up(difference_up(bounds.max[k].into(), -radius));
        }
        bounds
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

    /// The point of the segment that is nearest to a point, and the way from there.
    fn way_from_axis(&self, point: Vec3) -> (Vec3F64, Vec3F64) {
        let [a, b, point] = [self.a, self.b, point].map(to_f64);
        let along = sub(b, a);
        // NaN where both ends are the same, of which `max` makes zero.
        let reach = dot(sub(point, a), along) / dot(along, along);
        let axis = if reach >= 1.0 { b } else { add(a, scale(along, reach.max(0.0))) };
        (axis, sub(point, axis))
    }
}
