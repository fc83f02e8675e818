use crate::import::{Format, Import, ImportError, ImportErrorKind};

fn import(bytes: impl AsRef<[u8]>) -> Result<Import, ImportError> {
    Import::from_bytes(bytes.as_ref(), Format::Ply, "a.ply", None)
}

const SQUARE: &str = "ply\nformat ascii 1.0\ncomment by hand\nelement vertex 4\n\
    property double y\nproperty uchar red\nproperty float x\nproperty list uchar int tags\n\
    property int z\nelement face 1\nproperty uchar flags\n\
    property list uchar int vertex_indices\nend_header\n\
    0 1 0 0 7\n0 1 1 2 5 5 7\n1 1 1 0 7\n1 1 nan 0 7\n9 4 0 1 2 3\n";

#[test]
fn text_is_read() {
    let import = import(SQUARE).unwrap();
    let mesh = &import.meshes[0];
    assert_eq!(mesh.name, "a.ply");
    assert_eq!(mesh.positions[..3], [[0., 0., 7.], [1., 0., 7.], [1., 1., 7.]]);
    assert!(mesh.positions[3][0].is_nan());
    assert_eq!(mesh.indices, Some(vec![0, 1, 2, 0, 2, 3]));
}

#[test]
fn text_is_read_with_all_line_endings() {
    for ending in ["\r\n", "\r"] {
        let text = SQUARE.replace('\n', ending);
        assert_eq!(import(text).unwrap().triangle_count(), 2, "{ending:?}");
    }
}

/// Covers all number types. The first coordinate begins with byte 10, like a line ending.
fn binary(little: bool, ending: &str) -> Vec<u8> {
    let order = if little { "little" } else { "big" };
    let mut bytes = format!(
        "ply\nformat binary_{order}_endian 1.0\nelement vertex 3\nproperty short x\n\
         property double y\nproperty ushort z\nproperty char c\nproperty uint8 d\n\
         property float e\nelement face 2\nproperty list int uint vertex_index\n\
         element edge 1\nproperty int a\nend_header{ending}"
    )
    .into_bytes();
    let mut put = |raw: &[u8]| {
        if little {
            bytes.extend(raw);
        } else {
            bytes.extend(raw.iter().rev());
        }
    };
    for vertex in 0..3_i16 {
        put(&(if little { 10 } else { 10 << 8 } + vertex).to_le_bytes());
        put(&(f64::from(vertex) + 0.1).to_le_bytes());
        put(&(65535 - vertex as u16).to_le_bytes());
        put(&[1]);
        put(&[2]);
        put(&3_f32.to_le_bytes());
    }
    for face in [&[0_u32, 1, 2][..], &[2, 1, 0, u32::MAX]] {
        put(&(face.len() as i32).to_le_bytes());
        for index in face {
            put(&index.to_le_bytes());
        }
    }
    put(&5_i32.to_le_bytes());
    bytes
}

#[test]
fn binary_is_read_in_both_byte_orders() {
    for little in [true, false] {
        for ending in ["\n", "\r\n"] {
            let import = import(binary(little, ending)).unwrap();
            let mesh = &import.meshes[0];
            let x = if little { 11.0 } else { 2561.0 };
            assert_eq!(mesh.positions[1], [x, 1.1, 65534.0]);
            let indices = vec![0, 1, 2, 2, 1, 0, 2, 0, u32::MAX];
            assert_eq!(mesh.indices, Some(indices));
        }
    }
}

#[test]
fn strips_reverse_every_second_triangle() {
    let import = import(
        "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n\
         property float z\nelement tristrips 1\nproperty list int int vertex_indices\n\
         end_header\n0 0 0\n9 0 1 2 3 -1 4 5 6 -1\n",
    )
    .unwrap();
    assert_eq!(import.meshes[0].indices, Some(vec![0, 1, 2, 2, 1, 3, 4, 5, 6]));
}

#[test]
fn errors_name_the_place() {
    use ImportErrorKind::*;
    let start = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n";
    let whole = format!(
        "{start}property float z\nelement face 1\n\
         property list float int vertex_index\nend_header\n"
    );
    for (text, kind, message) in [
        (String::new(), Syntax, "line 1: the first line is not 'ply'"),
        ("ply\nformat ascii 1.0\n".into(), Truncated, "line 2: the file ends before 'end_header'"),
        ("ply\nformat ascii 2.0\n".into(), Unsupported, "line 2: version '2.0' instead of 1.0"),
        ("ply\nelement vertex -1\n".into(), Syntax, "line 2: 'element' needs a name and a count"),
        ("ply\nproperty float x\n".into(), Syntax, "line 2: 'property' before any 'element'"),
        ("ply\nend_header\n".into(), Syntax, "line 2: the header has no line 'format'"),
        (
            "ply\nformat ascii 1.0\nend_header\n".into(),
            Invalid,
            "line 3: the header has no element 'vertex'",
        ),
        ("ply\nelement a 1\nproperty real x\n".into(), Syntax, "line 3: 'real' is not a PLY type"),
        ("ply\nwhat\n".into(), Syntax, "line 2: 'what' is not a PLY header keyword"),
        (
            format!("{start}end_header\n0 0"),
            Invalid,
            "line 3: element 'vertex' must have x, y and z, each a single number",
        ),
        (
            format!("{whole}0 0\n"),
            Truncated,
            "line 10: 1 of element 'vertex' do not fit into the 4 bytes left",
        ),
        (format!("{whole}0 0\n\nx"), Syntax, "line 12: 'x' is not a number (for vertex 0, z)"),
        (
            format!("{whole}0 0 0\n3 0 1"),
            Truncated,
            "line 11: face 0, vertex_index: a list of 3 does not fit into the 4 bytes left",
        ),
        (
            format!("{whole}0 0 0\n-3 0 1"),
            Truncated,
            "line 11: face 0, vertex_index: a list of -3 does not fit into the 4 bytes left",
        ),
        (
            format!("{whole}0 0 0\n1.5 0 1"),
            Syntax,
            "line 11: '1.5' is not a whole number (for face 0, vertex_index)",
        ),
        (
            format!("{whole}0 0 0\n3 0 1 -1"),
            OutOfRange,
            "line 11: face 0, vertex_index: -1 is not a vertex number",
        ),
    ] {
        let error = import(&text).unwrap_err();
        assert_eq!(error.to_string(), format!("a.ply: {message}"));
        assert_eq!(error.kind(), kind);
    }
}

#[test]
fn huge_counts_allocate_nothing() {
    let mut text = SQUARE.replace("vertex 4", "vertex 18446744073709551615");
    assert_eq!(import(&text).unwrap_err().kind(), ImportErrorKind::Truncated);
    text = SQUARE.replace("element face", "element none 18446744073709551615\nelement face");
    assert_eq!(import(&text).unwrap().triangle_count(), 2);
}
