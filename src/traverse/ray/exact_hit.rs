//! The last word on a triangle that a ray is known to hit: `t`, `u` and `v`, rounded once.

pub(crate) use super::exact_hit_x8::{HitPointX8, RAYS_AT_ONCE, RayTriangleX8, X8, exact_hit_x8};

use crate::geometry::{Corners, Ray, intersect_exact, max};
use crate::simd::F64x4;

/// Where a ray meets a triangle.
pub(crate) struct HitPoint {
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
pub(crate) fn errors(e: f64, s: f64, d: f64) -> (f64, f64) {
    let part = e * (72.0 / (1u64 << 53) as f64);
    let far = s + e;
    (part * d * far, part * e * (far + s))
}

/// The same numbers as [`intersect_exact`] and its hit's `barycentrics` have, four at a time: they are the exact
/// values rounded once, whichever way they are come by. The caller knows that the ray hits the
/// triangle.
#[inline(always)]
pub(crate) fn exact_hit<Q: F64x4>(
    isa: Q::Isa,
    ray: &Ray,
    corners: &impl Fn() -> Corners,
) -> Option<HitPoint> {
    let [a, b, c] = corners();
    let (s, d) = (ray.origin.to_array(), ray.dir.to_array());
    // By axis: the direction `d`, an edge `e2`, the way to the origin `s`, and the other edge `e1`.
    let all = |k: usize| Q::from_f32(isa, [d[k], c[k], s[k], b[k]]).sub(Q::splat_yzw(isa, a[k]));
    let all = [all(0), all(1), all(2)];
    let others = [all[0].swap_halves(), all[1].swap_halves(), all[2].swap_halves()];
    // `e2 x e1`, `d x s`, `e1 x e2` and `s x d`.
    let across = |i: usize, j: usize| all[i].mul_sub(others[j], all[j].mul(others[i])).swap_pairs();
    let across = [across(1, 2), across(2, 0), across(0, 1)];
    // Cramer's rule for `s + t d = u e1 + v e2`, all but the division: the determinant, minus u, t and minus v.
    let sum = all[0].mul(across[0]);
    let sums = all[2].mul_add(across[2], all[1].mul_add(across[1], sum));
    let det = sums.to_array()[0];
    let inverse = Q::new(isa, [1.0 / det; 4]);

    let sizes = all[0].abs().max(all[1].abs()).max(all[2].abs());
    let [d, e2, s, e1] = sizes.to_array();
    let (weight, t) = errors(max(e1, e2), s, d);
    let error = Q::new(isa, [weight, weight, t, weight]);
    let one = sums.sub(error).mul(inverse);
    let other = sums.add(error).mul(inverse);
    // (If `t` is finite, so are the weights: they lie within the triangle.)
    if let Some([u, t, v]) = Q::rounded(one, other)
        && t.is_finite()
    {
        return Some(HitPoint { t, u: -u, v: -v, front: det > 0.0 });
    }

    exactly(ray, corners)
}

#[cold]
#[inline(never)]
pub(crate) fn exactly(ray: &Ray, corners: &impl Fn() -> Corners) -> Option<HitPoint> {
    let hit = intersect_exact(ray, corners)?;
    let (u, v) = hit.barycentrics(ray, corners);
    Some(HitPoint { t: hit.t, u, v, front: hit.front })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{self, InstructionSet, Isa, Task};
    use crate::test_rng;

    /// A ray, a triangle that it hits, and the bits of `t`, `u` and `v`.
    type Case = (Ray, Corners, [u32; 3]);

    /// How many of some cases the exact test was not asked about, eight abreast.
    struct ExactHits<'a>(&'a [Case]);

    impl Task for ExactHits<'_> {
        type Output = usize;

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> usize {
            let mut plain = 0;
            for eight in self.0.chunks_exact(RAYS_AT_ONCE) {
                let mut abreast = RayTriangleX8::ROOM;
                for (i, (ray, corners, _)) in eight.iter().enumerate() {
                    abreast.set_ray(i, ray);
                    abreast.set_triangle(i, corners);
                }
                let hit_point = abreast.exact_hit::<I>();
                for (i, (ray, corners, expected)) in eight.iter().enumerate() {
                    let one = exact_hit::<I::F64x4>(isa, ray, &|| *corners);
                    for one in [one, hit_point.one(i, ray, &|| *corners)] {
                        let bits = one.map(|one| [one.t, one.u, one.v].map(f32::to_bits));
                        assert_eq!(bits, Some(*expected), "{ray:?} {corners:?}");
                    }
                    plain += hit_point.exact[i] as usize;
                }
            }
            plain
        }
    }

    /// Rays to points of triangles, of all sizes: many of them slivers, or met almost edge-on, where
    /// errors are large beside the determinant.
    fn cases(count: usize) -> Vec<Case> {
        let mut state = 1u64;
        let mut number = || test_rng::number(&mut state);
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
            if let Some(hit) = intersect_exact(&ray, &|| corners) {
                let (u, v) = hit.barycentrics(&ray, &|| corners);
                cases.push((ray, corners, [hit.t, u, v].map(f32::to_bits)));
            }
        }
        cases
    }

    #[test]
    fn every_bit_is_that_of_the_reference() {
        let cases = cases(if cfg!(miri) { 80 } else { 400_000 });
        for isa in InstructionSet::available() {
            let plain = simd::run(isa, ExactHits(&cases));
            println!("{isa}: {plain} of {} without the exact test", cases.len());
            assert!(3 * plain > cases.len(), "{isa}");
        }
    }
}
