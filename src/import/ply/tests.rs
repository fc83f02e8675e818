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

const HEADER: &str = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
    property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";
const ROWS: &str = "2 0 0\n.5 .5 0\n0 2 0\n0 0 0\n4 0 1 2 3\n";

#[test]
fn rows_with_more_values_than_declared_are_read_with_a_warning() {
    let plain = import(format!("{HEADER}{ROWS}")).unwrap();
    assert!(plain.warnings.is_empty());
    for (rows, warning) in [
        (ROWS.replace("0\n", "0 3\n"), "line 10: a row of 4 values, where 3 are declared"),
        (
            ROWS.replace("1 2 3\n", "1 2 3 255 0 0"),
            "line 14: a row of 8 values, where 5 are declared",
        ),
        (ROWS.replace("0 2 0", "0 2 0 # here"), "line 12: a row of 5 values, where 3 are declared"),
        (ROWS.replace('\n', " 7 7 7\r"), "line 10: a row of 6 values, where 3 are declared"),
        (ROWS.replace('\n', " 4 0 1 2 3\n\n"), "line 10: a row of 8 values, where 3 are declared"),
    ] {
        let header = if rows.contains('\r') { HEADER.replace('\n', "\r") } else { HEADER.into() };
        let import = import(format!("{header}{rows}")).unwrap();
        assert_eq!(import.meshes, plain.meshes, "{rows}");
        assert_eq!(import.warnings.len(), 1, "{:?}", import.warnings);
        let start = format!("a.ply: {warning}; what is more is skipped");
        assert!(import.warnings[0].starts_with(&start), "{:?}", import.warnings);
    }
    // Some rows are too long and others too short.
    for (row, other, message) in [
        ("2 0 0 9\n5\n", "0 2 0", "line 10: a row of 4 values, where 3 are declared"),
        ("2 0 0\n5\n", "0 2 0 9", "line 11: the row ends after 1 values, before vertex 1, y"),
    ] {
        let rows = ROWS.replace("2 0 0\n.5 .5 0\n", row).replace("0 2 0", other);
        let error = import(format!("{HEADER}{rows}")).unwrap_err();
        assert_eq!(error.kind(), ImportErrorKind::Syntax);
        assert_eq!(error.to_string(), format!("a.ply: {message}"));
    }
}

/// The model that is read, without the hash of the bytes that say it.
fn model(bytes: impl AsRef<[u8]>) -> Import {
    Import { sources: Vec::new(), ..import(bytes).unwrap() }
}

#[test]
fn rows_may_lie_anywhere_in_the_lines() {
    let plain = model(format!("{HEADER}{ROWS}"));
    for rows in [
        ROWS.replace([' ', '\n'], "\n"),
        ROWS.replace('\n', " "),
        ROWS.replace("0\n.5", "0 .5").replace("4 0", "4\n0"),
        ROWS.replace("0 2 0\n0", "0\n2 0 0"),
    ] {
        assert_eq!(model(format!("{HEADER}{rows}")), plain, "{rows}");
    }
}

#[test]
fn data_after_the_last_element_causes_a_warning() {
    let found = import(format!("{HEADER}{ROWS}3 0 1 2\n")).unwrap();
    assert_eq!(found.triangle_count(), 2);
    assert_eq!(
        found.warnings,
        ["a.ply: line 15: '3' and what follows is skipped: all that is declared has been read"]
    );
    assert!(import(format!("{HEADER}{ROWS}\n \n")).unwrap().warnings.is_empty());
    for little in [true, false] {
        let mut bytes = binary(little, "\n");
        let end = bytes.len();
        bytes.extend([0; 7]);
        let found = import(&bytes).unwrap();
        assert_eq!(found.triangle_count(), 3);
        assert_eq!(found.warnings, [format!("a.ply: byte {end}: 7 bytes after the last element")]);
        assert!(import(&bytes[..end]).unwrap().warnings.is_empty());
    }
}

#[test]
fn faces_before_the_vertices_give_the_same_triangles() {
    let after = import(format!("{HEADER}{ROWS}")).unwrap();
    assert_eq!(after.meshes[0].indices, Some(vec![3, 0, 1, 1, 2, 3]));
    let header = "ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int vertex_indices\n\
        element tristrips 1\nproperty list int int vertex_indices\nelement vertex 2\n\
        property float x\nproperty float y\nproperty float z\nelement vertex 2\n\
        property double z\nproperty float x\nproperty float y\nend_header\n";
    let rows = "4 0 1 2 3\n3 0 1 2\n2 0 0\n.5 .5 0\n0 0 2\n0 0 0\n";
    for (rows, warnings) in [(rows.to_owned(), 0), (rows.replace("0 0 2", "0 0 2 9"), 1)] {
        let before = import(format!("{header}{rows}")).unwrap();
        assert_eq!(before.meshes[0].positions, after.meshes[0].positions);
        assert_eq!(before.meshes[0].indices, Some(vec![3, 0, 1, 1, 2, 3, 0, 1, 2]));
        assert_eq!(before.warnings.len(), warnings);
    }
    let binary = b"ply\nformat binary_little_endian 1.0\nelement face 1\n\
        property list uchar uchar vertex_index\nelement vertex 4\nproperty char x\n\
        property char y\nproperty char z\nend_header\n";
    let bytes = [&binary[..], &[4, 0, 1, 2, 3, 8, 0, 0, 2, 2, 0, 0, 8, 0, 0, 0, 0]].concat();
    assert_eq!(import(bytes).unwrap().meshes[0].indices, after.meshes[0].indices);
}

#[test]
fn integers_of_eight_bytes_are_read() {
    let plain = model(format!("{HEADER}{ROWS}"));
    for (count, item) in
        [("uchar", "int64"), ("uchar", "uint64"), ("int64", "uint64"), ("uint64", "int")]
    {
        let header = HEADER.replace("uchar int", &format!("{count} {item}"));
        assert_eq!(model(format!("{header}{ROWS}")), plain);
    }
    for little in [true, false] {
        for ty in ["int64", "uint64"] {
            let order = if little { "little" } else { "big" };
            let header = format!(
                "ply\nformat binary_{order}_endian 1.0\nelement vertex 3\nproperty {ty} x\n\
                 property {ty} y\nproperty {ty} z\nelement face 1\n\
                 property list {ty} {ty} vertex_indices\nend_header\n"
            );
            let whole = |values: &[u64]| {
                let raw = values
                    .iter()
                    .flat_map(|v| if little { v.to_le_bytes() } else { v.to_be_bytes() });
                import([header.as_bytes(), &raw.collect::<Vec<u8>>()].concat())
            };
            let mesh = whole(&[0, 0, 0, 1 << 40, 0, 0, 0, 7, 0, 3, 0, 1, 2]).unwrap();
            assert_eq!(
                mesh.meshes[0].positions[1..],
                [[1_099_511_627_776.0, 0.0, 0.0], [0.0, 7.0, 0.0]]
            );
            assert_eq!(mesh.meshes[0].indices, Some(vec![0, 1, 2]));
            let kind =
                |index| whole(&[0, 0, 0, 1, 0, 0, 0, 7, 0, 3, 0, 1, index]).unwrap_err().kind();
            assert_eq!(kind(1 << 32), ImportErrorKind::OutOfRange);
            let huge =
                if ty == "int64" { ImportErrorKind::OutOfRange } else { ImportErrorKind::Syntax };
            assert_eq!(kind(u64::MAX), huge);
        }
    }
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let plain = model(format!("{HEADER}{ROWS}"));
    assert_eq!(model(format!("\u{feff}{HEADER}{ROWS}")), plain);
    let marked = [b"\xef\xbb\xbf", &binary(true, "\n")[..]].concat();
    assert_eq!(model(marked), model(binary(true, "\n")));
}

#[test]
fn the_list_of_vertices_has_many_names() {
    let with = |lists: &str| {
        let header = HEADER.replace("property list uchar int vertex_indices\n", lists);
        import(format!("{header}{}", ROWS.replace("1 2 3\n", "1 2 3 2 7 8\n")))
    };
    let list = |name: &str| format!("property list uchar int {name}\n");
    for name in [
        "vertex_indices",
        "vertex_index",
        "Vertex_Indices",
        "vertex_indexes",
        "indices",
        "vertices",
    ] {
        let import = with(&(list(name) + "property list uchar float texcoord\n")).unwrap();
        assert_eq!(import.triangle_count(), 2, "{name}");
        assert!(import.warnings.is_empty(), "{:?}", import.warnings);
    }
    for (lists, triangles, warnings) in [
        (
            list("corners"),
            2,
            vec!["line 7: the list 'corners' of element 'face' is taken for the list of vertices"],
        ),
        (
            list("corners") + &list("other"),
            0,
            vec![
                "line 7: the list 'corners' of element 'face' is not used",
                "line 7: the list 'other' of element 'face' is not used",
                "geometry: there is no triangle",
            ],
        ),
        (
            list("vertex_index") + &list("vertex_indices"),
            2,
            vec!["line 7: the list 'vertex_indices' of element 'face' is not used"],
        ),
        (list("vertex_index") + &list("flags"), 2, vec![]),
    ] {
        let import = with(&lists).unwrap();
        let warnings: Vec<String> = warnings.iter().map(|w| format!("a.ply: {w}")).collect();
        let found: Vec<&String> =
            import.warnings.iter().filter(|w| !w.contains("a row of")).collect();
        assert_eq!(found, warnings.iter().collect::<Vec<_>>(), "{lists}");
        assert_eq!(import.triangle_count(), triangles, "{lists}");
    }
    let other =
        import(format!("{HEADER}{ROWS}").replace("element face", "element polygon")).unwrap();
    assert_eq!(
        other.warnings[0],
        "a.ply: line 7: the list 'vertex_indices' of element 'polygon' is not used"
    );
    let upper = import(format!("{HEADER}{ROWS}").replace("element face", "element Face")).unwrap();
    assert_eq!(upper.triangle_count(), 2);
}

#[test]
fn numbers_that_are_none_are_read_as_nan() {
    for nan in ["-nan(ind)", "nan(0x7)", "-1.#IND"] {
        let import =
            import(format!("{HEADER}{}", ROWS.replace(".5 .5", &format!("{nan} .5")))).unwrap();
        assert!(import.meshes[0].positions[1][0].is_nan(), "{nan}");
        assert_eq!(import.triangle_count(), 2);
    }
}

#[test]
fn a_polygon_that_crosses_itself_causes_a_warning() {
    let bow = ROWS.replace("2 0 0\n.5 .5 0", "2 0 0\n2 2 0").replace("0 1 2 3", "0 1 3 2");
    let warnings = import(format!("{HEADER}{bow}")).unwrap().warnings;
    assert_eq!(
        warnings,
        ["a.ply: face 0, vertex_indices: a polygon crosses itself; its triangles cover other \
         places than it"]
    );
}
