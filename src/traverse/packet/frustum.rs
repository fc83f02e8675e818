//! The frustum test: what no ray of a packet can pass through at any `t` is culled at once, for all
//! rays (as in Reshetov 2007, there in place of tests ray by ray).
//!
//! In the central ray's space, and with `offset` and `slope` for each of the first two axes, no ray
//! is farther from the central ray than `offset + slope * |depth|`. The rays of most packets come
//! from one point or go to one, such as shadow rays to a light. The central ray then starts at that
//! point, and `offset` is zero.
//!
//! A box is culled if the distance of its center from the central ray shows that the frustum cannot
//! reach it. The [interval test](super::interval) cannot see that rays go to one point. A triangle
//! is culled if one of its edge functions is positive for all rays and another is negative for all
//! (Lemma 42, in [`triangle_test`](super::triangle_test)).
//!
//! # Lemma 41 (constants of the frustum)
//!
//! `ROUND_UP` exceeds all roundings of a constant together with the roundings of the sums that it
//! goes into; these are sums of nonnegative terms, so a factor covers them. Shears are rounded
//! twice and are at most 1, which adds `8 EPSILON` to the slopes.
//!
//! In the box test, let the unit be `EPSILON (scale + distance)`, and let `s` and `t` be a box's
//! extents on the two axes in units of `scale + distance`. So its doubled center is at most `2 - s`
//! and `2 - t` from the origin, and the sums of its planes are no larger. The roundings of the
//! center come to `2 (2 - s)` and `2 (2 - t)` units, the rounding of the product with the shear to
//! `2 - t`, the roundings of the extents, their product and their sum to `2 s + 3 t`. The roundings
//! of the farthest depth and its product come to at most `8 - t`, because no slope is larger
//! than 1. The two sides of the comparison, at most 3 each where they are equal, are rounded once
//! more. All together are at most 24 units: `box_margin` contains 28 for them.

#[cfg(test)]
mod bounds;

use bytemuck::Zeroable;

use super::lanes::Interval;
use super::triangle_test::{CentralRay, Edge, TriangleTest, TriangleTests};
use crate::array::Each;
use crate::bvh::{LANES, LeafBlock, Node, WIDTH};
use crate::simd::Vector;
use crate::traverse::ray::leaf_test::{Sheared, corners, extent, slack};
use crate::traverse::ray::setup::{BlockRows, EPSILON, larger, least_delta};

/// Exceeds all roundings of a constant and of the sums it goes into (Lemma 41).
const ROUND_UP: f32 = 1.0 + 64.0 * EPSILON;

/// The point that all rays of a packet pass through.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Focus {
    pub(crate) point: [f32; 3],
    /// The largest distance at which a ray passes it on either of the first two axes, at its depth.
    pub(crate) error: f32,
    /// The largest distance of an origin from it on any axis.
    pub(crate) distance: f32,
}

impl Focus {
    /// The point, if rays from these origins pass it so closely that rounding explains the rest:
    /// directions are rounded once and shears twice.
    #[inline(always)]
    pub(crate) fn new(point: [f32; 3], error: f32, origins: [Interval; 3]) -> Option<Self> {
        let distance = |k: usize| larger(origins[k].max - point[k], point[k] - origins[k].min);
        let distance = larger(larger(distance(0), distance(1)), distance(2));
        (error <= 16.0 * EPSILON * distance).then_some(Self { point, error, distance })
    }
}

/// The central ray of a packet, and how far from it the other rays are. Axes are in the order of
/// the block rows.
#[derive(Clone, Copy, Debug, Zeroable)]
pub(crate) struct Frustum {
    pub(crate) central: CentralRay,
    /// Whether all rays pass through the central ray's origin, up to rounding, but not all start
    /// there.
    pub(crate) converges: bool,
    /// Bounds on the magnitudes of the rays' [`slope`, `offset` and
    /// `moment`](super::triangle_test::RelativeRays). The latter two are zero where the triangle
    /// test leaves them out.
    slope: [f32; 2],
    slope_sum: f32,
    offset: [f32; 2],
    moment: f32,
    /// Twice `offset`, and the roundings of a box (Lemma 41).
    box_margin: [f32; 2],
    /// Parts of the bounds on the errors of the triangle test (Lemmas 42 and 43): the least error
    /// of a coordinate, the least `error`, what a triangle's depth adds to `error`, and what
    /// the rays' origins add to the error of a depth.
    pub(crate) least_delta: f32,
    least_error: f32,
    error_by_depth: f32,
    start_error: f32,
}

impl Frustum {
    /// Around rays whose origins and shears are in these intervals, and which pass through `focus`
    /// if there is one. No coordinate of theirs or of the tree is larger than `scale`.
    #[inline(always)]
    pub(crate) fn new(
        origins: [Interval; 3],
        shears: [Interval; 2],
        focus: Option<Focus>,
        scale: f32,
    ) -> Self {
        let steepest = larger(shears[0].max_abs(), shears[1].max_abs());
        let [(shear_x, slope_x), (shear_y, slope_y)] = shears.each(Interval::center_radius);
        let slope_x = slope_x * ROUND_UP + 8.0 * EPSILON;
        let slope_y = slope_y * ROUND_UP + 8.0 * EPSILON;
        let slope_sum = slope_x + slope_y;
        let least_delta = least_delta(scale);
        let (origin, distance, error, offset, moment);
        if let Some(focus) = focus {
            origin = focus.point;
            distance = focus.distance;
            error = focus.error;
            (offset, moment) = ([0.0; 2], 0.0);
        } else {
            let [(x, off_x), (y, off_y), (z, off_z)] = origins.each(Interval::center_radius);
            origin = [x, y, z];
            distance = larger(larger(off_x, off_y), off_z);
            error = 0.0;
            let from_x = (off_x + off_z * shear_x.abs()) * ROUND_UP;
            let from_y = (off_y + off_z * shear_y.abs()) * ROUND_UP;
            offset = [(from_x + off_z * slope_x) * ROUND_UP, (from_y + off_z * slope_y) * ROUND_UP];
            moment = (from_x * slope_y + from_y * slope_x) * ROUND_UP;
        }
        let start_error = 8.0 * EPSILON * distance * ROUND_UP;
        let least_error = start_error + error * ROUND_UP + least_delta;
        let box_error = 28.0 * EPSILON * (scale + distance);
        Self {
            central: CentralRay::new(origin, shears),
            converges: focus.is_some(),
            slope: [slope_x, slope_y],
            slope_sum,
            offset,
            moment,
            least_delta,
            least_error,
            error_by_depth: (3.0 * steepest + 2.0 * slope_sum + 2.5) * EPSILON,
            start_error,
            box_margin: offset.each(|offset| 2.0 * (offset + least_error) + box_error),
        }
    }

    /// Whether not all rays pass through the central ray's origin, even up to rounding.
    #[inline(always)]
    pub(crate) fn is_divergent(&self) -> bool {
        self.offset != [0.0; 2]
    }

    /// A bit for each child whose box some ray may pass through.
    #[inline(always)]
    pub(crate) fn intersect_children<V: Vector>(
        &self,
        isa: V::Isa,
        rows: &BlockRows,
        node: &Node,
    ) -> u32 {
        let mut mask = 0;
        let mut first = 0;
        while first < WIDTH {
            let [x, y, z] = [
                self.doubled_boxes::<V>(isa, rows, node, 0, first),
                self.doubled_boxes::<V>(isa, rows, node, 1, first),
                self.doubled_boxes::<V>(isa, rows, node, 2, first),
            ];
            mask |= (self.reaches(0, x, z) & self.reaches(1, y, z)) << first;
            first += V::LANES;
        }
        mask
    }

    /// On an axis, twice the distance of the boxes' centers from the central ray's origin, and
    /// twice their half extents.
    #[inline(always)]
    fn doubled_boxes<V: Vector>(
        &self,
        isa: V::Isa,
        rows: &BlockRows,
        node: &Node,
        k: usize,
        first: usize,
    ) -> (V, V) {
        let [min, max] = rows.bounds(node, k);
        let (min, max) = (V::load_at(isa, min, first), V::load_at(isa, max, first));
        let origin = V::splat(isa, 2.0 * self.central.origin[k]);
        (min.add(max).sub(origin), max.sub(min))
    }

    /// A bit for each box that the frustum reaches on an axis.
    #[inline(always)]
    fn reaches<V: Vector>(&self, k: usize, (center, size): (V, V), (depth, thick): (V, V)) -> u32 {
        let isa = center.isa();
        let shear = V::splat(isa, self.central.shear[k]);
        let center = depth.mul_sub_from(shear, center);
        let reach = size.add(V::splat(isa, self.box_margin[k]));
        let reach = thick.mul_add(shear.abs(), reach);
        let farthest = depth.abs().add(thick);
        center.abs().le(farthest.mul_add(V::splat(isa, self.slope[k]), reach))
    }

    /// A bit for each triangle that some ray may pass through. Sets up the tests of the block's
    /// triangles.
    #[inline(always)]
    pub(crate) fn intersect_triangles<V: Vector>(
        &self,
        isa: V::Isa,
        rows: &BlockRows,
        block: &LeafBlock,
        tests: &mut TriangleTests,
    ) -> u32 {
        let mut mask = 0;
        let mut first = 0;
        while first < LANES {
            let splat = |x: f32| V::splat(isa, x);
            let load = |which: usize, k: usize| V::load_at(isa, rows.of(block, which, k), first);
            let [x, y, z] = self.central.origin;
            let [shear_x, shear_y] = self.central.shear;
            let sheared = Sheared::of(
                &[splat(x), splat(y), splat(z)],
                &[splat(shear_x), splat(shear_y)],
                splat(self.least_delta),
                corners(load),
            );
            let (m, depth) = (sheared.m, sheared.depth);
            let [a, b, c] = sheared.vertices;

            // Lemma 42.
            let wide = extent(a[0], b[0], c[0]).max(extent(a[1], b[1], c[1]));
            let range = extent(a[2], b[2], c[2]);
            let error = depth.mul_add(splat(self.error_by_depth), splat(self.least_error));
            let error = m.mul_add(splat(3.0 * EPSILON), error);
            let length = range.mul_add(splat(self.slope_sum), wide).add(error);
            let products = depth.mul_add(splat(self.slope_sum), m).mul(m);
            let products = wide.mul_add(splat(self.offset[0] + self.offset[1]), products);
            let products = range.mul_add(splat(self.moment), products);
            let tolerance = error.mul(length).mul(splat(4.0));
            let tolerance = products.mul_add(splat(24.0 * EPSILON), tolerance);
            // Lemma 43.
            let delta = sheared.delta.add(splat(self.start_error));
            let slack = slack(range, delta, tolerance);
            let edges = [Edge::between(c, b), Edge::between(a, c), Edge::between(b, a)];
            let (u_min, u_max) = self.edge_range(&edges[0], tolerance);
            let (v_min, v_max) = self.edge_range(&edges[1], tolerance);
            let (w_min, w_max) = self.edge_range(&edges[2], tolerance);
            let depth = [a[2], b[2], c[2]];
            let pad = delta.add(delta);
            tests.store(first, &TriangleTest { edges, depth, tolerance, slack, pad });

            let least_max = u_max.min(v_max).min(w_max);
            let greatest_min = u_min.max(v_min).max(w_min);
            let zero = splat(0.0);
            mask |= (zero.le(least_max) | greatest_min.le(zero)) << first;
            first += V::LANES;
        }
        mask
    }

    /// The least and the greatest value of an edge function over all rays.
    #[inline(always)]
    fn edge_range<V: Vector>(&self, edge: &Edge<V>, tolerance: V) -> (V, V) {
        let ([x, y, z], along) = (edge.cross, edge.along);
        let splat = |x: f32| V::splat(tolerance.isa(), x);
        let radius = x.abs().mul_add(splat(self.slope[0]), tolerance);
        let radius = y.abs().mul_add(splat(self.slope[1]), radius);
        let radius = along[0].abs().mul_add(splat(self.offset[1]), radius);
        let radius = along[1].abs().mul_add(splat(self.offset[0]), radius);
        let radius = along[2].abs().mul_add(splat(self.moment), radius);
        (z.sub(radius), z.add(radius))
    }
}
