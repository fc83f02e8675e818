//! The axis-aligned bounding box.

use glam::{Affine3A, Vec3};

use super::vec3_f64::{difference_down, difference_up};
use super::{Ray, RayInterval};

/// Half the surface area of a box, in `f64`: no finite box overflows.
#[inline(always)]
pub(crate) fn half_area(min: &[f32; 3], max: &[f32; 3]) -> f64 {
    let side = |k: usize| f64::from(max[k]) - f64::from(min[k]);
    let (x, y, z) = (side(0), side(1), side(2));
    x * y + y * z + z * x
}

#[cfg(test)]
mod tests;

/// An axis-aligned box, given by its least and its greatest corner, both included.
///
/// A box whose `min` exceeds its `max` on any axis, or has a NaN in it, is empty.
/// The constructors turn such corners into [`Aabb::EMPTY`]; whoever writes the
/// fields keeps to that, because growing a box works on each axis by itself.
///
/// The class follows chapter 9 of Dunn and Parberry, *3D Math Primer for Graphics
/// and Game Development*.
///
/// ```
/// use hitscan::Aabb;
///
/// let mut bounds = Aabb::from_center_size([0.0, 1.0, 0.0], [2.0, 2.0, 2.0]);
/// bounds.extend_point([0.0, 5.0, 0.0]);
/// assert_eq!(bounds, Aabb::from_min_max([-1.0, 0.0, -1.0], [1.0, 5.0, 1.0]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The least corner.
    pub min: Vec3,
    /// The greatest corner.
    pub max: Vec3,
}

impl Default for Aabb {
    fn default() -> Self {
        Self::EMPTY
    }
}

/// # Making a box
///
/// From any two of its five measures that determine it. The order of the arguments
/// is the order of the names.
impl Aabb {
    /// The box that holds nothing: the neutral element of [`extend_box`](Self::extend_box).
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// From the two extreme corners. Corners in the wrong order give an empty box;
    /// for two opposite corners in any order use [`from_points`](Self::from_points).
    #[must_use]
    pub fn from_min_max(min: impl Into<Vec3>, max: impl Into<Vec3>) -> Self {
        let candidate = Self { min: min.into(), max: max.into() };
        if candidate.is_empty() { Self::EMPTY } else { candidate }
    }

    /// From the least corner and the size. A negative size gives an empty box.
    #[must_use]
    pub fn from_min_size(min: impl Into<Vec3>, size: impl Into<Vec3>) -> Self {
        let min = min.into();
        Self::from_min_max(min, min + size.into())
    }

    /// From the least corner and the center.
    #[must_use]
    pub fn from_min_center(min: impl Into<Vec3>, center: impl Into<Vec3>) -> Self {
        let (min, center) = (min.into(), center.into());
        Self::from_min_max(min, center + (center - min))
    }

    /// From the least corner and the radius (the vector from center to `max`).
    #[must_use]
    pub fn from_min_radius(min: impl Into<Vec3>, radius: impl Into<Vec3>) -> Self {
        let min = min.into();
        Self::from_min_max(min, min + 2.0 * radius.into())
    }

    /// From the greatest corner and the size.
    #[must_use]
    pub fn from_max_size(max: impl Into<Vec3>, size: impl Into<Vec3>) -> Self {
        let max = max.into();
        Self::from_min_max(max - size.into(), max)
    }

    /// From the greatest corner and the center.
    #[must_use]
    pub fn from_max_center(max: impl Into<Vec3>, center: impl Into<Vec3>) -> Self {
        let (max, center) = (max.into(), center.into());
        Self::from_min_max(center - (max - center), max)
    }

    /// From the greatest corner and the radius.
    #[must_use]
    pub fn from_max_radius(max: impl Into<Vec3>, radius: impl Into<Vec3>) -> Self {
        let max = max.into();
        Self::from_min_max(max - 2.0 * radius.into(), max)
    }

    /// From the center and the size.
    #[must_use]
    pub fn from_center_size(center: impl Into<Vec3>, size: impl Into<Vec3>) -> Self {
        Self::from_center_radius(center, 0.5 * size.into())
    }

    /// From the center and the radius.
    #[must_use]
    pub fn from_center_radius(center: impl Into<Vec3>, radius: impl Into<Vec3>) -> Self {
        let (center, radius) = (center.into(), radius.into());
        Self::from_min_max(center - radius, center + radius)
    }

    /// The least box around points; empty when there are none.
    #[must_use]
    pub fn from_points<P: Into<Vec3>>(points: impl IntoIterator<Item = P>) -> Self {
        points.into_iter().fold(Self::EMPTY, |mut bounds, point| {
            bounds.extend_point(point);
            bounds
        })
    }

    /// Grows the box to hold a point. A NaN coordinate changes nothing.
    pub fn extend_point(&mut self, point: impl Into<Vec3>) {
        let point = point.into();
        self.min = lesser(self.min, point);
        self.max = greater(self.max, point);
    }

    /// Grows the box to hold another; [`Aabb::EMPTY`] changes nothing.
    pub fn extend_box(&mut self, other: &Self) {
        self.min = lesser(self.min, other.min);
        self.max = greater(self.max, other.max);
    }

    /// What two boxes have in common; empty when that is nothing.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return Self::EMPTY;
        }
        Self::from_min_max(greater(self.min, other.min), lesser(self.max, other.max))
    }

    /// The box of the moved box, by the fast method: each element of the matrix
    /// picks the bound that makes its product least or greatest (Arvo,
    /// "Transforming Axis-Aligned Bounding Boxes", *Graphics Gems*, 1990).
    ///
    /// Any affine map will do, mirrors and shears included. The sums are taken in
    /// the order of [`transform_point`](super::transform_point), and rounding is
    /// monotone, so the result *equals* the box of the eight corners moved by it,
    /// and holds every point of the box moved by it.
    ///
    /// An empty box stays empty. An infinite bound times a zero element counts as
    /// zero; where infinities of both signs meet (in an infinite box, or where
    /// products overflow), the result is unbounded on that side.
    #[must_use]
    pub fn transformed(&self, transform: &Affine3A) -> Self {
        if self.is_empty() {
            return Self::EMPTY;
        }
        let m = transform.to_cols_array();
        let mut moved = *self;
        for row in 0..3 {
            let mut lows = [0.0; 3];
            let mut highs = [0.0; 3];
            for axis in 0..3 {
                let element = m[3 * axis + row];
                let at_min = product(element, self.min[axis]);
                let at_max = product(element, self.max[axis]);
                (lows[axis], highs[axis]) =
                    if element < 0.0 { (at_max, at_min) } else { (at_min, at_max) };
            }
            let translation = m[9 + row];
            let sum = |terms: [f32; 3]| terms[0] + terms[1] + terms[2] + translation;
            let (low, high) = (sum(lows), sum(highs));
            moved.min[row] = if low.is_nan() { f32::NEG_INFINITY } else { low };
            moved.max[row] = if high.is_nan() { f32::INFINITY } else { high };
        }
        moved
    }
}

/// # Measures
impl Aabb {
    /// Whether the box holds no point at all. A flat box is not empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !(self.min.x <= self.max.x && self.min.y <= self.max.y && self.min.z <= self.max.z)
    }

    /// The lengths of the edges; zero for an empty box.
    #[must_use]
    pub fn size(&self) -> Vec3 {
        if self.is_empty() {
            return Vec3::ZERO;
        }
        self.max - self.min
    }

    /// The middle, rounded once, so always inside. NaN for an empty box, and on an
    /// axis that is unbounded both ways.
    #[must_use]
    pub fn center(&self) -> Vec3 {
        let middle = |a: f32, b: f32| ((f64::from(a) + f64::from(b)) * 0.5) as f32;
        Vec3::new(
            middle(self.min.x, self.max.x),
            middle(self.min.y, self.max.y),
            middle(self.min.z, self.max.z),
        )
    }

    /// The vector from [`center`](Self::center) to `max`; zero for an empty box.
    #[must_use]
    pub fn radius(&self) -> Vec3 {
        if self.is_empty() {
            return Vec3::ZERO;
        }
        self.max - self.center()
    }

    /// Corner `i`: bit 0 of `i` picks the `x` of `min` (0) or `max` (1), bit 1 the
    /// `y`, bit 2 the `z`. Higher bits are ignored.
    #[must_use]
    pub fn corner(&self, i: usize) -> Vec3 {
        let pick = |axis: usize| {
            if i >> axis & 1 == 0 { self.min[axis] } else { self.max[axis] }
        };
        Vec3::new(pick(0), pick(1), pick(2))
    }

    /// All eight corners, in the order of [`corner`](Self::corner).
    #[must_use]
    pub fn corners(&self) -> [Vec3; 8] {
        std::array::from_fn(|i| self.corner(i))
    }

    /// The area of the six faces; zero for an empty box.
    #[must_use]
    pub fn surface_area(&self) -> f32 {
        let [x, y, z] = self.edges();
        (2.0 * (x * y + y * z + z * x)) as f32
    }

    /// The volume; zero for an empty or a flat box.
    ///
    /// Volume is how coarse proxies compare: the fuller one wastes fewer tests. The
    /// [sphere around a box](super::Sphere::from_aabb) has at least π√3/2 (2.72)
    /// times its volume, and that only around a cube; around a plank or a wall it
    /// has any multiple. The other way about, the box around a sphere has 6/π
    /// (1.91) times the volume of [the sphere](super::Sphere::volume). So boxes
    /// suit buildings, spheres suit what turns.
    #[must_use]
    pub fn volume(&self) -> f32 {
        let [x, y, z] = self.edges();
        (x * y * z) as f32
    }

    fn edges(&self) -> [f64; 3] {
        if self.is_empty() {
            return [0.0; 3];
        }
        std::array::from_fn(|axis| f64::from(self.max[axis]) - f64::from(self.min[axis]))
    }
}

/// # Questions
impl Aabb {
    /// Whether a point lies in the box, its surface included.
    #[must_use]
    pub fn contains(&self, point: impl Into<Vec3>) -> bool {
        let point = point.into();
        (0..3).all(|axis| self.min[axis] <= point[axis] && point[axis] <= self.max[axis])
    }

    /// Whether the other box lies wholly in this one. The empty box lies in every box.
    #[must_use]
    pub fn contains_box(&self, other: &Self) -> bool {
        other.is_empty() || (self.contains(other.min) && self.contains(other.max))
    }

    /// Whether the two have a point in common; touching is enough.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        !self.intersection(other).is_empty()
    }

    /// The point of the box that is nearest to `point`: `point` itself when inside.
    /// An empty box has none, and answers NaN.
    #[must_use]
    pub fn closest_point(&self, point: impl Into<Vec3>) -> Vec3 {
        if self.is_empty() {
            return Vec3::NAN;
        }
        let mut nearest = point.into();
        for axis in 0..3 {
            if nearest[axis] < self.min[axis] {
                nearest[axis] = self.min[axis];
            } else if nearest[axis] > self.max[axis] {
                nearest[axis] = self.max[axis];
            }
        }
        nearest
    }

    /// Where the ray's line is inside the box, by slabs (Kay and Kajiya, "Ray
    /// Tracing Complex Scenes", 1986); `None` when it misses.
    ///
    /// The whole line counts, whatever the ray's bounds; for those see
    /// [`hit_by`](Self::hit_by) and [`RayInterval::clipped`]. The surface belongs to
    /// the box: flat boxes are hit, and so is a face by a ray that lies in it.
    ///
    /// Computed in `f64`, every rounding away from the box, so a line that touches
    /// is never lost and no `f32` at which it is inside is left out; `enter` and
    /// `exit` are exact where `f32` can hold them.
    ///
    /// A ray that is not finite, or has no direction, misses.
    #[must_use]
    pub fn ray_interval(&self, ray: &Ray) -> Option<RayInterval> {
        if self.is_empty() || !ray.has_line() {
            return None;
        }
        let (mut enter, mut exit) = (f64::NEG_INFINITY, f64::INFINITY);
        for axis in 0..3 {
            let [min, max, origin, dir] =
                [self.min, self.max, ray.origin, ray.dir].map(|v| f64::from(v[axis]));
            if dir == 0.0 {
                if origin < min || origin > max {
                    return None;
                }
                continue;
            }
            let to_min = difference_down(min, origin) / dir;
            let to_max = difference_up(max, origin) / dir;
            let (near, far) = if dir > 0.0 { (to_min, to_max) } else { (to_max, to_min) };
            enter = if near > enter { near } else { enter };
            exit = if far < exit { far } else { exit };
        }
        // A box may lie at infinity, where no finite `t` leads.
        let reached = enter <= exit && enter < f64::INFINITY && exit > f64::NEG_INFINITY;
        reached.then(|| RayInterval::outward(enter, exit, self.contains(ray.origin)))
    }

    /// Whether the ray meets the box within its own `t_min..=t_max`.
    #[must_use]
    pub fn hit_by(&self, ray: &Ray) -> bool {
        self.ray_interval(ray).is_some_and(|interval| interval.clipped(ray).is_some())
    }
}

/// A matrix element's share: an element of zero silences even an infinite bound.
fn product(element: f32, bound: f32) -> f32 {
    if element == 0.0 && bound.is_infinite() { 0.0 } else { element * bound }
}

/// The lesser of each coordinate; `a` where `b` is NaN or equal. Spelled out because
/// `f32::min` leaves the sign of zero to the platform.
fn lesser(a: Vec3, b: Vec3) -> Vec3 {
    let pick = |a: f32, b: f32| if b < a { b } else { a };
    Vec3::new(pick(a.x, b.x), pick(a.y, b.y), pick(a.z, b.z))
}

fn greater(a: Vec3, b: Vec3) -> Vec3 {
    let pick = |a: f32, b: f32| if b > a { b } else { a };
    Vec3::new(pick(a.x, b.x), pick(a.y, b.y), pick(a.z, b.z))
}
