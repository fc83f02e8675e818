//! Scenes with instances that reach past the range of `f32`: what is near is found all the same.
//!
//! Each model is there twice: once with a triangle so far out that its instance moves it past all
//! numbers, and once without. That triangle is not there in the world, so both scenes have the same
//! answers, on every instruction set.

use crate::{scenes, support};
use hitscan::geometry::ConvexHull;
use hitscan::glam::{Affine3A, Vec3};
use hitscan::scene::{Instance, Scene, Snapshot};
use hitscan::{
    Aabb, Builder, Bvh, Capsule, ConvexShape, Hit, Mesh, Obb, Query, Ray, Shape, Sphere,
};

use scenes::{Change, instruction_sets, map, offset_and_turn};
use support::{Random, in_world, long};

/// The triangles of a model that are near.
const NEAR: u32 = 30;

/// With a triangle that is far out on some axes, whose corners are given too, and without.
fn models(random: &mut Random) -> ([Bvh; 2], [Vec3; 3]) {
    let near = scenes::soup(NEAR as usize, 2.0, 1.0, u64::from(random.next()));
    let far = |random: &mut Random| {
        Vec3::from_array([0; 3].map(|_| [0.0, 1.0, 2e37, -2e37][random.below(4)]))
    };
    let mut with = near.clone();
    let corners = [far(random), far(random), Vec3::new(2e37, 1.0, 0.0)];
    with.positions.extend(corners.map(|corner| corner.to_array()));
    ([with, near].map(|mesh: Mesh| Builder::new().bake(&[mesh]).unwrap().0), corners)
}

/// Whether an instance moves a corner past the range of `f32`.
fn moves_out(map: &Affine3A, corners: &[Vec3; 3]) -> bool {
    corners.iter().any(|&corner| !in_world(map, corner).is_finite())
}

/// Instances of which some move the far triangle past all numbers, and many do not have one.
fn scenes_of(models: &[Bvh; 2], far: &[Vec3; 3], random: &mut Random) -> [Snapshot; 2] {
    let mut scenes = [Scene::new(), Scene::new()];
    for i in 0..40 {
        let change = [Change::Scaled, Change::ScaledByAxis, Change::None][i % 3];
        let place = offset_and_turn(random, 8.0);
        let mut map = map(random, change, place);
        let has_far = i % 4 == 0;
        if has_far {
            let along_axes = random.below(2) == 0;
            let size = Vec3::from_array([0; 3].map(|_| [20.0, 1.0, -30.0][random.below(3)]));
            map = if along_axes { Affine3A::from_translation(map.translation.into()) } else { map };
            map *= Affine3A::from_scale(size);
        }
        // One that stays within the numbers is there.
        let has_far = has_far && moves_out(&map, far);
        let model = |scene: usize| &models[if has_far { scene } else { 1 }];
        for (number, scene) in scenes.iter_mut().enumerate() {
            let instance = Instance::new(model(number)).with_transform(map);
            scene.insert(instance).expect("it can be placed");
        }
    }
    scenes.map(|mut scene| scene.commit())
}

fn shapes(random: &mut Random) -> (Vec3, Vec<ConvexShape>) {
    let at = random.in_box(Vec3::splat(-9.0), Vec3::splat(9.0));
    let size = [0.0, 0.3, 2.0][random.below(3)];
    let place = offset_and_turn(random, 9.0);
    let turned = map(random, Change::None, place);
    let points = (0..8).map(|_| at + random.direction());
    let hull = ConvexHull::from_points(points.collect::<Vec<_>>()).expect("not flat");
    let unit = Aabb::from_center_half_size([0.0; 3], [0.5; 3]);
    let shapes = [
        Sphere::new(at, size).into(),
        Capsule::new(at, at + Vec3::Y, size).into(),
        Capsule::new(at, at + random.direction(), size).into(),
        Aabb::from_center_half_size(at, Vec3::splat(size)).into(),
        Obb::from_transform(&turned, unit).expect("a box").into(),
        ConvexShape::from(&hull),
    ];
    (at, shapes.into())
}

#[test]
fn what_is_near_is_found_beside_what_reaches_past_all_numbers() {
    let random = &mut Random::new(4);
    let isas = instruction_sets();
    let (mut infinite, mut found) = (0, 0);
    for _ in 0..6 * long() {
        let (models, far) = models(random);
        let [with, without] = scenes_of(&models, &far, random);
        infinite += usize::from(!with.bounds().max.is_finite() || !with.bounds().min.is_finite());
        for _ in 0..12 {
            let (at, shapes) = shapes(random);
            let motion = match random.below(3) {
                0 => random.direction() * 4.0,
                1 => [Vec3::X, Vec3::NEG_Y, Vec3::Z][random.below(3)] * 5.0,
                _ => Vec3::ZERO,
            };
            for &isa in &isas {
                let query = &Query::new().instruction_set(isa);
                let both = [&with, &without];
                let near = both.map(|scene| scene.closest_point(at, f32::INFINITY, query));
                assert_eq!(near[0], near[1], "{isa}: {at}");
                let near = both.map(|scene| {
                    let mut near = Vec::new();
                    scene.all_within(at, 3.0, query, &mut near);
                    near
                });
                assert_eq!(near[0], near[1], "{isa}: {at}");
                found += near[0].len();
                for shape in &shapes {
                    let contacts = both.map(|scene| {
                        let mut contacts = Vec::new();
                        scene.all_contacts(shape, motion, query, &mut contacts);
                        contacts
                    });
                    assert_eq!(contacts[0], contacts[1], "{isa}: {shape:?} {motion}");
                    let first = both.map(|scene| scene.first_contact(shape, motion, query));
                    assert_eq!(first[0], first[1], "{isa}: {shape:?} {motion}");
                    found += contacts[0].len();
                    let shape: Shape = match shape {
                        ConvexShape::Sphere(sphere) => (*sphere).into(),
                        ConvexShape::Capsule(capsule) => (*capsule).into(),
                        ConvexShape::Aabb(bounds) => (*bounds).into(),
                        ConvexShape::Obb(obb) => (*obb).into(),
                        _ => continue,
                    };
                    let overlaps = both.map(|scene| {
                        let mut overlaps = Vec::new();
                        scene.all_overlaps(&shape, query, &mut overlaps);
                        overlaps
                    });
                    assert_eq!(overlaps[0], overlaps[1], "{isa}: {shape:?}");
                    found += overlaps[0].len();
                }
                // A ray meets the far triangle, in the coordinates of its tree.
                let query = query.filter(&|hit: &Hit| hit.triangle < NEAR);
                let ray = Ray::new(at, random.direction());
                let hits = both.map(|scene| scene.closest_hit(&ray, &query));
                assert_eq!(hits[0], hits[1], "{isa}: {ray:?}");
            }
        }
    }
    println!("{infinite} scenes reach past all numbers, {found} found in them");
    assert!(infinite > 3 && found > 500);
}
