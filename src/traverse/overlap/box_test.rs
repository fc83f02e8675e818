//! A box against the eight triangles of a leaf block.

#[cfg(test)]
mod bounds;

use crate::array::Each;
use crate::bvh::{LANES, LeafBlock};
use crate::simd::Vector;
use crate::traverse::near::TINY;
use crate::traverse::ray::setup::EPSILON;
use crate::traverse::vectors::{cross, dot, size, sub};

/// A box, set up for the test.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoxTest {
    scale: f32,
    /// The negative of the least corner, and half the size, both scaled.
    minus_min: [f32; 3],
    half: [f32; 3],
}

impl BoxTest {
    /// For a box that is not empty, within bounds that `scale`, a power of two, makes about 1.
    pub(super) fn new(scale: f32, [min, max]: &[[f32; 3]; 2]) -> Self {
        let half = [0, 1, 2].each(|k| (max[k] * scale - min[k] * scale) * 0.5);
        Self { scale, minus_min: min.each(|x| -x * scale), half }
    }

    /// Triangles that may touch the box, and among them those that certainly do. In both, only
    /// those whose own boxes touch the box, which the caller knows, have a meaning.
    ///
    /// These are the thirteen axes of Akenine-Möller ("Fast 3D Triangle-Box Overlap Testing",
    /// 2001) but for the three of the box. Coordinates are relative to the middle of the box.
    ///
    /// **Lemma 84 (separating axes).** Let `e = 2^-24`, and `far` the largest coordinate of a
    /// vertex or of half the box. A coordinate of a vertex is off by `4 e far`: the difference from
    /// the corner is at most `2 far` and rounded, half the size is rounded, and so is the result.
    /// The sides of the triangle are differences of the vertices themselves, and rounded once.
    ///
    /// On the axis of an edge and a side, let `u` be the larger of the side's two coordinates that
    /// count. A projection is a sum of two products, off by `14 e u far`, the box's radius by
    /// `8 e u far`, and their difference, which is rounded, by `26 e u far`. On the axis of the
    /// normal, let `u` and `v` be the sizes of the two sides that it is made of. A coordinate of
    /// the normal is off by `8 e u v`, the height of a vertex by `66 e u v far`, the box's radius
    /// by `48 e u v far`, and their difference by `126 e u v far`.
    ///
    /// The constants have room for terms of higher order. A fused product and sum leaves roundings
    /// out. Underflow is covered by `TINY`: coordinates are about 1. Where the ends of a side have
    /// the same two coordinates, the axis is zero: it separates nothing, without a doubt. That is
    /// common in buildings.
    #[inline(always)]
    pub(super) fn touches<V: Vector>(&self, isa: V::Isa, block: &LeafBlock) -> (u32, u32) {
        let lanes = (1u32 << V::LANES) - 1;
        let (mut possible, mut certain) = (0, 0);
        let mut first = 0;
        while first < LANES {
            let (mut apart, mut unclear) = (0, 0);
            let gaps = self.gaps::<V>(isa, block, first);
            for i in 0..gaps.len() {
                let Gap { gap, doubt } = gaps[i];
                apart |= !gap.le(doubt);
                unclear |= !gap.le(doubt.negative());
            }
            possible |= (!apart & lanes) << first;
            certain |= (!(apart | unclear) & lanes) << first;
            first += V::LANES;
        }
        (possible, certain)
    }

    /// On each axis, for the triangles from lane `first` on.
    #[inline(always)]
    fn gaps<V: Vector>(&self, isa: V::Isa, block: &LeafBlock, first: usize) -> [Gap<V>; 10] {
        let half = self.half.each(|x| V::splat(isa, x));
        let vertices = [
            self.vertex::<V>(isa, block, 0, first),
            self.vertex::<V>(isa, block, 1, first),
            self.vertex::<V>(isa, block, 2, first),
        ];
        let a = self.seen_from_middle(vertices[0], half);
        let b = self.seen_from_middle(vertices[1], half);
        let c = self.seen_from_middle(vertices[2], half);
        let far = size(a).max(size(b)).max(size(c)).max(size(half));
        let ab = sub(vertices[1], vertices[0]);
        let bc = sub(vertices[2], vertices[1]);
        let ca = sub(vertices[0], vertices[2]);
        let ab_tiny = Self::underflow::<V>(isa, block, [0, 1], first);
        let bc_tiny = Self::underflow::<V>(isa, block, [1, 2], first);
        let ca_tiny = Self::underflow::<V>(isa, block, [2, 0], first);
        let [ab_x, ab_y, ab_z] = on_side(ab, ab_tiny, a, c, half, far);
        let [bc_x, bc_y, bc_z] = on_side(bc, bc_tiny, b, a, half, far);
        let [ca_x, ca_y, ca_z] = on_side(ca, ca_tiny, c, b, half, far);

        let normal = cross(ab, ca);
        let [x, y, z] = normal;
        let radius = dot([x.abs(), y.abs(), z.abs()], half);
        let doubt = size(ab).mul(size(ca)).mul(far).mul(V::splat(isa, 160.0 * EPSILON));
        let plane =
            Gap { gap: dot(normal, a).abs().sub(radius), doubt: doubt.add(V::splat(isa, TINY)) };
        [ab_x, ab_y, ab_z, bc_x, bc_y, bc_z, ca_x, ca_y, ca_z, plane]
    }

    /// What underflow may hide of a side: nothing where its ends, as they are, have the same
    /// coordinate.
    #[inline(always)]
    fn underflow<V: Vector>(
        isa: V::Isa,
        block: &LeafBlock,
        ends: [usize; 2],
        first: usize,
    ) -> [V; 3] {
        let [from, to] = ends.each(|end| &block.vertex[end]);
        let load = |row: &[f32; LANES]| V::load_at(isa, row, first);
        let (huge, tiny) = (V::splat(isa, f32::MAX), V::splat(isa, TINY));
        [
            load(&to[0]).sub(load(&from[0])).abs().mul(huge).min(tiny),
            load(&to[1]).sub(load(&from[1])).abs().mul(huge).min(tiny),
            load(&to[2]).sub(load(&from[2])).abs().mul(huge).min(tiny),
        ]
    }

    /// A scaled vertex of each triangle.
    #[inline(always)]
    fn vertex<V: Vector>(
        &self,
        isa: V::Isa,
        block: &LeafBlock,
        which: usize,
        first: usize,
    ) -> [V; 3] {
        let ([x, y, z], scale) = (&block.vertex[which], V::splat(isa, self.scale));
        [
            V::load_at(isa, x, first).mul(scale),
            V::load_at(isa, y, first).mul(scale),
            V::load_at(isa, z, first).mul(scale),
        ]
    }

    /// Relative to the middle of the box.
    #[inline(always)]
    fn seen_from_middle<V: Vector>(&self, vertex: [V; 3], half: [V; 3]) -> [V; 3] {
        let minus_min = self.minus_min.each(|x| V::splat(half[0].isa(), x));
        let [x, y, z] = vertex;
        [
            x.add(minus_min[0]).sub(half[0]),
            y.add(minus_min[1]).sub(half[1]),
            z.add(minus_min[2]).sub(half[2]),
        ]
    }
}

/// How far box and triangles are apart on an axis, negative if they overlap, and a bound on the
/// error.
#[derive(Clone, Copy)]
struct Gap<V> {
    gap: V,
    doubt: V,
}

/// On the axes of a side of the triangle, which begins at `from`, and each edge of the box.
#[inline(always)]
fn on_side<V: Vector>(
    side: [V; 3],
    tiny: [V; 3],
    from: [V; 3],
    opposite: [V; 3],
    half: [V; 3],
    far: V,
) -> [Gap<V>; 3] {
    [
        on_axis::<V, 1, 2>(side, tiny, from, opposite, half, far),
        on_axis::<V, 2, 0>(side, tiny, from, opposite, half, far),
        on_axis::<V, 0, 1>(side, tiny, from, opposite, half, far),
    ]
}

#[inline(always)]
fn on_axis<V: Vector, const I: usize, const J: usize>(
    side: [V; 3],
    tiny: [V; 3],
    from: [V; 3],
    opposite: [V; 3],
    half: [V; 3],
    far: V,
) -> Gap<V> {
    let one = side[J].mul_sub_from(from[I], side[I].mul(from[J]));
    let other = side[J].mul_sub_from(opposite[I], side[I].mul(opposite[J]));
    let radius = side[J].abs().mul_add(half[I], side[I].abs().mul(half[J]));
    let gap = one.min(other).max(one.max(other).negative()).sub(radius);
    let size = side[I].greater_size(side[J]).mul(far);
    let room = V::splat(far.isa(), 40.0 * EPSILON);
    Gap { gap, doubt: size.mul_add(room, tiny[I].max(tiny[J])) }
}
