//! Shapes that can move.

use super::aabb::Aabb;
use super::capsule::Capsule;
use super::convex_hull::ConvexHull;
use super::obb::Obb;
use super::sphere::Sphere;

/// A shape that can move until it touches something: see
/// [`Bvh::first_contact`](crate::Bvh::first_contact).
///
/// Every such shape can be turned into one with `into`; a [`ConvexHull`] is not copied.
///
/// ```
/// use hitscan::geometry::ConvexShape;
/// use hitscan::{Aabb, Sphere, Triangle};
///
/// let wall = Triangle::new([4.0, -1.0, -1.0], [4.0, 3.0, -1.0], [4.0, -1.0, 3.0]);
/// let bodies: [ConvexShape; 2] = [
///     Sphere::new([0.0; 3], 0.5).into(),
///     Aabb::from_center_half_size([0.0; 3], [1.0, 0.5, 0.5]).into(),
/// ];
/// let ahead = |body: &ConvexShape| body.first_contact([8.0, 0.0, 0.0], &wall);
/// let times = bodies.each_ref().map(|body| ahead(body).map(|contact| contact.t));
/// assert_eq!(times, [Some(0.4375), Some(0.375)]);
/// ```
///
/// A frustum cannot move:
///
/// ```compile_fail,E0277
/// # let (bvh, _) = hitscan::Builder::new().bake(&[])?;
/// # let frustum = hitscan::geometry::Frustum::from_planes(&[], [0.0; 3]).unwrap();
/// let contact = bvh.first_contact(frustum, [1.0, 0.0, 0.0], &hitscan::Query::new());
/// # Ok::<(), hitscan::BakeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
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
    /// The convex hull of some points.
    Hull(ConvexHull),
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

impl From<ConvexHull> for ConvexShape {
    fn from(hull: ConvexHull) -> Self {
        Self::Hull(hull)
    }
}

impl From<&ConvexHull> for ConvexShape {
    fn from(hull: &ConvexHull) -> Self {
        Self::Hull(hull.clone())
    }
}

impl From<&Self> for ConvexShape {
    fn from(shape: &Self) -> Self {
        shape.clone()
    }
}
