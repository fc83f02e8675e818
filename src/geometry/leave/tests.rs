use super::*;
use crate::test_rng;

/// Points on triangles of all kinds, rounded as hits round them, and directions of all kinds: any,
/// towards vertices, along edges and so in the plane, along axes.
fn for_each_case(count: usize, mut each: impl FnMut(&Ray, &Triangle)) {
    let mut state = 3u64;
    let mut number = || test_rng::number(&mut state);
    for i in 0..count {
        let mut point = |size: f32| [0; 3].map(|_| size * number());
        let size = [1.0, 1e-4, 1e-12, 1e6][i % 4];
        let away = [0.0, 1.0, 1e3, 1e6][i / 4 % 4] * size;
        let sliver = [1.0, 1e-3, 1e-7][i / 16 % 3];
        let plus = |a: [f32; 3], b: [f32; 3], part: f32| [0, 1, 2].map(|k| a[k] + part * b[k]);
        let a = plus(point(size), point(1.0), away);
        let (mut edge, mut off) = (point(size), point(size));
        if i / 48 % 2 == 0 {
            // In the plane of two axes.
            (edge[i % 3], off[i % 3]) = (0.0, 0.0);
        }
        let b = plus(a, edge, 1.0);
        let c = plus(plus(a, edge, 0.5), off, sliver);
        let triangle = Triangle::new(a, b, c);
        if triangle.is_degenerate() {
            continue;
        }
        let u = (0.5 + 0.5 * number()).clamp(0.0, 1.0);
        let v = (0.5 + 0.5 * number()).clamp(0.0, 1.0) * (1.0 - u);
        let origin = triangle.point_at(u, v);
        let mut any = [0; 3].map(|_| number());
        if i / 3 % 5 == 1 {
            any[i % 3] = 0.0;
        }
        for dir in [any.into(), triangle.v1 - triangle.v0, triangle.v2 - origin, -triangle.v0] {
            each(&Ray::new(origin, dir), &triangle);
        }
    }
}

#[test]
fn a_ray_that_leaves_never_meets_its_triangle_or_the_plane() {
    let (mut leaving, mut in_plane, mut behind) = (0, 0, 0);
    for_each_case(if cfg!(miri) { 100 } else { 5_000 }, |ray, triangle| {
        let corners = &triangle.to_arrays();
        for front in [false, true] {
            let moved = leave(ray, triangle, front);
            assert_eq!((moved.dir, moved.t_min, moved.t_max), (ray.dir, 0.0, f32::INFINITY));
            // Both signs are exact: so it is above the plane and does not come nearer.
            let (toward, side) = (direction_side(&moved, corners), origin_side(&moved, corners));
            let chosen = if front { 1 } else { -1 };
            assert!(side == if toward == 0 { chosen } else { toward }, "{ray:?} {triangle:?}");
            assert_eq!(triangle.intersect(&moved), None, "{ray:?} {triangle:?}");
            leaving += 1;
            in_plane += usize::from(toward == 0);
            behind += usize::from(toward < 0);
        }
    });
    assert!(cfg!(miri) || leaving > 20_000 && in_plane > 2_000 && behind > 5_000);
}

/// The number before the new coordinate is nearer to the plane than a step, which is 2^-20 of the
/// triangle's size, in it, or on its other side.
#[test]
fn the_origin_moves_to_the_first_number_that_is_a_step_beyond_the_plane() {
    let (mut first, mut all) = (0, 0);
    for_each_case(if cfg!(miri) { 100 } else { 5_000 }, |ray, triangle| {
        let corners = &triangle.to_arrays();
        let moved = leave(ray, triangle, true);
        let side = origin_side(&moved, corners);
        let Some(k) = (0..3).find(|&k| moved.origin[k] != ray.origin[k]) else { return };
        assert!((0..3).all(|other| other == k || moved.origin[other] == ray.origin[other]));
        let mut axis = [0.0; 3];
        axis[k] = 1.0;
        let upward = direction_side(&Ray::new(ray.origin, axis), corners) == side;
        let mut before = moved;
        let x = moved.origin[k];
        before.origin[k] = if upward { x.next_down() } else { x.next_up() };
        let (e1, e2) = (difference(corners[1], corners[0]), difference(corners[2], corners[0]));
        let size = max_abs(e1).max(max_abs(e2));
        let least = size * 2f64.powi(-20);
        let normal = cross(e1, e2);
        let height = dot(difference(before.origin.to_array(), corners[0]), normal) / normal[k];
        all += 1;
        let near = height.abs() < least * 1.0001;
        first += usize::from(near || origin_side(&before, corners) != side);
        // Also of slivers, whose planes are less sure.
        let far = f64::from((moved.origin[k] - ray.origin[k]).abs());
        let step =
            f64::from(max_abs(ray.origin.to_array().map(f64::from)) as f32) / (1 << 21) as f64;
        assert!(far <= step + least * 1.0001, "{far:e} {ray:?} {triangle:?}");
    });
    assert!(cfg!(miri) || first * 100 > all * 99, "{first} of {all}");
}

/// There `f64` does not tell the plane, and the way beyond it is found by doubling.
#[test]
fn an_origin_far_away_moves_beyond_the_plane() {
    let mut state = 11;
    for i in 0..200 {
        let mut point = || [0; 3].map(|_| test_rng::number(&mut state));
        // One edge leads exactly to where the origin is, near the plane.
        let (a, c) = (point(), point());
        let corners = [a, [a[0] + 1.0, a[1] - 1.0, a[2]], c];
        let triangle = Triangle::new(corners[0], corners[1], corners[2]);
        let far = 2f32.powi([30, 40, 60, 80][i % 4]);
        let origin = [far, -far, 0.0];
        for dir in [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]] {
            let moved = leave(&Ray::new(origin, dir), &triangle, true);
            let side = direction_side(&moved, &corners);
            assert_eq!(origin_side(&moved, &corners), side, "{origin:?} {corners:?}");
        }
    }
}

#[test]
fn a_ray_that_is_not_finite_stays() {
    let triangle = Triangle::new([0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
    for (origin, dir) in
        [([0.1, f32::INFINITY, 0.0], [0.0, 0.0, 1.0]), ([0.1; 3], [f32::INFINITY; 3])]
    {
        let ray = Ray::new(origin, dir);
        assert_eq!(leave(&ray, &triangle, true), ray);
    }
}
