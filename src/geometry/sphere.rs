//! The bounding sphere.

use glam::Vec3;
use smallvec::SmallVec;

use super::aabb::Aabb;
use super::ray::{Ray, RayInterval};
use super::vec3_f64::{
    Vec3F64, add, cross, distance_squared, dot, dot_magnitude, round_up, scale, sub, to_f32, to_f64,
};

#[cfg(test)]
mod tests;

/// A sphere with its inside: all points within `radius` of `center`, its surface included.
///
/// The coarsest proxy: cheap to test and to rotate, but seldom tight (see [`Aabb::volume`]). A
/// sphere with a negative or NaN radius is empty.
///
/// ```
/// use hitscan::{Ray, Sphere};
///
/// let sphere = Sphere::from_points([[-1.0, 0.0, 0.0], [3.0, 0.0, 0.0]]).expect("two points");
/// assert_eq!((sphere.center.x, sphere.radius), (1.0, 2.0));
/// let inside = Ray::new([0.0; 3], [1.0, 0.0, 0.0]);
/// let interval = sphere.ray_interval(&inside).expect("starts inside");
/// assert_eq!((interval.enter, interval.exit, interval.origin_inside), (-1.0, 3.0, true));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// The center.
    pub center: Vec3,
    /// The distance from the center to the surface.
    pub radius: f32,
}

impl Sphere {
    /// From the center and the radius.
    #[must_use]
    pub fn new(center: impl Into<Vec3>, radius: f32) -> Self {
        Self { center: center.into(), radius }
    }

    /// The smallest sphere around points, up to rounding; `None` when there are none, or one is
    /// not finite. It [`contains`](Self::contains) every one of them, rounding included.
    ///
    /// The algorithm is Welzl's ("Smallest Enclosing Disks (Balls and Ellipsoids)", 1991) in
    /// Gärtner's form ("Fast and Robust Smallest Enclosing Balls", 1999): the point farthest
    /// outside joins the at most four points that define the sphere, and a new sphere is computed
    /// from these. It makes about ten passes over the points, and at most 256, without recursion
    /// or random order: the same points give the same sphere.
    #[must_use]
    pub fn from_points<P: Into<Vec3>>(points: impl IntoIterator<Item = P>) -> Option<Self> {
        /// Stops a search that rounding would keep going; the sphere is then a little too large.
        const PASSES: usize = 256;

        let points: Vec<Vec3> = points.into_iter().map(Into::into).collect();
        let first = points.first()?;
        if !points.iter().all(|point| point.is_finite()) {
            return None;
        }
        let mut sphere = Support::around(&[to_f64(*first)]);
        let mut best = (sphere.center, f64::INFINITY);
        for _ in 0..PASSES {
            let (farthest, distance) = farthest_from(sphere.center, &points);
            if distance < best.1 {
                best = (sphere.center, distance);
            }
            sphere.points.push(farthest);
            let grown = Support::around(&sphere.points);
            if distance <= sphere.radius_squared || grown.radius_squared <= sphere.radius_squared {
                break;
            }
            sphere = grown;
        }
        let center = to_f32(best.0);
        let (_, distance) = farthest_from(to_f64(center), &points);
        Some(Self::reaching(center, distance))
    }

    /// The smallest sphere around a box; `None` when the box is empty or not finite.
    #[must_use]
    pub fn from_aabb(bounds: &Aabb) -> Option<Self> {
        if bounds.is_empty() || !bounds.min.is_finite() || !bounds.max.is_finite() {
            return None;
        }
        let center = bounds.center();
        let (_, distance) = farthest_from(to_f64(center), &bounds.corners());
        Some(Self::reaching(center, distance))
    }

    /// The volume, `4/3 π r³`; zero for an empty sphere. [`Aabb::volume`] compares it with boxes.
    #[must_use]
    pub fn volume(&self) -> f32 {
        if self.is_empty() {
            return 0.0;
        }
        let radius = f64::from(self.radius);
        (4.0 / 3.0 * std::f64::consts::PI * radius * radius * radius) as f32
    }

    /// Whether the sphere holds no point. A sphere of radius zero holds one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.radius.is_nan() || self.radius < 0.0
    }

    /// Whether a point lies in the sphere, its surface included.
    #[must_use]
    pub fn contains(&self, point: impl Into<Vec3>) -> bool {
        let radius = f64::from(self.radius);
        !self.is_empty()
            && distance_squared(to_f64(self.center), to_f64(point.into())) <= radius * radius
    }

    /// Where the ray's line is inside the sphere; `None` when it misses.
    ///
    /// As in [`Aabb::ray_interval`], the whole line counts and `t` is in units of the ray's
    /// direction. Computed in `f64` from the point of the line that is nearest to the center,
    /// which does not cancel when the ray starts far away (Haines et al., "Precision Improvements
    /// for Ray/Sphere Intersection", *Ray Tracing Gems*, 2019). A line whose distance from the
    /// sphere is within the rounding error touches it. The interval is rounded outward to `f32`.
    #[must_use]
    pub fn ray_interval(&self, ray: &Ray) -> Option<RayInterval> {
        if self.is_empty() || !ray.has_line() {
            return None;
        }
        let radius = f64::from(self.radius);
        let from_center = sub(to_f64(ray.origin), to_f64(self.center));
        let travelled = dot_magnitude(from_center, from_center).sqrt();
        let [enter, exit] = chord(from_center, to_f64(ray.dir), radius * radius, travelled)?;
        Some(RayInterval::outward(enter, exit, self.contains(ray.origin)))
    }

    /// Whether the ray meets the sphere within its own `t_min..=t_max`.
    #[must_use]
    pub fn intersects_ray(&self, ray: &Ray) -> bool {
        self.ray_interval(ray).is_some_and(|interval| interval.clipped(ray).is_some())
    }

    /// The smallest sphere whose `contains` holds for points at this squared distance.
    fn reaching(center: Vec3, distance_squared: f64) -> Self {
        let mut radius = round_up(distance_squared.sqrt());
        while f64::from(radius) * f64::from(radius) < distance_squared {
            radius = radius.next_up();
        }
        Self { center, radius }
    }
}

/// Where a line is within a distance, whose square is given, of zero. `travelled` is its origin's
/// distance. `None` if it is nowhere, or if a number is not finite.
///
/// **Lemma 7 (sphere).** `nearest` is off by at most 11 roundings of 2^-53 times `travelled`: 8 in
/// `middle`, one each in the difference, the product and the sum. Its square is then off by 22
/// times `travelled * nearness`, to first order, and `gap` rounds five times more. Where its sign
/// is in doubt, `nearness` is about the distance, and `travelled` is no less. The bound has room
/// for 32.
pub(super) fn chord(
    from: Vec3F64,
    dir: Vec3F64,
    distance_squared: f64,
    travelled: f64,
) -> Option<[f64; 2]> {
    let square = dot(dir, dir);
    let middle = -dot(from, dir) / square;
    let nearest = add(from, scale(dir, middle));
    let gap = distance_squared - dot(nearest, nearest);
    let nearness = dot(nearest, nearest).sqrt();
    let slack = 16.0 * f64::EPSILON * travelled * nearness;
    // A center that is not finite gives NaN, which is a miss too.
    if gap.is_nan() || gap < -slack {
        return None;
    }
    let half = (gap.max(0.0) / square).sqrt();
    Some([middle - half, middle + half])
}

fn farthest_from(center: Vec3F64, points: &[Vec3]) -> (Vec3F64, f64) {
    let mut farthest = (center, 0.0);
    for &point in points {
        let point = to_f64(point);
        let distance = distance_squared(center, point);
        if distance > farthest.1 {
            farthest = (point, distance);
        }
    }
    farthest
}

/// A sphere and the points, one to four, that define it.
struct Support {
    points: SmallVec<[Vec3F64; 5]>,
    center: Vec3F64,
    radius_squared: f64,
}

impl Support {
    /// The smallest sphere around at most five points.
    ///
    /// Every choice of up to four of them has a circumcenter, and the one whose farthest point is
    /// nearest wins. That needs no tolerance: a bad center, such as the center of four points
    /// almost in a plane, only loses.
    fn around(all: &[Vec3F64]) -> Self {
        let mut best =
            Self { points: SmallVec::new(), center: all[0], radius_squared: f64::INFINITY };
        for choice in (1_u32..1 << all.len()).filter(|choice| choice.count_ones() <= 4) {
            let chosen = (0..all.len()).filter(|i| choice >> i & 1 == 1);
            let points: SmallVec<_> = chosen.map(|i| all[i]).collect();
            let center = circumcenter(&points);
            let distances = all.iter().map(|&point| distance_squared(center, point));
            let radius_squared = distances.fold(0.0, |a: f64, b| if b <= a { a } else { b });
            // On a tie fewer points are the more reliable support.
            if radius_squared < best.radius_squared
                || (radius_squared == best.radius_squared && points.len() < best.points.len())
            {
                best = Self { points, center, radius_squared };
            }
        }
        best
    }
}

/// The point at the same distance from all, in the line, plane or space that they span; not
/// finite when they lie in fewer dimensions.
fn circumcenter(points: &[Vec3F64]) -> Vec3F64 {
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
