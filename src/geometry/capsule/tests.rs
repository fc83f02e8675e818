use num_rational::BigRational;

use super::*;
use crate::geometry::Sphere;
use crate::geometry::vec3_f64::sub;
use crate::test_rng::number;

#[test]
fn points_are_at_their_distance_from_the_closest_point() {
    let mut state = 2;
    let mut point = |size: f32| Vec3::from([0; 3].map(|_| number(&mut state) * size));
    for i in 0..2_000 {
        let size = [1.0, 1e-20, 1e20][i % 3];
        let b = point(size);
        let a = if i % 5 == 0 { b } else { point(size) };
        let capsule = Capsule::new(a, b, [0.0, 0.2, 1.5][i % 7 % 3] * size);
        let p = point(3.0 * size);
        let (closest, distance) = (capsule.closest_point(p), capsule.distance(p));
        let off = sub(to_f64(p), to_f64(closest));
        let between = dot(off, off).sqrt();
        assert!((between - f64::from(distance)).abs() <= 1e-6 * f64::from(size), "{capsule:?} {p}");
        assert_eq!(capsule.contains(p), distance == 0.0 && closest == p, "{capsule:?} {p}");
        // The closest point is in the capsule, but for its rounding.
        assert!(capsule.distance(closest) <= 1e-6 * size, "{capsule:?} {p}");
        if capsule.contains(p) {
            assert!(capsule.bounds().contains(p));
        }
        assert!(capsule.bounds().contains(a + Vec3::splat(capsule.radius) * Vec3::X));
    }
}

#[test]
fn a_capsule_without_a_length_is_a_sphere_and_without_a_radius_a_segment() {
    let sphere = Capsule::new([1.0; 3], [1.0; 3], 2.0);
    assert!(sphere.contains([3.0, 1.0, 1.0]) && !sphere.contains([3.0000002, 1.0, 1.0]));
    assert_eq!(sphere.bounds(), Aabb::from_min_max([-1.0; 3], [3.0; 3]));
    let segment = Capsule::new([0.0; 3], [2.0, 2.0, 0.0], 0.0);
    assert!(segment.contains([1.0, 1.0, 0.0]) && !segment.contains([1.0, 1.0000001, 0.0]));
    assert_eq!(segment.closest_point([0.0, 2.0, 5.0]).to_array(), [1.0, 1.0, 0.0]);
}

#[test]
fn bounds_are_rounded_outwards() {
    let capsule = Capsule::new([1.0; 3], [1.0; 3], 1e-12);
    let bounds = capsule.bounds();
    assert_eq!((bounds.min.x, bounds.max.x), (1.0f32.next_down(), 1.0f32.next_up()));
    let huge = Capsule::new([f32::MAX; 3], [0.0; 3], f32::MAX).bounds();
    assert_eq!((huge.min.x, huge.max.x), (-f32::MAX, f32::INFINITY));
}

#[test]
fn empty_and_infinite_capsules_are_defined() {
    for empty in [
        Capsule::new([0.0; 3], [1.0; 3], -1.0),
        Capsule::new([0.0; 3], [1.0; 3], f32::NAN),
        Capsule::new([f32::NAN; 3], [1.0; 3], 1.0),
        Capsule::new([0.0; 3], [f32::INFINITY; 3], f32::INFINITY),
    ] {
        assert!(empty.is_empty() && empty.bounds().is_empty());
        assert!(!empty.contains([0.0; 3]) && empty.distance([0.0; 3]).is_nan());
        assert!(empty.closest_point([0.0; 3]).is_nan());
    }
    let everything = Capsule::new([0.0; 3], [1.0; 3], f32::INFINITY);
    assert!(everything.contains([f32::MAX; 3]) && everything.distance([-f32::MAX; 3]) == 0.0);
    assert_eq!(everything.bounds().max.x, f32::INFINITY);
    assert!(!everything.contains([f32::NAN; 3]));
}

/// The exact square of the distance of the point of a ray at `t` from the segment of a capsule,
/// less the square of the radius.
fn height_at(capsule: &Capsule, ray: &Ray, t: f32) -> BigRational {
    let exact = |x: f32| BigRational::from_float(x).expect("finite");
    let vector = |v: Vec3| v.to_array().map(exact);
    let dot = |a: &[BigRational; 3], b: &[BigRational; 3]| -> BigRational {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    };
    let [a, b, origin, dir] = [capsule.a, capsule.b, ray.origin, ray.dir].map(vector);
    let axis: [_; 3] = std::array::from_fn(|k| &b[k] - &a[k]);
    let from: [_; 3] = std::array::from_fn(|k| &origin[k] + exact(t) * &dir[k] - &a[k]);
    let (length, zero) = (dot(&axis, &axis), exact(0.0));
    let reach = if length == zero { zero } else { dot(&from, &axis) / length };
    let reach = reach.clamp(exact(0.0), exact(1.0));
    let off: [_; 3] = std::array::from_fn(|k| &from[k] - &reach * &axis[k]);
    dot(&off, &off) - exact(capsule.radius) * exact(capsule.radius)
}

#[test]
fn a_ray_is_in_the_capsule_just_between_the_ends_of_its_interval() {
    let (mut state, mut hits) = (7, 0);
    let zero = BigRational::from_float(0.0).expect("finite");
    for i in 0..3_000 {
        let mut point = |size: f32| Vec3::from([0; 3].map(|_| number(&mut state) * size));
        let size = [1.0, 1e-12, 1e12][i % 3];
        let a = point(size);
        // Of all shapes: spheres, drops, needles.
        let b = a + point([1.0, 0.0, 30.0, 1e-3][i / 3 % 4] * size);
        let capsule = Capsule::new(a, b, [0.3, 0.01, 2.0][i / 12 % 3] * size);
        // Aimed at a point in it or beside it, or along it.
        let target = a.lerp(b, number(&mut state).abs());
        let off = Vec3::from([0; 3].map(|_| number(&mut state))) * 1.5 * capsule.radius;
        let from = Vec3::from([0; 3].map(|_| number(&mut state))) * 9.0 * size;
        let dir = if i % 5 == 0 && a != b { b - a } else { from * 0.7 / size };
        let ray = Ray::new(target + off - 0.9 * dir, dir);
        let Some(interval) = capsule.ray_interval(&ray) else {
            for step in -20..60 {
                let t = step as f32 / 20.0;
                assert!(height_at(&capsule, &ray, t) > zero, "{capsule:?} {ray:?} {t}");
            }
            continue;
        };
        hits += 1;
        let (enter, exit) = (interval.enter, interval.exit);
        for (t, is_in) in [
            (enter.next_down(), false),
            (enter.next_up(), true),
            (0.5 * (enter + exit), true),
            (exit.next_down(), true),
            (exit.next_up(), false),
        ] {
            if (exit - enter) / (enter.abs() + exit.abs()) > 1e-4 {
                let height = height_at(&capsule, &ray, t);
                assert_eq!(height <= zero, is_in, "{capsule:?} {ray:?} {t} {height}");
            }
        }
        assert_eq!(interval.origin_inside, capsule.contains(ray.origin));
        assert!(capsule.intersects_ray(&ray.with_range(exit, exit)));
        assert!(!capsule.intersects_ray(&ray.with_range(exit.next_up(), f32::MAX)));
    }
    assert!(hits > 1_000, "{hits}");
}

#[test]
fn tangents_touch_and_lines_a_bit_farther_away_do_not() {
    for far in [0.0, 1e3, 1e6] {
        // Tangents of the side, of each end, and along the side.
        for (at, dir) in [
            ([3.0, 4.0, 2.0], [4.0, -3.0, 0.0]),
            ([3.0, 4.0, 2.0], [4.0, -3.0, 1.0]),
            ([3.0, 4.0, 0.0], [4.0, -3.0, 0.0]),
            ([3.0, 4.0, 5.0], [4.0, -3.0, 0.0]),
            ([3.0, 4.0, 9.0], [0.0, 0.0, -2.0]),
            ([0.0, 3.0, 9.0], [1.0, 0.0, 0.0]),
            ([0.0, -3.0, -4.0], [0.0, 4.0, -3.0]),
        ] {
            let (at, dir) = (Vec3::from(at), Vec3::from(dir));
            let ray = Ray::new(at - far * dir, dir);
            let capsule = |radius: f32| Capsule::new([0.0; 3], [0.0, 0.0, 5.0], radius);
            assert!(capsule(5.0).ray_interval(&ray).is_some(), "{ray:?}");
            assert_eq!(capsule(5.0f32.next_down()).ray_interval(&ray), None, "{ray:?}");
        }
    }
}

#[test]
fn a_capsule_without_a_length_has_the_intervals_of_its_sphere() {
    let mut state = 3;
    for _ in 0..1_000 {
        let [center, origin, dir] = [0; 3].map(|_| Vec3::from([0; 3].map(|_| number(&mut state))));
        let (capsule, sphere) = (Capsule::new(center, center, 0.5), Sphere::new(center, 0.5));
        let ray = Ray::new(origin, dir);
        assert_eq!(capsule.ray_interval(&ray), sphere.ray_interval(&ray));
    }
}

#[test]
fn intervals_of_special_capsules_and_rays_are_defined() {
    let capsule = Capsule::new([0.0; 3], [0.0, 4.0, 0.0], 1.0);
    let along = Ray::new([0.0, -3.0, 0.0], [0.0, 2.0, 0.0]);
    let interval = capsule.ray_interval(&along).expect("it is aimed at its end");
    assert_eq!((interval.enter, interval.exit, interval.origin_inside), (1.0, 4.0, false));
    let inside = Ray::new([0.0, 1.0, 0.0], [-0.5, 0.0, 0.0]);
    let interval = capsule.ray_interval(&inside).expect("it starts inside");
    assert_eq!((interval.enter, interval.exit, interval.origin_inside), (-2.0, 2.0, true));
    assert!(!capsule.intersects_ray(&inside.with_range(2.5, 9.0)));

    let segment = Capsule::new([0.0; 3], [0.0, 4.0, 0.0], 0.0);
    let through = Ray::new([-2.0, 1.0, 0.0], [2.0, 0.0, 0.0]);
    assert_eq!(segment.ray_interval(&through).map(|i| (i.enter, i.exit)), Some((1.0, 1.0)));
    let everything = Capsule::new([0.0; 3], [1.0; 3], f32::INFINITY);
    let interval = everything.ray_interval(&through).expect("it is everywhere");
    assert_eq!((interval.enter, interval.exit), (f32::NEG_INFINITY, f32::INFINITY));

    let huge = Capsule::new([-f32::MAX; 3], [f32::MAX; 3], f32::MAX);
    assert!(huge.intersects_ray(&Ray::new([f32::MAX, 0.0, 0.0], [-f32::MAX, 1e-45, 0.0])));
    assert_eq!(Capsule::new([0.0; 3], [1.0; 3], -1.0).ray_interval(&through), None);
    assert_eq!(Capsule::new([f32::NAN; 3], [1.0; 3], 1.0).ray_interval(&through), None);
    for (origin, dir) in [
        ([0.0; 3], [0.0; 3]),
        ([f32::NAN, 0.0, 0.0], [1.0; 3]),
        ([0.0; 3], [f32::INFINITY, 0.0, 0.0]),
    ] {
        assert_eq!(capsule.ray_interval(&Ray::new(origin, dir)), None);
    }
}
