//! The oriented bounding box.

use glam::{Affine3A, Mat3, Vec3};

use super::aabb::Aabb;
use super::placement::transform::transform_point;
use super::ray::{Ray, RayInterval};
use super::vec3_f64::{
    Vec3F64, add, cross, distance_squared, dot, dot_magnitude, max, min, scale, sub, to_f32, to_f64,
};
use crate::array::Each;

#[cfg(test)]
mod tests;

/// **Lemma 6 (slabs of an oriented box).** A `dot` of a slab's normal with a vector of `f32` or
/// with a difference of such vectors is within `ROUNDING * dot_magnitude` of the exact value.
/// Proof: the products in a normal are exact in `f64`, so each term passes at most five roundings
/// of 2^-53: one in the normal, one in the difference, the product and two sums. The constant
/// has room for eight. The faces' offsets are such a `dot`, the determinant, times an `f32`.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// A box in any position: an axis-aligned box in a local space, and the affine map that takes
/// that space into the world.
///
/// The map may scale unevenly, mirror and shear. With shear the box is a parallelepiped, and
/// every answer is still right. All methods take constant time; lengths are in world units.
///
/// ```
/// use hitscan::glam::{Affine3A, Vec3};
/// use hitscan::{Aabb, Obb, Ray};
///
/// // A model's box, scaled by two: distances stay in units of the ray.
/// let local = Aabb::from_center_half_size([0.0; 3], [1.0; 3]);
/// let model = Obb::from_transform(&Affine3A::from_scale(Vec3::splat(2.0)), local);
/// let model = model.expect("the matrix can be inverted");
/// let interval = model.ray_interval(&Ray::new([-5.0, 0.0, 0.0], [1.0, 0.0, 0.0]));
/// assert_eq!(interval.map(|i| (i.enter, i.exit)), Some((3.0, 7.0)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obb {
    transform: Affine3A,
    local: Aabb,
}

/// The space between two opposite faces: `low <= normal . (p - origin) <= high`, where the origin
/// is the origin of the local space.
struct Slab {
    normal: Vec3F64,
    low: f64,
    high: f64,
    /// A bound on the rounding error of `low` and `high`.
    slack: f64,
}

impl Obb {
    /// From the center, three axes and the half sizes along them: the points
    /// `center + x * axes[0] + y * axes[1] + z * axes[2]` with `|x| <= half_size.x`, and the same
    /// for `y` and `z`.
    ///
    /// The axes are usually orthogonal and of unit length, but need not be; half sizes are in
    /// units of them. `None` when the axes lie in a plane, a half size is negative, or a number is
    /// not finite. A half size of zero is allowed.
    #[must_use]
    pub fn from_axes(
        center: impl Into<Vec3>,
        axes: [Vec3; 3],
        half_size: impl Into<Vec3>,
    ) -> Option<Self> {
        let matrix = Mat3::from_cols(axes[0], axes[1], axes[2]);
        let transform = Affine3A::from_mat3_translation(matrix, center.into());
        let local = Aabb::from_center_half_size(Vec3::ZERO, half_size);
        Self::from_transform(&transform, local)
    }

    /// From a model matrix and the model's box in its own space.
    ///
    /// `None` when the matrix flattens space (its determinant in `f64` is zero), the box is empty,
    /// or a number is not finite. A flat box is allowed.
    #[must_use]
    pub fn from_transform(transform: &Affine3A, local: Aabb) -> Option<Self> {
        let columns = transform.matrix3.to_cols_array_2d();
        let [a, b, c] = columns.each(|column| column.each(f64::from));
        // As in `slabs`: rounded in another order it may not be zero where this is.
        let determinant = dot(a, cross(b, c));
        let sound = transform.is_finite()
            && determinant.is_finite()
            && determinant != 0.0
            && local.min.is_finite()
            && local.max.is_finite()
            && !local.is_empty();
        sound.then_some(Self { transform: *transform, local })
    }

    /// The map from the local space into the world.
    #[must_use]
    pub fn transform(&self) -> Affine3A {
        self.transform
    }

    /// The box in the local space.
    #[must_use]
    pub fn local_box(&self) -> Aabb {
        self.local
    }

    /// The center, in the world.
    #[must_use]
    pub fn center(&self) -> Vec3 {
        transform_point(&self.transform, self.local.center())
    }

    /// Corner `i` in the world, numbered as in [`Aabb::corner`].
    #[must_use]
    pub fn corner(&self, i: usize) -> Vec3 {
        transform_point(&self.transform, self.local.corner(i))
    }

    /// The smallest axis-aligned box around the eight [corners](Self::corner).
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.local.transformed(&self.transform)
    }

    /// Whether a point lies in the box, its surface included.
    ///
    /// Decided in `f64`; a point whose distance from the surface is within the rounding error
    /// counts as on it.
    #[must_use]
    pub fn contains(&self, point: impl Into<Vec3>) -> bool {
        let from_origin = sub(to_f64(point.into()), self.origin());
        self.slabs().iter().all(|slab| {
            let (height, slack) = slab.height(from_origin);
            slab.low - slack <= height && height <= slab.high + slack
        })
    }

    /// The point of the box that is nearest to `point`: `point` itself when inside.
    #[must_use]
    pub fn closest_point(&self, point: impl Into<Vec3>) -> Vec3 {
        let point = point.into();
        if self.contains(point) {
            return point;
        }
        let axes = self.axes();
        let target = sub(to_f64(point), self.origin());
        let place = |coordinates: Vec3F64| {
            (0..3).fold([0.0; 3], |sum, i| add(sum, scale(axes[i], coordinates[i])))
        };
        // A NaN becomes the minimum, and so is a point of the box too.
        let clamped = |axis: usize, x: f64| {
            min(max(x, self.local.min[axis].into()), self.local.max[axis].into())
        };

        // The nearest point is inside a face or on an edge: the foot of the perpendicular on that
        // face's plane or that edge's line. Feet outside are clamped to the box, so every
        // candidate is a point of the box, and the nearest candidate is the answer.
        let mut nearest = [f64::NAN; 3];
        let mut least = f64::INFINITY;
        let mut consider = |coordinates: Vec3F64| {
            let candidate = place(coordinates);
            let distance = distance_squared(candidate, target);
            if distance < least {
                (nearest, least) = (candidate, distance);
            }
        };
        let sides = [self.local.min, self.local.max];
        for (i, j, k) in [(0, 1, 2), (1, 2, 0), (2, 0, 1)] {
            for x_i in sides.each(|side| f64::from(side[i])) {
                let above = sub(target, scale(axes[i], x_i));
                let normal = cross(axes[j], axes[k]);
                let square = dot(normal, normal);
                let mut face = [x_i; 3];
                face[j] = clamped(j, dot(cross(above, axes[k]), normal) / square);
                face[k] = clamped(k, dot(cross(axes[j], above), normal) / square);
                consider(face);

                for x_j in sides.each(|side| f64::from(side[j])) {
                    let beside = sub(above, scale(axes[j], x_j));
                    let mut edge = [x_i; 3];
                    edge[j] = x_j;
                    edge[k] = clamped(k, dot(beside, axes[k]) / dot(axes[k], axes[k]));
                    consider(edge);
                }
            }
        }
        to_f32(add(self.origin(), nearest))
    }

    /// Where the ray's line is inside the box, by slabs along the face normals (after Möller,
    /// Haines and Hoffman, *Real-Time Rendering*, 2018, 22.7.1); `None` when it misses.
    ///
    /// As in [`Aabb::ray_interval`], the whole line counts and `t` is in units of the ray's
    /// direction, however the matrix scales. Computed in `f64`; a line whose distance from the box
    /// is within the rounding error touches it. The interval is rounded outward to `f32`.
    #[must_use]
    pub fn ray_interval(&self, ray: &Ray) -> Option<RayInterval> {
        if !ray.has_line() {
            return None;
        }
        let from_origin = sub(to_f64(ray.origin), self.origin());
        let dir = to_f64(ray.dir);
        let (mut enter, mut exit) = (f64::NEG_INFINITY, f64::INFINITY);
        // The same, widened by Lemma 6: these decide between hit and miss.
        let (mut earliest, mut latest) = (enter, exit);
        for slab in self.slabs() {
            let (height, slack) = slab.height(from_origin);
            let rise = dot(slab.normal, dir);
            let rise_slack = ROUNDING * dot_magnitude(slab.normal, dir);
            if rise.abs() <= rise_slack {
                if height < slab.low - slack || height > slab.high + slack {
                    return None;
                }
                continue;
            }
            let to_low = (slab.low - height) / rise;
            let to_high = (slab.high - height) / rise;
            let (near, far) = if rise > 0.0 { (to_low, to_high) } else { (to_high, to_low) };
            let blur = |t: f64| (slack + t.abs() * rise_slack) / rise.abs();
            enter = enter.max(near);
            exit = exit.min(far);
            earliest = earliest.max(near - blur(near));
            latest = latest.min(far + blur(far));
        }
        (earliest <= latest).then(|| {
            // Rounding may have swapped the ends where the line only touches the box.
            let (enter, exit) = (enter.min(exit), exit.max(enter));
            RayInterval::outward(enter, exit, self.contains(ray.origin))
        })
    }

    /// Whether the ray meets the box within its own `t_min..=t_max`.
    #[must_use]
    pub fn intersects_ray(&self, ray: &Ray) -> bool {
        self.ray_interval(ray).is_some_and(|interval| interval.clipped(ray).is_some())
    }

    /// The axes and the origin of the local space, and the corners of the box in it.
    pub(crate) fn columns_and_local(&self) -> ([[f32; 3]; 4], [[f32; 3]; 2]) {
        let columns = self.transform.to_cols_array_2d();
        (columns, [self.local.min.to_array(), self.local.max.to_array()])
    }

    fn origin(&self) -> Vec3F64 {
        let m = self.transform.to_cols_array();
        [m[9], m[10], m[11]].each(f64::from)
    }

    fn axes(&self) -> [Vec3F64; 3] {
        let [a, b, c, _] = self.transform.to_cols_array_2d().each(|column| column.each(f64::from));
        [a, b, c]
    }

    /// The normals are the rows of the adjugate, which is the inverse without its division: a local
    /// coordinate times the determinant is a normal times the point.
    fn slabs(&self) -> [Slab; 3] {
        let [a, b, c] = self.axes();
        let normals = [cross(b, c), cross(c, a), cross(a, b)];
        let determinant = dot(a, normals[0]);
        let slack = ROUNDING * dot_magnitude(a, normals[0]);
        [0, 1, 2].each(|axis: usize| {
            let min = f64::from(self.local.min[axis]);
            let max = f64::from(self.local.max[axis]);
            let (one, other) = (min * determinant, max * determinant);
            Slab {
                normal: normals[axis],
                low: one.min(other),
                high: one.max(other),
                slack: slack * min.abs().max(max.abs()),
            }
        })
    }
}

impl Slab {
    /// The height of a point between the faces, and a bound on its error relative to them.
    fn height(&self, from_origin: Vec3F64) -> (f64, f64) {
        (
            dot(self.normal, from_origin),
            self.slack + ROUNDING * dot_magnitude(self.normal, from_origin),
        )
    }
}
