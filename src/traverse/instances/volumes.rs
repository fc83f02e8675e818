//! Questions of scenes about volumes, in plain code: all kinds of questions that there are about
//! triangles.
//!
//! ```text
//! rays      which volumes a ray meets
//! near      which are near a point
//! overlap   which touch a shape
//! sweep     which stop a shape that moves
//! ```
//!
//! What the triangles of a scene have given bounds the search. Answers are in the same order as
//! answers about triangles: no instance has both, so handles decide where they are equally good.

mod near;
mod overlap;
mod rays;
mod sweep;

use std::ops::ControlFlow;

use glam::Vec3;

use super::collectors::SceneQuery;
use super::visit::{Test, for_each_instance};
use super::{PlacedInstance, TopLevels};
use crate::geometry::{Aabb, Face, Shape, Support, SurfacePlace, TOLERANCE, Volume, round_up};
use crate::traverse::hit::Hit;
use crate::traverse::options::Facing;
pub use rays::VolumeHit;

/// Is told of a volume and its instance. `Break` ends the question.
type Visit<'v> = dyn FnMut(&PlacedInstance, &Volume) -> ControlFlow<(), f32> + 'v;

/// The volumes of a scene, and a question that sees some of them.
pub(crate) struct VolumesInScene<'a> {
    pub(crate) tops: &'a TopLevels<'a>,
    pub(crate) query: SceneQuery<'a>,
}

impl VolumesInScene<'_> {
    /// The hit of a volume at `t`, if the query accepts it.
    fn accepted(
        &self,
        instance: &PlacedInstance,
        (t, face): (f32, Face),
        place: SurfacePlace,
    ) -> Option<Hit> {
        let SceneQuery { query, index } = self.query;
        let is_seen = match query.facing {
            Facing::Both => true,
            Facing::Front => face == Face::Front,
            Facing::Back => face == Face::Back,
        };
        let hit = Hit::of_volume((instance.id, instance.user_id), (t, face), place);
        (is_seen && query.accepts_of(index, &hit)).then_some(hit)
    }

    /// A box around a shape that moves, at the start, with room for what counts as touching: boxes
    /// of volumes have room in parts of their own size. `None` if the shape is empty.
    fn bounds_of(&self, shape: &Shape, motion: Vec3) -> Option<Aabb> {
        let (support, [x, y, z, _]) = (Support::of(shape)?, self.tops.facts.boxes.size);
        let size = x.max(y).max(z).max(motion.abs().max_element());
        Some(with_room(&support.bounds(), support.size().max(size.into())))
    }

    /// Calls `visit` for the volumes that may matter, the nearest first. It gives the bound past
    /// which nothing matters from then on.
    fn for_each(&self, test: &Test<'_>, mut bound: f32, visit: &mut Visit<'_>) {
        for_each_instance(self.tops, self.query.query, test, bound, &mut |instance, volume| {
            if let Some(volume) = volume {
                bound = visit(instance, volume)?;
            }
            ControlFlow::Continue(bound)
        });
    }
}

/// A box with room for what counts as touching, next to numbers of this size.
fn with_room(bounds: &Aabb, size: f64) -> Aabb {
    let room = if size.is_finite() { 4.0 * TOLERANCE * size } else { 0.0 };
    bounds.expanded([round_up(room); 3])
}

/// A box around a volume of a scene, with room for what counts as touching.
pub(crate) fn volume_bounds(volume: &Volume) -> Aabb {
    let support = Support::of(&(*volume).into());
    support.map_or(Aabb::EMPTY, |support| with_room(&support.bounds(), support.size()))
}
