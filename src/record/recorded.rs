//! A tree or a snapshot whose questions are recorded.

use std::ops::ControlFlow;
use std::slice;
use std::sync::Arc;

use glam::Vec3;

use super::block::Context;
use super::content::Content;
use super::hits::{put_list, put_lists, put_options};
use super::kind::Kind;
use super::note::{Call, PutAnswer};
use super::question::{Asking, Rejected};
use super::recorder::Recorder;
use super::watch::watched;
use super::wire::put_found;
use crate::bvh::Bvh;
use crate::error::BatchError;
use crate::geometry::{ConvexShape, Ray, Shape};
use crate::scene::Snapshot;
use crate::traverse::{ClosestPoint, Contact, Hit, Overlap, Query};
use crate::world::{World, of_either};

mod inside;
mod volumes;

mod sealed {
    pub trait Sealed {}
    impl Sealed for crate::bvh::Bvh {}
    impl Sealed for crate::scene::Snapshot {}
}

/// What can be recorded: [`Bvh`] and [`Snapshot`]. Both are handles.
pub trait Recordable: Clone + sealed::Sealed {
    /// Which of the two it is.
    fn world(&self) -> World<'_>;
}

impl Recordable for Bvh {
    fn world(&self) -> World<'_> {
        World::Tree(self)
    }
}

impl Recordable for Snapshot {
    fn world(&self) -> World<'_> {
        World::Scene(self)
    }
}

/// A tree or a snapshot whose questions are recorded. It answers exactly as the tree or snapshot
/// itself; each method is the one of the same name there.
///
/// It is a handle with a tag and a frame number of its own: a clone costs some reference counts.
/// As any clone, it makes a refit of the tree copy what it still holds, so drop it first.
#[derive(Clone, Debug)]
pub struct Recorded<W: Recordable> {
    world: W,
    recorder: Recorder,
    content: Content,
}

impl Recorder {
    /// Records the questions that are asked of a tree or a snapshot through the handle that this
    /// gives. The first time it takes the time of [`Content::of`].
    #[must_use]
    pub fn wrap<W: Recordable>(&self, world: &W) -> Recorded<W> {
        let content = Content::of(world.world());
        Recorded { world: world.clone(), recorder: self.clone(), content }
    }
}

impl<W: Recordable> Recorded<W> {
    /// The tree or snapshot. What is asked of it directly is not recorded.
    #[must_use]
    pub fn get(&self) -> &W {
        &self.world
    }

    /// A handle with another tag: see [`Recorder::with_tag`].
    #[must_use]
    pub fn with_tag(&self, tag: &str) -> Self {
        Self { recorder: self.recorder.with_tag(tag), ..self.clone() }
    }

    /// The frame number of what is asked through this handle from now on.
    pub fn set_frame(&mut self, frame: u64) {
        self.recorder.set_frame(frame);
    }

    /// As [`Bvh::closest_hit`].
    #[must_use]
    pub fn closest_hit(&self, ray: &Ray, query: &Query<'_>) -> Option<Hit> {
        let (hit, rejected) = self
            .ask(query, |world, query| of_either!(world, world => world.closest_hit(ray, query)));
        let put = |out: &mut Vec<u8>| put_options(out, &[hit]);
        self.note(Kind::ClosestHit, query, &rejected, Asking::Rays(slice::from_ref(ray)), &put);
        hit
    }

    /// As [`Bvh::any_hit`].
    #[must_use]
    pub fn any_hit(&self, ray: &Ray, query: &Query<'_>) -> bool {
        let (found, rejected) =
            self.ask(query, |world, query| of_either!(world, world => world.any_hit(ray, query)));
        let put = |out: &mut Vec<u8>| put_found(out, &[found]);
        self.note(Kind::AnyHit, query, &rejected, Asking::Rays(slice::from_ref(ray)), &put);
        found
    }

    /// As [`Bvh::all_hits`].
    pub fn all_hits(&self, ray: &Ray, query: &Query<'_>, hits: &mut Vec<Hit>) {
        let ((), rejected) = self.ask(
            query,
            |world, query| of_either!(world, world => world.all_hits(ray, query, hits)),
        );
        let put = |out: &mut Vec<u8>| put_lists(out, slice::from_ref(hits));
        self.note(Kind::AllHits, query, &rejected, Asking::Rays(slice::from_ref(ray)), &put);
    }

    /// As [`Bvh::for_each_hit`]. All hits are recorded, also those after a break.
    pub fn for_each_hit(
        &self,
        ray: &Ray,
        query: &Query<'_>,
        buffer: &mut Vec<Hit>,
        each: impl FnMut(&Hit) -> ControlFlow<()>,
    ) {
        self.all_hits(ray, query, buffer);
        let _ = buffer.iter().try_for_each(each);
    }

    /// As [`Bvh::closest_hit_batch`].
    ///
    /// # Errors
    ///
    /// As there; then nothing is recorded.
    pub fn closest_hit_batch(
        &self,
        rays: &[Ray],
        query: &Query<'_>,
        hits: &mut [Option<Hit>],
    ) -> Result<(), BatchError> {
        let world = self.world.world();
        self.call(Kind::ClosestHitBatch, query).ask_batch(
            rays,
            hits,
            &|query, first, rays, hits| {
                of_either!(world, world => world.closest_hit_chunk(first, rays, query, hits));
            },
            &|rays, hits, out| {
                Asking::Rays(rays).put(out);
                put_options(out, hits);
            },
        )
    }

    /// As [`Bvh::any_hit_batch`].
    ///
    /// # Errors
    ///
    /// As there; then nothing is recorded.
    pub fn any_hit_batch(
        &self,
        rays: &[Ray],
        query: &Query<'_>,
        found: &mut [bool],
    ) -> Result<(), BatchError> {
        let world = self.world.world();
        self.call(Kind::AnyHitBatch, query).ask_batch(
            rays,
            found,
            &|query, first, rays, found| {
                of_either!(world, world => world.any_hit_chunk(first, rays, query, found));
            },
            &|rays, found, out| {
                Asking::Rays(rays).put(out);
                put_found(out, found);
            },
        )
    }

    /// As [`Bvh::all_hits_batch`].
    ///
    /// # Errors
    ///
    /// As there; then nothing is recorded.
    pub fn all_hits_batch(
        &self,
        rays: &[Ray],
        query: &Query<'_>,
        hits: &mut [Vec<Hit>],
    ) -> Result<(), BatchError> {
        let world = self.world.world();
        self.call(Kind::AllHitsBatch, query).ask_batch(
            rays,
            hits,
            &|query, first, rays, hits| {
                of_either!(world, world => world.all_hits_chunk(first, rays, query, hits));
            },
            &|rays, hits, out| {
                Asking::Rays(rays).put(out);
                put_lists(out, hits);
            },
        )
    }

    /// As [`Bvh::closest_point`].
    #[must_use]
    pub fn closest_point(
        &self,
        point: impl Into<Vec3>,
        max_distance: f32,
        query: &Query<'_>,
    ) -> Option<ClosestPoint> {
        let point = point.into();
        let (near, rejected) = self.ask(query, |world, query| {
            of_either!(world, world => world.closest_point(point, max_distance, query))
        });
        let put = |out: &mut Vec<u8>| put_options(out, &[near]);
        let asked = Asking::Points(&[point], max_distance);
        self.note(Kind::ClosestPoint, query, &rejected, asked, &put);
        near
    }

    /// As [`Bvh::any_within`].
    #[must_use]
    pub fn any_within(&self, point: impl Into<Vec3>, max_distance: f32, query: &Query<'_>) -> bool {
        let point = point.into();
        let (found, rejected) = self.ask(
            query,
            |world, query| of_either!(world, world => world.any_within(point, max_distance, query)),
        );
        let put = |out: &mut Vec<u8>| put_found(out, &[found]);
        let asked = Asking::Points(&[point], max_distance);
        self.note(Kind::AnyWithin, query, &rejected, asked, &put);
        found
    }

    /// As [`Bvh::all_within`].
    pub fn all_within(
        &self,
        point: impl Into<Vec3>,
        max_distance: f32,
        query: &Query<'_>,
        near: &mut Vec<ClosestPoint>,
    ) {
        let point = point.into();
        let ((), rejected) = self.ask(query, |world, query| {
            of_either!(world, world => world.all_within(point, max_distance, query, near))
        });
        let put = |out: &mut Vec<u8>| put_list(out, near);
        let asked = Asking::Points(&[point], max_distance);
        self.note(Kind::AllWithin, query, &rejected, asked, &put);
    }

    /// As [`Bvh::closest_point_batch`].
    ///
    /// # Errors
    ///
    /// As there; then nothing is recorded.
    pub fn closest_point_batch(
        &self,
        points: &[Vec3],
        max_distance: f32,
        query: &Query<'_>,
        near: &mut [Option<ClosestPoint>],
    ) -> Result<(), BatchError> {
        let world = self.world.world();
        self.call(Kind::ClosestPointBatch, query).ask_batch(
            points,
            near,
            &|query, first, points, near| {
                of_either!(world, world => {
                    world.closest_point_chunk(first, points, max_distance, query, near);
                });
            },
            &|points, near, out| {
                Asking::Points(points, max_distance).put(out);
                put_options(out, near);
            },
        )
    }

    /// As [`Bvh::any_overlap`].
    #[must_use]
    pub fn any_overlap(&self, shape: impl Into<Shape>, query: &Query<'_>) -> bool {
        let shape = &shape.into();
        let (found, rejected) = self
            .ask(query, |world, query| of_either!(world, world => world.any_overlap(shape, query)));
        let put = |out: &mut Vec<u8>| put_found(out, &[found]);
        self.note(Kind::AnyOverlap, query, &rejected, Asking::Shape(shape), &put);
        found
    }

    /// As [`Bvh::all_overlaps`].
    pub fn all_overlaps(
        &self,
        shape: impl Into<Shape>,
        query: &Query<'_>,
        overlaps: &mut Vec<Overlap>,
    ) {
        let shape = &shape.into();
        let ((), rejected) = self.ask(
            query,
            |world, query| of_either!(world, world => world.all_overlaps(shape, query, overlaps)),
        );
        let put = |out: &mut Vec<u8>| put_list(out, overlaps);
        self.note(Kind::AllOverlaps, query, &rejected, Asking::Shape(shape), &put);
    }

    /// As [`Bvh::first_contact`].
    #[must_use]
    pub fn first_contact(
        &self,
        shape: impl Into<ConvexShape>,
        motion: impl Into<Vec3>,
        query: &Query<'_>,
    ) -> Option<Contact> {
        let (shape, motion) = (&shape.into(), motion.into());
        let (contact, rejected) = self.ask(
            query,
            |world, query| of_either!(world, world => world.first_contact(shape, motion, query)),
        );
        let put = |out: &mut Vec<u8>| put_list(out, contact.as_slice());
        self.note(Kind::FirstContact, query, &rejected, Asking::Motion(shape, motion), &put);
        contact
    }

    /// As [`Bvh::all_contacts`].
    pub fn all_contacts(
        &self,
        shape: impl Into<ConvexShape>,
        motion: impl Into<Vec3>,
        query: &Query<'_>,
        contacts: &mut Vec<Contact>,
    ) {
        let (shape, motion) = (&shape.into(), motion.into());
        let ((), rejected) = self.ask(query, |world, query| {
            of_either!(world, world => world.all_contacts(shape, motion, query, contacts))
        });
        let put = |out: &mut Vec<u8>| put_list(out, contacts);
        self.note(Kind::AllContacts, query, &rejected, Asking::Motion(shape, motion), &put);
    }

    /// As [`Bvh::penetrations`].
    pub fn penetrations(
        &self,
        shape: impl Into<ConvexShape>,
        query: &Query<'_>,
        contacts: &mut Vec<Contact>,
    ) {
        let shape = &shape.into();
        let ((), rejected) = self.ask(
            query,
            |world, query| of_either!(world, world => world.penetrations(shape, query, contacts)),
        );
        let put = |out: &mut Vec<u8>| put_list(out, contacts);
        self.note(Kind::Penetrations, query, &rejected, Asking::Motion(shape, Vec3::ZERO), &put);
    }

    fn ask<R>(
        &self,
        query: &Query<'_>,
        ask: impl FnOnce(World<'_>, &Query<'_>) -> R,
    ) -> (R, Vec<Rejected>) {
        watched(query, |query| ask(self.world.world(), query))
    }

    /// Writes a question and its answer down.
    fn note(
        &self,
        kind: Kind,
        query: &Query<'_>,
        rejected: &[Rejected],
        asked: Asking<'_>,
        put_answer: PutAnswer<'_>,
    ) {
        self.call(kind, query).note(rejected, asked, put_answer);
    }

    fn call<'a>(&'a self, kind: Kind, query: &'a Query<'a>) -> Call<'a> {
        let Recorder { sink, tag, frame } = &self.recorder;
        let context = Context { tag: Arc::clone(tag), frame: *frame, content: self.content };
        Call { sink, context, kind, query }
    }
}
