//! hitscan: one question at a time, and batches of closest points.

use hitscan::geometry::ConvexShape;
use hitscan::glam::{Mat3, Quat, Vec3};
use hitscan::{Aabb, Builder, Bvh, Capsule, Mesh, Obb, Quality, Query, Sphere};
use hitscan_levels::Level;

use crate::peer::{Build, Case, Kind, Peer, Sizes};

struct Ours {
    bvh: Bvh,
}

struct Batches {
    bvh: Bvh,
}

/// Both.
pub fn peers() -> Vec<Build> {
    vec![
        Box::new(|level| Ok(Box::new(Ours { bvh: bake(level)? }))),
        Box::new(|level| Ok(Box::new(Batches { bvh: bake(level)? }))),
    ]
}

fn bake(level: &Level) -> Result<Bvh, String> {
    let mesh = Mesh::from_soup(level.triangles.as_flattened().to_vec());
    let baked = Builder::new().quality(Quality::Best).bake(&[mesh]);
    Ok(baked.map_err(|error| error.to_string())?.0)
}

/// Writes what `answer` says of each case.
pub fn each(cases: &[Case], answers: &mut [f32], answer: impl Fn(&Case) -> f32) -> bool {
    for (case, place) in cases.iter().zip(answers) {
        *place = answer(case);
    }
    true
}

impl Peer for Ours {
    fn name(&self) -> &str {
        "hitscan"
    }

    fn ask(&self, kind: Kind, sizes: Sizes, cases: &[Case], answers: &mut [f32]) -> bool {
        let (bvh, query, radius) = (&self.bvh, &Query::new(), sizes.radius);
        let cube = |at: [f32; 3]| Aabb::from_center_half_size(at, Vec3::splat(radius));
        let up = Vec3::Y * sizes.half_height;
        let capsule = |at: [f32; 3]| Capsule::new(Vec3::from(at) - up, Vec3::from(at) + up, radius);
        let turned = |case: &Case| {
            let axes = Mat3::from_quat(Quat::from_array(case.turn));
            let axes = [axes.x_axis, axes.y_axis, axes.z_axis];
            Obb::from_axes(case.at, axes, Vec3::splat(radius)).expect("a cube")
        };
        let distance = |case: &Case| {
            bvh.closest_point(case.at, f32::INFINITY, query).map_or(f32::INFINITY, |c| c.distance)
        };
        macro_rules! first_contact {
            ($shape:expr) => {
                each(cases, answers, |case| {
                    let shape = ConvexShape::from($shape(case));
                    let contact = bvh.first_contact(&shape, case.motion, query);
                    contact.map_or(f32::INFINITY, |contact| contact.t)
                })
            };
        }
        match kind {
            Kind::ClosestAnywhere | Kind::ClosestNear | Kind::ClosestFar => {
                each(cases, answers, distance)
            }
            Kind::SphereOverlap => each(cases, answers, |case| {
                f32::from(u8::from(bvh.any_within(case.at, radius, query)))
            }),
            Kind::BoxOverlap => each(cases, answers, |case| {
                f32::from(u8::from(bvh.any_overlap(cube(case.at), query)))
            }),
            Kind::SphereCast | Kind::CastFromTouch => {
                first_contact!(|case: &Case| Sphere::new(case.at, radius))
            }
            Kind::CapsuleCast => first_contact!(|case: &Case| capsule(case.at)),
            Kind::BoxCast => first_contact!(|case: &Case| cube(case.at)),
            Kind::TurnedBoxCast => first_contact!(turned),
        }
    }
}

impl Peer for Batches {
    fn name(&self) -> &str {
        "hitscan, batch"
    }

    fn ask(&self, kind: Kind, _: Sizes, cases: &[Case], answers: &mut [f32]) -> bool {
        if !matches!(kind, Kind::ClosestAnywhere | Kind::ClosestNear | Kind::ClosestFar) {
            return false;
        }
        let points: Vec<Vec3> = cases.iter().map(|case| case.at.into()).collect();
        let mut near = vec![None; points.len()];
        let asked = self.bvh.closest_point_batch(&points, f32::INFINITY, &Query::new(), &mut near);
        asked.expect("as many answers as points");
        for (near, answer) in near.iter().zip(answers) {
            *answer = near.map_or(f32::INFINITY, |near| near.distance);
        }
        true
    }
}
