//! Why a triangle is not the nearest to a point.

use hitscan::explain::WhyNotNearest;
use hitscan::glam::Vec3;
use hitscan::{ClosestPoint, Query};

use super::answer::{Answer, At, By, side};
use super::suspect::Suspect;
use crate::level::Level;
use crate::terminal::text;

pub(super) fn why_not(
    suspect: &Suspect<'_>,
    point: Vec3,
    within: f32,
    query: &Query<'_>,
) -> Answer {
    let &Suspect { level, instance, mesh, .. } = suspect;
    let (triangle, reason) = suspect.reason(
        |number| match level {
            Level::Tree(bvh) => bvh.why_not_nearest(point, within, query, mesh, number),
            Level::Scene(scene) => {
                scene.snapshot().why_not_nearest(point, within, query, instance, mesh, number)
            }
        },
        || match level {
            Level::Tree(bvh) => bvh.why_not_nearest_mesh(point, within, query, mesh),
            Level::Scene(scene) => {
                scene.snapshot().why_not_nearest_mesh(point, within, query, instance, mesh)
            }
        },
    );
    let mut answer = suspect.answer(triangle);
    let told = match reason {
        WhyNotNearest::NoInstance => Answer::no_instance(),
        WhyNotNearest::NoMesh => Answer::no_mesh(),
        WhyNotNearest::NoTriangle { triangles } => Answer::no_triangle(triangles),
        WhyNotNearest::Skipped => Answer::skipped(),
        WhyNotNearest::InstanceMask { mask } => answer.instance_mask(mask),
        WhyNotNearest::MeshMask { mask } => answer.mesh_mask(mask),
        WhyNotNearest::InvalidPoint => ("invalid-point", "nothing is near that point".to_owned()),
        WhyNotNearest::BeyondRange => Answer::beyond_range(),
        WhyNotNearest::TooFar { distance } => {
            answer.distance = Some(distance);
            let text = format!("it is at a distance of {distance}, farther than --within {within}");
            ("too-far", text)
        }
        WhyNotNearest::Facing { found } => {
            let (side, at) = (side(&found.hit), nearest_point(&mut answer, &found));
            ("facing", format!("{at}, but the point is on its {side}, which --facing refuses"))
        }
        WhyNotNearest::Filter { found } => {
            ("filter", format!("{}, which the filter refuses", nearest_point(&mut answer, &found)))
        }
        WhyNotNearest::Nearer { found, by } => {
            let at = nearest_point(&mut answer, &found);
            let first = By::new(level, &by.hit, At::Distance(by.distance));
            let what = first.what();
            answer.by = Some(first);
            let before = match by.distance < found.distance {
                true => "nearer is",
                false => "as near, and first by the exact distances or by its numbers, is",
            };
            ("nearer", format!("{at}, but {before} {what}, at {}", by.distance))
        }
        WhyNotNearest::Nearest(found) => {
            ("nearest", format!("{}: it is the nearest", nearest_point(&mut answer, &found)))
        }
        _ => Answer::other(),
    };
    answer.with(told)
}

/// Takes the numbers of the triangle's nearest point, and gives them in words.
fn nearest_point(answer: &mut Answer, found: &ClosestPoint) -> String {
    let &ClosestPoint { point, distance, .. } = found;
    (answer.distance, answer.point) = (Some(distance), Some(point.into()));
    format!("its nearest point is {}, at a distance of {distance}", text::point(point))
}
