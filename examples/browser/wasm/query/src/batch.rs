//! Questions about many rays. They come in as an array, and go out as columns.

use border::{Fault, answer, input, output};
use hitscan::{Hit, Ray};

use crate::asked::{self, Asked};
use crate::many;
use crate::options::query;
use crate::row;

/// Columns of a batch of hits.
const COLUMNS: usize = 8;

/// The nearest hit of each ray in the input, eight numbers each. Puts out eight columns; if
/// `surface` is not 0, then points and normals, too. Gives the number of rays.
#[unsafe(no_mangle)]
extern "C" fn closest_hit_batch(
    handle: u32,
    surface: u32,
    facing: u32,
    mask: u32,
    filter: u32,
) -> i32 {
    let input = input::take();
    let result = asked::with(handle, |asked| {
        let rays: &[Ray] = rays(&input)?;
        let mut hits = room(rays.len(), None)?;
        many::closest_hits(asked, rays, &query(facing, mask, filter)?, &mut hits)?;
        let mut words = output::words();
        let count = put_columns(hits.iter().copied(), &mut words)?;
        if surface != 0 {
            put_surface(asked, &hits, &mut words)?;
        }
        output::put_words(words);
        Ok(count)
    });
    input::give_back(input);
    answer(result)
}

/// Whether each ray in the input hits anything. Puts out a byte for each, 1 or 0. Gives their
/// number.
#[unsafe(no_mangle)]
extern "C" fn any_hit_batch(handle: u32, facing: u32, mask: u32, filter: u32) -> i32 {
    let input = input::take();
    let result = asked::with(handle, |asked| {
        let rays: &[Ray] = rays(&input)?;
        let mut found = room(rays.len(), false)?;
        many::any_hits(asked, rays, &query(facing, mask, filter)?, &mut found)?;
        let mut bytes = room(0, 0)?;
        bytes.try_reserve_exact(rays.len()).map_err(|_| Fault::memory("the answers"))?;
        bytes.extend(found.into_iter().map(u8::from));
        output::put_bytes(bytes);
        Ok(rays.len() as u32)
    });
    input::give_back(input);
    answer(result)
}

fn rays(input: &input::Input) -> Result<&[Ray], Fault> {
    input.values()
}

/// A list of this many.
pub(crate) fn room<T: Clone>(length: usize, value: T) -> Result<Vec<T>, Fault> {
    let mut list = Vec::new();
    list.try_reserve_exact(length).map_err(|_| Fault::memory("the answers"))?;
    list.resize(length, value);
    Ok(list)
}

/// Appends the points of hits, then the normals there. Zeros where nothing is hit.
fn put_surface(asked: Asked<'_>, hits: &[Option<Hit>], words: &mut Vec<u32>) -> Result<(), Fault> {
    words.try_reserve(6 * hits.len()).map_err(|_| Fault::memory("the answers"))?;
    for part in 0..2 {
        for hit in hits {
            let parts = hit.as_ref().map_or_else(Default::default, |hit| asked.surface(hit));
            words.extend(parts[part].to_array().map(f32::to_bits));
        }
    }
    Ok(())
}

/// Appends a column for each field of a hit. Gives the number of answers.
pub(crate) fn put_columns(
    found: impl ExactSizeIterator<Item = Option<Hit>>,
    words: &mut Vec<u32>,
) -> Result<u32, Fault> {
    let count = found.len();
    let needed = count.checked_mul(COLUMNS).ok_or_else(|| Fault::memory("the answers"))?;
    words.try_reserve(needed).map_err(|_| Fault::memory("the answers"))?;
    words.resize(needed, 0);
    let missed = [f32::INFINITY.to_bits(), 0, 0, 0, row::NONE, row::NONE, row::NONE, row::NONE, 0];
    for (i, hit) in found.enumerate() {
        let row = hit.as_ref().map_or(missed, row::hit);
        for column in 0..COLUMNS {
            words[column * count + i] = row[column];
        }
    }
    Ok(count as u32)
}
