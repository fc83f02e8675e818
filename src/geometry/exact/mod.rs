//! Exact sign decisions: the triangle test that every kernel must equal, and tests whether a
//! triangle is near or in a shape.
//!
//! [`intersect_exact`] computes in `f64` with error bounds. What the bounds leave open is decided
//! in integers: of 128 bits where they hold the numbers, else of 1024, which hold all. Shapes are
//! tested the same way, by [`half_spaces`] and [`near_segment`], with larger integers.

pub(super) mod aligned_box;
mod along_axis;
pub(super) mod axes;
mod bigint;
mod distance;
mod double;
pub(super) mod half_spaces;
mod int128;
pub(super) mod moment;
mod moving_hull;
pub(super) mod near_segment;
pub(super) mod normal;
mod number;
pub(super) mod polytope;
mod quick_box;
mod quick_hull;
mod quick_times;
mod triangle_test;
pub(super) mod turned_box;

pub(super) use bigint::{Int1024, Int3392};
pub(super) use distance::SquaredDistance;
pub(super) use double::{Double, halves, two_sum};
pub(super) use number::{Approx, Estimate, Number, Ordered, cross, difference, dot};
#[cfg(feature = "stats")]
pub(super) use triangle_test::edge_sides;
pub(crate) use triangle_test::{ExactHit, intersect_exact, origin_side};
pub(super) use triangle_test::{area_side, direction_side};
