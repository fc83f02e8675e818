//! The last word on a triangle that a ray is known to hit: `t`, `u` and `v`, rounded once.

use crate::geometry::{Corners, ERROR, Meeting, Ray, meet};
use crate::simd::Pair;

/// Where a ray meets a triangle.
pub(crate) struct Located {
    pub(crate) t: f32,
    pub(crate) u: f32,
    pub(crate) v: f32,
    pub(crate) front: bool,
}

/// The same numbers as [`meet`] and [`Meeting::weights`] have, two at a time: they are the exact
/// values rounded once, whichever way they are come by. The caller knows that the ray hits the
/// triangle.
///
/// # Safety
/// As for [`Pair`].
#[inline(always)]
pub(crate) unsafe fn locate<P: Pair>(ray: &Ray, corners: &impl Fn() -> Corners) -> Option<Located> {
    // SAFETY: the caller vouches for the CPU.
    unsafe {
        let [a, b, c] = corners();
        let (origin, dir) = (ray.origin.to_array(), ray.dir.to_array());
        // By axis: one edge and the way to the origin, the other edge and the direction.
        let p = [0, 1, 2].map(|k| P::new(b[k], origin[k]).sub(P::new(a[k], a[k])));
        let q = [0, 1, 2].map(|k| P::new(c[k], dir[k]).sub(P::new(a[k], 0.0)));
        // The normal, and `s x d`.
        let cross = [(1, 2), (2, 0), (0, 1)].map(|(i, j)| p[i].mul_sub(q[j], p[j].mul(q[i])));
        let across = cross.map(|pair| pair.swap());
        let dot = |p: &[P; 3]| {
            let sum = p[0].mul(across[0]);
            p[2].mul_add(across[2], p[1].mul_add(across[1], sum))
        };
        // Cramer's rule for `s + t d = u e1 + v e2`, all but the division: minus v and t, u and
        // minus the determinant.
        let (v_t, u_det) = (dot(&p), dot(&q));
        let minus_det = u_det.high();
        let inverse = 1.0 / minus_det;

        // The bounds of `meet`.
        let most = |p: &[P; 3]| p[0].abs().max(p[1].abs()).max(p[2].abs());
        let (e1_s, e2_d) = (most(&p), most(&q));
        let (e1, s, e2, d) = (e1_s.low(), e1_s.high(), e2_d.low(), e2_d.high());
        let e = if e1 > e2 { e1 } else { e2 };
        let size = inverse.abs() * ERROR;
        let det_error = d * e * e * size;
        let rest = s * e * size;
        // From a vertex all errors are zero, and a negative zero would not be told from the other.
        if det_error < 0.5 && rest > 0.0 {
            let (v_t, u) = (v_t.mul(P::splat(inverse)), u_det.mul(P::splat(inverse)));
            let v_t_error = v_t
                .abs()
                .mul_add(P::splat(det_error), P::both(d, e).mul(P::splat(rest)));
            let u_error = u.abs().mul_add(P::splat(det_error), P::splat(d * rest));
            let least = [v_t.sub(v_t_error), u.sub(u_error)];
            let most = [v_t.add(v_t_error), u.add(u_error)];
            if let Some([v, t, u]) = P::rounded(least, most) {
                return Some(Located {
                    t: -t,
                    u: -u,
                    v,
                    front: minus_det < 0.0,
                });
            }
        }
    }
    exactly(ray, corners)
}

#[cold]
#[inline(never)]
fn exactly(ray: &Ray, corners: &impl Fn() -> Corners) -> Option<Located> {
    let meeting: Meeting = meet(ray, corners)?;
    let (u, v) = meeting.weights(ray, corners);
    Some(Located {
        t: meeting.t,
        u,
        v,
        front: meeting.front,
    })
}
