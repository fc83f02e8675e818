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
        let (origin, dir) = (ray.origin.to_array(), ray.dir.to_array());
        let corners = self.to_arrays();
        let meeting = meet(origin, dir, &corners)?;
        if !ray.admits(meeting.t) {
            return None;
        }
        let (u, v) = meeting.weights(origin, dir, &corners);
        Some(TriangleHit {
            t: meeting.t,
            u,
            v,
            front: meeting.front,
        })
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

/// A ray that meets a triangle: `t` is settled, the weights are worked out when asked for, which a
/// query does for the hit that it returns and not for those on the way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meeting {
    pub(crate) t: f32,
    pub(crate) front: bool,
    /// The weights of the second and the third vertex, and bounds on their errors.
    u: (f64, f64),
    v: (f64, f64),
}

impl Meeting {
    /// The weights of the second and the third vertex, rounded once. `origin`, `dir` and `corners`
    /// are those that met.
    #[inline(always)]
    pub(crate) fn weights(
        &self,
        origin: [f32; 3],
        dir: [f32; 3],
        corners: &[[f32; 3]; 3],
    ) -> (f32, f32) {
        match (round(self.u), round(self.v)) {
            (Some(u), Some(v)) => (u, v),
            _ => weights_exactly(origin, dir, corners),
        }
    }
}

/// Where the whole line meets the triangle, for a ray that can be cast.
#[inline(always)]
pub(crate) fn meet(origin: [f32; 3], dir: [f32; 3], corners: &[[f32; 3]; 3]) -> Option<Meeting> {
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

    // As parts of the determinant, whose sign is thereby taken out.
    let inverse = 1.0 / det;
    let size = inverse.abs();
    let det_error = det_error * size;
    let part = |x: f64, error: f64| {
        let x = x * inverse;
        (x, error * size + x.abs() * det_error)
    };
    let (t, u, v, w) = (
        part(t, t_error),
        part(u, u_error),
        part(v, v_error),
        part(w, w_error),
    );

    // The bounds hold where the determinant is off by at most half of itself.
    if det_error < 0.5 {
        let least = lesser(u.0 - u.1, lesser(v.0 - v.1, w.0 - w.1));
        if least > 0.0 {
            if let Some(t) = round(t) {
                return t.is_finite().then_some(Meeting {
                    t,
                    front: det > 0.0,
                    u,
                    v,
                });
            }
        } else if lesser(u.0 + u.1, lesser(v.0 + v.1, w.0 + w.1)) < 0.0 {
            return None;
        }
    }
    meet_exactly(origin, dir, corners)
}

/// A number rounded to `f32`, if the bound on its error leaves no doubt about it.
#[inline(always)]
fn round((x, error): (f64, f64)) -> Option<f32> {
    let (least, most) = ((x - error) as f32, (x + error) as f32);
    (least.to_bits() == most.to_bits()).then_some(least)
}

/// The determinants in integers: of the whole, `u`, `v` and `t`.
fn determinants(origin: [f32; 3], dir: [f32; 3], corners: &[[f32; 3]; 3]) -> [Int; 4] {
    let e1 = exact::sub3(corners[1], corners[0]);
    let e2 = exact::sub3(corners[2], corners[0]);
    let s = exact::sub3(origin, corners[0]);
    let d = dir.map(Int::from_f32);
    let normal = exact::cross(&e1, &e2);
    let q = exact::cross(&s, &d);
    [
        exact::dot(&d, &normal).neg(),
        exact::dot(&e2, &q),
        exact::dot(&e1, &q).neg(),
        exact::dot(&s, &normal),
    ]
}

#[cold]
#[inline(never)]
fn weights_exactly(origin: [f32; 3], dir: [f32; 3], corners: &[[f32; 3]; 3]) -> (f32, f32) {
    let [det, u, v, _] = determinants(origin, dir, corners);
    (u.quotient(&det), v.quotient(&det))
}

/// The same as [`meet`], in integers.
#[cold]
#[inline(never)]
fn meet_exactly(origin: [f32; 3], dir: [f32; 3], corners: &[[f32; 3]; 3]) -> Option<Meeting> {
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
    let [det, u, v, t] = determinants(origin, dir, corners);
    let w = det.sub(&u).sub(&v);
    let side = det.signum();
    let inside = |weight: &Int| weight.signum() * side >= 0;
    if side == 0 || !inside(&u) || !inside(&v) || !inside(&w) {
        return None;
    }
    let t = t.quotient(&det);
    // Nothing is known of the weights, so that they are worked out in integers too.
    let unknown = (0.0, f64::INFINITY);
    t.is_finite().then_some(Meeting {
        t,
        front: side > 0,
        u: unknown,
        v: unknown,
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

#[inline(always)]
fn lesser(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}
