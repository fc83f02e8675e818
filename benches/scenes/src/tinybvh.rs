//! tinybvh's instances: `BVH8_CPU` under its tree of instances, which is binary and built anew by
//! each commit. Its Rust wrapper compiles it, but does not pass it on.

use std::ffi::c_void;

use tinybvh_rs::{bvh, bvh8_cpu, mbvh};

use crate::tinybvh_ray::PaddedRay;
use crate::{Peer, Ray};

// SAFETY: names and signatures are those of the library's header, read by hand: the linker checks
// names alone.
unsafe extern "C" {
    /// `std::unique_ptr<BVH> BVH_new()` of the wrapper: such a result is written to where the first
    /// argument points.
    #[link_name = "_ZN7tinybvh7BVH_newEv"]
    fn new(bvh: *mut *mut c_void);
    /// `BVH::~BVH()`.
    #[link_name = "_ZN7tinybvh3BVHD1Ev"]
    fn destroy(bvh: *mut c_void);
    /// `void BVH::Build(BLASInstance*, uint32_t, BVHBase**, uint32_t)`.
    #[link_name = "_ZN7tinybvh3BVH5BuildEPNS_12BLASInstanceEjPPNS_7BVHBaseEj"]
    fn build(bvh: *mut c_void, places: *mut Place, count: u32, blas: *mut *mut c_void, count: u32);
    /// `int32_t BVH::Intersect(Ray&) const`.
    #[link_name = "_ZNK7tinybvh3BVH9IntersectERNS_3RayE"]
    fn intersect(bvh: *const c_void, ray: *mut PaddedRay) -> i32;
    /// `bool BVH::IsOccluded(const Ray&) const`.
    #[link_name = "_ZNK7tinybvh3BVH10IsOccludedERKNS_3RayE"]
    fn is_occluded(bvh: *const c_void, ray: *const PaddedRay) -> bool;
}

/// tinybvh's `BLASInstance`. Its build writes the inverse and the box.
#[repr(C, align(64))]
struct Place {
    rows: [f32; 16],
    inverse: [f32; 16],
    min: [f32; 3],
    tree: u32,
    max: [f32; 3],
    mask: u32,
    padding: [u32; 8],
}

pub struct TinyBvh {
    top: *mut c_void,
    places: Vec<Place>,
    pointers: Vec<*mut c_void>,
    _trees: Vec<bvh8_cpu::BVH>,
}

impl TinyBvh {
    pub fn new(models: &[Vec<[[f32; 3]; 3]>]) -> Self {
        const { assert!(size_of::<bvh8_cpu::BVH>() == size_of::<*mut c_void>()) }
        let tree = |triangles: &Vec<[[f32; 3]; 3]>| {
            let corners = triangles.as_flattened().iter();
            let corners: Vec<_> = corners.map(|&[x, y, z]| [x, y, z, 0.0]).collect();
            let mut binary = bvh::BVH::new_hq(corners.as_slice().into()).expect("whole triangles");
            binary.split_leaves(4);
            bvh8_cpu::BVH::new(&mbvh::BVH::new(&binary)).expect("leaves were split")
        };
        let trees: Vec<_> = models.iter().map(tree).collect();
        // SAFETY: the only field is a `cxx::UniquePtr`, laid out as the pointer to the C++ object.
        let pointer = |tree: &bvh8_cpu::BVH| unsafe { *(&raw const *tree).cast() };
        let mut top = std::ptr::null_mut();
        // SAFETY: writes the pointer.
        unsafe { new(&raw mut top) };
        let pointers = trees.iter().map(pointer).collect();
        Self { top, places: Vec::new(), pointers, _trees: trees }
    }

    pub fn insert(&mut self, model: usize, transform: &[f32; 12]) {
        let (rows, tree) = (rows(transform), model as u32);
        let (inverse, min, max) = ([0.0; 16], [0.0; 3], [0.0; 3]);
        self.places.push(Place { rows, inverse, min, tree, max, mask: 0xffff, padding: [0; 8] });
    }
}

fn rows(transform: &[f32; 12]) -> [f32; 16] {
    let [x, y, z] = [0, 1, 2].map(|row| [0, 3, 6, 9].map(|column| transform[row + column]));
    let mut rows = [0.0; 16];
    for (row, from) in rows.chunks_exact_mut(4).zip([x, y, z, [0.0, 0.0, 0.0, 1.0]]) {
        row.copy_from_slice(&from);
    }
    rows
}

impl Peer for TinyBvh {
    fn name(&self) -> &str {
        "tinybvh"
    }

    fn set_transform(&mut self, instance: usize, transform: &[f32; 12]) {
        self.places[instance].rows = rows(transform);
    }

    fn commit(&mut self) {
        let (places, trees) = (&mut self.places, &mut self.pointers);
        let (count, tree_count) = (places.len() as u32, trees.len() as u32);
        let (places, trees) = (places.as_mut_ptr(), trees.as_mut_ptr());
        // SAFETY: live objects, which it keeps pointers to; each place names one of the trees.
        unsafe { build(self.top, places, count, trees, tree_count) };
    }

    fn closest(&mut self, rays: &[Ray], t: &mut [f32]) {
        for (ray, t) in rays.iter().zip(t) {
            let mut padded = PaddedRay::new(ray.origin.into(), ray.dir.into(), ray.t_max);
            // SAFETY: a live tree, built, and a ray in tinybvh's own layout.
            unsafe { intersect(self.top, &raw mut padded) };
            let hit = padded.ray.hit;
            *t = if hit.prim == u32::MAX { f32::INFINITY } else { hit.t };
        }
    }

    fn any(&mut self, rays: &[Ray], found: &mut [bool]) {
        for (ray, found) in rays.iter().zip(found) {
            let padded = PaddedRay::new(ray.origin.into(), ray.dir.into(), ray.t_max);
            // SAFETY: as above.
            *found = unsafe { is_occluded(self.top, &padded) };
        }
    }
}

impl Drop for TinyBvh {
    fn drop(&mut self) {
        // SAFETY: from `new`, and not used again. Its own few bytes are not freed.
        unsafe { destroy(self.top) };
    }
}
