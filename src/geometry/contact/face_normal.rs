//! The normals of triangles, needles too.

use crate::array::Each;
use crate::geometry::exact::{Double, cross, difference};
use crate::geometry::vec3_f64::{self, Corners, Vec3F64, max, max_abs};

#[cfg(test)]
mod tests;

/// A direction that is less, in parts of the products that it is the sum of, is zero but for
/// roundings of [`Double`].
pub(in crate::geometry) const NOTHING: f64 = 1.0 / (1u128 << 90) as f64;

/// The normal of a triangle, `(b - a) x (c - a)` but for its length: zero if it has no area.
///
/// **Lemma 111 (normals of needles).** It is off by less than 2^-36 of itself. Proof: the edges are
/// off by 2^-53 of themselves, so each product by `3 * 2^-53` of itself and a bit, and a coordinate
/// by `4 * 2^-53` times the products' magnitudes, added, of which `m` is the largest. The normal is
/// off by `7 * 2^-53 m`. Where it is less than [`THIN`] times `m`, it is computed with twice the
/// digits.
#[inline]
pub(in crate::geometry) fn face_normal([a, b, c]: &Corners) -> Vec3F64 {
    let (e1, e2) = (vec3_f64::difference(*b, *a), vec3_f64::difference(*c, *a));
    let normal = vec3_f64::cross(e1, e2);
    let made_of = size_of_products(e1, e2);
    if max_abs(normal) >= THIN * made_of { normal } else { precise_normal([*a, *b, *c], made_of) }
}

const THIN: f64 = 1.0 / (1u64 << 12) as f64;

/// The largest that a coordinate of a cross product would be if nothing cancelled.
pub(in crate::geometry) fn size_of_products(a: Vec3F64, b: Vec3F64) -> f64 {
    let products = |p: usize, q: usize| (a[p] * b[q]).abs() + (a[q] * b[p]).abs();
    max(products(0, 1), max(products(1, 2), products(2, 0)))
}

#[cold]
#[inline(never)]
fn precise_normal([a, b, c]: Corners, made_of: f64) -> Vec3F64 {
    let normal = cross::<Double>(&difference(b, a), &difference(c, a));
    let normal = normal.each(|x| x.value());
    if max_abs(normal) > NOTHING * made_of { normal } else { [0.0; 3] }
}
