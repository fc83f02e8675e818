//! Batches of rays on the thread that casts them: of a tree, or of a scene.

use crate::bvh::Bvh;
use crate::geometry::Ray;
use crate::scene::Snapshot;
use crate::traverse::Query;

/// Answers for each of at most [`BATCH`] rays whether it meets anything.
pub(super) type AnyHit<'a> = dyn Fn(&[Ray], &mut [bool]) + Sync + 'a;

/// Rays in a batch: so many stay on the thread that casts them.
pub(super) const BATCH: usize = 1024;

/// A tree as the core sees it.
pub(super) fn in_tree<'a>(
    bvh: &'a Bvh,
    query: &'a Query<'_>,
) -> impl Fn(&[Ray], &mut [bool]) + Sync + 'a {
    // The only error is about lengths that differ.
    move |rays, found| {
        let outcome = bvh.any_hit_batch(rays, query, found);
        debug_assert!(outcome.is_ok(), "a place for each answer");
    }
}

/// A scene as the core sees it.
pub(super) fn in_scene<'a>(
    snapshot: &'a Snapshot,
    query: &'a Query<'_>,
) -> impl Fn(&[Ray], &mut [bool]) + Sync + 'a {
    move |rays, found| {
        let outcome = snapshot.any_hit_batch(rays, query, found);
        debug_assert!(outcome.is_ok(), "a place for each answer");
    }
}
