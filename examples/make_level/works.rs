//! The waterworks: tanks, pumps and pipes under a trussed roof, with an iron gangway.

use glam::vec3;

use crate::{
    machines::PIPE,
    material::Material::*,
    mesh::Mesh,
    place::{at, between},
    scene::{Group, Scene},
    shapes::{block, floor},
    stairs::{RISE, flight, iron_railing},
    storeys::{corners, gable_roof, ground, hole},
    walls::{Head, Wall},
};

/// The gangway's floor: 24 steps up.
const DECK: f32 = 24.0 * RISE;
/// The pool, and the middles of tanks and pumps.
const POOL: ([f32; 2], [f32; 2]) = ([28.5, 36.5], [4.0, 10.0]);
const TANKS: [f32; 3] = [-13.0, -8.5, -4.0];
const PUMPS: [f32; 3] = [4.2, 7.4, 10.6];
/// The height of the pipes overhead, and the place of the main that they join.
const OVERHEAD: f32 = 6.5;
const MAIN: f32 = 37.8;

pub(crate) fn build(scene: &mut Scene) {
    let works = scene.group(Scene::ROOT, "waterworks", at(0.0, 0.0, 0.0));
    let pool = hole(&corners(POOL.0, POOL.1));
    let concrete = ground(&corners([23.0, 39.0], [-17.0, 17.0]), &[pool], 0.0);
    scene.add(works, "works_floor", Brick, concrete);
    walls(scene, works);
    pool_and_rails(scene, works);
    gangway(scene, works);
    pipes(scene, works);
    crane(scene, works);

    for z in TANKS {
        scene.put(works, "tank", at(35.5, 0.0, z).yaw(-0.25));
    }
    for (i, z) in PUMPS.into_iter().enumerate() {
        // The middle one is built the other way round.
        let side = if i == 1 { -1.0 } else { 1.0 };
        scene.put(works, "pump", at(26.5, 0.0, z).stretched(1.0, 1.0, side));
    }
    for (x, z, size) in [(24.2, -15.9, 1.0), (38.0, 15.9, 1.0), (36.9, 16.0, 0.9)] {
        scene.put(works, "crate", at(x, 0.0, z).yaw(x * 0.1).scaled(size));
    }
    scene.put(works, "crate", at(38.0, 1.0, 15.9).yaw(0.03).scaled(0.7));
    for (x, z) in [(24.0, 15.9), (24.9, 16.1), (24.1, 15.0), (38.0, 0.3), (38.1, 1.3)] {
        scene.put(works, "barrel", at(x, 0.0, z).yaw(z));
    }
    scene.put(works, "table", at(24.0, 0.0, -7.5).yaw(0.25));
    scene.put(works, "candlestick", at(24.0, 0.76, -7.0));
    scene.put(works, "valve_wheel", at(24.0, 0.8, -8.0).pitch(-0.25));
}

fn walls(scene: &mut Scene, works: Group) {
    let bays = [-14.0, -8.4, -2.8, 2.8, 8.4, 14.0];
    let east = Wall::along_z([-17.0, 17.0], 39.0, 9.15).thick(0.8).windows(
        &bays,
        2.2,
        [3.6, 5.6],
        Head::Round,
    );
    scene.add(works, "works_wall_east", Brick, east.mesh());
    let west = Wall::along_z([-17.0, 17.0], 23.0, 9.15).arch(0.0, 3.0, 2.2).windows(
        &bays,
        1.8,
        [5.4, 7.2],
        Head::Round,
    );
    scene.add(works, "works_wall_west", Brick, west.mesh());
    let south = Wall::along_x([22.6, 39.4], 17.0, 0.0)
        .gable(&[(22.6, 9.05), (31.0, 12.6), (39.4, 9.05)])
        .arch(31.0, 2.4, 2.2)
        .windows(&[27.0, 31.0, 35.0], 1.4, [7.0, 8.4], Head::Round);
    scene.add(works, "works_wall_south", Brick, south.mesh());
    for z in bays {
        let bars = at(39.0, 3.6, z).yaw(0.25).stretched(2.2, 2.0, 1.5);
        scene.put(works, "window_bars", bars);
        let bars = at(23.0, 5.4, z).yaw(0.25).stretched(1.8, 1.8, 1.5);
        scene.put(works, "window_bars", bars);
        scene.put(works, "pilaster", at(38.5, 0.0, z + 2.8).yaw(0.25).stretched(1.2, 9.2, 1.2));
    }
    let roof = gable_roof([22.3, 39.7], [-17.0, 17.5], 12.5, 0.42);
    scene.add(works, "works_roof", RoofTiles, roof);
    for i in 0..7 {
        let z = -14.0 + i as f32 * 4.67;
        scene.put(works, "truss", at(31.0, 9.1, z).stretched(7.9, 6.5, 8.0));
    }
}

fn pool_and_rails(scene: &mut Scene, works: Group) {
    let ([x0, x1], [z0, z1]) = POOL;
    let depth = -1.8;
    let mut basin = floor(POOL.0, POOL.1, depth);
    let ring = [[x0, z1], [x0, z0], [x1, z0], [x1, z1]];
    for i in 0..4 {
        let (a, b) = (ring[i], ring[(i + 1) % 4]);
        let p = |p: [f32; 2], y| vec3(p[0], y, p[1]);
        basin.quad(p(a, depth), p(b, depth), p(b, 0.0), p(a, 0.0));
    }
    scene.add(works, "pool_basin", Brick, basin);
    scene.add(works, "pool_water", Water, floor(POOL.0, POOL.1, -0.7));
    let (x0, x1, z0, z1) = (x0 - 0.2, x1 + 0.2, z0 - 0.2, z1 + 0.2);
    iron_railing(
        scene,
        works,
        &[
            [33.5, 0.0, z1],
            [x1, 0.0, z1],
            [x1, 0.0, z0],
            [x0, 0.0, z0],
            [x0, 0.0, z1],
            [32.0, 0.0, z1],
        ],
    );
}

fn gangway(scene: &mut Scene, works: Group) {
    let gangway = scene.group(works, "gangway", at(0.0, 0.0, 0.0));
    let deck = |x: [f32; 2], z: [f32; 2]| block([x[0], DECK - 0.1, z[0]], [x[1], DECK, z[1]]);
    let decks = deck([23.2, 25.3], [-14.0, 14.0]).with(&[deck([25.3, 33.2], [-7.0, -5.6])]);
    scene.add(gangway, "gangway_deck", Iron, decks);
    let stairs = flight(24, 0.25, 1.2, Some(0.25)).moved(at(31.3, 0.0, -12.4).yaw(0.5));
    scene.add(gangway, "gangway_stairs", Iron, stairs);

    let (x, y) = (25.2, DECK);
    let mut rail = |path: &[[f32; 3]]| iron_railing(scene, gangway, path);
    rail(&[[23.3, y, -13.9], [x, y, -13.9], [x, y, -13.1]]);
    rail(&[[x, y, -11.7], [x, y, -7.0], [33.1, y, -6.95], [33.1, y, -5.65], [x, y, -5.6]]);
    rail(&[[x, y, -5.6], [x, y, 13.9], [23.3, y, 13.9]]);
    for z in [-11.85, -12.95] {
        rail(&[[31.1, 0.05, z], [25.2, y - 0.02, z]]);
    }
    for z in [-13.5, -10.0, -5.0, -2.5, 2.5, 6.0, 9.5, 13.5] {
        scene.put(gangway, "iron_post", at(25.1, 0.0, z).stretched(2.5, 3.65, 2.5));
    }
    for z in [-6.9, -5.7] {
        scene.put(gangway, "iron_post", at(32.9, 0.0, z).stretched(2.5, 3.65, 2.5));
    }
    for i in 0..8 {
        let z = -4.5 + i as f32 * 2.3;
        scene.put(gangway, "rivet_row", at(25.32, DECK - 0.05, z).pitch(0.25).roll(-0.25));
    }
}

/// Every pump and every tank sends a pipe up, over in a bend, and across to the main.
fn pipes(scene: &mut Scene, works: Group) {
    let group = scene.group(works, "pipes", at(0.0, 0.0, 0.0));
    let straight = |scene: &mut Scene, from: [f32; 3], to: [f32; 3]| {
        scene.put(group, "pipe_straight", between(from.into(), to.into()));
    };
    let risers = PUMPS.map(|z| (25.8, 1.62, z)).into_iter().chain(TANKS.map(|z| (35.5, 5.25, z)));
    for (x, start, z) in risers {
        straight(scene, [x, start, z], [x, OVERHEAD - 0.5, z]);
        scene.put(group, "pipe_bend", at(x, OVERHEAD - 0.5, z).yaw(0.5).roll(0.25));
        straight(scene, [x + 0.5, OVERHEAD, z], [MAIN, OVERHEAD, z]);
        scene.put(group, "flange", at(x, start + 0.05, z).roll(0.25));
        if start < 2.0 {
            scene.put(group, "valve_wheel", at(x, 2.6, z + PIPE * 0.9));
            // A clamp holds the long pipes on the trusses' lower chords.
            scene.put(group, "flange", at(31.5, OVERHEAD, z).stretched(1.0, 0.9, 0.9));
            let hanger = between(vec3(31.5, OVERHEAD + 0.1, z), vec3(31.5, 12.3, z));
            scene.put(group, "iron_rail", hanger);
        }
    }
    let main = between(vec3(MAIN, OVERHEAD, -16.9), vec3(MAIN, OVERHEAD, 16.9));
    scene.put(group, "pipe_straight", main.stretched(1.0, 1.4, 1.4));
    for i in 0..6 {
        let z = -14.8 + i as f32 * 5.9;
        let flange = at(MAIN, OVERHEAD, z).yaw(0.25).stretched(1.2, 1.4, 1.4);
        scene.put(group, "flange", flange);
        let bracket = at(MAIN - 0.2, OVERHEAD - 0.2, z + 0.4).stretched(1.0, 0.7, 0.8);
        scene.put(group, "beam", bracket);
    }
    // From the wall down into the pool, one above the other.
    for (x, y, z) in [(33.0, 1.9, 8.9), (35.0, 1.3, 7.9)] {
        straight(scene, [x, -1.2, z], [x, y - 0.5, z]);
        scene.put(group, "pipe_bend", at(x, y - 0.5, z).yaw(0.5).roll(0.25));
        straight(scene, [x + 0.5, y, z], [38.7, y, z]);
        scene.put(group, "flange", at(x + 0.6, y, z));
        scene.put(group, "flange", at(38.55, y, z));
    }
}

/// A travelling crane across the hall, with chain and hook.
fn crane(scene: &mut Scene, works: Group) {
    let crane = scene.group(works, "crane", at(31.0, 8.3, -0.8));
    let girder = at(-7.75, 0.0, 0.0).stretched(15.5, 1.8, 2.0);
    scene.put(crane, "beam", girder);
    let trolley: Mesh = block([-0.5, -0.75, -0.4], [0.5, -0.43, 0.4]);
    scene.add(crane, "crane_trolley", Iron, trolley);
    for i in 0..2 {
        let link = at(0.0, -0.74 - 1.93 * i as f32, 0.0).yaw(0.25 * i as f32);
        scene.put(crane, "chain", link);
    }
    scene.put(crane, "hook", at(0.0, -4.58, 0.0));
}
