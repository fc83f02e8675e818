//! Surfaces of fields: smooth shapes, blended from balls and capsules, made into closed meshes.

use std::collections::HashMap;

use glam::{Vec3, vec3};

use crate::{maths::lerp, mesh::Mesh};

/// The surface where `field` is zero (negative inside), by naive surface nets.
///
/// Every cell of the grid that the surface crosses gets one vertex, at the mean of its crossings;
/// every edge of the grid that crosses it gets one quad between the four cells around it.
pub(crate) fn surface(min: Vec3, max: Vec3, cell: f32, field: impl Fn(Vec3) -> f32) -> Mesh {
    // A margin all around, so that the surface never meets the edge of the grid.
    let min = min - Vec3::splat(cell * 1.5);
    let count = ((max - min) / cell).ceil() + Vec3::splat(1.0);
    let count = [count.x as usize + 1, count.y as usize + 1, count.z as usize + 1];
    let corner = |c: [usize; 3]| min + vec3(c[0] as f32, c[1] as f32, c[2] as f32) * cell;
    let index = |c: [usize; 3]| (c[2] * count[1] + c[1]) * count[0] + c[0];
    let mut values = Vec::with_capacity(count[0] * count[1] * count[2]);
    for z in 0..count[2] {
        for y in 0..count[1] {
            for x in 0..count[0] {
                values.push(field(corner([x, y, z])));
            }
        }
    }
    let value = |c: [usize; 3]| values[index(c)];

    let mut vertices = HashMap::new();
    let mut vertex = |c: [usize; 3]| {
        *vertices.entry(c).or_insert_with(|| {
            let (mut sum, mut crossings) = (Vec3::ZERO, 0.0);
            for axis in 0..3 {
                for side in 0..4 {
                    let mut from = c;
                    from[(axis + 1) % 3] += side & 1;
                    from[(axis + 2) % 3] += side >> 1;
                    let mut to = from;
                    to[axis] += 1;
                    let (a, b) = (value(from), value(to));
                    if (a < 0.0) != (b < 0.0) {
                        sum += corner(from) + (corner(to) - corner(from)) * (a / (a - b));
                        crossings += 1.0;
                    }
                }
            }
            sum / crossings
        })
    };

    let mut mesh = Mesh::default();
    for z in 1..count[2] - 1 {
        for y in 1..count[1] - 1 {
            for x in 1..count[0] - 1 {
                for axis in 0..3 {
                    let here = [x, y, z];
                    let mut next = here;
                    next[axis] += 1;
                    let inside = value(here) < 0.0;
                    if inside == (value(next) < 0.0) {
                        continue;
                    }
                    let mut around = |u: usize, v: usize| {
                        let mut c = here;
                        c[(axis + 1) % 3] -= 1 - u;
                        c[(axis + 2) % 3] -= 1 - v;
                        vertex(c)
                    };
                    let [a, b, c, d] = [around(0, 0), around(1, 0), around(1, 1), around(0, 1)];
                    if inside {
                        mesh.quad(a, b, c, d);
                    } else {
                        mesh.quad(a, d, c, b);
                    }
                }
            }
        }
    }
    mesh.closed()
}

/// Distance to a capsule whose radius goes from `ra` to `rb`.
pub(crate) fn capsule(p: Vec3, a: [f32; 3], b: [f32; 3], ra: f32, rb: f32) -> f32 {
    let (a, b) = (Vec3::from(a), Vec3::from(b));
    let along = b - a;
    let t = ((p - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    (p - a - along * t).length() - lerp(ra, rb, t)
}

/// About the distance to an ellipsoid.
pub(crate) fn ellipsoid(p: Vec3, centre: [f32; 3], radii: [f32; 3]) -> f32 {
    let q = (p - Vec3::from(centre)) / Vec3::from(radii);
    (q.length() - 1.0) * radii[0].min(radii[1]).min(radii[2])
}

/// The union of two shapes, blended over a width.
pub(crate) fn blend(a: f32, b: f32, width: f32) -> f32 {
    let h = (width - (a - b).abs()).max(0.0) / width;
    a.min(b) - h * h * width * 0.25
}

/// The height of `n = 2^doublings` folds around the y axis, from -1 to 1: the cosine of `n` times
/// the angle, by doubling the complex number x + iz instead of an angle.
pub(crate) fn folds(p: Vec3, doublings: u32) -> f32 {
    let length = (p.x * p.x + p.z * p.z).sqrt().max(1e-6);
    let (mut re, mut im) = (p.x / length, p.z / length);
    for _ in 0..doublings {
        (re, im) = (re * re - im * im, 2.0 * re * im);
    }
    re
}
