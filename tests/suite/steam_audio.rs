//! The example `steam_audio` keeps the contract of Steam Audio's callbacks, sentence by sentence.

#[path = "../../examples/steam_audio.rs"]
#[allow(unreachable_pub, reason = "an example, included as a module")]
mod example;

use std::ffi::c_void;
use std::ptr;

use crate::{scenes, support};

use example::{
    IplHit, IplMaterial, IplRay, IplVector3, Tracer, any_hit, batched_any_hit, batched_closest_hit,
    closest_hit,
};
use hitscan::glam::Vec3;
use hitscan::{Builder, Face, Mesh, Query, Ray};
use support::Random;

/// What a callback must overwrite.
const UNTOUCHED: IplHit = IplHit {
    distance: -7.0,
    triangle_index: -7,
    object_index: -7,
    material_index: -7,
    normal: IplVector3 { x: -7.0, y: -7.0, z: -7.0 },
    material: ptr::null(),
};

fn material(absorption: f32) -> IplMaterial {
    IplMaterial { absorption: [absorption; 3], scattering: 0.05, transmission: [0.1; 3] }
}

/// Two walls: at x = 2 without a material, at x = 5 of material 1.
fn walls() -> Tracer {
    let wall = |x: f32| Mesh::from_soup(vec![[x, -9.0, -9.0], [x, -9.0, 9.0], [x, 9.0, 0.0]]);
    let meshes = [wall(2.0), wall(5.0).with_materials(vec![1])];
    let (bvh, _) = Builder::new().bake(&meshes).expect("sound");
    Tracer { bvh, materials: vec![material(0.1), material(0.2)] }
}

fn vector(at: Vec3) -> IplVector3 {
    IplVector3 { x: at.x, y: at.y, z: at.z }
}

fn user_data(tracer: &Tracer) -> *mut c_void {
    ptr::from_ref(tracer).cast_mut().cast()
}

fn along(x: f32) -> IplRay {
    IplRay { origin: vector(Vec3::ZERO), direction: vector(Vec3::new(x, 0.0, 0.0)) }
}

fn closest(tracer: &Tracer, ray: IplRay, near: f32, far: f32) -> IplHit {
    let mut hit = UNTOUCHED;
    // SAFETY: a ray, a tracer, and room for a hit.
    unsafe { closest_hit(&ray, near, far, &mut hit, user_data(tracer)) };
    hit
}

fn occluded(tracer: &Tracer, ray: IplRay, near: f32, far: f32) -> u8 {
    let mut occluded = 7;
    // SAFETY: a ray, a tracer, and room for a number.
    unsafe { any_hit(&ray, near, far, &mut occluded, user_data(tracer)) };
    occluded
}

#[test]
fn the_closest_hit_is_the_one_closest_to_the_origin() {
    let tracer = walls();
    let hit = closest(&tracer, along(1.0), 0.0, 100.0);
    assert_eq!((hit.distance, hit.object_index, hit.triangle_index), (2.0, 0, 0));
    assert_eq!(hit.material_index, -1, "this wall has no material");
    assert_eq!(hit.material, &raw const tracer.materials[0]);
    let hit = closest(&tracer, along(1.0), 3.0, 100.0);
    assert_eq!((hit.distance, hit.object_index, hit.material_index), (5.0, 1, 1));
    assert_eq!(hit.material, &raw const tracer.materials[1]);
}

#[test]
fn no_hit_is_nearer_than_the_least_or_farther_than_the_greatest_distance() {
    let tracer = walls();
    for (near, far, expected) in [
        (2.0, 100.0, 2.0),
        (2.0f32.next_up(), 100.0, 5.0),
        (2.5, 4.5, f32::INFINITY),
        (5.0f32.next_up(), f32::INFINITY, f32::INFINITY),
        (0.0, 2.0f32.next_down(), f32::INFINITY),
    ] {
        assert_eq!(closest(&tracer, along(1.0), near, far).distance, expected, "{near} {far}");
        let any = u8::from(expected.is_finite());
        assert_eq!(occluded(&tracer, along(1.0), near, far), any, "{near} {far}");
    }
}

#[test]
fn where_nothing_is_hit_the_distance_is_infinite_and_indexes_are_minus_one() {
    let hit = closest(&walls(), along(-1.0), 0.0, 100.0);
    assert_eq!(hit.distance, f32::INFINITY);
    assert_eq!([hit.triangle_index, hit.object_index, hit.material_index], [-1; 3]);
    assert_eq!(occluded(&walls(), along(-1.0), 0.0, 100.0), 0);
}

#[test]
fn an_empty_interval_is_occluded_and_has_no_closest_hit() {
    let tracer = walls();
    // Also where both ends are exactly on the wall, and where nothing is far and wide.
    for ray in [along(1.0), along(-1.0)] {
        for (near, far) in [(3.0, 1.0), (2.0, 2.0), (0.0, 0.0), (f32::INFINITY, 0.0)] {
            assert_eq!(occluded(&tracer, ray, near, far), 1, "{near} {far}");
            let hit = closest(&tracer, ray, near, far);
            assert_eq!(hit.distance, f32::INFINITY, "{near} {far}");
        }
    }
}

#[test]
fn the_normal_is_of_unit_length_and_points_to_where_the_ray_came_from() {
    let tracer = walls();
    for (x, from) in [(1.0, 0.0), (-1.0, 4.0)] {
        let ray = IplRay { origin: vector(Vec3::new(from, 0.0, 0.0)), ..along(x) };
        let hit = closest(&tracer, ray, 0.0, 100.0);
        assert_eq!((hit.distance, hit.normal), (2.0, vector(Vec3::new(-x, 0.0, 0.0))));
    }
}

/// Also more rays than are asked at a time, and none.
#[test]
fn a_batch_is_the_same_as_its_rays_one_by_one_and_as_the_tree() {
    let (bvh, _) = Builder::new().bake(&[scenes::city(24, 3)]).expect("sound");
    let tracer = Tracer { bvh, materials: Vec::new() };
    let bounds = tracer.bvh.bounds();
    let mut random = Random::new(2);
    let mut occlusions = [0; 2];
    for count in [0, 1, 16, 32, 63, 64, 65, 300] {
        let rays: Vec<IplRay> = (0..count)
            .map(|_| IplRay {
                origin: vector(random.in_box(bounds.min, bounds.max)),
                direction: vector(random.direction()),
            })
            .collect();
        let near: Vec<f32> = rays.iter().map(|_| random.range(0.0, 3.0)).collect();
        let far: Vec<f32> = rays.iter().map(|_| random.range(2.0, 30.0)).collect();
        let (mut hits, mut any) = (vec![UNTOUCHED; count], vec![7; count]);
        let data = user_data(&tracer);
        // SAFETY: `count` of each, and a tracer.
        unsafe {
            let (n, rays, near, far) = (count as i32, rays.as_ptr(), near.as_ptr(), far.as_ptr());
            batched_closest_hit(n, rays, near, far, hits.as_mut_ptr(), data);
            batched_any_hit(n, rays, near, far, any.as_mut_ptr(), data);
        }
        for i in 0..count {
            let (near, far) = (near[i], far[i]);
            assert_eq!(hits[i], closest(&tracer, rays[i], near, far));
            assert_eq!(any[i], occluded(&tracer, rays[i], near, far));
            occlusions[usize::from(any[i])] += 1;
            let array = |IplVector3 { x, y, z }: IplVector3| [x, y, z];
            let ray = Ray::new(array(rays[i].origin), array(rays[i].direction));
            let found = tracer.bvh.closest_hit(&ray.with_range(near, far), &Query::new());
            let found = found.filter(|_| near < far);
            assert_eq!(hits[i].distance, found.map_or(f32::INFINITY, |found| found.t));
            assert_eq!(any[i] == 1, found.is_some() || far <= near);
            if let Some(found) = found {
                let front = tracer.bvh.normal(&found).expect("it was hit");
                let normal = if found.face == Face::Front { front } else { -front };
                assert_eq!(hits[i].normal, vector(normal));
                assert!(hits[i].material.is_null(), "there is no material");
            }
        }
    }
    assert!(occlusions.iter().all(|&count| count > 50), "{occlusions:?}");
    // A number that is none is no batch.
    // SAFETY: nothing is read.
    unsafe {
        let none = (ptr::null(), ptr::null(), ptr::null());
        batched_any_hit(-1, none.0, none.1, none.2, ptr::null_mut(), user_data(&tracer));
    }
}
