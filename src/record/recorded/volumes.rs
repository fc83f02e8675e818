//! Recorded questions that only a scene answers.

use std::slice;

use super::Recorded;
use crate::geometry::Ray;
use crate::record::kind::Kind;
use crate::record::question::Asking;
use crate::record::wire::put_all;
use crate::scene::Snapshot;
use crate::traverse::{Layers, VolumeHit};

/// Questions that only a scene answers.
impl Recorded<Snapshot> {
    /// As [`Snapshot::all_volume_hits`].
    pub fn all_volume_hits(&self, ray: &Ray, layers: Layers, hits: &mut Vec<VolumeHit>) {
        self.world.all_volume_hits(ray, layers, hits);
        let put = |out: &mut Vec<u8>| put_all(out, hits);
        let asked = Asking::Rays(slice::from_ref(ray));
        self.note(Kind::AllVolumeHits, &layers.query(), &[], asked, &put);
    }
}
