//! Boxes, lathes, sweeps and sheets: what everything in the level is made of.

use glam::{Vec2, Vec3, vec2, vec3};

use crate::{maths::turn, mesh::Mesh};

/// A box between two corners.
pub(crate) fn block(min: [f32; 3], max: [f32; 3]) -> Mesh {
    let [x0, y0, z0] = min;
    let [x1, y1, z1] = max;
    let ring = |y| [vec3(x0, y, z1), vec3(x1, y, z1), vec3(x1, y, z0), vec3(x0, y, z0)];
    hexahedron(ring(y0), ring(y1))
}

/// A box by its middle and size, standing on `bottom`.
pub(crate) fn stand(x: f32, bottom: f32, z: f32, size: [f32; 3]) -> Mesh {
    let [w, h, d] = size;
    block([x - w * 0.5, bottom, z - d * 0.5], [x + w * 0.5, bottom + h, z + d * 0.5])
}

/// A six-sided solid; both rings are counter-clockwise seen from above.
pub(crate) fn hexahedron(bottom: [Vec3; 4], top: [Vec3; 4]) -> Mesh {
    let mut mesh = Mesh::default();
    mesh.quad(top[0], top[1], top[2], top[3]);
    mesh.quad(bottom[3], bottom[2], bottom[1], bottom[0]);
    for i in 0..4 {
        let j = (i + 1) % 4;
        mesh.quad(bottom[i], bottom[j], top[j], top[i]);
    }
    mesh.closed()
}

/// A sloping slab: its upper face, counter-clockwise from above, and its thickness downward.
pub(crate) fn slab(top: [[f32; 3]; 4], thickness: f32) -> Mesh {
    let top = top.map(Vec3::from);
    hexahedron(top.map(|p| p - Vec3::Y * thickness), top)
}

/// A flat rectangle of two triangles, seen from above.
pub(crate) fn floor(x: [f32; 2], z: [f32; 2], y: f32) -> Mesh {
    let mut mesh = Mesh::default();
    let p = |i: usize, j: usize| vec3(x[i], y, z[j]);
    mesh.quad(p(0, 1), p(1, 1), p(1, 0), p(0, 0));
    mesh
}

/// A profile of (radius, height), bottom to top, turned about the y axis.
///
/// It is closed when both ends lie on the axis; a radius of zero becomes one vertex.
pub(crate) fn lathe(profile: &[(f32, f32)], segments: usize) -> Mesh {
    let mut mesh = Mesh::default();
    let point = |ring: usize, segment: usize| {
        let (radius, height) = profile[ring];
        let around = turn((segment % segments) as f32 / segments as f32) * radius;
        vec3(around.x, height, around.y)
    };
    for i in 0..profile.len() - 1 {
        for j in 0..segments {
            mesh.quad(point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1));
        }
    }
    mesh
}

/// A profile of (radius, height) with both ends closed by flat discs.
pub(crate) fn turned(profile: &[(f32, f32)], segments: usize) -> Mesh {
    let first = (0.0, profile[0].1);
    let last = (0.0, profile[profile.len() - 1].1);
    let whole: Vec<_> = [first].into_iter().chain(profile.iter().copied()).chain([last]).collect();
    lathe(&whole, segments).closed()
}

/// A ball around the origin.
pub(crate) fn ball(radius: f32, segments: usize, rings: usize) -> Mesh {
    let profile: Vec<_> = (0..=rings)
        .map(|i| {
            let p = turn(i as f32 / rings as f32 * 0.5 - 0.25) * radius;
            (p.x, p.y)
        })
        .collect();
    lathe(&profile, segments).closed()
}

/// One place along a sweep: the section's plane there, travelling along `u` cross `v`.
#[derive(Clone, Copy)]
pub(crate) struct Station {
    pub(crate) at: Vec3,
    pub(crate) u: Vec3,
    pub(crate) v: Vec3,
}

/// Carries a convex counter-clockwise section through the stations; `looped` joins last to first.
pub(crate) fn sweep(stations: &[Station], section: &[Vec2], looped: bool) -> Mesh {
    let (n, m) = (stations.len(), section.len());
    let point = |i: usize, j: usize| {
        let (s, p) = (stations[i % n], section[j % m]);
        s.at + s.u * p.x + s.v * p.y
    };
    let mut mesh = Mesh::default();
    for i in 0..if looped { n } else { n - 1 } {
        for j in 0..m {
            mesh.quad(point(i, j), point(i, j + 1), point(i + 1, j + 1), point(i + 1, j));
        }
    }
    if !looped {
        for j in 1..m - 1 {
            mesh.triangle(point(0, 0), point(0, j + 1), point(0, j));
            mesh.triangle(point(n - 1, 0), point(n - 1, j), point(n - 1, j + 1));
        }
    }
    mesh.closed()
}

/// The corners of a regular section.
pub(crate) fn circle(radius: f32, sides: usize) -> Vec<Vec2> {
    (0..sides).map(|j| turn(j as f32 / sides as f32) * radius).collect()
}

/// The corners of a rectangular section.
pub(crate) fn rectangle(u: f32, v: f32) -> Vec<Vec2> {
    let (u, v) = (u * 0.5, v * 0.5);
    vec![vec2(-u, -v), vec2(u, -v), vec2(u, v), vec2(-u, v)]
}

/// A round tube through points, with a radius at each.
pub(crate) fn tube(path: &[(Vec3, f32)], sides: usize, looped: bool) -> Mesh {
    let n = path.len();
    let point = |i: usize| path[i % n].0;
    let mut stations = Vec::with_capacity(n);
    let mut u = Vec3::ZERO;
    for (i, &(at, radius)) in path.iter().enumerate() {
        let before = if looped { i + n - 1 } else { i.saturating_sub(1) };
        let after = if looped { i + 1 } else { (i + 1).min(n - 1) };
        let along = unit(point(after) - point(before));
        if i == 0 {
            u = if along.y.abs() < 0.9 { Vec3::Y } else { Vec3::X };
        }
        // The last frame, turned as little as the new direction allows.
        u = unit(u - along * u.dot(along));
        stations.push(Station { at, u: u * radius, v: along.cross(u) * radius });
    }
    sweep(&stations, &circle(1.0, sides), looped)
}

/// A straight round bar between two points.
pub(crate) fn rod(from: [f32; 3], to: [f32; 3], radius: f32, sides: usize) -> Mesh {
    tube(&[(from.into(), radius), (to.into(), radius)], sides, false)
}

/// A ring around the y axis.
pub(crate) fn torus(radius: f32, thickness: f32, segments: usize, sides: usize) -> Mesh {
    let stations: Vec<_> = (0..segments)
        .map(|i| {
            let around = turn(i as f32 / segments as f32);
            let out = vec3(around.x, 0.0, -around.y);
            Station { at: out * radius, u: out, v: Vec3::Y }
        })
        .rev()
        .collect();
    sweep(&stations, &circle(thickness, sides), true)
}

/// A grid of `columns` by `rows` cells over the unit square, facing `du` cross `dv`.
///
/// Each cell is cut along the diagonal that points away from the middle of the square, which is
/// where the creases of a vault lie.
pub(crate) fn sheet(columns: usize, rows: usize, place: impl Fn(f32, f32) -> Vec3) -> Mesh {
    let mut mesh = Mesh::default();
    let point = |i: usize, j: usize| place(i as f32 / columns as f32, j as f32 / rows as f32);
    for i in 0..columns {
        for j in 0..rows {
            let [a, b] = [point(i, j), point(i + 1, j)];
            let [c, d] = [point(i + 1, j + 1), point(i, j + 1)];
            if (2 * i < columns) == (2 * j < rows) {
                mesh.quad(a, b, c, d);
            } else {
                mesh.quad(b, c, d, a);
            }
        }
    }
    mesh
}

/// A vector of length one.
pub(crate) fn unit(v: Vec3) -> Vec3 {
    v / v.length()
}
