//! The interval test: all rays of a packet as one ray whose origin and direction are intervals
//! (Boulos et al. 2006; Wald, Boulos and Shirley 2007). A box that it misses is missed by all rays.
//!
//! # Lemma 40 (padding of the interval test)
//!
//! Let all origins be in `origin`, and all reciprocal direction components in `inv`, which are of
//! one sign. Then `(b - origin) * inv` lies between products of the intervals' ends for every plane
//! `b` and every ray. With `scale >= |b| + |origin|`, the roundings of the difference, the
//! reciprocal, the product and the hit's own `t` come to less than `5 EPSILON scale |inv|`. The
//! test moves each end by `pad = 8 EPSILON scale |inv|`, so it rejects no box that holds a hit. (In
//! a tree of instances `pad` is larger, as Lemma 92 asks.)

use bytemuck::Zeroable;

use super::lanes::Interval;
use crate::bvh::{LANES, LeafBlock, Node, WIDTH};
use crate::simd::Vector;

/// The rays of a packet as one ray of intervals.
#[derive(Clone, Copy, Debug, Zeroable)]
pub(crate) struct IntervalRay {
    /// Whether the directions are negative, by axis.
    pub(crate) negative: [bool; 3],
    pub(crate) origin: [Interval; 3],
    pub(crate) inv: [Interval; 3],
    /// See Lemma 40.
    pub(crate) pad: [f32; 3],
    /// The smallest `t_min` of the rays.
    pub(crate) t_min: f32,
}

impl IntervalRay {
    /// A bit for each child whose box some ray may hit at `t <= t_max`, and the smallest `t` at
    /// which a ray may enter it.
    #[inline(always)]
    pub(crate) fn intersect_children<V: Vector>(
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
            let (near, hit) = self.intersect(min, max, V::splat(isa, t_max));
            near.replace_at(enter, first);
            mask |= hit << first;
            first += V::LANES;
        }
        mask
    }

    /// A bit for each triangle whose box some ray may hit at `t <= t_max`. Unused lanes may have
    /// their bits set.
    #[inline(always)]
    pub(crate) fn intersect_triangles<V: Vector>(
        &self,
        isa: V::Isa,
        block: &LeafBlock,
        t_max: f32,
    ) -> u32 {
        let mut mask = 0;
        let mut first = 0;
        while first < LANES {
            let [a, b, c] = &block.vertex;
            let row = |rows: &[[f32; LANES]; 3], k: usize| V::load_at(isa, &rows[k], first);
            let min = |k: usize| row(a, k).min(row(b, k)).min(row(c, k));
            let max = |k: usize| row(a, k).max(row(b, k)).max(row(c, k));
            let (min, max) = ([min(0), min(1), min(2)], [max(0), max(1), max(2)]);
            mask |= self.intersect(min, max, V::splat(isa, t_max)).1 << first;
            first += V::LANES;
        }
        mask
    }

    /// Where the first ray may enter each box, and a bit for each box that some ray may hit.
    #[inline(always)]
    fn intersect<V: Vector>(&self, min: [V; 3], max: [V; 3], t_max: V) -> (V, u32) {
        let isa = t_max.isa();
        let [(x, leave_x), (y, leave_y), (z, leave_z)] = [
            self.intersect_slab(0, min[0], max[0]),
            self.intersect_slab(1, min[1], max[1]),
            self.intersect_slab(2, min[2], max[2]),
        ];
        let enter = x.max_nonneg(y).max_nonneg(z.max_nonneg(V::splat(isa, self.t_min)));
        let leave = leave_x.min_nonneg(leave_y).min_nonneg(leave_z.min_nonneg(t_max));
        (enter, enter.le_nonneg(leave))
    }

    /// The smallest and the largest `t` at which a ray may be between two planes.
    #[inline(always)]
    fn intersect_slab<V: Vector>(&self, k: usize, min: V, max: V) -> (V, V) {
        let isa = min.isa();
        let from_min = min.sub(V::splat(isa, self.origin[k].max));
        let from_max = max.sub(V::splat(isa, self.origin[k].min));
        let (near, far) =
            if self.negative[k] { (from_max, from_min) } else { (from_min, from_max) };
        let (low, high) = (V::splat(isa, self.inv[k].min), V::splat(isa, self.inv[k].max));
        let pad = V::splat(isa, self.pad[k]);
        let enter = near.mul(low).min(near.mul(high)).sub(pad);
        let leave = far.mul(low).max(far.mul(high)).add(pad);
        (enter, leave)
    }
}
