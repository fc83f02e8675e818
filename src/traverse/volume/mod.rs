//! Questions with a width.
//!
//! ```text
//! point      the tests of nodes and leaf blocks for a point: what is how far away
//! nearest    the closest triangle, all within a distance, whether there is one
//! ```

mod closest_point;
mod nearest;
mod point;

pub use closest_point::ClosestPoint;
pub(crate) use nearest::{Any as AnyNear, Closest as Nearest, NearCollector, NearQuery, Nearby};
