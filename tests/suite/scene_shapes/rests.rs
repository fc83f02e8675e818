//! Shapes at rest in scenes: the first contact is the first of all contacts, on every instruction
//! set, and that of one tree of all triangles as they are in the world.
//!
//! `HITSCAN_LONG=50 cargo test --release --test suite scene_shapes::rests` asks 100,000 questions
//! for each kind of shape.

use hitscan::glam::{Affine3A, Mat3, Vec3};
use hitscan::scene::{Instance, Scene};
use hitscan::{Facing, InstructionSet, Mesh, Query};

use super::resting::{KINDS, SIZES, case, grounds};
use super::{Asked, Model, World, compare_contacts};
use crate::support::{Random, long};

#[test]
fn first_contacts_are_the_first_of_all_contacts() {
    let (mut random, mut contacts) = (Random::new(3), Vec::new());
    let mut touched = [0; KINDS.len()];
    let mut count = 0;
    for size in SIZES {
        for (what, mut mesh) in grounds(&mut Random::new(4)) {
            mesh.positions.iter_mut().for_each(|point| *point = point.map(|x| x * size));
            let world = world(&mut random, &mesh, size);
            let in_world = world.triangles.iter().flat_map(|one| {
                let vertices = one.vertices;
                [vertices.v0, vertices.v1, vertices.v2].map(|corner| corner.to_array())
            });
            let in_world = Mesh::from_soup(in_world.collect());
            for i in 0..KINDS.len() * 70 * long() {
                let (shape, motion) = case(&mut random, i, &in_world, size);
                let asked = Asked { facing: Facing::Both, mask: u32::MAX, some: false };
                let found = compare_contacts(&world, &shape, motion, asked);
                touched[i % KINDS.len()] += usize::from(found > 0);
                for isa in InstructionSet::available() {
                    let query = Query::new().instruction_set(isa);
                    world.snapshot.all_contacts(&shape, motion, &query, &mut contacts);
                    let first = world.snapshot.first_contact(&shape, motion, &query);
                    let context = || format!("{what} {isa}: {shape:?} {motion:?}");
                    assert_eq!(first.as_ref(), contacts.first(), "{}", context());
                }
                count += 1;
            }
        }
    }
    println!("touched: {touched:?} of {KINDS:?}, in {count} questions");
    assert!(touched.iter().all(|&touched| touched > 700), "{touched:?}");
}

/// The ground, four times: as it is, turned, mirrored, and of another size.
fn world(random: &mut Random, mesh: &Mesh, size: f32) -> World {
    let model = Model::new(std::slice::from_ref(mesh));
    let quarter = Mat3::from_cols(Vec3::Z, Vec3::Y, Vec3::NEG_X);
    let any = Mat3::from_axis_angle(random.direction(), 6.0 * random.unit());
    let maps = [
        Affine3A::IDENTITY,
        Affine3A::from_mat3_translation(quarter, Vec3::X * 12.0 * size),
        Affine3A::from_mat3_translation(any, Vec3::Z * 3.0 * size),
        Affine3A::from_scale([-0.5, 0.5, 2.0].into()),
    ];
    let mut scene = Scene::new();
    let placed = maps.map(|map| {
        let instance = Instance::new(model.bvh.clone()).with_transform(map);
        (scene.insert(instance).expect("sound"), &model, u32::MAX)
    });
    World::new(scene.commit(), &placed)
}
