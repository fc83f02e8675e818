//! Buffer views that are compressed with meshopt.

use meshopt::{encode_index_buffer, encode_index_sequence, encode_vertex_buffer};

use super::builder::File;
use super::fails;
use crate::import::{Import, ImportError, ImportErrorKind};

/// Adds a view that stands for these compressed bytes.
fn view(file: &mut File, bytes: &[u8], members: &str) -> usize {
    let values: Vec<f64> = bytes.iter().map(|&byte| byte.into()).collect();
    let compressed = file.view(5121, &values);
    file.last_view(&format!(
        r#""extensions":{{"EXT_meshopt_compression":{{{},{members}}}}}"#,
        file.range(compressed)
    ));
    compressed
}

fn import(
    positions: &[u8],
    stride: usize,
    filter: &str,
    indices: (&[u8], usize, &str),
) -> Result<Import, ImportError> {
    let mut file = File::default();
    let members = format!(r#""count":4,"byteStride":{stride},"mode":"ATTRIBUTES"{filter}"#);
    let positions = view(&mut file, positions, &members);
    let (bytes, size, mode) = indices;
    let members = format!(r#""count":6,"byteStride":{size},"mode":"{mode}""#);
    let indices = view(&mut file, bytes, &members);
    let component = if size == 2 { 5123 } else { 5125 };
    let kind = if stride == 8 { 5122 } else { 5126 };
    file.accessor(&format!(
        r#""bufferView":{positions},"componentType":{kind},"count":4,"type":"VEC3""#
    ));
    file.accessor(&format!(
        r#""bufferView":{indices},"componentType":{component},"count":6,"type":"SCALAR""#
    ));
    file.import(
        r#""extensionsRequired":["EXT_meshopt_compression"],"nodes":[{"mesh":0}],"meshes":[
        {"primitives":[{"attributes":{"POSITION":0},"indices":1}]}]"#,
    )
}

const CORNERS: [[f32; 3]; 4] = [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.5], [0., 1., -3.]];
const TRIANGLES: [u32; 6] = [0, 1, 2, 2, 1, 3];

#[test]
fn compressed_views_are_read() {
    let positions = encode_vertex_buffer(&CORNERS).unwrap();
    let shorts = CORNERS.map(|[x, y, z]| [x as i16 * 9, y as i16 * 9, (z * 2.0) as i16, 0]);
    let narrow = encode_vertex_buffer(&shorts).unwrap();
    let triangles = encode_index_buffer(&TRIANGLES, 4).unwrap();
    let sequence = encode_index_sequence(&TRIANGLES, 4).unwrap();
    for size in [2, 4] {
        let list = import(&positions, 12, "", (&triangles, size, "TRIANGLES")).unwrap();
        assert_eq!(list.meshes[0].positions, CORNERS);
        // The codec may rotate the corners of a triangle.
        let mut found = list.meshes[0].indices.clone().unwrap();
        for triangle in found.as_chunks_mut::<3>().0 {
            while triangle.iter().min() != triangle.first() {
                triangle.rotate_left(1);
            }
        }
        assert_eq!(found, [0, 1, 2, 1, 3, 2]);
        let filter = r#","filter":"NONE""#;
        let exact = import(&narrow, 8, filter, (&sequence, size, "INDICES")).unwrap();
        assert_eq!(exact.meshes[0].positions[2], [9., 9., 1.]);
        assert_eq!(exact.meshes[0].indices.as_deref(), Some(&TRIANGLES[..]));
        assert_eq!(exact.warnings, [""; 0]);
    }
}

#[test]
fn exponents_are_read() {
    // Mantissas 3, -5 and 7 with exponents -1, 2 and 0.
    let word = |mantissa: i32, exponent: i32| (exponent << 24 | mantissa & 0xff_ffff) as u32;
    let values = encode_vertex_buffer(&[[word(3, -1), word(-5, 2), word(7, 0)]; 4]).unwrap();
    let sequence = encode_index_sequence(&TRIANGLES, 4).unwrap();
    let filter = r#","filter":"EXPONENTIAL""#;
    let import = import(&values, 12, filter, (&sequence, 4, "INDICES")).unwrap();
    assert_eq!(import.meshes[0].positions, [[1.5, -20., 7.]; 4]);
}

#[test]
fn wrong_compressed_views_are_errors() {
    let positions = encode_vertex_buffer(&CORNERS).unwrap();
    let sequence = encode_index_sequence(&TRIANGLES, 4).unwrap();
    let indices = (&sequence[..], 4, "INDICES");
    for (stride, filter, kind) in [
        (10, "", ImportErrorKind::Invalid),
        (0, "", ImportErrorKind::Invalid),
        (260, "", ImportErrorKind::Invalid),
        (12, r#","filter":"QUATERNION""#, ImportErrorKind::Unsupported),
        (12, r#","count":1000000000000"#, ImportErrorKind::TooLarge),
        (12, r#","mode":"STRIPS""#, ImportErrorKind::Invalid),
        (12, r#","byteLength":99999"#, ImportErrorKind::Truncated),
    ] {
        let (found, text) = fails(import(&positions, stride, filter, indices));
        assert_eq!(found, kind, "{text}");
    }
    for length in 0..positions.len() {
        let (kind, text) = fails(import(&positions[..length], 12, "", indices));
        assert_eq!(kind, ImportErrorKind::Invalid);
        assert!(text.contains("EXT_meshopt_compression: meshopt: "), "{text}");
    }
    // Every byte changed: an error or other geometry, but no panic.
    for at in 0..positions.len() {
        let mut bad = positions.clone();
        bad[at] ^= 0x55;
        let _ = import(&bad, 12, "", indices);
    }
}
