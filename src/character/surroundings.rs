//! The surfaces near a capsule, as planes that its motions must not go through.

use glam::Vec3;
use smallvec::SmallVec;

use super::options::Limits;
use crate::geometry::{Capsule, SlidePlane, slide};
use crate::query::leave_out_inner_edges;
use crate::traverse::{Contact, Query};
use crate::world::{World, of_either};

/// The planes around a capsule, up to some distance.
#[derive(Default)]
pub(super) struct Surroundings {
    pub(super) surfaces: Vec<Surface>,
    /// Memory that is used again.
    contacts: Vec<Contact>,
    planes: Vec<Contact>,
}

/// A plane that is near.
#[derive(Clone, Copy)]
pub(super) struct Surface {
    pub(super) contact: Contact,
    /// The distance from the capsule, or minus the depth in it.
    pub(super) gap: f32,
    /// Whether it can be stood on, or climbed.
    pub(super) is_ground: bool,
}

/// How a motion goes along obstacles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// Along each plane, in any direction.
    Slide,
    /// Up and down ground; a steeper surface is a wall.
    Walk,
}

/// How much a height counts, in parts of a horizontal distance, where a motion that walks is bent:
/// so hills take it up and down, and hardly to the side.
const HEIGHT_COUNTS: f32 = 1.0 / 16.0;

impl Surroundings {
    /// Looks around for all that a motion of this length may come near.
    pub(super) fn look(
        &mut self,
        world: World<'_>,
        body: Capsule,
        reach: f32,
        (limits, query): (&Limits, &Query<'_>),
    ) {
        let Self { surfaces, contacts, planes } = self;
        let wide = Capsule { radius: body.radius + limits.skin + reach, ..body };
        of_either!(world, asked => asked.all_contacts(wide, Vec3::ZERO, query, contacts));
        planes.clone_from(contacts);
        leave_out_inner_edges(
            &wide.into(),
            planes,
            &|hit| of_either!(world, asked => asked.triangle(hit)),
        );
        let lowest = limits.height(body.a).min(limits.height(body.b)) - body.radius;
        // A triangle of the ground is a contact of its own; the top of a box is none.
        let is_on_top = |contact: &Contact| match world {
            World::Scene(scene) if contact.hit.is_volume() => scene
                .volume_normals(contact.hit.instance, contact.point, limits.skin)
                .any(|normal| limits.height(normal) >= limits.steepest),
            _ => contacts.iter().any(|other| is_ground_at(contact.point, other, limits)),
        };
        surfaces.clear();
        surfaces.extend(planes.iter().map(|contact| Surface {
            contact: *contact,
            gap: wide.radius - contact.depth - body.radius,
            is_ground: limits.height(contact.normal) >= limits.steepest
                || is_low_edge(contact, lowest, limits) && is_on_top(contact),
        }));
    }

    /// The least distance.
    pub(super) fn gap(&self) -> f32 {
        self.surfaces.iter().fold(f32::INFINITY, |gap, surface| surface.gap.min(gap))
    }

    /// How the capsule gets as far away from everything as it must be.
    pub(super) fn way_out(&self, limits: &Limits) -> Vec3 {
        let room = |surface: &Surface| surface.gap - limits.nearest();
        let planes: SmallVec<[SlidePlane; 16]> = self
            .surfaces
            .iter()
            .map(|one| SlidePlane::new(one.contact.normal, room(one)))
            .collect();
        slide(Vec3::ZERO, &planes)
    }

    /// What remains of a motion. The planes leave zero as an answer, so it is hardly longer.
    pub(super) fn bent(&self, motion: Vec3, manner: Manner, limits: &Limits) -> Vec3 {
        let mut planes = self.planes(limits);
        if manner == Manner::Slide {
            return slide(motion, &planes);
        }
        for surface in self.surfaces.iter().filter(|surface| !surface.is_ground) {
            let (normal, room) = (surface.contact.normal, surface.room(limits));
            if limits.height(normal) > 0.0 {
                // A steep surface must not lift.
                let wall = limits.stretched(normal, 0.0);
                let length = wall.length();
                planes.push(SlidePlane::new(wall / length, room / length));
            }
        }
        let Some(stands_on) = self.stands_on(limits) else {
            return slide(self.until_ground(motion, limits) * motion, &planes);
        };
        // Along the bottom of a ditch, whose sides are steep.
        let along = climb(motion, &planes[..self.surfaces.len()], limits);
        if !stands_on.is_ground && limits.is_walkable(along) {
            return along;
        }
        climb(motion, &planes, limits)
    }

    /// The part of a motion that leads to the ground, of 1.
    fn until_ground(&self, motion: Vec3, limits: &Limits) -> f32 {
        let ground = self.surfaces.iter().filter(|surface| surface.is_ground);
        let reached = ground.map(|surface| {
            let speed = (-surface.contact.normal.dot(motion)).max(0.0);
            surface.room(limits) / speed
        });
        // Also for NaN, of what it does not move towards.
        reached.fold(1.0, f32::min)
    }

    /// The planes that a motion must not go through.
    fn planes(&self, limits: &Limits) -> SmallVec<[SlidePlane; 16]> {
        let plane =
            |surface: &Surface| SlidePlane::new(surface.contact.normal, surface.room(limits));
        self.surfaces.iter().map(plane).collect()
    }

    /// What the capsule stands on: the flattest ground. Else what holds it from several sides, so
    /// that no way leads down that is as steep as what it would slide down.
    pub(super) fn stands_on(&self, limits: &Limits) -> Option<&Surface> {
        let touched = self.surfaces.iter().filter(|surface| surface.gap <= limits.touching());
        let rise = |surface: &Surface| limits.height(surface.contact.normal);
        let flattest = |one: &&Surface, other: &&Surface| rise(one).total_cmp(&rise(other));
        let planes: SmallVec<[SlidePlane; 16]> =
            touched.clone().map(|one| SlidePlane::new(one.contact.normal, 0.0)).collect();
        let ground = touched.clone().filter(|surface| surface.is_ground).max_by(flattest);
        let held = || {
            let is_held = limits.is_walkable(slide(-limits.up, &planes));
            touched.filter(|surface| is_held && rise(surface) > 0.0).max_by(flattest)
        };
        ground.or_else(held)
    }
}

impl Surface {
    /// How far the capsule may move against the normal.
    pub(super) fn room(&self, limits: &Limits) -> f32 {
        (self.gap - limits.skin).max(0.0)
    }
}

/// What remains of a motion where a height counts little. The normals are of unit length.
fn climb(motion: Vec3, planes: &[SlidePlane], limits: &Limits) -> Vec3 {
    let planes: SmallVec<[SlidePlane; 16]> = planes
        .iter()
        .map(|plane| {
            let normal = limits.stretched(plane.normal, 1.0 / HEIGHT_COUNTS);
            SlidePlane::new(normal, plane.room / normal.length())
        })
        .collect();
    let bent = slide(limits.stretched(motion, HEIGHT_COUNTS), &planes);
    limits.stretched(bent, 1.0 / HEIGHT_COUNTS)
}

/// Whether a contact is with an edge that is low enough to be climbed, if it is one of ground.
fn is_low_edge(contact: &Contact, lowest: f32, limits: &Limits) -> bool {
    contact.is_beside()
        && limits.height(contact.normal) > 0.0
        && limits.height(contact.point) - lowest <= limits.step + limits.skin
}

/// Whether a contact is with ground at a point.
fn is_ground_at(point: Vec3, contact: &Contact, limits: &Limits) -> bool {
    limits.height(contact.face_normal) >= limits.steepest
        && (contact.point - point).length() <= limits.skin
}
