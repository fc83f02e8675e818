//! Box3D: one shape against one mesh, without a world in between.

use box3d_sys::{
    b3CreateMesh, b3Mesh, b3MeshDef, b3OverlapMesh, b3Quat, b3ShapeCastInput, b3ShapeCastMesh,
    b3ShapeProxy, b3Transform, b3Vec3,
};
use hitscan_levels::Level;

use super::ours::each;
use crate::peer::{Case, Kind, Peer, Sizes};

struct Box3d {
    mesh: b3Mesh,
}

/// Its mesh of a level, which lives as long as the process.
pub fn build(level: &Level) -> Result<Box<dyn Peer>, String> {
    let mut vertices: Vec<_> = level.triangles.as_flattened().iter().map(|&v| vector(v)).collect();
    let mut indices: Vec<i32> = (0..vertices.len() as i32).collect();
    let def = b3MeshDef {
        vertices: vertices.as_mut_ptr(),
        indices: indices.as_mut_ptr(),
        vertexCount: vertices.len() as i32,
        triangleCount: level.triangles.len() as i32,
        ..Default::default()
    };
    // SAFETY: the arrays are as long as the definition says, and outlive the call.
    let data = unsafe { b3CreateMesh(&raw const def, std::ptr::null_mut(), 0) };
    if data.is_null() {
        return Err("Box3D refuses it".to_owned());
    }
    Ok(Box::new(Box3d { mesh: b3Mesh { data, scale: vector([1.0; 3]) } }))
}

fn vector([x, y, z]: [f32; 3]) -> b3Vec3 {
    b3Vec3 { x, y, z }
}

/// A shape's points about its center, and the radius around them.
fn shape(kind: Kind, sizes: Sizes) -> (Vec<[f32; 3]>, f32) {
    let Sizes { radius: r, half_height: h } = sizes;
    match kind {
        Kind::SphereOverlap | Kind::SphereCast | Kind::CastFromTouch => (vec![[0.0; 3]], r),
        Kind::CapsuleCast => (vec![[0.0, -h, 0.0], [0.0, h, 0.0]], r),
        _ => {
            let side = |corner: u32, axis: u32| if corner >> axis & 1 == 0 { -r } else { r };
            ((0..8).map(|corner| [0, 1, 2].map(|axis| side(corner, axis))).collect(), 0.0)
        }
    }
}

impl Peer for Box3d {
    fn name(&self) -> &str {
        "Box3D"
    }

    fn ask(&self, kind: Kind, sizes: Sizes, cases: &[Case], answers: &mut [f32]) -> bool {
        if matches!(
            kind,
            Kind::ClosestAnywhere | Kind::ClosestNear | Kind::ClosestFar | Kind::TurnedBoxCast
        ) {
            return false;
        }
        let (points, radius) = shape(kind, sizes);
        let identity =
            b3Transform { p: vector([0.0; 3]), q: b3Quat { v: vector([0.0; 3]), s: 1.0 } };
        each(cases, answers, |case| {
            let mut moved = [vector([0.0; 3]); 8];
            for (place, point) in moved.iter_mut().zip(&points) {
                *place = vector([0, 1, 2].map(|axis| point[axis] + case.at[axis]));
            }
            let proxy = b3ShapeProxy { points: moved.as_ptr(), count: points.len() as i32, radius };
            if matches!(kind, Kind::SphereOverlap | Kind::BoxOverlap) {
                // SAFETY: all that is pointed to outlives the call.
                let overlaps =
                    unsafe { b3OverlapMesh(&raw const self.mesh, identity, &raw const proxy) };
                return f32::from(u8::from(overlaps));
            }
            let input = b3ShapeCastInput {
                proxy,
                translation: vector(case.motion),
                maxFraction: 1.0,
                canEncroach: false,
            };
            // SAFETY: as above.
            let output = unsafe { b3ShapeCastMesh(&raw const self.mesh, &raw const input) };
            if output.hit { output.fraction } else { f32::INFINITY }
        })
    }
}
