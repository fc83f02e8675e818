//! Volumes of any kind.

use glam::Vec3;

use super::aabb::Aabb;
use super::capsule::Capsule;
use super::convex_shape::ConvexShape;
use super::obb::Obb;
use super::ray::{Ray, RayInterval};
use super::shape::Shape;
use super::sphere::Sphere;
use super::support::Support;

#[cfg(test)]
mod tests;

/// A volume of any kind: a trigger, or what stands for something when it is picked.
///
/// Each can be turned into one with `into`, and this into a [`Shape`] or a [`ConvexShape`]. All
/// methods take constant time. [Scenes](crate::scene#volumes) find volumes among many.
///
/// ```
/// use hitscan::geometry::Volume;
/// use hitscan::{Aabb, Capsule, Ray, Sphere};
///
/// let proxies: [Volume; 3] = [
///     Aabb::from_min_max([4.0, -1.0, -1.0], [5.0, 1.0, 1.0]).into(),
///     Sphere::new([9.0, 0.0, 0.0], 2.0).into(),
///     Capsule::new([2.0, 5.0, 0.0], [2.0, 7.0, 0.0], 0.5).into(),
/// ];
/// let ray = Ray::new([0.0; 3], [1.0, 0.0, 0.0]);
/// let enter = |volume: &Volume| Some(volume.ray_interval(&ray)?.enter);
/// assert_eq!(proxies.each_ref().map(enter), [Some(4.0), Some(7.0), None]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Volume {
    /// A box along the axes.
    Aabb(Aabb),
    /// A box in any position.
    Obb(Obb),
    /// A sphere.
    Sphere(Sphere),
    /// A capsule.
    Capsule(Capsule),
}

macro_rules! from_each {
    ($($kind:ident),*) => {
        $(
            impl From<$kind> for Volume {
                fn from(volume: $kind) -> Self {
                    Self::$kind(volume)
                }
            }
        )*

        impl From<Volume> for Shape {
            fn from(volume: Volume) -> Self {
                match volume {
                    $(Volume::$kind(volume) => Self::$kind(volume),)*
                }
            }
        }

        impl From<Volume> for ConvexShape {
            fn from(volume: Volume) -> Self {
                match volume {
                    $(Volume::$kind(volume) => Self::$kind(volume),)*
                }
            }
        }
    };
}
from_each!(Aabb, Obb, Sphere, Capsule);

/// Why a volume cannot stand in a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VolumeFault {
    /// It holds no point, or a number is NaN or infinite.
    Unsound,
    /// A number of it would be infinite in the world.
    TooFar,
    /// The map of an oriented box would be none for instances in the world.
    Singular,
}

impl VolumeFault {
    /// What the volume should be like.
    pub(crate) fn rule(self) -> &'static str {
        match self {
            Self::Unsound => {
                "a volume must hold a point and have finite numbers: no minimum above its maximum, \
                 no negative radius"
            }
            Self::TooFar => "a volume must have finite numbers in the world, too",
            Self::Singular => {
                "the transform of an oriented box must be one for instances in the world, too: \
                 invertible, and of a size from 2^-60 to 2^60"
            }
        }
    }
}

impl Volume {
    /// The volume, if its numbers are finite and it holds a point. It may be flat, and a radius may
    /// be zero.
    pub(crate) fn checked(&self) -> Result<&Self, VolumeFault> {
        let is_finite = match self {
            Self::Aabb(Aabb { min, max }) => min.is_finite() && max.is_finite(),
            // No other can be made.
            Self::Obb(_) => true,
            Self::Sphere(Sphere { center, radius }) => center.is_finite() && radius.is_finite(),
            Self::Capsule(Capsule { a, b, radius }) => {
                a.is_finite() && b.is_finite() && radius.is_finite()
            }
        };
        (is_finite && !self.is_empty()).then_some(self).ok_or(VolumeFault::Unsound)
    }

    /// Whether the volume holds no point.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Aabb(bounds) => bounds.is_empty(),
            Self::Obb(_) => false,
            Self::Sphere(sphere) => sphere.is_empty() || !sphere.center.is_finite(),
            Self::Capsule(capsule) => capsule.is_empty(),
        }
    }

    /// A box around the volume: no point is lost. It is the smallest, but for a few roundings.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        match self {
            Self::Aabb(bounds) => *bounds,
            Self::Obb(obb) => {
                Support::of(&(*obb).into()).map_or(Aabb::EMPTY, |support| support.bounds())
            }
            Self::Sphere(Sphere { center, radius }) => {
                Capsule::new(*center, *center, *radius).bounds()
            }
            Self::Capsule(capsule) => capsule.bounds(),
        }
    }

    /// Whether a point lies in the volume, its surface included.
    #[must_use]
    pub fn contains(&self, point: impl Into<Vec3>) -> bool {
        match self {
            Self::Aabb(bounds) => bounds.contains(point),
            Self::Obb(obb) => obb.contains(point),
            Self::Sphere(sphere) => sphere.contains(point),
            Self::Capsule(capsule) => capsule.contains(point),
        }
    }

    /// Where the ray's line is inside the volume; `None` when it misses. The answer is the same as
    /// from the method of the volume's kind, such as [`Aabb::ray_interval`].
    #[must_use]
    pub fn ray_interval(&self, ray: &Ray) -> Option<RayInterval> {
        match self {
            Self::Aabb(bounds) => bounds.ray_interval(ray),
            Self::Obb(obb) => obb.ray_interval(ray),
            Self::Sphere(sphere) => sphere.ray_interval(ray),
            Self::Capsule(capsule) => capsule.ray_interval(ray),
        }
    }

    /// Whether the ray meets the volume within its own `t_min..=t_max`.
    #[must_use]
    pub fn intersects_ray(&self, ray: &Ray) -> bool {
        self.ray_interval(ray).is_some_and(|interval| interval.clipped(ray).is_some())
    }
}
