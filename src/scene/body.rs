//! What stands at an instance of a scene.

use crate::bvh::{Bvh, placed_bounds};
use crate::error::{SceneError, SceneErrorKind};
use crate::geometry::{Aabb, Capsule, InstanceTransform, Obb, Sphere, Volume};
use crate::traverse::volume_bounds;

/// What stands at an instance of a scene: a tree, or [a volume](crate::scene#volumes).
///
/// Each can be turned into one with `into`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Body {
    /// A tree of triangles.
    Bvh(Bvh),
    /// A box, a sphere or a capsule.
    Volume(Volume),
}

impl From<Bvh> for Body {
    fn from(bvh: Bvh) -> Self {
        Self::Bvh(bvh)
    }
}

impl From<&Bvh> for Body {
    fn from(bvh: &Bvh) -> Self {
        Self::Bvh(bvh.clone())
    }
}

impl From<Volume> for Body {
    fn from(volume: Volume) -> Self {
        Self::Volume(volume)
    }
}

macro_rules! from_each {
    ($($kind:ident),*) => { $(
        impl From<$kind> for Body {
            fn from(volume: $kind) -> Self {
                Self::Volume(volume.into())
            }
        }
    )* };
}
from_each!(Aabb, Obb, Sphere, Capsule);

/// How a body stands in the world, as an instance places it.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedBody {
    /// A box around it. Empty if the body is a tree without triangles.
    pub(super) bounds: Aabb,
    /// Itself, if it is a volume.
    pub(super) volume: Option<Volume>,
}

impl PlacedBody {
    pub(super) fn of_tree(bvh: &Bvh, transform: &InstanceTransform) -> Self {
        Self { bounds: placed_bounds(bvh.view(), transform), volume: None }
    }

    /// # Errors
    ///
    /// As [`place_volume`].
    pub(super) fn of_volume(
        volume: &Volume,
        transform: &InstanceTransform,
    ) -> Result<Self, SceneError> {
        let placed = place_volume(volume, transform)?;
        Ok(Self { bounds: volume_bounds(&placed), volume: Some(placed) })
    }

    /// # Errors
    ///
    /// As [`place_volume`].
    pub(super) fn of(body: &Body, transform: &InstanceTransform) -> Result<Self, SceneError> {
        match body {
            Body::Bvh(bvh) => Ok(Self::of_tree(bvh, transform)),
            Body::Volume(volume) => Self::of_volume(volume, transform),
        }
    }
}

/// A volume where it stands.
///
/// # Errors
///
/// If it is none that [a scene can have](crate::scene#volumes), here or there.
fn place_volume(volume: &Volume, transform: &InstanceTransform) -> Result<Volume, SceneError> {
    transform.volume_to_world(volume).map_err(|fault| {
        let message = format!("{}: {volume:?}", fault.rule());
        SceneError::new(SceneErrorKind::InvalidVolume, message)
    })
}
