//! Every way in and out gives the same tree, and refuses with the right words.

use std::io::{self, Read};

use super::*;
use crate::error::LoadErrorKind;
use crate::file::{Aligned, source_hash};

#[test]
fn every_door_gives_the_same_tree() {
    let directory = tempfile::tempdir().expect("temporary directory");
    // The last ones have their leaf blocks in one piece exactly, and in several.
    for blocks in [0, 1, 2, 16, 17, 300, 896, 3000] {
        let tree = tree(blocks).tree();
        tree.validate().expect("sound");
        let bytes = tree.to_bytes();
        assert_eq!(bytes, tree.to_bytes());
        assert_eq!(bytes.len() % 64, 0);
        let mut written = Vec::new();
        tree.write_to(&mut written).expect("written");
        assert_eq!(bytes, written);

        assert!(tree == Bvh::from_bytes(&bytes).expect("from_bytes"));
        assert!(tree == Bvh::read_from(&*bytes).expect("read_from"));
        let in_place = Bvh::from_owner(AlignedBytes::new(&bytes)).expect("in place");
        assert!(tree == in_place);
        assert_eq!(in_place.to_bytes(), bytes);
        // SAFETY: these bytes are `to_bytes`'s.
        let unchecked = unsafe { Bvh::from_owner_unchecked(AlignedBytes::new(&bytes)) };
        assert!(tree == unchecked.expect("unchecked"));

        let path = directory.path().join("tree.hbvh");
        tree.save(&path).expect("saved");
        assert!(tree == Bvh::open(&path).expect("open"));
        #[cfg(feature = "mmap")]
        {
            use crate::file::{HugePages, MapOptions, Prefault};
            for prefault in [Prefault::WhenChecked, Prefault::Always, Prefault::Never] {
                for huge_pages in [HugePages::Never, HugePages::Prefer] {
                    let options = &MapOptions::new().prefault(prefault).huge_pages(huge_pages);
                    // SAFETY: only this test knows the file, and `save` puts another in its place.
                    let checked = unsafe { Bvh::open_mapped(&path, options) };
                    // SAFETY: as above, and `save` wrote it.
                    let unchecked = unsafe { Bvh::open_mapped_unchecked(&path, options) };
                    for mapped in [checked, unchecked] {
                        let mapped = mapped.expect("mapped");
                        assert!(tree == mapped);
                        assert_eq!(mapped.to_bytes(), bytes);
                    }
                }
            }
        }
    }
    let tree = without_meshes().tree();
    assert!(tree == Bvh::from_bytes(&tree.to_bytes()).expect("nothing at all"));
}

#[test]
fn metadata_comes_back() {
    let sections = tree(3);
    let tree = sections.tree();
    let metadata = tree.metadata();
    assert_eq!(metadata.builder, "hitscan's tests");
    assert_eq!(metadata.mesh_names, ["Wändé 0", "Wändé 1"]);
    assert_eq!(metadata.encode().expect("small"), sections.metadata);
    assert_eq!(tree.mesh_name(1), Some("Wändé 1"));
    assert_eq!(tree.mesh_name(2), None);
    assert_eq!(metadata.material_names, ["Stein", "", "Öl"]);
    let names = [0, 1, 2, 3].map(|material| tree.material_name(material));
    assert_eq!(names, [Some("Stein"), Some(""), Some("Öl"), None]);
    assert_eq!(tree.to_bytes()[48..56], source_hash(&metadata.sources).to_le_bytes());

    let broken = Sections { metadata: vec![1, 2, 3], ..sections }.tree();
    assert_eq!(broken.metadata(), Metadata::default());
    assert_eq!(broken.mesh_name(0), None);
    assert_eq!(broken.material_name(0), None);
}

/// A reader written from the specification's tables alone.
#[test]
fn bytes_are_where_the_specification_says() {
    let tree = tree(20);
    let bytes = tree.to_bytes();
    let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4"));
    let u64_at = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8"));
    assert_eq!(&bytes[..8], b"\x89HBVH\r\n\x1a");
    assert_eq!(&bytes[8..12], [1, 2, 3, 4]);
    assert_eq!([12, 24, 28, 32, 36].map(u32_at), [7, 1, 1, 304, 6]);
    assert_eq!(u64_at(16), xxhash_rust::xxh3::xxh3_64(&bytes[24..304]));
    assert_eq!(u64_at(40), bytes.len() as u64);
    assert_eq!(u64_at(56), tree.content_hash);
    assert_eq!(u64_at(64 + 8), 320);
    let entry = |index: usize| 64 + 40 * index;
    for (index, size) in [1, 448, 320, 40, 4, 1].into_iter().enumerate() {
        assert_eq!(u32_at(entry(index)), index as u32 + 1);
        assert_eq!(u32_at(entry(index) + 4), size);
        assert_eq!(u64_at(entry(index) + 8) % 64, 0);
        assert_eq!(u64_at(entry(index) + 16), u64_at(entry(index) + 24) * u64::from(size));
    }
    let section = |index: usize| u64_at(entry(index) + 8) as usize;
    let f32_at = |at: usize| f32::from_bits(u32_at(at));
    let (node, block, mesh) = (section(1) + 448, section(2) + 7 * 320, section(3) + 40);
    assert_eq!(f32_at(node + 4 * (16 + 5)), tree.nodes[1].min[1][5]);
    assert_eq!(f32_at(node + 192 + 4 * 5), tree.nodes[1].max[0][5]);
    assert_eq!(u32_at(node + 384 + 4 * 5), tree.nodes[1].child[5]);
    let corner = tree.blocks[7].vertex[2][1][0];
    assert_eq!(f32_at(block + 4 * (2 * 24 + 8)), corner);
    assert_eq!(u32_at(block + 288), tree.blocks[7].id[0]);
    assert_eq!(u32_at(mesh), tree.meshes[1].first_triangle);
    assert_eq!(u64_at(mesh + 16), 7);
    assert_eq!(u32_at(mesh + 32), MeshRecord::MATERIALS);
    assert_eq!(u32_at(section(4) + 4), 1);
    assert_eq!(&bytes[section(5)..][..tree.user.len()], tree.user);
    let text = section(0) + 8;
    assert_eq!(&bytes[text..text + 15], b"hitscan's tests");
}

#[test]
fn foreign_files_are_called_by_their_names() {
    for (bytes, words) in [
        (&b""[..], "is empty"),
        (b"\x89HB", "cut off"),
        (b"\x89HBVH\r\n\x1a", "endianness word"),
        (b"HIERARCHY\nROOT Hips", "motion capture"),
        (b"\x89PNG\r\n\x1a\n....", "PNG"),
        (b"glTF\x02\0\0\0", "GLB"),
        (b"version https://git-lfs.github.com/spec/v1", "git lfs pull"),
        (b"\x89HBVH\n\x1a\x01\x02", "line ends"),
        (b"\0\0\0\0", "the bytes 00 00 00 00 (hex"),
    ] {
        let error = Bvh::from_bytes(bytes).expect_err("foreign");
        assert!(error.to_string().contains(words), "{error}");
        let kind = error.kind();
        let truncated = ["is empty", "cut off", "endianness word"].contains(&words);
        assert_eq!(kind == LoadErrorKind::Truncated, truncated);
        assert_eq!(Bvh::read_from(bytes).expect_err("foreign").to_string(), error.to_string());
    }
}

#[test]
fn other_versions_say_rebake() {
    let good = tree(2).to_bytes();
    for (at, words) in [(12, "format version 9"), (24, "codec 9"), (28, "layout 9")] {
        let mut bytes = good.clone();
        bytes[at] = 9;
        if at > 12 {
            repair(&mut bytes);
        }
        let error = Bvh::from_bytes(&bytes).expect_err("other version");
        assert_eq!(error.kind(), LoadErrorKind::Version);
        assert!(error.to_string().contains(words), "{error}");
        assert!(error.to_string().contains("rebake"), "{error}");
    }
    let mut bytes = good;
    bytes[8..12].reverse();
    let error = Bvh::from_bytes(&bytes).expect_err("big-endian");
    assert_eq!(error.kind(), LoadErrorKind::Endianness);
}

#[test]
fn included_bytes_are_aligned() {
    static FOREIGN: &Aligned<[u8]> = &Aligned(*b"HIERARCHY");
    assert!(FOREIGN.0.as_ptr().addr().is_multiple_of(64));
    assert_eq!(&FOREIGN.0, b"HIERARCHY");
}

#[test]
fn a_misaligned_owner_is_refused() {
    // Without blocks or nodes too, where nothing would need the alignment.
    for tree in [tree(2), without_meshes()] {
        let bytes = tree.to_bytes();
        for shift in [1, 4, 8, 16, 32] {
            let mut shifted = vec![0; shift];
            shifted.extend_from_slice(&bytes);
            let aligned: &'static AlignedBytes = Box::leak(Box::new(AlignedBytes::new(&shifted)));
            let bytes = &aligned.as_ref()[shift..];
            let error = Bvh::from_owner(bytes).expect_err("misaligned");
            assert_eq!(error.kind(), LoadErrorKind::Misaligned);
            let address = format!("{:p}", bytes.as_ptr());
            assert!(error.to_string().contains(&address), "{error}");
            assert!(error.to_string().contains("multiple of 64"), "{error}");
            assert!(tree.tree() == Bvh::from_bytes(bytes).expect("copies"));
        }
    }
}

/// Gives what it has in pieces of any size, and is interrupted now and then.
struct Trickle<'a>(&'a [u8], Random);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.1.below(200).min(buffer.len());
        if length == 0 && !self.0.is_empty() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        (&mut self.0).read(&mut buffer[..length])
    }
}

#[test]
fn slow_and_failing_readers() {
    let tree = tree(40).tree();
    let bytes = tree.to_bytes();
    let trickle = Trickle(&bytes, Random(1));
    assert!(tree == Bvh::read_from(trickle).expect("in pieces"));

    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the cable is out"))
        }
    }
    let error = Bvh::read_from(bytes[..5000].chain(Failing)).expect_err("fails");
    assert_eq!(error.kind(), LoadErrorKind::Io);
    assert!(error.to_string().contains("byte 5000: the cable is out"), "{error}");
    assert!(std::error::Error::source(&error).is_some());
}

/// A header that asks for far more than comes: were it believed, this would need 120 GB.
#[test]
fn a_header_is_not_believed_about_memory() {
    let mut bytes = tree(1).to_bytes();
    let nodes = (1_u64 << 28) - 1;
    let mut offset = u64::from_le_bytes(bytes[104 + 8..104 + 16].try_into().expect("8"));
    for (entry, size, count) in
        [(104, 448, nodes), (144, 320, 1), (184, 40, 2), (224, 4, 0), (264, 1, 0)]
    {
        for (at, value) in [(8, offset), (16, size * count), (24, count)] {
            bytes[entry + at..entry + at + 8].copy_from_slice(&value.to_le_bytes());
        }
        offset = (offset + size * count).next_multiple_of(64);
    }
    bytes[40..48].copy_from_slice(&offset.to_le_bytes());
    repair(&mut bytes);
    for error in [
        Bvh::read_from(&*bytes).expect_err("cut off"),
        Bvh::from_bytes(&bytes).expect_err("cut off"),
    ] {
        assert_eq!(error.kind(), LoadErrorKind::Truncated, "{error}");
    }
}

#[test]
fn files_that_are_not_there() {
    let directory = tempfile::tempdir().expect("temporary directory");
    for path in [directory.path().to_owned(), directory.path().join("none.hbvh")] {
        let error = Bvh::open(&path).expect_err("not there");
        assert_eq!(error.kind(), LoadErrorKind::Io);
        assert!(error.to_string().starts_with(&path.display().to_string()), "{error}");
        #[cfg(feature = "mmap")]
        {
            // SAFETY: there is no such file to change.
            let error = unsafe { Bvh::open_mapped(&path, &crate::file::MapOptions::new()) };
            assert_eq!(error.expect_err("not there").kind(), LoadErrorKind::Io);
        }
    }
    let empty = directory.path().join("empty.hbvh");
    std::fs::write(&empty, b"").expect("written");
    let error = Bvh::open(&empty).expect_err("empty");
    assert_eq!(error.kind(), LoadErrorKind::Truncated);
    #[cfg(feature = "mmap")]
    {
        // SAFETY: only this test knows the file.
        let mapped = unsafe { Bvh::open_mapped_unchecked(&empty, &crate::file::MapOptions::new()) };
        assert_eq!(mapped.expect_err("empty").to_string(), error.to_string());
    }
}

#[test]
fn through_serde() {
    let tree = tree(2).tree();
    let json = serde_json::to_string(&tree).expect("serialised");
    assert!(tree == serde_json::from_str(&json).expect("deserialised"));
    let damaged = json.replacen("118", "119", 1);
    assert_ne!(json, damaged);
    assert!(serde_json::from_str::<Bvh>(&damaged).is_err());

    let config = bincode::config::standard();
    let bytes = bincode::serde::encode_to_vec(&tree, config).expect("serialised");
    let (back, _) = bincode::serde::decode_from_slice(&bytes, config).expect("deserialised");
    assert!(tree == back);
}
