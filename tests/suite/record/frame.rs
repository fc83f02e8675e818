//! A frame with questions of all kinds, asked of a tree or a scene, or of a recorded one: the
//! methods are the same.

use std::fmt::Debug;
use std::ops::ControlFlow;

use hitscan::geometry::Frustum;
use hitscan::glam::{Affine3A, Mat3, Vec3, Vec4};
use hitscan::record::Recorded;
use hitscan::scene::{Instance, Scene, Snapshot};
use hitscan::{
    Aabb, Builder, Bvh, Capsule, ConvexHull, ConvexShape, Facing, Hit, InstanceId, Layers, Mesh,
    Obb, Query, Ray, Shape, Sphere, Targets, Triangle,
};

use crate::{scenes, support::Random};

/// The meshes of the level: of the last, a closed one, `moved` moves a vertex.
pub(super) fn meshes(moved: Option<Vec3>) -> Vec<Mesh> {
    let mut meshes = scenes::level(3);
    if let Some(by) = moved {
        let positions = &mut meshes[0].positions;
        let middle = positions.len() / 2;
        positions[middle] = (Vec3::from(positions[middle]) + by).to_array();
    }
    meshes
}

pub(super) fn bake(meshes: &[Mesh]) -> Bvh {
    Builder::new().bake(meshes).unwrap().0
}

/// The level twice, in other places, and volumes.
pub(super) fn scene(level: &Bvh) -> Scene {
    let mut scene = Scene::new();
    let turned = Affine3A::from_rotation_y(0.7) * Affine3A::from_scale(Vec3::new(0.5, 1.0, -1.0));
    let insert = |scene: &mut Scene, instance: Instance| scene.insert(instance).unwrap();
    insert(&mut scene, Instance::new(level.clone()).with_mask(0b0111));
    insert(&mut scene, Instance::new(level.clone()).with_transform(turned));
    let at = |x: f32| Affine3A::from_translation(Vec3::new(x, 1.0, 2.0));
    let bounds = Aabb::from_center_half_size([0.0; 3], [1.0, 2.0, 3.0]);
    insert(&mut scene, Instance::new(bounds).with_transform(at(2.0) * turned));
    insert(&mut scene, Instance::new(Sphere::new([0.0; 3], 2.0)).with_transform(at(-3.0)));
    let capsule = Capsule::new([0.0; 3], [1.0, 2.0, 0.0], 0.5);
    insert(&mut scene, Instance::new(capsule).with_transform(at(5.0)).with_mask(2));
    scene.commit();
    scene
}

pub(super) fn rays(random: &mut Random, count: usize) -> Vec<Ray> {
    let point = |random: &mut Random| random.in_box(Vec3::splat(-9.0), Vec3::splat(9.0));
    (0..count).map(|_| Ray::new(point(random), random.direction())).collect()
}

/// One of each kind.
fn shapes(random: &mut Random) -> (Vec<ConvexShape>, Vec<Shape>) {
    let at = random.in_box(Vec3::splat(-4.0), Vec3::splat(4.0));
    let near = |random: &mut Random| at + random.in_box(Vec3::splat(-1.0), Vec3::splat(1.0));
    let shear = Mat3::from_cols(Vec3::new(1.0, 0.2, 0.0), Vec3::Y, Vec3::new(0.0, 0.3, 2.0));
    let turned = Affine3A::from_mat3_translation(shear, at);
    let unit = Aabb::from_center_half_size(Vec3::ZERO, Vec3::ONE);
    let points: Vec<Vec3> = (0..9).map(|_| near(random)).collect();
    let convex: Vec<ConvexShape> = vec![
        Aabb::from_center_half_size(at, [1.0, 0.5, 0.7]).into(),
        Obb::from_transform(&turned, unit).unwrap().into(),
        Sphere::new(at, 0.8).into(),
        Capsule::new(at, near(random), 0.4).into(),
        ConvexHull::from_points(points).unwrap().into(),
    ];
    let planes = [Vec4::new(0.0, 1.0, 0.0, -at.y), Vec4::new(1.0, 0.5, -0.25, -at.x)];
    let mut shapes: Vec<Shape> = convex.iter().map(Shape::from).collect();
    shapes.push(Frustum::from_planes(&planes, at).unwrap().into());
    shapes.push(Triangle::new(at, near(random), near(random)).into());
    // Shapes that touch nothing are asked about too.
    shapes.push(Aabb::EMPTY.into());
    shapes.push(Sphere::new([f32::NAN, 0.0, -0.0], 1.0).into());
    (convex, shapes)
}

/// All answers as text, which tells numbers of different bits apart.
#[derive(Default)]
pub(super) struct Answers(pub Vec<String>);

impl Answers {
    fn add(&mut self, answer: impl Debug) {
        self.0.push(format!("{answer:?}"));
    }
}

/// Asks what trees and scenes have in common, with some queries.
macro_rules! ask_common {
    ($world:expr, $query:expr, $random:expr, $answers:expr) => {{
        let (world, query, random, answers) = ($world, $query, &mut *$random, &mut $answers);
        let (mut hits, mut near, mut overlaps) = (Vec::new(), Vec::new(), Vec::new());
        let mut contacts = Vec::new();
        for ray in &rays(random, 8) {
            answers.add(world.closest_hit(ray, query));
            answers.add(world.any_hit(ray, query));
            world.all_hits(ray, query, &mut hits);
            answers.add(&hits);
            let mut first = None;
            world.for_each_hit(ray, query, &mut hits, |hit| {
                first = Some(*hit);
                ControlFlow::Break(())
            });
            answers.add((&hits, first));
        }
        // None, some, and more than a record holds.
        for count in [0, 50, 2100] {
            let rays = rays(random, count);
            let mut closest = vec![None; count];
            world.closest_hit_batch(&rays, query, &mut closest).unwrap();
            answers.add(&closest);
            let mut any = vec![false; count];
            world.any_hit_batch(&rays, query, &mut any).unwrap();
            answers.add(&any);
            let count = count.min(60);
            let mut all = vec![Vec::new(); count];
            world.all_hits_batch(&rays[..count], query, &mut all).unwrap();
            answers.add(&all);
            let points: Vec<Vec3> = rays[..count].iter().map(|ray| ray.origin).collect();
            let mut points_found = vec![None; count];
            world.closest_point_batch(&points, 5.0, query, &mut points_found).unwrap();
            answers.add(&points_found);
            // Refused.
            let error = world.closest_hit_batch(&rays, query, &mut vec![None; rays.len() + 1]);
            answers.add(error.unwrap_err().to_string());
        }
        for ray in &rays(random, 4) {
            for distance in [f32::INFINITY, 1.5] {
                answers.add(world.closest_point(ray.origin, distance, query));
                answers.add(world.any_within(ray.origin, distance.min(3.0), query));
                world.all_within(ray.origin, distance.min(3.0), query, &mut near);
                answers.add(&near);
            }
        }
        let (convex, shapes) = shapes(random);
        for shape in &shapes {
            answers.add(world.any_overlap(shape, query));
            world.all_overlaps(shape, query, &mut overlaps);
            answers.add(&overlaps);
        }
        for shape in &convex {
            for motion in [Vec3::new(1.0, -6.0, 2.0), Vec3::ZERO] {
                answers.add(world.first_contact(shape, motion, query));
                world.all_contacts(shape, motion, query, &mut contacts);
                answers.add(&contacts);
            }
            world.penetrations(shape, query, &mut contacts);
            answers.add(&contacts);
        }
    }};
}

macro_rules! ask_with_queries {
    ($world:expr, $answers:expr) => {
        let not_even = |hit: &Hit| hit.triangle % 2 != 0;
        let by_index = |index: usize, hit: &Hit| (hit.triangle as usize + index) % 3 != 0;
        let none = |_: &Hit| false;
        let first = InstanceId::from_bits(1 << 32).expect("the first that was put in");
        let plain = Query::new();
        for (seed, query) in [
            plain,
            plain.facing(Facing::Front).mask(0b0101),
            plain.filter(&not_even),
            plain.filter_by_index(&by_index).facing(Facing::Back),
            plain.filter(&none).mask(0b0010),
            plain.targets(Targets::Both),
            plain.targets(Targets::Volumes).filter_by_index(&by_index),
            plain.targets(Targets::Both).except(first),
            plain.targets(Targets::Both).except(first).filter(&not_even),
        ]
        .iter()
        .enumerate()
        {
            ask_common!($world, query, &mut Random::new(seed as u64), $answers);
        }
        for layers in [Layers::of(0b1000), Layers::ALL] {
            for ray in rays(&mut Random::new(8), 20) {
                let error = |error: hitscan::InsideError| error.to_string();
                $answers.add($world.contains(ray.origin, layers).map_err(error));
                $answers.add($world.signed_distance(ray.origin, 4.0, layers).map_err(error));
            }
        }
    };
}

macro_rules! ask_scene {
    ($world:expr, $answers:expr) => {
        ask_with_queries!($world, $answers);
        let mut hits = Vec::new();
        let random = &mut Random::new(9);
        for layers in [Layers::ALL, Layers::of(2)] {
            for ray in &rays(random, 20) {
                $world.all_volume_hits(ray, layers, &mut hits);
                $answers.add(&hits);
            }
        }
    };
}

pub(super) fn of_tree(bvh: &Bvh) -> Answers {
    let mut answers = Answers::default();
    ask_with_queries!(bvh, answers);
    answers
}

pub(super) fn of_recorded_tree(bvh: &Recorded<Bvh>) -> Answers {
    let mut answers = Answers::default();
    ask_with_queries!(bvh, answers);
    answers
}

pub(super) fn of_scene(now: &Snapshot) -> Answers {
    let mut answers = Answers::default();
    ask_scene!(now, answers);
    answers
}

pub(super) fn of_recorded_scene(now: &Recorded<Snapshot>) -> Answers {
    let mut answers = Answers::default();
    ask_scene!(now, answers);
    answers
}
