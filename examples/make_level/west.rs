//! The narthex before the hall, the sacristy behind it, and the crypt under both.

use glam::vec3;

use crate::{
    material::Material::*,
    place::{at, between},
    scene::{Group, Scene},
    shapes::{block, floor},
    stairs::{flight, iron_railing},
    storeys::{corners, hole, storey},
    walls::{Head, Wall},
};

pub(crate) fn narthex(scene: &mut Scene) {
    let room = scene.group(Scene::ROOT, "narthex", at(0.0, 0.0, 0.0));
    scene.add(room, "narthex_floor", Flagstones, floor([-39.0, -19.0], [20.0, 29.0], 0.0));
    let south = Wall::along_x([-39.4, -19.0], 29.0, 6.6)
        .thick(0.8)
        .battlements()
        .door(-29.0, 2.4, 2.8)
        .windows(&[-36.0, -33.0, -25.0, -22.0], 1.1, [1.8, 3.4], Head::Round);
    scene.add(room, "narthex_wall_south", Stone, south.mesh());
    let west = Wall::along_z([20.0, 29.0], -39.0, 6.6).thick(0.8).battlements().windows(
        &[22.5, 26.5],
        1.1,
        [1.8, 3.4],
        Head::Round,
    );
    scene.add(room, "narthex_wall_west", Stone, west.mesh());
    let east = Wall::along_z([20.0, 29.0], -19.0, 6.2).door(25.0, 1.2, 2.1);
    scene.add(room, "narthex_wall_east", Stone, east.mesh());
    let ceiling = block([-39.0, 5.4, 20.0], [-19.0, 5.8, 29.0]);
    scene.add(room, "narthex_ceiling", Plaster, ceiling);
    for i in 0..4 {
        let z = 21.7 + i as f32 * 1.9;
        scene.put(room, "beam", at(-38.7, 5.4, z).stretched(19.5, 1.2, 1.2));
    }

    // The gate is shut: two leaves, one the mirror image of the other.
    scene.put(room, "door_leaf", at(-30.2, -0.02, 29.0).stretched(1.2, 2.83, 1.6));
    scene.put(room, "door_leaf", at(-27.8, -0.02, 29.0).stretched(-1.2, 2.83, 1.6));
    for x in [-34.5, -23.5] {
        scene.put(room, "lantern", at(x, 3.6, 24.5).scaled(1.4));
        let rod = between(vec3(x, 3.58, 24.5), vec3(x, 5.42, 24.5));
        scene.put(room, "iron_rail", rod);
        scene.put(room, "pedestal", at(x, 0.0, 21.2));
        scene.put(room, "saint", at(x, 1.0, 21.2));
    }
    for (x, turns) in [(-37.9, 0.25), (-20.1, -0.25)] {
        scene.put(room, "bench", at(x, 0.0, 22.6).yaw(turns));
    }
    scene.put(room, "chest", at(-37.8, 0.0, 27.6).yaw(0.25));
    scene.put(room, "vase", at(-31.4, 0.0, 27.9).scaled(1.5));
    scene.put(room, "vase", at(-26.6, 0.0, 27.9).scaled(1.5));
    scene.put(room, "door_leaf", at(-19.0, 0.0, 24.4).yaw(-0.02).stretched(1.2, 2.1, 1.2));
}

pub(crate) fn sacristy(scene: &mut Scene) {
    let room = scene.group(Scene::ROOT, "sacristy", at(0.0, 0.0, 0.0));
    let stairwell = hole(&corners([-28.5, -22.0], [-28.6, -26.2]));
    let ground = storey(&corners([-39.0, -19.0], [-29.0, -20.0]), &[stairwell], -0.3, 0.0);
    scene.add(room, "sacristy_floor", Flagstones, ground);
    let north = Wall::along_x([-39.4, -19.0], -29.0, 6.2).thick(0.8).battlements().windows(
        &[-37.0, -33.5, -30.0],
        1.0,
        [1.6, 3.2],
        Head::Round,
    );
    scene.add(room, "sacristy_wall_north", Stone, north.mesh());
    let west = Wall::along_z([-29.0, -20.0], -39.0, 6.2).thick(0.8).battlements().windows(
        &[-24.5],
        1.0,
        [1.6, 3.2],
        Head::Round,
    );
    scene.add(room, "sacristy_wall_west", Stone, west.mesh());
    let east = Wall::along_z([-29.0, -20.0], -19.0, 6.4).door(-22.5, 1.2, 2.1);
    scene.add(room, "sacristy_wall_east", Stone, east.mesh());
    let ceiling = block([-39.0, 5.0, -29.0], [-19.0, 5.4, -20.0]);
    scene.add(room, "sacristy_ceiling", Plaster, ceiling);
    for i in 0..6 {
        let x = -37.2 + i as f32 * 3.2;
        scene.put(room, "beam", at(x, 5.0, -20.2).yaw(0.25).stretched(8.6, 1.0, 1.0));
    }
    iron_railing(scene, room, &[[-22.0, 0.0, -26.1], [-28.6, 0.0, -26.1], [-28.6, 0.0, -28.5]]);

    for (i, z) in [-27.4, -22.6].into_iter().enumerate() {
        let shelf = scene.group(room, "vestry_shelf", at(-38.58, 0.0, z).yaw(0.25));
        scene.put(shelf, "shelf", at(0.0, 0.0, 0.0));
        for (k, x) in [-0.5, 0.5].into_iter().enumerate() {
            scene.put(shelf, "vase", at(x, 0.95, 0.2).scaled(0.45 + 0.03 * (i + k) as f32));
            scene.put(shelf, "bottle", at(x - 0.1, 1.37, 0.2).scaled(1.0 + 0.05 * k as f32));
            scene.put(shelf, "bowl", at(x - 0.05, 0.53, 0.2));
        }
    }
    scene.put(room, "table", at(-34.0, 0.0, -23.5).yaw(0.03));
    scene.put(room, "chair", at(-34.0, 0.0, -24.3).yaw(0.02));
    scene.put(room, "candlestick", at(-34.6, 0.76, -23.4));
    scene.put(room, "book", at(-33.9, 0.76, -23.7).yaw(0.2));
    scene.put(room, "chest", at(-31.0, 0.0, -20.9).stretched(1.2, 1.0, 1.0));
    scene.put(room, "sack", at(-20.0, 0.0, -27.0));
    scene.put(room, "sack", at(-20.6, 0.0, -27.5).yaw(0.1).stretched(1.1, 0.9, 1.0));
}

/// The crypt's floor.
const LOW: f32 = -4.25;

pub(crate) fn crypt(scene: &mut Scene) {
    let room = scene.group(Scene::ROOT, "crypt", at(0.0, 0.0, 0.0));
    scene.add(room, "crypt_floor", Brick, floor([-39.0, -19.0], [-29.0, -9.0], LOW));
    let wall = |wall: Wall| wall.base(-4.6).thick(0.8).mesh();
    scene.add(room, "crypt_wall_north", Brick, wall(Wall::along_x([-39.4, -18.6], -29.0, -0.3)));
    scene.add(room, "crypt_wall_south", Brick, wall(Wall::along_x([-39.4, -18.6], -9.0, -0.3)));
    scene.add(room, "crypt_wall_west", Brick, wall(Wall::along_z([-29.0, -9.0], -39.0, -0.3)));
    scene.add(room, "crypt_wall_east", Brick, wall(Wall::along_z([-29.0, -9.0], -19.0, -0.3)));
    let along = Wall::along_x([-29.3, -19.0], -24.0, -0.3).base(-4.6).arch(-21.5, 1.4, -2.8);
    scene.add(room, "crypt_stair_wall_south", Brick, along.mesh());
    let across = Wall::along_z([-29.0, -24.0], -29.0, -0.3).base(-4.6).arch(-27.4, 2.0, -2.9);
    scene.add(room, "crypt_stair_wall_west", Brick, across.mesh());

    let steps = flight(25, 0.26, 2.2, None).at(-28.5, LOW, -27.45);
    scene.add(room, "crypt_stairs", Stone, steps);
    crypt_vaults(scene, room);

    for (x, z) in [(-36.5, -16.5), (-36.5, -11.8), (-31.5, -11.8), (-26.5, -11.8)] {
        scene.put(room, "sarcophagus", at(x, LOW, z));
        scene.put(room, "candlestick", at(x + 0.8, LOW, z - 1.3).scaled(1.6));
    }
    cellar(scene, room);
}

/// Bays of five metres, but for the two that the stairs take.
fn crypt_vaults(scene: &mut Scene, room: Group) {
    let vault = scene.group(room, "crypt_vault", at(0.0, -2.3, 0.0));
    for x in [-36.5, -31.5, -26.5, -21.5] {
        for z in [-26.5, -21.5, -16.5, -11.5] {
            if x > -29.0 && z < -24.0 {
                continue;
            }
            scene.put(vault, "groin_vault", at(x, 0.0, z).stretched(2.5, 1.75, 2.5));
        }
    }
    for x in [-34.0, -29.0, -24.0] {
        for z in [-24.0, -19.0, -14.0] {
            if z > -24.0 || x == -34.0 {
                scene.put(room, "column", at(x, LOW, z).stretched(0.7, 0.435, 0.7));
            }
        }
        scene.put(room, "pilaster", at(x, LOW, -9.4).stretched(1.0, 2.0, 1.0));
    }
}

/// Wine: racks along the east wall, barrels on their sides.
fn cellar(scene: &mut Scene, room: Group) {
    for (k, z) in [-22.0, -20.0].into_iter().enumerate() {
        let rack = scene.group(room, "wine_rack", at(-19.42, LOW, z).yaw(-0.25));
        scene.put(rack, "bottle_rack", at(0.0, 0.0, 0.0));
        for i in 0..16 {
            let (column, row) = (i % 4, i / 4);
            if (i * 7 + k) % 3 == 0 {
                continue;
            }
            let x = -0.65 + column as f32 * 0.39;
            let y = 0.07 + row as f32 * 0.34;
            scene.put(rack, "bottle", at(x, y, 0.05).pitch(0.25));
        }
    }
    for i in 0..3 {
        let z = -15.4 + i as f32 * 0.95;
        let lying = at(-19.5, LOW + 0.36, z).roll(0.25).stretched(1.0, 1.0, 1.0);
        scene.put(room, "barrel", lying);
        if i < 2 {
            scene.put(room, "barrel", at(-19.5, LOW + 1.0, z + 0.475).roll(0.25));
        }
    }
    scene.put(room, "crate", at(-27.8, LOW, -25.0));
    scene.put(room, "crate", at(-26.6, LOW, -24.9).yaw(0.03).scaled(0.8));
    scene.put(room, "barrel", at(-25.5, LOW, -25.0));
    scene.put(room, "lantern", at(-31.5, -0.54, -21.5));
}
