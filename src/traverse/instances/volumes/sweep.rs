//! Which volumes of a scene stop a shape that moves.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use glam::Vec3;

use super::VolumesInScene;
use crate::geometry::{
    ConvexShape, Face, Feature, Shape, Sweep, VolumeContact, VolumeSweep, dot, to_f64,
};
use crate::traverse::instances::visit::Test;
use crate::traverse::options::StartContacts;
use crate::traverse::sweep::{Contact, Cut, SweepNodes};

impl VolumesInScene<'_> {
    /// The first contact, or the one that is given, if that comes first.
    pub(crate) fn first_contact(
        &self,
        shape: &ConvexShape,
        motion: Vec3,
        mut best: Option<Contact>,
    ) -> Option<Contact> {
        let until = |best: &Option<Contact>| best.map_or(Cut::NONE.t, |best| best.t);
        self.for_each_touched(shape, motion, until(&best), &mut |contact| {
            if best.is_none_or(|best| contact.cmp(&best) == Ordering::Less) {
                best = Some(contact);
            }
            until(&best)
        });
        best
    }

    /// All contacts, in no order.
    pub(crate) fn all_contacts(
        &self,
        shape: &ConvexShape,
        motion: Vec3,
        contacts: &mut Vec<Contact>,
    ) {
        self.for_each_touched(shape, motion, Cut::NONE.t, &mut |contact| {
            contacts.push(contact);
            Cut::NONE.t
        });
    }

    /// Calls `found` with each contact until the time that it gave last.
    fn for_each_touched(
        &self,
        shape: &ConvexShape,
        motion: Vec3,
        mut until: f32,
        found: &mut dyn FnMut(Contact) -> f32,
    ) {
        let facts = &self.tops.facts.boxes;
        let any_shape = Shape::from(shape);
        let Some(bounds) = self.bounds_of(&any_shape, motion) else { return };
        let Some(around) = Sweep::new(&bounds.into(), motion) else { return };
        if facts.bounds().is_empty() {
            return;
        }
        let (nodes, sweep) = (SweepNodes::new(facts, &around), VolumeSweep::new(shape, motion));
        let middle = any_shape.center();
        self.for_each(&Test::Sweep(&nodes), until, &mut |instance, volume| {
            if let Some(touch) = sweep.first_contact(volume, until)
                && !(self.query.query.start == StartContacts::Opposed && is_left(&touch, motion))
            {
                let VolumeContact { t, point, normal, face_normal, depth, place } = touch;
                let face = if volume.contains(middle) { Face::Back } else { Face::Front };
                if let Some(hit) = self.accepted(instance, (t, face), place) {
                    let feature = Feature::Face;
                    until = found(Contact { t, point, normal, face_normal, feature, depth, hit });
                }
            }
            ControlFlow::Continue(until)
        });
    }
}

/// Whether the motion leaves a volume that it touches at the start, or slides along it.
fn is_left(touch: &VolumeContact, motion: Vec3) -> bool {
    touch.t == 0.0 && dot(to_f64(touch.normal), to_f64(motion)) >= 0.0
}
