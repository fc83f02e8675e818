//! Distances of triangles, in `f64` with a bound; `exact` decides what that leaves in doubt.
//!
//! ```text
//! point_distance    a triangle and a point
//! segment_distance  a triangle and a segment
//! core_distance     a triangle and the hull of some points
//! near_shape        a triangle and a convex shape
//! around_edge       the half planes that meet in an edge
//! ```

pub(super) mod around_edge;
mod core_distance;
pub(super) mod near_shape;
pub(super) mod point_distance;
pub(super) mod segment_distance;
