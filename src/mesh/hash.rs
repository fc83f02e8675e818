//! Hashes of what meshes say, however it lies in memory.

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::{Indices, MeshView, Positions, parallel};

/// Numbers that are hashed between two questions whether to go on.
const RUN: usize = 1 << 15;

/// A hash of what the indices say, whatever their width. `goes_on` is asked on the way, and told how
/// many numbers come next; the hash is not to be used if it said no.
pub(crate) fn index_hash(mesh: &MeshView<'_>, goes_on: &(impl Fn(usize) -> bool + Sync)) -> u64 {
    match mesh.indices() {
        Indices::None => numbers_hash(std::iter::empty()),
        Indices::U16(indices) => numbers_hash(watched(indices, goes_on).map(|&i| u32::from(i))),
        Indices::U32(indices) => numbers_hash(watched(indices, goes_on).copied()),
    }
}

/// A hash of the positions, however they lie; `goes_on` as for the indices.
pub(crate) fn positions_hash(
    positions: &Positions<'_>,
    goes_on: &(impl Fn(usize) -> bool + Sync),
) -> u64 {
    let runs: Vec<usize> = (0..positions.len()).step_by(RUN).collect();
    let hashes = parallel::map(&runs, |&first| {
        let run = first..positions.len().min(first + RUN);
        if !goes_on(run.len()) {
            return [0; 8];
        }
        let run = run.filter_map(|i| positions.position(i));
        let numbers = run.flat_map(|position| position.to_array().map(f32::to_bits));
        numbers_hash(numbers).to_le_bytes()
    });
    xxh3_64(hashes.as_flattened())
}

/// A hash of the materials; `goes_on` as for the indices.
pub(crate) fn materials_hash(materials: &[u32], goes_on: &(impl Fn(usize) -> bool + Sync)) -> u64 {
    numbers_hash(watched(materials, goes_on).copied())
}

fn watched<'a, T>(
    numbers: &'a [T],
    goes_on: &'a impl Fn(usize) -> bool,
) -> impl Iterator<Item = &'a T> {
    let runs = numbers.chunks(RUN);
    runs.take_while(|run| goes_on(run.len())).flatten()
}

/// A hash of numbers one behind the other.
fn numbers_hash(numbers: impl Iterator<Item = u32>) -> u64 {
    let mut hash = Xxh3::new();
    let mut buffer = [0u8; 4096];
    let mut filled = 0;
    numbers.for_each(|number| {
        buffer[filled..filled + 4].copy_from_slice(&number.to_le_bytes());
        filled += 4;
        if filled == buffer.len() {
            hash.update(&buffer);
            filled = 0;
        }
    });
    hash.update(&buffer[..filled]);
    hash.digest()
}
