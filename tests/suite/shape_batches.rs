//! Sweeps and overlaps in batches: each shape has the answer that it has alone.

use crate::{scenes, support};
use std::sync::atomic::{AtomicU64, Ordering};

use hitscan::geometry::{ConvexHull, ConvexShape, Shape};
use hitscan::glam::{Affine3A, Vec3};
use hitscan::scene::{Instance, Scene};
use hitscan::{Aabb, BatchErrorKind, Builder, Capsule, Hit, Query, Sphere};
use support::{Random, long};

/// Bodies and their motions: most of them small, some empty, without an end or not a number.
fn moving(random: &mut Random, count: usize) -> Vec<(ConvexShape, Vec3)> {
    let mut one = |i: usize| {
        let at = random.in_box(Vec3::splat(-4.0), Vec3::splat(4.0));
        let size = random.range(0.01, 0.8);
        let shape: ConvexShape = match i % 5 {
            0 => Sphere::new(at, size).into(),
            1 => Capsule::new(at, at + random.direction(), size).into(),
            2 => Aabb::from_center_half_size(at, Vec3::splat(size)).into(),
            3 => {
                let corners = [(); 5].map(|()| at + size * random.direction());
                ConvexHull::from_points(corners).expect("a solid").into()
            }
            _ => Sphere::new(at, [size, -1.0, f32::NAN][random.below(3)]).into(),
        };
        let motion = 6.0 * random.direction() * random.unit();
        (shape, [motion, motion, Vec3::ZERO, Vec3::NAN][random.below(4)])
    };
    (0..count).map(&mut one).collect()
}

/// Whether batches of a tree or a scene are what single questions are.
macro_rules! assert_batches {
    ($world:expr, $moving:expr) => {
        let (world, moving) = (&$world, $moving);
        let shapes: Vec<Shape> = moving.iter().map(|(shape, _)| shape.clone().into()).collect();
        // By its index.
        let accepts = |index: usize, hit: &Hit| (index as u32 + hit.triangle) % 3 != 0;
        for is_filtered in [false, true] {
            let query = match is_filtered {
                true => Query::new().filter_by_index(&accepts),
                false => Query::new(),
            };
            let (mut contacts, mut touched) = (vec![None; moving.len()], vec![false; moving.len()]);
            world.first_contact_batch(moving, &query, &mut contacts).unwrap();
            world.any_overlap_batch(&shapes, &query, &mut touched).unwrap();
            let mut found = [0; 2];
            for (i, (shape, motion)) in moving.iter().enumerate() {
                let filter = |hit: &Hit| accepts(i, hit);
                let single = match is_filtered {
                    true => Query::new().filter(&filter),
                    false => Query::new(),
                };
                assert_eq!(contacts[i], world.first_contact(shape, *motion, &single), "{i}");
                assert_eq!(touched[i], world.any_overlap(shape, &single), "{i}");
                found[0] += usize::from(contacts[i].is_some());
                found[1] += usize::from(touched[i]);
            }
            assert!(found.iter().all(|&n| n > moving.len() / 50 && n < moving.len()), "{found:?}");
        }
        let calls = AtomicU64::new(0);
        let count = |_: &Hit| calls.fetch_add(1, Ordering::Relaxed) == u64::MAX;
        let query = Query::new().filter(&count);
        let error = world.first_contact_batch(moving, &query, &mut []).unwrap_err();
        assert_eq!(error.kind(), BatchErrorKind::ResultCount);
        let error = world.any_overlap_batch(&shapes, &query, &mut [false; 3]).unwrap_err();
        assert_eq!(error.kind(), BatchErrorKind::ResultCount);
        assert_eq!(calls.into_inner(), 0, "nothing is asked");
    };
}

#[test]
fn batches_are_what_single_questions_are() {
    let mut random = Random::new(3);
    let meshes = [scenes::soup(60, 4.0, 1.0, 2), scenes::sphere(9, 6, 2.0, Vec3::ZERO)];
    let (bvh, _) = Builder::new().bake(&meshes).unwrap();
    let mut scene = Scene::new();
    for scale in [1.0, -0.7] {
        let at = Affine3A::from_scale(Vec3::new(scale, 1.0, 0.5));
        scene.insert(Instance::new(&bvh).with_transform(at)).unwrap();
    }
    let snapshot = scene.commit();
    // More than are divided among threads, and fewer.
    for count in [64, 1_000 * long()] {
        let moving = &moving(&mut random, count);
        assert_batches!(bvh, moving);
        assert_batches!(snapshot, moving);
    }
    bvh.first_contact_batch(&[], &Query::new(), &mut []).unwrap();
}
