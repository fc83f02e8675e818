//! The great hall: a nave and two aisles, vaulted, under a gable roof.

use glam::vec3;

use crate::{
    material::Material::*,
    mesh::Mesh,
    place::{at, between},
    scene::{Group, Scene},
    shapes::{block, floor, slab},
    storeys::gable_roof,
    walls::{Head, Opening, Wall},
};

/// The middles of the eight bays, along z.
const BAYS: [f32; 8] = [-17.5, -12.5, -7.5, -2.5, 2.5, 7.5, 12.5, 17.5];
/// The columns stand between the bays.
const BETWEEN: [f32; 7] = [-15.0, -10.0, -5.0, 0.0, 5.0, 10.0, 15.0];

pub(crate) fn build(scene: &mut Scene) {
    let hall = scene.group(Scene::ROOT, "hall", at(0.0, 0.0, 0.0));
    scene.add(hall, "hall_floor", Flagstones, floor([-39.0, -19.0], [-20.0, 20.0], 0.0));
    walls(scene, hall);
    vaults(scene, hall);
    roofs(scene, hall);
    furnish(scene, hall);
}

fn walls(scene: &mut Scene, hall: Group) {
    let west = Wall::along_z([-20.0, 20.0], -39.0, 7.4).thick(0.8).windows(
        &BAYS,
        1.4,
        [2.2, 4.2],
        Head::Pointed,
    );
    scene.add(hall, "hall_wall_west", Stone, west.mesh());
    let east = Wall::along_z([-20.0, 20.0], -19.0, 7.4)
        .arch(-7.5, 1.8, 2.1)
        .arch(7.5, 1.8, 2.1)
        .door(18.7, 1.4, 2.1)
        .windows(&BAYS[1..7], 1.2, [5.1, 5.8], Head::Pointed);
    scene.add(hall, "hall_wall_east", Stone, east.mesh());

    let gable = |z| {
        Wall::along_x([-39.4, -18.6], z, 0.0).thick(0.8).gable(&[
            (-39.4, 7.4),
            (-34.3, 8.13),
            (-34.3, 10.62),
            (-29.0, 13.95),
            (-23.7, 10.62),
            (-23.7, 8.13),
            (-18.6, 7.4),
        ])
    };
    let north = gable(-20.0).door(-36.5, 1.2, 2.1).door(-21.5, 1.2, 2.1).windows(
        &[-31.4, -29.0, -26.6],
        1.4,
        [6.6, 8.0],
        Head::Pointed,
    );
    scene.add(hall, "hall_wall_north", Stone, north.mesh());
    let rose = Opening::Circle { at: -29.0, y: 8.2, radius: 1.6 };
    let south = gable(20.0).arch(-29.0, 3.0, 2.6).open([rose]);
    scene.add(hall, "hall_wall_south", Stone, south.mesh());
    scene.put(hall, "rose_tracery", at(-29.0, 8.2, 20.0).stretched(1.6, 1.6, 2.5));

    for (name, x) in [("hall_arcade_west", -34.0), ("hall_arcade_east", -24.0)] {
        let mut arcade = Wall::along_z([-20.0, 20.0], x, 10.7).base(4.5);
        for z in BAYS {
            arcade = arcade.arch(z, 4.1, 4.5);
            arcade = arcade.open([Opening::Circle { at: z, y: 8.75, radius: 0.65 }]);
        }
        scene.add(hall, name, Stone, arcade.mesh());
    }
}

fn vaults(scene: &mut Scene, hall: Group) {
    let vault = scene.group(hall, "hall_vault", at(0.0, 0.0, 0.0));
    for z in BAYS {
        scene.put(vault, "groin_vault", at(-29.0, 5.2, z).stretched(5.0, 5.0, 2.5));
        for side in [1.0, -1.0] {
            let rib = at(-29.0, 5.2, z).stretched(4.93 * side, 4.93, 2.46);
            scene.put(vault, "diagonal_rib", rib);
            let x = -29.0 + side * 7.5;
            scene.put(vault, "groin_vault", at(x, 4.6, z).stretched(2.5 * side, 2.4, 2.5));
            scene.put(vault, "diagonal_rib", at(x, 4.6, z).stretched(2.46, 2.36, 2.46));
            scene.put(vault, "diagonal_rib", at(x, 4.6, z).stretched(-2.46, 2.36, 2.46));
        }
    }
    for z in BETWEEN {
        scene.put(vault, "arch_rib", at(-29.0, 5.2, z).stretched(4.88, 4.88, 2.6));
        for side in [1.0, -1.0] {
            let x = -29.0 + side * 7.5;
            scene.put(vault, "arch_rib", at(x, 4.6, z).stretched(2.43, 2.33, 2.6));
            scene.put(hall, "column", at(-29.0 + side * 5.0, 0.0, z));
            // A shaft from the capital up to the nave's rib, and a pier on the outer wall.
            let shaft = at(-29.0 + side * 4.7, 4.5, z).yaw(0.25);
            scene.put(hall, "pilaster", shaft.stretched(0.7, 0.85, 0.6));
            let outer = if side > 0.0 { -19.4 } else { -38.5 };
            scene.put(hall, "pilaster", at(outer, 0.0, z).yaw(0.25).stretched(1.0, 4.7, 1.0));
        }
    }
    for x in [-34.0, -24.0] {
        for z in [-19.4, 19.4] {
            scene.put(hall, "column", at(x, 0.0, z));
        }
    }
}

fn roofs(scene: &mut Scene, hall: Group) {
    let nave = gable_roof([-35.3, -22.7], [-20.6, 20.6], 13.9, 0.62);
    scene.add(hall, "hall_roof", RoofTiles, nave);
    let (n, s) = (-20.5, 20.5);
    let west = [[-39.7, 7.4, s], [-34.0, 8.2, s], [-34.0, 8.2, n], [-39.7, 7.4, n]];
    let east = [[-24.0, 8.2, s], [-18.3, 7.4, s], [-18.3, 7.4, n], [-24.0, 8.2, n]];
    scene.add(hall, "hall_aisle_roof_west", RoofTiles, slab(west, 0.25));
    scene.add(hall, "hall_aisle_roof_east", RoofTiles, slab(east, 0.25));
}

fn furnish(scene: &mut Scene, hall: Group) {
    let dais = scene.group(hall, "dais", at(-29.0, 0.0, -16.0));
    let mut steps = Mesh::default();
    for (y, half_x, half_z) in [(0.0, 4.2, 2.8), (0.17, 3.9, 2.5), (0.34, 3.6, 2.2)] {
        steps = steps.with(&[block([-half_x, y, -half_z], [half_x, y + 0.17, half_z])]);
    }
    scene.add(dais, "dais_steps", Marble, steps);
    let altar = block([-1.4, 0.51, -0.5], [1.4, 1.45, 0.5])
        .with(&[block([-1.55, 1.45, -0.6], [1.55, 1.55, 0.6])]);
    scene.add(dais, "altar", Marble, altar);
    for x in [-1.2, -0.8, 0.8, 1.2] {
        scene.put(dais, "candlestick", at(x, 1.55, -0.2));
    }
    for side in [-1.0, 1.0] {
        scene.put(dais, "pedestal", at(side * 2.8, 0.51, -1.2).stretched(0.9, 0.6, 0.9));
        // The right one is the left one's mirror image.
        scene.put(dais, "guardian", at(side * 2.8, 1.11, -1.2).stretched(-side, 1.0, 1.0));
        scene.put(hall, "pedestal", at(-29.0 + side * 9.0, 0.0, -19.0).stretched(0.8, 1.0, 0.7));
    }
    scene.put(hall, "vase", at(-38.0, 1.0, -19.0).stretched(-1.2, 1.3, 1.2));
    scene.put(hall, "vase", at(-20.0, 1.0, -19.0));

    for row in 0..11 {
        let z = -9.0 + row as f32 * 1.7;
        for x in [-31.2, -26.8] {
            scene.put(hall, "bench", at(x, 0.0, z).stretched(1.25, 1.0, 1.2));
        }
    }
    for z in [-7.5, 2.5, 12.5] {
        let lamp = scene.group(hall, "hall_chandelier", at(-29.0, 6.3, z));
        scene.put(lamp, "chandelier", at(0.0, 0.0, 0.0).scaled(1.3));
        scene.put(lamp, "chain", at(0.0, 1.92, 0.0));
        let rod = between(vec3(0.0, 1.9, 0.0), vec3(0.0, 3.95, 0.0));
        scene.put(lamp, "iron_rail", rod);
    }
    for z in [-10.0, 10.0] {
        scene.put(hall, "wall_lamp", at(-38.32, 2.4, z).yaw(0.25));
        scene.put(hall, "wall_lamp", at(-19.58, 2.4, z).yaw(-0.25));
    }
    let carpet = block([-29.9, 0.0, -13.2], [-28.1, 0.012, 19.0]);
    scene.add(hall, "hall_carpet", Cloth, carpet);
    scene.put(hall, "door_leaf", at(-18.9, 0.0, -8.38).yaw(0.1).stretched(0.88, 2.1, 1.2));
    scene.put(hall, "door_leaf", at(-18.9, 0.0, -6.62).yaw(-0.1).stretched(0.88, 2.1, -1.2));
}
