//! Jolt: one shape against one mesh, without a physics system in between.

use std::ffi::c_void;

use hitscan_levels::Level;

use super::ours::each;
use crate::peer::{Case, Kind, Peer, Sizes};

type Shape = *const c_void;

unsafe extern "C" {
    fn jolt_mesh(vertices: *const f32, triangles: usize) -> Shape;
    fn jolt_sphere(radius: f32) -> Shape;
    fn jolt_capsule(half_height: f32, radius: f32) -> Shape;
    fn jolt_box(half_size: f32) -> Shape;
    fn jolt_overlaps(mesh: Shape, shape: Shape, at: *const f32) -> bool;
    fn jolt_cast(
        mesh: Shape,
        shape: Shape,
        at: *const f32,
        turn: *const f32,
        motion: *const f32,
    ) -> f32;
}

struct Jolt {
    mesh: Shape,
}

/// Its mesh of a level.
pub fn build(level: &Level) -> Result<Box<dyn Peer>, String> {
    let floats = level.triangles.as_flattened().as_flattened();
    // SAFETY: nine floats for each triangle.
    let mesh = unsafe { jolt_mesh(floats.as_ptr(), level.triangles.len()) };
    if mesh.is_null() { Err("Jolt refuses it".to_owned()) } else { Ok(Box::new(Jolt { mesh })) }
}

impl Peer for Jolt {
    fn name(&self) -> &str {
        "Jolt"
    }

    fn ask(&self, kind: Kind, sizes: Sizes, cases: &[Case], answers: &mut [f32]) -> bool {
        // SAFETY: no pointers are passed. A character's shape is made once, so this is too.
        let shape = unsafe {
            match kind {
                Kind::ClosestAnywhere | Kind::ClosestNear | Kind::ClosestFar => return false,
                Kind::SphereOverlap | Kind::SphereCast | Kind::CastFromTouch => {
                    jolt_sphere(sizes.radius)
                }
                Kind::CapsuleCast => jolt_capsule(sizes.half_height, sizes.radius),
                Kind::BoxOverlap | Kind::BoxCast | Kind::TurnedBoxCast => jolt_box(sizes.radius),
            }
        };
        assert!(!shape.is_null(), "Jolt refuses the shape");
        match kind {
            Kind::SphereOverlap | Kind::BoxOverlap => each(cases, answers, |case| {
                // SAFETY: two shapes of Jolt, which are never freed, and three floats.
                let overlaps = unsafe { jolt_overlaps(self.mesh, shape, case.at.as_ptr()) };
                f32::from(u8::from(overlaps))
            }),
            _ => each(cases, answers, |case| {
                let Case { at, motion, turn } = case;
                // SAFETY: as above, with four floats and three more.
                unsafe {
                    jolt_cast(self.mesh, shape, at.as_ptr(), turn.as_ptr(), motion.as_ptr())
                }
            }),
        }
    }
}
