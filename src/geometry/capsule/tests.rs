use super::*;
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
