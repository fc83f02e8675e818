//! tinybvh: `BVH8_CPU` over a tree with spatial splits.

use std::ffi::c_void;

use tinybvh_rs::{Intersector, bvh, bvh8_cpu, mbvh};

use crate::peer::{Answer, MISS, Peer, Ray, Triangle};
use crate::tinybvh_ray::PaddedRay;

// SAFETY: the name and the signature are those of the library's header, read by hand: the linker checks the name alone.
unsafe extern "C" {
    // tinybvh's own any-hit query, which the wrapper compiles but does not pass on:
    // `bool tinybvh::BVH8_CPU::IsOccluded(const Ray&) const`.
    #[link_name = "_ZNK7tinybvh8BVH8_CPU10IsOccludedERKNS_3RayE"]
    fn bvh8_cpu_is_occluded(bvh: *const c_void, ray: *const PaddedRay) -> bool;
}

struct TinyBvh(bvh8_cpu::BVH);

/// Builds the tree.
pub(crate) fn build(triangles: &[Triangle]) -> Box<dyn Peer> {
    let vertices: Vec<[f32; 4]> = triangles
        .iter()
        .flatten()
        .map(|&[x, y, z]| [x, y, z, 0.0])
        .collect();
    let mut binary = bvh::BVH::new_hq(vertices.as_slice().into()).expect("three vertices each");
    binary.split_leaves(4);
    let wide = mbvh::BVH::new(&binary);
    Box::new(TinyBvh(
        bvh8_cpu::BVH::new(&wide).expect("leaves were split"),
    ))
}

impl Peer for TinyBvh {
    fn closest_all(&mut self, rays: &[Ray], answers: &mut [Answer]) {
        for (ray, answer) in rays.iter().zip(answers) {
            let mut padded = PaddedRay::new(ray.origin, ray.dir, ray.t_max);
            self.0.intersect(&mut padded.ray);
            let hit = padded.ray.hit;
            *answer = if hit.prim == u32::MAX {
                MISS
            } else {
                Answer {
                    t: hit.t,
                    triangle: hit.prim,
                }
            };
        }
    }

    fn any_all(&mut self, rays: &[Ray], answers: &mut [bool]) {
        const { assert!(size_of::<bvh8_cpu::BVH>() == size_of::<*const c_void>()) }
        // SAFETY: the wrapper's only field is a `cxx::UniquePtr`, which is laid out as
        // the pointer to the C++ object.
        let bvh = unsafe { *(&raw const self.0).cast::<*const c_void>() };
        for (ray, answer) in rays.iter().zip(answers) {
            let padded = PaddedRay::new(ray.origin, ray.dir, ray.t_max);
            // SAFETY: a live tree and a ray in tinybvh's own layout.
            *answer = unsafe { bvh8_cpu_is_occluded(bvh, &padded) };
        }
    }
}
