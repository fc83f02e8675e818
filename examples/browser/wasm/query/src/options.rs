//! What a question looks for, from numbers; and the caller's filter.

#[cfg(not(feature = "shapes"))]
use std::sync::atomic::{AtomicU32, Ordering};

use border::{Fault, Kind, block};
use hitscan::{Facing, Hit, Query, Ray};

use crate::row;

#[link(wasm_import_module = "hitscan")]
unsafe extern "C" {
    /// Whether the caller's filter accepts the hit that is in the block. It throws nothing.
    safe fn accepts(index: u32) -> u32;
}

/// The number of the ray that is cast, where the small module casts a batch one by one.
#[cfg(not(feature = "shapes"))]
pub(crate) static FIRST: AtomicU32 = AtomicU32::new(0);

#[cfg(feature = "shapes")]
fn accepts_hit(index: usize, hit: &Hit) -> bool {
    block::write(0, &row::hit(hit));
    accepts(index as u32) != 0
}

#[cfg(not(feature = "shapes"))]
fn accepts_hit(_: usize, hit: &Hit) -> bool {
    block::write(0, &row::hit(hit));
    // Zero meanwhile, for the filter may ask, too.
    let first = FIRST.swap(0, Ordering::Relaxed);
    let accepted = accepts(first) != 0;
    FIRST.store(first, Ordering::Relaxed);
    accepted
}

/// A query. `facing` is 0 for both sides, 1 for fronts, 2 for backs; `filter` is 0 for none.
pub(crate) fn query(facing: u32, mask: u32, filter: u32) -> Result<Query<'static>, Fault> {
    let facing = match facing {
        0 => Facing::Both,
        1 => Facing::Front,
        2 => Facing::Back,
        _ => return Err(Fault::new(Kind::Argument, "facing is 'both', 'front' or 'back'")),
    };
    let query = Query::new().facing(facing).mask(mask);
    Ok(if filter == 0 { query } else { query.filter_by_index(&accepts_hit) })
}

/// A ray, from its numbers.
pub(crate) fn ray([ox, oy, oz, dx, dy, dz, t_min, t_max]: [f32; 8]) -> Ray {
    Ray::new([ox, oy, oz], [dx, dy, dz]).with_range(t_min, t_max)
}
