//! Questions about one ray.

use border::{Fault, answer, block, output};
use hitscan::Hit;

use crate::asked::{self, ask};
use crate::options::{query, ray};
use crate::row;

/// Writes the nearest hit to the block. Gives 1 if there is one.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments, reason = "numbers cross the border fastest")]
extern "C" fn closest_hit(
    handle: u32,
    ox: f32,
    oy: f32,
    oz: f32,
    dx: f32,
    dy: f32,
    dz: f32,
    t_min: f32,
    t_max: f32,
    facing: u32,
    mask: u32,
    filter: u32,
) -> i32 {
    let ray = ray([ox, oy, oz, dx, dy, dz, t_min, t_max]);
    answer(asked::with(handle, |asked| {
        let found = ask!(asked, closest_hit(&ray, &query(facing, mask, filter)?));
        Ok(found.map_or(0, |hit| {
            block::write(0, &row::ray_hit(asked, &hit));
            1
        }))
    }))
}

/// Gives 1 if there is any hit.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments, reason = "numbers cross the border fastest")]
extern "C" fn any_hit(
    handle: u32,
    ox: f32,
    oy: f32,
    oz: f32,
    dx: f32,
    dy: f32,
    dz: f32,
    t_min: f32,
    t_max: f32,
    facing: u32,
    mask: u32,
    filter: u32,
) -> i32 {
    let ray = ray([ox, oy, oz, dx, dy, dz, t_min, t_max]);
    answer(asked::with(handle, |asked| {
        Ok(u32::from(ask!(asked, any_hit(&ray, &query(facing, mask, filter)?))))
    }))
}

/// Puts out a row for each hit. Gives their number.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments, reason = "numbers cross the border fastest")]
extern "C" fn all_hits(
    handle: u32,
    ox: f32,
    oy: f32,
    oz: f32,
    dx: f32,
    dy: f32,
    dz: f32,
    t_min: f32,
    t_max: f32,
    facing: u32,
    mask: u32,
    filter: u32,
) -> i32 {
    let ray = ray([ox, oy, oz, dx, dy, dz, t_min, t_max]);
    answer(asked::with(handle, |asked| {
        let mut hits = HITS.take();
        ask!(asked, all_hits(&ray, &query(facing, mask, filter)?, &mut hits));
        let result = list(&hits, |hit| row::ray_hit(asked, hit));
        HITS.set(hits);
        result
    }))
}

thread_local! {
    /// The memory of the last list.
    static HITS: std::cell::Cell<Vec<Hit>> = const { std::cell::Cell::new(Vec::new()) };
}

/// Puts out a row for each answer. Gives their number.
pub(crate) fn list<T>(found: &[T], row: impl Fn(&T) -> row::Row) -> Result<u32, Fault> {
    let mut words = output::words();
    if words.try_reserve(found.len() * row::LENGTH).is_err() {
        return Err(Fault::memory("the list"));
    }
    for found in found {
        words.extend_from_slice(&row(found));
    }
    output::put_words(words);
    Ok(found.len() as u32)
}
