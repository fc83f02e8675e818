//! Checksums by pieces: several threads can work on one section, each on the piece in its cache.

use xxhash_rust::xxh3::xxh3_64;

use crate::platform::parallel;

/// Bytes of a piece: a whole number of elements in every section.
pub(crate) const PIECE: usize = 286_720;

/// A section's checksum, from the checksums of its pieces, each with its number. No piece is
/// missing.
pub(crate) fn of_pieces(pieces: Vec<(usize, u64)>) -> u64 {
    let mut hashes = vec![[0; 8]; pieces.len()];
    for (number, hash) in pieces {
        hashes[number] = hash.to_le_bytes();
    }
    xxh3_64(hashes.as_flattened())
}

/// The checksum of a section with these bytes.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    let pieces: Vec<_> = bytes.chunks(PIECE).enumerate().collect();
    of_pieces(parallel::map(&pieces, |&(number, piece)| (number, xxh3_64(piece))))
}
