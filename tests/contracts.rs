//! The contracts on the crate's front page, one module each, and facing, masks and filters. Other
//! files hold more tests of watertightness, equal bits, conservative boxes, degenerate triangles
//! and deterministic bakes.

mod scenes;
mod support;

use hitscan::glam::{Affine3A, Vec3};
use hitscan::{Builder, Bvh, Facing, Hit, Layers, Mesh, Query, Ray, Triangle};
use scenes::{compare, instruction_sets, rays_at, triangles};
use support::{Judge, Random};

fn bake(meshes: &[Mesh]) -> Bvh {
    Builder::new().bake(meshes).expect("the meshes are sound").0
}

/// A floor at y = 0 of two triangles that face up: 0 where x > z, 1 where x < z.
fn floor() -> Mesh {
    let corners = vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 0.0, 4.0], [0.0, 0.0, 4.0]];
    Mesh::new(corners, vec![0, 2, 1, 0, 3, 2])
}

mod c1_watertight {
    use super::*;

    #[test]
    fn no_ray_slips_out_of_a_closed_sphere() {
        for center in [Vec3::ZERO, Vec3::new(10_000.0, 50.0, -8000.0)] {
            let mesh = scenes::sphere(64, 32, 10.0, center);
            let bvh = bake(std::slice::from_ref(&mesh));
            let mut random = Random::new(1);
            let origin = center + random.direction() * 3.0;
            let mut targets: Vec<_> = mesh.positions.iter().map(|&p| Vec3::from(p)).collect();
            for t in triangles(&Judge::new(std::slice::from_ref(&mesh))) {
                for (a, b) in [(t.v0, t.v1), (t.v1, t.v2), (t.v2, t.v0)] {
                    targets.extend([0.25, 0.5, 0.7].map(|s| a + s * (b - a)));
                }
            }
            for isa in instruction_sets() {
                let query = Query::new().instruction_set(isa);
                for &target in &targets {
                    let ray = Ray::new(origin, target - origin);
                    assert!(bvh.any_hit(&ray, &query), "{ray:?} slips through on {isa}");
                    assert!(bvh.closest_hit(&ray, &query).is_some(), "{ray:?} on {isa}");
                }
            }
        }
    }

    /// A fan around a vertex, hit exactly at the vertex and exactly on each edge.
    #[test]
    fn rays_through_edges_and_vertices_hit_every_triangle_there() {
        let spokes: Vec<[f32; 3]> = vec![
            [8.0, 1.0, 0.0],
            [6.0, 0.0, -6.0],
            [0.0, 2.0, -8.0],
            [-6.0, 0.0, -4.0],
            [-8.0, 3.0, 2.0],
            [-2.0, 0.0, 6.0],
            [4.0, -1.0, 8.0],
        ];
        let count = spokes.len() as u32;
        let mut positions = vec![[0.0, 0.5, 0.0]];
        positions.extend(&spokes);
        let indices = (0..count).flat_map(|i| [0, 1 + i, 1 + (i + 1) % count]).collect();
        let bvh = bake(&[Mesh::new(positions, indices)]);
        let mut hits = Vec::new();
        for isa in instruction_sets() {
            let query = Query::new().instruction_set(isa);
            for dir in [[0.0, -1.0, 0.0], [0.25, -2.0, 0.5], [-1e-3, -1.0, 1e-5]] {
                let dir = Vec3::from(dir);
                let down = |at: Vec3| Ray::new(at - dir * 8.0, dir);
                // In `f64` these sums are exact.
                let exactly = |ray: &Ray, at: Vec3| {
                    let wide = |x: f32| f64::from(x);
                    (0..3).all(|k| wide(ray.origin[k]) + 8.0 * wide(dir[k]) == wide(at[k]))
                };
                // At the vertex all are hit, and the first wins.
                let at = Vec3::new(0.0, 0.5, 0.0);
                let exact = exactly(&down(at), at);
                bvh.all_hits(&down(at), &query, &mut hits);
                assert!(!hits.is_empty());
                if exact {
                    assert_eq!(hits.len(), count as usize, "{hits:?}");
                    assert_eq!(bvh.closest_hit(&down(at), &query).unwrap().triangle, 0);
                    assert!(hits.iter().all(|hit| hit.t == 8.0));
                }
                for spoke in &spokes {
                    let middle = 0.5 * (at + Vec3::from(*spoke));
                    bvh.all_hits(&down(middle), &query, &mut hits);
                    assert!(!hits.is_empty(), "a gap at {middle} along {dir} on {isa}");
                    if exactly(&down(middle), middle) {
                        assert_eq!(hits.len(), 2, "{middle} along {dir} on {isa}");
                    }
                }
            }
        }
    }
}

mod c2_bit_equal {
    use super::*;

    #[test]
    fn every_instruction_set_equals_brute_force() {
        instruction_sets();
        let meshes = scenes::level(1);
        let judge = Judge::new(&meshes);
        let rays = rays_at(&mut Random::new(2), &triangles(&judge), 3000);
        assert!(compare(&bake(&meshes), &judge, &rays, "level") > 1000);
    }

    /// A large floor and small tiles a few units in the last place above or below it, in other
    /// leaves. In `f32` their distances are equal.
    #[test]
    fn nearly_equal_distances_are_told_apart() {
        let mut random = Random::new(28);
        let level = 100.0f32;
        let ulp = level.next_up() - level;
        let (mut tiles, mut indices) = (Vec::new(), Vec::new());
        let side = 24;
        for z in 0..=side {
            for x in 0..=side {
                let lift = random.range(-3.0, 3.0).round() * ulp;
                tiles.push([x as f32, level + lift, z as f32]);
            }
        }
        for z in 0..side {
            for x in 0..side {
                let a = z * (side + 1) + x;
                indices.extend([a, a + side + 1, a + 1, a + 1, a + side + 1, a + side + 2]);
            }
        }
        let slab = |y: f32| [[-300.0, y, -300.0], [0.0, y, 400.0], [300.0, y, -300.0]];
        let floors: Vec<_> =
            [0.0, 1.0, -1.0].into_iter().flat_map(|k| slab(level + k * ulp)).collect();
        for meshes in [
            vec![Mesh::new(tiles.clone(), indices.clone()), Mesh::from_soup(slab(level).to_vec())],
            vec![Mesh::from_soup(slab(level).to_vec()), Mesh::new(tiles, indices)],
            vec![Mesh::from_soup(floors)],
        ] {
            let bvh = bake(&meshes);
            let judge = Judge::new(&meshes);
            let rays: Vec<_> = (0..1500)
                .map(|i| {
                    let at = random.in_box(Vec3::ZERO, Vec3::new(side as f32, 0.0, side as f32));
                    let up = if i % 3 == 0 { -1.0 } else { 1.0 };
                    let from = Vec3::new(
                        random.range(0.0, 24.0),
                        100.0 + up * 30.0,
                        random.range(0.0, 24.0),
                    );
                    let to = Vec3::new(at.x, level, at.z);
                    if i % 2 == 0 {
                        Ray::new(from, to - from)
                    } else {
                        Ray::new([at.x, from.y, at.z], [0.0, -up, 0.0])
                    }
                })
                .collect();
            assert!(compare(&bvh, &judge, &rays, "tiles on a floor") == rays.len());
        }
    }

    /// At equal `t` the lowest (mesh, triangle) wins, wherever it is in the tree.
    #[test]
    fn ties_go_to_the_lowest_numbers() {
        let mut random = Random::new(3);
        let one = scenes::soup(60, 4.0, 3.0, 4).positions;
        let copies: Vec<_> = (0..5)
            .map(|_| {
                // The same triangles, three of each, in another order.
                let mut order: Vec<_> = (0..180).map(|i| i % 60).collect();
                for i in (1..order.len()).rev() {
                    order.swap(i, random.below(i + 1));
                }
                let corners = order.iter().flat_map(|&i| one[3 * i..3 * i + 3].to_vec());
                Mesh::from_soup(corners.collect())
            })
            .collect();
        let bvh = bake(&copies);
        let judge = Judge::new(&copies);
        let rays = rays_at(&mut random, &triangles(&judge), 600);
        assert!(compare(&bvh, &judge, &rays, "copies") > 200);
        let query = Query::new();
        let mut tied = 0;
        let mut hits = Vec::new();
        for ray in &rays {
            bvh.all_hits(ray, &query, &mut hits);
            if hits.len() > 1 && hits[0].t == hits[1].t {
                tied += 1;
                assert!((hits[0].mesh, hits[0].triangle) < (hits[1].mesh, hits[1].triangle));
                assert_eq!(bvh.closest_hit(ray, &query), Some(hits[0]));
            }
        }
        assert!(tied > 200, "{tied} ties");
    }
}

mod c3_conservative_boxes {
    use super::*;

    #[test]
    fn flat_boxes_zero_directions_and_rays_in_faces_lose_no_hits() {
        instruction_sets();
        let meshes = [scenes::city(60, 5)];
        let bvh = bake(&meshes);
        let judge = Judge::new(&meshes);
        let mut random = Random::new(6);
        let whole = |random: &mut Random, size: usize| {
            (random.below(2 * size + 1) as f32 - size as f32) * 0.5
        };
        let mut rays = Vec::new();
        for _ in 0..3000 {
            // On the grid that the faces lie on, along axes, diagonals and in the faces.
            let at =
                Vec3::new(whole(&mut random, 40), whole(&mut random, 10), whole(&mut random, 40));
            let step = [0, 1, 2].map(|_| [1.0, -1.0, 0.0, -0.0, 0.0][random.below(5)]);
            rays.push(Ray::new(at - Vec3::from(step) * 30.0, step));
        }
        let hitting = compare(&bvh, &judge, &rays, "city");
        assert!(hitting > 800, "{hitting}");
    }

    #[test]
    fn hits_on_the_edges_of_boxes_survive_rounding() {
        instruction_sets();
        // Leaves of one triangle, whose corners are the corners of their boxes.
        for (extent, size) in [(100.0, 0.5), (1.0, 1e-3), (1e4, 10.0)] {
            let meshes = [scenes::soup(300, extent, size, 7)];
            let bvh = bake(&meshes);
            let judge = Judge::new(&meshes);
            let all = triangles(&judge);
            let mut random = Random::new(8);
            let mut rays = Vec::new();
            for i in 0..2000 {
                let t = all[random.below(all.len())];
                let corner = [t.v0, t.v1, t.v2][i % 3];
                let far = [1.0, 30.0, 1e3, 1e5][random.below(4)] * extent;
                let mut from = corner + random.direction() * far;
                if i % 2 == 0 {
                    // In a plane of the box.
                    let axis = random.below(3);
                    from[axis] = corner[axis];
                }
                rays.push(Ray::new(from, corner - from));
                // Through the corner exactly, behind and before it.
                rays.push(Ray::new(corner, random.direction()).with_range(-1.0, 1.0));
                rays.push(Ray::new(corner, from - corner).with_range(0.0, 0.0));
            }
            assert!(compare(&bvh, &judge, &rays, "corners") > 2000);
        }
    }
}

mod c4_no_epsilon {
    use super::*;

    /// Scaling by powers of two changes only exponents, so hits must not change.
    #[test]
    fn a_scene_of_any_size_gives_the_same_hits() {
        let meshes = scenes::level(9);
        let soup: Vec<_> =
            triangles(&Judge::new(&meshes)).iter().flat_map(|t| [t.v0, t.v1, t.v2]).collect();
        let scaled = |k: f32| Mesh::from_soup(soup.iter().map(|v| (*v * k).to_array()).collect());
        let base = bake(&[scaled(1.0)]);
        let judge = Judge::new(&[scaled(1.0)]);
        let rays = rays_at(&mut Random::new(10), &triangles(&judge), 600);
        assert!(compare(&base, &judge, &rays, "base") > 200);
        for exponent in [-70, -45, -30, -20, -13, -7, -1, 1, 7, 13, 20, 30, 45, 70] {
            let k = (exponent as f32).exp2();
            let (bvh, report) = Builder::new().bake(&[scaled(k)]).unwrap();
            assert_eq!(report.summary.triangles_kept, judge.triangles.len() as u64 - 3);
            for isa in instruction_sets() {
                let query = Query::new().instruction_set(isa);
                for ray in &rays {
                    let hit = base.closest_hit(ray, &query);
                    let same = Ray { origin: ray.origin * k, dir: ray.dir * k, ..*ray };
                    assert_eq!(bvh.closest_hit(&same, &query), hit, "{ray:?} times {k:e}");
                    let longer = Ray { origin: ray.origin * k, ..*ray }
                        .with_range(ray.t_min * k, ray.t_max * k);
                    let expected = hit.map(|mut hit| {
                        hit.t *= k;
                        hit
                    });
                    assert_eq!(bvh.closest_hit(&longer, &query), expected, "{ray:?}, {k:e}");
                    assert_eq!(bvh.any_hit(&longer, &query), expected.is_some());
                }
            }
        }
    }

    /// Products of tiny coordinates are subnormal, where relative error bounds do not hold.
    #[test]
    fn no_edge_is_too_small_to_be_hit() {
        // Triangles about as large as the whole scene: then the bounds are tightest.
        let base = [scenes::sphere(5, 3, 3.0, Vec3::ONE), scenes::soup(12, 1.0, 3.0, 26)];
        let tree = bake(&base);
        let mut random = Random::new(27);
        let all = triangles(&Judge::new(&base));
        let rays: Vec<_> = (0..1500)
            .map(|_| {
                let t = all[random.below(all.len())];
                let mut corners = [t.v0, t.v1, t.v2];
                corners.rotate_left(random.below(3));
                let at = corners[0] + random.unit() * (corners[1] - corners[0]);
                let from = at + random.direction() * random.range(0.1, 3.0);
                Ray::new(from, at - from)
            })
            .collect();
        let (mut hits, mut tiny_hits) = (Vec::new(), Vec::new());
        for exponent in (-74..-60).chain([-50, -40, -30]) {
            let k = (exponent as f32).exp2();
            let mut meshes = base.clone();
            for p in meshes.iter_mut().flat_map(|mesh| &mut mesh.positions) {
                *p = p.map(|x| x * k);
            }
            let bvh = bake(&meshes);
            for isa in instruction_sets() {
                let query = Query::new().instruction_set(isa);
                for ray in &rays {
                    tree.all_hits(ray, &query, &mut hits);
                    let tiny = Ray { origin: ray.origin * k, ..*ray };
                    bvh.all_hits(&tiny, &query, &mut tiny_hits);
                    let expected = hits.iter().map(|hit| {
                        let mut hit = *hit;
                        hit.t *= k;
                        hit
                    });
                    assert!(expected.eq(tiny_hits.iter().copied()), "2^{exponent}, {ray:?}");
                }
            }
        }
    }

    #[test]
    fn only_an_area_of_exactly_zero_is_degenerate() {
        for k in 0..149 {
            let least = (-(k as f32)).exp2();
            let sliver = Triangle::new([0.0; 3], [1.0, 0.0, 0.0], [0.5, least, 0.0]);
            assert!(!sliver.is_degenerate());
            let corners = [sliver.v0, sliver.v1, sliver.v2].map(|v| v.to_array());
            let (bvh, report) = Builder::new().bake(&[Mesh::from_soup(corners.to_vec())]).unwrap();
            assert_eq!(report.summary.triangles_kept, 1);
            for isa in instruction_sets() {
                // Through its middle, and along its edges.
                for x in [0.25, 0.5, 0.75] {
                    for y in [0.0, least / 2.0] {
                        let ray = Ray::new([x, y, 1.0], [0.0, 0.0, -0.5]);
                        let hit = bvh.closest_hit(&ray, &Query::new().instruction_set(isa));
                        assert_eq!(hit.map(|hit| hit.t), Some(2.0), "2^-{k} at {x}, {y}");
                    }
                }
            }
        }
        let line = [[0.0; 3], [1.0, 2.0, 3.0], [2.0, 4.0, 6.0]];
        let (bvh, report) = Builder::new().bake(&[Mesh::from_soup(line.to_vec())]).unwrap();
        assert_eq!(report.summary.skipped_degenerate, 1);
        assert!(!bvh.any_hit(&Ray::new([1.0, 2.0, 9.0], [0.0, 0.0, -1.0]), &Query::new()));
    }

    #[test]
    fn only_rays_exactly_in_the_plane_miss() {
        let wall = Mesh::from_soup(vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        let bvh = bake(&[wall]);
        for isa in instruction_sets() {
            let query = Query::new().instruction_set(isa);
            for k in 0..140 {
                let slope = (-(k as f32)).exp2();
                let ray = Ray::new([-0.75, 0.25, slope], [1.0, 0.0, -slope]);
                let hit = bvh.closest_hit(&ray, &query).expect("the ray crosses the plane");
                assert_eq!((hit.t, hit.u, hit.v), (1.0, 0.25, 0.25), "2^-{k} on {isa}");
            }
            for dir in [[1.0, 0.0, 0.0], [1.0, -0.0, -0.0], [0.5, 0.125, 0.0]] {
                let ray = Ray::new([-0.75, 0.25, 0.0], dir);
                assert_eq!(bvh.closest_hit(&ray, &query), None);
                assert!(!bvh.any_hit(&ray, &query));
            }
        }
    }
}

mod c5_ray_units {
    use super::*;

    fn each_instruction_set(check: impl Fn(&Query)) {
        for isa in instruction_sets() {
            check(&Query::new().instruction_set(isa));
        }
    }

    fn assert_misses(bvh: &Bvh, ray: &Ray, query: &Query) {
        let mut hits = Vec::new();
        assert_eq!(bvh.closest_hit(ray, query), None, "{ray:?}");
        assert!(!bvh.any_hit(ray, query), "{ray:?}");
        bvh.all_hits(ray, query, &mut hits);
        assert!(hits.is_empty(), "{ray:?}");
    }

    #[test]
    fn t_is_in_units_of_the_direction() {
        let bvh = bake(&[floor()]);
        each_instruction_set(|query| {
            for length in [1e-6, 0.001, 0.5, 1.0, 3.0, 1e6] {
                let ray = Ray::new([3.0, 6.0, 1.0], [0.0, -length, 0.0]);
                let hit = bvh.closest_hit(&ray, query).unwrap();
                assert_eq!(hit.t, (6.0 / f64::from(length)) as f32);
                assert_eq!(hit.triangle, 0);
            }
            let hit = bvh.closest_hit(&Ray::between([3.0, 6.0, 1.0], [3.0, -2.0, 1.0]), query);
            assert_eq!(hit.unwrap().t, 0.75);
        });
    }

    #[test]
    fn the_interval_is_closed_at_both_ends() {
        let mut random = Random::new(11);
        let meshes = scenes::level(12);
        let bvh = bake(&meshes);
        let judge = Judge::new(&meshes);
        let rays = rays_at(&mut random, &triangles(&judge), 600);
        let (below, above) = (f32::next_down, f32::next_up);
        each_instruction_set(|query| {
            let mut hits = Vec::new();
            let mut seen = 0;
            for ray in &rays {
                let line = ray.with_range(f32::NEG_INFINITY, f32::INFINITY);
                bvh.all_hits(&line, query, &mut hits);
                for hit in hits.iter().take(3) {
                    let t = hit.t;
                    let is_it = |other: &Hit| other == hit;
                    for (low, high, inside) in [
                        (t, t, true),
                        (t, f32::INFINITY, true),
                        (f32::NEG_INFINITY, t, true),
                        (below(t), above(t), true),
                        (above(t), f32::INFINITY, false),
                        (f32::NEG_INFINITY, below(t), false),
                        (above(t), below(t), false),
                    ] {
                        let ray = ray.with_range(low, high);
                        assert_eq!(bvh.any_hit(&ray, &query.filter(&is_it)), inside, "{ray:?}");
                        let closest = bvh.closest_hit(&ray, &query.filter(&is_it));
                        assert_eq!(closest.is_some(), inside, "{ray:?}, {hit:?}");
                        // Without a filter, which may take another code path.
                        let first = hits.iter().find(|hit| low <= hit.t && hit.t <= high);
                        let first = first.filter(|_| low <= high);
                        assert_eq!(bvh.closest_hit(&ray, query).as_ref(), first, "{ray:?}");
                        assert_eq!(bvh.any_hit(&ray, query), first.is_some(), "{ray:?}");
                    }
                    seen += 1;
                }
            }
            assert!(seen > 500, "{seen}");
        });
    }

    /// A ray straight at a wall, where `f32` bounds on `t` are at their tightest.
    #[test]
    fn a_ray_that_ends_a_unit_in_the_last_place_before_the_wall_misses() {
        let bvh = bake(&[floor()]);
        each_instruction_set(|query| {
            let mut random = Random::new(29);
            for i in 0..400 {
                let (x, z) = (random.range(0.5, 3.5), random.range(0.5, 3.5));
                let t = random.range(0.1, 20.0) * if i % 2 == 0 { 1.0 } else { -1.0 };
                let ray = Ray::new([x, t, z], [0.0, -1.0, 0.0]);
                let infinity = f32::INFINITY;
                for (low, high, inside) in [
                    (-infinity, t, true),
                    (t, infinity, true),
                    (-infinity, t.next_down(), false),
                    (t.next_up(), infinity, false),
                    (t, t, true),
                ] {
                    let ray = ray.with_range(low, high);
                    let hit = bvh.closest_hit(&ray, query);
                    assert_eq!(hit.map(|hit| hit.t), inside.then_some(t), "{ray:?}");
                    assert_eq!(bvh.any_hit(&ray, query), inside, "{ray:?}");
                }
            }
        });
    }

    #[test]
    fn bounds_may_be_negative_or_infinite() {
        let bvh = bake(&[floor()]);
        each_instruction_set(|query| {
            // The floor is at t = -2.
            let up = Ray::new([3.0, 2.0, 1.0], [0.0, 1.0, 0.0]);
            assert_misses(&bvh, &up, query);
            for t_min in [-2.0, -3.0, f32::MIN, f32::NEG_INFINITY] {
                for t_max in [-2.0, -1.0, 0.0, f32::MAX, f32::INFINITY] {
                    let hit = bvh.closest_hit(&up.with_range(t_min, t_max), query);
                    assert_eq!(hit.unwrap().t, -2.0);
                }
            }
            let infinity = f32::INFINITY;
            for (low, high) in
                [(-1.5, infinity), (infinity, infinity), (-infinity, -infinity), (-9.0, -2.1)]
            {
                assert_misses(&bvh, &up.with_range(low, high), query);
            }
        });
    }

    #[test]
    fn invalid_rays_miss() {
        let bvh = bake(&[floor(), scenes::terrain(10, 13)]);
        let good = Ray::new([3.0, 60.0, 1.0], [0.0, -1.0, 0.0]);
        each_instruction_set(|query| {
            assert!(bvh.any_hit(&good, query));
            for dir in [Vec3::ZERO, Vec3::NEG_ZERO_ALL, Vec3::new(0.0, -0.0, 0.0)] {
                assert_misses(&bvh, &Ray { dir, ..good }, query);
            }
            for bad in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                for k in 0..3 {
                    let mut ray = good;
                    ray.origin[k] = bad;
                    assert_misses(&bvh, &ray, query);
                    let mut ray = good;
                    ray.dir[k] = bad;
                    assert_misses(&bvh, &ray, query);
                }
            }
            let (nan, infinity) = (f32::NAN, f32::INFINITY);
            for (low, high) in [
                (nan, infinity),
                (0.0, nan),
                (nan, nan),
                (61.0, 1.0),
                (infinity, -infinity),
                (infinity, 0.0),
                (0.0, -infinity),
                (0.0, -1e-45),
            ] {
                assert_misses(&bvh, &good.with_range(low, high), query);
            }
        });
    }

    trait NegZero {
        const NEG_ZERO_ALL: Vec3;
    }

    impl NegZero for Vec3 {
        const NEG_ZERO_ALL: Vec3 = Vec3::splat(-0.0);
    }

    #[test]
    fn a_t_beyond_the_range_of_f32_is_a_miss() {
        let far = Mesh::from_soup(vec![[0.0, 1e30, 0.0], [1e30, 1e30, 0.0], [0.0, 1e30, 1e30]]);
        let bvh = bake(&[far]);
        each_instruction_set(|query| {
            let ray = |length: f32| {
                Ray::new([1e29, 0.0, 1e29], [0.0, length, 0.0])
                    .with_range(f32::NEG_INFINITY, f32::INFINITY)
            };
            let hit = bvh.closest_hit(&ray(1e-8), query).expect("t is 1e38");
            assert_eq!(hit.t, (f64::from(1e30f32) / f64::from(1e-8f32)) as f32);
            for length in [1e-9, -1e-9, 1e-20, 1e-45, -1e-45] {
                assert_misses(&bvh, &ray(length), query);
            }
        });
    }

    #[test]
    fn a_direction_of_the_smallest_length_is_valid() {
        let bvh = bake(&[floor()]);
        each_instruction_set(|query| {
            let least = f32::from_bits(1);
            let ray = Ray::new([3.0, least * 5.0, 1.0], [0.0, -least, 0.0]);
            assert_eq!(bvh.closest_hit(&ray, query).map(|hit| hit.t), Some(5.0));
        });
    }
}

mod c6_stable_ids {
    use super::*;

    /// A hit's mesh, triangle and barycentrics refer to the caller's own buffers.
    #[test]
    fn hits_refer_to_the_callers_buffers() {
        let meshes = scenes::level(14);
        let bvh = bake(&meshes);
        let rays = rays_at(&mut Random::new(15), &triangles(&Judge::new(&meshes)), 2000);
        let mut seen = vec![0; meshes.len()];
        for ray in &rays {
            let Some(hit) = bvh.closest_hit(ray, &Query::new()) else {
                continue;
            };
            let mesh = &meshes[hit.mesh as usize];
            seen[hit.mesh as usize] += 1;
            assert_eq!(hit.user_id, mesh.user_id);
            let material = mesh.materials.as_ref().map(|m| m[hit.triangle as usize]);
            assert_eq!(hit.material(), material);
            let corners = mesh.view().triangle_indices(hit.triangle as usize).unwrap();
            let [a, b, c] = corners.map(|i| {
                let p = Vec3::from(mesh.positions[i as usize]);
                hitscan::geometry::transform_point(&mesh.transform, p)
            });
            let there = (1.0 - hit.u - hit.v) * a + hit.u * b + hit.v * c;
            let error = there.distance(ray.at(hit.t));
            let size = ray.origin.length() + 20.0;
            assert!(error < 1e-5 * size, "{hit:?}: {error} off");
            // The stored triangle has the same corners, swapped where mirrored.
            let stored = bvh.triangle(&hit).unwrap();
            let mirrored = hitscan::geometry::is_mirroring(&mesh.transform);
            let (b, c) = if mirrored { (c, b) } else { (b, c) };
            assert_eq!(stored, Triangle::new(a, b, c));
        }
        assert_eq!(
            seen.iter().map(|&n| n > 20).collect::<Vec<_>>(),
            [true, false, true, true, false, true]
        );
    }
}

mod c7_deterministic_bake {
    use super::*;

    #[test]
    fn bakes_are_the_same_with_any_threads_and_in_any_run() {
        let meshes = [scenes::soup(50_000, 30.0, 0.5, 16), scenes::terrain(100, 17)];
        let bake = |threads| Builder::new().threads(threads).bake(&meshes).unwrap();
        let (bvh, report) = bake(1);
        for threads in [2, 1, 3, 2] {
            let (again, again_report) = bake(threads);
            assert!(again == bvh);
            assert_eq!(again_report.summary, report.summary);
        }
    }

    /// A build cache needs the same tree, not just an equivalent one.
    #[test]
    fn zeros_keep_their_sign() {
        // Both zeros in one triangle: a rule must say which one the box takes.
        let mesh =
            |a: f32, b: f32| Mesh::from_soup(vec![[a, 0.0, 0.0], [b, 1.0, 0.0], [b, 0.0, 1.0]]);
        let bounds = |a, b| {
            let bounds = bake(&[mesh(a, b)]).bounds();
            (bounds.min.x.to_bits(), bounds.max.x.to_bits())
        };
        // The first corner's.
        assert_eq!(bounds(0.0, -0.0), (0.0f32.to_bits(), 0.0f32.to_bits()));
        assert_eq!(bounds(-0.0, 0.0), ((-0.0f32).to_bits(), (-0.0f32).to_bits()));
    }
}

mod c8_nothing_trusted {
    use super::*;
    use hitscan::{BadTriangles, Indices, MeshView, Positions};
    use proptest::prelude::*;
    use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

    /// The same cases in every run.
    fn runner() -> TestRunner {
        let config = Config {
            cases: 300 * support::long() as u32,
            failure_persistence: None,
            ..Config::default()
        };
        TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
    }

    /// Any bits at all, or a few whole numbers, which coincide often.
    fn number(wild: u32) -> BoxedStrategy<f32> {
        prop_oneof![
            wild => any::<u32>().prop_map(f32::from_bits),
            4 => (-4i8..=4).prop_map(f32::from),
            1 => Just(-0.0f32),
            2 => -10f32..10.0,
        ]
        .boxed()
    }

    fn point(wild: u32) -> impl Strategy<Value = [f32; 3]> {
        prop::array::uniform3(number(wild))
    }

    fn affine(wild: u32) -> impl Strategy<Value = Affine3A> {
        prop_oneof![
            2 => Just(Affine3A::IDENTITY),
            1 => prop::collection::vec(number(wild), 12)
                .prop_map(|m| Affine3A::from_cols_slice(&m)),
        ]
    }

    fn mesh(wild: u32) -> impl Strategy<Value = Mesh> {
        let positions = prop::collection::vec(point(wild), 0..40);
        let indices = prop::option::of(prop::collection::vec(0u32..44, 0..120));
        (positions, indices, affine(wild), 0u32..4).prop_map(
            |(mut positions, indices, transform, mask)| {
                let whole = |count: usize| count / 3 * 3;
                let indices = indices.map(|mut indices| {
                    indices.truncate(whole(indices.len()));
                    indices
                });
                if indices.is_none() {
                    positions.truncate(whole(positions.len()));
                }
                Mesh { positions, indices, transform, mask, ..Mesh::default() }
            },
        )
    }

    fn rays(wild: u32) -> impl Strategy<Value = Vec<Ray>> {
        let bounds = prop_oneof![
            3 => Just((0.0, f32::INFINITY)),
            2 => Just((f32::NEG_INFINITY, f32::INFINITY)),
            2 => (number(wild), number(wild)),
        ];
        let ray = (point(wild), point(wild), bounds)
            .prop_map(|(origin, dir, (low, high))| Ray::new(origin, dir).with_range(low, high));
        prop::collection::vec(ray, 40)
    }

    /// All meshes and rays, however odd, give the answers of brute force.
    fn arbitrary_levels_equal_brute_force(wild: u32) {
        instruction_sets();
        let hitting = std::cell::Cell::new(0);
        let levels = (prop::collection::vec(mesh(wild), 0..4), rays(wild));
        let outcome = runner().run(&levels, |(meshes, rays)| {
            // By default the bake is refused or the same.
            let builder = Builder::new().rays(rays.clone());
            let strict = builder.bake(&meshes);
            let skip = builder.bad_triangles(BadTriangles::Skip).bake(&meshes);
            let (bvh, report) = skip.expect("nothing but triangles is wrong");
            let summary = &report.summary;
            let bad = summary.skipped_non_finite + summary.skipped_out_of_range;
            prop_assert_eq!(strict.is_ok(), bad == 0);
            let given = meshes.iter().flat_map(|mesh| {
                let view = mesh.view();
                (0..view.triangle_count()).map(move |number| view.triangle(number))
            });
            let (mut absent, mut non_finite) = (0, 0);
            for triangle in given {
                match triangle {
                    None => absent += 1,
                    Some(t) if ![t.v0, t.v1, t.v2].iter().all(|v| v.is_finite()) => non_finite += 1,
                    Some(_) => {}
                }
            }
            prop_assert_eq!(summary.skipped_out_of_range, absent);
            prop_assert_eq!(summary.skipped_non_finite, non_finite);
            if let Ok((strict, _)) = strict {
                // All but the content hash, which covers the options.
                let sections = |bvh: &Bvh| bvh.to_bytes().split_off(64);
                prop_assert!(sections(&strict) == sections(&bvh));
                prop_assert!(strict.content_hash() != bvh.content_hash());
            }
            let judge = Judge::new(&meshes);
            let sound = judge.triangles.iter().filter(|j| !j.triangle.is_degenerate()).count();
            prop_assert_eq!(summary.triangles_kept, sound as u64);
            hitting.set(hitting.get() + compare(&bvh, &judge, &rays, "arbitrary"));
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{error}"));
        println!("{} rays hit", hitting.get());
        assert!(hitting.get() > 300);
    }

    #[test]
    fn arbitrary_bits_equal_brute_force() {
        arbitrary_levels_equal_brute_force(3);
    }

    #[test]
    fn arbitrary_small_numbers_equal_brute_force() {
        arbitrary_levels_equal_brute_force(0);
    }

    /// Any refit or transform succeeds and gives right answers, or fails and changes nothing.
    #[test]
    fn arbitrary_moves_succeed_or_change_nothing() {
        let moves = (mesh(1), prop::collection::vec(point(1), 40), affine(2), rays(1));
        let done = std::cell::Cell::new([0; 4]);
        let outcome = runner().run(&moves, |(mut mesh, mut moved, transform, rays)| {
            let skip = Builder::new().bad_triangles(BadTriangles::Skip);
            let (mut bvh, _) = skip.bake(std::slice::from_ref(&mesh)).unwrap();
            let count = |at: usize| {
                let mut counts = done.get();
                counts[at] += 1;
                done.set(counts);
            };
            let kept = Judge::new(std::slice::from_ref(&mesh));
            let mut judge = Judge::new(std::slice::from_ref(&mesh));
            let before = bvh.clone();
            moved.truncate(mesh.positions.len());
            let old = std::mem::replace(&mut mesh.positions, moved);
            if bvh.refit(&[mesh.view()]).is_ok() {
                count(0);
                judge = Judge::new(std::slice::from_ref(&mesh));
                let was_kept = |number: u32| {
                    kept.triangles.iter().any(|k| k.number == number && !k.triangle.is_degenerate())
                };
                judge.triangles.retain(|j| was_kept(j.number));
            } else {
                count(1);
                prop_assert!(bvh == before);
                mesh.positions = old;
            }
            compare(&bvh, &judge, &rays, "refitted");

            let before = bvh.clone();
            if bvh.apply_transform(&transform).is_ok() {
                count(2);
                let mirrors = hitscan::geometry::is_mirroring(&transform);
                for judged in &mut judge.triangles {
                    let t = &mut judged.triangle;
                    for v in [&mut t.v0, &mut t.v1, &mut t.v2] {
                        *v = hitscan::geometry::transform_point(&transform, *v);
                    }
                    if mirrors {
                        std::mem::swap(&mut t.v1, &mut t.v2);
                        judged.swapped = !judged.swapped;
                    }
                }
                judge.triangles.retain(|j| !j.triangle.is_degenerate());
            } else {
                count(3);
                prop_assert!(bvh == before);
            }
            compare(&bvh, &judge, &rays, "moved");
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{error}"));
        println!("refits done and refused, moves done and refused: {:?}", done.get());
        assert!(done.get().iter().all(|&count| count > 10), "{:?}", done.get());
    }

    #[test]
    fn arbitrary_buffers_never_panic() {
        let bytes = prop::collection::vec(any::<u8>(), 0..200);
        let stride = prop_oneof![0usize..40, any::<usize>()];
        let buffers = (bytes, stride, prop::collection::vec(any::<u16>(), 0..30), 0..3);
        let outcome = runner().run(&buffers, |(bytes, stride, indices, kind)| {
            let positions = Positions::Strided { bytes: &bytes, stride };
            let wide: Vec<_> = indices.iter().map(|&i| u32::from(i) % 20).collect();
            let view = match kind {
                0 => MeshView::new(positions, Indices::None),
                1 => MeshView::new(positions, Indices::U16(&indices)),
                _ => MeshView::new(positions, Indices::U32(&wide)),
            };
            for bad in [BadTriangles::Skip, BadTriangles::Error] {
                let baked = Builder::new().bad_triangles(bad).bake(&[view]);
                if let Ok((mut bvh, _)) = baked {
                    prop_assert!(bvh.refit(&[view]).is_ok());
                    let ray = Ray::new([0.0; 3], [1.0, 0.5, 0.25]);
                    prop_assert_eq!(
                        bvh.any_hit(&ray, &Query::new()),
                        bvh.closest_hit(&ray, &Query::new()).is_some()
                    );
                }
            }
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{error}"));
    }

    #[test]
    fn a_hit_of_another_tree_does_not_panic() {
        // A hit of one tree looked up in another: no panic, whatever its numbers are.
        let (large, small) = (bake(&scenes::level(18)), bake(&[floor()]));
        let empty = bake(&[]);
        let rays = rays_at(&mut Random::new(19), &triangles(&Judge::new(&scenes::level(18))), 300);
        for ray in &rays {
            if let Some(hit) = large.closest_hit(ray, &Query::new()) {
                assert!(large.triangle(&hit).is_some());
                let _ = small.triangle(&hit);
                assert_eq!(empty.triangle(&hit), None);
            }
        }
    }
}

mod c9_no_allocation {
    use super::*;
    use hitscan::{
        Aabb, Capsule, ConvexHull, ConvexShape, Frustum, Obb, PointLocation, Quality, Shape, Sphere,
    };
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::cell::Cell;
    use std::ops::ControlFlow;
    use std::sync::atomic::{AtomicUsize, Ordering};

    thread_local! {
        static ON_THIS_THREAD: Cell<usize> = const { Cell::new(0) };
        static WATCHED: Cell<bool> = const { Cell::new(false) };
    }
    static ON_WATCHED_THREADS: AtomicUsize = AtomicUsize::new(0);

    /// The system's allocator with a counter.
    struct Counting;

    fn count() {
        // A thread may allocate at its end, when its counters are gone.
        let _ = ON_THIS_THREAD.try_with(|count| count.set(count.get() + 1));
        if WATCHED.try_with(Cell::get).unwrap_or(false) {
            ON_WATCHED_THREADS.fetch_add(1, Ordering::Relaxed);
        }
    }

    // SAFETY: every call goes to the system's allocator as it came.
    unsafe impl GlobalAlloc for Counting {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            count();
            // SAFETY: the caller's promises are passed on.
            unsafe { System.alloc(layout) }
        }
        unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
            // SAFETY: the caller's promises are passed on.
            unsafe { System.dealloc(pointer, layout) }
        }
        unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
            count();
            // SAFETY: the caller's promises are passed on.
            unsafe { System.realloc(pointer, layout, size) }
        }
    }

    #[global_allocator]
    static ALLOCATOR: Counting = Counting;

    fn allocations(work: impl FnOnce()) -> usize {
        let before = ON_THIS_THREAD.get();
        work();
        ON_THIS_THREAD.get() - before
    }

    fn scene() -> (Bvh, Vec<Ray>) {
        let meshes = scenes::level(20);
        let bvh = bake(&meshes);
        let mut rays = rays_at(&mut Random::new(21), &triangles(&Judge::new(&meshes)), 2000);
        // Some that need the exact path, and some that are invalid.
        for i in 0..100 {
            rays[i * 20].origin *= 1e20;
            rays[i * 20 + 7].dir *= 1e-30;
            rays[i * 20 + 11].dir *= f32::NAN;
        }
        (bvh, rays)
    }

    #[test]
    fn the_counter_counts() {
        assert_eq!(allocations(|| drop(std::hint::black_box(Box::new(1)))), 1);
        assert_eq!(allocations(|| ()), 0);
    }

    #[test]
    fn single_queries_allocate_nothing() {
        let (bvh, rays) = scene();
        for isa in instruction_sets() {
            let query = Query::new().instruction_set(isa).mask(0b0111);
            let mut found = 0;
            let count = allocations(|| {
                for ray in &rays {
                    let closest = bvh.closest_hit(ray, &query);
                    let some = bvh.closest_hit(ray, &query.filter(&|hit| hit.triangle % 2 == 0));
                    let any = bvh.any_hit(ray, &query);
                    let any_some = bvh.any_hit(ray, &query.filter(&|hit| hit.triangle % 2 == 0));
                    found += usize::from(any) + usize::from(any_some);
                    found += closest.iter().count() + some.iter().count();
                    found += closest.and_then(|hit| bvh.triangle(&hit)).iter().count();
                }
            });
            assert!(found > 1000);
            assert_eq!(count, 0, "on {isa}");
        }
    }

    #[test]
    fn lists_allocate_only_to_grow() {
        let (bvh, rays) = scene();
        for isa in instruction_sets() {
            let query = Query::new().instruction_set(isa);
            let mut list = Vec::new();
            let mut most = 0;
            let mut ask = || {
                for ray in &rays {
                    bvh.all_hits(ray, &query, &mut list);
                    most = most.max(list.len());
                    bvh.all_hits(ray, &query.filter(&|hit| hit.u > 0.5), &mut list);
                    bvh.for_each_hit(ray, &query, &mut list, |_| ControlFlow::Continue(()));
                }
            };
            let first = allocations(&mut ask);
            let again = allocations(&mut ask);
            assert!(most > 8, "{most}");
            assert!(first <= most.ilog2() as usize + 1, "{first} to hold {most}");
            assert_eq!(again, 0, "on {isa}");
            let cleared = allocations(|| {
                list.clear();
                bvh.all_hits(&rays[0], &query, &mut list);
            });
            assert_eq!(cleared, 0);
        }
    }

    #[test]
    fn overlaps_allocate_only_to_grow_their_list() {
        let (bvh, rays) = scene();
        let shapes: Vec<Shape> = rays
            .iter()
            .filter(|ray| ray.origin.is_finite() && ray.dir.is_finite())
            .step_by(50)
            .flat_map(|ray| {
                let (a, b) = (ray.origin, ray.origin + ray.dir);
                let axes = [Vec3::new(1.0, 1.0, 0.0), Vec3::new(-1.0, 1.0, 0.0), Vec3::Z];
                [
                    // Many in planes and on edges of the level, where integers decide.
                    Shape::from(Aabb::from_points([a.round(), b.round()])),
                    Sphere::new(a.round(), 2.0).into(),
                    Capsule::new(a.round(), b.round(), 1.0).into(),
                    Triangle::new(a, b.round(), b).into(),
                    Obb::from_axes(a.round(), axes, Vec3::ONE).expect("sound").into(),
                    Frustum::from_planes(&[a.round().extend(1.0); 6], b).expect("finite").into(),
                ]
            })
            .collect();
        for isa in instruction_sets() {
            let query = Query::new().instruction_set(isa);
            let (mut list, mut found) = (Vec::new(), 0);
            let mut ask = || {
                for shape in &shapes {
                    found += usize::from(bvh.any_overlap(shape, &query));
                    bvh.all_overlaps(shape, &query.filter(&|hit| hit.triangle % 2 == 0), &mut list);
                    bvh.all_overlaps(shape, &query, &mut list);
                }
            };
            allocations(&mut ask);
            assert_eq!(allocations(&mut ask), 0, "on {isa}");
            assert!(found > 50);
            let any = || assert!(!bvh.any_overlap(Aabb::EMPTY, &query));
            assert_eq!(allocations(any), 0);
        }
    }

    #[test]
    fn inside_tests_allocate_only_the_first_time() {
        let shell = |i: usize| scenes::sphere(8, 6, 1.0 + i as f32, Vec3::ZERO);
        let meshes: Vec<Mesh> = (0..300).map(shell).collect();
        for quality in [Quality::Balanced, Quality::Best] {
            let (bvh, _) = Builder::new().quality(quality).bake(&meshes).expect("sound");
            for isa in instruction_sets() {
                let layers = Layers::ALL.instruction_set(isa);
                let mut found = 0;
                let mut ask = || {
                    for i in 0..60 {
                        let point = Vec3::new(0.0, 0.125 * i as f32, 5.0 * i as f32);
                        let location = bvh.contains(point, layers).expect("closed");
                        found += usize::from(location == PointLocation::Inside);
                        let distance = bvh.signed_distance(point, f32::INFINITY, layers);
                        assert!(distance.expect("closed").is_some());
                    }
                };
                ask();
                assert_eq!(allocations(&mut ask), 0, "on {isa}");
                assert!(found > 100);
            }
        }
    }

    #[test]
    fn sweeps_allocate_only_to_grow_their_list() {
        let (bvh, rays) = scene();
        let sweeps: Vec<(ConvexShape, Vec3)> = rays
            .iter()
            .filter(|ray| ray.origin.is_finite() && ray.dir.is_finite())
            .step_by(50)
            .flat_map(|ray| {
                let (a, b) = (ray.origin, ray.origin + ray.dir);
                let axes = [Vec3::new(1.0, 1.0, 0.0), Vec3::new(-1.0, 1.0, 0.0), Vec3::Z];
                let tips = [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::ONE].map(|tip| a.round() + tip);
                let shapes = [
                    // Many in planes and on edges of the level, where integers decide.
                    ConvexShape::from(Aabb::from_points([a.round(), b.round()])),
                    Sphere::new(a.round(), 1.0).into(),
                    Capsule::new(a.round(), b.round(), 1.0).into(),
                    Obb::from_axes(a.round(), axes, Vec3::ONE).expect("sound").into(),
                    // Far away the tips are one point.
                    ConvexHull::from_points(tips)
                        .map_or_else(|_| Sphere::new(a, 1.0).into(), ConvexShape::from),
                ];
                shapes.map(|shape| (shape, ray.dir.round() * 4.0))
            })
            .collect();
        for isa in instruction_sets() {
            let query = Query::new().instruction_set(isa);
            let (mut list, mut found) = (Vec::new(), 0);
            let mut ask = || {
                for (shape, motion) in &sweeps {
                    found += usize::from(bvh.first_contact(shape, *motion, &query).is_some());
                    let even = query.filter(&|hit| hit.triangle % 2 == 0);
                    bvh.all_contacts(shape, *motion, &even, &mut list);
                    bvh.all_contacts(shape, *motion, &query, &mut list);
                }
            };
            allocations(&mut ask);
            assert_eq!(allocations(&mut ask), 0, "on {isa}");
            assert!(found > 50);
        }
    }

    /// As audio asks them: sixteen rays at a time, on the caller's thread.
    #[test]
    fn small_batches_allocate_nothing() {
        let (bvh, rays) = scene();
        let query = Query::new();
        for size in [1, 16, 32, 64, 1000] {
            let (mut hits, mut found) = (vec![None; size], vec![false; size]);
            let mut ask = || {
                for rays in rays.chunks(size) {
                    bvh.closest_hit_batch(rays, &query, &mut hits[..rays.len()]).unwrap();
                    bvh.any_hit_batch(rays, &query, &mut found[..rays.len()]).unwrap();
                }
            };
            allocations(&mut ask);
            assert_eq!(allocations(&mut ask), 0, "{size} rays");
        }
    }

    #[cfg(feature = "parallel")]
    #[test]
    fn batches_allocate_a_bounded_amount() {
        let (bvh, few) = scene();
        let many: Vec<Ray> = few.iter().cycle().take(50 * few.len()).copied().collect();
        let query = Query::new();
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .start_handler(|_| WATCHED.set(true))
                .build()
                .unwrap();
            let mut hits = vec![None; many.len()];
            let mut found = vec![false; many.len()];
            let mut lists = vec![Vec::new(); many.len()];
            let mut ask = |rays: &[Ray]| {
                let before = ON_WATCHED_THREADS.load(Ordering::Relaxed);
                let here = allocations(|| {
                    pool.install(|| {
                        bvh.closest_hit_batch(rays, &query, &mut hits[..rays.len()])?;
                        bvh.any_hit_batch(rays, &query, &mut found[..rays.len()])?;
                        bvh.all_hits_batch(rays, &query, &mut lists[..rays.len()])
                    })
                    .unwrap();
                });
                here + ON_WATCHED_THREADS.load(Ordering::Relaxed) - before
            };
            // The lists grow in the first call.
            ask(&many);
            let (a, b) = (ask(&few), ask(&many));
            println!("{threads} threads: {a} allocations for 6000 answers, {b} for 300000");
            assert!(a <= 48 && b <= 48, "{a} and {b}");
        }
    }

    #[test]
    fn trees_and_queries_are_shared_between_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<Bvh>();
        shared::<Hit>();
        shared::<hitscan::Query<'static>>();
        shared::<Ray>();
        shared::<Builder>();
        shared::<Mesh>();
        shared::<hitscan::MeshView<'_>>();
        shared::<hitscan::BakeReport>();
        shared::<hitscan::RefitReport>();
        shared::<hitscan::Metadata>();
        shared::<hitscan::InstructionSet>();
        shared::<hitscan::BakeError>();
        shared::<hitscan::LoadError>();
        shared::<hitscan::RefitError>();
        shared::<hitscan::BatchError>();
        shared::<hitscan::InstructionSetError>();

        // They can indeed be used from several threads.
        let (bvh, rays) = scene();
        let ask =
            || -> Vec<_> { rays.iter().map(|ray| bvh.closest_hit(ray, &Query::new())).collect() };
        let alone = ask();
        let together = std::thread::scope(|scope| {
            let threads = [scope.spawn(ask), scope.spawn(ask), scope.spawn(ask)];
            threads.map(|thread| thread.join().unwrap())
        });
        assert!(together.iter().all(|hits| *hits == alone));
    }
}

/// The contents of a hit, and which hits a query sees.
mod answers {
    use super::*;
    use hitscan::Face;
    use std::ops::ControlFlow;

    #[test]
    fn front_is_counter_clockwise_as_the_ray_sees_it() {
        let mirror = Affine3A::from_scale(Vec3::new(-1.0, 1.0, 1.0));
        let twice = mirror * Affine3A::from_scale(Vec3::new(1.0, 1.0, -1.0));
        for (transform, at) in
            [(Affine3A::IDENTITY, [3.0, 1.0]), (mirror, [-3.0, 1.0]), (twice, [-3.0, -1.0])]
        {
            let bvh = bake(&[floor().with_transform(transform)]);
            for isa in instruction_sets() {
                let query = Query::new().instruction_set(isa);
                let down = Ray::new([at[0], 5.0, at[1]], [0.0, -1.0, 0.0]);
                let up = Ray::new([at[0], -5.0, at[1]], [0.0, 1.0, 0.0]);
                for (ray, face, seen, unseen) in [
                    (down, Face::Front, Facing::Front, Facing::Back),
                    (up, Face::Back, Facing::Back, Facing::Front),
                ] {
                    let hit = bvh.closest_hit(&ray, &query).unwrap();
                    assert_eq!((hit.t, hit.face, hit.triangle), (5.0, face, 0));
                    // Barycentrics of the caller's vertices: (4, 4) and (4, 0).
                    assert_eq!((hit.u, hit.v), (0.25, 0.5));
                    assert_eq!(bvh.closest_hit(&ray, &query.facing(seen)), Some(hit));
                    assert_eq!(bvh.closest_hit(&ray, &query.facing(unseen)), None);
                    assert!(bvh.any_hit(&ray, &query.facing(seen)));
                    assert!(!bvh.any_hit(&ray, &query.facing(unseen)));
                }
                let hit = bvh.closest_hit(&down, &query).unwrap();
                let normal = bvh.triangle(&hit).unwrap().normal();
                assert_eq!(normal, Vec3::new(0.0, 16.0, 0.0));
            }
        }
    }

    #[test]
    fn facing_masks_and_filters_select_hits() {
        let meshes = scenes::level(22);
        let bvh = bake(&meshes);
        let judge = Judge::new(&meshes);
        let rays = rays_at(&mut Random::new(23), &triangles(&judge), 500);
        let mut hits = Vec::new();
        let mut seen = 0;
        for isa in instruction_sets() {
            for facing in [Facing::Both, Facing::Front, Facing::Back] {
                for mask in [u32::MAX, 0b0001, 0b0010, 0b0100, 0b1000, 0b1010, 1 << 31, 0] {
                    let query = Query::new().instruction_set(isa).facing(facing).mask(mask);
                    for (i, ray) in rays.iter().enumerate() {
                        let filter = |hit: &Hit| {
                            // A filter never sees hits outside the interval or the mask.
                            assert!(ray.t_min <= hit.t && hit.t <= ray.t_max);
                            assert!(meshes[hit.mesh as usize].mask & mask != 0);
                            !(hit.triangle as usize * 7 + i).is_multiple_of(3)
                        };
                        let mut expected = judge.all(ray, facing, mask);
                        for filtered in [false, true] {
                            if filtered {
                                expected
                                    .retain(|e| !(e.triangle as usize * 7 + i).is_multiple_of(3));
                            }
                            let (closest, any) = if filtered {
                                bvh.all_hits(ray, &query.filter(&filter), &mut hits);
                                let closest = bvh.closest_hit(ray, &query.filter(&filter));
                                (closest, bvh.any_hit(ray, &query.filter(&filter)))
                            } else {
                                bvh.all_hits(ray, &query, &mut hits);
                                (bvh.closest_hit(ray, &query), bvh.any_hit(ray, &query))
                            };
                            assert_eq!(hits.len(), expected.len(), "{ray:?}, {query:?}");
                            assert!(hits.iter().zip(&expected).all(|(hit, e)| e.is(hit)));
                            assert_eq!(closest.as_ref(), hits.first(), "{ray:?}, {query:?}");
                            assert_eq!(any, closest.is_some(), "{ray:?}, {query:?}");
                            seen += hits.len();
                        }
                    }
                }
            }
        }
        println!("{seen} hits");
        assert!(seen > 10_000);
    }

    #[test]
    fn all_hits_come_once_and_in_order() {
        let meshes = [scenes::soup(400, 2.0, 4.0, 24), scenes::soup(100, 2.0, 4.0, 24)];
        let bvh = bake(&meshes);
        let rays = rays_at(&mut Random::new(25), &triangles(&Judge::new(&meshes)), 300);
        let mut hits = Vec::new();
        let mut buffer = Vec::new();
        let mut longest = 0;
        for isa in instruction_sets() {
            let query = Query::new().instruction_set(isa);
            for ray in &rays {
                bvh.all_hits(ray, &query, &mut hits);
                longest = longest.max(hits.len());
                let key = |hit: &Hit| (hit.t, hit.mesh, hit.triangle);
                assert!(hits.is_sorted_by(|a, b| key(a) < key(b)), "{hits:?}");
                let mut numbers: Vec<_> = hits.iter().map(|h| (h.mesh, h.triangle)).collect();
                numbers.sort_unstable();
                numbers.dedup();
                assert_eq!(numbers.len(), hits.len());
                // Stopped after every possible number of hits.
                for stop in [1, 2, 5, usize::MAX] {
                    let mut given = Vec::new();
                    bvh.for_each_hit(ray, &query, &mut buffer, |hit| {
                        given.push(*hit);
                        if given.len() == stop {
                            ControlFlow::Break(())
                        } else {
                            ControlFlow::Continue(())
                        }
                    });
                    assert_eq!(given, hits[..hits.len().min(stop)]);
                }
            }
        }
        assert!(longest > 60, "{longest}");
        // The old answers are gone.
        bvh.all_hits(&Ray::new([0.0, 99.0, 0.0], [0.0, 1.0, 0.0]), &Query::new(), &mut hits);
        assert!(hits.is_empty());
    }
}
