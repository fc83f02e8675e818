use glam::Vec3;
use proptest::prelude::*;

use super::Triangle;
use crate::geometry::vec3_f64::{add, cross, dot, scale, sub, to_f64};
use crate::geometry::{Face, Ray, TriangleHit};

fn right(scale: f32) -> Triangle {
    Triangle::new([0.0; 3], [scale, 0.0, 0.0], [0.0, scale, 0.0])
}

/// A test that shares no formula with the others: where the ray meets the plane, and whether that
/// point is inside (Snyder and Barr, "Ray Tracing Complex Models Containing Surface
/// Tessellations", 1987, with areas in place of a projection).
fn intersect_plane_first(triangle: &Triangle, ray: &Ray) -> Option<TriangleHit> {
    let [a, b, c] = [triangle.v0, triangle.v1, triangle.v2].map(to_f64);
    let normal = triangle.normal_f64();
    let square = dot(normal, normal);
    let rise = dot(normal, to_f64(ray.dir));
    if !ray.is_castable() || square == 0.0 || !square.is_finite() || rise == 0.0 {
        return None;
    }
    let t = dot(normal, sub(a, to_f64(ray.origin))) / rise;
    let from_a = sub(add(to_f64(ray.origin), scale(to_f64(ray.dir), t)), a);
    let u = dot(cross(from_a, sub(c, a)), normal) / square;
    let v = dot(cross(sub(b, a), from_a), normal) / square;
    let face = super::face(rise < 0.0);
    let hit = TriangleHit { t: t as f32, u: u as f32, v: v as f32, face };
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && ray.admits(hit.t)).then_some(hit)
}

/// All tests, which must agree.
fn hit(triangle: &Triangle, ray: &Ray) -> Option<TriangleHit> {
    let hit = triangle.intersect_moller_trumbore(ray);
    assert_eq!(hit, triangle.intersect(ray));
    assert_eq!(hit, intersect_plane_first(triangle, ray));
    hit
}

#[test]
fn small_triangles_are_hit() {
    // The document calls a determinant below 0.0001 parallel.
    for scale in [1e-3, 1e-6, 1e-15, 1e-30, 1e15] {
        let ray = Ray::new([0.25 * scale, 0.5 * scale, scale], [0.0, 0.0, -scale]);
        let hit = hit(&right(scale), &ray).expect("aimed at it");
        assert_eq!((hit.t, hit.u, hit.v, hit.face), (1.0, 0.25, 0.5, Face::Front));
    }
}

#[test]
fn weights_are_not_loosened() {
    // The document's other version loosens `u` and `v` by absolute amounts.
    let down = |x: f32, y: f32| Ray::new([x, y, 1.0], [0.0, 0.0, -1.0]);
    assert!(hit(&right(1.0), &down(-1e-6, 0.5)).is_none());
    assert!(hit(&right(1.0), &down(0.5, -1e-6)).is_none());
    assert!(hit(&right(1.0), &down(0.5, 0.500_001)).is_none());
    assert!(hit(&right(1.0), &down(0.5, 0.5)).is_some());
    assert!(hit(&right(1.0), &down(0.0, 0.0)).is_some());
}

#[test]
fn hits_behind_the_origin_are_not_hits() {
    let away = Ray::new([0.25, 0.25, 1.0], [0.0, 0.0, 1.0]);
    assert!(hit(&right(1.0), &away).is_none());
    let back = hit(&right(1.0), &away.with_range(-2.0, 0.0)).expect("asked for");
    assert_eq!((back.t, back.face), (-1.0, Face::Back));
}

#[test]
fn hits_beyond_the_end_are_not_hits() {
    let ray = Ray::new([0.25, 0.25, 2.0], [0.0, 0.0, -1.0]);
    assert!(hit(&right(1.0), &ray.with_range(0.0, 1.9)).is_none());
    assert!(hit(&right(1.0), &ray.with_range(0.0, 2.0)).is_some());
    assert!(hit(&right(1.0), &ray.with_range(2.0, 2.0)).is_some());
    assert!(hit(&right(1.0), &ray.with_range(3.0, 1.0)).is_none());
    assert!(hit(&right(1.0), &ray.with_range(f32::NAN, 9.0)).is_none());
}

#[test]
fn both_sides_are_hit_and_told_apart() {
    let from_front = Ray::new([0.25, 0.25, 1.0], [0.0, 0.0, -1.0]);
    let from_back = Ray::new([0.25, 0.25, -1.0], [0.0, 0.0, 1.0]);
    assert_eq!(hit(&right(1.0), &from_front).expect("aimed at it").face, Face::Front);
    assert_eq!(hit(&right(1.0), &from_back).expect("aimed at it").face, Face::Back);
}

#[test]
fn parallel_rays_and_degenerate_triangles_miss() {
    let within = Ray::new([-1.0, 0.25, 0.0], [1.0, 0.0, 0.0]);
    assert!(hit(&right(1.0), &within).is_none());
    let line = Triangle::new([0.0; 3], [1.0; 3], [2.0; 3]);
    assert!(hit(&line, &Ray::new([1.0, 1.0, 5.0], [0.0, 0.0, -1.0])).is_none());
    let broken = Triangle::new(Vec3::NAN, Vec3::X, Vec3::Y);
    assert!(hit(&broken, &Ray::new([0.2, 0.2, 1.0], [0.0, 0.0, -1.0])).is_none());
    for vertex in 0..3 {
        for far in [Vec3::INFINITY, Vec3::new(0.0, f32::NEG_INFINITY, 0.0)] {
            let mut corners = [Vec3::ZERO, Vec3::X, Vec3::Y];
            corners[vertex] = far;
            let endless = Triangle::new(corners[0], corners[1], corners[2]);
            assert!(hit(&endless, &Ray::new([0.2, 0.2, 1.0], [0.0, 0.0, -1.0])).is_none());
            assert!(hit(&endless, &Ray::new([0.0; 3], [1.0, 2.0, 3.0])).is_none());
        }
    }
    assert!(hit(&right(1.0), &Ray::new([0.2; 3], [0.0; 3])).is_none());
    assert!(hit(&right(1.0), &Ray::new(Vec3::INFINITY, Vec3::Z)).is_none());
}

#[test]
fn normal_area_bounds_and_points() {
    let triangle = Triangle::new([1.0, 1.0, 1.0], [3.0, 1.0, 1.0], [1.0, 4.0, 1.0]);
    assert_eq!(triangle.normal(), Vec3::new(0.0, 0.0, 6.0));
    assert_eq!(triangle.area(), 3.0);
    assert_eq!(triangle.bounds().min, Vec3::ONE);
    assert_eq!(triangle.bounds().max, Vec3::new(3.0, 4.0, 1.0));
    let scale = 2.0_f32.powi(-60);
    assert_eq!(right(scale).area(), 0.5 * scale * scale);
    assert_eq!(triangle.point_at(0.0, 0.0), triangle.v0);
    assert_eq!(triangle.point_at(1.0, 0.0), triangle.v1);
    assert_eq!(triangle.point_at(0.0, 1.0), triangle.v2);
}

#[test]
fn closest_point_has_seven_regions() {
    let triangle = right(4.0);
    let expect = |from: [f32; 3], to: [f32; 3]| {
        assert_eq!(triangle.closest_point(from), Vec3::from(to));
    };
    expect([1.0, 1.0, 7.0], [1.0, 1.0, 0.0]);
    expect([-1.0, -1.0, 1.0], [0.0, 0.0, 0.0]);
    expect([9.0, -1.0, 1.0], [4.0, 0.0, 0.0]);
    expect([-1.0, 9.0, 1.0], [0.0, 4.0, 0.0]);
    expect([2.0, -3.0, 1.0], [2.0, 0.0, 0.0]);
    expect([-3.0, 2.0, 1.0], [0.0, 2.0, 0.0]);
    expect([4.0, 4.0, 1.0], [2.0, 2.0, 0.0]);
}

#[test]
fn closest_point_of_a_degenerate_triangle() {
    let point = Triangle::new([1.0; 3], [1.0; 3], [1.0; 3]);
    assert_eq!(point.closest_point([5.0, 0.0, 0.0]), Vec3::ONE);
    let line = Triangle::new([0.0; 3], [0.0; 3], [2.0, 0.0, 0.0]);
    assert_eq!(line.closest_point([1.0, 3.0, 0.0]), Vec3::X);
    assert_eq!(line.closest_point([9.0, 3.0, 0.0]), 2.0 * Vec3::X);
}

#[test]
fn triangles_without_an_area_are_degenerate() {
    let of = |c: [f32; 3]| Triangle::new([0.0; 3], [1.0, 2.0, 3.0], c).is_degenerate();
    assert!(of([0.0; 3]) && of([2.0, 4.0, 6.0]));
    assert!(of([0.0, f32::NAN, 0.0]) && of([f32::INFINITY; 3]));
    assert!(!of([2.0, 4.0, 6.0f32.next_up()]) && !of([f32::MAX, 0.0, 0.0]));
    assert!(!right(1e-45).is_degenerate() && !right(f32::MAX).is_degenerate());
}

fn vertex() -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-10.0_f32..10.0).prop_map(Vec3::from)
}

#[test]
fn unit_normals_are_of_unit_length_whatever_the_size() {
    for size in [1e-45, 1e-30, 1e-3, 1.0, 1e15, 3e38] {
        let triangle = Triangle::new([0.0; 3], [0.0, 0.0, size], [size, 0.0, 0.0]);
        assert_eq!(triangle.unit_normal(), Vec3::Y, "{size}");
    }
    let slanted = Triangle::new([0.0; 3], [1.0, 0.0, 0.0], [0.0, 3.0, 4.0]);
    assert_eq!(slanted.unit_normal(), Vec3::new(0.0, -0.8, 0.6));
    let flat = Triangle::new([0.0; 3], [1.0, 2.0, 3.0], [2.0, 4.0, 6.0]);
    assert_eq!(flat.unit_normal(), Vec3::ZERO);
    let broken = Triangle::new([f32::NAN; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
    assert_eq!(broken.unit_normal(), Vec3::ZERO);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_two_tests_agree_and_hit_the_target(
        a in vertex(), b in vertex(), c in vertex(), origin in vertex(),
        u in 0.01_f32..0.98, v in 0.01_f32..0.98,
    ) {
        let triangle = Triangle::new(a, b, c);
        let v = v * (0.99 - u);
        let height = triangle.normal().normalize_or_zero().dot(origin - a).abs();
        prop_assume!(triangle.area() > 1.0 && height > 0.1);
        let ray = Ray::between(origin, triangle.point_at(u, v)).with_range(0.0, 2.0);
        let one = triangle.intersect_moller_trumbore(&ray).expect("aimed inside");
        let other = intersect_plane_first(&triangle, &ray).expect("aimed inside");
        prop_assert!((one.t - 1.0).abs() < 1e-3);
        prop_assert!((one.u - u).abs() < 1e-3 && (one.v - v).abs() < 1e-3);
        prop_assert!((one.t - other.t).abs() < 1e-5);
        prop_assert!((one.u - other.u).abs() < 1e-5 && (one.v - other.v).abs() < 1e-5);
        prop_assert_eq!(one.face, other.face);
        prop_assert_eq!(one.face == Face::Front, triangle.normal().dot(ray.dir) < 0.0);
        prop_assert!(ray.at(one.t).distance(triangle.point_at(one.u, one.v)) < 1e-4);
    }

    #[test]
    fn closest_point_is_no_farther_than_any_other(
        a in vertex(), b in vertex(), c in vertex(), from in vertex(),
        u in 0.0_f32..=1.0, v in 0.0_f32..=1.0,
    ) {
        let triangle = Triangle::new(a, b, c);
        let nearest = triangle.closest_point(from).distance(from);
        prop_assert!(nearest <= triangle.point_at(u, v * (1.0 - u)).distance(from) + 1e-5);
    }
}
