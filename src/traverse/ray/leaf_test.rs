//! The leaf test: which of the eight triangles of a block may a ray hit?
//!
//! The answer may name too many, never too few. The triangles that remain are decided by the
//! reference, [`intersect_exact`](crate::geometry::intersect_exact), so kernels cannot differ.
//!
//! The vertices are moved so that the ray starts at the origin, and sheared so that it runs along
//! the third axis (Woop, Benthin and Wald 2013). Here `e = 2^-24`, and `r` is the largest distance
//! of a vertex of the triangle from the origin on any axis.
//!
//! # Lemma 22 (sheared coordinates)
//!
//! Let `m` be the largest sheared coordinate on the first two axes. No shear is larger than 1, so
//! before the shear a coordinate is at most `m + depth`. It is off by at most `e (m + depth)` from
//! the difference to the origin, and by `e m` from the last sum. The product with the shear is off
//! by `4 e depth`: from the depth, from the two roundings of the shear, and from its own. That is
//! `e (2 m + 5 depth)`, less than `delta = 6 e (m + depth)`. To this a little is added that keeps
//! the products below out of underflow.
//!
//! # Lemma 23 (edge functions)
//!
//! An edge function is off by at most `4 delta m + 2 delta^2` from its factors and by
//! `4 e m^2 <= 2/3 delta m` from its own roundings. That is less than
//! `tolerance = delta (5 m + 3 base)`, where `base` is `delta` without `6 e m`: `2 delta^2` is
//! `2 base delta` and a tiny part of `m delta`. If a ray hits, its three true values are all `>= 0`
//! or all `<= 0`, so the computed ones are all `>= -tolerance` or all `<= tolerance`.
//!
//! # Lemma 24 (depth)
//!
//! The depth of a hit is the mean of the vertices' depths, weighted with the edge functions. The
//! three differences from this depth, weighted so, add up to zero. With the computed weights they
//! add up to at most two tolerances times the range of the depths, because the magnitudes of the
//! differences add up to at most two ranges.
//!
//! The roundings of the depths, of the products and of the sums come to seven. Each is at most
//! `e depth` times the magnitudes of the three edge functions. For a ray that hits, these are
//! together at most the sum of the edge functions plus four tolerances, because at most two have
//! the wrong sign. Four tolerances times `7 e depth`, and two times the range's own rounding,
//! `2 e depth`, are less than six times `delta tolerance`. The rest is `7 e depth` times the
//! sum. The bounds that the depth is compared with are rounded four times, by `4 e depth` where
//! they are near it. The `t` that is compared with an interval is rounded once more, by less than
//! another `e depth`, or where it is tiny by less than there is to keep products out of underflow.
//! The test adds `2 delta` for these twelve.
//!
//! The sum itself is off by three tolerances and its own two roundings, which are less than a
//! tolerance. Where it is at most four tolerances, its sign means nothing, and the depth is not
//! used.
//!
//! Searches find errors of two fifths of the tolerance, but only of a seventh of four tolerances
//! for the sum, and of a fifth of the bound of a depth. It takes all three edge functions at their
//! worst to need these bounds, and they share their vertices. The bounds are the same for packets,
//! where each edge function has errors of its own.
//!
//! The same bounds tell which triangles are *certainly* hit, and between which `t`. So a query for
//! the closest hit tests most triangles exactly only if it returns them.

#[cfg(test)]
mod bounds;

use std::mem::MaybeUninit;

use super::setup::{BlockRows, EPSILON, RaySetup};
use crate::bvh::{LANES, LeafBlock};
use crate::geometry::Ray;
use crate::simd::Vector;
use crate::traverse::collect::{CertainHit, Collector, Offered, offer_exact};

/// A triangle is seen edge-on if the sum of its edge functions is at most this many tolerances
/// (Lemma 24).
pub(crate) const EDGE_ON: f32 = 4.0;

/// The verdicts on a block's triangles without the exact test.
#[repr(C, align(32))]
pub(crate) struct Candidates {
    /// Bounds on `t`, if the triangle is hit.
    pub(crate) t_lo: [f32; LANES],
    pub(crate) t_hi: [f32; LANES],
    /// A bit for each triangle that the ray may hit at `t_min <= t <= t_max`. Never the bit of an
    /// unused lane: comparisons with its NaNs are false.
    pub(crate) possible: u8,
    /// A bit for each of them that it certainly hits there.
    pub(crate) certain: u8,
    /// A bit for each of them whose bounds on `t` mean nothing.
    pub(crate) unbounded: u8,
}

const _: () = assert!(LANES <= u8::BITS as usize);

/// Tests all triangles of a block. `None` if the ray hits none of them.
#[inline(always)]
pub(crate) fn leaf_candidates<V: Vector>(
    isa: V::Isa,
    ray: &RaySetup,
    block: &LeafBlock,
    t_max: f32,
) -> Option<Candidates> {
    let splat = |x: f32| V::splat(isa, x);
    let terms = TriangleTerms::of(|number| splat(number(ray)), splat(ray.z_max(t_max)));
    block_candidates(&terms, &ray.row, block)
}

/// As [`leaf_candidates`], of a ray whose numbers are in all lanes, and which reads these rows.
#[inline(always)]
pub(crate) fn block_candidates<V: Vector>(
    terms: &TriangleTerms<V>,
    rows: &BlockRows,
    block: &LeafBlock,
) -> Option<Candidates> {
    let isa = terms.delta.isa();
    let splat = |x: f32| V::splat(isa, x);
    let (mut possible, mut certain, mut unbounded) = (0, 0, 0);
    // Not zeroed: where a vector is a whole block, nothing is then written if no triangle is hit.
    let mut bounds = [const { MaybeUninit::<[f32; LANES]>::uninit() }; 2];
    let mut first = 0;
    while first < LANES {
        let row = |which: usize, k: usize| V::load_at(isa, rows.of(block, which, k), first);
        let edges = Edges::of(terms, corners(row));
        let [t_lo, t_hi] = if edges.inside == 0 {
            [splat(0.0); 2]
        } else {
            let verdict = edges.judge(terms);
            possible |= (verdict.possible << first) as u8;
            certain |= (verdict.certain << first) as u8;
            unbounded |= (verdict.unbounded << first) as u8;
            [verdict.t_lo, verdict.t_hi]
        };
        t_lo.store_at(&mut bounds[0], first);
        t_hi.store_at(&mut bounds[1], first);

        first += V::LANES;
    }
    if possible == 0 {
        return None;
    }
    // SAFETY: the loop has written all lanes of both.
    let [t_lo, t_hi] = unsafe { [bounds[0].assume_init(), bounds[1].assume_init()] };
    Some(Candidates { t_lo, t_hi, possible, certain, unbounded })
}

/// The three vertices, axis by axis.
#[inline(always)]
pub(crate) fn corners<V>(row: impl Fn(usize, usize) -> V) -> [[V; 3]; 3] {
    [
        [row(0, 0), row(0, 1), row(0, 2)],
        [row(1, 0), row(1, 1), row(1, 2)],
        [row(2, 0), row(2, 1), row(2, 2)],
    ]
}

/// What the test needs of a ray: of one ray in all lanes, or of one in each.
pub(crate) struct TriangleTerms<V> {
    /// In the order of the rows, as the shear.
    pub(crate) origin: [V; 3],
    pub(crate) shear: [V; 2],
    pub(crate) z_inverse: V,
    /// The range of the depth of a hit.
    pub(crate) z_min: V,
    pub(crate) z_max: V,
    /// A lower bound on `delta` (Lemma 22).
    pub(crate) delta: V,
}

impl<V: Vector> TriangleTerms<V> {
    /// Of rays whose numbers `of` loads, one number of all lanes at a time.
    #[inline(always)]
    pub(crate) fn of(of: impl Fn(fn(&RaySetup) -> f32) -> V, z_max: V) -> Self {
        Self {
            origin: [of(|ray| ray.origin[0]), of(|ray| ray.origin[1]), of(|ray| ray.origin[2])],
            shear: [of(|ray| ray.shear[0]), of(|ray| ray.shear[1])],
            z_inverse: of(|ray| ray.z_inverse),
            z_min: of(|ray| ray.z_min),
            z_max,
            delta: of(|ray| ray.delta),
        }
    }
}

/// A triangle's vertices in the space where the ray runs along the third axis.
pub(crate) struct Sheared<V> {
    pub(crate) vertices: [[V; 3]; 3],
    /// The largest magnitude on the first two axes, and on the third.
    pub(crate) m: V,
    pub(crate) depth: V,
    /// The error bound of a coordinate, and the part of it that the depths give (Lemmas 22 and 23).
    pub(crate) delta: V,
    pub(crate) base: V,
}

impl<V: Vector> Sheared<V> {
    /// From a ray's origin and shears, and a lower bound on `delta`.
    #[inline(always)]
    pub(crate) fn of(
        origin: &[V; 3],
        shear: &[V; 2],
        least_delta: V,
        corners: [[V; 3]; 3],
    ) -> Self {
        let [a, b, c] = corners;
        let [a, b, c] =
            [sheared(origin, shear, a), sheared(origin, shear, b), sheared(origin, shear, c)];
        let m = a[0].greater_size(a[1]).max_nonneg(b[0].greater_size(b[1]));
        let m = m.max_nonneg(c[0].greater_size(c[1]));
        let depth = a[2].greater_size(b[2]).greater_size(c[2]);
        let unit = V::splat(m.isa(), 6.0 * EPSILON);
        let base = depth.mul_add(unit, least_delta);
        Self { vertices: [a, b, c], m, depth, delta: m.mul_add(unit, base), base }
    }
}

#[inline(always)]
fn sheared<V: Vector>(origin: &[V; 3], shear: &[V; 2], [x, y, z]: [V; 3]) -> [V; 3] {
    let z = z.sub(origin[2]);
    let x = z.mul_sub_from(shear[0], x.sub(origin[0]));
    let y = z.mul_sub_from(shear[1], y.sub(origin[1]));
    [x, y, z]
}

/// The result of the test of each lane's triangle and ray.
pub(crate) struct Verdict<V> {
    /// As in [`Candidates`].
    pub(crate) possible: u32,
    pub(crate) certain: u32,
    pub(crate) unbounded: u32,
    pub(crate) t_lo: V,
    pub(crate) t_hi: V,
}

impl<V: Vector> Verdict<V> {
    /// From bits for rays that may pass inside and that certainly do, for depths that may be in
    /// range and that certainly are, and for triangles seen edge-on, whose depths mean nothing. The
    /// bounds on the depths are multiplied by `size`, the size of the sum of the edge functions;
    /// `pad` is not.
    #[inline(always)]
    pub(crate) fn of(
        [inside, within]: [u32; 2],
        [between, certainly_between]: [u32; 2],
        edge_on: u32,
        [t_lo, t_hi]: [V; 2],
        (size, pad, z_inverse): (V, V, V),
    ) -> Self {
        let z_inverse = z_inverse.abs();
        let scale = z_inverse.div(size);
        let pad = pad.mul(z_inverse);
        let possible = inside & (edge_on | between);
        Self {
            possible,
            certain: within & certainly_between & !edge_on,
            unbounded: possible & edge_on,
            t_lo: t_lo.mul_add(scale, pad.negative()),
            t_hi: t_hi.mul_add(scale, pad),
        }
    }
}

/// The first half of the test: on which side of the edges the ray passes.
pub(crate) struct Edges<V> {
    /// A bit for each lane whose ray may pass inside the triangle.
    pub(crate) inside: u32,
    /// The edge functions, what [`outside`] makes of them, and the vertices' depths.
    values: [V; 3],
    outside: V,
    depths: [V; 3],
    /// The error bounds of a coordinate and of an edge function.
    delta: V,
    tolerance: V,
}

impl<V: Vector> Edges<V> {
    #[inline(always)]
    pub(crate) fn of(ray: &TriangleTerms<V>, corners: [[V; 3]; 3]) -> Self {
        let sheared = Sheared::of(&ray.origin, &ray.shear, ray.delta, corners);
        let Sheared { m, delta, .. } = sheared;
        let [[ax, ay, az], [bx, by, bz], [cx, cy, cz]] = sheared.vertices;

        let u = cy.mul_sub_from(bx, cx.mul(by));
        let v = ay.mul_sub_from(cx, ax.mul(cy));
        let w = by.mul_sub_from(ax, bx.mul(ay));
        let outside = outside(u, v, w);

        let isa = m.isa();
        // `m` is known last, and a branch waits for this: so the shortest way from `m`.
        let tolerance =
            m.mul_add(V::splat(isa, 5.0), sheared.base.mul(V::splat(isa, 3.0))).mul(delta);
        Self {
            inside: outside.le(tolerance),
            values: [u, v, w],
            outside,
            depths: [az, bz, cz],
            delta,
            tolerance,
        }
    }

    /// The second half: whether the depth is in range.
    #[inline(always)]
    pub(crate) fn judge(self, ray: &TriangleTerms<V>) -> Verdict<V> {
        let Self { delta, tolerance, .. } = self;
        let ([u, v, w], [az, bz, cz]) = (self.values, self.depths);
        let (isa, det) = (delta.isa(), u.add(v).add(w));
        let size = det.abs();
        let depth = cz.mul_add(w, bz.mul_add(v, az.mul(u)));
        let depth = depth.flip_sign(det.mul(ray.z_inverse));
        let slack = slack(extent(az, bz, cz), delta, tolerance);
        let (t_lo, t_hi) = (depth.sub(slack), depth.add(slack));

        let pad = delta.add(delta);
        // A NaN here has an infinite bound and a size of zero: that is edge-on.
        let about = size.mul(pad);
        let at = |z: V, off: V| size.mul_add(z, off);
        let edge_on = size.le(tolerance.mul(V::splat(isa, EDGE_ON)));
        let between =
            V::both_le((t_lo, at(ray.z_max, about)), (at(ray.z_min, about.negative()), t_hi));
        let within = self.outside.le(tolerance.negative());
        let certainly_between =
            V::both_le((t_hi, at(ray.z_max, about.negative())), (at(ray.z_min, about), t_lo));

        Verdict::of(
            [self.inside, within],
            [between, certainly_between],
            edge_on,
            [t_lo, t_hi],
            (size, pad.add(pad), ray.z_inverse),
        )
    }
}

/// How far outside of triangles rays pass, in units of the edge functions: negative inside, where
/// all three have one sign, the smallest magnitude; else the magnitude of those with the other
/// sign, for the orientation where that is smaller.
#[inline(always)]
pub(crate) fn outside<V: Vector>(u: V, v: V, w: V) -> V {
    let (low, high) = (u.min(v).min(w), u.max(v).max(w));
    high.min(low.negative())
}

/// The extents of triangles on an axis.
#[inline(always)]
pub(crate) fn extent<V: Vector>(a: V, b: V, c: V) -> V {
    a.max(b).max(c).sub(a.min(b).min(c))
}

/// The error bound of a depth, multiplied by the sum of the edge functions (Lemma 24): from the
/// range of the vertices' depths, the error bound of a coordinate, and the error bound of an edge
/// function.
#[inline(always)]
pub(crate) fn slack<V: Vector>(range: V, delta: V, tolerance: V) -> V {
    let isa = range.isa();
    range.mul_add(V::splat(isa, 2.0), delta.mul(V::splat(isa, 6.0))).mul(tolerance)
}

/// Offers a collector the triangles of a block that the ray may hit. `false` ends the walk.
#[inline(always)]
pub(crate) fn offer_candidates<V: Collector>(
    ray: &Ray,
    block: &LeafBlock,
    index: u32,
    candidates: &Candidates,
    collector: &mut V,
) -> bool {
    if candidates.certain != 0 {
        let mut lane = candidates.certain.trailing_zeros() as usize % LANES;
        let mut possible = candidates.possible;
        if V::ORDERED && possible & (possible - 1) != 0 {
            (lane, possible) = nearest(candidates);
        }
        let certain = CertainHit {
            slot: index * LANES as u32 + lane as u32,
            t_lo: candidates.t_lo[lane],
            t_hi: candidates.t_hi[lane],
        };
        let alone = possible & (possible - 1) == 0;
        if alone || !V::ORDERED {
            match collector.offer_certain(certain) {
                Offered::Done => return false,
                Offered::Taken if alone => return true,
                Offered::Taken | Offered::Unclear => {}
            }
        }
    }
    resolve_exact(ray, block, index, candidates.possible, collector)
}

/// Of the certain hits, the one with the smallest upper bound; and a bit for each triangle that may
/// be no farther.
#[inline(always)]
fn nearest(candidates: &Candidates) -> (usize, u8) {
    let mut rest = candidates.certain;
    let mut nearest = rest.trailing_zeros() as usize % LANES;
    while rest != 0 {
        let lane = rest.trailing_zeros() as usize % LANES;
        rest &= rest - 1;
        if candidates.t_hi[lane] < candidates.t_hi[nearest] {
            nearest = lane;
        }
    }
    let mut later = 0u8;
    for lane in 0..LANES {
        later |= u8::from(candidates.t_lo[lane] > candidates.t_hi[nearest]) << lane;
    }
    (nearest, candidates.possible & (candidates.unbounded | !later))
}

/// Tests the triangles with these bits exactly, and offers those that are hit. `false` ends the
/// walk. Rarely needed, so kept out of the walk.
#[inline(never)]
pub(crate) fn resolve_exact<V: Collector>(
    ray: &Ray,
    block: &LeafBlock,
    index: u32,
    mut mask: u8,
    collector: &mut V,
) -> bool {
    collector.resolve(ray);
    while mask != 0 {
        let lane = mask.trailing_zeros();
        mask &= mask - 1;
        if !offer_exact(ray, block, index, lane, collector) {
            return false;
        }
    }
    true
}
