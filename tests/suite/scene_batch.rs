//! Batches in scenes: each ray has the answer that it has alone, on every instruction set.

use crate::{scenes, support};
use hitscan::glam::{Affine3A, Vec3};
use hitscan::scene::{Instance, Scene, Snapshot};
use hitscan::{Builder, Bvh, Facing, Hit, Mesh, Query, Ray};

use scenes::{Change, instruction_sets, map, offset_and_turn};
use support::{Random, long};

fn trees() -> Vec<Bvh> {
    let triangle = Mesh::from_soup(vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let mut ball = scenes::sphere(9, 6, 1.0, Vec3::ZERO);
    ball.mask = 0b110;
    // No `f32` bounds hold for rays in this one.
    let far = scenes::sphere(5, 4, 3e9, Vec3::splat(1e11));
    let meshes = [
        vec![triangle],
        vec![ball, scenes::soup(30, 1.0, 0.7, 4)],
        vec![scenes::terrain(12, 8)],
        vec![far],
        vec![],
    ];
    meshes.map(|meshes| Builder::new().bake(&meshes).unwrap().0).into()
}

/// A scene whose instances stand still, have come since, move and are gone: some in the same place.
fn some_scene(trees: &[Bvh], count: usize, extent: f32, random: &mut Random) -> Snapshot {
    let mut scene = Scene::new();
    let mut placed: Vec<(Affine3A, usize)> = Vec::new();
    let insert = |scene: &mut Scene, placed: &mut Vec<_>, random: &mut Random| {
        let kinds = [Change::None, Change::Scaled, Change::ScaledByAxis, Change::Sheared];
        let (transform, tree) = match random.below(4) {
            0 if !placed.is_empty() => placed[random.below(placed.len())],
            _ => {
                let place = offset_and_turn(random, extent);
                let kind = random.below(40);
                let tree = if kind < 2 { 3 + kind } else { kind % 3 };
                let change = kinds[random.below(4)];
                (map(random, change, place), tree)
            }
        };
        placed.push((transform, tree));
        let mask = [u32::MAX, 0b010, 0b100][random.below(3)];
        let instance = Instance::new(trees[tree].clone()).with_transform(transform).with_mask(mask);
        scene.insert(instance).unwrap()
    };
    let mut ids = Vec::new();
    for _ in 0..count {
        ids.push(insert(&mut scene, &mut placed, random));
    }
    scene.commit();
    for commit in 0..random.below(6) {
        for (i, &id) in ids.iter().enumerate() {
            match random.below(12) {
                0 if commit > 1 && random.below(2) == 0 => scene.disable(id).unwrap(),
                0 if commit > 1 => scene.enable(id).unwrap(),
                1 if i < count / 4 => {
                    let place = offset_and_turn(random, extent);
                    scene.set_transform(id, map(random, Change::Scaled, place)).unwrap();
                }
                _ => {}
            }
        }
        ids.push(insert(&mut scene, &mut placed, random));
        scene.commit();
    }
    scene.snapshot().clone()
}

/// Rays from anywhere, from one point to neighbours, and some of which no box test is right.
fn some_rays(count: usize, extent: f32, random: &mut Random) -> Vec<Ray> {
    let point =
        |random: &mut Random, size: f32| random.in_box(Vec3::splat(-size), Vec3::splat(size));
    let mut rays = Vec::new();
    while rays.len() < count {
        let from = point(random, 1.5 * extent);
        let (to, together) = (point(random, extent), random.below(2) == 0);
        for _ in 0..random.below(100) {
            let ray = match together {
                true => Ray::new(from, to + 0.02 * point(random, extent) - from),
                false => Ray::new(point(random, 1.5 * extent), random.direction()),
            };
            rays.push(match random.below(40) {
                0 => ray.with_range(-5.0, f32::INFINITY),
                1 => ray.with_range(f32::NEG_INFINITY, 0.0),
                2 => ray.with_range(0.5, 10.0),
                3 => Ray::new(ray.origin * 1e12, -ray.origin),
                4 => Ray::new(ray.origin, ray.dir * 1e-12),
                5 => Ray::new(ray.origin, [0.0, 0.0, 1.0]),
                6 => Ray::new(ray.origin, [f32::NAN, 0.0, 1.0]),
                7 => Ray::new(ray.origin, [0.0; 3]),
                8 => ray.with_range(3.0, 2.0),
                _ => ray,
            });
        }
    }
    rays
}

/// Compares batches with single rays. How many hits there are.
fn compare(snapshot: &Snapshot, rays: &[Ray], query: &Query) -> usize {
    let accepts = |ray: usize, hit: &Hit| {
        !(ray + hit.triangle as usize + hit.instance.to_bits() as usize).is_multiple_of(3)
    };
    let alone: Vec<_> = rays.iter().map(|ray| snapshot.closest_hit(ray, query)).collect();
    let any: Vec<_> = rays.iter().map(|ray| snapshot.any_hit(ray, query)).collect();
    let filtered = rays
        .iter()
        .enumerate()
        .map(|(i, ray)| snapshot.closest_hit(ray, &query.filter(&|hit| accepts(i, hit))));
    let filtered: Vec<_> = filtered.collect();
    for isa in instruction_sets() {
        let query = query.instruction_set(isa);
        let mut hits = vec![None; rays.len()];
        snapshot.closest_hit_batch(rays, &query, &mut hits).unwrap();
        let mut found = vec![false; rays.len()];
        snapshot.any_hit_batch(rays, &query, &mut found).unwrap();
        let by_ray = query.filter_by_index(&accepts);
        let mut some_hits = vec![None; rays.len()];
        snapshot.closest_hit_batch(rays, &by_ray, &mut some_hits).unwrap();
        let mut some_found = vec![false; rays.len()];
        snapshot.any_hit_batch(rays, &by_ray, &mut some_found).unwrap();
        for (i, ray) in rays.iter().enumerate() {
            assert_eq!(bits(&hits[i]), bits(&alone[i]), "{isa}: ray {i}: {ray:?}");
            assert_eq!(found[i], any[i], "{isa}: ray {i}: {ray:?}");
            assert_eq!(bits(&some_hits[i]), bits(&filtered[i]), "{isa}: ray {i}: {ray:?}");
            assert_eq!(some_found[i], filtered[i].is_some(), "{isa}: ray {i}: {ray:?}");
        }
    }
    alone.iter().flatten().count()
}

fn bits(hit: &Option<Hit>) -> Option<(Hit, [u32; 3])> {
    hit.map(|hit| (hit, [hit.t, hit.u, hit.v].map(f32::to_bits)))
}

#[test]
fn batches_are_as_single_rays() {
    let trees = trees();
    let (mut hits, mut count) = (0, 0);
    for seed in 0..6 * long() as u64 {
        let random = &mut Random::new(seed);
        let extent = [2.0, 10.0, 50.0][random.below(3)];
        let instances = [0, 1, 5, 40, 300][random.below(5)];
        let snapshot = some_scene(&trees, instances, extent, random);
        let rays = some_rays([10, 300, 3_000][random.below(3)], extent, random);
        let facing = [Facing::Both, Facing::Both, Facing::Front, Facing::Back][random.below(4)];
        let mask = [u32::MAX, u32::MAX, 0b010][random.below(3)];
        hits += compare(&snapshot, &rays, &Query::new().facing(facing).mask(mask));
        count += rays.len();
    }
    println!("{count} rays, {hits} hits, no difference");
    assert!(hits > count / 40);
}

/// A batch of every length, up to some more than a packet holds.
#[test]
fn short_batches_are_as_single_rays() {
    let trees = trees();
    let (mut hits, mut count) = (0, 0);
    for len in 1..=100 {
        let random = &mut Random::new(len as u64);
        let extent = 5.0;
        let snapshot = some_scene(&trees, 30, extent, random);
        let rays = some_rays(len, extent, random);
        hits += compare(&snapshot, &rays[..len], &Query::new());
        count += len;
    }
    assert!(hits > count / 10, "{hits} of {count}");
}
