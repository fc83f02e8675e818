//! Every question that takes a filter, each with a filter of its own. No kernel may be compiled
//! here: see `run`.

use hitscan::glam::Vec3;
use hitscan::scene::Snapshot;
use hitscan::{Bvh, Hit, HitList, Query, Ray, SceneHit, Sphere};

const RAY: Ray = Ray { origin: Vec3::ZERO, dir: Vec3::Y, t_min: 0.0, t_max: 1.0 };

/// Of a tree.
pub fn ask_tree(bvh: &Bvh) {
    let (all, sphere) = (Query::new(), Sphere::new([0.0; 3], 1.0));
    let by = |number: u32| all.filter(move |hit: &Hit| hit.triangle != number);
    let _ = bvh.closest_hit(&RAY, &all.filter(|hit| hit.mesh != 1));
    let _ = bvh.any_hit(&RAY, &all.filter(|hit| hit.mesh != 2));
    bvh.all_hits(&RAY, &all.filter(|hit| hit.mesh != 3), &mut HitList::new());
    let _ =
        bvh.closest_hits(&[RAY], &all.filter_by_ray(|i, hit| hit.mesh != i as u32), &mut [None]);
    let _ = bvh.any_hits(&[RAY], &by(1), &mut [false]);
    let _ = bvh.all_hits_many(&[RAY], &by(2), &mut [HitList::new()]);
    let _ = bvh.closest_point(Vec3::ZERO, 1.0, &by(3));
    let _ = bvh.any_within(Vec3::ZERO, 1.0, &by(4));
    bvh.all_within(Vec3::ZERO, 1.0, &by(5), &mut Vec::new());
    let _ = bvh.closest_points(&[Vec3::ZERO], 1.0, &by(6), &mut [None]);
    let _ = bvh.any_overlap(sphere, &by(7));
    bvh.all_overlaps(sphere, &by(8), &mut Vec::new());
    let _ = bvh.first_contact(sphere, Vec3::X, &by(9));
    bvh.all_contacts(sphere, Vec3::X, &by(10), &mut Vec::new());
    bvh.penetrations(sphere, &by(11), &mut Vec::new());
}

/// Of a scene.
pub fn ask_scene(scene: &Snapshot) {
    let (all, sphere) = (Query::new(), Sphere::new([0.0; 3], 1.0));
    let by = |number: u32| all.filter_in_scene(move |_, hit: &SceneHit| hit.hit.mesh != number);
    let _ = scene.closest_hit(&RAY, &all.filter(|hit| hit.mesh != 1));
    let _ = scene.any_hit(&RAY, &by(1));
    scene.all_hits(&RAY, &by(2), &mut HitList::new());
    let _ = scene.closest_hits(&[RAY], &by(3), &mut [None]);
    let _ = scene.any_hits(&[RAY], &by(4), &mut [false]);
    let _ = scene.all_hits_many(&[RAY], &by(5), &mut [HitList::new()]);
    let _ = scene.closest_point(Vec3::ZERO, 1.0, &by(6));
    let _ = scene.any_within(Vec3::ZERO, 1.0, &by(7));
    scene.all_within(Vec3::ZERO, 1.0, &by(8), &mut Vec::new());
    let _ = scene.closest_points(&[Vec3::ZERO], 1.0, &by(9), &mut [None]);
    let _ = scene.any_overlap(sphere, &by(10));
    scene.all_overlaps(sphere, &by(11), &mut Vec::new());
    let _ = scene.first_contact(sphere, Vec3::X, &by(12));
    scene.all_contacts(sphere, Vec3::X, &by(13), &mut Vec::new());
    scene.penetrations(sphere, &by(14), &mut Vec::new());
}
