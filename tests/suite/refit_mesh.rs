//! `refit_mesh` with each mesh in turn makes the same tree as one `refit` with all of them, bit for
//! bit, and on the way there each tree gives the hits of brute force.

use crate::{moves, scenes, support};
use hitscan::glam::{Affine3A, Vec3};
use hitscan::{BadTriangles, Builder, Bvh, Mesh, RefitErrorKind};
use moves::{affine, assert_valid, bake_both, deformation, moved_judge, refit, size_of, subjects};
use scenes::{assert_covered, compare, rays_at, triangles};
use support::{Judge, Random};

/// Sequences for each subject and quality.
const SEQUENCES: usize = 6;

/// Cuts a mesh into `count` at random, some of which may be empty.
fn scattered(mesh: &Mesh, count: usize, random: &mut Random) -> Vec<Mesh> {
    let mut parts = vec![Vec::new(); count];
    for triangle in 0..mesh.triangle_count() {
        parts[random.below(count)].extend(mesh.view().triangle_indices(triangle).unwrap());
    }
    let part = |indices| Mesh { indices: Some(indices), materials: None, ..mesh.clone() };
    parts.into_iter().map(part).collect()
}

/// Levels of several meshes.
fn levels(random: &mut Random) -> Vec<(String, Vec<Mesh>)> {
    let mut levels = subjects();
    for (_, meshes) in &mut levels {
        if let [mesh] = &meshes[..] {
            let count = 2 + random.below(6);
            *meshes = scattered(mesh, count, random);
        }
        // A mesh without triangles.
        meshes.insert(random.below(meshes.len() + 1), Mesh::default());
    }
    // More meshes than a leaf block holds triangles.
    levels.push(("dust".to_owned(), scattered(&scenes::soup(400, 10.0, 1.0, 7), 150, random)));
    levels
}

fn shuffled(count: usize, random: &mut Random) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for i in (1..count).rev() {
        order.swap(i, random.below(i + 1));
    }
    order
}

/// The mesh deformed, and sometimes placed elsewhere or mirrored.
fn moved(mesh: &Mesh, size: f32, random: &mut Random) -> Mesh {
    let deform = deformation(random, size);
    let mut moved = mesh.clone();
    for p in &mut moved.positions {
        *p = deform(Vec3::from_array(*p)).to_array();
    }
    if random.below(3) == 0 {
        moved.transform = affine(random, size) * moved.transform;
    }
    moved
}

#[test]
fn each_mesh_in_turn_equals_all_at_once() {
    let random = &mut Random::new(0x3e5);
    let (mut asked, mut hitting) = (0, 0);
    for (name, meshes) in levels(random) {
        let size = size_of(&Judge::new(&meshes));
        for baked in bake_both(&meshes) {
            let mut bvh = baked.clone();
            let mut present = meshes.clone();
            for sequence in 0..SEQUENCES {
                let what = format!("{name}, sequence {sequence}");
                let target: Vec<Mesh> =
                    meshes.iter().map(|mesh| moved(mesh, size, random)).collect();
                let mut last = None;
                for (step, mesh) in shuffled(meshes.len(), random).into_iter().enumerate() {
                    let report = bvh.refit_mesh(mesh as u32, &target[mesh].view()).unwrap();
                    present[mesh] = target[mesh].clone();
                    if let Some(last) = last.replace(report.sah_after) {
                        assert_eq!(report.sah_before, last, "{what}");
                    }
                    // A few times in each sequence.
                    if (step + sequence) % meshes.len().div_ceil(3) != 0 {
                        continue;
                    }
                    // What is summed up step by step is the cost of the whole tree.
                    let cost = bvh.stats().sah_cost;
                    assert!((report.sah_after / cost - 1.0).abs() < 1e-12, "{what}: {report:?}");
                    assert_valid(&bvh, &what);
                    let judge = moved_judge(&meshes, &present);
                    let rays = rays_at(random, &triangles(&judge), 12);
                    asked += rays.len();
                    hitting += compare(&bvh, &judge, &rays, &what);
                }
                let mut whole = baked.clone();
                let report = refit(&mut whole, &target).unwrap();
                assert!(whole == bvh, "{what}: other bits than of a refit with all meshes");
                assert_eq!(Some(report.sah_after), last, "{what}");
                // Moves and whole refits in between keep what later ones need.
                if sequence % 4 == 1 {
                    bvh.apply_transform(&affine(random, size)).unwrap();
                    refit(&mut bvh, &meshes).unwrap();
                    present.clone_from(&meshes);
                }
            }
            refit(&mut bvh, &meshes).unwrap();
            assert_covered(&bvh, &Judge::new(&meshes), &name);
        }
    }
    println!("{asked} rays, {hitting} of them hit");
    assert!(hitting > asked / 4);
}

/// A mesh moves in a tree with spatial splits: the others' triangles keep the boxes of their parts.
#[test]
fn the_rest_of_the_level_stays_as_it_was() {
    let mut meshes = scenes::level(9);
    let door = meshes.len();
    meshes.push(scenes::sphere(8, 4, 0.5, Vec3::new(500.0, 0.0, 0.0)));
    for mut bvh in bake_both(&meshes) {
        let before = bvh.stats().sah_cost;
        let still = bvh.refit_mesh(door as u32, &meshes[door].view()).unwrap();
        assert_eq!(still.cost_ratio(), 1.0);
        assert!((still.sah_before / before - 1.0).abs() < 1e-12);
        let up = Affine3A::from_translation(Vec3::Y);
        let mut opened = meshes.clone();
        opened[door].transform = up;
        let report = bvh.refit_mesh(door as u32, &opened[door].view()).unwrap();
        assert!(report.cost_ratio() < 1.01, "{report:?}");
        assert_valid(&bvh, "opened");
        assert_covered(&bvh, &moved_judge(&meshes, &opened), "opened");
    }
}

#[test]
fn skipped_triangles_stay_absent() {
    let mut meshes = scenes::level(31);
    meshes[0].positions[5] = [f32::NAN; 3];
    let count = meshes[2].positions.len() as u32;
    meshes[2].indices.as_mut().unwrap()[7] = count;
    let builder = Builder::new().bad_triangles(BadTriangles::Skip);
    let (baked, _) = builder.bake(&meshes).unwrap();
    let mut repaired = meshes.clone();
    repaired[0].positions[5] = [5.0, 1.0, 0.0];
    // Bad ones may stay bad, as they do in a refit of all.
    for meshes in [repaired, meshes] {
        let (mut bvh, mut whole) = (baked.clone(), baked.clone());
        for (number, mesh) in (0..).zip(&meshes) {
            bvh.refit_mesh(number, &mesh.view()).unwrap();
        }
        refit(&mut whole, &meshes).unwrap();
        assert!(bvh == whole);
    }
}

#[test]
fn errors_leave_the_tree_unchanged() {
    let meshes = scenes::level(41);
    let baked = bake_both(&meshes)[1].clone();
    let last = meshes.len() as u32 - 1;
    let fails = |kind: RefitErrorKind, says: &str, number: u32, mesh: &Mesh| {
        let mut bvh = Bvh::from_bytes(&baked.to_bytes()).unwrap();
        let error = bvh.refit_mesh(number, &mesh.view()).expect_err(says);
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(says), "{error}");
        assert!(bvh == baked, "{says}: the tree is another now");
        assert_eq!(bvh.content_hash(), baked.content_hash());
    };
    let with = |number: u32, change: &dyn Fn(&mut Mesh)| {
        let mut mesh = meshes[number as usize].clone();
        mesh.positions.iter_mut().for_each(|p| p[1] += 3.0);
        change(&mut mesh);
        mesh
    };
    let (mismatch, non_finite) = (RefitErrorKind::Mismatch, RefitErrorKind::NonFinite);
    fails(mismatch, "there is no mesh 6", last + 1, &meshes[0]);
    fails(mismatch, "there is no mesh 4294967295", u32::MAX, &meshes[0]);
    fails(mismatch, "mesh 3 was baked with", 3, &meshes[0]);
    let swapped = with(2, &|mesh| mesh.indices.as_mut().unwrap().swap(40, 41));
    fails(mismatch, "mesh 2 was baked with other indices", 2, &swapped);
    fails(mismatch, "mesh 3 was baked with", 3, &with(3, &|mesh| mesh.positions.truncate(50)));
    for bad in [f32::NAN, f32::INFINITY] {
        let bad = with(last, &|mesh| mesh.positions.last_mut().unwrap()[1] = bad);
        fails(non_finite, "mesh 5: triangle 119", last, &bad);
    }
    let far = with(0, &|mesh| mesh.transform = Affine3A::from_scale(Vec3::splat(f32::MAX)));
    fails(non_finite, "mesh 0", 0, &far);

    let mut empty = Builder::new().bake(&[] as &[Mesh]).unwrap().0;
    let error = empty.refit_mesh(0, &Mesh::default().view()).expect_err("no meshes");
    assert_eq!(error.kind(), mismatch);
    let mut empty = Builder::new().bake(&[Mesh::default()]).unwrap().0;
    assert_eq!(empty.refit_mesh(0, &Mesh::default().view()).unwrap().cost_ratio(), 1.0);
}
