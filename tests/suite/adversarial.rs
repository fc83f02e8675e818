//! No mesh makes a bake slow, a tree deep or a file large, and all answers are right: meshes that
//! are hard for builders, with every preset.
//!
//! `HITSCAN_LONG=1000` also bakes a million triangles of each and compares the times with that of
//! a random mesh of the same size: none should take three times as long.

use crate::{scenes, support};
use std::f32::consts::TAU;
use std::time::Instant;

use hitscan::glam::Vec3;
use hitscan::{Builder, Mesh, Quality};
use scenes::{compare, rays_at, triangles};
use support::{Judge, Random, long};

const QUALITIES: [Quality; 3] = [Quality::Fast, Quality::Balanced, Quality::Best];

/// The most levels of a tree.
const DEPTH: u32 = 40;

/// Triangles of each mesh.
const FEW: usize = 1000;

/// Makes triangle `i` of `n`.
type Make = fn(i: usize, n: usize, random: &mut Random) -> [Vec3; 3];

fn right(at: Vec3, size: f32) -> [Vec3; 3] {
    [at, at + Vec3::X * size, at + Vec3::Y * size]
}

fn anywhere(random: &mut Random, size: f32) -> Vec3 {
    random.in_box(Vec3::ZERO, Vec3::splat(size))
}

/// Three corners, each within `size` of a point anywhere in a cube of side `room`.
fn near(random: &mut Random, room: f32, size: f32) -> [Vec3; 3] {
    let at = anywhere(random, room);
    [(); 3].map(|()| at + anywhere(random, size))
}

/// Evenly spread triangles of about the size of the gaps: the others are compared with these.
fn random(_: usize, n: usize, random: &mut Random) -> [Vec3; 3] {
    near(random, 100.0, 100.0 / (n as f32).cbrt())
}

const MESHES: [(&str, Make); 24] = [
    ("identical", |_, _, _| right(Vec3::ONE, 2.0)),
    ("nearly identical", |_, _, random| right(Vec3::ONE + anywhere(random, 1e-6), 1.0)),
    ("collinear", |i, _, _| right(Vec3::X * i as f32, 0.5)),
    ("nested", |i, n, _| {
        let size = 1001.0 - 1000.0 * i as f32 / n as f32;
        [[-size, -size], [size, -size], [0.0, size]].map(|[x, y]| Vec3::new(x, y, 0.0))
    }),
    ("concentric", |i, _, random| {
        let [a, b] = [(); 2].map(|()| random.direction() * (1 + i) as f32);
        [a, b, -a - b]
    }),
    ("each half the last", |i, _, _| {
        let size = (126.0 - (i % 275) as f32).exp2();
        right(Vec3::X * size, size)
    }),
    ("of all sizes", |_, _, random| {
        let size = random.range(-100.0, 100.0).exp2();
        right(random.direction() * size, 0.1 * size)
    }),
    ("one huge among tiny", |i, n, random| {
        if i == n / 2 {
            [[-1e9, -1e9], [1e9, -1e9], [0.0, 1e9]].map(|[x, y]| Vec3::new(x, y, 0.5))
        } else {
            right(anywhere(random, 1.0), 1e-3)
        }
    }),
    ("large and small by turns", |i, _, random| {
        let size = if i % 2 == 0 { 50.0 } else { 0.01 };
        right(anywhere(random, 100.0), size)
    }),
    ("all huge", |_, _, random| near(random, 1.0, 100.0)),
    ("one plane", |i, n, _| {
        let side = (n as f32).sqrt().ceil() as usize;
        right(Vec3::new((i % side) as f32, (i / side) as f32, 7.0), 1.0)
    }),
    ("a stack of planes", |i, _, _| right(Vec3::Z * i as f32 * 1e-3, 100.0)),
    ("1e30", |_, _, random| near(random, 1e30, 1e28)),
    ("3e38", |_, _, random| near(random, 3e38, 3e36)),
    ("denormal", |_, _, random| near(random, 1e-39, 1e-41)),
    ("slivers", |_, _, random| {
        let at = anywhere(random, 100.0);
        let end = at + Vec3::X * 50.0;
        [at, end, end + Vec3::Y * 1e-3]
    }),
    ("diagonals", |_, _, random| {
        let end = Vec3::splat(90.0) + anywhere(random, 10.0);
        [anywhere(random, 10.0), end, end + Vec3::Y * 0.01]
    }),
    ("three beams across", |i, n, _| {
        let at = Vec3::splat(100.0 * i as f32 / n as f32);
        let axis = [Vec3::X, Vec3::Y, Vec3::Z][i % 3];
        let (from, to) = (at * (Vec3::ONE - axis), at + axis * (100.0 - at.x));
        [from, to, to + Vec3::new(axis.y, axis.z, axis.x) * 0.1]
    }),
    ("a fan", |i, n, _| {
        let rim = |i: usize| {
            let (sin, cos) = (TAU * i as f32 / n as f32).sin_cos();
            Vec3::new(100.0 * cos, 0.0, 100.0 * sin)
        };
        [Vec3::Y * 50.0, rim(i), rim(i + 1)]
    }),
    ("a star", |_, _, random| {
        let end = random.direction() * 100.0;
        [Vec3::ZERO, end, end + random.direction() * 0.1]
    }),
    ("two clusters far apart", |i, _, random| {
        let at = if i % 2 == 0 { -1e9 } else { 1e9 };
        right(Vec3::splat(at) + anywhere(random, 1e4), 100.0)
    }),
    ("clusters at powers of two", |i, _, random| {
        let size = ((i % 23) as f32 - 11.0).exp2();
        let sign = |bit: usize| if i & bit == 0 { size } else { -0.999 * size };
        let at = Vec3::new(sign(1), sign(2), sign(4));
        right(at + anywhere(random, 1e-3 * size), 1e-3 * size)
    }),
    ("a crowd at one end", |_, _, random| {
        let at = random.unit().powi(8) * 1e6;
        right(Vec3::splat(at), 1e-3 * (1.0 + at))
    }),
    ("few centroids", |i, _, random| {
        let at = 10.0 * Vec3::new((i % 4) as f32, (i / 4 % 4) as f32, (i / 16 % 4) as f32);
        let size = random.range(0.5, 4.5);
        [[-size, -size], [size, -size], [0.0, size]].map(|[x, y]| at + Vec3::new(x, y, 0.0))
    }),
];

fn make(count: usize, make: Make) -> Mesh {
    let mut random = Random::new(21);
    let corners = (0..count).flat_map(|i| make(i, count, &mut random));
    Mesh::from_soup(corners.map(|corner| corner.to_array()).collect())
}

#[test]
fn hard_meshes_make_shallow_trees_small_files_and_right_answers() {
    scenes::instruction_sets();
    for (name, f) in MESHES {
        let meshes = [make(FEW, f)];
        let judge = Judge::new(&meshes);
        let rays = rays_at(&mut Random::new(22), &triangles(&judge), 60);
        for quality in QUALITIES {
            let what = format!("{name}, {quality:?}");
            let baked = Builder::new().quality(quality).bake(&meshes);
            let (bvh, report) = baked.unwrap_or_else(|error| panic!("{what}: {error}"));
            let summary = report.summary;
            let bytes = bvh.to_bytes().len();
            println!(
                "{what}: {} references, depth {}, {bytes} bytes",
                summary.references, summary.depth
            );
            assert_eq!(summary.triangles_in, FEW as u64, "{what}");
            let skipped = summary.skipped_degenerate;
            assert_eq!(summary.triangles_kept + skipped, FEW as u64, "{what}");
            assert!(skipped < FEW as u64 / 2, "{what}");
            assert!(summary.depth <= DEPTH, "{what}: depth {}", summary.depth);
            assert!(summary.references <= summary.triangles_kept * 3 / 2, "{what}");
            assert!(bytes <= 4096 + 300 * FEW, "{what}: {bytes} bytes");
            bvh.validate().unwrap_or_else(|error| panic!("{what}: {error}"));
            assert!(compare(&bvh, &judge, &rays, &what) > 0, "{what}: no ray hits");
        }
    }
}

#[test]
fn no_mesh_takes_much_longer_to_bake_than_a_random_one() {
    let count = (FEW * long()).min(1_000_000);
    // Small meshes only show that the bake ends.
    let time = |mesh: &Mesh, quality: Quality| {
        let times = (0..3).map(|_| {
            let start = Instant::now();
            let baked = Builder::new().quality(quality).bake(std::slice::from_ref(mesh));
            let time = start.elapsed();
            (time, baked.expect("sound").1.summary.depth)
        });
        times.min().expect("three of them")
    };
    for quality in QUALITIES {
        let (usual, _) = time(&make(count, random), quality);
        println!("{quality:?}: {count} triangles at random take {usual:?}");
        for (name, f) in MESHES {
            let (time, depth) = time(&make(count, f), quality);
            let ratio = time.as_secs_f64() / usual.as_secs_f64();
            println!("  {ratio:4.2} times that: {name}, depth {depth}");
            assert!(depth <= DEPTH, "{name}: depth {depth}");
        }
    }
}
