//! A little of everything that uses unsafe code: writing and reading files, damaged files, and
//! queries. Small enough for Miri, which detects undefined behaviour:
//!
//! ```sh
//! MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test --test soundness
//! ```
//!
//! Without Miri it is an ordinary test. With `--target s390x-unknown-linux-gnu` Miri emulates a
//! big-endian machine, where trees can be baked and queried, but neither written nor read.

mod scenes;
mod support;

use hitscan::geometry::{ConvexShape, Shape};
use hitscan::glam::Vec3;
use hitscan::{Aabb, Builder, Bvh, Capsule, InstructionSet, Mesh, Quality, Query, Ray, Sphere};
use support::repair::repair;
use support::{Placed, Random, before_each};

fn baked(quality: Quality, meshes: &[Mesh]) -> Bvh {
    let (mut bvh, _) = Builder::new().quality(quality).bake(meshes).expect("sound");
    bvh.set_user_data(b"spawn points".to_vec());
    bvh
}

/// Small walls with large triangles across them, which spatial splits cut.
fn hall() -> Vec<Mesh> {
    let mut walls = scenes::soup(8, 4.0, 9.0, 3);
    walls.positions.extend(scenes::soup(60, 4.0, 0.7, 4).positions);
    vec![walls, scenes::terrain(2, 1)]
}

/// All instruction sets, or under Miri plain code, which it supports.
fn instruction_sets() -> Vec<InstructionSet> {
    let mut sets = InstructionSet::available();
    sets.truncate(if cfg!(miri) { 1 } else { usize::MAX });
    sets
}

fn ask(tree: &Bvh, rays: usize) -> usize {
    let mut random = Random::new(11);
    let bounds = tree.bounds();
    let mut list = Vec::new();
    let mut hits = 0;
    for number in 0..rays {
        let mut point = || {
            let part = [(); 3].map(|()| random.range(-0.1, 1.1));
            bounds.min + (bounds.max - bounds.min) * hitscan::glam::Vec3::from_array(part)
        };
        let ray = Ray::between(point(), point());
        for (i, isa) in instruction_sets().into_iter().enumerate() {
            let query = Query::new().instruction_set(isa);
            // Half of the queries follow another of the same ray.
            let follows = (number + i) % 2 == 0;
            let apart = before_each(tree, &query, follows);
            apart();
            let hit = tree.closest_hit(&ray, &query);
            apart();
            tree.all_hits(&ray, &query, &mut list);
            assert_eq!(hit, list.first().copied());
            apart();
            assert_eq!(tree.any_hit(&ray, &query), hit.is_some());
            // Just enough coherent rays for a packet.
            let mut batch = [None; 7];
            tree.closest_hit_batch(&[ray; 7], &query, &mut batch).expect("as many");
            assert_eq!(batch, [hit; 7]);
            let mut found = [hit.is_none(); 6];
            tree.any_hit_batch(&[ray; 6], &query, &mut found).expect("as many");
            assert_eq!(found, [hit.is_some(); 6]);
            hits += usize::from(hit.is_some());
        }
        ask_with_a_width(tree, ray);
    }
    hits
}

/// The questions about points and shapes agree with each other.
fn ask_with_a_width(tree: &Bvh, ray: Ray) {
    let (from, motion) = (ray.origin, ray.dir);
    let radius = 0.2 * motion.length();
    let mut near = Vec::new();
    for isa in instruction_sets() {
        let query = Query::new().instruction_set(isa);
        let closest = tree.closest_point(from, radius, &query);
        tree.all_within(from, radius, &query, &mut near);
        let nearest = near.first().map(|near| near.distance);
        assert_eq!(closest.map(|closest| closest.distance), nearest);
        assert_eq!(tree.any_within(from, radius, &query), closest.is_some());
        // Enough to be searched for together, and for places that are used again.
        let mut batch = [None; if cfg!(miri) { 9 } else { 50 }];
        let points = batch.map(|_| from);
        tree.closest_point_batch(&points, radius, &query, &mut batch).expect("as many");
        assert!(batch.iter().all(|near| *near == closest));
        ask_with_a_shape(tree, Sphere::new(from, radius), motion, &query);
        ask_with_a_shape(tree, Capsule::new(from, from + Vec3::Y * radius, 0.3), motion, &query);
        ask_with_a_shape(
            tree,
            Aabb::from_center_half_size(from, Vec3::splat(radius)),
            motion,
            &query,
        );
    }
}

fn ask_with_a_shape<S>(tree: &Bvh, shape: S, motion: Vec3, query: &Query)
where
    S: Copy + Into<Shape> + Into<ConvexShape>,
{
    let (mut overlaps, mut contacts) = (Vec::new(), Vec::new());
    tree.all_overlaps(shape, query, &mut overlaps);
    assert_eq!(tree.any_overlap(shape, query), !overlaps.is_empty());
    tree.all_contacts(shape, motion, query, &mut contacts);
    assert!(contacts.len() >= overlaps.len());
    assert_eq!(tree.first_contact(shape, motion, query), contacts.first().copied());
}

#[test]
#[cfg(target_endian = "little")]
fn trees_can_be_opened_in_every_way() {
    let folder = tempfile::tempdir().expect("a folder");
    for quality in [Quality::Fast, Quality::Balanced, Quality::Best] {
        let bvh = baked(quality, &hall());
        let bytes = bvh.to_bytes();
        let path = folder.path().join("tree.hbvh");
        bvh.save(&path).expect("it can be written");
        assert!(bvh == Bvh::open(&path).expect("sound"));
        assert!(bvh == Bvh::from_bytes(&bytes).expect("sound"));
        assert!(bvh == Bvh::read_from(&*bytes).expect("sound"));
        let view = Bvh::from_owner(Placed::new(&bytes, 0)).expect("sound");
        // SAFETY: the bytes come from `to_bytes`.
        let unchecked = unsafe { Bvh::from_owner_unchecked(Placed::new(&bytes, 0)) };
        let unchecked = unchecked.expect("sound");
        unchecked.validate().expect("sound");
        assert_eq!(view.user_data(), b"spawn points");
        assert!(ask(&view, 8) > 2);
        assert!(ask(&unchecked, 2) > 0);
    }
}

#[test]
#[cfg(target_endian = "little")]
fn damaged_trees_are_refused_or_sound() {
    let good = baked(Quality::Best, &hall()).to_bytes();
    let mut random = Random::new(3);
    let (mut refused, mut sound) = (0, 0);
    for _ in 0..if cfg!(miri) { 40 } else { 4000 } {
        let mut bytes = good.clone();
        // Damage in the user data may go undetected; all other damage may not.
        if random.below(4) == 0 {
            let user = bytes.len() - 64;
            bytes[user + random.below(12)] ^= 1 << random.below(8);
        } else {
            let at = random.below(bytes.len());
            bytes[at] ^= 1 << random.below(8);
        }
        repair(&mut bytes);
        match Bvh::from_bytes(&bytes) {
            Ok(bvh) => {
                sound += 1;
                bvh.validate().expect("it was let in");
                ask(&bvh, 1);
            }
            Err(_) => refused += 1,
        }
        let cut = &bytes[..random.below(bytes.len())];
        assert!(Bvh::read_from(cut).is_err());
    }
    println!("{refused} refused, {sound} sound");
    assert!(refused > 5 && sound > 0);
}

#[test]
fn trees_can_be_moved() {
    let mut bvh = baked(Quality::Best, &hall());
    assert!(bvh.content_hash().is_some());
    let turn = hitscan::glam::Affine3A::from_rotation_y(0.5);
    bvh.apply_transform(&turn).expect("it can be moved");
    bvh.validate().expect("sound");
    // A moved tree has no content hash.
    assert!(bvh.content_hash().is_none());
    assert!(ask(&bvh, 10) > 0);
}

/// A tree, its report and its hits in a user's own record and format.
#[test]
#[cfg(target_endian = "little")]
fn trees_reports_and_hits_go_through_serde() {
    #[derive(serde::Serialize, serde::Deserialize)]
    struct Save {
        name: String,
        level: Bvh,
        report: hitscan::BakeReport,
        hits: Vec<hitscan::Hit>,
    }
    let (level, report) = Builder::new().bake(&hall()).expect("sound");
    let bounds = level.bounds();
    let ray = Ray::new(bounds.center(), [0.3, -1.0, 0.2]);
    let mut hits = Vec::new();
    level.all_hits(&ray.with_range(-50.0, 50.0), &Query::new(), &mut hits);
    assert!(!hits.is_empty());
    let save = Save { name: "hall".to_owned(), level, report, hits: hits.to_vec() };
    let config = bincode::config::standard();
    let bytes = bincode::serde::encode_to_vec(&save, config).expect("encoded");
    let (back, _): (Save, usize) =
        bincode::serde::decode_from_slice(&bytes, config).expect("decoded");
    assert_eq!(back.name, "hall");
    assert!(back.level == save.level);
    assert_eq!(back.report, save.report);
    assert_eq!(back.hits, save.hits);
    for hit in &back.hits {
        assert!(back.level.triangle(hit).is_some(), "a hit finds its triangle");
    }
    // Damage inside is reported with the loader's error.
    let mut damaged = bytes;
    damaged[1000] ^= 1;
    let damaged = bincode::serde::decode_from_slice::<Save, _>(&damaged, config);
    let error = damaged.err().expect("damaged").to_string();
    assert!(error.contains("damaged"), "{error}");
}

#[test]
#[cfg(target_endian = "big")]
fn files_are_for_little_endian_machines() {
    let golden = include_bytes!("golden/v5.hbvh");
    let error = Bvh::from_bytes(golden).expect_err("bytes lie the other way round");
    assert_eq!(error.kind(), hitscan::LoadErrorKind::Endianness);
    assert!(error.to_string().contains("big-endian"), "{error}");
    let bvh = baked(Quality::Balanced, &hall());
    assert!(ask(&bvh, 4) > 0);
    let error = bvh.write_to(Vec::new()).expect_err("a big-endian machine cannot write it");
    assert_eq!(error.kind(), std::io::ErrorKind::Unsupported);
}
