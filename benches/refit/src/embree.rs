//! Embree's refit: a geometry whose vertices it shares, in a scene that is made to change.

use std::ffi::{c_int, c_uint, c_void};
use std::path::Path;

use hitscan::Ray;

use crate::embree_ray::{INVALID_ID, RtcRay, RtcRayHit};
use crate::embree_scene::{
    self, BUFFER_TYPE_INDEX, BUFFER_TYPE_VERTEX, Device, FORMAT_FLOAT3, FORMAT_UINT3,
    GEOMETRY_TYPE_TRIANGLE, Geometry, SCENE_FLAG_NONE, Scene, functions,
};
use crate::machine::FloatControl;

const SCENE_FLAG_DYNAMIC: c_int = 1;
const BUILD_QUALITY_LOW: c_int = 0;
const BUILD_QUALITY_REFIT: c_int = 3;

functions! {
    Functions:
    new_scene = b"rtcNewScene": fn(Device) -> Scene;
    set_scene_flags = b"rtcSetSceneFlags": fn(Scene, c_int);
    set_scene_build_quality = b"rtcSetSceneBuildQuality": fn(Scene, c_int);
    new_geometry = b"rtcNewGeometry": fn(Device, c_int) -> Geometry;
    set_geometry_build_quality = b"rtcSetGeometryBuildQuality": fn(Geometry, c_int);
    set_shared_buffer = b"rtcSetSharedGeometryBuffer":
        fn(Geometry, c_int, c_uint, c_int, *const c_void, usize, usize, usize);
    update_buffer = b"rtcUpdateGeometryBuffer": fn(Geometry, c_int, c_uint);
    commit_geometry = b"rtcCommitGeometry": fn(Geometry);
    attach_geometry = b"rtcAttachGeometry": fn(Scene, Geometry) -> c_uint;
    intersect1 = b"rtcIntersect1": fn(Scene, *mut RtcRayHit, *mut c_void);
}

/// One geometry, or none yet.
pub struct Embree {
    own: embree_scene::Embree,
    functions: Functions,
    scene: Scene,
    geometry: Geometry,
    /// With room for the sixteen bytes that Embree reads from the last on.
    vertices: Box<[f32]>,
    _indices: Box<[[u32; 3]]>,
}

impl Embree {
    /// A built scene. Embree refits trees only in scenes of the lowest quality: others are built
    /// anew.
    pub fn new(path: &Path, threads: usize, vertices: &[[f32; 3]], indices: Vec<[u32; 3]>) -> Self {
        let config = format!("threads={threads},frequency_level=simd512");
        let own = embree_scene::Embree::load(path, &config).expect("Embree can be loaded");
        // SAFETY: it is Embree 4, and never unloaded.
        let f = unsafe { Functions::find(own.library).expect("it has all functions") };
        let count = vertices.len();
        let vertices: Box<[f32]> = vertices.iter().copied().flatten().chain([0.0]).collect();
        let indices = indices.into_boxed_slice();
        // SAFETY: live handles; the buffers live as long as the geometry, and are as long as said.
        let (scene, geometry) = unsafe {
            let scene = (f.new_scene)(own.device());
            (f.set_scene_flags)(scene, SCENE_FLAG_NONE | SCENE_FLAG_DYNAMIC);
            (f.set_scene_build_quality)(scene, BUILD_QUALITY_LOW);
            let geometry = (f.new_geometry)(own.device(), GEOMETRY_TYPE_TRIANGLE);
            (f.set_geometry_build_quality)(geometry, BUILD_QUALITY_REFIT);
            let (kind, data) = (BUFFER_TYPE_VERTEX, vertices.as_ptr().cast());
            (f.set_shared_buffer)(geometry, kind, 0, FORMAT_FLOAT3, data, 0, 12, count);
            let (kind, data) = (BUFFER_TYPE_INDEX, indices.as_ptr().cast());
            (f.set_shared_buffer)(geometry, kind, 0, FORMAT_UINT3, data, 0, 12, indices.len());
            (f.commit_geometry)(geometry);
            (f.attach_geometry)(scene, geometry);
            (scene, geometry)
        };
        own.commit(scene);
        Self { own, functions: f, scene, geometry, vertices, _indices: indices }
    }

    /// Writes other positions to the buffer that Embree shares.
    pub fn write(&mut self, vertices: &[[f32; 3]]) {
        self.vertices[..3 * vertices.len()].copy_from_slice(vertices.as_flattened());
    }

    /// Refits.
    pub fn refit(&mut self) {
        let f = &self.functions;
        // SAFETY: a live handle.
        unsafe {
            (f.update_buffer)(self.geometry, BUFFER_TYPE_VERTEX, 0);
            (f.commit_geometry)(self.geometry);
        }
        self.own.commit(self.scene);
    }

    /// The distance to the closest hit; infinite where nothing is hit.
    pub fn closest(&self, ray: &Ray) -> f32 {
        let _float_control = FloatControl::flush_denormals();
        let ray = RtcRay::new(ray.origin.into(), ray.dir.into(), ray.t_min, ray.t_max);
        let mut both = ray.with_hit();
        // SAFETY: a committed scene; the struct is Embree's own.
        unsafe { (self.functions.intersect1)(self.scene, &raw mut both, std::ptr::null_mut()) };
        if both.hit.geom_id == INVALID_ID { f32::INFINITY } else { both.ray.tfar }
    }
}
