//! Rays for tinybvh.

use tinybvh_rs::{INFINITE, Intersection};

/// A ray as tinybvh lays it out: twice the size and four times the alignment that the
/// wrapper declares. No query needs the second half.
#[repr(C, align(64))]
pub(crate) struct PaddedRay {
    pub(crate) ray: tinybvh_rs::Ray,
    custom: std::mem::MaybeUninit<[u8; 64]>,
}

impl PaddedRay {
    /// As the constructor of `tinybvh::Ray`, but the direction is not normalised.
    #[inline(always)]
    pub(crate) fn new(origin: [f32; 3], dir: [f32; 3], t_max: f32) -> Self {
        let reciprocal = |x: f32| {
            if x.abs() > 1e-12 { 1.0 / x } else { INFINITE.copysign(x) }
        };
        Self {
            ray: tinybvh_rs::Ray {
                origin,
                padding_0: 0xffff, // the ray's mask
                dir,
                padding_1: 0,
                r_d: dir.map(reciprocal),
                padding_2: 0,
                hit: Intersection { t: t_max.min(INFINITE), u: 0.0, v: 0.0, prim: u32::MAX },
            },
            custom: std::mem::MaybeUninit::uninit(),
        }
    }
}
