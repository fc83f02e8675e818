//! Rays with a radius that grows, and what lies within it.

use glam::Vec3;

use super::ray::Ray;
use super::vec3_f64::{Vec3F64, add, dot, max, min, scale, sub, to_f32, to_f64};
use crate::array::Each;

#[cfg(test)]
mod tests;

/// A ray with a radius that grows along it: the points whose distance from the ray's line is at
/// most `radius + growth * t`, where `t` is the place along the ray that they are nearest to, and
/// is within its interval.
///
/// It is what lies within some pixels of the cursor: a cone for a perspective camera, a cylinder
/// for an orthographic one. [`Camera::cone`](super::Camera::cone) makes one.
/// [`Bvh::snap`](crate::Bvh::snap) finds the vertices and edges in it.
///
/// A cone whose radius is negative somewhere holds no points there. One with a NaN, or with an
/// infinite radius or growth, holds none at all, and neither does one of a ray that hits nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayCone {
    /// The ray in the middle.
    pub ray: Ray,
    /// The radius where `t` is zero.
    pub radius: f32,
    /// How much the radius grows while `t` grows by one. Zero for a cylinder.
    pub growth: f32,
}

impl RayCone {
    /// A cone around a ray.
    ///
    /// ```
    /// use hitscan::Ray;
    /// use hitscan::geometry::RayCone;
    ///
    /// // Within a hundredth of the distance.
    /// let ahead = RayCone::new(Ray::new([0.0; 3], [0.0, 0.0, 1.0]), 0.0, 0.01);
    /// assert_eq!(ahead.growth, 0.01);
    /// ```
    #[must_use]
    pub fn new(ray: Ray, radius: f32, growth: f32) -> Self {
        Self { ray, radius, growth }
    }
}

/// A cone in `f64`, set up for questions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PreparedCone {
    origin: Vec3F64,
    dir: Vec3F64,
    /// The length of the direction, squared.
    squared: f64,
    radius: f64,
    growth: f64,
    t_min: f64,
    t_max: f64,
}

/// A point as a cone sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InCone {
    /// Its distance from the ray's line in parts of the radius there: at most 1.
    pub(crate) score: f64,
    pub(crate) distance: f64,
    pub(crate) t: f64,
    pub(crate) point: Vec3,
    /// How far it is from the first end of a segment to the second: 0 to 1.
    pub(crate) along: f64,
}

/// Where a point is beside the ray.
#[derive(Clone, Copy)]
struct Beside {
    t: f64,
    /// From the point of the ray's line at `t`.
    offset: Vec3F64,
    radius: f64,
}

impl PreparedCone {
    /// `None` if no point is in it.
    pub(crate) fn new(cone: &RayCone) -> Option<Self> {
        let RayCone { ray, radius, growth } = *cone;
        let is_sound = ray.is_castable() && radius.is_finite() && growth.is_finite();
        let dir = to_f64(ray.dir);
        is_sound.then(|| Self {
            origin: to_f64(ray.origin),
            dir,
            squared: dot(dir, dir),
            radius: radius.into(),
            growth: growth.into(),
            t_min: ray.t_min.into(),
            t_max: ray.t_max.into(),
        })
    }

    fn beside(&self, point: Vec3F64) -> Beside {
        let from_origin = sub(point, self.origin);
        let t = dot(from_origin, self.dir) / self.squared;
        let offset = sub(from_origin, scale(self.dir, t));
        Beside { t, offset, radius: self.radius + self.growth * t }
    }

    fn seen(&self, beside: &Beside, point: Vec3, along: f64) -> Option<InCone> {
        let &Beside { t, offset, radius } = beside;
        let distance = dot(offset, offset).sqrt();
        let is_in = self.t_min <= t && t <= self.t_max && distance <= radius;
        let score = if distance == 0.0 { 0.0 } else { distance / radius };
        is_in.then_some(InCone { score, distance, t, point, along })
    }

    /// A point, if the cone holds it.
    pub(crate) fn point(&self, point: Vec3) -> Option<InCone> {
        self.seen(&self.beside(to_f64(point)), point, 0.0)
    }

    /// The point of a segment with the least score, if the cone holds any.
    ///
    /// Along the segment, offset and radius are linear: `P + s Q` and `R + s G`. The derivative of
    /// `|P + s Q|^2 / (R + s G)^2` has the sign of `(R PQ - G PP) + s (R QQ - G PQ)`, which is
    /// linear too, and where the radius is positive the score has no more than one minimum.
    pub(crate) fn segment(&self, ends: [Vec3; 2]) -> Option<InCone> {
        let [a, b] = ends.each(to_f64);
        let [from, to] = [a, b].each(|end| self.beside(end));
        let (p, q) = (from.offset, sub(to.offset, from.offset));
        let (t, length) = (from.t, to.t - from.t);
        let (r, g) = (from.radius, to.radius - from.radius);
        let mut range = [0.0, 1.0];
        range = clip(t - self.t_min, length, range)?;
        range = clip(self.t_max - t, -length, range)?;
        let [low, high] = clip(r, g, range)?;

        let (pp, pq, qq) = (dot(p, p), dot(p, q), dot(q, q));
        // Where the radius is zero everywhere, distances decide.
        let (r, g) = if r == 0.0 && g == 0.0 { (1.0, 0.0) } else { (r, g) };
        let (constant, slope) = (r * pq - g * pp, r * qq - g * pq);
        let derivative = |s: f64| constant + s * slope;
        let s = if derivative(low) >= 0.0 {
            low
        } else if derivative(high) <= 0.0 {
            high
        } else {
            min(max(-constant / slope, low), high)
        };
        if s == 0.0 || s == 1.0 {
            let (end, beside) = if s == 0.0 { (ends[0], from) } else { (ends[1], to) };
            return self.seen(&beside, end, s);
        }
        let beside = Beside {
            // Rounding must not lead out of the range that it was clipped to.
            t: min(max(t + s * length, self.t_min), self.t_max),
            offset: add(p, scale(q, s)),
            radius: from.radius + s * (to.radius - from.radius),
        };
        self.seen(&beside, to_f32(add(a, scale(sub(b, a), s))), s)
    }

    /// A score that no point of a box is below; `None` if none of its points is in the cone.
    ///
    /// By a sphere around the box: its points are nearer to the line than its center by no more
    /// than its radius, and the cone's radius is there what it is at the center, but for that
    /// radius times the growth by length. The slack is a thousand times what `f64` loses.
    pub(crate) fn least_score(&self, [low, high]: [Vec3F64; 2]) -> Option<f64> {
        const SLACK: f64 = 1e-12;
        let center = scale(add(low, high), 0.5);
        let half = scale(sub(high, low), 0.5);
        let from_origin = sub(center, self.origin);
        let size = dot(from_origin, from_origin).sqrt();
        let radius = dot(half, half).sqrt() * (1.0 + SLACK) + SLACK * size;
        let reach = radius / self.squared.sqrt();
        let Beside { t, offset, radius: radius_at } = self.beside(center);
        let most = radius_at + self.growth.abs() * reach;
        let most = most + SLACK * (most.abs() + self.radius.abs() + (self.growth * t).abs());
        let nearest = max(dot(offset, offset).sqrt() - radius, 0.0);
        let is_out = t + reach < self.t_min || t - reach > self.t_max || nearest > most;
        // A box that is not finite is let in: its score is 0 or NaN.
        let score = if nearest > 0.0 { nearest / most * (1.0 - SLACK) } else { 0.0 };
        (!is_out).then_some(score)
    }

    /// The way from a point of the cone to where it is seen from: on the near end of the ray's
    /// interval, or as far as the cone's tip. What lies within a 4,096th of the way does not count:
    /// the point is rounded, and so are surfaces that it lies on.
    pub(crate) fn line_of_sight(&self, seen: &InCone) -> Ray {
        const NEAR: f32 = 1.0 / 4096.0;
        let beside = self.beside(to_f64(seen.point));
        let tip = if self.growth > 0.0 { -self.radius / self.growth } else { f64::NEG_INFINITY };
        let start = max(tip, self.t_min);
        let radius = self.radius + self.growth * start;
        let part = if beside.radius > 0.0 { radius / beside.radius } else { 0.0 };
        let eye = add(add(self.origin, scale(self.dir, start)), scale(beside.offset, part));
        let eye = to_f32(eye);
        if eye.is_finite() {
            return Ray::between(seen.point, eye).with_range(NEAR, 1.0);
        }
        Ray::new(seen.point, to_f32(scale(self.dir, -1.0))).with_range(NEAR, f32::INFINITY)
    }
}

/// The part of a range of `s` in which `at + s * slope` is not negative.
fn clip(at: f64, slope: f64, [low, high]: [f64; 2]) -> Option<[f64; 2]> {
    let zero = -at / slope;
    let [low, high] = match slope {
        _ if slope > 0.0 => [max(low, zero), high],
        _ if slope < 0.0 => [low, min(high, zero)],
        _ if at >= 0.0 => [low, high],
        _ => return None,
    };
    (low <= high).then_some([low, high])
}
