//! What a recorded question looks at.

use hitscan::query::Question;
use hitscan::record::{Asked, Kind, Record, Rejected, World};
use hitscan::{Hit, Query};

/// The nodes and triangles that are looked at, where they are counted: by rays in a tree that ask
/// for the closest or any hit.
pub(crate) fn cost(record: &Record, world: World<'_>) -> Option<(u64, u64)> {
    let (World::Tree(bvh), Asked::Rays(rays)) = (world, &record.asked) else { return None };
    let question = match record.kind {
        Kind::ClosestHit | Kind::ClosestHitBatch => Question::ClosestHit,
        Kind::AnyHit | Kind::AnyHitBatch => Question::AnyHit,
        _ => return None,
    };
    let (mut nodes, mut triangles) = (0, 0);
    for (index, ray) in (0..).zip(rays) {
        let accepts = |hit: &Hit| {
            let &Hit { instance, mesh, triangle, .. } = hit;
            let hit = Rejected { index, instance, mesh, triangle };
            record.rejected.binary_search(&hit).is_err()
        };
        let query = Query::new().facing(record.facing).mask(record.mask);
        let query = if record.rejected.is_empty() { query } else { query.filter(&accepts) };
        let stats = bvh.query_stats(ray, &query, question);
        nodes += u64::from(stats.nodes);
        triangles += u64::from(stats.triangles);
    }
    Some((nodes, triangles))
}
