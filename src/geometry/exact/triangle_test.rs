//! The ray–triangle test that every kernel must equal.
//!
//! A ray hits a triangle if the *exact* ray meets the *exact* closed triangle, and `t`,
//! `u` and `v` are the exact values, each rounded once to `f32`. The answer is defined by
//! mathematics and not by an order of operations, so
//!
//! - triangles that share an edge or a vertex leave no gap: their union is closed, and
//!   nothing is rounded before the decision;
//! - a box that contains the triangle (or the piece of it that holds the hit point)
//!   contains the hit, so a padded slab test can never lose it;
//! - a triangle is missed by a ray that runs in its plane, and by no other that meets it.
//!
//! The determinants are those of Möller and Trumbore (1997), in `f64`, each with a bound
//! on its rounding error. Where a sign or the last bit of a quotient lies within the
//! bound, the same determinants are taken in exact integers: of 128 bits where they hold them
//! ([`int128`](super::int128)), or of as many as it takes ([`bigint`](super::bigint)).
//! That is the filtered predicate of Shewchuk (1997), with integers in place of
//! expansions. On levels it happens to about one hit in a thousand, but to every one where rays run
//! exactly through edges.

use super::bigint::{ALL, FEW, Int, Unit, determinants};
use super::int128;
use crate::geometry::ray::Ray;
use crate::geometry::vec3_f64::{
    Corners, cross, difference, dot, is_finite, max, max_abs, min, round_within,
};

/// A bound on the relative error of a triple product of differences, in units of the
/// product of the three vectors' largest components: 48 roundings of 2^-53 are possible;
/// 128 leave room for those of the bound itself.
const ERROR: f64 = 128.0 / (1u64 << 53) as f64;

/// A ray that meets a triangle: `t` is settled, the weights are worked out when asked for, which a
/// query does for the hit that it returns and not for those on the way.
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
    /// Of numbers that are rounded already; `None` where `t` is not finite.
    fn exact(t: f32, u: f32, v: f32, front: bool) -> Option<Self> {
        t.is_finite().then_some(Self { t, front, u: f64::from(u), v: f64::from(v), error: 0.0 })
    }

    /// The weights of the second and the third vertex, rounded once. `ray` and `corners` are those
    /// that met.
    #[inline(always)]
    pub(crate) fn barycentrics(&self, ray: &Ray, corners: &impl Fn() -> Corners) -> (f32, f32) {
        match (round_within(self.u, self.error), round_within(self.v, self.error)) {
            (Some(u), Some(v)) => (u, v),
            _ => match intersect_integers(ray, corners) {
                Some(Self { u, v, .. }) => (u as f32, v as f32),
                // What meets, meets.
                None => (0.0, 0.0),
            },
        }
    }
}

/// Where the whole line meets the triangle, for a ray that can be cast.
///
/// The vertices come from a function, so that whoever keeps them in another shape need not put
/// them into memory for the rare integers alone.
#[inline(always)]
pub(crate) fn intersect_exact(ray: &Ray, corners: &impl Fn() -> Corners) -> Option<ExactHit> {
    let (origin, dir, vertex) = (ray.origin.to_array(), ray.dir.to_array(), corners());
    let e1 = difference(vertex[1], vertex[0]);
    let e2 = difference(vertex[2], vertex[0]);
    let s = difference(origin, vertex[0]);
    let d = dir.map(f64::from);

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

    // Bounds on the errors, as parts of the determinant, whose sign is thereby taken out.
    let inverse = 1.0 / det;
    let size = inverse.abs() * ERROR;
    let (e_max, s_max, d_max) = (max(max_abs(e1), max_abs(e2)), max_abs(s), max_abs(d));
    let det_error = d_max * e_max * e_max * size;
    let t_error = s_max * e_max * e_max * size;
    // One for each of the three weights: the third has the errors of all determinants. A weight
    // takes on the determinant's error times its own size. None is larger than 2, or another is so
    // far below zero that its sign is beyond doubt.
    let error = 3.0 * d_max * e_max * max(s_max, e_max) * size + 2.0 * det_error;

    let (t, u, v, w) = (t * inverse, u * inverse, v * inverse, w * inverse);
    let least = min(u, min(v, w));
    // The bounds hold where the determinant is off by at most half of itself.
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
    intersect_integers(ray, corners)
}

/// A power of two for all numbers of a ray and a triangle, if few limbs are enough for them.
fn unit(ray: &Ray, corners: &Corners) -> Option<Unit> {
    let [a, b, c] = *corners;
    let numbers = [ray.origin.to_array(), ray.dir.to_array(), a, b, c];
    Unit::of_few(numbers.as_flattened())
}

/// The same as [`intersect_exact`], in integers. The weights are what they are to the last bit.
#[cold]
#[inline(never)]
fn intersect_integers(ray: &Ray, corners: &impl Fn() -> Corners) -> Option<ExactHit> {
    let (corners, dir) = (&corners(), ray.dir.to_array());
    if !(ray.origin.is_finite() && ray.dir.is_finite() && is_finite(corners)) {
        return None;
    }
    // A ray along an axis plane beside or in a wall is common, and needs no big integers.
    let flat = |k: usize| {
        dir[k] == 0.0 && corners[0][k] == corners[1][k] && corners[0][k] == corners[2][k]
    };
    if flat(0) || flat(1) || flat(2) {
        return None;
    }
    if let Some(determinants) = int128::Determinants::of(ray, corners) {
        let (side, weights) = determinants.signs();
        if !is_met(side, weights) {
            return None;
        }
        if let Some([t, u, v]) = determinants.quotients() {
            return ExactHit::exact(t, u, v, side > 0);
        }
    }
    match unit(ray, corners) {
        Some(unit) => intersect_bigint::<FEW>(ray, corners, unit),
        None => intersect_bigint::<ALL>(ray, corners, Unit::LEAST),
    }
}

/// Whether the line meets the triangle, by the signs of the determinant and of the weights times that.
fn is_met(side: i32, weights: [i32; 3]) -> bool {
    side != 0 && weights.iter().all(|weight| weight * side >= 0)
}

fn intersect_bigint<const LIMBS: usize>(
    ray: &Ray,
    corners: &Corners,
    unit: Unit,
) -> Option<ExactHit> {
    let [det, u, v, t] = determinants::<LIMBS>(ray, corners, unit);
    let w = det.sub(&u).sub(&v);
    let side = det.signum();
    if !is_met(side, [&u, &v, &w].map(Int::signum)) {
        return None;
    }
    let [t, u, v] = [t, u, v].map(|over| over.quotient(&det));
    ExactHit::exact(t, u, v, side > 0)
}
