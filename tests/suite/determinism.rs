//! The same meshes and options give the same tree, bit for bit, with any number of threads and in
//! any run. Batches give the bits of single queries with any number of threads.
//!
//! `HITSCAN_LONG=1000` bakes every real mesh and prints a hash of all their bytes. The hash must
//! not depend on the target of the build (`RUSTFLAGS="-C target-cpu=native"`).

use crate::{scenes, support};
use hitscan::glam::{Affine3A, Vec3};
use hitscan::{Builder, Bvh, Hit, Mesh, Quality, Query};
use scenes::{rays_at, triangles};
use sha2::{Digest, Sha256};
use support::{Judge, Random, long, shared_mesh, shared_names};

const THREADS: [usize; 5] = [2, 1, 3, 8, 1];

fn bake(meshes: &[Mesh], threads: usize) -> Bvh {
    bake_well(meshes, threads, Quality::Balanced)
}

fn bake_well(meshes: &[Mesh], threads: usize, quality: Quality) -> Bvh {
    Builder::new().quality(quality).threads(threads).bake(meshes).expect("the meshes are sound").0
}

/// Bakes with each preset and each number of threads, and once more with the first.
fn assert_one_outcome(name: &str, meshes: &[Mesh]) -> Bvh {
    assert_one(&format!("{name}, best"), meshes, Quality::Best);
    assert_one(&format!("{name}, fast"), meshes, Quality::Fast);
    assert_one(name, meshes, Quality::Balanced)
}

fn assert_one(name: &str, meshes: &[Mesh], quality: Quality) -> Bvh {
    let first = bake_well(meshes, THREADS[0], quality);
    first.validate().unwrap_or_else(|error| panic!("{name}: {error}"));
    let bytes = first.to_bytes();
    for threads in THREADS {
        let again = bake_well(meshes, threads, quality);
        assert!(again == first, "{name}: another tree with {threads} threads");
        assert!(again.to_bytes() == bytes, "{name}: other bytes with {threads} threads");
    }
    // In the caller's own pool.
    let (again, report) = Builder::new().quality(quality).bake(meshes).unwrap();
    assert!(again == first, "{name}: another tree without threads of its own");
    println!(
        "{name}: {} triangles, {} references, {} nodes",
        report.summary.triangles_kept, report.summary.references, report.summary.nodes
    );
    first
}

/// Enough triangles for each stage to run on several threads: gathering works on 2^14 at a time,
/// binning on 2^15, and subtrees fork from 2^12.
#[test]
fn large_levels_bake_the_same_with_any_number_of_threads() {
    let far = Affine3A::from_translation(Vec3::new(-30.0, 2.0, 50.0));
    let level = vec![
        scenes::terrain(250, 1),
        scenes::soup(40_000, 100.0, 1.0, 2).with_transform(far),
        Mesh::default(),
        scenes::city(200, 3).with_user_id(4),
        scenes::level(4).pop().unwrap(),
    ];
    assert_one_outcome("level", &level);
}

#[test]
fn real_levels_bake_the_same() {
    let mut all = Sha256::new();
    let mut files = 0;
    for name in shared_names(5_000 * long()) {
        let mesh = shared_mesh(&name).expect("it is there");
        for quality in [Quality::Fast, Quality::Balanced, Quality::Best] {
            let [one, two] = [1, 2]
                .map(|threads| bake_well(std::slice::from_ref(&mesh), threads, quality).to_bytes());
            assert!(one == two, "{name}, {quality:?}");
            all.update(&one);
            files += 1;
        }
    }
    println!("{files} files: {:x}", all.finalize());
}

/// Only the numbers of the triangles may decide the order of equal ones.
#[test]
fn clustered_triangles_bake_the_same() {
    let mut random = Random::new(7);
    let mut positions = Vec::new();
    for _ in 0..110_000 {
        // Many equal centroids and costs.
        let at = random.in_box(Vec3::ZERO, Vec3::splat(20.0)).floor();
        let size = (1 + random.below(3)) as f32;
        positions.push((at - Vec3::new(size, 0.0, size)).to_array());
        positions.push((at + Vec3::new(size, 0.0, -size)).to_array());
        positions.push((at + Vec3::new(0.0, 0.0, size)).to_array());
    }
    assert_one_outcome("clusters", &[Mesh::from_soup(positions)]);
}

#[test]
fn adversarial_meshes_bake_the_same() {
    let triangle = |at: Vec3, size: f32| {
        [at, at + Vec3::new(size, 0.0, 0.0), at + Vec3::new(0.0, size, 0.0)].map(|v| v.to_array())
    };
    let mut random = Random::new(8);
    let make = |count: usize, f: &mut dyn FnMut(usize) -> [[f32; 3]; 3]| {
        vec![Mesh::from_soup((0..count).flat_map(f).collect())]
    };
    let scenes = [
        ("identical", make(100_001, &mut |_| triangle(Vec3::ONE, 2.0))),
        (
            "each half the last",
            make(50_000, &mut |i| {
                let size = (-((i % 140) as f32)).exp2();
                triangle(Vec3::splat(size), size)
            }),
        ),
        (
            "one plane",
            make(60_000, &mut |i| {
                triangle(Vec3::new((i % 300) as f32, (i / 300) as f32, 5.0), 1.0)
            }),
        ),
        (
            "collinear centroids",
            make(60_000, &mut |i| {
                let size = 1.0 + (i % 7) as f32;
                let at = Vec3::new((i / 13) as f32 - 0.5 * size, -0.5 * size, 0.0);
                triangle(at, size)
            }),
        ),
        ("huge", make(60_000, &mut |_| triangle(random.direction() * 1e38, 1e37))),
        (
            "denormal",
            make(60_000, &mut |i| {
                triangle(Vec3::new(i as f32, (i * 7 % 1000) as f32, 0.0) * 1e-44, 3e-44)
            }),
        ),
        (
            // Zeros of both signs in each box.
            "two zeros",
            make(20_000, &mut |i| {
                let zero = |bit: usize| if (i >> bit) & 1 == 0 { 0.0 } else { -0.0 };
                let x = (i / 64) as f32;
                [[x, zero(0), zero(1)], [x + 1.0, zero(2), zero(3)], [x, 1.0, zero(4)]]
            }),
        ),
    ];
    for (name, meshes) in &scenes {
        assert_one_outcome(name, meshes);
    }
}

/// A tree depends on the meshes, not on the layout of their buffers.
#[test]
fn buffers_of_another_shape_bake_the_same() {
    use hitscan::{Indices, MeshView, Positions};
    let mesh = scenes::terrain(60, 11);
    let vectors: Vec<Vec3> = mesh.positions.iter().map(|&p| p.into()).collect();
    let narrow: Vec<u16> = mesh.indices.as_ref().unwrap().iter().map(|&i| i as u16).collect();
    let view = MeshView::new(Positions::Vec3(&vectors), Indices::U16(&narrow)).with_name("terrain");
    let (other, _) = Builder::new().bake(&[view]).unwrap();
    assert!(other == bake(&[mesh], 2));
}

/// What was baked before changes nothing, nor does a bake that failed or was cancelled.
#[test]
fn a_builder_bakes_the_same_again_and_again() {
    let mut bad = scenes::soup(50, 1.0, 1.0, 2);
    bad.positions[7] = [f32::NAN; 3];
    let scenes = [vec![], vec![bad], scenes::level(3), vec![scenes::soup(60_000, 10.0, 0.5, 2)]];
    for quality in [Quality::Fast, Quality::Best, Quality::Balanced] {
        let builder = Builder::new().quality(quality).threads(2);
        for meshes in &scenes {
            let first = builder.bake(meshes);
            cancel_a_bake(&builder, meshes);
            match (first, builder.bake(meshes)) {
                (Ok((first, expected)), Ok((again, report))) => {
                    assert!(again == first && again.to_bytes() == first.to_bytes());
                    assert_eq!(report.summary, expected.summary);
                }
                (first, again) => {
                    let (first, again) = (first.unwrap_err(), again.unwrap_err());
                    assert_eq!(again.to_string(), first.to_string());
                }
            }
        }
    }
}

/// Cancels a bake at the fortieth call of the callback, if there are as many.
fn cancel_a_bake(builder: &Builder, meshes: &[Mesh]) {
    let views: Vec<_> = meshes.iter().map(Mesh::view).collect();
    let mut calls = 0;
    let cancelled = builder.bake_with_progress(&views, &mut |_| {
        calls += 1;
        if calls == 40 {
            return std::ops::ControlFlow::Break(());
        }
        std::ops::ControlFlow::Continue(())
    });
    drop(cancelled);
}

/// Equality compares every bit; otherwise the tests above could not fail.
#[test]
fn trees_that_differ_in_a_bit_are_not_equal() {
    let mut mesh = scenes::terrain(10, 12);
    let bvh = bake(std::slice::from_ref(&mesh), 1);
    assert!(bvh == bvh.clone());
    let mut moved = mesh.clone();
    moved.positions[60][1] = moved.positions[60][1].next_up();
    assert!(bvh != bake(&[moved], 1));
    assert!(bvh != bake(&[mesh.clone().with_user_id(1)], 1));
    assert!(bvh != bake(&[mesh.clone().with_name("other")], 1));
    assert!(bvh != bake(&[mesh.clone().with_mask(3)], 1));
    let count = mesh.triangle_count();
    assert!(bvh != bake(&[mesh.clone().with_materials(vec![0; count])], 1));
    mesh.indices.as_mut().unwrap().rotate_left(3);
    assert!(bvh != bake(&[mesh], 1));
}

/// Does `work` on a pool of `threads` threads, or without the feature on this thread.
fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    #[cfg(feature = "parallel")]
    {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(work)
    }
    #[cfg(not(feature = "parallel"))]
    {
        let _ = threads;
        work()
    }
}

#[test]
fn batches_equal_single_queries_with_any_number_of_threads() {
    let meshes = scenes::level(13);
    let bvh = bake(&meshes, 1);
    let judge = Judge::new(&meshes);
    let rays = rays_at(&mut Random::new(14), &triangles(&judge), 5000);
    let bits = |hit: &Hit| (hit.t.to_bits(), hit.u.to_bits(), hit.v.to_bits(), *hit);
    let even = |i: usize, hit: &Hit| (hit.triangle as usize + i).is_multiple_of(2);
    for isa in scenes::instruction_sets() {
        let query = Query::new().instruction_set(isa);
        let one = |i: usize| {
            let mut list = Vec::new();
            let mut some = Vec::new();
            bvh.all_hits(&rays[i], &query, &mut list);
            bvh.all_hits(&rays[i], &query.filter(&|hit| even(i, hit)), &mut some);
            (list, some)
        };
        let lists: Vec<_> = (0..rays.len()).map(one).collect();
        assert!(lists.iter().filter(|(list, _)| list.len() > 1).count() > 500);
        for threads in [1, 2] {
            let mut closest = [vec![None; rays.len()], vec![None; rays.len()]];
            let mut any = [vec![false; rays.len()], vec![true; rays.len()]];
            let mut all = [vec![Vec::new(); rays.len()], vec![Vec::new(); rays.len()]];
            on_threads(threads, || {
                bvh.closest_hit_batch(&rays, &query, &mut closest[0])?;
                bvh.closest_hit_batch(&rays, &query.filter_by_index(&even), &mut closest[1])?;
                bvh.any_hit_batch(&rays, &query, &mut any[0])?;
                bvh.any_hit_batch(&rays, &query.filter_by_index(&even), &mut any[1])?;
                bvh.all_hits_batch(&rays, &query, &mut all[0])?;
                bvh.all_hits_batch(&rays, &query.filter_by_index(&even), &mut all[1])
            })
            .unwrap();
            for (i, ray) in rays.iter().enumerate() {
                let at = format!("{ray:?} on {isa} with {threads} threads");
                let single = bvh.closest_hit(ray, &query);
                assert_eq!(closest[0][i].as_ref().map(bits), single.as_ref().map(bits), "{at}");
                let single = bvh.closest_hit(ray, &query.filter(&|hit| even(i, hit)));
                assert_eq!(closest[1][i].as_ref().map(bits), single.as_ref().map(bits), "{at}");
                assert_eq!(any[0][i], bvh.any_hit(ray, &query), "{at}");
                assert_eq!(any[1][i], bvh.any_hit(ray, &query.filter(&|h| even(i, h))), "{at}");
                let same = |a: &[Hit], b: &[Hit]| a.iter().map(bits).eq(b.iter().map(bits));
                assert!(same(&all[0][i], &lists[i].0), "{at}");
                assert!(same(&all[1][i], &lists[i].1), "{at}");
            }
        }
    }
}

#[test]
fn a_batch_of_another_length_writes_nothing() {
    let meshes = scenes::level(15);
    let bvh = bake(&meshes, 1);
    let rays = rays_at(&mut Random::new(16), &triangles(&Judge::new(&meshes)), 10);
    let query = Query::new();
    let hit = rays.iter().find_map(|ray| bvh.closest_hit(ray, &query));
    let mut hits = vec![hit; 9];
    let error = bvh.closest_hit_batch(&rays, &query, &mut hits).unwrap_err();
    assert_eq!(error.to_string(), "a batch of 10 needs 10 results, but the slice holds 9");
    assert_eq!(hits, vec![hit; 9]);
    assert!(bvh.any_hit_batch(&rays, &query, &mut [true; 11]).is_err());
    assert!(bvh.all_hits_batch(&rays, &query, &mut []).is_err());
}
