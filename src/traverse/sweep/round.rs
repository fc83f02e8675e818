//! Which triangles of a leaf block a sphere or capsule that moves may touch, and when it may touch
//! boxes, by axes that may separate them.
//!
//! It may name too much, never too little. What remains is decided by
//! [`Sweep`](crate::geometry::Sweep), so kernels cannot differ.

#[cfg(test)]
mod bounds;

use super::setup::{LARGE, largest};
use crate::array::Each;
use crate::bvh::{LANES, LeafBlock};
use crate::geometry::round_up;
use crate::simd::{Isa, Vector, opaque};
use crate::traverse::ray::setup::EPSILON;
use crate::traverse::vectors::{add, cross, dot, on_edge, scale_add, size, sub};

/// All within a radius of a segment, which moves along `motion`. Around the segment is a box of
/// what it loses in rounding.
///
/// Coordinates are scaled by a power of two, so that none of a triangle is larger than 4, nor is
/// the motion. Of a larger shape the part up to [`LARGE`] counts: nothing else is that far.
///
/// **Lemma 90 (swept axes).** Let `e = 2^-24`. An axis may be any direction: what shape and
/// triangle are on it is computed of the axis as it is rounded. Let `s` be the sum of its numbers'
/// magnitudes, `h` the largest coordinate of a vertex as seen from the center, and `m` the largest
/// coordinate of half the box, half the segment and the motion together. A vertex is off by `e h`
/// along each coordinate, its height by `4 e s h` in all. The heights of motion, box and segment
/// are off by `4 e s m`, and the time of a contact, which is rounded once, moves the shape by `e s
/// m`. Adding them up rounds three times more, by `e s (h + m)` each. That is less than [`ROOM`]
/// times `s (h + m)`. What then is left between the shape without its radius and the triangle is
/// compared with the radius by squares: six more roundings, for which the square of the radius has
/// room. What underflows is less than `TINY`.
///
/// The same holds for a box and its planes. A round shape touches it on an axis `w` no sooner than
/// the gap, without `r |w|`, is used up at the shape's speed along `w`: three roundings more. Half
/// of `w^2 + r^2` is no less than `r |w|`, and hardly more where the shape is near.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoundSweep {
    scale: f32,
    /// The negative of the center.
    minus: [f32; 3],
    half: [f32; 3],
    segment: [f32; 3],
    motion: [f32; 3],
    /// Of the segment's length, the inverse of its square.
    inverse: f32,
    square: f32,
    /// The largest magnitudes of box, segment and motion, added.
    far: f32,
}

const ROOM: f32 = 12.0 * EPSILON;
const TINY: f32 = 1.0 / (1u128 << 120) as f32;

impl RoundSweep {
    pub(super) fn new(scale: f32, ends: &[[f64; 3]; 2], radius: f64, motion: [f32; 3]) -> Self {
        let scaled = |x: f64| (x * f64::from(scale)).clamp(-LARGE, LARGE);
        let ends = ends.each(|end| end.each(scaled));
        let (mut minus, mut half, mut segment) = ([0.0; 3], [0.0; 3], [0.0; 3]);
        for k in 0..3 {
            let center = (ends[0][k] + ends[1][k]) * 0.5;
            let along = (ends[1][k] - ends[0][k]) * 0.5;
            (minus[k], segment[k]) = (-center as f32, along as f32);
            let off = (center + f64::from(minus[k])).abs() + (along - f64::from(segment[k])).abs();
            half[k] = round_up(off);
        }
        let [x, y, z] = segment;
        let square = x * x + y * y + z * z;
        let inverse = if square > TINY { 1.0 / square } else { 0.0 };
        let radius = round_up(scaled(radius));
        let square = radius * radius * (1.0 + 16.0 * EPSILON);
        let motion = motion.each(|x| x * scale);
        let far = largest(half) + largest(segment) + largest(motion);
        Self { scale, minus, half, segment, motion, inverse, square, far }
    }

    /// The triangles that are certainly not touched at `bound` or before.
    #[inline(always)]
    pub(super) fn apart<I: Isa>(&self, isa: I, block: &LeafBlock, bound: f32) -> u32 {
        let test = RoundTest::<I::Leaf>::new(isa, opaque(self), bound);
        let [a, b, c] = &block.vertex;
        let mut mask = 0;
        let mut first = 0;
        while first < LANES {
            let load = |row: &[f32; LANES]| I::Leaf::load_at(isa, row, first);
            let x = [load(&a[0]), load(&b[0]), load(&c[0])];
            let y = [load(&a[1]), load(&b[1]), load(&c[1])];
            let z = [load(&a[2]), load(&b[2]), load(&c[2])];
            mask |= test.apart([x, y, z]) << first;
            first += I::Leaf::LANES;
        }
        mask
    }
}

/// The same in registers, and up to a time.
pub(super) struct RoundTest<V> {
    scale: V,
    minus: [V; 3],
    half: [V; 3],
    segment: [V; 3],
    motion: [V; 3],
    inverse: V,
    square: V,
    far: V,
    limit: V,
}

impl<V: Vector> RoundTest<V> {
    #[inline(always)]
    pub(super) fn new(isa: V::Isa, sweep: &RoundSweep, limit: f32) -> Self {
        let splat = |x: f32| V::splat(isa, x);
        let three = |[x, y, z]: [f32; 3]| [splat(x), splat(y), splat(z)];
        Self {
            scale: splat(sweep.scale),
            minus: three(sweep.minus),
            half: three(sweep.half),
            segment: three(sweep.segment),
            motion: three(sweep.motion),
            inverse: splat(sweep.inverse),
            square: splat(sweep.square),
            far: splat(sweep.far),
            limit: splat(limit),
        }
    }

    /// The triangles, given by coordinate and vertex, that one of their five axes keeps apart from
    /// the shape: the normal, those across the motion and an edge, and the way to the triangle from
    /// where the shape is last.
    #[inline(always)]
    fn apart(&self, [x, y, z]: [[V; 3]; 3]) -> u32 {
        let vertices = [
            self.seen([x[0], y[0], z[0]]),
            self.seen([x[1], y[1], z[1]]),
            self.seen([x[2], y[2], z[2]]),
        ];
        let [a, b, c] = vertices;
        let far = size(a).max(size(b)).max(size(c)).add(self.far);
        let (e1, e2, e3) = (sub(b, a), sub(c, a), sub(c, b));
        self.is_apart_on(self.way_to(vertices), &vertices, far)
            | self.is_apart_on(cross(e1, e2), &vertices, far)
            | self.is_apart_on(cross(self.motion, e1), &vertices, far)
            | self.is_apart_on(cross(self.motion, e2), &vertices, far)
            | self.is_apart_on(cross(self.motion, e3), &vertices, far)
    }

    /// A point as seen from the center.
    #[inline(always)]
    fn seen(&self, point: [V; 3]) -> [V; 3] {
        scale_add(point, self.scale, self.minus)
    }

    /// About the shortest way from the segment, at the limit, to the triangle. It is found by
    /// going from the one to the other and back (von Neumann, "Functional Operators 2", 1950).
    #[inline(always)]
    fn way_to(&self, [a, b, c]: [[V; 3]; 3]) -> [V; 3] {
        let third = V::splat(self.scale.isa(), 1.0 / 3.0);
        let moved = mul(self.motion, self.limit);
        let middle = mul(add(a, add(b, c)), third);
        let from = add(moved, self.nearest(sub(middle, moved)));
        let to = add(from, nearest_to_zero([sub(a, from), sub(b, from), sub(c, from)]));
        let to = sub(to, moved);
        sub(to, self.nearest(to))
    }

    /// About the point of the segment that is nearest to a point.
    #[inline(always)]
    fn nearest(&self, point: [V; 3]) -> [V; 3] {
        let splat = |x: f32| V::splat(self.scale.isa(), x);
        let along = dot(point, self.segment).mul(self.inverse);
        let along = along.max(splat(-1.0)).min(splat(1.0));
        let [x, y, z] = point;
        let inside = [
            x.max(self.half[0].negative()).min(self.half[0]),
            y.max(self.half[1].negative()).min(self.half[1]),
            z.max(self.half[2].negative()).min(self.half[2]),
        ];
        add(inside, mul(self.segment, along))
    }

    /// A time before which the shape does not touch each box, by about the shortest way to it at a
    /// time. Anything, but never too late, if that is no time.
    #[inline(always)]
    pub(super) fn box_is_touched_from(&self, low: [V; 3], high: [V; 3], at: V) -> V {
        let splat = |x: f32| V::splat(self.scale.isa(), x);
        let (low, high) = (self.seen(low), self.seen(high));
        let moved = mul(self.motion, at);
        let from = add(moved, self.nearest(sub(mul(add(low, high), splat(0.5)), moved)));
        let to = sub(clamp(from, low, high), moved);
        let way = sub(to, self.nearest(to));

        let least = [
            way[0].mul(low[0]).min(way[0].mul(high[0])),
            way[1].mul(low[1]).min(way[1].mul(high[1])),
            way[2].mul(low[2]).min(way[2].mul(high[2])),
        ];
        let far = size(low).max(size(high)).add(self.far);
        let (solid, room) = self.solid(way, far);
        let room = room.mul(splat(ROOM)).add(splat(TINY));
        let radius = dot(way, way).add(self.square).mul(splat(0.5 + 8.0 * EPSILON));
        let gap = least[0].add(least[1]).add(least[2]).sub(solid).sub(radius).sub(room);
        let speed = dot(way, self.motion).max(splat(TINY));
        gap.div(speed).mul(splat(1.0 - 8.0 * EPSILON))
    }

    #[inline(always)]
    fn is_apart_on(&self, axis: [V; 3], vertices: &[[V; 3]; 3], far: V) -> u32 {
        let splat = |x: f32| V::splat(self.scale.isa(), x);
        let (gap, room) = self.gap(axis, vertices, far);
        let gap = gap.sub(room.mul(splat(ROOM))).sub(splat(TINY)).max(splat(0.0));
        // Where something overflows, this is false.
        self.square.mul(dot(axis, axis)).add(splat(TINY)).le(gap.mul(gap))
    }

    /// How far the shape without its radius stays away from the triangle on an axis, on its whole
    /// way, and what that may be off by, in units of [`ROOM`].
    #[inline(always)]
    fn gap(&self, axis: [V; 3], vertices: &[[V; 3]; 3], far: V) -> (V, V) {
        let zero = V::splat(self.scale.isa(), 0.0);
        let [a, b, c] = *vertices;
        let (a, b, c) = (dot(axis, a), dot(axis, b), dot(axis, c));
        let along = dot(axis, self.motion).mul(self.limit);
        let above = a.min(b).min(c).sub(along.max(zero));
        let below = along.min(zero).sub(a.max(b).max(c));
        let (solid, room) = self.solid(axis, far);
        (above.max(below).sub(solid), room)
    }

    /// How far the shape without its radius reaches from its center on an axis, and what heights
    /// there may be off by, in units of [`ROOM`].
    #[inline(always)]
    fn solid(&self, axis: [V; 3], far: V) -> (V, V) {
        let [x, y, z] = [axis[0].abs(), axis[1].abs(), axis[2].abs()];
        let solid = dot([x, y, z], self.half).add(dot(axis, self.segment).abs());
        (solid, x.add(y).add(z).mul(far))
    }
}

/// About the point of each triangle that is nearest to zero.
#[inline(always)]
fn nearest_to_zero<V: Vector>([a, b, c]: [[V; 3]; 3]) -> [V; 3] {
    let splat = |x: f32| V::splat(a[0].isa(), x);
    let (ab, ac, bc) = (sub(b, a), sub(c, a), sub(c, b));
    let (ab_square, ac_square) = (dot(ab, ab), dot(ac, ac));
    let (ab_along, ac_along) = (dot(a, ab).negative(), dot(a, ac).negative());
    let mut nearest = on_edge(a, ab, ab_along, ab_square);
    nearest = nearer(nearest, on_edge(a, ac, ac_along, ac_square), !0);
    nearest = nearer(nearest, on_edge(b, bc, dot(b, bc).negative(), dot(bc, bc)), !0);

    let between = dot(ab, ac);
    let whole = splat(1.0).div(ab_square.mul(ac_square).sub(between.mul(between)));
    let part_b = ac_square.mul(ab_along).sub(between.mul(ac_along)).mul(whole);
    let part_c = ab_square.mul(ac_along).sub(between.mul(ab_along)).mul(whole);
    let zero = splat(0.0);
    let inside = zero.le(part_b) & zero.le(part_c) & part_b.add(part_c).le(splat(1.0));
    nearer(nearest, add(a, add(mul(ab, part_b), mul(ac, part_c))), inside)
}

/// The one that is nearer to zero: the second only where bits are set.
#[inline(always)]
fn nearer<V: Vector>(one: [V; 3], other: [V; 3], bits: u32) -> [V; 3] {
    let bits = bits & dot(other, other).le(dot(one, one));
    [one[0].choose(other[0], bits), one[1].choose(other[1], bits), one[2].choose(other[2], bits)]
}

#[inline(always)]
fn clamp<V: Vector>(v: [V; 3], low: [V; 3], high: [V; 3]) -> [V; 3] {
    [v[0].max(low[0]).min(high[0]), v[1].max(low[1]).min(high[1]), v[2].max(low[2]).min(high[2])]
}

#[inline(always)]
fn mul<V: Vector>(a: [V; 3], by: V) -> [V; 3] {
    [a[0].mul(by), a[1].mul(by), a[2].mul(by)]
}
