//! A hit in a scene, and the handle of what was hit.

use std::fmt;
use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use super::hit::{Hit, HitList};
use crate::geometry::RayInterval;

/// The handle of an instance of a [`Scene`](crate::Scene).
///
/// It stays the handle of this instance: when the instance is removed, the handle is stale, and no
/// later instance gets it. The order of handles decides between hits that are equally near.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct InstanceId {
    pub(crate) slot: u32,
    pub(crate) generation: NonZeroU32,
}

impl InstanceId {
    /// The handle as one number, for use in other programs: over a network, or in a script.
    #[must_use]
    pub fn to_bits(self) -> u64 {
        u64::from(self.generation.get()) << 32 | u64::from(self.slot)
    }

    /// The handle of a number from [`to_bits`](Self::to_bits); `None` for a number that is none.
    #[must_use]
    pub fn from_bits(bits: u64) -> Option<Self> {
        let generation = NonZeroU32::new((bits >> 32) as u32)?;
        Some(Self { slot: bits as u32, generation })
    }
}

/// Its place in the scene, and how many instances have been in that place.
impl fmt::Debug for InstanceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InstanceId({}v{})", self.slot, self.generation)
    }
}

/// Where a ray hits an instance of a scene.
///
/// The scene gives the point and the normal in the world:
/// [`Snapshot::point`](crate::Snapshot::point), [`Snapshot::normal`](crate::Snapshot::normal).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SceneHit {
    /// The instance.
    pub instance: InstanceId,
    /// Where its tree is hit. `t` is in units of the ray's direction in the world; the numbers of
    /// mesh and triangle and the weights are as in the tree; the front stays the front, even if the
    /// instance is mirrored.
    pub hit: Hit,
}

/// Where a ray meets a [volume](crate::scene#volumes) of a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct VolumeHit {
    /// The instance.
    pub instance: InstanceId,
    /// Where the ray is in the volume, within its own `t_min..=t_max`. It enters at
    /// `interval.enter`: if it begins inside, that is its `t_min`.
    pub interval: RayInterval,
}

/// What a question about a point or a shape has found in an instance of a scene: a
/// [`ClosestPoint`](crate::ClosestPoint), an [`Overlap`](crate::Overlap) or a
/// [`Contact`](crate::Contact).
///
/// Points, normals and distances are in world coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct InInstance<T> {
    /// The instance.
    pub instance: InstanceId,
    /// What was found. In its `hit`, the numbers of mesh and triangle and the weights are as in the
    /// tree; the front stays the front, even if the instance is mirrored.
    pub found: T,
}

impl<T: AsRef<Hit>> InInstance<T> {
    /// Its hit, to ask the snapshot for more: for the name of the mesh, say, or the triangle.
    #[must_use]
    pub fn hit(&self) -> SceneHit {
        SceneHit { instance: self.instance, hit: *self.found.as_ref() }
    }

    /// Of each triangle of each instance another.
    pub(crate) fn key(&self) -> (InstanceId, u32, u32) {
        let hit = self.found.as_ref();
        (self.instance, hit.mesh, hit.triangle)
    }
}

impl HitList<SceneHit> {
    pub(crate) fn sort(&mut self) {
        let key = |hit: &SceneHit| (hit.instance, hit.hit.mesh, hit.hit.triangle);
        self.sort_by_key(|hit| &hit.hit, key);
    }
}
