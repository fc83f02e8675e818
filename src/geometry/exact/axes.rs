//! Solids that move, and triangles, on all axes that may separate them.

use smallvec::SmallVec;

use super::bigint::Int3392;
use super::number::{Estimate, Number, Ordered, dot};
use crate::array::Each;
use crate::geometry::vec3_f64::Corners;

/// The solid touches the triangle on this axis while `low <= speed * t <= high`.
pub(in crate::geometry) struct Axis<N> {
    pub(in crate::geometry) normal: [N; 3],
    /// The heights of the triangle's vertices.
    pub(in crate::geometry) heights: [N; 3],
    /// The least and the greatest height of the solid.
    pub(in crate::geometry) solid: [N; 2],
    pub(in crate::geometry) low: N,
    pub(in crate::geometry) high: N,
    pub(in crate::geometry) speed: N,
}

impl<N: Ordered> Axis<N> {
    #[inline(always)]
    pub(super) fn new(
        normal: [N; 3],
        vertices: &[[N; 3]; 3],
        solid: [N; 2],
        motion: &[N; 3],
    ) -> Self {
        let heights = vertices.refs().each(|vertex| dot(&normal, vertex));
        Self::of(normal, heights, solid, dot(&normal, motion))
    }

    /// The same, from numbers on the axis.
    #[inline(always)]
    pub(super) fn of(normal: [N; 3], heights: [N; 3], solid: [N; 2], speed: N) -> Self {
        let [a, b, c] = &heights;
        let low = a.min(b).min(c).sub(&solid[1]);
        let high = a.max(b).max(c).sub(&solid[0]);
        Self { normal, heights, solid, low, high, speed }
    }
}

/// Numbers of axes, in order: as many as a hull may have, so that nothing is allocated.
pub(in crate::geometry) type Numbers = SmallVec<[u16; 1024]>;

/// A shape with faces and edges.
pub(in crate::geometry) trait Solid {
    type Axes<'a, N: Ordered>: Axes<N>
    where
        Self: 'a;

    /// All axes of the solid, its way and a triangle, in numbers of a kind.
    fn axes<N: Ordered>(&self, motion: [f32; 3], corners: &Corners) -> Self::Axes<'_, N>;

    /// As [`first_touch`](Self::first_touch): `None` if it is in doubt.
    fn quick(&self, motion: [f32; 3], corners: &Corners, bound: f32) -> Option<Option<f32>>;

    /// As [`first_touch`](Self::first_touch), at any time up to 1.
    fn slow(&self, motion: [f32; 3], corners: &Corners) -> Option<f32>;

    /// Whether it touches a triangle on all axes by a time, or never does on one: as far as `f64`
    /// can tell. `moving` are its axes.
    #[inline]
    fn is_in_by(&self, moving: &Self::Axes<'_, f64>, last: f64) -> bool {
        (0..moving.count()).all(|number| {
            let Axis { low, high, speed, .. } = moving.axis(number);
            enters_by([low, high], speed, last)
        })
    }

    /// The numbers of the axes that matter: on the others it is never the last that it touches
    /// first, nor is a way out the shortest. `moving` are its axes.
    #[inline]
    fn axes_that_matter(&self, moving: &Self::Axes<'_, f64>) -> Numbers {
        (0..moving.count() as u16).collect()
    }

    /// The first time from 0 to 1 at which it touches a triangle, rounded once. `None` if it is
    /// after `bound`.
    #[inline(always)]
    fn first_touch(&self, motion: [f32; 3], corners: &Corners, bound: f32) -> Option<f32> {
        self.quick(motion, corners, bound)
            .unwrap_or_else(|| self.slow(motion, corners).filter(|&t| t <= bound))
    }
}

/// Whether `speed * t` gets from the one side into a range of heights by a time, or is never in it.
#[inline]
pub(super) fn enters_by([low, high]: [f64; 2], speed: f64, last: f64) -> bool {
    let at = if speed < 0.0 { high } else { low } / speed;
    at <= last || at.is_nan()
}

/// A solid, its way, and a triangle: the axes are enough to tell whether they are apart, at any
/// time. The first is the triangle's normal, then come the normals of the solid's faces. A normal
/// of zero separates nothing. Heights and speeds are doubled: halves would be rounded.
pub(in crate::geometry) trait Axes<N> {
    /// How many there are.
    fn count(&self) -> usize;
    /// How many faces there are.
    fn faces(&self) -> usize;
    fn axis(&self, number: usize) -> Axis<N>;
}

/// The first time from 0 to 1 at which a moving solid touches a triangle, rounded once; `None` if a
/// sign or a rounding is in doubt. Errors are multiplied by `doubt`.
#[inline(never)]
pub(super) fn estimate(moving: &dyn Axes<Estimate>, doubt: f64) -> Option<Option<f32>> {
    let error = |x: &Estimate| x.error() * doubt;
    // Bounds of the times between which all axes touch.
    let (mut enter, mut exit, mut is_sure) = ([0.0f64; 2], [1.0f64; 2], true);
    for number in 0..moving.count() {
        let Axis { mut low, mut high, mut speed, .. } = moving.axis(number);
        if speed.value < 0.0 {
            (low, high, speed) = (high.negative(), low.negative(), speed.negative());
        }
        let (slowest, fastest) = (speed.value - error(&speed), speed.value + error(&speed));
        if low.value - error(&low) > fastest || high.value + error(&high) < slowest.min(0.0) {
            return Some(None);
        }
        let is_in = low.value + error(&low) <= slowest.min(0.0);
        let stays = high.value - error(&high) >= fastest;
        if is_in && stays {
            continue;
        }
        if slowest <= 0.0 {
            is_sure = false;
            continue;
        }
        // The quotient is rounded too.
        let bounds = |at: Estimate| {
            let quotient = at.value / speed.value;
            let off = (error(&at) + quotient.abs() * error(&speed)) / slowest;
            let off = off * (1.0 + 8.0 * f64::EPSILON) + quotient.abs() * (2.0 * f64::EPSILON);
            let is_zero = at.value == 0.0 && error(&at) == 0.0;
            let off = if is_zero { 0.0 } else { off + f64::MIN_POSITIVE };
            [quotient - off, quotient + off]
        };
        if !is_in {
            let [least, most] = bounds(low);
            enter = [enter[0].max(least), enter[1].max(most)];
        }
        if !stays {
            let [least, most] = bounds(high);
            exit = [exit[0].min(least), exit[1].min(most)];
        }
    }
    if enter[0] > exit[1] {
        return Some(None);
    }
    let rounds_to = |t: f64| (t as f32).to_bits() == (enter[0] as f32).to_bits();
    let is_certain = is_sure && enter[1] <= exit[0] && rounds_to(enter[1]);
    // It does touch at the end of the interval, or a little later.
    let touches = |t: f64| t <= exit[0] && rounds_to(t) && common(moving, t, -4.0).is_some();
    (is_certain || touches(enter[1]) || touches(enter[1] + MOMENT)).then(|| Some(enter[0] as f32))
}

/// Less than most roundings of a time, and more than the roundings of `f64`.
const MOMENT: f64 = 1.0 / (1u64 << 36) as f64;

/// The middle of what the triangle and the solid have in common at `t`, as weights of the vertices
/// (Sutherland and Hodgman, "Reentrant Polygon Clipping", 1974). The solid is larger by some
/// errors, or smaller, if that is negative: then the point is certainly in it.
#[inline(never)]
pub(in crate::geometry) fn common(
    moving: &dyn Axes<Estimate>,
    t: f64,
    errors: f64,
) -> Option<[f64; 3]> {
    type Polygon = SmallVec<[[f64; 3]; 128]>;
    let (polygon, clipped) = (&mut Polygon::new(), &mut Polygon::new());
    let (mut polygon, mut clipped) = (polygon, clipped);
    polygon.extend([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    for number in 1..=moving.faces() {
        let Axis { heights, solid, speed, low, high, .. } = moving.axis(number);
        let heights = heights.refs().each(|height| height.value - speed.value * t);
        let slack = errors * (low.error().max(high.error()) + speed.error());
        for (side, most) in [(1.0, solid[1].value), (-1.0, -solid[0].value)] {
            let inside = |weights: &[f64; 3]| {
                let [a, b, c] = heights;
                most + slack - side * (a * weights[0] + b * weights[1] + c * weights[2])
            };
            // Clipped once more by the same plane, a point must not become two.
            let is_in = |height: f64| height >= -0.25 * slack.abs();
            clipped.clear();
            for (i, from) in polygon.iter().enumerate() {
                let to = &polygon[(i + 1) % polygon.len()];
                let (here, there) = (inside(from), inside(to));
                if is_in(here) {
                    clipped.push(*from);
                }
                if is_in(here) != is_in(there) {
                    let part = (here / (here - there)).clamp(0.0, 1.0);
                    clipped.push([0, 1, 2].each(|k| from[k] + (to[k] - from[k]) * part));
                }
            }
            std::mem::swap(&mut polygon, &mut clipped);
        }
    }
    let sum = |k: usize| polygon.iter().fold(0.0, |sum, weights| sum + weights[k]);
    (!polygon.is_empty()).then(|| [0, 1, 2].each(|k| sum(k) / polygon.len() as f64))
}

/// The same in integers. Times are quotients: they are compared by products.
#[cold]
#[inline(never)]
pub(super) fn exact(moving: &dyn Axes<Int3392>) -> Option<f32> {
    let [zero, one] = [0.0, 1.0].each(Int3392::from_f32);
    let (mut enter, mut exit) = ((zero, one), (one, one));
    let is_less = |a: &(Int3392, Int3392), b: &(Int3392, Int3392)| {
        a.0.mul(&b.1).sub(&b.0.mul(&a.1)).signum() < 0
    };
    for number in 0..moving.count() {
        let Axis { low, high, speed, .. } = moving.axis(number);
        let (low, high, speed) = match speed.signum() {
            0 if low.signum() > 0 || high.signum() < 0 => return None,
            0 => continue,
            1 => (low, high, speed),
            _ => (high.neg(), low.neg(), speed.neg()),
        };
        let (from, to) = ((low, speed), (high, speed));
        if is_less(&enter, &from) {
            enter = from;
        }
        if is_less(&to, &exit) {
            exit = to;
        }
    }
    (!is_less(&exit, &enter)).then(|| enter.0.quotient(&enter.1))
}
