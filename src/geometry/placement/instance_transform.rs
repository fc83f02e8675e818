//! An affine map from the coordinates of a tree to world coordinates, and back.

use glam::{Affine3A, Vec3};

use super::transform::{is_mirroring, place};
use crate::array::Each;
use crate::geometry::aabb::Aabb;
use crate::geometry::ray::Ray;
use crate::geometry::vec3_f64::{
    Vec3F64, add, cross, difference, dot, product, round_down, round_up, scale, sub, to_f32, to_f64,
};

#[cfg(test)]
mod tests;

/// Where a tree stands in the world: an invertible map, with its inverse in `f64`.
///
/// A point `p` of the tree is at `linear * p + translation`. The inverse is
/// `inverse * (q - translation)`, which loses nothing where the tree is far from the world's
/// origin and the point near it.
// What a ray needs comes first.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct InstanceTransform {
    translation: [f32; 3],
    /// How much a rounding of a point of the tree can move it in the world, as a multiple of the
    /// same rounding there: the largest sum of a row of `|linear| * |inverse|`. It is 1 for
    /// scaled axes, at most 3 for rotations, and large for strong shears.
    amplification: f32,
    /// Columns, each with a zero behind it, so that they are vectors.
    inverse: [[f64; 4]; 3],
    /// Columns too.
    linear: [[f32; 3]; 3],
}

/// Why a map cannot place an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TransformFault {
    NonFinite,
    Singular,
}

impl InstanceTransform {
    /// The largest [amplification](Self::amplification).
    pub(crate) const MAX_AMPLIFICATION: f64 = (1u32 << 20) as f64;
    /// The largest and the smallest size of the largest number of the linear part.
    pub(crate) const SIZES: [f32; 2] = [1.0 / (1u64 << 60) as f32, (1u64 << 60) as f32];

    /// # Errors
    ///
    /// If a number is not finite; or if the map has no inverse, or is so near to having none that
    /// the roundings of rays would be amplified by more than 2^20; or if it is larger or smaller
    /// than [`SIZES`](Self::SIZES).
    pub(crate) fn new(transform: &Affine3A) -> Result<Self, TransformFault> {
        if !transform.is_finite() {
            return Err(TransformFault::NonFinite);
        }
        let linear = transform.matrix3.to_cols_array_2d();
        let size = linear.as_flattened().iter().fold(0f32, |size, x| size.max(x.abs()));
        let [a, b, c] = linear.each(|column| column.each(f64::from));
        // Products of two `f32` are exact in `f64`, so each number is rounded once.
        let adjugate = [cross(b, c), cross(c, a), cross(a, b)];
        let determinant = dot(a, adjugate[0]);
        let inverse = [0, 1, 2].each(|j| [0, 1, 2].each(|i| adjugate[i][j] / determinant));
        let rows = [0, 1, 2].each(|i| {
            let terms = [0, 1, 2].each(|k| {
                let column: f64 = inverse.iter().map(|column| column[k].abs()).sum();
                f64::from(linear[k][i]).abs() * column
            });
            terms[0] + terms[1] + terms[2]
        });
        // A determinant that should be zero is zero or a rounding: then these are no numbers, or
        // very large.
        let is_sound = rows.iter().all(|&row| row <= Self::MAX_AMPLIFICATION)
            && (Self::SIZES[0]..=Self::SIZES[1]).contains(&size);
        let amplification = rows[0].max(rows[1]).max(rows[2]);
        if !is_sound {
            return Err(TransformFault::Singular);
        }
        let translation = transform.translation.to_array();
        let inverse = inverse.each(|[x, y, z]| [x, y, z, 0.0]);
        Ok(Self { linear, translation, inverse, amplification: round_up(amplification) })
    }

    pub(crate) fn transform(&self) -> Affine3A {
        let [a, b, c] = self.linear.each(Vec3::from);
        Affine3A::from_mat3_translation(
            glam::Mat3::from_cols(a, b, c),
            Vec3::from(self.translation),
        )
    }

    /// See [`InstanceTransform::amplification`](Self#structfield.amplification).
    pub(crate) fn amplification(&self) -> f32 {
        self.amplification
    }

    pub(crate) fn translation(&self) -> [f32; 3] {
        self.translation
    }

    /// Whether the second and third corner of a triangle change places, so that its front stays its
    /// front.
    pub(crate) fn is_mirroring(&self) -> bool {
        is_mirroring(&self.transform())
    }

    /// The columns of the linear part.
    pub(crate) fn linear(&self) -> [[f64; 3]; 3] {
        self.linear.each(|column| column.each(f64::from))
    }

    /// The columns of the inverse. Each number is within 2^-29 of itself.
    ///
    /// Proof: each number of the adjugate is rounded once, as products of two `f32` are exact. The
    /// determinant is off by four roundings of the sum of its terms' sizes, which is at most three
    /// times the amplification as large as itself.
    pub(crate) fn inverse(&self) -> [[f64; 3]; 3] {
        self.inverse.each(|[x, y, z, _]| [x, y, z])
    }

    /// As [`inverse`](Self::inverse), each with a zero behind it.
    #[inline(always)]
    pub(crate) fn inverse_padded(&self) -> &[[f64; 4]; 3] {
        &self.inverse
    }

    /// A direction or distance of the world in the tree's coordinates, in `f64`.
    pub(crate) fn vector_to_local(&self, vector: [f32; 3]) -> [f64; 3] {
        product(self.inverse(), vector.each(f64::from))
    }

    /// A point of the world in the tree's coordinates, in `f64`.
    pub(crate) fn point_to_local(&self, point: [f32; 3]) -> [f64; 3] {
        product(self.inverse(), difference(point, self.translation))
    }

    /// Where a point of the world goes that moves along from where the tree stood `before`:
    /// computed in `f64`, rounded once.
    pub(crate) fn carried(&self, before: &Self, point: Vec3) -> Vec3 {
        let local = before.point_to_local(point.to_array());
        to_f32(add(product(self.linear(), local), self.translation.each(f64::from)))
    }

    /// The map that does the same: each number is computed in `f64` and rounded once.
    pub(crate) fn motion_since(&self, before: &Self) -> Affine3A {
        let columns = before.inverse().each(|column| product(self.linear(), column));
        let [from, to] = [before, self].each(|one| one.translation.each(f64::from));
        let [a, b, c] = columns.each(to_f32);
        let translation = to_f32(sub(to, product(columns, from)));
        Affine3A::from_mat3_translation(glam::Mat3::from_cols(a, b, c), translation)
    }

    /// The rows of the linear part.
    pub(crate) fn rows(&self) -> [[f32; 3]; 3] {
        let [a, b, c] = self.linear;
        [0, 1, 2].each(|k| [a[k], b[k], c[k]])
    }

    /// The ray in the tree's coordinates: computed in `f64`, each number rounded once to `f32`.
    /// `t` keeps its meaning.
    #[inline(always)]
    pub(crate) fn ray_to_local(&self, ray: &Ray) -> Ray {
        let origin = sub(to_f64(ray.origin), self.translation.each(f64::from));
        let along = |v: Vec3F64| to_f32(product(self.inverse(), v));
        Ray { origin: along(origin), dir: along(to_f64(ray.dir)), ..*ray }
    }

    /// A box that holds all points of the tree that are in `local`, as the map moves them without
    /// any rounding, and as [`point_to_world`](Self::point_to_world) does: the moved box, in which
    /// each number is rounded outwards.
    pub(crate) fn bounds_to_world(&self, local: &Aabb) -> Aabb {
        if local.is_empty() {
            return Aabb::EMPTY;
        }
        let (min, max) = (to_f64(local.min), to_f64(local.max));
        let mut moved = Aabb::EMPTY;
        for k in 0..3 {
            let to = f64::from(self.translation[k]);
            let (mut low, mut high, mut size) = (to, to, to.abs());
            for axis in 0..3 {
                // Exact, as the numbers are `f32`.
                let element = f64::from(self.linear[axis][k]);
                let (a, b) = (element * min[axis], element * max[axis]);
                low += a.min(b);
                high += a.max(b);
                size += a.abs().max(b.abs());
            }
            // Three sums, each rounded by at most 2^-53 of what it adds up: here, and where a
            // point is moved in `f64`, which the box holds as well.
            let error = size / (1u64 << 50) as f64;
            moved.min[k] = round_down(low - error);
            moved.max[k] = round_up(high + error);
        }
        moved
    }

    /// A point of the tree in the world: `((x a + y b) + z c) + translation`, with the columns of
    /// the linear part, in `f64`, rounded once.
    #[inline(always)]
    pub(crate) fn point_to_world(&self, point: Vec3) -> Vec3 {
        place(self.linear(), self.translation.each(f64::from), point)
    }

    /// The normal of a surface of the tree in the world, of unit length, on the same side of the
    /// surface: moved by the inverse transposed.
    pub(crate) fn normal_to_world(&self, normal: Vec3) -> Vec3 {
        let moved = self.inverse().each(|column| dot(column, to_f64(normal)));
        to_f32(scale(moved, 1.0 / dot(moved, moved).sqrt()))
    }
}
