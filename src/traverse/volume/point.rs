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

use crate::bvh::{Facts, LANES, LeafBlock, Node, WIDTH};
use crate::geometry::{max_abs, round_down, round_up};
use crate::simd::{Isa, Vector, opaque};
use crate::traverse::descent::{least_lane, least_of};
use crate::traverse::place::Place;
use crate::traverse::ray::setup::EPSILON;
use crate::traverse::walk::NodeTest;

/// What is added to squares so that underflow loses nothing. Coordinates are scaled to about 1.
pub(super) const TINY: f32 = 1.0 / (1u128 << 100) as f32;

/// A point, set up for the tests.
///
/// All coordinates are multiplied by a power of two, so that none is larger than 4 and the largest
/// are near 1, if numbers allow it. Then no square overflows, and what underflows is less than the
/// bounds allow. The products are exact, except where they are less than 2^-126.
///
/// In a tree that stands elsewhere, each axis has a factor of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointSetup {
    scale: [f32; 3],
    /// The negative of the scaled point.
    minus: [f32; 3],
    /// What is added to distances before boxes are compared with them.
    room: f32,
}

impl PointSetup {
    /// For a finite point.
    pub(crate) fn new(facts: &Facts, point: [f32; 3]) -> Self {
        let scale = scale_to_one(facts, point);
        Self { scale: [scale; 3], minus: point.map(|x| -x * scale), room: 0.0 }
    }

    /// The same point in a tree that stands elsewhere: for nodes only, with the scaled distances of
    /// the world. `facts` are those of the tree.
    ///
    /// **Lemma 96 (distances in a placed tree).** Let `w` be a point of a triangle in the world, at
    /// the distance `d` of the point `p`, and `v` its point of the tree. By Lemma 93, `v` is moved
    /// to within `1.76 e S` of `w` (on three axes), and `p` goes through the inverse, as computed,
    /// and back to within `2^-28 S` of itself on each axis: all numbers of the inverse have nearly
    /// the same relative error, which changes `p - c` by as much, and the rest is amplified to
    /// 2^-31. So `v` is moved to within `d + 2 e S` of where the computed local point is, and by
    /// Lemma 95 its coordinates, stretched, are no farther from it. Stretched coordinates are
    /// rounded by `e` times their size, those of the point too. All of that is `room`.
    pub(crate) fn in_place(&self, place: &Place<'_>, facts: &Facts, point: [f32; 3]) -> Self {
        let (stretch, local) = (place.stretch(), place.transform().point_to_local(point));
        let [unit, epsilon] = [self.scale[0], EPSILON].map(f64::from);
        let size = place.size().max(max_abs(point.map(f64::from)));
        let mut room = 2.0 * epsilon * size * unit + f64::from(TINY);
        let scale = stretch.map(|x| round_down(x * unit));
        let minus = [0, 1, 2].map(|k| (-local[k] * f64::from(scale[k])) as f32);
        for k in 0..3 {
            room += 1.01 * epsilon * f64::from(facts.size[k] * scale[k] + minus[k].abs());
        }
        // An unused lane must stay infinitely far away.
        if scale.iter().any(|&x| x < f32::MIN_POSITIVE) || !room.is_finite() {
            return Self { scale: [f32::MIN_POSITIVE; 3], minus: [0.0; 3], room: f32::MAX };
        }
        Self { scale, minus, room: round_up(room) }
    }

    /// A scaled distance that is no less than `distance`.
    pub(crate) fn scaled(&self, distance: f64) -> f32 {
        round_up(distance * f64::from(self.scale[0]))
    }
}

/// The power of two that makes the largest coordinate of a tree and a point about 1.
pub(super) fn scale_to_one(facts: &Facts, point: [f32; 3]) -> f32 {
    let [x, y, z, _] = facts.size;
    let largest = [x, y, z].iter().chain(&point).fold(0f32, |largest, x| largest.max(x.abs()));
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
    fn new(isa: V::Isa, point: &PointSetup) -> Self {
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

    /// Scaled coordinates on an axis, as seen from the point.
    #[inline(always)]
    fn scaled(&self, coordinates: V, k: usize) -> V {
        coordinates.mul_add(self.scale[k], self.minus[k])
    }

    /// A vertex of each triangle, as seen from the point.
    #[inline(always)]
    fn vertex(&self, block: &LeafBlock, which: usize, first: usize) -> [V; 3] {
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

    /// **Lemma 72 (distance of a box).** The squared distance of a box passes seven roundings: one
    /// of a difference, counted twice, one of a product and one of each sum. The limit's own
    /// rounding is the last. So a box that has a point at the scaled distance `bound` or less is
    /// entered at `bound^2 * (1 + 8 * 2^-24)` or less, but for underflow.
    #[inline(always)]
    fn limit(&self, bound: f32) -> f32 {
        let bound = bound + self.room;
        (bound * bound * (1.0 + 16.0 * EPSILON) + TINY).min(f32::MAX)
    }

    /// The squared distance of each box.
    #[inline(always)]
    fn intersect(
        point: &PointTest<I::Node>,
        node: &Node,
        limit: f32,
        entry: &mut MaybeUninit<[f32; WIDTH]>,
    ) -> u32 {
        let isa = point.scale[0].isa();
        let mut mask = 0;
        let mut first = 0;
        while first < WIDTH {
            let x = point.outside(node, 0, first);
            let y = point.outside(node, 1, first);
            let z = point.outside(node, 2, first);
            let square = z.mul_add(z, y.mul_add(y, x.mul(x)));
            square.store_at(entry, first);
            mask |= square.le_nonneg(I::Node::splat(isa, limit)) << first;

            first += I::Node::LANES;
        }
        mask
    }
}

/// What is known of a block's triangles without their exact distances.
#[repr(C, align(32))]
pub(super) struct Distances {
    /// The square of a scaled distance, which is too large by `error` at most. NaN in unused lanes.
    least: [f32; LANES],
    /// The same, but too small by `error` at most.
    most: [f32; LANES],
    error: [f32; LANES],
}

/// A triangle whose exact distance is not known yet.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub(super) slot: u32,
    least: f32,
    error: f32,
}

impl Candidate {
    /// Whether it may be at this scaled distance or less.
    #[inline(always)]
    pub(super) fn is_within(&self, bound: f32) -> bool {
        let reach = bound + self.error;
        self.least <= reach * reach + TINY
    }
}

impl Distances {
    /// The triangle in a lane, whose place in the tree is `slot`.
    #[inline(always)]
    pub(super) fn candidate(&self, lane: usize, slot: u32) -> Candidate {
        Candidate { slot, least: self.least[lane % LANES], error: self.error[lane % LANES] }
    }

    /// The nearest triangle of those whose bits are set.
    #[inline(always)]
    pub(super) fn nearest(&self, mask: u32) -> usize {
        least_of(&self.most, mask)
    }

    /// An upper bound of the nearest triangle's scaled distance.
    #[inline(always)]
    pub(super) fn most(&self) -> f32 {
        let nearest = least_lane(&self.most);
        let most = self.most[nearest].sqrt() * (1.0 + 2.0 * EPSILON) + self.error[nearest];
        most * (1.0 + 2.0 * EPSILON)
    }
}

/// The error of a distance in roundings of the largest coordinate, as seen from the point (Lemma
/// 73).
const ERROR: f32 = 6.0 * EPSILON;

/// The least square of a normal's length at which products of edges cannot underflow.
const LEAST_NORMAL: f32 = 1.0 / (1u128 << 80) as f32;

/// The distances of a block's triangles, and a bit for each that may be at the scaled distance
/// `bound` or less.
///
/// **Lemma 73 (distance of a triangle).** Let `e = 2^-24`, and `far` the largest coordinate of a
/// vertex as seen from the point. A coordinate is off by `e far`. A point of an edge is computed
/// as a point near the edge, which rounding has moved along it and off it by some roundings of
/// `far`: so the distance of an edge is too large by at most `error`. Whether the point is over the
/// face is decided by the two weights and the third, with bounds on their errors on the safe side.
/// If it may be, the distance of the plane counts, with a bound on its error taken off.
///
/// Where the normal is so short that its square may underflow, the plane does not count. The
/// distance of an edge is then too large by no more than the longest side.
#[inline(always)]
pub(super) fn leaf_distances<V: Vector>(
    isa: V::Isa,
    point: &PointSetup,
    block: &LeafBlock,
    bound: f32,
) -> (Distances, u32) {
    let point = PointTest::<V>::new(isa, point);
    let splat = |x: f32| V::splat(isa, x);
    let mut least = MaybeUninit::uninit();
    let mut most = MaybeUninit::uninit();
    let mut error = MaybeUninit::uninit();
    let mut mask = 0;
    let mut first = 0;
    while first < LANES {
        let a = point.vertex(block, 0, first);
        let b = point.vertex(block, 1, first);
        let c = point.vertex(block, 2, first);
        let far = size(a).max_nonneg(size(b)).max_nonneg(size(c));
        let (ab, ac, bc) = (sub(b, a), sub(c, a), sub(c, b));
        let (ab_size, ac_size) = (size(ab), size(ac));

        // The edges. `along` is from the first vertex.
        let (ab_square, ac_square) = (dot(ab, ab), dot(ac, ac));
        let (ab_along, ac_along) = (dot(a, ab).negative(), dot(a, ac).negative());
        let edge = edge_distance(a, ab, ab_along, ab_square)
            .min(edge_distance(a, ac, ac_along, ac_square))
            .min(edge_distance(b, bc, dot(b, bc).negative(), dot(bc, bc)));

        // The face: weights of the second and third vertex, times the square of the normal.
        let between = dot(ab, ac);
        let weight_b = ac_square.mul(ab_along).sub(between.mul(ac_along));
        let weight_c = ab_square.mul(ac_along).sub(between.mul(ab_along));
        let whole = ab_square.mul(ac_square).sub(between.mul(between));
        let weight_a = whole.sub(weight_b).sub(weight_c);
        let doubt = far.mul(splat(256.0 * EPSILON));
        let doubt_b = doubt.mul(ac_size).mul(ac_size.mul(ab_size));
        let doubt_c = doubt.mul(ab_size).mul(ac_size.mul(ab_size));
        let doubt_a = splat(64.0 * EPSILON).mul(ab_square.mul(ac_square)).add(doubt_b).add(doubt_c);
        let over_face = weight_a.negative().le(doubt_a)
            & weight_b.negative().le(doubt_b)
            & weight_c.negative().le(doubt_c);

        let normal = cross(ab, ac);
        let normal_error = ab_size.mul(ac_size).mul(splat(8.0 * EPSILON));
        let height = dot(normal, a).abs().sub(normal_error.mul(far).mul(splat(6.0)));
        let height = height.max(splat(0.0));
        // (n + error)^2 <= n^2 (1 + 2^-12) + error^2 (1 + 2^12).
        let normal_square = dot(normal, normal);
        let longest = normal_square
            .mul(splat(1.0 + 1.0 / 2048.0))
            .add(normal_error.mul(normal_error).mul(splat(4100.0)));
        let plane = height.mul(height).div(longest.max(splat(f32::MIN_POSITIVE)));

        let short = normal_square.le(splat(LEAST_NORMAL));
        let side = ab_size.add(ac_size);
        let side = side.add(side);
        let off = far.mul(splat(ERROR));
        let off = off.choose(off.add(side), short);
        let distance = edge.choose(edge.min(plane), over_face & !short);
        let reach = splat(bound).add(off);
        mask |= distance.le(reach.mul(reach).add(splat(TINY))) << first;
        distance.store_at(&mut least, first);
        off.store_at(&mut error, first);

        // A point of the face, if the weights are those of one.
        let (part_b, part_c) = (weight_b.div(whole), weight_c.div(whole));
        let zero = splat(0.0);
        let inside = zero.le(part_b) & zero.le(part_c) & part_b.add(part_c).le(splat(1.0));
        let on_face = square_of(a, (ab, part_b), (ac, part_c));
        edge.choose(edge.min(on_face), inside).store_at(&mut most, first);

        first += V::LANES;
    }
    // SAFETY: the loop has written all lanes of each.
    unsafe {
        let (least, most) = (least.assume_init(), most.assume_init());
        (Distances { least, most, error: error.assume_init() }, mask)
    }
}

/// The squared distance from zero to the edge that leads from `from` along `edge`.
#[inline(always)]
fn edge_distance<V: Vector>(from: [V; 3], edge: [V; 3], along: V, square: V) -> V {
    let to = on_edge(from, edge, along, square);
    dot(to, to)
}

/// The point that is nearest to zero, of the edge that leads from `from` along `edge`.
#[inline(always)]
pub(super) fn on_edge<V: Vector>(from: [V; 3], edge: [V; 3], along: V, square: V) -> [V; 3] {
    let splat = |x: f32| V::splat(along.isa(), x);
    let part = along.div(square.max(splat(TINY))).max(splat(0.0)).min(splat(1.0));
    let [x, y, z] = edge;
    [x.mul_add(part, from[0]), y.mul_add(part, from[1]), z.mul_add(part, from[2])]
}

/// The square of `a + b * part_b + c * part_c`.
#[inline(always)]
fn square_of<V: Vector>(a: [V; 3], (b, part_b): ([V; 3], V), (c, part_c): ([V; 3], V)) -> V {
    let at = [
        c[0].mul_add(part_c, b[0].mul_add(part_b, a[0])),
        c[1].mul_add(part_c, b[1].mul_add(part_b, a[1])),
        c[2].mul_add(part_c, b[2].mul_add(part_b, a[2])),
    ];
    dot(at, at)
}

#[inline(always)]
pub(super) fn sub<V: Vector>(a: [V; 3], b: [V; 3]) -> [V; 3] {
    [a[0].sub(b[0]), a[1].sub(b[1]), a[2].sub(b[2])]
}

#[inline(always)]
pub(super) fn dot<V: Vector>(a: [V; 3], b: [V; 3]) -> V {
    a[2].mul_add(b[2], a[1].mul_add(b[1], a[0].mul(b[0])))
}

#[inline(always)]
pub(super) fn cross<V: Vector>(a: [V; 3], b: [V; 3]) -> [V; 3] {
    [
        a[2].mul_sub_from(b[1], a[1].mul(b[2])),
        a[0].mul_sub_from(b[2], a[2].mul(b[0])),
        a[1].mul_sub_from(b[0], a[0].mul(b[1])),
    ]
}

/// The largest magnitude of the three coordinates.
#[inline(always)]
pub(super) fn size<V: Vector>(a: [V; 3]) -> V {
    a[0].greater_size(a[1]).max_nonneg(a[2].abs())
}
