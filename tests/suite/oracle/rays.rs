//! Typical rays and rays that are hard for a tree.

use hitscan::glam::Vec3;
use hitscan::{Bvh, Query, Ray};

use crate::support::{Judge, Random};

pub(crate) const KINDS: [&str; 10] = [
    "camera", "bounce", "axis", "in plane", "vertex", "edge", "surface", "outside", "graze",
    "short",
];

/// A ray of a kind, by number.
pub(crate) fn ray(kind: usize, judge: &Judge, bvh: &Bvh, random: &mut Random) -> Ray {
    let bounds = bvh.bounds();
    let size = bounds.max - bounds.min;
    let inside = random.in_box(bounds.min + size * 0.1, bounds.max - size * 0.1);
    let ray = match KINDS[kind] {
        "camera" => Ray::new(inside, random.direction()),
        "bounce" => return bounce(inside, bvh, random),
        "axis" => {
            let mut dir = Vec3::splat([0.0, -0.0][random.below(2)]);
            dir[random.below(3)] = [1.0, -1.0][random.below(2)];
            if random.below(4) == 0 {
                dir[random.below(3)] = random.range(-1.0, 1.0);
            }
            if dir == Vec3::ZERO {
                dir.y = 1.0;
            }
            Ray::new(inside, dir)
        }
        "in plane" => {
            // In the axis-aligned planes of a vertex, so that the ray lies in faces and on edges.
            let vertex = corner(judge, random);
            let (mut origin, axis) = (inside, random.below(3));
            origin[axis] = vertex[axis];
            origin[(axis + 1) % 3] = vertex[(axis + 1) % 3];
            let mut dir = Vec3::ZERO;
            dir[(axis + 2) % 3] = [1.0, -1.0][random.below(2)];
            match random.below(4) {
                0 => {
                    origin = inside;
                    origin[axis] = vertex[axis];
                    dir = random.direction();
                    dir[axis] = 0.0;
                }
                1 => origin = vertex,
                _ => {}
            }
            Ray::new(origin, dir)
        }
        "vertex" => towards(inside, corner(judge, random)),
        "edge" => {
            let triangle = judge.triangles[random.below(judge.triangles.len())].triangle;
            let corners = [triangle.v0, triangle.v1, triangle.v2, triangle.v0];
            let side = random.below(3);
            // Halves first: the sum of two large ones would overflow.
            towards(inside, corners[side] * 0.5 + corners[side + 1] * 0.5)
        }
        "surface" => {
            let on = corner(judge, random) * 0.25 + corner(judge, random) * 0.75;
            let on = if random.below(2) == 0 { corner(judge, random) } else { on };
            Ray::new(on, random.direction())
        }
        "graze" => {
            // At a triangle, almost in its plane.
            let t = judge.triangles[random.below(judge.triangles.len())].triangle;
            let (a, b) = (random.unit(), random.unit());
            let (a, b) = if a + b > 1.0 { (1.0 - a, 1.0 - b) } else { (a, b) };
            let (along, aside) = (t.v1 - t.v0, t.v2 - t.v0);
            let at = t.v0 + along * a + aside * b;
            let angle = random.range(0.0, std::f32::consts::TAU);
            let back = along * angle.cos() + aside * angle.sin();
            // Lengths by the largest component: squares of some would overflow.
            let back = back / back.abs().max_element();
            let out = t.normal();
            let out = out / out.abs().max_element();
            let reach = size.max_element() * 10f32.powf(random.range(-2.0, 0.0));
            let low = reach * 10f32.powf(random.range(-8.0, -2.0));
            let origin = at + back * reach + out * low;
            if !origin.is_finite() {
                return Ray::new(inside, random.direction());
            }
            towards(origin, at)
        }
        "outside" => {
            let out = bounds.center() + random.direction() * size * 2.0;
            towards(out, inside)
        }
        _ => {
            let to = random.in_box(bounds.min, bounds.max);
            let ray = Ray::between(inside, inside.lerp(to, [1.0, 0.2, 0.01][random.below(3)]));
            let from = [0.0, -1.0, -0.5, 0.5, f32::NEG_INFINITY][random.below(5)];
            ray.with_range(from, 1.0)
        }
    };
    // Directions of any length.
    let length = [1.0, 1.0, 1.0, 1e-3, 777.0, 1e-6][random.below(6)];
    let ray = Ray { dir: ray.dir * length, ..ray };
    match random.below(6) {
        0 => ray.with_range(f32::NEG_INFINITY, ray.t_max),
        1 => ray.with_range(ray.t_min, 0.7),
        _ => ray,
    }
}

fn corner(judge: &Judge, random: &mut Random) -> Vec3 {
    let triangle = judge.triangles[random.below(judge.triangles.len())].triangle;
    [triangle.v0, triangle.v1, triangle.v2][random.below(3)]
}

/// Aimed as exactly as `f32` can. The direction may be longer than it should be.
fn towards(origin: Vec3, target: Vec3) -> Ray {
    let dir = target - origin;
    Ray::new(origin, if dir == Vec3::ZERO { Vec3::Y } else { dir })
}

/// One bounce off what a camera sees.
fn bounce(from: Vec3, bvh: &Bvh, random: &mut Random) -> Ray {
    let seen = Ray::new(from, random.direction());
    let mut dir = random.direction();
    let Some(hit) = bvh.closest_hit(&seen, &Query::new()) else {
        return Ray::new(from, dir);
    };
    let triangle = bvh.triangle(&hit).expect("a hit of this tree");
    // On the side that the ray came from.
    let wide = |v: Vec3| v.to_array().map(f64::from);
    let [a, b, c] = [triangle.v0, triangle.v1, triangle.v2].map(wide);
    let along = |d: Vec3| {
        let d = wide(d);
        (0..3)
            .map(|k| {
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                d[k] * ((b[i] - a[i]) * (c[j] - a[j]) - (b[j] - a[j]) * (c[i] - a[i]))
            })
            .sum::<f64>()
    };
    if along(dir) * along(seen.dir) > 0.0 {
        dir = -dir;
    }
    let at = if random.below(2) == 0 { seen.at(hit.t) } else { triangle.point_at(hit.u, hit.v) };
    Ray::new(at, dir)
}
