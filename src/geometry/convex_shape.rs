//! Shapes that can move.

use super::aabb::Aabb;
use super::capsule::Capsule;
use super::obb::Obb;
use super::shape::Shape;
use super::sphere::Sphere;

/// A shape that can move until it touches something: see
/// [`Bvh::first_contact`](crate::Bvh::first_contact).
///
/// Every such shape can be turned into one with `into`. A frustum cannot:
///
/// ```compile_fail
/// # let (bvh, _) = hitscan::Builder::new().bake(&[])?;
/// # let frustum = hitscan::geometry::Frustum::from_planes(&[], [0.0; 3]).unwrap();
/// let contact = bvh.first_contact(frustum, [1.0, 0.0, 0.0], &hitscan::Query::new());
/// # Ok::<(), hitscan::BakeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ConvexShape {
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
    ($($kind:ident),*) => { $(
        impl From<$kind> for ConvexShape {
            fn from(shape: $kind) -> Self {
                Self::$kind(shape)
            }
        }
    )* };
}
from_each!(Aabb, Obb, Sphere, Capsule);

impl From<ConvexShape> for Shape {
    fn from(shape: ConvexShape) -> Self {
        match shape {
            ConvexShape::Aabb(shape) => Self::Aabb(shape),
            ConvexShape::Obb(shape) => Self::Obb(shape),
            ConvexShape::Sphere(shape) => Self::Sphere(shape),
            ConvexShape::Capsule(shape) => Self::Capsule(shape),
        }
    }
}
