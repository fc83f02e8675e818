//! The exact hits of eight rays at once, each with its own triangle.

use super::exact_hit::{HitPoint, errors, exactly};
use crate::geometry::{Corners, Ray, difference, max, max_abs};
use crate::simd::Isa;

/// Rays whose exact hits are computed at once.
pub(crate) const RAYS_AT_ONCE: usize = 8;

/// One value for each of them.
pub(crate) type X8<T> = [T; RAYS_AT_ONCE];

/// The exact hits of rays, from their origins and directions. As
/// [`exact_hit`](super::exact_hit::exact_hit), with the bounds of Lemma 25, in a plain loop that a
/// compiler turns into vectors.
#[inline(always)]
pub(crate) fn exact_hit_x8<I: Isa>(
    origin: [&X8<f32>; 3],
    dir: [&X8<f32>; 3],
    corners: impl Fn(usize) -> Corners,
) -> HitPointX8 {
    let mut hit_point = HitPointX8::ROOM;
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
#[derive(Clone, Copy)]
pub(crate) struct RayTriangleX8 {
    origin: [X8<f32>; 3],
    dir: [X8<f32>; 3],
    vertices: [[X8<f32>; 3]; 3],
}

impl RayTriangleX8 {
    /// Room for rays.
    pub(crate) const ROOM: Self = Self {
        origin: [[0.0; RAYS_AT_ONCE]; 3],
        dir: [[0.0; RAYS_AT_ONCE]; 3],
        vertices: [[[0.0; RAYS_AT_ONCE]; 3]; 3],
    };

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
#[derive(Clone, Copy)]
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
    pub(crate) const ROOM: Self = Self {
        t: [0.0; RAYS_AT_ONCE],
        u: [0.0; RAYS_AT_ONCE],
        v: [0.0; RAYS_AT_ONCE],
        back: [false; RAYS_AT_ONCE],
        exact: [0; RAYS_AT_ONCE],
    };

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
