//! Real model files, good, odd and broken. Every file of `../shared/model-files` is read with
//! the triangles and bounds that its README lists, or refused with an error that names file,
//! place and reason. Without the folder the test prints that it is skipped.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hitscan::import::Format;
use hitscan::{Import, ImportErrorKind};

/// The expected result where the README's plain reader has another one, or none.
enum Found {
    Triangles(usize),
    Error(ImportErrorKind, &'static str),
}
use Found::{Error, Triangles};

const DIFFERENT: &[(&str, Found)] = &[
    // Not text, not a number.
    (
        "assimp/OBJ/box_UTF16BE.obj",
        Error(ImportErrorKind::Unsupported, "byte 0: the file is UTF-16"),
    ),
    (
        "assimp/OBJ/number_formats.obj",
        Error(ImportErrorKind::Syntax, "line 11: '3.1+e2' is not a number (for z)"),
    ),
    // Indices out of range, which are errors in OBJ. The plain reader drops those triangles.
    (
        "assimp/invalid/malformed.obj",
        Error(ImportErrorKind::OutOfRange, "line 23: vertex 12 does not exist: the file has 8"),
    ),
    (
        "tinyobj/invalid-relative-texture-index.obj",
        Error(ImportErrorKind::OutOfRange, "line 2: vertex 1 does not exist: the file has 0"),
    ),
    (
        "tinyobj/invalid-relative-vertex-index.obj",
        Error(
            ImportErrorKind::OutOfRange,
            "line 1: vertex -4 does not exist: 0 stand before this line",
        ),
    ),
    (
        "tinyobj/issue-140-zero-face-idx.obj",
        Error(ImportErrorKind::OutOfRange, "line 16: '0/0/0': vertices are numbered from 1"),
    ),
    // NaN coordinates are kept; the builder decides about them.
    ("tinyobj/test-nan.obj", Triangles(36)),
    // Broken files.
    (
        "assimp/OFF/invalid.off",
        Error(ImportErrorKind::Truncated, "line 10: the file ends where face 2 should follow"),
    ),
    (
        "assimp/invalid/OutOfMemory.off",
        Error(ImportErrorKind::Truncated, "line 2: 353535235358 vertices do not fit"),
    ),
    ("assimp/invalid/empty.off", Error(ImportErrorKind::Truncated, "line 1: the file ends")),
    (
        "assimp/invalid/empty.ply",
        Error(ImportErrorKind::Syntax, "line 1: the first line is not 'ply'"),
    ),
    (
        "assimp/invalid/crash-30d6d0f7c529b3b66b4131700b7a4580cd7082df.ply",
        Error(ImportErrorKind::Truncated, "line 6: the file ends before"),
    ),
    (
        "assimp/PLY/issue623.ply",
        Error(ImportErrorKind::Syntax, "is not a whole number (for vertex 0, vertex_indices)"),
    ),
    (
        "assimp/glTF2/MissingBin/BoxTextured.gltf",
        Error(ImportErrorKind::Io, "buffers[0].uri: 'BoxTextured"),
    ),
    (
        "assimp/glTF2/RecursiveNodes/RecursiveNodes.gltf",
        Error(ImportErrorKind::Invalid, "nodes[1].children[0]: nodes[0] is reached a second time"),
    ),
    (
        "assimp/glTF2/SchemaFailures/sceneWrongType.gltf",
        Error(
            ImportErrorKind::Syntax,
            "scene: expected a whole number, zero or more, found a string",
        ),
    ),
    (
        "assimp/glTF2/wrongTypes/badArray.gltf",
        Error(ImportErrorKind::Syntax, "meshes[0].primitives: expected an array, found an object"),
    ),
];

/// Boxes of files in their default pose. The README has them without skins and morph targets.
const POSED: [(&str, [[f32; 3]; 2]); 4] = [
    (
        "assimp/glTF2/MorphPrimitivesTest/glTF/MorphPrimitivesTest.gltf",
        [[-0.5, 0.0, -0.5], [0.5, 0.1, 0.5]],
    ),
    ("assimp/glTF2/SimpleMorph/glTF/SimpleMorph.gltf", [[0.0; 3], [1.0, 1.5, 0.0]]),
    (
        "assimp/glTF2/simple_skin/quad_skin.glb",
        [[-100.0, -4.602e-5, -100.0], [100.0, 4.602e-5, 100.0]],
    ),
    ("assimp/glTF2/simple_skin/simple_skin.gltf", [[-0.5, 0.0, 0.0], [0.5, 2.0, 0.0]]),
];

fn model_files() -> Option<PathBuf> {
    let shared = match std::env::var_os("HITSCAN_SHARED") {
        Some(shared) => PathBuf::from(shared),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
    };
    let folder = shared.join("model-files");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: {} does not exist", folder.display());
    None
}

/// A row of the README's table.
struct Row {
    file: String,
    triangles: Option<usize>,
    bounds: Option<[[f32; 3]; 2]>,
}

fn rows(folder: &Path) -> Vec<Row> {
    let table = std::fs::read_to_string(folder.join("README.md")).unwrap();
    let rows = table.lines().filter_map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let &[_, file, bytes, triangles, note, _] = &cells[..] else {
            return None;
        };
        bytes.parse::<u64>().ok()?;
        let corners: Vec<[f32; 3]> = note
            .split(['[', ']'])
            .filter_map(|part| {
                let values: Option<Vec<f32>> =
                    part.split_whitespace().map(|v| v.parse().ok()).collect();
                values?.try_into().ok()
            })
            .collect();
        Some(Row {
            file: file.to_owned(),
            triangles: triangles.parse().ok(),
            bounds: corners.try_into().ok(),
        })
    });
    rows.collect()
}

/// The number of triangles whose vertices all exist, and their bounds.
fn measure(import: &Import) -> (usize, [[f32; 3]; 2]) {
    let mut count = 0;
    let mut bounds = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
    for mesh in &import.meshes {
        let view = mesh.view();
        for triangle in (0..view.triangle_count()).filter_map(|t| view.triangle(t)) {
            count += 1;
            for corner in [triangle.v0, triangle.v1, triangle.v2] {
                for axis in 0..3 {
                    bounds[0][axis] = bounds[0][axis].min(corner[axis]);
                    bounds[1][axis] = bounds[1][axis].max(corner[axis]);
                }
            }
        }
    }
    (count, bounds)
}

/// Equal to the README's precision.
fn agree(a: &[[f32; 3]; 2], b: &[[f32; 3]; 2]) -> bool {
    let (a, b) = (a.as_flattened(), b.as_flattened());
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1.5e-4 * b.abs().max(1.0))
}

#[test]
fn every_model_file_is_read_or_refused_as_expected() {
    let Some(folder) = model_files() else { return };
    let rows = rows(&folder);
    assert!(rows.len() > 100, "the table of the README could not be parsed");
    let listed: BTreeSet<&str> = rows.iter().map(|row| row.file.as_str()).collect();
    for (file, _) in DIFFERENT {
        assert!(listed.contains(file), "{file} is not in the README");
    }

    let mut wrong = Vec::new();
    for row in &rows {
        let path = folder.join(&row.file);
        let different = DIFFERENT.iter().find(|(file, _)| *file == row.file);
        let expected = different.map(|(_, found)| found);
        match (Import::open(&path), expected) {
            (Ok(import), Some(&Triangles(triangles))) => {
                if import.triangle_count() != triangles {
                    let count = import.triangle_count();
                    wrong.push(format!("{}: {count} triangles, not {triangles}", row.file));
                }
            }
            (Ok(import), None) => {
                let (count, bounds) = measure(&import);
                if Some(count) != row.triangles {
                    wrong.push(format!("{}: {count}, not {:?}", row.file, row.triangles));
                }
                if import.meshes.is_empty() && import.warnings.is_empty() {
                    wrong.push(format!("{}: nothing, and no warning", row.file));
                }
                // An infinite box cannot be compared.
                let posed =
                    POSED.iter().find(|(file, _)| *file == row.file).map(|(_, bounds)| bounds);
                if let Some(listed) = posed.or(row.bounds.as_ref())
                    && listed.as_flattened().iter().all(|v| v.is_finite())
                    && !agree(&bounds, listed)
                {
                    wrong.push(format!("{}: {bounds:?}, not {listed:?}", row.file));
                }
            }
            (Err(error), Some(&Error(kind, message))) => {
                let text = error.to_string();
                let start = format!("{}: ", path.display());
                if error.kind() != kind || !text.starts_with(&start) || !text.contains(message) {
                    wrong.push(format!("{}: {kind:?} {text}", row.file));
                }
            }
            (Ok(import), Some(Error(..))) => {
                wrong.push(format!("{}: read, {} triangles", row.file, import.triangle_count()));
            }
            (Err(error), _) => wrong.push(format!("{}: {error}", row.file)),
        }
    }
    assert!(wrong.is_empty(), "{:#?}", wrong);
}

#[test]
fn buffers_are_read_beside_the_file_and_nowhere_else() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("level");
    std::fs::create_dir(&inner).unwrap();
    let positions: Vec<u8> =
        [0_f32, 0., 0., 1., 0., 0., 0., 1., 0.].iter().flat_map(|v| v.to_le_bytes()).collect();
    for place in [folder.path(), &inner] {
        std::fs::write(place.join("a b.bin"), &positions).unwrap();
    }
    let write = |uri: &str, bytes: usize| {
        let json = format!(
            r#"{{"asset":{{"version":"2.0"}},"nodes":[{{"mesh":0,"name":"floor"}}],
            "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
            "accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}}],
            "bufferViews":[{{"buffer":0,"byteLength":36}}],
            "buffers":[{{"byteLength":{bytes},"uri":"{uri}"}},{{"uri":"never asked for"}}]}}"#
        );
        let path = inner.join("a.GLTF");
        std::fs::write(&path, json).unwrap();
        path
    };
    for uri in ["a%20b.bin", "a b.bin", "./a b.bin"] {
        let import = Import::open(write(uri, 36)).unwrap();
        assert_eq!(import.meshes[0].name, "floor");
        assert_eq!(import.meshes[0].positions[1], [1.0, 0.0, 0.0]);
    }
    for (uri, bytes, kind) in [
        ("../a b.bin", 36, ImportErrorKind::Unsupported),
        ("/dev/zero", 36, ImportErrorKind::Unsupported),
        ("https://example.org/a.bin", 36, ImportErrorKind::Unsupported),
        ("c.bin", 36, ImportErrorKind::Io),
        (".", 36, ImportErrorKind::Io),
        ("a b.bin", 37, ImportErrorKind::Truncated),
    ] {
        let path = write(uri, bytes);
        let error = Import::open(&path).unwrap_err();
        let text = error.to_string();
        assert_eq!(error.kind(), kind, "{text}");
        assert!(text.contains("buffers[0]"), "{text}");
        assert_eq!(text.contains(uri), kind != ImportErrorKind::Truncated, "{text}");
    }
}

#[test]
fn the_extension_decides_the_format() {
    for (path, format) in [
        ("a.gltf", Some(Format::Gltf)),
        ("a.b.GLB", Some(Format::Gltf)),
        ("/x/a.Obj", Some(Format::Obj)),
        ("a.ply", Some(Format::Ply)),
        ("a.STL", Some(Format::Stl)),
        ("a.off", Some(Format::Off)),
        ("a.fbx", None),
        ("obj", None),
        ("", None),
    ] {
        assert_eq!(Format::from_path(path), format, "{path}");
    }
    let error = Import::open("level.fbx").unwrap_err();
    assert_eq!(error.kind(), ImportErrorKind::UnknownFormat);
    let error = Import::open("missing.obj").unwrap_err();
    assert_eq!(error.kind(), ImportErrorKind::Io);
    assert!(error.to_string().starts_with("missing.obj: reading: "));
    assert!(std::error::Error::source(&error).is_some());
}

#[test]
fn the_same_bytes_give_the_same_meshes() {
    let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\no b\nf 1 2 3\no a\nf 3 2 1\no b\nf 1 1 1\n";
    let once = Import::from_bytes(text, Format::Obj, "a", None).unwrap();
    for _ in 0..10 {
        assert_eq!(Import::from_bytes(text, Format::Obj, "a", None).unwrap(), once);
    }
    assert_eq!(once.meshes[0].name, "b");
    assert_eq!(once.meshes[0].triangle_count(), 2);
}
