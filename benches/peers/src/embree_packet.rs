//! Sixteen rays and hits as Embree 4 has them, and the arguments of its queries.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

use crate::embree_ray::{INVALID_ID, RtcRay};

pub const RAY_QUERY_FLAG_INCOHERENT: c_int = 0;
pub const RAY_QUERY_FLAG_COHERENT: c_int = 1 << 16;
const FEATURE_FLAG_ALL: c_uint = u32::MAX;

/// `RTCRay16`.
#[repr(C, align(64))]
#[derive(Clone)]
pub struct RtcRay16 {
    pub org: [[f32; 16]; 3],
    pub tnear: [f32; 16],
    pub dir: [[f32; 16]; 3],
    pub time: [f32; 16],
    pub tfar: [f32; 16],
    pub mask: [c_uint; 16],
    pub id: [c_uint; 16],
    pub flags: [c_uint; 16],
}

/// `RTCHit16`, with the last field as in [`RtcHit`].
#[repr(C, align(64))]
#[derive(Clone)]
pub struct RtcHit16 {
    pub ng: [[f32; 16]; 3],
    pub u: [f32; 16],
    pub v: [f32; 16],
    pub prim_id: [c_uint; 16],
    pub geom_id: [c_uint; 16],
    pub inst_id: [c_uint; 16],
    pub inst_prim_id: [c_uint; 16],
}

/// `RTCRayHit16`.
#[repr(C)]
#[derive(Clone)]
pub struct RtcRayHit16 {
    pub ray: RtcRay16,
    pub hit: RtcHit16,
}

/// `RTCIntersectArguments` and `RTCOccludedArguments`, which are laid out alike. (A
/// build with `RTC_MIN_WIDTH` reads the last field, others end before it.)
#[repr(C)]
pub struct RtcArguments {
    pub flags: c_int,
    pub feature_mask: c_uint,
    pub context: *mut c_void,
    pub filter: *const c_void,
    pub callback: *const c_void,
    pub min_width_distance_factor: f32,
}

const _: () = {
    assert!(size_of::<RtcRay16>() == 768 && size_of::<RtcHit16>() == 576);
    assert!(std::mem::offset_of!(RtcRayHit16, hit) == 768);
};

pub fn arguments(flags: c_int) -> RtcArguments {
    RtcArguments {
        flags,
        feature_mask: FEATURE_FLAG_ALL,
        context: ptr::null_mut(),
        filter: ptr::null(),
        callback: ptr::null(),
        min_width_distance_factor: 0.0,
    }
}

/// Embree's mark for a lane that holds a ray.
pub const VALID: c_int = -1;

/// Up to sixteen rays, and which lanes have one.
pub fn packet(rays: impl Iterator<Item = RtcRay>) -> (RtcRayHit16, [c_int; 16]) {
    let mut valid = [0; 16];
    let mut both = RtcRayHit16 {
        ray: RtcRay16 {
            org: [[0.0; 16]; 3],
            tnear: [0.0; 16],
            dir: [[0.0; 16]; 3],
            time: [0.0; 16],
            tfar: [f32::NEG_INFINITY; 16],
            mask: [u32::MAX; 16],
            id: [0; 16],
            flags: [0; 16],
        },
        hit: RtcHit16 {
            ng: [[0.0; 16]; 3],
            u: [0.0; 16],
            v: [0.0; 16],
            prim_id: [INVALID_ID; 16],
            geom_id: [INVALID_ID; 16],
            inst_id: [INVALID_ID; 16],
            inst_prim_id: [INVALID_ID; 16],
        },
    };
    for (lane, ray) in rays.enumerate() {
        valid[lane] = VALID;
        for axis in 0..3 {
            both.ray.org[axis][lane] = ray.org[axis];
            both.ray.dir[axis][lane] = ray.dir[axis];
        }
        both.ray.tnear[lane] = ray.tnear;
        both.ray.tfar[lane] = ray.tfar;
    }
    (both, valid)
}
