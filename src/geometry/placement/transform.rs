//! The crate's one way to move a vertex by an affine map.

use glam::{Affine3A, Vec3};

use crate::array::Each;
use crate::geometry::vec3_f64::{Vec3F64, add, product, to_f32, to_f64};

/// Moves a point: `((m00 * x + m01 * y) + m02 * z) + t` for each row, in `f32`, in exactly that
/// order and without fused multiply-add.
///
/// Every vertex that this crate moves goes through this function, so a caller can compute the
/// same bits. [`Aabb::transformed`](crate::geometry::Aabb::transformed) uses the same order of
/// operations, so the moved box contains the moved points with no margin.
///
/// ```
/// use hitscan::geometry::transform_point;
/// use hitscan::glam::{Affine3A, Vec3};
///
/// let up = Affine3A::from_translation(Vec3::Y);
/// assert_eq!(transform_point(&up, Vec3::X), Vec3::new(1.0, 1.0, 0.0));
/// ```
#[must_use]
pub fn transform_point(transform: &Affine3A, point: Vec3) -> Vec3 {
    let m = transform.to_cols_array();
    let row = |r: usize| m[r] * point.x + m[3 + r] * point.y + m[6 + r] * point.z + m[9 + r];
    Vec3::new(row(0), row(1), row(2))
}

/// A point moved by a map: `((x * a + y * b) + z * c) + translation`, with the columns of its
/// linear part, in `f64`, rounded once.
#[inline(always)]
pub(in crate::geometry) fn place(linear: [Vec3F64; 3], translation: Vec3F64, point: Vec3) -> Vec3 {
    to_f32(add(product(linear, to_f64(point)), translation))
}

/// The columns of the linear part of a map, and its translation.
pub(in crate::geometry) fn columns(transform: &Affine3A) -> ([Vec3F64; 3], Vec3F64) {
    let [a, b, c, translation] = transform.to_cols_array_2d().each(|column| column.each(f64::from));
    ([a, b, c], translation)
}

/// Whether a map mirrors space: its determinant, computed in `f64`, is negative.
///
/// **The mirroring rule of this crate**, which is glTF's: the front of a triangle stays its front.
/// A mirroring map would turn counter-clockwise into clockwise. So wherever vertices are moved by
/// one, the second and third vertex of each stored triangle are swapped. A hit still reports `u`
/// and `v` as the weights of the second and third vertex in the caller's order.
///
/// ```
/// use hitscan::geometry::is_mirroring;
/// use hitscan::glam::{Affine3A, Vec3};
///
/// assert!(is_mirroring(&Affine3A::from_scale(Vec3::new(-1.0, 1.0, 1.0))));
/// assert!(!is_mirroring(&Affine3A::from_rotation_x(1.0)));
/// ```
#[must_use]
pub fn is_mirroring(transform: &Affine3A) -> bool {
    determinant(transform) < 0.0
}

/// The determinant of the linear part, in `f64`.
pub(crate) fn determinant(transform: &Affine3A) -> f64 {
    let ([[a, b, c], [d, e, f], [g, h, i]], _) = columns(transform);
    a * (e * i - f * h) - d * (b * i - c * h) + g * (b * f - c * e)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_rng::bits;

    #[test]
    fn determinants_of_whole_numbers_are_exact() {
        let mut state = 1;
        let mut seen = [0; 3];
        for _ in 0..2_000 {
            let m: [i32; 12] = std::array::from_fn(|_| bits(&mut state) as i32 % 5 - 2);
            let column = |i: usize| [m[3 * i], m[3 * i + 1], m[3 * i + 2]];
            let [a, b, c] = [column(0), column(1), column(2)];
            let turn = |i: usize, j: usize| b[i] * c[j] - b[j] * c[i];
            let right = a[0] * turn(1, 2) + a[1] * turn(2, 0) + a[2] * turn(0, 1);
            let transform = Affine3A::from_cols_array(&m.map(|x| x as f32));
            assert_eq!(determinant(&transform), f64::from(right), "{m:?}");
            assert_eq!(is_mirroring(&transform), right < 0, "{m:?}");
            seen[(right.signum() + 1) as usize] += 1;
        }
        assert!(seen.iter().all(|&seen| seen >= 20), "{seen:?}");
    }
}
