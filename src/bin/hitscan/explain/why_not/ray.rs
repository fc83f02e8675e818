//! Why a ray does not hit a triangle.

use hitscan::explain::WhyNot;
use hitscan::{Query, Ray};

use super::answer::{Answer, At, By, side};
use super::suspect::Suspect;
use crate::level::Level;
use crate::terminal::text;

pub(super) fn why_not(suspect: &Suspect<'_>, ray: &Ray, query: &Query<'_>) -> Answer {
    let &Suspect { level, instance, mesh, .. } = suspect;
    let (triangle, reason) = suspect.reason(
        |number| match level {
            Level::Tree(bvh) => bvh.why_not(ray, query, mesh, number),
            Level::Scene(scene) => scene.snapshot().why_not(ray, query, instance, mesh, number),
        },
        || match level {
            Level::Tree(bvh) => bvh.why_not_mesh(ray, query, mesh),
            Level::Scene(scene) => scene.snapshot().why_not_mesh(ray, query, instance, mesh),
        },
    );
    let mut answer = suspect.answer(triangle);
    let told = match reason {
        WhyNot::NoInstance => Answer::no_instance(),
        WhyNot::NoMesh => Answer::no_mesh(),
        WhyNot::NoTriangle { triangles } => Answer::no_triangle(triangles),
        WhyNot::Skipped => Answer::skipped(),
        WhyNot::NoArea => ("no-area", "it has no area any more".to_owned()),
        WhyNot::InstanceMask { mask } => answer.instance_mask(mask),
        WhyNot::MeshMask { mask } => answer.mesh_mask(mask),
        WhyNot::InvalidRay => ("invalid-ray", "the ray can hit nothing".to_owned()),
        WhyNot::InPlane => {
            ("in-plane", "the ray runs in its plane, and such rays hit no triangle".to_owned())
        }
        WhyNot::Parallel { distance } => {
            answer.distance = Some(distance);
            let text = format!("the ray is parallel to its plane, at a distance of {distance}");
            ("parallel", text)
        }
        WhyNot::OutsideEdge { edge, distance, point, closest, t } => {
            answer.edge = Some(edge);
            (answer.distance, answer.t) = (Some(distance), Some(t));
            (answer.point, answer.closest) = (Some(point.into()), Some(closest.into()));
            let (point, closest) = (text::point(point), text::point(closest));
            let text = format!(
                "the line passes {distance} outside of its edge {edge}: it meets the plane at \
                 {point} (t {t}), and the nearest point of the edge is {closest}"
            );
            ("outside-edge", text)
        }
        WhyNot::OutsideInterval { t } => {
            answer.t = Some(t);
            let (t_min, t_max) = (ray.t_min, ray.t_max);
            let side = if t < t_min { "before the ray begins" } else { "past the ray's end" };
            let text = format!("the line meets it at t {t}, {side}: {t_min} to {t_max}");
            ("outside-interval", text)
        }
        WhyNot::Facing { hit } => {
            answer.t = Some(hit.t);
            let text =
                format!("the ray hits its {} at t {}, which --facing refuses", side(&hit), hit.t);
            ("facing", text)
        }
        WhyNot::Filter { hit } => {
            answer.t = Some(hit.t);
            ("filter", format!("the filter refuses the hit at t {}", hit.t))
        }
        WhyNot::Nearer { t, by } => {
            answer.t = Some(t);
            let (first, before) = (By::new(level, &by, At::T(by.t)), by.t < t);
            let before = if before { "first" } else { "as near, with lower numbers" };
            let what = first.what();
            answer.by = Some(first);
            ("nearer", format!("the ray hits it at t {t}, but {before} {what}, at t {}", by.t))
        }
        WhyNot::Hit(hit) => {
            answer.t = Some(hit.t);
            ("hit", format!("it is hit, at t {}: this is the nearest hit", hit.t))
        }
        _ => Answer::other(),
    };
    answer.with(told)
}
