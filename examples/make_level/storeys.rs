//! Roofs, and the floors and ceilings of storeys.

use glam::{Vec2, Vec3, vec2, vec3};

use crate::{mesh::Mesh, polygon::Polygon};

/// A pyramid roof over a rectangle, with the height of its tip.
pub(crate) fn pyramid(x: [f32; 2], z: [f32; 2], base: f32, tip: f32) -> Mesh {
    let middle = vec2(x[0] + x[1], z[0] + z[1]) * 0.5;
    let tip = vec3(middle.x, tip, middle.y);
    let ring = [
        vec3(x[0], base, z[1]),
        vec3(x[1], base, z[1]),
        vec3(x[1], base, z[0]),
        vec3(x[0], base, z[0]),
    ];
    let mut mesh = Mesh::default();
    mesh.quad(ring[3], ring[2], ring[1], ring[0]);
    for i in 0..4 {
        mesh.triangle(ring[i], ring[(i + 1) % 4], tip);
    }
    mesh.closed()
}

/// A gable roof along z: `x` are its eaves, `slope` its steepness, `thickness` above the lower
/// side.
pub(crate) fn gable_roof(x: [f32; 2], z: [f32; 2], ridge: f32, slope: f32) -> Mesh {
    let middle = (x[0] + x[1]) * 0.5;
    let eaves = ridge - (x[1] - middle) * slope;
    let up = 0.35;
    let outline = vec![
        vec2(x[0], eaves),
        vec2(middle, ridge),
        vec2(x[1], eaves),
        vec2(x[1], eaves + up),
        vec2(middle, ridge + up),
        vec2(x[0], eaves + up),
    ];
    let polygon = Polygon { outline, holes: Vec::new() };
    polygon.extrude(|p, side| vec3(p.x, p.y, z[0] + (z[1] - z[0]) * side))
}

/// A roof that leans against the walls around a court, from `outer` down to `inner`, both given as
/// (x, z, height).
pub(crate) fn ring_roof(
    outer: ([f32; 2], [f32; 2], f32),
    inner: ([f32; 2], [f32; 2], f32),
) -> Mesh {
    let ring = |(x, z, y): ([f32; 2], [f32; 2], f32)| {
        [vec3(x[0], y, z[1]), vec3(x[1], y, z[1]), vec3(x[1], y, z[0]), vec3(x[0], y, z[0])]
    };
    let (a, b) = (ring(outer), ring(inner));
    let [low_a, low_b] = [a, b].map(|ring| ring.map(|p| p - Vec3::Y * 0.2));
    let mut mesh = Mesh::default();
    for i in 0..4 {
        let j = (i + 1) % 4;
        mesh.quad(a[i], a[j], b[j], b[i]);
        mesh.quad(low_b[i], low_b[j], low_a[j], low_a[i]);
        mesh.quad(low_a[i], low_a[j], a[j], a[i]);
        mesh.quad(b[i], b[j], low_b[j], low_b[i]);
    }
    mesh.closed()
}

/// A storey's floor or ceiling: an outline and holes given as (x, z), from `bottom` up to `top`.
pub(crate) fn storey(outline: &[[f32; 2]], holes: &[Vec<Vec2>], bottom: f32, top: f32) -> Mesh {
    plan(outline, holes).extrude(|p, up| vec3(p.x, if up > 0.5 { top } else { bottom }, -p.y))
}

/// The same, of no thickness, seen from above.
pub(crate) fn ground(outline: &[[f32; 2]], holes: &[Vec<Vec2>], y: f32) -> Mesh {
    plan(outline, holes).face(|p| vec3(p.x, y, -p.y))
}

/// The four corners of a rectangle, as an outline or a hole of a storey.
pub(crate) fn corners(x: [f32; 2], z: [f32; 2]) -> [[f32; 2]; 4] {
    [[x[0], z[1]], [x[1], z[1]], [x[1], z[0]], [x[0], z[0]]]
}

/// A hole for a storey from points as (x, z).
pub(crate) fn hole(points: &[[f32; 2]]) -> Vec<Vec2> {
    points.iter().map(|p| vec2(p[0], -p[1])).collect()
}

/// Seen from above, z grows downward on the page.
fn plan(outline: &[[f32; 2]], holes: &[Vec<Vec2>]) -> Polygon {
    Polygon { outline: hole(outline), holes: holes.to_vec() }
}
