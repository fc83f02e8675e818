//! The refectory: long tables, a fireplace, stores in the corner.

use glam::vec3;

use crate::{
    material::Material::*,
    maths::Random,
    place::{at, between},
    scene::{Group, Scene},
    shapes::{block, floor, rod, stand},
    walls::{Head, Wall},
};

pub(crate) fn build(scene: &mut Scene) {
    let room = scene.group(Scene::ROOT, "refectory", at(0.0, 0.0, 0.0));
    scene.add(room, "refectory_floor", Flagstones, floor([-19.0, -3.0], [-29.0, -17.0], 0.0));
    let north = Wall::along_x([-19.0, -3.0], -29.0, 6.6).thick(0.8).battlements().windows(
        &[-16.5, -5.5],
        1.4,
        [1.5, 3.4],
        Head::Round,
    );
    scene.add(room, "refectory_wall_north", Stone, north.mesh());
    let south = Wall::along_x([-19.0, -3.0], -17.0, 6.6).arch(-9.0, 1.6, 2.1).windows(
        &[-16.0, -13.0, -5.5],
        1.4,
        [1.2, 2.4],
        Head::Round,
    );
    scene.add(room, "refectory_wall_south", Stone, south.mesh());
    let ceiling = block([-19.0, 5.4, -29.0], [-3.0, 5.8, -17.0]);
    scene.add(room, "refectory_ceiling", Plaster, ceiling);
    for i in 0..6 {
        let x = -17.5 + i as f32 * 2.6;
        let beam = at(x, 5.4, -17.2).yaw(0.25).stretched(11.6, 1.2, 1.2);
        scene.put(room, "beam", beam);
    }
    for x in [-16.0, -13.0, -5.5] {
        scene.put(room, "window_bars", at(x, 1.2, -17.0).stretched(1.4, 1.2, 1.0));
    }
    tables(scene, room);
    fireplace(scene, room);
    stores(scene, room);
}

fn tables(scene: &mut Scene, room: Group) {
    let mut random = Random(7);
    for x in [-15.2, -11.0, -6.8] {
        let set = scene.group(room, "dining_table", at(x, 0.0, -21.8).yaw(0.25));
        scene.put(set, "table", at(0.0, 0.0, 0.0).stretched(1.5, 1.0, 1.2));
        for z in [-0.8, 0.8] {
            scene.put(set, "bench", at(0.0, 0.0, z).stretched(1.4, 1.0, 1.0));
        }
        for i in 0..5 {
            let along = -1.4 + i as f32 * 0.65;
            let side = if i % 2 == 0 { 0.25 } else { -0.25 };
            scene.put(set, "bowl", at(along, 0.76, side));
            if random.below(2) == 0 {
                let turns = random.range(0.0, 1.0);
                scene.put(set, "bottle", at(along + 0.2, 0.76, -side * 0.4).yaw(turns));
            }
        }
        scene.put(set, "candlestick", at(0.1, 0.76, 0.0));
        scene.put(room, "lantern", at(x, 3.6, -21.8).scaled(1.5));
        let rod = between(vec3(x, 3.58, -21.8), vec3(x, 5.42, -21.8));
        scene.put(room, "iron_rail", rod);
    }
}

/// A chimney breast with an arched hearth, an iron grate with logs.
fn fireplace(scene: &mut Scene, room: Group) {
    let hearth = scene.group(room, "fireplace", at(0.0, 0.0, 0.0));
    let breast = Wall::along_x([-12.6, -9.4], -28.2, 5.5).thick(0.9).arch(-11.0, 1.8, 1.0);
    scene.add(hearth, "chimney_breast", Brick, breast.mesh());
    let mantel = block([-12.8, 2.1, -27.8], [-9.2, 2.25, -27.5]);
    scene.add(hearth, "mantel", Stone, mantel);
    let stack = stand(-11.0, 5.7, -28.2, [1.4, 2.6, 1.0]).with(&[stand(
        -11.0,
        8.3,
        -28.2,
        [1.7, 0.3, 1.3],
    )]);
    scene.add(hearth, "chimney_stack", Brick, stack);
    let mut logs = rod([-11.5, 0.12, -28.2], [-10.5, 0.12, -28.15], 0.1, 10);
    logs = logs.with(&[
        rod([-11.45, 0.11, -27.98], [-10.5, 0.13, -28.0], 0.09, 10),
        rod([-11.4, 0.28, -28.15], [-10.6, 0.3, -28.02], 0.09, 10),
    ]);
    scene.add(hearth, "logs", Bark, logs);
    for (x, name) in [(-12.2, "candlestick"), (-11.5, "vase"), (-10.3, "bowl"), (-9.7, "bottle")] {
        let size = if name == "vase" { 0.5 } else { 1.0 };
        scene.put(hearth, name, at(x, 2.25, -27.64).scaled(size));
    }
}

fn stores(scene: &mut Scene, room: Group) {
    for (x, z) in [(-18.2, -28.0), (-17.3, -28.1)] {
        scene.put(room, "barrel", at(x, 0.0, z).yaw(x));
    }
    scene.put(room, "barrel", at(-17.8, 0.9, -28.0));
    for (x, z, size) in [(-4.1, -28.0, 0.9), (-5.1, -28.1, 0.7), (-3.9, -26.9, 0.8)] {
        scene.put(room, "crate", at(x, 0.0, z).yaw(size * 0.1).scaled(size));
    }
    scene.put(room, "crate", at(-4.2, 0.9, -27.9).yaw(0.07).scaled(0.5));
    scene.put(room, "sack", at(-6.4, 0.0, -28.1));
    scene.put(room, "sack", at(-6.9, 0.0, -27.7).stretched(0.9, 1.1, 1.0));
    let cupboard = scene.group(room, "cupboard", at(-3.32, 0.0, -19.2).yaw(-0.25));
    scene.put(cupboard, "shelf", at(0.0, 0.0, 0.0).stretched(0.9, 1.0, 1.0));
    for i in 0..8 {
        let (x, y) = (-0.6 + (i % 4) as f32 * 0.4, [0.53, 0.95][i / 4]);
        scene.put(cupboard, if i % 3 == 0 { "bottle" } else { "bowl" }, at(x, y, 0.2));
    }
    scene.put(cupboard, "vase", at(0.3, 1.37, 0.2).scaled(0.5));
    scene.put(cupboard, "vase", at(-0.3, 1.37, 0.2).stretched(0.5, 0.4, 0.5));
}
