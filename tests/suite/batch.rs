//! Batches give the same bits as single rays, on every instruction set, and as brute force.
//!
//! Coherent rays are traced in packets, incoherent rays as a stream. The bundles here are of many
//! kinds: through one point, parallel, towards one point, along axes, at edges and vertices, all
//! the same, and from afar. Some are broken up by rays of other directions, with intervals behind
//! the origin, of zero length, or invalid. Pictures line by line, of several widths, and their
//! shadow rays are reordered into tiles.
//!
//! By default about a thousand rays are cast in each scene, with `HITSCAN_LONG=50` fifty times as
//! many. `HITSCAN_LONG=8334 cargo test --release --test suite batch::random` casts 100 million
//! random rays in the three largest shared meshes.

use crate::{scenes, support};
use std::sync::atomic::{AtomicUsize, Ordering};

use glam::{Affine3A, Vec3};
use hitscan::{Builder, Bvh, Facing, Hit, Mesh, Quality, Query, Ray, Triangle};
use scenes::triangles;
use support::{Judge, Random, long, shared_mesh, shared_names};

const KINDS: usize = 12;

/// Coherent rays of one kind near a triangle.
fn bundle(kind: usize, triangle: &Triangle, size: f32, random: &mut Random) -> Vec<Ray> {
    let count = 1 + random.below(if kind == 11 { 300 } else { 70 });
    let corners = [triangle.v0, triangle.v1, triangle.v2];
    let center = (corners[0] + corners[1] + corners[2]) / 3.0;
    let away = random.direction() * size * random.range(0.01, 1.0);
    let eye = center + away;
    let spread = size * [1e-6, 1e-4, 1e-2, 1e-1][random.below(4)];
    let (across, step) = (random.direction(), random.direction());
    let along = |i: usize| i as f32 / count as f32 - 0.5;
    let axis = Vec3::AXES[random.below(3)] * [1.0, -1.0][random.below(2)];
    let zeros = Vec3::new(0.0, -0.0, 0.0);
    (0..count)
        .map(|i| match kind {
            // A line of a picture.
            0 => Ray::new(eye, center - eye + across * spread * along(i)),
            // Parallel, as with an orthographic camera.
            1 => Ray::new(eye + across * spread * along(i), center - eye),
            // Shadow rays to a light.
            2 => Ray::between(center + across * spread * along(i), eye),
            // Along an axis: zeros of both signs.
            3 => {
                let flat = [zeros, -zeros][i / 9 % 2];
                Ray::new(center - axis * size + step * spread * along(i), flat + axis)
            }
            // At an edge, and at its ends.
            4 => {
                let at = [0.0, 1.0, 0.5, random.unit()][i % 4];
                Ray::new(eye, corners[0].lerp(corners[1], at) - eye)
            }
            // At a vertex, from origins close together.
            5 => {
                let from = eye + across * spread * along(i);
                Ray::new(from, corners[i % 3] - from)
            }
            6 => Ray::new(eye, center - eye),
            7 => {
                let from = center + away * 1e4 + across * spread * along(i);
                Ray::new(from, center - from)
            }
            // Now and then a ray of another direction.
            8 => {
                let ray = Ray::new(eye, center - eye + across * spread * along(i));
                match random.below(24) {
                    0 => Ray::new(eye, eye - center),
                    1 => ray.with_range(-1.0, f32::INFINITY),
                    2 => ray.with_range(0.5, 0.4),
                    3 => ray.with_range(f32::NAN, 1.0),
                    4 => ray.with_range(0.0, f32::NAN),
                    5 => Ray::new(Vec3::new(f32::NAN, 0.0, 0.0), ray.dir),
                    6 => Ray::new(eye, Vec3::ZERO),
                    7 => Ray::new(eye, Vec3::new(f32::INFINITY, 1.0, 0.0)),
                    8 => Ray::new(eye * 1e30, ray.dir),
                    9 => Ray::new(eye, ray.dir * 1e-20),
                    10 => Ray::new(eye, random.direction()),
                    _ => ray,
                }
            }
            // Each with its own interval and length.
            9 => {
                let dir = center - eye + across * spread * along(i);
                let t = random.range(0.0, 1.5);
                let ray = match random.below(4) {
                    0 => Ray::new(eye, dir).with_range(t, f32::INFINITY),
                    1 => Ray::new(eye, dir).with_range(0.0, t),
                    2 => Ray::new(eye, dir).with_range(-0.0, 1.0),
                    _ => Ray::new(eye, dir).with_range(t * 0.5, t),
                };
                let length = random.range(0.5, 2.0);
                Ray {
                    dir: ray.dir * length,
                    t_min: ray.t_min / length,
                    t_max: ray.t_max / length,
                    ..ray
                }
            }
            // Incoherent: from all sides, at the triangle, past it, and at its edges.
            11 => {
                let from = center + random.direction() * size * random.range(0.0, 1.5);
                let at = match i % 4 {
                    0 => corners[i % 3],
                    1 => corners[0].lerp(corners[2], random.unit()),
                    2 => center + random.direction() * size,
                    _ => center,
                };
                Ray::new(from, (at - from) * random.range(0.1, 10.0))
            }
            // In the triangle's plane, or nearly.
            _ => {
                let dir = corners[1] - corners[0] + across * 1e-7 * size * along(i);
                Ray::new(corners[0] - dir * random.range(0.1, 2.0), dir)
            }
        })
        .collect()
}

/// The primary rays of a picture, line by line, then the shadow rays from their hits to a light, in
/// the same order. A few rays are invalid.
fn picture(bvh: &Bvh, width: usize, height: usize, random: &mut Random) -> Vec<Ray> {
    let bounds = bvh.bounds();
    let point = |random: &mut Random| {
        let part = [(); 3].map(|()| random.range(0.1, 0.9));
        bounds.min + (bounds.max - bounds.min) * Vec3::from_array(part)
    };
    let (eye, light) = (point(random), point(random));
    let ahead = random.direction();
    let across = ahead.cross(random.direction()).normalize();
    let up = across.cross(ahead) * (height as f32 / width as f32);
    let wide = [0.1, 0.7, 2.0][random.below(3)];
    let part = |i: usize, count: usize| (i as f32 + 0.5) / count as f32 * 2.0 - 1.0;
    let mut rays: Vec<_> = (0..width * height)
        .map(|i| {
            let (x, y) = (part(i % width, width), part(i / width, height));
            Ray::new(eye, ahead + (across * x + up * y) * wide)
        })
        .collect();
    let mut hits = vec![None; rays.len()];
    bvh.closest_hit_batch(&rays, &Query::new(), &mut hits).unwrap();
    for i in 0..rays.len() {
        if let Some(hit) = &hits[i] {
            let at = rays[i].origin + rays[i].dir * hit.t * 0.999;
            rays.push(Ray::between(at, light));
        }
        match random.below(2000) {
            0 => rays[i].dir = Vec3::NAN,
            1 => rays[i].dir = Vec3::ZERO,
            2 => rays[i].origin.x = f32::INFINITY,
            3 => rays[i].t_max = -1.0,
            4 => rays[i].dir = -rays[i].dir,
            _ => {}
        }
    }
    rays
}

/// A wall of tiles of two triangles, in many meshes: half of them mirrored, with and without
/// materials, and with ids whose halves are NaNs as floats.
fn tiles() -> Vec<Mesh> {
    let wide = 6;
    (0..wide * wide)
        .map(|i: usize| {
            let (x, y) = ((i % wide) as f32, (i / wide) as f32);
            let z = [0.0, 0.3, 0.1][i % 3];
            let corners = [[x, y, z], [x + 1.0, y, z], [x, y + 1.0, z], [x + 1.0, y + 1.0, z]];
            let mut indices = vec![0, 1, 2, 2, 1, 3];
            if i % 4 > 1 {
                indices.reverse();
            }
            let mirrored = Affine3A::from_scale(Vec3::new(1.0, 1.0, -1.0));
            let mesh = Mesh::new(corners.to_vec(), indices)
                .with_user_id([u64::MAX, 0x7f80_0001_ffc0_0002, 0, 1 << 63][i % 4]);
            let mesh = if i.is_multiple_of(2) { mesh.with_transform(mirrored) } else { mesh };
            let materials = [7, u32::MAX - i as u32];
            if i.is_multiple_of(3) { mesh.with_materials(materials.to_vec()) } else { mesh }
        })
        .collect()
}

#[test]
fn pictures_line_by_line_equal_single_rays() {
    let hits = AtomicUsize::new(0);
    let mut asked = 0;
    for (name, meshes) in [
        ("level", scenes::level(5)),
        ("terrain", vec![scenes::terrain(60, 8)]),
        ("city", vec![scenes::city(12, 4)]),
        ("tiles", tiles()),
    ] {
        let (bvh, _) = Builder::new().quality(Quality::Best).bake(&meshes).unwrap();
        let mut random = Random::new(75);
        for _ in 0..long() {
            for (width, height) in [(64, 40), (100, 20), (8, 70), (256, 16), (1200, 4), (77, 31)] {
                let rays = picture(&bvh, width, height, &mut random);
                asked += rays.len();
                compare(name, &bvh, &rays, &hits);
            }
        }
    }
    let hits = hits.into_inner();
    println!("{asked} rays of pictures, {hits} hits on all kernels, no difference");
    assert!(hits > asked, "{hits}");
}

/// A batch of every length, up to some more than a packet holds.
#[test]
fn short_batches_equal_single_rays() {
    let (bvh, _) = Builder::new().bake(&scenes::level(5)).unwrap();
    let mut random = Random::new(76);
    let hits = AtomicUsize::new(0);
    let mut asked = 0;
    for len in 1..=150 {
        for _ in 0..long() {
            let rays = picture(&bvh, 32, 24, &mut random);
            let first = random.below(rays.len() - len);
            compare("level", &bvh, &rays[first..first + len], &hits);
            asked += len;
        }
    }
    assert!(hits.into_inner() > asked);
}

fn bits(hit: &Option<Hit>) -> Option<(u32, u32, u32, Hit)> {
    hit.map(|hit| (hit.t.to_bits(), hit.u.to_bits(), hit.v.to_bits(), hit))
}

/// Casts `count` rays, and compares `judged` of them with brute force.
fn ask(name: &str, meshes: &[Mesh], count: usize, judged: usize) {
    let judge = Judge::new(meshes);
    let triangles = triangles(&judge);
    let mut random = Random::new(71);
    let hits = AtomicUsize::new(0);
    for quality in [Quality::Balanced, Quality::Best] {
        let (bvh, _) = Builder::new().quality(quality).bake(meshes).unwrap();
        let bounds = bvh.bounds();
        let size = (bounds.max - bounds.min).max_element();
        let mut rays = Vec::new();
        while rays.len() < count {
            let triangle = &triangles[random.below(triangles.len())];
            let kind = random.below(KINDS);
            rays.extend(bundle(kind, triangle, size, &mut random));
        }
        compare(name, &bvh, &rays, &hits);
        let mut batch = vec![None; rays.len()];
        bvh.closest_hit_batch(&rays, &Query::new(), &mut batch).unwrap();
        for (ray, hit) in rays.iter().zip(&batch).take(judged) {
            let expected = judge.all(ray, Facing::Both, u32::MAX);
            match (hit, expected.first()) {
                (Some(hit), Some(expected)) => assert!(expected.is(hit), "{name}: {ray:?}"),
                (hit, expected) => assert!(
                    hit.is_none() && expected.is_none(),
                    "{name}: {ray:?}: {hit:?} and {expected:?}"
                ),
            }
        }
    }
    let hits = hits.into_inner();
    println!("{name:36} {count:>8} rays, {hits:>9} hits on all kernels, no difference");
    assert!(hits > count / 4, "{name}: only {hits} hits");
}

/// Batches on every instruction set against single rays on the plainest.
fn compare(name: &str, bvh: &Bvh, rays: &[Ray], hits: &AtomicUsize) {
    for (facing, mask) in [(Facing::Both, u32::MAX), (Facing::Front, u32::MAX), (Facing::Both, 2)] {
        let plain = Query::new().instruction_set(hitscan::InstructionSet::available()[0]);
        let plain = plain.facing(facing).mask(mask);
        let closest: Vec<_> = rays.iter().map(|r| bvh.closest_hit(r, &plain)).collect();
        let any: Vec<_> = rays.iter().map(|r| bvh.any_hit(r, &plain)).collect();
        for isa in scenes::instruction_sets() {
            let query = plain.instruction_set(isa);
            let mut batch = vec![None; rays.len()];
            bvh.closest_hit_batch(rays, &query, &mut batch).unwrap();
            let mut found = vec![false; rays.len()];
            bvh.any_hit_batch(rays, &query, &mut found).unwrap();
            for i in 0..rays.len() {
                let at = || format!("{name}, {isa}, {facing:?}, {mask}: ray {i}: {:?}", rays[i]);
                assert_eq!(bits(&batch[i]), bits(&closest[i]), "{}", at());
                assert_eq!(found[i], any[i], "{}", at());
            }
            hits.fetch_add(batch.iter().flatten().count(), Ordering::Relaxed);
        }
    }
    compare_filtered(name, bvh, rays);
}

/// The same with a filter that accepts some of the triangles, different ones for each ray.
fn compare_filtered(name: &str, bvh: &Bvh, rays: &[Ray]) {
    let sees = |i: usize, hit: &Hit| !(hit.triangle as usize + i).is_multiple_of(3);
    let plain = Query::new().instruction_set(hitscan::InstructionSet::available()[0]);
    let closest: Vec<_> = (0..rays.len())
        .map(|i| bvh.closest_hit(&rays[i], &plain.filter(&|hit| sees(i, hit))))
        .collect();
    for isa in scenes::instruction_sets() {
        let query = plain.instruction_set(isa);
        let mut batch = vec![None; rays.len()];
        bvh.closest_hit_batch(rays, &query.filter_by_index(&sees), &mut batch).unwrap();
        let mut found = vec![false; rays.len()];
        bvh.any_hit_batch(rays, &query.filter_by_index(&sees), &mut found).unwrap();
        for i in 0..rays.len() {
            let at = || format!("{name}, {isa}, filtered: ray {i}: {:?}", rays[i]);
            assert_eq!(bits(&batch[i]), bits(&closest[i]), "{}", at());
            assert_eq!(found[i], closest[i].is_some(), "{}", at());
        }
    }
}

/// Random rays, single and in batches, on every instruction set against the plainest.
fn ask_at_random(name: &str, bvh: &Bvh, count: usize) -> usize {
    let bounds = bvh.bounds();
    let mut random = Random::new(73);
    let mut point = || {
        let part = [(); 3].map(|()| random.range(-0.05, 1.05));
        bounds.min + (bounds.max - bounds.min) * Vec3::from_array(part)
    };
    let plain = Query::new().instruction_set(hitscan::InstructionSet::available()[0]);
    let (mut asked, mut met) = (0, 0);
    while asked < count {
        let rays: Vec<_> =
            (0..20_000.min(count - asked)).map(|_| Ray::new(point(), point() - point())).collect();
        asked += rays.len();
        let mut expected = vec![None; rays.len()];
        let mut expected_all = vec![Vec::new(); rays.len()];
        bvh.closest_hit_batch(&rays, &plain, &mut expected).unwrap();
        bvh.all_hits_batch(&rays, &plain, &mut expected_all).unwrap();
        met += expected.iter().flatten().count();
        for isa in scenes::instruction_sets() {
            let query = plain.instruction_set(isa);
            let mut closest = vec![None; rays.len()];
            let mut any = vec![false; rays.len()];
            let mut all = vec![Vec::new(); rays.len()];
            bvh.closest_hit_batch(&rays, &query, &mut closest).unwrap();
            bvh.any_hit_batch(&rays, &query, &mut any).unwrap();
            bvh.all_hits_batch(&rays, &query, &mut all).unwrap();
            for (i, ray) in rays.iter().enumerate() {
                let at = || format!("{name}, {isa}: {ray:?}");
                let hit = bits(&expected[i]);
                assert_eq!(bits(&closest[i]), hit, "{}", at());
                assert_eq!(bits(&bvh.closest_hit(ray, &query)), hit, "{}", at());
                assert_eq!(bits(&expected_all[i].first().copied()), hit, "{}", at());
                assert!(any[i] == hit.is_some() && bvh.any_hit(ray, &query) == any[i]);
                assert!(all[i].iter().eq(expected_all[i].iter()), "{}", at());
            }
        }
    }
    met
}

#[test]
fn random_rays_in_the_largest_meshes_equal_scalar_code() {
    let largest = shared_names(usize::MAX).into_iter().rev().take(3);
    let meshes: Vec<_> = largest.filter_map(|name| Some((shared_mesh(&name)?, name))).collect();
    let count = 2000 * long();
    std::thread::scope(|scope| {
        for (mesh, name) in &meshes {
            for quality in [Quality::Balanced, Quality::Best] {
                scope.spawn(move || {
                    let (bvh, _) =
                        Builder::new().quality(quality).bake(std::slice::from_ref(mesh)).unwrap();
                    let met = ask_at_random(name, &bvh, count);
                    println!("{name}, {quality:?}: {count} random rays, {met} hits");
                    assert!(met > count / 20, "{name}: only {met} hits");
                });
            }
        }
    });
}

/// On one thread, so that a batch is one piece.
fn on_one_thread(work: impl FnOnce() + Send) {
    #[cfg(feature = "parallel")]
    {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        pool.unwrap().install(work);
    }
    #[cfg(not(feature = "parallel"))]
    work();
}

/// In a tree larger than the caches, incoherent rays are sorted by their origins.
#[test]
fn shuffled_rays_through_a_large_tree_equal_single_rays() {
    on_one_thread(|| {
        let mesh = scenes::terrain(500, 10);
        let (bvh, _) =
            Builder::new().quality(Quality::Fast).bake(std::slice::from_ref(&mesh)).unwrap();
        assert!(bvh.to_bytes().len() > 16 << 20);
        let count = 18_000 * long();
        let met = ask_at_random("terrain", &bvh, count);
        assert!(met > count / 4, "only {met} hits");

        let judge = Judge::new(&[mesh]);
        let triangles = triangles(&judge);
        let mut random = Random::new(76);
        let mut rays = Vec::new();
        while rays.len() < 5000 {
            let triangle = &triangles[random.below(triangles.len())];
            let kind = random.below(KINDS);
            let mut some = bundle(kind, triangle, 1.0, &mut random);
            some.truncate(3);
            rays.append(&mut some);
        }
        for i in (1..rays.len()).rev() {
            rays.swap(i, random.below(i + 1));
        }
        let hits = AtomicUsize::new(0);
        compare("terrain", &bvh, &rays, &hits);
        let hits = hits.into_inner();
        println!("{count} random and {} shuffled rays, {met} and {hits} hits", rays.len());
        assert!(hits > rays.len(), "only {hits} hits");
    });
}

#[cfg(feature = "stats")]
#[test]
fn query_statistics_fit_the_answers() {
    use hitscan::query::Question;
    let meshes = scenes::level(21);
    let (bvh, _) = Builder::new().bake(&meshes).unwrap();
    let judge = Judge::new(&meshes);
    let rays = scenes::rays_at(&mut Random::new(22), &triangles(&judge), 500);
    for isa in scenes::instruction_sets() {
        let query = Query::new().instruction_set(isa);
        let mut most = 0;
        for ray in &rays {
            let hit = bvh.closest_hit(ray, &query);
            let stats = bvh.query_stats(ray, &query, Question::ClosestHit);
            assert!(hit.is_none() || (stats.nodes > 0 && stats.blocks > 0 && stats.triangles > 0));
            assert!(stats.triangles <= 8 * stats.blocks && stats.blocks <= stats.triangles);
            most = most.max(stats.nodes);
            let fewer = bvh.query_stats(ray, &query, Question::AnyHit);
            // A miss visits everything, in any order.
            assert!(hit.is_some() || (fewer.nodes, fewer.blocks) == (stats.nodes, stats.blocks));
        }
        assert!(most > 3, "{most}");
        let nothing = Ray::new([0.0; 3], [0.0; 3]);
        let stats = bvh.query_stats(&nothing, &query, Question::ClosestHit);
        assert_eq!((stats.nodes, stats.blocks), (0, 0));
    }
}

#[test]
fn bundles_in_generated_scenes_equal_single_rays() {
    let made: [(&str, Vec<Mesh>); 5] = [
        ("level", scenes::level(3)),
        ("terrain", vec![scenes::terrain(40, 5)]),
        ("sphere", vec![scenes::sphere(40, 20, 3.0, Vec3::new(1e3, 2e3, -5.0))]),
        ("soup", vec![scenes::soup(2000, 10.0, 2.0, 7)]),
        ("city", vec![scenes::city(12, 9)]),
    ];
    for (name, meshes) in &made {
        ask(name, meshes, 4000 * long(), 200 * long());
    }
}

#[test]
fn bundles_in_real_meshes_equal_single_rays() {
    let most = if long() > 1 { usize::MAX } else { 30_000 };
    for name in shared_names(most) {
        if let Some(mesh) = shared_mesh(&name) {
            ask(&name, &[mesh], 1000 * long(), 0);
        }
    }
}
