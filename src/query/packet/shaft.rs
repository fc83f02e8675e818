//! Which triangles some ray of a packet may pass through (in place of ray by ray, as in Reshetov 2007).
//!
//! # The bound
//!
//! The vertices are moved and sheared as in [`leaf`](crate::query::leaf), for one ray in the middle. A ray
//! whose origin is off by `o`, moved and sheared too, and whose direction is `(x, y, 1)` where the middle
//! one's is `(0, 0, 1)`, has the edge function of `b` and `c`
//!
//! ```text
//! (c - o) x (b - o) . (x, y, 1)  =  c x b . (x, y, 1)  +  o . (c - b) x (x, y, 1)
//! ```
//!
//! Its first part at `(0, 0, 1)` is that of the middle ray; all else is no larger than the sizes of the
//! factors make it. A ray that hits has all three functions `>= 0` or all `<= 0`.
//!
//! With `delta` the bound on the error of a sheared coordinate, and `far` on their sizes, all of them,
//! the components of `c x b` are off by at most `5 delta far + 2 delta^2`, those of `c - b` by `3 delta`,
//! and the middle ray's functions by their own tolerance. What is left of the reserve is for the sums.

use super::lanes::Span;
use crate::bvh::{LANES, LeafBlock};
use crate::query::leaf::{Sheared, corners};
use crate::query::prepare::EPSILON;
use crate::simd::Vector;

/// All rays of a packet, by the one in the middle and how far the others are off. Axes are in the order
/// of the rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shaft {
    origin: [f32; 3],
    shear: [f32; 2],
    /// How far off other directions are, and all in all.
    spread: [f32; 2],
    spreads: f32,
    /// How much an edge's extents change its function as the origin moves, and all in all.
    slide: [f32; 3],
    slides: f32,
    /// What the bound on the error of a sheared coordinate is at least.
    delta: f32,
}

impl Shaft {
    pub(super) const ROOM: Self = Self {
        origin: [0.0; 3],
        shear: [0.0; 2],
        spread: [0.0; 2],
        spreads: 0.0,
        slide: [0.0; 3],
        slides: 0.0,
        delta: 0.0,
    };

    #[inline(always)]
    pub(super) fn new(origins: [Span; 3], shears: [Span; 2], delta: f32) -> Self {
        // More than all roundings that go into a constant below, and into the sums later on.
        let more = 1.0 + 64.0 * EPSILON;
        let [(x, from_x), (y, from_y), (z, from_z)] = origins.map(Span::middle);
        let [(shear_x, x_off), (shear_y, y_off)] = shears.map(Span::middle);
        // Shears are rounded twice and no larger than 1.
        let (x_off, y_off) = (x_off * more + 8.0 * EPSILON, y_off * more + 8.0 * EPSILON);
        let from_x = (from_x + from_z * shear_x.abs()) * more;
        let from_y = (from_y + from_z * shear_y.abs()) * more;
        let slide = [
            (from_y + from_z * y_off) * more,
            (from_x + from_z * x_off) * more,
            (from_x * y_off + from_y * x_off) * more,
        ];
        Self {
            origin: [x, y, z],
            shear: [shear_x, shear_y],
            spread: [x_off, y_off],
            spreads: x_off + y_off,
            slide,
            slides: slide[0] + slide[1] + slide[2],
            delta,
        }
    }

    /// A bit for each triangle that some ray may pass through, at whatever `t`.
    ///
    /// # Safety
    /// As for [`Vector`]; the rows are a filled packet's.
    #[inline(always)]
    pub(super) unsafe fn meet_triangles<V: Vector>(
        &self,
        row: &[u32; 4],
        block: &LeafBlock,
    ) -> u32 {
        let mut mask = 0;
        let mut first = 0;
        while first < LANES {
            // SAFETY: the caller vouches for the CPU and the rows; each row has `LANES` numbers, a whole
            // number of vectors.
            unsafe {
                let splat = |x: f32| V::splat(x);
                let [x, y, z] = self.origin;
                let (origin, shear) = (
                    [splat(x), splat(y), splat(z)],
                    [splat(self.shear[0]), splat(self.shear[1])],
                );
                let load = |which: usize, k: usize| {
                    let rows = block.vertex[which].as_flattened().as_ptr();
                    V::load(rows.add(row[k] as usize + first))
                };
                let sheared = Sheared::of(&origin, &shear, splat(self.delta), corners(load));
                let Sheared { m, delta, .. } = sheared;
                let far = m.add(sheared.depth);
                let [a, b, c] = sheared.vertices;
                let more = delta.mul_add(splat(3.0), far.mul(splat(6.0)));
                let slack = m.mul_add(
                    splat(8.0),
                    delta.mul_add(splat(4.0), splat(4.0 * self.slides)),
                );
                let slack = more.mul_add(splat(self.spreads), slack).mul(delta);
                let (u, v, w) = (
                    self.edge(c, b, slack),
                    self.edge(a, c, slack),
                    self.edge(b, a, slack),
                );
                let most = u.0.min(v.0).min(w.0);
                let least = u.1.max(v.1).max(w.1);
                let zero = splat(0.0);
                mask |= (zero.le(most) | least.le(zero)) << first;
            }
            first += V::LANES;
        }
        mask
    }

    /// The greatest and the least that the function of an edge may be for some ray.
    ///
    /// # Safety
    /// As for [`Vector`].
    #[inline(always)]
    unsafe fn edge<V: Vector>(&self, c: [V; 3], b: [V; 3], slack: V) -> (V, V) {
        // SAFETY: the caller vouches for the CPU.
        unsafe {
            let x = c[2].mul_sub_from(b[1], c[1].mul(b[2]));
            let y = c[0].mul_sub_from(b[2], c[2].mul(b[0]));
            let z = c[1].mul_sub_from(b[0], c[0].mul(b[1]));
            let off = x.abs().mul_add(V::splat(self.spread[0]), slack);
            let off = y.abs().mul_add(V::splat(self.spread[1]), off);
            let off = c[0].sub(b[0]).abs().mul_add(V::splat(self.slide[0]), off);
            let off = c[1].sub(b[1]).abs().mul_add(V::splat(self.slide[1]), off);
            let off = c[2].sub(b[2]).abs().mul_add(V::splat(self.slide[2]), off);
            (z.add(off), z.sub(off))
        }
    }
}
