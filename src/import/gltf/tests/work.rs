//! The work of an import grows with the size of the file, whatever is shared in it.

use super::builder::File;
use crate::import::work;
use crate::import::{Format, Import, ImportErrorKind};

/// The bytes of a file, and the work of its import. The file is good, or refused as too large.
fn measure(file: &File, members: &str) -> (usize, usize) {
    let bytes = file.bytes(members);
    let before = work::so_far();
    if let Err(error) = Import::from_bytes(&bytes, Format::Gltf, "a.glb", None) {
        assert_eq!(error.kind(), ImportErrorKind::TooLarge, "{error}");
    }
    (bytes.len(), work::so_far() - before)
}

fn repeat(part: &str, count: usize) -> String {
    vec![part; count].join(",")
}

fn nodes(node: &str, count: usize) -> String {
    format!(r#""nodes":[{}]"#, repeat(node, count))
}

/// A mesh with `parts` primitives of these members.
fn mesh(members: &str, parts: usize) -> String {
    let primitive = format!(r#"{{"attributes":{{"POSITION":0}}{members}}}"#);
    format!(r#""meshes":[{{"primitives":[{}]}}]"#, repeat(&primitive, parts))
}

fn extras(size: usize) -> String {
    format!(r#""extras":"{}""#, "x".repeat(size))
}

/// A mesh whose vertices take 12 `size` bytes, with joints and weights.
fn large(size: usize) -> File {
    let mut file = File::default();
    let values = vec![0.25; size * 4];
    let positions = file.floats("VEC3", &values[..size * 3]);
    let joints = file.add(5121, "VEC4", &values);
    let weights = file.add(5121, "VEC4", &vec![1.0; size * 4]);
    assert_eq!((positions, joints, weights), (0, 1, 2));
    file
}

fn small() -> File {
    let mut file = File::default();
    file.triangle();
    file
}

type Shape = (&'static str, fn(usize) -> (File, String));

/// Files with one part of size `n` that is used `n / 30` times or so.
const SHAPES: [Shape; 20] = [
    ("primitives that share an accessor with extras", |n| {
        let mut file = File::default();
        let view = file.view(5126, &[0.0; 9]);
        file.accessor(&format!(
            r#""bufferView":{view},"componentType":5126,"count":3,"type":"VEC3",{}"#,
            extras(n)
        ));
        (file, format!("{},{}", mesh("", n / 30), nodes(r#"{"mesh":0}"#, 1)))
    }),
    ("accessors that share a buffer view with extras", |n| {
        let mut file = small();
        file.last_view(&extras(n));
        for _ in 0..n / 100 {
            file.accessor(r#""bufferView":0,"componentType":5126,"count":3,"type":"VEC3""#);
        }
        let parts: Vec<String> =
            (0..n / 100).map(|i| format!(r#"{{"attributes":{{"POSITION":{i}}}}}"#)).collect();
        let meshes = format!(r#""meshes":[{{"primitives":[{}]}}]"#, parts.join(","));
        (file, format!("{meshes},{}", nodes(r#"{"mesh":0}"#, 1)))
    }),
    ("nodes that share a mesh with extras", |n| {
        let meshes = mesh("", 1).replace(r#"[{"prim"#, &format!(r#"[{{{},"prim"#, extras(n)));
        (small(), format!("{meshes},{}", nodes(r#"{"mesh":0}"#, n / 15)))
    }),
    ("nodes that share a mesh with a long name", |n| {
        let name = format!(r#"[{{"name":"{}","prim"#, "x".repeat(n));
        let meshes = mesh("", 1).replace(r#"[{"prim"#, &name);
        (small(), format!("{meshes},{}", nodes(r#"{"mesh":0}"#, n / 15)))
    }),
    ("nodes that share a mesh with many vertices", |n| {
        (large(n / 12), format!("{},{}", mesh("", 1), nodes(r#"{"mesh":0}"#, n / 15)))
    }),
    ("nodes that share a mesh with many empty primitives", |n| {
        let meshes = mesh(r#","mode":1"#, n / 40);
        (small(), format!("{meshes},{}", nodes(r#"{"mesh":0}"#, n / 15)))
    }),
    ("primitives that share a material with extras", |n| {
        let materials = format!(r#""materials":[{{{}}}]"#, extras(n));
        let meshes = mesh(r#","material":0"#, n / 40);
        (small(), format!("{materials},{meshes},{}", nodes(r#"{"mesh":0}"#, 1)))
    }),
    ("nodes that share a skin with many joints", |n| {
        let skins = format!(r#""skins":[{{"joints":[{}]}}]"#, repeat("0", n / 2));
        let meshes = mesh("", 1).replace("}}", r#","JOINTS_0":1,"WEIGHTS_0":2}}"#);
        (large(3), format!("{skins},{meshes},{}", nodes(r#"{"mesh":0,"skin":0}"#, n / 25)))
    }),
    ("skins that share inverse bind matrices", |n| {
        let mut file = large(3);
        let matrices = file.floats("MAT4", &vec![0.0; (n / 64) * 16]);
        let skin = format!(r#"{{"joints":[0],"inverseBindMatrices":{matrices}}}"#);
        let skins = format!(r#""skins":[{}]"#, repeat(&skin, n / 50));
        let all: Vec<String> =
            (0..n / 50).map(|skin| format!(r#"{{"mesh":0,"skin":{skin}}}"#)).collect();
        let meshes = mesh("", 1).replace("}}", r#","JOINTS_0":1,"WEIGHTS_0":2}}"#);
        (file, format!(r#"{skins},{meshes},"nodes":[{}]"#, all.join(",")))
    }),
    ("a chain of joints that the scene leaves out", |n| {
        let mut all = vec![r#"{"mesh":0,"skin":0}"#.to_owned()];
        all.extend((2..n / 20).map(|next| format!(r#"{{"children":[{next}]}}"#)));
        all.push("{}".into());
        let joints: Vec<String> = (1..n / 20).rev().map(|joint| joint.to_string()).collect();
        let skins = format!(r#""skins":[{{"joints":[{}]}}]"#, joints.join(","));
        let meshes = mesh("", 1).replace("}}", r#","JOINTS_0":1,"WEIGHTS_0":2}}"#);
        let scene = r#""scene":0,"scenes":[{"nodes":[0]}]"#;
        (large(3), format!(r#"{skins},{meshes},{scene},"nodes":[{}]"#, all.join(",")))
    }),
    ("sets of joints that share accessors", |n| {
        let sets: Vec<String> =
            (0..n / 30).map(|set| format!(r#","JOINTS_{set}":1,"WEIGHTS_{set}":2"#)).collect();
        let meshes = mesh("", 1).replace("}}", &format!("{}}}}}", sets.join("")));
        let skins = r#""skins":[{"joints":[0]}]"#;
        (large(n / 20), format!("{skins},{meshes},{}", nodes(r#"{"mesh":0,"skin":0}"#, 1)))
    }),
    ("morph targets that share an accessor", |n| {
        let targets = repeat(r#"{"POSITION":0}"#, n / 20);
        let meshes = mesh(&format!(r#","targets":[{targets}]"#), 1);
        let node = format!(r#"{{"mesh":0,"weights":[{}]}}"#, repeat("1", n / 20));
        (large(n / 20), format!("{meshes},{}", nodes(&node, 1)))
    }),
    ("nodes that share morph targets of a mesh", |n| {
        let targets = repeat(r#"{"POSITION":0}"#, n / 20);
        let meshes = mesh(&format!(r#","targets":[{targets}]"#), 1);
        let weights = format!(r#""meshes":[{{"weights":[{}],"#, repeat("1", n / 20));
        let meshes = meshes.replace(r#""meshes":[{"#, &weights);
        (small(), format!("{meshes},{}", nodes(r#"{"mesh":0}"#, n / 20)))
    }),
    ("sparse accessors that share their indices", |n| {
        let mut file = File::default();
        let (places, values) = (file.view(5121, &vec![0.0; n]), file.view(5120, &vec![0.0; 3 * n]));
        for _ in 0..n / 200 {
            file.accessor(&format!(
                r#""componentType":5120,"count":{n},"type":"VEC3","sparse":{{"count":{n},
                "indices":{{"bufferView":{places},"componentType":5121}},
                "values":{{"bufferView":{values}}}}}"#
            ));
        }
        let parts: Vec<String> =
            (0..n / 200).map(|i| format!(r#"{{"attributes":{{"POSITION":{i}}}}}"#)).collect();
        let meshes = format!(r#""meshes":[{{"primitives":[{}]}}]"#, parts.join(","));
        (file, format!("{meshes},{}", nodes(r#"{"mesh":0}"#, 1)))
    }),
    ("instances of instances", |n| {
        let mut file = small();
        let places = file.floats("VEC3", &vec![0.0; n / 4]);
        let node = format!(
            r#"{{"mesh":0,"extensions":{{"EXT_mesh_gpu_instancing":{{"attributes":{{
            "TRANSLATION":{places}}}}}}}}}"#
        );
        (file, format!("{},{}", mesh("", 1), nodes(&node, n / 100)))
    }),
    ("instances of a mesh without triangles", |n| {
        let mut file = small();
        let places = file.accessor(&format!(r#""componentType":5126,"count":{n},"type":"VEC3""#));
        let node = format!(
            r#"{{"mesh":0,"extensions":{{"EXT_mesh_gpu_instancing":{{"attributes":{{
            "SCALE":{places}}}}}}}}}"#
        );
        (file, format!(r#""meshes":[{{"primitives":[]}}],{}"#, nodes(&node, n / 100)))
    }),
    ("scenes that share a root", |n| {
        let scenes = repeat(r#"{"nodes":[0]}"#, n / 15);
        (small(), format!(r#""scenes":[{scenes}],{}"#, nodes("{}", 1)))
    }),
    ("a root that is listed often", |n| {
        let roots = repeat("0", n / 2);
        let node = format!("{{{}}}", extras(n));
        (small(), format!(r#""scene":0,"scenes":[{{"nodes":[{roots}]}}],{}"#, nodes(&node, 1)))
    }),
    ("a deep tree of nodes", |n| {
        let mut all: Vec<String> =
            (1..n / 20).map(|next| format!(r#"{{"children":[{next}]}}"#)).collect();
        all.push("{}".into());
        (small(), format!(r#""nodes":[{}]"#, all.join(",")))
    }),
    ("control characters and wrong bytes everywhere", |n| {
        (small(), format!(r#""nodes":[{{"name":"{}"}}]"#, "\u{1}".repeat(n)))
    }),
];

#[test]
fn a_file_of_twice_the_size_is_at_most_twice_the_work() {
    for (name, make) in SHAPES {
        let [small, large] = [1 << 16, 1 << 17].map(|n| {
            let (file, members) = make(n);
            let (size, work) = measure(&file, &members);
            assert!(size > n / 2, "{name}: {size}");
            (size as f64, work as f64)
        });
        let (growth, expected) = (large.1 / small.1, large.0 / small.0);
        assert!(growth <= expected * 1.02, "{name}: {growth} times the work, {expected} the size");
    }
}
