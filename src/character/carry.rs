//! Characters that things in a scene carry and push.

use glam::Vec3;

use super::options::MoveOptions;
use super::walk::Walk;
use super::world::World;
use super::is_sound;
use crate::geometry::Capsule;
use crate::scene::Snapshot;
use crate::traverse::{Hit, InstanceId, Query, StartContacts};

impl Snapshot {
    /// How far a character is carried that stands on an instance which has moved since an earlier
    /// snapshot.
    #[must_use]
    pub fn ride(
        &self,
        before: &Self,
        instance: InstanceId,
        body: Capsule,
        options: &MoveOptions,
        query: &Query<'_>,
    ) -> Vec3 {
        let middle = 0.5 * (body.a + body.b);
        let Some(end) = self.carried(before, instance, middle) else { return Vec3::ZERO };
        self.carry(instance, body, end - middle, options, query)
    }

    /// How far a character is pushed by an instance which has moved since an earlier snapshot.
    #[must_use]
    pub fn push(
        &self,
        before: &Self,
        instance: InstanceId,
        body: Capsule,
        options: &MoveOptions,
        query: &Query<'_>,
    ) -> Vec3 {
        let middle = 0.5 * (body.a + body.b);
        let Some(end) = self.carried(before, instance, middle) else { return Vec3::ZERO };
        let way = end - middle;
        // Seen from the instance, the character moves.
        let skin = options.limits(&body).skin;
        let wide = Capsule { radius: body.radius + skin, ..body };
        let is_it = |hit: &Hit| hit.instance == instance && query.accepts(hit);
        let of_it = query.filter(&is_it).start_contacts(StartContacts::Opposed);
        let Some(contact) = before.first_contact(wide, -way, &of_it) else { return Vec3::ZERO };
        let rest = (1.0 - contact.t) * way;
        let push = contact.normal * contact.normal.dot(rest).max(0.0);
        self.carry(instance, body, push, options, query)
    }

    /// How far a character gets that is moved along with an instance.
    fn carry(
        &self,
        instance: InstanceId,
        body: Capsule,
        motion: Vec3,
        options: &MoveOptions,
        query: &Query<'_>,
    ) -> Vec3 {
        if !is_sound(&body, motion) {
            return Vec3::ZERO;
        }
        let is_other = |hit: &Hit| hit.instance != instance && query.accepts(hit);
        let others = query.filter(&is_other);
        Walk::new(World::Scene(self), body, options.limits(&body), &others).slide(motion)
    }
}
