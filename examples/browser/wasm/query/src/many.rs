//! Many rays together.

use border::{Fault, Kind};
use hitscan::{BatchError, Hit, Query, Ray};

use crate::asked::{Asked, ask};

pub(crate) fn closest_hits(
    asked: Asked<'_>,
    rays: &[Ray],
    query: &Query<'_>,
    hits: &mut [Option<Hit>],
) -> Result<(), Fault> {
    ask!(asked, closest_hit_batch(rays, query, hits)).map_err(refused)
}

pub(crate) fn any_hits(
    asked: Asked<'_>,
    rays: &[Ray],
    query: &Query<'_>,
    found: &mut [bool],
) -> Result<(), Fault> {
    ask!(asked, any_hit_batch(rays, query, found)).map_err(refused)
}

fn refused(error: BatchError) -> Fault {
    Fault::of(Kind::Argument, &error)
}
