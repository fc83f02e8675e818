//! The cloister: a covered walk around the courtyard, and the garden inside it.

use glam::{Vec3, vec3};

use crate::{
    masonry::disc,
    material::Material::*,
    maths::{Random, noise, smoothstep, turn},
    mesh::Mesh,
    place::{at, between},
    scene::{Group, Scene},
    shapes::{block, floor, lathe, sheet, tube},
    storeys::ring_roof,
    walls::Wall,
};

/// The garden, between the arcades.
const X: [f32; 2] = [-15.0, 19.0];
const Z: [f32; 2] = [-13.0, 13.0];
/// The fountain, and the way to it from all four sides.
const MIDDLE: [f32; 2] = [2.0, 0.0];

pub(crate) fn walks(scene: &mut Scene) {
    let cloister = scene.group(Scene::ROOT, "cloister", at(0.0, 0.0, 0.0));
    let mut pave = |name, x, z| scene.add(cloister, name, Flagstones, floor(x, z, 0.0));
    pave("cloister_floor_north", [-19.0, 23.0], [-17.0, Z[0]]);
    pave("cloister_floor_south", [-19.0, 23.0], [Z[1], 17.0]);
    pave("cloister_floor_west", [-19.0, X[0]], Z);
    pave("cloister_floor_east", [X[1], 23.0], Z);
    arcades(scene, cloister);
    plinths(scene, cloister);

    let roof = ring_roof(([-19.0, 23.0], [-17.0, 17.0], 4.7), ([-14.6, 18.6], [-12.6, 12.6], 3.4));
    scene.add(cloister, "cloister_roof", RoofTiles, roof);
    let rafters = scene.group(cloister, "cloister_rafters", at(0.0, 0.0, 0.0));
    for i in 0..16 {
        let x = -13.0 + i as f32 * 2.0;
        for side in [-1.0, 1.0] {
            let (wall, arcade) = (vec3(x, 4.43, side * 16.75), vec3(x, 3.34, side * 13.05));
            scene.put(rafters, "beam", between(wall, arcade));
        }
    }
    for i in 0..12 {
        let z = -11.0 + i as f32 * 2.0;
        for (wall, arcade) in [(-18.75, -15.05), (22.75, 19.05)] {
            scene.put(rafters, "beam", between(vec3(wall, 4.43, z), vec3(arcade, 3.34, z)));
        }
    }
    for i in 0..3 {
        let x = -11.0 + i as f32 * 12.0;
        for z in [-15.0, 15.0] {
            if i != 1 {
                scene.put(cloister, "lantern", at(x, 3.75, z));
            }
            scene.put(cloister, "bench", at(x + 3.0, 0.0, z + z / 15.0 * 1.45));
        }
    }
    for (x, z) in [(-18.0, -16.0), (22.0, 16.0)] {
        scene.put(cloister, "vase", at(x, 0.0, z).scaled(1.6));
    }
}

fn arcades(scene: &mut Scene, cloister: Group) {
    for (name, z) in [("arcade_north", Z[0]), ("arcade_south", Z[1])] {
        let mut wall = Wall::along_x([X[0] - 0.2, X[1] + 0.2], z, 3.46).base(2.2).thick(0.4);
        for i in 0..17 {
            wall = wall.arch(X[0] + 1.0 + i as f32 * 2.0, 1.7, 2.2);
        }
        scene.add(cloister, name, Stone, wall.mesh());
        for i in 0..=17 {
            scene.put(cloister, "colonnette", at(X[0] + i as f32 * 2.0, 0.6, z));
        }
    }
    for (name, x) in [("arcade_west", X[0]), ("arcade_east", X[1])] {
        let mut wall = Wall::along_z(Z, x, 3.46).base(2.2).thick(0.4);
        for i in 0..13 {
            wall = wall.arch(Z[0] + 1.0 + i as f32 * 2.0, 1.7, 2.2);
        }
        scene.add(cloister, name, Stone, wall.mesh());
        for i in 1..13 {
            scene.put(cloister, "colonnette", at(x, 0.6, Z[0] + i as f32 * 2.0));
        }
    }
}

/// The low walls under the columns, with a threshold in the middle of each side.
fn plinths(scene: &mut Scene, cloister: Group) {
    let (w, e) = (X[0] - 0.25, X[1] + 0.25);
    let gap_x = [MIDDLE[0] - 0.75, MIDDLE[0] + 0.75];
    let gap_z = [MIDDLE[1] - 0.75, MIDDLE[1] + 0.75];
    for (side, z) in [("north", Z[0]), ("south", Z[1])] {
        let run = |x: [f32; 2], top| block([x[0], -0.3, z - 0.25], [x[1], top, z + 0.25]);
        let low = run([w, gap_x[0]], 0.6).with(&[run([gap_x[1], e], 0.6), run(gap_x, 0.04)]);
        scene.add(cloister, &format!("plinth_{side}"), Stone, low);
    }
    for (side, x) in [("west", X[0]), ("east", X[1])] {
        let run = |z: [f32; 2], top| block([x - 0.25, -0.3, z[0]], [x + 0.25, top, z[1]]);
        let ends = [Z[0] + 0.25, Z[1] - 0.25];
        let low =
            run([ends[0], gap_z[0]], 0.6).with(&[run([gap_z[1], ends[1]], 0.6), run(gap_z, 0.04)]);
        scene.add(cloister, &format!("plinth_{side}"), Stone, low);
    }
}

/// The height of the garden: rolling, level at its borders, at the fountain and on the paths.
fn ground(x: f32, z: f32) -> f32 {
    let border = (x - X[0]).min(X[1] - x).min(z - Z[0]).min(Z[1] - z);
    let (dx, dz) = (x - MIDDLE[0], z - MIDDLE[1]);
    let fountain = smoothstep(3.6, 6.5, (dx * dx + dz * dz).sqrt());
    let path = smoothstep(0.9, 3.2, dx.abs().min(dz.abs()));
    let hills = 0.75 + 0.8 * noise(vec3(x * 0.16, 0.0, z * 0.16), 3);
    let bumps = 0.14 * noise(vec3(x * 0.7, 0.0, z * 0.7), 4);
    (hills.max(0.05) + bumps) * smoothstep(0.0, 3.5, border) * fountain * path
}

pub(crate) fn courtyard(scene: &mut Scene) {
    let court = scene.group(Scene::ROOT, "courtyard", at(0.0, 0.0, 0.0));
    let terrain = sheet(40, 30, |s, t| {
        let (x, z) = (X[0] + (X[1] - X[0]) * s, Z[1] + (Z[0] - Z[1]) * t);
        vec3(x, ground(x, z), z)
    });
    scene.add(court, "terrain", Soil, terrain);
    fountain(scene, court);
    plants(scene, court);
    sculpture(scene, court);
}

fn fountain(scene: &mut Scene, court: Group) {
    let fountain = scene.group(court, "fountain", at(MIDDLE[0], 0.0, MIDDLE[1]));
    let basin = [
        (0.0, -0.2),
        (2.5, -0.2),
        (2.5, 0.12),
        (2.2, 0.14),
        (2.1, 0.2),
        (2.1, 0.48),
        (2.2, 0.52),
        (2.24, 0.58),
        (2.2, 0.64),
        (1.96, 0.64),
        (1.9, 0.6),
        (1.88, 0.15),
        (0.0, 0.15),
    ];
    scene.add(fountain, "fountain_basin", Stone, lathe(&basin, 24).closed());
    let bowl = [
        (0.0, 0.1),
        (0.35, 0.15),
        (0.22, 0.3),
        (0.16, 0.7),
        (0.24, 0.95),
        (0.2, 1.05),
        (0.55, 1.2),
        (0.85, 1.42),
        (0.9, 1.5),
        (0.84, 1.5),
        (0.5, 1.3),
        (0.16, 1.26),
        (0.1, 1.7),
        (0.26, 1.9),
        (0.28, 1.95),
        (0.1, 1.92),
        (0.0, 2.1),
    ];
    scene.add(fountain, "fountain_bowl", Marble, lathe(&bowl, 16).closed());
    scene.add(fountain, "fountain_water", Water, disc(1.9, 24, 0.5));
}

fn plants(scene: &mut Scene, court: Group) {
    let mut random = Random(2024);
    // A free spot: off the paths and the fountain, not too near the arcade.
    let mut spot = |clear: f32| loop {
        let x = random.range(X[0] + 1.2, X[1] - 1.2);
        let z = random.range(Z[0] + 1.2, Z[1] - 1.2);
        let (dx, dz) = (x - MIDDLE[0], z - MIDDLE[1]);
        let far = dx * dx + dz * dz > 12.0;
        if far && dx.abs() > clear && dz.abs() > clear {
            return (at(x, ground(x, z), z).yaw(random.range(0.0, 1.0)), random.range(0.7, 1.3));
        }
    };
    let trees = scene.group(court, "trees", at(0.0, 0.0, 0.0));
    for (x, z, size) in [
        (-9.5, -7.5, 1.15),
        (-10.0, 7.0, 1.0),
        (12.5, -7.0, 1.05),
        (13.0, 7.5, 1.25),
        (-3.5, 9.0, 0.8),
    ] {
        let place = at(x, ground(x, z), z).yaw(x * 0.37);
        // Every second one is a mirror image, so that no two look alike.
        let side = if z > 0.0 { -size } else { size };
        scene.put(trees, "tree_broad", place.stretched(side, size, size));
    }
    for (x, z) in [(-13.0, -11.0), (17.0, -11.0), (17.0, 11.0), (-13.0, 11.0), (7.0, -10.5)] {
        scene.put(trees, "tree_slim", at(x, ground(x, z), z).yaw(z * 0.21));
    }
    let shrubs = scene.group(court, "shrubs", at(0.0, 0.0, 0.0));
    for _ in 0..16 {
        let (place, size) = spot(1.8);
        scene.put(shrubs, "bush", place.stretched(size, size * 0.9, size * 1.1));
    }
    for _ in 0..170 {
        let (place, size) = spot(1.0);
        scene.put(shrubs, "grass_tuft", place.scaled(size));
    }
    for _ in 0..6 {
        let (place, size) = spot(2.4);
        scene.put(shrubs, "boulder", place.stretched(size, size * 0.8, -size));
    }
    for _ in 0..12 {
        let (place, size) = spot(1.2);
        scene.put(shrubs, "stone_small", place.scaled(size * 0.3));
    }
}

/// A knot of bronze on a pedestal, on the hill in the north-west.
fn sculpture(scene: &mut Scene, court: Group) {
    let (x, z) = (-5.5, -6.0);
    let spot = scene.group(court, "sculpture", at(x, ground(x, z) - 0.15, z).yaw(0.06));
    let path: Vec<(Vec3, f32)> = (0..72)
        .map(|i| {
            let t = i as f32 / 72.0;
            let (around, wave) = (turn(t * 2.0), turn(t * 3.0));
            let out = 0.42 + 0.18 * wave.x;
            (vec3(around.x * out, around.y * out, 0.2 * wave.y), 0.075)
        })
        .collect();
    let knot: Mesh = tube(&path, 6, true).at(0.0, 1.62, 0.0);
    scene.add(spot, "knot", Brass, knot);
    scene.put(spot, "pedestal", at(0.0, 0.0, 0.0));
}
