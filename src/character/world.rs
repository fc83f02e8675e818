//! Where a character moves.

use glam::Vec3;

use crate::bvh::Bvh;
use crate::geometry::Capsule;
use crate::query::leave_out_inner_edges;
use crate::scene::Snapshot;
use crate::traverse::{Contact, Query};

/// A tree, or the trees of a scene.
#[derive(Clone, Copy)]
pub(super) enum World<'a> {
    Tree(&'a Bvh),
    Scene(&'a Snapshot),
}

impl World<'_> {
    pub(super) fn first_contact(
        self,
        body: Capsule,
        motion: Vec3,
        query: &Query<'_>,
    ) -> Option<Contact> {
        match self {
            Self::Tree(bvh) => bvh.first_contact(body, motion, query),
            Self::Scene(now) => now.first_contact(body, motion, query),
        }
    }

    pub(super) fn all_contacts(
        self,
        body: Capsule,
        motion: Vec3,
        query: &Query<'_>,
        contacts: &mut Vec<Contact>,
    ) {
        match self {
            Self::Tree(bvh) => bvh.all_contacts(body, motion, query, contacts),
            Self::Scene(now) => now.all_contacts(body, motion, query, contacts),
        }
    }

    /// Leaves out contacts of a capsule at rest that add no plane.
    pub(super) fn leave_out_inner_edges(self, body: Capsule, contacts: &mut Vec<Contact>) {
        let triangle_of: &dyn Fn(&_) -> _ = match self {
            Self::Tree(bvh) => &|hit| bvh.triangle(hit),
            Self::Scene(now) => &|hit| now.triangle(hit),
        };
        leave_out_inner_edges(&body.into(), contacts, triangle_of);
    }
}
