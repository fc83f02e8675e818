//! Questions about a point or a shape: the triangles near it.
//!
//! ```text
//! point               a point, and the test of nodes: which boxes are how far away
//! triangle_distances  the test of leaf blocks: which triangles are how far away
//! four_distances      the distances of four triangles at once, in `f64`
//! nearest             the closest triangle, and all within a distance
//! far_point           the same walk for a point that is far away
//! stream              the closest triangles of many points, several in flight
//! order               many points, so that each is near the one before
//! closest_point       the answer
//! shape               the closest triangle to a shape
//! ```

mod closest_point;
mod far_point;
mod four_distances;
mod nearest;
mod order;
mod point;
mod shape;
mod stream;
mod triangle_distances;

pub use closest_point::ClosestPoint;
pub(crate) use closest_point::sort_near;
pub(crate) use far_point::FarPoint;
pub(crate) use nearest::{
    All as AllNear, Closest as Nearest, Near, NearCollector, NearQuery, NearTests, Nearby, is_far,
};
pub(crate) use order::{MAX_ORDERED, in_order};
pub(super) use point::{PointSetup, TINY, scale_to_one};
pub use shape::ShapeDistance;
pub(crate) use shape::{Around, ShapeQuery, for_each_near};
pub(crate) use stream::NearestOfMany;
pub(super) use triangle_distances::leaf_distances;
