//! The ways in and out.

use std::fs;
use std::io;

use super::*;
use crate::error::LoadErrorKind;
use crate::file::Aligned;
use crate::geometry::Ray;
use crate::scene::body::Body;
use crate::traverse::{Hit, Query};

/// All hits of some rays.
fn hits(scene: &Scene) -> Vec<Hit> {
    let (mut all, mut list) = (Vec::new(), Vec::new());
    for i in 0..2000 {
        let (x, y) = ((i % 100) as f32 * 0.7 - 5.0, (i / 100) as f32 * 0.7 - 13.0);
        let ray = Ray::new([x, y, -90.0], [0.01, 0.03, 1.0]);
        scene.snapshot().all_hits(&ray, &Query::new(), &mut list);
        all.extend(list.iter().copied());
    }
    assert!(all.len() > 50);
    all
}

/// Bytes on a 64-byte boundary.
struct Owner(Vec<Aligned<[u8; 64]>>);

impl Owner {
    fn new(bytes: &[u8]) -> Self {
        let (lines, rest) = bytes.as_chunks();
        assert!(rest.is_empty());
        Self(lines.iter().map(|line| Aligned(*line)).collect())
    }
}

impl AsRef<[u8]> for Owner {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: 64 bytes each, one behind the other, all of them bytes.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), 64 * self.0.len()) }
    }
}

#[test]
fn every_door_gives_the_same_scene() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("level.hscn");
    for mut scene in [scene(), Scene::new()] {
        scene.save(&path).unwrap();
        let bytes = scene.to_bytes();
        assert!(fs::read(&path).unwrap() == bytes);
        let mut written = Vec::new();
        scene.write_to(&mut written).unwrap();
        assert!(written == bytes);
        let doors = [
            Scene::open(&path),
            Scene::read_from(&bytes[..]),
            Scene::from_bytes(&bytes),
            Scene::from_bytes_with(&bytes, |_| panic!("nothing is beside it")),
            Scene::from_owner(Owner::new(&bytes)),
        ];
        scene.commit();
        for door in doors {
            let door = door.unwrap();
            assert_eq!((door.len(), door.snapshot().commit_number()), (scene.len(), 1));
            assert!(door.instances().eq(scene.instances()));
            for id in scene.instances() {
                let (a, b) = (scene.instance(id).unwrap(), door.instance(id).unwrap());
                assert!(same(&a.body, &b.body) && a.transform == b.transform && a.name == b.name);
                assert_eq!((a.mask, a.user_id), (b.mask, b.user_id));
                assert_eq!(scene.is_enabled(id).unwrap(), door.is_enabled(id).unwrap());
                assert_eq!(scene.snapshot().name(id), door.snapshot().name(id));
            }
            assert!(door.to_bytes() == bytes);
            if !scene.is_empty() {
                assert_eq!(hits(&door), hits(&scene));
            }
        }
    }
}

#[test]
fn handles_close_up_in_their_order() {
    let mut scene = scene();
    let ids: Vec<_> = scene.instances().collect();
    scene.remove(ids[0]).unwrap();
    scene.remove(ids[2]).unwrap();
    let late = scene.insert(Instance::new(tree(3)).with_name("late")).unwrap();
    assert_eq!(late.slot, 0);
    let loaded = Scene::from_bytes(&scene.to_bytes()).unwrap();
    let pairs: Vec<_> = scene.instances().zip(loaded.instances()).collect();
    assert_eq!(pairs.len(), 8);
    scene.commit();
    let moved = hits(&scene).into_iter().map(|hit| {
        let new = pairs.iter().find(|(old, _)| *old == hit.instance).unwrap().1;
        Hit { instance: new, ..hit }
    });
    assert!(moved.eq(hits(&loaded)));
    let slots: Vec<_> = loaded.instances().map(|id| (id.slot, id.generation.get())).collect();
    assert!(slots.into_iter().eq((0..8).map(|slot| (slot, 1))));
    assert_eq!(loaded.find("late").map(|id| id.slot), Some(0));
    assert_eq!(loaded.find("door").map(|id| id.slot), Some(3));
    assert_eq!(loaded.find("window"), None);
}

/// The bytes follow from the scene's contents: not from handles, commits or who shares a tree.
#[test]
fn the_same_scene_gives_the_same_bytes() {
    let plain = scene().to_bytes();
    let mut other = Scene::new();
    let old: Vec<_> = (0..3).map(|_| other.insert(Instance::new(tree(7))).unwrap()).collect();
    other.commit();
    old.into_iter().for_each(|id| other.remove(id).unwrap());
    for id in scene().instances() {
        let instance = scene().instance(id).unwrap();
        let body = match instance.body {
            // A tree of the same contents in other memory.
            Body::Bvh(bvh) => Bvh::from_bytes(&bvh.to_bytes()).unwrap().into(),
            volume => volume,
        };
        let new = other.insert(Instance { body, ..instance }).unwrap();
        if !scene().is_enabled(id).unwrap() {
            other.disable(new).unwrap();
        }
        other.commit();
    }
    assert!(other.to_bytes() == plain);
}

#[test]
fn trees_beside_are_found_and_checked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("level.hscn");
    let (whole, mut asked) = (scene().to_bytes(), 0);
    let beside = |bvh: &Bvh| {
        asked += 1;
        let name = format!("rows {asked}.hbvh");
        bvh.save(folder.path().join(&name)).unwrap();
        Some(name)
    };
    scene().save_with_references(&path, beside).unwrap();
    assert_eq!(asked, 2);
    let bytes = fs::read(&path).unwrap();
    assert!(bytes.len() < 1500 && bytes.len() < whole.len());
    assert!(Scene::open(&path).unwrap().to_bytes() == whole);
    // As a path without a folder, below it: the same.
    let found = |name: &str| Bvh::open(folder.path().join(name)).ok();
    assert!(Scene::from_bytes_with(&bytes, found).unwrap().to_bytes() == whole);

    let refused = |words: &str| {
        let error = Scene::open(&path).unwrap_err();
        assert_eq!(error.kind(), LoadErrorKind::Reference, "{error}");
        let start = format!("{}: tree 1: `rows 2.hbvh`: ", path.display());
        assert!(error.to_string().starts_with(&start), "{error}");
        assert!(error.to_string().contains(words), "{error}");
        let error = Scene::from_bytes_with(&bytes, found).unwrap_err();
        assert_eq!(error.kind(), LoadErrorKind::Reference, "{error}");
    };
    let second = folder.path().join("rows 2.hbvh");
    let good = fs::read(&second).unwrap();
    tree(4).save(&second).unwrap();
    refused("it is another tree than the one");
    let mut same_length = Bvh::from_bytes(&good).unwrap();
    same_length.set_mask(0, 1);
    same_length.save(&second).unwrap();
    assert_eq!(fs::metadata(&second).unwrap().len(), good.len() as u64);
    refused("its header checksum is");
    fs::remove_file(&second).unwrap();
    refused("it is not");
    fs::create_dir(&second).unwrap();
    refused("it is not");
    fs::remove_dir(&second).unwrap();
    let mut damaged = good.clone();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(&second, damaged).unwrap();
    let error = Scene::open(&path).unwrap_err();
    assert_eq!(error.kind(), LoadErrorKind::Invalid, "{error}");

    for error in [Scene::from_bytes(&bytes), Scene::read_from(&bytes[..])] {
        let error = error.unwrap_err();
        assert_eq!(error.kind(), LoadErrorKind::Reference);
        assert!(error.to_string().contains("Scene::from_bytes_with"), "{error}");
    }
}

/// A reference can name a file in the scene's folder, and nothing else.
#[test]
fn no_name_leads_out_of_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    tree(20).save(folder.path().join("a.hbvh")).unwrap();
    let absolute = folder.path().join("a.hbvh").display().to_string();
    let long = "n".repeat(256);
    let names = [
        "../a.hbvh",
        "..",
        ".",
        "",
        "/a.hbvh",
        "\\a.hbvh",
        "..\\a.hbvh",
        "C:a.hbvh",
        "inner/a.hbvh",
        "a\0b",
        "a\nb",
        "a\u{7f}",
        "a\u{9f}",
        &absolute,
        &long,
    ];
    let path = inner.join("level.hscn");
    for name in names {
        let error = scene().save_with_references(&path, |_| Some(name.to_owned())).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{name}: {error}");
        assert!(error.to_string().starts_with(&path.display().to_string()), "{error}");
        assert!(!path.exists());
        // Nor can it be forged.
        let mut names = [Some("a.hbvh".to_owned()), None].into_iter();
        scene().save_with_references(&path, |_| names.next().flatten()).unwrap();
        let mut parts = Parts::of(&fs::read(&path).unwrap());
        parts.names.splice(..6, name.bytes());
        parts.trees[0].name_length = name.len() as u32;
        parts.trees[1].offset = trees_start([64, 9 * 72, 4 * 80, parts.names.len()]);
        fs::write(&path, parts.to_bytes()).unwrap();
        let error = Scene::open(&path).unwrap_err().to_string();
        assert!(error.contains("(invariant I8)"), "{name}: {error}");
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn foreign_files_are_called_by_their_names() {
    let tree_file = tree(3).to_bytes();
    for (bytes, words) in [
        (&b""[..], "is empty (0 bytes), not a scene"),
        (b"\x89HS", "cut off"),
        (b"\x89HSCN\r\n\x1a", "endianness word"),
        (&tree_file, "this is a baked tree, not a scene"),
        (b"glTF\x02\0\0\0", "GLB"),
        (b"\x89HSCN\n\x1a\x01\x02", "line ends"),
        (b"\x89HSCN\r\r\n\x1a\x01\x02", "line ends"),
        (b"\xef\xbf\xbdHSCN\r\n\x1a", "read it as text"),
        (b"\0\0\0\0", "this is not a scene: it begins with the bytes 00 00 00 00 (hex"),
    ] {
        let error = Scene::from_bytes(bytes).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(Scene::read_from(bytes).unwrap_err().to_string(), error.to_string());
    }
    let error = Bvh::from_bytes(&scene().to_bytes()).unwrap_err();
    assert_eq!(error.kind(), LoadErrorKind::NotHitscan);
    assert!(error.to_string().contains("open it with `Scene::open`"), "{error}");

    let mut bytes = scene().to_bytes();
    bytes[8..12].reverse();
    let error = Scene::from_bytes(&bytes).unwrap_err();
    assert_eq!(error.kind(), LoadErrorKind::Endianness);
    for version in [0, 1, 3, u32::MAX] {
        let mut bytes = scene().to_bytes();
        bytes[12..16].copy_from_slice(&version.to_le_bytes());
        let error = Scene::from_bytes(&bytes).unwrap_err();
        assert_eq!(error.kind(), LoadErrorKind::Version);
        assert!(error.to_string().contains("rebake"), "{error}");
    }
}

#[test]
fn files_that_are_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none.hscn");
    for (path, words) in [(&path, "cannot open"), (&folder.path().to_owned(), "a folder")] {
        let error = Scene::open(path).unwrap_err();
        assert_eq!(error.kind(), LoadErrorKind::Io);
        assert!(error.to_string().starts_with(&path.display().to_string()), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
    let error = scene().save(folder.path()).unwrap_err();
    assert!(error.to_string().contains("it is a folder"), "{error}");
}

#[test]
fn misaligned_bytes_are_refused_in_place() {
    struct Shifted(Owner, usize);
    impl AsRef<[u8]> for Shifted {
        fn as_ref(&self) -> &[u8] {
            &self.0.as_ref()[32..32 + self.1]
        }
    }
    for scene in [scene(), Scene::new()] {
        let bytes = scene.to_bytes();
        let shifted = [&[0; 32][..], &bytes, &[0; 32]].concat();
        let error = Scene::from_owner(Shifted(Owner::new(&shifted), bytes.len())).unwrap_err();
        assert_eq!(error.kind(), LoadErrorKind::Misaligned, "{error}");
    }
}

/// An owner whose bytes are others each time.
#[test]
fn an_owner_that_changes_its_mind_is_refused_or_sound() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    struct Fickle(Owner, Owner, usize, AtomicUsize);
    impl AsRef<[u8]> for Fickle {
        fn as_ref(&self) -> &[u8] {
            let asked = self.3.fetch_add(1, Ordering::Relaxed);
            if asked < self.2 { self.0.as_ref() } else { self.1.as_ref() }
        }
    }
    let bytes = scene().to_bytes();
    for others in [Vec::new(), vec![0; bytes.len()], bytes[64..].to_vec()] {
        for times in 1..3 {
            let owner = (Owner::new(&bytes), Owner::new(&others));
            let owner = Fickle(owner.0, owner.1, times, AtomicUsize::new(0));
            assert!(Scene::from_owner(owner).is_err());
        }
    }
}

fn same(one: &Body, other: &Body) -> bool {
    match (one, other) {
        (Body::Bvh(one), Body::Bvh(other)) => one == other,
        (Body::Volume(one), Body::Volume(other)) => one == other,
        _ => false,
    }
}
