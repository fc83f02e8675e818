//! The specification (the documentation of [`crate::file`]) held against the code: every table of
//! the page is read from its source and compared with the bytes of a file and with the records.

use std::mem::offset_of;

use xxhash_rust::xxh3::xxh3_64;

use super::page::{Page, check_field, number, power, read};
use super::tree;
use crate::bvh::{
    BakeSummary, FORMAT_VERSION, LeafBlock, MAX_BLOCKS, MAX_DEPTH, MAX_NODES, METADATA_LIMIT,
    MeshRecord, Metadata, Node, Quality, Source, UNUSED_COORDINATE,
};
use crate::file::checksum::PIECE;

/// The page.
fn page() -> Page {
    Page::new(include_str!("../mod.rs"))
}

#[test]
fn the_header_is_as_the_page_says() {
    let tree = tree(20);
    let bytes = tree.to_bytes();
    let rows = page().fields("\n# Header\n", 304);
    let names = [
        "magic",
        "endianness word",
        "format version",
        "header checksum",
        "metadata codec",
        "tree layout",
        "header length",
        "section count",
        "total length",
        "source hash",
        "content hash",
        "section table",
    ];
    assert!(rows.iter().map(|row| &row.2).eq(names));
    for row in rows {
        let is_checked = check_field(&bytes, &row, 304);
        let (offset, size, name, value) = row;
        let found = || read(&bytes, offset, size);
        match &*name {
            "source hash" => {
                let sources = crate::bvh::Metadata::decode(&tree.metadata).expect("sound").sources;
                assert_eq!(found(), crate::bvh::source_hash(&sources));
            }
            "content hash" => assert_eq!(found(), tree.content_hash),
            "section table" => assert_eq!(size, 6 * 40),
            _ => assert!(is_checked, "{name}"),
        }
        if name == "format version" {
            assert_eq!(number(&value), Some(FORMAT_VERSION.into()));
        }
    }
}

#[test]
fn the_section_table_is_as_the_page_says() {
    let tree = tree(20);
    let bytes = tree.to_bytes();
    assert!(page().text().contains("An entry of the section table, at 64 + 40 × index:"));
    let entry = page().fields("An entry of the section table", 40);
    let names = ["kind", "element size", "offset", "length", "count", "checksum"];
    assert!(entry.iter().map(|row| &row.2).eq(names));

    let sections = page().table("\n# Sections\n");
    let titles = ["metadata", "nodes", "leaf blocks", "mesh table", "materials", "user data"];
    assert_eq!(sections.len(), titles.len());
    let sizes = [1, size_of::<Node>(), size_of::<LeafBlock>(), size_of::<MeshRecord>(), 4, 1];
    let first = page().text().split_once("The first starts at ").and_then(|(_, rest)| {
        number(rest.trim_start()).or_else(|| rest.split(',').next()?.parse().ok())
    });
    let mut end = first.expect("where the first section starts");
    for (index, (row, title)) in sections.iter().zip(titles).enumerate() {
        assert!(row[2].starts_with(title), "{row:?}");
        let value = |field: usize| {
            let (offset, size, ..) = entry[field];
            read(&bytes, 64 + 40 * index + offset, size)
        };
        assert_eq!(number(&row[0]), Some(value(0)), "{title}");
        assert_eq!(number(&row[1]), Some(value(1)), "{title}");
        assert_eq!(value(1), sizes[index] as u64, "{title}");
        assert_eq!(value(2), end, "{title}");
        assert_eq!(value(3), value(1) * value(4), "{title}");
        let section = &bytes[end as usize..(end + value(3)) as usize];
        let pieces = section.chunks(PIECE).flat_map(|piece| xxh3_64(piece).to_le_bytes());
        assert_eq!(value(5), xxh3_64(&pieces.collect::<Vec<u8>>()), "{title}");
        end = (end + value(3)).next_multiple_of(64);
    }
    assert_eq!(end, bytes.len() as u64);
    let piece = page().text().split_once("pieces of ").and_then(|(_, rest)| number(rest));
    assert_eq!(piece, Some(PIECE as u64));
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
        offsets("**A node** (448 bytes)", size_of::<Node>()),
        expected(&[
            ("min", offset_of!(Node, min)),
            ("max", offset_of!(Node, max)),
            ("child", offset_of!(Node, child)),
        ])
    );
    assert_eq!(
        offsets("**A leaf block** (320 bytes)", size_of::<LeafBlock>()),
        expected(
            &[("vertices", offset_of!(LeafBlock, vertex)), ("id", offset_of!(LeafBlock, id)),]
        )
    );
    assert_eq!(
        offsets("**A mesh** (40 bytes)", size_of::<MeshRecord>()),
        expected(&[
            ("first_triangle", offset_of!(MeshRecord, first_triangle)),
            ("triangle_count", offset_of!(MeshRecord, triangle_count)),
            ("vertex_count", offset_of!(MeshRecord, vertex_count)),
            ("mask", offset_of!(MeshRecord, mask)),
            ("user_id", offset_of!(MeshRecord, user_id)),
            ("index_hash", offset_of!(MeshRecord, index_hash)),
            ("flags", offset_of!(MeshRecord, flags)),
            ("reserved", offset_of!(MeshRecord, reserved)),
        ])
    );
    assert!(
        page().text().contains(&format!("coordinates with the bits {UNUSED_COORDINATE:#010x}"))
    );
}

/// The paragraph about metadata, followed word by word, gives the encoded record.
#[test]
fn the_metadata_is_as_the_page_says() {
    let text = page().text();
    let (_, rest) = text.split_once("The fields: ").expect("the paragraph");
    let (paragraph, _) = rest.split_once("A node (").expect("the next one");
    let record = Metadata {
        builder: "hitscan of the page".to_owned(),
        quality: Quality::Best,
        spatial_budget: 0.25,
        sources: vec![Source { name: "hall.glb".to_owned(), hash: 0x0123_4567_89ab_cdef }],
        mesh_names: vec!["Wände".to_owned(), String::new()],
        material_names: vec!["Öl".to_owned()],
        summary: BakeSummary {
            triangles_in: 11,
            triangles_kept: 10,
            references: 12,
            skipped_degenerate: 1,
            skipped_non_finite: 2,
            skipped_out_of_range: 3,
            nodes: 4,
            leaves: 5,
            depth: 6,
            sah_cost: 7.5,
            tree_bytes: 8,
        },
    };
    let mut bytes = Vec::new();
    let long = |bytes: &mut Vec<u8>, number: u64| bytes.extend(number.to_le_bytes());
    let write = |bytes: &mut Vec<u8>, text: &str| {
        long(bytes, text.len() as u64);
        bytes.extend(text.as_bytes());
    };
    let summary = &record.summary;
    let words = paragraph.split(|c: char| !c.is_alphanumeric() && c != '_');
    // The word `depth` is also in the sentence about nodes, `nodes` is a field of the summary.
    for word in words {
        match word {
            "builder" => write(&mut bytes, &record.builder),
            "quality" => bytes.extend(2u32.to_le_bytes()),
            "spatial_budget" => bytes.extend(record.spatial_budget.to_le_bytes()),
            "sources" => {
                long(&mut bytes, 1);
                write(&mut bytes, &record.sources[0].name);
                long(&mut bytes, record.sources[0].hash);
            }
            "mesh_names" | "material_names" => {
                let names =
                    if word == "mesh_names" { &record.mesh_names } else { &record.material_names };
                long(&mut bytes, names.len() as u64);
                names.iter().for_each(|name| write(&mut bytes, name));
            }
            "triangles_in" => long(&mut bytes, summary.triangles_in),
            "triangles_kept" => long(&mut bytes, summary.triangles_kept),
            "references" => long(&mut bytes, summary.references),
            "skipped_degenerate" => long(&mut bytes, summary.skipped_degenerate),
            "skipped_non_finite" => long(&mut bytes, summary.skipped_non_finite),
            "skipped_out_of_range" => long(&mut bytes, summary.skipped_out_of_range),
            "nodes" => long(&mut bytes, summary.nodes),
            "leaves" => long(&mut bytes, summary.leaves),
            "depth" => bytes.extend(summary.depth.to_le_bytes()),
            "sah_cost" => bytes.extend(summary.sah_cost.to_le_bytes()),
            "tree_bytes" => long(&mut bytes, summary.tree_bytes),
            _ => assert!(!word.contains('_'), "`{word}` is not in the record"),
        }
    }
    assert_eq!(bytes, record.encode().expect("small"));
    for (quality, name) in
        [(Quality::Fast, "0: fast"), (Quality::Balanced, "1: balanced"), (Quality::Best, "2: best")]
    {
        assert!(paragraph.contains(name));
        let record = Metadata { quality, ..Metadata::default() };
        assert_eq!(record.encode().expect("small")[8], quality as u8);
    }
}

#[test]
fn the_limits_are_as_the_page_says() {
    let text = page().text();
    let limits = format!(
        "At most {} bytes of metadata, {} nodes, {} leaf blocks, 2³² - 1 meshes, 2³² - 1 \
         materials, 2⁴⁰ bytes of user data",
        power(METADATA_LIMIT),
        power(MAX_NODES),
        power(MAX_BLOCKS),
    );
    assert!(text.contains(&limits), "{limits}");
    assert!(text.contains(&format!("at most {MAX_DEPTH} levels of nodes")));
}
