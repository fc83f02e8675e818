//! Recorded questions about inside and outside.

use glam::Vec3;

use super::{Recordable, Recorded};
use crate::error::InsideError;
use crate::record::answer::Answer;
use crate::record::kind::Kind;
use crate::record::question::Asking;
use crate::traverse::{Layers, PointLocation};
use crate::world::{World, of_either};

impl<W: Recordable> Recorded<W> {
    /// As [`Bvh::contains`](crate::Bvh::contains).
    ///
    /// # Errors
    ///
    /// As there; they are recorded too.
    pub fn contains(
        &self,
        point: impl Into<Vec3>,
        layers: Layers,
    ) -> Result<PointLocation, InsideError> {
        let point = point.into();
        let location = of_either!(self.world.world(), world => world.contains(point, layers));
        let put = |out: &mut Vec<u8>| Answer::of_location(&location).put(out);
        self.note(Kind::Contains, &layers.query(), &[], Asking::Points(&[point], 0.0), &put);
        location
    }

    /// As [`Bvh::signed_distance`](crate::Bvh::signed_distance).
    ///
    /// # Errors
    ///
    /// As there; they are recorded too.
    pub fn signed_distance(
        &self,
        point: impl Into<Vec3>,
        max_distance: f32,
        layers: Layers,
    ) -> Result<Option<f32>, InsideError> {
        let point = point.into();
        let distance = of_either!(
            self.world.world(),
            world => world.signed_distance(point, max_distance, layers)
        );
        let put = |out: &mut Vec<u8>| Answer::of_distance(&distance).put(out);
        let asked = Asking::Points(&[point], max_distance);
        self.note(Kind::SignedDistance, &layers.query(), &[], asked, &put);
        distance
    }
}
