//! The ends of a ray's interval: it is the reported `t` that lies between them, the exact value
//! rounded once.
//!
//! Triangles in the plane z = 0 make it plain: a ray meets them at `-origin.z / dir.z`, and the
//! quotient of two `f32` is rounded once. Some of those hits are before `t_min` or past `t_max` by
//! less than half a rounding, and are hits all the same. All that casts rays has to agree: one ray,
//! packets, streams, trees that only `f64` bounds hold for, scenes, and spheres of radius zero.
//!
//! By default this is some thousand rays; with `HITSCAN_LONG=N`, N times as many.

use crate::{scenes, support};
use std::ops::ControlFlow;

use hitscan::glam::{Affine3A, Quat, Vec3};
use hitscan::scene::{Instance, Scene, Snapshot};
use hitscan::{Builder, Bvh, Facing, Hit, Mesh, Query, Ray, Sphere, Triangle};

use scenes::instruction_sets;
use support::{Expected, Judge, Random, before_each, long};

/// The smallest number that is not zero.
const LEAST: f32 = f32::from_bits(1);

/// A large triangle around the origin.
fn floor() -> Triangle {
    floor_at(0.0)
}

fn floor_at(z: f32) -> Triangle {
    Triangle::new([-1e3, -1e3, z], [1e3, -1e3, z], [0.0, 2e3, z])
}

fn soup(triangles: &[Triangle]) -> Mesh {
    let corners = triangles.iter().flat_map(|t| [t.v0, t.v1, t.v2]);
    Mesh::from_soup(corners.map(|corner| corner.to_array()).collect())
}

/// A tree and its triangles.
struct World {
    tree: Bvh,
    judge: Judge,
}

impl World {
    fn new(meshes: &[Mesh]) -> Self {
        Self { tree: Builder::new().bake(meshes).unwrap().0, judge: Judge::new(meshes) }
    }
}

/// Triangles in one plane, one of them there twice; the same with one so far away that no `f32`
/// bounds hold; and triangles that are turned, at all kinds of distances.
fn worlds() -> [World; 3] {
    let random = &mut Random::new(1);
    let mut plane = vec![floor(), floor()];
    let mut turned = Vec::new();
    for _ in 0..60 {
        let at = random.in_box(Vec3::new(-9.0, -9.0, 0.0), Vec3::new(9.0, 9.0, 0.0));
        let flat = |random: &mut Random| random.in_box(Vec3::NEG_ONE, Vec3::ONE).with_z(0.0) * 3.0;
        let [b, c] = [at + flat(random), at + flat(random)];
        plane.push(Triangle::new(at, b, c));
        let turn = Quat::from_axis_angle(random.direction(), random.range(0.0, 6.3));
        turned.push(Triangle::new(turn * at, turn * b, turn * c));
    }
    let far = Triangle::new([1e12, 0.0, 9.0], [1e12, 9.0, 9.0], [1.1e12, 0.0, 9.0]);
    [
        World::new(&[soup(&plane[1..]), soup(&plane[..1])]),
        World::new(&[soup(&plane[1..]), soup(&plane[..1]), soup(&[far])]),
        World::new(&[soup(&turned)]),
    ]
}

/// A number of any size that matters, and of either sign: also zero, and the smallest numbers.
fn any_size(random: &mut Random) -> f32 {
    let number = match random.below(6) {
        0 => 0.0,
        1 => LEAST * (1 + random.below(5)) as f32,
        2 => f32::from_bits(random.next() >> 9),
        3 => 1.0 + random.below(4) as f32,
        _ => random.range(1e-3, 9.0),
    };
    if random.below(2) == 0 { number } else { -number }
}

/// Rays in groups of 64 that are alike, then as many of all kinds. Each begins or ends next to what
/// it hits.
fn rays(world: &World, count: usize, random: &mut Random) -> Vec<Ray> {
    let mut rays = Vec::new();
    for group in 0..count.div_ceil(64) {
        let like = some_ray(random);
        for _ in 0..64 {
            let mut ray = if group % 2 == 0 { like } else { some_ray(random) };
            if group % 2 == 0 {
                ray.origin.z *= random.range(0.9, 1.1);
                ray.dir += random.in_box(Vec3::NEG_ONE, Vec3::ONE) * 0.02 * ray.dir.length();
            }
            rays.push(with_ends(world, ray, random));
        }
    }
    rays
}

fn some_ray(random: &mut Random) -> Ray {
    let size = [1.0, 8.0, 1e-4, 1e5][random.below(4)];
    let along = random.below(4) == 0;
    let side = |random: &mut Random| if along { 0.0 } else { random.range(-1.0, 1.0) };
    let z = random.range(0.3, 2.0) * if random.below(2) == 0 { size } else { -size };
    let origin = Vec3::new(random.range(-5.0, 5.0), random.range(-5.0, 5.0), any_size(random));
    Ray::new(origin, [side(random) * size, side(random) * size, z])
}

/// Ends next to a hit, or far from it.
fn with_ends(world: &World, ray: Ray, random: &mut Random) -> Ray {
    let whole = ray.with_range(f32::NEG_INFINITY, f32::INFINITY);
    let hits = world.judge.all(&whole, Facing::Both, u32::MAX);
    let t = if hits.is_empty() { 0.0 } else { hits[random.below(hits.len())].t };
    let mut end = |far: f32| match random.below(9) {
        0..4 => t,
        4 => t.next_up(),
        5 => t.next_down(),
        6 => -t,
        7 => 0.0,
        _ => far,
    };
    let (low, high) = (end(f32::NEG_INFINITY), end(f32::INFINITY));
    // Packets hold no negative `t_min`.
    ray.with_range(if low < 0.0 && random.below(2) == 0 { -0.0 } else { low }, high)
}

fn is_same(found: Option<&Hit>, expected: Option<&Expected>) -> bool {
    match (found, expected) {
        (None, None) => true,
        (Some(found), Some(expected)) => expected.is(found),
        _ => false,
    }
}

/// What is found at the ends of intervals.
#[derive(Debug, Default)]
struct Seen {
    hits: usize,
    /// Hits whose exact `t` is not in the interval.
    outside: usize,
    minus_zero: usize,
}

/// Whether the exact `t` of a hit in the plane z = 0 is not in the interval: its `t_min` or `t_max`
/// times `dir.z` is exact in `f64`.
fn is_outside(ray: &Ray, hit: &Expected) -> bool {
    let (from, speed) = (-f64::from(ray.origin.z), f64::from(ray.dir.z));
    let is_later = |than: f32| (from - f64::from(than) * speed) * speed.signum();
    hit.mesh < 2 && (is_later(ray.t_min) < 0.0 || is_later(ray.t_max) > 0.0)
}

#[test]
fn all_rays_are_compared_by_the_t_that_is_reported() {
    let random = &mut Random::new(2);
    let mut seen = Seen::default();
    let (isas, worlds) = (instruction_sets(), worlds());
    for (number, world) in worlds.iter().enumerate() {
        let (tree, judge) = (&world.tree, &world.judge);
        let rays = rays(world, 2048 * long(), random);
        let expected: Vec<_> =
            rays.iter().map(|ray| judge.all(ray, Facing::Both, u32::MAX)).collect();
        for (ray, expected) in rays.iter().zip(&expected) {
            let Some(first) = expected.first() else { continue };
            seen.hits += 1;
            seen.outside += usize::from(number < 2 && is_outside(ray, first));
            seen.minus_zero += usize::from(first.t.to_bits() == (-0.0f32).to_bits());
        }
        for &isa in &isas {
            let query = &Query::new().instruction_set(isa);
            let mut list = Vec::new();
            for (i, (ray, expected)) in rays.iter().zip(&expected).enumerate() {
                let at = || format!("world {number}, {isa}: {ray:?}");
                let apart = before_each(tree, query, i % 2 == 0);
                apart();
                let closest = tree.closest_hit(ray, query);
                assert!(is_same(closest.as_ref(), expected.first()), "{}: {closest:?}", at());
                apart();
                assert_eq!(tree.any_hit(ray, query), !expected.is_empty(), "{}", at());
                // The filter leaves it to the exact test.
                let filter = query.filter(&|_: &Hit| true);
                let closest = tree.closest_hit(ray, &filter);
                assert!(is_same(closest.as_ref(), expected.first()), "{}: {closest:?}", at());
                assert_eq!(tree.any_hit(ray, &filter), !expected.is_empty(), "{}", at());
                let mut each = expected.iter();
                tree.for_each_hit(ray, query, &mut list, |hit| {
                    assert!(is_same(Some(hit), each.next()), "{}: {hit:?}", at());
                    ControlFlow::Continue(())
                });
                assert!(each.next().is_none(), "{}", at());
            }
            for rays_at_once in [rays.len(), 64, 7] {
                let parts = rays.chunks(rays_at_once).zip(expected.chunks(rays_at_once));
                for (rays, expected) in parts {
                    let mut hits = vec![None; rays.len()];
                    tree.closest_hit_batch(rays, query, &mut hits).unwrap();
                    let mut found = vec![false; rays.len()];
                    tree.any_hit_batch(rays, query, &mut found).unwrap();
                    let answers = hits.iter().zip(found).zip(rays.iter().zip(expected));
                    for ((hit, found), (ray, expected)) in answers {
                        let is_same = is_same(hit.as_ref(), expected.first());
                        assert!(is_same, "batch, world {number}, {isa}: {ray:?}: {hit:?}");
                        assert_eq!(found, !expected.is_empty(), "batch, {isa}: {ray:?}");
                    }
                }
            }
        }
    }
    println!("{seen:?}");
    assert!(seen.outside > 100 && seen.minus_zero > 20 && seen.hits > 2000, "{seen:?}");
}

/// The trees of a world in several places.
fn scene(world: &World, random: &mut Random) -> Snapshot {
    let mut scene = Scene::new();
    let mut insert = |map: Affine3A| {
        scene.insert(Instance::new(&world.tree).with_transform(map)).unwrap();
    };
    insert(Affine3A::IDENTITY);
    insert(Affine3A::from_scale(Vec3::new(-1.0, 2.0, 4.0)));
    for kind in [scenes::Change::None, scenes::Change::ScaledByAxis] {
        let (_, turn) = scenes::offset_and_turn(random, 1.0);
        insert(scenes::map(random, kind, (Vec3::ZERO, turn)));
        let place = scenes::offset_and_turn(random, 3.0);
        insert(scenes::map(random, kind, place));
    }
    scene.commit()
}

#[test]
fn rays_in_scenes_are_compared_by_the_t_that_is_reported() {
    let random = &mut Random::new(3);
    let (mut hits, mut at_ends) = (0, 0);
    let (isas, worlds) = (instruction_sets(), worlds());
    for world in &worlds {
        let scene = scene(world, random);
        let instances: Vec<_> = scene.instances().collect();
        let nearest = |ray: &Ray| {
            let found = instances.iter().filter_map(|&instance| {
                let local = scene.local_ray(instance, ray)?;
                let hits = world.judge.all(&local, Facing::Both, u32::MAX);
                Some((instance, *hits.first()?))
            });
            found.min_by(|(one, a), (other, b)| {
                a.t.partial_cmp(&b.t).expect("a number").then(one.cmp(other))
            })
        };
        // Ends next to what is hit in the scene.
        let mut rays = rays(world, 512 * long(), random);
        for ray in &mut rays {
            let whole = ray.with_range(0.0, f32::INFINITY);
            let Some((_, hit)) = nearest(&whole) else { continue };
            match random.below(3) {
                0 => (ray.t_min, ray.t_max) = (0.0, hit.t),
                1 => (ray.t_min, ray.t_max) = (hit.t, f32::INFINITY),
                _ => {}
            }
        }
        let expected: Vec<_> = rays.iter().map(nearest).collect();
        let is_same = |hit: Option<&Hit>, expected: &Option<_>| match (hit, expected) {
            (None, None) => true,
            (Some(found), Some((instance, hit))) => {
                let hit: &Expected = hit;
                found.instance == *instance && hit.is(found)
            }
            _ => false,
        };
        for (ray, expected) in rays.iter().zip(&expected) {
            let Some((_, hit)) = expected else { continue };
            hits += 1;
            at_ends += usize::from(hit.t == ray.t_min || hit.t == ray.t_max);
        }
        for &isa in &isas {
            let query = &Query::new().instruction_set(isa);
            let mut list = Vec::new();
            let mut closest = vec![None; rays.len()];
            scene.closest_hit_batch(&rays, query, &mut closest).unwrap();
            let mut found = vec![false; rays.len()];
            scene.any_hit_batch(&rays, query, &mut found).unwrap();
            for (i, (ray, expected)) in rays.iter().zip(&expected).enumerate() {
                assert!(is_same(closest[i].as_ref(), expected), "batch, {isa}: {ray:?}");
                assert_eq!(found[i], expected.is_some(), "batch, {isa}: {ray:?}");
                let hit = scene.closest_hit(ray, query);
                assert!(is_same(hit.as_ref(), expected), "{isa}: {ray:?}: {hit:?}, {expected:?}");
                assert_eq!(scene.any_hit(ray, query), expected.is_some(), "{isa}: {ray:?}");
                scene.all_hits(ray, query, &mut list);
                assert!(is_same(list.first(), expected), "all, {isa}: {ray:?}");
            }
        }
    }
    println!("{hits} rays hit, {at_ends} of them at an end");
    assert!(hits > 300 && at_ends > 100);
}

/// Rays straight and at a slant to the floor, whose exact `t` is the quotient, and what each
/// interval is to contain.
#[test]
fn an_end_that_is_off_by_less_than_half_a_rounding_counts() {
    let world = World::new(&[soup(&[floor()])]);
    let far = Triangle::new([1e12, 0.0, 9.0], [1e12, 9.0, 9.0], [1.1e12, 0.0, 9.0]);
    let extreme = World::new(&[soup(&[floor()]), soup(&[far])]);
    let isas = instruction_sets();
    let check = |z: f32, speed: f32, ends: [f32; 2], expected: Option<f32>| {
        for side in [0.0, 0.3] {
            let ray = Ray::new([0.25, 0.5, z], [side * speed, 0.0, speed]);
            let ray = ray.with_range(ends[0], ends[1]);
            let bits = |t: Option<f32>| t.map(f32::to_bits);
            let at = || format!("{ray:?}");
            let reference = floor().intersect(&ray).map(|hit| hit.t);
            assert_eq!(bits(reference), bits(expected), "{}", at());
            for tree in [&world.tree, &extreme.tree] {
                for &isa in &isas {
                    let query = &Query::new().instruction_set(isa);
                    let hit = tree.closest_hit(&ray, query).map(|hit| hit.t);
                    assert_eq!(bits(hit), bits(expected), "{isa}: {}", at());
                    assert_eq!(tree.any_hit(&ray, query), expected.is_some(), "{isa}: {}", at());
                    let mut found = [false; 70];
                    tree.any_hit_batch(&[ray; 70], query, &mut found).unwrap();
                    assert_eq!(found, [expected.is_some(); 70], "{isa}: {}", at());
                    let mut hits = [None; 70];
                    tree.closest_hit_batch(&[ray; 70], query, &mut hits).unwrap();
                    let all = hits.iter().all(|hit| bits(hit.map(|hit| hit.t)) == bits(expected));
                    assert!(all, "{isa}: {}", at());
                }
            }
        }
    };
    let infinite = f32::INFINITY;
    // Before `t_min` by 2e-46: the hit is at minus zero, which is not less than zero.
    check(LEAST, 8.0, [0.0, infinite], Some(-0.0));
    check(LEAST, 8.0, [-0.0, -0.0], Some(-0.0));
    check(LEAST, 8.0, [LEAST, infinite], None);
    // Past `t_max` by as much.
    check(-LEAST, 8.0, [-1.0, 0.0], Some(0.0));
    check(-LEAST, 8.0, [-1.0, -LEAST], None);
    // By half of the smallest number, which is rounded to even, and by more.
    check(LEAST, 2.0, [0.0, infinite], Some(-0.0));
    check(3.0 * LEAST, 4.0, [0.0, infinite], None);
    // Between the smallest numbers, from below and from above.
    check(-3.0 * LEAST, 4.0, [LEAST, infinite], Some(LEAST));
    check(-5.0 * LEAST, 4.0, [-1.0, LEAST], Some(LEAST));
    check(-LEAST, 4.0, [LEAST, infinite], None);
    // A third is rounded up, two thirds are rounded up, and a fifth of seven down.
    for (z, speed) in [(-1.0f32, 3.0f32), (-2.0, 3.0), (-7.0, 5.0), (1.0, 3.0), (0.1, -0.7)] {
        let t = -z / speed;
        check(z, speed, [t, t], Some(t));
        check(z, speed, [t, infinite], Some(t));
        check(z, speed, [-infinite, t], Some(t));
        check(z, speed, [t.next_up(), infinite], None);
        check(z, speed, [-infinite, t.next_down()], None);
    }
    // The greatest number, and what is rounded to infinity.
    let (z, speed) = (-0.99999994f32, f32::from_bits(1 << 21));
    check(z, speed, [f32::MAX, f32::MAX], Some(f32::MAX));
    check(-1.0, speed, [0.0, infinite], None);
}

/// A point that moves touches what the ray from 0 to 1 hits.
#[test]
fn spheres_of_radius_zero_are_as_rays() {
    let isas = instruction_sets();
    // The floor is as high as the motion is long: both are one, or zero.
    let check = |height: f32, z: f32, speed: f32, expected: Option<f32>| {
        let floor = floor_at(height);
        let world = World::new(&[soup(&[floor])]);
        for side in [0.0, 0.3] {
            let (from, motion) = (Vec3::new(0.25, 0.5, z), Vec3::new(side * speed, 0.0, speed));
            let ray = Ray::new(from, motion).with_range(0.0, 1.0);
            assert_eq!(floor.intersect(&ray).map(|hit| hit.t), expected, "{ray:?}");
            for &isa in &isas {
                let query = &Query::new().instruction_set(isa);
                let hit = world.tree.closest_hit(&ray, query).map(|hit| hit.t);
                assert_eq!(hit, expected, "{isa}: {ray:?}");
                let contact = world.tree.first_contact(Sphere::new(from, 0.0), motion, query);
                // Never minus zero.
                let bits = contact.map(|contact| contact.t.to_bits());
                assert_eq!(bits, expected.map(|t| t.abs().to_bits()), "{isa}: {ray:?}");
            }
        }
    };
    check(0.0, LEAST, 8.0, Some(0.0));
    check(0.0, LEAST, 2.0, Some(0.0));
    check(0.0, 3.0 * LEAST, 4.0, None);
    check(0.0, -3.0 * LEAST, 4.0, Some(LEAST));
    // Past the end by less than half a rounding, by just half, and by more.
    check(1.0, -(2f32.powi(-30)), 1.0, Some(1.0));
    check(1.0, -(2f32.powi(-24)), 1.0, Some(1.0));
    check(1.0, -(2f32.powi(-24).next_up()), 1.0, None);
    check(1.0, -LEAST, 1.0, Some(1.0));
    // Before it.
    check(1.0, LEAST, 1.0, Some(1.0));
    check(1.0, 2f32.powi(-24), 1.0, Some(1f32.next_down()));
}
