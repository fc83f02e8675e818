//! Damaged and hostile files of scenes are refused with a typed error, or are sound. They never
//! cause a panic, a hang, or an allocation out of proportion.

#[path = "support/counting.rs"]
mod counting;
mod support;

use std::time::{Duration, Instant};

use counting::{alone, peak};
use hitscan::geometry::Volume;
use hitscan::glam::{Affine3A, Vec3};
use hitscan::scene::Instance;
use hitscan::{Builder, Bvh, Capsule, LoadErrorKind, Mesh, Query, Ray, Scene, Sphere, Targets};
use support::repair::repair_scene;
use support::{Placed, Random, long};

fn rocks(triangles: usize, seed: u64) -> Bvh {
    let mut random = Random::new(seed);
    let mut corners = Vec::new();
    for _ in 0..triangles {
        let at = random.in_box(Vec3::splat(-2.0), Vec3::splat(2.0));
        corners.extend([(); 3].map(|()| (at + random.direction()).to_array()));
    }
    let mesh = Mesh::from_soup(corners).with_name(format!("rocks {seed}")).with_user_id(seed);
    Builder::new().bake(&[mesh]).unwrap().0
}

/// Some trees in many places, most of them with names.
fn scene(trees: usize, instances: usize) -> Scene {
    let mut random = Random::new(3);
    let trees: Vec<_> = (0..trees).map(|i| rocks(4 + 11 * i, i as u64)).collect();
    let mut scene = Scene::new();
    for i in 0..instances {
        let turn = Affine3A::from_axis_angle(random.direction(), random.range(0.0, 6.0));
        let at = random.in_box(Vec3::splat(-20.0), Vec3::splat(20.0));
        let place = Affine3A::from_translation(at) * turn * Affine3A::from_scale(Vec3::splat(0.7));
        let instance = Instance::new(trees[i % trees.len()].clone()).with_transform(place);
        let instance = instance.with_mask(1 << (i % 32)).with_user_id(i as u64);
        let name = if i % 3 == 2 { String::new() } else { format!("Fels {i}") };
        let id = scene.insert(instance.with_name(name)).unwrap();
        if i % 7 == 6 {
            scene.disable(id).unwrap();
        }
        if i % 2 == 1 {
            let volume: Volume = match i % 4 {
                1 => Sphere::new([0.0, i as f32, 0.0], 2.0).into(),
                _ => Capsule::new([0.0; 3], [0.0, 1.0, i as f32], 0.5).into(),
            };
            scene.insert(Instance::new(volume).with_transform(place)).unwrap();
        }
    }
    scene
}

#[test]
fn every_change_of_a_byte_is_refused() {
    let _alone = alone();
    let good = scene(2, 3).to_bytes();
    assert!(Scene::from_bytes(&good).is_ok());
    let mut bytes = good.clone();
    let mut tried = 0;
    for at in 0..good.len() {
        // All bits, and some others.
        let bits = (0..8).map(|bit| 1 << bit);
        for change in bits.chain([0xff, 0x0f, 0x55]) {
            bytes[at] = good[at] ^ change;
            assert!(Scene::from_bytes(&bytes).is_err(), "byte {at} changed by {change:#x}");
            tried += 1;
        }
        bytes[at] = good[at];
    }
    println!("{tried} changes of a file of {} bytes refused", good.len());
}

#[test]
fn every_truncation_and_extension_is_refused() {
    let _alone = alone();
    let good = scene(2, 3).to_bytes();
    for length in 0..good.len() {
        let error = Scene::from_bytes(&good[..length]).expect_err("a cut file is refused");
        let kinds = [LoadErrorKind::Truncated, LoadErrorKind::NotHitscan];
        assert!(kinds.contains(&error.kind()), "cut to {length}: {:?}: {error}", error.kind());
        assert!(Scene::read_from(&good[..length]).is_err(), "cut to {length}, as a stream");
    }
    for more in [1, 63, 64, 1000] {
        let mut bytes = good.clone();
        bytes.resize(good.len() + more, 0);
        assert_eq!(Scene::from_bytes(&bytes).unwrap_err().kind(), LoadErrorKind::TrailingBytes);
        assert_eq!(Scene::read_from(&bytes[..]).unwrap_err().kind(), LoadErrorKind::TrailingBytes);
    }
}

/// Parts of one sound file in another, on the boundaries where parts begin: also with checksums
/// that are put right, so that each part is sound by itself.
#[test]
fn splices_are_refused_or_sound() {
    let _alone = alone();
    let (one, other) = (scene(2, 5).to_bytes(), scene(3, 4).to_bytes());
    let mut accepted = 0;
    let mut tried = 0;
    for at in (0..one.len().min(other.len())).step_by(64) {
        for length in [64, 128, 448, 1024, usize::MAX] {
            let end = at.saturating_add(length).min(one.len()).min(other.len());
            let mut bytes = one.clone();
            bytes[at..end].copy_from_slice(&other[at..end]);
            let tail = [&one[..at], &other[at..]].concat();
            for mut bytes in [bytes, tail] {
                if bytes == one || bytes == other {
                    continue;
                }
                assert!(Scene::from_bytes(&bytes).is_err(), "from {at} on, {length} bytes");
                repair_scene(&mut bytes);
                if let Ok(scene) = Scene::from_bytes(&bytes) {
                    accepted += 1;
                    assert!(scene.to_bytes() == bytes);
                }
                tried += 1;
            }
        }
    }
    println!("{tried} splices refused; with right checksums {accepted} of them are sound");
}

/// An accepted scene is written as it was, and answers as its instances do one by one.
fn use_it(scene: &Scene, bytes: &[u8], random: &mut Random) {
    assert!(scene.to_bytes() == bytes);
    let now = scene.snapshot();
    let bounds = now.bounds();
    if bounds.is_empty() {
        return;
    }
    let seen: Vec<_> = scene
        .instances()
        .filter(|&id| scene.is_enabled(id).unwrap() && scene.instance(id).unwrap().mask != 0)
        .collect();
    let mut all = Vec::new();
    for _ in 0..20 {
        let ray = Ray::new(random.in_box(bounds.min, bounds.max), random.direction());
        let hit = now.closest_hit(&ray, &Query::new());
        now.all_hits(&ray, &Query::new(), &mut all);
        assert_eq!(hit, all.first().copied());
        let each = seen.iter().filter_map(|&id| {
            let local = now.local_ray(id, &ray)?;
            Some((now.bvh(id)?.closest_hit(&local, &Query::new())?.t, id))
        });
        let least = each.min_by(|a, b| a.partial_cmp(b).unwrap());
        assert_eq!(hit.map(|hit| (hit.t, hit.instance)), least);
        let volumes = seen.iter().filter_map(|&id| {
            Some((now.world_volume(id)?.ray_interval(&ray)?.clipped(&ray)?.enter, id))
        });
        let first = volumes.min_by(|a, b| a.partial_cmp(b).unwrap());
        let hit = now.closest_hit(&ray, &Query::new().targets(Targets::Volumes));
        assert_eq!(hit.map(|hit| (hit.t, hit.instance)), first);
    }
}

/// Full size: `HITSCAN_LONG=1000` for ten million of each kind.
#[test]
fn random_mutations_are_refused_or_sound() {
    let _alone = alone();
    let good = scene(3, 40).to_bytes();
    let mut random = Random::new(42);
    let (mut accepted, mut most, mut slowest) = (0, 0, Duration::ZERO);
    let runs = 10_000 * long();
    for run in 0..2 * runs {
        let mut bytes = good.clone();
        for _ in 0..1 + random.below(3) {
            // The header, its table and the records are the most important.
            let reach = [260, 400, 4096, bytes.len()][random.below(4)];
            let at = random.below(reach.min(bytes.len()).max(1));
            let word = at / 4 * 4..at / 4 * 4 + 4;
            match random.below(8) {
                0 => bytes.truncate(at),
                1 => bytes.insert(at, random.next() as u8),
                2 if word.end <= bytes.len() => {
                    let value = [0, 1, u32::MAX, 1 << 31, 0x7fc0_0000, 0x7f80_0000];
                    let value = value[random.below(value.len())];
                    bytes[word].copy_from_slice(&value.to_le_bytes());
                }
                3 | 4 if word.end <= bytes.len() => {
                    let reach = [64, 128, 4096, bytes.len()][random.below(4)];
                    let other = (at + random.below(reach)) % bytes.len() / 4 * 4;
                    if other + 4 <= bytes.len() {
                        bytes.copy_within(other..other + 4, word.start);
                    }
                }
                5 if word.end <= bytes.len() => {
                    let value = u32::from_le_bytes(bytes[word.clone()].try_into().unwrap());
                    let value = [value.wrapping_add(1), value.wrapping_sub(1)][random.below(2)];
                    bytes[word].copy_from_slice(&value.to_le_bytes());
                }
                _ if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
                _ => {}
            }
            if bytes.is_empty() {
                break;
            }
        }
        if run % 2 == 1 {
            repair_scene(&mut bytes);
        }
        let start = Instant::now();
        let (result, used) = peak(|| Scene::from_bytes(&bytes));
        most = most.max(used);
        assert!(used <= allowed(&bytes), "{used} bytes allocated for {}", bytes.len());
        let (streamed, used) = peak(|| Scene::read_from(&bytes[..]));
        assert!(used <= allowed(&bytes), "{used} bytes allocated for {}", bytes.len());
        slowest = slowest.max(start.elapsed());
        assert_eq!(streamed.is_ok(), result.is_ok());
        match result {
            Ok(scene) => {
                accepted += 1;
                use_it(&scene, &bytes, &mut random);
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    assert!(accepted > 100);
    println!(
        "{} mutations of a file of {} bytes, half of them with checksums put right: {accepted} \
         accepted and sound; at most {most} bytes allocated and {slowest:?} taken for one",
        2 * runs,
        good.len()
    );
}

/// What may be allocated for a file. A record of 72 bytes becomes an instance with its place in
/// three lists and a tree, one of 80 a volume in two; a tree's file becomes a tree.
fn allowed(bytes: &[u8]) -> usize {
    20 * bytes.len() + 65_536
}

/// The worst that a file of many records can ask for: as many instances, or trees, as it has bytes
/// for.
#[test]
fn memory_and_time_are_in_proportion_to_the_file() {
    let _alone = alone();
    let (empty, _) = Builder::new().bake(&[] as &[Mesh]).unwrap();
    let one = rocks(1, 1);
    // All in one place: no plane splits them.
    let crowd = |bvh: &Bvh, name: &str| {
        let mut scene = Scene::new();
        for _ in 0..50_000 {
            scene.insert(Instance::new(bvh.clone()).with_name(name)).unwrap();
        }
        scene.to_bytes()
    };
    let many_trees = || {
        let mut scene = Scene::new();
        for i in 0..2000u32 {
            let mut bvh = empty.clone();
            bvh.set_user_data(i.to_le_bytes().to_vec());
            scene.insert(Instance::new(bvh)).unwrap();
        }
        scene.to_bytes()
    };
    let many_volumes = || {
        let mut scene = Scene::new();
        let ball = Instance::new(Sphere::new([0.0; 3], 1.0));
        scene.insert_many(&vec![ball; 50_000]).unwrap();
        scene.to_bytes()
    };
    for (what, bytes) in [
        ("instances of nothing", crowd(&empty, "")),
        ("instances of a triangle", crowd(&one, "")),
        ("short names", crowd(&one, "n")),
        ("trees without triangles", many_trees()),
        ("volumes", many_volumes()),
    ] {
        let start = Instant::now();
        let (scene, used) = peak(|| Scene::from_bytes(&bytes).unwrap());
        let time = start.elapsed();
        let factor = used as f64 / bytes.len() as f64;
        println!("{what}: {} bytes, {factor:.1} times as much allocated, {time:?}", bytes.len());
        assert!(used <= allowed(&bytes), "{what}");
        assert!(time < Duration::from_secs(20), "{what}");
        drop(scene);
    }
}

/// A header that asks for a lot, with few bytes behind it.
#[test]
fn a_header_is_not_believed_about_memory() {
    let _alone = alone();
    let good = scene(2, 3).to_bytes();
    for (count, total) in [(1u64 << 30, 1u64 << 40), (1 << 20, 1 << 27), (1 << 29, u64::MAX - 63)] {
        let mut bytes = good.clone();
        let instances = 80;
        let length = count * 72;
        let offset = u64::from_le_bytes(bytes[instances + 8..instances + 16].try_into().unwrap());
        bytes[instances + 16..instances + 24].copy_from_slice(&length.to_le_bytes());
        bytes[instances + 24..instances + 32].copy_from_slice(&count.to_le_bytes());
        // Of the volumes, and of the names: of neither there are any.
        let next = (offset + length).next_multiple_of(64);
        for section in [120, 160] {
            bytes[section + 8..section + 16].copy_from_slice(&next.to_le_bytes());
            bytes[section + 16..section + 32].fill(0);
        }
        bytes[32..40].copy_from_slice(&total.to_le_bytes());
        repair_scene(&mut bytes);
        for read in [true, false] {
            let (result, used) = peak(|| match read {
                true => Scene::read_from(&bytes[..]),
                false => Scene::from_bytes(&bytes),
            });
            assert_eq!(result.unwrap_err().kind(), LoadErrorKind::Truncated);
            assert!(used <= allowed(&bytes), "{used}");
        }
    }
}

#[test]
fn bytes_in_place_are_checked_like_copied_bytes() {
    let _alone = alone();
    let good = scene(3, 9).to_bytes();
    let in_place = Scene::from_owner(Placed::new(&good, 0)).expect("aligned");
    assert!(in_place.to_bytes() == good);
    let error = Scene::from_owner(Placed::new(&good, 4)).unwrap_err();
    assert_eq!(error.kind(), LoadErrorKind::Misaligned);
    for at in (0..good.len()).step_by(13) {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        let (a, b) = (Scene::from_bytes(&bytes), Scene::from_owner(Placed::new(&bytes, 0)));
        assert_eq!(a.unwrap_err().kind(), b.unwrap_err().kind(), "byte {at}");
    }
}
