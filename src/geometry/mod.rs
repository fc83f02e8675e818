//! The mathematics of boxes, rays and triangles: pure, scalar, public.
//!
//! Nothing here uses SIMD types or fused multiply-add, so the same inputs give
//! the same bits on every machine.

mod aabb;
mod exact;
mod obb;
mod plane;
mod ray;
mod sphere;
mod transform;
mod triangle;
mod watertight;

pub use aabb::Aabb;
pub use obb::Obb;
pub use plane::Plane;
pub use ray::{DepthRange, Ray, RayInterval};
pub use sphere::Sphere;
pub(crate) use transform::determinant;
pub use transform::{mirrors, transform_point};
pub use triangle::{Triangle, TriangleHit};
pub(crate) use watertight::meet;
