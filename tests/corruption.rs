//! Damaged and hostile files are refused with a typed error, or are sound. They never cause a
//! panic, a hang, or an allocation out of proportion.

#[path = "support/counting.rs"]
mod counting;
mod support;

use std::time::{Duration, Instant};

use counting::{alone, peak};
use hitscan::{Builder, Bvh, LoadErrorKind, Mesh, Quality, Query, Ray};
use support::repair::repair;
use support::{Placed, Random, long};

/// A baked grid of hills, `n` by `n` squares in four meshes.
fn baked(n: usize) -> Vec<u8> {
    baked_below(n, 0)
}

/// The same with large slanted triangles above it, which spatial splits cut.
fn baked_below(n: usize, great: usize) -> Vec<u8> {
    let mut random = Random::new(7);
    let mut meshes = Vec::new();
    for quarter in 0..4u32 {
        let (x0, z0) = ((quarter % 2) as f32 * n as f32, (quarter / 2) as f32 * n as f32);
        let side = n + 1;
        let positions = (0..side * side)
            .map(|i| [x0 + (i % side) as f32, random.range(0.0, 2.0), z0 + (i / side) as f32])
            .collect();
        let mut indices = Vec::new();
        for i in 0..n * n {
            let a = (i / n * side + i % n) as u32;
            let (b, c, d) = (a + 1, a + side as u32, a + side as u32 + 1);
            indices.extend_from_slice(&[a, c, b, b, c, d]);
        }
        let count = indices.len() / 3;
        let mut mesh = Mesh::new(positions, indices)
            .with_name(format!("hills {quarter}"))
            .with_user_id(u64::from(quarter) * 1000)
            .with_mask(1 << quarter);
        if quarter == 1 {
            mesh = mesh.with_materials((0..count as u32).collect());
        }
        meshes.push(mesh);
    }
    if great > 0 {
        let side = 2.0 * n as f32;
        let slanting = |i: usize| {
            let x = i as f32 / great as f32 * side;
            [[x, 0.0, 0.0], [side - x, 3.0, side], [x + 2.0, 6.0, 0.7 * side]]
        };
        meshes.push(Mesh::from_soup((0..great).flat_map(slanting).collect()));
    }
    let (bvh, report) = Builder::new().quality(Quality::Best).bake(&meshes).unwrap();
    let cut = report.summary.references > report.summary.triangles_kept;
    assert_eq!(cut, great > 0);
    bvh.to_bytes()
}

#[test]
fn every_change_of_a_byte_is_refused() {
    let _alone = alone();
    let good = baked(2);
    assert!(Bvh::from_bytes(&good).is_ok());
    let mut tried = 0;
    for at in 0..good.len() {
        let mut bytes = good.clone();
        for change in 1..=255 {
            bytes[at] = good[at] ^ change;
            assert!(Bvh::from_bytes(&bytes).is_err(), "byte {at} changed by {change:#x}");
            tried += 1;
        }
    }
    println!("{tried} changes of a file of {} bytes refused", good.len());
}

#[test]
fn every_truncation_and_extension_is_refused() {
    let _alone = alone();
    let good = baked(2);
    for length in 0..good.len() {
        let error = Bvh::from_bytes(&good[..length]).expect_err("a cut file is refused");
        let kinds = [LoadErrorKind::Truncated, LoadErrorKind::NotHitscan];
        assert!(kinds.contains(&error.kind()), "cut to {length}: {:?}: {error}", error.kind());
        assert!(Bvh::read_from(&good[..length]).is_err(), "cut to {length}, as a stream");
    }
    for more in [1, 63, 64, 1000] {
        let mut bytes = good.clone();
        bytes.resize(good.len() + more, 0);
        assert_eq!(Bvh::from_bytes(&bytes).unwrap_err().kind(), LoadErrorKind::TrailingBytes);
    }
}

/// An accepted file answers queries, with hits inside its own box. All queries agree, unless
/// triangles were cut: the boxes of their parts may be damaged, which no check detects.
fn use_it(bvh: &Bvh, random: &mut Random, rays: usize) {
    bvh.validate().expect("what a door lets in is valid");
    let bounds = bvh.bounds();
    if bounds.is_empty() {
        return;
    }
    let summary = bvh.metadata().summary;
    let whole = summary.references == summary.triangles_kept;
    let mut all = Vec::new();
    for _ in 0..rays {
        let ray = Ray::new(random.in_box(bounds.min, bounds.max), random.direction());
        bvh.all_hits(&ray, &Query::new(), &mut all);
        let closest = bvh.closest_hit(&ray, &Query::new());
        let any = bvh.any_hit(&ray, &Query::new());
        if whole {
            assert_eq!(closest, all.first().copied());
            assert_eq!(any, !all.is_empty());
        }
        for hit in &all {
            let triangle = bvh.triangle(hit).expect("the tree has what it hit");
            assert!(bounds.contains_box(&triangle.bounds()));
        }
    }
}

/// Full size: `HITSCAN_LONG=1000` for ten million of each kind.
#[test]
fn random_mutations_are_refused_or_sound() {
    let _alone = alone();
    mutate(&baked(12));
}

#[test]
fn random_mutations_of_cut_triangles_are_refused_or_sound() {
    let _alone = alone();
    mutate(&baked_below(12, 12));
}

fn mutate(good: &[u8]) {
    let allowed = 4 * good.len();
    let mut random = Random::new(42);
    let (mut accepted, mut most, mut slowest) = (0, 0, Duration::ZERO);
    let runs = 10_000 * long();
    for run in 0..2 * runs {
        let mut bytes = good.to_vec();
        for _ in 0..1 + random.below(4) {
            let at = random.below(bytes.len().max(1));
            let word = at / 4 * 4..at / 4 * 4 + 4;
            match random.below(11) {
                0 => bytes.truncate(at),
                1 => bytes.insert(at, random.next() as u8),
                2 if at + 4 <= bytes.len() => {
                    let value = [0, 1, u32::MAX, 1 << 31, 0x7fc0_0000, 0x7f80_0000];
                    let value = value[random.below(value.len())];
                    bytes[word].copy_from_slice(&value.to_le_bytes());
                }
                3 => {
                    let other = random.below(bytes.len().max(1));
                    bytes.swap(at, other);
                }
                // What is a good number in one place may be a bad one in another: indices, ids,
                // coordinates. Near ones first, which are of the same kind.
                5 | 6 if word.end <= bytes.len() => {
                    let reach = [64, 512, 4096, bytes.len()][random.below(4)];
                    let other = (at + random.below(reach)) % bytes.len() / 4 * 4;
                    if other + 4 <= bytes.len() {
                        bytes.copy_within(other..other + 4, word.start);
                    }
                }
                7 if word.end <= bytes.len() => {
                    let value = u32::from_le_bytes(bytes[word.clone()].try_into().unwrap());
                    let value = [value.wrapping_add(1), value.wrapping_sub(1)][random.below(2)];
                    bytes[word].copy_from_slice(&value.to_le_bytes());
                }
                // The header and its table are the most important.
                4 => {
                    let at = random.below(bytes.len().clamp(1, 320));
                    bytes[at] = random.next() as u8;
                }
                _ if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
                _ => {}
            }
            if bytes.is_empty() {
                break;
            }
        }
        if run % 2 == 1 {
            repair(&mut bytes);
        }
        let start = Instant::now();
        let (result, used) = peak(|| Bvh::from_bytes(&bytes));
        most = most.max(used);
        assert!(used <= allowed, "{used} bytes allocated for a file of {}", bytes.len());
        let (streamed, used) = peak(|| Bvh::read_from(&bytes[..]));
        assert!(used <= allowed, "{used} bytes allocated for a stream of {}", bytes.len());
        slowest = slowest.max(start.elapsed());
        assert_eq!(streamed.is_ok(), result.is_ok());
        match result {
            Ok(bvh) => {
                accepted += 1;
                use_it(&bvh, &mut random, 1000);
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    println!(
        "{} mutations of a file of {} bytes, half of them with checksums put right: {accepted} \
         accepted and sound; at most {most} bytes allocated and {slowest:?} taken for one",
        2 * runs,
        good.len()
    );
}

#[test]
fn bytes_in_place_are_checked_like_copied_bytes() {
    let _alone = alone();
    let good = baked(3);
    let view = Bvh::from_owner(Placed::new(&good, 0)).expect("aligned bytes are used in place");
    let ray = Ray::new([1.3, 9.0, 1.7], [0.0, -1.0, 0.0]);
    let owned = Bvh::from_bytes(&good).unwrap();
    assert!(view.closest_hit(&ray, &Query::new()).is_some());
    assert_eq!(view.closest_hit(&ray, &Query::new()), owned.closest_hit(&ray, &Query::new()));

    let error = Bvh::from_owner(Placed::new(&good, 4)).unwrap_err();
    assert_eq!(error.kind(), LoadErrorKind::Misaligned);
}
