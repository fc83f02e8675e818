//! The mathematics of boxes, rays and triangles: pure, scalar, public.
//!
//! Nothing here uses SIMD types or fused multiply-add, so the same inputs give
//! the same bits on every machine. Nothing panics, and nothing has an epsilon of
//! its own: what is a hit does not depend on the unit of length.
//!
//! Volumes ([`Aabb`], [`Obb`], [`Sphere`]) answer a ray with the whole
//! [`RayInterval`] in which its line is inside, and a line that merely touches is
//! inside; `hit_by` asks within the ray's bounds. Surfaces ([`Plane`],
//! [`Triangle`]) answer with a hit within the bounds.

mod aabb;
mod exact;
mod obb;
mod plane;
mod ray;
mod sphere;
mod transform;
mod triangle;
mod vec3_f64;

pub use aabb::Aabb;
pub(crate) use aabb::half_area;
pub(crate) use exact::{ExactHit, intersect_exact};
pub use obb::Obb;
pub use plane::Plane;
pub use ray::{DepthRange, Ray, RayInterval};
pub use sphere::Sphere;
pub(crate) use transform::determinant;
pub use transform::{mirrors, transform_point};
pub use triangle::{Triangle, TriangleHit};
pub(crate) use vec3_f64::{Corners, difference, is_finite, max, max_abs, round_down, round_up};
