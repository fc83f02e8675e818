//! What some ray of a packet may pass through, at whatever `t` (in place of ray by ray, as in Reshetov 2007).
//!
//! All rays are within a shaft around the one in the middle: in its space, and with `at` and `spread` for
//! each of the first two axes, none is farther off than `at + spread * |depth|`. Mostly they come from one
//! point, or go to one (shadow rays to a light): the middle ray starts there, and `at` is nothing, or next
//! to it.
//!
//! A box is outside if its middle is so far from the middle ray that the shaft does not reach it. (The
//! [`Beam`](super::beam::Beam), which tells where rays may enter it, does not know that rays go to one point.)
//! A triangle is outside if one of its edge functions is positive for all rays, and another negative (see
//! [`facets`](super::facets)).

use super::lanes::Span;
use super::slants::{Focus, Middle};
use super::triangle_test::{Facets, Row};
use crate::bvh::{LANES, LeafBlock, Node, WIDTH};
use crate::simd::Vector;
use crate::traverse::ray::leaf_test::{Sheared, corners, extent, slack};
use crate::traverse::ray::setup::{BlockRows, EPSILON, larger, least_delta};

/// More than all roundings that go into a constant, and into the sums later on.
const MORE: f32 = 1.0 + 64.0 * EPSILON;

/// All rays of a packet, by the one in the middle and how far the others are off. Axes are in the order
/// of the rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shaft {
    pub(crate) middle: Middle,
    /// Whether all rays pass next to where the middle one starts, and not all start there.
    pub(crate) converges: bool,
    /// Bounds on the sizes of the rays' numbers in [`Slants`](super::slants::Slants): slopes, on each axis and
    /// all in all, `at` and `turn`. Nothing for the latter two where nobody looks at them.
    spread: [f32; 2],
    spreads: f32,
    at: [f32; 2],
    turn: f32,
    /// Twice `at`, and what is rounded of a box.
    beside: [f32; 2],
    /// What the bounds of [`facets`](super::facets) on the errors of coordinates, and `off`, are at least; what
    /// a triangle's depth adds to `off`; and what the rays' origins add to the error of a depth.
    pub(crate) least_delta: f32,
    least_off: f32,
    off_by_depth: f32,
    start_error: f32,
}

impl Shaft {
    pub(crate) const ROOM: Self = Self {
        middle: Middle::ROOM,
        converges: false,
        spread: [0.0; 2],
        spreads: 0.0,
        at: [0.0; 2],
        turn: 0.0,
        beside: [0.0; 2],
        least_delta: 0.0,
        least_off: 0.0,
        off_by_depth: 0.0,
        start_error: 0.0,
    };

    /// Around rays whose origins and shears are within these; if they all pass a point, at no more than so much on
    /// either of the first two axes in the plane where it is, from there. No number of theirs, nor of the tree's, is
    /// larger than `scale`.
    #[inline(always)]
    pub(crate) fn new(
        origins: [Span; 3],
        shears: [Span; 2],
        through: Option<Focus>,
        scale: f32,
    ) -> Self {
        let steep = larger(shears[0].size(), shears[1].size());
        let [(shear_x, spread_x), (shear_y, spread_y)] = shears.map(Span::middle);
        // Shears are rounded twice and no larger than 1.
        let spread_x = spread_x * MORE + 8.0 * EPSILON;
        let spread_y = spread_y * MORE + 8.0 * EPSILON;
        let spreads = spread_x + spread_y;
        let least_delta = least_delta(scale);
        let (origin, away, off, at, turn);
        if let Some(focus) = through {
            origin = focus.point;
            away = focus.away;
            off = focus.off;
            (at, turn) = ([0.0; 2], 0.0);
        } else {
            let [(x, off_x), (y, off_y), (z, off_z)] = origins.map(Span::middle);
            origin = [x, y, z];
            away = larger(larger(off_x, off_y), off_z);
            off = 0.0;
            let from_x = (off_x + off_z * shear_x.abs()) * MORE;
            let from_y = (off_y + off_z * shear_y.abs()) * MORE;
            at = [(from_x + off_z * spread_x) * MORE, (from_y + off_z * spread_y) * MORE];
            turn = (from_x * spread_y + from_y * spread_x) * MORE;
        }
        let start_error = 8.0 * EPSILON * away * MORE;
        let least_off = start_error + off * MORE + least_delta;
        Self {
            middle: Middle::of(origin, shears),
            converges: through.is_some(),
            spread: [spread_x, spread_y],
            spreads,
            at,
            turn,
            least_delta,
            least_off,
            off_by_depth: (3.0 * steep + 2.0 * spreads + 2.5) * EPSILON,
            start_error,
            beside: at.map(|at| 2.0 * (at + least_off) + 128.0 * EPSILON * (scale + away)),
        }
    }

    /// Whether some rays do not pass through where the middle one starts, nor next to it.
    #[inline(always)]
    pub(crate) fn is_apart(&self) -> bool {
        self.at != [0.0; 2]
    }

    /// A bit for each child whose box some ray may pass through.
    #[inline(always)]
    pub(crate) fn meet_children<V: Vector>(
        &self,
        isa: V::Isa,
        rows: &BlockRows,
        node: &Node,
    ) -> u32 {
        let mut mask = 0;
        let mut first = 0;
        while first < WIDTH {
            let [x, y, z] = [
                self.twice::<V>(isa, rows, node, 0, first),
                self.twice::<V>(isa, rows, node, 1, first),
                self.twice::<V>(isa, rows, node, 2, first),
            ];
            mask |= (self.beside(0, x, z) & self.beside(1, y, z)) << first;

            first += V::LANES;
        }
        mask
    }

    /// Twice how far the middles of boxes are from where the middle ray starts on an axis, and their whole size.
    #[inline(always)]
    fn twice<V: Vector>(
        &self,
        isa: V::Isa,
        rows: &BlockRows,
        node: &Node,
        k: usize,
        first: usize,
    ) -> (V, V) {
        let [min, max] = rows.bounds(node, k);
        let (min, max) = (V::load_at(isa, min, first), V::load_at(isa, max, first));
        let origin = V::splat(isa, 2.0 * self.middle.origin[k]);
        (min.add(max).sub(origin), max.sub(min))
    }

    /// A bit for each box that the shaft reaches on an axis.
    #[inline(always)]
    fn beside<V: Vector>(&self, k: usize, (off, size): (V, V), (depth, thick): (V, V)) -> u32 {
        let isa = off.isa();
        let shear = V::splat(isa, self.middle.shear[k]);
        let off = depth.mul_sub_from(shear, off);
        let reach = size.add(V::splat(isa, self.beside[k]));
        let reach = thick.mul_add(shear.abs(), reach);
        let farthest = depth.abs().add(thick);
        off.abs().le(farthest.mul_add(V::splat(isa, self.spread[k]), reach))
    }

    /// A bit for each triangle that some ray may pass through; and what the rays need of them.
    #[inline(always)]
    pub(crate) fn meet_triangles<V: Vector>(
        &self,
        isa: V::Isa,
        rows: &BlockRows,
        block: &LeafBlock,
        facets: &mut Facets,
    ) -> u32 {
        let mut mask = 0;
        let mut first = 0;
        while first < LANES {
            let splat = |x: f32| V::splat(isa, x);
            let load = |which: usize, k: usize| V::load_at(isa, rows.of(block, which, k), first);
            let [x, y, z] = self.middle.origin;
            let [shear_x, shear_y] = self.middle.shear;
            let sheared = Sheared::of(
                &[splat(x), splat(y), splat(z)],
                &[splat(shear_x), splat(shear_y)],
                splat(self.least_delta),
                corners(load),
            );
            let (m, depth) = (sheared.m, sheared.depth);
            let [a, b, c] = sheared.vertices;

            let wide = extent(a[0], b[0], c[0]).max(extent(a[1], b[1], c[1]));
            let range = extent(a[2], b[2], c[2]);
            let off = depth.mul_add(splat(self.off_by_depth), splat(self.least_off));
            let off = m.mul_add(splat(3.0 * EPSILON), off);
            let beside = range.mul_add(splat(self.spreads), wide).add(off);
            let terms = depth.mul_add(splat(self.spreads), m).mul(m);
            let terms = wide.mul_add(splat(self.at[0] + self.at[1]), terms);
            let terms = range.mul_add(splat(self.turn), terms);
            let tolerance = off.mul(beside).mul(splat(4.0));
            let tolerance = terms.mul_add(splat(24.0 * EPSILON), tolerance);
            let delta = sheared.delta.add(splat(self.start_error));
            let slack = slack(range, delta, tolerance);
            let u = Edge::between(c, b);
            let v = Edge::between(a, c);
            let w = Edge::between(b, a);
            let (u_least, u_most) = u.ends(self, tolerance);
            let (v_least, v_most) = v.ends(self, tolerance);
            let (w_least, w_most) = w.ends(self, tolerance);
            u.put(facets, 0, first);
            v.put(facets, 1, first);
            w.put(facets, 2, first);
            put(&mut facets.tolerance, first, tolerance);
            put(&mut facets.slack, first, slack);
            put(&mut facets.pad, first, delta.add(delta));
            put(&mut facets.depth[0], first, a[2]);
            put(&mut facets.depth[1], first, b[2]);
            put(&mut facets.depth[2], first, c[2]);

            let most = u_most.min(v_most).min(w_most);
            let least = u_least.max(v_least).max(w_least);
            let zero = splat(0.0);
            mask |= (zero.le(most) | least.le(zero)) << first;

            first += V::LANES;
        }
        mask
    }
}

/// Two vertices as numbers of which a ray makes the edge's function.
struct Edge<V> {
    cross: [V; 3],
    along: [V; 3],
}

impl<V: Vector> Edge<V> {
    #[inline(always)]
    fn between(c: [V; 3], b: [V; 3]) -> Self {
        Self {
            cross: [
                c[2].mul_sub_from(b[1], c[1].mul(b[2])),
                c[0].mul_sub_from(b[2], c[2].mul(b[0])),
                c[1].mul_sub_from(b[0], c[0].mul(b[1])),
            ],
            along: [c[0].sub(b[0]), c[1].sub(b[1]), c[2].sub(b[2])],
        }
    }

    /// Notes it of the triangles from `first` on.
    #[inline(always)]
    fn put(&self, facets: &mut Facets, which: usize, first: usize) {
        for k in 0..3 {
            put(&mut facets.cross[which][k], first, self.cross[k]);
            put(&mut facets.along[which][k], first, self.along[k]);
        }
    }

    /// The least and the greatest that its function may be for some ray.
    #[inline(always)]
    fn ends(&self, shaft: &Shaft, tolerance: V) -> (V, V) {
        let ([x, y, z], along) = (self.cross, self.along);
        let isa = tolerance.isa();
        let splat = |x: f32| V::splat(isa, x);
        let off = x.abs().mul_add(splat(shaft.spread[0]), tolerance);
        let off = y.abs().mul_add(splat(shaft.spread[1]), off);
        let off = along[0].abs().mul_add(splat(shaft.at[1]), off);
        let off = along[1].abs().mul_add(splat(shaft.at[0]), off);
        let off = along[2].abs().mul_add(splat(shaft.turn), off);
        (z.sub(off), z.add(off))
    }
}

#[inline(always)]
fn put<V: Vector>(row: &mut Row, first: usize, numbers: V) {
    numbers.replace_at(row, first);
}
