//! Explanations: the steps of a walk, boxes of a depth, and why a triangle is not the answer.

#[path = "explain/contacts.rs"]
mod contacts;
#[path = "explain/reference.rs"]
mod reference;

use crate::scenes;
use crate::support::{Random, long};
use hitscan::explain::{Below, End, Entry, Outcome, Step, WhyNot, WhyNotNearest};
use hitscan::glam::{Affine3A, Vec3};
use hitscan::query::Question;
use hitscan::scene::{Instance, Scene};
use hitscan::{Builder, Bvh, Facing, Hit, InstructionSet, Mesh, Query, Ray};

use reference::{Case, Reason, World};

fn checked(factor: usize) -> usize {
    if long() > 1 { factor * 10 } else { factor }
}

/// Rays of many kinds around a level, at this scale.
fn rays(random: &mut Random, bvh: &Bvh, count: usize) -> Vec<Ray> {
    let bounds = bvh.bounds();
    let size = bounds.max - bounds.min;
    let (min, max) = (bounds.min - 0.2 * size, bounds.max + 0.2 * size);
    let ray = |i: usize| {
        let (from, to) = (random.in_box(min, max), random.in_box(min, max));
        let ray = Ray::between(from, to);
        match i % 4 {
            0 => ray,
            1 => ray.with_range(0.0, f32::INFINITY),
            2 => ray.with_range(-0.7, 0.4),
            _ => Ray::new(from, Vec3::NEG_Y * size.max_element()),
        }
    };
    (0..count).map(ray).collect()
}

#[test]
fn steps_are_as_many_as_the_query_counts_and_end_with_its_answer() {
    let random = &mut Random::new(1);
    let far = Affine3A::from_scale(Vec3::splat(1e33));
    let worlds = [
        scenes::level(3),
        vec![scenes::terrain(30, 1)],
        // Beyond what box tests in `f32` can do.
        scenes::level(1).into_iter().map(|mesh| mesh.with_transform(far)).collect(),
    ];
    let mut ends = [0; 4];
    for meshes in worlds {
        let (bvh, _) = Builder::new().bake(&meshes).unwrap();
        for ray in rays(random, &bvh, checked(150)) {
            for isa in InstructionSet::available() {
                let odd = |hit: &Hit| hit.triangle % 2 == 1;
                let query = Query::new().instruction_set(isa);
                for query in [query, query.facing(Facing::Front), query.filter(&odd)] {
                    check_walk(&bvh, &ray, &query, &mut ends);
                }
            }
        }
    }
    assert!(ends.iter().all(|&count| count > 50), "{ends:?}");
}

fn check_walk(bvh: &Bvh, ray: &Ray, query: &Query, ends: &mut [usize; 4]) {
    let closest = bvh.closest_hit(ray, query);
    let walk = bvh.explain(ray, query, Question::ClosestHit);
    assert_eq!(walk.stats(), bvh.query_stats(ray, query, Question::ClosestHit), "{ray:?}");
    assert_eq!(walk.hit, closest, "{ray:?}");
    let mut best = None;
    for step in &walk.steps {
        match step {
            Step::Node { children, .. } => check_children(children, ray, best),
            Step::Block { triangles, .. } => {
                for one in triangles {
                    let plain = one.vertices.intersect(ray).map(|hit| hit.t);
                    match one.outcome {
                        Outcome::Best { t } => {
                            assert!(plain == Some(t) && best.is_none_or(|best| t <= best));
                            best = Some(t);
                        }
                        Outcome::Farther { t } | Outcome::Again { t } => {
                            assert!(plain == Some(t) && best.is_some_and(|best| t >= best));
                        }
                        Outcome::Refused { t, .. } => assert_eq!(plain, Some(t)),
                        Outcome::OutsideInterval { .. } | Outcome::Missed => {
                            assert_eq!(plain, None);
                        }
                        ref other => panic!("{other:?}"),
                    }
                }
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(best, closest.map(|hit| hit.t), "{ray:?}");
    match walk.end {
        End::NothingNearer { .. } => assert!(closest.is_some()),
        End::IntervalOver | End::NothingLeft => assert!(closest.is_none()),
        end => panic!("{end:?}"),
    }
    let any = bvh.explain(ray, query, Question::AnyHit);
    assert_eq!(any.stats(), bvh.query_stats(ray, query, Question::AnyHit), "{ray:?}");
    assert_eq!(any.hit.is_some(), closest.is_some());
    assert_eq!(any.end == End::FirstHit, closest.is_some());
    ends[match walk.end {
        End::NothingNearer { left_out: 0 } => 0,
        End::NothingNearer { .. } => 1,
        End::IntervalOver => 2,
        _ => 3,
    }] += 1;
}

fn check_children(children: &[hitscan::explain::Child], ray: &Ray, best: Option<f32>) {
    for child in children {
        let inside = child.bounds.ray_interval(ray).and_then(|interval| interval.clipped(ray));
        match child.entry {
            // Boxes are entered some roundings early.
            Entry::Enters { t } => {
                assert!(ray.t_min <= t && inside.is_none_or(|inside| t <= inside.enter));
            }
            Entry::PastBest { t } => {
                assert!(inside.is_some_and(|inside| inside.enter == t));
                assert!(best.is_some_and(|best| t >= best));
            }
            Entry::OutsideInterval { .. } | Entry::Misses => assert_eq!(inside, None),
            ref other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_walk_that_cannot_begin_says_why() {
    let (bvh, _) = Builder::new().bake(&scenes::level(1)).unwrap();
    let (empty, _) = Builder::new().bake(&[] as &[Mesh]).unwrap();
    let ray = Ray::new([0.0; 3], [0.0, 0.0, 1.0]);
    for question in [Question::ClosestHit, Question::AnyHit] {
        let end = |bvh: &Bvh, ray: Ray| bvh.explain(&ray, &Query::new(), question).end;
        assert_eq!(end(&bvh, Ray { dir: Vec3::ZERO, ..ray }), End::InvalidRay);
        assert_eq!(end(&bvh, ray.with_range(f32::NAN, 1.0)), End::InvalidRay);
        assert_eq!(end(&bvh, ray.with_range(2.0, 1.0)), End::InvalidRay);
        assert_eq!(end(&empty, ray), End::EmptyTree);
    }
}

#[test]
fn boxes_of_a_depth_hold_those_of_the_next() {
    let (bvh, report) = Builder::new().bake(&scenes::level(3)).unwrap();
    let (mut blocks, mut nodes, mut depth) = (0, 0, 0);
    let mut above = 0;
    loop {
        let boxes = bvh.boxes_at(depth);
        let triangles: u64 = boxes.iter().map(|one| one.triangles).sum();
        let at_leaves = boxes.iter().filter(|one| matches!(one.below, Below::Block(_)));
        let ended: u64 = at_leaves.clone().map(|one| one.triangles).sum();
        assert!(depth == 0 || triangles == above, "{triangles} {above} at {depth}");
        assert!(boxes.iter().all(|one| bvh.bounds().contains_box(&one.bounds)));
        blocks += at_leaves.clone().count() as u64;
        nodes += (boxes.len() - at_leaves.count()) as u64;
        if boxes.is_empty() {
            break;
        }
        above = triangles - ended;
        depth += 1;
    }
    let summary = report.summary;
    assert_eq!((blocks, nodes, depth - 1), (summary.leaves, summary.nodes, summary.depth));
    assert_eq!(bvh.boxes_at(0)[0].triangles, summary.references);
    assert!(bvh.boxes_at(u32::MAX).is_empty());
    assert!(Builder::new().bake(&[] as &[Mesh]).unwrap().0.boxes_at(0).is_empty());
}

/// Random small worlds on a grid of whole numbers, where a reference decides in integers.
#[test]
fn why_not_is_as_the_reference_says() {
    let random = &mut Random::new(7);
    let mut met = std::collections::BTreeMap::<&str, usize>::new();
    for _ in 0..checked(1000) {
        let world = World::new(random);
        let (bvh, _) = Builder::new().bake(&world.meshes()).unwrap();
        let case = Case::new(random, &world);
        let accepts = |hit: &Hit| case.accepts(hit.mesh, hit.triangle);
        let mut query = Query::new().mask(case.mask).facing(case.facing);
        if case.filters {
            query = query.filter(&accepts);
        }
        let expected = world.reason(&case);
        let found = bvh.why_not(&case.ray, &query, case.mesh, case.triangle);
        assert!(expected.is_like(&found), "{case:?}\n{expected:?}\n{found:?}\n{world:?}");
        *met.entry(expected.name()).or_default() += 1;

        // Moved by whole numbers, in a scene with nothing else, all is as in the tree.
        let mut scene = Scene::new();
        let by = Affine3A::from_translation(Vec3::new(3.0, -2.0, 5.0));
        let instance = scene.insert(Instance::new(bvh.clone()).with_transform(by)).unwrap();
        let moved = Ray { origin: case.ray.origin + Vec3::new(3.0, -2.0, 5.0), ..case.ray };
        let now = scene.commit();
        let in_scene = now.why_not(&moved, &query, instance, case.mesh, case.triangle);
        assert!(expected.is_like(&in_scene), "{case:?}\n{expected:?}\n{in_scene:?}");

        // A mesh has the best reason of its triangles.
        let whole = bvh.why_not_mesh(&case.ray, &query, case.mesh);
        let best = world.best_of_mesh(&case);
        assert_eq!(Reason::rank_of(&whole.reason), best, "{case:?}\n{whole:?}\n{world:?}");
    }
    println!("{met:?}");
    for name in reference::NAMES {
        assert!(met.get(name).is_some_and(|&count| count >= 5), "{name}: {met:?}");
    }
}

#[test]
fn what_is_not_there_is_said_to_be_missing() {
    let flat = [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [2.0, 2.0, 2.0f32]];
    let whole = [[0.0, 0.0, 1.0], [4.0, 0.0, 1.0], [0.0, 4.0, 1.0f32]];
    let mesh = Mesh::from_soup([flat, whole].concat());
    let (bvh, _) = Builder::new().bake(&[mesh, Mesh::from_soup(flat.to_vec())]).unwrap();
    let (ray, query) = (Ray::new([1.0, 1.0, 0.0], [0.0, 0.0, 1.0]), Query::new());
    let why = |mesh, triangle| bvh.why_not(&ray, &query, mesh, triangle);
    assert_eq!(why(0, 0), WhyNot::Skipped);
    assert!(matches!(why(0, 1), WhyNot::Hit(hit) if hit.triangle == 1));
    assert_eq!(why(0, 2), WhyNot::NoTriangle { triangles: 2 });
    assert_eq!(why(2, 0), WhyNot::NoMesh);
    let whole = |mesh| bvh.why_not_mesh(&ray, &query, mesh);
    assert_eq!((whole(1).triangle, whole(1).reason), (None, WhyNot::Skipped));
    assert_eq!((whole(2).triangle, whole(2).reason), (None, WhyNot::NoMesh));
    assert_eq!(whole(0).triangle, Some(1));
    let invalid = Ray::new([f32::NAN; 3], [0.0, 0.0, 1.0]);
    assert_eq!(bvh.why_not(&invalid, &query, 0, 1), WhyNot::InvalidRay);

    let mut scene = Scene::new();
    let shown = scene.insert(Instance::new(bvh.clone()).with_mask(4)).unwrap();
    let hidden = scene.insert(Instance::new(bvh)).unwrap();
    scene.disable(hidden).unwrap();
    let now = scene.commit();
    let why = |instance, query: &Query| now.why_not(&ray, query, instance, 0, 1);
    assert_eq!(why(hidden, &query), WhyNot::NoInstance);
    assert_eq!(why(shown, &query.mask(3)), WhyNot::InstanceMask { mask: 4 });
    assert!(matches!(why(shown, &query), WhyNot::Hit(hit) if hit.instance == shown));
}

#[test]
fn why_not_nearest_is_as_brute_force_says() {
    let random = &mut Random::new(11);
    let mut met = [0; 6];
    for _ in 0..checked(300) {
        let world = World::new(random);
        let (bvh, _) = Builder::new().bake(&world.meshes()).unwrap();
        let case = Case::new(random, &world);
        let (point, limit) = (case.ray.origin, random.below(40) as f32 * 0.25);
        let accepts = |hit: &Hit| case.accepts(hit.mesh, hit.triangle);
        let query = Query::new().mask(case.mask).facing(case.facing).filter(&accepts);
        let found = bvh.why_not_nearest(point, limit, &query, case.mesh, case.triangle);
        let squared = |mesh, triangle| {
            let vertices = bvh.mesh_triangle(mesh, triangle)?;
            Some(f64::from(vertices.closest_point(point).distance_squared(point)))
        };
        let Some(own) = squared(case.mesh, case.triangle) else {
            assert_eq!(found, WhyNotNearest::Skipped);
            met[0] += 1;
            continue;
        };
        let own = own.sqrt();
        let least = (0..).zip(&world.triangles).flat_map(|(mesh, (_, triangles))| {
            (0..triangles.len() as u32).map(move |triangle| (mesh, triangle))
        });
        let counts = |&(mesh, triangle): &(u32, u32)| world.counts_near(&case, mesh, triangle);
        let least = least.filter(counts).filter_map(|(mesh, triangle)| squared(mesh, triangle));
        let least = least.fold(f64::INFINITY, f64::min).sqrt();
        match found {
            WhyNotNearest::MeshMask { mask } => {
                assert_eq!(mask & case.mask, 0);
                met[1] += 1;
            }
            WhyNotNearest::TooFar { distance } => {
                assert!((f64::from(distance) - own).abs() < 1e-5 && own > f64::from(limit) - 1e-5);
                met[2] += 1;
            }
            WhyNotNearest::Facing { .. } | WhyNotNearest::Filter { .. } => {
                assert!(!world.counts_near(&case, case.mesh, case.triangle));
                met[3] += 1;
            }
            WhyNotNearest::Nearer { found, by } => {
                assert!((f64::from(found.distance) - own).abs() < 1e-5);
                assert!((f64::from(by.distance) - least).abs() < 1e-5 && least < own + 1e-5);
                met[4] += 1;
            }
            WhyNotNearest::Nearest(found) => {
                assert!((f64::from(found.distance) - least).abs() < 1e-5);
                met[5] += 1;
            }
            other => panic!("{other:?}"),
        }
        assert!(world.mesh_mask(case.mesh) & case.mask != 0 || met[1] > 0);

        // A mesh has the reason of one of its triangles, none of which comes nearer.
        let whole = bvh.why_not_nearest_mesh(point, limit, &query, case.mesh);
        let of = |triangle| bvh.why_not_nearest(point, limit, &query, case.mesh, triangle);
        if let Some(triangle) = whole.triangle {
            assert_eq!(of(triangle), whole.reason);
        }
        let count = world.triangles[case.mesh as usize].1.len() as u32;
        let best = (0..count).map(|triangle| rank_near(&of(triangle))).min();
        assert_eq!(best, Some(rank_near(&whole.reason)), "{whole:?}");

        // Moved by whole numbers, in a scene with nothing else, all is as in the tree.
        let mut scene = Scene::new();
        let by = Vec3::new(3.0, -2.0, 5.0);
        let at = Affine3A::from_translation(by);
        let instance = scene.insert(Instance::new(bvh.clone()).with_transform(at)).unwrap();
        let (now, moved) = (scene.commit(), point + by);
        let (mesh, triangle) = (case.mesh, case.triangle);
        let in_scene = now.why_not_nearest(moved, limit, &query, instance, mesh, triangle);
        assert_eq!(rank_near(&in_scene), rank_near(&found), "{in_scene:?} {found:?}");
        let of_mesh = now.why_not_nearest_mesh(moved, limit, &query, instance, mesh);
        assert_eq!(of_mesh.triangle, whole.triangle);
    }
    assert!(met.iter().all(|&count| count >= 5), "{met:?}");
}

/// How near to being the nearest, the nearest first, then by distance.
fn rank_near(found: &WhyNotNearest) -> (usize, u32) {
    match *found {
        WhyNotNearest::Nearest(found) => (0, found.distance.to_bits()),
        WhyNotNearest::Nearer { found, .. } => (1, found.distance.to_bits()),
        WhyNotNearest::Filter { found } => (2, found.distance.to_bits()),
        WhyNotNearest::Facing { found } => (3, found.distance.to_bits()),
        WhyNotNearest::TooFar { distance } => (4, distance.to_bits()),
        WhyNotNearest::MeshMask { .. } => (5, 0),
        WhyNotNearest::Skipped => (6, 0),
        other => panic!("{other:?}"),
    }
}
