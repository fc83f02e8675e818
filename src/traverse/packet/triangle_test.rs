//! The triangles of a leaf block, as the rays of a packet see them.
//!
//! Vertices are moved and sheared once, for the ray in the middle (as in [`leaf`](crate::traverse::ray::leaf_test)). In
//! its space a ray is at `q + s z` at depth `z`, and the edge function of `b` and `c`, with `e = c - b`, is
//!
//! ```text
//! (c - q) x (b - q) . (s, 1)  =  c x b . (s, 1)  +  q . e x (s, 1)
//!                             =  X sx + Y sy + Z  +  ey qx - ex qy + ez (qy sx - qx sy)
//! ```
//!
//! of three numbers of the triangle and, if rays do not all pass through where the middle one starts, of three
//! more: five products, or two, for a ray and an edge. (They are the Plücker coordinates of both, as in Jones
//! 2000, but next to where the rays are, so that little is rounded away.)
//!
//! # The bound
//!
//! With `u = 2^-24`, `m` the largest size of the sheared vertices on the first two axes, `D` that on the third,
//! `r` how far origins are from where the middle ray starts on any axis, `t` its larger shear and `p` the sum of the largest
//! sizes of `sx` and `sy`: what is worked out is, but for the roundings of its products and sums, right for a ray
//! and vertices that are a little off. Vertices are off by at most `u (2m + 3tD)` on the first two axes, and
//! on the third by so much that a ray is off by at most `u p D` there; rays by `2.2u (D + r)` for their shears,
//! `u p D` for `s`, `5u r` for `q`, and by `q` itself if that is left out. All of that is no more than `off`.
//!
//! A ray that hits passes a vertex, at the vertex's depth, at no more than `l = wide + p range` on either axis,
//! where these are the extents of the triangle across and in depth. Its function is a cross product of two such
//! distances, so that it changes by at most `4 off (l + off)` for being off. Roundings: each product is rounded
//! no more than ten times, on the way into the sum and in it, and all together they are at most
//! `2m (m + p D) + wide (|qx| + |qy|) + range |qy sx - qx sy|`. The tolerance is `4 off (l + off)` and `24 u` of
//! these, half of the first of them. So for a ray that hits all three are `>= -tolerance`, or all `<= tolerance`; and if all three are
//! `>= tolerance`, or all `<= -tolerance`, then it hits what is a little off by more than the difference, which
//! holds for `l` as well, and so hits.
//!
//! Depths are worked out and compared as in [`leaf`](crate::traverse::ray::leaf_test), from where the middle ray starts: roundings are
//! parts of `D + r`.

use super::lanes::load_two;
use super::rays::Packet;
use crate::bvh::LANES;
use crate::simd::Vector;
use crate::traverse::ray::leaf_test::{Verdict, outside};

/// A number of each triangle.
pub(crate) type Row = [f32; LANES];

/// What rays need of the triangles.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Facets {
    /// `X`, `Y` and `Z` of each edge.
    pub(crate) cross: [[Row; 3]; 3],
    /// `e` of each edge.
    pub(crate) along: [[Row; 3]; 3],
    /// The vertices' depths.
    pub(crate) depth: [Row; 3],
    /// The bounds on the errors of an edge function, of a depth by the edge functions, and of any depth.
    pub(crate) tolerance: Row,
    pub(crate) slack: Row,
    pub(crate) pad: Row,
}

impl Facets {
    /// Room for them.
    pub(crate) const ROOM: Self = Self {
        cross: [[[0.0; LANES]; 3]; 3],
        along: [[[0.0; LANES]; 3]; 3],
        depth: [[0.0; LANES]; 3],
        tolerance: [0.0; LANES],
        slack: [0.0; LANES],
        pad: [0.0; LANES],
    };

    /// One of them.
    #[inline(always)]
    pub(crate) fn facet<V: Vector>(&self, isa: V::Isa, lane: u32) -> Facet<V> {
        let lane = lane as usize % LANES;
        Facet {
            edges: [self.edge(isa, 0, lane), self.edge(isa, 1, lane), self.edge(isa, 2, lane)],
            depth: splat(isa, &self.depth, lane),
            tolerance: V::splat(isa, self.tolerance[lane]),
            slack: V::splat(isa, self.slack[lane]),
            pad: V::splat(isa, self.pad[lane]),
        }
    }

    #[inline(always)]
    fn edge<V: Vector>(&self, isa: V::Isa, which: usize, lane: usize) -> Edge<V> {
        Edge {
            cross: splat(isa, &self.cross[which], lane),
            along: splat(isa, &self.along[which], lane),
        }
    }
}

/// Three numbers of a triangle.
#[inline(always)]
fn splat<V: Vector>(isa: V::Isa, rows: &[Row; 3], lane: usize) -> [V; 3] {
    [V::splat(isa, rows[0][lane]), V::splat(isa, rows[1][lane]), V::splat(isa, rows[2][lane])]
}

/// A triangle, each number in every lane.
pub(crate) struct Facet<V> {
    edges: [Edge<V>; 3],
    depth: [V; 3],
    tolerance: V,
    slack: V,
    pad: V,
}

struct Edge<V> {
    cross: [V; 3],
    along: [V; 3],
}

impl<V: Vector> Edge<V> {
    /// Its function, for the rays from `first` on; `APART` if they do not all pass through where the middle one
    /// starts.
    #[inline(always)]
    fn of<const APART: bool>(&self, packet: &Packet, first: usize) -> V {
        let (isa, slants) = (self.cross[0].isa(), &packet.slants);
        let [slope_x, slope_y] = load_two::<V>(isa, &slants.slope, first);
        let [x, y, z] = self.cross;
        let value = x.mul_add(slope_x, y.mul_add(slope_y, z));
        if !APART {
            return value;
        }
        let [at_x, at_y] = load_two::<V>(isa, &slants.at, first);
        let [x, y, z] = self.along;
        let value = y.mul_add(at_x, x.mul_sub_from(at_y, value));
        z.mul_add(slants.turn.load(isa, first), value)
    }
}

impl<V: Vector> Facet<V> {
    /// What is known of the triangle and the rays from `first` on. (All of it, whether or not a ray passes inside: a
    /// branch would often be predict_child wrong, and late.)
    #[inline(always)]
    pub(crate) fn judge<const APART: bool>(&self, packet: &Packet, first: usize) -> Verdict<V> {
        let isa = self.pad.isa();
        let u = self.edges[0].of::<APART>(packet, first);
        let v = self.edges[1].of::<APART>(packet, first);
        let w = self.edges[2].of::<APART>(packet, first);
        let (outside, tolerance) = (outside(u, v, w), self.tolerance);
        let inside = outside.le(tolerance);
        let within = outside.le(tolerance.negative());

        let det = u.add(v).add(w);
        let size = det.abs();
        let edge_on = size.le(tolerance.mul(V::splat(isa, 8.0)));
        let [a, b, c] = self.depth;
        let depth = c.mul_add(w, b.mul_add(v, a.mul(u)));
        let start: V = packet.slants.start.load(isa, first);
        let z_inverse: V = packet.z_inverse.load(isa, first);
        let depth = start.mul_sub_from(det, depth).flip_sign(det.mul(z_inverse));
        let slack = size.mul_add(self.pad, self.slack);
        let (t_lo, t_hi) = (depth.sub(slack), depth.add(slack));
        // (Where they are no number, a bound is infinite and the size zero: edge-on.)
        let z_max = packet.t_max.load::<V>(isa, first).mul(packet.z_size.load(isa, first));
        let (near, far) = (size.mul(packet.z_min.load(isa, first)), size.mul(z_max));
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
