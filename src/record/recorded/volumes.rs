//! Recorded questions that only a scene answers.

use std::slice;

use super::Recorded;
use crate::geometry::{Ray, Shape};
use crate::record::kind::Kind;
use crate::record::note::PutAnswer;
use crate::record::question::Asking;
use crate::record::wire::{put_all, put_found};
use crate::scene::Snapshot;
use crate::traverse::{InstanceId, Layers, VolumeHit};

/// Questions that only a scene answers.
impl Recorded<Snapshot> {
    /// As [`Snapshot::closest_volume_hit`].
    #[must_use]
    pub fn closest_volume_hit(&self, ray: &Ray, layers: Layers) -> Option<VolumeHit> {
        let hit = self.world.closest_volume_hit(ray, layers);
        let put = |out: &mut Vec<u8>| put_all(out, hit.as_slice());
        self.note_ray(Kind::ClosestVolumeHit, ray, layers, &put);
        hit
    }

    /// As [`Snapshot::any_volume_hit`].
    #[must_use]
    pub fn any_volume_hit(&self, ray: &Ray, layers: Layers) -> bool {
        let found = self.world.any_volume_hit(ray, layers);
        let put = |out: &mut Vec<u8>| put_found(out, &[found]);
        self.note_ray(Kind::AnyVolumeHit, ray, layers, &put);
        found
    }

    /// As [`Snapshot::all_volume_hits`].
    pub fn all_volume_hits(&self, ray: &Ray, layers: Layers, hits: &mut Vec<VolumeHit>) {
        self.world.all_volume_hits(ray, layers, hits);
        let put = |out: &mut Vec<u8>| put_all(out, hits);
        self.note_ray(Kind::AllVolumeHits, ray, layers, &put);
    }

    /// As [`Snapshot::any_volume_overlap`].
    #[must_use]
    pub fn any_volume_overlap(&self, shape: impl Into<Shape>, layers: Layers) -> bool {
        let shape = &shape.into();
        let found = self.world.any_volume_overlap(shape, layers);
        let put = |out: &mut Vec<u8>| put_found(out, &[found]);
        let asked = Asking::Shape(shape);
        self.note(Kind::AnyVolumeOverlap, &layers.query(), &[], asked, &put);
        found
    }

    /// As [`Snapshot::all_volume_overlaps`].
    pub fn all_volume_overlaps(
        &self,
        shape: impl Into<Shape>,
        layers: Layers,
        found: &mut Vec<InstanceId>,
    ) {
        let shape = &shape.into();
        self.world.all_volume_overlaps(shape, layers, found);
        let put = |out: &mut Vec<u8>| put_all(out, found);
        let asked = Asking::Shape(shape);
        self.note(Kind::AllVolumeOverlaps, &layers.query(), &[], asked, &put);
    }

    fn note_ray(&self, kind: Kind, ray: &Ray, layers: Layers, put: PutAnswer<'_>) {
        self.note(kind, &layers.query(), &[], Asking::Rays(slice::from_ref(ray)), put);
    }
}
