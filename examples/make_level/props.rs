//! Small things: barrels, crates, bottles, lamps, chains, doors.

use glam::vec3;

use crate::{
    material::Material::{self, *},
    maths::turn,
    mesh::Mesh,
    place::at,
    shapes::{ball, block, lathe, rod, stand, torus, tube, turned},
};

/// 0.9 m high: staves, and two hoops around them.
pub(crate) fn barrel() -> Vec<(Material, Mesh)> {
    let radius = |y: f32| 0.36 - (y - 0.45) * (y - 0.45) * 0.4;
    let mut body = vec![(0.0, 0.03)];
    body.extend([0.0, 0.22, 0.45, 0.68, 0.9].map(|y| (radius(y), y)));
    body.push((0.0, 0.87));
    let hoop = |y: f32| {
        let (low, high) = (radius(y) + 0.012, radius(y + 0.06) + 0.012);
        lathe(&[(0.2, y), (low, y), (high, y + 0.06), (0.2, y)], 8).closed()
    };
    let hoops = hoop(0.18).with(&[hoop(0.66)]);
    vec![(Oak, lathe(&body, 8).closed()), (Iron, hoops)]
}

/// One metre each way: a box inside a frame of boards.
pub(crate) fn crate_box() -> Vec<(Material, Mesh)> {
    let core = block([-0.46, 0.04, -0.46], [0.46, 0.96, 0.46]);
    let mut frame = Mesh::default();
    for (a, b) in [(-0.5, -0.38), (0.38, 0.5)] {
        for (c, d) in [(-0.5, -0.38), (0.38, 0.5)] {
            let (low, high) = (c + 0.5, d + 0.5);
            frame = frame.with(&[
                block([a, 0.0, c], [b, 1.0, d]),
                block([-0.38, low, a], [0.38, high, b]),
                block([a, low, -0.38], [b, high, 0.38]),
            ]);
        }
    }
    vec![(DarkWood, frame), (Oak, core)]
}

pub(crate) fn bottle() -> Mesh {
    let profile =
        [(0.0, 0.0), (0.038, 0.0), (0.038, 0.17), (0.014, 0.235), (0.016, 0.3), (0.0, 0.3)];
    lathe(&profile, 6).closed()
}

/// 0.7 m high and hollow, with two handles.
pub(crate) fn vase() -> Mesh {
    let body = [
        (0.0, 0.0),
        (0.12, 0.0),
        (0.1, 0.06),
        (0.19, 0.22),
        (0.225, 0.36),
        (0.17, 0.51),
        (0.085, 0.62),
        (0.13, 0.7),
        (0.07, 0.62),
        (0.19, 0.36),
        (0.0, 0.09),
    ];
    let handle = |side: f32| {
        let path: Vec<_> = (0..=4)
            .map(|i| {
                let p = turn(i as f32 / 8.0 - 0.25);
                (vec3(side * (0.11 + p.x * 0.12), 0.54 + p.y * 0.1, 0.0), 0.014)
            })
            .collect();
        tube(&path, 3, false)
    };
    lathe(&body, 10).closed().with(&[handle(1.0), handle(-1.0)])
}

pub(crate) fn bowl() -> Mesh {
    lathe(&[(0.0, 0.0), (0.07, 0.0), (0.15, 0.08), (0.0, 0.02)], 8).closed()
}

pub(crate) fn candlestick() -> Vec<(Material, Mesh)> {
    let foot = [(0.09, 0.0), (0.09, 0.015), (0.025, 0.04), (0.015, 0.1), (0.03, 0.12)];
    let stem = [(0.015, 0.14), (0.015, 0.24), (0.05, 0.26), (0.05, 0.27)];
    let profile: Vec<_> = foot.into_iter().chain(stem).collect();
    let candle = turned(&[(0.016, 0.27), (0.016, 0.42)], 4);
    vec![(Brass, turned(&profile, 5)), (Plaster, candle)]
}

/// On a wall that faces +z: a plate, an arm, a glass ball in a cage.
pub(crate) fn wall_lamp() -> Vec<(Material, Mesh)> {
    let arm: Vec<_> = (0..=5)
        .map(|i| {
            let p = turn(i as f32 / 10.0 + 0.5);
            (vec3(0.0, p.y * 0.12, 0.16 + p.x * 0.16), 0.015)
        })
        .collect();
    let plate = block([-0.06, -0.15, 0.0], [0.06, 0.15, 0.02]);
    let cup = turned(&[(0.03, 0.0), (0.09, 0.05)], 6).at(0.0, 0.0, 0.32);
    let ring = torus(0.105, 0.008, 8, 3).at(0.0, 0.15, 0.32);
    let cage = (0..4).map(|i| {
        let p = turn(i as f32 / 4.0 + 0.125) * 0.105;
        rod([p.x, 0.05, 0.32 + p.y], [p.x * 0.3, 0.3, 0.32 + p.y * 0.3], 0.006, 5)
    });
    let cage: Vec<_> = cage.collect();
    let iron = plate.with(&[tube(&arm, 4, false), cup, ring]).with(&cage);
    vec![(Iron, iron), (Glass, ball(0.08, 6, 4).at(0.0, 0.14, 0.32))]
}

/// Hangs from the origin: a hook, a roof, four posts, glass.
pub(crate) fn lantern() -> Vec<(Material, Mesh)> {
    let roof = turned(&[(0.16, -0.22), (0.15, -0.2), (0.05, -0.1), (0.02, -0.08)], 6);
    let floor = turned(&[(0.12, -0.54), (0.15, -0.5)], 6);
    let posts: Vec<_> = (0..3)
        .map(|i| {
            let p = turn(i as f32 / 3.0) * 0.135;
            rod([p.x, -0.5, p.y], [p.x, -0.22, p.y], 0.008, 3)
        })
        .collect();
    let ring = torus(0.04, 0.008, 8, 3).moved(at(0.0, -0.04, 0.0).pitch(0.25));
    let glass = turned(&[(0.1, -0.49), (0.1, -0.23)], 6);
    vec![(Iron, roof.with(&[floor, ring]).with(&posts)), (Glass, glass)]
}

/// Links hanging down from the origin, every second one turned: 0.16 m each.
pub(crate) fn chain(links: usize) -> Mesh {
    let link: Vec<_> = (0..6)
        .map(|i| {
            let p = turn((i as f32 + 0.5) / 6.0);
            let straight = if p.y > 0.0 { 0.05 } else { -0.05 };
            (vec3(p.x * 0.045, p.y * 0.045 + straight, 0.0), 0.014)
        })
        .collect();
    let link = tube(&link, 3, true);
    let mut mesh = Mesh::default();
    for i in 0..links {
        let place = at(0.0, -0.08 - i as f32 * 0.16, 0.0).yaw(if i % 2 == 0 { 0.0 } else { 0.25 });
        mesh.add(&link, place);
    }
    mesh
}

/// A wheel of six lamps, hanging on three rods from the origin, 1.4 m below it.
pub(crate) fn chandelier() -> Vec<(Material, Mesh)> {
    let mut iron = torus(0.8, 0.035, 24, 4).at(0.0, -1.4, 0.0);
    let hub = [(0.03, -1.5), (0.1, -1.42), (0.05, -1.3), (0.03, -0.02)];
    iron = iron.with(&[turned(&hub, 8)]);
    let mut candles = Mesh::default();
    for i in 0..6 {
        let p = turn(i as f32 / 6.0) * 0.8;
        let cup = turned(&[(0.03, 0.0), (0.07, 0.06)], 5).at(p.x, -1.37, p.y);
        iron = iron.with(&[cup]);
        let candle = turned(&[(0.025, 0.0), (0.02, 0.2)], 4);
        candles = candles.with(&[candle.at(p.x, -1.31, p.y)]);
        if i % 2 == 0 {
            iron = iron.with(&[rod([p.x, -1.4, p.y], [0.0, -0.3, 0.0], 0.015, 4)]);
            iron = iron.with(&[rod([p.x, -1.4, p.y], [0.0, -1.4, 0.0], 0.015, 4)]);
        }
    }
    vec![(Brass, iron), (Plaster, candles)]
}

/// One by one metre, hinged at the origin: planks, two iron bands with studs, a ring.
pub(crate) fn door_leaf() -> Vec<(Material, Mesh)> {
    let mut planks = Mesh::default();
    for i in 0..5 {
        let x = i as f32 * 0.2;
        let depth = if i % 2 == 0 { 0.03 } else { 0.025 };
        planks = planks.with(&[block([x, 0.0, -depth], [x + 0.2, 1.0, depth])]);
    }
    let mut iron = Mesh::default();
    let stud = lathe(&[(0.0, 0.0), (0.02, 0.0), (0.0, 0.016)], 4).closed();
    for y in [0.2, 0.8] {
        iron = iron.with(&[block([0.0, y - 0.025, -0.036], [0.92, y + 0.025, 0.036])]);
        for i in 0..4 {
            let x = 0.1 + i as f32 * 0.24;
            iron.add(&stud, at(x, y, 0.035).pitch(0.25));
        }
    }
    let ring = torus(0.05, 0.008, 10, 3).moved(at(0.88, 0.46, 0.045).pitch(0.25));
    vec![(Oak, planks), (Iron, iron.with(&[ring]))]
}

pub(crate) fn sack() -> Mesh {
    let profile = [
        (0.0, 0.0),
        (0.26, 0.0),
        (0.31, 0.08),
        (0.3, 0.25),
        (0.25, 0.42),
        (0.14, 0.52),
        (0.07, 0.55),
        (0.11, 0.62),
        (0.0, 0.6),
    ];
    lathe(&profile, 8).closed()
}

/// A box with a round lid, 0.9 m wide.
pub(crate) fn chest() -> Vec<(Material, Mesh)> {
    let lid = turned(&[(0.25, -0.45), (0.25, 0.45)], 10)
        .moved(at(0.0, 0.36, 0.0).stretched(1.0, 0.7, 1.0).roll(0.25));
    let wood = block([-0.45, 0.0, -0.25], [0.45, 0.36, 0.25]).with(&[lid]);
    let mut iron = Mesh::default();
    for x in [-0.35, 0.0, 0.35] {
        let band = turned(&[(0.262, x - 0.03), (0.262, x + 0.03)], 10)
            .moved(at(0.0, 0.36, 0.0).stretched(1.0, 0.7, 1.0).roll(0.25));
        iron = iron.with(&[stand(x, 0.0, 0.0, [0.06, 0.37, 0.52]), band]);
    }
    vec![(DarkWood, wood), (Iron, iron)]
}

/// Lying open-side to +x, 0.2 by 0.28 m.
pub(crate) fn book() -> Mesh {
    let cover = |y: f32| block([0.0, y, 0.0], [0.2, y + 0.006, 0.28]);
    cover(0.0).with(&[
        cover(0.05),
        block([0.0, 0.006, 0.0], [0.006, 0.05, 0.28]),
        block([0.006, 0.006, 0.006], [0.19, 0.05, 0.274]),
    ])
}
