//! A box against the eight triangles of a leaf block.

#[cfg(test)]
mod bounds;

use super::point::{EPSILON, TINY, cross, dot, size, sub};
use crate::bvh::{LANES, LeafBlock};
use crate::simd::Vector;

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
        let half = [0, 1, 2].map(|k| (max[k] * scale - min[k] * scale) * 0.5);
        Self { scale, minus_min: min.map(|x| -x * scale), half }
    }

    /// Triangles that may touch the box, and among them those that certainly do. In both, only
    /// those whose own boxes touch the box, which the caller knows, have a meaning.
    ///
    /// These are the thirteen axes of Akenine-Möller ("Fast 3D Triangle-Box Overlap Testing", 2001)
    /// but for the three of the box. Coordinates are relative to the middle of the box.
    ///
    /// **Lemma 84 (separating axes).** Let `e = 2^-24`, and `far` the largest coordinate of a vertex
    /// or of half the box. A coordinate of a vertex is off by `4 e far`: the difference from the
    /// corner is at most `2 far` and rounded, half the size is rounded, and so is the result. The
    /// sides of the triangle are differences of the vertices themselves, and rounded once. Let `u` be
    /// the size of a side. On the axis of an edge and a side, a projection is a sum of two products,
    /// off by `14 e u far`, the box's radius by `8 e u far`, and their difference, which is rounded,
    /// by `26 e u far`. On the axis of the normal, let `u` and `v` be the sizes of the two sides that
    /// it is made of. A coordinate of the normal is off by `8 e u v`, the height of a vertex by
    /// `66 e u v far`, the box's radius by `48 e u v far`, and their difference by `126 e u v far`.
    /// The constants have room for terms of higher order. A fused product and sum leaves roundings
    /// out. Underflow is covered by `TINY`: coordinates are about 1.
    #[inline(always)]
    pub(super) fn touches<V: Vector>(&self, isa: V::Isa, block: &LeafBlock) -> (u32, u32) {
        let lanes = (1u32 << V::LANES) - 1;
        let (mut possible, mut certain) = (0, 0);
        let mut first = 0;
        while first < LANES {
            let (mut apart, mut unclear) = (0, 0);
            self.for_each_axis(isa, block, first, |gap: V, doubt| {
                apart |= !gap.le(doubt);
                unclear |= !gap.le(doubt.negative());
            });
            possible |= (!apart & lanes) << first;
            certain |= (!(apart | unclear) & lanes) << first;
            first += V::LANES;
        }
        (possible, certain)
    }

    /// How far box and triangles are apart on each axis, negative if they overlap, and a bound on
    /// the error.
    #[inline(always)]
    fn for_each_axis<V: Vector>(
        &self,
        isa: V::Isa,
        block: &LeafBlock,
        first: usize,
        mut consider: impl FnMut(V, V),
    ) {
        let splat = |x: f32| V::splat(isa, x);
        let scale = splat(self.scale);
        let half = self.half.map(splat);
        let vertex = |which: usize| {
            [0, 1, 2].map(|k| V::load_at(isa, &block.vertex[which][k], first).mul(scale))
        };
        let from_middle =
            |vertex: [V; 3]| [0, 1, 2].map(|k| vertex[k].add(splat(self.minus_min[k])).sub(half[k]));
        let corners = [vertex(0), vertex(1), vertex(2)];
        let sides = [0, 1, 2].map(|i: usize| sub(corners[(i + 1) % 3], corners[i]));
        let [a, b, c] = corners.map(from_middle);
        let far = size(a).max(size(b)).max(size(c)).max(size(half));

        for (side, from, opposite) in [(sides[0], a, c), (sides[1], b, a), (sides[2], c, b)] {
            let doubt = size(side).mul(far).mul(splat(40.0 * EPSILON)).add(splat(TINY));
            for (i, j) in [(1, 2), (2, 0), (0, 1)] {
                let project = |p: [V; 3]| side[j].mul_sub_from(p[i], side[i].mul(p[j]));
                let (one, other) = (project(from), project(opposite));
                let radius = side[j].abs().mul_add(half[i], side[i].abs().mul(half[j]));
                let outside = one.min(other).max(one.max(other).negative());
                consider(outside.sub(radius), doubt);
            }
        }
        let (one, other) = (sides[0], sub(corners[2], corners[0]));
        let normal = cross(one, other);
        let doubt = size(one).mul(size(other)).mul(far).mul(splat(160.0 * EPSILON));
        let radius = dot(normal.map(|x| x.abs()), half);
        consider(dot(normal, a).abs().sub(radius), doubt.add(splat(TINY)));
    }
}
