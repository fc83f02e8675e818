use glam::Mat3;

use super::*;
use crate::test_rng::{bits, number};

#[test]
fn a_cube_has_six_faces_and_twelve_edges_with_any_points_inside() {
    let mut points = Vec::new();
    for i in 0..27 {
        points.push([i % 3, i / 3 % 3, i / 9].map(|x| x as f32 - 1.0));
    }
    let hull = ConvexHull::from_points(points.clone()).expect("a cube");
    assert_eq!(
        (hull.polytope().topology.faces.len(), hull.polytope().topology.edges.len()),
        (6, 12)
    );
    assert_eq!(hull.bounds(), Aabb::from_min_max([-1.0; 3], [1.0; 3]));
    assert_eq!(hull.points().count(), 8);
    points.extend(points.clone());
    assert_eq!(ConvexHull::from_points(points).ok(), Some(hull));
}

/// Euler's formula, where no four points are in a plane.
#[test]
fn points_on_a_sphere_have_a_hull_of_triangles() {
    let mut state = 1;
    for count in [4, 5, 9, 30, if cfg!(miri) { 10 } else { 64 }] {
        let points: Vec<Vec3> = (0..count)
            .map(|_| Vec3::from([0; 3].map(|_| number(&mut state))).normalize() * 1e5)
            .collect();
        let hull = ConvexHull::from_points(points).expect("not flat");
        let [faces, edges] =
            [hull.polytope().topology.faces.len(), hull.polytope().topology.edges.len()];
        assert_eq!((faces, edges), (2 * count - 4, 3 * count - 6));
    }
}

fn kind(points: impl IntoIterator<Item = impl Into<Vec3>>) -> Option<HullErrorKind> {
    ConvexHull::from_points(points).err().map(|error| error.kind())
}

#[test]
fn what_has_no_volume_or_too_many_corners_is_no_hull() {
    let flat = [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [7.0, 9.0, 1.0]];
    assert_eq!(kind(flat), Some(HullErrorKind::Flat));
    assert_eq!(kind([[0.0; 3]; 9]), Some(HullErrorKind::Flat));
    assert_eq!(kind(Vec::<Vec3>::new()), Some(HullErrorKind::Flat));
    assert_eq!(
        kind((0..99).map(|i| Vec3::new(0.1, 0.3, -0.7) * 2f32.powi(i % 9))),
        Some(HullErrorKind::Flat)
    );
    let nearly = flat.into_iter().chain([[0.5, 0.5, 1.0f32.next_up()]]);
    assert_eq!(kind(nearly.clone()), None);
    for bad in [f32::NAN, f32::INFINITY] {
        let refused = ConvexHull::from_points(nearly.clone().chain([[0.0, bad, 0.0]])).unwrap_err();
        assert_eq!(refused.kind(), HullErrorKind::NonFinite);
        assert!(refused.to_string().starts_with("point 5 is not finite"), "{refused}");
    }
    let curve = |i: u32| Vec3::new(i as f32, (i * i) as f32, (i * i * i) as f32);
    assert_eq!(kind((0..64).map(curve)), None);
    assert_eq!(kind((0..65).map(curve)), Some(HullErrorKind::TooManyCorners));
    // Many more end soon, too.
    let many = (0..if cfg!(miri) { 100 } else { 100_000 }).map(|i| {
        let angle = i as f32;
        Vec3::new(angle.cos(), angle.sin(), (angle * 0.37).cos()).normalize()
    });
    assert_eq!(kind(many), Some(HullErrorKind::TooManyCorners));
}

#[test]
fn points_that_are_no_corners_do_not_count() {
    // 152 points on the surface of a box, and eight corners.
    let side = |i: u32| [i % 6, i / 6 % 6, i / 36];
    let on_side = |point: &[u32; 3]| point.iter().any(|&x| x == 0 || x == 5);
    let points: Vec<_> = (0..216).map(side).filter(on_side).collect();
    assert_eq!(points.len(), 152);
    let hull = ConvexHull::from_points(points.iter().map(|p| p.map(|x| x as f32))).expect("a box");
    assert_eq!(hull.points().count(), 8);
    assert_eq!(
        Some(hull),
        ConvexHull::from_points(
            (0..8).map(|i| { [i & 1, i >> 1 & 1, i >> 2].map(|side| side as f32 * 5.0) })
        )
        .ok()
    );
}

/// Corners and planes by the definition: a plane through three points that has none on one side.
fn of_all_triples(points: &[[f32; 3]]) -> (Vec<[f32; 3]>, Vec<u64>) {
    let mut different: Vec<[f32; 3]> = Vec::new();
    for &point in points {
        if !different.contains(&point) {
            different.push(point);
        }
    }
    let planes = |points: &[[f32; 3]]| {
        let mut planes = Vec::<u64>::new();
        let numbers = 0..points.len() as u8;
        for i in numbers.clone() {
            for j in 0..i {
                planes.extend(
                    (0..j).filter_map(|k| on_plane(points, corners::size(points), [i, j, k])),
                );
            }
        }
        planes.sort_unstable();
        planes.dedup();
        planes
    };
    // A corner is on three planes that have no other point in common.
    let all = planes(&different);
    let is_corner = |i: usize| {
        let of_point = all.iter().filter(|&on| on >> i & 1 == 1);
        of_point.fold(u64::MAX, |common, on| common & on) == 1 << i
    };
    let mut number = 0..;
    different.retain(|_| number.next().is_some_and(is_corner));
    let planes = planes(&different);
    (different, planes)
}

/// Random points, on grids, on lines, in planes, far away, twice: nasty for rounded numbers.
fn nasty_points(state: &mut u64, count: usize) -> Vec<[f32; 3]> {
    let kind = bits(state) % 6;
    let at = [0.0, 0.0, 3e4][bits(state) as usize % 3];
    (0..count)
        .map(|_| {
            let grid = [0; 3].map(|_| (bits(state) % 4) as f32);
            let [x, y, z] = [0; 3].map(|_| number(state));
            match kind {
                0 => [x, y, z],
                1 => grid,
                2 => grid.map(|x| x * 0.1 + at),
                3 => [x + at, y + at, (x + y) + at],
                4 => [x * 1e-3 + at, y, z],
                _ => Vec3::new(x, y, z).normalize_or_zero().to_array(),
            }
        })
        .collect()
}

#[test]
fn corners_and_faces_are_those_of_all_triples() {
    let (mut state, mut flat, mut solid) = (7, 0, 0);
    for _ in 0..if cfg!(miri) { 5 } else { 400 } {
        let count = bits(&mut state) as usize % 20;
        let points = nasty_points(&mut state, count);
        let (corners, mut planes) = of_all_triples(&points);
        let Ok(hull) = ConvexHull::from_points(points.clone()) else {
            assert!(planes.is_empty(), "{points:?}");
            flat += 1;
            continue;
        };
        let Polytope { points: found, topology } = hull.polytope();
        assert_eq!(found, &corners, "{points:?}");
        let mut on = topology.on.clone();
        on.sort_unstable();
        planes.sort_unstable();
        assert_eq!(on, planes, "{points:?}");
        // Euler's formula.
        assert_eq!(corners.len() + on.len(), topology.edges.len() + 2, "{points:?}");
        solid += 1;
    }
    assert!(cfg!(miri) || flat > 20 && solid > 200, "{flat} {solid}");
}

#[test]
fn a_moved_hull_is_the_hull_of_the_moved_corners() {
    let (mut state, mut kept, mut anew, mut refused) = (3, 0, 0, 0);
    for i in 0..if cfg!(miri) { 5 } else { 600 } {
        let count = 4 + bits(&mut state) as usize % 20;
        let points = nasty_points(&mut state, count);
        let Ok(hull) = ConvexHull::from_points(points) else { continue };
        let transform = transform(&mut state, i);
        let [a, b, c, t] = transform.to_cols_array_2d().map(|column| column.map(f64::from));
        let moved = hull.points().map(|point| {
            let [x, y, z] = point.to_array().map(f64::from);
            [0, 1, 2].map(|k| (((x * a[k] + y * b[k]) + z * c[k]) + t[k]) as f32)
        });
        match (hull.transformed(&transform), ConvexHull::from_points(moved)) {
            (Ok(found), Ok(right)) => {
                assert_eq!(found.polytope(), right.polytope());
                let topology = &found.polytope().topology;
                let is_kept = Arc::ptr_eq(topology, &hull.polytope().topology);
                (kept, anew) = (kept + usize::from(is_kept), anew + usize::from(!is_kept));
            }
            (found, right) => {
                assert_eq!(found.err().map(|e| e.kind()), right.err().map(|e| e.kind()));
                refused += 1;
            }
        }
    }
    println!("{kept} kept, {anew} anew, {refused} refused");
    assert!(cfg!(miri) || kept > 50 && anew > 50 && refused > 10);
}

/// Turned, moved, mirrored, squeezed, flat and infinite.
fn transform(state: &mut u64, i: usize) -> Affine3A {
    let axis = Vec3::from([0; 3].map(|_| number(state))).normalize_or(Vec3::Y);
    let turn = Affine3A::from_axis_angle(axis, number(state) * 3.0);
    let to = Vec3::from([0; 3].map(|_| (number(state) * 4.0).round()));
    match i % 8 {
        0 => Affine3A::from_translation(to),
        1 => Affine3A::from_translation(to * 0.1) * turn,
        2 => turn * Affine3A::from_scale(Vec3::new(-1.0, 2.0, 1e-4)),
        3 => Affine3A::from_scale(to),
        4 => Affine3A::from_translation(to * 1e6) * turn,
        5 => Affine3A::from_scale(Vec3::splat([3e38, f32::NAN][i / 8 % 2])),
        6 => Affine3A::from_mat3(Mat3::from_cols(Vec3::Y, Vec3::NEG_Z, Vec3::X)),
        _ => turn,
    }
}

/// Where many points are in planes or on lines, all is decided in integers.
#[test]
#[cfg_attr(miri, ignore = "slow")]
fn of_points_in_planes_and_on_lines_no_face_or_edge_comes_twice() {
    let circle = |i: u32, y: f32| {
        let angle = i as f32 * 0.3;
        Vec3::new(angle.cos(), y, angle.sin())
    };
    let ring = |count: u32, y: f32| (0..count).map(move |i| circle(i, y));
    let count = |points: Vec<Vec3>| {
        let hull = ConvexHull::from_points(points).ok()?;
        Some([
            hull.points().count(),
            hull.polytope().topology.faces.len(),
            hull.polytope().topology.edges.len(),
        ])
    };
    assert_eq!(count(ring(21, 0.0).chain(ring(21, 1.0)).collect()), Some([42, 23, 63]));
    // Two pyramids on one ring.
    let tips = [Vec3::Y, -Vec3::Y];
    assert_eq!(count(ring(21, 0.0).chain(tips).collect()), Some([23, 42, 63]));
    // The middle ring is on the faces, as far as rounding lets it.
    assert!(count((0..3).flat_map(|y| ring(21, y as f32)).collect()).is_some());
    assert_eq!(count(ring(21, 0.1).collect()), None);
    assert_eq!(
        count((0..64).map(|i| Vec3::new(0.1, 0.3, 0.7) * (1 << (i % 20)) as f32).collect()),
        None
    );
    assert_eq!(count((0..64).map(|i| Vec3::new(0.5, 0.25, -0.75) * i as f32).collect()), None);
    let grid = (0..64).map(|i| Vec3::new((i % 4) as f32, (i / 4 % 4) as f32, (i / 16) as f32));
    assert_eq!(count(grid.collect()), Some([8, 6, 12]));
}
