//! All triangles, however degenerate, bake in reasonable time to a tree of bounded depth, or are
//! refused with an error that names mesh and triangle. Skipped triangles do not change the numbers
//! of the others.

use crate::{scenes, support};
use std::time::{Duration, Instant};

use hitscan::glam::{Affine3A, Vec3};
use hitscan::{
    BadTriangles, BakeError, BakeErrorKind, BakeReport, Builder, Bvh, Indices, Mesh, MeshView,
    Positions, Query, Ray,
};
use scenes::{assert_covered, compare, rays_at, triangles};
use support::{Judge, Random};

type Corners = [[f32; 3]; 3];

fn mesh(count: usize, f: impl FnMut(usize) -> Corners) -> Mesh {
    Mesh::from_soup((0..count).flat_map(f).collect())
}

/// A right triangle across the z axis.
fn right(at: Vec3, size: f32) -> Corners {
    [at, at + Vec3::new(size, 0.0, 0.0), at + Vec3::new(0.0, size, 0.0)].map(|v| v.to_array())
}

/// Bakes, and checks the depth, and the time against a generous limit.
fn bake(name: &str, mesh: &Mesh, depth: u32) -> (Bvh, BakeReport) {
    let start = Instant::now();
    let (bvh, report) = Builder::new().bake(std::slice::from_ref(mesh)).unwrap();
    let time = start.elapsed();
    let summary = &report.summary;
    println!(
        "{name}: {} of {} triangles, depth {}, {} nodes, {time:?}",
        summary.triangles_kept, summary.triangles_in, summary.depth, summary.nodes
    );
    assert!(summary.depth <= depth, "{name}: depth {}", summary.depth);
    assert!(summary.depth <= 64);
    let limit = Duration::from_secs(5) + Duration::from_micros(50) * summary.triangles_in as u32;
    assert!(time < limit, "{name}: {time:?}");
    assert_eq!(summary.triangles_in, mesh.triangle_count() as u64);
    bvh.validate().unwrap_or_else(|error| panic!("{name}: {error}"));
    (bvh, report)
}

/// Compares some rays with brute force, at some of the triangles.
fn check(name: &str, bvh: &Bvh, mesh: &Mesh, rays: usize) {
    let judge = Judge::new(std::slice::from_ref(mesh));
    let mut random = Random::new(1);
    let all = triangles(&judge);
    let rays = rays_at(&mut random, &all, rays);
    let hitting = compare(bvh, &judge, &rays, name);
    assert!(hitting > 0, "{name}: no ray hits");
}

const MILLION: usize = 1_000_000;

/// Triangles for tests that do not need a million.
fn many() -> usize {
    (200_000 * support::long()).min(MILLION)
}

#[test]
fn a_million_identical_triangles_bake() {
    scenes::instruction_sets();
    let mesh = mesh(MILLION, |_| right(Vec3::ONE, 2.0));
    let (bvh, report) = bake("identical", &mesh, 8);
    assert_eq!(report.summary.triangles_kept, MILLION as u64);
    let ray = Ray::new([1.5, 1.5, -3.0], [0.0, 0.0, 2.0]);
    let hit = bvh.closest_hit(&ray, &Query::new()).unwrap();
    assert_eq!((hit.t, hit.triangle), (2.0, 0));
    let last = |hit: &hitscan::Hit| hit.triangle == MILLION as u32 - 1;
    assert!(bvh.any_hit(&ray, &Query::new().filter(&last)));
    let mut hits = Vec::new();
    bvh.all_hits(&ray, &Query::new(), &mut hits);
    assert!(hits.iter().map(|hit| hit.triangle).eq(0..MILLION as u32));
}

#[test]
fn a_million_triangles_each_half_the_size_of_the_last_bake() {
    // Sizes underflow after about 150, and triangles without area are skipped.
    let line = mesh(MILLION, |i| {
        let size = if i < 200 { (-(i as f32)).exp2() } else { 0.0 };
        right(Vec3::new(size, 0.0, 0.0), size)
    });
    let (bvh, report) = bake("half each, once", &line, 40);
    assert_eq!(report.summary.triangles_kept, 150);
    assert_eq!(report.summary.skipped_degenerate, MILLION as u64 - 150);
    let small = Mesh::from_soup(line.positions[..600].to_vec());
    check("half each, once", &bvh, &small, 400);
    assert_covered(&bvh, &Judge::new(&[small]), "half each, once");

    // From the largest numbers to the smallest, again and again: only a limit bounds the depth.
    let line = mesh(many(), |i| {
        let size = (126.0 - (i % 275) as f32).exp2();
        right(Vec3::new(size, 0.0, 0.0), size)
    });
    let (bvh, report) = bake("half each, again and again", &line, 60);
    assert_eq!(report.summary.triangles_kept, many() as u64);
    let ray = Ray::new([1.5, 0.25, 1.0], [0.0, 0.0, -1.0]);
    let hit = bvh.closest_hit(&ray, &Query::new()).unwrap();
    assert_eq!((hit.t, hit.triangle), (1.0, 126));
}

#[test]
fn nested_triangles_bake() {
    // Each inside the last, around one center: no plane separates them.
    let mesh = mesh(many(), |i| {
        let size = 1001.0 - i as f32 / 1000.0;
        [[-size, -size, 0.0], [size, -size, 0.0], [0.0, size, 0.0]]
    });
    let (bvh, _) = bake("nested", &mesh, 16);
    let ray = Ray::new([0.0, 0.0, 5.0], [0.0, 0.0, -1.0]);
    assert_eq!(bvh.closest_hit(&ray, &Query::new()).unwrap().triangle, 0);
    // Only the largest reach that far.
    let ray = Ray::new([1000.0, -1000.0, 5.0], [0.0, 0.0, -1.0]);
    assert!(bvh.closest_hit(&ray, &Query::new()).is_some());
    let ray = Ray::new([1002.0, -1000.0, 5.0], [0.0, 0.0, -1.0]);
    assert_eq!(bvh.closest_hit(&ray, &Query::new()), None);
}

#[test]
fn triangles_in_one_plane_bake() {
    let mesh = mesh(many(), |i| right(Vec3::new((i % 1000) as f32, (i / 1000) as f32, 7.0), 1.0));
    let (bvh, _) = bake("one plane", &mesh, 8);
    let query = Query::new();
    for (x, y) in [(0, 0), (999, 199), (500, 3), (17, 101)] {
        let ray = Ray::new([x as f32 + 0.25, y as f32 + 0.25, 0.0], [0.0, -0.0, 1.0]);
        let hit = bvh.closest_hit(&ray, &query).unwrap();
        assert_eq!((hit.t, hit.triangle), (7.0, y * 1000 + x));
        // Rays in the plane hit nothing.
        let along = Ray::new([-5.0, y as f32 + 0.25, 7.0], [1.0, 0.0, 0.0]);
        assert_eq!(bvh.closest_hit(&along, &query), None);
    }
}

#[test]
fn one_huge_triangle_among_tiny_ones_bakes() {
    let mut random = Random::new(2);
    let huge = [[-1e9, -1e9, 0.5], [1e9, -1e9, 0.5], [0.0, 1e9, 0.5]];
    let mesh = mesh(100_001, |i| {
        if i == 70_000 { huge } else { right(random.in_box(Vec3::ZERO, Vec3::ONE), 1e-3) }
    });
    let (bvh, _) = bake("one huge", &mesh, 10);
    check("one huge", &bvh, &mesh, 120);
    let ray = Ray::new([-5e8, -9e8, 10.0], [0.0, 0.0, -1.0]);
    assert_eq!(bvh.closest_hit(&ray, &Query::new()).unwrap().triangle, 70_000);
}

#[test]
fn coordinates_at_the_ends_of_the_range_bake() {
    for (name, size) in [("1e30", 1e30), ("3e38", 3e38), ("1e-30", 1e-30), ("denormal", 1e-42)] {
        let mut random = Random::new(3);
        let mesh = mesh(3000, |_| {
            let at = random.direction() * random.unit();
            [0, 1, 2].map(|_| ((at + random.direction() * 0.1) * 0.9 * size).to_array())
        });
        let (bvh, report) = bake(name, &mesh, 8);
        assert!(report.summary.triangles_kept > 2900, "{name}");
        assert!(report.summary.sah_cost.is_finite(), "{name}");
        check(name, &bvh, &mesh, 240);
        assert_covered(&bvh, &Judge::new(&[mesh]), name);
    }
    // From the largest to the smallest in one tree.
    let mut random = Random::new(4);
    let mesh = mesh(3000, |_| {
        let size = random.range(-140.0, 126.0).exp2();
        let at = random.direction() * size;
        [0, 1, 2].map(|_| (at + random.direction() * size).to_array())
    });
    let (bvh, _) = bake("all sizes", &mesh, 40);
    check("all sizes", &bvh, &mesh, 480);
}

#[test]
fn triangles_without_area_are_skipped_and_counted() {
    let mut random = Random::new(5);
    // Exact copies, points on a line with small whole coordinates, and slivers with some area.
    let mesh = mesh(6000, |i| {
        let at = random.in_box(Vec3::splat(-50.0), Vec3::splat(50.0)).floor();
        let step = random.in_box(Vec3::ONE, Vec3::splat(9.0)).floor();
        let corners = match i % 4 {
            0 => [at, at, at + step],
            1 => [at, at + step, at + 3.0 * step],
            2 => [at; 3],
            _ => [at, at + step, at + 2.0 * step + Vec3::X * 1e-5],
        };
        corners.map(|v| v.to_array())
    });
    let (bvh, report) = bake("slivers", &mesh, 8);
    let summary = report.summary;
    let judge = Judge::new(std::slice::from_ref(&mesh));
    let degenerate = judge.triangles.iter().filter(|j| j.triangle.is_degenerate()).count();
    assert!((4500..5500).contains(&degenerate));
    assert_eq!(summary.skipped_degenerate, degenerate as u64);
    assert_eq!(summary.triangles_kept + summary.skipped_degenerate, 6000);
    assert_eq!((summary.skipped_non_finite, summary.skipped_out_of_range), (0, 0));
    check("slivers", &bvh, &mesh, 600);
}

fn fails(meshes: &[Mesh]) -> (BakeErrorKind, String) {
    let error: BakeError = Builder::new().bake(meshes).expect_err("a bad mesh");
    (error.kind(), error.to_string())
}

#[test]
fn bad_numbers_are_refused_by_mesh_and_triangle_or_skipped() {
    let good = scenes::terrain(4, 1);
    let mut bad = scenes::soup(5, 1.0, 1.0, 2);
    for (value, shown) in [(f32::NAN, "NaN"), (f32::INFINITY, "inf"), (f32::NEG_INFINITY, "-inf")] {
        bad.positions[7] = [0.0, 2.0, value];
        bad.positions[6] = [1.0, 2.0, 3.0];
        bad.positions[8] = [4.0, 5.0, 6.5];
        let (kind, message) = fails(&[good.clone(), bad.clone()]);
        assert_eq!(kind, BakeErrorKind::NonFinite);
        assert_eq!(
            message,
            format!(
                "mesh 1 `soup`: triangle 2: a coordinate is NaN, infinite or beyond the range of \
                 f32: [[1.0, 2.0, 3.0], [0.0, 2.0, {shown}], [4.0, 5.0, 6.5]]; repair the mesh, or \
                 skip bad triangles"
            )
        );
        let skip = Builder::new().bad_triangles(BadTriangles::Skip);
        let meshes = [good.clone(), bad.clone()];
        let (bvh, report) = skip.bake(&meshes).unwrap();
        assert_eq!(report.summary.skipped_non_finite, 1);
        assert_eq!(report.summary.triangles_kept, 32 + 4);
        let judge = Judge::new(&meshes);
        assert_eq!(judge.triangles.len(), 36);
        let rays = rays_at(&mut Random::new(6), &triangles(&judge), 240);
        assert!(compare(&bvh, &judge, &rays, "skipped") > 50);
    }

    // A transform may make a coordinate infinite; the error shows the result.
    let far = Affine3A::from_scale(Vec3::splat(1e38));
    let one = Mesh::from_soup(vec![[0.0; 3], [1.0, 0.0, 0.0], [9.0, 1.0, 0.0]]);
    let (kind, message) = fails(&[one.clone().with_transform(far)]);
    assert_eq!(kind, BakeErrorKind::NonFinite);
    assert!(message.starts_with("mesh 0: triangle 0: a coordinate is NaN, infinite or beyond"));
    assert!(message.contains("inf"), "{message}");
    // Vertices that no triangle uses are not checked.
    let unused =
        Mesh::new(vec![[f32::NAN; 3], [0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], vec![1, 2, 3]);
    assert!(Builder::new().bake(&[unused]).is_ok());
}

#[test]
fn the_first_bad_triangle_is_named_with_any_number_of_threads() {
    // Two bad triangles, far enough apart for different threads.
    let mut mesh = scenes::soup(120_000, 10.0, 0.1, 3);
    mesh.positions[3 * 110_000] = [f32::NAN; 3];
    mesh.positions[3 * 50_000 + 2] = [f32::INFINITY; 3];
    for threads in [1, 2, 8] {
        let error = Builder::new().threads(threads).bake(&[Mesh::default(), mesh.clone()]);
        let message = error.unwrap_err().to_string();
        assert!(message.starts_with("mesh 1 `soup`: triangle 50000: "), "{message}");
    }
}

#[test]
fn indices_out_of_range_are_refused_or_skipped() {
    let mut mesh = scenes::terrain(4, 1);
    let count = mesh.positions.len() as u32;
    for (at, index) in [(0, count), (4, u32::MAX), (95, count + 7)] {
        let mut bad = mesh.clone();
        bad.indices.as_mut().unwrap()[at] = index;
        let (kind, message) = fails(&[Mesh::default(), bad.clone()]);
        assert_eq!(kind, BakeErrorKind::IndexOutOfRange);
        assert_eq!(
            message,
            format!(
                "mesh 1 `terrain`: triangle {}: vertex {index} does not exist, the mesh has 25; \
                 repair the mesh, or skip bad triangles",
                at / 3
            )
        );
        let skip = Builder::new().bad_triangles(BadTriangles::Skip);
        let (bvh, report) = skip.bake(std::slice::from_ref(&bad)).unwrap();
        assert_eq!(report.summary.skipped_out_of_range, 1);
        assert_eq!(report.summary.triangles_kept, 31);
        let judge = Judge::new(&[bad]);
        assert_eq!(judge.triangles.len(), 31);
        assert_covered(&bvh, &judge, "skipped");
        let rays = rays_at(&mut Random::new(7), &triangles(&judge), 240);
        assert!(compare(&bvh, &judge, &rays, "skipped") > 50);
    }
    // The same with 16-bit indices, and without any vertices.
    let view = MeshView::new(Positions::Arrays(&[]), Indices::U16(&[0, 1, 65535]));
    let error = Builder::new().bake(&[view]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "mesh 0: triangle 0: vertex 65535 does not exist, the mesh has 0; repair the mesh, or skip \
         bad triangles"
    );
    mesh.positions.clear();
    let skip = Builder::new().bad_triangles(BadTriangles::Skip);
    let (bvh, report) = skip.bake(&[mesh]).unwrap();
    assert_eq!(report.summary.skipped_out_of_range, 32);
    assert_eq!(report.summary.depth, 0);
    assert!(bvh.bounds().is_empty());
}

#[test]
fn half_triangles_and_wrong_material_counts_are_refused_under_both_policies() {
    let mut cut = scenes::terrain(2, 1);
    cut.indices.as_mut().unwrap().pop();
    let loose = Mesh::from_soup(vec![[0.0; 3]; 7]);
    let few = scenes::terrain(2, 1).with_materials(vec![1; 7]);
    let many = scenes::soup(3, 1.0, 1.0, 1).with_materials(vec![1; 4]);
    let none = Mesh::default().with_materials(vec![1]);
    let cases = [
        (
            cut,
            BakeErrorKind::IncompleteTriangle,
            "mesh 1 `terrain`: 23 indices do not make whole triangles",
        ),
        (
            loose,
            BakeErrorKind::IncompleteTriangle,
            "mesh 1: 7 positions do not make whole triangles",
        ),
        (
            few,
            BakeErrorKind::MaterialCount,
            "mesh 1 `terrain`: 7 materials for 8 triangles; give one for each triangle",
        ),
        (
            many,
            BakeErrorKind::MaterialCount,
            "mesh 1 `soup`: 4 materials for 3 triangles; give one for each triangle",
        ),
        (
            none,
            BakeErrorKind::MaterialCount,
            "mesh 1: 1 materials for 0 triangles; give one for each triangle",
        ),
    ];
    for (mesh, kind, message) in cases {
        let meshes = [scenes::terrain(2, 1), mesh];
        assert_eq!(fails(&meshes), (kind, message.to_owned()));
        let skip = Builder::new().bad_triangles(BadTriangles::Skip);
        assert_eq!(skip.bake(&meshes).unwrap_err().to_string(), message);
    }
}

#[test]
fn no_triangles_make_an_empty_tree_whose_queries_miss() {
    let nothing = Mesh::from_soup(vec![[1.0; 3]; 9]);
    for meshes in [vec![], vec![Mesh::default()], vec![Mesh::default(), nothing, Mesh::default()]] {
        let (bvh, report) = Builder::new().bake(&meshes).unwrap();
        let summary = report.summary;
        assert_eq!((summary.nodes, summary.leaves, summary.depth), (0, 0, 0));
        assert_eq!(summary.sah_cost, 0.0);
        assert!(bvh.bounds().is_empty());
        let mut hits = Vec::new();
        for isa in scenes::instruction_sets() {
            let query = Query::new().instruction_set(isa);
            for ray in [Ray::new([1.0; 3], [1.0; 3]), Ray::new([1e30; 3], [1e-30, 0.0, -0.0])] {
                assert_eq!(bvh.closest_hit(&ray, &query), None);
                assert!(!bvh.any_hit(&ray, &query));
                bvh.all_hits(&ray, &query, &mut hits);
                assert!(hits.is_empty());
            }
        }
    }
}

/// A leaf block holds eight triangles, a node sixteen children: all counts around these.
#[test]
fn every_small_number_of_triangles_bakes() {
    for count in (1..40).chain([63, 64, 65, 127, 128, 129, 130, 257]) {
        let mesh = scenes::soup(count, 3.0, 2.0, count as u64);
        let (bvh, report) = Builder::new().bake(std::slice::from_ref(&mesh)).unwrap();
        assert_eq!(report.summary.triangles_kept, count as u64);
        let judge = Judge::new(&[mesh]);
        let rays = rays_at(&mut Random::new(count as u64), &triangles(&judge), 48);
        assert!(compare(&bvh, &judge, &rays, &format!("{count} triangles")) > 5);
        assert_covered(&bvh, &judge, "few");
    }
}

#[test]
fn skipped_triangles_do_not_change_the_numbers_of_others() {
    let mut random = Random::new(8);
    // Triangle `i` of mesh `m` stands at x = i, z = 10 m and nowhere else.
    let counts = [0, 40, 0, 0, 33, 100, 0];
    let mut expected = Vec::new();
    let meshes: Vec<_> = counts
        .iter()
        .enumerate()
        .map(|(m, &count)| {
            let mesh = mesh(count, |i| {
                let at = Vec3::new(i as f32, 0.0, 10.0 * m as f32);
                let mut corners = right(at, 0.5);
                match random.below(4) {
                    0 => corners[1] = corners[0],
                    1 => corners[2][1] = f32::NAN,
                    _ => expected.push((m as u32, i as u32)),
                }
                corners
            });
            mesh.with_user_id(100 + m as u64).with_materials((0..count as u32).rev().collect())
        })
        .collect();
    let builder = Builder::new().bad_triangles(BadTriangles::Skip);
    let (bvh, report) = builder.bake(&meshes).unwrap();
    assert_eq!(report.summary.triangles_in, 173);
    assert_eq!(report.summary.triangles_kept, expected.len() as u64);
    assert!(report.summary.skipped_degenerate > 20 && report.summary.skipped_non_finite > 20);
    let mut found = Vec::new();
    for (m, &count) in counts.iter().enumerate() {
        for i in 0..count {
            let at = [i as f32 + 0.1, 0.1, 10.0 * m as f32 - 1.0];
            let ray = Ray::new(at, [0.0, 0.0, 1.0]).with_range(0.0, 2.0);
            if let Some(hit) = bvh.closest_hit(&ray, &Query::new()) {
                assert_eq!(hit.user_id, 100 + u64::from(hit.mesh));
                assert_eq!(hit.material(), Some((count - i - 1) as u32));
                assert_eq!((hit.mesh, hit.triangle), (m as u32, i as u32));
                found.push((hit.mesh, hit.triangle));
            }
        }
    }
    assert_eq!(found, expected);
}
