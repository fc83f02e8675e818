//! How boxes and convex hulls that move touch triangles.

use super::exact::Estimate;
use super::exact::axes::{Axes, Axis, Solid, common};
use super::point_distance::Feature;
use super::triangle_contact::{Touch, Way};
use super::vec3_f64::{Corners, Vec3F64, dot, each, scale};

/// What is known of the contact of a solid that first touches a triangle at `t`.
#[inline]
pub(super) fn touch(solid: &impl Solid, motion: [f32; 3], corners: &Corners, t: f32) -> Touch {
    let moving = solid.axes(motion, corners);
    let (at, way) = at_and_way(&moving, || solid.axes(motion, corners), t);
    // The solid is a little larger, so that touching is enough.
    let middle = [4.0, 1e3, 1e6].into_iter().find_map(|errors| common(&moving, at, errors));
    let weights = middle.unwrap_or([1.0 / 3.0; 3]);
    let feature = feature(&weights);
    Touch { t, way, weights: [weights[1], weights[2]], feature }
}

/// How a solid that first touches a triangle at `t` leaves it.
#[inline]
pub(super) fn way(solid: &impl Solid, motion: [f32; 3], corners: &Corners, t: f32) -> Way {
    at_and_way(&solid.axes(motion, corners), || solid.axes(motion, corners), t).1
}

/// When a solid that first touches a triangle at `t` does so, not rounded as much, and how it
/// leaves the triangle. `rounded` are the same axes.
#[inline]
fn at_and_way<A: Axes<f64>>(
    moving: &impl Axes<Estimate>,
    rounded: impl FnOnce() -> A,
    t: f32,
) -> (f64, Way) {
    if t > 0.0 {
        let (at, direction) = against(moving, &rounded());
        (at, Way { depth: 0.0, direction })
    } else {
        let (depth, direction) = way_out(moving);
        (0.0, Way { depth, direction })
    }
}

fn values(normal: &[Estimate; 3]) -> Vec3F64 {
    each(normal.each_ref(), |x| x.value)
}

/// When the last axis touches, and the direction on it from the triangle to the solid. Of axes that
/// may be the last one it is the first.
fn against(moving: &impl Axes<Estimate>, rounded: &impl Axes<f64>) -> (f64, Vec3F64) {
    let times = |number: usize| {
        let Axis { low, high, speed, .. } = moving.axis(number);
        let at = if speed.value < 0.0 { high.value } else { low.value } / speed.value;
        let off = (low.error().max(high.error()) + at.abs() * speed.error()) / speed.value.abs();
        // Not of an axis that is not crossed, or hardly so.
        let is_crossed = off.is_finite() && speed.value.abs() > speed.error();
        is_crossed.then_some([at - off, at + off])
    };
    // Most often it is the first one, the triangle's normal: all others touch by then.
    let are_earlier = |last: f64| {
        (1..rounded.count()).all(|number| {
            let Axis { low, high, speed, .. } = rounded.axis(number);
            let at = if speed < 0.0 { high } else { low } / speed;
            at <= last || at.is_nan()
        })
    };
    let (number, [least, most]) = match times(0) {
        Some(first) if are_earlier(first[1]) => (0, first),
        _ => {
            // Computed twice: a hull has too many for a list that is not allocated.
            let all = || (0..moving.count()).filter_map(|number| Some((number, times(number)?)));
            let last = all().fold(f64::NEG_INFINITY, |last, (_, [least, _])| last.max(least));
            all().find(|(_, [_, most])| *most >= last).unwrap_or((0, [0.0; 2]))
        }
    };
    let at = (least + most) * 0.5;
    let Axis { normal, speed, .. } = moving.axis(number);
    (at, scale(values(&normal), if speed.value > 0.0 { -1.0 } else { 1.0 }))
}

/// The shortest way out of the triangle: how far, and in which direction. Of ways that may be the
/// shortest it is the first one.
fn way_out(moving: &impl Axes<Estimate>) -> (f64, Vec3F64) {
    let mut best = (f64::INFINITY, [0.0, 1.0, 0.0]);
    for number in 0..moving.count() {
        let Axis { normal, low, high, speed, .. } = moving.axis(number);
        let direction = values(&normal);
        let length = dot(direction, direction).sqrt();
        // A normal that is made of roundings says nothing.
        let doubt = normal.iter().fold(0.0f64, |doubt, x| doubt.max(x.error()));
        if length <= 256.0 * doubt || length == 0.0 {
            continue;
        }
        let slack = 256.0 * low.error().max(high.error());
        let [up, down] = [high.value, -low.value];
        let is_up = if (up - down).abs() > slack { up < down } else { speed.value <= 0.0 };
        // Lengths are doubled.
        let depth = if is_up { up } else { down } * 0.5 / length;
        if depth < best.0 - slack / length {
            best = (depth, if is_up { direction } else { scale(direction, -1.0) });
        }
    }
    best
}

/// A weight that roundings may make of zero.
const NO_WEIGHT: f64 = 1.0 / (1u64 << 40) as f64;

fn feature(weights: &[f64; 3]) -> Feature {
    let has = each(*weights, |weight| weight > NO_WEIGHT);
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
