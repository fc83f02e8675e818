//! What sees what, and how open points are: against one ray at a time, and against what geometry
//! says. Texels: rays from them never meet their triangle.
//!
//! `HITSCAN_LONG=25` casts more than a million rays from texels.

use std::ops::ControlFlow;

use crate::reference::judge::{Verdict, judge};
use crate::{scenes, support};

use hitscan::glam::{Affine3A, Vec3};
use hitscan::scene::{Instance, Scene};
use hitscan::{Builder, Bvh, InstructionSet, Mesh, Query, Ray, Snapshot, VisibilityErrorKind};
use support::{Random, long};

fn turned(away: f32) -> Affine3A {
    let to = Vec3::new(away, -0.7 * away, 0.9 * away);
    Affine3A::from_translation(to) * Affine3A::from_rotation_y(0.4) * Affine3A::from_rotation_x(0.7)
}

fn city() -> Bvh {
    Builder::new().bake(&[scenes::city(24, 3)]).expect("sound").0
}

/// The city, and a ball above it.
fn scene() -> Snapshot {
    let (ball, _) = Builder::new().bake(&[scenes::sphere(24, 12, 2.0, Vec3::ZERO)]).expect("sound");
    let bvh = city();
    let above = Affine3A::from_translation(bvh.bounds().center() + 4.0 * Vec3::Y);
    let mut scene = Scene::new();
    scene.insert(Instance::new(bvh)).expect("invertible");
    scene.insert(Instance::new(ball).with_transform(above)).expect("invertible");
    scene.commit()
}

/// Points around a level.
fn points(random: &mut Random, bvh: &Bvh, count: usize) -> Vec<[f32; 3]> {
    let bounds = bvh.bounds();
    (0..count).map(|_| random.in_box(bounds.min, bounds.max).to_array()).collect()
}

/// The sky over random points of triangles.
fn skies(random: &mut Random, bvh: &Bvh, count: usize, radius: f32) -> Vec<Ray> {
    let triangles: Vec<_> = bvh.triangles().collect();
    let sky = |_| {
        let one = triangles[random.below(triangles.len())];
        let (u, v) = weights(random);
        let texel = bvh.hit_at(one.mesh, one.triangle, u, v).expect("it is there");
        let normal = bvh.normal(&texel).expect("it is there");
        bvh.ray_from(&texel, normal).expect("it is there").with_range(0.0, radius)
    };
    (0..count).map(sky).collect()
}

/// Of a point of a triangle; some are on edges and vertices.
fn weights(random: &mut Random) -> (f32, f32) {
    let (u, v) = (random.unit(), random.unit());
    let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
    match random.below(16) {
        0 => (0.0, v),
        1 => (u, 0.0),
        2 => (1.0, 0.0),
        _ => (u, v),
    }
}

#[test]
fn rays_from_texels_never_meet_their_triangle() {
    let meshes = [
        ("city", scenes::city(24, 3)),
        ("terrain", scenes::terrain(20, 1)),
        ("sphere", scenes::sphere(24, 12, 9.0, Vec3::ZERO)),
        ("soup", scenes::soup(400, 12.0, 4.0, 5)),
    ];
    let mirror = Affine3A::from_scale(Vec3::new(-1.0, 1.0, 1.0));
    for (what, mesh) in meshes {
        for (away, mirror) in [(0.0, Affine3A::IDENTITY), (1e4, mirror), (1e6, mirror)] {
            let mesh = mesh.clone().with_transform(turned(away) * mirror * mesh.transform);
            let corner = |i: usize| mesh.indices.as_ref().map_or(i, |indices| indices[i] as usize);
            let (bvh, _) = Builder::new().bake(std::slice::from_ref(&mesh)).expect("sound");
            let mut random = Random::new(7);
            let (mut again, mut count) = (0, 0);
            while count < 4_000 * long() {
                let number = random.below(mesh.triangle_count());
                let (u, v) = weights(&mut random);
                let Some(texel) = bvh.hit_at(0, number as u32, u, v) else { continue };
                count += 1;
                let triangle = bvh.triangle(&texel).expect("it is there");
                // The weights are in the caller's order of vertices, though the mesh is mirrored.
                let point = bvh.point(&texel).expect("it is there");
                let [a, b, c] = [0, 1, 2].map(|k| {
                    let position = mesh.positions[corner(3 * number + k)];
                    mesh.transform.transform_point3(Vec3::from_array(position))
                });
                let expected = a + u * (b - a) + v * (c - a);
                let rounding = 1e-5 + 4e-7 * expected.abs().max_element();
                assert!(point.distance(expected) <= rounding, "{what}: {point} {expected}");

                let dir = random.direction();
                let ray = bvh.ray_from(&texel, dir).expect("it is there");
                if let Verdict::Hit(truth) = judge(&triangle, &ray) {
                    assert!(truth.t < 0.0, "{what}: {ray:?} {triangle:?}");
                }
                let own = |ray: &Ray| {
                    let found = bvh.closest_hit(ray, &Query::new());
                    found.is_some_and(|found| found.triangle == number as u32)
                };
                assert!(!own(&ray), "{what}: {ray:?}");
                again += usize::from(own(&Ray::new(point, dir)));
            }
            println!("{what} at {away}: {again} of {count} plain rays meet their own triangle");
            assert!(again > count / 5, "{what}: the test has no power: {again} of {count}");
        }
    }
}

#[test]
fn rays_from_texels_of_instances_never_meet_their_triangle() {
    let (tree, _) = Builder::new().bake(&[scenes::sphere(24, 12, 9.0, Vec3::ZERO)]).expect("sound");
    let mut random = Random::new(3);
    for (away, scale) in [(0.0, 1.0), (1e4, 1.0), (1e3, 0.01), (1e4, -100.0)] {
        let mut scene = Scene::new();
        let at = turned(away) * Affine3A::from_scale(Vec3::new(scale, scale.abs(), scale.abs()));
        let instance = scene.insert(Instance::new(tree.clone()).with_transform(at));
        let instance = instance.expect("invertible");
        let now = scene.commit();
        let mut again = 0;
        let count = 2_000 * long();
        for _ in 0..count {
            let triangle = random.below(tree.triangles().count()) as u32;
            let (u, v) = weights(&mut random);
            let texel = now.hit_at(instance, 0, triangle, u, v).expect("it is there");
            let dir = random.direction();
            let own = |ray: &Ray| {
                let found = now.closest_hit(ray, &Query::new());
                found.is_some_and(|found| found.triangle == triangle)
            };
            let ray = now.ray_from(&texel, dir).expect("it is there");
            assert!(!own(&ray), "{ray:?}");
            again += usize::from(own(&Ray::new(now.point(&texel).expect("it is there"), dir)));
        }
        println!("at {away}, scale {scale}: {again} of {count} plain rays meet their triangle");
        assert!(again > count / 5, "{again} of {count}");
    }
}

#[test]
fn a_texel_is_what_a_ray_finds_there() {
    let bvh = city();
    let mut random = Random::new(1);
    let bounds = bvh.bounds();
    let mut count = 0;
    while count < 1000 {
        let from = random.in_box(bounds.min, bounds.max) + 20.0 * Vec3::Y;
        let Some(hit) = bvh.closest_hit(&Ray::new(from, Vec3::NEG_Y), &Query::new()) else {
            continue;
        };
        count += 1;
        let mut texel = bvh.hit_at(hit.mesh, hit.triangle, hit.u, hit.v).expect("it is there");
        (texel.t, texel.face) = (hit.t, hit.face);
        assert_eq!(texel, hit);
    }
    assert_eq!(bvh.hit_at(1, 0, 0.2, 0.2), None);
    assert_eq!(bvh.hit_at(0, u32::MAX, 0.2, 0.2), None);
    // Numbers that are none give rays that meet nothing.
    let none = bvh.hit_at(0, 0, f32::NAN, f32::INFINITY).expect("it is there");
    let ray = bvh.ray_from(&none, Vec3::Y).expect("it is there");
    assert!(!bvh.any_hit(&ray, &Query::new()));
}

#[test]
fn visibility_is_one_ray_for_each_pair() {
    let (bvh, snapshot) = (city(), scene());
    let mut random = Random::new(5);
    let mut hidden_by_the_ball = 0;
    // Also a single row, a single column, words that are not full, and none.
    for (rows, columns) in [(70, 61), (1, 3000), (2500, 1), (3, 1024), (0, 5), (5, 0)] {
        let mut from = points(&mut random, &bvh, rows);
        let to = points(&mut random, &bvh, columns);
        if rows == 3 {
            from[1] = [f32::NAN, 0.0, 0.0];
            from[2] = [f32::MAX, -f32::MAX, 0.0];
        }
        let in_tree = bvh.visibility(&from, &to, &Query::new()).expect("small");
        let in_scene = snapshot.visibility(&from, &to, &Query::new()).expect("small");
        let (mut seen, mut seen_in_scene) = (0, 0);
        for (i, a) in from.iter().enumerate() {
            for (j, b) in to.iter().enumerate() {
                let line = Ray::between(*a, *b);
                let is_line = line.origin.is_finite() && line.dir.is_finite();
                let sees = is_line && !bvh.any_hit(&line, &Query::new());
                assert_eq!(in_tree.sees(i, j), sees, "{a:?} {b:?}");
                seen += usize::from(sees);
                let sees = is_line && !snapshot.any_hit(&line, &Query::new());
                assert_eq!(in_scene.sees(i, j), sees, "{a:?} {b:?}");
                seen_in_scene += usize::from(sees);
            }
            assert!(in_tree.seen_from(i).all(|j| in_tree.sees(i, j)));
        }
        assert_eq!((in_tree.count(), in_scene.count()), (seen, seen_in_scene));
        assert_eq!((in_tree.from_count(), in_tree.to_count()), (rows, columns));
        assert!(!in_tree.sees(rows, 0) && !in_tree.sees(0, columns));
        let pairs = rows * columns;
        assert!(pairs < 100 || (seen > 50 && seen < pairs), "{seen} of {pairs}");
        hidden_by_the_ball += seen - seen_in_scene;
    }
    assert!(hidden_by_the_ball > 10, "{hidden_by_the_ball}");
}

#[test]
fn too_many_pairs_are_an_error() {
    // Zeros that are not read take no memory. 2^52 bits are more than a process can address.
    let points = vec![[0.0; 3]; 1 << 26];
    let error = city().visibility(&points, &points, &Query::new()).expect_err("too large");
    assert_eq!(error.kind(), VisibilityErrorKind::TooLarge);
}

/// Cosine-weighted parts of the sky that are known.
#[test]
fn occlusion_is_what_geometry_says() {
    let up = [Ray::new(Vec3::ZERO, Vec3::Y)];
    let quad = |corners: [[f32; 3]; 4]| Mesh::new(corners.to_vec(), vec![0, 1, 2, 0, 2, 3]);
    // A square at height h over its middle, of side 2a, as seen by a small plate below.
    for (half, height) in [(1.0f32, 1.0f32), (3.0, 1.0), (0.5, 2.0)] {
        let corner = |x: f32, z: f32| [x * half, height, z * half];
        let roof =
            quad([corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)]);
        let (bvh, _) = Builder::new().bake(&[roof]).expect("sound");
        let x = f64::from(half / height);
        let root = (1.0 + x * x).sqrt();
        let expected = 4.0 * x / root * (x / root).atan() / std::f64::consts::PI;
        for (samples, most) in [(64, 0.02), (1024, 0.003), (u16::MAX, 0.0002)] {
            let blocked = bvh.occlusion(&up, samples, &Query::new())[0];
            let error = (f64::from(blocked) - expected).abs();
            println!("a roof of {half} at {height}: {expected:.4}, {samples} rays: {error:.5} off");
            assert!(error < most, "{blocked} {expected}");
        }
        // Nothing within the radius, and a normal of any length: the range is in its lengths.
        let radius = 0.999 * height;
        let near = up[0].with_range(0.0, radius);
        let long = Ray::new(Vec3::ZERO, 8.0 * Vec3::Y).with_range(0.0, radius / 8.0);
        assert_eq!(bvh.occlusion(&[near, long], 256, &Query::new()), [0.0, 0.0]);
        let long = Ray::new(Vec3::ZERO, 8.0 * Vec3::Y);
        let both = bvh.occlusion(&[up[0], long], 256, &Query::new());
        assert_eq!(both[0], both[1]);
        // No sky: no normal, or no rays.
        let none = [Vec3::ZERO, Vec3::NAN, Vec3::INFINITY].map(|dir| Ray::new(Vec3::ZERO, dir));
        assert_eq!(bvh.occlusion(&none, 64, &Query::new()), [0.0; 3]);
        assert_eq!(bvh.occlusion(&up, 0, &Query::new()), [0.0]);
        assert_eq!(bvh.occlusion(&[], 64, &Query::new()), [0f32; 0]);
    }
}

/// Against random rays over the hemisphere, one at a time.
#[test]
fn occlusion_is_near_the_mean_of_many_random_rays() {
    let (bvh, snapshot) = (city(), scene());
    let mut random = Random::new(8);
    let skies = skies(&mut random, &bvh, 60 * long().min(20), 6.0);
    let in_tree = bvh.occlusion(&skies, 1024, &Query::new());
    let in_scene = snapshot.occlusion(&skies, 1024, &Query::new());
    let mut partly = 0;
    for (i, sky) in skies.iter().enumerate() {
        let count = 4000;
        let mut blocked = [0, 0];
        for _ in 0..count {
            // A point of a sphere around the normal's end is spread by the cosine (Lambert).
            let dir = (sky.dir.normalize() + 0.9999 * random.direction()).normalize();
            let ray = Ray { dir, ..*sky };
            blocked[0] += usize::from(bvh.any_hit(&ray, &Query::new()));
            blocked[1] += usize::from(snapshot.any_hit(&ray, &Query::new()));
        }
        for (found, blocked) in [in_tree[i], in_scene[i]].into_iter().zip(blocked) {
            let expected = blocked as f32 / count as f32;
            // Five standard deviations of the random mean.
            assert!((found - expected).abs() < 0.045, "{found} {expected} {sky:?}");
            partly += usize::from(found > 0.05 && found < 0.95);
        }
    }
    assert!(partly > skies.len() / 4, "{partly} of {}", skies.len());
}

#[test]
fn answers_are_the_same_bits_with_any_threads_and_instruction_set() {
    let (bvh, snapshot) = (city(), scene());
    let mut random = Random::new(6);
    let skies = skies(&mut random, &bvh, 700, 4.0);
    let (from, to) = (points(&mut random, &bvh, 40), points(&mut random, &bvh, 130));
    let ask = |query: &Query<'_>| {
        let occlusion = [bvh.occlusion(&skies, 50, query), snapshot.occlusion(&skies, 50, query)];
        let bits = occlusion.concat().into_iter().map(f32::to_bits).collect::<Vec<_>>();
        let seen = [bvh.visibility(&from, &to, query), snapshot.visibility(&from, &to, query)];
        (bits, seen.map(|seen| seen.expect("small")))
    };
    let expected = ask(&Query::new());
    for isa in InstructionSet::available() {
        assert!(ask(&Query::new().instruction_set(isa)) == expected, "{isa:?}");
    }
    #[cfg(feature = "parallel")]
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        assert!(pool.install(|| ask(&Query::new())) == expected, "{threads} threads");
    }
    // A point's answer depends on nothing else.
    let alone = bvh.occlusion(&skies[411..412], 50, &Query::new())[0];
    assert_eq!(alone.to_bits(), expected.0[411]);
}

#[test]
fn progress_rises_to_one_and_can_stop_the_work() {
    let bvh = city();
    let mut random = Random::new(4);
    let skies = skies(&mut random, &bvh, 3000, 4.0);
    let points = points(&mut random, &bvh, 400);
    for at in [0, 1, 7, usize::MAX] {
        for matrix in [true, false] {
            let mut calls = Vec::new();
            let mut progress = |part: f32| {
                calls.push(part);
                match calls.len() > at {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            };
            let query = &Query::new();
            let outcome = match matrix {
                true => bvh
                    .visibility_with_progress(&points, &points, query, &mut progress)
                    .map(|seen| assert!(seen == bvh.visibility(&points, &points, query).unwrap())),
                false => bvh
                    .occlusion_with_progress(&skies, 64, query, &mut progress)
                    .map(|blocked| assert_eq!(blocked, bvh.occlusion(&skies, 64, query))),
            };
            assert!(calls.is_sorted() && calls.iter().all(|part| (0.0..=1.0).contains(part)));
            if at == usize::MAX {
                assert!(outcome.is_ok() && calls.len() > 20 && calls.last() == Some(&1.0));
            } else {
                assert_eq!(calls.len(), at + 1, "it is not called again");
                let error = outcome.expect_err("stopped");
                assert_eq!(error.kind(), VisibilityErrorKind::Cancelled);
            }
        }
    }
}
