//! Characters that things in a scene carry and push.

use glam::Vec3;

use super::moved::Moved;
use super::options::{MoveOptions, is_sound};
use super::walk::Walk;
use crate::geometry::Capsule;
use crate::scene::Snapshot;
use crate::traverse::{Hit, InstanceId, Query, StartContacts};
use crate::world::World;

impl Snapshot {
    /// Carries a character that stands on an instance which has moved since an earlier snapshot:
    /// as far as the middle of the capsule went with it. It slides along all other instances, and
    /// does not go through them; [`squeezed`](Moved::squeezed) is by how much the instance has
    /// risen into it then. Nothing moves if the instance is not shown in both snapshots.
    ///
    /// The instance is the one of [`Moved::ground`]. Call
    /// [`move_and_slide`](Self::move_and_slide) next. A character that turns with what carries it
    /// takes the turn from [`motion_since`](Self::motion_since).
    ///
    /// ```
    /// use hitscan::character::MoveOptions;
    /// use hitscan::glam::{Affine3A, Vec3};
    /// use hitscan::scene::{Instance, Scene};
    /// use hitscan::{Builder, Capsule, Mesh, Query};
    ///
    /// let plate = Mesh::from_soup(vec![[-4.0, 0.0, -4.0], [0.0, 0.0, 4.0], [4.0, 0.0, -4.0]]);
    /// let (plate, _report) = Builder::new().bake(&[plate])?;
    /// let mut scene = Scene::new();
    /// let tram = scene.insert(Instance::new(plate))?;
    /// let before = scene.commit();
    /// scene.set_transform(tram, Affine3A::from_translation(Vec3::new(0.5, 0.25, 0.0)))?;
    /// let now = scene.commit();
    ///
    /// let body = Capsule::new([0.0, 0.5, 0.0], [0.0, 1.5, 0.0], 0.5);
    /// let moved = now.ride(&before, tram, body, &MoveOptions::new(), &Query::new());
    /// assert_eq!(moved.translation, Vec3::new(0.5, 0.25, 0.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn ride(
        &self,
        before: &Self,
        instance: InstanceId,
        body: Capsule,
        options: &MoveOptions,
        query: &Query<'_>,
    ) -> Moved {
        let middle = 0.5 * (body.a + body.b);
        let Some(end) = self.carried(before, instance, middle) else {
            return Moved::default();
        };
        let up = options.limits(&body).up;
        self.yield_to(instance, body, [end - middle, up], (options, query))
    }

    /// Pushes a character at rest out of the way of an instance which has moved since an earlier
    /// snapshot, however fast: from where the two touched on to the end of the instance's way,
    /// along the normal of the contact. It slides along all other instances, and does not go
    /// through them; [`squeezed`](Moved::squeezed) is how deep the instance is in it then. Nothing
    /// moves if they did not touch, or the instance is not shown in both snapshots.
    ///
    /// The instance moves as if it went straight to where it is, at the place of the character: if
    /// it turns, by the chord of the turn. What is off by that, `move_and_slide` pushes out. So a
    /// slow instance, which goes less than a radius in a frame, needs no call of this. Not for the
    /// instance that carries the character: that is [`ride`](Self::ride). Call
    /// [`move_and_slide`](Self::move_and_slide) next.
    ///
    /// ```
    /// use hitscan::character::MoveOptions;
    /// use hitscan::glam::{Affine3A, Vec3};
    /// use hitscan::scene::{Instance, Scene};
    /// use hitscan::{Builder, Capsule, Mesh, Query};
    ///
    /// let gate = Mesh::from_soup(vec![[0.0, 0.0, -4.0], [0.0, 8.0, 0.0], [0.0, 0.0, 4.0]]);
    /// let (gate, _report) = Builder::new().bake(&[gate])?;
    /// let mut scene = Scene::new();
    /// let gate = scene.insert(Instance::new(gate))?;
    /// let before = scene.commit();
    /// scene.set_transform(gate, Affine3A::from_translation(4.0 * Vec3::X))?;
    /// let now = scene.commit();
    ///
    /// // It was a unit ahead of the gate, and is a skin ahead of it now.
    /// let body = Capsule::new([1.5, 0.5, 0.0], [1.5, 1.5, 0.0], 0.5);
    /// let moved = now.push(&before, gate, body, &MoveOptions::new(), &Query::new());
    /// assert!((moved.translation - Vec3::X * 3.025).length() < 1e-4, "{moved:?}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn push(
        &self,
        before: &Self,
        instance: InstanceId,
        body: Capsule,
        options: &MoveOptions,
        query: &Query<'_>,
    ) -> Moved {
        let middle = 0.5 * (body.a + body.b);
        let Some(end) = self.carried(before, instance, middle) else {
            return Moved::default();
        };
        let way = end - middle;
        // Seen from the instance, the character moves.
        let skin = options.limits(&body).skin;
        let wide = Capsule { radius: body.radius + skin, ..body };
        let is_it = |hit: &Hit| hit.instance == instance && query.accepts(hit);
        let of_it = query.filter(&is_it).start_contacts(StartContacts::Opposed);
        let Some(contact) = before.first_contact(wide, -way, &of_it) else {
            return Moved::default();
        };
        let rest = (1.0 - contact.t) * way;
        let push = contact.normal * contact.normal.dot(rest).max(0.0);
        self.yield_to(instance, body, [push, contact.normal], (options, query))
    }

    /// Moves a character along with an instance, which leaves it no choice.
    fn yield_to(
        &self,
        instance: InstanceId,
        body: Capsule,
        [motion, against]: [Vec3; 2],
        (options, query): (&MoveOptions, &Query<'_>),
    ) -> Moved {
        if !is_sound(&body, motion) {
            return Moved::default();
        }
        let is_other = |hit: &Hit| hit.instance != instance && query.accepts(hit);
        let others = query.filter(&is_other);
        let walk = Walk::new(World::Scene(self), body, options.limits(&body), &others);
        walk.yield_to(motion, against)
    }
}
