//! Eight triangles at once: which of them may the ray hit?
//!
//! The answer only has to be *no fewer* than the truth. Whoever remains is decided by
//! [`meet`](crate::geometry::meet), the reference itself, so kernels cannot differ.
//!
//! # The bound
//!
//! The vertices are moved so that the ray starts at the origin and sheared so that it runs
//! along the third axis (Woop, Benthin and Wald 2013). With `e = 2^-24` and `r` the greatest
//! distance of a vertex on any axis, a sheared coordinate is off by at most `7 e r`, less than
//! `delta = 8 e r`. With `m` the largest of the six, an edge function is then off by at most
//! `4 delta m + 2 delta^2` from its factors and `4 e m^2 <= delta m` from its own roundings,
//! less than `tolerance = 6 delta m + 3 delta^2`. A ray that hits has all three true values
//! `>= 0` or all `<= 0`, so all three computed ones `>= -tolerance` or all `<= tolerance`.
//!
//! The depth of a hit is a mean of the vertices' depths, weighted with the edge functions.
//! Multiplied by their sum, it is off by at most three tolerances times the range of the
//! depths, `10 e r` times the sum, and terms of higher order, all of which the test below
//! allows for. The sum itself is off by less than four tolerances: where it is no larger than
//! eight, its sign means nothing and the depth is not looked at.

use super::prepare::{Prepared, larger, lesser};
use crate::bvh::{LANES, LeafBlock};
use crate::simd::Vector;

/// A bit for each triangle of the block that the ray may hit at `t_min <= t <= t_max`. Never
/// a bit of an unused lane: comparisons with its NaNs are false.
///
/// # Safety
/// As for [`Vector`].
#[inline(always)]
pub(crate) unsafe fn candidates<V: Vector>(ray: &Prepared, block: &LeafBlock, t_max: f32) -> u32 {
    let mut mask = 0;
    let z_max = larger(lesser(t_max * ray.z_size, ray.z_clamp), -ray.z_clamp) + 2.0 * ray.delta;
    let mut first = 0;
    while first < LANES {
        // SAFETY: the caller vouches for the CPU, and each row has `LANES` numbers, a whole
        // number of vectors.
        mask |= unsafe { some::<V>(ray, block, first, z_max) } << first;
        first += V::LANES;
    }
    mask
}

/// The triangles from lane `first` on, one vector of them.
///
/// # Safety
/// As for [`Vector`], and `first + V::LANES <= LANES`.
#[inline(always)]
unsafe fn some<V: Vector>(ray: &Prepared, block: &LeafBlock, first: usize, z_max: f32) -> u32 {
    // SAFETY: the caller vouches for the CPU and for `first`; the axes are 0, 1 and 2.
    unsafe {
        let shear = [V::splat(ray.shear[0]), V::splat(ray.shear[1])];
        let origin = [
            V::splat(ray.origin[0]),
            V::splat(ray.origin[1]),
            V::splat(ray.origin[2]),
        ];
        let corner = |which: usize| {
            let row = |k: usize| {
                let row = block
                    .vertex
                    .get_unchecked(which)
                    .get_unchecked(ray.axis[k] as usize);
                V::load(row.as_ptr().add(first)).sub(origin[k])
            };
            let z = row(2);
            (
                z.mul_sub_from(shear[0], row(0)),
                z.mul_sub_from(shear[1], row(1)),
                z,
            )
        };
        let (ax, ay, az) = corner(0);
        let (bx, by, bz) = corner(1);
        let (cx, cy, cz) = corner(2);

        let u = cy.mul_sub_from(bx, cx.mul(by));
        let v = ay.mul_sub_from(cx, ax.mul(cy));
        let w = by.mul_sub_from(ax, bx.mul(ay));

        let m = ax
            .abs()
            .max(ay.abs())
            .max(bx.abs().max(by.abs()))
            .max(cx.abs().max(cy.abs()));
        let delta = V::splat(ray.delta);
        let tolerance = m
            .mul_add(V::splat(6.0), delta.mul(V::splat(3.0)))
            .mul(delta);
        let zero = V::splat(0.0);
        let inside = zero.sub(tolerance).le(u.min(v).min(w)) | u.max(v).max(w).le(tolerance);
        if inside == 0 {
            return 0;
        }

        let det = u.add(v).add(w);
        let size = det.abs();
        let depth = cz.mul_add(w, bz.mul_add(v, az.mul(u)));
        let depth = depth.flip_sign(det).mul(V::splat(ray.z_sign));
        let range = az.max(bz).max(cz).sub(az.min(bz).min(cz));
        let slack = range
            .mul_add(V::splat(4.0), delta.mul(V::splat(12.0)))
            .mul(tolerance);
        let not_past = depth.le(size.mul_add(V::splat(z_max), slack));
        let not_before = size.mul_add(V::splat(ray.z_min), zero.sub(slack)).le(depth);
        let edge_on = size.le(tolerance.mul(V::splat(8.0)));
        inside & (edge_on | (not_past & not_before))
    }
}
