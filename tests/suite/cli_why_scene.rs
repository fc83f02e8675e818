//! `hitscan why` on scenes: what makes rays slow, on scenes made for one cause each; the walk of one
//! ray; and the ray of a pixel.

use std::fs::File;

use crate::command_line::Folder;
use hitscan::glam::{Affine3A, Vec3};
use hitscan::record::Recorder;
use hitscan::scene::{Instance, Scene};
use hitscan::{Builder, Bvh, Mesh, Query, Ray};
use serde_json::Value;

/// Hills on a grid of this many squares of one unit, in layers; `keep` says which squares there
/// are.
fn hills(squares: i32, size: f32, keep: impl Fn(i32, i32) -> bool) -> Bvh {
    let at = |x: i32, z: i32| {
        let height = ((x * 7 + z * 3) % 5 + (x * z) % 3) as f32 * 0.25;
        [x as f32 * size, height * size, z as f32 * size]
    };
    let places = (0..squares).flat_map(|x| (0..squares).map(move |z| (x, z)));
    let corners = places.filter(|&(x, z)| keep(x, z)).flat_map(|(x, z)| {
        let [a, b, c, d] = [at(x, z), at(x, z + 1), at(x + 1, z + 1), at(x + 1, z)];
        [a, b, c, a, c, d]
    });
    bake(corners.collect())
}

fn bake(soup: Vec<[f32; 3]>) -> Bvh {
    Builder::new().bake(&[Mesh::from_soup(soup)]).unwrap().0
}

fn at(x: f32, y: f32, z: f32) -> Affine3A {
    Affine3A::from_translation(Vec3::new(x, y, z))
}

fn saved(instances: impl IntoIterator<Item = (Bvh, Affine3A)>) -> Folder {
    let folder = Folder::with_level();
    let mut scene = Scene::new();
    for (i, (bvh, transform)) in instances.into_iter().enumerate() {
        let instance = Instance::new(bvh).with_transform(transform);
        scene.insert(instance.with_name(format!("thing {i}"))).unwrap();
    }
    scene.commit();
    scene.save(folder.path("scene.hscn")).unwrap();
    folder
}

/// Checks that `why` names this cause alone, in text and JSON, and gives the answer.
fn only_cause(folder: &Folder, cause: &str) -> Value {
    let answer = folder.json(&["why", "scene.hscn"]);
    let causes = answer["causes"].as_array().unwrap();
    let names: Vec<_> = causes.iter().map(|one| one["cause"].as_str().unwrap()).collect();
    assert_eq!(names, [cause], "{:#}", answer["causes"]);
    let text = folder.ok(&["why", "scene.hscn"]);
    assert!(text.contains(&format!("\n{cause}: ")) && text.contains("  what to do: "), "{text}");
    answer
}

#[test]
fn nothing_stands_out_in_a_clean_scene() {
    let field = hills(12, 1.0, |_, _| true);
    let places = (0..9).map(|i| at((i % 3) as f32 * 12.0, 0.0, (i / 3) as f32 * 12.0));
    let folder = saved(places.map(|place| (field.clone(), place)));
    let answer = folder.json(&["why", "scene.hscn"]);
    assert_eq!(answer["causes"], serde_json::json!([]), "{answer:#}");
    assert_eq!((&answer["rays"], answer["trees"].as_array().unwrap().len()), (&10_000.into(), 1));
    assert_eq!(answer["instances"].as_array().unwrap().len(), 9);
    let text = folder.ok(&["why", "scene.hscn"]);
    assert!(text.ends_with("\nNothing stands out.\n"), "{text}");
    assert!(text.contains(" of tree 0 thing ") && text.contains("0 (9 instances)"), "{text}");
    // All is counted that the query counts.
    let scene = Scene::open(folder.path("scene.hscn")).unwrap();
    let ray = Ray::new([1.5, 9.0, 1.5], [0.3, -1.0, 0.2]);
    folder.write("rays.csv", "1.5,9,1.5,0.3,-1,0.2\n");
    let one = folder.json(&["why", "scene.hscn", "--rays", "rays.csv"]);
    let question = hitscan::query::Question::ClosestHit;
    let stats = scene.snapshot().query_stats(&ray, &Query::new(), question);
    assert_eq!(one["nodes"], f64::from(stats.nodes));
    assert_eq!(one["triangles_tested"], f64::from(stats.triangles));
}

#[test]
fn instances_that_overlap_are_named() {
    // Sparse fields, one in the other.
    let field = hills(40, 1.0, |x, z| (x * 3 + z * 7) % 11 == 0);
    let places = (0..12).map(|i| at(i as f32 * 0.3, i as f32 * 0.02, i as f32 * 0.2));
    let folder = saved(places.map(|place| (field.clone(), place)));
    let answer = only_cause(&folder, "overlapping instances");
    let cause = &answer["causes"][0];
    assert!(cause["finding"].as_str().unwrap().starts_with("12 instances "), "{cause:#}");
    assert!(answer["instances_asked"].as_f64().unwrap() >= 3.0, "{answer:#}");
    assert!(cause["instance"].as_u64().unwrap() < 12, "{cause:#}");
}

#[test]
fn tiny_trees_are_named() {
    let places = (0..64).map(|i| ((i % 8) as f32 * 3.0, (i / 8) as f32 * 3.0));
    let tiles = places.map(|(x, z)| {
        let tile = vec![[0.0, 0.0, 0.0], [0.0, 0.0, 2.0 + 0.001 * x], [2.0, 0.5, 0.001 * z]];
        (bake(tile), at(x, 0.0, z))
    });
    let folder = saved(tiles);
    let answer = only_cause(&folder, "tiny trees that stand once");
    assert!(answer["causes"][0]["finding"].as_str().unwrap().starts_with("64 trees "));
}

#[test]
fn an_extreme_scale_is_named() {
    let field = hills(12, 1.0, |_, _| true);
    let atoms = hills(12, 4e-8, |_, _| true);
    let large = Affine3A::from_scale(Vec3::splat(2.5e7));
    let folder = saved([(field, at(14.0, 0.0, 0.0)), (atoms, large)]);
    let answer = only_cause(&folder, "extremely scaled instance");
    let cause = &answer["causes"][0];
    assert_eq!(cause["instance"], 1, "{cause:#}");
    assert!(cause["finding"].as_str().unwrap().contains("by 2.500e7 to 2.500e7"), "{cause:#}");
}

#[test]
fn an_uneven_scale_is_named() {
    let field = hills(12, 1.0, |_, _| true);
    let uneven = Affine3A::from_scale(Vec3::new(1.0, 2e-4, 3.0));
    let folder = saved([(field.clone(), at(14.0, 0.0, 0.0)), (field, uneven)]);
    let answer = only_cause(&folder, "extremely scaled instance");
    assert_eq!(answer["causes"][0]["instance"], 1);
}

#[test]
fn causes_in_a_tree_of_a_scene_name_the_tree() {
    let field = hills(20, 1.0, |_, _| true);
    let wires = (0..300).flat_map(|i| {
        let (x, z) = ((i * 7 % 19) as f32, (i * 5 % 17) as f32);
        let to = [19.0 - 0.5 * z, 9.0, 19.0 - 0.5 * x];
        [[x, 1.0, 0.1 * z], to, [to[0], to[1] + 0.05, to[2]]]
    });
    let folder = saved([(field, at(0.0, 0.0, 0.0)), (bake(wires.collect()), at(0.0, 1.0, 0.0))]);
    let answer = only_cause(&folder, "long thin triangles");
    let cause = &answer["causes"][0];
    assert_eq!((&cause["tree"], &cause["mesh"]), (&1.into(), &0.into()), "{cause:#}");
    assert!(cause["finding"].as_str().unwrap().starts_with("in tree 1: 300 "), "{cause:#}");
}

#[test]
fn recorded_rays_are_asked_as_they_were() {
    let folder = Folder::with_scene();
    let scene = Scene::open(folder.path("level.hscn")).unwrap();
    let file = File::create(folder.path("frame.hrays")).unwrap();
    let recorder = Recorder::to_writer(file);
    let asked = recorder.wrap(scene.snapshot());
    let down = Ray::new([0.0, 5.0, -1.0], [0.0, -1.0, 0.0]);
    assert!(asked.closest_hit(&down, &Query::new()).is_some());
    assert!(asked.any_hit(&down, &Query::new()));
    assert!(asked.closest_hit(&down, &Query::new().mask(8)).is_none());
    // No ray; and what was asked of a tree is not asked of a scene.
    let _near = asked.closest_point([0.0; 3], 1.0, &Query::new());
    let tree = Bvh::open(folder.path("level.hbvh")).unwrap();
    assert!(recorder.wrap(&tree).closest_hit(&down, &Query::new()).is_some());
    recorder.flush().unwrap();
    let why = |level: &str| folder.json(&["why", level, "--rays", "frame.hrays"]);
    assert_eq!((&why("level.hscn")["rays"], &why("level.hscn")["hits"]), (&3.into(), &2.into()));
    assert_eq!((&why("level.hbvh")["rays"], &why("level.hbvh")["hits"]), (&1.into(), &1.into()));
}

#[test]
fn the_walk_in_a_scene_is_told_step_by_step() {
    let folder = Folder::with_scene();
    let args = ["why", "level.hscn", "--from", "8.5,5,1.25", "--dir", "0,-1,0"];
    let text = folder.ok(&args);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("hit at t 3.75: instance 1, mesh 1 rock"), "{text}");
    let first = "node 0 of the tree of instances that stand still (depth 0)";
    assert_eq!(lines[1], first, "{text}");
    let entered = "instance 1 away: its axes are -1,0,0; 0,1,0; 0,0,1, and it stands at 10,0,0";
    assert!(lines.contains(&entered), "{text}");
    assert!(text.contains("\n  in its tree, the ray goes from 1.5,5,1.25 in direction "), "{text}");
    assert!(text.contains("\n    mesh 1, triangle "), "{text}");
    let answer = folder.json(&args);
    assert_eq!((&answer["hit"]["instance"], &answer["hit"]["t"]), (&1.into(), &3.75.into()));
    assert_eq!(answer["end"], "nothing-nearer");
    let steps = answer["steps"].as_array().unwrap();
    assert_eq!((&steps[0]["step"], &steps[0]["level"]), (&"instances".into(), &0.into()));
    let instance = steps.iter().find(|step| step["number"] == 1 && step["step"] == "instance");
    let instance = instance.unwrap();
    assert_eq!((&instance["name"], &instance["origin"][0]), (&"away".into(), &1.5.into()));
    assert_eq!(instance["steps"][0]["step"], "node");
    // One of another layer is not asked.
    let text = folder.ok(&[&args[..], &["--mask", "2"]].concat());
    assert!(text.contains("instance 1: entered at t ") && text.contains("none of the layers"));
    assert!(
        text.starts_with("no hit; all boxes that the ray's line enters were looked at\n"),
        "{text}"
    );
    let any = folder.json(&[&args[..], &["--any"]].concat());
    assert_eq!(any["end"], "first-hit");
}

/// The ray of a pixel is the ray that `render` casts for it.
#[test]
fn the_ray_of_a_pixel_is_told() {
    let folder = Folder::with_scene();
    let camera = ["--eye", "-1,4,-1", "--target", "-1,3,-1", "--fov", "90", "--size", "2x2"];
    let why = |level: &str, pixel: &str| {
        folder.json(&[&["why", level, "--pixel", pixel][..], &camera].concat())
    };
    for (pixel, dir) in [
        ("0,0", "-0.5,-1,-0.5"),
        ("1,0", "0.5,-1,-0.5"),
        ("0,1", "-0.5,-1,0.5"),
        ("1,1", "0.5,-1,0.5"),
    ] {
        for level in ["level.hbvh", "level.hscn"] {
            let ray = folder.json(&["why", level, "--from", "-1,4,-1", "--dir", dir]);
            assert_eq!(why(level, pixel), ray, "{level} {pixel}");
            assert_eq!(ray["hit"]["t"], 4.0, "{ray:#}");
        }
    }
    // Without a camera it is the view that `render` finds, and of the same size.
    let drawn = folder.ok(&["render", "level.hscn", "-o", "level.png", "--size", "64x48"]);
    let view = drawn.lines().find_map(|line| line.strip_prefix("view")).unwrap();
    let view: Vec<&str> = view.split_whitespace().collect();
    let found = folder.json(&["why", "level.hscn", "--pixel", "32,24", "--size", "64x48"]);
    let given = folder.json(&[&["why", "level.hscn", "--pixel", "32,24"][..], &view].concat());
    assert_eq!(found, given);
}

#[test]
fn broken_inputs_give_one_line() {
    let folder = Folder::with_scene();
    let whole = std::fs::read(folder.path("level.hscn")).unwrap();
    let mut flipped = whole.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 4;
    folder.write("short.hscn", &whole[..whole.len() - 1]);
    folder.write("half.hscn", &whole[..whole.len() / 2]);
    folder.write("start.hscn", &whole[..40]);
    folder.write("flipped.hscn", &flipped);
    folder.write("empty.hscn", "");
    folder.write("word.hrays", "rays");
    folder.write("short.bin", [0; 33]);
    folder.write("empty.csv", "");
    let recorder = Recorder::to_writer(File::create(folder.path("none.hrays")).unwrap());
    recorder.flush().unwrap();
    let mut empty = Scene::new();
    empty.commit();
    empty.save(folder.path("nothing.hscn")).unwrap();
    one_line(&folder, 1, &["why", "nothing.hscn", "--pixel", "3,4"]);
    let text = folder.ok(&["why", "nothing.hscn"]);
    assert!(text.ends_with("\nNothing stands out.\n"), "{text}");
    let one_ray = ["--from", "0,1,0", "--dir", "0,0,1"];
    let pixel = ["--pixel", "3,4", "--eye", "0,1,0", "--target", "0,1,-1"];
    for file in ["short", "half", "start", "flipped", "empty", "missing"] {
        let file = format!("{file}.hscn");
        for more in [&[][..], &one_ray, &pixel] {
            one_line(&folder, 1, &[&["why", &file][..], more].concat());
        }
    }
    let rays = ["word.hrays", "none.hrays", "missing.hrays", "short.bin", "empty.csv", "."];
    for rays in rays {
        one_line(&folder, 1, &["why", "level.hscn", "--rays", rays]);
    }
    let wrong: [&[&str]; 12] = [
        &["--pixel", "1280,0"],
        &["--pixel", "0,720"],
        &["--pixel", "-1,0"],
        &["--pixel", "1"],
        &["--pixel", "1,2,3"],
        &["--pixel", "1,1", "--size", "0x4"],
        &["--pixel", "1,1", "--fov", "180"],
        &["--pixel", "1,1", "--eye", "0,0,0"],
        &["--pixel", "1,1", "--eye", "0,0,0", "--target", "0,0,0"],
        &["--pixel", "1,1", "--from", "0,0,0", "--dir", "0,0,1"],
        &["--pixel", "1,1", "--rays", "rays.bin"],
        &["--size", "64x64"],
    ];
    for args in wrong {
        one_line(&folder, 2, &[&["why", "level.hscn"][..], args].concat());
    }
}

/// Fails with this code, and says why in one line: on standard error, or for a wrong command line
/// in the JSON.
fn one_line(folder: &Folder, code: i32, args: &[&str]) {
    let said = folder.fails(code, args);
    assert!(code == 2 || said.starts_with("hitscan: ") && said.lines().count() == 1, "{said}");
    let output = folder.run(&[args, &["--json"]].concat());
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &answer["schema"]), (Some(code), &1.into()), "{args:?}");
    assert_eq!(answer["error"].as_str().unwrap().lines().count(), 1, "{args:?}: {answer}");
}
