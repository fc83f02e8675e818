//! `hitscan why` and `hitscan why-not`: the built binary, run on levels made for one cause each.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use hitscan::glam::Vec3;
use serde_json::Value;
use tempfile::TempDir;

fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hitscan")).current_dir(folder).args(args).output().unwrap()
}

fn ok(folder: &Path, args: &[&str]) -> String {
    let output = run(folder, args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn json(folder: &Path, args: &[&str]) -> Value {
    let value: Value = serde_json::from_str(&ok(folder, &[args, &["--json"]].concat())).unwrap();
    assert_eq!(value["schema"], 1);
    value
}

/// A model in text, of several meshes.
#[derive(Default)]
struct Model {
    text: String,
    vertices: usize,
}

impl Model {
    fn mesh(&mut self, name: &str) -> &mut Self {
        writeln!(self.text, "o {name}").unwrap();
        self
    }

    fn triangle(&mut self, corners: [Vec3; 3]) {
        for Vec3 { x, y, z } in corners {
            writeln!(self.text, "v {x} {y} {z}").unwrap();
        }
        let n = self.vertices;
        writeln!(self.text, "f {} {} {}", n + 1, n + 2, n + 3).unwrap();
        self.vertices += 3;
    }

    fn quad(&mut self, [a, b, c, d]: [Vec3; 4]) {
        self.triangle([a, b, c]);
        self.triangle([a, c, d]);
    }

    /// Hills on a grid of this many squares, of these sizes, from a corner on. `keep` says which
    /// squares there are.
    fn hills(&mut self, squares: i32, size: f32, from: Vec3, keep: impl Fn(i32, i32) -> bool) {
        let at = |x: i32, z: i32| {
            let height = ((x * 7 + z * 3) % 5 + (x * z) % 3) as f32 * 0.25;
            from + Vec3::new(x as f32, height, z as f32) * size
        };
        for (x, z) in (0..squares).flat_map(|x| (0..squares).map(move |z| (x, z))) {
            if keep(x, z) {
                self.quad([at(x, z), at(x, z + 1), at(x + 1, z + 1), at(x + 1, z)]);
            }
        }
    }

    /// Bakes it, and gives the folder.
    fn bake(&self) -> TempDir {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("level.obj"), &self.text).unwrap();
        ok(folder.path(), &["bake", "level.obj", "-o", "level.hbvh"]);
        folder
    }
}

/// Checks that `why` names this cause alone, in text and JSON, and gives it.
fn only_cause(model: &Model, cause: &str) -> Value {
    let folder = model.bake();
    let answer = json(folder.path(), &["why", "level.hbvh"]);
    let causes = answer["causes"].as_array().unwrap();
    let names: Vec<_> = causes.iter().map(|one| one["cause"].as_str().unwrap()).collect();
    assert_eq!(names, [cause], "{answer:#}");
    let text = ok(folder.path(), &["why", "level.hbvh"]);
    assert!(text.contains(&format!("\n{cause}: ")) && text.contains("  what to do: "), "{text}");
    assert!(!text.contains("Nothing stands out"), "{text}");
    causes[0].clone()
}

#[test]
fn nothing_stands_out_in_a_clean_level() {
    let mut model = Model::default();
    model.mesh("hills").hills(40, 1.0, Vec3::ZERO, |_, _| true);
    let folder = model.bake();
    let answer = json(folder.path(), &["why", "level.hbvh"]);
    assert_eq!(answer["causes"], serde_json::json!([]), "{answer:#}");
    assert_eq!(answer["rays"], 10_000);
    assert!(answer["triangles_tested"].as_f64().unwrap() > 1.0);
    let text = ok(folder.path(), &["why", "level.hbvh"]);
    assert!(text.ends_with("\nNothing stands out.\n"), "{text}");
    // The same at each call.
    assert_eq!(text, ok(folder.path(), &["why", "level.hbvh"]));
}

#[test]
fn long_thin_triangles_are_named() {
    let mut model = Model::default();
    model.mesh("hills").hills(20, 1.0, Vec3::ZERO, |_, _| true);
    // Wires through the level, from corner to corner.
    model.mesh("wires");
    for i in 0..300 {
        let (x, z) = ((i * 7 % 19) as f32, (i * 5 % 17) as f32);
        let from = Vec3::new(x, 1.0, 0.1 * z);
        let to = Vec3::new(19.0 - 0.5 * z, 9.0, 19.0 - 0.5 * x);
        model.triangle([from, to, to + Vec3::Y * 0.05]);
    }
    let cause = only_cause(&model, "long thin triangles");
    assert_eq!(cause["mesh"], 1);
    assert!(cause["share"].as_f64().unwrap() > 0.2, "{cause:#}");
    assert!(cause["finding"].as_str().unwrap().starts_with("300 triangles "), "{cause:#}");
}

#[test]
fn triangles_that_span_the_level_are_named() {
    let mut model = Model::default();
    // Dense clutter, and sails across all of it.
    model.mesh("clutter");
    for i in 0..3000 {
        let at = [i * 37 % 101, i * 61 % 97, i * 17 % 89].map(|x| x as f32 * 0.1);
        let at = Vec3::from_array(at);
        model.triangle([at, at + 0.3 * Vec3::X, at + 0.3 * Vec3::Y]);
    }
    model.mesh("sails");
    for i in 0..4 {
        let low = Vec3::new(i as f32, 0.0, 0.0);
        model.triangle([low, Vec3::new(10.0, 3.0, 9.0), Vec3::new(4.0, 9.5, 8.5)]);
    }
    let cause = only_cause(&model, "triangle that spans the level");
    assert_eq!(cause["mesh"], 1, "{cause:#}");
}

#[test]
fn coincident_copies_are_named() {
    let mut model = Model::default();
    model.mesh("hills").hills(20, 1.0, Vec3::ZERO, |_, _| true);
    model.mesh("again").hills(20, 1.0, Vec3::ZERO, |x, _| x < 10);
    let cause = only_cause(&model, "coincident copies");
    assert_eq!(cause["mesh"], 1);
    assert!(cause["finding"].as_str().unwrap().starts_with("400 triangles "), "{cause:#}");
}

#[test]
fn dense_detail_is_named() {
    let mut model = Model::default();
    model.mesh("hills").hills(20, 10.0, Vec3::ZERO, |_, _| true);
    let statue = Vec3::new(101.0, 12.0, 101.0);
    model.mesh("statue").hills(40, 0.05, statue, |_, _| true);
    let cause = only_cause(&model, "dense detail in a sparse place");
    assert_eq!(cause["mesh"], 1);
}

#[test]
fn seams_are_named() {
    let mut model = Model::default();
    // Two halves that should meet and do not, by a little.
    model.mesh("left").hills(20, 1.0, Vec3::ZERO, |x, _| x < 10);
    let by = Vec3::X * 1e-5;
    model.mesh("right").hills(20, 1.0, by, |x, _| x >= 10);
    let cause = only_cause(&model, "open seams");
    assert!(cause["finding"].as_str().unwrap().starts_with("40 open edges "), "{cause:#}");
}

#[test]
fn flipped_islands_are_named() {
    let mut model = Model::default();
    let is_island = |x: i32, z: i32| (5..8).contains(&x) && (9..12).contains(&z);
    model.mesh("hills").hills(20, 1.0, Vec3::ZERO, |x, z| !is_island(x, z));
    let mut island = Model::default();
    island.hills(20, 1.0, Vec3::ZERO, is_island);
    // The same squares, each triangle turned over.
    let corners = island.text.lines().filter_map(|line| line.strip_prefix("v "));
    let number = |text: &str| text.parse::<f32>().unwrap();
    let corners: Vec<Vec3> = corners
        .map(|line| Vec3::from_slice(&line.split(' ').map(number).collect::<Vec<_>>()))
        .collect();
    for corner in corners.chunks(3) {
        model.triangle([corner[0], corner[2], corner[1]]);
    }
    let cause = only_cause(&model, "flipped islands");
    assert!(cause["finding"].as_str().unwrap().starts_with("18 triangles "), "{cause:#}");
    assert!(cause["triangle"].as_u64().unwrap() >= 2 * (400 - 9), "{cause:#}");
}

#[test]
fn levels_far_from_the_origin_are_named() {
    let mut model = Model::default();
    model.mesh("hills").hills(20, 1.0, Vec3::new(3e5, 0.0, -2e5), |_, _| true);
    only_cause(&model, "far from the origin");
}

/// Two walls, one behind the other.
fn walls() -> TempDir {
    let mut model = Model::default();
    for (name, z) in [("far", 5.0), ("near", 2.0)] {
        let at = |x: f32, y: f32| Vec3::new(x, y, z);
        model.mesh(name).triangle([at(0.0, 0.0), at(4.0, 0.0), at(0.0, 4.0)]);
    }
    model.bake()
}

const RAY: [&str; 4] = ["--from", "1,1,0", "--dir", "0,0,1"];

#[test]
fn the_walk_of_a_ray_is_told_step_by_step() {
    let folder = walls();
    let args = [&["why", "level.hbvh"][..], &RAY].concat();
    let text = ok(folder.path(), &args);
    let lines: Vec<&str> = text.lines().collect();
    let found = "hit at t 2: mesh 1 near, triangle 0; all boxes before it were looked at";
    assert_eq!(lines[..2], [found, "node 0 (depth 0)"], "{text}");
    assert!(text.contains("\nleaf block 0 (depth 1)\n"), "{text}");
    assert!(text.contains("  mesh 1, triangle 0: hit at t 2, the nearest so far\n"), "{text}");
    let answer = json(folder.path(), &args);
    assert_eq!((&answer["hit"]["mesh"], &answer["hit"]["t"]), (&1.into(), &2.0.into()));
    assert_eq!(answer["end"], "nothing-nearer");
    assert_eq!(answer["steps"][1]["tests"][0]["what"], "triangle");

    let end = |more: &[&str]| {
        let args = [&["why", "level.hbvh"][..], more].concat();
        json(folder.path(), &args)["end"].as_str().unwrap().to_owned()
    };
    assert_eq!(end(&[&RAY[..], &["--any"]].concat()), "first-hit");
    assert_eq!(end(&["--from", "1,1,0", "--dir", "0,1,0"]), "nothing-left");
    assert_eq!(end(&["--from", "1,1,0", "--to", "1,1,1"]), "interval-over");
}

#[test]
fn why_takes_a_file_of_rays() {
    let folder = walls();
    let ray = [1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, f32::INFINITY];
    let bytes: Vec<u8> = ray.iter().flat_map(|number| number.to_le_bytes()).collect();
    fs::write(folder.path().join("rays.bin"), bytes.repeat(3)).unwrap();
    let answer = json(folder.path(), &["why", "level.hbvh", "--rays", "rays.bin"]);
    assert_eq!((&answer["rays"], &answer["hits"]), (&3.into(), &3.into()));
    assert_eq!(answer["triangles_tested"], 2.0);
    assert_eq!(answer["meshes"][0]["share"], 0.5);
}

#[test]
fn why_not_gives_the_reason() {
    let folder = walls();
    let why_not = |more: &[&str]| {
        let args = [&["why-not", "level.hbvh"][..], more].concat();
        (json(folder.path(), &args), ok(folder.path(), &args))
    };
    let (answer, text) = why_not(&[&RAY[..], &["--mesh", "far"]].concat());
    assert_eq!((&answer["reason"], &answer["t"]), (&"nearer".into(), &5.0.into()));
    assert_eq!((&answer["by"]["mesh_name"], &answer["by"]["t"]), (&"near".into(), &2.0.into()));
    let expected = "mesh 0 far, triangle 0\n  the ray hits it at t 5, but first mesh 1 near, \
                    triangle 0, at t 2\n";
    assert_eq!(text, expected);

    let reason = |more: &[&str]| why_not(more).0["reason"].as_str().unwrap().to_owned();
    assert_eq!(reason(&[&RAY[..], &["--mesh", "1", "--triangle", "0"]].concat()), "hit");
    assert_eq!(reason(&[&RAY[..], &["--mesh", "1", "--facing", "front"]].concat()), "facing");
    assert_eq!(reason(&["--from", "1,1,0", "--to", "1,1,1", "--mesh", "1"]), "outside-interval");
    assert_eq!(reason(&["--from", "1,1,2", "--dir", "1,0,0", "--mesh", "near"]), "in-plane");
    assert_eq!(reason(&["--from", "1,1,3", "--dir", "1,0,0", "--mesh", "near"]), "parallel");
    let (answer, text) = why_not(&["--from", "1,-3,0", "--dir", "0,0,1", "--mesh", "near"]);
    assert_eq!(answer["reason"], "outside-edge");
    assert_eq!((&answer["edge"], &answer["distance"]), (&0.into(), &3.0.into()));
    assert!(text.contains("passes 3 outside of its edge 0"), "{text}");
}

#[test]
fn why_not_answers_in_scenes() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let numbers = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 2.0, 0.0f32]];
    let bytes: Vec<u8> = numbers.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    fs::write(path.join("door.bin"), bytes).unwrap();
    let gltf = r#"{"asset":{"version":"2.0"},"buffers":[{"uri":"door.bin","byteLength":36}],
        "bufferViews":[{"buffer":0,"byteLength":36}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],
        "meshes":[{"name":"door","primitives":[{"attributes":{"POSITION":0}}]}],
        "nodes":[{"mesh":0,"name":"a","translation":[0,0,4]},
        {"mesh":0,"name":"b","translation":[0,0,9]}]}"#;
    fs::write(path.join("door.gltf"), gltf).unwrap();
    ok(path, &["bake", "--instanced", "door.gltf", "-o", "door.hscn"]);
    let ask = |instance: &str| {
        let args = ["why-not", "door.hscn", "--mesh", "door", "--instance", instance];
        json(path, &[&args[..], &["--from", "0,0,0", "--dir", "0,0,1"]].concat())
    };
    let (a, b) = (ask("0"), ask("1"));
    assert_eq!((&a["reason"], &a["t"]), (&"hit".into(), &4.0.into()));
    assert_eq!((&b["reason"], &b["t"]), (&"nearer".into(), &9.0.into()));
    assert_eq!((&b["by"]["instance"], &b["by"]["t"]), (&0.into(), &4.0.into()));

    let code = |args: &[&str]| run(path, args).status.code();
    let without = [&["why-not", "door.hscn", "--mesh", "door"][..], &RAY].concat();
    assert_eq!(code(&without), Some(2));
    assert_eq!(code(&[&without[..], &["--instance", "7"]].concat()), Some(1));
}

#[test]
fn broken_inputs_give_one_line() {
    let folder = walls();
    let path = folder.path();
    let whole = fs::read(path.join("level.hbvh")).unwrap();
    let mut flipped = whole.clone();
    let at = flipped.len() / 2;
    flipped[at] ^= 4;
    let files: [(&str, &[u8]); 6] = [
        ("empty.hbvh", b""),
        ("word.hbvh", b"level"),
        ("short.hbvh", &whole[..whole.len() - 1]),
        ("half.hbvh", &whole[..whole.len() / 2]),
        ("flipped.hbvh", &flipped),
        ("model.hbvh", b"o floor\nv 0 0 0\n"),
    ];
    for (name, bytes) in files {
        fs::write(path.join(name), bytes).unwrap();
    }
    fs::write(path.join("short.bin"), [0; 33]).unwrap();
    fs::write(path.join("none.bin"), b"").unwrap();
    let names = ["missing.hbvh", "."].into_iter().chain(files.iter().map(|(name, _)| *name));
    let mut bad: Vec<Vec<&str>> = Vec::new();
    for name in names {
        bad.push(vec!["why", name]);
        bad.push([&["why-not", name, "--mesh", "0"][..], &RAY].concat());
    }
    for rays in ["short.bin", "none.bin", "missing.bin", "."] {
        bad.push(vec!["why", "level.hbvh", "--rays", rays]);
    }
    for mesh in ["2", "door", "4294967296", "\u{1b}[31m"] {
        let mesh = ["why-not", "level.hbvh", "--mesh", mesh];
        bad.push([&mesh[..], &RAY].concat());
    }
    for args in &bad {
        let output = run(path, args);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {said}");
        assert!(said.starts_with("hitscan: ") && said.lines().count() == 1, "{args:?}: {said}");
        assert!(output.stdout.is_empty() && !said.contains('\u{1b}'), "{args:?}: {said}");
        let output = run(path, &[&args[..], &["--json"]].concat());
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let error = answer["error"].as_str().unwrap();
        assert!(error.lines().count() == 1 && output.status.code() == Some(1), "{args:?}: {error}");
    }
    let wrong: [&[&str]; 10] = [
        &["why"],
        &["why", "level.hbvh", "--rays", "rays.bin", "--from", "0,0,0", "--dir", "0,0,1"],
        &["why", "level.hbvh", "--from", "0,0,0"],
        &["why", "level.hbvh", "--dir", "0,0,1"],
        &["why", "level.hbvh", "--any"],
        &["why", "level.hbvh", "--from", "0,0,0", "--dir", "0,0,0"],
        &["why-not", "level.hbvh", "--from", "0,0,0", "--dir", "0,0,1"],
        &["why-not", "level.hbvh", "--mesh", "0", "--dir", "0,0,1"],
        &["why-not", "level.hbvh", "--mesh", "0", "--from", "nan,0,0", "--dir", "0,0,1"],
        &["why-not", "level.hbvh", "--mesh", "0", "--from", "0,0,0", "--to", "0,0,0"],
    ];
    for args in wrong {
        let output = run(path, args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {output:?}");
        assert!(output.stdout.is_empty(), "{args:?}");
    }
}
