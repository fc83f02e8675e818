//! `hitscan report`: what it says of levels that are made to have one fault, and of one without.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use hitscan::glam::{Affine3A, Vec3};
use hitscan::scene::{Instance, Scene};
use hitscan::{Builder, Mesh, Quality};
use tempfile::TempDir;

/// A closed box, or one without its lid.
fn cuboid(name: &str, at: Vec3, has_lid: bool) -> Mesh {
    let corners = (0..8).map(|i| {
        let side = |k: usize| (i >> k & 1) as f32;
        (at + Vec3::new(side(0), side(1), side(2))).to_array()
    });
    let quads =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [0, 2, 3, 1], [4, 5, 7, 6], [2, 6, 7, 3]];
    let quads = &quads[..if has_lid { 6 } else { 5 }];
    let indices = quads.iter().flat_map(|&[a, b, c, d]| [a, b, c, a, c, d]);
    Mesh::new(corners.collect(), indices.collect()).with_name(name)
}

fn run(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hitscan"));
    command.current_dir(folder).args(args).output().expect("the program runs")
}

/// The page of a tree of these meshes.
fn page(meshes: &[Mesh], file: &str) -> String {
    let folder = TempDir::new().unwrap();
    let (bvh, _) = Builder::new().quality(Quality::Best).bake(meshes).unwrap();
    bvh.save(folder.path().join("level.hbvh")).unwrap();
    let output = run(folder.path(), &["report", "level.hbvh", "-o", file]);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    fs::read_to_string(folder.path().join(file)).unwrap()
}

#[test]
fn nothing_stands_out_where_nothing_is_wrong() {
    let page = page(&[cuboid("crate", Vec3::ZERO, true)], "page.md");
    assert!(page.contains("- Nothing stands out.") && page.contains("| closed |"), "{page}");
    assert!(!page.contains("Open meshes"), "{page}");
}

#[test]
fn an_open_mesh_is_named_with_a_place_and_is_not_called_clean() {
    let meshes =
        [cuboid("crate", Vec3::ZERO, true), cuboid("tub", Vec3::new(4.0, 0.0, 8.0), false)];
    let page = page(&meshes, "page.md");
    assert!(page.contains("- 1 mesh is open") && !page.contains("Nothing stands out"), "{page}");
    let row = page.lines().rfind(|line| line.starts_with("| 1 | tub | 4 |")).expect("a row");
    let place = row.rsplit('|').nth(1).unwrap().trim();
    let place: Vec<f32> = place.split(',').map(|number| number.parse().unwrap()).collect();
    // In the middle of an edge around the missing lid.
    assert!(place[1] == 1.0, "{row}");
    assert!((place[0] == 4.5) != (place[2] == 8.5), "{row}");
}

#[test]
fn a_seam_that_rays_slip_through_comes_first() {
    let wall = |name: &str, left: f32| {
        let corners = [[left, 0.0, 0.0], [left, 1.0, 0.0], [2.0 * left, 0.0, 0.0]];
        Mesh::from_soup(corners.to_vec()).with_name(name)
    };
    let page = page(&[wall("left", -1.0), wall("right", -1.0000001)], "page.md");
    let first = page.lines().find(|line| line.starts_with("- ")).expect("advice");
    assert!(first.contains("rays can slip through"), "{first}");
    assert!(first.contains("\"left\"") && first.contains("\"right\""), "{first}");
}

#[test]
fn a_page_needs_no_other_file_and_its_tables_sort() {
    let meshes = [cuboid("<b>", Vec3::ZERO, false), cuboid("b", Vec3::X * 3.0, true)];
    let page = page(&meshes, "page.html");
    assert!(page.starts_with("<!doctype html>") && page.contains("<script>"), "{page}");
    assert!(
        !page.contains("http") && !page.contains("<b>") && page.contains("&lt;b&gt;"),
        "{page}"
    );
    assert!(page.contains("data-by=") && page.contains("@media print"), "{page}");
}

#[test]
fn a_scene_has_a_page_too() {
    let folder = TempDir::new().unwrap();
    let bake = |mesh: Mesh| Builder::new().quality(Quality::Best).bake(&[mesh]).unwrap().0;
    let (tub, level) =
        (bake(cuboid("tub", Vec3::ZERO, false)), bake(cuboid("hall", Vec3::X, true)));
    let mut scene = Scene::new();
    scene.insert(Instance::new(level)).unwrap();
    for i in 0..3 {
        let at = Affine3A::from_translation(Vec3::Z * i as f32);
        scene.insert(Instance::new(tub.clone()).with_transform(at)).unwrap();
    }
    scene.save(folder.path().join("level.hscn")).unwrap();
    let output = run(folder.path(), &["report", "level.hscn", "-o", "page.md"]);
    assert!(output.status.success(), "{output:?}");
    let page = fs::read_to_string(folder.path().join("page.md")).unwrap();
    assert!(page.contains("- 1 mesh is open"), "{page}");
    assert!(page.contains("| 1 \"tub\" | 3 | 10 | 30 |"), "{page}");
    assert!(page.contains("## Open meshes of tree 1 \"tub\""), "{page}");
}

#[test]
fn triangles_that_are_turned_over_or_left_out_are_named() {
    let crate_ = cuboid("crate", Vec3::ZERO, true);
    let (corners, mut indices) = (crate_.positions, crate_.indices.unwrap());
    indices[0..3].reverse();
    indices.extend([0, 0, 1]);
    let page = page(&[Mesh::new(corners, indices).with_name("crate")], "page.md");
    let line = "- 1 triangle is wound the other way round than its neighbours, such as triangle 0 \
                of mesh 0 \"crate\".";
    assert!(page.contains(line), "{page}");
    assert!(page.contains("- 1 of 13 triangles are not in the tree: 1 without area"), "{page}");
}

#[test]
fn advice_on_many_trees_is_said_once() {
    let folder = TempDir::new().unwrap();
    let mut scene = Scene::new();
    for i in 0..30 {
        let tub = cuboid(&format!("tub {i}"), Vec3::X * i as f32, false);
        let (tub, _) = Builder::new().bake(&[tub]).unwrap();
        scene.insert(Instance::new(tub)).unwrap();
    }
    scene.save(folder.path().join("tubs.hscn")).unwrap();
    let output = run(folder.path(), &["report", "tubs.hscn", "-o", "page.md"]);
    assert!(output.status.success(), "{output:?}");
    let page = fs::read_to_string(folder.path().join("page.md")).unwrap();
    let advice: Vec<_> = page.lines().filter(|line| line.starts_with("- ")).collect();
    assert_eq!(advice.len(), 2, "{advice:?}");
    assert!(advice[0].contains("--quality best") && advice[1].contains("30 meshes are open"));
}

#[test]
fn broken_inputs_are_one_clear_line() {
    let folder = TempDir::new().unwrap();
    let (bvh, _) = Builder::new().bake(&[cuboid("crate", Vec3::ZERO, true)]).unwrap();
    let good = bvh.to_bytes();
    fs::write(folder.path().join("good.hbvh"), &good).unwrap();
    fs::write(folder.path().join("cut.hbvh"), &good[..good.len() / 2]).unwrap();
    fs::write(folder.path().join("other.hbvh"), b"no tree at all").unwrap();
    fs::write(folder.path().join("empty.hbvh"), b"").unwrap();
    for (args, code, words) in [
        (["missing.hbvh", "-o", "a.md"], 1, "missing.hbvh"),
        (["cut.hbvh", "-o", "a.md"], 1, "cut.hbvh"),
        (["other.hbvh", "-o", "a.md"], 1, "other.hbvh"),
        (["empty.hbvh", "-o", "a.md"], 1, "empty.hbvh"),
        ([".", "-o", "a.md"], 1, "folder"),
        (["good.hbvh", "-o", "no/such/a.md"], 1, "no folder"),
        (["good.hbvh", "-o", "a.txt"], 2, ".md or .html"),
        (["good.hbvh", "-o", "a"], 2, ".md or .html"),
        (["good.hbvh", "-o", "."], 2, ".md or .html"),
        (["good.hbvh", "--output", ""], 2, "output"),
    ] {
        let output = run(folder.path(), &[&["report"], &args[..]].concat());
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
        assert!(said.contains(words) && !said.contains("panicked"), "{args:?}: {said}");
        assert!(code == 2 || said.lines().count() == 1, "{args:?}: {said}");
    }
    assert!(!folder.path().join("a.md").exists());
}
