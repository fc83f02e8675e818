//! parry3d, one question at a time.

use hitscan_levels::Level;
use parry3d::math::{Pose, Rotation, Vector};
use parry3d::query::{PointQuery, ShapeCastOptions, cast_shapes, intersection_test};
use parry3d::shape::{Ball, Capsule, Cuboid, Shape, TriMesh};

use super::ours::each;
use crate::peer::{Case, Kind, Peer, Sizes};

struct Parry {
    mesh: TriMesh,
}

/// Its mesh of a level.
pub fn build(level: &Level) -> Result<Box<dyn Peer>, String> {
    let vertices = level.triangles.as_flattened().iter().map(|&v| vector(v)).collect();
    let triangles = level.triangles.len() as u32;
    let mesh =
        TriMesh::new(vertices, (0..triangles).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect());
    Ok(Box::new(Parry { mesh: mesh.map_err(|error| error.to_string())? }))
}

fn vector([x, y, z]: [f32; 3]) -> Vector {
    Vector::new(x, y, z)
}

impl Parry {
    fn overlaps(&self, shape: &dyn Shape, cases: &[Case], answers: &mut [f32]) -> bool {
        each(cases, answers, |case| {
            let pose = Pose::from_translation(vector(case.at));
            let test = intersection_test(&pose, shape, &Pose::IDENTITY, &self.mesh);
            f32::from(u8::from(test.expect("it is supported").intersecting))
        })
    }

    fn casts(&self, shape: &dyn Shape, cases: &[Case], answers: &mut [f32]) -> bool {
        let options = ShapeCastOptions::with_max_time_of_impact(1.0);
        each(cases, answers, |case| {
            let turn = Rotation::from_array(case.turn);
            let pose = Pose::from_parts(vector(case.at), turn);
            let (motion, rest) = (vector(case.motion), Vector::ZERO);
            let (mesh, identity) = (&self.mesh, &Pose::IDENTITY);
            let cast = cast_shapes(&pose, motion, shape, identity, rest, mesh, options);
            cast.expect("it is supported").map_or(f32::INFINITY, |hit| hit.time_of_impact)
        })
    }
}

impl Peer for Parry {
    fn name(&self) -> &str {
        "parry3d 0.31"
    }

    fn ask(&self, kind: Kind, sizes: Sizes, cases: &[Case], answers: &mut [f32]) -> bool {
        let ball = Ball::new(sizes.radius);
        let cube = Cuboid::new(Vector::splat(sizes.radius));
        let capsule = Capsule::new_y(sizes.half_height, sizes.radius);
        match kind {
            Kind::ClosestAnywhere | Kind::ClosestNear => each(cases, answers, |case| {
                let point = vector(case.at);
                (self.mesh.project_local_point(point, false).point - point).length()
            }),
            Kind::SphereOverlap => self.overlaps(&ball, cases, answers),
            Kind::BoxOverlap => self.overlaps(&cube, cases, answers),
            Kind::SphereCast | Kind::CastFromTouch => self.casts(&ball, cases, answers),
            Kind::CapsuleCast => self.casts(&capsule, cases, answers),
            Kind::BoxCast | Kind::TurnedBoxCast => self.casts(&cube, cases, answers),
            // Its squares overflow.
            Kind::ClosestFar => false,
        }
    }
}
