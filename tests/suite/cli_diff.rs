//! `hitscan diff`: the built binary, run on levels with one change each.

mod output;
mod scenes;

use std::fmt::Write as _;
use std::fs;

use hitscan::glam::{Affine3A, Vec3};
use hitscan::{Builder, Bvh, Mesh};
use serde_json::{Value, json};

use crate::command_line::Folder;

/// A mesh of a model: its name and its corners, three for each triangle.
type Part = (&'static str, Vec<[f32; 3]>);

/// A cube with a corner here and sides of this length.
fn cube(from: [f32; 3], size: f32) -> Vec<[f32; 3]> {
    const CORNERS: [usize; 36] = [
        0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6,
        1, 3, 5, 3, 7, 5,
    ];
    let corner = |corner: usize| {
        [0, 1, 2].map(|axis| from[axis] + if corner >> axis & 1 == 1 { size } else { 0.0 })
    };
    CORNERS.map(corner).to_vec()
}

/// A floor, two crates and a wedge that no turn maps to itself.
fn level() -> Vec<Part> {
    let floor = [[-9.0, 0.0, -9.0], [-9.0, 0.0, 9.0], [9.0, 0.0, 9.0], [9.0, 0.0, -9.0]];
    let [a, b, c, d] = floor;
    let wedge = [[5.0, 1.0, 5.0], [8.0, 1.0, 5.0], [5.0, 2.0, 5.0], [5.0, 1.0, 7.0]];
    let [e, f, g, h] = wedge;
    vec![
        ("floor", vec![a, b, c, a, c, d]),
        ("crate", cube([-2.0, 0.5, -2.0], 1.0)),
        ("chest", cube([2.0, 0.5, -3.0], 2.0)),
        ("wedge", vec![e, g, f, e, f, h, e, h, g, f, g, h]),
    ]
}

fn named<'a>(parts: &'a mut [Part], name: &str) -> &'a mut Part {
    parts.iter_mut().find(|(other, _)| *other == name).unwrap()
}

/// Moves the corners of a mesh.
fn place(parts: &mut [Part], name: &str, to: impl Fn(Vec3) -> Vec3) {
    for corner in &mut named(parts, name).1 {
        *corner = to(Vec3::from_array(*corner)).to_array();
    }
}

fn obj(parts: &[Part]) -> String {
    let (mut text, mut count) = (String::new(), 0);
    for (name, corners) in parts {
        writeln!(text, "o {name}").unwrap();
        for corners in corners.chunks(3) {
            for [x, y, z] in corners {
                writeln!(text, "v {x} {y} {z}").unwrap();
            }
            writeln!(text, "f {} {} {}", count + 1, count + 2, count + 3).unwrap();
            count += 3;
        }
    }
    text
}

fn bvh(parts: &[Part]) -> Bvh {
    let meshes = parts.iter().map(|(name, corners)| {
        let mesh = Mesh::from_soup(corners.clone());
        if name.is_empty() { mesh } else { mesh.with_name(*name) }
    });
    Builder::new().bake(&meshes.collect::<Vec<_>>()).unwrap().0
}

/// A folder with two baked files.
fn folder(before: &[Part], after: &[Part]) -> Folder {
    let folder = Folder::with_level();
    bvh(before).save(folder.path("a.hbvh")).unwrap();
    bvh(after).save(folder.path("b.hbvh")).unwrap();
    folder
}

/// Runs, with an exit code, and gives the JSON.
fn diff(folder: &Folder, code: i32, args: &[&str]) -> Value {
    let output = folder.run(&[&["diff", "--json"], args].concat());
    assert_eq!(output.status.code(), Some(code), "{args:?}: {output:?}");
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["schema"], 1);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.lines().count(), usize::from(code == 3), "{said}");
    value
}

/// The only row of meshes of a change that rays notice.
fn only_mesh(change: impl Fn(&mut Vec<Part>)) -> Value {
    let mut after = level();
    change(&mut after);
    let report = diff(&folder(&level(), &after), 3, &["a.hbvh", "b.hbvh"]);
    assert_eq!((&report["alike"], &report["changed"]), (&false.into(), &true.into()));
    let rows = report["meshes"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "{report:#}");
    let aimed = report["at_changes"]["closest_different"].as_u64().unwrap();
    assert!(aimed > 400, "{report:#}");
    rows[0].clone()
}

#[test]
fn equal_files_are_alike() {
    let folder = folder(&level(), &level());
    let args = ["a.hbvh", "b.hbvh", "--any-change"];
    let report = diff(&folder, 0, &args);
    assert_eq!((&report["alike"], &report["changed"]), (&true.into(), &false.into()));
    assert_eq!((&report["meshes"], &report["same_meshes"]), (&json!([]), &4.into()));
    assert_eq!(report["answers"]["rays"], 4096);
    assert_eq!(report["at_changes"]["rays"], 0);
    assert_eq!(report["a"]["cost"], report["b"]["cost"]);
    assert!(report["a"]["cost"]["nodes"].as_f64().unwrap() >= 1.0);
    let text = folder.ok(&[&["diff"], &args[..]].concat());
    assert!(text.contains("meshes     4 the same\n"), "{text}");
    assert!(text.contains("\nany        0 are answered otherwise\n"), "{text}");
    assert_eq!(text, folder.ok(&[&["diff"], &args[..]].concat()), "the same at each call");
}

#[test]
fn an_added_mesh_is_found() {
    let row = only_mesh(|parts| parts.push(("shelf", cube([0.0, 3.0, 0.0], 0.5))));
    assert_eq!((&row["change"], &row["name"]), (&"added".into(), &"shelf".into()));
    assert_eq!((&row["mesh"], &row["triangles"]), (&json!([null, 4]), &json!([0, 12])));
}

#[test]
fn a_removed_mesh_is_found() {
    let row = only_mesh(|parts| drop(parts.remove(1)));
    assert_eq!((&row["change"], &row["name"]), (&"removed".into(), &"crate".into()));
    assert_eq!((&row["mesh"], &row["triangles"]), (&json!([1, null]), &json!([12, 0])));
}

#[test]
fn a_moved_mesh_is_found_with_the_way() {
    let by = Vec3::new(0.3, 0.0, -1.7);
    let row = only_mesh(|parts| place(parts, "crate", |p| p + by));
    assert_eq!((&row["change"], &row["by"]), (&"moved".into(), &json!([0.3, 0.0, -1.7])));
    assert_eq!(row["mesh"], json!([1, 1]));
}

#[test]
fn a_turned_mesh_is_found_with_the_angle() {
    let turn = Affine3A::from_rotation_y(30f32.to_radians());
    let row = only_mesh(|parts| place(parts, "wedge", |p| turn.transform_point3(p)));
    assert_eq!(row["change"], "turned");
    assert!((row["degrees"].as_f64().unwrap() - 30.0).abs() < 1e-3, "{row:#}");
    // Three columns, then the translation.
    let transform: Vec<f64> = serde_json::from_value(row["transform"].clone()).unwrap();
    for (found, expected) in transform.iter().zip(turn.to_cols_array()) {
        assert!((found - f64::from(expected)).abs() < 1e-5, "{row:#}");
    }
}

#[test]
fn a_scaled_and_a_mirrored_mesh_are_found() {
    let row = only_mesh(|parts| place(parts, "chest", |p| p * 1.25));
    assert_eq!(row["change"], "scaled");
    assert!((row["factor"].as_f64().unwrap() - 1.25).abs() < 1e-5, "{row:#}");
    let row = only_mesh(|parts| {
        place(parts, "wedge", |p| Vec3::new(-p.x, p.y, p.z));
        // As a bake stores what was mirrored.
        named(parts, "wedge").1.chunks_mut(3).for_each(|corners| corners.swap(1, 2));
    });
    assert_eq!(row["change"], "mirrored");
}

#[test]
fn a_changed_mesh_is_found_with_distance_and_place() {
    let row = only_mesh(|parts| {
        place(parts, "chest", |p| if p == Vec3::new(4.0, 2.5, -1.0) { p + Vec3::Y } else { p });
    });
    assert_eq!((&row["change"], &row["name"]), (&"changed".into(), &"chest".into()));
    // One on each of three sides has this corner.
    assert_eq!(row["differs"]["triangles"], json!([3, 3]));
    assert_eq!(row["differs"]["farthest"], 1.0);
    assert_eq!(row["differs"]["place"], json!([4.0, 3.5, -1.0]));
    // Triangles are gone: no vertex has a partner.
    let row = only_mesh(|parts| named(parts, "chest").1.truncate(30));
    assert_eq!(row["differs"]["triangles"], json!([2, 0]));
    assert_eq!((&row["differs"]["farthest"], &row["triangles"]), (&json!(null), &json!([12, 10])));
    // Turned inside out.
    let row = only_mesh(|parts| {
        named(parts, "chest").1.chunks_mut(3).for_each(|corners| corners.swap(1, 2));
    });
    assert_eq!(row["differs"]["triangles"], json!([12, 12]));
}

#[test]
fn other_numbers_of_triangles_are_found() {
    let row = only_mesh(|parts| named(parts, "chest").1.rotate_left(9));
    assert_eq!((&row["change"], &row["name"]), (&"reordered".into(), &"chest".into()));
    // Nothing is anywhere else.
    let mut after = level();
    named(&mut after, "chest").1.rotate_left(9);
    let report = diff(&folder(&level(), &after), 3, &["a.hbvh", "b.hbvh"]);
    for set in ["answers", "at_changes"] {
        assert_eq!(report[set]["closest_elsewhere"], 0);
        assert_eq!(report[set]["any_different"], 0);
    }
}

#[test]
fn a_renamed_mesh_is_answered_alike() {
    let mut after = level();
    named(&mut after, "crate").0 = "box";
    let folder = folder(&level(), &after);
    let report = diff(&folder, 0, &["a.hbvh", "b.hbvh"]);
    let row = &report["meshes"][0];
    assert_eq!((&row["change"], &row["name"]), (&"renamed".into(), &"box".into()));
    assert_eq!((&row["name_before"], &report["alike"]), (&"crate".into(), &true.into()));
    diff(&folder, 3, &["a.hbvh", "b.hbvh", "--any-change"]);
}

#[test]
fn masks_ids_and_materials_are_compared() {
    let folder = folder(&level(), &level());
    let with = |change: &dyn Fn(usize, Mesh) -> Mesh| {
        let meshes = level().into_iter().enumerate().map(|(number, (name, corners))| {
            let mesh = Mesh::from_soup(corners).with_name(name);
            let count = mesh.triangle_count();
            change(number, mesh.with_materials(vec![0; count]))
        });
        let meshes: Vec<Mesh> = meshes.collect();
        let names = ["wood", "stone"].map(str::to_owned);
        let builder = Builder::new().material_names(names.into());
        builder.bake(&meshes).unwrap().0.save(folder.path("b.hbvh")).unwrap();
    };
    with(&|_, mesh| mesh);
    fs::copy(folder.path("b.hbvh"), folder.path("a.hbvh")).unwrap();
    let row = |code| diff(&folder, code, &["a.hbvh", "b.hbvh"])["meshes"][0].clone();

    with(&|number, mesh| if number == 1 { mesh.with_mask(6) } else { mesh });
    assert_eq!(row(0)["mask"], json!([u32::MAX, 6]));
    assert_eq!(row(0)["change"], "mask");
    // In no layer: no ray meets it.
    with(&|number, mesh| if number == 1 { mesh.with_mask(0) } else { mesh });
    assert_eq!(row(3)["mask"], json!([u32::MAX, 0]));
    with(&|number, mesh| if number == 2 { mesh.with_user_id(77) } else { mesh });
    assert_eq!((&row(3)["change"], &row(3)["user_id"]), (&"user_id".into(), &json!([0, 77])));
    with(&|number, mesh| {
        if number == 2 { mesh.with_materials([vec![0; 9], vec![1; 3]].concat()) } else { mesh }
    });
    let found = row(3);
    assert_eq!(found["change"], "material");
    assert_eq!(found["materials"], json!({ "triangles": 3, "first": ["wood", "stone"] }));
}

#[test]
fn the_order_of_meshes_changes_numbers_only() {
    let mut after = level();
    after.reverse();
    let folder = folder(&level(), &after);
    let report = diff(&folder, 0, &["a.hbvh", "b.hbvh"]);
    assert_eq!((&report["meshes"], &report["renumbered_meshes"]), (&json!([]), &4.into()));
    diff(&folder, 3, &["a.hbvh", "b.hbvh", "--any-change"]);
    // So does the order of models.
    folder.write("one.obj", obj(&level()[..2]));
    folder.write("other.obj", obj(&level()[2..]));
    folder.ok(&["bake", "one.obj", "other.obj", "-o", "a.hbvh", "--force"]);
    folder.ok(&["bake", "other.obj", "one.obj", "-o", "b.hbvh", "--force"]);
    let report = diff(&folder, 0, &["a.hbvh", "b.hbvh"]);
    assert_eq!((&report["same_meshes"], &report["renumbered_meshes"]), (&4.into(), &4.into()));
}

#[test]
fn meshes_without_names_are_matched_by_their_triangles() {
    let nameless = |parts: Vec<Part>| -> Vec<Part> {
        parts.into_iter().map(|(_, corners)| ("", corners)).collect()
    };
    // One more in front, and one that moves.
    let mut after = level();
    place(&mut after, "chest", |p| p + Vec3::X);
    after.insert(0, ("shelf", cube([0.0, 3.0, 0.0], 0.5)[..33].to_vec()));
    let folder = folder(&nameless(level()), &nameless(after));
    let report = diff(&folder, 3, &["a.hbvh", "b.hbvh"]);
    let rows = report["meshes"].as_array().unwrap();
    let found: Vec<_> = rows.iter().map(|row| (&row["change"], &row["mesh"])).collect();
    let expected = [("added", json!([null, 0])), ("moved", json!([2, 3]))];
    let expected: Vec<_> = expected.map(|(change, mesh)| (json!(change), mesh)).into();
    assert!(found.iter().map(|(a, b)| ((*a).clone(), (*b).clone())).eq(expected), "{report:#}");
}

#[test]
fn presets_answer_alike_at_another_cost() {
    let folder = Folder::with_level();
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/data/level.glb");
    for preset in ["fast", "best"] {
        let output = format!("{preset}.hbvh");
        folder.ok(&["bake", model, "-o", &output, "--quality", preset]);
    }
    let report = diff(&folder, 0, &["fast.hbvh", "best.hbvh", "--any-change"]);
    let [fast, best] = ["a", "b"].map(|side| {
        let side = &report[side];
        let of = |name: &str| side["cost"][name].as_f64().unwrap();
        [of("nodes"), of("triangles"), side["bytes_per_triangle"].as_f64().unwrap()]
    });
    assert!(fast[0] > best[0] && fast[1] > best[1] && fast[2] < best[2], "{report:#}");
    // The cost is the one that `check` counts.
    let check = folder.json(&["check", "best.hbvh", "--max-cost", "1e9"]);
    let cost = check["gates"][0]["value"].as_f64().unwrap();
    assert!((best[0] + best[1] - cost).abs() < 1e-9, "{cost} {best:?}");
}

/// The differences that are shown are what `ray` answers.
#[test]
fn rays_that_are_shown_can_be_asked() {
    let mut after = level();
    place(&mut after, "crate", |p| p + Vec3::Y);
    let folder = folder(&level(), &after);
    let output = folder.run(&["diff", "a.hbvh", "b.hbvh"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let shown = text.split_once("Rays that are answered otherwise:\n").unwrap().1;
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines.len(), 15, "{text}");
    for lines in lines.chunks(3) {
        let aim: Vec<&str> = lines[0].split(' ').collect();
        let [from, dir] = [1, 3].map(|i| format!("{}={}", aim[i - 1], aim[i]));
        let any = &aim[4..];
        for (file, line) in ["a.hbvh", "b.hbvh"].iter().zip(&lines[1..]) {
            let args = [&["ray", *file, &*from, &*dir], any].concat();
            let answer = folder.json(&args);
            let hit = &answer["hits"][0];
            let expected = match answer["hit"].as_bool().unwrap() {
                false => "no hit".to_owned(),
                true if any == ["--any"] => "hit".to_owned(),
                true => format!(
                    "mesh {} {}, triangle {}, {}, t {}, u {}, v {}",
                    hit["mesh"],
                    hit["mesh_name"].as_str().unwrap(),
                    hit["triangle"],
                    hit["facing"].as_str().unwrap(),
                    hit["t"].as_f64().unwrap() as f32,
                    hit["u"].as_f64().unwrap() as f32,
                    hit["v"].as_f64().unwrap() as f32
                ),
            };
            assert_eq!(line[5..], expected, "{text}");
        }
    }
}
