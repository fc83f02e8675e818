//! Corrects the checksums of a damaged file, so that validation itself must find the damage.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

/// Bytes of a piece that is hashed separately.
const PIECE: usize = 286_720;

/// A section's checksum.
fn checksum(section: &[u8]) -> u64 {
    let pieces = section.chunks(PIECE);
    let hashes: Vec<u8> = pieces.flat_map(|piece| xxh3_64(piece).to_le_bytes()).collect();
    xxh3_64(&hashes)
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let number = bytes.get(at..at + 8)?.try_into().ok()?;
    usize::try_from(u64::from_le_bytes(number)).ok()
}

/// The range whose start and length are at two places, if it lies within the bytes.
fn range(bytes: &[u8], start: usize, length: usize) -> Option<Range<usize>> {
    let start = number(bytes, start)?;
    let range = start..start.checked_add(number(bytes, length)?)?;
    bytes.get(range.clone()).map(|_| range)
}

/// Corrects the checksums of a tree's file, where the table still points into it.
pub(crate) fn repair(bytes: &mut [u8]) {
    repair_table(bytes, 64, 6);
}

/// Corrects the checksums of a scene's file, and those of the trees in it.
#[allow(dead_code, reason = "not every test has scenes")]
pub(crate) fn repair_scene(bytes: &mut [u8]) {
    let records = range(bytes, 40 + 8, 40 + 16).unwrap_or_default();
    for record in records.step_by(32) {
        let Some(tree) = range(bytes, record + 8, record + 16) else { continue };
        // A tree whose bytes are those of a table is repaired with that.
        if tree.start < record {
            continue;
        }
        let tree = &mut bytes[tree];
        repair(tree);
        if let Some(checksum) = tree.get(16..24).map(<[u8]>::to_vec)
            && let Some(field) = bytes.get_mut(record + 24..record + 32)
        {
            field.copy_from_slice(&checksum);
        }
    }
    repair_table(bytes, 40, 4);
}

/// Corrects the checksums of sections alone, whose table begins at `start`, and of the header,
/// which ends with it.
pub(crate) fn repair_table(bytes: &mut [u8], start: usize, sections: usize) {
    for entry in (0..sections).map(|i| start + 40 * i) {
        if let Some(section) = range(bytes, entry + 8, entry + 16)
            && entry + 40 <= bytes.len()
        {
            let hash = checksum(&bytes[section]);
            bytes[entry + 32..entry + 40].copy_from_slice(&hash.to_le_bytes());
        }
    }
    if let Some(hash) = bytes.get(24..start + 40 * sections).map(xxh3_64) {
        bytes[16..24].copy_from_slice(&hash.to_le_bytes());
    }
}
