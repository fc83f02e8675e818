//! Distances of segments and triangles in `f64`, by another way than the crate's: a search over the
//! segment for the point that is nearest to the triangle, which is convex.

use hitscan::Triangle;
use hitscan::glam::Vec3;

pub(crate) type Real = [f64; 3];

pub(crate) fn real(v: Vec3) -> Real {
    v.to_array().map(f64::from)
}

/// `a + b * t`.
pub(crate) fn along(a: Real, b: Real, t: f64) -> Real {
    [0, 1, 2].map(|k| a[k] + b[k] * t)
}

fn minus(a: Real, b: Real) -> Real {
    along(a, b, -1.0)
}

fn dot(a: Real, b: Real) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Real, b: Real) -> Real {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn length(v: Real) -> f64 {
    dot(v, v).sqrt()
}

/// The distance from a point to a triangle, by the regions of Ericson.
fn from_point(p: Real, triangle: &Triangle) -> f64 {
    let [a, b, c] = [triangle.v0, triangle.v1, triangle.v2].map(real);
    let normal = cross(minus(b, a), minus(c, a));
    let inside = |from: Real, to: Real| dot(cross(normal, minus(to, from)), minus(p, from)) >= 0.0;
    if dot(normal, normal) > 0.0 && inside(a, b) && inside(b, c) && inside(c, a) {
        return dot(minus(p, a), normal).abs() / length(normal);
    }
    let to_edge = |from: Real, to: Real| {
        let (edge, way) = (minus(to, from), minus(p, from));
        let at = (dot(way, edge) / dot(edge, edge)).clamp(0.0, 1.0);
        length(along(way, edge, if at.is_nan() { 0.0 } else { -at }))
    };
    to_edge(a, b).min(to_edge(b, c)).min(to_edge(c, a))
}

/// The distance from a segment to a triangle.
pub(crate) fn from_segment(a: Real, b: Real, triangle: &Triangle) -> f64 {
    let at = |t: f64| from_point(along(a, minus(b, a), t), triangle);
    if a == b {
        return at(0.0);
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let (one, other) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if at(one) < at(other) { high = other } else { low = one }
    }
    at(low).min(at(0.0)).min(at(1.0))
}
