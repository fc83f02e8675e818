//! The project's own level bakes to the same bytes on every machine.

use std::collections::HashSet;

use hitscan::file::Source;
use hitscan::glam::Vec3;
use hitscan::{Builder, Bvh, Import, Query, Ray};
use sha2::{Digest, Sha256};

const LEVEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/level.glb");

/// Changes with the level, the builder and the format. To update it, run
/// `hitscan bake data/level.glb -o level.hbvh` and `sha256sum level.hbvh`.
const BAKED: &str = "f71ab41f91a7889c6e340a9bc73d8093c9b541a6ea1e890f5a591af9e928e7c3";

fn bake(threads: usize) -> Bvh {
    let import = Import::open(LEVEL).expect("the level is sound");
    let sources = vec![Source::read(LEVEL).expect("the level is there")];
    let builder =
        Builder::new().sources(sources).material_names(import.material_names).threads(threads);
    builder.bake(&import.meshes).expect("the level can be baked").0
}

#[test]
fn the_level_bakes_to_the_same_bytes_everywhere() {
    for threads in [1, 2] {
        let bytes = bake(threads).to_bytes();
        let hash: String = Sha256::digest(&bytes).iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(hash, BAKED, "with {threads} threads, {} bytes", bytes.len());
    }
}

#[test]
fn names_survive_the_bake() {
    let names: HashSet<String> = bake(2).metadata().mesh_names.into_iter().collect();
    let meshes = Import::open(LEVEL).unwrap().meshes;
    assert!(meshes.len() > 1000);
    assert!(meshes.iter().all(|mesh| names.contains(&mesh.name)));
}

/// From the places that `data/README.md` names, most rays hit something, and hit its front: walls
/// face the room.
#[test]
fn the_rooms_of_the_level_are_closed() {
    let bvh = bake(2);
    let places = [
        ("hall", [-29.0, 1.7, 17.0]),
        ("aisle", [-36.4, 1.7, -14.0]),
        ("cloister", [-17.0, 1.7, 15.3]),
        ("library", [18.5, 1.7, -19.5]),
        ("stairs", [7.0, 1.7, -20.5]),
        ("corridor", [-17.5, 1.7, 19.0]),
        ("waterworks", [37.2, 1.7, 14.5]),
        ("crypt", [-34.0, -2.6, -12.5]),
    ];
    for (name, eye) in places {
        let (mut hits, mut fronts, mut all) = (0, 0, 0);
        for i in 0..64 {
            for j in 0..64 {
                let dir = Vec3::new(i as f32 - 31.5, j as f32 - 31.5, 17.3 - (i ^ j) as f32);
                all += 1;
                if let Some(hit) = bvh.closest_hit(&Ray::new(eye, dir), &Query::new()) {
                    hits += 1;
                    fronts += usize::from(hit.face == hitscan::Face::Front);
                }
            }
        }
        assert!(hits * 100 > all * 85, "{name}: {hits} of {all} rays hit");
        assert!(fronts * 100 > hits * 98, "{name}: {fronts} of {hits} hits from the front");
    }
}

/// A hit's point lies on the ray, on mirrored meshes as well: barycentrics and vertices agree.
#[test]
fn points_of_hits_lie_on_their_rays() {
    let bvh = bake(2);
    let (mut hits, mut mirrored) = (0, 0);
    let meshes = Import::open(LEVEL).unwrap().meshes;
    for (number, mesh) in meshes.iter().enumerate() {
        let is_it = |hit: &hitscan::Hit| hit.mesh == number as u32;
        let transform = &mesh.transform;
        let corner = |i: u32| transform.transform_point3(Vec3::from(mesh.positions[i as usize]));
        for triangle in mesh.indices.as_ref().unwrap().as_chunks::<3>().0 {
            let [a, b, c] = triangle.map(corner);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            let aim = 0.5 * a + 0.3 * b + 0.2 * c;
            let ray = Ray::new(aim + normal, -normal);
            let Some(hit) = bvh.closest_hit(&ray, &Query::new().filter(&is_it)) else {
                continue;
            };
            hits += 1;
            mirrored += usize::from(hitscan::geometry::is_mirroring(transform));
            let point = bvh.point(&hit).expect("of this tree");
            assert!(point.distance(ray.at(hit.t)) < 1e-4, "{hit:?}");
            let unit = bvh.normal(&hit).expect("of this tree");
            assert!((unit.length() - 1.0).abs() < 1e-6);
        }
    }
    println!("{hits} hits, {mirrored} on mirrored meshes");
    assert!(hits > 10_000 && mirrored > 1_000);
}
