//! Rays that start on surfaces, exactly or from hits: none meets the triangle that it left, and
//! none loses a hit beyond it.
//!
//! `HITSCAN_LONG=25` casts more than a million rays of each kind.

use crate::reference::judge;
use crate::{scenes, support};

use hitscan::glam::{Affine3A, Vec3};
use hitscan::scene::{Instance, Scene};
use hitscan::{Builder, Bvh, Facing, Mesh, Query, Ray, Triangle};
use judge::{Verdict, judge};
use support::{Judge, Random, long};

/// Scenes near and at 10^6, as they are baked.
fn scenes() -> Vec<(String, Vec<Mesh>)> {
    let turned = Affine3A::from_rotation_y(0.4) * Affine3A::from_rotation_x(0.7);
    let mut all = Vec::new();
    for away in [0.0, 1e6] {
        let to = Affine3A::from_translation(Vec3::new(away, -0.7 * away, 0.9 * away));
        for (what, mesh) in [
            ("city", scenes::city(24, 3)),
            ("turned city", scenes::city(24, 4).with_transform(turned)),
            ("terrain", scenes::terrain(20, 1)),
            ("sphere", scenes::sphere(24, 12, 9.0, Vec3::ZERO)),
            ("soup", scenes::soup(400, 12.0, 4.0, 5)),
        ] {
            let transform = to * mesh.transform;
            all.push((format!("{what} at {away}"), vec![mesh.with_transform(transform)]));
        }
    }
    all
}

/// Rays into a scene, most of which hit it.
fn into(random: &mut Random, bvh: &Bvh) -> Ray {
    let bounds = bvh.bounds();
    let from = random.in_box(bounds.min, bounds.max) + 20.0 * random.direction();
    Ray::new(from, random.in_box(bounds.min, bounds.max) - from)
}

#[test]
fn rays_from_hits_never_meet_their_triangle_and_lose_nothing_beyond() {
    let scenes = scenes();
    for (what, meshes) in &scenes {
        let (bvh, _) = Builder::new().bake(meshes).expect("sound");
        let brute = Judge::new(meshes);
        let mut random = Random::new(9);
        let (mut count, mut hits) = (0, 0);
        while count < 4_000 * long() {
            let Some(hit) = bvh.closest_hit(&into(&mut random, &bvh), &Query::new()) else {
                continue;
            };
            let triangle = bvh.triangle(&hit).expect("it was hit");
            let point = bvh.point(&hit).expect("it was hit");
            // Any direction, and every tenth in the triangle's plane or along an axis.
            let dir = match count % 30 {
                7 => triangle.v1 - triangle.v0,
                17 => triangle.v2 - point,
                27 => [Vec3::X, Vec3::NEG_Y, Vec3::Z][count / 30 % 3],
                _ => random.direction(),
            };
            if dir == Vec3::ZERO {
                continue;
            }
            count += 1;
            let ray = bvh.ray_from(&hit, dir).expect("it was hit");
            // In integers: the line is parallel, misses the triangle, or met it before.
            if let Verdict::Hit(truth) = judge(&triangle, &ray) {
                assert!(truth.t < 0.0, "{what}: {ray:?} {triangle:?}");
            }
            // All that it meets, over all triangles.
            let found = bvh.closest_hit(&ray, &Query::new());
            let expected = brute.all(&ray, Facing::Both, u32::MAX);
            assert_eq!(found.is_some(), !expected.is_empty(), "{what}: {ray:?}");
            assert!(found.is_none_or(|found| expected[0].is(&found)), "{what}: {ray:?}");
            assert!(found.is_none_or(|found| found.triangle != hit.triangle), "{what}");
            hits += usize::from(found.is_some());
            // It is the rounded point, moved along one axis by little more than its rounding.
            let moved = (ray.origin - point).abs();
            let step = 3.0 * point.abs().max_element() / (1 << 23) as f32;
            assert!(moved.max_element() <= step + 2e-6 * 12.0, "{what}: {moved}");
            assert!(moved.to_array().iter().filter(|&&by| by != 0.0).count() <= 1, "{what}");
        }
        println!("{what}: {count} rays, {hits} hits");
        assert!(hits > count / 50 || what.contains("terrain"), "{what}: {hits} of {count}");
    }
}

#[test]
fn a_batch_of_rays_from_hits_is_the_same_as_one_by_one() {
    let (_, meshes) = &scenes()[1];
    let (bvh, _) = Builder::new().bake(meshes).expect("sound");
    let mut random = Random::new(2);
    let mut rays = Vec::new();
    while rays.len() < 3000 {
        if let Some(hit) = bvh.closest_hit(&into(&mut random, &bvh), &Query::new()) {
            rays.extend(bvh.ray_from(&hit, random.direction()));
        }
    }
    let mut found = vec![None; rays.len()];
    bvh.closest_hit_batch(&rays, &Query::new(), &mut found).expect("as many");
    for (ray, found) in rays.iter().zip(found) {
        assert_eq!(bvh.closest_hit(ray, &Query::new()), found);
    }
}

/// A floor of squares in one plane, however far away: no ray from it meets it.
#[test]
fn a_flat_floor_does_not_shade_itself() {
    for away in [0.0, 100.0, 1e4, 1e6] {
        let corner = |i: usize| [(i % 17) as f32 + away, 0.7 * away, (i / 17) as f32 - away];
        let square = |i: usize| [i, i + 17, i + 1, i + 1, i + 17, i + 18].map(|i| i as u32);
        let squares = (0..16 * 17).filter(|i| i % 17 < 16);
        let floor =
            Mesh::new((0..17 * 17).map(corner).collect(), squares.flat_map(square).collect());
        let (bvh, _) = Builder::new().bake(&[floor]).expect("sound");
        let mut random = Random::new(4);
        let (mut from_point, mut count) = (0, 0);
        while count < 10_000 * long() {
            let bounds = bvh.bounds();
            let from = random.in_box(bounds.min, bounds.max) + 5.0 * Vec3::Y;
            let down = Ray::new(from, Vec3::NEG_Y + 0.5 * random.direction());
            let Some(hit) = bvh.closest_hit(&down, &Query::new()) else { continue };
            let dir = random.direction();
            count += 1;
            let ray = bvh.ray_from(&hit, dir).expect("it was hit");
            assert!(!bvh.any_hit(&ray, &Query::new()), "{ray:?}");
            let plain = Ray::new(bvh.point(&hit).expect("it was hit"), dir);
            from_point += usize::from(bvh.any_hit(&plain, &Query::new()));
        }
        assert!(from_point > count * 9 / 10, "{from_point} of {count}");
    }
}

/// The figures of the page `what_to_expect`: rays from the walls of a turned room, into it.
#[test]
fn few_rays_from_the_walls_of_a_turned_room_leave_it() {
    let corner = |i: usize| [1, 2, 4].map(|bit| if i & bit == 0 { -8.0 } else { 8.0 });
    let walls =
        [[0, 2, 6, 4], [1, 5, 7, 3], [0, 4, 5, 1], [2, 3, 7, 6], [0, 1, 3, 2], [4, 6, 7, 5]];
    let halves = |[a, b, c, d]: [u32; 4]| [a, b, c, a, c, d];
    let room =
        Mesh::new((0..8).map(corner).collect(), walls.into_iter().flat_map(halves).collect());
    let turned = Affine3A::from_rotation_y(0.4) * Affine3A::from_rotation_x(0.7);
    for (away, most) in [(0.0, 0), (100.0, 0), (1e4, 3), (1e6, 60)] {
        let to = Affine3A::from_translation(Vec3::new(away, -0.7 * away, 0.9 * away)) * turned;
        let (bvh, _) = Builder::new().bake(&[room.clone().with_transform(to)]).expect("sound");
        let mut random = Random::new(1);
        // By `ray_from`, and from the point with a filter: out of the room, into the same wall.
        let (mut out, mut own) = ([0, 0], [0, 0]);
        let mut count = 0;
        while count < 20_000 {
            let from = to.transform_point3(random.in_box(Vec3::splat(-7.0), Vec3::splat(7.0)));
            let into = Ray::new(from, random.direction());
            let Some(hit) = bvh.closest_hit(&into, &Query::new()) else { continue };
            let normal = bvh.normal(&hit).expect("it was hit");
            let inward = if normal.dot(into.dir) > 0.0 { -normal } else { normal };
            let dir = random.direction();
            let dir = if dir.dot(inward) < 0.0 { -dir } else { dir };
            count += 1;
            let is_other = |other: &hitscan::Hit| other.triangle != hit.triangle;
            let others = Query::new().filter(&is_other);
            let plain = Ray::new(bvh.point(&hit).expect("it was hit"), dir);
            let leaving = bvh.ray_from(&hit, dir).expect("it was hit");
            for (i, found) in
                [bvh.closest_hit(&leaving, &Query::new()), bvh.closest_hit(&plain, &others)]
                    .into_iter()
                    .enumerate()
            {
                out[i] += usize::from(found.is_none());
                own[i] += usize::from(found.is_some_and(|at| at.triangle / 2 == hit.triangle / 2));
            }
        }
        println!("room at {away}: out {out:?}, own wall {own:?} of {count}");
        assert!(out[0] <= most && own[0] <= most, "{out:?} {own:?}");
    }
}

/// Points that lie exactly on a triangle: vertices, on edges, and within.
fn exact_point(random: &mut Random, triangle: &Triangle) -> Option<Vec3> {
    let u = random.below(5) as f64 / 4.0;
    let v = (random.below(5) as f64 / 4.0).min(1.0 - u);
    let at = |k: usize| {
        let [a, b, c] = [triangle.v0, triangle.v1, triangle.v2].map(|p| f64::from(p[k]));
        a + u * (b - a) + v * (c - a)
    };
    let exact = [at(0), at(1), at(2)];
    let point = exact.map(|x| x as f32);
    (point.map(f64::from) == exact).then(|| Vec3::from_array(point))
}

#[test]
fn lines_from_exact_points_hit_what_they_start_on_unless_told_otherwise() {
    let (mut on_edges, mut count, mut ends_missed) = (0, 0, 0);
    for (what, mut meshes) in scenes() {
        // On a grid, so that points on edges and within are numbers too.
        for mesh in &mut meshes {
            let transform = std::mem::replace(&mut mesh.transform, Affine3A::IDENTITY);
            for position in &mut mesh.positions {
                let moved = transform.transform_point3(Vec3::from_array(*position));
                *position = (moved * 0.25).round().to_array().map(|x| x * 4.0);
            }
        }
        let (bvh, _) = Builder::new().bake(&meshes).expect("sound");
        let all: Vec<_> = bvh.triangles().collect();
        let mut random = Random::new(11);
        let mut list = Vec::new();
        let mut here = 0;
        while here < 12_000 * long() {
            let one = all[random.below(all.len())];
            let Some(target) = exact_point(&mut random, &one.vertices) else { continue };
            let eye = into(&mut random, &bvh).origin;
            let sight = Ray::between(target, eye);
            here += 1;
            // The triangle is in the way, at `t = 0`, unless the ray runs in its plane.
            let parallel = matches!(judge(&one.vertices, &sight), Verdict::Parallel);
            bvh.all_hits(&sight, &Query::new(), &mut list);
            let found =
                list.iter().find(|hit| (hit.mesh, hit.triangle) == (one.mesh, one.triangle));
            assert_eq!(found.map(|hit| hit.t), (!parallel).then_some(0.0), "{what}: {sight:?}");
            on_edges += usize::from(list.iter().filter(|hit| hit.t == 0.0).count() > 1);
            // Without its start, the ray sees all the others and none that it starts on.
            let beyond = list.iter().filter(|hit| hit.t >= f32::MIN_POSITIVE).count();
            let past = sight.with_range(f32::MIN_POSITIVE, 1.0);
            bvh.all_hits(&past, &Query::new(), &mut list);
            assert!(list.iter().all(|hit| (hit.mesh, hit.triangle) != (one.mesh, one.triangle)));
            assert_eq!(list.len(), beyond, "{what}: {sight:?}");
            // The other way round the end is as near as promised.
            let back = Ray::between(eye, target);
            for k in 0..3 {
                let [a, b, d] = [eye[k], target[k], back.dir[k]].map(f64::from);
                assert!((a + d - b).abs() <= (b - a).abs() / (1 << 24) as f64);
            }
            ends_missed += usize::from(!parallel && one.vertices.intersect(&back).is_none());
        }
        count += here;
    }
    println!("{count} lines, {on_edges} from edges or vertices, {ends_missed} miss at the end");
    assert!(count >= 100_000 && on_edges > count / 4);
}

/// Instances that are far away, small, large, mirrored, sheared: no ray from a hit meets its
/// triangle or its plane again. Rays that leave in the tree's coordinates and are moved to the
/// world do.
#[test]
fn rays_from_hits_of_instances_never_meet_their_triangle() {
    let mut random = Random::new(17);
    let (tree, _) = Builder::new().bake(&[scenes::sphere(24, 12, 9.0, Vec3::ZERO)]).expect("sound");
    let floor = |x: f32| [[x, 0.1, 9.0], [x + 9.0, 0.1, -9.0], [x, 0.1, -9.0]];
    let floor = Mesh::from_soup([floor(0.0), floor(-9.0), floor(-4.0)].concat());
    let (floor, _) = Builder::new().bake(&[floor]).expect("sound");
    for (what, away, scale) in [
        ("near", 0.0, 1.0),
        ("at 100", 100.0, 1.0),
        ("at 10,000", 1e4, 1.0),
        ("at 1,000,000", 1e6, 1.0),
        ("small", 100.0, 0.01),
        ("tiny and far", 1e4, 1e-4),
        ("large", 1e4, 1e4),
    ] {
        let (mut count, mut again_from_tree) = (0, 0);
        while count < 2_000 * long() {
            let mut scene = Scene::new();
            let turned = Affine3A::from_rotation_y(3.0 * random.range(-1.0, 1.0))
                * Affine3A::from_rotation_x(3.0 * random.range(-1.0, 1.0));
            let mut shear = Affine3A::from_scale(Vec3::new(scale, -scale, 0.7 * scale));
            shear.matrix3.y_axis.x += 0.3 * scale * random.range(-1.0, 1.0);
            let at = Affine3A::from_translation(away * random.direction()) * turned * shear;
            let is_tree = random.range(-1.0, 1.0) > -0.3;
            let body = if is_tree { &tree } else { &floor };
            scene.insert(Instance::new(body.clone()).with_transform(at)).expect("invertible");
            let now = scene.commit();
            for _ in 0..50 {
                let bounds = now.bounds();
                let size = bounds.max - bounds.min;
                let to = random.in_box(bounds.min, bounds.max);
                let from = to + 3.0 * size.max_element() * random.direction();
                let into = Ray::new(from, to - from);
                let Some(hit) = now.closest_hit(&into, &Query::new()) else { continue };
                let dir = random.direction();
                count += 1;
                let ray = now.ray_from(&hit, dir).expect("it was hit");
                let local = now.local_ray(hit.instance, &ray).expect("it is there");
                let triangle = body.triangle(&hit).expect("it was hit");
                if let Verdict::Hit(truth) = judge(&triangle, &local) {
                    assert!(truth.t < 0.0, "{what}: {ray:?}");
                }
                let same = |other: hitscan::Hit| other.triangle == hit.triangle;
                let found = now.closest_hit(&ray, &Query::new());
                assert!(!found.is_some_and(same), "{what}: {ray:?} {hit:?}");
                // The floor's triangles overlap in one plane: none of them is met.
                assert!(is_tree || found.is_none(), "{what}: {ray:?}");
                // What a user would write without it.
                let local = Ray::new(Vec3::ZERO, at.inverse().transform_vector3(dir));
                let local = body.ray_from(&hit, local.dir).expect("it was hit");
                let plain = Ray::new(at.transform_point3(local.origin), dir);
                let found = now.closest_hit(&plain, &Query::new());
                again_from_tree += usize::from(found.is_some_and(same));
            }
        }
        println!("{what}: {count} rays, {again_from_tree} of plain ones meet their triangle");
        assert!(again_from_tree > count / 20 || away == 0.0 || scale > 1.0, "{what}");
    }
}
