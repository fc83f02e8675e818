//! The motion of a character, bend by bend.

use glam::Vec3;

use super::moved::{Moved, Touch};
use super::options::Limits;
use super::surroundings::{Manner, Surroundings};
use crate::geometry::Capsule;
use crate::traverse::{Contact, Query, StartContacts};
use crate::world::{World, of_either};

/// The most times that a motion bends. Along flat walls and floors it does so once or twice, in a
/// narrow place that is round a few times more.
const MOST_BENDS: usize = 16;

/// The most pushes out of what the capsule is in, each of half a radius or less.
const MOST_PUSHES: usize = 8;

/// A bend that leads no farther than this, in parts of the skin, ends the motion.
const LEAST_WAY: f32 = 1.0 / 1024.0;

/// A capsule on its way.
pub(super) struct Walk<'a> {
    world: World<'a>,
    query: Query<'a>,
    body: Capsule,
    limits: Limits,
    /// How far it has moved.
    at: Vec3,
    pushes: usize,
    near: Surroundings,
    touches: Vec<Touch>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(world: World<'a>, body: Capsule, limits: Limits, query: &Query<'a>) -> Self {
        let query = query.start_contacts(StartContacts::All);
        let (near, touches) = (Surroundings::default(), Vec::new());
        Self { world, query, body, limits, at: Vec3::ZERO, pushes: 0, near, touches }
    }

    /// Moves without regard to the ground, ahead of something that does not stop: this comes from
    /// the direction `against`, and the character is a skin away from it.
    pub(super) fn yield_to(mut self, motion: Vec3, against: Vec3) -> Moved {
        self.go(motion, Manner::Slide);
        let missing = (motion - self.at).dot(against);
        let squeezed = (missing - self.limits.skin).max(0.0);
        Moved { translation: self.at, ground: None, touches: self.touches, squeezed }
    }

    /// Moves as a character does.
    pub(super) fn walk(mut self, motion: Vec3) -> Moved {
        let is_rising = self.limits.height(motion) > 0.0;
        let manner = if is_rising { Manner::Slide } else { Manner::Walk };
        let was_standing = self.go(motion, manner);
        self.look(self.limits.nearest());
        if was_standing && !is_rising {
            self.snap();
        }
        let ground = self.near.stands_on(&self.limits).filter(|_| !is_rising);
        let ground = ground.map(|surface| touch(&surface.contact, self.at));
        let squeezed = (-self.near.gap()).max(0.0);
        Moved { translation: self.at, ground, touches: self.touches, squeezed }
    }

    /// Whether it stood on the ground at the start.
    fn go(&mut self, target: Vec3, manner: Manner) -> bool {
        let mut was_standing = None;
        for _ in 0..MOST_BENDS {
            let motion = target - self.at;
            let reach = motion.length().min(self.body.radius);
            self.look(reach.max(self.limits.nearest()));
            self.get_out(reach);
            let mut motion = target - self.at;
            let is_standing = self.near.stands_on(&self.limits).is_some();
            was_standing.get_or_insert(is_standing);
            if manner == Manner::Walk && is_standing && self.limits.height(motion) < 0.0 {
                motion = self.limits.stretched(motion, 0.0);
            }
            let start = self.at;
            if motion.length() > self.body.radius && self.fly(motion) {
                continue;
            }
            let bent = self.near.bent(motion, manner, &self.limits);
            let step = bent.clamp_length_max(reach);
            self.note_touches(motion, step);
            self.advance(step);
            let way = self.at - start;
            if way == motion || way.length() <= LEAST_WAY * self.limits.skin {
                break;
            }
        }
        was_standing.unwrap_or(false)
    }

    /// Moves straight ahead through free space, for a long motion. Whether that is worth a
    /// bend.
    fn fly(&mut self, motion: Vec3) -> bool {
        let contact = self.first_opposed(self.limits.skin, motion);
        let free = contact.map_or(1.0, |contact| contact.t) * motion;
        let is_far = free.length() > self.limits.skin;
        if is_far {
            self.at += free;
        }
        is_far
    }

    /// Moves straight ahead, at most to what is in the way: which is nothing, unless a plane was
    /// not seen.
    fn advance(&mut self, step: Vec3) {
        let t = self.first_opposed(0.0, step).map_or(1.0, |contact| {
            // Of a contact that is only brushed, no more than roundings.
            let speed = (-contact.normal.dot(step)).max(0.0);
            (contact.t - self.limits.skin / speed).max(0.0)
        });
        self.at += t * step;
    }

    /// The first obstacle in the way of the capsule with a larger radius.
    fn first_opposed(&self, room: f32, motion: Vec3) -> Option<Contact> {
        let query = self.query.start_contacts(StartContacts::Opposed);
        let body = self.body();
        let wide = Capsule { radius: body.radius + room, ..body };
        of_either!(self.world, asked => asked.first_contact(wide, motion, &query))
    }

    /// Gets out of what it is in.
    fn get_out(&mut self, reach: f32) {
        while self.near.gap() < self.limits.nearest() && self.pushes < MOST_PUSHES {
            self.pushes += 1;
            let push = self.near.way_out(&self.limits);
            let push = push.clamp_length_max(0.5 * self.body.radius);
            self.note_touches(push, Vec3::ZERO);
            // What it is in already is left by this, as far as there is a way.
            let mut contacts = Vec::new();
            let (body, query) = (self.body(), &self.query);
            of_either!(self.world, asked => asked.all_contacts(body, push, query, &mut contacts));
            let ahead = contacts.iter().find(|contact| contact.t > 0.0);
            let room = 0.25 * self.limits.skin / push.length();
            self.at += push * ahead.map_or(1.0, |contact| (contact.t - room).max(0.0));
            self.look(reach.max(self.limits.nearest()));
        }
    }

    /// Follows the ground down, if there is some.
    fn snap(&mut self) {
        let Limits { up, skin, snap, .. } = self.limits;
        if self.near.stands_on(&self.limits).is_some() {
            return;
        }
        let climbed = self.limits.height(self.at).max(0.0);
        let down = -(snap + climbed + skin) * up;
        // Wider, so that it ends a skin away, and less than the least distance, so that no wall
        // beside it is touched.
        let room = 0.25 * skin;
        let Some(contact) = self.first_opposed(room, down) else { return };
        let rise = self.limits.height(contact.normal).max(0.0);
        let way = contact.t * down.length() - (skin - room) / rise;
        let air = self.at;
        self.at -= way.max(0.0) * up;
        self.look(self.limits.nearest());
        if self.near.stands_on(&self.limits).is_none() {
            self.at = air;
            self.look(self.limits.nearest());
        }
    }

    fn body(&self) -> Capsule {
        Capsule { a: self.body.a + self.at, b: self.body.b + self.at, ..self.body }
    }

    fn look(&mut self, reach: f32) {
        let body = self.body();
        self.near.look(self.world, body, reach, (&self.limits, &self.query));
    }

    /// Notes what a motion leads into, of which this step remains.
    fn note_touches(&mut self, motion: Vec3, step: Vec3) {
        for surface in &self.near.surfaces {
            let (contact, room) = (&surface.contact, surface.room(&self.limits));
            let is_in_way = contact.normal.dot(motion) < -room || surface.gap < 0.0;
            let is_reached = contact.normal.dot(step) <= self.limits.nearest() - room;
            let is_new = || {
                let key = contact.hit.key();
                self.touches.iter().all(|touch| touch.hit.key() != key)
            };
            if is_in_way && is_reached && is_new() {
                self.touches.push(touch(contact, self.at + step));
            }
        }
    }
}

fn touch(contact: &Contact, translation: Vec3) -> Touch {
    let Contact { hit, point, normal, face_normal, .. } = *contact;
    Touch { hit, point, normal, face_normal, translation }
}
