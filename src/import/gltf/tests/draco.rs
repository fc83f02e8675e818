//! Meshes that are compressed with Draco.

use super::builder::{File, placed};
use super::fails;
use crate::import::gltf::uri::data_of;
use crate::import::{Import, ImportError, ImportErrorKind};

/// Squares of 2 n n triangles at (x, y, x y mod 3), each vertex with the joints (1, 0, 0, 0), in
/// base64. Two are compressed with edgebreaker, one is not.
const STREAMS: [(usize, &str); 3] = [
    (
        1,
        "RFJBQ08CAgEBAAAABAIBAgAAAR//ARH/AREC/wAAAAAAAQAJAwAAAAEEAgQAAQEAAAAAAAAAAAAAAAAAAIA/A \
         ACAPwAAgD8AAAAAAACAPwAAAAAAAIA/AAAAAAAAAAABAQEAAgMBQAEAAQAAAAAAAQAAAA",
    ),
    (
        5,
        "RFJBQ08CAgEAAAAyJAEAAQcABwYBAggBCAcCAwkCCQgDBAoDCgkEBQsECwoGBw0GDQwHCA4HDg0ICQ8IDw4JC \
         hAJEA8KCxEKERAMDRMMExINDhQNFBMODxUOFRQPEBYPFhUQERcQFxYSExkSGRgTFBoTGhkUFRsUGxoVFhwVHB \
         sWFx0WHRwYGR8YHx4ZGiAZIB8aGyEaISAbHCIbIiEcHSMcIyIBAgAJAwAABAIEAAEAAQAAAAAAAAAAAAAAAAA \
         AgD8AAAAAAAAAAAAAAEAAAAAAAAAAAAAAQEAAAAAAAAAAAAAAgEAAAAAAAAAAAAAAoEAAAAAAAAAAAAAAAAAA \
         AIA/AAAAAAAAgD8AAIA/AACAPwAAAEAAAIA/AAAAQAAAQEAAAIA/AAAAAAAAgEAAAIA/AACAPwAAoEAAAIA/A \
         AAAQAAAAAAAAABAAAAAAAAAgD8AAABAAAAAQAAAAEAAAABAAACAPwAAQEAAAABAAAAAAAAAgEAAAABAAAAAQA \
         AAoEAAAABAAACAPwAAAAAAAEBAAAAAAAAAgD8AAEBAAAAAAAAAAEAAAEBAAAAAAAAAQEAAAEBAAAAAAAAAgEA \
         AAEBAAAAAAAAAoEAAAEBAAAAAAAAAAAAAAIBAAAAAAAAAgD8AAIBAAACAPwAAAEAAAIBAAAAAQAAAQEAAAIBA \
         AAAAAAAAgEAAAIBAAACAPwAAoEAAAIBAAAAAQAAAAAAAAKBAAAAAAAAAgD8AAKBAAAAAQAAAAEAAAKBAAACAP \
         wAAQEAAAKBAAAAAAAAAgEAAAKBAAAAAQAAAoEAAAKBAAACAPwABAQEBApE/cAP09V8AAAAAAQAAAA",
    ),
    (
        5,
        "RFJBQ08CAgEBAAAAJDIBMgUAD1/7VKtP1VPVp6paVX2qCv8BEf8CyEQC/wAAAAAAAQAJAwAAAAEEAgQAAQEAA \
         EBAAABAQAAAAAAAAABAAAAAQAAAgD8AAEBAAAAAQAAAAAAAAABAAACAPwAAAEAAAIA/AACAPwAAgD8AAIA/AA \
         AAQAAAAEAAAABAAABAQAAAAAAAAEBAAACAQAAAAAAAAIBAAACAQAAAgD8AAIBAAABAQAAAAAAAAIBAAAAAQAA \
         AAEAAAEBAAACAPwAAAAAAAABAAAAAAAAAAAAAAIA/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACAPwAAAAAA \
         AAAAAAAAQAAAAAAAAIA/AABAQAAAAAAAAABAAACAQAAAAEAAAEBAAACgQAAAAAAAAIBAAACgQAAAAEAAAKBAA \
         ACgQAAAgD8AAKBAAACAQAAAAEAAAKBAAABAQAAAAAAAAKBAAAAAQAAAgD8AAIBAAACAPwAAgD8AAEBAAAAAAA \
         AAAAAAAIBAAAAAAAAAAAAAAKBAAACAPwAAAEAAAKBAAAAAAAAAAAAAAABAAACgQAAAgD8AAIA/AACAQAAAgD8 \
         AAIA/AACgQAAAAEAAAAAAAACAQAAAAAAAAAAAAACgQAAAAAAAAAAAAABAQAAAAAABAQEBAgKRP3AD9PVfAAAA \
         AAEAAAA",
    ),
];

fn stream(index: usize) -> (usize, Vec<u8>) {
    let (n, text) = STREAMS[index];
    (n, data_of(&format!("data:;base64,{text}")).unwrap().unwrap())
}

fn import(stream: &[u8], vertices: usize, node: &str) -> Result<Import, ImportError> {
    let mut file = File::default();
    let bytes: Vec<f64> = stream.iter().map(|&byte| byte.into()).collect();
    let view = file.view(5121, &bytes);
    let count = format!(r#""count":{vertices},"#);
    let positions = file.accessor(&format!(r#"{count}"componentType":5126,"type":"VEC3""#));
    let joints = file.accessor(&format!(r#"{count}"componentType":5121,"type":"VEC4""#));
    let weights = file.floats("VEC4", &[1., 0., 0., 0.].repeat(vertices));
    file.import(&format!(
        r#""extensionsRequired":["KHR_draco_mesh_compression"],"skins":[{{"joints":[0,1]}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":{positions},"JOINTS_0":{joints},
        "WEIGHTS_0":{weights}}},"extensions":{{"KHR_draco_mesh_compression":{{
        "bufferView":{view},"attributes":{{"POSITION":0,"JOINTS_0":1}}}}}}}}]}}],
        "nodes":[{{"mesh":0{node}}},{{"translation":[0,0,100]}}]"#
    ))
}

/// The triangles, each from its lowest corner on, in order.
fn triangles(import: &Import) -> Vec<[[i32; 3]; 3]> {
    let (places, mesh) = (placed(import, 0), &import.meshes[0]);
    let corner = |&i: &u32| places[i as usize].map(|x| x.round() as i32);
    let mut all: Vec<[[i32; 3]; 3]> = (mesh.indices.as_ref().unwrap().as_chunks().0.iter())
        .map(|[a, b, c]| {
            let mut triangle = [corner(a), corner(b), corner(c)];
            while triangle.iter().min() != triangle.first() {
                triangle.rotate_left(1);
            }
            triangle
        })
        .collect();
    all.sort_unstable();
    all
}

fn expected(n: i32, z: i32) -> Vec<[[i32; 3]; 3]> {
    let at = |x: i32, y: i32| [x, y, (x * y) % 3 + z];
    let mut all = Vec::new();
    for (x, y) in (0..n).flat_map(|x| (0..n).map(move |y| (x, y))) {
        all.push([at(x, y), at(x + 1, y), at(x + 1, y + 1)]);
        all.push([at(x, y), at(x + 1, y + 1), at(x, y + 1)]);
    }
    all.sort_unstable();
    all
}

#[test]
fn compressed_meshes_are_read() {
    for index in 0..STREAMS.len() {
        let (n, stream) = stream(index);
        let import = import(&stream, (n + 1) * (n + 1), "").unwrap();
        assert_eq!(triangles(&import), expected(n as i32, 0), "{n}");
        assert_eq!(import.warnings, [""; 0]);
    }
}

#[test]
fn compressed_joints_place_the_mesh() {
    let import = import(&stream(2).1, 36, r#","skin":0"#).unwrap();
    assert_eq!(triangles(&import), expected(5, 100));
}

#[test]
fn wrong_streams_are_errors() {
    let (_, good) = stream(2);
    let at = "a.glb: meshes[0].primitives[0].extensions.KHR_draco_mesh_compression";
    let (kind, text) = fails(import(&good, 37, ""));
    assert_eq!(kind, ImportErrorKind::Invalid);
    let message = "36 elements in the stream, but 37 are declared";
    assert_eq!(text, format!("{at}.attributes.POSITION: {message}"));
    for length in 0..good.len() - 1 {
        let (kind, text) = fails(import(&good[..length], 36, ""));
        assert_eq!(kind, ImportErrorKind::Invalid);
        assert!(text.starts_with(&format!("{at}: Draco: ")), "{text}");
    }
    // Every byte changed: an error or other geometry, but no panic.
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x55;
        let _ = import(&bad, 36, "");
    }
}

#[test]
fn a_stream_is_decompressed_once() {
    let mut file = File::default();
    let (_, stream) = stream(2);
    let bytes: Vec<f64> = stream.iter().map(|&byte| byte.into()).collect();
    let view = file.view(5121, &bytes);
    let positions = file.accessor(r#""count":36,"componentType":5126,"type":"VEC3""#);
    let primitive = |view: usize| {
        format!(
            r#"{{"attributes":{{"POSITION":{positions}}},"extensions":{{
            "KHR_draco_mesh_compression":{{"bufferView":{view},"attributes":{{"POSITION":0}}}}}}}}"#
        )
    };
    let mesh = |primitives: &[String]| {
        let primitives = primitives.join(",");
        format!(r#""meshes":[{{"primitives":[{primitives}]}}],"nodes":[{{"mesh":0}}]"#)
    };
    let shared = file.import(&mesh(&vec![primitive(view); 20])).unwrap();
    assert_eq!((shared.meshes.len(), shared.triangle_count()), (20, 1000));
    // Views that overlap could otherwise hold any number of streams.
    file.view(5121, &[0.]);
    let again = file.view_of_all();
    let twice = file.import(&mesh(&[primitive(view), primitive(again)]));
    assert_eq!(fails(twice).0, ImportErrorKind::TooLarge);
}
