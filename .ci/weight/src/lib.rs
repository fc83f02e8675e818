//! Every question that takes a filter, each with a filter of its own. No kernel may be compiled
//! here: see `run`.

use hitscan::geometry::{RayCone, Turn};
use hitscan::glam::Vec3;
use hitscan::query::SnapOptions;
use hitscan::scene::Snapshot;
use hitscan::{Bvh, Query, Ray, Sphere};

const RAY: Ray = Ray { origin: Vec3::ZERO, dir: Vec3::Y, t_min: 0.0, t_max: 1.0 };

const TURN: Turn = Turn { center: Vec3::ZERO, axis: Vec3::Y, angle: 1.0 };

/// Of a tree.
pub fn ask_tree(bvh: &Bvh) {
    let (all, sphere) = (Query::new(), Sphere::new([0.0; 3], 1.0));
    let _ = bvh.closest_hit(&RAY, &all.filter(&|hit| hit.mesh != 1));
    let _ = bvh.any_hit(&RAY, &all.filter(&|hit| hit.mesh != 2));
    bvh.all_hits(&RAY, &all.filter(&|hit| hit.mesh != 3), &mut Vec::new());
    let _ = bvh.closest_hit_batch(
        &[RAY],
        &all.filter_by_index(&|i, hit| hit.mesh != i as u32),
        &mut [None],
    );
    let _ = bvh.any_hit_batch(&[RAY], &all.filter(&|hit| hit.triangle != 1), &mut [false]);
    let _ = bvh.all_hits_batch(&[RAY], &all.filter(&|hit| hit.triangle != 2), &mut [Vec::new()]);
    let _ = bvh.closest_point(Vec3::ZERO, 1.0, &all.filter(&|hit| hit.triangle != 3));
    let _ = bvh.any_within(Vec3::ZERO, 1.0, &all.filter(&|hit| hit.triangle != 4));
    bvh.all_within(Vec3::ZERO, 1.0, &all.filter(&|hit| hit.triangle != 5), &mut Vec::new());
    let _ = bvh.closest_point_batch(
        &[Vec3::ZERO],
        1.0,
        &all.filter(&|hit| hit.triangle != 6),
        &mut [None],
    );
    let _ = bvh.any_overlap(sphere, &all.filter(&|hit| hit.triangle != 7));
    bvh.all_overlaps(sphere, &all.filter(&|hit| hit.triangle != 8), &mut Vec::new());
    let _ = bvh.first_contact(sphere, Vec3::X, &all.filter(&|hit| hit.triangle != 9));
    bvh.all_contacts(sphere, Vec3::X, &all.filter(&|hit| hit.triangle != 10), &mut Vec::new());
    bvh.penetrations(sphere, &all.filter(&|hit| hit.triangle != 11), &mut Vec::new());
    let _ = bvh.any_overlap_batch(
        &[sphere.into()],
        &all.filter(&|hit| hit.triangle != 26),
        &mut [false],
    );
    let _ = bvh.first_contact_batch(
        &[(sphere.into(), Vec3::X)],
        &all.filter(&|hit| hit.triangle != 27),
        &mut [None],
    );
    let cone = RayCone::new(RAY, 0.0, 0.01);
    let options = SnapOptions::new().features(&|hit, _| hit.mesh != 28);
    let _ = bvh.snap(&cone, &options, &all.filter(&|hit| hit.triangle != 28));
    let _ = bvh.closest_to_shape(sphere, 1.0, &all.filter(&|hit| hit.triangle != 32));
    let turning = all.filter(&|hit| hit.triangle != 33);
    let _ = bvh.first_contact_turning(sphere, Vec3::X, &TURN, 0.1, &turning);
}

/// Of a scene.
pub fn ask_scene(scene: &Snapshot) {
    let (all, sphere) = (Query::new(), Sphere::new([0.0; 3], 1.0));
    let _ = scene.closest_hit(&RAY, &all.filter(&|hit| hit.mesh != 1));
    let _ = scene.any_hit(&RAY, &all.filter(&|hit| hit.triangle != 12));
    scene.all_hits(&RAY, &all.filter(&|hit| hit.triangle != 13), &mut Vec::new());
    let _ = scene.closest_hit_batch(&[RAY], &all.filter(&|hit| hit.triangle != 14), &mut [None]);
    let _ = scene.any_hit_batch(&[RAY], &all.filter(&|hit| hit.triangle != 15), &mut [false]);
    let _ = scene.all_hits_batch(&[RAY], &all.filter(&|hit| hit.triangle != 16), &mut [Vec::new()]);
    let _ = scene.closest_point(Vec3::ZERO, 1.0, &all.filter(&|hit| hit.triangle != 17));
    let _ = scene.any_within(Vec3::ZERO, 1.0, &all.filter(&|hit| hit.triangle != 18));
    scene.all_within(Vec3::ZERO, 1.0, &all.filter(&|hit| hit.triangle != 19), &mut Vec::new());
    let _ = scene.closest_point_batch(
        &[Vec3::ZERO],
        1.0,
        &all.filter(&|hit| hit.triangle != 20),
        &mut [None],
    );
    let _ = scene.any_overlap(sphere, &all.filter(&|hit| hit.triangle != 21));
    scene.all_overlaps(sphere, &all.filter(&|hit| hit.triangle != 22), &mut Vec::new());
    let _ = scene.first_contact(sphere, Vec3::X, &all.filter(&|hit| hit.triangle != 23));
    scene.all_contacts(sphere, Vec3::X, &all.filter(&|hit| hit.triangle != 24), &mut Vec::new());
    scene.penetrations(sphere, &all.filter(&|hit| hit.triangle != 25), &mut Vec::new());
    let _ = scene.any_overlap_batch(
        &[sphere.into()],
        &all.filter(&|hit| hit.triangle != 29),
        &mut [false],
    );
    let _ = scene.first_contact_batch(
        &[(sphere.into(), Vec3::X)],
        &all.filter(&|hit| hit.triangle != 30),
        &mut [None],
    );
    let cone = RayCone::new(RAY, 0.0, 0.01);
    let options = SnapOptions::new().features(&|hit, _| hit.mesh != 31);
    let _ = scene.snap(&cone, &options, &all.filter(&|hit| hit.triangle != 31));
    let _ = scene.closest_to_shape(sphere, 1.0, &all.filter(&|hit| hit.triangle != 34));
    let turning = all.filter(&|hit| hit.triangle != 35);
    let _ = scene.first_contact_turning(sphere, Vec3::X, &TURN, 0.1, &turning);
}
