//! Bakes that are tuned for given rays.

use crate::{scenes, support};
use hitscan::glam::Vec3;
use hitscan::{Builder, Bvh, Mesh, Quality, Query, Ray};
use support::Random;

const QUALITIES: [Quality; 3] = [Quality::Fast, Quality::Balanced, Quality::Best];

/// Rays with origins within a unit of a place.
fn rays_at(place: Vec3, count: usize, seed: u64) -> Vec<Ray> {
    let mut random = Random::new(seed);
    let ray = |_| {
        let origin = place + random.in_box(Vec3::splat(-1.0), Vec3::splat(1.0));
        Ray::new(origin, random.direction())
    };
    (0..count).map(ray).collect()
}

fn bake(builder: &Builder, meshes: &[Mesh]) -> Bvh {
    let (bvh, _) = builder.bake(meshes).expect("sound");
    bvh.validate().expect("sound");
    bvh
}

#[test]
fn given_rays_change_the_tree_but_no_hits() {
    let meshes = scenes::level(4);
    let told = rays_at(Vec3::new(1.0, 4.0, 2.0), 2000, 1);
    let asked = [told.clone(), rays_at(Vec3::splat(-4.0), 2000, 2)].concat();
    for quality in QUALITIES {
        let builder = Builder::new().quality(quality);
        let trees = [bake(&builder, &meshes), bake(&builder.rays(told.clone()), &meshes)];
        assert!(trees[0] != trees[1], "{quality:?}");
        let mut found = 0;
        for ray in &asked {
            let [a, b] = trees.each_ref().map(|bvh| bvh.closest_hit(ray, &Query::new()));
            assert_eq!(a, b, "{quality:?}: {ray:?}");
            found += usize::from(a.is_some());
        }
        assert!(found > 500, "{found}");
    }
}

#[test]
fn bakes_with_given_rays_are_deterministic() {
    let meshes = [scenes::terrain(60, 1), scenes::city(40, 2)];
    for quality in QUALITIES {
        let builder = Builder::new().quality(quality).rays(rays_at(Vec3::ONE, 3000, 3));
        let expected = bake(&builder, &meshes).to_bytes();
        for threads in [1, 2, 3] {
            let bvh = bake(&builder.clone().threads(threads), &meshes);
            assert!(bvh.to_bytes() == expected, "{quality:?}, {threads} threads");
        }
    }
}

/// Invalid rays and rays with empty intervals.
#[test]
fn useless_rays_are_ignored() {
    let meshes = [scenes::terrain(40, 1)];
    let nan = Ray::new([f32::NAN; 3], Vec3::Y);
    let sound = Ray::new([1.0, 9.0, 1.0], Vec3::NEG_Y);
    let tree = |rays: Vec<Ray>| {
        let bvh = bake(&Builder::new().rays(rays), &meshes);
        // All but the content hash, which covers the options.
        [&bvh.to_bytes()[..16], &bvh.to_bytes()[64..]].concat()
    };
    let none = tree(Vec::new());
    for rays in [
        vec![nan; 1000],
        vec![Ray::new(Vec3::ZERO, Vec3::ZERO); 1000],
        vec![sound.with_range(2.0, 1.0); 1000],
    ] {
        assert!(tree(rays.clone()) == none, "{:?}", rays[0]);
    }
    assert!(tree(vec![sound; 1000]) != none);
}

#[test]
fn given_rays_are_part_of_the_content_hash() {
    let meshes = [scenes::terrain(5, 1)];
    let views: Vec<_> = meshes.iter().map(Mesh::view).collect();
    let hash = |rays: &[Ray]| {
        let builder = Builder::new().rays(rays.to_vec());
        let hash = builder.content_hash(&views);
        assert_eq!(bake(&builder, &meshes).content_hash(), Some(hash));
        hash
    };
    let rays = rays_at(Vec3::ONE, 3, 4);
    let mut hashes = vec![hash(&[]), hash(&rays), hash(&rays[1..]), hash(&rays[..2])];
    let mut change = |change: &dyn Fn(&mut Ray)| {
        let mut rays = rays.clone();
        change(&mut rays[1]);
        hashes.push(hash(&rays));
    };
    change(&|ray| ray.origin.z += 1.0);
    change(&|ray| ray.dir.x += 1.0);
    change(&|ray| ray.t_min -= 1.0);
    change(&|ray| ray.t_max = 1.0);
    let count = hashes.len();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), count, "two of these have one number");
}

/// Given rays in one room of a level: others there visit less of the tree, and rays elsewhere
/// hardly more.
#[cfg(all(feature = "stats", feature = "import"))]
#[test]
fn rays_like_the_given_ones_visit_less_of_the_tree() {
    use hitscan::query::Question;
    let level = concat!(env!("CARGO_MANIFEST_DIR"), "/data/level.glb");
    let meshes = hitscan::Import::open(level).expect("sound").meshes;
    let (hall, library) = (Vec3::new(-29.0, 1.7, 17.0), Vec3::new(18.5, 1.7, -19.5));
    let (here, elsewhere) = (rays_at(hall, 4000, 6), rays_at(library, 4000, 7));
    for quality in QUALITIES {
        let builder = Builder::new().quality(quality);
        let told = builder.clone().rays(rays_at(hall, 2000, 5));
        let looks = |bvh: &Bvh, rays: &[Ray]| {
            let looks = rays.iter().map(|ray| {
                let stats = bvh.query_stats(ray, &Query::new(), Question::ClosestHit);
                u64::from(stats.nodes + stats.blocks)
            });
            looks.sum::<u64>() as f64 / rays.len() as f64
        };
        let [without, with] = [builder, told].map(|builder| {
            let bvh = bake(&builder, &meshes);
            [looks(&bvh, &here), looks(&bvh, &elsewhere)]
        });
        println!("{quality:?}: {without:.2?} nodes and blocks a ray, told {with:.2?}");
        assert!(with[0] < 0.95 * without[0]);
        assert!(with[1] < 1.05 * without[1]);
    }
}
