//! The answer to questions about shapes that move.

use std::cmp::Ordering;

use glam::Vec3;
use serde::{Deserialize, Serialize};

use crate::geometry::{Feature, Rank, SlidePlane};
use crate::traverse::hit::Hit;

/// Where a shape that moves first touches a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Contact {
    /// When, in units of the motion: 0 to 1. The shape has then moved by `t` times the motion.
    pub t: f32,
    /// A point of the triangle that the shape then touches, rounded.
    pub point: Vec3,
    /// The direction from the triangle towards the shape, of unit length. On a face this is the
    /// normal of the face, on an edge or a vertex it depends on the shape.
    pub normal: Vec3,
    /// The normal of the triangle's plane, of unit length, on the side that `normal` leads to. That
    /// is `normal` itself if the triangle has no area.
    pub face_normal: Vec3,
    /// The part of the triangle that `point` is on, in the caller's order of vertices:
    /// [`Bvh::feature_points`](crate::Bvh::feature_points) gives its points.
    pub feature: Feature,
    /// How far the shape has to move along `normal` to leave the triangle, which is the shortest
    /// way out: zero if they do not overlap at the start. Rounded: after that push the shape is no
    /// deeper in the triangle than four roundings (of 2^-23) of the largest coordinate involved,
    /// its radius included, and no way out is shorter by more than that and one part in 1,000. That
    /// holds for needles, and for triangles without an area, too.
    pub depth: f32,
    /// The triangle, or the [volume](crate::scene#volumes). Here `t` is the `t` of the contact, and
    /// of a triangle `u` and `v` are the weights of `point`. `face` is the side of the triangle's
    /// plane, or of the volume, that the middle of the shape is on at the start: the front if it is
    /// in the plane.
    pub hit: Hit,
}

impl Contact {
    /// Which of two contacts comes first, by [rank](Rank::cmp).
    pub(crate) fn cmp_contact(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }

    /// The same, then by instance, mesh and triangle. Not inlined: a sort compares in many places.
    #[inline(never)]
    pub(crate) fn cmp(&self, other: &Self) -> Ordering {
        self.cmp_contact(other).then(self.hit.key().cmp(&other.hit.key()))
    }

    fn rank(&self) -> Rank {
        let Self { t, depth, .. } = *self;
        Rank { t, depth, is_beside: self.is_beside() }
    }

    /// Whether the normal is not the normal of the face.
    pub(crate) fn is_beside(&self) -> bool {
        self.normal != self.face_normal
    }
}

/// The plane that the shape must stay in front of, once it has moved to the contact.
impl From<&Contact> for SlidePlane {
    fn from(contact: &Contact) -> Self {
        Self { normal: contact.normal, room: -contact.depth }
    }
}

/// Puts the first in front, and those that were found twice into one: a triangle that a spatial
/// split cut is in several leaves.
pub(crate) fn sort_contacts(contacts: &mut Vec<Contact>) {
    contacts.sort_unstable_by(Contact::cmp);
    contacts.dedup_by_key(|contact| contact.hit.key());
}
