//! The ray–triangle test that every kernel must equal.
//!
//! A ray hits a triangle if the *exact* ray meets the *exact* closed triangle, and `t`, `u` and
//! `v` are the exact values, each rounded once to `f32`. The answer is defined by mathematics and
//! not by an order of operations, so
//!
//! - triangles that share an edge or a vertex leave no gap: their union is closed, and nothing is
//!   rounded before the decision;
//! - a box that contains the triangle (or the piece of it that holds the hit point) contains the
//!   hit, so a padded slab test can never lose it;
//! - a triangle is missed by a ray that runs in its plane, and by no other that meets it.
//!
//! The determinants are as in Möller and Trumbore (1997), in `f64`, with the bounds of Lemmas
//! 1 and 2. Where a sign or the last bit of a quotient lies within its bound, the same
//! determinants are computed in exact integers: of 128 bits where they hold them
//! ([`int128`]), else of 1024 ([`bigint`](super::bigint)). This is the filtered
//! predicate of Shewchuk ("Adaptive Precision Floating-Point Arithmetic", 1997), with integers in
//! place of expansions. On levels about one hit in a thousand needs integers, but every hit does
//! where rays run exactly through edges. Rays along an axis, which often do, are decided before the
//! bounds are tried ([`along_axis`]).

use super::along_axis;
use super::bigint::{self, Int1024};
use super::int128;
use super::number::{Approx, Number};
use crate::array::Each;
use crate::geometry::ray::Ray;
use crate::geometry::vec3_f64::{
    Corners, cross, difference, dot, is_finite, max, max_abs, min, round_within,
};

#[cfg(test)]
mod tests;

/// The relative error bound of a triple product.
///
/// **Lemma 1 (triple product error).** Let `a`, `b`, `c` be vectors whose components are `f32` or
/// `f64` differences of two `f32`, with largest magnitudes `A`, `B`, `C`. Then the `f64` value of
/// `dot(a, cross(b, c))` is within 48 * 2^-53 * ABC of the triple product of the unrounded
/// vectors, to first order. Proof: it is a sum of six products of magnitude at most ABC. Each
/// passes at most eight roundings: three differences, two multiplications and three additions. No
/// product can overflow or underflow, since three times an `f32` exponent is within the range of
/// `f64`. A fused multiply-add only leaves roundings out.
///
/// **Lemma 2 (quotient error).** Let `det` and `n` be triple products in `f64`, off by at most
/// `E * |det|` and `F * |det|`, where E and F are Lemma 1's bounds with 128 in place of 48, and
/// let E < 1/2. Then `n * (1 / det)` is within `F + E * |n / det|` of the exact quotient. Proof:
/// the errors are divided by the exact determinant, which is at least half of `|det|`. That is a
/// factor of at most two, and 2 * 48 = 96. The other 32 are at least five roundings of the
/// quotient, since `|det|` is at most six times ABC. Three are needed: for the inverse, the
/// product, and the sum in [`round_within`]. The bound's own roundings fit into the rest.
const ERROR: f64 = 128.0 / (1u64 << 53) as f64;

/// Where a ray hits a triangle. `t` is rounded; the barycentrics are rounded on demand, since a
/// query needs them for the hit that it returns and not for those on the way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExactHit {
    pub(crate) t: f32,
    pub(crate) front: bool,
    /// The weights of the second and the third vertex, and a bound on the error of each.
    u: f64,
    v: f64,
    error: f64,
}

impl ExactHit {
    /// From numbers that are rounded already; `None` where `t` is not finite.
    fn rounded([t, u, v]: [f32; 3], front: bool) -> Option<Self> {
        t.is_finite().then_some(Self { t, front, u: f64::from(u), v: f64::from(v), error: 0.0 })
    }

    /// The weights of the second and the third vertex, rounded once. `ray` and `corners` must be
    /// the ones that were hit.
    #[inline(always)]
    pub(crate) fn barycentrics(&self, ray: &Ray, corners: &impl Fn() -> Corners) -> (f32, f32) {
        match (round_within(self.u, self.error), round_within(self.v, self.error)) {
            (Some(u), Some(v)) => (u, v),
            _ => match integers_of(ray, corners) {
                Some(Self { u, v, .. }) => (u as f32, v as f32),
                // Not reached: the integers confirm every hit.
                None => (0.0, 0.0),
            },
        }
    }
}

/// Where the whole line of a ray that can hit something meets the triangle.
///
/// The vertices come from a function, so that a caller that keeps them in another layout need
/// not write them to memory only for the rare integers.
#[inline(always)]
pub(crate) fn intersect_exact(ray: &Ray, corners: &impl Fn() -> Corners) -> Option<ExactHit> {
    let (origin, dir, vertex) = (ray.origin.to_array(), ray.dir.to_array(), corners());
    if let Some(axis) = along_axis::axis_of(dir)
        && let Some(decided) = along_axis_of(ray, axis, corners)
    {
        return decided;
    }
    let e1 = difference(vertex[1], vertex[0]);
    let e2 = difference(vertex[2], vertex[0]);
    let s = difference(origin, vertex[0]);
    let d = dir.each(f64::from);

    let normal = cross(e1, e2);
    if normal == [0.0; 3] {
        return None;
    }
    // Cramer's rule for `s + t d = u e1 + v e2`.
    let q = cross(s, d);
    let det = -dot(d, normal);
    let u = dot(e2, q);
    let v = -dot(e1, q);
    let w = det - u - v;
    let t = dot(s, normal);

    // The bounds of Lemma 1, divided by the determinant.
    let inverse = 1.0 / det;
    let size = inverse.abs() * ERROR;
    let (e_max, s_max, d_max) = (max(max_abs(e1), max_abs(e2)), max_abs(s), max_abs(d));
    let det_error = d_max * e_max * e_max * size;
    let t_error = s_max * e_max * e_max * size;
    // One bound for the three weights: the third has the errors of three determinants. By Lemma 2
    // a weight adds the determinant's error times its own size. If no weight is clearly negative,
    // none is larger than 2; the sign of a larger one does not depend on the determinant's error.
    let error = 3.0 * d_max * e_max * max(s_max, e_max) * size + 2.0 * det_error;

    let (t, u, v, w) = (t * inverse, u * inverse, v * inverse, w * inverse);
    let least = min(u, min(v, w));
    // The condition of Lemma 2.
    if det_error < 0.5 {
        if least > error {
            if let Some(t) = round_within(t, t_error + t.abs() * det_error) {
                let front = det > 0.0;
                return t.is_finite().then_some(ExactHit { t, front, u, v, error });
            }
        } else if least < -error {
            return None;
        }
    }
    integers_of(ray, corners)
}

/// [`intersect_along_axis`]: all that is compiled for each function that gives corners.
#[cold]
#[inline(never)]
fn along_axis_of(
    ray: &Ray,
    axis: usize,
    corners: &impl Fn() -> Corners,
) -> Option<Option<ExactHit>> {
    intersect_along_axis(ray, axis, &corners())
}

/// [`intersect_integers`], as above.
#[cold]
#[inline(never)]
fn integers_of(ray: &Ray, corners: &impl Fn() -> Corners) -> Option<ExactHit> {
    intersect_integers(ray, &corners())
}

/// The same as [`intersect_exact`], for a ray along an axis; `None` if it cannot be decided here.
/// Such rays often pass exactly through edges, and their `t` often lies in the middle of two `f32`:
/// the error bounds of others would decide nothing.
#[cold]
#[inline(never)]
fn intersect_along_axis(ray: &Ray, axis: usize, corners: &Corners) -> Option<Option<ExactHit>> {
    let determinants = along_axis::Determinants::new(ray, axis, corners)?;
    let (side, weights) = determinants.signs();
    if !is_hit(side, weights) {
        return Some(None);
    }
    Some(ExactHit::rounded(determinants.quotients()?, side > 0))
}

/// Whether the determinant is not zero and no weight negative. These are the weights times it.
fn is_hit(side: i32, weights: [i32; 3]) -> bool {
    side != 0 && weights.iter().all(|w| w * side >= 0)
}

/// The same as [`intersect_exact`], in integers; the barycentrics are rounded.
#[cold]
#[inline(never)]
fn intersect_integers(ray: &Ray, corners: &Corners) -> Option<ExactHit> {
    let dir = ray.dir.to_array();
    if !(ray.origin.is_finite() && ray.dir.is_finite() && is_finite(corners)) {
        return None;
    }
    // A ray parallel to an axis-aligned wall is common, and needs no integers.
    let flat = |k: usize| {
        dir[k] == 0.0 && corners[0][k] == corners[1][k] && corners[0][k] == corners[2][k]
    };
    if flat(0) || flat(1) || flat(2) {
        return None;
    }
    if let Some(determinants) = int128::Determinants::new(ray, corners) {
        let (side, weights) = determinants.signs();
        if !is_hit(side, weights) {
            return None;
        }
        if let Some(quotients) = determinants.quotients() {
            return ExactHit::rounded(quotients, side > 0);
        }
    }
    let [det, u, v, t] = bigint::determinants(ray, corners);
    let (side, w) = (det.signum(), det.sub(&u).sub(&v));
    if !is_hit(side, [&u, &v, &w].each(Int1024::signum)) {
        return None;
    }
    ExactHit::rounded([t, u, v].each(|over| over.quotient(&det)), side > 0)
}

/// The side of a triangle's plane to which a ray's direction leads: 1 in front, -1 behind, 0 in the
/// plane. Exact, for finite numbers.
pub(crate) fn direction_side(ray: &Ray, corners: &Corners) -> i32 {
    let dir = ray.dir.to_array().each(f64::from);
    side(dir, corners).unwrap_or_else(|| -bigint::determinants(ray, corners)[0].signum())
}

/// The side of a triangle's plane on which a ray's origin lies, as [`direction_side`].
pub(crate) fn origin_side(ray: &Ray, corners: &Corners) -> i32 {
    let way = difference(ray.origin.to_array(), corners[0]);
    side(way, corners).unwrap_or_else(|| match int128::Determinants::new(ray, corners) {
        Some(determinants) => determinants.origin_side(),
        None => bigint::determinants(ray, corners)[3].signum(),
    })
}

/// On which side of each edge the line of a ray passes: 1 where it is on the triangle's side, -1
/// outside, 0 on the edge's own line. The edges from the first to the second vertex, from the
/// second to the third, and from the third to the first. Exact, for finite numbers; all are 0 if
/// the line is parallel to the plane.
#[cfg(feature = "stats")]
pub(in crate::geometry) fn edge_sides(ray: &Ray, corners: &Corners) -> [i32; 3] {
    let [det, u, v, _] = bigint::determinants(ray, corners);
    let (side, w) = (det.signum(), det.sub(&u).sub(&v));
    // An edge's weight is the weight of the vertex that is not on it.
    [&v, &w, &u].each(|weight| side * weight.signum())
}

/// The sign of the area of a triangle in a plane: 1 if its points are counter-clockwise. Exact, for
/// finite numbers.
pub(in crate::geometry) fn area_side(points: &[[f32; 2]; 3]) -> i32 {
    fn area<N: Number>([a, b, c]: &[[f32; 2]; 3]) -> N {
        let way = |to: &[f32; 2]| [0, 1].each(|k| N::from_f32(to[k]).sub(&N::from_f32(a[k])));
        let ([x, y], [u, v]) = (way(b), way(c));
        x.mul(&v).sub(&y.mul(&u))
    }
    area::<Approx>(points)
        .sign()
        .or_else(|| int128::area_side(points))
        .unwrap_or_else(|| area::<Int1024>(points).signum())
}

/// To which side of the plane a vector leads, unless it is too close to tell (Lemma 1).
fn side(v: [f64; 3], corners: &Corners) -> Option<i32> {
    let e1 = difference(corners[1], corners[0]);
    let e2 = difference(corners[2], corners[0]);
    let (height, e_max) = (dot(v, cross(e1, e2)), max(max_abs(e1), max_abs(e2)));
    (height.abs() > max_abs(v) * e_max * e_max * ERROR).then(|| height.signum() as i32)
}
