use crate::import::{Format, Import, ImportError, ImportErrorKind};

fn import(text: &str) -> Result<Import, ImportError> {
    Import::from_bytes(text.as_bytes(), Format::Obj, "a.obj", None)
}

fn fails(text: &str) -> (ImportErrorKind, String) {
    let error = import(text).unwrap_err();
    (error.kind(), error.to_string())
}

const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

#[test]
fn corners_are_read_in_all_forms() {
    for face in [
        "f 1 2 3 4",
        "f -4 -3 -2 -1",
        "f 1/1 2/2 3/3 4/4",
        "f 1//1 2//2 3//3 4//4 # yes",
        "\tf  1/9/9\t2 3/ 4//  ",
        "f 1 2\\\n3 \\\r\n 4",
    ] {
        let import = import(&format!("{SQUARE}{face}")).unwrap();
        let mesh = &import.meshes[0];
        assert_eq!(mesh.name, "a.obj");
        assert_eq!(mesh.indices.as_deref(), Some(&[0, 1, 2, 0, 2, 3][..]), "{face}");
        assert_eq!(mesh.materials, None);
    }
}

#[test]
fn each_group_and_material_is_a_mesh() {
    let text = format!(
        "{SQUARE}f 1 2 3\no room\nusemtl red\nf 2 3 4\nusemtl blue\nf 1 3 4\n\
         g door  leaf\nf 1 2 4\no room\nusemtl red\nf 4 3 1\n"
    );
    let import = import(&text).unwrap();
    let names: Vec<_> = import.meshes.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["a.obj", "room/red", "room/blue", "room/door  leaf"]);
    assert_eq!(import.material_names, ["red", "blue"]);
    assert_eq!(import.meshes[1].materials, Some(vec![0, 0]));
    assert_eq!(import.meshes[3].materials, Some(vec![1]));
    // Vertices are numbered by first use, and only those used are kept.
    assert_eq!(import.meshes[3].positions.len(), 3);
    assert_eq!(import.meshes[1].indices, Some(vec![0, 1, 2, 2, 1, 3]));
    assert_eq!(import.meshes[1].positions[0], [1.0, 0.0, 0.0]);
}

#[test]
fn errors_name_line_and_reason() {
    use ImportErrorKind::*;
    for (text, kind, message) in [
        ("v 1 2\n", Syntax, "a.obj: line 1: a vertex without z"),
        ("\nv 1 x 2\n", Syntax, "a.obj: line 2: 'x' is not a number (for y)"),
        ("f 0 1 2\n", OutOfRange, "a.obj: line 1: '0': vertices are numbered from 1"),
        (
            "v 0 0 0\rf 2 1 1\r",
            OutOfRange,
            "a.obj: line 2: vertex 2 does not exist: the file has 1",
        ),
        (
            "v 0 0 0\n\\\n\nf -2/1 1 1\nv 1 1 1\n",
            OutOfRange,
            "a.obj: line 4: vertex -2 does not exist: 1 stand before this line",
        ),
        ("f a b c", Syntax, "a.obj: line 1: 'a': not a vertex number"),
        (
            "f 99999999999999999999 1 1",
            Syntax,
            "a.obj: line 1: '99999999999999999999': not a vertex number",
        ),
        (
            "f -9223372036854775808 1 1",
            OutOfRange,
            "a.obj: line 1: vertex -9223372036854775808 does not exist: 0 stand before this line",
        ),
        ("\u{0}", Syntax, "a.obj: byte 0: a zero byte: this is not a text file"),
    ] {
        assert_eq!(fails(text), (kind, message.to_owned()));
    }
    let utf16 = Import::from_bytes(&[0xff, 0xfe, b'v', 0], Format::Obj, "a.obj", None);
    assert_eq!(utf16.unwrap_err().kind(), Unsupported);
}

#[test]
fn faces_of_two_corners_are_skipped_with_a_warning() {
    let import = import(&format!("{SQUARE}f 1 2\nl 1 2\np 1\nf\nf 1 2 3")).unwrap();
    assert_eq!(import.triangle_count(), 1);
    assert_eq!(
        import.warnings,
        [
            "a.obj: line 5: a face of 2 corners is skipped",
            "a.obj: line 8: a face of 0 corners is skipped"
        ]
    );
}

#[test]
fn a_file_without_triangles_gives_a_warning() {
    let import = import("# nothing").unwrap();
    assert!(import.meshes.is_empty());
    assert_eq!(import.warnings, ["a.obj: geometry: there is no triangle"]);
}

#[test]
fn a_backslash_before_a_statement_ends_its_line() {
    for (before, name) in [
        ("usemtl dir\\", "a.obj"),
        ("o dir\\", "dir\\"),
        ("g a b\\", "a b\\"),
        ("mtllib c:\\maps\\", "a.obj"),
        ("vt 0 0\\", "a.obj"),
        ("s 1 \\", "a.obj"),
        ("# comment \\", "a.obj"),
        ("call other.obj\\", "a.obj"),
        ("l 1 2\\", "a.obj"),
    ] {
        for ending in ["\n", "\r\n", "\r"] {
            let text = format!("{SQUARE}{before}\nf 1 2 3\nf 1 3 4\n").replace('\n', ending);
            let import = import(&text).unwrap();
            assert_eq!(import.triangle_count(), 2, "{text:?}");
            assert_eq!(import.meshes[0].name, name, "{text:?}");
            assert!(import.warnings.is_empty(), "{text:?}");
        }
    }
    let materials = import(&format!("{SQUARE}usemtl dir\\\nf 1 2 3\n")).unwrap().material_names;
    assert_eq!(materials, ["dir\\"]);
    // A vertex and a face before a statement, names that go on, and a backslash at the end.
    let text =
        "v 0 0 0\\\nv 1 0 0 \\\nv 0 1\\\n0\\\nf 1 2 3\\\nf 3 2 \\\n1 \\\ng b\\\nc\nf 1 2 3\\";
    let both = import(text).unwrap();
    assert_eq!(both.triangle_count(), 3);
    assert_eq!(both.meshes[0].positions[2], [0.0, 1.0, 0.0]);
    assert_eq!(both.meshes[1].name, "b c");
}

#[test]
fn numbers_that_are_none_are_read_as_nan() {
    for nan in ["-nan(ind)", "nan", "1.#IND", "-1.#J", "NaN(snan)", "-NaNQ"] {
        let text = format!("{SQUARE}v {nan} {nan} {nan}\nf 1 2 3\n");
        let unused = import(&text).unwrap();
        assert_eq!(unused.meshes[0].positions.len(), 3);
        assert!(unused.warnings.is_empty());
        let used = import(&format!("{text}f 1 2 5\n")).unwrap();
        assert_eq!(used.triangle_count(), 2);
        assert!(used.meshes[0].positions[3].iter().all(|v| v.is_nan()), "{nan}");
    }
    assert_eq!(fails("v nan(ind 0 0\n").0, ImportErrorKind::Syntax);
}

#[test]
fn marks_at_both_ends_are_skipped() {
    for (start, end) in [("\u{feff}", ""), ("", "\u{1a}"), ("", "\0\0"), ("\u{feff}", "\u{1a}\0")] {
        let import = import(&format!("{start}{SQUARE}f 1 2 3 4\n{end}")).unwrap();
        assert_eq!(import.triangle_count(), 2, "{start:?} {end:?}");
    }
    let (_, message) = fails("\u{feff}v 0 0 0\n\0f 1 1 1\n");
    assert_eq!(message, "a.obj: byte 11: a zero byte: this is not a text file");
}

#[test]
fn polygons_with_spikes_are_as_large_as_without() {
    let text = "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 2 4 0\nv 2 6 0\nv 2 4 0\nv 0 4 0\nf 1 2 3 4 5 6 7\n";
    let import = import(text).unwrap();
    assert!(import.warnings.is_empty());
    let view = import.meshes[0].view();
    assert_eq!(view.triangle_count(), 5);
    let areas = (0..5).map(|i| {
        let t = view.triangle(i).unwrap();
        let [u, v] = [t.v1, t.v2].map(|p| [p[0] - t.v0[0], p[1] - t.v0[1]]);
        (u[0] * v[1] - u[1] * v[0]) / 2.0
    });
    let areas: Vec<f32> = areas.collect();
    assert!(areas.iter().all(|&area| area >= 0.0), "{areas:?}");
    assert_eq!(areas.iter().sum::<f32>(), 16.0);
}

#[test]
fn a_polygon_that_crosses_itself_causes_a_warning() {
    let import = import(&format!("{SQUARE}f 1 2 4 3\n")).unwrap();
    assert_eq!(
        import.warnings,
        ["a.obj: line 5: a polygon crosses itself; its triangles cover other places than it"]
    );
}
