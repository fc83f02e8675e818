//! Shapes that move: every answer is that of brute force with [`ConvexShape::first_contact`], on
//! every instruction set; and that is held against rational numbers, and against dense samples of
//! the way.
//!
//! `HITSCAN_LONG=50` asks 2,000 questions in each real mesh.

use crate::shapes::judge as exact;
use crate::{questions, scenes, support};
mod judge;
mod peers;
pub(crate) mod resting;
mod rests;

use hitscan::geometry::{ConvexHull, Feature, Shape, TriangleContact};
use hitscan::glam::{Affine3A, Mat3, Vec3, Vec4};
use hitscan::query::MeshTriangle;
use hitscan::{
    Aabb, Builder, Bvh, Capsule, Contact, ConvexShape, Face, Facing, InstructionSet, Mesh, Obb,
    Quality, Query, Ray, Sphere, Triangle,
};
use questions::{Seen, ask_many};
use support::{Random, long};

/// A shape near a place, of about a size.
fn shape(random: &mut Random, kind: usize, at: Vec3, size: f32) -> ConvexShape {
    let around = |random: &mut Random, size: f32| at + size * random.direction();
    match kind % 11 {
        10 => {
            let points: Vec<Vec3> = (0..5 + kind / 11 % 4).map(|_| around(random, size)).collect();
            // All may be in a plane, where numbers are coarse.
            let ball = |_| Sphere::new(at, size).into();
            ConvexHull::from_points(points).map_or_else(ball, ConvexShape::from)
        }
        0 => Aabb::from_points([at, around(random, size)]).into(),
        1 => Aabb::from_center_half_size(at, [size, 0.0, size]).into(),
        2 => Aabb::from_center_half_size(at, [size; 3]).into(),
        3 => Sphere::new(at, size * random.unit()).into(),
        4 => Sphere::new(at, [size, 0.0][kind / 10 % 2]).into(),
        5 => Capsule::new(at, around(random, size), size * random.unit()).into(),
        6 => Capsule::new(at, at + Vec3::Y * size, [0.5 * size, 0.0][kind / 10 % 2]).into(),
        7 => Capsule::new(at, around(random, 3.0 * size), 0.1 * size).into(),
        8 => {
            let axes = [Vec3::new(1.0, 1.0, 0.0), Vec3::new(-1.0, 1.0, 0.0), Vec3::Z];
            Obb::from_axes(at, axes, [size, size, 0.5 * size]).expect("sound").into()
        }
        _ => {
            let turn = Mat3::from_axis_angle(random.direction(), 6.0 * random.unit());
            let transform = Affine3A::from_mat3_translation(turn, at);
            let local = Aabb::from_center_half_size([0.0; 3], size * (random.direction().abs()));
            Obb::from_transform(&transform, local).expect("a rotation").into()
        }
    }
}

fn motion(random: &mut Random, kind: usize, from: Vec3, to: Vec3, whole: f32) -> Vec3 {
    match kind % 8 {
        0 => Vec3::ZERO,
        1 => Vec3::Y * -whole,
        2 => Vec3::X * whole * 0.1,
        3 => random.direction() * whole * 10.0,
        4 => random.direction() * whole * 1e-3,
        5 => (to - from).with_y(0.0),
        _ => to - from,
    }
}

fn is_of(contact: &Contact, triangle: &MeshTriangle, expected: &TriangleContact) -> bool {
    let TriangleContact { t, point, normal, face_normal, depth, .. } = *expected;
    (contact.hit.mesh, contact.hit.triangle) == (triangle.mesh, triangle.triangle)
        && contact.t == t
        && contact.hit.t == t
        && (contact.point, contact.normal, contact.face_normal, contact.depth)
            == (point, normal, face_normal, depth)
}

/// Asks about a shape, on every instruction set, and compares with brute force.
fn ask(
    what: &str,
    bvh: &Bvh,
    all: &[MeshTriangle],
    (shape, motion): (&ConvexShape, Vec3),
    seen: &Seen,
) -> usize {
    let query = seen.query();
    let context = format!("{what}: {shape:?} {motion:?} {query:?}");
    let mut expected: Vec<(&MeshTriangle, TriangleContact)> = all
        .iter()
        .filter(|one| seen.has_mesh(one.mesh))
        .filter_map(|one| Some((one, shape.first_contact(motion, &one.vertices)?)))
        .collect();
    expected.sort_by(|(one, a), (other, b)| {
        let id = |one: &MeshTriangle| (one.mesh, one.triangle);
        let order = a.t.total_cmp(&b.t).then(b.depth.total_cmp(&a.depth));
        let is_beside = |contact: &TriangleContact| contact.normal != contact.face_normal;
        let order = order.then(is_beside(a).cmp(&is_beside(b)));
        order.then(id(one).cmp(&id(other)))
    });
    let mut list = Vec::new();
    let mut kept: Option<Vec<Contact>> = None;
    for isa in InstructionSet::available() {
        let query = query.instruction_set(isa);
        bvh.all_contacts(shape, motion, &query, &mut list);
        if seen.facing == Facing::Both {
            assert_eq!(list.len(), expected.len(), "{isa}, {context}");
            for (contact, (triangle, expected)) in list.iter().zip(&expected) {
                let same = is_of(contact, triangle, expected);
                assert!(same, "{isa}, {context}: {contact:?}, not {expected:?}");
            }
        }
        let first = bvh.first_contact(shape, motion, &query);
        assert_eq!(first.as_ref(), list.first(), "{isa}, {context}");
        assert_eq!(kept.get_or_insert_with(|| list.clone()), &list, "{isa}, {context}");
    }
    for contact in &list {
        check(contact, motion, &context);
    }
    // Sides are told by the hits of both.
    if seen.facing != Facing::Both {
        let mut both = Vec::new();
        bvh.all_contacts(shape, motion, &query.facing(Facing::Both), &mut both);
        let front = seen.facing == Facing::Front;
        both.retain(|contact| (contact.hit.face == Face::Front) == front);
        assert_eq!(both, list, "{context}");
    }
    // What is touched at the start is what overlaps.
    if motion == Vec3::ZERO
        && seen.facing == Facing::Both
        && let Some(shape) = still(shape)
    {
        let mut overlaps = Vec::new();
        bvh.all_overlaps(shape, &query, &mut overlaps);
        let mut ids: Vec<_> = list.iter().map(|c| (c.hit.mesh, c.hit.triangle)).collect();
        ids.sort_unstable();
        assert!(ids.into_iter().eq(overlaps.iter().map(|o| (o.hit.mesh, o.hit.triangle))));
    }
    expected.len()
}

fn still(shape: &ConvexShape) -> Option<Shape> {
    match shape {
        ConvexShape::Aabb(shape) => Some((*shape).into()),
        ConvexShape::Obb(shape) => Some((*shape).into()),
        ConvexShape::Sphere(shape) => Some((*shape).into()),
        ConvexShape::Capsule(shape) => Some((*shape).into()),
        _ => None,
    }
}

/// Whether the parts of an answer fit together.
fn check(contact: &Contact, motion: Vec3, context: &str) {
    let Contact { t, normal, face_normal, depth, hit, .. } = *contact;
    assert!((0.0..=1.0).contains(&t) && depth >= 0.0, "{context}: {contact:?}");
    assert!(t == 0.0 || depth == 0.0, "{context}: {contact:?}");
    for n in [normal, face_normal] {
        assert!((n.length() - 1.0).abs() < 1e-6, "{context}: {contact:?}");
    }
    assert!(normal.dot(face_normal) > -1e-6, "{context}: {contact:?}");
    assert!(t == 0.0 || normal.dot(motion) < 1e-5 * motion.length(), "{context}: {contact:?}");
    assert!(hit.u >= 0.0 && hit.v >= 0.0 && hit.u + hit.v <= 1.0001, "{context}: {contact:?}");
    let weights = [1.0 - hit.u - hit.v, hit.u, hit.v];
    match contact.feature {
        Feature::Face => {}
        Feature::Edge(i) => {
            assert!(weights[(usize::from(i) + 2) % 3].abs() < 1e-6, "{context}: {contact:?}");
        }
        Feature::Vertex(i) => {
            assert!((weights[usize::from(i)] - 1.0).abs() < 1e-6, "{context}: {contact:?}");
        }
    }
}

fn test_meshes(what: &str, meshes: &[Mesh], count: usize, seed: u64) {
    let trees = questions::trees(meshes);
    let found: usize = trees.iter().map(|bvh| test_tree(what, bvh, count, seed)).sum();
    println!("{what}: {count} sweeps, {found} contacts");
    assert!(found > count);
}

fn test_tree(what: &str, bvh: &Bvh, count: usize, seed: u64) -> usize {
    let sizes = &[0.03, 0.1, 0.5, 1e-3, 1e-6];
    ask_many(bvh, (count, seed), sizes, |random, i, all, asked| {
        let shape = shape(random, i, asked.at, asked.size);
        let motion = motion(random, i / 2, asked.at, asked.other, asked.whole);
        ask(what, bvh, all, (&shape, motion), &asked.seen)
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

/// Capsules that are all but parallel to an edge, which two triangles share, and come to it: both
/// are touched at one time, or nearly.
#[test]
fn capsules_along_edges_touch_what_brute_force_says() {
    let mut random = Random::new(21);
    for bvh in questions::trees(&[scenes::terrain(12, 1), scenes::city(8, 3)]) {
        let all: Vec<_> = bvh.triangles().collect();
        let mut found = 0;
        for i in 0..500 * long().min(20) {
            let Triangle { v0, v1, .. } = all[random.below(all.len())].vertices;
            let (edge, size) = (v1 - v0, (v1 - v0).length());
            let off = random.direction() * size * [0.5, 0.1, 2.0][i % 3];
            let bend = random.direction() * size * [0.0, 1e-7, 1e-6, 1e-4][i / 3 % 4];
            let a = v0 + off + edge * (random.unit() - 0.5);
            let b = a + edge * (0.3 + random.unit()) + bend;
            let capsule = Capsule::new(a, b, size * [0.05, 0.2, 1e-3, 0.0][i / 12 % 4]);
            let motion = off * [-1.5, -1.0][i / 48 % 2];
            let seen = Seen { facing: Facing::Both, mask: 3 };
            found += ask("along edges", &bvh, &all, (&capsule.into(), motion), &seen);
        }
        assert!(found > 500, "{found}");
    }
}

#[test]
fn needles_are_touched_as_brute_force_says() {
    test_meshes("needles", &scenes::masked(vec![scenes::needles()]), 120 * long().min(20), 2);
}

#[test]
fn a_tree_that_was_refit_has_the_answers_of_brute_force() {
    for (what, bvh) in questions::refit_trees() {
        assert!(test_tree(what, &bvh, 120 * long().min(20), 6) > 100);
    }
}

fn triangle(random: &mut Random, kind: usize) -> Triangle {
    let [a, b, c] = [(); 3].map(|()| random.point(kind));
    match random.below(12) {
        0 => Triangle::new(a, b, a),
        1 => Triangle::new(a, a, a),
        2 => Triangle::new(a, b, a * 0.5 + b * 0.5),
        3 => Triangle::new(a, b.with_y(a.y), c.with_y(a.y)),
        _ => Triangle::new(a, b, c),
    }
}

/// A motion, mostly towards a triangle: just to it, beyond it, or not all the way.
fn way(random: &mut Random, kind: usize, from: Vec3, t: &Triangle) -> Vec3 {
    let to = match random.below(4) {
        0 => random.point(kind),
        1 => t.v0,
        2 => t.v1 * 0.5 + t.v2 * 0.5,
        _ => t.v0 * 0.5 + t.v1 * 0.25 + t.v2 * 0.25,
    };
    let way = (to - from) * [1.0, 2.0, 1.5, 0.75, 100.0, 1e-3, 0.0][random.below(7)];
    if way.is_finite() { way } else { Vec3::Y }
}

/// Whether capsules and spheres touch at all equals rational numbers, above all where they just do.
#[test]
fn capsules_touch_exactly_when_rational_numbers_say_so() {
    let (mut random, mut seen, mut exactly) = (Random::new(4), [0; 2], 0);
    for kind in 0..150 * long() {
        let t = triangle(&mut random, kind);
        let a = random.point(kind);
        let b = if kind % 3 == 0 { a } else { random.point(kind) };
        let motion = way(&mut random, kind, a, &t);
        let points: &[Vec3] = if a == b { &[a] } else { &[a, b] };
        let least = exact::least_distance(points, motion, &t);
        // The radius at which it just touches, and its neighbours.
        let (mut low, mut high) = (0u32, f32::MAX.to_bits());
        while low < high {
            let middle = low + (high - low) / 2;
            if exact::is_within(&least, f32::from_bits(middle)).0 {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        let just = f32::from_bits(low);
        for radius in [0.0, just, just.next_down(), just.next_up(), just * 0.5, 0.5, 1.0, 2.5] {
            // A point is a ray, whose time is rounded before it counts.
            if !(radius >= 0.0 && radius.is_finite()) || (a == b && radius == 0.0) {
                continue;
            }
            let (touches, is_exact) = exact::is_within(&least, radius);
            exactly += usize::from(is_exact);
            seen[usize::from(touches)] += 1;
            let context = format!("{a} {b} {radius} {motion} {t:?}");
            let found = Capsule::new(a, b, radius);
            let found = ConvexShape::from(found).first_contact(motion, &t);
            assert_eq!(found.is_some(), touches, "{context}");
            if a == b {
                let sphere = ConvexShape::from(Sphere::new(a, radius));
                assert_eq!(sphere.first_contact(motion, &t), found, "{context}");
            }
        }
    }
    println!("{seen:?}, {exactly} at exactly the radius");
    assert!(seen.iter().all(|&count| count > 200) && exactly > 30);
}

/// The first times of capsules and spheres are off by no more than four roundings of the largest
/// coordinate: they are apart before, and touch after.
#[test]
fn capsules_are_apart_before_their_time_and_touch_after_it() {
    let (mut random, mut found, mut grazing) = (Random::new(6), 0, 0);
    for kind in 0..300 * long() {
        let kind = if kind % 8 == 6 { 0 } else { kind };
        let t = triangle(&mut random, kind);
        let a = random.point(kind);
        let b = if kind % 3 == 0 { a } else { random.point(kind) };
        let motion = way(&mut random, kind, a, &t);
        let size =
            [t.v0, t.v1, t.v2, a, b].iter().fold(0.0f32, |size, p| size.max(p.abs().max_element()));
        let radius = size * (0.01 + random.unit()) * [0.5, 0.1, 0.01][kind / 3 % 3];
        let capsule = ConvexShape::from(Capsule::new(a, b, radius));
        let Some(contact) = capsule.first_contact(motion, &t) else { continue };
        let near =
            |time: f64| exact::is_within(&exact::distance_at(&[a, b], motion, time, &t), radius).0;
        let context = format!("{a} {b} {radius} {motion} {t:?}: {contact:?}");
        let time = f64::from(contact.t);
        let unit = f64::from(size) / f64::from(1 << 23);
        let off = 4.0 * unit / judge::length(judge::real(motion)) + time / f64::from(1 << 23);
        if contact.t == 0.0 {
            assert!(near(off.min(1.0)) || near(0.0), "{context}");
            continue;
        }
        found += 1;
        if time - off > 0.0 {
            assert!(!near(time - off), "{context}");
        }
        if !near((time + off).min(1.0)) {
            // It touches for a moment only, by less than that.
            grazing += 1;
            let wider = radius + (4.0 * unit) as f32;
            let distance = exact::distance_at(&[a, b], motion, time, &t);
            assert!(exact::is_within(&distance, wider).0, "{context}");
        }
    }
    println!("{found} contacts, {grazing} grazing");
    assert!(found > 60 && grazing < found / 20);
}

/// Boxes and hulls: whether they touch, and when, to the last bit.
#[test]
fn boxes_and_hulls_have_the_times_of_rational_numbers() {
    let (mut random, mut seen) = (Random::new(5), [0; 3]);
    for kind in 0..250 * long() {
        let t = triangle(&mut random, kind);
        let center = random.point(kind);
        let motion = way(&mut random, kind, center, &t);
        let (shape, spaces) = if kind / 8 % 3 == 2 {
            let at = |random: &mut Random| center + (random.point(kind) - center) * 0.5;
            let points: Vec<Vec3> = (0..4 + kind % 3).map(|_| at(&mut random)).collect();
            let Ok(hull) = ConvexHull::from_points(points.clone()) else { continue };
            (hull.into(), exact::of_points(&points))
        } else if kind / 8 % 3 == 0 {
            let other = center + (random.point(kind) - center) * [1.0, 0.25][kind % 2];
            let bounds = Aabb::from_points([center, other]);
            if !(bounds.min.is_finite() && bounds.max.is_finite()) {
                continue;
            }
            let mut planes = Vec::new();
            for k in 0..3 {
                let mut axis = Vec4::ZERO;
                axis[k] = 1.0;
                planes.push(axis.with_w(-bounds.min[k]));
                planes.push((-axis).with_w(bounds.max[k]));
            }
            (ConvexShape::from(bounds), exact::of_planes(&planes))
        } else {
            let mut unit = || random.point([0, 7][kind % 2]);
            let matrix = Mat3::from_cols(unit(), unit(), unit()) * [1.0, 0.25][kind / 16 % 2];
            let transform = Affine3A::from_mat3_translation(matrix, center);
            let local = Aabb::from_points([Vec3::ZERO, random.point(kind)]);
            let Some(obb) = Obb::from_transform(&transform, local) else { continue };
            (obb.into(), exact::of_obb(&obb))
        };
        let context = format!("{shape:?} {motion} {t:?}");
        let expected = exact::first_time(&spaces, motion, &t);
        let found = shape.first_contact(motion, &t);
        assert_eq!(found.is_some(), expected.is_some(), "{context}");
        seen[0] += usize::from(found.is_none());
        if let (Some(found), Some(expected)) = (found, expected) {
            assert!(exact::rounds_to(&expected, found.t), "{context}: {found:?}, {expected}");
            seen[1 + usize::from(found.t > 0.0)] += 1;
        }
    }
    println!("{seen:?}: apart, at the start, later");
    assert!(seen.iter().all(|&count| count > 15));
}

/// A sphere without a radius is a ray, but for the plane that it runs in.
#[test]
fn a_sphere_without_a_radius_equals_the_ray() {
    let (mut random, mut hits, mut in_plane) = (Random::new(8), 0, 0);
    for kind in 0..20_000 * long() {
        let t = triangle(&mut random, kind);
        let from = random.point(kind);
        let motion = way(&mut random, kind, from, &t);
        let ray = Ray::new(from, motion).with_range(0.0, 1.0);
        let contact = ConvexShape::from(Sphere::new(from, 0.0)).first_contact(motion, &t);
        match t.intersect(&ray) {
            Some(hit) => {
                hits += 1;
                let contact = contact.unwrap_or_else(|| panic!("{from} {motion} {t:?}"));
                assert_eq!(contact.t, hit.t, "{from} {motion} {t:?}");
            }
            None => {
                // It runs in the plane of the triangle, or there is no plane.
                let line = Ray::new(from, motion).with_range(f32::NEG_INFINITY, f32::INFINITY);
                let is_beside = contact.is_none() || t.intersect(&line).is_none();
                assert!(is_beside, "{from} {motion} {t:?}: {contact:?}");
                in_plane += usize::from(contact.is_some());
            }
        }
    }
    println!("{hits} hits, {in_plane} in the plane");
    assert!(hits > 300 && in_plane > 0);
    // In the plane of the triangle, which a ray misses.
    let t = Triangle::new([1.0, 0.0, -1.0], [1.0, 0.0, 1.0], [3.0, 0.0, 0.0]);
    let point = ConvexShape::from(Sphere::new([0.0; 3], 0.0));
    let contact = point.first_contact([4.0, 0.0, 0.0], &t).expect("ahead");
    assert_eq!((contact.t, contact.point, contact.normal), (0.25, Vec3::X, -Vec3::X));
}

/// From free places in a level: at `t` the shape is neither deep in anything nor stopped by
/// nothing, and before it there is nothing.
fn test_free_places(what: &str, mesh: Mesh) {
    let (bvh, _) = Builder::new().quality(Quality::Best).bake(&[mesh]).expect("sound");
    let all: Vec<(Aabb, Triangle)> =
        bvh.triangles().map(|one| (one.vertices.bounds(), one.vertices)).collect();
    let (mut random, mut stopped, mut free) = (Random::new(12), 0, 0);
    let (mut deepest, mut farthest) = (0.0f64, 0.0f64);
    let bounds = bvh.bounds();
    let whole = (bounds.max - bounds.min).max_element();
    let largest = bounds.min.abs().max(bounds.max.abs()).max_element() + whole;
    let tolerance = 4.0 * f64::from(largest) / f64::from(1 << 23);
    for i in 0..4_000 * long() {
        let a = random.in_box(bounds.min - 1.0, bounds.max + 1.0);
        let along = random.direction() * [0.0, 1.0, 0.3][i % 3];
        let (b, radius) = (a + along, 0.05 + 0.5 * random.unit());
        let motion = random.direction() * whole * [0.02, 0.2, 1.0][i / 3 % 3];
        let capsule = Capsule::new(a, b, radius);
        if bvh.any_overlap(capsule, &Query::new()) {
            continue;
        }
        let distance = |t: f64| {
            let [a, b, motion] = [a, b, motion].map(judge::real);
            let (a, b) = (judge::along(a, motion, t), judge::along(b, motion, t));
            let reach = 2.0 * radius;
            let ends = [a, b].map(|end| Vec3::from(end.map(|x| x as f32)));
            let around = Aabb::from_points(ends);
            let around = Aabb::from_min_max(around.min - reach, around.max + reach);
            let near = all.iter().filter(|(bounds, _)| bounds.overlaps(&around));
            near.map(|(_, t)| judge::from_segment(a, b, t)).fold(f64::INFINITY, f64::min)
        };
        let contact = bvh.first_contact(capsule, motion, &Query::new());
        let end = contact.map_or(1.0, |contact| f64::from(contact.t));
        if let Some(contact) = contact {
            stopped += 1;
            assert_eq!(contact.depth, 0.0);
            let off = distance(end) - f64::from(radius);
            deepest = deepest.max(-off);
            farthest = farthest.max(off);
            assert!(off.abs() <= tolerance, "{what}: {capsule:?} {motion} {contact:?} {off:e}");
        } else {
            free += 1;
        }
        if i % 10 == 0 {
            for step in 0..50 {
                let t = end * f64::from(step) / 50.0;
                let off = distance(t) - f64::from(radius);
                assert!(off > -tolerance, "{what}: {capsule:?} {motion} {contact:?} at {t}");
            }
        }
    }
    println!("{what}: {stopped} stopped, {free} free, {deepest:e} deep, {farthest:e} far");
    assert!(stopped > 500 && free > 500, "{what}");
}

#[test]
fn nothing_is_passed_or_entered_in_a_city() {
    test_free_places("city", scenes::city(40, 3));
}

#[test]
fn nothing_is_passed_or_entered_over_a_terrain() {
    test_free_places("terrain", scenes::terrain(24, 1));
}

/// Floors that are cut in many ways: the normal is always the floor's.
#[test]
fn a_flat_floor_has_one_normal() {
    let mut random = Random::new(14);
    for cut in 0..10 {
        let side = 2 + cut;
        let off = if cut % 3 == 0 { 0.0 } else { 0.4 };
        let turned = |x: usize, z: usize| (x + z + cut).is_multiple_of(2);
        let (mut positions, indices) = scenes::floor(side as f32, side, off, &mut random, turned);
        positions.iter_mut().for_each(|point| point[1] = 1.0);
        let (bvh, _) =
            Builder::new().bake(&[Mesh::new(positions.clone(), indices)]).expect("sound");
        for i in 0..1_000 * long() {
            let inside = Vec3::new(1.0, 0.0, 1.0)
                + (side as f32 - 2.0) * Vec3::new(random.unit(), 0.0, random.unit());
            // Over faces, edges and vertices.
            let corner = Vec3::from(positions[random.below(positions.len())]);
            let inner = |x: f32| x > 0.5 && x < side as f32 - 0.5;
            let over =
                if i % 2 == 0 && inner(corner.x) && inner(corner.z) { corner } else { inside };
            let at = over.with_y(3.0);
            let shape = match i % 4 {
                0 => ConvexShape::from(Sphere::new(at, 0.5)),
                1 => Capsule::new(at, at + Vec3::Y, 0.4).into(),
                2 => Aabb::from_center_half_size(at, [0.3; 3]).into(),
                _ => Capsule::new(at, at + Vec3::new(0.2, 0.0, 0.1), 0.25).into(),
            };
            let slide = Vec3::new(random.unit() - 0.5, -4.0, random.unit() - 0.5);
            let contact = bvh.first_contact(&shape, slide, &Query::new()).expect("the floor");
            assert_eq!(
                (contact.normal, contact.face_normal),
                (Vec3::Y, Vec3::Y),
                "{shape:?} {slide} {contact:?}"
            );
            // Sunk into it a little, it slides without a hitch.
            let sink = contact.t * slide - Vec3::Y * 0.01;
            let sunk = match &shape {
                ConvexShape::Sphere(ball) => {
                    ConvexShape::from(Sphere::new(ball.center + sink, ball.radius))
                }
                ConvexShape::Capsule(Capsule { a, b, radius, .. }) => {
                    Capsule::new(a + sink, b + sink, *radius).into()
                }
                ConvexShape::Aabb(bounds) => {
                    Aabb::from_min_max(bounds.min + sink, bounds.max + sink).into()
                }
                _ => continue,
            };
            let contact = bvh.first_contact(&sunk, Vec3::X, &Query::new()).expect("the floor");
            assert_eq!((contact.t, contact.normal), (0.0, Vec3::Y), "{sunk:?} {contact:?}");
            assert!((contact.depth - 0.01).abs() < 1e-6, "{sunk:?} {contact:?}");
        }
    }
}

#[test]
fn filters_choose_among_contacts() {
    let (bvh, _) = Builder::new().bake(&[scenes::soup(300, 12.0, 4.0, 5)]).expect("sound");
    let mut random = Random::new(3);
    for i in 0..200 {
        let at = random.in_box(bvh.bounds().min, bvh.bounds().max);
        let (shape, motion) = (shape(&mut random, i, at, 2.0), random.direction() * 9.0);
        let mut all = Vec::new();
        bvh.all_contacts(&shape, motion, &Query::new(), &mut all);
        let keeps = |hit: &hitscan::Hit| hit.triangle % 3 == 1 && hit.face == Face::Front;
        all.retain(|contact| keeps(&contact.hit));
        let query = Query::new().filter(&keeps);
        assert_eq!(bvh.first_contact(&shape, motion, &query), all.first().copied());
        let mut kept = Vec::new();
        bvh.all_contacts(&shape, motion, &query, &mut kept);
        assert_eq!(kept, all);
    }
}

#[test]
fn what_is_empty_or_not_finite_touches_nothing() {
    let (bvh, _) = Builder::new().bake(&[scenes::city(4, 3)]).expect("sound");
    let (empty, _) = Builder::new().bake(&[] as &[Mesh]).expect("sound");
    let mut list = Vec::new();
    let mut count = |tree: &Bvh, shape: &ConvexShape, motion: Vec3| {
        tree.all_contacts(shape, motion, &Query::new(), &mut list);
        let first = tree.first_contact(shape, motion, &Query::new());
        assert_eq!(first.as_ref(), list.first(), "{shape:?}");
        list.len()
    };
    let everything = Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };
    assert_eq!(count(&empty, &everything.into(), Vec3::ONE), 0);
    let ball = ConvexShape::from(Sphere::new([0.0; 3], 50.0));
    for motion in [Vec3::NAN, Vec3::INFINITY, Vec3::new(0.0, f32::NAN, 1.0)] {
        assert_eq!(count(&bvh, &ball, motion), 0);
    }
    for shape in [
        ConvexShape::from(Aabb::EMPTY),
        Aabb { min: Vec3::ONE * 5.0, max: -Vec3::ONE * 5.0 }.into(),
        Aabb { min: Vec3::NAN, max: Vec3::INFINITY }.into(),
        Sphere::new(Vec3::NAN, 1.0).into(),
        Sphere::new([0.0; 3], -1.0).into(),
        Sphere::new([0.0; 3], f32::NAN).into(),
        Sphere::new(Vec3::INFINITY, f32::INFINITY).into(),
        Capsule::new(Vec3::INFINITY, [0.0; 3], f32::INFINITY).into(),
        Capsule::new([0.0; 3], [0.0; 3], -1.0).into(),
    ] {
        assert_eq!(count(&bvh, &shape, Vec3::X), 0, "{shape:?}");
    }
    let all = bvh.triangles().count();
    for shape in [
        ConvexShape::from(everything),
        Aabb { min: Vec3::splat(-f32::MAX), max: Vec3::splat(f32::MAX) }.into(),
        Aabb { min: Vec3::new(-1e30, -5.0, f32::NEG_INFINITY), max: Vec3::splat(1e30) }.into(),
        Sphere::new([0.0; 3], f32::INFINITY).into(),
        Sphere::new([1.0; 3], f32::MAX).into(),
        Capsule::new([0.0; 3], [1.0; 3], f32::INFINITY).into(),
        Capsule::new(Vec3::splat(-f32::MAX), Vec3::splat(f32::MAX), f32::MAX).into(),
    ] {
        for motion in [Vec3::ZERO, Vec3::X, Vec3::splat(f32::MAX), Vec3::splat(-1e-45)] {
            assert_eq!(count(&bvh, &shape, motion), all, "{shape:?} {motion}");
        }
    }
}
