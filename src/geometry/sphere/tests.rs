use glam::Vec3;
use proptest::prelude::*;

use super::{Sphere, Support, circumcenter, farthest_from};
use crate::geometry::vec3_f64::{difference, to_f64};
use crate::geometry::{Aabb, Ray};
use crate::test_rng::bits;

fn unit() -> Sphere {
    Sphere::new([0.0; 3], 1.0)
}

fn interval(sphere: &Sphere, ray: &Ray) -> Option<(f32, f32)> {
    sphere.ray_interval(ray).map(|i| (i.enter, i.exit))
}

#[test]
fn few_points_have_their_exact_sphere() {
    let one = Sphere::from_points([[1.0, 2.0, 3.0]]).expect("a point");
    assert_eq!(one, Sphere::new([1.0, 2.0, 3.0], 0.0));
    let two = Sphere::from_points([[-1.0, 0.0, 0.0], [3.0, 0.0, 0.0]]).expect("two points");
    assert_eq!(two, Sphere::new([1.0, 0.0, 0.0], 2.0));
    let obtuse = [[-1.0, 0.0, 0.0], [3.0, 0.0, 0.0], [1.0, 0.5, 0.0]];
    assert_eq!(Sphere::from_points(obtuse), Some(two));
    let cube = Sphere::from_points(Aabb::from_min_max([-1.0; 3], [1.0; 3]).corners());
    let cube = cube.expect("eight points");
    assert_eq!(cube.center, Vec3::ZERO);
    assert!((cube.radius - 3.0_f32.sqrt()).abs() < 1e-6);
}

#[test]
fn sets_without_a_sphere_are_none() {
    assert_eq!(Sphere::from_points(Vec::<Vec3>::new()), None);
    assert_eq!(Sphere::from_points([Vec3::ZERO, Vec3::NAN]), None);
    assert_eq!(Sphere::from_points([Vec3::INFINITY]), None);
    assert_eq!(Sphere::from_aabb(&Aabb::EMPTY), None);
    let (low, high) = (Vec3::splat(-1.0), Vec3::splat(1.0));
    for (min, max) in [(low, Vec3::INFINITY), (Vec3::NEG_INFINITY, high), (high, low)] {
        assert_eq!(Sphere::from_aabb(&Aabb { min, max }), None);
    }
}

#[test]
fn degenerate_point_sets_are_contained_in_bounded_time() {
    let circle = (0..5000).map(|i| {
        let angle = i as f32 * 0.001;
        Vec3::new(angle.cos(), angle.sin(), 0.0) * 1000.0 + Vec3::splat(1e6)
    });
    let sphere = (0..5000).map(|i| {
        let (a, b) = (i as f32 * 0.01, i as f32 * 0.37);
        Vec3::new(a.cos() * b.sin(), a.sin() * b.sin(), b.cos())
    });
    let line = (0..5000).map(|i| Vec3::new(i as f32, 2.0 * i as f32, 0.1 * i as f32));
    let same = (0..5000).map(|_| Vec3::splat(0.1));
    let huge = [Vec3::splat(-1e38), Vec3::splat(1e38), Vec3::X];
    let tiny = [Vec3::splat(-1e-45), Vec3::splat(1e-45), Vec3::ZERO];
    let sets: [(Vec<Vec3>, f32); 6] = [
        (circle.collect(), 1000.0),
        (sphere.collect(), 1.0),
        (line.collect(), 4999.0 * 5.01_f32.sqrt() / 2.0),
        (same.collect(), 0.0),
        (huge.to_vec(), 1e38 * 3.0_f32.sqrt()),
        (tiny.to_vec(), 3e-45),
    ];
    for (points, radius) in sets {
        let sphere = Sphere::from_points(points.iter().copied()).expect("points");
        assert!(points.iter().all(|&point| sphere.contains(point)));
        assert!(sphere.radius <= radius * 1.001, "{} > {radius}", sphere.radius);
    }
}

#[test]
fn box_and_sphere_compare_by_volume() {
    use std::f32::consts::PI;
    let cube = Aabb::from_min_max([-1.0; 3], [1.0; 3]);
    let plank = Aabb::from_min_max([-10.0, -1.0, -0.1], [10.0, 1.0, 0.1]);
    let ratio =
        |bounds: &Aabb| Sphere::from_aabb(bounds).expect("sound").volume() / bounds.volume();
    assert!((ratio(&cube) - PI * 3.0_f32.sqrt() / 2.0).abs() < 1e-5);
    assert!(ratio(&plank) > 500.0);
    assert!((cube.volume() / unit().volume() - 6.0 / PI).abs() < 1e-6);
    assert_eq!(Sphere::new([0.0; 3], -1.0).volume(), 0.0);
}

#[test]
fn center_behind_the_origin_is_not_a_miss() {
    let ray = Ray::new([0.5, 0.0, 0.0], [1.0, 0.0, 0.0]);
    let hit = unit().ray_interval(&ray).expect("starts inside");
    assert_eq!((hit.enter, hit.exit), (-1.5, 0.5));
    assert!(hit.origin_inside && unit().intersects_ray(&ray));
    let behind = Ray::new([2.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
    assert_eq!(interval(&unit(), &behind), Some((-3.0, -1.0)));
    assert!(!unit().intersects_ray(&behind));
    assert!(unit().intersects_ray(&behind.with_range(-1.0, 0.0)));
}

#[test]
fn distances_are_in_units_of_the_ray() {
    let ray = Ray::new([-5.0, 0.0, 0.0], [2.0, 0.0, 0.0]);
    assert_eq!(interval(&unit(), &ray), Some((2.0, 3.0)));
}

#[test]
fn tangents_and_points_are_hit() {
    let tangent = Ray::new([-5.0, 1.0, 0.0], [2.5, 0.0, 0.0]);
    assert_eq!(interval(&unit(), &tangent), Some((2.0, 2.0)));
    let outside = Ray::new([-5.0, 1.000_001, 0.0], [2.5, 0.0, 0.0]);
    assert_eq!(interval(&unit(), &outside), None);
    let point = Sphere::new([3.0, 6.0, 9.0], 0.0);
    let through = Ray::new([0.0; 3], [1.0, 2.0, 3.0]);
    assert_eq!(interval(&point, &through), Some((3.0, 3.0)));
}

#[test]
fn far_origins_do_not_cancel() {
    let ray = Ray::new([-1e7, 0.6, 0.0], [1.0, 0.0, 0.0]);
    let hit = unit().ray_interval(&ray).expect("aimed at it");
    assert!(hit.enter <= 9_999_999.2 && hit.exit >= 10_000_000.8);
    assert!(hit.exit - hit.enter < 4.0);
    let above = Ray::new([-1e7, 1.1, 0.0], [1.0, 0.0, 0.0]);
    assert_eq!(interval(&unit(), &above), None);
}

#[test]
fn invalid_rays_and_spheres_miss() {
    let ray = Ray::new([0.0; 3], [1.0, 0.0, 0.0]);
    for sphere in [
        Sphere::new([0.0; 3], -1.0),
        Sphere::new([0.0; 3], f32::NAN),
        Sphere::new(Vec3::NAN, 1.0),
        Sphere::new(Vec3::INFINITY, 1.0),
    ] {
        assert_eq!(sphere.ray_interval(&ray), None);
        assert!(!sphere.contains([0.0; 3]));
    }
    assert_eq!(unit().ray_interval(&Ray::new([0.0; 3], [0.0; 3])), None);
    assert_eq!(unit().ray_interval(&Ray::new(Vec3::NAN, Vec3::X)), None);
}

/// The smallest sphere whose center is determined by at most four of the points.
fn smallest_by_trial(points: &[Vec3]) -> f64 {
    let n = points.len();
    let mut least = f64::INFINITY;
    for choice in 1_u32..1 << n {
        if choice.count_ones() > 4 {
            continue;
        }
        let chosen: Vec<_> =
            (0..n).filter(|i| choice >> i & 1 == 1).map(|i| to_f64(points[i])).collect();
        let (_, distance) = farthest_from(circumcenter(&chosen), points);
        let center = circumcenter(&chosen);
        if center.iter().all(|x| x.is_finite()) {
            least = least.min(distance);
        }
    }
    least.sqrt()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn from_points_is_smallest_and_holds_all(
        points in prop::collection::vec(
            prop::array::uniform3(prop_oneof![
                -10.0_f32..10.0,
                prop::sample::select(vec![0.0, 1.0, -1.0, 1e-3]),
            ]),
            1..9,
        ),
    ) {
        let points: Vec<Vec3> = points.into_iter().map(Vec3::from).collect();
        let sphere = Sphere::from_points(points.iter().copied()).expect("points");
        prop_assert!(points.iter().all(|&point| sphere.contains(point)));
        let least = smallest_by_trial(&points);
        prop_assert!(f64::from(sphere.radius) <= least * (1.0 + 1e-6) + 1e-6);
    }

    #[test]
    fn any_point_stays_inside_after_rounding(
        points in prop::collection::vec(prop::array::uniform3(prop::num::f32::NORMAL), 1..50),
    ) {
        let sphere = Sphere::from_points(points.iter().copied()).expect("points");
        prop_assert!(points.iter().all(|&point| sphere.contains(point)));
        let sphere = Sphere::from_aabb(&Aabb::from_points(points.iter().copied()));
        let sphere = sphere.expect("finite");
        prop_assert!(points.iter().all(|&point| sphere.contains(point)));
    }

    #[test]
    fn ray_through_a_point_of_the_sphere_hits(
        inside in prop::array::uniform3(-0.57_f32..0.57),
        origin in prop::array::uniform3(-50.0_f32..50.0),
    ) {
        let ray = Ray::between(origin, inside);
        prop_assume!(ray.dir.length() > 0.1);
        let hit = unit().ray_interval(&ray).expect("aimed inside");
        prop_assert!(hit.enter <= 1.0 + 1e-4 && hit.exit >= 1.0 - 1e-4);
        for t in [hit.enter, hit.exit] {
            prop_assert!((ray.at(t).length() - 1.0).abs() < 1e-4);
        }
    }
}

#[test]
fn a_support_has_at_most_four_points() {
    let mut points = vec![[0.0; 3]];
    for i in 0..20 {
        let x = f64::from(i);
        points.push([x.sin() * x, x.cos() * x, x]);
        points = Support::around(&points).points.to_vec();
        assert!((1..=4).contains(&points.len()));
    }
}

#[test]
fn of_equal_spheres_the_one_with_fewer_points_is_kept() {
    // Two corners of a cube are opposite; the four before the last define the same sphere.
    let cube =
        [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0], [-1.0; 3]];
    let support = Support::around(&cube);
    assert_eq!((support.center, support.radius_squared), ([0.0; 3], 3.0));
    assert_eq!(support.points.to_vec(), vec![cube[0], cube[4]]);
}

/// Points of spheres whose coordinates are whole, directions across them, and lines that are off by
/// a last bit, in any unit.
#[test]
fn lines_that_just_touch_are_hit_and_the_next_ones_are_not() {
    for (point, along, radius) in [
        ([3.0, 4.0, 0.0], [4.0, -3.0, 0.0], 5.0),
        ([1.0, 2.0, 2.0], [2.0, -1.0, 0.0], 3.0),
        ([2.0, 3.0, 6.0], [3.0, -2.0, 0.0], 7.0),
        ([4.0, 4.0, 7.0], [7.0, 0.0, -4.0], 9.0),
        ([12.0, 15.0, 16.0], [5.0, -4.0, 0.0], 25.0),
    ] {
        let (point, along) = (Vec3::from(point), Vec3::from(along));
        for unit in [-60, -20, 0, 20, 60].map(|power| 2f32.powi(power)) {
            for steps in [-9999.0, -101.0, -3.0, 0.0, 1.0, 7.0, 1003.0] {
                for length in [1.0, 7.0, 2f32.powi(-30), 49.0 * 2f32.powi(20)] {
                    let origin = (point + along * steps) * unit;
                    let ray = Ray::new(origin, along * length);
                    let touches = |radius: f32| {
                        Sphere::new([0.0; 3], radius * unit).ray_interval(&ray).is_some()
                    };
                    assert!(touches(radius) && touches(radius.next_up()), "{radius} {ray:?}");
                    assert!(!touches(radius.next_down()), "{radius} {ray:?}");
                }
            }
        }
    }
}

/// The exact line touches the sphere, and little is travelled on the way: the rounding error comes
/// from `f64` products which do not fit.
#[test]
fn a_line_that_begins_near_the_place_where_it_touches_is_inside() {
    let mut state = 1;
    let mut seen = 0;
    for _ in 0..4_000 {
        let mut whole = |size: u32| (bits(&mut state) >> (32 - size)) as f64;
        // Across the way to the point (3, 4, 0), with a sphere of radius 5.
        let (along, up, part) = (whole(11), whole(12), whole(11) / f64::from(1 << 18));
        let dir = [-4.0 * along, 3.0 * along, up].map(|x| x / 4096.0);
        let from_center = [0, 1, 2].map(|k| [3.0, 4.0, 0.0][k] + part * dir[k]);
        // A sum of two numbers that are not rounded.
        let origin = from_center.map(|x| (x * 65536.0).floor() / 65536.0);
        let center = [0, 1, 2].map(|k| (origin[k] - from_center[k]) as f32);
        let ray = Ray::new(origin.map(|x| x as f32), dir.map(|x| x as f32));
        let sphere = Sphere::new(center, 5.0);
        if difference(ray.origin.to_array(), center) != from_center {
            continue;
        }
        seen += 1;
        assert!(sphere.ray_interval(&ray).is_some(), "{sphere:?} {ray:?}");
    }
    assert!(seen > 2_000, "{seen}");
}
