//! The exact hit: `t`, `u` and `v` of a triangle that a ray is known to hit, each rounded once.

#[cfg(test)]
mod bounds;

use bytemuck::Zeroable;

use crate::array::Each;
use crate::geometry::{Corners, Number, Ray, intersect_exact, max};
use crate::simd::{F64x4, Isa};
use crate::traverse::four::Four;

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
/// The error of a quotient, times the computed determinant, is the error of its numerator plus the
/// *true* quotient times the error of the determinant. A weight is at most 1, because the triangle
/// is hit. As `t d = u e1 + v e2 - s`, `t` is at most `(s + e) / d`. The inverse, the sum and the
/// product are three more roundings of a quotient, each at most 4 units of its numerator or its
/// denominator. That makes at most 40 for a weight and 43 for `t` of the 48 below; the rest covers
/// the roundings of these bounds. So if both ends of an interval round to the same `f32`, the exact
/// value does too. If the determinant itself may be zero, the ends of the weights' intervals are
/// more than 2 apart.
#[inline(always)]
fn errors<N: Number>(e: N, s: N, d: N) -> (N, N) {
    let part = e.mul(e.constant(48.0 / (1u64 << 53) as f64));
    let far = s.add(e);
    (part.mul(d).mul(far), part.mul(e).mul(far.add(s)))
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
    let ([_, u, t, v], same) = Q::rounded(one, other);
    if same & 0b1110 == 0b1110 && t.is_finite() {
        return Some(HitPoint { t, u: -u, v: -v, front: det > 0.0 });
    }

    exactly_of(ray, corners)
}

/// [`exactly`]: all that is compiled for each function that gives corners.
#[cold]
#[inline(never)]
fn exactly_of(ray: &Ray, corners: &impl Fn() -> Corners) -> Option<HitPoint> {
    exactly(ray, &corners())
}

#[cold]
#[inline(never)]
fn exactly(ray: &Ray, corners: &Corners) -> Option<HitPoint> {
    let corners = &|| *corners;
    let hit = intersect_exact(ray, corners)?;
    let (u, v) = hit.barycentrics(ray, corners);
    Some(HitPoint { t: hit.t, u, v, front: hit.front })
}

/// Rays whose exact hits are computed at once.
pub(crate) const RAYS_AT_ONCE: usize = 8;

/// One value for each of them.
pub(crate) type X8<T> = [T; RAYS_AT_ONCE];

/// `t`, `u` and `v` of four rays, each with a triangle that it hits, by Cramer's rule.
struct Quotients<Q> {
    /// `t`, `u` and `v`, each times a number whose inverse is in `inverse`.
    over: [Q; 3],
    inverse: [Q; 3],
    /// The bounds on their errors, times the determinant.
    errors: [Q; 3],
    minus_det: Q,
}

impl<Q: F64x4> Quotients<Q> {
    #[inline(always)]
    fn new(isa: Q::Isa, [origin, dir]: [[Q; 3]; 2], [a, b, c]: [[Q; 3]; 3]) -> Self {
        let (e1, e2, s) = (sub(b, a), sub(c, a), sub(origin, a));
        let (normal, moment) = (cross(e1, e2), cross(s, dir));
        let e = max_abs(e1).max(max_abs(e2));
        let (Four(weight), Four(t)) = errors(Four(e), Four(max_abs(s)), Four(max_abs(dir)));
        let minus_det = dot(dir, normal);
        let inverse = Q::new(isa, [1.0; 4]).div(minus_det);
        let minus = Q::new(isa, [0.0; 4]).sub(inverse);
        Self {
            over: [dot(s, normal), dot(e2, moment), dot(e1, moment)],
            inverse: [minus, minus, inverse],
            errors: [t, weight, weight],
            minus_det,
        }
    }
}

/// From here on a number is rounded to an infinite `f32`.
const INFINITE_FROM: f64 = (((1u128 << 25) - 1) << 103) as f64;

/// The exact hits of rays, from the rows of their origins and directions and of the corners of
/// their triangles. As [`exact_hit`], with the bounds of Lemma 25.
#[inline(always)]
pub(crate) fn exact_hit_x8<I: Isa>(
    isa: I,
    rays: [[&X8<f32>; 3]; 2],
    corners: [[&X8<f32>; 3]; 3],
) -> HitPointX8 {
    let mut hit_point = HitPointX8::zeroed();
    for first in [0, RAYS_AT_ONCE / 2] {
        let four = |row: &X8<f32>| {
            I::F64x4::from_f32(isa, [row[first], row[first + 1], row[first + 2], row[first + 3]])
        };
        let points = |rows: [&X8<f32>; 3]| rows.each(four);
        let Quotients { over, inverse, errors, minus_det } =
            Quotients::new(isa, rays.each(points), corners.each(points));
        let ends = [0, 1, 2].each(|k: usize| {
            let error = errors[k].mul(inverse[k]);
            [over[k].mul_sub(inverse[k], error), over[k].mul_add(inverse[k], error)]
        });
        let [(t, same_t), (u, same_u), (v, same_v)] =
            ends.each(|[one, other]: [_; 2]| I::F64x4::rounded(one, other));
        let is_finite = ends[0][0].abs().less(I::F64x4::new(isa, [INFINITE_FROM; 4]));
        let front = minus_det.less(I::F64x4::new(isa, [0.0; 4]));
        hit_point.exact |= (same_t & same_u & same_v & is_finite) << first;
        for i in 0..RAYS_AT_ONCE / 2 {
            let lane = first + i;
            (hit_point.t[lane], hit_point.u[lane], hit_point.v[lane]) = (t[i], u[i], v[i]);
            hit_point.back[lane] = front >> i & 1 == 0;
        }
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
    pub(crate) fn exact_hit<I: Isa>(&self, isa: I) -> HitPointX8 {
        let rays = [self.origin.refs(), self.dir.refs()];
        exact_hit_x8(isa, rays, self.vertices.refs().each(|rows| rows.refs()))
    }

    /// The triangle of one ray.
    #[inline(always)]
    pub(crate) fn corners(&self, lane: usize) -> Corners {
        let vertices = self.vertices.refs();
        vertices.each(|rows| point(rows.refs(), lane % RAYS_AT_ONCE))
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
    /// A bit for each ray whose numbers above are exact: right to the last bit.
    pub(crate) exact: u32,
}

impl HitPointX8 {
    /// The hit of a ray whose numbers are exact.
    #[inline(always)]
    pub(crate) fn plain(&self, lane: usize) -> HitPoint {
        let lane = lane % RAYS_AT_ONCE;
        HitPoint { t: self.t[lane], u: self.u[lane], v: self.v[lane], front: !self.back[lane] }
    }

    /// The hit of any ray, by the exact test if need be.
    #[inline(always)]
    pub(crate) fn one(
        &self,
        lane: usize,
        ray: &Ray,
        corners: &impl Fn() -> Corners,
    ) -> Option<HitPoint> {
        if self.exact >> (lane % RAYS_AT_ONCE) & 1 == 0 {
            return exactly_of(ray, corners);
        }
        Some(self.plain(lane))
    }
}

#[inline(always)]
fn point(rows: [&X8<f32>; 3], i: usize) -> [f32; 3] {
    [rows[0][i], rows[1][i], rows[2][i]]
}

#[inline(always)]
fn sub<Q: F64x4>(a: [Q; 3], b: [Q; 3]) -> [Q; 3] {
    [a[0].sub(b[0]), a[1].sub(b[1]), a[2].sub(b[2])]
}

#[inline(always)]
fn dot<Q: F64x4>(a: [Q; 3], b: [Q; 3]) -> Q {
    a[2].mul_add(b[2], a[1].mul_add(b[1], a[0].mul(b[0])))
}

#[inline(always)]
fn cross<Q: F64x4>(a: [Q; 3], b: [Q; 3]) -> [Q; 3] {
    [[1, 2], [2, 0], [0, 1]].each(|[i, j]: [usize; 2]| a[i].mul_sub(b[j], a[j].mul(b[i])))
}

#[inline(always)]
fn max_abs<Q: F64x4>(a: [Q; 3]) -> Q {
    a[0].abs().max(a[1].abs().max(a[2].abs()))
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
                let hit_point = abreast.exact_hit(isa);
                for (i, (ray, corners, expected)) in eight.iter().enumerate() {
                    let one = exact_hit::<I::F64x4>(isa, ray, &|| *corners);
                    for one in [one, hit_point.one(i, ray, &|| *corners)] {
                        let bits = one.map(|one| [one.t, one.u, one.v].map(f32::to_bits));
                        assert_eq!(bits, Some(*expected), "{ray:?} {corners:?}");
                    }
                    plain += (hit_point.exact >> i & 1) as usize;
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
