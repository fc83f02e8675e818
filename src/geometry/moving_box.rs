//! Boxes that move.

use smallvec::SmallVec;

use super::exact::Estimate;
use super::exact::moving_box::{AXES, Axis, MovingBox, first_touch};
use super::point_distance::Feature;
use super::triangle_contact::Touch;
use super::vec3_f64::{Corners, Vec3F64, dot, scale};

/// Where the box `local`, moved by the map of these columns, first touches a triangle on its way,
/// if it does so at `bound` or before.
pub(super) fn touch(
    columns: &[[f32; 3]; 4],
    local: &[[f32; 3]; 2],
    motion: [f32; 3],
    corners: &Corners,
    bound: f32,
) -> Option<Touch> {
    let t = first_touch(columns, local, motion, corners).filter(|&t| t <= bound)?;
    let moving = MovingBox::<Estimate>::new(columns, local, motion, corners);
    let axes = std::array::from_fn(|number| moving.axis(number));
    let (at, depth, direction) = if t > 0.0 {
        let (at, direction) = against(&axes);
        (at, 0.0, direction)
    } else {
        let (depth, direction) = way_out(&axes);
        (0.0, depth, direction)
    };
    let weights = middle(&axes, at);
    let feature = feature(&weights);
    Some(Touch { t, depth, direction, weights: [weights[1], weights[2]], feature })
}

fn values(normal: &[Estimate; 3]) -> Vec3F64 {
    normal.each_ref().map(|x| x.value)
}

/// When the last axis touches, and the direction on it from the triangle to the box. Of axes that
/// may be the last one it is the first.
fn against(axes: &[Axis<Estimate>; AXES]) -> (f64, Vec3F64) {
    let times = axes.each_ref().map(|Axis { low, high, speed, .. }| {
        let at = if speed.value < 0.0 { high.value } else { low.value } / speed.value;
        let off = (low.error().max(high.error()) + at.abs() * speed.error()) / speed.value.abs();
        // An axis that is not crossed, or hardly so.
        if off.is_finite() && speed.value.abs() > speed.error() {
            [at - off, at + off]
        } else {
            [f64::NEG_INFINITY; 2]
        }
    });
    let last = times.iter().fold(f64::NEG_INFINITY, |last, [least, _]| last.max(*least));
    let number = times.iter().position(|[_, most]| *most >= last).unwrap_or(0);
    let Axis { normal, speed, .. } = &axes[number];
    let [least, most] = times[number];
    let at = if least.is_finite() { (least + most) * 0.5 } else { 0.0 };
    (at, scale(values(normal), if speed.value > 0.0 { -1.0 } else { 1.0 }))
}

/// The shortest way out of the triangle: how far, and in which direction. Of ways that may be the
/// shortest it is the first one.
fn way_out(axes: &[Axis<Estimate>; AXES]) -> (f64, Vec3F64) {
    let mut best = (f64::INFINITY, [0.0, 1.0, 0.0]);
    for Axis { normal, low, high, speed, .. } in axes {
        let direction = values(normal);
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

/// The weights of a point in the middle of what triangle and box have in common at `t`.
fn middle(axes: &[Axis<Estimate>; AXES], t: f64) -> [f64; 3] {
    type Polygon = SmallVec<[[f64; 3]; 9]>;
    let mut polygon = Polygon::from([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].as_slice());
    for Axis { heights, radius, speed, low, .. } in &axes[1..4] {
        // As seen from the moved box, which is a little larger so that touching is enough.
        let heights = heights.each_ref().map(|height| height.value - speed.value * t);
        let radius = radius.value + 4.0 * (low.error() + speed.error());
        for side in [1.0, -1.0] {
            let inside = |weights: &[f64; 3]| radius - side * dot(heights, *weights);
            let mut clipped = Polygon::new();
            for (i, from) in polygon.iter().enumerate() {
                let to = &polygon[(i + 1) % polygon.len()];
                let (here, there) = (inside(from), inside(to));
                if here >= 0.0 {
                    clipped.push(*from);
                }
                if (here >= 0.0) != (there >= 0.0) {
                    let part = here / (here - there);
                    clipped.push([0, 1, 2].map(|k| from[k] + (to[k] - from[k]) * part));
                }
            }
            if !clipped.is_empty() {
                polygon = clipped;
            }
        }
    }
    let count = polygon.len() as f64;
    let sum = |k: usize| polygon.iter().fold(0.0, |sum, weights| sum + weights[k]);
    [0, 1, 2].map(|k| sum(k) / count)
}

/// A weight that roundings may make of zero.
const NO_WEIGHT: f64 = 1.0 / (1u64 << 40) as f64;

fn feature(weights: &[f64; 3]) -> Feature {
    let has = weights.map(|weight| weight > NO_WEIGHT);
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
