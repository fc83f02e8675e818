//! What becomes of one triangle, by the reference and a query's options, whatever else there is.

use serde::{Deserialize, Serialize};

use super::report::{block_and_lane, report_exact};
use super::{ExactCandidate, QueryFilter, corners};
use crate::geometry::{Ray, intersect_exact};
use crate::traverse::hit::Hit;
use crate::traverse::options::Facing;

/// Which part of a [`Query`](crate::Query) refuses a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Refusal {
    /// The mesh is in none of the query's layers: see [`Query::mask`](crate::Query::mask).
    Mask,
    /// The ray hits the side that does not count: see [`Query::facing`](crate::Query::facing).
    Facing,
    /// The filter does not accept the hit: see [`Query::filter`](crate::Query::filter).
    Filter,
}

/// What becomes of a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// The ray's line does not meet it.
    Missed,
    /// It is met at this `t`, outside of the ray's interval.
    OutsideInterval(f32),
    Refused(Refusal, Hit),
    Accepted(Hit),
}

/// What becomes of the triangle at a place of the tree, asked by a ray that can be cast. `None` if
/// there is no such place.
pub(crate) fn judge(filter: &QueryFilter<'_>, ray: &Ray, slot: u32) -> Option<Verdict> {
    let (block, lane) = block_and_lane(filter.tree, slot)?;
    let Some(hit) = &intersect_exact(ray, &|| corners(block, lane)) else {
        return Some(Verdict::Missed);
    };
    if !(ray.t_min <= hit.t && hit.t <= ray.t_max) {
        return Some(Verdict::OutsideInterval(hit.t));
    }
    let (front, id) = (hit.front, block.id[lane]);
    let found = report_exact(filter.tree, ray, ExactCandidate { hit, block, id, slot })?;
    let found = Hit { instance: filter.instance, ..found };
    let wanted = match filter.query.facing {
        Facing::Both => true,
        Facing::Front => front,
        Facing::Back => !front,
    };
    Some(if !filter.accepts_mesh(id) {
        Verdict::Refused(Refusal::Mask, found)
    } else if !wanted {
        Verdict::Refused(Refusal::Facing, found)
    } else if !filter.accepts_hit(0, id, || front, || Some(found)) {
        Verdict::Refused(Refusal::Filter, found)
    } else {
        Verdict::Accepted(found)
    })
}
