//! The waterworks: tanks, pumps, pipes with flanges, rivets, a forge's anvil.

use glam::{Vec3, vec2, vec3};

use crate::{
    material::Material::{self, *},
    maths::turn,
    mesh::Mesh,
    place::at,
    polygon::Polygon,
    shapes::{Station, ball, block, circle, lathe, rod, stand, sweep, torus, tube, turned},
};

/// The radius of every pipe; nodes scale it.
pub(crate) const PIPE: f32 = 0.2;

/// A low cone of five sides.
fn rivet() -> Mesh {
    lathe(&[(0.0, -0.01), (0.028, 0.0), (0.0, 0.022)], 4).closed()
}

/// A riveted boiler: radius 1.8 m, height 5.2 m, on four feet.
pub(crate) fn tank() -> Vec<(Material, Mesh)> {
    let mut shell = vec![(0.0, 0.4)];
    for i in 0..=3 {
        let p = turn(i as f32 / 12.0 - 0.25);
        shell.push((p.x * 1.8, 0.95 + p.y * 0.55));
    }
    for i in 0..=3 {
        let p = turn(i as f32 / 12.0);
        shell.push((p.x * 1.8, 4.6 + p.y * 0.7));
    }
    shell.dedup();
    let mut iron = lathe(&shell, 20).closed();
    for y in [1.0, 2.78, 4.55] {
        let hoop = [(1.7, y), (1.83, y), (1.83, y + 0.16), (1.7, y + 0.16), (1.7, y)];
        iron = iron.with(&[lathe(&hoop, 20).closed()]);
        for i in 0..14 {
            let p = turn((i as f32 + 0.5) / 14.0) * 1.825;
            let place = at(p.x, y + 0.08, p.y).yaw(-(i as f32 + 0.5) / 14.0).roll(-0.25);
            iron.add(&rivet(), place);
        }
    }
    for i in 0..4 {
        let p = turn(i as f32 / 4.0 + 0.125) * 1.35;
        iron = iron.with(&[
            rod([p.x, 0.0, p.y], [p.x, 1.0, p.y], 0.14, 8),
            stand(p.x, 0.0, p.y, [0.44, 0.05, 0.44]),
        ]);
    }
    let gauge = turned(&[(0.16, 0.0), (0.18, 0.03), (0.16, 0.07)], 12)
        .moved(at(0.0, 1.7, 1.76).pitch(0.25));
    vec![(Iron, iron), (Brass, gauge)]
}

/// A pump on a brick bed: 2.4 by 1.2 m, its outlet upwards at x = -0.7 and 1.5 m.
pub(crate) fn pump() -> Vec<(Material, Mesh)> {
    let bed = block([-1.3, 0.0, -0.7], [1.3, 0.35, 0.7]);
    let casing = turned(&[(0.5, -0.25), (0.58, -0.2), (0.58, 0.2), (0.5, 0.25)], 20)
        .moved(at(-0.7, 0.95, 0.0).pitch(0.25));
    let motor = turned(&[(0.3, 0.0), (0.38, 0.06), (0.38, 1.0), (0.3, 1.08), (0.1, 1.1)], 24)
        .moved(at(0.1, 0.85, 0.0).roll(-0.25));
    let mut iron = casing.with(&[
        motor,
        rod([-0.7, 0.85, 0.0], [0.2, 0.85, 0.0], 0.08, 8),
        rod([-0.7, 1.3, 0.0], [-0.7, 1.62, 0.0], PIPE, 12),
        stand(-0.7, 0.35, 0.0, [0.7, 0.3, 0.44]),
        stand(0.65, 0.35, 0.0, [0.8, 0.2, 0.5]),
    ]);
    for i in 0..4 {
        let fin = torus(0.385, 0.03, 14, 3).at(0.0, 0.25 + i as f32 * 0.2, 0.0);
        iron = iron.with(&[fin.moved(at(0.0, 0.85, 0.0).roll(-0.25))]);
    }
    let cup = ball(0.09, 8, 6).at(-0.7, 1.05, 0.32).with(&[rod(
        [-0.7, 1.05, 0.2],
        [-0.7, 1.05, 0.3],
        0.04,
        8,
    )]);
    vec![(Brick, bed), (Iron, iron), (Brass, cup)]
}

/// A hand wheel on a spindle that points along +z from the origin.
pub(crate) fn valve_wheel() -> Mesh {
    let mut mesh = torus(0.22, 0.025, 16, 4).moved(at(0.0, 0.0, 0.3).pitch(0.25));
    for i in 0..4 {
        let p = turn(i as f32 / 4.0) * 0.21;
        mesh = mesh.with(&[rod([0.0, 0.0, 0.3], [p.x, p.y, 0.3], 0.015, 4)]);
    }
    mesh.with(&[rod([0.0, 0.0, 0.0], [0.0, 0.0, 0.34], 0.03, 6)])
}

/// A collar around a pipe along x, with four bolts.
pub(crate) fn flange() -> Mesh {
    let profile = [(PIPE - 0.01, -0.05), (0.3, -0.05), (0.3, 0.05), (PIPE - 0.01, 0.05)];
    let ring: Vec<_> = profile.into_iter().chain([profile[0]]).collect();
    let mut mesh = lathe(&ring, 12).closed();
    for i in 0..4 {
        let p = turn((i as f32 + 0.5) / 4.0) * 0.255;
        let bolt = turned(&[(0.022, -0.08), (0.022, 0.08)], 4).at(p.x, 0.0, p.y);
        mesh = mesh.with(&[bolt]);
    }
    mesh.moved(at(0.0, 0.0, 0.0).roll(-0.25))
}

/// From the origin along +x, then up along +y: a quarter of a circle of radius 0.5.
pub(crate) fn pipe_bend() -> Mesh {
    let stations: Vec<_> = (0..=5)
        .map(|i| {
            let p = turn(i as f32 / 20.0 - 0.25);
            let out = vec3(p.x, p.y, 0.0);
            Station { at: vec3(0.0, 0.5, 0.0) + out * 0.5, u: out, v: -Vec3::Z }
        })
        .collect();
    sweep(&stations, &circle(PIPE, 12), false)
}

/// One metre along x, to be stretched.
pub(crate) fn pipe_straight() -> Mesh {
    rod([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], PIPE, 12)
}

/// A flat strip along x, two metres long, with fourteen rivets, facing +y.
pub(crate) fn rivet_row() -> Mesh {
    let mut mesh = block([-1.0, -0.02, -0.06], [1.0, 0.0, 0.06]);
    for i in 0..14 {
        mesh.add(&rivet(), at(-0.91 + i as f32 * 0.14, 0.0, 0.0));
    }
    mesh
}

/// 0.8 m high on its block.
pub(crate) fn anvil() -> Mesh {
    let side = Polygon {
        outline: [
            (-0.2, 0.5),
            (0.2, 0.5),
            (0.18, 0.54),
            (0.1, 0.6),
            (0.1, 0.66),
            (0.24, 0.72),
            (0.24, 0.82),
            (-0.24, 0.82),
            (-0.26, 0.74),
            (-0.1, 0.66),
            (-0.1, 0.6),
            (-0.18, 0.54),
        ]
        .map(|(x, y)| vec2(x, y))
        .to_vec(),
        holes: Vec::new(),
    };
    let body = side.extrude(|p, s| vec3(p.x, p.y, (s - 0.5) * 0.22));
    let horn = tube(
        &[
            (vec3(-0.2, 0.75, 0.0), 0.07),
            (vec3(-0.35, 0.76, 0.0), 0.055),
            (vec3(-0.48, 0.78, 0.0), 0.03),
            (vec3(-0.55, 0.8, 0.0), 0.008),
        ],
        12,
        false,
    );
    body.with(&[horn, stand(0.0, 0.0, 0.0, [0.5, 0.5, 0.4])])
}

/// A crane's hook, hanging from the origin, 0.6 m long.
pub(crate) fn hook() -> Mesh {
    let mut path = vec![(vec3(0.0, -0.2, 0.0), 0.05)];
    for i in 0..=9 {
        let t = i as f32 / 9.0;
        let p = turn(0.25 - t * 0.72);
        let thick = 0.05 - 0.035 * t * t;
        path.push((vec3(p.x * 0.16, -0.44 + p.y * 0.16, 0.0), thick));
    }
    let block = stand(0.0, -0.24, 0.0, [0.22, 0.24, 0.14]);
    tube(&path, 8, false).with(&[block])
}
