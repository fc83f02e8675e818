//! The south range: a corridor of statues, and five small rooms behind it.

use crate::{
    material::Material::*,
    maths::Random,
    place::at,
    scene::{Group, Scene},
    shapes::{block, floor},
    walls::{Head, Wall},
};

/// The middles of the five rooms, 8.4 m apart.
const ROOMS: [f32; 5] = [-14.8, -6.4, 2.0, 10.4, 18.8];
const BETWEEN: [f32; 4] = [-10.6, -2.2, 6.2, 14.6];

pub(crate) fn corridor(scene: &mut Scene) {
    let room = scene.group(Scene::ROOT, "corridor", at(0.0, 0.0, 0.0));
    scene.add(room, "corridor_floor", Marble, floor([-19.0, 23.0], [17.0, 21.0], 0.0));
    let north = Wall::along_x([-19.0, 23.0], 17.0, 5.4)
        .arch(-10.0, 1.6, 2.1)
        .arch(2.0, 1.6, 2.1)
        .arch(14.0, 1.6, 2.1)
        .windows(&[-16.0, -5.0, 8.0, 20.0], 1.8, [1.2, 2.3], Head::Round);
    scene.add(room, "corridor_wall_north", Stone, north.mesh());
    let mut south = Wall::along_x([-19.0, 23.0], 21.0, 4.7);
    for x in ROOMS {
        south = south.door(x, 1.0, 2.1);
    }
    scene.add(room, "corridor_wall_south", Plaster, south.mesh());
    let ceiling = block([-19.0, 4.5, 17.0], [23.0, 4.9, 21.0]);
    scene.add(room, "corridor_ceiling", Plaster, ceiling);
    for (i, x) in BETWEEN.into_iter().enumerate() {
        let arch = Wall::along_z([17.1, 20.9], x, 4.6).thick(0.5).base(-0.1).arch(19.0, 2.6, 2.4);
        scene.add(room, &format!("corridor_arch_{}", i + 1), Stone, arch.mesh());
    }

    for (i, x) in [-17.2, -12.2, -8.8, -4.0, 4.2, 12.6, 21.2].into_iter().enumerate() {
        let figure = ["vase", "saint", "bust", "vase", "guardian", "bust"][i % 6];
        let stand = scene.group(room, "exhibit", at(x, 0.0, 20.1).yaw(0.5));
        scene.put(stand, "pedestal", at(0.0, 0.0, 0.0).stretched(0.9, 0.8, 0.9));
        let size = if figure == "vase" { 1.3 } else { 1.0 };
        scene.put(stand, figure, at(0.0, 0.8, 0.0).scaled(size));
    }
    for x in [-14.6, 2.0, 18.8] {
        scene.put(room, "lantern", at(x, 4.5, 19.0).scaled(1.4));
    }
    for x in [-16.0, -5.0, 8.0, 20.0] {
        scene.put(room, "window_bars", at(x, 1.2, 17.0).stretched(1.8, 1.1, 1.0));
    }
    let carpet = block([-18.4, 0.0, 18.3], [22.4, 0.012, 19.5]);
    scene.add(room, "corridor_carpet", Cloth, carpet);
}

pub(crate) fn cells(scene: &mut Scene) {
    let range = scene.group(Scene::ROOT, "cells", at(0.0, 0.0, 0.0));
    scene.add(range, "cells_floor", Oak, floor([-19.0, 23.0], [21.0, 29.0], 0.0));
    let mut south = Wall::along_x([-19.0, 23.0], 29.0, 5.8).thick(0.8).battlements();
    for x in ROOMS {
        south = south.windows(&[x - 1.8, x + 1.8], 1.1, [1.4, 2.8], Head::Round);
    }
    scene.add(range, "cells_wall_south", Stone, south.mesh());
    for (i, x) in BETWEEN.into_iter().enumerate() {
        let mut wall = Wall::along_z([21.0, 29.0], x, 4.7).thick(0.4);
        if i % 2 == 0 {
            wall = wall.door(27.0, 1.0, 2.1);
        }
        scene.add(range, &format!("cells_wall_{}", i + 1), Plaster, wall.mesh());
    }
    let ceiling = block([-19.0, 4.5, 21.0], [23.0, 4.9, 29.0]);
    scene.add(range, "cells_ceiling", Plaster, ceiling);

    let furnish: [fn(&mut Scene, Group); 5] = [store, dormitory, workshop, wine_store, study];
    let names = ["store", "dormitory", "workshop", "wine_store", "study"];
    for ((x, name), furnish) in ROOMS.into_iter().zip(names).zip(furnish) {
        // Coordinates inside a cell count from the middle of its floor.
        let cell = scene.group(range, name, at(x, 0.0, 25.0));
        for side in [-1.8, 1.8] {
            let bars = at(side, 1.4, 4.0).stretched(1.1, 1.4, 1.0);
            scene.put(cell, "window_bars", bars);
        }
        for z in [-2.2, 0.2, 2.6] {
            scene.put(cell, "beam", at(-4.05, 4.5, z).stretched(8.1, 0.9, 0.9));
        }
        let leaf = at(-0.5, 0.0, -3.75).yaw(-0.2).stretched(1.0, 2.1, 1.0);
        scene.put(cell, "door_leaf", leaf);
        furnish(scene, cell);
    }
}

fn store(scene: &mut Scene, cell: Group) {
    let mut random = Random(1);
    for i in 0..6 {
        let x = -3.3 + i as f32 * 1.25;
        let turns = random.range(-0.02, 0.02);
        if i != 2 && i != 5 {
            scene.put(cell, "crate", at(x, 0.0, 3.0).yaw(turns));
        }
        if i == 0 || i == 4 {
            scene.put(cell, "crate", at(x + 0.1, 1.0, 3.0).yaw(0.04 - turns).scaled(0.8));
        }
    }
    for i in 0..3 {
        scene.put(cell, "barrel", at(3.4, 0.0, -3.0 + i as f32 * 0.85).yaw(i as f32 * 0.3));
        if i < 2 {
            scene.put(cell, "barrel", at(3.4, 0.9, -2.55 + i as f32 * 0.85));
        }
    }
    for (x, z) in [(-2.7, -2.9), (-2.2, -3.2), (2.0, -3.2)] {
        let size = random.range(0.85, 1.15);
        scene.put(cell, "sack", at(x, 0.0, z).stretched(size, 1.0, 1.0));
    }
    scene.put(cell, "chain", at(1.5, 4.28, 0.2));
    scene.put(cell, "hook", at(1.5, 2.36, 0.2).scaled(0.7));
}

fn dormitory(scene: &mut Scene, cell: Group) {
    for (i, x) in [-3.4, -1.0, 1.4].into_iter().enumerate() {
        scene.put(cell, "bed", at(x, 0.0, 2.5).yaw(0.5));
        if i != 1 {
            scene.put(cell, "chest", at(x, 0.0, 0.9).stretched(0.8, 0.8, 0.8));
        }
        if i == 1 {
            scene.put(cell, "wall_lamp", at(x - 1.2, 1.8, 3.6).yaw(0.5));
        }
        let side = if i == 1 { -1.0 } else { 1.0 };
        scene.put(cell, "chair", at(x + 0.95, 0.0, 3.0).yaw(0.5).stretched(side, 1.0, 1.0));
    }
    scene.put(cell, "shelf", at(-2.4, 0.0, -3.68).stretched(0.9, 0.8, 1.0));
    scene.put(cell, "vase", at(-2.4, 1.78, -3.5).scaled(0.6));
}

fn workshop(scene: &mut Scene, cell: Group) {
    for x in [-2.4, 2.4] {
        scene.put(cell, "table", at(x, 0.0, 3.0).stretched(1.1, 1.1, 1.0));
        scene.put(cell, "candlestick", at(x + 0.9, 0.836, 3.1));
    }
    for i in 0..3 {
        scene.put(cell, "bowl", at(-3.2 + i as f32 * 0.4, 0.836, 2.8));
        let vase = at(1.5 + i as f32 * 0.42, 0.836, 3.0);
        scene.put(cell, "vase", vase.stretched(0.5, 0.4 + 0.06 * i as f32, 0.5));
    }
    for i in 0..2 {
        let x = 1.6 + i as f32 * 0.8;
        scene.put(cell, "vase", at(x, 0.0, -3.3).scaled(1.0 + 0.2 * i as f32));
    }
    scene.put(cell, "barrel", at(-3.3, 0.0, -3.2));
    scene.put(cell, "chair", at(-2.2, 0.0, 2.1));
    scene.put(cell, "chair", at(2.3, 0.0, 2.0).yaw(0.05));
}

fn wine_store(scene: &mut Scene, cell: Group) {
    for (x, turns) in [(-3.95, 0.25), (3.95, -0.25)] {
        for (k, z) in [-1.2, 1.0].into_iter().enumerate() {
            let rack = scene.group(cell, "wine_rack", at(x, 0.0, z).yaw(turns));
            scene.put(rack, "bottle_rack", at(0.0, 0.0, 0.0).stretched(1.1, 1.1, 1.0));
            for i in 0..8 {
                let column = (i * 5 + k) % 4;
                let place = at(-0.72 + column as f32 * 0.43, 0.08 + (i / 2) as f32 * 0.374, 0.05);
                scene.put(rack, "bottle", place.pitch(0.25));
            }
        }
    }
    scene.put(cell, "table", at(0.0, 0.0, 1.4));
    for i in 0..4 {
        scene.put(cell, "bottle", at(-0.8 + i as f32 * 0.33, 0.76, 1.3 + 0.07 * (i % 3) as f32));
    }
    for x in [-0.7, 0.7] {
        let cask = at(x, 0.45, 3.2).pitch(0.25).stretched(1.2, 1.0, 1.2);
        scene.put(cell, "barrel", cask);
    }
}

fn study(scene: &mut Scene, cell: Group) {
    scene.put(cell, "table", at(0.0, 0.0, 2.6));
    scene.put(cell, "chair", at(0.1, 0.0, 1.8));
    scene.put(cell, "candlestick", at(0.9, 0.76, 2.7));
    for i in 0..4 {
        let place = at(-0.7, 0.76 + 0.056 * i as f32, 2.5).yaw(0.05 * i as f32);
        scene.put(cell, "book", place);
    }
    for (i, z) in [-2.0, 0.3].into_iter().enumerate() {
        let case = scene.group(cell, "bookcase", at(3.98, 0.0, z).yaw(-0.25));
        scene.put(case, "shelf", at(0.0, 0.0, 0.0));
        scene.put(case, ["books_a", "books_c"][i], at(0.0, 0.95, 0.0));
        scene.put(case, ["books_b", "books_a"][i], at(0.0, 1.37, 0.0));
        scene.put(case, "books_c", at(0.0, 0.53, 0.0).stretched(-1.0, 1.0, 1.0));
    }
    scene.put(cell, "bed", at(-3.3, 0.0, 2.4).yaw(0.5));
    scene.put(cell, "chest", at(-3.6, 0.0, -0.5).yaw(0.25));
    scene.put(cell, "vase", at(2.0, 0.0, -3.3));
}
