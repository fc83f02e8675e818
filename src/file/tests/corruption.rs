//! Damage and forgery: typed errors, never a panic.

use super::*;
use crate::error::{LoadError, LoadErrorKind};

/// What every checked door says; they must agree.
fn open(bytes: &[u8]) -> Result<Bvh, LoadError> {
    let view = Bvh::from_owner(AlignedBytes::new(bytes));
    let owned = Bvh::from_bytes(bytes);
    let read = Bvh::read_from(bytes);
    assert_eq!(view.is_ok(), owned.is_ok());
    assert_eq!(read.is_ok(), owned.is_ok());
    owned
}

#[test]
fn every_change_of_a_byte_is_refused() {
    for mut bytes in [tree(3).to_bytes(), without_meshes().to_bytes()] {
        for at in 0..bytes.len() {
            let good = bytes[at];
            for bad in (0..=255).filter(|&bad| bad != good) {
                bytes[at] = bad;
                assert!(Bvh::from_bytes(&bytes).is_err(), "byte {at}: {good} to {bad}");
            }
            bytes[at] = good ^ 1;
            assert!(open(&bytes).is_err());
            bytes[at] = good;
        }
        assert!(open(&bytes).is_ok());
    }
}

/// Pieces are hashed and checked apart, on any thread; a fault in any of them is found, and
/// reported in the same words each time.
#[test]
fn damage_is_found_in_every_piece() {
    let tree = tree(3000);
    let good = tree.to_bytes();
    let mut random = Random(5);
    for _ in 0..200 {
        let mut bytes = good.clone();
        let at = random.below(bytes.len());
        bytes[at] ^= 1 << random.below(8);
        assert!(open(&bytes).is_err(), "byte {at}");
    }
    // An unsound block in each of the four pieces, and in two of them at once.
    for numbers in [&[0][..], &[895], &[896], &[1800], &[2999], &[2999, 5], &[950, 2000]] {
        let mut tree = tree.clone();
        for &number in numbers {
            tree.blocks[number].vertex[1][1][0] = 1e9;
        }
        let bytes = tree.to_bytes();
        let first = numbers.iter().min().expect("one at least");
        for _ in 0..5 {
            let error = open(&bytes).expect_err("unsound").to_string();
            let words = format!("leaf block {first}, lane 0");
            assert!(error.contains("I16") && error.contains(&words), "{error}");
        }
        // Damaged besides: the damage is reported.
        let mut bytes = bytes;
        let last = bytes.len() - tree.user.len().next_multiple_of(64) - 64;
        bytes[last] ^= 1;
        let kind = open(&bytes).expect_err("damaged").kind();
        assert_eq!(kind, LoadErrorKind::Checksum);
    }
}

#[test]
fn every_other_length_is_refused() {
    let mut bytes = tree(3).to_bytes();
    for length in 0..bytes.len() {
        assert!(open(&bytes[..length]).is_err(), "{length} bytes");
    }
    for byte in [0, 1] {
        let length = bytes.len();
        for _ in 0..130 {
            bytes.push(byte);
            assert!(open(&bytes).is_err(), "{} bytes", bytes.len());
        }
        bytes.truncate(length);
    }
}

/// Changes that the checksums do not tell, made where they may hurt: 4-byte words of the
/// sections and the header get values from elsewhere in the file or values at an edge.
#[test]
fn forged_files_are_refused_or_sound() {
    let long = std::env::var_os("HITSCAN_LONG").is_some();
    let rounds = if long { 5_000_000 } else { 200_000 };
    let mut random = Random(20);
    let mut accepted = 0;
    let trees = [tree(1), tree(3), tree(20), without_meshes()];
    let files: Vec<_> = trees.iter().map(Sections::to_bytes).collect();
    for _ in 0..rounds {
        let mut bytes = files[random.below(files.len())].clone();
        for _ in 0..1 + random.below(3) {
            forge(&mut bytes, &mut random);
        }
        repair(&mut bytes);
        let Ok(tree) = Bvh::from_bytes(&bytes) else {
            continue;
        };
        accepted += 1;
        tree.validate().expect("was accepted");
        assert_eq!(tree.to_bytes(), bytes, "one file for one tree");
        let metadata = tree.metadata();
        assert_eq!(metadata.encode().expect("small"), tree.view().metadata);
        for mesh in 0..tree.view().meshes.len() {
            assert_eq!(
                tree.mesh_name(mesh as u32),
                metadata.mesh_names.get(mesh).map(String::as_str)
            );
        }
    }
    // Vertices may move within their boxes, masks and user ids may change.
    assert!(accepted > rounds / 100, "{accepted} of {rounds}");
    assert!(accepted < rounds / 2, "{accepted} of {rounds}");
}

fn forge(bytes: &mut [u8], random: &mut Random) {
    const EDGES: [u32; 14] = [
        0,
        1,
        2,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0000,
        0xffc0_0000,
        0x7f7f_ffff,
        0x8000_0000,
        0x8000_0001,
        0x7fff_ffff,
        0xffff_fffe,
        0xffff_ffff,
        0x0001_0000,
    ];
    let start = if random.below(8) == 0 { 0 } else { 320 };
    let words = (bytes.len() - start) / 4;
    let at = start + 4 * random.below(words);
    let other = start + 4 * random.below(words);
    let word = |at: usize| [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
    let old = u32::from_le_bytes(word(at));
    let new = match random.below(6) {
        0 => old ^ (1 << random.below(32)),
        1 => old.wrapping_add(1),
        2 => old.wrapping_sub(1),
        3 => EDGES[random.below(EDGES.len())],
        4 => u32::from_le_bytes(word(other)),
        _ => random.next() as u32,
    };
    bytes[at..at + 4].copy_from_slice(&new.to_le_bytes());
}

/// Lengths in the metadata that claim the world must not be allocated.
#[test]
fn metadata_lengths_are_not_believed() {
    let tree = tree(2);
    for at in 0..tree.metadata.len() - 8 {
        for length in [u64::MAX, 1 << 40, 1 << 27, 1 << 20, 100] {
            let mut metadata = tree.metadata.clone();
            metadata[at..at + 8].copy_from_slice(&length.to_le_bytes());
            // Either way it comes back at once.
            if let Ok(read) = Metadata::decode(&metadata) {
                assert_eq!(read.encode().expect("small"), metadata);
            }
        }
    }
}
