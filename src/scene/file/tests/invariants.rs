//! Each invariant broken by itself: refused, and by its name. Then changes at random.

use std::collections::BTreeMap;

use super::*;
use crate::error::LoadErrorKind;
use crate::file::tests::page::read;
use crate::test_rng;

#[track_caller]
fn refused(invariant: &str, bytes: &[u8]) {
    for error in [Scene::from_bytes(bytes), Scene::read_from(bytes)] {
        let error = error.expect_err(invariant);
        assert_eq!(error.kind(), LoadErrorKind::Invalid, "{invariant}: {error}");
        let name = format!("(invariant {invariant}): ");
        assert!(error.to_string().contains(&name), "{invariant}: {error}");
    }
}

/// The header's checksum, made right again.
fn repair_header(bytes: &mut [u8]) {
    let checksum = xxhash_rust::xxh3::xxh3_64(&bytes[24..200]);
    bytes[16..24].copy_from_slice(&checksum.to_le_bytes());
}

#[test]
fn of_header_and_padding() {
    let good = scene().to_bytes();
    let volumes_end = 256 + 64 + 704 + 320;
    let names_end = volumes_end + 26;
    assert_eq!(read(&good, 40 + 120 + 16, 8), 26);
    for (invariant, at) in [
        ("I1", 8),
        ("I1", 24),
        ("I1", 28),
        ("I2", 32 + 4),
        ("I2", 40),
        ("I2", 44),
        ("I2", 48),
        ("I2", 56),
        ("I3", 64 + 4),
        ("I3", 104 + 4),
        ("I3", 144 + 4),
        ("I3", 184 + 6),
        ("I2", 80),
        ("I2", 128),
        ("I5", 200),
        ("I5", 255),
        ("I5", 256 + 64 + 648),
        ("I5", names_end),
    ] {
        let mut bytes = good.clone();
        bytes[at] ^= 4;
        if invariant == "I2" && at == 36 {
            // Less than its sections need.
            bytes[32..40].copy_from_slice(&1344u64.to_le_bytes());
        }
        repair_header(&mut bytes);
        refused(invariant, &bytes);
    }
    for (at, kind) in [
        (16, LoadErrorKind::Checksum),
        (24, LoadErrorKind::Checksum),
        (72, LoadErrorKind::Checksum),
        (256, LoadErrorKind::Checksum),
        (400, LoadErrorKind::Checksum),
        (names_end - 1, LoadErrorKind::Checksum),
    ] {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        assert_eq!(Scene::from_bytes(&bytes).unwrap_err().kind(), kind);
    }
}

#[test]
fn of_names_and_trees() {
    let good = Parts::of(&scene().to_bytes());
    assert!(good.to_bytes() == scene().to_bytes());
    let refused = |invariant: &str, change: &dyn Fn(&mut Parts)| {
        let mut parts = good.clone();
        change(&mut parts);
        refused(invariant, &parts.to_bytes());
    };
    refused("I6", &|parts| parts.names.push(b'x'));
    refused("I6", &|parts| _ = parts.names.pop());
    refused("I6", &|parts| parts.instances[4].name_length += 1);
    refused("I6", &|parts| parts.instances[0].name_length = u32::MAX);
    refused("I6", &|parts| parts.names[1] = 0xff);
    // Right as a whole, but a name ends within a letter.
    refused("I6", &|parts| {
        parts.instances[0].name_length = 6;
        parts.instances[2].name_length = 2;
    });
    refused("I7", &|parts| parts.trees[0].kind = 0);
    refused("I7", &|parts| parts.trees[1].kind = 3);
    refused("I7", &|parts| parts.trees[0].offset += 64);
    refused("I7", &|parts| parts.trees[1].offset = 0);
    refused("I7", &|parts| parts.trees[1].length += 64);
    refused("I7", &|parts| parts.trees[0].length = u64::MAX);
    refused("I7", &|parts| parts.trees[1].length -= 64);
    refused("I7", &|parts| parts.embedded.extend([0; 64]));
    refused("I7", &|parts| {
        parts.trees[0].name_length = 1;
        parts.instances[0].name_length -= 1;
    });
    refused("I7", &|parts| parts.trees[0].kind = 2);
    refused("I8", &|parts| (parts.trees[0].kind, parts.trees[0].offset) = (2, 0));
    refused("I9", &|parts| {
        let length = parts.trees[0].length as usize;
        let whole = good.embedded[..length].to_vec();
        parts.trees[1] = TreeRecord { offset: parts.trees[1].offset, ..parts.trees[0] };
        parts.embedded.truncate(length);
        parts.embedded.extend(whole);
    });
    refused("I10", &|parts| parts.trees[1].checksum ^= 1);
    // Another sound tree of the same length.
    refused("I10", &|parts| {
        let mut other = tree(3);
        other.set_mask(0, 5);
        let at = parts.trees[0].length as usize;
        let other = other.to_bytes();
        assert_eq!(parts.embedded.len() - at, other.len());
        parts.embedded.splice(at.., other);
    });
    // The lengths of two that lie behind each other add up.
    let mut parts = good.clone();
    parts.trees[0].length += 64;
    parts.trees[1].length -= 64;
    parts.trees[1].offset += 64;
    assert!(Scene::from_bytes(&parts.to_bytes()).is_err());
}

/// A fault in an embedded tree is reported with the tree's number.
#[test]
fn of_embedded_trees() {
    let good = Parts::of(&scene().to_bytes());
    let first = good.trees[0].length as usize;
    for (at, words) in [
        (first, "tree 1: "),
        (first + 20, "tree 1: the header is damaged"),
        (first + 400, "tree 1: the metadata are damaged"),
        (first - 1, "tree 0: not a sound tree (invariant I5)"),
    ] {
        let mut parts = good.clone();
        parts.embedded[at] ^= 1;
        let error = Scene::from_bytes(&parts.to_bytes()).unwrap_err().to_string();
        assert!(error.starts_with(words), "{error}");
    }
}

#[test]
fn of_instances() {
    let good = Parts::of(&scene().to_bytes());
    let refused = |invariant: &str, change: &dyn Fn(&mut [InstanceRecord])| {
        let mut parts = good.clone();
        change(&mut parts.instances);
        refused(invariant, &parts.to_bytes());
    };
    refused("I11", &|instances| instances[4].body = 2);
    refused("I11", &|instances| instances[1].body = u32::MAX);
    refused("I11", &|instances| instances[0].body = 1);
    refused("I11", &|instances| instances[2].body = 0);
    refused("I12", &|instances| instances[2].flags = 4);
    refused("I12", &|instances| instances[3].flags |= 1 << 31);
    refused("I15", &|instances| instances[6].body = 0);
    refused("I15", &|instances| instances[8].body = u32::MAX);
    refused("I15", &|instances| instances[0].flags = 2);
    refused("I15", &|instances| (instances[8].flags, instances[8].body) = (0, 1));
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for number in 0..12 {
            refused("I13", &|instances| instances[3].transform[number] = value);
        }
    }
    refused("I13", &|instances| instances[0].transform[..9].fill(0.0));
    refused("I13", &|instances| instances[0].transform[..3].fill(0.0));
    refused("I13", &|instances| instances[0].transform[..9].fill(1.0));
    let scaled = |size: f32| [size, 0.0, 0.0, 0.0, size, 0.0, 0.0, 0.0, size];
    let limit = 60f32.exp2();
    for size in [limit.next_up(), (1.0 / limit).next_down()] {
        refused("I13", &|instances| instances[0].transform[..9].copy_from_slice(&scaled(size)));
    }
    for size in [limit, 1.0 / limit, -limit] {
        let mut parts = good.clone();
        parts.instances[0].transform[..9].copy_from_slice(&scaled(size));
        parts.instances[0].transform[9..].fill(-f32::MAX);
        let bytes = parts.to_bytes();
        assert!(Scene::from_bytes(&bytes).unwrap().to_bytes() == bytes);
    }
}

#[test]
fn of_volumes() {
    let good = Parts::of(&scene().to_bytes());
    let refused = |invariant: &str, change: &dyn Fn(&mut [VolumeRecord])| {
        let mut parts = good.clone();
        change(&mut parts.volumes);
        refused(invariant, &parts.to_bytes());
    };
    let [flat, sphere, capsule, obb] = [0, 1, 2, 3];
    refused("I14", &|volumes| volumes[sphere].kind = 0);
    refused("I14", &|volumes| volumes[sphere].kind = 5);
    refused("I14", &|volumes| volumes[capsule].zero = 1);
    for (volume, used) in [(flat, 6), (sphere, 4), (capsule, 7)] {
        refused("I14", &|volumes| volumes[volume].numbers[used] = -0.0);
        refused("I14", &|volumes| volumes[volume].numbers[17] = 1.0);
    }
    // As many numbers as a sphere has, and then some.
    refused("I14", &|volumes| volumes[capsule].kind = 3);
    refused("I14", &|volumes| volumes[obb].numbers[..3].fill(0.0));
    refused("I14", &|volumes| volumes[obb].numbers[4] = f32::INFINITY);
    refused("I14", &|volumes| volumes[obb].numbers[12] = f32::NAN);
    refused("I14", &|volumes| volumes[obb].numbers[12] = 1e9);
    refused("I14", &|volumes| volumes[sphere].numbers[1] = f32::NAN);
    for radius in [f32::NAN, f32::INFINITY, -1.0, -1e-45] {
        refused("I14", &|volumes| volumes[sphere].numbers[3] = radius);
        refused("I14", &|volumes| volumes[capsule].numbers[6] = radius);
    }
    refused("I14", &|volumes| volumes[capsule].numbers[5] = f32::NEG_INFINITY);
    refused("I14", &|volumes| volumes[flat].numbers[0] = f32::NAN);
    refused("I14", &|volumes| volumes[flat].numbers[3] = f32::INFINITY);
    refused("I14", &|volumes| volumes[flat].numbers[1] = 2.5000002);
    refused("I14", &|volumes| volumes[flat] = VolumeRecord::of(&Aabb::EMPTY.into()));
    refused("I16", &|volumes| volumes[sphere].numbers[3] = f32::MAX);
    refused("I16", &|volumes| volumes[capsule].numbers[1] = f32::MAX);
    refused("I16", &|volumes| volumes[obb].numbers[16] = f32::MAX);
    refused("I16", &|volumes| volumes[flat].numbers[4] = f32::MAX);
    for number in [0.0, -0.0, 1e-45, 1e9] {
        let mut parts = good.clone();
        parts.volumes[sphere].numbers[3] = number;
        let bytes = parts.to_bytes();
        let scene = Scene::from_bytes(&bytes).unwrap();
        assert!(scene.to_bytes() == bytes);
        // A sphere without an extent is a point.
        assert_eq!(scene.snapshot().len(), 8);
    }
    // One too few, and one too many.
    for count in [3, 5] {
        let mut parts = good.clone();
        parts.volumes.resize(count, good.volumes[1]);
        let lengths = [64, 9 * 72, 80 * parts.volumes.len(), parts.names.len()];
        parts.trees[0].offset = trees_start(lengths);
        parts.trees[1].offset = parts.trees[0].offset + parts.trees[0].length;
        super::invariants::refused("I15", &parts.to_bytes());
    }
}

/// A long name, at the limit and beyond it.
#[test]
fn of_long_names() {
    for length in [65_535, 65_536] {
        let mut parts = Parts::of(&scene().to_bytes());
        // The name of the last instance, `Tür`.
        parts.names.resize(parts.names.len() + length - 4, b'n');
        parts.instances[8].name_length = length as u32;
        let lengths = [64, 9 * 72, 4 * 80, parts.names.len()];
        parts.trees[0].offset = trees_start(lengths);
        parts.trees[1].offset = parts.trees[0].offset + parts.trees[0].length;
        let bytes = parts.to_bytes();
        if length == 65_535 {
            assert!(Scene::from_bytes(&bytes).unwrap().to_bytes() == bytes);
        } else {
            refused("I6", &bytes);
        }
    }
    let mut scene = scene();
    let id = scene.instances().next().unwrap();
    assert!(scene.set_name(id, &"n".repeat(65_536)).is_err());
    scene.set_name(id, &"n".repeat(65_535)).unwrap();
    assert!(Scene::from_bytes(&scene.to_bytes()).is_ok());
}

/// Records changed at random, with the right checksums: refused by name, or a sound scene, which is
/// written as it was.
#[test]
fn forged_records_are_refused_or_sound() {
    let good = Parts::of(&scene().to_bytes());
    let state = &mut 5;
    let mut below = |bound: usize| test_rng::bits(state) as usize % bound;
    let mut found = BTreeMap::new();
    for _ in 0..5_000 {
        let mut parts = good.clone();
        for _ in 0..1 + below(2) {
            let bytes: &mut [u8] = match below(5) {
                0 => bytemuck::cast_slice_mut(&mut parts.trees),
                1 => &mut parts.names,
                2 => bytemuck::cast_slice_mut(&mut parts.volumes),
                _ => bytemuck::cast_slice_mut(&mut parts.instances),
            };
            let at = below(bytes.len());
            match below(3) {
                0 => bytes[at] ^= 1 << below(8),
                1 => bytes[at] = [0, 1, 2, 127, 128, 255][below(6)],
                _ => {
                    let [from, to] = [below(bytes.len()), at].map(|at| at / 4 * 4);
                    let length = 4.min(bytes.len() - from.max(to));
                    bytes.copy_within(from..from + length, to);
                }
            }
        }
        let bytes = parts.to_bytes();
        let result = match Scene::from_bytes(&bytes) {
            Ok(scene) => {
                assert!(scene.to_bytes() == bytes);
                "sound".to_owned()
            }
            Err(error) => {
                let message = error.to_string();
                let name = message.split_once("(invariant ").map(|(_, rest)| rest.split_once(')'));
                name.flatten().map_or_else(|| format!("{:?}", error.kind()), |name| name.0.into())
            }
        };
        *found.entry(result).or_insert(0) += 1;
    }
    println!("{found:?}");
    let expected = ["I10", "I11", "I12", "I13", "I14", "I15", "I16", "I6", "I7", "sound"];
    assert!(expected.iter().all(|name| found.contains_key(*name)), "{found:?}");
    assert!(!found.contains_key("Truncated") && !found.contains_key("Checksum"), "{found:?}");
}
