//! When a moving box may touch the triangles of a leaf block.
//!
//! Times may be too early, never too late, and a triangle that is touched always has one.

use super::moving_box::{SPREAD, SweepBox};
use super::setup::{SPARE, TINY, Touches, limit};
use crate::bvh::{LANES, LeafBlock};
use crate::simd::{Isa, Vector, opaque};
use crate::traverse::ray::setup::EPSILON;
use crate::traverse::vectors::{cross, dot, scale_add, size, splat_rows, sub, turned};

#[cfg(test)]
mod bounds;

/// What heights may be off by, for each unit of an axis and of the farthest coordinate.
///
/// **Lemma 102 (times of boxes).** Let `e = 2^-24`, `h` be the largest coordinate of a vertex as
/// seen from the center, and `m` the largest coordinates of half the box and of the motion, added.
/// A vertex is off by `e h` along each coordinate: in turned axes `h` is [`SPREAD`] times as large
/// for that. The axes are the axes of `TurnedBox`: besides the axes of the box, which
/// [`SweepSetup`](super::setup::SweepSetup) has if it is not turned, the triangle's normal
/// and nine across an edge of each. An axis may be any direction; let `s` be the sum of its
/// numbers' magnitudes as they are rounded. Box and triangle touch on it while `|mid - speed t| <=
/// half`.
///
/// Across an edge from `u` to `v` the heights of these two are the same, but for the roundings of
/// the edge and of the vertices: `4 e s h`. The third vertex is higher by a number that is off by
/// `8 e s h`: half of it goes into `mid`, half into `half`. The height of `u` is off by `6 e s h`
/// with the sum that makes `mid` of it. `half` rounds sums of `s (h + m)` four times, and products
/// of `s m` twice. The speed is off by `3 e s m`, for a time up to 1. Both are divided by the
/// speed: that rounds `e (|mid| + half)`, which is `3 e s (h + m)` or less. All of this is less
/// than 34 times `e s (h + m)`. On the normal, all three heights are computed: each is off by
/// `4 e s h`, the rest is the same.
///
/// The inverse of the speed and the last sum are rounded in parts of the time, for which [`SPARE`]
/// has room. A speed that is less than [`LEAST_SPEED`] counts as that: this moves heights by no
/// more. What underflows is less, too.
pub(super) const ROOM: f32 = 36.0 * EPSILON;
pub(super) const LEAST_SPEED: f32 = 1.0 / (1u128 << 90) as f32;

impl SweepBox {
    /// Leaves the triangles that may be touched at `bound` or before, with times that are nearly
    /// right.
    #[inline(always)]
    pub(super) fn narrow<I: Isa>(
        &self,
        isa: I,
        block: &LeafBlock,
        touches: &mut Touches,
        bound: f32,
    ) {
        let test = TimesTest::<I::Leaf>::new(isa, opaque(self));
        let limit = I::Leaf::splat(isa, limit(bound));
        let [a, b, c] = &block.vertex;
        let mut mask = 0;
        let mut first = 0;
        while first < LANES {
            let load = |row: &[f32; LANES]| I::Leaf::load_at(isa, row, first);
            let corners = [
                [load(&a[0]), load(&a[1]), load(&a[2])],
                [load(&b[0]), load(&b[1]), load(&b[2])],
                [load(&c[0]), load(&c[1]), load(&c[2])],
            ];
            let times = (load(&touches.enters), load(&touches.exits));
            let (enter, exit) = test.interval(corners, times);
            enter.replace_at(&mut touches.enters, first);
            mask |= enter.le(exit.min(limit)) << first;
            first += I::Leaf::LANES;
        }
        touches.mask &= mask;
    }
}

/// The box in registers. Sizes and ways are doubled, so that nothing has to be halved.
struct TimesTest<V> {
    scale: V,
    minus: [V; 3],
    rows: Option<[[V; 3]; 3]>,
    sides: [V; 3],
    motion: [V; 3],
    far: V,
}

impl<V: Vector> TimesTest<V> {
    #[inline(always)]
    fn new(isa: V::Isa, moving: &SweepBox) -> Self {
        let twice = |x: f32| V::splat(isa, x + x);
        let [a, b, c] = moving.minus;
        let ([d, e, f], [g, h, i]) = (moving.half, moving.motion);
        Self {
            scale: V::splat(isa, moving.scale),
            minus: [V::splat(isa, a), V::splat(isa, b), V::splat(isa, c)],
            rows: moving.rows.map(|rows| splat_rows(isa, &rows)),
            sides: [twice(d), twice(e), twice(f)],
            motion: [twice(g), twice(h), twice(i)],
            far: V::splat(isa, moving.far),
        }
    }

    /// When each triangle may first and last be touched, given the same for the boxes around them.
    #[inline(always)]
    fn interval(&self, corners: [[V; 3]; 3], times: (V, V)) -> (V, V) {
        let [a, b, c] = [self.seen(corners[0]), self.seen(corners[1]), self.seen(corners[2])];
        let far = size(a).max(size(b)).max(size(c));
        let ([a, b, c], far) = match &self.rows {
            None => ([a, b, c], far),
            Some(rows) => {
                let corners = [turned(rows, a), turned(rows, b), turned(rows, c)];
                (corners, far.mul(self.splat(SPREAD)))
            }
        };
        let room = far.add(self.far).mul(self.splat(2.0 * ROOM));
        let [x, y, z] = self.sides;
        let reach = [x.add(room), y.add(room), z.add(room)];
        // The box around all has these of a box along the axes.
        let times =
            if self.rows.is_some() { self.on_sides(times, [a, b, c], reach) } else { times };

        let (ab, bc, ca) = (sub(b, a), sub(c, b), sub(a, c));
        let times = narrow(times, self.on_normal(cross(ab, bc), [a, b, c], reach));
        let times = self.across_edge(times, a, ab, ca, reach);
        let times = self.across_edge(times, b, bc, ab, reach);
        let (enter, exit) = self.across_edge(times, c, ca, bc, reach);
        (enter, exit.mul_add(self.splat(SPARE), self.splat(TINY)))
    }

    /// A point as seen from the center.
    #[inline(always)]
    fn seen(&self, point: [V; 3]) -> [V; 3] {
        scale_add(point, self.scale, self.minus)
    }

    #[inline(always)]
    fn on_sides(&self, mut times: (V, V), [a, b, c]: [[V; 3]; 3], reach: [V; 3]) -> (V, V) {
        for k in 0..3 {
            let (low, high) = (a[k].min(b[k]).min(c[k]), a[k].max(b[k]).max(c[k]));
            let half = high.sub(low).add(reach[k].add(self.splat(2.0 * LEAST_SPEED)));
            let side = OnAxis { mid: low.add(high), half, speed: self.motion[k] };
            times = narrow(times, side);
        }
        times
    }

    #[inline(always)]
    fn on_normal(&self, axis: [V; 3], corners: [[V; 3]; 3], reach: [V; 3]) -> OnAxis<V> {
        let [a, b, c] = [dot(axis, corners[0]), dot(axis, corners[1]), dot(axis, corners[2])];
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        let reach = dot([axis[0].abs(), axis[1].abs(), axis[2].abs()], reach);
        let half = high.sub(low).add(reach.add(self.splat(2.0 * LEAST_SPEED)));
        OnAxis { mid: low.add(high), half, speed: dot(axis, self.motion) }
    }

    /// The three axes across an edge of the box and one that leads from `from` along `edge`. The
    /// edge before leads there along `before`, from the third vertex.
    #[inline(always)]
    fn across_edge(
        &self,
        times: (V, V),
        from: [V; 3],
        edge: [V; 3],
        before: [V; 3],
        reach: [V; 3],
    ) -> (V, V) {
        let from = [from[0].add(from[0]), from[1].add(from[1]), from[2].add(from[2])];
        let size = [edge[0].abs(), edge[1].abs(), edge[2].abs()];
        // What the third vertex is higher by, on each of the axes.
        let third = cross(before, edge);
        let times = narrow(times, self.across_edges::<0, 1, 2>(from, edge, size, third, reach));
        let times = narrow(times, self.across_edges::<1, 2, 0>(from, edge, size, third, reach));
        narrow(times, self.across_edges::<2, 0, 1>(from, edge, size, third, reach))
    }

    /// The axis across an edge of the box along coordinate `K`: the other two are `P` and `Q`.
    #[inline(always)]
    fn across_edges<const K: usize, const P: usize, const Q: usize>(
        &self,
        from: [V; 3],
        edge: [V; 3],
        size: [V; 3],
        third: [V; 3],
        reach: [V; 3],
    ) -> OnAxis<V> {
        let mid = edge[P].mul_add(from[Q], edge[Q].mul_sub_from(from[P], third[K]));
        let least = third[K].abs().add(self.splat(2.0 * LEAST_SPEED));
        let half = size[P].mul_add(reach[Q], size[Q].mul_add(reach[P], least));
        let speed = edge[Q].mul_sub_from(self.motion[P], edge[P].mul(self.motion[Q]));
        OnAxis { mid, half, speed }
    }

    #[inline(always)]
    fn splat(&self, x: f32) -> V {
        V::splat(self.scale.isa(), x)
    }
}

/// Box and triangle touch on an axis while `|mid - speed t| <= half`.
#[derive(Clone, Copy)]
struct OnAxis<V> {
    mid: V,
    half: V,
    speed: V,
}

/// Times narrowed by an axis. Nothing overflows: heights are below 2^38, as coordinates are below
/// 2^22 and edges below 16, and the inverse of a speed is at most 2^90.
#[inline(always)]
fn narrow<V: Vector>((enter, exit): (V, V), on: OnAxis<V>) -> (V, V) {
    let splat = |x: f32| V::splat(enter.isa(), x);
    let speed = on.speed.abs().max(splat(LEAST_SPEED)).flip_sign(on.speed);
    let inverse = splat(1.0).div(speed);
    let (at, part) = (on.mid.mul(inverse), inverse.abs());
    (on.half.mul_sub_from(part, at).max(enter), on.half.mul_add(part, at).min(exit))
}
