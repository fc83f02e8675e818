//! The bounding sphere.

use glam::Vec3;

use super::vec3_f64::{
    Wide, add, cross, distance_squared, dot, dot_magnitude, narrow, round_up, scale, sub, wide,
};
use super::{Aabb, Ray, RayInterval};

#[cfg(test)]
mod tests;

/// A ball: all points within `radius` of `center`, its surface included.
///
/// The coarsest of the proxies: cheap to test and to turn, seldom tight; how much
/// less so than a box, [`Aabb::volume`] tells. A ball with a negative or NaN radius
/// is empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// The middle.
    pub center: Vec3,
    /// The distance from the middle to the surface.
    pub radius: f32,
}

impl Sphere {
    /// A ball from its center and radius.
    #[must_use]
    pub fn new(center: impl Into<Vec3>, radius: f32) -> Self {
        Self { center: center.into(), radius }
    }

    /// The smallest ball around points, up to rounding; `None` when there are none,
    /// or one is not finite.
    ///
    /// It [`contains`](Self::contains) every one of them, rounding included.
    ///
    /// Welzl, "Smallest Enclosing Disks (Balls and Ellipsoids)", 1991, in the form
    /// that Gärtner gave it ("Fast and Robust Smallest Enclosing Balls", 1999): the
    /// point farthest outside joins the at most four that hold up the ball, and the
    /// ball of these is found anew. Some ten passes over the points as a rule; no
    /// recursion and no random order, so the same points give the same ball.
    #[must_use]
    pub fn from_points<P: Into<Vec3>>(points: impl IntoIterator<Item = P>) -> Option<Self> {
        /// Ends what rounding might keep going; the ball is then a little too large.
        const PASSES: usize = 256;

        let points: Vec<Vec3> = points.into_iter().map(Into::into).collect();
        let first = points.first()?;
        if !points.iter().all(|point| point.is_finite()) {
            return None;
        }
        let mut ball = Support::of(wide(*first));
        let mut best = (ball.center, f64::INFINITY);
        for _ in 0..PASSES {
            let (farthest, distance) = farthest_from(ball.center, &points);
            if distance < best.1 {
                best = (ball.center, distance);
            }
            if distance <= ball.radius_squared {
                break;
            }
            let grown = ball.with(farthest);
            if grown.radius_squared <= ball.radius_squared {
                break;
            }
            ball = grown;
        }
        let center = narrow(best.0);
        let (_, distance) = farthest_from(wide(center), &points);
        Some(Self::reaching(center, distance))
    }

    /// The ball around a box; `None` when the box is empty or not finite.
    #[must_use]
    pub fn from_aabb(bounds: &Aabb) -> Option<Self> {
        if bounds.is_empty() || !bounds.min.is_finite() || !bounds.max.is_finite() {
            return None;
        }
        let center = bounds.center();
        let (_, distance) = farthest_from(wide(center), &bounds.corners());
        Some(Self::reaching(center, distance))
    }

    /// The volume, `4/3 π r³`; zero for an empty ball. How it compares with a box is
    /// told at [`Aabb::volume`].
    #[must_use]
    pub fn volume(&self) -> f32 {
        if self.is_empty() {
            return 0.0;
        }
        let radius = f64::from(self.radius);
        (4.0 / 3.0 * std::f64::consts::PI * radius * radius * radius) as f32
    }

    /// Whether the ball holds no point at all. A ball of radius zero holds one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.radius.is_nan() || self.radius < 0.0
    }

    /// Whether a point lies in the ball, its surface included.
    #[must_use]
    pub fn contains(&self, point: impl Into<Vec3>) -> bool {
        let radius = f64::from(self.radius);
        !self.is_empty()
            && distance_squared(wide(self.center), wide(point.into())) <= radius * radius
    }

    /// Where the ray's line is inside the ball; `None` when it misses.
    ///
    /// As in [`Aabb::ray_interval`], the whole line counts and `t` is in units of
    /// the ray's direction. Computed in `f64` from the point of the line that is
    /// nearest to the center, which does not cancel when the ray starts far away;
    /// a line within the rounding error of that of the ball touches it, and the
    /// interval is then rounded outward to `f32`.
    #[must_use]
    pub fn ray_interval(&self, ray: &Ray) -> Option<RayInterval> {
        if self.is_empty() || !ray.has_line() {
            return None;
        }
        let radius = f64::from(self.radius);
        let dir = wide(ray.dir);
        let from_center = sub(wide(ray.origin), wide(self.center));
        let square = dot(dir, dir);
        let middle = -dot(from_center, dir) / square;
        let nearest = add(from_center, scale(dir, middle));

        let gap = radius * radius - dot(nearest, nearest);
        let travelled = dot_magnitude(from_center, from_center).sqrt();
        let nearness = dot(nearest, nearest).sqrt();
        let slack = 16.0 * f64::EPSILON * (travelled * nearness + radius * radius);
        // A center that is not finite makes a NaN, which is no hit either.
        if gap.is_nan() || gap < -slack {
            return None;
        }
        let half = (gap.max(0.0) / square).sqrt();
        let inside = self.contains(ray.origin);
        Some(RayInterval::outward(middle - half, middle + half, inside))
    }

    /// Whether the ray meets the ball within its own `t_min..=t_max`.
    #[must_use]
    pub fn hit_by(&self, ray: &Ray) -> bool {
        self.ray_interval(ray).is_some_and(|interval| interval.clipped(ray).is_some())
    }

    /// The ball whose `contains` holds for all at this squared distance.
    fn reaching(center: Vec3, distance_squared: f64) -> Self {
        let mut radius = round_up(distance_squared.sqrt());
        while f64::from(radius) * f64::from(radius) < distance_squared {
            radius = radius.next_up();
        }
        Self { center, radius }
    }
}

fn farthest_from(center: Wide, points: &[Vec3]) -> (Wide, f64) {
    let mut farthest = (center, 0.0);
    for &point in points {
        let point = wide(point);
        let distance = distance_squared(center, point);
        if distance > farthest.1 {
            farthest = (point, distance);
        }
    }
    farthest
}

/// A ball and the points, one to four, that hold it up.
#[derive(Clone, Copy)]
struct Support {
    points: [Wide; 4],
    count: usize,
    center: Wide,
    radius_squared: f64,
}

impl Support {
    fn of(point: Wide) -> Self {
        Self { points: [point; 4], count: 1, center: point, radius_squared: 0.0 }
    }

    /// The smallest ball around the support and one more point.
    ///
    /// Every choice of up to four of them offers its circumcenter, and the one whose
    /// farthest point is nearest wins. That needs no tolerance: a bad center, as of
    /// four points almost in a plane, only loses.
    fn with(&self, extra: Wide) -> Self {
        let mut all = [extra; 5];
        all[..self.count].copy_from_slice(&self.points[..self.count]);
        let all = &all[..=self.count];

        let mut best = Self { radius_squared: f64::INFINITY, ..*self };
        for choice in 1_u32..1 << all.len() {
            let count = choice.count_ones() as usize;
            if count > 4 {
                continue;
            }
            let mut points = [extra; 4];
            let chosen = (0..all.len()).filter(|i| choice >> i & 1 == 1);
            for (slot, i) in points.iter_mut().zip(chosen) {
                *slot = all[i];
            }
            let center = circumcenter(&points[..count]);
            let radius_squared = all
                .iter()
                .map(|&point| distance_squared(center, point))
                .fold(0.0, |a: f64, b| if b <= a { a } else { b });
            // On a tie the fewer points are the surer support.
            let better = radius_squared < best.radius_squared
                || (radius_squared == best.radius_squared && count < best.count);
            if better {
                best = Self { points, count, center, radius_squared };
            }
        }
        best
    }
}

/// The point at the same distance from all, in the line or plane that they span;
/// not finite when they do not span one.
fn circumcenter(points: &[Wide]) -> Wide {
    match *points {
        [a] => a,
        [a, b] => scale(add(a, b), 0.5),
        [a, b, c] => {
            let (b, c) = (sub(b, a), sub(c, a));
            let normal = cross(b, c);
            let sum = add(scale(cross(normal, b), dot(c, c)), scale(cross(c, normal), dot(b, b)));
            add(a, scale(sum, 0.5 / dot(normal, normal)))
        }
        [a, b, c, d] => {
            let (b, c, d) = (sub(b, a), sub(c, a), sub(d, a));
            let sum = add(
                add(scale(cross(c, d), dot(b, b)), scale(cross(d, b), dot(c, c))),
                scale(cross(b, c), dot(d, d)),
            );
            add(a, scale(sum, 0.5 / dot(b, cross(c, d))))
        }
        _ => [f64::NAN; 3],
    }
}
