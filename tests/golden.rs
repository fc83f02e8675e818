//! Files of trees and of scenes. Those of every format version so far (`tests/golden/README.md`)
//! open and give the hits that were recorded when they were baked. Before hitscan 1.0 they may ask
//! for a new bake instead.

use std::fs;
use std::path::PathBuf;

use hitscan::file::FORMAT_VERSION;
use hitscan::geometry::Volume;
use hitscan::glam::{Affine3A, Mat3, Vec3};
use hitscan::scene::{Instance, file};
use hitscan::{
    Aabb, Builder, Bvh, Capsule, Face, InstructionSet, LoadErrorKind, Mesh, Obb, Query, Ray, Scene,
    Sphere, Targets,
};

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// Records of 32 bytes.
fn records(name: &str) -> Vec<[u8; 32]> {
    let bytes = fs::read(golden(name)).expect("it is there");
    let (records, rest) = bytes.as_chunks();
    assert!(rest.is_empty());
    records.to_vec()
}

fn word(record: &[u8; 32], at: usize) -> u32 {
    u32::from_le_bytes(record[at..at + 4].try_into().expect("four bytes"))
}

#[test]
fn every_version_opens_or_says_rebake() {
    for version in 1..=FORMAT_VERSION {
        let opened = Bvh::open(golden(&format!("v{version}.hbvh")));
        let bvh = match opened {
            Ok(bvh) => bvh,
            Err(error) => {
                println!("v{version}: {error}");
                assert_ne!(version, FORMAT_VERSION, "{error}");
                assert!(env!("CARGO_PKG_VERSION").starts_with("0."), "{error}");
                assert_eq!(error.kind(), LoadErrorKind::Version);
                assert!(error.to_string().contains("rebake"), "{error}");
                continue;
            }
        };
        let (rays, hits) = (records("rays.bin"), records(&format!("v{version}.hits")));
        assert_eq!(rays.len(), hits.len());
        let mut count = 0;
        for (ray, expected) in rays.iter().zip(&hits) {
            let ray = self::ray(ray);
            for isa in InstructionSet::available() {
                let hit = bvh.closest_hit(&ray, &Query::new().instruction_set(isa));
                let front = |face| if face == Face::Front { 3 } else { 1 };
                let found = hit.map_or([ray.t_max.to_bits(), 0, 0, 0, 0, 0], |hit| {
                    let [t, u, v] = [hit.t, hit.u, hit.v].map(f32::to_bits);
                    [t, u, v, front(hit.face), hit.mesh, hit.triangle]
                });
                let expected = [0, 4, 8, 12, 16, 20].map(|at| word(expected, at));
                assert_eq!(found, expected, "v{version}, {isa}: {ray:?}");
            }
            count += usize::from(word(expected, 12) & 1 != 0);
        }
        println!("v{version}: {count} of {} rays hit as recorded", rays.len());
        assert!(count > 20);
    }
}

fn ray(record: &[u8; 32]) -> Ray {
    let number = |at: usize| f32::from_bits(word(record, at));
    let point = |at: usize| [number(at), number(at + 4), number(at + 8)];
    Ray::new(point(0), point(16)).with_range(number(12), number(28))
}

/// The hall of the newest golden tree, and crates in it: two that are upright, one that is turned,
/// mirrored and sheared, and one that is disabled.
fn scene() -> Scene {
    let hall = Bvh::open(golden(&format!("v{FORMAT_VERSION}.hbvh"))).expect("the newest opens");
    let corner = |i: u32| [0, 1, 2].map(|k| (i >> k & 1) as f32 - 0.5);
    let faces =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [a, b, c, a, c, d]);
    let cube = Mesh::new((0..8).map(corner).collect(), triangles.collect()).with_name("crate");
    let (cube, _report) = Builder::new().bake(&[cube]).expect("sound");
    let bounds = hall.bounds();
    let center = (bounds.min + bounds.max) * 0.5;
    let odd = Mat3::from_cols_array(&[0.5, 0.25, 0.0, 1.5, -1.0, 0.0, 0.0, 0.5, 2.0]);
    let mut scene = Scene::new();
    scene.insert(Instance::new(hall).with_name("Halle")).expect("sound");
    for (i, linear) in
        [Mat3::IDENTITY, odd, Mat3::IDENTITY, 2.0 * Mat3::IDENTITY].iter().enumerate()
    {
        let at = Affine3A::from_mat3_translation(*linear, center + 1.5 * i as f32 * Vec3::X);
        let name = if i == 2 { String::new() } else { format!("Kiste {i}") };
        let instance = Instance::new(cube.clone()).with_transform(at).with_name(name);
        let id = scene.insert(instance.with_mask(7).with_user_id(100 + i as u64)).expect("sound");
        if i == 3 {
            scene.disable(id).expect("it is there");
        }
    }
    let box_at_center = Aabb::from_center_half_size(center, [1.0, 2.0, 3.0]);
    let volumes: [Volume; 4] = [
        box_at_center.into(),
        Obb::from_transform(&Affine3A::from_mat3(odd), box_at_center).expect("sound").into(),
        Sphere::new(center, 2.5).into(),
        Capsule::new(center, center + Vec3::Y, 0.5).into(),
    ];
    for volume in volumes {
        let at = Affine3A::from_translation(Vec3::new(0.5, 0.0, -0.25));
        scene.insert(Instance::new(volume).with_transform(at)).expect("sound");
    }
    scene
}

#[test]
fn the_scene_of_every_version_opens_or_says_rebake() {
    for version in 1..=file::FORMAT_VERSION {
        let scene = match Scene::open(golden(&format!("scene_v{version}.hscn"))) {
            Ok(scene) => scene,
            Err(error) => {
                assert!(env!("CARGO_PKG_VERSION").starts_with("0."), "{error}");
                assert_eq!(error.kind(), LoadErrorKind::Version);
                assert!(error.to_string().contains("rebake"), "{error}");
                continue;
            }
        };
        let ids: Vec<_> = scene.instances().collect();
        let (rays, hits) = (records("rays.bin"), records(&format!("scene_v{version}.hits")));
        assert_eq!(rays.len(), hits.len());
        let mut counts = vec![0; ids.len()];
        for (record, expected) in rays.iter().zip(&hits) {
            let ray = ray(record);
            for isa in InstructionSet::available() {
                let query = Query::new().instruction_set(isa);
                let hit = scene.snapshot().closest_hit(&ray, &query);
                let found = hit.map_or([ray.t_max.to_bits(), 0, 0, 0, 0, 0], |hit| {
                    let number =
                        ids.iter().position(|id| *id == hit.instance).expect("one of them");
                    let flags = (number as u32) << 2 | 1;
                    let [t, u, v] = [hit.t, hit.u, hit.v].map(f32::to_bits);
                    let front = if hit.face == Face::Front { 2 } else { 0 };
                    [t, u, v, flags | front, hit.mesh, hit.triangle]
                });
                let expected = [0, 4, 8, 12, 16, 20].map(|at| word(expected, at));
                assert_eq!(found, expected, "v{version}, {isa}: {ray:?}");
            }
            if word(expected, 12) & 1 != 0 {
                counts[word(expected, 12) as usize >> 2] += 1;
            }
        }
        println!("scene v{version}: hits by instance {counts:?}, as recorded");
        assert!(counts[0] > 10 && counts[1..4].iter().all(|&count| count > 0), "{counts:?}");
        assert!(counts[4..].iter().all(|&count| count == 0));
        let mut volumes = vec![];
        let inside = scene.snapshot().world_volume(ids[7]).expect("a sphere").bounds().center();
        let point = Sphere::new(inside, 0.0);
        let query = Query::new().targets(Targets::Volumes);
        scene.snapshot().all_overlaps(point, &query, &mut volumes);
        let has = |id| volumes.iter().any(|one: &hitscan::Overlap| one.hit.instance == id);
        assert!(has(ids[5]) && has(ids[7]), "{volumes:?}");
        assert_eq!(scene.find("Kiste 1"), Some(ids[2]));
    }
}

/// The same scene gives the bytes of the golden file.
#[test]
fn the_newest_scene_can_be_written_again() {
    let name = format!("scene_v{}.hscn", file::FORMAT_VERSION);
    let bytes = fs::read(golden(&name)).expect("it is there");
    assert!(scene().to_bytes() == bytes, "another scene than the committed one");
}

/// A bake gives the bytes of the golden file.
#[cfg(feature = "import")]
#[test]
fn the_newest_file_can_be_baked_again() {
    use hitscan::Quality;
    use hitscan::file::Source;

    let model = golden("hall.obj");
    let hall = hitscan::Import::open(&model).expect("sound");
    let sources = vec![Source::read(&model).expect("it is there")];
    let builder =
        Builder::new().quality(Quality::Best).sources(sources).material_names(hall.material_names);
    let (bvh, _) = builder.bake(&hall.meshes).expect("sound");
    let file = fs::read(golden(&format!("v{FORMAT_VERSION}.hbvh"))).expect("it is there");
    assert!(bvh.to_bytes() == file, "another tree than the committed one");
}
