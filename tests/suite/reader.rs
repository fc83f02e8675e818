//! A small reader in Python, written from the format's specification alone, finds the same in a
//! file as this crate, and its rays give the same hits.
//!
//! Skipped where there is no `python3`.

use crate::{scenes, support};
use std::path::Path;
use std::process::Command;

use hitscan::file::Source;
use hitscan::geometry::Volume;
use hitscan::glam::{Affine3A, Mat3, Vec3};
use hitscan::scene::Instance;
use hitscan::{
    Aabb, Builder, Bvh, Capsule, InstanceId, Mesh, Obb, Quality, Query, Ray, Scene, Sphere,
};
use serde_json::Value;

/// The readers, of trees and of scenes.
const TREES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reader/hbvh.py");
const SCENES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reader/hscn.py");

/// The reader's output for a file; `None` without Python.
fn read(reader: &str, file: &Path, rays: usize) -> Option<Result<Value, String>> {
    let rays = rays.to_string();
    let mut python = Command::new("python3");
    // Without files of byte code beside the readers.
    let Ok(out) = python.arg("-B").arg(reader).arg(file).args(["--rays", &rays]).output() else {
        println!("skipped: no python3");
        return None;
    };
    let (said, errors) = (out.stdout, String::from_utf8_lossy(&out.stderr).into_owned());
    Some(if out.status.success() {
        Ok(serde_json::from_slice(&said).expect("JSON"))
    } else {
        Err(errors)
    })
}

/// The output of `hitscan info --json`.
fn info(file: &Path) -> Value {
    let mut hitscan = Command::new(env!("CARGO_BIN_EXE_hitscan"));
    let out = hitscan.arg("info").arg("--json").arg(file).output();
    serde_json::from_slice(&out.expect("the command runs").stdout).expect("JSON")
}

/// The rays that a reader has cast, if it finds in a file what `hitscan info` does; `None` without
/// Python.
fn agreed(reader: &str, file: &Path, rays: usize) -> Option<Vec<Value>> {
    let name = file.display();
    let mut found = read(reader, file, rays)?.unwrap_or_else(|error| panic!("{name}: {error}"));
    let rays = found.as_object_mut().expect("an object").remove("rays");
    let mut info = info(file);
    let object = info.as_object_mut().expect("an object");
    object.remove("file");
    assert_eq!(object.remove("schema"), Some(1.into()));
    assert!(equal(&info, &found), "{name}: {info:#} but {found:#}");
    Some(rays.map_or_else(Vec::new, |rays| rays.as_array().expect("rays").clone()))
}

/// Equal JSON, where a number may be printed as `f32` in one and as `f64` in the other.
fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let wide = |n: &serde_json::Number| n.as_f64().expect("a number");
            a == b || wide(a) == wide(b) || wide(a) as f32 == wide(b) as f32
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        _ => a == b,
    }
}

fn point(value: &Value) -> Vec3 {
    let number = |k: usize| value[k].as_f64().expect("a number") as f32;
    Vec3::new(number(0), number(1), number(2))
}

fn files() -> Vec<(&'static str, Vec<Mesh>, Quality)> {
    let hall = || {
        let mut walls = scenes::soup(40, 12.0, 9.0, 3);
        walls.positions.extend(scenes::soup(160, 12.0, 0.7, 4).positions);
        walls.with_name("hall")
    };
    let mut level = scenes::level(5);
    level[0].materials = Some((0..level[0].triangle_count() as u32).collect());
    vec![
        ("nothing", Vec::new(), Quality::Balanced),
        ("terrain", vec![scenes::terrain(10, 1)], Quality::Balanced),
        ("level", level, Quality::Balanced),
        ("hall", vec![hall()], Quality::Best),
    ]
}

#[test]
fn a_reader_in_another_language_agrees() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, meshes, quality) in files() {
        let file = folder.path().join(name);
        let source = Source { name: format!("{name}.glb"), hash: 7 };
        let builder = Builder::new().quality(quality).sources(vec![source]);
        let builder = builder.material_names(["stone", "glass"].map(String::from).to_vec());
        let (bvh, report) = builder.bake(&meshes).expect("sound meshes");
        bvh.save(&file).expect("it can be written");
        if name == "hall" {
            assert!(report.summary.references > report.summary.triangles_kept + 5);
        }

        let count = if name == "nothing" { 0 } else { 60 };
        let Some(rays) = agreed(TREES, &file, count) else {
            return;
        };

        let mut hits = 0;
        for row in &rays {
            let ray = Ray::new(point(&row["from"]), point(&row["dir"]));
            let hit = bvh.closest_hit(&ray, &Query::new());
            let first = |mesh: u32| -> u32 {
                let before = (0..mesh).filter_map(|mesh| bvh.mesh(mesh));
                before.map(|mesh| mesh.triangles).sum()
            };
            let t = row["t"].as_f64().map(|t| t as f32);
            let id = row["triangle"].as_u64().map(|id| id as u32);
            assert_eq!(hit.map(|hit| hit.t), t, "{name}: {ray:?}");
            let hit = hit.map(|hit| first(hit.mesh) + hit.triangle);
            assert_eq!(hit, id, "{name}: {ray:?}");
            hits += usize::from(id.is_some());
        }
        println!("{name}: the same, {hits} of {count} rays hit");
        assert!(count == 0 || hits > 5);
    }
}

/// Real levels, compared with `hitscan info`. Python is slow: `HITSCAN_LONG=10` reads levels of up
/// to 20,000 triangles, `HITSCAN_LONG=1000` all.
#[test]
fn a_reader_in_another_language_agrees_on_real_levels() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("level.hbvh");
    let names = support::shared_names(2_000 * support::long());
    for (i, name) in names.iter().enumerate() {
        let mesh = support::shared_mesh(name).expect("it is there");
        let quality = [Quality::Balanced, Quality::Best, Quality::Fast][i % 3];
        let (bvh, _) = Builder::new().quality(quality).bake(&[mesh]).expect("sound");
        bvh.save(&file).expect("it can be written");
        let Some(found) = read(TREES, &file, 0) else {
            return;
        };
        let found = found.unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut info = info(&file);
        let object = info.as_object_mut().expect("an object");
        object.remove("file");
        assert_eq!(object.remove("schema"), Some(1.into()));
        assert!(equal(&info, &found), "{name}: {info:#} but {found:#}");
        println!("{name}, {quality:?}: the same");
    }
}

/// The reader refuses the same files as this crate, for the same reasons.
#[test]
fn a_reader_in_another_language_refuses_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let (bvh, _) = Builder::new().bake(&[scenes::terrain(3, 1)]).expect("sound");
    let good = bvh.to_bytes();
    for at in [0, 8, 12, 20, 30, 70, 100, 300, 330, 400, 900, 1300, good.len() - 1] {
        let mut bytes = good.clone();
        bytes[at] ^= 0x40;
        let error = Bvh::from_bytes(&bytes).expect_err("damaged").to_string();
        let file = folder.path().join("damaged");
        std::fs::write(&file, &bytes).expect("it can be written");
        let Some(refused) = read(TREES, &file, 0) else {
            return;
        };
        let other = refused.expect_err("the reader takes a damaged file");
        println!("byte {at}: {error}\n    and {other}");
    }
}

/// A scene of three trees, with transforms in which rays of eighths stay exact.
fn scene() -> Scene {
    let bake = |mesh: Mesh| Builder::new().bake(&[mesh]).expect("sound").0;
    let trees = [
        bake(scenes::soup(16, 8.0, 6.0, 1).with_name("rocks")),
        bake(scenes::soup(12, 6.0, 4.0, 2).with_name("soup")),
        bake(Mesh::from_soup(Vec::new())),
    ];
    let turn = Mat3::from_cols_array(&[0.0, 2.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.5]);
    let mirror = Mat3::from_diagonal(Vec3::new(-1.0, 1.0, 4.0));
    let shear = Mat3::from_cols_array(&[1.0, 0.0, 0.0, 0.5, 1.0, 0.0, 0.0, -0.25, 1.0]);
    let mut scene = Scene::new();
    for (i, linear) in [Mat3::IDENTITY, turn, mirror, shear, turn * shear].into_iter().enumerate() {
        let at = Vec3::new(i as f32 - 2.0, 0.5 * i as f32 - 1.0, 2.25 - i as f32);
        let instance = Instance::new(trees[[0, 1, 1, 2, 0][i]].clone());
        let instance = instance.with_transform(Affine3A::from_mat3_translation(linear, at));
        let instance = instance.with_mask(u32::MAX - i as u32).with_user_id(i as u64);
        let name = ["Gelände", "", "soup", "leer", "hidden"][i];
        let id = scene.insert(instance.with_name(name)).expect("it can be placed");
        if name == "hidden" {
            scene.disable(id).expect("it is there");
        }
    }
    let local = Aabb::from_min_max([-1.0; 3], [1.0, 2.0, 3.0]);
    let turned = Obb::from_transform(&Affine3A::from_rotation_y(1.0), local).expect("sound");
    let volumes: [Volume; 5] = [
        local.into(),
        turned.into(),
        Sphere::new([1.0, 2.0, 3.0], 0.5).into(),
        Capsule::new([0.0; 3], [0.0, 1.0, 0.0], 0.25).into(),
        Aabb::from_min_max([0.0; 3], [1.0, 0.0, 1.0]).into(),
    ];
    for (i, volume) in volumes.into_iter().enumerate() {
        let at = Affine3A::from_translation(Vec3::splat(i as f32));
        let instance = Instance::new(volume).with_transform(at).with_name(format!("{i}"));
        scene.insert(instance).expect("it can be placed");
    }
    scene
}

#[test]
fn a_reader_in_another_language_agrees_on_scenes() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    scene().save(path("whole")).expect("saved");
    let beside = |bvh: &Bvh| {
        let is_soup = bvh.mesh_name(0) == Some("soup");
        is_soup.then(|| {
            bvh.save(path("soup.hbvh")).expect("saved");
            "soup.hbvh".to_owned()
        })
    };
    scene().save_with_references(path("parts"), beside).expect("saved");
    Scene::new().save(path("nothing")).expect("saved");
    for name in ["whole", "parts", "nothing"] {
        let file = path(name);
        let count = if name == "nothing" { 0 } else { 60 };
        let Some(rays) = agreed(SCENES, &file, count) else {
            return;
        };

        let scene = Scene::open(&file).expect("sound");
        let ids: Vec<InstanceId> = scene.instances().collect();
        let mut hits = vec![0; ids.len()];
        for row in &rays {
            let ray = Ray::new(point(&row["from"]), point(&row["dir"]));
            let hit = scene.snapshot().closest_hit(&ray, &Query::new());
            let number = |key: &str| row[key].as_u64();
            let found = hit.map(|hit| {
                let instance = ids.iter().position(|id| *id == hit.instance).expect("one of them");
                (instance as u64, u64::from(hit.triangle))
            });
            assert_eq!(hit.map(|hit| hit.t), row["t"].as_f64().map(|t| t as f32), "{ray:?}");
            assert_eq!(found, number("instance").zip(number("triangle")), "{name}: {ray:?}");
            if let Some((instance, _)) = found {
                hits[instance as usize] += 1;
            }
        }
        println!("{name}: the same, hits by instance {hits:?} of {count} rays");
        assert!(count == 0 || hits[..3].iter().all(|&hits| hits > 1), "{hits:?}");
    }
}

/// The reader of scenes refuses the same files as this crate.
#[test]
fn a_reader_in_another_language_refuses_the_same_scenes() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = scene().to_bytes();
    let names = 256 + 128 + 768 + 448;
    for at in [0, 8, 12, 20, 26, 30, 36, 44, 70, 130, 230, 259, 394, 464, names, good.len() - 1] {
        let mut bytes = good.clone();
        bytes[at] ^= 0x40;
        let file = folder.path().join("damaged");
        std::fs::write(&file, &bytes).expect("it can be written");
        let error = Scene::open(&file).expect_err("damaged").to_string();
        let Some(refused) = read(SCENES, &file, 0) else {
            return;
        };
        let other = refused.expect_err("the reader takes a damaged file");
        println!("byte {at}: {error}\n    and {other}");
    }
    // Records that are wrong in themselves, with the right checksums.
    let (trees, instances, volumes) = (256, 256 + 128, 256 + 128 + 768);
    for (at, change, invariant) in [
        (trees, 3, "I7"),
        (trees + 8, 64, "I7"),
        (trees + 24, 1, "I10"),
        (instances + 3, 0x40, "I13"),
        (instances + 48, 1, "I11"),
        (instances + 64, 4, "I12"),
        (instances + 3 * 72 + 64, 2, "I15"),
        (instances + 6 * 72 + 48, 1, "I15"),
        (volumes, 4, "I14"),
        (volumes + 4, 1, "I14"),
        (volumes + 2 * 80 + 30, 1, "I14"),
        (volumes + 80 + 8 + 12 * 4 + 3, 0x40, "I14"),
        (volumes + 2 * 80 + 8 + 3, 0x40, "I14"),
        (instances + 68, 1, "I6"),
        (names, 0x80, "I6"),
    ] {
        let mut bytes = good.clone();
        bytes[at] ^= change;
        let keep = bytes[trees + 24..trees + 32].to_vec();
        support::repair::repair_scene(&mut bytes);
        if at == trees + 24 {
            bytes[trees + 24..trees + 32].copy_from_slice(&keep);
            support::repair::repair_table(&mut bytes, 40, 4);
        }
        let file = folder.path().join("forged");
        std::fs::write(&file, &bytes).expect("it can be written");
        let error = Scene::open(&file).expect_err("forged").to_string();
        assert!(error.contains(&format!("(invariant {invariant})")), "{error}");
        let Some(refused) = read(SCENES, &file, 0) else {
            return;
        };
        let other = refused.expect_err("the reader takes a forged file");
        assert!(other.starts_with(&format!("{invariant}:")), "{invariant}: {other}");
    }
}
