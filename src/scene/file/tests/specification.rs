//! The specification (the documentation of [`crate::scene::file`]) held against the code: every
//! table of the page is read from its source and compared with the bytes of a file and with the
//! records.

use std::mem::offset_of;

use super::scene;
use crate::file::checksum;
use crate::file::tests::page::{Page, check_field, number, power, read};
use crate::geometry::InstanceTransform;
use crate::scene::file::FORMAT_VERSION;
use crate::scene::file::header::HEADER_LENGTH;
use crate::scene::file::instances::InstanceRecord;
use crate::scene::file::trees::TreeRecord;
use crate::scene::file::volumes::VolumeRecord;
use crate::scene::slots::{MAX_INSTANCES, MAX_NAME};

fn page() -> Page {
    Page::new(include_str!("../mod.rs"))
}

#[test]
fn the_header_is_as_the_page_says() {
    let bytes = scene().to_bytes();
    let rows = page().fields("\n# Header\n", HEADER_LENGTH);
    let names = [
        "magic",
        "endianness word",
        "format version",
        "header checksum",
        "header length",
        "section count",
        "total length",
        "section table",
    ];
    assert!(rows.iter().map(|row| &row.2).eq(names));
    for row in rows {
        let is_checked = check_field(&bytes, &row, HEADER_LENGTH);
        let (offset, size, name, value) = row;
        match &*name {
            "section table" => assert_eq!((offset, size), (40, 4 * 40)),
            _ => assert!(is_checked, "{name}"),
        }
        if name == "format version" {
            assert_eq!(number(&value), Some(FORMAT_VERSION.into()));
        }
    }
}

#[test]
fn the_sections_are_as_the_page_says() {
    let bytes = scene().to_bytes();
    let text = page().text();
    assert!(text.contains("An entry of the section table, at 40 + 40 × index, is"));
    // Its fields are as in a tree's file.
    let entry = Page::new(include_str!("../../../file/mod.rs"));
    let entry = entry.fields("An entry of the section table", 40);
    let sections = page().table("\n# Sections\n");
    let first = text
        .split_once("The first starts at ")
        .and_then(|(_, rest)| rest.split(',').next()?.parse().ok());
    let mut end: u64 = first.expect("where the first section starts");
    let sizes =
        [size_of::<TreeRecord>(), size_of::<InstanceRecord>(), size_of::<VolumeRecord>(), 1];
    assert_eq!(sections.len(), sizes.len());
    for (index, (row, title)) in
        sections.iter().zip(["trees", "instances", "volumes", "names"]).enumerate()
    {
        assert!(row[2].starts_with(title), "{row:?}");
        let value = |field: usize| {
            let (offset, size, ..) = entry[field];
            read(&bytes, 40 + 40 * index + offset, size)
        };
        assert_eq!(number(&row[0]), Some(value(0)), "{title}");
        assert_eq!(number(&row[1]), Some(value(1)), "{title}");
        assert_eq!(value(1), sizes[index] as u64, "{title}");
        assert_eq!(value(2), end, "{title}");
        assert_eq!(value(3), value(1) * value(4), "{title}");
        let section = &bytes[end as usize..(end + value(3)) as usize];
        assert_eq!(value(5), checksum(section), "{title}");
        end = (end + value(3)).next_multiple_of(64);
    }
    // Then the embedded trees.
    let trees = read(&bytes, 40 + 16, 8) as usize / size_of::<TreeRecord>();
    assert_eq!(trees, 2);
    for record in (0..trees).map(|tree| 256 + 32 * tree) {
        assert_eq!(read(&bytes, record, 8), 1);
        assert_eq!(read(&bytes, record + 8, 8), end);
        assert_eq!(&bytes[end as usize..][..5], b"\x89HBVH");
        assert_eq!(read(&bytes, record + 24, 8), read(&bytes, end as usize + 16, 8));
        end += read(&bytes, record + 16, 8);
    }
    assert_eq!(end, bytes.len() as u64);
}

#[test]
fn the_records_are_as_the_page_says() {
    let offsets = |after: &str, whole: usize| {
        let rows = page().fields(after, whole).into_iter();
        rows.map(|(offset, _, name, _)| (name, offset)).collect::<Vec<_>>()
    };
    let expected = |fields: &[(&str, usize)]| {
        let fields = fields.iter().map(|&(name, offset)| (name.to_owned(), offset));
        fields.collect::<Vec<_>>()
    };
    assert_eq!(
        offsets("**A tree** (32 bytes)", size_of::<TreeRecord>()),
        expected(&[
            ("kind", offset_of!(TreeRecord, kind)),
            ("name_length", offset_of!(TreeRecord, name_length)),
            ("offset", offset_of!(TreeRecord, offset)),
            ("length", offset_of!(TreeRecord, length)),
            ("checksum", offset_of!(TreeRecord, checksum)),
        ])
    );
    assert_eq!(
        offsets("**An instance** (72 bytes)", size_of::<InstanceRecord>()),
        expected(&[
            ("linear", offset_of!(InstanceRecord, transform)),
            ("translation", offset_of!(InstanceRecord, transform) + 36),
            ("body", offset_of!(InstanceRecord, body)),
            ("mask", offset_of!(InstanceRecord, mask)),
            ("user_id", offset_of!(InstanceRecord, user_id)),
            ("flags", offset_of!(InstanceRecord, flags)),
            ("name_length", offset_of!(InstanceRecord, name_length)),
        ])
    );
    assert_eq!(
        offsets("**A volume** (80 bytes)", size_of::<VolumeRecord>()),
        expected(&[
            ("kind", offset_of!(VolumeRecord, kind)),
            ("zero", offset_of!(VolumeRecord, zero)),
            ("numbers", offset_of!(VolumeRecord, numbers)),
        ])
    );
}

#[test]
fn the_limits_are_as_the_page_says() {
    let text = page().text();
    let instances = power(MAX_INSTANCES as usize);
    assert!(text.contains(&format!("At most {instances} instances")));
    assert_eq!(MAX_NAME, 65_535);
    assert!(text.contains("an instance's of at most 65,535 bytes"));
    let amplification = power(InstanceTransform::MAX_AMPLIFICATION as usize);
    assert!(text.contains(&format!("added up in order, is at most {amplification}.")));
    assert_eq!(InstanceTransform::SIZES, [(-60f32).exp2(), 60f32.exp2()]);
    assert!(text.contains("least 2⁻⁶⁰ and at most 2⁶⁰"));
}
