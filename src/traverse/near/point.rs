//! How far boxes and triangles are from a point.
//!
//! Vectors are spelled out axis by axis: closures with more in them than a load are not inlined
//! into code for an instruction set.
//!
//! Both tests may name too much, never too little. What remains is decided by
//! [`PointDistance`](crate::geometry::PointDistance), so kernels cannot differ.

#[cfg(test)]
mod bounds;

use std::mem::MaybeUninit;

use crate::array::Each;
use crate::bvh::{Facts, LeafBlock, Node, WIDTH};
use crate::geometry::{max_abs, round_down, round_up};
use crate::simd::{Isa, Vector, opaque};
use crate::traverse::place::{LEAST, Place};
use crate::traverse::ray::setup::EPSILON;
use crate::traverse::walk::NodeTest;

/// The number that is added to squares so that underflow loses nothing. Coordinates are scaled to
/// about 1.
pub(crate) const TINY: f32 = 1.0 / (1u128 << 100) as f32;

/// A point, set up for the tests.
///
/// All coordinates are multiplied by a power of two, so that none is larger than 4 and the largest
/// are near 1, if numbers allow it. Then no square overflows, and what underflows is less than the
/// bounds allow. The products are exact, except where they are less than 2^-126.
///
/// In a tree that stands elsewhere, each axis has a factor of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointSetup {
    pub(crate) scale: [f32; 3],
    /// The negative of the scaled point.
    pub(crate) minus: [f32; 3],
    /// The number that is added to distances before boxes are compared with them.
    room: f32,
}

impl PointSetup {
    /// For points near the origin and coordinates up to 1.
    #[cfg(test)]
    pub(crate) const UNIT: Self = Self { scale: [1.0; 3], minus: [0.0; 3], room: 0.0 };

    /// For a finite point.
    pub(crate) fn new(facts: &Facts, point: [f32; 3]) -> Self {
        let scale = scale_to_one(facts, point);
        Self { scale: [scale; 3], minus: point.each(|x| -x * scale), room: 0.0 }
    }

    /// The same point in a tree that stands elsewhere: for nodes only, with the scaled distances of
    /// the world. `facts` are the facts of the tree.
    ///
    /// **Lemma 96 (distances in a placed tree).** Let `w` be a point of a triangle in the world, at
    /// the distance `d` of the point `p`, and `v` its point of the tree. By Lemma 93, `v` is moved
    /// to within `1.76 e S + 2^-149` of `w` (on three axes), and `p` goes through the inverse, as
    /// computed, and back to within `2^-28 S` of itself on each axis: all numbers of the inverse
    /// have nearly the same relative error, which changes `p - c` by as much, and the rest is
    /// amplified to 2^-31. So `v` is moved to within `d + 2 e S + 2^-149` of where the computed
    /// local point is, and by Lemma 95 its coordinates, stretched, are no farther from it.
    /// Stretched coordinates are rounded by `e` times their size, and so are the coordinates of the
    /// point. All of that is `room`.
    pub(crate) fn in_place(&self, place: &Place<'_>, facts: &Facts, point: [f32; 3]) -> Self {
        let (stretch, local) = (place.stretch(), place.transform().point_to_local(point));
        let [unit, epsilon] = [self.scale[0], EPSILON].each(f64::from);
        let size = place.size().max(max_abs(point.each(f64::from)));
        let mut room = (2.0 * epsilon * size + LEAST) * unit + f64::from(TINY);
        let scale = stretch.each(|x| round_down(x * unit));
        let minus = [0, 1, 2].each(|k| (-local[k] * f64::from(scale[k])) as f32);
        for k in 0..3 {
            room += 1.01 * epsilon * f64::from(facts.size[k] * scale[k] + minus[k].abs());
        }
        // An unused lane must stay infinitely far away.
        if scale.iter().any(|&x| x < f32::MIN_POSITIVE) || !room.is_finite() {
            return Self { scale: [f32::MIN_POSITIVE; 3], minus: [0.0; 3], room: f32::MAX };
        }
        Self { scale, minus, room: round_up(room) }
    }

    /// The greatest squared distance, as computed, of a box that matters within `bound`.
    ///
    /// **Lemma 72 (distance of a box).** The squared distance of a box passes seven roundings: one
    /// of a difference, counted twice, one of a product and one of each sum. The limit's own
    /// rounding is the last. So a box that has a point at the scaled distance `bound` or less is
    /// entered at `bound^2 * (1 + 8 * 2^-24)` or less, but for underflow.
    #[inline(always)]
    pub(crate) fn limit_of_boxes(&self, bound: f32) -> f32 {
        let bound = bound + self.room;
        (bound * bound * (1.0 + 16.0 * EPSILON) + TINY).min(f32::MAX)
    }

    /// A scaled distance that is no less than `distance`.
    pub(crate) fn scaled(&self, distance: f64) -> f32 {
        round_up(distance * f64::from(self.scale[0]))
    }
}

/// The power of two that makes the largest coordinate of a tree and a point about 1.
pub(crate) fn scale_to_one(facts: &Facts, point: [f32; 3]) -> f32 {
    let mut largest = 0f32;
    for k in 0..3 {
        largest = largest.max(facts.size[k].abs()).max(point[k].abs());
    }
    // By the exponent: 2 to the power of 127 less it.
    let exponent = (largest.to_bits() >> 23).clamp(1, 253);
    f32::from_bits((254 - exponent) << 23)
}

/// The scaled point in registers.
pub(crate) struct PointTest<V> {
    scale: [V; 3],
    minus: [V; 3],
}

impl<V: Vector> PointTest<V> {
    #[inline(always)]
    pub(crate) fn new(isa: V::Isa, point: &PointSetup) -> Self {
        let ([a, b, c], [x, y, z]) = (point.scale, point.minus);
        let scale = [V::splat(isa, a), V::splat(isa, b), V::splat(isa, c)];
        Self { scale, minus: [V::splat(isa, x), V::splat(isa, y), V::splat(isa, z)] }
    }

    /// How far the point is outside of each box on an axis.
    #[inline(always)]
    fn outside(&self, node: &Node, k: usize, first: usize) -> V {
        let isa = self.scale[k].isa();
        let below = self.scaled(V::load_at(isa, &node.min[k], first), k);
        let above = self.scaled(V::load_at(isa, &node.max[k], first), k).negative();
        below.max(above).max(V::splat(isa, 0.0))
    }

    /// The squared distance of each box of a node, and a bit for each that is not past the limit.
    #[inline(always)]
    pub(crate) fn boxes(
        &self,
        node: &Node,
        limit: f32,
        entry: &mut MaybeUninit<[f32; WIDTH]>,
    ) -> u32 {
        let isa = self.scale[0].isa();
        let mut mask = 0;
        let mut first = 0;
        while first < WIDTH {
            let x = self.outside(node, 0, first);
            let y = self.outside(node, 1, first);
            let z = self.outside(node, 2, first);
            let square = z.mul_add(z, y.mul_add(y, x.mul(x)));
            square.store_at(entry, first);
            mask |= square.le_nonneg(V::splat(isa, limit)) << first;

            first += V::LANES;
        }
        mask
    }

    /// Scaled coordinates on an axis, as seen from the point.
    #[inline(always)]
    fn scaled(&self, coordinates: V, k: usize) -> V {
        coordinates.mul_add(self.scale[k], self.minus[k])
    }

    /// A vertex of each triangle, as seen from the point.
    #[inline(always)]
    pub(crate) fn vertex(&self, block: &LeafBlock, which: usize, first: usize) -> [V; 3] {
        let isa = self.scale[0].isa();
        let [x, y, z] = &block.vertex[which];
        [
            self.scaled(V::load_at(isa, x, first), 0),
            self.scaled(V::load_at(isa, y, first), 1),
            self.scaled(V::load_at(isa, z, first), 2),
        ]
    }
}

// SAFETY: all numbers of `entry` are written, `LANES` at a time. An unused lane has infinite
// planes, so it is infinitely far away, and the limit is finite.
unsafe impl<I: Isa> NodeTest<I> for PointSetup {
    type Loaded<'a> = PointTest<I::Node>;

    #[inline(always)]
    fn load(&self, isa: I) -> PointTest<I::Node> {
        PointTest::new(isa, opaque(self))
    }

    #[inline(always)]
    fn limit(&self, bound: f32) -> f32 {
        self.limit_of_boxes(bound)
    }

    /// The squared distance of each box.
    #[inline(always)]
    fn intersect(
        point: &PointTest<I::Node>,
        node: &Node,
        limit: f32,
        entry: &mut MaybeUninit<[f32; WIDTH]>,
    ) -> u32 {
        point.boxes(node, limit, entry)
    }
}
