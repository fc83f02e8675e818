//! Tables, shelves, beds, and the timber of roofs.

use glam::vec3;

use crate::{
    material::Material::{self, *},
    maths::Random,
    mesh::Mesh,
    place::between,
    shapes::{block, stand},
};

/// A trestle table, 2.4 by 0.8 m, 0.76 high.
pub(crate) fn table() -> Mesh {
    let mut mesh = block([-1.2, 0.7, -0.4], [1.2, 0.76, 0.4]);
    for x in [-0.95, 0.95] {
        mesh = mesh.with(&[
            stand(x, 0.0, 0.0, [0.1, 0.06, 0.7]),
            stand(x, 0.06, -0.22, [0.08, 0.64, 0.08]),
            stand(x, 0.06, 0.22, [0.08, 0.64, 0.08]),
        ]);
    }
    mesh.with(&[block([-0.9, 0.3, -0.03], [0.9, 0.38, 0.03])])
}

/// 2.4 m long, 0.45 high.
pub(crate) fn bench() -> Mesh {
    block([-1.2, 0.4, -0.15], [1.2, 0.45, 0.15]).with(&[
        stand(-0.9, 0.0, 0.0, [0.06, 0.4, 0.26]),
        stand(0.9, 0.0, 0.0, [0.06, 0.4, 0.26]),
        block([-0.87, 0.25, -0.02], [0.87, 0.32, 0.02]),
    ])
}

/// Its back towards -z.
pub(crate) fn chair() -> Mesh {
    let mut mesh = block([-0.22, 0.43, -0.22], [0.22, 0.47, 0.22]);
    for x in [-0.19, 0.19] {
        mesh = mesh.with(&[
            stand(x, 0.0, 0.19, [0.05, 0.43, 0.05]),
            stand(x, 0.0, -0.19, [0.05, 0.43, 0.05]),
            stand(x, 0.47, -0.19, [0.05, 0.5, 0.05]),
        ]);
    }
    for y in [0.64, 0.84] {
        mesh = mesh.with(&[block([-0.165, y, -0.2], [0.165, y + 0.06, -0.18])]);
    }
    mesh
}

/// 2 m long, its head towards -z.
pub(crate) fn bed() -> Vec<(Material, Mesh)> {
    let mut frame = block([-0.5, 0.25, -0.96], [0.5, 0.35, 0.96]);
    for (z, height) in [(-1.0, 1.0), (1.0, 0.65)] {
        frame = frame.with(&[
            stand(-0.46, 0.0, z, [0.08, height, 0.08]),
            stand(0.46, 0.0, z, [0.08, height, 0.08]),
            block([-0.42, 0.3, z - 0.02], [0.42, height - 0.1, z + 0.02]),
        ]);
    }
    let cloth = block([-0.47, 0.35, -0.94], [0.47, 0.48, 0.94])
        .with(&[block([-0.35, 0.48, -0.88], [0.35, 0.58, -0.5])]);
    vec![(DarkWood, frame), (Cloth, cloth)]
}

/// The heights of a shelf's boards; books stand on all but the top one.
pub(crate) const BOARDS: [f32; 6] = [0.06, 0.5, 0.92, 1.34, 1.74, 2.14];

/// 2 m wide, 2.2 m high, 0.4 m deep, its back at z = 0 and its front towards +z.
pub(crate) fn shelf() -> Mesh {
    let mut mesh = block([-0.96, 0.0, 0.0], [0.96, 2.2, 0.03]);
    mesh = mesh.with(&[
        block([-1.0, 0.0, 0.0], [-0.96, 2.2, 0.4]),
        block([0.96, 0.0, 0.0], [1.0, 2.2, 0.4]),
    ]);
    for y in BOARDS {
        mesh = mesh.with(&[block([-0.96, y, 0.03], [0.96, y + 0.03, 0.38])]);
    }
    mesh
}

/// A row of books that fits a shelf, its spines towards +z.
pub(crate) fn books(seed: u64) -> Mesh {
    let mut random = Random(seed);
    let mut mesh = Mesh::default();
    let mut x = -0.92;
    loop {
        let width = random.range(0.07, 0.17);
        if x + width > 0.92 {
            return mesh;
        }
        let (height, depth) = (random.range(0.22, 0.35), random.range(0.18, 0.28));
        mesh = mesh.with(&[block([x, 0.0, 0.06], [x + width, height, 0.06 + depth])]);
        // Now and then one was taken out.
        let gap = if random.below(6) == 0 { random.range(0.06, 0.16) } else { 0.003 };
        x += width + gap;
    }
}

/// Compartments for bottles: 1.6 m wide, 1.4 m high, open towards +z.
pub(crate) fn bottle_rack() -> Mesh {
    let mut mesh = block([-0.8, 0.0, 0.0], [0.8, 1.4, 0.03]);
    for i in 0..5 {
        let x = -0.78 + i as f32 * 0.39;
        mesh = mesh.with(&[stand(x, 0.0, 0.19, [0.04, 1.4, 0.32])]);
    }
    for i in 0..4 {
        let y = i as f32 * 0.34;
        for k in 0..4 {
            let x = -0.76 + k as f32 * 0.39;
            mesh = mesh.with(&[block([x, y, 0.03], [x + 0.35, y + 0.03, 0.35])]);
        }
    }
    mesh
}

/// One metre long, along x, its upper side at y = 0; to be stretched.
pub(crate) fn beam() -> Mesh {
    block([0.0, -0.24, -0.1], [1.0, 0.0, 0.1])
}

/// A roof truss: 2 wide along x, 0.5 high, to be stretched to its span.
pub(crate) fn truss() -> Mesh {
    let strut = |a: [f32; 2], b: [f32; 2], width: f32| {
        let from = vec3(a[0], a[1], 0.0);
        let to = vec3(b[0], b[1], 0.0);
        let half = width * 0.5;
        block([0.0, -half, -half * 0.6], [1.0, half, half * 0.6]).moved(between(from, to))
    };
    strut([-1.0, 0.0], [1.0, 0.0], 0.045).with(&[
        strut([-1.0, 0.0], [0.0, 0.5], 0.045),
        strut([0.0, 0.5], [1.0, 0.0], 0.045),
        strut([0.0, 0.0], [0.0, 0.5], 0.035),
        strut([0.0, 0.05], [-0.5, 0.25], 0.03),
        strut([0.0, 0.05], [0.5, 0.25], 0.03),
    ])
}
