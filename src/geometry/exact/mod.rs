//! Exact sign decisions: the triangle test that every kernel must equal.
//!
//! [`intersect_exact`] computes in `f64` with error bounds. What the bounds leave open is decided
//! in integers: of 128 bits where they hold the numbers, else of 1024, which hold all.

mod bigint;
mod distance;
mod int128;
mod triangle_test;

pub(super) use distance::SquaredDistance;
pub(super) use triangle_test::direction_side;
pub(crate) use triangle_test::{ExactHit, intersect_exact, origin_side};
