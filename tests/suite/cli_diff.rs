//! `hitscan diff`: the built binary, run on levels with one change each.

use std::fmt::Write as _;
use std::fs;
use std::io::Cursor;

use hitscan::glam::{Affine3A, Vec3};
use hitscan::scene::Instance;
use hitscan::{Builder, Bvh, Mesh, Scene, Sphere};
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
                    "mesh {} {}, triangle {}, t {}",
                    hit["mesh"],
                    hit["mesh_name"].as_str().unwrap(),
                    hit["triangle"],
                    hit["t"].as_f64().unwrap() as f32
                ),
            };
            assert_eq!(line[5..], expected, "{text}");
        }
    }
}

/// The level, and crates that stand in some places.
fn scene(level: &Bvh, prop: &Bvh, places: &[(&str, Affine3A)]) -> Scene {
    let mut scene = Scene::new();
    scene.insert(Instance::new(level.clone()).with_name("level")).unwrap();
    for &(name, transform) in places {
        let instance = Instance::new(prop.clone()).with_transform(transform).with_name(name);
        scene.insert(instance).unwrap();
    }
    scene
}

#[test]
fn scenes_are_compared_by_instances_and_trees() {
    let folder = Folder::with_level();
    let prop = bvh(&[("prop", cube([0.0; 3], 1.0))]);
    let at = |x: f32, y: f32, z: f32| Affine3A::from_translation(Vec3::new(x, y, z));
    let places =
        [("one", at(0.0, 1.0, 4.0)), ("two", at(3.0, 1.0, 4.0)), ("three", at(-5.0, 1.0, 4.0))];
    let save = |mut scene: Scene, name: &str| {
        scene.commit();
        scene.save(folder.path(name)).unwrap();
    };
    let mut before = scene(&bvh(&level()), &prop, &places);
    before.insert(Instance::new(Sphere::new([0.0; 3], 2.0)).with_name("alarm")).unwrap();
    let mut parts = level();
    place(&mut parts, "chest", |p| p + Vec3::X * 0.5);
    let moved = [
        ("one", at(0.0, 1.5, 4.0)),
        ("two", at(3.0, 1.0, 4.0) * Affine3A::from_rotation_y(0.5)),
        ("four", at(7.0, 1.0, 0.0)),
    ];
    let mut after = scene(&bvh(&parts), &prop, &moved);
    after.insert(Instance::new(Sphere::new([0.0; 3], 2.5)).with_name("alarm")).unwrap();
    save(before, "a.hscn");
    save(after, "b.hscn");
    let report = diff(&folder, 3, &["a.hscn", "b.hscn"]);
    let rows = report["instances"].as_array().unwrap();
    let found: Vec<_> = rows
        .iter()
        .map(|row| (row["change"].as_str().unwrap(), row["name"].as_str().unwrap()))
        .collect();
    let expected = [
        ("added", "four"),
        ("removed", "three"),
        ("moved", "one"),
        ("turned", "two"),
        ("changed", "alarm"),
    ];
    assert_eq!(found, expected, "{report:#}");
    assert_eq!(rows[2]["by"], json!([0.0, 0.5, 0.0]));
    assert_eq!(rows[4]["stands"], json!(["a sphere", "a sphere"]));
    assert_eq!(report["same_instances"], 1);
    let meshes = report["meshes"].as_array().unwrap();
    assert_eq!(meshes.len(), 1);
    let row = &meshes[0];
    assert_eq!((&row["change"], &row["name"]), (&"moved".into(), &"chest".into()));
    assert_eq!((&row["tree"], &row["by"]), (&json!([0, 0]), &json!([0.5, 0.0, 0.0])));
    assert!(report["at_changes"]["closest_different"].as_u64().unwrap() > 400);
    let differences = report["at_changes"]["differences"].as_array().unwrap();
    let answers = differences.iter().flat_map(|one| [&one["a"], &one["b"]]);
    let hits = answers.filter(|answer| answer.get("mesh").is_some());
    let instances: Vec<_> = hits.map(|hit| hit["instance"].as_u64().unwrap()).collect();
    assert!(!instances.is_empty() && instances.iter().all(|&number| number < 4), "{report:#}");

    // The same instances in another order.
    let [one, two, three] = places;
    save(scene(&bvh(&level()), &prop, &places), "a.hscn");
    save(scene(&bvh(&level()), &prop, &[three, two, one]), "b.hscn");
    let report = diff(&folder, 0, &["a.hscn", "b.hscn"]);
    assert_eq!((&report["instances"], &report["renumbered_instances"]), (&json!([]), &2.into()));
    // One that is switched off.
    let mut off = scene(&bvh(&level()), &prop, &places);
    let two = off.find("two").unwrap();
    off.disable(two).unwrap();
    save(off, "b.hscn");
    let report = diff(&folder, 3, &["a.hscn", "b.hscn"]);
    let row = &report["instances"][0];
    assert_eq!((&row["name"], &row["enabled"]), (&"two".into(), &json!([true, false])));
    // Another tree in one place.
    let other = bvh(&[("prop", cube([0.0; 3], 0.75))]);
    let mut swapped = scene(&bvh(&level()), &prop, &places[..2]);
    let (name, transform) = places[2];
    swapped.insert(Instance::new(other).with_name(name).with_transform(transform)).unwrap();
    save(swapped, "b.hscn");
    let report = diff(&folder, 3, &["a.hscn", "b.hscn"]);
    let row = &report["instances"][0];
    assert_eq!((&row["name"], &row["stands"]), (&"three".into(), &json!(["tree 1", "tree 2"])));
    let text = folder.run(&["diff", "a.hscn", "b.hscn"]).stdout;
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("three: tree 2 stands there, before tree 1\n"), "{text}");
}

/// The colours of a picture, without the legend's corner.
fn pixels(folder: &Folder, name: &str) -> Vec<[u32; 3]> {
    let bytes = fs::read(folder.path(name)).unwrap();
    let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().unwrap();
    assert_eq!(reader.info().size(), (1280, 720));
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    pixels[..3 * 1280 * 600].chunks(3).map(|rgb| [0, 1, 2].map(|k| rgb[k].into())).collect()
}

#[test]
fn a_picture_shows_changes_in_colours() {
    let mut after = level();
    place(&mut after, "crate", |p| p + Vec3::new(0.0, 0.0, 2.5));
    after.push(("shelf", cube([-1.0, 3.0, 0.0], 0.5)));
    let folder = folder(&level(), &after);
    let draw = |name: &str, threads: &str| {
        let args = ["diff", "a.hbvh", "b.hbvh", "-o", name, "--threads", threads];
        let output = folder.run(&args);
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let text = draw("one.png", "1");
    assert!(text.contains("\ndrawn      one.png (") && text.contains("\nview       --eye "));
    assert_eq!(draw("two.png", "2").replace("two.png", "one.png"), text);
    let [one, two] = ["one.png", "two.png"].map(|name| fs::read(folder.path(name)).unwrap());
    assert!(one == two);
    let pixels = pixels(&folder, "one.png");
    let count = |is: &dyn Fn([u32; 3]) -> bool| pixels.iter().filter(|&&pixel| is(pixel)).count();
    let blue = count(&|[r, g, b]| b > 2 * r && b > g);
    let orange = count(&|[r, g, b]| r > g && g > 2 * b);
    let magenta = count(&|[r, g, b]| r > g + 40 && b > g + 20);
    let grey = count(&|[r, g, b]| r == g && g == b);
    assert!(blue > 500 && orange > 1000 && magenta > 1000, "{blue} {orange} {magenta}");
    assert!(grey > 20_000, "{grey}");

    // Without a change there is a picture, too: in grey.
    folder.ok(&["diff", "a.hbvh", "a.hbvh", "-o", "none.png"]);
    let pixels = self::pixels(&folder, "none.png");
    let coloured = pixels.iter().filter(|[r, g, b]| r != g && *r > *b);
    assert_eq!(coloured.count(), 0);
}

#[test]
fn the_text_says_what_the_json_says() {
    let mut after = level();
    place(&mut after, "crate", |p| p + Vec3::X);
    place(&mut after, "chest", |p| if p.y > 1.0 { p + Vec3::Y * 0.25 } else { p });
    let folder = folder(&level(), &after);
    let output = folder.run(&["diff", "a.hbvh", "b.hbvh"]);
    let said = String::from_utf8(output.stderr).unwrap();
    let report = diff(&folder, 3, &["a.hbvh", "b.hbvh"]);
    let of = |set: &str, kind: &str| report[set][kind].as_u64().unwrap();
    let count: u64 = ["answers", "at_changes"]
        .iter()
        .map(|set| of(set, "closest_different") + of(set, "any_different"))
        .sum();
    let count = count.to_string();
    let (thousands, rest) = count.split_at(count.len() - 3);
    let expected = format!("hitscan: b.hbvh: {thousands},{rest} questions answered otherwise\n");
    assert_eq!(said, expected);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("\nmeshes     1 moved, 1 changed, 2 the same\n"), "{text}");
    assert!(text.contains("  moved             1                 12  crate: by 1,0,0\n"), "{text}");
    let changed = "chest: 10 triangles, a vertex by up to 0.2500 at 2,2.75,-3\n";
    assert!(text.contains(changed), "{text}");
}

#[test]
fn what_cannot_be_compared_is_told_in_one_line() {
    let folder = Folder::with_scene();
    let sound = fs::read(folder.path("level.hbvh")).unwrap();
    folder.write("empty.hbvh", "");
    folder.write("cut.hbvh", &sound[..sound.len() - 1]);
    folder.write("long.hbvh", [&sound[..], b"x"].concat());
    let mut damaged = sound.clone();
    damaged[sound.len() / 2] ^= 0x10;
    folder.write("damaged.hbvh", damaged);
    let scene = fs::read(folder.path("level.hscn")).unwrap();
    folder.write("cut.hscn", &scene[..scene.len() / 2]);
    bvh(&[]).save(folder.path("nothing.hbvh")).unwrap();
    let cases: [(&[&str], &str); 11] = [
        (&["level.hbvh", "level.hscn"], "it is a scene, and level.hbvh is a tree: bake both alike"),
        (&["level.hscn", "level.hbvh"], "it is a tree, and level.hscn is a scene: bake both alike"),
        (&["level.hbvh", "not-there.hbvh"], "not-there.hbvh: "),
        (&["empty.hbvh", "level.hbvh"], "empty.hbvh: "),
        (&["level.hbvh", "cut.hbvh"], "cut.hbvh: "),
        (&["level.hbvh", "long.hbvh"], "long.hbvh: "),
        (&["damaged.hbvh", "level.hbvh"], "damaged.hbvh: "),
        (&["level.hscn", "cut.hscn"], "cut.hscn: "),
        (&["level.hbvh", "level.obj"], "level.obj: "),
        (&["level.hbvh", "."], "."),
        (&["level.hbvh", "level.hbvh", "-o", "not-there/o.png"], "there is no folder"),
    ];
    for (args, reason) in cases {
        let said = folder.fails(1, &[&["diff"], args].concat());
        assert!(said.starts_with("hitscan: ") && said.lines().count() == 1, "{said}");
        assert!(said.contains(reason), "{said}");
        let output = folder.run(&[&["diff", "--json"], args].concat());
        let value: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(value["error"].as_str().unwrap().contains(reason), "{value}");
    }
    let said = folder.fails(1, &["diff", "level.hbvh", "nothing.hbvh", "-o", "o.png"]);
    assert!(said.contains("there are no triangles in it to draw"), "{said}");
    let wrong: [&[&str]; 7] = [
        &[],
        &["level.hbvh"],
        &["level.hbvh", "level.hbvh", "-o", "out.jpg"],
        &["level.hbvh", "level.hbvh", "--rays", "0"],
        &["level.hbvh", "level.hbvh", "--rays", "99999999"],
        &["level.hbvh", "level.hbvh", "--threads", "0"],
        &["level.hbvh", "level.hbvh", "level.hbvh"],
    ];
    for args in wrong {
        let said = folder.fails(2, &[&["diff"], args].concat());
        assert!(said.starts_with("error: "), "{said}");
    }
    // Empty levels can be compared.
    diff(&folder, 0, &["nothing.hbvh", "nothing.hbvh"]);
    diff(&folder, 3, &["nothing.hbvh", "level.hbvh"]);
}

/// Numbers as large, and levels as small, as there are.
#[test]
fn extreme_levels_are_compared() {
    for size in [f32::MAX, f32::MIN_POSITIVE] {
        let triangle = [[-size, 0.0, 0.0], [0.0, 0.0, size], [size, 0.0, -size]];
        let mut other = triangle;
        other[1][2] = 0.5 * size;
        let folder = folder(&[("", triangle.to_vec())], &[("", other.to_vec())]);
        let output = folder.run(&["diff", "a.hbvh", "b.hbvh", "-o", "o.png", "--any-change"]);
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        assert!(folder.path("o.png").exists());
    }
}
