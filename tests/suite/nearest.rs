//! What is near a point equals brute force, exactly: which triangle is closest, how far away it
//! is, and which triangles are within a distance; on every instruction set.
//!
//! The judge computes squared distances as fractions of integers. `HITSCAN_LONG=50` asks 2,000
//! questions in each real mesh.

use crate::reference::judge as integers;
use crate::{questions, scenes, support};
pub(crate) mod judge;

use std::cmp::Ordering;

use hitscan::geometry::Feature;
use hitscan::glam::Vec3;
use hitscan::{
    BatchErrorKind, Builder, Bvh, ClosestPoint, Face, Facing, InstructionSet, Mesh, Query, Triangle,
};
use judge::{Distance, Nearby, separation};
use questions::Seen;
use support::{Random, long};

/// Points of all kinds: in the bounds, far away, on vertices, edges and faces, a little off them,
/// on a grid, on planes of symmetry.
fn point(
    random: &mut Random,
    kind: usize,
    bvh: &Bvh,
    all: &[hitscan::query::MeshTriangle],
) -> Vec3 {
    let bounds = bvh.bounds();
    let size = bounds.max - bounds.min;
    let inside = random.in_box(bounds.min, bounds.max);
    let Triangle { v0, v1, v2, .. } = all[random.below(all.len())].vertices;
    let on_face = {
        let (u, v) = (random.unit(), random.unit());
        let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
        v0 + (v1 - v0) * u + (v2 - v0) * v
    };
    match kind % 10 {
        0 => inside,
        1 => random.in_box(bounds.min - size, bounds.max + size),
        2 => inside + 1e3 * size.max_element() * random.direction(),
        3 => v0,
        4 => (v0 + v1) * 0.5,
        5 => on_face,
        6 => on_face + random.direction() * size.max_element() * 1e-3,
        7 => v0 + random.direction() * size.max_element() * 1e-6,
        8 => inside.round(),
        _ => (bounds.min + bounds.max) * 0.5,
    }
}

/// Asks every question about a point, on every instruction set, and compares with the judge.
fn ask(what: &str, bvh: &Bvh, judge: &Nearby, point: Vec3, seen: &Seen) -> usize {
    let sees = |mesh: u32, front: bool| {
        let faces = match seen.facing {
            Facing::Both => true,
            Facing::Front => front,
            Facing::Back => !front,
        };
        faces && seen.has_mesh(mesh)
    };
    let query = seen.query();
    let context = format!("{what}: {point:?} {query:?}");
    let nearest = judge.nearest(point, &sees);
    let expected = nearest.first();
    let mut list = Vec::new();
    for isa in InstructionSet::available() {
        let query = query.instruction_set(isa);
        let found = bvh.closest_point(point, f32::INFINITY, &query);
        let Some(expected) = expected else {
            assert_eq!(found, None, "{context}");
            continue;
        };
        let found = found.unwrap_or_else(|| panic!("nothing found, {context}"));
        assert_eq!(
            (found.hit.mesh, found.hit.triangle),
            (expected.mesh, expected.number),
            "{context}"
        );
        assert!(expected.distance.rounds_to(found.distance), "{context}: {found:?}");
        check(&found, point, expected.front, &context);

        // The distance as a limit, where it is exactly that far, and one step less.
        let d = found.distance;
        let at_most = |limit: f32| expected.distance.cmp(limit) != Ordering::Greater;
        for limit in [d, d.next_down(), d.next_up(), d * 0.5] {
            if limit >= 0.0 {
                let near = bvh.closest_point(point, limit, &query);
                assert_eq!(near, at_most(limit).then_some(found), "{context} at {limit}");
            }
            assert_eq!(
                bvh.any_within(point, limit, &query),
                limit >= 0.0 && at_most(limit),
                "{context} at {limit}"
            );
        }
        // The list.
        let limit = [d, d * 1.1, d + 0.01][(d.to_bits() % 3) as usize];
        bvh.all_within(point, limit, &query, &mut list);
        let all = judge.within(point, limit, &sees);
        let mut ids: Vec<_> = list.iter().map(|near| (near.hit.mesh, near.hit.triangle)).collect();
        assert!(list.is_sorted_by(|a, b| a.distance <= b.distance), "{context}");
        ids.sort_unstable();
        assert_eq!(ids, all, "{context} at {limit}");
        if let Some(first) = list.first() {
            assert_eq!(first.distance, d, "{context}");
        }
    }
    usize::from(nearest.len() > 1)
}

/// Whether the parts of an answer fit together.
fn check(near: &ClosestPoint, point: Vec3, front: bool, context: &str) {
    let hit = &near.hit;
    assert_eq!(hit.t, near.distance, "{context}");
    assert_eq!(hit.face == Face::Front, front, "{context}");
    assert!(hit.u >= 0.0 && hit.v >= 0.0 && hit.u + hit.v <= 1.0001, "{context}: {near:?}");
    let weights = [1.0 - hit.u - hit.v, hit.u, hit.v];
    match near.feature {
        Feature::Face => {}
        Feature::Edge(i) => {
            assert!(weights[(usize::from(i) + 2) % 3].abs() < 1e-6, "{context}: {near:?}");
        }
        Feature::Vertex(i) => assert_eq!(weights[usize::from(i)], 1.0, "{context}: {near:?}"),
    }
    let size = point.abs().max_element().max(near.point.abs().max_element());
    let off = separation(point, near.point) - f64::from(near.distance);
    assert!(off.abs() <= 4.0 * f64::from(size) / f64::from(1 << 23), "{context}: {near:?}");
}

fn test_meshes(what: &str, meshes: &[Mesh], count: usize, seed: u64) {
    let mut ties = 0;
    for bvh in questions::trees(meshes) {
        let all: Vec<_> = bvh.triangles().collect();
        let judge = Nearby::new(&all);
        let mut random = Random::new(seed);
        for i in 0..count {
            let point = point(&mut random, i, &bvh, &all);
            let facing = [Facing::Both, Facing::Front, Facing::Both, Facing::Back][i % 4];
            let mask = if i % 7 == 5 { 2 } else { u32::MAX };
            ties += ask(what, &bvh, &judge, point, &Seen { facing, mask });
        }
    }
    println!("{what}: {count} points, {ties} ties");
}

#[test]
fn every_answer_is_that_of_brute_force() {
    for (what, meshes) in questions::small_scenes() {
        test_meshes(what, &meshes, 60 * long().min(20), 3);
    }
}

#[test]
fn every_answer_in_real_meshes_is_that_of_brute_force() {
    for (name, meshes) in questions::real_scenes() {
        test_meshes(&name, &meshes, 40 * long(), 5);
    }
}

/// On slivers and triangles without an area by far, the distance is still exact.
#[test]
fn needles_are_measured_exactly() {
    test_meshes("needles", &scenes::masked(vec![scenes::needles()]), 100 * long().min(20), 2);
}

/// From far away all triangles are about as far as the nearest; next to one that is many times as
/// large as all others, these are all next to each other.
#[test]
fn points_that_are_far_away_are_measured_exactly() {
    let extreme = [
        ("nothing else", vec![]),
        ("a huge triangle", vec![[3e38, 3e38, 3e38], [-3e38, 3e38, 3e38], [0.0, 3e38, -3e38]]),
        ("a tiny one", vec![[1e-40, 0.0, 0.0], [0.0, 1e-40, 0.0], [0.0, 0.0, 3e-45]]),
        ("a needle", vec![[1e20, 3.0, 1.0], [-1e20, 3.0, 1.0], [0.0, 3.0, 1e-20]]),
    ];
    for (what, soup) in extreme {
        for (name, mesh) in [
            ("city", scenes::city(6, 3)),
            ("terrain", scenes::terrain(12, 4)),
            ("soup", scenes::soup(200, 8.0, 1.0, 5)),
        ] {
            let mut meshes = vec![mesh];
            if !soup.is_empty() {
                meshes.push(Mesh::from_soup(soup.clone()));
            }
            let (bvh, _) = Builder::new().bake(&scenes::masked(meshes)).expect("sound");
            let all: Vec<_> = bvh.triangles().collect();
            let (judge, mut random) = (Nearby::new(&all), Random::new(7));
            for i in 0..38 * long().min(20) {
                let far = 10f32.powi(1 + (i % 38) as i32);
                let way = match random.below(6) {
                    0 => Vec3::Y,
                    1 => Vec3::new(0.6, 0.8, 0.0),
                    2 => Vec3::new(1.0, -1.0, 1.0),
                    3 => Vec3::new(-1.0, 0.0, 1e-7),
                    _ => random.direction(),
                };
                let Triangle { v0, v1, .. } = all[random.below(all.len())].vertices;
                let at = if random.below(2) == 0 { v0 } else { v0 * 0.5 + v1 * 0.5 };
                let point = match i % 4 {
                    // Farther apart, a distance is past the range of `f32`.
                    0 => at.clamp(Vec3::splat(-1e38), Vec3::splat(1e38)),
                    _ => (at + way * far).clamp(Vec3::splat(-1e38), Vec3::splat(1e38)),
                };
                let facing = [Facing::Both, Facing::Front, Facing::Both, Facing::Back][i % 4];
                let seen = Seen { facing, mask: if i % 7 == 5 { 2 } else { u32::MAX } };
                ask(&format!("{name} and {what}"), &bvh, &judge, point, &seen);
            }
        }
    }
}

#[test]
fn a_batch_of_far_points_is_the_same_as_one_by_one() {
    let (bvh, _) = Builder::new().bake(&[scenes::city(16, 3)]).expect("sound");
    let mut random = Random::new(8);
    let points: Vec<_> = (0..400)
        .map(|i| random.direction() * if i % 3 == 0 { 20.0 } else { 10f32.powi(i % 39) })
        .collect();
    let mut near = vec![None; points.len()];
    for isa in InstructionSet::available() {
        let query = Query::new().instruction_set(isa);
        bvh.closest_point_batch(&points, f32::INFINITY, &query, &mut near).expect("as many");
        for (&point, near) in points.iter().zip(&near) {
            assert_eq!(bvh.closest_point(point, f32::INFINITY, &Query::new()), *near, "{isa}");
        }
    }
}

#[test]
fn filters_choose_among_triangles_and_see_distances() {
    let meshes = [scenes::soup(300, 12.0, 4.0, 5)];
    let (bvh, _) = Builder::new().bake(&meshes).expect("sound");
    let mut random = Random::new(3);
    for _ in 0..200 {
        let point = random.in_box(bvh.bounds().min, bvh.bounds().max);
        let mut all = Vec::new();
        bvh.all_within(point, 3.0, &Query::new(), &mut all);
        let keeps = |hit: &hitscan::Hit| hit.triangle % 3 == 1 && hit.t > 0.5;
        let expected: Vec<_> = all.iter().copied().filter(|near| keeps(&near.hit)).collect();
        let query = Query::new().filter(&keeps);
        assert_eq!(bvh.closest_point(point, 3.0, &query), expected.first().copied());
        assert_eq!(bvh.any_within(point, 3.0, &query), !expected.is_empty());
        let mut kept = Vec::new();
        bvh.all_within(point, 3.0, &query, &mut kept);
        assert_eq!(kept, expected);
    }
}

#[test]
fn a_batch_is_the_same_as_one_by_one() {
    let (bvh, _) = Builder::new().bake(&[scenes::city(16, 3)]).expect("sound");
    let mut random = Random::new(4);
    let size = bvh.bounds().max - bvh.bounds().min;
    let mut points: Vec<_> = (0..20_000)
        .map(|_| random.in_box(bvh.bounds().min - size * 0.1, bvh.bounds().max + size * 0.1))
        .collect();
    points[77] = Vec3::NAN;
    for limit in [f32::INFINITY, 1.0, -1.0, f32::NAN] {
        let mut near = vec![None; points.len()];
        for isa in InstructionSet::available() {
            let query = Query::new().instruction_set(isa);
            bvh.closest_point_batch(&points, limit, &query, &mut near).expect("as many");
            for (&point, near) in points.iter().zip(&near) {
                assert_eq!(bvh.closest_point(point, limit, &Query::new()), *near, "{isa}");
            }
        }
        let by_index =
            Query::new().filter_by_index(&|i, hit| (hit.triangle as usize + i).is_multiple_of(2));
        bvh.closest_point_batch(&points, limit, &by_index, &mut near).expect("as many");
        for (i, (&point, near)) in points.iter().zip(&near).enumerate().step_by(50) {
            let is_own = |hit: &hitscan::Hit| (hit.triangle as usize + i).is_multiple_of(2);
            assert_eq!(bvh.closest_point(point, limit, &Query::new().filter(&is_own)), *near);
        }
    }
    let error = bvh.closest_point_batch(&points, 1.0, &Query::new(), &mut [None; 3]).unwrap_err();
    assert_eq!(error.kind(), BatchErrorKind::ResultCount);
}

#[test]
fn impossible_questions_have_no_answer() {
    let (bvh, _) = Builder::new().bake(&[scenes::city(4, 3)]).expect("sound");
    let (empty, _) = Builder::new().bake(&[] as &[Mesh]).expect("sound");
    let mut list = Vec::new();
    for (tree, point, limit) in [
        (&bvh, Vec3::NAN, 1.0),
        (&bvh, Vec3::INFINITY, f32::INFINITY),
        (&bvh, Vec3::ZERO, -1.0),
        (&bvh, Vec3::ZERO, f32::NAN),
        (&empty, Vec3::ZERO, f32::INFINITY),
    ] {
        assert_eq!(tree.closest_point(point, limit, &Query::new()), None);
        assert!(!tree.any_within(point, limit, &Query::new()));
        tree.all_within(point, limit, &Query::new(), &mut list);
        assert!(list.is_empty());
    }
    assert!(bvh.closest_point(Vec3::splat(f32::MAX), f32::INFINITY, &Query::new()).is_some());
    assert!(bvh.any_within(bvh.triangles().next().unwrap().vertices.v0, 0.0, &Query::new()));
}

#[test]
fn a_tree_that_was_refit_has_the_answers_of_brute_force() {
    for (what, bvh) in questions::refit_trees() {
        let all: Vec<_> = bvh.triangles().collect();
        let (judge, mut random) = (Nearby::new(&all), Random::new(6));
        let seen = Seen { facing: Facing::Both, mask: u32::MAX };
        for i in 0..40 * long().min(20) {
            let point = point(&mut random, i, &bvh, &all);
            ask(what, &bvh, &judge, point, &seen);
        }
    }
}

#[test]
fn distances_of_fractions_are_compared_right() {
    let triangle = Triangle::new([0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]);
    let three_four = Distance::of(Vec3::new(-3.0, -4.0, 0.0), &triangle);
    assert!(three_four.rounds_to(5.0) && three_four.cmp(5.0) == Ordering::Equal);
    let height = Distance::of(Vec3::new(1.0, 1.0, -0.7), &triangle);
    assert!(height.rounds_to(0.7) && !height.rounds_to(0.7f32.next_up()));
}
