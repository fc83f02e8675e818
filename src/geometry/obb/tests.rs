use glam::{Affine3A, Mat3, Quat, Vec3};
use proptest::prelude::*;

use super::Obb;
use crate::geometry::{Aabb, Ray};
use crate::test_rng::bits;

fn cube() -> Aabb {
    Aabb::from_min_max([-1.0; 3], [1.0; 3])
}

fn placed(transform: Affine3A) -> Obb {
    Obb::from_transform(&transform, cube()).expect("an invertible map")
}

fn interval(bounds: &Obb, ray: &Ray) -> Option<(f32, f32)> {
    bounds.ray_interval(ray).map(|i| (i.enter, i.exit))
}

#[test]
fn unit_axes_make_the_axis_aligned_box() {
    let axes = [Vec3::X, Vec3::Y, Vec3::Z];
    let bounds = Obb::from_axes([1.0, 2.0, 3.0], axes, [1.0, 2.0, 0.0]).expect("sound");
    assert_eq!(bounds.center(), Vec3::new(1.0, 2.0, 3.0));
    assert_eq!(bounds.bounds(), Aabb::from_min_max([0.0, 0.0, 3.0], [2.0, 4.0, 3.0]));
    assert_eq!(bounds.corner(7), Vec3::new(2.0, 4.0, 3.0));
    assert!(bounds.contains([2.0, 0.0, 3.0]) && !bounds.contains([2.0, 0.0, 3.001]));
    let ray = Ray::new([-3.0, 4.0, 3.0], [3.0, 0.0, 0.0]);
    assert_eq!(interval(&bounds, &ray), Some((1.0, 1.666_666_7)));
}

#[test]
fn a_box_gives_back_what_it_is_made_of() {
    let transform = Affine3A::from_rotation_y(0.5) * Affine3A::from_translation(Vec3::ONE);
    let local = Aabb::from_min_max([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]);
    let bounds = Obb::from_transform(&transform, local).expect("an invertible map");
    assert_eq!((bounds.transform(), bounds.local_box()), (transform, local));
}

#[test]
fn invalid_boxes_are_none() {
    let axes = [Vec3::X, Vec3::Y, Vec3::Z];
    assert_eq!(Obb::from_axes([0.0; 3], [Vec3::X, Vec3::Y, Vec3::X], [1.0; 3]), None);
    assert_eq!(Obb::from_axes([0.0; 3], axes, [1.0, -1.0, 1.0]), None);
    assert_eq!(Obb::from_axes([f32::NAN, 0.0, 0.0], axes, [1.0; 3]), None);
    assert_eq!(Obb::from_axes([0.0; 3], axes, [f32::INFINITY, 1.0, 1.0]), None);
    let flattening = Affine3A::from_scale(Vec3::new(1.0, 0.0, 1.0));
    assert_eq!(Obb::from_transform(&flattening, cube()), None);
    assert_eq!(Obb::from_transform(&Affine3A::NAN, cube()), None);
    assert_eq!(Obb::from_transform(&Affine3A::IDENTITY, Aabb::EMPTY), None);
}

#[test]
fn scaled_model_keeps_distances_of_the_ray() {
    // The document assumes axes of unit length in the model matrix.
    let bounds = placed(Affine3A::from_scale_rotation_translation(
        Vec3::new(3.0, 0.5, 2.0),
        Quat::IDENTITY,
        Vec3::new(10.0, 0.0, 0.0),
    ));
    let ray = Ray::new([0.0; 3], [1.0, 0.0, 0.0]);
    assert_eq!(interval(&bounds, &ray), Some((7.0, 13.0)));
    let half_speed = Ray::new([0.0; 3], [0.5, 0.0, 0.0]);
    assert_eq!(interval(&bounds, &half_speed), Some((14.0, 26.0)));
    let mirrored = placed(Affine3A::from_scale(Vec3::new(-3.0, 0.5, 2.0)));
    assert_eq!(interval(&mirrored, &ray), Some((-3.0, 3.0)));
}

#[test]
fn small_boxes_are_like_large_ones() {
    for scale in [-30, 0, 30].map(|power| 2.0_f32.powi(power)) {
        let bounds = placed(Affine3A::from_scale(Vec3::splat(scale)));
        let ray = Ray::new([-2.0 * scale, 0.5 * scale, 0.0], [scale, 0.0, 0.0]);
        assert_eq!(interval(&bounds, &ray), Some((1.0, 3.0)));
        let above = Ray::new([-2.0 * scale, 1.01 * scale, 0.0], [scale, 0.0, 0.0]);
        assert_eq!(interval(&bounds, &above), None);
    }
}

#[test]
fn shallow_rays_are_not_parallel() {
    // The document takes |cos| < 0.001 for parallel, and misses from outside.
    let bounds = placed(Affine3A::from_scale(Vec3::new(1e6, 1.0, 1.0)));
    let ray = Ray::new([0.0, 2.0, 0.0], [1.0, -0.0005, 0.0]);
    let hit = bounds.ray_interval(&ray).expect("comes down after 2000");
    assert!((hit.enter - 2000.0).abs() < 0.1 && !hit.origin_inside);
}

#[test]
fn parallel_rays_are_judged_on_the_right_side() {
    // In the document's parallel case the sign of the offset is wrong.
    let local = Aabb::from_min_max([0.0, 1.0, 0.0], [1.0, 2.0, 1.0]);
    let bounds = Obb::from_transform(&Affine3A::IDENTITY, local).expect("sound");
    let at_height = |y: f32| Ray::new([-1.0, y, 0.5], [1.0, 0.0, 0.0]);
    assert_eq!(interval(&bounds, &at_height(1.5)), Some((1.0, 2.0)));
    assert_eq!(interval(&bounds, &at_height(1.0)), Some((1.0, 2.0)));
    assert_eq!(interval(&bounds, &at_height(2.0)), Some((1.0, 2.0)));
    assert_eq!(interval(&bounds, &at_height(-1.5)), None);
    assert_eq!(interval(&bounds, &at_height(0.0)), None);
}

#[test]
fn distance_has_no_limit() {
    // The document starts from a farthest distance of 100000.
    let far = placed(Affine3A::from_translation(Vec3::new(1e7, 0.0, 0.0)));
    let ray = Ray::new([0.0; 3], [1.0, 0.0, 0.0]);
    assert_eq!(interval(&far, &ray), Some((9_999_999.0, 10_000_001.0)));
}

#[test]
fn flat_boxes_and_rays_in_them_count_at_any_angle() {
    let floor = Aabb::from_min_max([-1.0, 0.0, -1.0], [1.0, 0.0, 1.0]);
    for turn in 0..64 {
        let rotation = Quat::from_rotation_z(0.1 * turn as f32);
        let center = Vec3::new(100.0, 7.0, -3.0);
        let transform = Affine3A::from_rotation_translation(rotation, center);
        let bounds = Obb::from_transform(&transform, floor).expect("sound");
        let axis = Vec3::from(transform.matrix3.x_axis);
        let along = bounds.ray_interval(&Ray::new(center, axis));
        let along = along.expect("the ray starts in it and stays in it");
        assert!((along.enter + 1.0).abs() < 1e-6 && (along.exit - 1.0).abs() < 1e-6);
        let normal = Vec3::from(transform.matrix3.y_axis);
        let across = bounds.ray_interval(&Ray::new(center, normal));
        assert!(across.expect("starts on it").origin_inside);
    }
}

#[test]
fn center_behind_the_origin_is_not_a_miss() {
    // A long box can still reach in front of the ray.
    let turn = Affine3A::from_rotation_y(0.5);
    let local = Aabb::from_min_max([-100.0, -1.0, -1.0], [10.0, 1.0, 1.0]);
    let long = Obb::from_transform(&turn, local).expect("an invertible map");
    let ray = Ray::new([0.0; 3], Vec3::from(turn.matrix3.x_axis));
    let hit = long.ray_interval(&ray).expect("the box reaches in front");
    assert!((hit.enter + 100.0).abs() < 1e-4 && (hit.exit - 10.0).abs() < 1e-5);
    assert!(hit.origin_inside && long.intersects_ray(&ray));
    let beyond = Ray::new(ray.at(11.0), ray.dir);
    assert!(long.ray_interval(&beyond).is_some() && !long.intersects_ray(&beyond));
}

#[test]
fn axes_of_any_length_give_the_same_box() {
    let half = [Vec3::X * 2.0, Vec3::Y * 0.5, Vec3::Z];
    let scaled = Obb::from_axes([1.0, 2.0, 3.0], half, [1.0, 4.0, 3.0]).expect("sound");
    let axes = [Vec3::X, Vec3::Y, Vec3::Z];
    let unit = Obb::from_axes([1.0, 2.0, 3.0], axes, [2.0, 2.0, 3.0]).expect("sound");
    let ray = Ray::new([-7.0, 3.0, 1.0], [2.0, 0.0, 0.0]);
    assert_eq!(scaled.bounds(), unit.bounds());
    assert_eq!(interval(&scaled, &ray), Some((3.0, 5.0)));
    assert_eq!(interval(&unit, &ray), Some((3.0, 5.0)));
}

#[test]
fn origin_inside_gives_both_ends() {
    let bounds = placed(Affine3A::from_rotation_y(0.5));
    let hit = bounds.ray_interval(&Ray::new([0.0; 3], [0.0, 4.0, 0.0]));
    let hit = hit.expect("starts inside");
    assert!(hit.origin_inside);
    assert_eq!((hit.enter, hit.exit), (-0.25, 0.25));
}

#[test]
fn the_bounds_of_the_ray_decide_intersects_ray() {
    let bounds = placed(Affine3A::IDENTITY);
    let ray = Ray::new([-3.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
    assert!(bounds.intersects_ray(&ray.with_range(0.0, 2.0)));
    assert!(!bounds.intersects_ray(&ray.with_range(0.0, 1.9)));
    assert!(!bounds.intersects_ray(&ray.with_range(f32::NAN, 9.0)));
    assert_eq!(bounds.ray_interval(&Ray::new([0.0; 3], [0.0; 3])), None);
    assert_eq!(bounds.ray_interval(&Ray::new(Vec3::NAN, [1.0; 3])), None);
}

#[test]
fn closest_point_of_a_turned_box() {
    let bounds = placed(Affine3A::from_rotation_z(std::f32::consts::FRAC_PI_4));
    let top = bounds.closest_point([0.0, 5.0, 0.0]);
    assert!(top.distance(Vec3::new(0.0, 2.0_f32.sqrt(), 0.0)) < 1e-6);
    assert_eq!(bounds.closest_point([0.1, 0.2, 0.3]), Vec3::new(0.1, 0.2, 0.3));
}

/// Any map that does not flatten space much, mirrors and shears included.
fn map() -> impl Strategy<Value = Affine3A> {
    prop::array::uniform12(-4.0_f32..4.0)
        .prop_map(|columns| Affine3A::from_cols_array(&columns))
        .prop_filter("flat", |map| map.matrix3.determinant().abs() > 0.5)
}

fn point(range: f32) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-range..range).prop_map(Vec3::from)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn closest_point_is_inside_and_nearest(
        map in map(), from in point(20.0), local in prop::collection::vec(point(1.0), 64),
    ) {
        let bounds = placed(map);
        let nearest = bounds.closest_point(from);
        let back = map.inverse().transform_point3(nearest);
        prop_assert!(back.abs().max_element() <= 1.0 + 1e-4, "{back} is outside");
        let distance = nearest.distance(from);
        for sample in local {
            let other = map.transform_point3(sample);
            prop_assert!(distance <= other.distance(from) + 1e-4);
        }
        for i in 0..8 {
            prop_assert!(distance <= bounds.corner(i).distance(from) + 1e-4);
        }
    }

    #[test]
    fn ray_interval_is_that_of_the_local_box(
        map in map(), origin in point(3.0), target in point(1.2),
    ) {
        let bounds = placed(map);
        let ray = Ray::between(
            map.transform_point3(origin),
            map.transform_point3(target),
        );
        prop_assume!(origin.distance(target) > 0.1);
        let local = cube().ray_interval(&Ray::between(origin, target));
        match (bounds.ray_interval(&ray), local) {
            (Some(world), Some(local)) => {
                prop_assert!((world.enter - local.enter).abs() < 1e-2);
                prop_assert!((world.exit - local.exit).abs() < 1e-2);
            }
            (None, None) => {}
            // The rays differ by rounding, so short cuts through a corner may too.
            (Some(short), None) | (None, Some(short)) => {
                prop_assert!(short.exit - short.enter < 1e-2);
            }
        }
    }

    #[test]
    fn contains_what_the_ray_passes_through(
        map in map(), inside in point(1.0), dir in point(1.0),
    ) {
        prop_assume!(dir != Vec3::ZERO);
        let bounds = placed(map);
        let point = map.transform_point3(inside * 0.999);
        prop_assert!(bounds.contains(point));
        prop_assert!(bounds.bounds().contains(point));
        let hit = bounds.ray_interval(&Ray::new(point, dir)).expect("starts inside");
        prop_assert!(hit.origin_inside && hit.enter <= 0.0 && hit.exit >= 0.0);
        prop_assert_eq!(bounds.closest_point(point), point);
    }
}

#[test]
fn sheared_boxes_are_parallelepipeds() {
    let shear = Affine3A::from_mat3(Mat3::from_cols(Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Z));
    let bounds = placed(shear);
    assert!(bounds.contains([2.0, 1.0, 0.0]) && !bounds.contains([-1.0, 1.0, 0.0]));
    let ray = Ray::new([-5.0, 1.0, 0.0], [1.0, 0.0, 0.0]);
    assert_eq!(interval(&bounds, &ray), Some((5.0, 7.0)));
    let nearest = bounds.closest_point([-1.0, 1.0, 0.0]);
    assert_eq!(nearest, Vec3::new(-0.5, 0.5, 0.0));
}

/// Boxes whose corners, and the middles of whose edges and faces, are exact; heights over their
/// faces are not.
#[test]
fn what_just_touches_is_not_lost_to_rounding() {
    let mut state = 1;
    let (mut cases, mut far) = (0, 0);
    while cases < 300 {
        let mut vector = |size: u64| {
            Vec3::from([0; 3].map(|_| (bits(&mut state) % (2 * size + 1)) as f32 - size as f32))
        };
        let size = 1 << 20;
        let [center, a, b, c] = [vector(size), vector(size), vector(size), vector(size)];
        let whole = [0, 1, 2].map(|_| vector(3));
        let matrix = Mat3::from_cols(a, b, c);
        if matrix.determinant().abs() < 0.1 * (size as f32).powi(3) {
            continue;
        }
        cases += 1;
        // In any unit, from 2^-40 to 2^40.
        let unit = 2f32.powi(40 * (cases % 3 - 1));
        let bounds = Obb::from_axes(center * unit, [a, b, c].map(|a| a * unit), [1.0; 3]);
        let bounds = bounds.expect("not flat");
        let on = |x: f32, y: f32, z: f32| (center + x * a + y * b + z * c) * unit;
        let signs = [-1.0, 1.0];
        for (x, y, z) in signs.map(|x| signs.map(|y| signs.map(|z| (x, y, z)))).concat().concat() {
            for point in [on(x, y, z), on(0.0, y, z), on(x, 0.0, z), on(x, y, 0.0), on(x, 0.0, 0.0)]
            {
                assert!(bounds.contains(point), "{bounds:?} {point}");
                assert_eq!(bounds.closest_point(point), point);
            }
            let corner = on(x, y, z);
            let outward = x * a + y * b + z * c;
            let beyond = corner + outward * (unit / 1024.0);
            assert!(!bounds.contains(beyond), "{bounds:?} {beyond}");
            // Across the corner, in a plane through it that has the box on one side.
            let (one, other) = (x * a - y * b, y * b - z * c);
            for (i, along) in [one, other, one - other, one * 0.5].into_iter().enumerate() {
                let dir = along * [1.0, 2f32.powi(-60), 2f32.powi(30)][i % 3];
                let origin = (corner / unit + along * whole[i % 3].x) * unit;
                let ray = Ray::new(origin, dir);
                if origin / unit == (origin / unit).round() {
                    far += 1;
                    assert!(bounds.ray_interval(&ray).is_some(), "{bounds:?} {ray:?}");
                }
                let beside = Ray::new(beyond + (origin - corner), dir);
                assert_eq!(bounds.ray_interval(&beside), None, "{bounds:?} {beside:?}");
            }
        }
    }
    assert!(far > 1_000, "{far}");
}

/// The determinant of these columns is zero, but with another order of roundings it is not.
#[test]
fn what_is_flat_is_no_box() {
    let (a, b) = (Vec3::new(0.4, 0.9, -0.3), Vec3::new(0.6, -0.6, 0.3));
    let flat = Affine3A::from_mat3(Mat3::from_cols(a, b, b - a));
    assert_eq!(Obb::from_transform(&flat, Aabb::from_min_max([-1.0; 3], [1.0; 3])), None);
}
