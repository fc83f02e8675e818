//! Embree's instances, behind the same questions as ours.

use std::ffi::{c_int, c_uint, c_void};
use std::path::Path;

use crate::embree_packet::{
    RAY_QUERY_FLAG_COHERENT, RAY_QUERY_FLAG_INCOHERENT, RtcArguments, RtcRay16, RtcRayHit16,
    arguments, packet,
};
use crate::embree_ray::{INVALID_ID, RtcRay, RtcRayHit};
use crate::embree_scene::{
    self, BUILD_QUALITY_HIGH, Device, Geometry, SCENE_FLAG_NONE, SCENE_FLAG_ROBUST, Scene,
    functions,
};
use crate::machine::FloatControl;
use crate::{Peer, Ray};

const GEOMETRY_TYPE_INSTANCE: c_int = 121;
const FORMAT_FLOAT3X4_COLUMN_MAJOR: c_int = 0x9234;
const SCENE_FLAG_DYNAMIC: c_int = 1;
const BUILD_QUALITY_LOW: c_int = 0;

functions! {
    Functions:
    new_scene = b"rtcNewScene": fn(Device) -> Scene;
    set_scene_flags = b"rtcSetSceneFlags": fn(Scene, c_int);
    set_scene_build_quality = b"rtcSetSceneBuildQuality": fn(Scene, c_int);
    new_geometry = b"rtcNewGeometry": fn(Device, c_int) -> Geometry;
    set_instanced_scene = b"rtcSetGeometryInstancedScene": fn(Geometry, Scene);
    set_transform = b"rtcSetGeometryTransform": fn(Geometry, c_uint, c_int, *const f32);
    commit_geometry = b"rtcCommitGeometry": fn(Geometry);
    attach_geometry = b"rtcAttachGeometry": fn(Scene, Geometry) -> c_uint;
    intersect1 = b"rtcIntersect1": fn(Scene, *mut RtcRayHit, *mut c_void);
    occluded1 = b"rtcOccluded1": fn(Scene, *mut RtcRay, *mut c_void);
    intersect16 = b"rtcIntersect16":
        fn(*const c_int, Scene, *mut RtcRayHit16, *mut RtcArguments);
    occluded16 = b"rtcOccluded16":
        fn(*const c_int, Scene, *mut RtcRay16, *mut RtcArguments);
}

/// The ways in which Embree is asked.
#[derive(Clone, Copy, PartialEq)]
pub enum Mode {
    Fast,
    Robust,
    /// For scenes that change: quicker to build.
    Dynamic,
    /// As `Fast`, in packets of sixteen, with the coherent flag or without.
    Packets {
        coherent: bool,
    },
}

pub struct Embree {
    own: embree_scene::Embree,
    functions: Functions,
    scene: Scene,
    instances: Vec<Geometry>,
    name: &'static str,
    mode: Mode,
}

impl Embree {
    pub fn new(
        path: &Path,
        mode: Mode,
        models: &[Vec<[[f32; 3]; 3]>],
        threads: usize,
    ) -> (Self, Vec<Scene>) {
        let config = format!("threads={threads},frequency_level=simd512");
        let own = embree_scene::Embree::load(path, &config).expect("Embree can be loaded");
        // SAFETY: it is Embree 4, and never unloaded.
        let functions = unsafe { Functions::find(own.library).expect("it has all functions") };
        let robust = if mode == Mode::Robust { SCENE_FLAG_ROBUST } else { SCENE_FLAG_NONE };
        let models = models.iter().map(|triangles| {
            let scene = own.scene(triangles, robust, BUILD_QUALITY_HIGH);
            own.commit(scene);
            scene
        });
        let models = models.collect();
        let (flags, quality, name) = match mode {
            Mode::Fast => (SCENE_FLAG_NONE, BUILD_QUALITY_HIGH, "embree"),
            Mode::Packets { coherent: false } => (SCENE_FLAG_NONE, BUILD_QUALITY_HIGH, "embree-16"),
            Mode::Packets { coherent: true } => {
                (SCENE_FLAG_NONE, BUILD_QUALITY_HIGH, "embree-16-coherent")
            }
            Mode::Robust => (SCENE_FLAG_ROBUST, BUILD_QUALITY_HIGH, "embree-robust"),
            Mode::Dynamic => (SCENE_FLAG_DYNAMIC, BUILD_QUALITY_LOW, "embree-dynamic"),
        };
        // SAFETY: a live device.
        let scene = unsafe {
            let scene = (functions.new_scene)(own.device());
            (functions.set_scene_flags)(scene, flags);
            (functions.set_scene_build_quality)(scene, quality);
            scene
        };
        (Self { own, functions, scene, instances: Vec::new(), name, mode }, models)
    }

    /// What packets are asked with.
    fn packet_arguments(&self) -> Option<RtcArguments> {
        let Mode::Packets { coherent } = self.mode else { return None };
        Some(arguments(if coherent { RAY_QUERY_FLAG_COHERENT } else { RAY_QUERY_FLAG_INCOHERENT }))
    }

    pub fn insert(&mut self, model: Scene, transform: &[f32; 12]) {
        let f = &self.functions;
        // SAFETY: live handles; the transform has the twelve numbers that are read.
        unsafe {
            let geometry = (f.new_geometry)(self.own.device(), GEOMETRY_TYPE_INSTANCE);
            (f.set_instanced_scene)(geometry, model);
            (f.set_transform)(geometry, 0, FORMAT_FLOAT3X4_COLUMN_MAJOR, transform.as_ptr());
            (f.commit_geometry)(geometry);
            (f.attach_geometry)(self.scene, geometry);
            self.instances.push(geometry);
        }
    }
}

impl Peer for Embree {
    fn name(&self) -> &str {
        self.name
    }

    fn set_transform(&mut self, instance: usize, transform: &[f32; 12]) {
        let (f, geometry) = (&self.functions, self.instances[instance]);
        // SAFETY: a live handle, and the twelve numbers that are read.
        unsafe {
            (f.set_transform)(geometry, 0, FORMAT_FLOAT3X4_COLUMN_MAJOR, transform.as_ptr());
            (f.commit_geometry)(geometry);
        }
    }

    fn commit(&mut self) {
        self.own.commit(self.scene);
    }

    fn closest(&mut self, rays: &[Ray], t: &mut [f32]) {
        let _float_control = FloatControl::flush_denormals();
        if let Some(mut arguments) = self.packet_arguments() {
            for (rays, t) in rays.chunks(16).zip(t.chunks_mut(16)) {
                let (mut both, valid) = packet(rays.iter().map(convert));
                let (scene, valid) = (self.scene, valid.as_ptr());
                // SAFETY: a committed scene; the structs are Embree's own, aligned.
                unsafe {
                    (self.functions.intersect16)(valid, scene, &raw mut both, &raw mut arguments);
                }
                for (lane, t) in t.iter_mut().enumerate() {
                    let is_miss = both.hit.geom_id[lane] == INVALID_ID;
                    *t = if is_miss { f32::INFINITY } else { both.ray.tfar[lane] };
                }
            }
            return;
        }
        for (ray, t) in rays.iter().zip(t) {
            let mut both = convert(ray).with_hit();
            // SAFETY: a committed scene; the struct is Embree's own.
            unsafe { (self.functions.intersect1)(self.scene, &raw mut both, std::ptr::null_mut()) };
            *t = if both.hit.geom_id == INVALID_ID { f32::INFINITY } else { both.ray.tfar };
        }
    }

    fn any(&mut self, rays: &[Ray], found: &mut [bool]) {
        let _float_control = FloatControl::flush_denormals();
        if let Some(mut arguments) = self.packet_arguments() {
            for (rays, found) in rays.chunks(16).zip(found.chunks_mut(16)) {
                let (mut both, valid) = packet(rays.iter().map(convert));
                let (scene, valid) = (self.scene, valid.as_ptr());
                // SAFETY: as above.
                unsafe {
                    let ray = &raw mut both.ray;
                    (self.functions.occluded16)(valid, scene, ray, &raw mut arguments);
                }
                for (lane, found) in found.iter_mut().enumerate() {
                    *found = both.ray.tfar[lane] == f32::NEG_INFINITY;
                }
            }
            return;
        }
        for (ray, found) in rays.iter().zip(found) {
            let mut own = convert(ray);
            // SAFETY: as above.
            unsafe { (self.functions.occluded1)(self.scene, &raw mut own, std::ptr::null_mut()) };
            *found = own.tfar == f32::NEG_INFINITY;
        }
    }
}

fn convert(ray: &Ray) -> RtcRay {
    RtcRay::new(ray.origin.into(), ray.dir.into(), ray.t_min, ray.t_max)
}
