//! How far the triangles of a leaf block are from a point, with bounds on the errors.
//!
//! Vectors are spelled out axis by axis: closures with more in them than a load are not inlined
//! into code for an instruction set.

#[cfg(test)]
mod bounds;

use std::mem::MaybeUninit;

use super::point::{PointSetup, PointTest, TINY};
use crate::array::Each;
use crate::bvh::{LANES, LeafBlock};
use crate::simd::{BlockVector, Vector};
use crate::traverse::descent::{least_lane, least_of};
use crate::traverse::ray::setup::EPSILON;
use crate::traverse::vectors::{cross, dot, on_edge, size, sub};

/// Bounds on the distances of a block's triangles, without their exact distances.
#[repr(C, align(32))]
pub(crate) struct Distances {
    /// The square of a scaled distance, which is too large by `error` at most. NaN in unused lanes.
    least: [f32; LANES],
    /// The same, but too small by `error` at most.
    most: [f32; LANES],
    error: [f32; LANES],
}

/// A triangle whose exact distance is not known yet.
#[derive(Clone, Copy)]
pub(crate) struct Candidate {
    pub(crate) slot: u32,
    least: f32,
    error: f32,
}

impl Candidate {
    /// Whether it may be at this scaled distance or less.
    #[inline(always)]
    pub(crate) fn is_within(&self, bound: f32) -> bool {
        let reach = bound + self.error;
        self.least <= reach * reach + TINY
    }
}

impl Distances {
    /// A bit for each triangle that may be at the scaled distance `bound` or less.
    #[inline(always)]
    pub(crate) fn within<V: Vector>(&self, isa: V::Isa, bound: f32) -> u32 {
        let mut mask = 0;
        let mut first = 0;
        while first < LANES {
            let [least, error] =
                [&self.least, &self.error].each(|numbers| V::load_at(isa, numbers, first));
            mask |= TriangleDistances { least, most: least, error }.within(isa, bound) << first;
            first += V::LANES;
        }
        mask
    }

    /// The triangle in a lane, whose place in the tree is `slot`.
    #[inline(always)]
    pub(crate) fn candidate(&self, lane: usize, slot: u32) -> Candidate {
        Candidate { slot, least: self.least[lane % LANES], error: self.error[lane % LANES] }
    }

    /// The nearest triangle of those whose bits are set.
    #[inline(always)]
    pub(crate) fn nearest(&self, mask: u32) -> usize {
        least_of(&self.most, mask)
    }

    /// An upper bound of the nearest triangle's scaled distance.
    #[inline(always)]
    pub(crate) fn most(&self) -> f32 {
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
pub(crate) fn leaf_distances<V: Vector>(
    isa: V::Isa,
    point: &PointSetup,
    block: &LeafBlock,
    bound: f32,
) -> (Distances, u32) {
    let point = PointTest::<V>::new(isa, point);
    let mut least = MaybeUninit::uninit();
    let mut most = MaybeUninit::uninit();
    let mut error = MaybeUninit::uninit();
    let mut mask = 0;
    let mut first = 0;
    while first < LANES {
        let a = point.vertex(block, 0, first);
        let b = point.vertex(block, 1, first);
        let c = point.vertex(block, 2, first);
        let distances = triangle_distances(isa, a, b, c);
        mask |= distances.within(isa, bound) << first;
        distances.least.store_at(&mut least, first);
        distances.most.store_at(&mut most, first);
        distances.error.store_at(&mut error, first);
        first += V::LANES;
    }
    // SAFETY: the loop has written all lanes of each.
    unsafe {
        let (least, most) = (least.assume_init(), most.assume_init());
        (Distances { least, most, error: error.assume_init() }, mask)
    }
}

/// The most blocks that vectors test at once.
pub(crate) const MAX_AT_ONCE: usize = 2;

/// As [`leaf_distances`], of as many points, each with a block, as a vector holds: writes the
/// distances to as many places. Points and blocks may be the same.
///
/// # Safety
/// The places may be written.
#[inline(always)]
pub(crate) unsafe fn distances_at_once<V: BlockVector>(
    isa: V::Isa,
    points: [&PointSetup; MAX_AT_ONCE],
    blocks: [&LeafBlock; MAX_AT_ONCE],
    to: [*mut Distances; MAX_AT_ONCE],
) {
    let mut corners = [[V::splat(isa, 0.0); 3]; 3];
    for k in 0..3 {
        let scale = V::splat_eights(isa, |i| points[i].scale[k]);
        let minus = V::splat_eights(isa, |i| points[i].minus[k]);
        for which in 0..3 {
            let coordinates = V::load_eights(isa, |i| &blocks[i].vertex[which][k]);
            corners[which][k] = coordinates.mul_add(scale, minus);
        }
    }
    let [a, b, c] = corners;
    let distances = triangle_distances(isa, a, b, c);
    // SAFETY: the caller's places, one field at a time.
    unsafe {
        distances.least.store_eights(|i| &mut *(&raw mut (*to[i]).least).cast());
        distances.most.store_eights(|i| &mut *(&raw mut (*to[i]).most).cast());
        distances.error.store_eights(|i| &mut *(&raw mut (*to[i]).error).cast());
    }
}

/// The distances of some triangles, as [`Distances`] keeps them.
struct TriangleDistances<V> {
    least: V,
    most: V,
    error: V,
}

impl<V: Vector> TriangleDistances<V> {
    /// A bit for each that may be at the scaled distance `bound` or less.
    #[inline(always)]
    fn within(&self, isa: V::Isa, bound: f32) -> u32 {
        let reach = V::splat(isa, bound).add(self.error);
        self.least.le(reach.mul(reach).add(V::splat(isa, TINY)))
    }
}

/// Of triangles whose corners are seen from the point.
#[inline(always)]
fn triangle_distances<V: Vector>(
    isa: V::Isa,
    a: [V; 3],
    b: [V; 3],
    c: [V; 3],
) -> TriangleDistances<V> {
    let splat = |x: f32| V::splat(isa, x);
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

    // A point of the face, if the weights are in range.
    let (part_b, part_c) = (weight_b.div(whole), weight_c.div(whole));
    let zero = splat(0.0);
    let inside = zero.le(part_b) & zero.le(part_c) & part_b.add(part_c).le(splat(1.0));
    let on_face = square_of(a, (ab, part_b), (ac, part_c));
    let most = edge.choose(edge.min(on_face), inside);
    TriangleDistances { least: distance, most, error: off }
}

/// The squared distance from zero to the edge that leads from `from` along `edge`.
#[inline(always)]
fn edge_distance<V: Vector>(from: [V; 3], edge: [V; 3], along: V, square: V) -> V {
    let to = on_edge(from, edge, along, square);
    dot(to, to)
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
