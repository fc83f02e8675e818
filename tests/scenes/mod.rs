//! Generated meshes, rays at them, and the comparison of every instruction set with brute force.

#![allow(dead_code, missing_docs, unreachable_pub, reason = "each test binary uses a part of it")]

use hitscan::glam::{Affine3A, Mat3, Quat, Vec3};
use hitscan::{Bvh, Facing, Hit, InstanceId, InstructionSet, Mesh, Query, Ray, Triangle};

use crate::support::{Judge, Random, before_each};

/// Every instruction set of this CPU. Prints their names.
pub fn instruction_sets() -> Vec<InstructionSet> {
    let isas = InstructionSet::available();
    let names: Vec<_> = isas.iter().map(|isa| isa.name()).collect();
    println!("kernels: {}", names.join(", "));
    isas
}

/// Where something stands, and how it is turned.
pub fn offset_and_turn(random: &mut Random, extent: f32) -> (Vec3, Quat) {
    let offset = random.in_box(Vec3::splat(-extent), Vec3::splat(extent));
    (offset, Quat::from_axis_angle(random.direction(), random.range(0.0, 6.3)))
}

/// How a map changes shapes.
#[derive(Clone, Copy, Debug)]
pub enum Change {
    None,
    Scaled,
    /// Each axis differently, or mirrored.
    ScaledByAxis,
    Sheared,
}

/// An invertible map, to `offset` and turned.
pub fn map(random: &mut Random, change: Change, (offset, turn): (Vec3, Quat)) -> Affine3A {
    let size = |random: &mut Random| {
        let size = 2f32.powi(random.below(5) as i32 - 2) * random.range(0.7, 1.4);
        if random.below(3) == 0 { -size } else { size }
    };
    match change {
        Change::None => Affine3A::from_rotation_translation(turn, offset),
        Change::Scaled => {
            let scale = Vec3::splat(size(random));
            Affine3A::from_scale_rotation_translation(scale, turn, offset)
        }
        Change::ScaledByAxis => {
            let scale = Vec3::new(size(random), size(random), size(random));
            Affine3A::from_scale_rotation_translation(scale, turn, offset)
        }
        Change::Sheared => {
            let shear = Mat3::from_cols(
                Vec3::new(1.0, random.range(-2.0, 2.0), 0.0),
                Vec3::new(random.range(-2.0, 2.0), 2.0, 0.3),
                Vec3::new(0.0, random.range(-0.5, 0.5), 3.0),
            );
            Affine3A::from_mat3_translation(Mat3::from_quat(turn) * shear, offset)
        }
    }
}

/// A hilly square of `2 * quads * quads` triangles that share their vertices.
pub fn terrain(quads: usize, seed: u64) -> Mesh {
    let mut random = Random::new(seed);
    let side = quads + 1;
    let mut positions = Vec::with_capacity(side * side);
    for z in 0..side {
        for x in 0..side {
            let hill = ((x as f32 * 0.31).sin() + (z as f32 * 0.17).cos()) * 1.5;
            positions.push([x as f32, hill + random.range(-0.2, 0.2), z as f32]);
        }
    }
    let mut indices = Vec::with_capacity(6 * quads * quads);
    for z in 0..quads {
        for x in 0..quads {
            let a = (z * side + x) as u32;
            let (b, c, d) = (a + 1, a + side as u32, a + side as u32 + 1);
            indices.extend([a, c, b, b, c, d]);
        }
    }
    Mesh::new(positions, indices).with_name("terrain")
}

/// A square at y = 0 from 0 to `side`, as a grid whose inner points are moved by up to half of
/// `off` of a cell, with diagonals as `turned` says: positions and indices. It faces up.
pub fn floor(
    side: f32,
    cells: usize,
    off: f32,
    random: &mut Random,
    turned: impl Fn(usize, usize) -> bool,
) -> (Vec<[f32; 3]>, Vec<u32>) {
    let is_inner = |i: usize| i > 0 && i < cells;
    let mut at = |i: usize| {
        let off = if is_inner(i) { off * (random.unit() - 0.5) } else { 0.0 };
        side * (i as f32 + off) / cells as f32
    };
    let mut positions = Vec::new();
    for z in 0..=cells {
        for x in 0..=cells {
            positions.push([at(x), 0.0, at(z)]);
        }
    }
    let at = |x: usize, z: usize| (z * (cells + 1) + x) as u32;
    let mut indices = Vec::new();
    for z in 0..cells {
        for x in 0..cells {
            let [a, b, c, d] = [at(x, z), at(x + 1, z), at(x, z + 1), at(x + 1, z + 1)];
            let one = [a, c, b, b, c, d];
            let other = [a, c, d, a, d, b];
            indices.extend(if turned(x, z) { one } else { other });
        }
    }
    (positions, indices)
}

/// A closed sphere whose triangles share their vertices and face outwards.
pub fn sphere(segments: usize, rings: usize, radius: f32, center: Vec3) -> Mesh {
    let mut positions = vec![(center + Vec3::Y * radius).to_array()];
    for ring in 1..rings {
        let polar = std::f32::consts::PI * ring as f32 / rings as f32;
        for segment in 0..segments {
            let turn = std::f32::consts::TAU * segment as f32 / segments as f32;
            let (s, c) = (polar.sin(), polar.cos());
            let v = center + radius * Vec3::new(s * turn.cos(), c, -s * turn.sin());
            positions.push(v.to_array());
        }
    }
    positions.push((center - Vec3::Y * radius).to_array());
    let at = |ring: usize, segment: usize| (1 + (ring - 1) * segments + segment % segments) as u32;
    let last = positions.len() as u32 - 1;
    let mut indices = Vec::new();
    for segment in 0..segments {
        indices.extend([0, at(1, segment), at(1, segment + 1)]);
        for ring in 1..rings - 1 {
            let (a, b) = (at(ring, segment), at(ring, segment + 1));
            let (c, d) = (at(ring + 1, segment), at(ring + 1, segment + 1));
            indices.extend([a, c, b, b, c, d]);
        }
        indices.extend([at(rings - 1, segment + 1), at(rings - 1, segment), last]);
    }
    Mesh::new(positions, indices).with_name("sphere")
}

/// Triangles of about `size` anywhere in a cube of half-width `extent`.
pub fn soup(triangles: usize, extent: f32, size: f32, seed: u64) -> Mesh {
    let mut random = Random::new(seed);
    let mut positions = Vec::with_capacity(3 * triangles);
    for _ in 0..triangles {
        let at = random.in_box(Vec3::splat(-extent), Vec3::splat(extent));
        for _ in 0..3 {
            let corner = at + random.in_box(Vec3::splat(-size), Vec3::splat(size));
            positions.push(corner.to_array());
        }
    }
    Mesh::from_soup(positions).with_name("soup")
}

/// Axis-aligned blocks on a floor: the tree has flat boxes, many faces share a plane, and
/// coordinates are small integers, so that rays lie exactly in faces.
pub fn city(blocks: usize, seed: u64) -> Mesh {
    let mut random = Random::new(seed);
    let mut positions = Vec::new();
    let mut indices = Vec::new();
    for _ in 0..blocks {
        let whole = |random: &mut Random, low: i32, end: i32| {
            (low + random.below((end - low) as usize) as i32) as f32
        };
        let min = [whole(&mut random, -16, 16), 0.0, whole(&mut random, -16, 16)];
        let size = [1, 2, 3].map(|_| whole(&mut random, 1, 5));
        let first = positions.len() as u32;
        for corner in 0..8 {
            positions.push([0, 1, 2].map(|k| min[k] + size[k] * ((corner >> k) & 1) as f32));
        }
        for [a, b, c, d] in
            [[0, 1, 2, 3], [4, 5, 6, 7], [0, 1, 4, 5], [2, 3, 6, 7], [0, 2, 4, 6], [1, 3, 5, 7]]
        {
            indices.extend([a, b, c, b, d, c].map(|i: u32| first + i));
        }
    }
    Mesh::new(positions, indices).with_name("city")
}

/// A small level of many meshes: moved, mirrored, empty, with materials, with masks, and with
/// triangles without area among the others.
pub fn level(seed: u64) -> Vec<Mesh> {
    let mut city = city(20, seed).with_user_id(u64::MAX).with_mask(0b0110);
    let indices = city.indices.as_mut().unwrap();
    for at in [0, 30, 90] {
        indices.splice(at..at, [0, 0, 1]);
    }
    let materials = (0..city.triangle_count() as u32).map(|i| i ^ 0x55).collect();
    let mirrored = Mat3::from_diagonal(Vec3::new(-0.5, 1.5, 1.0));
    vec![
        terrain(12, seed + 1)
            .with_transform(Affine3A::from_translation(Vec3::new(-6.0, -1.0, -6.0)))
            .with_user_id(7),
        Mesh::default().with_name("nothing"),
        city.with_materials(materials),
        sphere(16, 8, 3.0, Vec3::new(1.0, 4.0, 2.0))
            .with_transform(Affine3A::from_mat3_translation(mirrored, Vec3::new(2.0, 0.0, 1.0)))
            .with_user_id(1 << 40)
            .with_mask(0b1000),
        Mesh::default().with_name("nothing either"),
        soup(120, 10.0, 2.0, seed + 2).with_mask(0b0011),
    ]
}

/// Rays of every kind at some triangles: through the box, at vertices, at edges, along axes and in
/// faces, from afar, with bounds, behind the origin.
pub fn rays_at(random: &mut Random, triangles: &[Triangle], count: usize) -> Vec<Ray> {
    if triangles.is_empty() {
        return Vec::new();
    }
    let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for v in triangles.iter().flat_map(|t| [t.v0, t.v1, t.v2]) {
        (min, max) = (min.min(v), max.max(v));
    }
    let size = (max - min).max_element();
    let around = |random: &mut Random| {
        random.in_box(min - Vec3::splat(0.3 * size), max + Vec3::splat(0.3 * size))
    };
    let mut rays = Vec::with_capacity(count);
    while rays.len() < count {
        let t = triangles[random.below(triangles.len())];
        let mut corners = [t.v0, t.v1, t.v2];
        corners.rotate_left(random.below(3));
        let [a, b, c] = corners;
        let from = around(random);
        rays.push(match rays.len() % 12 {
            0 => Ray::new(random.in_box(min, max), random.direction()),
            1 => Ray::new(from, a - from),
            2 => Ray::new(from, 0.5 * (a + b) - from),
            3 | 4 => {
                // Along an axis, with zeros of both signs, from beside a vertex or an edge.
                let axis = random.below(3);
                let mut dir = [0.0, -0.0, 0.0];
                dir.rotate_left(random.below(3));
                dir[axis] = if random.below(2) == 0 { 1.0 } else { -1.0 };
                let mut origin = if rays.len() % 12 == 3 { a } else { 0.5 * (a + b) };
                origin[axis] = from[axis];
                Ray::new(origin, dir)
            }
            5 => {
                let far = a + random.direction() * size * 1000.0;
                Ray::new(far, (a + b + c) / 3.0 - far)
            }
            6 => Ray::between(from, around(random)),
            7 => Ray::new(a, random.direction()).with_range(-size, size),
            8 => Ray::new(a - (b - a), b - a),
            9 => {
                let at = a + random.unit() * 0.5 * (b - a) + random.unit() * 0.5 * (c - a);
                Ray::new(from, (at - from) * random.range(1e-3, 1e3))
            }
            10 => {
                let bounds = [random.range(-2.0, 2.0), random.range(-2.0, 2.0)];
                Ray::new(from, b - from).with_range(bounds[0], bounds[1])
            }
            _ => Ray::new(from, random.direction()).with_range(f32::NEG_INFINITY, f32::INFINITY),
        });
    }
    rays
}

/// Makes the three queries for each ray on every instruction set and compares the answers with
/// brute force, bit for bit. Returns how many of the rays hit.
pub fn compare(bvh: &Bvh, judge: &Judge, rays: &[Ray], what: &str) -> usize {
    let isas = InstructionSet::available();
    let mut list = Vec::new();
    let mut hitting = 0;
    for (number, ray) in rays.iter().enumerate() {
        let expected = judge.all(ray, Facing::Both, u32::MAX);
        hitting += usize::from(!expected.is_empty());
        for (i, &isa) in isas.iter().enumerate() {
            let query = Query::new().instruction_set(isa);
            let at = || format!("{what}: ray {number} on {isa}: {ray:?}");
            // Half of the queries follow another of the same ray.
            let follows = (number + i) % 2 == 0;
            let view = &bvh;
            let apart = before_each(view, &query, follows);
            apart();
            let closest = bvh.closest_hit(ray, &query);
            let same = match (expected.first(), &closest) {
                (None, None) => true,
                (Some(expected), Some(hit)) => expected.is(hit),
                _ => false,
            };
            assert!(same, "{}: {closest:?}, not {:?}", at(), expected.first());
            apart();
            assert_eq!(bvh.any_hit(ray, &query), !expected.is_empty(), "{}", at());
            apart();
            bvh.all_hits(ray, &query, &mut list);
            let same = list.len() == expected.len()
                && list.iter().zip(&expected).all(|(hit, expected)| expected.is(hit));
            assert!(same, "{}: {list:?}, not {expected:?}", at());
        }
    }
    hitting
}

/// The triangles of a judge.
pub fn triangles(judge: &Judge) -> Vec<Triangle> {
    judge.triangles.iter().map(|judged| judged.triangle).collect()
}

/// Casts rays at the corners of each triangle, which only hit if the boxes of its leaf and of all
/// nodes above cover it.
pub fn assert_covered(bvh: &Bvh, judge: &Judge, what: &str) {
    let query = Query::new();
    for judged in &judge.triangles {
        let t = judged.triangle;
        if t.is_degenerate() {
            continue;
        }
        for corner in [t.v0, t.v1, t.v2] {
            // Any direction that is not in the triangle's plane.
            let found = [Vec3::X, Vec3::Y, Vec3::Z].into_iter().any(|dir| {
                let ray = Ray::new(corner, dir).with_range(0.0, 0.0);
                let is_it = |hit: &Hit| (hit.mesh, hit.triangle) == (judged.mesh, judged.number);
                t.intersect(&ray).is_some() && {
                    assert!(
                        bvh.any_hit(&ray, &query.filter(&is_it)),
                        "{what}: mesh {} triangle {} at {corner}",
                        judged.mesh,
                        judged.number
                    );
                    true
                }
            });
            assert!(found, "{what}: {t:?} lies across no axis");
        }
    }
}

/// Meshes of odd numbers get the mask 2, others 1.
pub fn masked(meshes: Vec<Mesh>) -> Vec<Mesh> {
    let mask = |(i, mesh): (usize, Mesh)| mesh.with_mask(1 << (i % 2));
    meshes.into_iter().enumerate().map(mask).collect()
}

/// Small scenes of all kinds, with their names: near and far, tiny and huge, mirrored.
pub fn many() -> [(&'static str, Vec<Mesh>); 8] {
    let mirrored = Affine3A::from_scale(Vec3::new(-1.0, 1.0, 1.0)) * Affine3A::from_rotation_y(0.3);
    let far = Affine3A::from_translation(Vec3::new(1e6, -7e5, 3e5));
    let tiny = Affine3A::from_scale(Vec3::splat(1e-32));
    let huge = Affine3A::from_scale(Vec3::splat(1e30));
    [
        ("city", vec![city(16, 3)]),
        ("two cities", vec![city(8, 1), city(8, 1).with_transform(mirrored)]),
        ("far city", vec![city(12, 3).with_transform(far)]),
        ("tiny city", vec![city(12, 3).with_transform(tiny)]),
        ("huge city", vec![city(12, 3).with_transform(huge)]),
        ("terrain", vec![terrain(20, 1)]),
        ("sphere", vec![sphere(24, 12, 9.0, Vec3::ZERO)]),
        ("soup", vec![soup(300, 12.0, 4.0, 5), soup(300, 12.0, 4.0, 6)]),
    ]
}

/// Slivers, and triangles that all but have no area.
pub fn needles() -> Mesh {
    let mut random = Random::new(8);
    let mut needles = Vec::new();
    for i in 0..200 {
        let from = random.in_box(Vec3::splat(-5.0), Vec3::splat(5.0));
        let along = random.direction() * 3.0;
        let off = random.direction() * [1e-2, 1e-4, 1e-6, 1e-7][i % 4];
        needles
            .extend([from, from + along, from + along * random.unit() + off].map(|p| p.to_array()));
    }
    Mesh::from_soup(needles)
}

/// A hit in a scene as its tree has it.
pub fn in_tree(mut hit: Hit) -> Hit {
    hit.instance = InstanceId::NONE;
    hit
}
