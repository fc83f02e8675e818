//! Corrects the checksums of a damaged file, so that validation itself must find the damage.

use xxhash_rust::xxh3::xxh3_64;

/// Sections of a file.
const SECTIONS: usize = 6;
/// Bytes of a piece that is hashed separately.
const PIECE: usize = 286_720;

/// A section's checksum.
fn checksum(section: &[u8]) -> u64 {
    let pieces = section.chunks(PIECE);
    let hashes: Vec<u8> = pieces.flat_map(|piece| xxh3_64(piece).to_le_bytes()).collect();
    xxh3_64(&hashes)
}

/// Corrects the checksums, where the table still points into the file.
pub(crate) fn repair(bytes: &mut [u8]) {
    let number = |bytes: &[u8], at: usize| {
        let number = bytes.get(at..at + 8)?.try_into().ok()?;
        usize::try_from(u64::from_le_bytes(number)).ok()
    };
    for entry in (0..SECTIONS).map(|i| 64 + 40 * i) {
        let section = number(bytes, entry + 8)
            .zip(number(bytes, entry + 16))
            .and_then(|(offset, length)| bytes.get(offset..offset.checked_add(length)?));
        if let Some(hash) = section.map(checksum)
            && let Some(field) = bytes.get_mut(entry + 32..entry + 40)
        {
            field.copy_from_slice(&hash.to_le_bytes());
        }
    }
    if let Some(hash) = bytes.get(24..304).map(xxh3_64) {
        bytes[16..24].copy_from_slice(&hash.to_le_bytes());
    }
}
