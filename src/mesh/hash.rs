//! Hashes of what meshes say, however it lies in memory.

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::{Indices, MeshView, Positions, parallel};

/// A hash of what the indices say, whatever their width.
pub(crate) fn index_hash(mesh: &MeshView<'_>) -> u64 {
    match mesh.indices() {
        Indices::None => numbers_hash(std::iter::empty()),
        Indices::U16(indices) => numbers_hash(indices.iter().map(|&i| u32::from(i))),
        Indices::U32(indices) => numbers_hash(indices.iter().copied()),
    }
}

/// A hash of the positions, however they lie.
pub(crate) fn positions_hash(positions: &Positions<'_>) -> u64 {
    /// Positions that one thread takes at a time.
    const RUN: usize = 1 << 15;
    let runs: Vec<usize> = (0..positions.len()).step_by(RUN).collect();
    let hashes = parallel::map(&runs, |&first| {
        let run = first..positions.len().min(first + RUN);
        let run = run.filter_map(|i| positions.position(i));
        let numbers = run.flat_map(|position| position.to_array().map(f32::to_bits));
        numbers_hash(numbers).to_le_bytes()
    });
    xxh3_64(hashes.as_flattened())
}

/// A hash of numbers one behind the other.
pub(crate) fn numbers_hash(numbers: impl Iterator<Item = u32>) -> u64 {
    let mut hash = Xxh3::new();
    let mut buffer = [0u8; 4096];
    let mut filled = 0;
    for number in numbers {
        buffer[filled..filled + 4].copy_from_slice(&number.to_le_bytes());
        filled += 4;
        if filled == buffer.len() {
            hash.update(&buffer);
            filled = 0;
        }
    }
    hash.update(&buffer[..filled]);
    hash.digest()
}
