//! Why a triangle does not stop a shape that moves.

use hitscan::Query;
use hitscan::explain::WhyNotContact;
use hitscan::geometry::ConvexShape;
use hitscan::glam::Vec3;

use super::answer::{Answer, At, By, side};
use super::suspect::Suspect;
use crate::level::Level;

pub(super) fn why_not(
    suspect: &Suspect<'_>,
    shape: &ConvexShape,
    motion: Vec3,
    query: &Query<'_>,
) -> Answer {
    let &Suspect { level, instance, mesh, .. } = suspect;
    let (triangle, reason) = suspect.reason(
        |number| match level {
            Level::Tree(bvh) => bvh.why_not_contact(shape, motion, query, mesh, number),
            Level::Scene(scene) => {
                scene.snapshot().why_not_contact(shape, motion, query, instance, mesh, number)
            }
        },
        || match level {
            Level::Tree(bvh) => bvh.why_not_contact_mesh(shape, motion, query, mesh),
            Level::Scene(scene) => {
                scene.snapshot().why_not_contact_mesh(shape, motion, query, instance, mesh)
            }
        },
    );
    let mut answer = suspect.answer(triangle);
    let told = match reason {
        WhyNotContact::NoInstance => Answer::no_instance(),
        WhyNotContact::NoMesh => Answer::no_mesh(),
        WhyNotContact::NoTriangle { triangles } => Answer::no_triangle(triangles),
        WhyNotContact::Skipped => Answer::skipped(),
        WhyNotContact::InstanceMask { mask } => answer.instance_mask(mask),
        WhyNotContact::MeshMask { mask } => answer.mesh_mask(mask),
        WhyNotContact::InvalidSweep => ("invalid-sweep", "the shape touches nothing".to_owned()),
        WhyNotContact::BeyondRange => Answer::beyond_range(),
        WhyNotContact::NeverTouched(gap) => {
            answer.t = Some(gap.t);
            ("never-touched", format!("the shape passes it: {}", answer.gap(&gap)))
        }
        WhyNotContact::PastEnd { t, gap } => {
            answer.t = Some(t);
            let gap = answer.gap(&gap);
            let text = format!("it would be touched at t {t}, past the end of the way; {gap}");
            ("past-end", text)
        }
        WhyNotContact::Facing { contact } => {
            answer.t = Some(contact.t);
            let (side, t) = (side(&contact.hit), contact.t);
            let from = format!("the shape's middle starts on its {side}, which --facing refuses");
            ("facing", format!("it is touched at t {t}, but {from}"))
        }
        WhyNotContact::Filter { contact } => {
            answer.t = Some(contact.t);
            ("filter", format!("the filter refuses the contact at t {}", contact.t))
        }
        WhyNotContact::Later { contact, by } => {
            answer.t = Some(contact.t);
            let first = By::new(level, &by.hit, At::T(by.t));
            let (t, what) = (contact.t, first.what());
            answer.by = Some(first);
            let before = match by.t < t {
                true => "first",
                false => "at the same time, and before it in the order of contacts,",
            };
            ("later", format!("it is touched at t {t}, but {before} {what}, at t {}", by.t))
        }
        WhyNotContact::First(contact) => {
            answer.t = Some(contact.t);
            ("first", format!("it is touched, at t {}: this is the first contact", contact.t))
        }
        _ => Answer::other(),
    };
    answer.with(told)
}
