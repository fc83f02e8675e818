//! `hitscan diff` of scenes.

use hitscan::glam::{Affine3A, Vec3};
use hitscan::scene::Instance;
use hitscan::{Bvh, Scene, Sphere};
use serde_json::json;

use super::{bvh, cube, diff, level, place};
use crate::command_line::Folder;

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
    // One that moves by less than the roundings of its triangles.
    save(
        scene(&bvh(&level()), &prop, &[one, two, ("three", at(-5.0f32.next_up(), 1.0, 4.0))]),
        "b.hscn",
    );
    let output = folder.run(&["diff", "a.hscn", "b.hscn"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("\ninstances  1 moved, 3 the same\n"), "{text}");
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
