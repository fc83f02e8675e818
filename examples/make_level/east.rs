//! The stair tower in the north-east, the forge in the south-east, and the land outside.

use crate::{
    material::Material::*,
    maths::{Random, turn},
    place::at,
    polygon::Polygon,
    scene::{Group, Scene},
    shapes::{block, floor, stand, turned},
    stairs::{RISE, iron_railing},
    storeys::{corners, ground, hole, pyramid, storey},
    walls::{Head, Wall},
};

/// The tower's upper floor: 42 steps up a winding stair of 24 steps a turn.
const STEPS: usize = 42;
const UPPER: f32 = STEPS as f32 * RISE;
/// The stair's axis.
const AXIS: [f32; 2] = [31.0, -23.0];

pub(crate) fn tower(scene: &mut Scene) {
    let tower = scene.group(Scene::ROOT, "tower", at(0.0, 0.0, 0.0));
    scene.add(tower, "tower_floor", Flagstones, floor([23.0, 39.0], [-29.0, -17.0], 0.0));
    let low = [1.6, 3.0];
    let high = [8.3, 9.8];
    let north = Wall::along_x([23.0, 39.4], -29.0, 12.9)
        .thick(0.8)
        .battlements()
        .windows(&[26.0, 31.0, 36.0], 1.2, low, Head::Round)
        .windows(&[26.0, 31.0, 36.0], 1.2, high, Head::Pointed);
    scene.add(tower, "tower_wall_north", Stone, north.mesh());
    let east = Wall::along_z([-29.0, -17.0], 39.0, 12.9)
        .thick(0.8)
        .battlements()
        .windows(&[-25.5, -20.5], 1.2, low, Head::Round)
        .windows(&[-25.5, -20.5], 1.2, high, Head::Pointed);
    scene.add(tower, "tower_wall_east", Stone, east.mesh());
    let south = Wall::along_x([23.0, 39.4], -17.0, 12.9).door(27.0, 1.4, 2.1);
    scene.add(tower, "tower_wall_south", Stone, south.mesh());
    let west = Wall::along_z([-29.0, -17.0], 23.0, 12.9).door(-20.0, 1.2, 2.1).windows(
        &[-26.5, -23.0, -19.5],
        1.0,
        [9.4, 10.4],
        Head::Round,
    );
    scene.add(tower, "tower_wall_west", Stone, west.mesh());
    let ceiling = block([23.0, 11.6, -29.0], [39.0, 12.0, -17.0]);
    scene.add(tower, "tower_ceiling", Plaster, ceiling);
    let roof = pyramid([23.8, 38.2], [-28.2, -17.8], 12.0, 16.5);
    scene.add(tower, "tower_roof", RoofTiles, roof);
    winding_stair(scene, tower);

    scene.put(tower, "shelf", at(24.6, UPPER, -28.6));
    scene.put(tower, "books_b", at(24.6, UPPER + 0.95, -28.6));
    scene.put(tower, "books_a", at(24.6, UPPER + 1.37, -28.6));
    scene.put(tower, "table", at(36.0, UPPER, -25.0).yaw(0.23));
    scene.put(tower, "chair", at(35.2, UPPER, -25.0).yaw(0.25));
    scene.put(tower, "book", at(36.0, UPPER + 0.76, -25.3).yaw(0.1));
    scene.put(tower, "candlestick", at(36.0, UPPER + 0.76, -24.4));
    scene.put(tower, "chest", at(38.1, UPPER, -19.0).yaw(-0.25));
    scene.put(tower, "bed", at(25.0, UPPER, -18.6).yaw(0.25));
    scene.put(tower, "lantern", at(27.0, 11.6, -23.0).scaled(1.5));
    for (x, z) in [(24.2, -27.9), (38.0, -28.0)] {
        scene.put(tower, "barrel", at(x, 0.0, z).yaw(x));
        scene.put(tower, "sack", at(x - 0.1, 0.0, z + 1.0).yaw(z));
    }
    scene.put(tower, "crate", at(38.0, 0.0, -26.4).yaw(0.02));
    for (x, z) in [(27.0, -28.57), (35.0, -28.57)] {
        scene.put(tower, "wall_lamp", at(x, 2.4, z));
    }
    scene.put(tower, "pedestal", at(37.6, 0.0, -18.4));
    scene.put(tower, "vase", at(37.6, 1.0, -18.4).scaled(1.3));
}

fn winding_stair(scene: &mut Scene, tower: Group) {
    let [x, z] = AXIS;
    let opening: Vec<_> = (0..36)
        .map(|i| {
            let p = turn(i as f32 / 36.0) * 1.86;
            [x + p.x, z - p.y]
        })
        .collect();
    let boards =
        storey(&corners([23.0, 39.0], [-29.0, -17.0]), &[hole(&opening)], UPPER - 0.3, UPPER);
    scene.add(tower, "tower_upper_floor", Oak, boards);

    let stair = scene.group(tower, "winding_stair", at(x, 0.0, z));
    let newel = turned(&[(0.32, 0.0), (0.26, 0.1), (0.26, 8.0), (0.34, 8.1), (0.2, 8.4)], 20);
    scene.add(stair, "newel", Stone, newel);
    for i in 0..STEPS {
        let step = at(0.0, i as f32 * RISE, 0.0).yaw(i as f32 / 24.0);
        scene.put(stair, "spiral_step", step);
    }
    // Around the opening, but for the place where the stair arrives.
    let arrival = STEPS as f32 / 24.0;
    let rail: Vec<_> = (0..=14)
        .map(|i| {
            let p = turn(arrival + 0.03 + 0.84 * i as f32 / 14.0) * 2.05;
            [p.x, UPPER, -p.y]
        })
        .collect();
    iron_railing(scene, stair, &rail);
}

pub(crate) fn forge(scene: &mut Scene) {
    let forge = scene.group(Scene::ROOT, "forge", at(0.0, 0.0, 0.0));
    scene.add(forge, "forge_floor", Brick, floor([23.0, 39.0], [17.0, 29.0], 0.0));
    let south = Wall::along_x([23.0, 39.4], 29.0, 7.2).thick(0.8).battlements().windows(
        &[26.0, 36.5],
        1.6,
        [1.6, 3.2],
        Head::Round,
    );
    scene.add(forge, "forge_wall_south", Brick, south.mesh());
    let east = Wall::along_z([17.0, 29.0], 39.0, 7.2).thick(0.8).battlements().windows(
        &[20.0, 25.5],
        1.6,
        [1.6, 3.2],
        Head::Round,
    );
    scene.add(forge, "forge_wall_east", Brick, east.mesh());
    let west = Wall::along_z([17.0, 29.0], 23.0, 7.0).door(19.0, 1.4, 2.1);
    scene.add(forge, "forge_wall_west", Brick, west.mesh());
    let ceiling = block([23.0, 6.0, 17.0], [39.0, 6.4, 29.0]);
    scene.add(forge, "forge_ceiling", DarkWood, ceiling);
    for i in 0..5 {
        let x = 25.0 + i as f32 * 3.0;
        let beam = at(x, 6.0, 28.8).yaw(0.25).stretched(11.6, 1.4, 1.4);
        scene.put(forge, "beam", beam);
    }
    hearth(scene, forge);

    scene.put(forge, "anvil", at(29.3, 0.0, 24.6).yaw(0.08));
    scene.put(forge, "anvil", at(33.4, 0.0, 24.4).yaw(-0.1).stretched(-1.0, 1.0, 1.0));
    scene.put(forge, "barrel", at(27.9, 0.0, 25.2));
    for z in [20.0, 22.6] {
        scene.put(forge, "table", at(38.0, 0.0, z).yaw(0.25).stretched(1.0, 1.1, 1.1));
    }
    for (i, z) in [19.3, 20.0, 20.6, 22.0, 23.1].into_iter().enumerate() {
        let tool = ["flange", "bottle", "valve_wheel", "hook", "bowl"][i];
        let place = at(38.0, 0.836 + [0.05, 0.0, 0.0, 0.07, 0.0][i], z);
        let lying = match tool {
            "flange" => place.roll(0.25).scaled(0.7),
            "valve_wheel" => place.pitch(-0.25).scaled(0.8),
            "hook" => place.roll(0.25),
            _ => place,
        };
        scene.put(forge, tool, lying);
    }
    for (x, z) in [(31.0, 22.6), (34.0, 21.4)] {
        scene.put(forge, "chain", at(x, 5.7, z).stretched(1.2, 1.0, 1.2));
        scene.put(forge, "hook", at(x, 3.8, z));
    }
    for (x, z) in [(24.1, 28.0), (25.0, 28.1)] {
        scene.put(forge, "barrel", at(x, 0.0, z).yaw(x + z));
    }
    scene.put(forge, "crate", at(24.2, 0.0, 24.4));
    scene.put(forge, "crate", at(24.2, 1.0, 24.4).yaw(0.08).scaled(0.8));
    scene.put(forge, "sack", at(37.9, 0.0, 27.9));
}

/// A brick furnace with an arched mouth and a chimney, coal beside it.
fn hearth(scene: &mut Scene, forge: Group) {
    let front = Wall::along_x([29.0, 34.0], 27.2, 3.0).thick(0.5).arch(31.5, 1.8, 1.2);
    let sides = block([29.0, -0.1, 27.45], [29.5, 3.0, 28.7])
        .with(&[block([33.5, -0.1, 27.45], [34.0, 3.0, 28.7])]);
    scene.add(forge, "furnace_front", Brick, front.mesh());
    scene.add(forge, "furnace_sides", Brick, sides);
    let hood = pyramid([28.8, 34.2], [26.8, 28.8], 3.0, 5.2)
        .with(&[stand(31.5, 4.2, 28.0, [1.5, 5.2, 1.2]), stand(31.5, 9.4, 28.0, [1.8, 0.3, 1.5])]);
    scene.add(forge, "furnace_hood", Brick, hood);
    scene.add(forge, "furnace_bed", Stone, block([29.5, 0.0, 27.45], [33.5, 0.6, 28.6]));
    let mut random = Random(99);
    for i in 0..18 {
        let inside = i < 7;
        let (x, y, z) = if inside {
            (random.range(30.6, 32.4), 0.6, random.range(27.6, 28.2))
        } else {
            (random.range(35.0, 36.4), 0.0, random.range(27.3, 28.4))
        };
        let (size, turns) = (random.range(0.16, 0.34), random.range(0.0, 1.0));
        scene.put(forge, "stone_small", at(x, y, z).yaw(turns).scaled(size));
    }
}

/// Meadow all around, with trees to be seen through the windows.
pub(crate) fn outside(scene: &mut Scene) {
    let outside = scene.group(Scene::ROOT, "outside", at(0.0, 0.0, 0.0));
    let house = hole(&corners([-39.2, 39.2], [-29.2, 29.2]));
    let meadow = ground(&corners([-46.0, 46.0], [-36.0, 36.0]), &[house], -0.25);
    scene.add(outside, "meadow", Soil, meadow);
    let mut random = Random(31);
    for i in 0..12 {
        let p = turn((i as f32 + 0.5) / 12.0);
        // On an oval track between the walls and the meadow's edge.
        let scale = (43.0 / p.x.abs().max(0.001)).min(33.0 / p.y.abs().max(0.001));
        let (x, z, turns) = (p.x * scale, p.y * scale, random.range(0.0, 1.0));
        let kind = ["tree_slim", "bush", "tree_broad", "tree_slim", "bush", "tree_slim"][i % 6];
        scene.put(outside, kind, at(x, -0.25, z).yaw(turns));
        scene.put(outside, "bush", at(x * 0.985, -0.25, z * 0.99 + 1.5).yaw(turns));
        if i % 3 == 0 {
            scene.put(outside, "boulder", at(x + 1.0, -0.25, z - 1.6).yaw(turns));
        }
    }
    let gate = Polygon { outline: hole(&corners([-31.0, -27.0], [29.3, 36.0])), holes: Vec::new() };
    let path = gate.face(|p| glam::vec3(p.x, -0.22, -p.y));
    scene.add(outside, "gate_path", Flagstones, path);
}
