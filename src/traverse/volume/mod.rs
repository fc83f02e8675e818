//! Questions with a width.
//!
//! ```text
//! point      the tests of nodes and leaf blocks for a point: what is how far away
//! order      many points, so that each is near the one before
//! nearest    the closest triangle, all within a distance, whether there is one
//! ```

mod closest_point;
mod nearest;
mod order;
mod point;

pub use closest_point::ClosestPoint;
pub(crate) use nearest::{Any as AnyNear, Closest as Nearest, NearCollector, NearQuery, Nearby};
pub(crate) use order::{MAX_ORDERED, in_order};
