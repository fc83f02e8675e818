//! Steam Audio's custom ray tracer: its four callbacks, answered by a tree.
//!
//! `cargo run --release --example steam_audio`
//!
//! Steam Audio asks the game's own ray tracer if a scene is made with `IPL_SCENETYPE_CUSTOM`. Put
//! the four functions and a pointer to a [`Tracer`] into `IPLSceneSettings`; bindings such as
//! `audionimbus` have the same structures under other names. The library itself is not needed here:
//! the structures are written out, as `phonon.h` of Steam Audio 4 has them.
//!
//! **The trap.** An interval without length (`max_distance <= min_distance`) must answer 1,
//! *occluded*. A ray tracer, left alone, answers that nothing is hit: hitscan too. Then sounds come
//! through walls. (For batches Steam Audio's page says `<`, for single rays `<=`. Here both are
//! `<=`, so that a ray has one answer, alone or in a batch.)

use std::error::Error;
use std::ffi::c_void;
use std::ptr;

use hitscan::{Builder, Bvh, Face, Hit, Mesh, Query, Ray};

/// `IPLVector3`.
#[allow(missing_docs, reason = "fields are named as in `phonon.h`")]
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct IplVector3 {
    pub x: f32,
    pub y: f32,
    pub z: f32,
}

/// `IPLRay`: 24 bytes; the limits come apart. The direction is of unit length.
#[allow(missing_docs, reason = "fields are named as in `phonon.h`")]
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct IplRay {
    pub origin: IplVector3,
    pub direction: IplVector3,
}

/// `IPLMaterial`: how a surface absorbs, scatters and transmits, in three bands of frequencies.
#[allow(missing_docs, reason = "fields are named as in `phonon.h`")]
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IplMaterial {
    pub absorption: [f32; 3],
    pub scattering: f32,
    pub transmission: [f32; 3],
}

/// `IPLHit`. Indexes are -1 where there is none, and the distance is infinite if nothing is hit.
#[allow(missing_docs, reason = "fields are named as in `phonon.h`")]
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IplHit {
    pub distance: f32,
    pub triangle_index: i32,
    pub object_index: i32,
    pub material_index: i32,
    pub normal: IplVector3,
    pub material: *const IplMaterial,
}

const NO_HIT: IplHit = IplHit {
    distance: f32::INFINITY,
    triangle_index: -1,
    object_index: -1,
    material_index: -1,
    normal: IplVector3 { x: 0.0, y: 0.0, z: 0.0 },
    material: ptr::null(),
};

const _: () = assert!(size_of::<IplRay>() == 24 && size_of::<IplMaterial>() == 28);

/// What the callbacks' user data points to. It must stay where it is while the scene lives.
pub struct Tracer {
    /// What is asked.
    pub bvh: Bvh,
    /// By the number that a triangle has in its mesh's `materials`; the first one for all others.
    pub materials: Vec<IplMaterial>,
}

/// Rays that are asked at a time: more come in several batches, so that nothing is allocated.
const BATCH: usize = 64;

fn is_empty(min_distance: f32, max_distance: f32) -> bool {
    max_distance <= min_distance
}

/// Steam Audio's directions have unit length, so distances are hitscan's `t`.
fn ray(ray: &IplRay, min_distance: f32, max_distance: f32) -> Ray {
    let array = |IplVector3 { x, y, z }: IplVector3| [x, y, z];
    let limited = Ray::new(array(ray.origin), array(ray.direction));
    match is_empty(min_distance, max_distance) {
        false => limited.with_range(min_distance, max_distance),
        // A ray that meets nothing, even where both ends are at a surface.
        true => limited.with_range(1.0, 0.0),
    }
}

impl Tracer {
    fn hit(&self, hit: Option<&Hit>) -> IplHit {
        let found = hit.and_then(|hit| Some((hit, self.bvh.normal(hit)?)));
        let Some((hit, front)) = found else { return NO_HIT };
        // The normal of the side that was hit.
        let normal = if hit.face == Face::Front { front } else { -front };
        let number = hit.material().unwrap_or(0) as usize;
        let material = self.materials.get(number).or(self.materials.first());
        IplHit {
            distance: hit.t,
            triangle_index: hit.triangle.try_into().unwrap_or(-1),
            object_index: hit.mesh.try_into().unwrap_or(-1),
            material_index: hit.material().and_then(|i| i.try_into().ok()).unwrap_or(-1),
            normal: IplVector3 { x: normal.x, y: normal.y, z: normal.z },
            material: material.map_or(ptr::null(), ptr::from_ref),
        }
    }
}

/// `IPLClosestHitCallback`.
///
/// # Safety
///
/// `ray` and `user_data` point to a ray and a [`Tracer`], and `hit` to room for a hit.
pub unsafe extern "C" fn closest_hit(
    ray: *const IplRay,
    min_distance: f32,
    max_distance: f32,
    hit: *mut IplHit,
    user_data: *mut c_void,
) {
    // SAFETY: a batch of one.
    unsafe { batched_closest_hit(1, ray, &min_distance, &max_distance, hit, user_data) }
}

/// `IPLAnyHitCallback`.
///
/// # Safety
///
/// As [`closest_hit`]; `occluded` points to room for a number.
pub unsafe extern "C" fn any_hit(
    ray: *const IplRay,
    min_distance: f32,
    max_distance: f32,
    occluded: *mut u8,
    user_data: *mut c_void,
) {
    // SAFETY: a batch of one.
    unsafe { batched_any_hit(1, ray, &min_distance, &max_distance, occluded, user_data) }
}

/// Calls `each` for at most [`BATCH`] rays at a time, with the number of the first.
///
/// # Safety
///
/// `rays` and both limits point to `count` values each, if that is above zero.
unsafe fn in_batches(
    count: i32,
    rays: *const IplRay,
    min_distances: *const f32,
    max_distances: *const f32,
    mut each: impl FnMut(usize, &[Ray]),
) {
    let count = usize::try_from(count).unwrap_or(0);
    let mut batch = [Ray::new([0.0; 3], [0.0; 3]); BATCH];
    for first in (0..count).step_by(BATCH) {
        let batch = &mut batch[..BATCH.min(count - first)];
        for (i, place) in batch.iter_mut().enumerate() {
            let i = first + i;
            // SAFETY: `i` is below `count`.
            *place = unsafe { ray(&*rays.add(i), *min_distances.add(i), *max_distances.add(i)) };
        }
        each(first, batch);
    }
}

/// `IPLBatchedClosestHitCallback`.
///
/// # Safety
///
/// `user_data` points to a [`Tracer`]. All others point to `count` values each, if that is above
/// zero.
pub unsafe extern "C" fn batched_closest_hit(
    count: i32,
    rays: *const IplRay,
    min_distances: *const f32,
    max_distances: *const f32,
    hits: *mut IplHit,
    user_data: *mut c_void,
) {
    // SAFETY: as the caller promises.
    let tracer = unsafe { &*user_data.cast::<Tracer>() };
    let query = Query::new();
    let each = |first: usize, rays: &[Ray]| {
        let found = &mut [None; BATCH][..rays.len()];
        // As many results as rays: there is no error, and none could leave this function.
        let _ = tracer.bvh.closest_hit_batch(rays, &query, found);
        for (i, found) in found.iter().enumerate() {
            // SAFETY: `first + i` is below `count`.
            unsafe { hits.add(first + i).write(tracer.hit(found.as_ref())) };
        }
    };
    // SAFETY: as the caller promises.
    unsafe { in_batches(count, rays, min_distances, max_distances, each) }
}

/// `IPLBatchedAnyHitCallback`.
///
/// # Safety
///
/// As [`batched_closest_hit`].
pub unsafe extern "C" fn batched_any_hit(
    count: i32,
    rays: *const IplRay,
    min_distances: *const f32,
    max_distances: *const f32,
    occluded: *mut u8,
    user_data: *mut c_void,
) {
    // SAFETY: as the caller promises.
    let tracer = unsafe { &*user_data.cast::<Tracer>() };
    let query = Query::new();
    let each = |first: usize, rays: &[Ray]| {
        let found = &mut [false; BATCH][..rays.len()];
        let _ = tracer.bvh.any_hit_batch(rays, &query, found);
        for (i, (ray, found)) in rays.iter().zip(found).enumerate() {
            // The trap: an interval without length is occluded.
            let is_occluded = *found || is_empty(ray.t_min, ray.t_max);
            // SAFETY: `first + i` is below `count`.
            unsafe { occluded.add(first + i).write(is_occluded.into()) };
        }
    };
    // SAFETY: as the caller promises.
    unsafe { in_batches(count, rays, min_distances, max_distances, each) }
}

#[allow(dead_code, reason = "tests include this file")]
fn main() -> Result<(), Box<dyn Error>> {
    // A wall of brick between two rooms; its number is that of the material.
    let wall = vec![[0.0, -4.0, -9.0], [0.0, -4.0, 9.0], [0.0, 9.0, 0.0]];
    let wall = Mesh::from_soup(wall).with_materials(vec![0]);
    let (bvh, _report) = Builder::new().bake(&[wall])?;
    let brick = IplMaterial {
        absorption: [0.03, 0.04, 0.07],
        scattering: 0.05,
        transmission: [0.015, 0.015, 0.015],
    };
    let mut tracer = Tracer { bvh, materials: vec![brick] };
    let user_data = ptr::from_mut(&mut tracer).cast();

    // Sixteen rays from a sound, into a fan.
    let rays: Vec<IplRay> = (0..16u8)
        .map(|i| {
            let z = f32::from(i) / 7.5 - 1.0;
            let length = (1.0 + z * z).sqrt();
            let origin = IplVector3 { x: -6.0, y: 0.0, z: 0.0 };
            IplRay { origin, direction: IplVector3 { x: 1.0 / length, y: 0.0, z: z / length } }
        })
        .collect();
    let (near, far) = ([0.0; 16], [12.0; 16]);
    let (mut hits, mut occluded) = ([NO_HIT; 16], [0; 16]);
    // SAFETY: sixteen of each, and a tracer.
    unsafe {
        let (rays, near, far) = (rays.as_ptr(), near.as_ptr(), far.as_ptr());
        batched_closest_hit(16, rays, near, far, hits.as_mut_ptr(), user_data);
        batched_any_hit(16, rays, near, far, occluded.as_mut_ptr(), user_data);
    }
    for (hit, occluded) in hits.iter().zip(occluded) {
        println!("occluded {occluded}, distance {:.2}, normal {:?}", hit.distance, hit.normal);
    }
    Ok(())
}
