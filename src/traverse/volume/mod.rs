//! Questions with a width.
//!
//! ```text
//! found               a triangle that a question has found
//! four_distances      the distances of four triangles at once, in `f64`
//! point               a point, and the test of nodes: which boxes are how far away
//! triangle_distances  the test of leaf blocks for a point: which triangles are how far away
//! order               many points, so that each is near the one before
//! far_point           the same walk for a point that is far away
//! nearest             the closest triangle, all within a distance, whether there is one
//! nearest_stream      the closest triangles of many points, several in flight
//! shape_setup         the tests of nodes and leaf blocks for a shape: what it may touch
//! box_test            a box against eight triangles
//! candidates          the triangles that it may touch, one after the other
//! overlap             the triangles that touch a shape
//! inside              whether a point is inside a closed surface
//! sweep_setup         the tests of nodes and leaf blocks for a shape that moves
//! sweep_round         a round shape that moves, against boxes and eight triangles
//! sweep_box           a box around a shape that moves, in axes of its own
//! sweep_slabs         this box against boxes
//! sweep_times         this box against eight triangles
//! sweep_nodes         the test of nodes, by one of these
//! sweep               the triangles that it touches on its way
//! ```

mod box_test;
mod candidates;
mod closest_point;
mod contact;
mod far_point;
mod found;
mod four_distances;
mod inside;
mod nearest;
mod nearest_stream;
mod order;
mod overlap;
mod point;
mod shape_setup;
mod sweep;
mod sweep_box;
mod sweep_nodes;
mod sweep_round;
mod sweep_setup;
mod sweep_slabs;
mod sweep_times;
mod triangle_distances;
mod vectors;

pub use closest_point::ClosestPoint;
pub use contact::Contact;
pub(crate) use far_point::FarPoint;
pub(crate) use inside::InsideQuery;
pub use inside::PointLocation;
pub(crate) use nearest::{
    All as AllNear, Closest as Nearest, Near, NearCollector, NearQuery, NearTests, Nearby, is_far,
};
pub(crate) use nearest_stream::NearestOfMany;
pub(crate) use order::{MAX_ORDERED, in_order};
pub use overlap::Overlap;
pub(crate) use overlap::OverlapQuery;
pub(crate) use point::PointSetup;
pub(crate) use shape_setup::ShapeSetup;
pub(crate) use sweep::SweepQuery;
pub(crate) use sweep_nodes::SweepNodes;
pub(crate) use sweep_setup::Cut;
