//! Columns, vaults and ribs. Vaults and ribs are made for a square bay of two by two units with a
//! rise of one, and scaled to every bay that needs them.

use glam::{Vec3, vec3};

use crate::{
    maths::turn,
    mesh::Mesh,
    place::at,
    shapes::{Station, block, circle, rectangle, rod, sheet, stand, sweep, torus, turned},
};

/// 4.5 m high, on a square base, with a bell capital under a square slab.
pub(crate) fn column() -> Mesh {
    let shaft = [
        (0.52, 0.2),
        (0.56, 0.34),
        (0.48, 0.4),
        (0.42, 0.6),
        (0.37, 3.7),
        (0.41, 3.74),
        (0.39, 3.95),
        (0.47, 4.12),
        (0.58, 4.26),
    ];
    stand(0.0, 0.0, 0.0, [1.2, 0.2, 1.2])
        .with(&[turned(&shaft, 11), stand(0.0, 4.26, 0.0, [1.2, 0.24, 1.2])])
}

/// The cloister's slim column, 1.6 m high.
pub(crate) fn colonnette() -> Mesh {
    let shaft = [(0.15, 0.08), (0.15, 0.13), (0.1, 0.2), (0.09, 1.28), (0.1, 1.34), (0.18, 1.5)];
    stand(0.0, 0.0, 0.0, [0.36, 0.08, 0.36])
        .with(&[turned(&shaft, 6), stand(0.0, 1.5, 0.0, [0.44, 0.1, 0.44])])
}

/// A wall pier one metre high, to be stretched.
pub(crate) fn pilaster() -> Mesh {
    block([-0.3, 0.0, -0.18], [0.3, 1.0, 0.18])
}

/// Where two barrel vaults cross, the ceiling is the higher of the two. The grid's lines are
/// spaced like the hours of a clock, so that the curves are even and the creases lie on corners.
pub(crate) fn groin_vault() -> Mesh {
    let n = 8;
    let hour = |s: f32| turn(0.5 - s * 0.5);
    sheet(n, n, |s, t| {
        let (x, z) = (hour(s), hour(t));
        vec3(x.x, x.y.max(z.y), z.x)
    })
}

/// A stone arch across a bay in the x direction.
///
/// The section is 0.12 by 0.24 of a unit; scaling makes that into metres.
pub(crate) fn arch_rib() -> Mesh {
    let stations: Vec<_> = (0..=8)
        .map(|i| {
            let p = turn(0.5 - i as f32 / 16.0);
            Station { at: vec3(p.x, p.y, 0.0), u: -Vec3::Z, v: vec3(p.x, p.y, 0.0) }
        })
        .collect();
    sweep(&stations, &rectangle(0.16, 0.06), false)
}

/// The rib under a groin vault's crease, from corner to corner.
pub(crate) fn diagonal_rib() -> Mesh {
    let across = vec3(0.5, 0.0, -0.5);
    let stations: Vec<_> = (0..=8)
        .map(|i| {
            let p = turn(0.5 - i as f32 / 16.0);
            let out = vec3(p.x, p.y, p.x);
            Station { at: out, u: across, v: out }
        })
        .collect();
    sweep(&stations, &rectangle(0.09, 0.05), false)
}

/// A wheel of stone for a round window of radius one.
pub(crate) fn rose_tracery() -> Mesh {
    let upright = |mesh: &Mesh| mesh.moved(at(0.0, 0.0, 0.0).pitch(0.25));
    let mut mesh = upright(&torus(0.97, 0.07, 36, 4));
    mesh = mesh.with(&[upright(&torus(0.28, 0.05, 18, 4)), upright(&torus(0.1, 0.03, 8, 4))]);
    for i in 0..8 {
        let spoke = turn(i as f32 / 8.0);
        let (a, b) = (spoke * 0.28, spoke * 0.92);
        let petal = turn((i as f32 + 0.5) / 8.0) * 0.7;
        mesh = mesh.with(&[
            rod([a.x, a.y, 0.0], [b.x, b.y, 0.0], 0.03, 5),
            upright(&torus(0.22, 0.03, 12, 3)).at(petal.x, petal.y, 0.0),
        ]);
    }
    mesh
}

/// Iron bars that fill a window of one by one metre.
pub(crate) fn window_bars() -> Mesh {
    let mut mesh = Mesh::default();
    for i in 1..3 {
        let x = i as f32 / 3.0 - 0.5;
        mesh = mesh.with(&[stand(x, 0.0, 0.0, [0.03, 1.0, 0.03])]);
        let y = i as f32 / 3.0;
        mesh = mesh.with(&[block([-0.5, y - 0.01, -0.01], [0.5, y + 0.01, 0.01])]);
    }
    mesh
}

/// A flat disc with `sides` corners, seen from above.
pub(crate) fn disc(radius: f32, sides: usize, y: f32) -> Mesh {
    let ring = circle(radius, sides);
    let mut mesh = Mesh::default();
    for i in 1..sides - 1 {
        let p = |j: usize| vec3(ring[j].x, y, -ring[j].y);
        mesh.triangle(p(0), p(i), p(i + 1));
    }
    mesh
}
