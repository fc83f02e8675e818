//! The last word on a triangle that a ray is known to hit: `t`, `u` and `v`, rounded once.

mod abreast;

pub(crate) use abreast::{ABREAST, Abreast, Each, LocatedAbreast, locate_abreast};

use crate::geometry::watertight::larger;
use crate::geometry::{Corners, Meeting, Ray, meet};
use crate::simd::Pair;

/// Where a ray meets a triangle.
pub(crate) struct Located {
    pub(crate) t: f32,
    pub(crate) u: f32,
    pub(crate) v: f32,
    pub(crate) front: bool,
}

/// Bounds on the errors of weights and of `t` times the determinant, for a triangle whose edges are no
/// longer than `e` on any axis, a way to the origin no longer than `s`, and a direction of `d`.
///
/// A determinant is off by at most 48 roundings, in units of the product of its vectors' sizes. What
/// is wrong with a quotient is, times the determinant, what is wrong with its numerator and the
/// *true* quotient times what is wrong with the determinant. A weight is 1 at most, for the triangle
/// is hit; and as `t d = u e1 + v e2 - s`, `t` is `(s + e) / d` at most. The inverse, the sum and the
/// product are three more roundings of quotients, at most six times as large as the determinant's
/// unit: 18, and what they add to these bounds themselves is in the reserve. (So if the determinant itself is in doubt, the weights' bounds are too far apart to be
/// the same number.)
#[inline(always)]
fn errors(e: f64, s: f64, d: f64) -> (f64, f64) {
    let part = e * (72.0 / (1u64 << 53) as f64);
    let far = s + e;
    (part * d * far, part * e * (far + s))
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
        let a = a.map(|a| P::new(a, a));
        let p = [0, 1, 2].map(|k| P::new(b[k], origin[k]).sub(a[k]));
        let q = [0, 1, 2].map(|k| P::new(c[k], dir[k]).sub(P::both(a[k].low(), 0.0)));
        // The normal, and `s x d`.
        let across = |i: usize, j: usize| p[i].mul_sub(q[j], p[j].mul(q[i])).swap();
        let across = [across(1, 2), across(2, 0), across(0, 1)];
        let dot = |p: &[P; 3]| {
            let sum = p[0].mul(across[0]);
            p[2].mul_add(across[2], p[1].mul_add(across[1], sum))
        };
        // Cramer's rule for `s + t d = u e1 + v e2`, all but the division: minus v and t, u and
        // minus the determinant.
        let (v_t, u_det) = (dot(&p), dot(&q));
        let minus_det = u_det.high();
        let inverse = 1.0 / minus_det;

        let most = |p: &[P; 3]| p[0].abs().max(p[1].abs()).max(p[2].abs());
        let (e1_s, e2_d) = (most(&p), most(&q));
        let e = larger(e1_s.low(), e2_d.low());
        let (weight, t) = errors(e, e1_s.high(), e2_d.high());
        let (v_t_error, u_error) = (P::both(weight, t), P::splat(weight));
        let inverse = P::splat(inverse);
        let quotients = |v_t: P, u: P| [v_t.mul(inverse), u.mul(inverse)];
        let one = quotients(v_t.sub(v_t_error), u_det.sub(u_error));
        let other = quotients(v_t.add(v_t_error), u_det.add(u_error));
        // (If `t` is finite, so are the weights: they lie within the triangle.)
        if let Some([v, t, u]) = P::rounded(one, other)
            && t.is_finite()
        {
            return Some(Located {
                t: -t,
                u: -u,
                v,
                front: minus_det < 0.0,
            });
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up;
    use crate::simd::{self, Isa, Level, Task};

    /// A ray, a triangle that it hits, and the bits of `t`, `u` and `v`.
    type Case = (Ray, Corners, [u32; 3]);

    /// How many of some cases the exact test was not asked about, eight abreast.
    struct Locate<'a>(&'a [Case]);

    impl Task for Locate<'_> {
        type Output = usize;

        #[inline(always)]
        unsafe fn run<I: Isa>(self) -> usize {
            let mut plain = 0;
            for eight in self.0.chunks_exact(ABREAST) {
                let mut abreast = Abreast::ROOM;
                for (i, (ray, corners, _)) in eight.iter().enumerate() {
                    abreast.set_ray(i, ray);
                    abreast.set_triangle(i, corners);
                }
                let located = abreast.locate::<I>();
                for (i, (ray, corners, expected)) in eight.iter().enumerate() {
                    // SAFETY: the caller vouches for the instruction set.
                    let one = unsafe { locate::<I::Pair>(ray, &|| *corners) };
                    for one in [one, located.one(i, ray, &|| *corners)] {
                        let bits = one.map(|one| [one.t, one.u, one.v].map(f32::to_bits));
                        assert_eq!(bits, Some(*expected), "{ray:?} {corners:?}");
                    }
                    plain += located.sure[i] as usize;
                }
            }
            plain
        }
    }

    /// Rays to points of triangles, of all sizes: many of them slivers, or met almost edge-on, where
    /// errors are large beside the determinant.
    fn cases(count: usize) -> Vec<Case> {
        let mut state = 1u64;
        let mut number = || made_up::number(&mut state);
        let mut cases = Vec::new();
        while cases.len() < count {
            let mut point = |size: f32| [0; 3].map(|_| size * number());
            let away = [0.0, 1.0, 1e3, 1e5][cases.len() % 4];
            let sliver = [1.0, 1e-2, 1e-4][cases.len() / 4 % 3];
            let graze = [1.0, 1e-2, 1e-4][cases.len() / 12 % 3];
            let plus = |a: [f32; 3], b: [f32; 3], part: f32| [0, 1, 2].map(|k| a[k] + part * b[k]);
            let a = plus(point(1.0), point(1.0), away);
            let (edge, off) = (point(1.0), point(1.0));
            let b = plus(a, edge, 1.0);
            let c = plus(plus(a, edge, 0.5), off, sliver);
            let target = plus(plus(a, edge, 0.4), off, 0.3 * sliver);
            let aside = plus(edge, point(1.0), graze);
            let origin = plus(target, aside, 10.0);
            let dir = [0, 1, 2].map(|k| target[k] - origin[k]);
            let (ray, corners) = (Ray::new(origin, dir), [a, b, c]);
            if let Some(meeting) = meet(&ray, &|| corners) {
                let (u, v) = meeting.weights(&ray, &|| corners);
                cases.push((ray, corners, [meeting.t, u, v].map(f32::to_bits)));
            }
        }
        cases
    }

    #[test]
    fn every_bit_is_that_of_the_reference() {
        let cases = cases(if cfg!(miri) { 80 } else { 400_000 });
        for level in Level::available() {
            let plain = simd::run(level, Locate(&cases));
            println!("{level}: {plain} of {} without the exact test", cases.len());
            assert!(3 * plain > cases.len(), "{level}");
        }
    }
}
