//! Many rays, one after the other: kernels for many would make the small module half as large again.

use border::Fault;
use hitscan::{Hit, Query, Ray};

use crate::asked::{Asked, ask};

pub(crate) fn closest_hits(
    asked: Asked<'_>,
    rays: &[Ray],
    query: &Query<'_>,
    hits: &mut [Option<Hit>],
) -> Result<(), Fault> {
    for (ray, hit) in rays.iter().zip(hits) {
        *hit = ask!(asked, closest_hit(ray, query));
    }
    Ok(())
}

pub(crate) fn any_hits(
    asked: Asked<'_>,
    rays: &[Ray],
    query: &Query<'_>,
    found: &mut [bool],
) -> Result<(), Fault> {
    for (ray, found) in rays.iter().zip(found) {
        *found = ask!(asked, any_hit(ray, query));
    }
    Ok(())
}
