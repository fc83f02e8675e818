//! Doubling a hostile file at most doubles the work of reading it.

use crate::import::{Format, Import, work};

/// Makes a file with this number of parts.
type Shape = Box<dyn Fn(usize) -> Vec<u8>>;

/// A file that repeats a part. `{}` in it is the number of the part, between 0 and 999.
fn repeated(start: &'static str, part: &'static str, end: &'static str) -> Shape {
    Box::new(move |n| {
        let parts = (0..n).map(|i| part.replace("{}", &(i % 1000).to_string()));
        format!("{start}{}{end}", parts.collect::<String>()).into_bytes()
    })
}

fn check(format: Format, shapes: &[(&str, Shape)]) {
    assert!(shapes.len() >= 10);
    for (name, shape) in shapes {
        let measure = |n| {
            let bytes = shape(n);
            let before = work::so_far();
            let _ = Import::from_bytes(&bytes, format, "a", None);
            let work = work::so_far() - before;
            assert!(work > 0, "{format:?}, {name}: nothing is counted");
            (bytes.len() as f64, work as f64)
        };
        let (bytes, work) = measure(4000);
        let (more_bytes, more_work) = measure(8000);
        let growth = (more_work / work) / (more_bytes / bytes);
        // A tree has one more level for twice as many corners.
        assert!(growth < 1.15, "{format:?}, {name}: {more_work} after {work}");
    }
}

/// Makes an outline of a polygon with about this number of corners.
type Outline = fn(usize) -> Vec<[f32; 2]>;

fn outlines() -> Vec<(&'static str, Outline)> {
    fn random(n: usize, values: u32) -> Vec<[f32; 2]> {
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 16) % values) as f32
        };
        (0..n).map(|_| [next(), next()]).collect()
    }
    fn comb(n: usize) -> Vec<[f32; 2]> {
        let teeth = (0..n / 2).rev().flat_map(|i| [[i as f32 + 0.5, 10.0], [i as f32, 0.0]]);
        [[n as f32, -1.0]].into_iter().chain(teeth).chain([[0.0, -1.0]]).collect()
    }
    fn spiral(n: usize) -> Vec<[f32; 2]> {
        let at = |i: usize, width: f32| {
            let angle = i as f32 * 0.05;
            [angle.cos() * (angle + width), angle.sin() * (angle + width)]
        };
        let inner = (0..n / 2).map(|i| at(i, 1.0));
        inner.chain((0..n / 2).rev().map(|i| at(i, 3.0))).collect()
    }
    fn star(n: usize) -> Vec<[f32; 2]> {
        let at = |i: usize| {
            let angle = i as f32 / n as f32 * std::f32::consts::TAU;
            let radius = if i.is_multiple_of(2) { 1.0 } else { 0.01 };
            [angle.cos() * radius, angle.sin() * radius]
        };
        (0..n).map(at).collect()
    }
    fn spikes(n: usize) -> Vec<[f32; 2]> {
        let spike = |i: usize| {
            let x = i as f32;
            [[x, 0.0], [x + 0.5, 0.0], [x + 0.5, 4.0], [x + 0.5, 0.0]]
        };
        let end = (n / 4) as f32;
        (0..n / 4).flat_map(spike).chain([[end, 0.0], [end, 5.0], [0.0, 5.0]]).collect()
    }
    fn bridges(n: usize) -> Vec<[f32; 2]> {
        let x = |i: usize| 10.0 * i as f32;
        let there = (0..n / 10).flat_map(|i| [[x(i), 0.0], [x(i) + 4.0, 0.0], [x(i) + 6.0, 2.0]]);
        let back = (0..n / 10).rev().flat_map(|i| {
            let (x, end) = (x(i), x(i) + 4.0);
            [[x + 6.0, 2.0], [end, 0.0], [end, 4.0], [x, 4.0], [x, 0.0]]
        });
        there.chain(back).collect()
    }
    vec![
        ("random corners", |n| random(n, 1 << 15)),
        ("corners in few places", |n| random(n, 3)),
        ("a comb", comb),
        ("a spiral", spiral),
        ("a star", star),
        ("spikes", spikes),
        ("bent bridges", bridges),
        ("the same place", |n| vec![[1.0, 2.0]; n]),
        ("there and back", |n| (0..n).map(|i| [(i % 5) as f32, (i % 2) as f32]).collect()),
    ]
}

/// A shape for each outline: `file` makes the file of it.
fn polygons(file: fn(&[[f32; 2]]) -> Vec<u8>) -> Vec<(&'static str, Shape)> {
    let shapes = outlines().into_iter().map(|(name, outline)| {
        let shape: Shape = Box::new(move |n| file(&outline(n)));
        (name, shape)
    });
    shapes.collect()
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

#[test]
fn obj_takes_work_in_proportion_to_its_size() {
    let mut shapes = polygons(|outline| {
        let positions =
            lines(outline.len(), |i| format!("v {} {} 0\n", outline[i][0], outline[i][1]));
        let face = lines(outline.len(), |i| format!(" {}", i + 1));
        format!("{positions}f{face}\n").into_bytes()
    });
    const V: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    shapes.extend([
        ("repeated corners", repeated("v 0 0 0\nf", " 1", "\n")),
        ("names", repeated(V, "o {}\ng {}\nusemtl {}\nf 1 2 3\n", "")),
        ("continued lines", repeated("v 0 0 0\nf", " 1\\\n", "")),
        ("continued names", repeated(V, "g a\\\n", "f 1 2 3\n")),
        ("backslashes before statements", repeated(V, "usemtl a\\\nf 1 2 3\\\n", "")),
        ("a long name", repeated("v 0 0 0\no ", "name ", "\nf 1 1 1\n")),
        ("comments", repeated("# \\\n", "# f 1 2 3 \\\n", V)),
        ("faces of two corners", repeated(V, "f 1 2\n", "")),
        ("vertices", repeated("", "v 1 2 3\n", "f -1 -2 -3\n")),
        ("a long number", repeated("v 0.", "1", " 0 0\nf 1 1 1\n")),
        (
            "polygons that cross themselves",
            repeated("v 1 1 0\nv 0 1 0\nv 1 0 0\nv 0 0 0\n", "f 1 2 3 4\n", ""),
        ),
        ("empty lines", repeated("", "\r\n \n", V)),
    ]);
    check(Format::Obj, &shapes);
}

const PLY: &str = "ply\nformat ascii 1.0\n";
const XYZ: &str = "property float x\nproperty float y\nproperty float z\n";
const FACE: &str = "property list int int vertex_indices\n";

/// A PLY file whose counts are the numbers of its rows.
fn rows(vertices: &'static str, faces: &'static str) -> Shape {
    Box::new(move |n| {
        let header = format!("{PLY}element vertex {n}\n{XYZ}element face {n}\n{FACE}end_header\n");
        format!("{header}{}{}", vertices.repeat(n), faces.repeat(n)).into_bytes()
    })
}

#[test]
fn ply_takes_work_in_proportion_to_its_size() {
    let mut shapes = polygons(|outline| {
        let n = outline.len();
        let positions = lines(n, |i| format!("{} {} 0\n", outline[i][0], outline[i][1]));
        let face = lines(n, |i| format!(" {i}"));
        format!(
            "{PLY}element vertex {n}\n{XYZ}element face 1\n{FACE}end_header\n{positions}{n}{face}\n"
        )
        .into_bytes()
    });
    let one = "1 2 3\n";
    let faces_first: Shape = Box::new(move |n| {
        let header = format!("{PLY}element face {n}\n{FACE}element vertex {n}\n{XYZ}end_header\n");
        format!("{header}{}{}", "4 0 1 2 3\n".repeat(n), one.repeat(n)).into_bytes()
    });
    let elements: Shape = Box::new(move |n| {
        let header = format!("element vertex 1\n{XYZ}").repeat(n);
        format!("{PLY}{header}end_header\n{}", one.repeat(n)).into_bytes()
    });
    let properties: Shape = Box::new(|n| {
        let lists = lines(n, |i| format!("property list char int vertex_index{}\n", i % 100));
        let values = "0 ".repeat(n);
        format!("{PLY}element vertex 0\n{XYZ}element face 2\n{lists}end_header\n{values}\n{values}")
            .into_bytes()
    });
    let binary: Shape = Box::new(|n| {
        let head = format!("ply\nformat binary_little_endian 1.0\nelement vertex 0\n{XYZ}");
        let header =
            format!("{head}element face {n}\nproperty list char char vertex_index\nend_header\n");
        [header.into_bytes(), [3, 0, 1, 2].repeat(n)].concat()
    });
    shapes.extend([
        ("rows", rows(one, "3 0 1 2\n")),
        ("a value a line", rows("1\n2\n3\n", "3\n0\n1\n2\n")),
        ("one line", rows("1 2 3 ", "3 0 1 2 ")),
        ("long rows", rows("1 2 3 4 5 6\n", "3 0 1 2 7\n")),
        ("long and short rows", rows("1 2 3 4\n5\n6\n", "3 0 1 2\n3 0\n")),
        ("too few rows", rows("1 2 3 4 5 6\n", "")),
        ("data left over", rows("1 2 3\n", "3 0 1 2\n9 9 9 9\n")),
        ("empty lists", rows("1 2 3\n", "0\n")),
        ("faces first", faces_first),
        ("elements", elements),
        ("lists", properties),
        ("binary", binary),
        ("comments", repeated("ply\nformat ascii 1.0\n", "comment {}\n", "element vertex 0\n")),
    ]);
    check(Format::Ply, &shapes);
}

#[test]
fn stl_takes_work_in_proportion_to_its_size() {
    const FACET: &str = "facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 \
                         endloop endfacet\n";
    const SOLID: &str = "solid {}\nfacet outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop \
                         endfacet\nendsolid\n";
    const ENDS: &str =
        "facet outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 end loop end facet ";
    let binary = |count: u32, rest: &'static [u8]| -> Shape {
        Box::new(move |n| {
            let count = if count == 1 { n as u32 } else { count };
            [&[b' '; 80][..], &count.to_le_bytes(), &[0; 50].repeat(n), &rest.repeat(n)].concat()
        })
    };
    let shapes = [
        ("facets", repeated("solid\n", FACET, "")),
        ("solids", repeated("", SOLID, "")),
        ("solids without an end", repeated("", "solid {}\nsolid\n", FACET)),
        ("ends in two words on one line", repeated("solid\n", ENDS, "")),
        ("lines of no meaning", repeated("solid\n", "color {}\n", FACET)),
        ("comments first", repeated("", "# solid\n", FACET)),
        ("the word end", repeated("solid\n", "end {}\n", FACET)),
        ("no loop", repeated("solid\nfacet", " 1", "")),
        ("facet in facet", repeated("solid\n", "facet ", "")),
        ("a long name", repeated("solid ", "name ", "\n")),
        ("zero bytes at the end", repeated(FACET, "\0", "")),
        ("a long number", repeated("facet outer loop vertex 0.", "1", " 0 0\n")),
        ("other text", repeated("", "facets and vertices ", "")),
        ("binary", binary(1, b"")),
        ("binary without a count", binary(0, b"")),
        ("binary with too large a count", binary(u32::MAX, b"")),
        ("binary with data left over", binary(1, b"facet")),
    ];
    check(Format::Stl, &shapes);
}

#[test]
fn off_takes_work_in_proportion_to_its_size() {
    let mut shapes = polygons(|outline| {
        let n = outline.len();
        let positions = lines(n, |i| format!("{} {} 0\n", outline[i][0], outline[i][1]));
        let face = lines(n, |i| format!(" {i}"));
        format!("OFF {n} 1 0\n{positions}{n}{face}\n").into_bytes()
    });
    let counted = |vertex: &'static str, face: &'static str| -> Shape {
        Box::new(move |n| {
            format!("OFF\n{n} {n} 0\n{}{}", vertex.repeat(n), face.repeat(n)).into_bytes()
        })
    };
    shapes.extend([
        ("rows", counted("1 2 3\n", "3 0 1 2\n")),
        ("colours", counted("1 2 3 0 255 0 255\n", "3 0 1 2 0 255 0 255\n")),
        ("comments", counted("# here\n1 2 3\n", "# here\n3 0 1 2 # there\n")),
        ("empty lines", counted("\n\n1 2 3\n", "\n\n3 0 1 2\n")),
        ("faces without corners", counted("1 2 3\n", "0\n")),
        ("data left over", counted("1 2 3\n", "3 0 1 2\nOFF\n")),
        ("a second file", counted("1 2 3\n", "3 0 1 2\n# OFF\n")),
        ("one line", counted("1 2 3 ", "3 0 1 2 ")),
        ("too few rows", counted("1 2 3\n", "")),
        ("a long keyword", repeated("", "OFF", "\n")),
        ("comments first", repeated("", "# {}\n", "OFF\n")),
    ]);
    check(Format::Off, &shapes);
}
