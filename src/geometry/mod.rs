//! Boxes, spheres, capsules, frusta, planes, rays and triangles: scalar, deterministic, without
//! epsilons.
//!
//! Nothing here uses SIMD types or fused multiply-add, so the same inputs give the same bits on
//! every machine. Nothing panics. There are no absolute tolerances: answers do not depend on the
//! unit of length.
//!
//! - Volumes ([`Aabb`], [`Obb`], [`Sphere`], [`Capsule`]) have `ray_interval`, which gives the
//!   whole [`RayInterval`] in which the ray's line is inside, with the part behind the origin. A
//!   line that only touches is inside. `intersects_ray` asks within the ray's own `t_min..=t_max`.
//!   [`PreparedRay`] asks many boxes faster.
//! - Surfaces ([`Plane`], [`Triangle`]) have `intersect`, which gives the hit within the ray's
//!   `t_min..=t_max`.
//! - `contains` and `closest_point` ask about a point.
//! - [`Shape`] is any of the volumes, a [`Frustum`] or a triangle.
//!   [`Shape::overlap`] says whether it touches a triangle, without rounding;
//!   [`Shape::overlaps`] whether it touches another shape.
//! - [`ConvexShape`] is any that can move. [`ConvexShape::first_contact`] says when and where it
//!   first touches a triangle, [`ConvexShape::distance`] how far it is from one.
//! - [`slide`] is what remains of a motion along planes that it must not go through.
//!
//! ```
//! use hitscan::geometry::{Aabb, Ray, Triangle};
//!
//! let ray = Ray::new([1.0, 1.0, 5.0], [0.0, 0.0, -1.0]);
//! let triangle = Triangle::new([0.0; 3], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]);
//! let hit = triangle.intersect(&ray).expect("aimed at it");
//! assert_eq!((hit.t, hit.u, hit.v), (5.0, 0.25, 0.25));
//!
//! let bounds: Aabb = triangle.bounds();
//! assert!(bounds.intersects_ray(&ray) && !bounds.intersects_ray(&ray.with_range(0.0, 4.0)));
//! ```

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod aabb;
mod axis_ray;
mod camera;
mod capsule;
mod contact;
mod containment;
mod convex_core;
mod convex_hull;
mod convex_overlap;
mod convex_shape;
mod core_distance;
mod distance;
mod exact;
mod feature_points;
mod frustum;
mod leave;
mod obb;
#[cfg(feature = "stats")]
mod passing;
mod placement;
mod plane;
mod prepared_ray;
mod ray;
mod ray_cone;
mod real;
mod separating_axes;
mod shape;
mod sine;
mod slide;
mod sphere;
mod support;
mod triangle;
mod turn;
mod turned_bounds;
mod vec3_f64;
mod volume;
mod volume_containment;
mod volume_distance;
mod volume_surface;

pub use aabb::Aabb;
pub(crate) use aabb::half_area;
pub(crate) use axis_ray::{AxisRay, Crossing};
pub use camera::Camera;
pub use capsule::Capsule;
pub(crate) use contact::sweep::{FirstTouch, Sweep};
pub use contact::triangle_contact::TriangleContact;
pub(crate) use contact::triangle_contact::{Rank, Wanted};
pub(crate) use contact::volume_contact::{VolumeContact, VolumeSweep};
pub use containment::Containment;
pub(crate) use convex_core::TOLERANCE;
pub use convex_hull::ConvexHull;
pub use convex_shape::ConvexShape;
pub(crate) use distance::around_edge::{HalfPlane, half_planes, is_in_plane};
pub(crate) use distance::near_shape::{NearShape, TriangleDistance};
pub use distance::point_distance::Feature;
pub(crate) use distance::point_distance::PointDistance;
pub(crate) use distance::point_distance::closest_of::{NUMBERS, Number, closest_of};
pub(crate) use distance::point_distance::relative::ReferencePoint;
pub(crate) use exact::{ExactHit, intersect_exact, origin_side};
pub use feature_points::FeaturePoints;
pub use frustum::Frustum;
pub(crate) use leave::{leave, leave_as_seen};
pub use obb::Obb;
#[cfg(feature = "stats")]
pub(crate) use passing::Passing;
pub(crate) use placement::instance_transform::{InstanceTransform, TransformFault};
pub(crate) use placement::transform::determinant;
pub use placement::transform::{is_mirroring, transform_point};
pub use plane::Plane;
pub use prepared_ray::PreparedRay;
pub use ray::{DepthRange, Ray, RayInterval};
pub use ray_cone::RayCone;
pub(crate) use ray_cone::{InCone, PreparedCone};
pub use shape::Shape;
pub(crate) use shape::finite_bounds;
pub use slide::{SlidePlane, slide};
pub use sphere::Sphere;
pub(crate) use support::Support;
pub use triangle::{Face, Triangle, TriangleHit};
pub use turn::Turn;
pub(crate) use turn::Turning;
pub(crate) use turned_bounds::{ALONG_AXES, TurnedBounds};
pub(crate) use vec3_f64::{
    Corners, add, cross, difference, dot, is_finite, max, max_abs, round_down, round_up, scale,
    to_f32, to_f64,
};
pub use volume::Volume;
pub(crate) use volume_distance::VolumeNearest;
pub(crate) use volume_surface::{SurfacePlace, SurfacePoint};
