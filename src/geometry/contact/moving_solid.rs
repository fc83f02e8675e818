//! How boxes and convex hulls that move touch triangles.
//!
//! Axes are asked for through pointers, so that this is compiled once for all solids.

use std::cell::OnceCell;

use super::face_normal::face_normal;
use super::triangle_contact::{Touch, Way};
use crate::array::Each;
use crate::geometry::distance::point_distance::Feature;
use crate::geometry::exact::axes::{Axes, Axis, Numbers, Solid, common};
use crate::geometry::exact::{Double, Estimate, Number, Ordered};
use crate::geometry::vec3_f64::{Corners, Vec3F64, dot, scale};

/// The contact of a solid that first touches a triangle at `t`.
#[inline]
pub(in crate::geometry) fn touch(
    solid: &impl Solid,
    motion: [f32; 3],
    corners: &Corners,
    t: f32,
) -> Touch {
    let moving = solid.axes(motion, corners);
    let (at, way) = at_and_way(solid, &moving, motion, corners, t);
    // The solid is a little larger, so that touching is enough.
    let middle = [4.0, 1e3, 1e6].into_iter().find_map(|errors| common(&moving, at, errors));
    let weights = middle.unwrap_or([1.0 / 3.0; 3]);
    let feature = feature(&weights);
    Touch { t, way, weights: [weights[1], weights[2]], feature }
}

/// How a solid that first touches a triangle at `t` leaves it.
#[inline]
pub(in crate::geometry) fn way(
    solid: &impl Solid,
    motion: [f32; 3],
    corners: &Corners,
    t: f32,
) -> Way {
    at_and_way(solid, &solid.axes(motion, corners), motion, corners, t).1
}

/// When a solid that first touches a triangle at `t` does so, not rounded as much, and how it
/// leaves the triangle. `moving` are its axes.
#[inline(never)]
fn at_and_way(
    solid: &impl Solid,
    moving: &dyn Axes<Estimate>,
    motion: [f32; 3],
    corners: &Corners,
    t: f32,
) -> (f64, Way) {
    let (at, depth, number, direction) = if t > 0.0 {
        let axes = &solid.axes::<f64>(motion, corners);
        let is_in_by = |last| solid.is_in_by(axes, last);
        let that_matter = || solid.axes_that_matter(axes);
        let (at, number, direction) = against(moving, &is_in_by, &that_matter);
        (at, 0.0, number, direction)
    } else {
        let numbers = solid.axes_that_matter(&solid.axes::<f64>(motion, corners));
        // Most often these are not needed.
        let precise = OnceCell::new();
        let axis = |number: usize| {
            precise.get_or_init(|| solid.axes::<Double>(motion, corners)).axis(number)
        };
        let Out { depth, number, direction, .. } = way_out(moving, &numbers, &axis);
        (0.0, depth, number, direction)
    };
    let face = face_normal(corners);
    let direction = if number > 0 || face == [0.0; 3] {
        direction
    } else if dot(face, direction) < 0.0 {
        scale(face, -1.0)
    } else {
        face
    };
    (at, Way { depth, direction })
}

fn values(normal: &[Estimate; 3]) -> Vec3F64 {
    normal.refs().each(|x| x.value)
}

/// When the last axis touches, its number, and the direction on it from the triangle to the solid.
/// Of axes that may be the last one it is the first. `is_in_by` says of a time whether all touch by
/// then.
#[inline(never)]
fn against(
    moving: &dyn Axes<Estimate>,
    is_in_by: &dyn Fn(f64) -> bool,
    that_matter: &dyn Fn() -> Numbers,
) -> (f64, usize, Vec3F64) {
    let times = |number: usize| {
        let Axis { low, high, speed, .. } = moving.axis(number);
        let at = if speed.value < 0.0 { high.value } else { low.value } / speed.value;
        let off = (low.error().max(high.error()) + at.abs() * speed.error()) / speed.value.abs();
        // Not of an axis that is not crossed, or hardly so.
        let is_crossed = off.is_finite() && speed.value.abs() > speed.error();
        is_crossed.then_some([at - off, at + off])
    };
    // Most often it is the first one, the triangle's normal: all others touch by then.
    let (number, [least, most]) = match times(0) {
        Some(first) if is_in_by(first[1]) => (0, first),
        _ => {
            // Computed twice: a hull has too many for a list that is not allocated.
            let numbers = that_matter();
            let all = || {
                let numbers = numbers.iter().map(|&number| usize::from(number));
                numbers.filter_map(|number| Some((number, times(number)?)))
            };
            let last = all().fold(f64::NEG_INFINITY, |last, (_, [least, _])| last.max(least));
            all().find(|(_, [_, most])| *most >= last).unwrap_or((0, [0.0; 2]))
        }
    };
    let at = (least + most) * 0.5;
    let Axis { normal, speed, .. } = moving.axis(number);
    (at, number, scale(values(&normal), if speed.value > 0.0 { -1.0 } else { 1.0 }))
}

/// A way out of the triangle, along an axis.
struct Out {
    depth: f64,
    /// What `depth` may be off by, with much room: ways that may be as long are as good.
    slack: f64,
    number: usize,
    direction: Vec3F64,
}

/// The shortest way out of the triangle, along axes of these numbers. Of ways that may be the
/// shortest it is the first one. `precise` gives the axis of a number.
#[inline(never)]
fn way_out(
    moving: &dyn Axes<Estimate>,
    numbers: &Numbers,
    precise: &dyn Fn(usize) -> Axis<Double>,
) -> Out {
    let mut best = Out { depth: f64::INFINITY, slack: 0.0, number: 1, direction: [0.0, 1.0, 0.0] };
    for number in numbers.iter().map(|&number| usize::from(number)) {
        let axis = moving.axis(number);
        if is_zero(&axis) {
            continue;
        }
        let out = quick_out(number, &axis).or_else(|| precise_out(number, &precise(number), &axis));
        if let Some(out) = out
            && out.depth < best.depth - out.slack.max(best.slack)
        {
            best = out;
        }
    }
    best
}

/// Whether it certainly is no axis, as across an edge and a side along the same coordinate axis.
fn is_zero(axis: &Axis<Estimate>) -> bool {
    axis.normal.iter().all(|x| x.sign() == Some(0))
}

/// The way out along an axis. `None` if that is not clear: a way that may be wrong by [`REACH`] of
/// what triangle and solid reach is not, nor is one along an axis that may be turned by [`TURN`],
/// by the square of which the way becomes longer. Lemma 88 gives the errors.
fn quick_out(number: usize, axis: &Axis<Estimate>) -> Option<Out> {
    let Axis { normal, low, high, speed, .. } = axis;
    let direction = values(normal);
    let length = dot(direction, direction).sqrt();
    let doubt = normal.iter().fold(0.0f64, |doubt, x| doubt.max(x.error()));
    let slack = 16.0 * low.error().max(high.error());
    let [up, down] = [high.value, -low.value];
    // Also false for NaN.
    let is_clear = doubt < TURN * length && slack <= REACH * (up + down);
    is_clear.then(|| {
        let is_up = if (up - down).abs() > slack { up < down } else { speed.value <= 0.0 };
        // Lengths are doubled.
        let depth = if is_up { up } else { down } * 0.5 / length;
        let direction = if is_up { direction } else { scale(direction, -1.0) };
        Out { depth, slack: slack / length, number, direction }
    })
}

/// The same in numbers of twice the digits: `None` if the axis is made of roundings even so, as the
/// axis across two parallel edges is. `rounded` is the same axis.
#[cold]
#[inline(never)]
fn precise_out(number: usize, axis: &Axis<Double>, rounded: &Axis<Estimate>) -> Option<Out> {
    let direction = axis.normal.refs().each(Double::value);
    let length = dot(direction, direction).sqrt();
    let made_of = rounded.normal.iter().fold(0.0f64, |most, x| most.max(x.error()));
    // Also false for NaN.
    let is_sound = length > NOTHING * made_of;
    is_sound.then(|| {
        let (up, down) = (axis.high, axis.low.negative());
        let slack = NOTHING * rounded.low.error().max(rounded.high.error());
        let (way, uneven) = (up.min(&down).value(), up.sub(&down).value());
        let slack = slack + ALIKE * way.abs();
        let is_up = if uneven.abs() > slack { uneven < 0.0 } else { axis.speed.value() <= 0.0 };
        let direction = if is_up { direction } else { scale(direction, -1.0) };
        Out { depth: way * 0.5 / length, slack: slack / length, number, direction }
    })
}

/// The largest error of a way out that is clear in `f64`, in parts of what triangle and solid
/// together reach along it. This is far less than a rounding to `f32`, so that depths of boxes are
/// not longer than those along the axes of coordinates, and solids which rest on something are
/// clear.
const REACH: f64 = 1.0 / (1u64 << 30) as f64;
const TURN: f64 = 1.0 / (1u64 << 20) as f64;
/// Of a number with twice the digits, what may be made of roundings, in parts of the error in
/// `f64`.
const NOTHING: f64 = 1.0 / (1u64 << 40) as f64;
/// Of two ways that are as long but for this, in parts of them, the first one is taken.
const ALIKE: f64 = 1.0 / (1u64 << 40) as f64;

/// A weight that roundings may make of zero.
const NO_WEIGHT: f64 = 1.0 / (1u64 << 40) as f64;

/// The part of a triangle that a point with these weights is on.
pub(in crate::geometry) fn feature(weights: &[f64; 3]) -> Feature {
    let has = (*weights).each(|weight| weight > NO_WEIGHT);
    match has {
        [_, false, false] => Feature::Vertex(0),
        [false, _, false] => Feature::Vertex(1),
        [false, false, _] => Feature::Vertex(2),
        [true, true, false] => Feature::Edge(0),
        [false, true, true] => Feature::Edge(1),
        [true, false, true] => Feature::Edge(2),
        [true, true, true] => Feature::Face,
    }
}
