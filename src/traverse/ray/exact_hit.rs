//! The exact hit: `t`, `u` and `v` of a triangle that a ray is known to hit, each rounded once.

#[cfg(test)]
mod bounds;

use bytemuck::Zeroable;

use crate::geometry::{Corners, Ray, difference, intersect_exact, max, max_abs};
use crate::simd::{F64x4, Isa};

/// Where a ray hits a triangle.
pub(crate) struct HitPoint {
    pub(crate) t: f32,
    pub(crate) u: f32,
    pub(crate) v: f32,
    pub(crate) front: bool,
}

/// Error bounds of the weights and of `t`, each times the determinant. On any axis the triangle's
/// edges are at most `e`, the way to the origin at most `s`, and the direction at most `d`.
///
/// Lemma 25 (exact hit). A determinant is the sum of six products, each at most the product of its
/// vectors' sizes, the unit here. It is at most 4 units, and so are the sums of the magnitudes of
/// its three pairs of products, because a change of signs makes another such determinant of them.
/// Each vector of rounded differences makes an error of 6 units, the first product of each of the
/// six another 6. The three differences of pairs, the three second products and the two sums make
/// 4 each. That is 34 units with two vectors of differences, and 40 for `t`, which has three.
///
/// The error of a quotient, times the computed determinant, is that of its numerator plus the
/// *true* quotient times the error of the determinant. A weight is at most 1, because the triangle
/// is hit. As `t d = u e1 + v e2 - s`, `t` is at most `(s + e) / d`. The inverse, the sum and the
/// product are three more roundings of a quotient, each at most 4 units of its numerator or its
/// denominator. That makes at most 40 for a weight and 43 for `t` of the 48 below; the rest covers
/// the roundings of these bounds. So if both ends of an interval round to the same `f32`, the exact
/// value does too. If the determinant itself may be zero, the ends of the weights' intervals are
/// more than 2 apart.
#[inline(always)]
fn errors(e: f64, s: f64, d: f64) -> (f64, f64) {
    let part = e * (48.0 / (1u64 << 53) as f64);
    let far = s + e;
    (part * d * far, part * e * (far + s))
}

/// The numbers of [`intersect_exact`] and of its hit's `barycentrics`, computed four at a time: the
/// exact values, rounded once. The caller knows that the ray hits the triangle.
#[inline(always)]
pub(crate) fn exact_hit<Q: F64x4>(
    isa: Q::Isa,
    ray: &Ray,
    corners: &impl Fn() -> Corners,
) -> Option<HitPoint> {
    let [a, b, c] = corners();
    let (s, d) = (ray.origin.to_array(), ray.dir.to_array());
    // On each axis: the direction `d`, an edge `e2`, the way to the origin `s`, the other edge
    // `e1`. (Closures called three times might be compiled without the caller's instruction set.)
    let mut all = [Q::splat_yzw(isa, 0.0); 3];
    for k in 0..3 {
        all[k] = Q::from_f32(isa, [d[k], c[k], s[k], b[k]]).sub(Q::splat_yzw(isa, a[k]));
    }
    let others = [all[0].swap_halves(), all[1].swap_halves(), all[2].swap_halves()];
    // `e2 x e1`, `d x s`, `e1 x e2` and `s x d`.
    let mut across = all;
    for (k, [i, j]) in [[1, 2], [2, 0], [0, 1]].into_iter().enumerate() {
        across[k] = all[i].mul_sub(others[j], all[j].mul(others[i])).swap_pairs();
    }
    // Cramer's rule for `s + t d = u e1 + v e2`, without the division: the determinant, `-u`, `t`
    // and `-v`.
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
    // If `t` is finite, so are the weights, because they lie in the triangle.
    if let Some([u, t, v]) = Q::rounded(one, other)
        && t.is_finite()
    {
        return Some(HitPoint { t, u: -u, v: -v, front: det > 0.0 });
    }

    exactly(ray, corners)
}

#[cold]
#[inline(never)]
fn exactly(ray: &Ray, corners: &impl Fn() -> Corners) -> Option<HitPoint> {
    let hit = intersect_exact(ray, corners)?;
    let (u, v) = hit.barycentrics(ray, corners);
    Some(HitPoint { t: hit.t, u, v, front: hit.front })
}

/// Rays whose exact hits are computed at once.
pub(crate) const RAYS_AT_ONCE: usize = 8;

/// One value for each of them.
pub(crate) type X8<T> = [T; RAYS_AT_ONCE];

/// The exact hits of rays, from their origins and directions. As
/// [`exact_hit`], with the bounds of Lemma 25, in a plain loop that a
/// compiler turns into vectors.
#[inline(always)]
pub(crate) fn exact_hit_x8<I: Isa>(
    origin: [&X8<f32>; 3],
    dir: [&X8<f32>; 3],
    corners: impl Fn(usize) -> Corners,
) -> HitPointX8 {
    let mut hit_point = HitPointX8::zeroed();
    for i in 0..RAYS_AT_ONCE {
        let (d, [a, b, c]) = (point(dir, i).map(f64::from), corners(i));
        let (e1, e2, s) = (difference(b, a), difference(c, a), difference(point(origin, i), a));
        let (normal, moment) = (cross::<I>(e1, e2), cross::<I>(s, d));
        let minus_det = dot::<I>(d, normal);
        let inverse = 1.0 / minus_det;
        let e = max(max_abs(e1), max_abs(e2));
        let (weight_error, t_error) = errors(e, max_abs(s), max_abs(d));
        let quotients = |x: f64, error: f64| {
            let error = error * inverse;
            [-error, error].map(|error| mul_add::<I>(x, inverse, error) as f32)
        };
        let ts = quotients(-dot::<I>(s, normal), t_error);
        let us = quotients(-dot::<I>(e2, moment), weight_error);
        let vs = quotients(dot::<I>(e1, moment), weight_error);
        let same = |[a, b]: [f32; 2]| u32::from(a.to_bits() == b.to_bits());
        (hit_point.t[i], hit_point.u[i], hit_point.v[i]) = (ts[0], us[0], vs[0]);
        hit_point.back[i] = minus_det >= 0.0;
        hit_point.exact[i] = same(ts) & same(us) & same(vs) & u32::from(ts[0].is_finite());
    }
    hit_point
}

/// Eight rays, each with a triangle that it hits.
#[derive(Clone, Copy, Zeroable)]
pub(crate) struct RayTriangleX8 {
    origin: [X8<f32>; 3],
    dir: [X8<f32>; 3],
    vertices: [[X8<f32>; 3]; 3],
}

impl RayTriangleX8 {
    #[inline(always)]
    pub(crate) fn set_ray(&mut self, lane: usize, ray: &Ray) {
        let lane = lane % RAYS_AT_ONCE;
        for k in 0..3 {
            self.origin[k][lane] = ray.origin[k];
            self.dir[k][lane] = ray.dir[k];
        }
    }

    #[inline(always)]
    pub(crate) fn set_triangle(&mut self, lane: usize, corners: &Corners) {
        for (rows, corner) in self.vertices.iter_mut().zip(corners) {
            for (row, &number) in rows.iter_mut().zip(corner) {
                row[lane % RAYS_AT_ONCE] = number;
            }
        }
    }

    /// Where each ray hits its triangle.
    #[inline(always)]
    pub(crate) fn exact_hit<I: Isa>(&self) -> HitPointX8 {
        let (origin, dir) = (self.origin.each_ref(), self.dir.each_ref());
        exact_hit_x8::<I>(origin, dir, |i| self.corners(i))
    }

    /// The triangle of one ray.
    #[inline(always)]
    pub(crate) fn corners(&self, lane: usize) -> Corners {
        let vertices = self.vertices.each_ref();
        vertices.map(|rows| point(rows.each_ref(), lane % RAYS_AT_ONCE))
    }
}

/// Where eight rays hit their triangles.
#[derive(Clone, Copy, Zeroable)]
pub(crate) struct HitPointX8 {
    pub(crate) t: X8<f32>,
    pub(crate) u: X8<f32>,
    pub(crate) v: X8<f32>,
    /// Whether the back is hit.
    pub(crate) back: X8<bool>,
    /// 1 where the numbers above are exact: right to the last bit.
    pub(crate) exact: X8<u32>,
}

impl HitPointX8 {
    /// That of a ray whose numbers are exact.
    #[inline(always)]
    pub(crate) fn plain(&self, lane: usize) -> HitPoint {
        let lane = lane % RAYS_AT_ONCE;
        HitPoint { t: self.t[lane], u: self.u[lane], v: self.v[lane], front: !self.back[lane] }
    }

    /// That of any ray, by the exact test if need be.
    #[inline(always)]
    pub(crate) fn one(
        &self,
        lane: usize,
        ray: &Ray,
        corners: &impl Fn() -> Corners,
    ) -> Option<HitPoint> {
        if self.exact[lane % RAYS_AT_ONCE] == 0 {
            return exactly(ray, corners);
        }
        Some(self.plain(lane))
    }
}

#[inline(always)]
fn point(rows: [&X8<f32>; 3], i: usize) -> [f32; 3] {
    [rows[0][i], rows[1][i], rows[2][i]]
}

/// `a * b + c`, rounded once where the instruction set has an instruction for it, or else twice.
#[inline(always)]
fn mul_add<I: Isa>(a: f64, b: f64, c: f64) -> f64 {
    if I::FUSES { a.mul_add(b, c) } else { a * b + c }
}

#[inline(always)]
fn dot<I: Isa>(a: [f64; 3], b: [f64; 3]) -> f64 {
    mul_add::<I>(a[2], b[2], mul_add::<I>(a[1], b[1], a[0] * b[0]))
}

#[inline(always)]
fn cross<I: Isa>(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    let component = |i: usize, j: usize| mul_add::<I>(a[i], b[j], -(a[j] * b[i]));
    [component(1, 2), component(2, 0), component(0, 1)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{self, InstructionSet, Isa, Task};
    use crate::test_rng;

    /// A ray, a triangle that it hits, and the bits of `t`, `u` and `v`.
    type Case = (Ray, Corners, [u32; 3]);

    /// How many of the cases, eight at a time, did without the exact test.
    struct ExactHits<'a>(&'a [Case]);

    impl Task for ExactHits<'_> {
        type Output = usize;

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> usize {
            let mut plain = 0;
            for eight in self.0.chunks_exact(RAYS_AT_ONCE) {
                let mut abreast = RayTriangleX8::zeroed();
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

    /// Rays to points of triangles, of all sizes: many of them slivers, or hit almost edge-on,
    /// where errors are large beside the determinant.
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
    fn all_bits_are_those_of_the_reference() {
        let cases = cases(if cfg!(miri) { 80 } else { 400_000 });
        for isa in InstructionSet::available() {
            let plain = simd::run(isa, ExactHits(&cases));
            println!("{isa}: {plain} of {} without the exact test", cases.len());
            assert!(3 * plain > cases.len(), "{isa}");
        }
    }
}
