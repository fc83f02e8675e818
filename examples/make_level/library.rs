//! The library: two storeys of shelves around a reading room, a gallery with a balustrade.

use crate::{
    furniture::BOARDS,
    material::Material::*,
    maths::Random,
    place::{Place, at},
    scene::{Group, Scene},
    shapes::{block, floor},
    stairs::{RISE, balustrade, flight},
    storeys::storey,
    walls::{Head, Wall},
};

/// The gallery's floor: 21 steps up.
const UPPER: f32 = 21.0 * RISE;

pub(crate) fn build(scene: &mut Scene) {
    let room = scene.group(Scene::ROOT, "library", at(0.0, 0.0, 0.0));
    scene.add(room, "library_floor", Oak, floor([-3.0, 23.0], [-29.0, -17.0], 0.0));
    let bays = [0.5, 4.8, 9.1, 13.4, 17.7];
    let north = Wall::along_x([-3.0, 23.0], -29.0, 9.2).thick(0.8).battlements().windows(
        &bays,
        1.2,
        [6.1, 7.0],
        Head::Round,
    );
    scene.add(room, "library_wall_north", Stone, north.mesh());
    let south = Wall::along_x([-3.0, 23.0], -17.0, 9.2)
        .arch(12.0, 1.6, 2.1)
        .windows(&bays, 1.6, [5.0, 6.8], Head::Round)
        .windows(&[17.7], 1.4, [1.2, 2.4], Head::Round);
    scene.add(room, "library_wall_south", Stone, south.mesh());
    let west = Wall::along_z([-29.0, -17.0], -3.0, 9.2).door(-22.5, 1.2, 2.1);
    scene.add(room, "library_wall_west", Plaster, west.mesh());
    let ceiling = block([-3.0, 8.2, -29.0], [23.0, 8.6, -17.0]);
    scene.add(room, "library_ceiling", Plaster, ceiling);
    for i in 0..7 {
        let x = -0.6 + i as f32 * 3.6;
        let beam = at(x, 8.2, -17.2).yaw(0.25).stretched(11.6, 1.5, 1.6);
        scene.put(room, "beam", beam);
    }
    gallery(scene, room);
    shelves(scene, room);
    reading(scene, room);
}

fn gallery(scene: &mut Scene, room: Group) {
    let shape = [
        [-2.8, -17.2],
        [0.0, -17.2],
        [0.0, -26.2],
        [20.3, -26.2],
        [20.3, -17.2],
        [22.8, -17.2],
        [22.8, -28.8],
        [-2.8, -28.8],
    ];
    scene.add(room, "gallery_floor", DarkWood, storey(&shape, &[], UPPER - 0.25, UPPER));
    balustrade(
        scene,
        room,
        &[
            [-0.12, UPPER, -19.05],
            [-0.12, UPPER, -26.32],
            [20.42, UPPER, -26.32],
            [20.42, UPPER, -17.3],
        ],
    );
    let stairs = flight(21, 0.28, 1.5, Some(0.3)).moved(at(5.88, 0.0, -18.15).yaw(0.5));
    scene.add(room, "library_stairs", Oak, stairs);
    balustrade(scene, room, &[[5.7, 0.05, -18.82], [0.0, UPPER - 0.1, -18.82]]);

    let post = |x, z| at(x, 0.0, z).stretched(0.4, UPPER - 0.24, 0.67);
    for i in 0..6 {
        scene.put(room, "pilaster", post(0.2 + i as f32 * 3.98, -26.35));
    }
    for z in [-22.8, -19.6] {
        scene.put(room, "pilaster", post(-0.15, z));
        scene.put(room, "pilaster", post(20.45, z));
    }
}

fn shelves(scene: &mut Scene, room: Group) {
    let mut random = Random(451);
    let mut shelf = |scene: &mut Scene, place: Place| {
        let group = scene.group(room, "bookcase", place);
        scene.put(group, "shelf", at(0.0, 0.0, 0.0));
        for board in &BOARDS[1..5] {
            let kind = ["books_a", "books_b", "books_c", "", ""][random.below(5)];
            // A mirrored row has its books in the opposite order.
            let side = if random.below(2) == 0 { 1.0 } else { -1.0 };
            if !kind.is_empty() {
                scene.put(group, kind, at(0.0, board + 0.03, 0.0).stretched(side, 1.0, 1.0));
            }
        }
    };
    for i in 0..6 {
        shelf(scene, at(2.2 + i as f32 * 3.1, 0.0, -28.6));
    }
    for i in 0..4 {
        let x = 2.65 + i as f32 * 4.3;
        shelf(scene, at(x, UPPER, -28.6));
    }
    shelf(scene, at(-2.7, 0.0, -26.5).yaw(0.25));
    shelf(scene, at(-2.7, UPPER, -24.0).yaw(0.25));
    shelf(scene, at(22.7, 0.0, -25.0).yaw(-0.25));
    shelf(scene, at(22.7, UPPER, -22.0).yaw(-0.25));
}

fn reading(scene: &mut Scene, room: Group) {
    for (i, x) in [7.0, 11.5, 16.0].into_iter().enumerate() {
        let turns = [0.25, 0.255, 0.24][i];
        let desk = scene.group(room, "reading_desk", at(x, 0.0, -22.6).yaw(turns));
        scene.put(desk, "table", at(0.0, 0.0, 0.0));
        for (k, along) in [-0.7, 0.5].into_iter().enumerate() {
            scene.put(desk, "chair", at(along, 0.0, 0.75).yaw(0.5));
            scene.put(desk, "chair", at(along + 0.1, 0.0, -0.7).yaw(0.03 * k as f32));
            scene.put(desk, "book", at(along, 0.76, 0.05).yaw(0.1 + 0.3 * k as f32));
            scene.put(desk, "book", at(along, 0.816, 0.02).yaw(0.13 * i as f32 + 0.1));
        }
        scene.put(desk, "candlestick", at(0.95, 0.76, 0.1));
    }
    for x in [7.0, 16.0] {
        scene.put(room, "chandelier", at(x, 6.1, -21.8));
        scene.put(room, "chain", at(x, 8.2, -21.8).stretched(1.2, 1.09, 1.2));
    }
    scene.put(room, "pedestal", at(19.2, 0.0, -18.2));
    scene.put(room, "bust", at(19.2, 1.0, -18.2).yaw(0.4));
    let carpet = block([5.0, 0.0, -24.4], [18.0, 0.012, -20.6]);
    scene.add(room, "library_carpet", Cloth, carpet);
    scene.put(room, "chest", at(1.6, 0.0, -25.0).yaw(0.27));
    scene.put(room, "door_leaf", at(-3.0, 0.0, -23.1).yaw(-0.06).stretched(1.2, 2.1, 1.2));
}
