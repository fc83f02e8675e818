//! Distances of triangles, in `f64` with a bound; `exact` decides what that leaves in doubt.
//!
//! ```text
//! point_distance    a triangle and a point
//! segment_distance  a triangle and a segment
//! near_shape        a triangle and a convex shape
//! around_edge       the half planes that meet in an edge
//! ```

pub(super) mod around_edge;
pub(super) mod near_shape;
pub(super) mod point_distance;
pub(super) mod segment_distance;
