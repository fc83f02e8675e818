//! Rays in a file.

use super::wire::{Cursor, Fault, words_of};
use crate::geometry::Ray;

/// What all rays of a record have in common is written once: a picture's rays have one origin, and
/// few rays have a range.
const ONE_ORIGIN: u8 = 1;
const ONE_DIRECTION: u8 = 2;
const ONE_RANGE: u8 = 4;

/// Appends rays whose number is written elsewhere.
pub(super) fn put_rays(out: &mut Vec<u8>, rays: &[Ray]) {
    let start = out.len();
    out.push(0);
    let mut common = 0;
    if put_column(out, rays, |ray| ray.origin.to_array()) {
        common |= ONE_ORIGIN;
    }
    if put_column(out, rays, |ray| ray.dir.to_array()) {
        common |= ONE_DIRECTION;
    }
    if put_column(out, rays, |ray| [ray.t_min, ray.t_max]) {
        common |= ONE_RANGE;
    }
    out[start] = common;
}

/// Appends some numbers of each ray, or of the first only, and returns `true`, if all have the
/// same.
fn put_column<const N: usize>(
    out: &mut Vec<u8>,
    rays: &[Ray],
    numbers_of: impl Fn(&Ray) -> [f32; N],
) -> bool {
    let bytes_of = |ray| numbers_of(ray).map(f32::to_le_bytes);
    let is_one = rays.split_first().is_some_and(|(first, rest)| {
        let first = bytes_of(first);
        rest.iter().all(|ray| bytes_of(ray) == first)
    });
    let written = if is_one { &rays[..1] } else { rays };
    let start = out.len();
    out.resize(start + 4 * N * written.len(), 0);
    for (place, ray) in out[start..].chunks_exact_mut(4 * N).zip(written) {
        place.copy_from_slice(bytes_of(ray).as_flattened());
    }
    is_one
}

/// The numbers of each ray.
struct Column<'a, const N: usize> {
    bytes: &'a [u8],
    is_one: bool,
}

impl<'a, const N: usize> Column<'a, N> {
    fn read(from: &mut Cursor<'a>, count: u32, is_one: bool) -> Result<Self, Fault> {
        let written = if is_one { 1 } else { u64::from(count) };
        Ok(Self { bytes: from.bytes(4 * N as u64 * written)?, is_one })
    }

    fn of(&self, ray: usize) -> [f32; N] {
        let place = if self.is_one { 0 } else { 4 * N * ray };
        words_of(&self.bytes[place..]).map(f32::from_bits)
    }
}

pub(super) fn read_rays(from: &mut Cursor<'_>, count: u32) -> Result<Vec<Ray>, Fault> {
    let common = from.bytes(1)?[0];
    let origins = Column::read(from, count, common & ONE_ORIGIN != 0)?;
    let directions = Column::read(from, count, common & ONE_DIRECTION != 0)?;
    let ranges = Column::read(from, count, common & ONE_RANGE != 0)?;
    let ray = |i| {
        let [t_min, t_max] = ranges.of(i);
        Ray { origin: origins.of(i).into(), dir: directions.of(i).into(), t_min, t_max }
    };
    Ok((0..count as usize).map(ray).collect())
}
