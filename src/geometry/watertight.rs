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
//! bound, the same determinants are taken in exact integers ([`exact`](super::exact)).
//! That is the filtered predicate of Shewchuk (1997), with integers in place of
//! expansions. It happens to about one ray in ten thousand.

use super::exact::{self, Int};
use super::{Ray, Triangle, TriangleHit};

/// A bound on the relative error of a triple product of differences, in units of the
/// product of the three vectors' largest components: 48 roundings of 2^-53 are possible;
/// 128 leave room for those of the bound itself.
const ERROR: f64 = 128.0 / (1u64 << 53) as f64;

impl Triangle {
    /// The watertight ray test, and the reference that every kernel equals bit for bit.
    ///
    /// Both sides are hit; an edge and a vertex belong to the triangle. `None` when the ray
    /// is not one that can hit anything (see [`Ray`]), when the triangle
    /// [is degenerate](Self::is_degenerate), when the ray runs in its plane, when `t` lies
    /// outside `t_min..=t_max`, or would not be finite. `t`, `u` and `v` are the exact
    /// values rounded once, for all finite coordinates.
    #[must_use]
    pub fn intersect(&self, ray: &Ray) -> Option<TriangleHit> {
        if !ray.is_castable() {
            return None;
        }
        let hit = meet(ray.origin.to_array(), ray.dir.to_array(), &self.to_arrays())?;
        (ray.t_min <= hit.t && hit.t <= ray.t_max).then_some(hit)
    }

    /// Whether the triangle has no area: whether `(v1 - v0) x (v2 - v0)` is zero, with the
    /// differences, then the products, then their differences taken in `f64`.
    ///
    /// The builder leaves out such triangles, and no ray hits them. A triangle with a
    /// coordinate that is not finite counts as degenerate.
    #[must_use]
    pub fn is_degenerate(&self) -> bool {
        let [a, b, c] = self.to_arrays();
        let normal = cross(sub(b, a), sub(c, a));
        // A NaN is no number other than zero either.
        !normal.iter().any(|&n| n != 0.0 && n.is_finite()) || !normal.iter().all(|n| n.is_finite())
    }

    pub(crate) fn to_arrays(self) -> [[f32; 3]; 3] {
        [self.v0.to_array(), self.v1.to_array(), self.v2.to_array()]
    }
}

/// Where the whole line meets the triangle, for a ray that can be cast.
#[inline(always)]
pub(crate) fn meet(
    origin: [f32; 3],
    dir: [f32; 3],
    corners: &[[f32; 3]; 3],
) -> Option<TriangleHit> {
    let e1 = sub(corners[1], corners[0]);
    let e2 = sub(corners[2], corners[0]);
    let s = sub(origin, corners[0]);
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

    let (e1_max, e2_max, s_max, d_max) = (largest(e1), largest(e2), largest(s), largest(d));
    let det_error = ERROR * d_max * e1_max * e2_max;
    let u_error = ERROR * d_max * s_max * e2_max;
    let v_error = ERROR * d_max * s_max * e1_max;
    let w_error = det_error + u_error + v_error;
    let t_error = ERROR * s_max * e1_max * e2_max;

    let positive = det > 0.0;
    let flip = |x: f64| if positive { x } else { -x };
    let (det, u, v, w, t) = (flip(det), flip(u), flip(v), flip(w), flip(t));

    if det > det_error {
        if u < -u_error || v < -v_error || w < -w_error {
            return None;
        }
        if u > u_error && v > v_error && w > w_error {
            let det = (det - det_error, det + det_error);
            if let (Some(t), Some(u), Some(v)) = (
                quotient(t, t_error, det),
                quotient(u, u_error, det),
                quotient(v, v_error, det),
            ) {
                return t.is_finite().then_some(TriangleHit {
                    t,
                    u,
                    v,
                    front: positive,
                });
            }
        }
    } else if u.min(v).min(w) < -(w_error + v_error + u_error)
        && u.max(v).max(w) > w_error + v_error + u_error
    {
        // Weights of both signs: outside, whichever way the triangle faces.
        return None;
    }
    meet_exactly(origin, dir, corners)
}

/// `numerator / denominator` rounded to `f32`, if the bounds on the errors of both leave no
/// doubt about it. The denominator is given as the ends of an interval of positive numbers.
#[inline(always)]
fn quotient(numerator: f64, error: f64, denominator: (f64, f64)) -> Option<f32> {
    let magnitude = numerator.abs();
    let least = ((magnitude - error) / denominator.1) as f32;
    let most = ((magnitude + error) / denominator.0) as f32;
    (least == most && magnitude > error).then_some(if numerator < 0.0 { -least } else { least })
}

/// The same as [`meet`], in integers.
#[cold]
#[inline(never)]
fn meet_exactly(origin: [f32; 3], dir: [f32; 3], corners: &[[f32; 3]; 3]) -> Option<TriangleHit> {
    let finite = |v: &[f32; 3]| v.iter().all(|x| x.is_finite());
    if !(finite(&origin) && finite(&dir) && corners.iter().all(finite)) {
        return None;
    }
    // A ray along an axis plane beside or in a wall is common, and needs no big integers.
    let flat = |k: usize| {
        dir[k] == 0.0 && corners[0][k] == corners[1][k] && corners[0][k] == corners[2][k]
    };
    if flat(0) || flat(1) || flat(2) {
        return None;
    }
    let e1 = exact::sub3(corners[1], corners[0]);
    let e2 = exact::sub3(corners[2], corners[0]);
    let s = exact::sub3(origin, corners[0]);
    let d = dir.map(Int::from_f32);
    let normal = exact::cross(&e1, &e2);
    let q = exact::cross(&s, &d);
    let det = exact::dot(&d, &normal).neg();
    let u = exact::dot(&e2, &q);
    let v = exact::dot(&e1, &q).neg();
    let w = det.sub(&u).sub(&v);

    let side = det.signum();
    let inside = |weight: &Int| weight.signum() * side >= 0;
    if side == 0 || !inside(&u) || !inside(&v) || !inside(&w) {
        return None;
    }
    let t = exact::dot(&s, &normal).quotient(&det);
    let (u, v) = (u.quotient(&det), v.quotient(&det));
    t.is_finite().then_some(TriangleHit {
        t,
        u,
        v,
        front: side > 0,
    })
}

#[inline(always)]
fn sub(a: [f32; 3], b: [f32; 3]) -> [f64; 3] {
    [
        f64::from(a[0]) - f64::from(b[0]),
        f64::from(a[1]) - f64::from(b[1]),
        f64::from(a[2]) - f64::from(b[2]),
    ]
}

#[inline(always)]
fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

#[inline(always)]
fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn largest(a: [f64; 3]) -> f64 {
    let larger = |a: f64, b: f64| if a > b { a } else { b };
    larger(a[0].abs(), larger(a[1].abs(), a[2].abs()))
}
