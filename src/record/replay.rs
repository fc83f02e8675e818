//! Records, asked again.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use glam::Vec3;

use super::answer::Answer;
use super::kind::Kind;
use super::question::{Asked, Rejected};
use super::reading::{Record, Recording};
use crate::error::RecordingError;
use crate::geometry::{ConvexShape, Ray, Shape};
use crate::simd::InstructionSet;
use crate::traverse::{Hit, InstanceId, Layers, Query};
use crate::world::{World, of_either};

/// The first place in which an answer differs from the recorded one.
///
/// As text, it is one line with all of this.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// The number of the record.
    pub number: u64,
    /// Who asked.
    pub tag: Arc<str>,
    /// The caller's number of the frame.
    pub frame: u64,
    /// The kind of question.
    pub kind: Kind,
    /// The index of the ray or point in its record; 0 where there is one only.
    pub item: usize,
    /// The index in the list that was found; 0 where there is no list.
    pub entry: usize,
    /// What was recorded there: an answer of one thing, or of none if the list is shorter.
    pub recorded: Answer,
    /// What is found there now.
    pub found: Answer,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, tag, frame, kind, item, entry, recorded, found } = self;
        write!(f, "record {number}, tag {tag:?}, frame {frame}: {kind}")?;
        if kind.is_batch() {
            write!(f, ", number {item} of the batch")?;
        }
        if *entry > 0 {
            write!(f, ", number {entry} of the list")?;
        }
        write!(f, ": recorded {recorded}; found {found}")
    }
}

impl Record {
    /// Asks the question of a tree or a snapshot, with this instruction set. A query that had a
    /// filter gets one that rejects the [triangles](Self::rejected) that were rejected. `None` if
    /// there is no such question: about volumes of a tree.
    #[must_use]
    pub fn ask<'w>(&self, world: impl Into<World<'w>>, isa: InstructionSet) -> Option<Answer> {
        let rejected: HashSet<Rejected> = self.rejected.iter().copied().collect();
        let accepts = |index: usize, hit: &Hit| !rejected.contains(&Rejected::new(index, hit));
        let mut query = Query::new()
            .facing(self.facing)
            .start_contacts(self.start_contacts)
            .mask(self.mask)
            .targets(self.targets)
            .except(self.except.unwrap_or(InstanceId::NONE))
            .instruction_set(isa);
        if !rejected.is_empty() {
            query = query.filter_by_index(&accepts);
        }
        let layers = Layers::of(self.mask).instruction_set(isa);
        match &self.asked {
            Asked::Rays(rays) => ask_rays(world.into(), self.kind, rays, &query, layers),
            Asked::Points { points, max_distance } => {
                ask_points(world.into(), self.kind, points, *max_distance, &query, layers)
            }
            Asked::Shape(shape) => ask_shape(world.into(), self.kind, shape, &query),
            Asked::Motion { shape, motion } => {
                ask_motion(world.into(), self.kind, shape, *motion, &query)
            }
        }
    }

    /// The first place in which an answer to the question has other bits than the recorded one.
    ///
    /// ```
    /// use hitscan::record::{Keep, Recording, Ring};
    /// use hitscan::{Builder, InstructionSet, Mesh, Query, Ray};
    ///
    /// let wall = |z: f32| Mesh::from_soup(vec![[0.0, 0.0, z], [4.0, 0.0, z], [0.0, 4.0, z]]);
    /// let (bvh, _report) = Builder::new().bake(&[wall(1.0)])?;
    /// let ring = Ring::new(Keep::Bytes(1 << 20));
    /// let ray = Ray::new([1.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    /// let _hit = ring.recorder().wrap(&bvh).closest_hit(&ray, &Query::new());
    /// let mut bytes = Vec::new();
    /// ring.write_to(&mut bytes)?;
    ///
    /// let recording = Recording::from_bytes(bytes)?;
    /// let record = recording.records().next().expect("one")?;
    /// let (moved, _report) = Builder::new().bake(&[wall(2.0)])?;
    /// let answer = record.ask(&moved, InstructionSet::detect()).expect("a question for trees");
    /// let difference = record.difference(&answer).expect("the wall has moved");
    /// assert!(difference.to_string().contains("recorded Hit { t: 1.0,"));
    /// assert!(difference.to_string().contains("found Hit { t: 2.0,"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn difference(&self, found: &Answer) -> Option<Difference> {
        if self.answer.has_bits_of(found) {
            return None;
        }
        let mut places = self.answer.places();
        places.extend(found.places());
        places.sort_unstable();
        let differs =
            |place: &(usize, usize)| !self.answer.at(*place).has_bits_of(&found.at(*place));
        let place = places.into_iter().find(differs).unwrap_or_default();
        Some(Difference {
            number: self.number,
            tag: Arc::clone(&self.tag),
            frame: self.frame,
            kind: self.kind,
            item: place.0,
            entry: place.1,
            recorded: self.answer.at(place),
            found: found.at(place),
        })
    }
}

impl Recording {
    /// Asks all again, of a tree or a snapshot, and gives the first difference. Questions that
    /// [there are not](Record::ask) are left out.
    ///
    /// # Errors
    ///
    /// If a record breaks a rule of the format.
    pub fn first_difference<'w>(
        &self,
        world: impl Into<World<'w>>,
    ) -> Result<Option<Difference>, RecordingError> {
        let world = world.into();
        for record in self.records() {
            let record = record?;
            let answer = record.ask(world, InstructionSet::detect());
            if let Some(difference) = answer.and_then(|answer| record.difference(&answer)) {
                return Ok(Some(difference));
            }
        }
        Ok(None)
    }
}

/// What a method writes into a list.
fn listed<T>(fill: impl FnOnce(&mut Vec<T>)) -> Vec<T> {
    let mut list = Vec::new();
    fill(&mut list);
    list
}

/// What a batch writes into a slice, which is as long as the batch: so there is no error.
fn batch<T: Clone, E>(
    count: usize,
    empty: T,
    fill: impl FnOnce(&mut [T]) -> Result<(), E>,
) -> Option<Vec<T>> {
    let mut results = vec![empty; count];
    fill(&mut results).ok()?;
    Some(results)
}

fn ask_rays(
    world: World<'_>,
    kind: Kind,
    rays: &[Ray],
    query: &Query<'_>,
    layers: Layers,
) -> Option<Answer> {
    if let (World::Scene(scene), Kind::AllVolumeHits, [ray]) = (world, kind, rays) {
        let hits = listed(|hits| scene.all_volume_hits(ray, layers, hits));
        return Some(Answer::VolumeHits(hits));
    }
    let count = rays.len();
    of_either!(world, world => match (kind, rays) {
        (Kind::ClosestHit, [ray]) => Some(Answer::ClosestHits(vec![world.closest_hit(ray, query)])),
        (Kind::AnyHit, [ray]) => Some(Answer::Found(vec![world.any_hit(ray, query)])),
        (Kind::AllHits, [ray]) => {
            Some(Answer::Hits(vec![listed(|hits| world.all_hits(ray, query, hits))]))
        }
        (Kind::ClosestHitBatch, rays) => {
            let hits = batch(count, None, |hits| world.closest_hit_batch(rays, query, hits));
            hits.map(Answer::ClosestHits)
        }
        (Kind::AnyHitBatch, rays) => {
            let found = batch(count, false, |found| world.any_hit_batch(rays, query, found));
            found.map(Answer::Found)
        }
        (Kind::AllHitsBatch, rays) => {
            let lists =
                batch(count, Vec::new(), |lists| world.all_hits_batch(rays, query, lists));
            lists.map(Answer::Hits)
        }
        _ => None,
    })
}

fn ask_points(
    world: World<'_>,
    kind: Kind,
    points: &[Vec3],
    most: f32,
    query: &Query<'_>,
    layers: Layers,
) -> Option<Answer> {
    of_either!(world, world => match (kind, points) {
        (Kind::Contains, &[point]) => Some(Answer::of_location(&world.contains(point, layers))),
        (Kind::SignedDistance, &[point]) => {
            Some(Answer::of_distance(&world.signed_distance(point, most, layers)))
        }
        (Kind::ClosestPoint, &[point]) => {
            Some(Answer::ClosestPoints(vec![world.closest_point(point, most, query)]))
        }
        (Kind::AnyWithin, &[point]) => {
            Some(Answer::Found(vec![world.any_within(point, most, query)]))
        }
        (Kind::AllWithin, &[point]) => {
            Some(Answer::Near(listed(|near| world.all_within(point, most, query, near))))
        }
        (Kind::ClosestPointBatch, points) => {
            let ask = |near: &mut [_]| world.closest_point_batch(points, most, query, near);
            batch(points.len(), None, ask).map(Answer::ClosestPoints)
        }
        _ => None,
    })
}

fn ask_shape(world: World<'_>, kind: Kind, shape: &Shape, query: &Query<'_>) -> Option<Answer> {
    of_either!(world, world => match kind {
        Kind::AnyOverlap => Some(Answer::Found(vec![world.any_overlap(shape, query)])),
        Kind::AllOverlaps => Some(Answer::Overlaps(listed(|overlaps| {
            world.all_overlaps(shape, query, overlaps);
        }))),
        _ => None,
    })
}

fn ask_motion(
    world: World<'_>,
    kind: Kind,
    shape: &ConvexShape,
    motion: Vec3,
    query: &Query<'_>,
) -> Option<Answer> {
    of_either!(world, world => match kind {
        Kind::FirstContact => {
            let contact = world.first_contact(shape, motion, query);
            Some(Answer::Contacts(contact.into_iter().collect()))
        }
        Kind::AllContacts => Some(Answer::Contacts(listed(|contacts| {
            world.all_contacts(shape, motion, query, contacts);
        }))),
        Kind::Penetrations => Some(Answer::Contacts(listed(|contacts| {
            world.penetrations(shape, query, contacts);
        }))),
        _ => None,
    })
}
