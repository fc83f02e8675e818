//! The triangle test of packets: the triangles of a leaf block against the rays of a packet.
//!
//! Vertices are translated and sheared once per block, for a central ray, not once per ray. In the
//! central ray's space a ray is at `q + s z` at depth `z`, and the edge function of `b` and `c`,
//! with `e = c - b`, is
//!
//! ```text
//! (c - q) x (b - q) . (s, 1)  =  c x b . (s, 1)  +  q . e x (s, 1)
//!                             =  X sx + Y sy + Z  +  ey qx - ex qy + ez (qy sx - qx sy)
//! ```
//!
//! The triangle gives six numbers and the ray five. A ray and an edge take five products, or two if
//! all rays pass through the central ray's origin, because then `q` is zero. These are the Plücker
//! coordinates of both (Jones 2000), but relative to a point next to the rays, so that little is
//! rounded away.
//!
//! # Lemma 42 (edge functions of packets)
//!
//! Let `u = 2^-24`. Let `m` and `D` be the largest magnitudes of the sheared vertices on the first
//! two axes and on the third. Let `r` be the largest distance of an origin from the central ray's
//! origin on any axis, `g` the largest shear, and `p` the sum of the largest `|sx|` and `|sy|`.
//!
//! Apart from the roundings of its own products and sums, a computed edge function is exact for a
//! ray and vertices that are slightly displaced. Vertices are displaced by at most `u (2m + 3gD)`
//! on the first two axes. Their displacement on the third displaces a ray by at most `u p D` there.
//! Rays are displaced by `2.2u (D + r)` through their shears, by `u p D` through `s`, by `5u r`
//! through `q`, and by `q` itself where that is left out. All of this is at most `error`.
//!
//! At a vertex's depth, a ray that hits is at most `l = wide + p range` from the vertex on either
//! axis, where `wide` and `range` are the triangle's extents across and in depth. The function is a
//! cross product of two such distances, so the displacement changes it by at most
//! `4 error (l + error)`. Each product is rounded at most ten times, on the way into the sum and in
//! it, and all products together are at most
//! `2m (m + p D) + wide (|qx| + |qy|) + range |qy sx - qx sy|`. The tolerance is
//! `4 error (l + error)` and `24u` times these products, with half of the first.
//!
//! So for a ray that hits, all three functions are `>= -tolerance` or all are `<= tolerance`. If
//! all three are `>= tolerance` or all are `<= -tolerance`, the displaced ray hits the displaced
//! triangle by more than the difference. Then `l` holds for it as well, and the ray itself hits.
//!
//! Searches find errors of a ninth of this. The products are of the size of `m^2`, but their
//! differences mostly of the size of `m l`, so most of the ten roundings are smaller than the
//! bound: that is the price of few terms.
//!
//! # Lemma 43 (depths of packets)
//!
//! Depths are computed and compared as for single rays (see [`leaf_test`]), but from the central
//! ray's origin: roundings are fractions of `D + r` instead of `D`. There are twelve of `D` and ten
//! of `r`, with the rounding of `t` itself, and the test adds twice `6u (m + D) + 8u r`. The sum of
//! the edge functions is off by three tolerances and `4u l^2`, which is less than one.
//!
//! [`leaf_test`]: crate::traverse::ray::leaf_test

use bytemuck::Zeroable;

use super::lanes::{Interval, Lanes, RAYS, load_two, max_lane};
use crate::array::Each;
use crate::bvh::LANES;
use crate::simd::Vector;
use crate::traverse::ray::leaf_test::{EDGE_ON, Verdict, outside};

/// The ray whose space the triangle test works in: translated and sheared, it runs along the third
/// axis from zero. It need not be one of the packet's rays. Axes are in the order of the block
/// rows.
#[derive(Clone, Copy, Debug, Zeroable)]
pub(crate) struct CentralRay {
    pub(crate) origin: [f32; 3],
    pub(crate) shear: [f32; 2],
}

impl CentralRay {
    /// From this origin, in the middle of these shears.
    #[inline(always)]
    pub(crate) fn new(origin: [f32; 3], shears: [Interval; 2]) -> Self {
        Self { origin, shear: shears.each(|shear| shear.center_radius().0) }
    }

    /// Its point closest to another ray. Not finite if they are parallel.
    #[inline(always)]
    pub(crate) fn closest_to(&self, other: &Self) -> [f32; 3] {
        let [x, y, z] = self.origin;
        let [shear_x, shear_y] = self.shear;
        let start = other.origin[2] - z;
        let offset_x = other.origin[0] - x - other.shear[0] * start;
        let offset_y = other.origin[1] - y - other.shear[1] * start;
        let (slope_x, slope_y) = (other.shear[0] - shear_x, other.shear[1] - shear_y);
        let along = offset_x * slope_x + offset_y * slope_y;
        let depth = -along / (slope_x * slope_x + slope_y * slope_y);
        [x + shear_x * depth, y + shear_y * depth, z + depth]
    }
}

/// Rays in the central ray's space: at a depth, a ray is at `offset + slope * depth` on the first
/// two axes.
#[derive(Clone, Debug, Zeroable)]
pub(crate) struct RelativeRays {
    pub(crate) slope: [Lanes; 2],
    pub(crate) offset: [Lanes; 2],
    /// `offset[1] * slope[0] - offset[0] * slope[1]`
    pub(crate) moment: Lanes,
    /// The depth of the ray's origin.
    pub(crate) start: Lanes,
    /// As in [`RaySetup`](crate::traverse::ray::setup::RaySetup).
    pub(crate) z_size: Lanes,
    pub(crate) z_inverse: Lanes,
    pub(crate) z_min: Lanes,
}

impl RelativeRays {
    /// Computes the lines from the rays' origins and shears. Returns the largest magnitude in
    /// `offset`.
    #[inline(always)]
    pub(crate) fn set_lines<V: Vector>(
        &mut self,
        (isa, width): (V::Isa, usize),
        central: &CentralRay,
        origin: [&Lanes; 3],
        shear: &[Lanes; 2],
    ) -> f32 {
        let splat = |x: f32| V::splat(isa, x);
        let [cx, cy, cz] = central.origin;
        let [sx, sy] = central.shear;
        let mut size = splat(0.0);
        let mut first = 0;
        while first < RAYS && first < width {
            let [shear_x, shear_y] = load_two::<V>(isa, shear, first);
            let start = origin[2].load::<V>(isa, first).sub(splat(cz));
            let x = origin[0].load::<V>(isa, first).sub(splat(cx));
            let y = origin[1].load::<V>(isa, first).sub(splat(cy));
            let (x, y) = (start.mul_sub_from(shear_x, x), start.mul_sub_from(shear_y, y));
            let (slope_x, slope_y) = (shear_x.sub(splat(sx)), shear_y.sub(splat(sy)));
            self.slope[0].store(first, slope_x);
            self.slope[1].store(first, slope_y);
            self.offset[0].store(first, x);
            self.offset[1].store(first, y);
            self.moment.store(first, x.mul_sub_from(slope_y, y.mul(slope_x)));
            self.start.store(first, start);
            size = size.max(x.greater_size(y));
            first += V::LANES;
        }
        max_lane(size)
    }
}

/// One value per triangle of a leaf block.
type PerTriangle = [f32; LANES];

/// What the test needs of the triangles of a leaf block.
#[derive(Clone, Debug, Zeroable)]
#[repr(align(64))]
pub(crate) struct TriangleTests {
    edges: [Edge<PerTriangle>; 3],
    /// The vertices' depths.
    depth: [PerTriangle; 3],
    /// Bounds on the errors of an edge function (Lemma 42), of a depth through the edge functions,
    /// and of any depth (Lemma 43).
    tolerance: PerTriangle,
    slack: PerTriangle,
    pad: PerTriangle,
}

impl TriangleTests {
    /// Stores some triangles from `first` on.
    #[inline(always)]
    pub(crate) fn store<V: Vector>(&mut self, first: usize, test: &TriangleTest<V>) {
        for i in 0..3 {
            for k in 0..3 {
                test.edges[i].cross[k].replace_at(&mut self.edges[i].cross[k], first);
                test.edges[i].along[k].replace_at(&mut self.edges[i].along[k], first);
            }
            test.depth[i].replace_at(&mut self.depth[i], first);
        }
        test.tolerance.replace_at(&mut self.tolerance, first);
        test.slack.replace_at(&mut self.slack, first);
        test.pad.replace_at(&mut self.pad, first);
    }

    /// One triangle, its values in every lane.
    #[inline(always)]
    pub(crate) fn splat<V: Vector>(&self, isa: V::Isa, lane: u32) -> TriangleTest<V> {
        let lane = lane as usize % LANES;
        let edge = |i: usize| Edge {
            cross: splat_three(isa, &self.edges[i].cross, lane),
            along: splat_three(isa, &self.edges[i].along, lane),
        };
        TriangleTest {
            edges: [edge(0), edge(1), edge(2)],
            depth: splat_three(isa, &self.depth, lane),
            tolerance: V::splat(isa, self.tolerance[lane]),
            slack: V::splat(isa, self.slack[lane]),
            pad: V::splat(isa, self.pad[lane]),
        }
    }
}

#[inline(always)]
fn splat_three<V: Vector>(isa: V::Isa, rows: &[PerTriangle; 3], lane: usize) -> [V; 3] {
    [V::splat(isa, rows[0][lane]), V::splat(isa, rows[1][lane]), V::splat(isa, rows[2][lane])]
}

/// What the test needs of triangles: one in each lane, or the same in every lane.
pub(crate) struct TriangleTest<V> {
    pub(crate) edges: [Edge<V>; 3],
    pub(crate) depth: [V; 3],
    pub(crate) tolerance: V,
    pub(crate) slack: V,
    pub(crate) pad: V,
}

/// What the edge function needs of two vertices: `X`, `Y` and `Z`, and `e`.
#[derive(Clone, Copy, Debug, Zeroable)]
pub(crate) struct Edge<V> {
    pub(crate) cross: [V; 3],
    pub(crate) along: [V; 3],
}

impl<V: Vector> Edge<V> {
    #[inline(always)]
    pub(crate) fn between(c: [V; 3], b: [V; 3]) -> Self {
        Self {
            cross: [
                c[2].mul_sub_from(b[1], c[1].mul(b[2])),
                c[0].mul_sub_from(b[2], c[2].mul(b[0])),
                c[1].mul_sub_from(b[0], c[0].mul(b[1])),
            ],
            along: [c[0].sub(b[0]), c[1].sub(b[1]), c[2].sub(b[2])],
        }
    }

    /// The edge function for the rays from `first` on. `DIVERGENT` if not all rays pass through the
    /// central ray's origin.
    #[inline(always)]
    pub(super) fn evaluate<const DIVERGENT: bool>(&self, rays: &RelativeRays, first: usize) -> V {
        let isa = self.cross[0].isa();
        let [slope_x, slope_y] = load_two::<V>(isa, &rays.slope, first);
        let [x, y, z] = self.cross;
        let value = x.mul_add(slope_x, y.mul_add(slope_y, z));
        if !DIVERGENT {
            return value;
        }
        let [offset_x, offset_y] = load_two::<V>(isa, &rays.offset, first);
        let [x, y, z] = self.along;
        let value = y.mul_add(offset_x, x.mul_sub_from(offset_y, value));
        z.mul_add(rays.moment.load(isa, first), value)
    }
}

impl<V: Vector> TriangleTest<V> {
    /// Tests the triangle for the rays from `first` on. It computes the depth for all rays, also
    /// for those that pass outside: a branch would often be mispredicted, and late.
    #[inline(always)]
    pub(crate) fn test<const DIVERGENT: bool>(
        &self,
        rays: &RelativeRays,
        t_max: &Lanes,
        first: usize,
    ) -> Verdict<V> {
        let isa = self.pad.isa();
        let u = self.edges[0].evaluate::<DIVERGENT>(rays, first);
        let v = self.edges[1].evaluate::<DIVERGENT>(rays, first);
        let w = self.edges[2].evaluate::<DIVERGENT>(rays, first);
        let (outside, tolerance) = (outside(u, v, w), self.tolerance);
        let inside = outside.le(tolerance);
        let within = outside.le(tolerance.negative());

        let det = u.add(v).add(w);
        let size = det.abs();
        let edge_on = size.le(tolerance.mul(V::splat(isa, EDGE_ON)));
        let [a, b, c] = self.depth;
        let depth = c.mul_add(w, b.mul_add(v, a.mul(u)));
        let start: V = rays.start.load(isa, first);
        let z_inverse: V = rays.z_inverse.load(isa, first);
        let depth = start.mul_sub_from(det, depth).flip_sign(det.mul(z_inverse));
        let slack = size.mul_add(self.pad, self.slack);
        let (t_lo, t_hi) = (depth.sub(slack), depth.add(slack));
        // Where these products are NaN, a bound is infinite and the size is zero: edge-on.
        let z_max = t_max.load::<V>(isa, first).mul(rays.z_size.load(isa, first));
        let (near, far) = (size.mul(rays.z_min.load(isa, first)), size.mul(z_max));
        let between = V::both_le((t_lo, far), (near, t_hi));
        let certainly_between = V::both_le((t_hi, far), (near, t_lo));

        Verdict::of(
            [inside, within],
            [between, certainly_between],
            edge_on,
            [t_lo, t_hi],
            (size, self.pad, z_inverse),
        )
    }
}
