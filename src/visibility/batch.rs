//! Batches of rays on the thread that casts them.

use crate::geometry::Ray;
use crate::traverse::Query;
use crate::world::{World, of_either};

/// The most rays of a batch that stays on the thread that casts it.
pub(super) const BATCH: usize = 1024;

/// Answers for each of at most [`BATCH`] rays whether it meets anything.
pub(super) fn any_hit(world: World<'_>, query: &Query<'_>, rays: &[Ray], found: &mut [bool]) {
    let outcome = of_either!(world, asked => asked.any_hit_batch(rays, query, found));
    // The only error is about lengths that differ.
    debug_assert!(outcome.is_ok(), "a place for each answer");
}
