//! A bake of a level takes at most 200 bytes of memory per triangle besides the meshes. It
//! estimates this before it begins, and refuses to exceed a limit. Questions of scenes take none.
//!
//! `HITSCAN_LONG=400` bakes a terrain of 50 million triangles, which takes 10 GB.

#[path = "support/counting.rs"]
mod counting;
mod scenes;
mod support;

use counting::{alone, peak};
use hitscan::geometry::{ConvexHull, Frustum, Shape};
use hitscan::glam::{Affine3A, Quat, Vec3};
use hitscan::scene::{Instance, Scene};
use hitscan::{
    Aabb, BakeErrorKind, Builder, Capsule, Mesh, MeshView, Obb, Quality, Query, Sphere, Triangle,
};
use support::{Random, long};

const QUALITIES: [Quality; 3] = [Quality::Fast, Quality::Balanced, Quality::Best];

/// Bytes that a bake takes at its peak.
fn bake_peak(builder: &Builder, meshes: &[Mesh]) -> usize {
    peak(|| builder.bake(meshes).expect("sound")).1
}

#[test]
fn a_bake_takes_at_most_200_bytes_per_triangle_and_estimates_it() {
    let _alone = alone();
    let materials = scenes::terrain(200, 1).with_materials(vec![7; 80_000]);
    for (name, mesh) in [
        ("terrain", scenes::terrain(250 * long().isqrt(), 1)),
        ("terrain with materials", materials),
        ("soup", scenes::soup(100_000, 10.0, 0.2, 2)),
        ("large triangles", scenes::soup(50_000, 10.0, 2.0, 2)),
        ("city", scenes::city(500, 3)),
    ] {
        let meshes = [mesh];
        let count = meshes[0].triangle_count();
        for quality in QUALITIES {
            let builder = Builder::new().quality(quality).threads(2);
            let peak = bake_peak(&builder, &meshes);
            let estimate = builder.memory_estimate(&[meshes[0].view()]) as usize;
            println!(
                "{name}, {quality:?}: {} bytes a triangle, {} expected",
                peak / count,
                estimate / count
            );
            assert!(peak <= 200 * count);
            // Threads and lists of pieces take a small constant amount.
            assert!(peak <= estimate + (1 << 20) && estimate < 2 * peak);
        }
    }
}

#[test]
fn a_bake_over_the_memory_limit_is_refused() {
    let _alone = alone();
    let meshes = [scenes::soup(20_000, 10.0, 0.2, 2)];
    let view = MeshView::from(&meshes[0]);
    for quality in QUALITIES {
        let builder = Builder::new().quality(quality);
        let estimate = builder.memory_estimate(&[view]);
        assert!(builder.clone().memory_limit(estimate).bake(&meshes).is_ok());
        let builder = builder.memory_limit(estimate - 1);
        let mut calls = 0;
        let error = builder.bake_with_progress(&[view], &mut |_| {
            calls += 1;
            std::ops::ControlFlow::Continue(())
        });
        let error = error.expect_err("too large");
        assert_eq!(error.kind(), BakeErrorKind::TooLarge);
        assert_eq!(calls, 0);
        let message = error.to_string();
        assert!(message.contains(" MB of memory"), "{message}");
    }
    assert_eq!(Builder::new().memory_estimate(&[] as &[Mesh]), 0);
    assert!(Builder::new().memory_limit(0).bake(&[] as &[Mesh]).is_ok());
}

#[test]
fn questions_of_scenes_about_points_and_shapes_allocate_nothing() {
    let _alone = alone();
    let (bvh, _) = Builder::new().bake(&[scenes::city(30, 3)]).expect("sound");
    let mut scene = Scene::new();
    let mut random = Random::new(4);
    for _ in 0..40 {
        let turn = Quat::from_axis_angle(random.direction(), random.range(0.0, 6.0));
        let at = random.in_box(Vec3::splat(-20.0), Vec3::splat(20.0));
        let scale = Vec3::new(1.0, 2.0, -0.5);
        let map = Affine3A::from_scale_rotation_translation(scale, turn, at);
        scene.insert(Instance::new(bvh.clone()).with_transform(map)).expect("invertible");
    }
    let (now, query) = (scene.commit(), Query::new());
    let (mut near, mut overlaps, mut contacts) =
        (Vec::with_capacity(60_000), Vec::with_capacity(60_000), Vec::with_capacity(60_000));
    let (at, box_at) = (Vec3::new(1.0, 2.0, 3.0), Aabb::from_min_max([0.0; 3], [4.0; 3]));
    let capsule = Capsule::new(at, at + Vec3::Y, 0.5);
    let turned = Obb::from_transform(&Affine3A::from_rotation_y(0.3), box_at).expect("a rotation");
    let planes = [at.extend(-1.0), Vec3::X.extend(0.0), Vec3::NEG_Y.extend(9.0)];
    let points = (0..40).map(|i| at + Vec3::new(i as f32, (i * i % 7) as f32, (i % 5) as f32));
    let shapes: [Shape; 7] = [
        box_at.into(),
        turned.into(),
        capsule.into(),
        Sphere::new(at, 2.0).into(),
        Triangle::new(at, Vec3::ZERO, Vec3::Y).into(),
        ConvexHull::from_points(points).expect("not flat").into(),
        Frustum::from_planes(&planes, at).expect("finite").into(),
    ];
    let mut ask = || {
        assert!(now.closest_point(at, 50.0, &query).is_some());
        assert!(now.any_within(at, 9.0, &query));
        now.all_within(at, 9.0, &query, &mut near);
        for shape in &shapes {
            now.all_overlaps(shape, &query, &mut overlaps);
            assert_eq!(now.any_overlap(shape, &query), !overlaps.is_empty());
        }
        assert!(now.first_contact(capsule, [9.0, 0.0, 0.0], &query).is_some());
        now.all_contacts(box_at, [0.0, 9.0, 0.0], &query, &mut contacts);
    };
    // The test harness has a thread of its own, which may allocate meanwhile.
    let least = (0..20).map(|_| peak(&mut ask).1).min();
    assert_eq!(least, Some(0));
    assert!(!near.is_empty() && !contacts.is_empty());
}
