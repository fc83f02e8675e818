//! A ray and a hit as Embree 4 has them.

use std::ffi::c_uint;

pub const INVALID_ID: c_uint = u32::MAX;

/// `RTCRay`.
#[repr(C, align(16))]
pub struct RtcRay {
    pub org: [f32; 3],
    pub tnear: f32,
    pub dir: [f32; 3],
    pub time: f32,
    pub tfar: f32,
    pub mask: c_uint,
    pub id: c_uint,
    pub flags: c_uint,
}

impl RtcRay {
    pub fn new(origin: [f32; 3], dir: [f32; 3], t_min: f32, t_max: f32) -> Self {
        Self {
            org: origin,
            tnear: t_min,
            dir,
            time: 0.0,
            tfar: t_max,
            mask: u32::MAX,
            id: 0,
            flags: 0,
        }
    }

    /// As `rtcIntersect1` takes it: nothing is hit yet.
    pub fn with_hit(self) -> RtcRayHit {
        RtcRayHit {
            ray: self,
            hit: RtcHit {
                ng: [0.0; 3],
                u: 0.0,
                v: 0.0,
                prim_id: INVALID_ID,
                geom_id: INVALID_ID,
                inst_id: INVALID_ID,
                inst_prim_id: INVALID_ID,
            },
        }
    }
}

/// `RTCHit`, as a build with instance arrays has it; others use one field less.
#[repr(C, align(16))]
pub struct RtcHit {
    pub ng: [f32; 3],
    pub u: f32,
    pub v: f32,
    pub prim_id: c_uint,
    pub geom_id: c_uint,
    pub inst_id: c_uint,
    pub inst_prim_id: c_uint,
}

/// `RTCRayHit`.
#[repr(C)]
pub struct RtcRayHit {
    pub ray: RtcRay,
    pub hit: RtcHit,
}

const _: () = assert!(size_of::<RtcRay>() == 48 && size_of::<RtcRayHit>() == 96);
