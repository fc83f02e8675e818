//! All rays of a packet at once, as one thick ray.

use super::lanes::Span;
use crate::bvh::{LANES, LeafBlock, Node, WIDTH};
use crate::simd::Vector;

/// What the rays of a packet have in common: none of them meets a box that the beam does not.
///
/// With every origin in `from` and every reciprocal of a direction in `inv`, which are of one
/// sign, `(b - origin) * inv` is between products of the ends. The roundings of the difference,
/// the reciprocal, the product and of the hit's own `t` come to less than five times
/// `EPSILON * scale * |inv|` (see [`RaySetup`](crate::traverse::ray::setup::RaySetup)); `pad` is eight.
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
    #[inline(always)]
    pub(crate) fn meet_children<V: Vector>(
        &self,
        isa: V::Isa,
        node: &Node,
        t_max: f32,
        enter: &mut [f32; WIDTH],
    ) -> u32 {
        let mut mask = 0;
        let mut first = 0;
        while first < WIDTH {
            let row = |rows: &[f32; WIDTH]| V::load_at(isa, rows, first);
            let min = [row(&node.min[0]), row(&node.min[1]), row(&node.min[2])];
            let max = [row(&node.max[0]), row(&node.max[1]), row(&node.max[2])];
            let (near, met) = self.meet(min, max, V::splat(isa, t_max));
            near.replace_at(enter, first);
            mask |= met << first;

            first += V::LANES;
        }
        mask
    }

    /// A bit for each triangle whose box some ray may meet at `t <= t_max`. (Unused lanes may have
    /// theirs.)
    #[inline(always)]
    pub(crate) fn meet_triangles<V: Vector>(
        &self,
        isa: V::Isa,
        block: &LeafBlock,
        t_max: f32,
    ) -> u32 {
        let mut mask = 0;
        let mut first = 0;
        while first < LANES {
            let [a, b, c] = [0, 1, 2].map(|which| &block.vertex[which]);
            let row = |rows: &[[f32; LANES]; 3], k: usize| V::load_at(isa, &rows[k], first);
            let min = |k: usize| row(a, k).min(row(b, k)).min(row(c, k));
            let max = |k: usize| row(a, k).max(row(b, k)).max(row(c, k));
            let (min, max) = ([min(0), min(1), min(2)], [max(0), max(1), max(2)]);
            mask |= self.meet(min, max, V::splat(isa, t_max)).1 << first;

            first += V::LANES;
        }
        mask
    }

    /// Where the first ray may enter each box, and a bit for each that one may meet.
    #[inline(always)]
    fn meet<V: Vector>(&self, min: [V; 3], max: [V; 3], t_max: V) -> (V, u32) {
        let isa = t_max.isa();
        let [(x, leave_x), (y, leave_y), (z, leave_z)] = [
            self.cross(0, min[0], max[0]),
            self.cross(1, min[1], max[1]),
            self.cross(2, min[2], max[2]),
        ];
        let enter = x.max_nonneg(y).max_nonneg(z.max_nonneg(V::splat(isa, self.t_min)));
        let leave = leave_x.min_nonneg(leave_y).min_nonneg(leave_z.min_nonneg(t_max));
        (enter, enter.le_nonneg(leave))
    }

    /// When the first ray may be between two planes, and the last.
    #[inline(always)]
    fn cross<V: Vector>(&self, k: usize, min: V, max: V) -> (V, V) {
        let isa = min.isa();
        let from_min = min.sub(V::splat(isa, self.from[k].greatest));
        let from_max = max.sub(V::splat(isa, self.from[k].least));
        let (near, far) = if self.down[k] { (from_max, from_min) } else { (from_min, from_max) };
        let (low, high) = (V::splat(isa, self.inv[k].least), V::splat(isa, self.inv[k].greatest));
        let pad = V::splat(isa, self.pad[k]);
        let enter = near.mul(low).min(near.mul(high)).sub(pad);
        let leave = far.mul(low).max(far.mul(high)).add(pad);
        (enter, leave)
    }
}
