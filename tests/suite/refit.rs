//! A refitted or transformed tree gives the same hits as brute force over the moved triangles, bit
//! for bit on every instruction set. An error leaves the tree unchanged.
//!
//! `HITSCAN_LONG=200` takes the whole real meshes instead of their first triangles.

use crate::{moves, scenes, support};
use hitscan::geometry::{is_mirroring, transform_point};
use hitscan::glam::{Affine3A, Mat3, Vec3};
use hitscan::{
    BadTriangles, Builder, Bvh, Face, Indices, Mesh, MeshView, Positions, Query, Ray, RefitError,
    RefitErrorKind, Triangle,
};
use moves::{
    affine, assert_valid, bake, bake_both, deformation, moved_judge, refit, same, size_of, subjects,
};
use scenes::{assert_covered, compare, rays_at, triangles};
use support::{Judge, Random};

/// Moves of each kind, for each mesh.
const MOVES: usize = 100;
/// Rays after each move.
const RAYS: usize = 24;

/// Moves a judge's triangles as `Bvh::apply_transform` does.
fn move_judge(judge: &mut Judge, transform: &Affine3A) {
    for judged in &mut judge.triangles {
        let t = &mut judged.triangle;
        for v in [&mut t.v0, &mut t.v1, &mut t.v2] {
            *v = transform_point(transform, *v);
        }
        if is_mirroring(transform) {
            std::mem::swap(&mut t.v1, &mut t.v2);
            judged.swapped = !judged.swapped;
        }
    }
}

#[test]
fn smooth_deformations_equal_brute_force_on_the_moved_triangles() {
    scenes::instruction_sets();
    let mut asked = 0;
    let mut hitting = 0;
    let subjects = subjects();
    for (name, meshes) in &subjects {
        let mut random = Random::new(0xdef0);
        let baked = bake_both(meshes);
        let mut trees = baked.clone();
        let size = size_of(&Judge::new(meshes));
        for number in 0..MOVES {
            let what = format!("{name}, deformation {number}");
            let moved: Vec<_> = meshes
                .iter()
                .map(|mesh| {
                    let deform = deformation(&mut random, size);
                    let mut mesh = mesh.clone();
                    for p in &mut mesh.positions {
                        *p = deform(Vec3::from_array(*p)).to_array();
                    }
                    // The transforms of the meshes may change too, even to mirrored ones.
                    if number % 4 == 3 {
                        mesh.transform = affine(&mut random, size) * mesh.transform;
                    }
                    mesh
                })
                .collect();
            let bvh = &mut trees[number % 2];
            let report = refit(bvh, &moved).unwrap();
            assert!(report.sah_after.is_finite() && report.cost_ratio() > 0.0, "{what}");
            // The tree's state before the refit does not matter.
            let mut fresh = baked[number % 2].clone();
            refit(&mut fresh, &moved).unwrap();
            assert!(*bvh == fresh, "{what}: the outcome depends on earlier refits");

            assert_valid(bvh, &what);
            let judge = moved_judge(meshes, &moved);
            if number % 10 < 2 {
                assert_covered(bvh, &judge, &what);
            }
            let rays = rays_at(&mut random, &triangles(&judge), RAYS);
            hitting += compare(bvh, &judge, &rays, &what);
            asked += rays.len();
        }
        for bvh in &mut trees {
            refit(bvh, meshes).unwrap();
            assert_covered(bvh, &Judge::new(meshes), name);
        }
    }
    println!("{} meshes, {asked} rays, {hitting} of them hit", subjects.len());
    assert!(hitting > asked / 4);
}

#[test]
fn affine_moves_equal_brute_force_on_the_moved_triangles() {
    scenes::instruction_sets();
    let mut asked = 0;
    let mut hitting = 0;
    let subjects = subjects();
    for (name, meshes) in &subjects {
        let mut random = Random::new(0xaff1);
        let baked = bake_both(meshes);
        let mut bvh = baked[0].clone();
        let mut judge = moved_judge(meshes, meshes);
        for number in 0..MOVES {
            let what = format!("{name}, move {number}");
            // Several moves in sequence, then again from the start.
            if number % 4 == 0 {
                bvh = baked[number / 4 % 2].clone();
                judge = moved_judge(meshes, meshes);
            }
            let transform = affine(&mut random, size_of(&judge));
            let report = bvh.apply_transform(&transform).unwrap();
            assert!(report.sah_after.is_finite() && report.cost_ratio() > 0.0, "{what}");
            move_judge(&mut judge, &transform);

            assert_valid(&bvh, &what);
            if number % 5 == 0 {
                assert_covered(&bvh, &judge, &what);
            }
            let rays = rays_at(&mut random, &triangles(&judge), RAYS);
            hitting += compare(&bvh, &judge, &rays, &what);
            asked += rays.len();
        }
    }
    println!("{} meshes, {asked} rays, {hitting} of them hit", subjects.len());
    assert!(hitting > asked / 4);
}

/// A refit does not change user ids, masks and materials.
#[test]
fn a_refit_takes_positions_and_transforms_only() {
    let meshes = scenes::level(9);
    let mut bvh = bake(&meshes);
    let others: Vec<_> = meshes
        .iter()
        .map(|mesh| {
            let materials = mesh.materials.as_ref().map(|m| m.iter().map(|x| x + 1).collect());
            let other = mesh.clone().with_user_id(99).with_mask(1 << 31).with_name("other");
            Mesh { materials, ..other }
        })
        .collect();
    refit(&mut bvh, &others).unwrap();
    let judge = Judge::new(&meshes);
    let rays = rays_at(&mut Random::new(1), &triangles(&judge), 300);
    assert!(compare(&bvh, &judge, &rays, "other user data") > 100);
}

/// Doors that open and close: `set_mask` hides a mesh and shows it again.
#[test]
fn a_mesh_with_another_mask_is_seen_as_if_baked_with_it() {
    let mut meshes = scenes::level(9);
    let mut bvh = bake(&meshes);
    let rays = rays_at(&mut Random::new(3), &triangles(&Judge::new(&meshes)), 300);
    for mask in [0, 1 << 7, u32::MAX] {
        let last = meshes.len() - 1;
        assert_eq!(bvh.set_mask(last as u32, mask), Some(meshes[last].mask));
        meshes[last].mask = mask;
        assert_eq!(bvh.content_hash(), None);
        assert_eq!(bvh.mesh(last as u32).unwrap().mask, mask);
        let judge = Judge::new(&meshes);
        let hits = compare(&bvh, &judge, &rays, "other layers");
        assert!(hits > 100, "{hits} hits");
        let saved = Bvh::from_bytes(&bvh.to_bytes()).unwrap();
        assert!(saved == bvh);
        compare(&saved, &judge, &rays, "other layers, saved");
    }
    let before = bvh.clone();
    assert_eq!(bvh.set_mask(meshes.len() as u32, 0), None);
    assert!(bvh == before);
}

#[test]
fn errors_leave_the_tree_unchanged() {
    let meshes = scenes::level(11);
    let judge = Judge::new(&meshes);
    let rays = rays_at(&mut Random::new(2), &triangles(&judge), 60);
    let bvh = bake(&meshes);
    let fails =
        |what: &str, kind, says: &str, change: &dyn Fn(&mut Bvh) -> Result<_, RefitError>| {
            let mut changed = bvh.clone();
            let error = change(&mut changed).expect_err(what);
            assert_eq!(error.kind(), kind, "{what}: {error}");
            assert!(error.to_string().contains(says), "{what}: {error}");
            assert!(changed == bvh, "{what}: the tree is another now");
            assert_eq!(changed.bounds(), bvh.bounds(), "{what}");
            compare(&changed, &judge, &rays, what);
        };
    let with = |change: &dyn Fn(&mut Vec<Mesh>)| {
        // Everything else moves, so that half a refit would be detected.
        let mut moved = meshes.clone();
        for mesh in &mut moved {
            for p in &mut mesh.positions {
                p[1] += 3.0;
            }
        }
        change(&mut moved);
        move |bvh: &mut Bvh| refit(bvh, &moved)
    };
    let (mismatch, non_finite) = (RefitErrorKind::Mismatch, RefitErrorKind::NonFinite);

    fails("one mesh fewer", mismatch, "6 meshes, and 5", &with(&|m| drop(m.pop())));
    fails("one mesh more", mismatch, "6 meshes, and 7", &with(&|m| m.push(Mesh::default())));
    fails("no meshes", mismatch, "and 0 are given", &with(&|m| m.clear()));
    fails("a vertex more", mismatch, "mesh 0", &with(&|m| m[0].positions.push([0.0; 3])));
    fails("vertices fewer", mismatch, "mesh 3", &with(&|m| m[3].positions.truncate(50)));
    fails(
        "a triangle fewer",
        mismatch,
        "mesh 3",
        &with(&|m| m[3].indices.as_mut().unwrap().truncate(30)),
    );
    fails(
        "three positions fewer, without indices",
        mismatch,
        "mesh 5",
        &with(&|m| m[5].positions.truncate(30)),
    );
    fails(
        "two indices changed over",
        mismatch,
        "mesh 2 was baked with other indices",
        &with(&|m| m[2].indices.as_mut().unwrap().swap(40, 41)),
    );
    fails(
        "indices where there were none",
        mismatch,
        "mesh 5 was baked with other indices",
        &with(&|m| m[5].indices = Some((0..m[5].positions.len() as u32).collect())),
    );
    fails("meshes in another order", mismatch, "mesh 0", &with(&|m| m.swap(0, 3)));
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        // The last triangle of the last mesh: all others are done before.
        fails(
            "a bad coordinate",
            non_finite,
            "mesh 5: triangle 119",
            &with(&|m| m[5].positions.last_mut().unwrap()[1] = bad),
        );
    }
    fails(
        "a transform that overflows",
        non_finite,
        "mesh 0",
        &with(&|m| m[0].transform = Affine3A::from_scale(Vec3::splat(f32::MAX))),
    );

    let by = |transform: Affine3A| move |bvh: &mut Bvh| bvh.apply_transform(&transform);
    let flat = Affine3A::from_scale(Vec3::new(1.0, 0.0, 1.0));
    fails("a flattening map", RefitErrorKind::Singular, "determinant", &by(flat));
    let sheet = Affine3A::from_mat3(Mat3::from_cols(Vec3::ONE, Vec3::ONE * 2.0, Vec3::X));
    fails("two axes in line", RefitErrorKind::Singular, "determinant", &by(sheet));
    for bad in [f32::NAN, f32::INFINITY] {
        let shift = Affine3A::from_translation(Vec3::new(0.0, 0.0, bad));
        fails("a translation that is none", non_finite, "transform", &by(shift));
        let scale = Affine3A::from_scale(Vec3::new(1.0, bad, 1.0));
        fails("a scale that is none", non_finite, "transform", &by(scale));
    }
    let huge = Affine3A::from_scale(Vec3::new(1.0, 1.0, 3e38));
    fails("a map out of range", non_finite, "beyond the range of f32", &by(huge));
}

/// A box may overflow although no triangle does: the diagonal of a huge triangle, rotated.
#[test]
fn a_box_that_overflows_is_an_error() {
    let huge = Mesh::from_soup(vec![[-2e38, -2e38, 0.0], [2e38, 2e38, 0.0], [2e38, 2e38, 1e38]]);
    let before = bake(&[huge]);
    let mut bvh = before.clone();
    // Every vertex moves to x = 0; the corners of the box do not.
    let turn = Mat3::from_cols(Vec3::new(1.0, 0.5, 0.0), Vec3::new(-1.0, 0.5, 0.0), Vec3::Z);
    let error = bvh.apply_transform(&Affine3A::from_mat3(turn)).expect_err("the box overflows");
    assert_eq!(error.kind(), RefitErrorKind::NonFinite);
    assert!(bvh == before);
}

#[test]
fn a_triangle_that_loses_its_area_is_missed_and_recovers() {
    let mesh = scenes::terrain(8, 21);
    let mut bvh = bake(std::slice::from_ref(&mesh));
    let before = bvh.clone();
    let down = |bvh: &Bvh| {
        let ray = Ray::new([3.2, 50.0, 3.3], [0.0, -1.0, 0.0]);
        bvh.closest_hit(&ray, &Query::new()).map(|hit| hit.triangle)
    };
    let hit = down(&bvh).expect("the ray points at the ground");
    let corners = mesh.view().triangle_indices(hit as usize).unwrap();

    // Two corners coincide, so both triangles at that edge lose their area.
    let mut pinched = mesh.clone();
    pinched.positions[corners[1] as usize] = pinched.positions[corners[0] as usize];
    refit(&mut bvh, std::slice::from_ref(&pinched)).unwrap();
    assert_valid(&bvh, "pinched");
    let judge = Judge::new(std::slice::from_ref(&pinched));
    assert!(judge.triangles[hit as usize].triangle.is_degenerate());
    assert_ne!(down(&bvh), Some(hit));
    let rays = rays_at(&mut Random::new(3), &triangles(&judge), 300);
    assert!(compare(&bvh, &judge, &rays, "pinched") > 50);

    // All triangles collapse to a point or a line: there is nothing to hit.
    for flat in [Vec3::ZERO, Vec3::X] {
        let mut gone = mesh.clone();
        for p in &mut gone.positions {
            *p = (Vec3::from_array(*p) * flat).to_array();
        }
        let report = refit(&mut bvh, std::slice::from_ref(&gone)).unwrap();
        assert!(!report.sah_after.is_nan() && !report.cost_ratio().is_nan(), "{report:?}");
        assert_valid(&bvh, "gone");
        assert_eq!(compare(&bvh, &Judge::new(&[gone]), &rays, "gone"), 0);
    }

    let report = refit(&mut bvh, std::slice::from_ref(&mesh)).unwrap();
    assert!(!report.cost_ratio().is_nan(), "{report:?}");
    assert_eq!(down(&bvh), Some(hit));
    assert!(same(&bvh, &before));
}

#[test]
fn a_triangle_skipped_by_the_bake_stays_absent() {
    let mut meshes = scenes::level(31);
    meshes[0].positions[5] = [f32::NAN; 3];
    let count = meshes[2].positions.len() as u32;
    meshes[2].indices.as_mut().unwrap()[7] = count;
    let builder = Builder::new().bad_triangles(BadTriangles::Skip);
    let (mut bvh, report) = builder.bake(&meshes).unwrap();
    let summary = report.summary;
    assert!(summary.skipped_non_finite > 0 && summary.skipped_out_of_range == 1);
    assert_eq!(summary.skipped_degenerate, 3);

    // Now they have an area.
    let absent = |judge: &Judge| -> Vec<_> {
        let (mut all, kept) = (Judge::new(&scenes::level(31)), judge);
        all.triangles.retain(|j| {
            j.triangle.is_degenerate()
                || !kept.triangles.iter().any(|k| (k.mesh, k.number) == (j.mesh, j.number))
        });
        all.triangles.iter().map(|j| (j.mesh, j.number)).collect()
    };
    let mut judge = Judge::new(&meshes);
    judge.triangles.retain(|j| !j.triangle.is_degenerate());
    let absent = absent(&judge);
    assert_eq!(absent.len() as u64, summary.triangles_in - summary.triangles_kept);

    // The indices must be those of the bake, also the one that is out of range.
    let mut repaired = meshes.clone();
    repaired[0].positions[5] = [5.0, 1.0, 0.0];
    let mut random = Random::new(4);
    for mesh in &mut repaired {
        for p in &mut mesh.positions {
            *p = (Vec3::from_array(*p) + random.direction() * 0.3).to_array();
        }
    }
    refit(&mut bvh, &repaired).unwrap();
    let mut judge = Judge::new(&repaired);
    judge.triangles.retain(|j| !absent.contains(&(j.mesh, j.number)));
    assert_eq!(judge.triangles.len() as u64, summary.triangles_kept);
    let rays = rays_at(&mut random, &triangles(&judge), 600);
    assert!(compare(&bvh, &judge, &rays, "repaired") > 200);

    // A skipped triangle may stay bad.
    refit(&mut bvh, &meshes).unwrap();
    let mut judge = Judge::new(&meshes);
    judge.triangles.retain(|j| !j.triangle.is_degenerate());
    assert!(compare(&bvh, &judge, &rays, "bad again") > 100);
}

#[test]
fn every_layout_of_buffers_refits_alike() {
    let mesh = scenes::terrain(20, 41);
    let indices = mesh.indices.clone().unwrap();
    let narrow: Vec<u16> = indices.iter().map(|&i| i as u16).collect();
    let mut random = Random::new(5);
    let moved: Vec<[f32; 3]> = mesh
        .positions
        .iter()
        .map(|p| (Vec3::from_array(*p) + random.direction()).to_array())
        .collect();
    let vectors: Vec<Vec3> = moved.iter().map(|&p| p.into()).collect();
    let mut bytes = vec![0xffu8; 3];
    for p in &moved {
        bytes.extend(p.iter().flat_map(|x| x.to_ne_bytes()));
        bytes.extend([0xff; 7]);
    }
    // No whole stride follows the last vertex, and nothing is aligned.
    bytes.truncate(bytes.len() - 7);
    let strided = Positions::Strided { bytes: &bytes[3..], stride: 19 };
    assert_eq!(strided.len(), moved.len());

    let baked = bake(std::slice::from_ref(&mesh));
    let transform = Affine3A::from_scale(Vec3::new(-2.0, 1.0, 1.0));
    let mut outcomes = Vec::new();
    for positions in [Positions::Arrays(&moved), Positions::Vec3(&vectors), strided] {
        for indices in [Indices::U16(&narrow), Indices::U32(&indices)] {
            let view = MeshView::new(positions, indices).with_transform(transform);
            let mut bvh = baked.clone();
            bvh.refit(&[view]).unwrap();
            outcomes.push(bvh);
        }
    }
    assert!(outcomes.iter().all(|bvh| *bvh == outcomes[0]));
    assert!(outcomes[0] != baked);
    let judge = Judge::new(&[Mesh::new(moved.clone(), indices.clone()).with_transform(transform)]);
    let rays = rays_at(&mut random, &triangles(&judge), 200);
    assert!(compare(&outcomes[0], &judge, &rays, "terrain, mirrored") > 50);

    // Without indices.
    let unroll = |positions: &[[f32; 3]]| -> Vec<[f32; 3]> {
        indices.iter().map(|&i| positions[i as usize]).collect()
    };
    let mut bvh = bake(&[Mesh::from_soup(unroll(&mesh.positions))]);
    let unrolled = unroll(&moved);
    let view = MeshView::new(Positions::Arrays(&unrolled), Indices::None);
    bvh.refit(&[view.with_transform(transform)]).unwrap();
    assert!(compare(&bvh, &judge, &rays, "without indices") > 50);
}

#[test]
fn reports_say_how_the_cost_changed() {
    let meshes = scenes::level(51);
    let baked = bake(&meshes);
    let (_, bake_report) = Builder::new().bake(&meshes).unwrap();
    let mut bvh = baked.clone();
    // The same sum in another order.
    let cost = bake_report.summary.sah_cost;
    let is_cost = |sum: f64| (sum / cost - 1.0).abs() < 1e-12;

    let report = refit(&mut bvh, &meshes).unwrap();
    assert!(is_cost(report.sah_before) && report.cost_ratio() == 1.0, "{report:?}");
    assert_eq!(bvh.apply_transform(&Affine3A::IDENTITY).unwrap(), report);

    // Doubling keeps all ratios of areas; rotation enlarges boxes, and a refit shrinks them.
    let report = bvh.apply_transform(&Affine3A::from_scale(Vec3::splat(2.0))).unwrap();
    assert_eq!(report.cost_ratio(), 1.0);
    let turn = Affine3A::from_rotation_y(0.6);
    let turned = bvh.apply_transform(&turn).unwrap();
    assert_eq!(turned.sah_before, report.sah_after);
    let moved: Vec<_> = meshes
        .iter()
        .map(|mesh| {
            let scale = Affine3A::from_scale(Vec3::splat(2.0));
            mesh.clone().with_transform(turn * scale * mesh.transform)
        })
        .collect();
    let tight = refit(&mut bvh, &moved).unwrap();
    assert_eq!(tight.sah_before, turned.sah_after);
    assert!(tight.sah_after < tight.sah_before, "{tight:?}");

    // A scrambled soup costs much more than after a new bake.
    let soup = scenes::soup(2000, 10.0, 0.3, 52);
    let stirred = scenes::soup(2000, 10.0, 0.3, 53);
    let mut bvh = bake(std::slice::from_ref(&soup));
    let report = refit(&mut bvh, std::slice::from_ref(&stirred)).unwrap();
    assert!(report.cost_ratio() > 5.0, "{report:?}");
    let anew = Builder::new().bake(&[stirred]).unwrap().1.summary.sah_cost;
    assert!(report.sah_after > 3.0 * anew, "{report:?}, {anew}");

    // No triangles at all.
    let mut empty = bake(&[]);
    assert_eq!(refit(&mut empty, &[]).unwrap().cost_ratio(), 1.0);
    assert_eq!(empty.apply_transform(&turn).unwrap().cost_ratio(), 1.0);
    assert!(empty.bounds().is_empty());
    let ray = Ray::new([0.0; 3], [0.0, 1.0, 0.0]);
    assert_eq!(empty.closest_hit(&ray, &Query::new()), None);
}

#[test]
fn a_mirror_and_its_inverse_restore_the_tree() {
    let meshes = scenes::level(61);
    let judge = Judge::new(&meshes);
    let baked = bake(&meshes);
    let mut bvh = baked.clone();
    // Powers of two lose no bit.
    let mirror = Affine3A::from_scale(Vec3::new(-2.0, 4.0, 0.5));
    let back = Affine3A::from_scale(Vec3::new(-0.5, 0.25, 2.0));
    bvh.apply_transform(&mirror).unwrap();
    assert!(bvh != baked);

    // Front stays front, `u` and `v` stay those of the caller's vertices.
    let random = &mut Random::new(6);
    let rays = rays_at(random, &triangles(&judge), 300);
    let query = Query::new();
    let mut faces = [0; 2];
    for ray in &rays {
        let through = Ray {
            origin: ray.origin * mirror.to_scale(),
            dir: ray.dir * mirror.to_scale(),
            ..*ray
        };
        let (before, after) = (baked.closest_hit(ray, &query), bvh.closest_hit(&through, &query));
        assert_eq!(before, after, "{ray:?}");
        if let (Some(before), Some(after)) = (before, after) {
            faces[usize::from(before.face == Face::Front)] += 1;
            let (stored, moved) = (baked.triangle(&before).unwrap(), bvh.triangle(&after).unwrap());
            let by = |v: Vec3| v * mirror.to_scale();
            let expected = Triangle::new(by(stored.v0), by(stored.v2), by(stored.v1));
            assert_eq!(moved, expected);
        }
    }
    assert!(faces[0] > 20 && faces[1] > 20, "{faces:?}");

    bvh.apply_transform(&back).unwrap();
    assert!(same(&bvh, &baked), "there and back again");
}

trait Scale {
    fn to_scale(&self) -> Vec3;
}

impl Scale for Affine3A {
    fn to_scale(&self) -> Vec3 {
        Vec3::new(self.matrix3.x_axis.x, self.matrix3.y_axis.y, self.matrix3.z_axis.z)
    }
}
