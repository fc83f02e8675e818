//! Answers as rows of words. JavaScript reads them: see `src/rows.js`.

#[cfg(feature = "shapes")]
use hitscan::geometry::{Containment, Feature};
use hitscan::glam::Vec3;
#[cfg(feature = "shapes")]
use hitscan::{ClosestPoint, Contact, Overlap};
use hitscan::{Face, Hit, InstanceId};

use crate::asked::Asked;

/// No mesh, no material, no instance.
pub(crate) const NONE: u32 = u32::MAX;

/// Words of a [`hit`].
pub(crate) const HIT: usize = 9;

/// Words of each row in a list.
pub(crate) const LENGTH: usize = 20;

/// A row, unused words of which are zero.
pub(crate) type Row = [u32; LENGTH];

/// What all answers have.
pub(crate) fn hit(hit: &Hit) -> [u32; HIT] {
    let front = u32::from(hit.face == Face::Front);
    let [slot, generation] = instance(hit.instance);
    let material = hit.material().unwrap_or(NONE);
    let [t, u, v] = [hit.t, hit.u, hit.v].map(f32::to_bits);
    [t, u, v, front, hit.mesh, hit.triangle, material, slot, generation]
}

/// A handle as slot and generation.
pub(crate) fn instance(instance: InstanceId) -> [u32; 2] {
    let bits = instance.to_bits();
    [bits as u32, (bits >> 32) as u32]
}

/// A hit with its point and normal.
pub(crate) fn ray_hit(asked: Asked<'_>, found: &Hit) -> Row {
    let [point, normal] = asked.surface(found);
    let mut row = [0; LENGTH];
    row[..HIT].copy_from_slice(&hit(found));
    put(&mut row, 9, point);
    put(&mut row, 12, normal);
    row
}

#[cfg(feature = "shapes")]
pub(crate) fn closest_point(near: &ClosestPoint) -> Row {
    let mut row = [0; LENGTH];
    row[..HIT].copy_from_slice(&hit(&near.hit));
    put(&mut row, 9, near.point);
    row[18] = feature(near.feature);
    row[19] = near.distance.to_bits();
    row
}

#[cfg(feature = "shapes")]
pub(crate) fn overlap(overlap: &Overlap) -> Row {
    let mut row = [0; LENGTH];
    row[..HIT].copy_from_slice(&hit(&overlap.hit));
    row[9] = u32::from(overlap.containment == Containment::Inside);
    row
}

#[cfg(feature = "shapes")]
pub(crate) fn contact(contact: &Contact) -> Row {
    let mut row = [0; LENGTH];
    row[..HIT].copy_from_slice(&hit(&contact.hit));
    put(&mut row, 9, contact.point);
    put(&mut row, 12, contact.normal);
    put(&mut row, 15, contact.face_normal);
    row[18] = feature(contact.feature);
    row[19] = contact.depth.to_bits();
    row
}

#[cfg(feature = "shapes")]
fn feature(feature: Feature) -> u32 {
    match feature {
        Feature::Face => 0,
        Feature::Edge(edge) => 1 + u32::from(edge),
        Feature::Vertex(vertex) => 4 + u32::from(vertex),
    }
}

fn put(row: &mut Row, at: usize, vector: Vec3) {
    row[at..at + 3].copy_from_slice(&vector.to_array().map(f32::to_bits));
}
