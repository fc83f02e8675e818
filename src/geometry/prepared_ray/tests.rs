use glam::{Vec3, Vec3Swizzles};
use proptest::prelude::*;

use super::PreparedRay;
use crate::geometry::{Aabb, Ray, RayInterval};
use crate::test_rng::{bits, number};

/// The interval of a prepared ray, which has the same bits as the box's own.
fn interval(ray: &Ray, bounds: &Aabb) -> Option<RayInterval> {
    let prepared = PreparedRay::new(*ray);
    let (ours, expected) = (prepared.interval(bounds), bounds.ray_interval(ray));
    let as_bits = |i: RayInterval| (i.enter.to_bits(), i.exit.to_bits(), i.origin_inside);
    assert_eq!(ours.map(as_bits), expected.map(as_bits), "{ray:?} {bounds:?}");
    let [enter, exit] = expected.map_or([0.0, 1.0], |i| [i.enter, i.exit]);
    for (t_min, t_max) in [
        (ray.t_min, ray.t_max),
        (f32::NEG_INFINITY, enter.next_down()),
        (enter.next_down(), enter),
        (enter.next_up(), exit.next_down()),
        (exit, exit),
        (exit.next_up(), f32::INFINITY),
        (exit, enter),
    ] {
        let (prepared, ray) = (prepared.with_range(t_min, t_max), ray.with_range(t_min, t_max));
        assert_eq!(prepared.intersects(bounds), bounds.intersects_ray(&ray), "{ray:?} {bounds:?}");
    }
    ours
}

fn ends(ray: &Ray, bounds: &Aabb) -> Option<(f32, f32, bool)> {
    interval(ray, bounds).map(|i| (i.enter, i.exit, i.origin_inside))
}

#[test]
fn rays_along_the_axes_hit_what_they_run_in_with_either_zero() {
    let unit = Aabb::from_min_max([-1.0; 3], [1.0; 3]);
    for zero in [0.0, -0.0] {
        for side in [-1.0, 1.0, 0.0, -0.25] {
            let ray = Ray::new([-3.0, side, 0.5], [2.0, zero, -zero]);
            assert_eq!(ends(&ray, &unit), Some((1.0, 2.0, false)));
            let flat = Aabb::from_min_max([-1.0, side, -1.0], [1.0, side, 1.0]);
            assert_eq!(ends(&ray, &flat), Some((1.0, 2.0, false)));
        }
        for side in [-1.000_001, 1.000_001, -7.0, 1e30] {
            assert_eq!(ends(&Ray::new([-3.0, side, 0.0], [2.0, zero, zero]), &unit), None);
            assert_eq!(ends(&Ray::new([-3.0, 0.0, side], [-2.0, zero, zero]), &unit), None);
        }
    }
}

#[test]
fn rays_may_start_in_a_box_on_its_surface_or_past_it() {
    let unit = Aabb::from_min_max([-1.0; 3], [1.0; 3]);
    let from = |x: f32| Ray::new([x, 0.125, 0.0], [3.0, 0.0, 0.0]);
    assert!(interval(&from(0.0), &unit).is_some_and(|i| i.origin_inside));
    assert_eq!(ends(&from(-1.0), &unit).map(|i| (i.0, i.2)), Some((0.0, true)));
    assert_eq!(ends(&from(1.0), &unit).map(|i| (i.1, i.2)), Some((0.0, true)));
    assert_eq!(ends(&from(2.0), &unit).map(|i| (i.0, i.2)), Some((-1.0, false)));
    let ray = from(-4.0);
    for (range, hits) in [((0.0, 0.99), false), ((0.0, 1.0), true), ((5.0, 9.0), false)] {
        let prepared = PreparedRay::new(ray).with_range(range.0, range.1);
        assert_eq!(prepared.intersects(&unit), hits);
        assert_eq!(*prepared.ray(), ray.with_range(range.0, range.1));
    }
    assert!(!PreparedRay::new(ray).with_range(f32::NAN, 9.0).intersects(&unit));
}

#[test]
fn empty_and_infinite_boxes_are_those_of_the_box() {
    let [low, high, nan] = [f32::NEG_INFINITY, f32::INFINITY, f32::NAN];
    let values = [low, -1.0, -0.0, 0.0, 2.0, high, nan];
    let pick = |i: usize| values[i % values.len()];
    let rays = [
        Ray::new([0.5, -0.5, 0.25], [1.0, 0.3, -2.0]),
        Ray::new([0.0; 3], [1.0, 0.0, -0.0]),
        Ray::new([-1.0, 2.0, 5.0], [0.0, 0.0, -1.0]),
        Ray::new([-f32::MAX, 2.0, 1e-40], [1e-40, -f32::MAX, 1.0]),
    ];
    for i in 0..7usize.pow(4) {
        // Written without the constructors, so that corners may be in the wrong order.
        let min = Vec3::new(pick(i), pick(i / 7), -1.0);
        let max = Vec3::new(pick(i / 49), pick(i / 343), 1.0);
        for ray in &rays {
            interval(ray, &Aabb { min, max });
            interval(ray, &Aabb { min: min.zxy(), max: max.zxy() });
        }
    }
    assert_eq!(interval(&rays[0], &Aabb::EMPTY), None);
    let everything = Aabb::from_min_max([low; 3], [high; 3]);
    assert_eq!(ends(&rays[0], &everything), Some((low, high, true)));
}

#[test]
fn rays_without_a_line_miss() {
    let everything = Aabb::from_min_max([f32::NEG_INFINITY; 3], [f32::INFINITY; 3]);
    for bounds in [Aabb::from_min_max([-1.0; 3], [1.0; 3]), everything] {
        for (origin, dir) in [
            ([0.0; 3], [0.0, -0.0, 0.0]),
            ([f32::NAN, 0.0, 0.0], [1.0; 3]),
            ([0.0; 3], [f32::NAN, 1.0, 0.0]),
            ([f32::INFINITY, 0.0, 0.0], [-1.0, 0.0, 0.0]),
            ([0.0; 3], [f32::INFINITY, 0.0, 0.0]),
        ] {
            assert_eq!(interval(&Ray::new(origin, dir), &bounds), None);
        }
    }
}

/// Boxes that lines touch in corners and edges, where all axes have nearly the same `t`.
#[test]
fn lines_through_corners_have_the_bits_of_the_division() {
    let mut state = 5;
    for _ in 0..100_000 {
        let mut vector = |size: f32| Vec3::from([0; 3].map(|_| number(&mut state) * size));
        let (a, b, mut origin) = (vector(8.0), vector(8.0), vector(30.0));
        let mut bounds = Aabb::from_points([a, b]);
        let corner = bounds.corner(bits(&mut state) as usize);
        let mut dir = corner - origin;
        match bits(&mut state) % 4 {
            // On a grid quotients are often exact.
            0 => {
                bounds = Aabb { min: bounds.min.round(), max: bounds.max.round() };
                (origin, dir) = (origin.round(), dir.round());
            }
            1 => dir *= number(&mut state),
            2 => dir[bits(&mut state) as usize % 3] = 0.0,
            _ => {}
        }
        // The bounds are relative: times of all sizes need them alike.
        for size in [1.0, 1.0 / 4096.0, 4096.0] {
            interval(&Ray::new(origin, dir * size), &bounds);
        }
    }
}

/// Numbers that coincide often, of wildly mixed scale.
fn point() -> impl Strategy<Value = Vec3> {
    let coordinate = || {
        prop_oneof![
            4 => prop::sample::select(vec![
                0.0, -0.0, 1.0, -1.0, 3.0, 0.1, 1e-20, -1e20, f32::MAX, 1e-45, f32::MIN_POSITIVE
            ]),
            2 => -10.0_f32..10.0,
            1 => prop::num::f32::ANY,
        ]
    };
    [coordinate(), coordinate(), coordinate()].prop_map(Vec3::from)
}

/// The far face's distance overflows in `f32`; the box is beside the line.
#[test]
fn boxes_as_large_as_numbers_go_are_asked_exactly() {
    let bounds = Aabb::from_min_max([-1.0, -7.0, -1.0], [f32::MAX, 1e-38, 1.6e16]);
    let ray = Ray::new([-8.5e32, 1e-45, -1e20], [-1e20, -0.0, -2.5]);
    assert_eq!(ends(&ray.with_range(f32::NEG_INFINITY, f32::INFINITY), &bounds), None);
    let mirrored = Aabb::from_min_max([-f32::MAX, -7.0, -1.0], [1.0, 1e-38, 1.6e16]);
    let ray = Ray::new([8.5e32, 1e-45, -1e20], [1e20, -0.0, -2.5]);
    assert_eq!(ends(&ray.with_range(f32::NEG_INFINITY, f32::INFINITY), &mirrored), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn numbers_of_every_scale_have_the_bits_of_the_division(
        a in point(), b in point(), origin in point(), dir in point(),
    ) {
        interval(&Ray::new(origin, dir), &Aabb::from_points([a, b]));
        interval(&Ray::new(origin, dir), &Aabb { min: a, max: b });
    }
}
