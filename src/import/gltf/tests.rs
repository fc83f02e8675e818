mod builder;
#[cfg(feature = "draco")]
mod draco;
mod instances;
mod poses;
mod scene;
mod text;
mod work;

use glam::Affine3A;

use crate::import::{Format, Import, ImportError, ImportErrorKind};

/// A GLB file of this JSON and this binary chunk.
fn glb(json: &str, chunk: &[u8]) -> Vec<u8> {
    glb_of(json.as_bytes(), chunk)
}

fn glb_of(json: &[u8], chunk: &[u8]) -> Vec<u8> {
    let mut bytes = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
    for (kind, data) in [(b"JSON", json), (b"BIN\0", chunk)] {
        bytes.extend((data.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(data);
    }
    let length = bytes.len() as u32;
    bytes[8..12].copy_from_slice(&length.to_le_bytes());
    bytes
}

/// Five positions as `f32`, then the indices 0 1 2, 2 1 9 as `u8`, then (2, 9, 9) as a
/// sparse value and the index 1 as its `u16` place.
fn chunk() -> Vec<u8> {
    let positions = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1]];
    let mut bytes: Vec<u8> =
        positions.as_flattened().iter().flat_map(|&v| (v as f32).to_le_bytes()).collect();
    bytes.extend([0, 1, 2, 2, 1, 9]);
    bytes.extend([2.0_f32, 9.0, 9.0].iter().flat_map(|v| v.to_le_bytes()));
    bytes.extend(1_u16.to_le_bytes());
    bytes
}

const VIEWS: &str = r#""buffers":[{"byteLength":80}],"bufferViews":[
    {"buffer":0,"byteLength":60},{"buffer":0,"byteOffset":60,"byteLength":6},
    {"buffer":0,"byteOffset":66,"byteLength":12},{"buffer":0,"byteOffset":78,"byteLength":2}]"#;

const ACCESSORS: &str = r#""accessors":[
    {"bufferView":0,"componentType":5126,"count":5,"type":"VEC3"},
    {"bufferView":1,"componentType":5121,"count":6,"type":"SCALAR"}]"#;

/// A document of these members, the buffers and the views.
fn document(members: &str) -> String {
    format!(r#"{{"asset":{{"version":"2.0"}},{VIEWS},{members}}}"#)
}

fn import(members: &str) -> Result<Import, ImportError> {
    import_json(&document(members))
}

fn import_json(json: &str) -> Result<Import, ImportError> {
    Import::from_bytes(&glb(json, &chunk()), Format::Gltf, "a.glb", None)
}

/// One node with one mesh of one primitive.
fn primitive(primitive: &str) -> Result<Import, ImportError> {
    import(&format!(
        r#"{ACCESSORS},"nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{primitive}]}}]"#
    ))
}

fn fails(result: Result<Import, ImportError>) -> (ImportErrorKind, String) {
    let error = result.unwrap_err();
    (error.kind(), error.to_string())
}

#[test]
fn triangles_strips_and_fans_are_read() {
    // Out-of-range indices are kept; the builder decides about them.
    for (mode, indices) in [
        (4, vec![0, 1, 2, 2, 1, 9]),
        (5, vec![0, 1, 2, 1, 2, 2, 2, 2, 1, 2, 9, 1]),
        (6, vec![1, 2, 0, 2, 2, 0, 2, 1, 0, 1, 9, 0]),
    ] {
        let text = format!(r#"{{"attributes":{{"POSITION":0}},"indices":1,"mode":{mode}}}"#);
        let mesh = primitive(&text).unwrap().meshes.remove(0);
        assert_eq!(mesh.name, "nodes[0]");
        assert_eq!(mesh.indices, Some(indices), "mode {mode}");
    }
    let soup = primitive(r#"{"attributes":{"POSITION":0}}"#).unwrap();
    assert_eq!(soup.meshes[0].positions.len(), 3);
    assert_eq!(soup.meshes[0].indices, None);
    assert_eq!(
        soup.warnings,
        ["a.glb: meshes[0].primitives[0]: the last 2 of its corners make no triangle"]
    );
    let strip = primitive(r#"{"attributes":{"POSITION":0},"mode":5.0}"#).unwrap();
    assert_eq!(strip.meshes[0].indices, Some(vec![0, 1, 2, 1, 3, 2, 2, 3, 4]));
    let lines = primitive(r#"{"attributes":{"POSITION":7},"mode":1}"#).unwrap();
    assert!(lines.meshes.is_empty());
    assert_eq!(
        lines.warnings[0],
        "a.glb: meshes[0].primitives[0].mode: points and lines are skipped"
    );
}

#[test]
fn sparse_accessors_are_read_with_and_without_a_base() {
    let accessor = |base: &str| {
        format!(
            r#""accessors":[{{{base}"componentType":5126,"count":3,"type":"VEC3","sparse":{{
            "count":1,"indices":{{"bufferView":3,"componentType":5123}},
            "values":{{"bufferView":2}}}}}}],"nodes":[{{"mesh":0}}],
            "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}]"#
        )
    };
    let based = import(&accessor(r#""bufferView":0,"#)).unwrap();
    assert_eq!(based.meshes[0].positions, [[0., 0., 0.], [2., 9., 9.], [0., 1., 0.]]);
    let zeros = import(&accessor("")).unwrap();
    assert_eq!(zeros.meshes[0].positions, [[0.; 3], [2., 9., 9.], [0.; 3]]);
}

#[test]
fn quantised_positions_are_read() {
    for (component, raw, normalized, expected) in [
        (5120, &[0x80, 0x7f, 0x40][..], true, [-1.0, 1.0, 64.0 / 127.0]),
        (5120, &[0x80, 0x7f, 0x40], false, [-128.0, 127.0, 64.0]),
        (5121, &[0x00, 0xff, 0x33], true, [0.0, 1.0, 0.2]),
        (5122, &[0, 0x80, 0xff, 0x7f, 1, 0], true, [-1.0, 1.0, 1.0 / 32767.0]),
        (5123, &[0, 0x80, 0xff, 0xff, 1, 0], false, [32768.0, 65535.0, 1.0]),
    ] {
        let stride = if component < 5122 { 4 } else { 8 };
        let mut chunk = Vec::new();
        for _ in 0..3 {
            chunk.extend(raw);
            chunk.resize(chunk.len().next_multiple_of(stride), 0);
        }
        let json = format!(
            r#"{{"asset":{{"version":"2.0"}},"buffers":[{{"byteLength":{0}}}],
            "bufferViews":[{{"buffer":0,"byteLength":{0},"byteStride":{stride}}}],
            "accessors":[{{"bufferView":0,"componentType":{component},"count":3,
            "type":"VEC3","normalized":{normalized}}}],"nodes":[{{"mesh":0}}],
            "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}]}}"#,
            chunk.len()
        );
        let import = Import::from_bytes(&glb(&json, &chunk), Format::Gltf, "a.glb", None).unwrap();
        assert_eq!(import.meshes[0].positions, [expected; 3]);
    }
}

#[test]
fn nodes_are_walked_depth_first_and_meshes_shared() {
    let members = format!(
        r#"{ACCESSORS},"scene":1,"scenes":[{{}},{{"nodes":[3,0]}}],
        "materials":[{{"name":"red"}},["no object"],{{"name":5}}],
        "nodes":[{{"name":"a","mesh":0}},{{"mesh":1,"scale":[-1,1,1]}},{{"name":"c","mesh":0}},
        {{"translation":[5,0,0],"children":[1,2]}},{{"name":"elsewhere","mesh":0}}],
        "meshes":[{{"name":"m","primitives":[{{"attributes":{{"POSITION":0}},"material":2}}]}},
        {{"primitives":[{{"attributes":{{"POSITION":0}},"mode":0}},
        {{"attributes":{{"POSITION":0}},"indices":1}},{{"attributes":{{"POSITION":0}}}}]}}]"#
    );
    let import_default = import(&members).unwrap();
    let names =
        |import: &Import| -> Vec<String> { import.meshes.iter().map(|m| m.name.clone()).collect() };
    assert_eq!(names(&import_default), ["nodes[1]/1", "nodes[1]/2", "c/m", "a/m"]);
    assert_eq!(import_default.material_names, ["red", "", ""]);
    let [mirrored, _, c, a] = &import_default.meshes[..] else { panic!() };
    assert_eq!(
        mirrored.transform,
        Affine3A::from_cols_array(&[-1., 0., 0., 0., 1., 0., 0., 0., 1., 5., 0., 0.])
    );
    assert_eq!(c.transform.translation, glam::Vec3A::new(5.0, 0.0, 0.0));
    assert_eq!(a.transform, Affine3A::IDENTITY);
    assert_eq!((&c.positions, &c.materials), (&a.positions, &Some(vec![2])));

    let all = import(&members.replace(r#""scene":1,"#, "")).unwrap();
    assert_eq!(names(&all), ["a/m", "nodes[1]/1", "nodes[1]/2", "c/m", "elsewhere/m"]);
}

#[test]
fn node_graphs_that_are_not_trees_are_refused() {
    use ImportErrorKind::*;
    for (nodes, kind, message) in [
        (
            r#""scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"children":[1]},{"children":[0]}]"#,
            Invalid,
            "a.glb: nodes[1].children[0]: nodes[0] is reached a second time: \
             nodes must form a tree, without cycles or shared children",
        ),
        (
            r#""nodes":[{"children":[1]},{"children":[0]}]"#,
            Invalid,
            "a.glb: nodes[0]: the node is part of a cycle, or below one",
        ),
        (
            r#""nodes":[{"children":[2]},{"children":[2]},{}]"#,
            Invalid,
            "a.glb: nodes[1].children[0]: nodes[2] is reached a second time: \
             nodes must form a tree, without cycles or shared children",
        ),
        (
            r#""nodes":[{"children":[2]}]"#,
            OutOfRange,
            "a.glb: nodes[0].children[0]: 2, but the file has 1 nodes",
        ),
        (
            r#""nodes":[{"mesh":2}]"#,
            OutOfRange,
            "a.glb: nodes[0].mesh: 2, but the file has 0 meshes",
        ),
        (
            r#""scene":"hello""#,
            Syntax,
            "a.glb: scene: expected a whole number, zero or more, found a string",
        ),
        (r#""scene":2,"scenes":[{}]"#, OutOfRange, "a.glb: scene: 2, but the file has 1 scenes"),
        (r#""nodes":[{"matrix":[1]}]"#, Invalid, "a.glb: nodes[0].matrix: 1 numbers instead of 16"),
    ] {
        assert_eq!(fails(import(nodes)), (kind, message.to_owned()));
    }
    let chain: Vec<String> = (1..=100_000).map(|i| format!(r#"{{"children":[{i}]}}"#)).collect();
    let chain = format!(r#""nodes":[{},{{}}]"#, chain.join(","));
    assert_eq!(import(&chain).unwrap().warnings.len(), 1);
}

#[test]
fn errors_name_the_place() {
    use ImportErrorKind::*;
    let at = "a.glb: meshes[0].primitives[0]";
    for (text, kind, message) in [
        ("{}", Invalid, format!("{at}.attributes: missing")),
        (
            r#"{"attributes":{"POSITION":9}}"#,
            OutOfRange,
            format!("{at}.attributes.POSITION: 9, but the file has 2 accessors"),
        ),
        (
            r#"{"attributes":{"POSITION":1}}"#,
            Invalid,
            "a.glb: accessors[1].type: positions must be VEC3, not SCALAR".into(),
        ),
        (
            r#"{"attributes":{"POSITION":0},"indices":0}"#,
            Invalid,
            "a.glb: accessors[0].type: indices must be SCALAR, not VEC3".into(),
        ),
        (
            r#"{"attributes":{"POSITION":0},"indices":-2}"#,
            Syntax,
            format!("{at}.indices: expected a whole number, zero or more, found -2"),
        ),
        (
            r#"{"attributes":{"POSITION":0},"mode":7}"#,
            Invalid,
            format!("{at}.mode: 7 is not a glTF primitive mode"),
        ),
    ] {
        assert_eq!(fails(primitive(text)), (kind, message));
    }
    for (change, to, kind, message) in [
        (
            r#""count":5"#,
            r#""count":6"#,
            Truncated,
            "accessors[0]: 6 elements of 12 bytes, 12 bytes apart, starting at byte 0, \
             do not fit into the buffer view's 60 bytes",
        ),
        (
            r#""count":5"#,
            r#""count":18446744073709551615"#,
            TooLarge,
            "accessors[0].count: more elements than 32 bits can number",
        ),
        (
            r#""count":6"#,
            r#""count":4294967295"#,
            Truncated,
            "accessors[1]: 4294967295 elements of 1 bytes, 1 bytes apart, starting at byte 0, \
             do not fit into the buffer view's 6 bytes",
        ),
        ("5121", "5126", Invalid, "accessors[1].componentType: indices cannot be of this type"),
        ("5126", "5125", Invalid, "accessors[0].componentType: positions cannot be of this type"),
        (
            r#""byteLength":60"#,
            r#""byteLength":60,"byteStride":4"#,
            Invalid,
            "accessors[0].bufferView: its stride of 4 is less than an element's 12 bytes",
        ),
        (
            r#""byteLength":60"#,
            r#""byteLength":81"#,
            Truncated,
            "bufferViews[0]: 81 bytes, starting at byte 0, do not fit into the buffer's 80 bytes",
        ),
        (
            r#""byteOffset":60"#,
            r#""byteOffset":18446744073709551615"#,
            Truncated,
            "bufferViews[1]: 6 bytes, starting at byte 18446744073709551615, \
             do not fit into the buffer's 80 bytes",
        ),
        (
            r#""byteLength":80"#,
            r#""byteLength":81"#,
            Truncated,
            "buffers[0]: byteLength is 81, but there are only 80 bytes",
        ),
        (
            r#""byteLength":80"#,
            r#""byteLength":80,"uri":"a.bin""#,
            Unsupported,
            "buffers[0].uri: 'a.bin': a separate file, but no folder was given to read from",
        ),
        (
            r#""byteLength":80"#,
            r#""byteLength":80,"uri":"data:,abc""#,
            Truncated,
            "buffers[0]: byteLength is 80, but there are only 3 bytes",
        ),
        (
            r#""bufferView":0,"componentType":5126,"count":5"#,
            r#""componentType":5126,"count":4294967295"#,
            TooLarge,
            "nodes: the meshes, counted once for each node that shows them, take ",
        ),
        (
            r#""version":"2.0""#,
            r#""version":"1.0""#,
            Unsupported,
            "asset.version: '1.0': only glTF 2.0 is supported",
        ),
        (
            r#""asset":{"version":"2.0"}"#,
            r#""extensionsRequired":["KHR_mesh_primitive_restart"],"asset":{"version":"2.0"}"#,
            Unsupported,
            "extensionsRequired[0]: the file requires KHR_mesh_primitive_restart, \
             which is not supported",
        ),
        (r#""asset""#, r#""as"#, Syntax, "line 1 column "),
    ] {
        let json = document(&format!(
            r#"{ACCESSORS},"nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[
            {{"attributes":{{"POSITION":0}},"indices":1}}]}}]"#
        ));
        assert!(json.contains(change), "{change}");
        let (found, text) = fails(import_json(&json.replacen(change, to, 1)));
        assert!(text.starts_with(&format!("a.glb: {message}")), "{text}");
        assert_eq!(found, kind, "{text}");
    }
}

#[test]
fn errors_about_compression_say_what_helps() {
    for name in ["KHR_draco_mesh_compression", "EXT_meshopt_compression"] {
        if cfg!(feature = "draco") && name == "KHR_draco_mesh_compression" {
            continue; // it is read
        }
        let (kind, text) = fails(import(&format!(r#""extensionsRequired":["{name}"]"#)));
        assert_eq!(kind, ImportErrorKind::Unsupported);
        assert!(text.ends_with("('gltf-transform copy IN OUT' removes the compression)"), "{text}");
    }
}

#[test]
fn data_uris_are_read() {
    let json = r#"{"asset":{"version":"2.0"},"nodes":[{"mesh":0}],
        "buffers":[{"byteLength":9,"uri":"data:application/octet-stream;base64,AAAAAQAAAAEA"}],
        "bufferViews":[{"buffer":0,"byteLength":9}],"meshes":[{"primitives":[
        {"attributes":{"POSITION":0}}]}],"accessors":[{"bufferView":0,"componentType":5121,
        "count":3,"type":"VEC3"}]}"#;
    let import = Import::from_bytes(json.as_bytes(), Format::Gltf, "a.gltf", None).unwrap();
    assert_eq!(import.meshes[0].positions, [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.]]);
}

#[test]
fn instances_of_a_mesh_are_limited() {
    let nodes = vec![r#"{"mesh":0}"#; 5000].join(",");
    let zeros = r#""accessors":[{"componentType":5126,"count":60000,"type":"VEC3"}]"#;
    let (kind, text) = fails(import(&format!(
        r#"{zeros},"nodes":[{nodes}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}]"#
    )));
    assert_eq!(kind, ImportErrorKind::TooLarge, "{text}");
    // Instances of a small mesh are fine.
    let import = import(&format!(
        r#"{ACCESSORS},"nodes":[{nodes}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}]"#
    ));
    assert_eq!(import.unwrap().meshes.len(), 5000);
}
