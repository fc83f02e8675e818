//! All rays of a packet at once, as one thick ray.

use super::lanes::Span;
use crate::bvh::{LANES, LeafBlock, Node, WIDTH};
use crate::simd::Vector;

/// What the rays of a packet have in common: none of them meets a box that the beam does not.
///
/// With every origin in `from` and every reciprocal of a direction in `inv`, which are of one
/// sign, `(b - origin) * inv` is between products of the ends. The roundings of the difference,
/// the reciprocal, the product and of the hit's own `t` come to less than five times
/// `EPSILON * scale * |inv|` (see [`Prepared`](crate::traverse::ray::setup::Prepared)); `pad` is eight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beam {
    /// Whether the rays run down each axis.
    pub(crate) down: [bool; 3],
    pub(crate) from: [Span; 3],
    pub(crate) inv: [Span; 3],
    pub(crate) pad: [f32; 3],
    /// The least `t` that counts for any ray.
    pub(crate) t_min: f32,
}

impl Beam {
    /// A bit for each child whose box some ray may meet at `t <= t_max`, and where the first may
    /// enter.
    ///
    /// # Safety
    /// As for [`Vector`].
    #[inline(always)]
    pub(crate) unsafe fn meet_children<V: Vector>(
        &self,
        node: &Node,
        t_max: f32,
        enter: &mut [f32; WIDTH],
    ) -> u32 {
        let mut mask = 0;
        let mut first = 0;
        while first < WIDTH {
            // SAFETY: the caller vouches for the CPU; each row has `WIDTH` numbers, a whole number
            // of vectors.
            unsafe {
                let row = |rows: &[f32; WIDTH]| V::load(rows.as_ptr().add(first));
                let min = [row(&node.min[0]), row(&node.min[1]), row(&node.min[2])];
                let max = [row(&node.max[0]), row(&node.max[1]), row(&node.max[2])];
                let (near, met) = self.meet(min, max, V::splat(t_max));
                near.store(enter.as_mut_ptr().add(first));
                mask |= met << first;
            }
            first += V::LANES;
        }
        mask
    }

    /// A bit for each triangle whose box some ray may meet at `t <= t_max`. (Unused lanes may have
    /// theirs.)
    ///
    /// # Safety
    /// As for [`Vector`].
    #[inline(always)]
    pub(crate) unsafe fn meet_triangles<V: Vector>(&self, block: &LeafBlock, t_max: f32) -> u32 {
        let mut mask = 0;
        let mut first = 0;
        while first < LANES {
            // SAFETY: the caller vouches for the CPU; each row has `LANES` numbers, a whole number
            // of vectors.
            unsafe {
                let [a, b, c] = [0, 1, 2].map(|which| &block.vertex[which]);
                let row = |rows: &[[f32; LANES]; 3], k: usize| V::load(rows[k].as_ptr().add(first));
                let min = |k: usize| row(a, k).min(row(b, k)).min(row(c, k));
                let max = |k: usize| row(a, k).max(row(b, k)).max(row(c, k));
                let (min, max) = ([min(0), min(1), min(2)], [max(0), max(1), max(2)]);
                mask |= self.meet(min, max, V::splat(t_max)).1 << first;
            }
            first += V::LANES;
        }
        mask
    }

    /// Where the first ray may enter each box, and a bit for each that one may meet.
    ///
    /// # Safety
    /// As for [`Vector`].
    #[inline(always)]
    unsafe fn meet<V: Vector>(&self, min: [V; 3], max: [V; 3], t_max: V) -> (V, u32) {
        // SAFETY: the caller vouches for the CPU.
        unsafe {
            let [(x, leave_x), (y, leave_y), (z, leave_z)] = [
                self.cross(0, min[0], max[0]),
                self.cross(1, min[1], max[1]),
                self.cross(2, min[2], max[2]),
            ];
            let enter = x.later(y).later(z.later(V::splat(self.t_min)));
            let leave = leave_x.sooner(leave_y).sooner(leave_z.sooner(t_max));
            (enter, enter.no_later(leave))
        }
    }

    /// When the first ray may be between two planes, and the last.
    ///
    /// # Safety
    /// As for [`Vector`].
    #[inline(always)]
    unsafe fn cross<V: Vector>(&self, k: usize, min: V, max: V) -> (V, V) {
        // SAFETY: the caller vouches for the CPU.
        unsafe {
            let from_min = min.sub(V::splat(self.from[k].greatest));
            let from_max = max.sub(V::splat(self.from[k].least));
            let (near, far) =
                if self.down[k] { (from_max, from_min) } else { (from_min, from_max) };
            let (low, high) = (V::splat(self.inv[k].least), V::splat(self.inv[k].greatest));
            let pad = V::splat(self.pad[k]);
            let enter = near.mul(low).min(near.mul(high)).sub(pad);
            let leave = far.mul(low).max(far.mul(high)).add(pad);
            (enter, leave)
        }
    }
}
