//! Checksums by pieces: several threads can work on one section, each on the piece in its cache.

use xxhash_rust::xxh3::xxh3_64;

use crate::platform::parallel;

/// Bytes of a piece: a whole number of elements in every section.
pub(crate) const PIECE: usize = 286_720;

/// A section's checksum, from the checksums of its pieces, each with its number.
pub(crate) fn of_pieces(mut pieces: Vec<(usize, u64)>) -> u64 {
    pieces.sort_unstable();
    let bytes: Vec<u8> = pieces.iter().flat_map(|(_, hash)| hash.to_le_bytes()).collect();
    xxh3_64(&bytes)
}

/// The checksum of a section with these bytes.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    let pieces: Vec<_> = bytes.chunks(PIECE).enumerate().collect();
    of_pieces(parallel::map(&pieces, |&(number, piece)| (number, xxh3_64(piece))))
}
