//! Spatial splits (`Quality::Best`) put large triangles into several leaves, each with the box of a
//! part. No hit is lost and no triangle is reported twice.
//!
//! `HITSCAN_LONG=50` casts a million rays.

use crate::{scenes, support};
use hitscan::glam::Vec3;
use hitscan::{Builder, Bvh, Mesh, Quality, Query, Ray, Triangle};
use scenes::compare;
use support::{Judge, Random, long};

fn bake(meshes: &[Mesh], quality: Quality) -> Bvh {
    let baked = Builder::new().quality(quality).bake(meshes);
    baked.expect("the meshes are sound").0
}

/// References per triangle of the tree.
fn duplication(bvh: &Bvh) -> f64 {
    let summary = bvh.metadata().summary;
    summary.references as f64 / summary.triangles_kept as f64
}

/// Large slanted triangles through a group of 900 small ones, scaled by `scale` and moved by `at`.
fn hall(large: usize, scale: f32, at: Vec3) -> Mesh {
    let mut random = Random::new(5);
    let mut positions = Vec::new();
    let mut add = |corners: [Vec3; 3]| {
        positions.extend(corners.map(|corner| (at + corner * scale).to_array()));
    };
    for _ in 0..large {
        let corner = |random: &mut Random| random.in_box(Vec3::ZERO, Vec3::new(40.0, 12.0, 40.0));
        add([(); 3].map(|()| corner(&mut random)));
    }
    for _ in 0..900 {
        let center = random.in_box(Vec3::ZERO, Vec3::new(40.0, 12.0, 40.0));
        add([(); 3].map(|()| center + random.in_box(Vec3::splat(-0.4), Vec3::splat(0.4))));
    }
    Mesh::from_soup(positions)
}

/// A point of a triangle, somewhere inside.
fn inside(triangle: &Triangle, random: &mut Random) -> Vec3 {
    let (a, b) = (random.unit(), random.unit());
    let (u, v) = if a + b > 1.0 { (1.0 - a, 1.0 - b) } else { (a, b) };
    triangle.v0 + u * (triangle.v1 - triangle.v0) + v * (triangle.v2 - triangle.v0)
}

/// Rays at 1e-2 to 1e-5 radians to a large triangle's plane: an `f32` test would put the hit far
/// outside the leaf of that part of the triangle.
fn grazing(large: &[Triangle], size: f32, count: usize, random: &mut Random) -> Vec<Ray> {
    let mut rays = Vec::with_capacity(count);
    while rays.len() < count {
        let triangle = &large[random.below(large.len())];
        let normal = triangle.normal().normalize();
        let along = normal.cross(random.direction()).normalize();
        let angle = [1e-2, 1e-3, 1e-4, 1e-5][random.below(4)] * random.range(-1.0, 1.0);
        let dir = (along + normal * angle) * random.range(0.1, 10.0);
        let origin = inside(triangle, random) - dir.normalize() * size * random.range(0.01, 2.0);
        rays.push(Ray::new(origin, dir));
    }
    rays
}

#[test]
fn grazing_rays_lose_no_hits_in_clipped_boxes() {
    scenes::instruction_sets();
    let count = 1000 * long();
    let (mut asked, mut hitting) = (0, 0);
    for (scale, at) in [
        (1.0, Vec3::ZERO),
        (1e-3, Vec3::ZERO),
        (1.0, Vec3::new(5000.0, -30.0, 9000.0)),
        (100.0, Vec3::new(-1e4, 2e4, 0.0)),
    ] {
        let meshes = [hall(60, scale, at)];
        let bvh = bake(&meshes, Quality::Best);
        let duplication = duplication(&bvh);
        println!("scale {scale} at {at}: {duplication:.2} references a triangle");
        assert!(duplication > 1.2, "nothing was split");
        bvh.validate().expect("sound");

        let judge = Judge::new(&meshes);
        let large: Vec<_> = judge.triangles[..60].iter().map(|j| j.triangle).collect();
        let mut random = Random::new(9);
        let rays = grazing(&large, 40.0 * scale, 5 * count, &mut random);
        hitting += compare(&bvh, &judge, &rays, &format!("scale {scale} at {at}"));
        asked += rays.len();
    }
    println!("{asked} grazing rays, {hitting} hit, no difference");
    assert!(hitting > asked / 2);
}

#[test]
fn a_split_triangle_is_reported_once() {
    let meshes = [hall(60, 1.0, Vec3::ZERO)];
    let bvh = bake(&meshes, Quality::Best);
    let plain = bake(&meshes, Quality::Balanced);
    assert_eq!(duplication(&plain), 1.0);
    let mut random = Random::new(3);
    let (mut list, mut other) = (Vec::new(), Vec::new());
    let mut hits = 0;
    for _ in 0..5000 {
        let from = random.in_box(Vec3::splat(-5.0), Vec3::splat(45.0));
        let ray = Ray::new(from, random.direction()).with_range(f32::NEG_INFINITY, f32::INFINITY);
        bvh.all_hits(&ray, &Query::new(), &mut list);
        plain.all_hits(&ray, &Query::new(), &mut other);
        assert_eq!(list[..], other[..]);
        hits += list.len();
    }
    assert!(hits > 5000);
}

/// Where almost nothing overlaps, almost nothing is split.
#[test]
fn a_terrain_is_not_split() {
    let meshes = [scenes::terrain(100, 1)];
    let best = bake(&meshes, Quality::Best);
    assert!(duplication(&best) < 1.02, "{}", duplication(&best));
}

/// Splits never add more than half as many references as there are triangles.
#[test]
fn splits_stay_within_the_budget() {
    let mut most = 0f64;
    for large in [10, 60, 200, 1000] {
        let bvh = bake(&[hall(large, 1.0, Vec3::ZERO)], Quality::Best);
        let duplication = duplication(&bvh);
        println!("{large} large triangles: {duplication:.3} references a triangle");
        assert!(duplication <= 1.5);
        most = most.max(duplication);
    }
    assert!(most > 1.4, "the budget was never needed");
}
