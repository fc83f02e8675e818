//! Eight triangles at once: which of them may the ray hit?
//!
//! The answer only has to be *no fewer* than the truth. Whoever remains is decided by
//! [`intersect_exact`](crate::geometry::intersect_exact), the reference itself, so kernels
//! cannot differ.
//!
//! # The bound
//!
//! The vertices are moved so that the ray starts at the origin and sheared so that it runs
//! along the third axis (Woop, Benthin and Wald 2013). With `e = 2^-24` and `r` the greatest
//! distance of a vertex of the triangle on any axis, a sheared coordinate is off by at most `7 e r`.
//! `r` is at most the largest sheared coordinate, `m`, and the largest depth together, because no
//! shear is larger than 1; so the error is less than `delta = 8 e (m + depth)`, to which a little is
//! added that keeps the products below out of underflow. An edge function is then off by at most
//! `4 delta m + 2 delta^2` from its factors and `4 e m^2 <= delta m` from its own roundings,
//! less than `tolerance = delta (6 m + 3 base)`, where `base` is `delta` without `8 e m`: what `3 base`
//! lacks of `3 delta` is made up for by `m`. A ray that hits has all three true values
//! `>= 0` or all `<= 0`, so all three computed ones `>= -tolerance` or all `<= tolerance`.
//!
//! The depth of a hit is a mean of the vertices' depths, weighted with the edge functions.
//! Multiplied by their sum, it is off by at most three tolerances times the range of the
//! depths, `10 e r` times the sum, and terms of higher order, all of which the test below
//! allows for. The sum itself is off by less than four tolerances: where it is no larger than
//! eight, its sign means nothing and the depth is not looked at. (The bounds that the depth is
//! compared with are rounded, too, by a part of themselves: by less than `2 e r` where they are at
//! most `2 r`, and where they are larger the hit is nearer beyond doubt.)
//!
//! Read the other way, the same bounds tell which triangles are *certain* to be hit, and between
//! which `t`. A query that wants the nearest hit need not ask the reference about those before it
//! knows which of them it returns.

use std::mem::MaybeUninit;

use super::setup::{EPSILON, RaySetup};
use crate::bvh::{LANES, LeafBlock};
use crate::geometry::Ray;
use crate::simd::Vector;
use crate::traverse::collect::collector::{CertainHit, Collector, Offered, offer_exact};

/// What is known of a block's triangles before the reference is asked.
#[repr(C, align(32))]
pub(crate) struct Candidates {
    /// Bounds on the `t` of the triangles that may be hit, if they are.
    pub(crate) t_lo: [f32; LANES],
    pub(crate) t_hi: [f32; LANES],
    /// A bit for each triangle that the ray may hit at `t_min <= t <= t_max`. Never a bit of an
    /// unused lane: comparisons with its NaNs are false.
    pub(crate) possible: u8,
    /// A bit for each of them that it is certain to hit, and there.
    pub(crate) certain: u8,
    /// A bit for each of them that it may hit anywhere: of those the bounds say nothing.
    pub(crate) unbounded: u8,
}

const _: () = assert!(LANES <= u8::BITS as usize);

/// Looks at all triangles of a block; `None` if the ray may hit none of them.
#[inline(always)]
pub(crate) fn leaf_candidates<V: Vector>(
    isa: V::Isa,
    ray: &RaySetup,
    block: &LeafBlock,
    t_max: f32,
) -> Option<Candidates> {
    let splat = |x: f32| V::splat(isa, x);
    let terms = TriangleTerms::of(|number| splat(number(ray)), splat(ray.z_max(t_max)));
    let (mut possible, mut certain, mut unbounded) = (0, 0, 0);
    // (Not zeroed: where one vector is a whole block, a compiler then writes nothing of one that is ruled out.)
    let mut bounds = [const { MaybeUninit::<[f32; LANES]>::uninit() }; 2];
    let mut first = 0;
    while first < LANES {
        let row = |which: usize, k: usize| V::load_at(isa, ray.row.of(block, which, k), first);
        let edges = Edges::of(&terms, corners(row));
        let [t_lo, t_hi] = if edges.inside == 0 {
            [splat(0.0); 2]
        } else {
            let verdict = edges.judge(&terms);
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

/// What the test needs of a ray: of the same in every lane, or of another in each.
pub(crate) struct TriangleTerms<V> {
    /// In the order of the rows, as below.
    pub(crate) origin: [V; 3],
    pub(crate) shear: [V; 2],
    pub(crate) z_inverse: V,
    /// The least and the greatest depth of a hit.
    pub(crate) z_min: V,
    pub(crate) z_max: V,
    /// What the bound on the error of a sheared coordinate is at least.
    pub(crate) delta: V,
}

impl<V: Vector> TriangleTerms<V> {
    /// Of rays whose numbers are brought one by one.
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

/// A triangle's vertices in the space where a ray runs along the third axis.
pub(crate) struct Sheared<V> {
    pub(crate) vertices: [[V; 3]; 3],
    /// The largest size on the first two axes, and on the third.
    pub(crate) m: V,
    pub(crate) depth: V,
    /// The bound on the error of a coordinate, and what is known of it by the depths alone.
    pub(crate) delta: V,
    pub(crate) base: V,
}

impl<V: Vector> Sheared<V> {
    /// By a ray's origin and shears, and what `delta` is at least.
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
        let unit = V::splat(m.isa(), 8.0 * EPSILON);
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

/// What is known of each lane's triangle and ray.
pub(crate) struct Verdict<V> {
    /// As in [`Candidates`].
    pub(crate) possible: u32,
    pub(crate) certain: u32,
    pub(crate) unbounded: u32,
    pub(crate) t_lo: V,
    pub(crate) t_hi: V,
}

impl<V: Vector> Verdict<V> {
    /// By bits for whose ray may pass inside and does for certain, and is there in time, may be and for certain;
    /// and for those that are seen edge-on, of which the depth says nothing. The depths, the least and the most
    /// that they may be, are multiplied by the sizes of the sums of the edge functions; `pad` is not.
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

/// The first half of the test: where the ray passes the edges.
pub(crate) struct Edges<V> {
    /// A bit for each lane whose ray may pass inside.
    pub(crate) inside: u32,
    /// The edge functions, how far outside they tell the ray to be, and the vertices' depths.
    values: [V; 3],
    outside: V,
    depths: [V; 3],
    /// The bounds on the error of a coordinate and of an edge function.
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
        // `m` is known last, and whoever asks waits for the branch that comes of this: the shortest
        // way from there.
        let tolerance =
            m.mul_add(V::splat(isa, 6.0), sheared.base.mul(V::splat(isa, 3.0))).mul(delta);
        Self {
            inside: outside.le(tolerance),
            values: [u, v, w],
            outside,
            depths: [az, bz, cz],
            delta,
            tolerance,
        }
    }

    /// The second half: how far away the triangles are.
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
        // (Where that is no number, a bound is infinite and the size zero: edge-on.)
        let about = size.mul(pad);
        let at = |z: V, off: V| size.mul_add(z, off);
        let edge_on = size.le(tolerance.mul(V::splat(isa, 8.0)));
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

/// Whether rays pass inside, by the edge functions: negative where all three have one sign, and by how much
/// the nearest to none of them has it; else by how much one has the other sign, whichever way round that is less.
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

/// How far a depth, multiplied by the sum of the edge functions, may be off: by their tolerance, the range of the
/// vertices' depths, and the error of a coordinate.
#[inline(always)]
pub(crate) fn slack<V: Vector>(range: V, delta: V, tolerance: V) -> V {
    let isa = range.isa();
    range.mul_add(V::splat(isa, 4.0), delta.mul(V::splat(isa, 12.0))).mul(tolerance)
}

/// Takes a block's triangles that the ray may hit; `false` ends the walk.
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

/// Of the triangles that the ray is sure to hit, the one that is met at the latest first; and all that
/// may be met no later.
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

/// Asks the reference about each of some triangles. Rarely needed, so kept out of the walk.
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
