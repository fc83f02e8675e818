//! The axis-aligned bounding box.

use glam::{Affine3A, Vec3};

use super::ray::{Ray, RayInterval};
use super::vec3_f64::{difference_down, difference_up, max, min, round_down, round_up};
use crate::array::Each;

#[cfg(test)]
mod tests;

/// An axis-aligned box, given by its minimum and its maximum corner, both included.
///
/// A box whose `min` exceeds its `max` on any axis, or that has a NaN in it, is empty. The
/// constructors turn such corners into [`Aabb::EMPTY`]. If you write the fields yourself, do the
/// same: an empty box that is not `EMPTY` grows wrongly.
///
/// All methods take constant time. Coordinates may be of any magnitude; the class follows
/// chapter 9 of Dunn and Parberry, *3D Math Primer for Graphics and Game Development* (2011).
///
/// ```
/// use hitscan::Aabb;
///
/// let mut bounds = Aabb::from_center_size([0.0, 1.0, 0.0], [2.0, 2.0, 2.0]);
/// bounds.extend_point([0.0, 5.0, 0.0]);
/// assert_eq!(bounds, Aabb::from_min_max([-1.0, 0.0, -1.0], [1.0, 5.0, 1.0]));
/// assert_eq!(bounds.closest_point([9.0, 2.0, 0.0]).to_array(), [1.0, 2.0, 0.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The minimum corner.
    pub min: Vec3,
    /// The maximum corner.
    pub max: Vec3,
}

impl Default for Aabb {
    fn default() -> Self {
        Self::EMPTY
    }
}

/// # Construction
impl Aabb {
    /// The box that holds no point, with infinite corners in the wrong order. Growing it by a
    /// point or a box gives just that point or box.
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// From the minimum and the maximum corner. Corners in the wrong order give an empty box;
    /// for two opposite corners in any order use [`from_points`](Self::from_points).
    #[must_use]
    pub fn from_min_max(min: impl Into<Vec3>, max: impl Into<Vec3>) -> Self {
        let candidate = Self { min: min.into(), max: max.into() };
        if candidate.is_empty() { Self::EMPTY } else { candidate }
    }

    /// From the minimum corner and the size. A negative size gives an empty box.
    #[must_use]
    pub fn from_min_size(min: impl Into<Vec3>, size: impl Into<Vec3>) -> Self {
        let min = min.into();
        Self::from_min_max(min, min + size.into())
    }

    /// From the center and the size. A negative size gives an empty box.
    #[must_use]
    pub fn from_center_size(center: impl Into<Vec3>, size: impl Into<Vec3>) -> Self {
        Self::from_center_half_size(center, 0.5 * size.into())
    }

    /// From the center and half the size. A negative size gives an empty box.
    #[must_use]
    pub fn from_center_half_size(center: impl Into<Vec3>, half_size: impl Into<Vec3>) -> Self {
        let (center, half_size) = (center.into(), half_size.into());
        Self::from_min_max(center - half_size, center + half_size)
    }

    /// The smallest box around points; empty when there are none. Takes time in proportion to
    /// their number.
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
        self.min = min_of(self.min, point);
        self.max = max_of(self.max, point);
    }

    /// Grows the box to hold another; [`Aabb::EMPTY`] changes nothing.
    pub fn extend_box(&mut self, other: &Self) {
        self.min = min_of(self.min, other.min);
        self.max = max_of(self.max, other.max);
    }

    /// The box with a margin on each side, rounded outwards: every point within the margin of the
    /// box is in it. A negative margin shrinks the box, and may leave it empty. An empty box stays
    /// empty, and a NaN gives one.
    ///
    /// With a margin that a thing moves by in a frame, the box need not be made anew in each frame.
    /// With half the size of a box it is what that box's center must not enter: a ray against it
    /// is a moving box.
    ///
    /// ```
    /// use hitscan::{Aabb, Ray};
    ///
    /// let pillar = Aabb::from_min_max([4.0, 0.0, 0.0], [5.0, 3.0, 1.0]);
    /// let crate_of_wood = Aabb::from_center_half_size([0.0, 1.0, -0.25], [0.5, 0.5, 0.5]);
    /// let grown = pillar.expanded(crate_of_wood.half_size());
    /// assert_eq!(grown, Aabb::from_min_max([3.5, -0.5, -0.5], [5.5, 3.5, 1.5]));
    /// // How far the crate moves along x until it touches the pillar.
    /// let slide = grown.ray_interval(&Ray::new(crate_of_wood.center(), [1.0, 0.0, 0.0]));
    /// assert_eq!(slide.map(|interval| interval.enter), Some(3.5));
    /// ```
    #[must_use]
    pub fn expanded(&self, margin: impl Into<Vec3>) -> Self {
        if self.is_empty() {
            return Self::EMPTY;
        }
        let (mut grown, margin) = (*self, margin.into());
        for axis in 0..3 {
            let [min, max, margin] = [self.min, self.max, margin].each(|v| f64::from(v[axis]));
            grown.min[axis] = round_down(difference_down(min, margin));
            grown.max[axis] = round_up(difference_up(max, -margin));
        }
        Self::from_min_max(grown.min, grown.max)
    }

    /// The points that both boxes hold; empty when there are none.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return Self::EMPTY;
        }
        Self::from_min_max(max_of(self.min, other.min), min_of(self.max, other.max))
    }

    /// The box around this box moved by an affine map: each matrix element picks the bound that
    /// makes its product smallest or largest (Arvo, "Transforming Axis-Aligned Bounding Boxes",
    /// *Graphics Gems*, 1990).
    ///
    /// The map may mirror and shear. The result is exactly the box of the eight corners moved by
    /// [`transform_point`](super::transform_point), so it holds every moved point of the box.
    ///
    /// An empty box stays empty. An infinite bound times a zero element counts as zero. Where
    /// infinities of both signs are added (in an infinite box, or where products overflow), the
    /// result is unbounded on that side.
    // The sums are taken in the order of `transform_point`, and rounding is monotone: so the result
    // equals the box of the moved corners.
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

/// # Size and corners
impl Aabb {
    /// Whether the box holds no point at all. A flat box is not empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !(self.min.x <= self.max.x && self.min.y <= self.max.y && self.min.z <= self.max.z)
    }

    /// The edge lengths, `max - min`; zero for an empty box.
    #[must_use]
    pub fn size(&self) -> Vec3 {
        if self.is_empty() {
            return Vec3::ZERO;
        }
        self.max - self.min
    }

    /// The center, rounded once, so always inside. NaN for an empty box, and on an axis that is
    /// unbounded both ways.
    #[must_use]
    pub fn center(&self) -> Vec3 {
        zip(self.min, self.max, |a, b| ((f64::from(a) + f64::from(b)) * 0.5) as f32)
    }

    /// Half the size, as the vector from [`center`](Self::center) to `max`; zero for an empty box.
    #[must_use]
    pub fn half_size(&self) -> Vec3 {
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
        [0, 1, 2, 3, 4, 5, 6, 7].each(|i| self.corner(i))
    }

    /// The area of the six faces; zero for an empty box.
    #[must_use]
    pub fn surface_area(&self) -> f32 {
        if self.is_empty() {
            return 0.0;
        }
        (2.0 * half_area(&self.min.to_array(), &self.max.to_array())) as f32
    }

    /// The volume; zero for an empty or a flat box.
    ///
    /// Compare volumes to choose a bounding shape: a smaller one gives fewer false hits. The
    /// [sphere around a box](super::Sphere::from_aabb) has at least π√3/2 (2.72) times the box's
    /// volume, and that only around a cube; around a plank or a wall it is many times larger. The
    /// box around a sphere has 6/π (1.91) times the volume of [the sphere](super::Sphere::volume).
    /// So boxes suit buildings, and spheres suit things that rotate.
    #[must_use]
    pub fn volume(&self) -> f32 {
        if self.is_empty() {
            return 0.0;
        }
        let [x, y, z] = edges(&self.min.to_array(), &self.max.to_array());
        (x * y * z) as f32
    }
}

/// # Tests against points, boxes and rays
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

    /// Whether the two boxes have a point in common; touching is enough.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        !self.intersection(other).is_empty()
    }

    /// The point of the box that is nearest to `point`: `point` itself when inside. NaN for an
    /// empty box.
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

    /// Where the ray's line is inside the box, by slabs (Kay and Kajiya, "Ray Tracing Complex
    /// Scenes", 1986); `None` when it misses.
    ///
    /// The whole line counts, whatever the ray's bounds; for those see
    /// [`intersects_ray`](Self::intersects_ray) and [`RayInterval::clipped`]. The surface belongs
    /// to the box: flat boxes are hit, and so is a face by a ray that lies in it. `t` is in units
    /// of the ray's direction.
    ///
    /// The interval is computed in `f64` and rounded outward: a line that touches the box is
    /// never lost, and every `f32` `t` at which the exact line is inside lies in the interval.
    /// `enter` and `exit` are exact where `f32` can hold them.
    ///
    /// A ray that is not finite, or has no direction, misses. For one ray and many boxes
    /// [`PreparedRay`](super::PreparedRay) gives the same answers faster.
    ///
    /// ```
    /// use hitscan::{Aabb, Ray};
    ///
    /// let floor = Aabb::from_min_max([-5.0, 0.0, -5.0], [5.0, 0.0, 5.0]);
    /// let down = Ray::new([1.0, 3.0, 1.0], [0.0, -1.0, 0.0]);
    /// let interval = floor.ray_interval(&down).expect("a flat box is hit");
    /// assert_eq!((interval.enter, interval.exit, interval.origin_inside), (3.0, 3.0, false));
    /// ```
    #[must_use]
    pub fn ray_interval(&self, ray: &Ray) -> Option<RayInterval> {
        if self.is_empty() || !ray.has_line() {
            return None;
        }
        // Lemma 5 (slabs of a box). `difference_down` and `difference_up` round away from the box,
        // and division and comparison are monotone. So the computed interval holds the exact one,
        // as far as `f64`, and then `f32`, has numbers in it.
        let (mut enter, mut exit) = (f64::NEG_INFINITY, f64::INFINITY);
        for axis in 0..3 {
            let [low, high, origin, dir] =
                [self.min, self.max, ray.origin, ray.dir].each(|v| f64::from(v[axis]));
            if dir == 0.0 {
                if origin < low || origin > high {
                    return None;
                }
                continue;
            }
            let to_low = difference_down(low, origin) / dir;
            let to_high = difference_up(high, origin) / dir;
            let (near, far) = if dir > 0.0 { (to_low, to_high) } else { (to_high, to_low) };
            enter = max(near, enter);
            exit = min(far, exit);
        }
        // A box may lie at infinity, which no finite `t` reaches.
        let reached = enter <= exit && enter < f64::INFINITY && exit > f64::NEG_INFINITY;
        reached.then(|| RayInterval::outward(enter, exit, self.contains(ray.origin)))
    }

    /// Whether the ray meets the box within its own `t_min..=t_max`.
    #[must_use]
    pub fn intersects_ray(&self, ray: &Ray) -> bool {
        self.ray_interval(ray).is_some_and(|interval| interval.clipped(ray).is_some())
    }
}

/// A matrix element times a bound; an element of zero gives zero for an infinite bound too.
fn product(element: f32, bound: f32) -> f32 {
    if element == 0.0 && bound.is_infinite() { 0.0 } else { element * bound }
}

fn zip(a: Vec3, b: Vec3, f: impl Fn(f32, f32) -> f32) -> Vec3 {
    Vec3::new(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z))
}

/// The smaller of each coordinate; `a` where `b` is NaN or equal. Written out because `f32::min`
/// leaves the sign of zero to the platform.
fn min_of(a: Vec3, b: Vec3) -> Vec3 {
    zip(a, b, |a, b| if b < a { b } else { a })
}

fn max_of(a: Vec3, b: Vec3) -> Vec3 {
    zip(a, b, |a, b| if b > a { b } else { a })
}

#[inline(always)]
fn edges(min: &[f32; 3], max: &[f32; 3]) -> [f64; 3] {
    [0, 1, 2].each(|k| f64::from(max[k]) - f64::from(min[k]))
}

/// Half the surface area of a box, in `f64`: no finite box overflows.
#[inline(always)]
pub(crate) fn half_area(min: &[f32; 3], max: &[f32; 3]) -> f64 {
    let [x, y, z] = edges(min, max);
    x * y + y * z + z * x
}
