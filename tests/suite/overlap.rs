//! What touches a shape equals brute force with [`Shape::overlap`], on every instruction set.
//! (`tests/suite/shapes.rs` holds that against rational numbers.)
//!
//! `HITSCAN_LONG=50` asks 2,000 questions in each real mesh.

use crate::{questions, scenes, support};
use hitscan::geometry::{Containment, ConvexHull, DepthRange, Frustum, Shape};
use hitscan::glam::{Affine3A, Mat3, Mat4, Vec3, Vec4};
use hitscan::query::MeshTriangle;
use hitscan::{
    Aabb, Builder, Bvh, Capsule, Facing, InstructionSet, Mesh, Obb, Overlap, Query, Ray, Sphere,
    Triangle,
};
use questions::{Seen, ask_many};
use support::{Random, long};

/// A shape near a place, of about a size.
fn shape(random: &mut Random, kind: usize, at: Vec3, other: Vec3, size: f32) -> Shape {
    let around = |random: &mut Random, size: f32| at + size * random.direction();
    let grid = |v: Vec3| (v / size).round() * size;
    match kind % 13 {
        0 => Aabb::from_points([at, around(random, size)]).into(),
        1 => Aabb::from_points([grid(at), grid(around(random, 2.0 * size))]).into(),
        2 => Aabb::from_center_half_size(at, [size, 0.0, size]).into(),
        3 => Aabb::from_points([at, other]).into(),
        4 => Sphere::new(at, size).into(),
        5 => Capsule::new(at, around(random, size), size * random.unit()).into(),
        6 => Capsule::new(at, at + Vec3::Y * size, [0.0, 0.5 * size][kind / 13 % 2]).into(),
        7 => Capsule::new(at, other, [0.0, 0.1 * size][kind / 13 % 2]).into(),
        8 => {
            let turn = Mat3::from_axis_angle(random.direction(), 6.0 * random.unit());
            let transform = Affine3A::from_mat3_translation(turn, at);
            let local = Aabb::from_center_half_size([0.0; 3], size * (random.direction().abs()));
            Obb::from_transform(&transform, local).expect("a rotation").into()
        }
        9 => Triangle::new(at, around(random, size), other).into(),
        11 => {
            let points: Vec<Vec3> = (0..5 + kind / 13 % 8).map(|_| around(random, size)).collect();
            ConvexHull::from_points(points).map_or(Sphere::new(at, size).into(), Shape::from)
        }
        10 => Triangle::new(at, around(random, size), around(random, size)).into(),
        _ => {
            let mut plane = |_| {
                let normal = random.direction();
                normal.extend(-normal.dot(at) + size * random.unit())
            };
            let planes: Vec<Vec4> = (0..2 + kind / 13 % 5).map(&mut plane).collect();
            Frustum::from_planes(&planes, at).expect("finite").into()
        }
    }
}

type Found = Vec<(u32, u32, Containment)>;

fn numbers(overlaps: &[Overlap]) -> Found {
    overlaps.iter().map(|o| (o.hit.mesh, o.hit.triangle, o.containment)).collect()
}

/// Asks about a shape, on every instruction set, and compares with brute force.
fn ask(what: &str, bvh: &Bvh, all: &[MeshTriangle], shape: Shape, seen: &Seen) -> usize {
    let query = seen.query();
    let context = format!("{what}: {shape:?} {query:?}");
    let touching = |one: &MeshTriangle| {
        let containment = shape.overlap(&one.vertices)?;
        seen.has_mesh(one.mesh).then_some((one.mesh, one.triangle, containment))
    };
    let expected: Found = all.iter().filter_map(touching).collect();
    let mut list = Vec::new();
    let mut first: Option<Vec<Overlap>> = None;
    for isa in InstructionSet::available() {
        let query = query.instruction_set(isa);
        bvh.all_overlaps(&shape, &query, &mut list);
        if seen.facing == Facing::Both {
            assert_eq!(numbers(&list), expected, "{isa}, {context}");
        }
        assert_eq!(bvh.any_overlap(&shape, &query), !list.is_empty(), "{isa}, {context}");
        assert_eq!(first.get_or_insert_with(|| list.clone()), &list, "{isa}, {context}");
    }
    // Sides are told by the hits of both.
    if seen.facing != Facing::Both {
        let mut both = Vec::new();
        bvh.all_overlaps(&shape, &query.facing(Facing::Both), &mut both);
        let front = seen.facing == Facing::Front;
        both.retain(|overlap| (overlap.hit.face == hitscan::Face::Front) == front);
        assert_eq!(both, list, "{context}");
    }
    expected.len()
}

fn test_meshes(what: &str, meshes: &[Mesh], count: usize, seed: u64) {
    let trees = questions::trees(meshes);
    let found: usize = trees.iter().map(|bvh| test_tree(what, bvh, count, seed)).sum();
    println!("{what}: {count} shapes, {found} overlaps");
    assert!(found > count);
}

fn test_tree(what: &str, bvh: &Bvh, count: usize, seed: u64) -> usize {
    let sizes = &[0.03, 0.1, 0.5, 2.0, 1e-3, 1e-6];
    ask_many(bvh, (count, seed), sizes, |random, i, all, asked| {
        let shape = shape(random, i, asked.at, asked.other, asked.size);
        ask(what, bvh, all, shape, &asked.seen)
    })
}

#[test]
fn every_answer_is_that_of_brute_force() {
    for (what, meshes) in questions::small_scenes() {
        test_meshes(what, &meshes, 120 * long().min(20), 3);
    }
}

#[test]
fn every_answer_in_real_meshes_is_that_of_brute_force() {
    for (name, meshes) in questions::real_scenes() {
        test_meshes(&name, &meshes, 40 * long(), 5);
    }
}

#[test]
fn needles_are_decided_exactly() {
    test_meshes("needles", &scenes::masked(vec![scenes::needles()]), 120 * long().min(20), 2);
}

#[test]
fn a_tree_that_was_refit_has_the_answers_of_brute_force() {
    for (what, bvh) in questions::refit_trees() {
        assert!(test_tree(what, &bvh, 120 * long().min(20), 6) > 100);
    }
}

/// Shapes that share planes, edges and vertices with the level, and those that just do not.
#[test]
fn touching_is_enough_and_the_next_number_is_too_far() {
    let quad = vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 0.0, 4.0], [0.0, 0.0, 4.0]];
    let (bvh, _) = Builder::new().bake(&[Mesh::new(quad, vec![0, 2, 1, 0, 3, 2])]).expect("sound");
    let touches = |shape: Shape| {
        let any = InstructionSet::available()
            .into_iter()
            .map(|isa| bvh.any_overlap(&shape, &Query::new().instruction_set(isa)));
        let any: Vec<bool> = any.collect();
        assert!(any.iter().all(|&one| one == any[0]), "{shape:?}");
        any[0]
    };
    let above = |y: f32| Aabb::from_min_max([1.0, y, 1.0], [2.0, y + 1.0, 2.0]);
    assert!(touches(above(0.0).into()) && !touches(above(f32::from_bits(1)).into()));
    // A vertex on the edge, an edge on the edge, flat boxes.
    let beside = |x: f32| Aabb::from_min_max([x, -1.0, 1.0], [x + 1.0, 1.0, 2.0]);
    assert!(touches(beside(4.0).into()) && !touches(beside(4.0f32.next_up()).into()));
    let point = |x: f32| Aabb::from_min_max([x, 0.0, 4.0], [x, 0.0, 4.0]);
    assert!(touches(point(4.0).into()) && !touches(point(4.0f32.next_up()).into()));
    let capsule = |x: f32, r: f32| Capsule::new([x, 4.0, 2.0], [9.0, 4.0, 2.0], r);
    assert!(touches(capsule(7.0, 5.0).into()) && !touches(capsule(7.0, 5.0f32.next_down()).into()));
    assert!(!touches(capsule(7.0f32.next_up(), 5.0).into()));
    // A segment that ends on the face, and one that goes through it.
    let segment = |y: f32, to: f32| Capsule::new([1.0, y, 2.5], [1.0, to, 2.5], 0.0);
    assert!(touches(segment(0.0, 3.0).into()) && touches(segment(-1.0, 3.0).into()));
    assert!(!touches(segment(f32::from_bits(1), 3.0).into()));
    let triangle = |x: f32| Triangle::new([x, 0.0, 2.0], [x + 3.0, 0.0, 1.0], [x + 3.0, 0.0, 3.0]);
    assert!(touches(triangle(4.0).into()) && !touches(triangle(4.0f32.next_up()).into()));
    let turned = |x: f32| {
        let axes = [Vec3::new(1.0, 1.0, 0.0), Vec3::new(-1.0, 1.0, 0.0), Vec3::Z];
        Shape::from(Obb::from_axes([x, 0.0, 2.0], axes, [1.0, 1.0, 1.0]).expect("sound"))
    };
    assert!(touches(turned(6.0)) && !touches(turned(6.0f32.next_up())));
}

#[test]
fn a_rectangle_selects_what_a_camera_sees_in_it() {
    let (bvh, _) = Builder::new().bake(&[scenes::city(16, 3)]).expect("sound");
    let eye = Vec3::new(3.0, 8.0, 20.0);
    let view = Mat4::from_rotation_x(0.5) * Mat4::from_translation(-eye);
    let (near, far) = (0.5f32, 100.0f32);
    let projection = Mat4::from_cols_array(&[
        1.2,
        0.0,
        0.0,
        0.0, //
        0.0,
        1.6,
        0.0,
        0.0,
        0.0,
        0.0,
        far / (near - far),
        -1.0,
        0.0,
        0.0,
        near * far / (near - far),
        0.0,
    ]);
    let camera = projection * view;
    let viewport = [800.0, 600.0];
    let drag = [[150.0, 100.0], [500.0, 420.0]];
    let depth = DepthRange::ZeroToOne;
    let frustum = Frustum::from_rectangle(drag, viewport, &camera, depth).expect("a camera");
    let mut selected = Vec::new();
    bvh.all_overlaps(frustum, &Query::new(), &mut selected);
    assert!(selected.len() > 10 && selected.len() < bvh.triangles().count());
    let is_selected = |hit: &hitscan::Hit| {
        selected.iter().any(|o| (o.hit.mesh, o.hit.triangle) == (hit.mesh, hit.triangle))
    };
    // What is hit through a pixel of the rectangle is selected.
    let (mut random, mut hits) = (Random::new(9), 0);
    for _ in 0..2_000 {
        let pixel = [random.range(151.0, 499.0), random.range(101.0, 419.0)];
        let ray = Ray::from_screen(pixel, viewport, &camera.inverse(), depth).expect("a camera");
        if let Some(hit) = bvh.closest_hit(&ray, &Query::new()) {
            assert!(is_selected(&hit), "{pixel:?} {hit:?}");
            hits += 1;
        }
    }
    println!("{hits} hits, {} selected", selected.len());
    assert!(hits > 300);
    // What is inside is drawn inside: its vertices are.
    for overlap in &selected {
        if overlap.containment == Containment::Inside {
            let triangle = bvh.triangle(&overlap.hit).expect("of this tree");
            for v in [triangle.v0, triangle.v1, triangle.v2] {
                let clip = camera * v.extend(1.0);
                let x = (clip.x / clip.w + 1.0) * 400.0;
                let y = (1.0 - clip.y / clip.w) * 300.0;
                assert!((149.9..500.1).contains(&x) && (99.9..420.1).contains(&y), "{x} {y}");
            }
        }
    }
}

#[test]
fn filters_choose_among_triangles_that_touch() {
    let (bvh, _) = Builder::new().bake(&[scenes::soup(300, 12.0, 4.0, 5)]).expect("sound");
    let mut random = Random::new(3);
    for i in 0..200 {
        let at = random.in_box(bvh.bounds().min, bvh.bounds().max);
        let shape = shape(&mut random, i, at, Vec3::ZERO, 3.0);
        let mut all = Vec::new();
        bvh.all_overlaps(&shape, &Query::new(), &mut all);
        assert!(all.iter().all(|overlap| overlap.hit.t == 0.0 && overlap.hit.u == 1.0 / 3.0));
        let keeps = |hit: &hitscan::Hit| hit.triangle % 3 == 1 && hit.face == hitscan::Face::Front;
        all.retain(|overlap| keeps(&overlap.hit));
        let query = Query::new().filter(&keeps);
        assert_eq!(bvh.any_overlap(&shape, &query), !all.is_empty());
        let mut kept = Vec::new();
        bvh.all_overlaps(&shape, &query, &mut kept);
        assert_eq!(kept, all);
    }
}

/// A sphere touches what is within its radius of its center.
#[test]
fn a_sphere_touches_what_is_within_its_radius() {
    let (bvh, _) = Builder::new()
        .bake(&scenes::masked(vec![scenes::city(9, 3), scenes::soup(99, 9.0, 3.0, 1)]))
        .expect("sound");
    let mut random = Random::new(4);
    let (mut near, mut overlaps) = (Vec::new(), Vec::new());
    for i in 0..300 {
        let center = random.in_box(bvh.bounds().min, bvh.bounds().max).round();
        let radius = [1.0, 2.0, 5.0, 0.0, 1e9, f32::INFINITY][i % 6];
        let facing = [Facing::Both, Facing::Front, Facing::Back][i % 3];
        let query = Query::new().facing(facing).mask(1 + i as u32 % 3);
        bvh.all_within(center, radius, &query, &mut near);
        near.sort_by_key(|near| (near.hit.mesh, near.hit.triangle));
        bvh.all_overlaps(Sphere::new(center, radius), &query, &mut overlaps);
        let ids = overlaps
            .iter()
            .map(|overlap| (overlap.hit.mesh, overlap.hit.triangle, overlap.hit.face));
        assert!(ids.eq(near.iter().map(|near| (near.hit.mesh, near.hit.triangle, near.hit.face))));
    }
}

#[test]
fn empty_shapes_and_empty_trees_have_no_overlaps() {
    let (bvh, _) = Builder::new().bake(&[scenes::city(4, 3)]).expect("sound");
    let (empty, _) = Builder::new().bake(&[] as &[Mesh]).expect("sound");
    let mut list = Vec::new();
    let mut count = |tree: &Bvh, shape: &Shape| {
        tree.all_overlaps(shape, &Query::new(), &mut list);
        assert_eq!(tree.any_overlap(shape, &Query::new()), !list.is_empty(), "{shape:?}");
        list.len()
    };
    let everything = Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };
    assert_eq!(count(&empty, &everything.into()), 0);
    for shape in [
        Shape::from(Aabb::EMPTY),
        Aabb { min: Vec3::ONE * 5.0, max: -Vec3::ONE * 5.0 }.into(),
        Aabb { min: Vec3::NAN, max: Vec3::INFINITY }.into(),
        Sphere::new(Vec3::NAN, 1.0).into(),
        Sphere::new([0.0; 3], -1.0).into(),
        Sphere::new([0.0; 3], f32::NAN).into(),
        Sphere::new(Vec3::INFINITY, f32::INFINITY).into(),
        Capsule::new(Vec3::INFINITY, [0.0; 3], f32::INFINITY).into(),
        Capsule::new([0.0; 3], [0.0; 3], -1.0).into(),
        Triangle::new(Vec3::NAN, [0.0; 3], [1.0; 3]).into(),
    ] {
        assert_eq!(count(&bvh, &shape), 0, "{shape:?}");
    }
    let all = bvh.triangles().count();
    let everything = [
        Shape::from(everything),
        Aabb { min: Vec3::splat(-f32::MAX), max: Vec3::splat(f32::MAX) }.into(),
        Aabb { min: Vec3::new(-1e30, -5.0, f32::NEG_INFINITY), max: Vec3::splat(1e30) }.into(),
        Sphere::new([0.0; 3], f32::INFINITY).into(),
        Sphere::new([1.0; 3], f32::MAX).into(),
        Capsule::new([0.0; 3], [1.0; 3], f32::INFINITY).into(),
        Capsule::new(Vec3::splat(-f32::MAX), Vec3::splat(f32::MAX), f32::MAX).into(),
        Frustum::from_planes(&[], [0.0; 3]).expect("finite").into(),
        Frustum::from_planes(&[Vec4::new(0.0, 1e-30, 0.0, 1.0)], [0.0; 3]).expect("finite").into(),
        Frustum::from_planes(&[Vec4::new(0.0, 1e-45, 0.0, f32::MAX)], [0.0; 3]).unwrap().into(),
    ];
    for shape in everything {
        assert_eq!(count(&bvh, &shape), all, "{shape:?}");
    }
}
