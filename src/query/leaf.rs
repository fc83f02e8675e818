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
//!
//! Read the other way, the same bounds tell which triangles are *certain* to be hit, and between
//! which `t`. A query that wants the nearest hit need not ask the reference about those before it
//! knows which of them it returns.

use super::prepare::{Prepared, larger, lesser};
use crate::bvh::{LANES, LeafBlock};
use crate::simd::Vector;

/// What is known of a block's triangles before the reference is asked.
pub(crate) struct Glance {
    /// A bit for each triangle that the ray may hit at `t_min <= t <= t_max`. Never a bit of an
    /// unused lane: comparisons with its NaNs are false.
    pub(crate) may: u32,
    /// A bit for each of them that it is certain to hit, and there.
    pub(crate) sure: u32,
    /// Bounds on the `t` of each triangle that is sure to be hit.
    pub(crate) least: [f32; LANES],
    pub(crate) most: [f32; LANES],
}

/// Looks at all triangles of a block.
///
/// # Safety
/// As for [`Vector`]; the ray is from [`prepare`](super::prepare::prepare).
#[inline(always)]
pub(crate) unsafe fn glance<V: Vector>(ray: &Prepared, block: &LeafBlock, t_max: f32) -> Glance {
    let z_max = larger(lesser(t_max * ray.z_size, ray.z_clamp), -ray.z_clamp);
    let mut glance = Glance {
        may: 0,
        sure: 0,
        least: [0.0; LANES],
        most: [0.0; LANES],
    };
    let mut first = 0;
    while first < LANES {
        // SAFETY: the caller vouches for the CPU, and each row has `LANES` numbers, a whole
        // number of vectors.
        unsafe { some::<V>(ray, block, first, z_max, &mut glance) };
        first += V::LANES;
    }
    glance
}

/// The triangles from lane `first` on, one vector of them.
///
/// # Safety
/// As for [`glance`], and `first + V::LANES <= LANES`.
#[inline(always)]
unsafe fn some<V: Vector>(
    ray: &Prepared,
    block: &LeafBlock,
    first: usize,
    z_max: f32,
    glance: &mut Glance,
) {
    // SAFETY: the caller vouches for the CPU and for `first`; a prepared ray's rows are in the block.
    unsafe {
        let shear = [V::splat(ray.shear[0]), V::splat(ray.shear[1])];
        let origin = ray.origin.map(|origin| V::splat(origin));
        let corner = |which: usize| {
            let rows = block.vertex[which].as_flattened().as_ptr().add(first);
            let row = |k: usize| V::load(rows.add(ray.row[k] as usize)).sub(origin[k]);
            let z = row(2);
            let [x, y] = [0, 1].map(|k| z.mul_sub_from(shear[k], row(k)));
            (x, y, z)
        };
        let (ax, ay, az) = corner(0);
        let (bx, by, bz) = corner(1);
        let (cx, cy, cz) = corner(2);

        let u = cy.mul_sub_from(bx, cx.mul(by));
        let v = ay.mul_sub_from(cx, ax.mul(cy));
        let w = by.mul_sub_from(ax, bx.mul(ay));
        let (low, high) = (u.min(v).min(w), u.max(v).max(w));

        let m = ax.abs().later(ay.abs());
        let m = m
            .later(bx.abs().later(by.abs()))
            .later(cx.abs().later(cy.abs()));
        let delta = V::splat(ray.delta);
        let tolerance = m
            .mul_add(V::splat(6.0), delta.mul(V::splat(3.0)))
            .mul(delta);
        let zero = V::splat(0.0);
        let below = zero.sub(tolerance);
        let inside = below.le(low) | high.le(tolerance);
        if inside == 0 {
            return;
        }

        let det = u.add(v).add(w);
        let size = det.abs();
        let depth = cz.mul_add(w, bz.mul_add(v, az.mul(u)));
        let depth = depth.flip_sign(det).mul(V::splat(ray.z_sign));
        let range = az.max(bz).max(cz).sub(az.min(bz).min(cz));
        let slack = range
            .mul_add(V::splat(4.0), delta.mul(V::splat(12.0)))
            .mul(tolerance);
        let (least, most) = (depth.sub(slack), depth.add(slack));

        let pad = 2.0 * ray.delta;
        let at = |z: f32| size.mul(V::splat(z));
        let edge_on = size.le(tolerance.mul(V::splat(8.0)));
        let between = least.le(at(z_max + pad)) & at(ray.z_min - pad).le(most);
        let may = inside & (edge_on | between);
        if may == 0 {
            return;
        }
        let within = tolerance.le(low) | high.le(below);
        let surely_between = most.le(at(z_max - pad)) & at(ray.z_min + pad).le(least);
        glance.may |= may << first;
        glance.sure |= (within & surely_between & !edge_on) << first;

        let scale = V::splat(ray.z_inverse).div(size);
        let pad = V::splat(2.0 * pad * ray.z_inverse);
        least
            .mul(scale)
            .sub(pad)
            .store(glance.least.as_mut_ptr().add(first));
        most.mul(scale)
            .add(pad)
            .store(glance.most.as_mut_ptr().add(first));
    }
}
