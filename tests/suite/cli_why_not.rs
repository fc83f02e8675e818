//! `hitscan why-not` for shapes that move and for points.

use hitscan::glam::Affine3A;
use hitscan::scene::{Instance, Scene};
use hitscan::{Builder, Mesh};
use serde_json::Value;

use crate::command_line::Folder;

/// The answer as JSON, whose words are in the text too.
fn why_not(folder: &Folder, args: &[&str]) -> Value {
    let args = [&["why-not"][..], args].concat();
    let (answer, text) = (folder.json(&args), folder.ok(&args));
    assert!(text.ends_with(&format!("\n  {}\n", answer["text"].as_str().unwrap())), "{text}");
    answer
}

#[test]
fn a_shape_that_moves_is_told_why_nothing_stops_it() {
    let folder = Folder::with_level();
    let reason = |args: &[&str]| {
        let answer = why_not(&folder, &[&["level.hbvh", "--mesh"], args].concat());
        (answer["reason"].as_str().unwrap().to_owned(), answer)
    };
    // A ball that falls on the rock, not on the floor.
    let falls = ["--from", "1.5,5,1.5", "--to", "1.5,-5,1.5", "--radius", "0.25"];
    let (name, answer) = reason(&[&["floor"][..], &falls].concat());
    assert_eq!((&*name, &answer["t"]), ("later", &0.475.into()), "{answer:#}");
    assert_eq!(answer["by"]["mesh_name"], "rock");
    assert!(answer["by"]["t"].as_f64().unwrap() < 0.475, "{answer:#}");
    assert_eq!(reason(&[&["rock"][..], &falls].concat()).0, "first");
    assert_eq!(reason(&[&["rock", "--mask", "1"][..], &falls].concat()).0, "mesh-mask");
    let none = [&["why-not", "level.hbvh", "--mesh", "floor", "--triangle", "4"][..], &falls];
    let message = folder.fails(1, &none.concat());
    assert!(message.contains("--triangle: there is no such triangle"), "{message}");
    // Part of a name.
    let message =
        folder.fails(1, &[&["why-not", "level.hbvh", "--mesh", "Loo"][..], &falls].concat());
    assert!(message.contains("did you mean `floor`?"), "{message}");
    let back = [&["floor", "--facing", "back"][..], &falls].concat();
    assert_eq!(reason(&back).0, "facing");
    // One that stops early, one that goes away, and a box beside the rock.
    let early = ["--sphere", "-4,5,-4,1", "--by", "0,-2,0"];
    let (name, answer) = reason(&[&["0"][..], &early].concat());
    assert_eq!((&*name, &answer["t"], &answer["distance"]), ("past-end", &2.0.into(), &2.0.into()));
    let away = ["--capsule", "-4,2,-4,-4,3,-4,1", "--by", "0,5,0"];
    let (name, answer) = reason(&[&["0"][..], &away].concat());
    assert_eq!((&*name, &answer["distance"]), ("never-touched", &1.0.into()));
    assert_eq!((&answer["point"][1], &answer["on_shape"][1]), (&0.0.into(), &1.0.into()));
    let aside = ["--box", "-2,1,1,-1,2,2", "--by", "0,0,9"];
    let (name, answer) = reason(&[&["rock"][..], &aside].concat());
    assert_eq!((&*name, &answer["distance"]), ("never-touched", &2.0.into()), "{answer:#}");
}

#[test]
fn a_point_is_told_why_something_is_not_the_nearest() {
    let folder = Folder::with_level();
    let reason = |args: &[&str]| {
        let answer = why_not(&folder, &[&["level.hbvh", "--mesh"], args].concat());
        (answer["reason"].as_str().unwrap().to_owned(), answer)
    };
    let point = ["--point", "0,1.5,1.25"];
    let (name, answer) = reason(&[&["rock"][..], &point].concat());
    assert_eq!((&*name, &answer["distance"]), ("nearest", &1.0.into()), "{answer:#}");
    let (name, answer) = reason(&["floor", "--point", "0.5,1,1.25"]);
    assert_eq!((&*name, &answer["distance"]), ("nearer", &1.0.into()), "{answer:#}");
    assert_eq!((&answer["by"]["mesh"], &answer["by"]["distance"]), (&1.into(), &0.5.into()));
    let (name, answer) = reason(&["floor", "--point", "0,4,0", "--within", "3"]);
    assert_eq!((&*name, &answer["distance"]), ("too-far", &4.0.into()));
    assert_eq!(reason(&["floor", "--point", "0,4,0", "--facing", "back"]).0, "facing");
    assert_eq!(reason(&["floor", "--point", "0,4,0", "--mask", "4"]).0, "mesh-mask");
    assert_eq!(reason(&["floor", "--triangle", "0", "--point", "-4,1,-4"]).0, "nearest");
}

#[test]
fn both_are_answered_in_scenes() {
    let folder = Folder::with_scene();
    let ask = |instance: &str, more: &[&str]| {
        let args = ["level.hscn", "--mesh", "rock", "--instance", instance];
        why_not(&folder, &[&args[..], more].concat())
    };
    // The second rock is mirrored, at x from 7 to 9.
    let slides = ["--sphere", "20,0.5,1.25,0.25", "--by", "-30,0,0"];
    let (here, away) = (ask("0", &slides), ask("1", &slides));
    assert_eq!((&here["reason"], &away["reason"]), (&"later".into(), &"first".into()));
    assert_eq!(here["by"]["instance"], 1, "{here:#}");
    assert!(here["t"].as_f64() > away["t"].as_f64());
    assert_eq!(ask("1", &[&slides[..], &["--mask", "3"]].concat())["reason"], "instance-mask");
    let near = ["--point", "6,1,1.25"];
    let (here, away) = (ask("0", &near), ask("1", &near));
    assert_eq!((&here["reason"], &here["by"]["instance"]), (&"nearer".into(), &1.into()));
    assert_eq!(away["reason"], "nearer", "{away:#}");
    assert_eq!(away["by"]["mesh_name"], "floor");
}

/// In a scene, a mesh that stands in one place needs no instance.
#[test]
fn the_only_place_of_a_mesh_is_found() {
    let folder = Folder::with_scene();
    let wall = |z: f32, name: &str| {
        let soup = vec![[-1.0, -1.0, z], [1.0, -1.0, z], [0.0, 2.0, z]];
        Mesh::from_soup(soup).with_name(name)
    };
    let bake = |meshes: &[Mesh]| Builder::new().bake(meshes).unwrap().0;
    let twice = bake(&[wall(4.0, "door")]);
    let mut scene = Scene::new();
    let away = Affine3A::from_translation([0.0, 0.0, 5.0].into());
    scene.insert(Instance::new(twice.clone())).unwrap();
    scene.insert(Instance::new(twice).with_transform(away)).unwrap();
    scene.insert(Instance::new(bake(&[wall(6.0, "lamp"), wall(7.0, "door 2")]))).unwrap();
    // Not seen: it is no place.
    let off = scene.insert(Instance::new(bake(&[wall(1.0, "lamp")]))).unwrap();
    scene.disable(off).unwrap();
    scene.save(folder.path("doors.hscn")).unwrap();

    let ask = ["doors.hscn", "--from", "0,0,0", "--dir", "0,0,1", "--mesh"];
    let answer = |mesh: &str| why_not(&folder, &[&ask[..], &[mesh]].concat());
    for (mesh, number, t) in [("lamp", 0, 6.0), ("door 2", 1, 7.0), ("1", 1, 7.0)] {
        let answer = answer(mesh);
        assert_eq!((&answer["reason"], &answer["t"]), (&"nearer".into(), &t.into()), "{answer:#}");
        assert_eq!(answer["mesh"], number);
    }
    let fails = |code: i32, mesh: &str| {
        let args = [&["why-not"], &ask[..], &[mesh]].concat();
        folder.fails(code, &args)
    };
    let said = fails(2, "door");
    assert!(said.contains("mesh `door` stands in 2 places, such as instance 0 and instance 1"));
    assert!(fails(2, "0").contains("`0` stands in 3 places"));
    assert!(fails(1, "amp").contains("did you mean `lamp`?"));
    assert!(fails(1, "Door").contains("did you mean `door`, or one of 1 more"));
    assert!(fails(1, "gate").contains("named or numbered `gate`: no tree has such a mesh"));
}

#[test]
fn broken_inputs_give_one_line() {
    let folder = Folder::with_scene();
    let whole = std::fs::read(folder.path("level.hbvh")).unwrap();
    folder.write("short.hbvh", &whole[..whole.len() - 1]);
    folder.write("empty.hbvh", "");
    folder.write("word.hbvh", "level");
    let sweep = ["--sphere", "0,1,0,0.5", "--by", "0,0,-5"];
    let to = ["--from", "0,1,0", "--to", "0,1,-9", "--radius", "0.5"];
    let point = ["--point", "0,1,0", "--within", "2"];
    let one_line = |code: i32, args: &[&str]| {
        let said = folder.fails(code, args);
        assert!(code == 2 || said.starts_with("hitscan: ") && said.lines().count() == 1, "{said}");
        let output = folder.run(&[args, &["--json"]].concat());
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(code), "{args:?}");
        assert_eq!(answer["error"].as_str().unwrap().lines().count(), 1, "{args:?}: {answer}");
    };
    for question in [&sweep[..], &to, &point] {
        for file in ["short.hbvh", "empty.hbvh", "word.hbvh", "missing.hbvh", "."] {
            one_line(1, &[&["why-not", file, "--mesh", "0"][..], question].concat());
        }
        for mesh in ["9", "door", "-"] {
            one_line(1, &[&["why-not", "level.hbvh", "--mesh", mesh][..], question].concat());
        }
        let instance = ["why-not", "level.hscn", "--mesh", "0", "--instance", "7"];
        one_line(1, &[&instance[..], question].concat());
        one_line(2, &[&["why-not", "level.hscn", "--mesh", "0"][..], question].concat());
        one_line(2, &[&["why-not", "level.hbvh"][..], question].concat());
    }
    let wrong: [&[&str]; 14] = [
        &[],
        &["--sphere", "0,1,0,0.5"],
        &["--by", "0,0,-5"],
        &["--sphere", "0,1,0,-1", "--by", "0,0,-5"],
        &["--sphere", "0,1,0,0.5", "--by", "0,nan,-5"],
        &["--sphere", "0,1,0,0.5", "--by", "0,0,-5", "--from", "0,0,0", "--dir", "0,0,1"],
        &["--sphere", "0,1,0,0.5", "--by", "0,0,-5", "--point", "0,0,0"],
        &["--from", "0,0,0", "--dir", "0,0,1", "--by", "0,0,-5"],
        &["--from", "0,0,0", "--dir", "0,0,1", "--radius", "1"],
        &["--from", "0,0,0", "--to", "0,0,1", "--radius", "-1"],
        &["--from", "0,0,0", "--to", "0,0,0", "--radius", "1"],
        &["--point", "0,0"],
        &["--point", "0,0,0", "--within", "-1"],
        &["--within", "2", "--from", "0,0,0", "--dir", "0,0,1"],
    ];
    for args in wrong {
        one_line(2, &[&["why-not", "level.hbvh", "--mesh", "0"][..], args].concat());
    }
}
