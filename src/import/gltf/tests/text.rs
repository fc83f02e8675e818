//! Text that is not quite JSON in UTF-8, and URIs.

use super::{chunk, document, fails, glb, import_json};
use crate::import::{Format, Import, ImportErrorKind};

const MEMBERS: &str = r#""accessors":[{"bufferView":0,"componentType":5126,"count":3,
    "type":"VEC3"}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
    "nodes":[{"mesh":0,"name":"NAME"}]"#;

fn text() -> Vec<u8> {
    document(MEMBERS).into_bytes()
}

fn with_name(name: &[u8]) -> Vec<u8> {
    let text = text();
    let at = text.windows(4).position(|four| four == b"NAME").unwrap();
    [&text[..at], name, &text[at + 4..]].concat()
}

/// The name of the only mesh, and the warnings.
fn name(json: &[u8]) -> (String, Vec<String>) {
    let bytes = super::glb_of(json, &chunk());
    let import = Import::from_bytes(&bytes, Format::Gltf, "a.glb", None).unwrap();
    assert_eq!(import.meshes[0].positions, [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.]]);
    (import.meshes[0].name.clone(), import.warnings)
}

#[test]
fn names_that_are_not_utf8_are_repaired() {
    for (raw, expected, told) in [
        (&b"caf\xe9"[..], "caf\u{fffd}", true),
        (b"\xa3", "\u{fffd}", true),
        (b"a\xff\xfeb\xc3", "a\u{fffd}\u{fffd}b\u{fffd}", true),
        ("caf\u{e9}".as_bytes(), "caf\u{e9}", false),
        // Half a surrogate pair.
        (br"a\ud83db", "a\u{fffd}\u{fffd}\u{fffd}b", false),
        (br"\ud83d\ude00", "\u{1f600}", false),
    ] {
        let json = with_name(raw);
        let (name, warnings) = name(&json);
        assert_eq!(name, expected);
        let at = 20 + json.iter().position(|&byte| byte >= 0x80).unwrap_or_default();
        let told = told.then(|| {
            format!("a.glb: byte {at}: this is not UTF-8; wrong bytes are read as U+FFFD")
        });
        assert_eq!(warnings, Vec::from_iter(told));
    }
    let extras = document(&format!(r#"{MEMBERS},"extras":{{"EXTRAS":"EXTRAS"}}"#));
    let mut extras = extras.into_bytes();
    extras.iter_mut().filter(|byte| **byte == b'X').for_each(|byte| *byte = 0xe4);
    assert_eq!(name(&extras).0, "NAME");
    // A key of an object that is looked at.
    let key = document(&MEMBERS.replace(r#""name""#, r#""\udc00":1,"name""#));
    assert_eq!(name(key.as_bytes()).0, "NAME");
}

#[test]
fn padding_and_byte_order_marks_are_accepted() {
    let json = text();
    let mark = b"\xef\xbb\xbf";
    for json in [
        [&json[..], b"\0\0\0"].concat(),
        [&json[..], b" \0 \0\n"].concat(),
        [&mark[..], &json].concat(),
        [&mark[..], &json, b"\0"].concat(),
        [b"\r\n\t ", &json[..]].concat(),
    ] {
        assert_eq!(name(&json), ("NAME".into(), vec![]));
    }
    // The place counts the mark.
    let marked = [&mark[..], &with_name(b"\xe4")].concat();
    let at = 20 + marked.iter().position(|&byte| byte == 0xe4).unwrap();
    assert!(name(&marked).1[0].starts_with(&format!("a.glb: byte {at}: this is not UTF-8")));
    // In a text file too.
    let data = r#""uri":"data:;base64,AAAAAQAAAAEA","byteLength""#;
    let text =
        String::from_utf8(text()).unwrap().replace(r#""byteLength":80"#, &format!("{data}:9"));
    let text = text.replace("5126", "5121").replace(r#""byteLength":60"#, r#""byteLength":9"#);
    let [one, two] = [format!("\u{feff}{text}\0"), text].map(|text| {
        let import = Import::from_bytes(text.as_bytes(), Format::Gltf, "a.gltf", None);
        import.unwrap().meshes.remove(0).positions
    });
    assert_eq!(one, two);
}

#[test]
fn utf16_is_read() {
    let json = String::from_utf8(with_name("\u{e9}\u{1f600}".as_bytes())).unwrap();
    for (mark, order) in
        [(b"\xff\xfe", u16::to_le_bytes as fn(u16) -> [u8; 2]), (b"\xfe\xff", u16::to_be_bytes)]
    {
        let bytes: Vec<u8> = json.encode_utf16().flat_map(order).collect();
        let (name, warnings) = name(&[&mark[..], &bytes].concat());
        assert_eq!(name, "\u{e9}\u{1f600}");
        assert_eq!(warnings, ["a.glb: byte 20: this is UTF-16 instead of UTF-8"]);
    }
}

#[test]
fn control_characters_in_strings_are_spaces() {
    let (found, warnings) = name(&with_name(b"a\n\tb\x01"));
    assert_eq!(found, "a  b ");
    assert_eq!(warnings, ["a.glb: document: control characters in strings are read as spaces"]);
    // Other errors keep their place.
    let (kind, text) = fails(import_json("{\n\"a\": \"\n\", oops}"));
    assert_eq!(kind, ImportErrorKind::Syntax);
    assert!(text.starts_with("a.glb: line 2 column "), "{text}");
}

#[test]
fn the_version_may_be_a_number() {
    for version in ["2.0", "2", r#""2""#, r#""2.0""#, r#""2.1""#, r#"2.0,"minVersion":2.0"#] {
        let json = document(MEMBERS).replace(r#""2.0""#, version);
        assert_eq!(name(json.as_bytes()).0, "NAME", "{version}");
    }
    for version in ["1.0", r#""1.1""#, "20", r#""2.1","minVersion":2.1"#] {
        let json = document(MEMBERS).replace(r#""2.0""#, version);
        assert_eq!(fails(import_json(&json)).0, ImportErrorKind::Unsupported, "{version}");
    }
}

#[test]
fn uris_as_exporters_write_them_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("model");
    std::fs::create_dir_all(inside.join("bin")).unwrap();
    for path in ["model/a.bin", "model/bin/a.bin", "model/a b.bin", "model/c%20d.bin", "out.bin"] {
        std::fs::write(folder.path().join(path), chunk()).unwrap();
    }
    let read = |uri: &str| {
        let uri = uri.replace('\\', r"\\");
        let json = document(MEMBERS)
            .replace(r#""byteLength":80"#, &format!(r#""byteLength":80,"uri":"{uri}""#));
        Import::from_bytes(json.as_bytes(), Format::Gltf, "a.gltf", Some(&inside))
    };
    for uri in [
        r"bin\a.bin",
        r".\a.bin",
        r".\bin\..\a.bin",
        "bin/../a.bin",
        "not-there/../a.bin",
        "./bin//a.bin",
        "a%20b.bin",
        "a b.bin",
        "c%20d.bin",
        "a.bin?v=3",
        "bin/a.bin#part",
    ] {
        assert_eq!(read(uri).unwrap().meshes[0].positions[1], [1., 0., 0.], "{uri}");
    }
    for uri in [r"..\out.bin", "bin/../../out.bin", r"bin\..\..\out.bin", "%2e%2e/out.bin"] {
        // The encoded one may still be a file's own name.
        let kind =
            if uri.starts_with('%') { ImportErrorKind::Io } else { ImportErrorKind::Unsupported };
        assert_eq!(fails(read(uri)).0, kind, "{uri}");
    }
    assert_eq!(fails(read("missing.bin")).0, ImportErrorKind::Io);
}

#[test]
fn data_uris_with_line_ends_are_read() {
    for data in [
        "data:;base64,AAAAAQAA\\r\\nAAEA",
        "data:;base64,AAAAAQAA\nAAEA",
        "data:application/octet-stream,%00%00%00%01%00%00%00%01%00",
        "data:application/gltf-buffer;base64,AAAAAQ%41AAAEA",
    ] {
        let json = format!(
            r#"{{"asset":{{"version":"2.0"}},"buffers":[{{"byteLength":9,"uri":"{data}"}}],
            "bufferViews":[{{"buffer":0,"byteLength":9}}],"nodes":[{{"mesh":0}}],"meshes":[
            {{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],"accessors":[
            {{"bufferView":0,"componentType":5121,"count":3,"type":"VEC3"}}]}}"#
        );
        let import = Import::from_bytes(&glb(&json, &[]), Format::Gltf, "a.glb", None).unwrap();
        assert_eq!(import.meshes[0].positions, [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.]]);
    }
}
