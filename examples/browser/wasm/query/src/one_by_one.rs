//! Many rays, one after the other: kernels for many would make the small module larger.

use std::sync::atomic::Ordering;

use border::Fault;
use hitscan::{Hit, Query, Ray};

use crate::asked::{Asked, ask};
use crate::options::FIRST;

pub(crate) fn closest_hits(
    asked: Asked<'_>,
    rays: &[Ray],
    query: &Query<'_>,
    hits: &mut [Option<Hit>],
) -> Result<(), Fault> {
    for (i, (ray, hit)) in rays.iter().zip(hits).enumerate() {
        FIRST.store(i as u32, Ordering::Relaxed);
        *hit = ask!(asked, closest_hit(ray, query));
    }
    FIRST.store(0, Ordering::Relaxed);
    Ok(())
}

pub(crate) fn any_hits(
    asked: Asked<'_>,
    rays: &[Ray],
    query: &Query<'_>,
    found: &mut [bool],
) -> Result<(), Fault> {
    for (i, (ray, found)) in rays.iter().zip(found).enumerate() {
        FIRST.store(i as u32, Ordering::Relaxed);
        *found = ask!(asked, any_hit(ray, query));
    }
    FIRST.store(0, Ordering::Relaxed);
    Ok(())
}
