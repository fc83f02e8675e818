//! C8 for importers: no bytes cause a panic, a hang, or more memory than a small multiple of
//! their own size.

#![cfg(feature = "import")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use hitscan::Import;
use hitscan::import::Format;
use hitscan::{ImportError, ImportErrorKind};

/// The system's allocator, with counters of the bytes this thread holds, of their peak, and of all
/// that it ever asked for.
struct Counting;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
    static TOTAL: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    // The counters of a thread that is ending are already gone.
    let _ = HELD.try_with(|held| {
        held.set(held.get() + bytes);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(held.get())));
        let _ = TOTAL.try_with(|total| total.set(total.get() + bytes.max(0)));
    });
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Imports, and checks the memory it took and the form of the result.
fn attempt(bytes: &[u8], format: Format) -> Result<usize, ImportError> {
    let before = HELD.get();
    PEAK.set(before);
    let result = Import::from_bytes(bytes, format, "name", None);
    let took = (PEAK.get() - before) as usize;
    // Any glTF file may take one MiB of meshes, however small it is.
    let (times, floor) = match format {
        Format::Gltf => (300, 3 << 20),
        _ => (128, 64 << 10),
    };
    assert!(took <= times * bytes.len() + floor, "{took} bytes for {} of {format:?}", bytes.len());
    if let Err(error) = &result {
        let text = error.to_string();
        assert!(text.starts_with("name: ") && text.matches(": ").count() >= 2, "{text}");
    }
    let import = result?;
    for mesh in &import.meshes {
        let triangles = mesh.triangle_count();
        assert!(triangles > 0 && mesh.name.len() <= 255);
        assert_eq!(mesh.view().index_count(), 3 * triangles);
        assert!(mesh.materials.as_ref().is_none_or(|m| m.len() == triangles));
    }
    Ok(import.triangle_count())
}

fn glb() -> Vec<u8> {
    let mut chunk: Vec<u8> = (0..15).flat_map(|v| (v as f32).to_le_bytes()).collect();
    chunk.extend([0, 1, 2, 2, 1, 3, 1, 0, 3, 0]);
    let json = br#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0,2]}],
        "nodes":[{"name":"a","children":[1],"rotation":[0,0,1,0]},
        {"mesh":0,"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,4,5,6,1]},{"mesh":0,"scale":[2,2,2]}],
        "meshes":[{"name":"m","primitives":[{"attributes":{"POSITION":0},"indices":1,
        "material":0},{"attributes":{"POSITION":2},"mode":5}]}],"materials":[{"name":"x"}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":5,"type":"VEC3"},
        {"bufferView":1,"componentType":5121,"count":6,"type":"SCALAR"},
        {"componentType":5120,"count":4,"type":"VEC3","normalized":true,"sparse":{"count":1,
        "indices":{"bufferView":1,"byteOffset":6,"componentType":5123},
        "values":{"bufferView":0,"byteOffset":9}}}],
        "bufferViews":[{"buffer":0,"byteLength":60,"byteStride":12},
        {"buffer":0,"byteOffset":60,"byteLength":10}],
        "buffers":[{"byteLength":70}]}"#;
    let mut bytes = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
    for (kind, data) in [(b"JSON", &json[..]), (b"BIN\0", &chunk)] {
        bytes.extend((data.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(data);
    }
    let length = bytes.len() as u32;
    bytes[8..12].copy_from_slice(&length.to_le_bytes());
    bytes
}

fn binary_stl() -> Vec<u8> {
    let mut bytes = vec![b'x'; 80];
    bytes.extend(3_u32.to_le_bytes());
    bytes.extend((0..150).map(|i| i as u8));
    bytes
}

fn binary_ply() -> Vec<u8> {
    let mut bytes = b"ply\nformat binary_little_endian 1.0\nelement vertex 4\nproperty float x\n\
        property short y\nproperty uchar z\nelement face 2\n\
        property list uchar ushort vertex_indices\nend_header\n"
        .to_vec();
    bytes.extend((0..28).map(|i| i as u8));
    bytes.extend([4, 0, 0, 1, 0, 2, 0, 3, 0, 3, 0, 0, 1, 0, 9, 0]);
    bytes
}

const OBJ: &[u8] = b"o room\nv 0 0 0\nv 1 0 0 1 1 1\nv 1.5e0 1 -0.25\nv 0 1 nan\nusemtl a\n\
    f 1 2 3 4\ng x y\nf -1//2 -2/1 -3/1/1\nusemtl b\nf 1 \\\n 2 3\nv .5 .5 .5\nf 1 2 5 3 4\n";
const ASCII_PLY: &[u8] = b"ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\n\
    property float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_index\n\
    element tristrips 1\nproperty list int int vertex_indices\nend_header\n\
    0 0 0\n1 0 0\n1 1 0\n.2 .1 0\n4 0 1 2 3\n5 0 1 2 -1 3\n";
const ASCII_STL: &[u8] = b"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n\
    vertex 0 1 0\nendloop\nendfacet\nendsolid a\nsolid b\nendsolid\n";
const OFF: &[u8] = b"OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n3 2 1 0 9 9 9\n";

fn samples() -> Vec<(Format, Vec<u8>, usize)> {
    vec![
        (Format::Gltf, glb(), 8),
        (Format::Obj, OBJ.to_vec(), 7),
        (Format::Ply, ASCII_PLY.to_vec(), 3),
        (Format::Ply, binary_ply(), 3),
        (Format::Stl, ASCII_STL.to_vec(), 1),
        (Format::Stl, binary_stl(), 3),
        (Format::Off, OFF.to_vec(), 3),
    ]
}

#[test]
fn samples_are_read() {
    for (format, bytes, triangles) in samples() {
        assert_eq!(attempt(&bytes, format).unwrap(), triangles, "{format:?}");
    }
}

#[test]
fn every_truncation_is_safe() {
    for (format, bytes, _) in samples() {
        for end in 0..bytes.len() {
            let _ = attempt(&bytes[..end], format);
        }
    }
    // Binary formats state their length.
    for (format, bytes) in
        [(Format::Gltf, glb()), (Format::Stl, binary_stl()), (Format::Ply, binary_ply())]
    {
        for end in 0..bytes.len() {
            let result = attempt(&bytes[..end], format);
            // An STL file with whole triangles is read as its size says, with a warning.
            if format == Format::Stl && end > 84 && (end - 84).is_multiple_of(50) {
                let cut = Import::from_bytes(&bytes[..end], format, "name", None).unwrap();
                assert_eq!(cut.triangle_count(), (end - 84) / 50);
                assert!(cut.warnings[0].contains("the count is 3"), "{:?}", cut.warnings);
            } else {
                assert!(result.is_err(), "{format:?} {end}");
            }
        }
    }
}

#[test]
fn every_changed_byte_is_safe() {
    for (format, bytes, _) in samples() {
        for at in 0..bytes.len() {
            for value in [0, 0xff, b'0', b'9', b'-', b'\n', b'[', b'"', bytes[at] ^ 0x80] {
                let mut changed = bytes.clone();
                changed[at] = value;
                let _ = attempt(&changed, format);
            }
        }
    }
}

#[test]
fn random_mutations_are_safe() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % below
    };
    const PIECES: [&[u8]; 12] = [
        b"4294967295",
        b"18446744073709551615",
        b"-1",
        b"1e99",
        b"nan",
        b"null",
        b"\\\n",
        b"{}",
        b"[[",
        b"\xff\xff\xff\xff",
        b"\0\0\0\x80",
        b" 0 ",
    ];
    for round in 0..40_000 {
        let samples = samples();
        let (format, bytes, _) = &samples[round % samples.len()];
        let mut bytes = bytes.clone();
        for _ in 0..1 + random(4) {
            if bytes.is_empty() {
                break;
            }
            let at = random(bytes.len());
            let end = (at + random(12)).min(bytes.len());
            match random(5) {
                0 => bytes[at] = random(256) as u8,
                1 => bytes[at] ^= 1 << random(8),
                2 => drop(bytes.drain(at..end)),
                3 => {
                    let copy = bytes[at..end].to_vec();
                    let to = random(bytes.len());
                    bytes.splice(to..to, copy);
                }
                _ => {
                    let piece = PIECES[random(PIECES.len())];
                    bytes.splice(at..end, piece.iter().copied());
                }
            }
        }
        let _ = attempt(&bytes, *format);
    }
}

/// Files made to take far more time or memory than their size.
#[test]
fn decompression_bombs_are_safe() {
    let repeat = |start: &str, part: &str, times: usize, end: &str| {
        format!("{start}{}{end}", part.repeat(times)).into_bytes()
    };
    let gltf = r#"{"asset":{"version":"2.0"},"#;
    let long = "n".repeat(100_000);
    let one = format!("v 0 0 0\no {long}\nusemtl {long}\n");
    let groups: String = (0..20_000).map(|i| format!("g {i}\nf 1 1 1\n")).collect();
    for (format, bytes) in [
        (Format::Obj, repeat("v 0 0 0\nf", " 1", 300_000, "")),
        (Format::Obj, repeat("v 0 0 0\n", "f 1 1 1\n", 50_000, "")),
        (Format::Obj, format!("{one}{groups}").into_bytes()),
        (Format::Obj, repeat("", "\\\n", 300_000, "f")),
        (Format::Gltf, repeat(gltf, r#""nodes":["#, 1, &"{},".repeat(100_000))),
        (Format::Gltf, repeat(&format!(r#"{gltf}"nodes":["#), "{},", 100_000, "{}]}")),
        (Format::Gltf, repeat(&format!(r#"{gltf}"x":"#), r#"{"":["#, 100_000, "")),
        (Format::Gltf, repeat(&format!(r#"{gltf}"nodes":"#), "[", 100_000, &"]".repeat(100_000))),
        (
            Format::Gltf,
            repeat(
                &format!(
                    r#"{gltf}"meshes":[{{"name":"{long}",
            "primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
            "accessors":[{{"componentType":5126,"count":3,"type":"VEC3"}}],"nodes":["#
                ),
                r#"{"mesh":0},"#,
                20_000,
                "{}]}",
            ),
        ),
        (Format::Stl, repeat("", "solid\nendsolid\n", 20_000, "")),
        (
            Format::Ply,
            repeat("ply\nformat ascii 1.0\n", "element vertex 99999999999\n", 9999, "end_header\n"),
        ),
        (Format::Off, repeat("OFF 0 50000 0\n", "0\n", 50_000, "")),
    ] {
        let _ = attempt(&bytes, format);
    }
    let zeros = format!(
        r#"{gltf}"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
        "accessors":[{{"componentType":5126,"count":4294967295,"type":"VEC3"}}],
        "nodes":[{{"mesh":0}}]}}"#
    );
    let error = attempt(zeros.as_bytes(), Format::Gltf).unwrap_err();
    assert_eq!(error.kind(), ImportErrorKind::TooLarge);
}

/// Memory that is asked for again and again is copied each time.
#[test]
fn twice_the_file_asks_for_twice_the_memory() {
    let xyz = "property float x\nproperty float y\nproperty float z\n";
    let ply = |n: usize| {
        let header = format!("element vertex 1\n{xyz}").repeat(n);
        format!("ply\nformat ascii 1.0\n{header}end_header\n{}", "1 2 3\n".repeat(n))
    };
    let obj = |n: usize| format!("v 0 0 0\n{}", "o a\ng b\nf 1 1 1\n".repeat(n));
    let polygons = |n: usize| {
        let corners = "v 2 0 0\nv .5 .5 0\nv 0 2 0\nv 0 0 0\n";
        format!("{corners}{}", "f 1 2 3 4\n".repeat(n))
    };
    let stl = |n: usize| {
        let facet = "facet outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop endfacet\n";
        format!("solid a\n{facet}endsolid\n").repeat(n)
    };
    let off = |n: usize| format!("OFF 1 {n} 0\n0 0 0\n{}", "9 0 0 0 0 0 0 0 0 0\n".repeat(n));
    let shapes: [(Format, &dyn Fn(usize) -> String); 5] = [
        (Format::Ply, &ply),
        (Format::Obj, &obj),
        (Format::Obj, &polygons),
        (Format::Stl, &stl),
        (Format::Off, &off),
    ];
    for (format, shape) in shapes {
        let asked = |n| {
            let bytes = shape(n);
            let before = TOTAL.get();
            attempt(bytes.as_bytes(), format).unwrap();
            TOTAL.get() - before
        };
        let (once, twice) = (asked(4096), asked(8192));
        assert!(twice < once * 21 / 10, "{format:?}: {twice} bytes after {once}");
    }
}
