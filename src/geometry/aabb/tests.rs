use glam::{Affine3A, Mat3, Vec3};
use num_rational::BigRational;
use proptest::prelude::*;

use super::Aabb;
use crate::geometry::{Ray, transform_point};

fn unit() -> Aabb {
    Aabb::from_min_max([-1.0; 3], [1.0; 3])
}

fn interval(bounds: &Aabb, ray: &Ray) -> Option<(f32, f32)> {
    bounds.ray_interval(ray).map(|i| (i.enter, i.exit))
}

#[test]
fn every_constructor_makes_the_same_box() {
    let (min, max) = (Vec3::new(-1.0, 2.0, -8.0), Vec3::new(3.0, 4.0, 8.0));
    let (size, center, half_size) =
        (Vec3::new(4.0, 2.0, 16.0), Vec3::new(1.0, 3.0, 0.0), Vec3::new(2.0, 1.0, 8.0));
    let bounds = Aabb::from_min_max(min, max);
    assert_eq!(bounds.size(), size);
    assert_eq!(bounds.center(), center);
    assert_eq!(bounds.half_size(), half_size);
    for same in [
        Aabb::from_min_size(min, size),
        Aabb::from_center_size(center, size),
        Aabb::from_center_half_size(center, half_size),
        Aabb::from_points([max, center, min]),
        Aabb::from_points(bounds.corners()),
    ] {
        assert_eq!(same, bounds);
    }
}

#[test]
fn corners_are_numbered_by_bits() {
    let bounds = Aabb::from_min_max([0.0, 2.0, 4.0], [1.0, 3.0, 5.0]);
    assert_eq!(bounds.corner(0), bounds.min);
    assert_eq!(bounds.corner(1), Vec3::new(1.0, 2.0, 4.0));
    assert_eq!(bounds.corner(2), Vec3::new(0.0, 3.0, 4.0));
    assert_eq!(bounds.corner(4), Vec3::new(0.0, 2.0, 5.0));
    assert_eq!(bounds.corner(7), bounds.max);
    assert_eq!(bounds.corner(usize::MAX), bounds.max);
}

#[test]
fn adding_a_box_grows_to_its_maximum() {
    // The document compares the other box's minimum when it grows the maximum.
    let mut bounds = Aabb::from_min_max([0.0; 3], [2.0; 3]);
    bounds.extend_box(&Aabb::from_min_max([1.0; 3], [3.0; 3]));
    assert_eq!(bounds, Aabb::from_min_max([0.0; 3], [3.0; 3]));
}

#[test]
fn adding_the_empty_box_changes_nothing() {
    let mut bounds = unit();
    bounds.extend_box(&Aabb::EMPTY);
    assert_eq!(bounds, unit());
    let mut grown = Aabb::EMPTY;
    grown.extend_box(&unit());
    assert_eq!(grown, unit());
}

#[test]
fn empty_holds_no_point_however_far() {
    // The document's empty box uses 1e37 in place of infinity.
    let far = Vec3::splat(2e37);
    assert_eq!(Aabb::from_points([far]).min, far);
    assert_eq!(Aabb::from_points([-far]).max, -far);
    assert!(!Aabb::EMPTY.contains(far));
}

#[test]
fn empty_boxes_have_no_size_and_touch_nothing() {
    let everything = Aabb::from_min_max(Vec3::NEG_INFINITY, Vec3::INFINITY);
    for empty in [
        Aabb::EMPTY,
        Aabb::from_points(Vec::<Vec3>::new()),
        Aabb::from_min_max([0.0, 1.0, 0.0], [1.0, 0.0, 1.0]),
        Aabb::from_min_max([f32::NAN, 0.0, 0.0], [1.0; 3]),
        Aabb::from_min_size([0.0; 3], [-1.0; 3]),
        unit().intersection(&Aabb::from_min_max([2.0; 3], [3.0; 3])),
    ] {
        assert_eq!(empty, Aabb::EMPTY);
        assert_eq!((empty.size(), empty.half_size()), (Vec3::ZERO, Vec3::ZERO));
        assert_eq!((empty.surface_area(), empty.volume()), (0.0, 0.0));
        assert!(!empty.overlaps(&everything) && !everything.overlaps(&empty));
        assert!(everything.contains_box(&empty) && !empty.contains_box(&everything));
        assert_eq!(empty.ray_interval(&Ray::new([0.0; 3], [1.0; 3])), None);
        assert!(empty.closest_point([0.0; 3]).is_nan());
    }
    assert!(!Aabb::from_points([Vec3::ZERO]).is_empty());
}

#[test]
fn a_box_is_in_another_if_both_its_corners_are() {
    let inner = |low: f32, high: f32| Aabb::from_min_max([low; 3], [high; 3]);
    assert!(unit().contains_box(&inner(-0.5, 0.5)) && unit().contains_box(&unit()));
    assert!(!unit().contains_box(&inner(-1.5, 0.5)) && !unit().contains_box(&inner(-0.5, 1.5)));
    assert!(unit().contains_box(&Aabb::EMPTY));
}

#[test]
fn boxes_with_a_nan_meet_nothing() {
    for corner in [Vec3::NAN, Vec3::new(0.0, f32::NAN, 0.0)] {
        for broken in [Aabb { min: corner, max: Vec3::ONE }, Aabb { min: -Vec3::ONE, max: corner }]
        {
            assert_eq!(broken.intersection(&unit()), Aabb::EMPTY);
            assert_eq!(unit().intersection(&broken), Aabb::EMPTY);
        }
    }
}

#[test]
fn of_the_two_zeros_a_box_keeps_the_first() {
    for zero in [0.0f32, -0.0] {
        let bounds = Aabb::from_points([Vec3::splat(zero), Vec3::splat(-zero)]);
        let bits = |v: Vec3| v.to_array().map(f32::to_bits);
        assert_eq!(
            (bits(bounds.min), bits(bounds.max)),
            ([zero.to_bits(); 3], [zero.to_bits(); 3])
        );
    }
}

#[test]
fn nan_points_are_ignored() {
    let mut bounds = unit();
    bounds.extend_point(Vec3::NAN);
    assert_eq!(bounds, unit());
    assert!(!bounds.contains(Vec3::NAN));
}

#[test]
fn closest_point_inside_is_the_point_itself() {
    // Without its `else` branches the document moves points that are inside.
    let inside = Vec3::new(0.5, -0.25, 0.0);
    assert_eq!(unit().closest_point(inside), inside);
    assert_eq!(unit().closest_point([5.0, 0.5, -7.0]), Vec3::new(1.0, 0.5, -1.0));
}

#[test]
fn margins_grow_boxes_outwards_and_shrink_them() {
    assert_eq!(unit().expanded([1.0, 0.0, 2.5]).max, Vec3::new(2.0, 1.0, 3.5));
    assert_eq!(unit().expanded([-0.25; 3]), Aabb::from_min_max([-0.75; 3], [0.75; 3]));
    assert_eq!(unit().expanded([-1.0; 3]), Aabb::from_points([Vec3::ZERO]));
    assert_eq!(unit().expanded([-1.5; 3]), Aabb::EMPTY);
    // No margin is too small to count.
    let grown = unit().expanded([1e-30; 3]);
    assert_eq!((grown.min.x, grown.max.x), ((-1.0f32).next_down(), 1.0f32.next_up()));
    assert_eq!(unit().expanded([-1e-30; 3]), unit());

    assert_eq!(Aabb::EMPTY.expanded([1e9; 3]), Aabb::EMPTY);
    assert_eq!(unit().expanded([f32::NAN, 1.0, 1.0]), Aabb::EMPTY);
    let everything = Aabb::from_min_max(Vec3::NEG_INFINITY, Vec3::INFINITY);
    assert_eq!(everything.expanded([3.0; 3]), everything);
    assert_eq!(unit().expanded(Vec3::INFINITY), everything);
    let huge = Aabb::from_points([Vec3::MAX, Vec3::MIN]);
    assert_eq!(huge.expanded([f32::MAX; 3]), everything);
}

#[test]
fn touching_boxes_overlap() {
    let beside = Aabb::from_min_max([1.0, -1.0, -1.0], [2.0, 1.0, 1.0]);
    assert!(unit().overlaps(&beside));
    assert_eq!(unit().intersection(&beside).size(), Vec3::new(0.0, 2.0, 2.0));
    assert!(!unit().overlaps(&Aabb::from_min_max([1.1; 3], [2.0; 3])));
}

#[test]
fn measures_do_not_overflow_on_the_way() {
    let huge = Aabb::from_min_max([-f32::MAX; 3], [f32::MAX; 3]);
    assert_eq!(huge.center(), Vec3::ZERO);
    let bounds = Aabb::from_min_size([1.0; 3], [2.0, 3.0, 4.0]);
    assert_eq!((bounds.surface_area(), bounds.volume()), (52.0, 24.0));
}

#[test]
fn transform_uses_columns() {
    // The document multiplies row vectors: p * M.
    let quarter_turn = Affine3A::from_mat3_translation(
        Mat3::from_cols(Vec3::Y, Vec3::NEG_X, Vec3::Z),
        Vec3::new(10.0, 0.0, 0.0),
    );
    let moved = Aabb::from_min_max([1.0, 2.0, 3.0], [2.0, 4.0, 6.0]).transformed(&quarter_turn);
    assert_eq!(moved, Aabb::from_min_max([6.0, 1.0, 3.0], [8.0, 2.0, 6.0]));
}

#[test]
fn transformed_empty_box_stays_empty() {
    let turn = Affine3A::from_rotation_x(0.3);
    assert_eq!(Aabb::EMPTY.transformed(&turn), Aabb::EMPTY);
    assert_eq!(Aabb::EMPTY.transformed(&Affine3A::ZERO), Aabb::EMPTY);
}

#[test]
fn transformed_infinite_box_has_no_nan() {
    let everything = Aabb::from_min_max(Vec3::NEG_INFINITY, Vec3::INFINITY);
    let half = Aabb::from_min_max([f32::NEG_INFINITY, 0.0, 0.0], [1.0; 3]);
    let shift = Affine3A::from_translation(Vec3::splat(2.0));
    assert_eq!(everything.transformed(&shift), everything);
    let moved = half.transformed(&shift);
    assert_eq!((moved.min, moved.max), (Vec3::new(f32::NEG_INFINITY, 2.0, 2.0), Vec3::splat(3.0)));
    let turned = everything.transformed(&Affine3A::from_rotation_z(0.3));
    assert_eq!(turned, everything);
    let overflowing = Affine3A::from_scale(Vec3::splat(f32::MAX));
    assert!(!half.transformed(&overflowing).is_empty());
}

#[test]
fn center_behind_the_origin_is_not_a_miss() {
    let long = Aabb::from_min_max([-100.0, -1.0, -1.0], [10.0, 1.0, 1.0]);
    let ray = Ray::new([0.0; 3], [1.0, 0.0, 0.0]);
    let hit = long.ray_interval(&ray).expect("the box reaches in front");
    assert_eq!((hit.enter, hit.exit), (-100.0, 10.0));
    assert!(hit.origin_inside && long.intersects_ray(&ray));
}

#[test]
fn flat_boxes_are_hit() {
    // `near < far` loses every floor.
    let floor = Aabb::from_min_max([-5.0, 0.0, -5.0], [5.0, 0.0, 5.0]);
    let down = Ray::new([1.0, 3.0, 1.0], [0.0, -1.0, 0.0]);
    assert_eq!(interval(&floor, &down), Some((3.0, 3.0)));
    let along = Ray::new([-8.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
    assert_eq!(interval(&floor, &along), Some((3.0, 13.0)));
    let point = Aabb::from_points([[1.0, 2.0, 3.0]]);
    let through = Ray::new([0.0; 3], [1.0, 2.0, 3.0]);
    assert_eq!(interval(&point, &through), Some((1.0, 1.0)));
}

#[test]
fn rays_in_a_face_count_with_either_zero() {
    // 0 * infinity: the reciprocal of a zero direction makes NaN of a zero distance.
    for zero in [0.0, -0.0] {
        for side in [-1.0, 1.0] {
            let in_face = Ray::new([-3.0, side, 0.5], [2.0, zero, zero]);
            assert_eq!(interval(&unit(), &in_face), Some((1.0, 2.0)));
            let in_edge = Ray::new([-3.0, side, -side], [2.0, zero, -zero]);
            assert_eq!(interval(&unit(), &in_edge), Some((1.0, 2.0)));
            let beside = Ray::new([-3.0, side * 1.000_001, 0.0], [2.0, zero, zero]);
            assert_eq!(interval(&unit(), &beside), None);
        }
    }
}

#[test]
fn origin_inside_gives_both_ends() {
    let hit =
        unit().ray_interval(&Ray::new([0.5, 0.0, 0.0], [2.0, 0.0, 0.0])).expect("starts inside");
    assert_eq!((hit.enter, hit.exit), (-0.75, 0.25));
    assert!(hit.origin_inside);
    let outside = unit().ray_interval(&Ray::new([-2.0, 0.0, 0.0], [1.0, 0.0, 0.0]));
    assert!(!outside.expect("aimed at it").origin_inside);
}

#[test]
fn the_bounds_of_the_ray_decide_intersects_ray_only() {
    let ray = Ray::new([-3.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
    assert!(unit().intersects_ray(&ray.with_range(0.0, 2.0)));
    assert!(unit().intersects_ray(&ray.with_range(4.0, 9.0)));
    assert!(!unit().intersects_ray(&ray.with_range(0.0, 1.99)));
    assert!(!unit().intersects_ray(&ray.with_range(4.01, 9.0)));
    assert!(!unit().intersects_ray(&ray.with_range(3.0, 2.5)));
    assert!(!unit().intersects_ray(&ray.with_range(f32::NAN, 9.0)));
    assert!(!unit().intersects_ray(&ray.with_range(0.0, f32::NAN)));
    assert_eq!(interval(&unit(), &ray.with_range(7.0, 8.0)), Some((2.0, 4.0)));
    let behind = Ray::new([3.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
    assert!(!unit().intersects_ray(&behind));
    assert!(unit().intersects_ray(&behind.with_range(-9.0, 0.0)));
}

#[test]
fn invalid_rays_miss() {
    for ray in [
        Ray::new([0.0; 3], [0.0; 3]),
        Ray::new([0.0; 3], [0.0, -0.0, 0.0]),
        Ray::new([f32::NAN, 0.0, 0.0], [1.0; 3]),
        Ray::new([0.0; 3], [f32::NAN, 1.0, 0.0]),
        Ray::new([f32::INFINITY, 0.0, 0.0], [-1.0, 0.0, 0.0]),
        Ray::new([0.0; 3], [f32::INFINITY, 0.0, 0.0]),
    ] {
        assert_eq!(unit().ray_interval(&ray), None);
        assert!(!unit().intersects_ray(&ray));
    }
}

#[test]
fn infinite_boxes_are_hit() {
    let everything = Aabb::from_min_max(Vec3::NEG_INFINITY, Vec3::INFINITY);
    let ray = Ray::new([1.0, 2.0, 3.0], [0.0, 0.0, 1.0]);
    assert_eq!(interval(&everything, &ray), Some((f32::NEG_INFINITY, f32::INFINITY)));
    let upper = Aabb::from_min_max([f32::NEG_INFINITY, 5.0, f32::NEG_INFINITY], Vec3::INFINITY);
    let up = Ray::new([0.0; 3], [1.0, 1.0, 0.0]);
    assert_eq!(interval(&upper, &up), Some((5.0, f32::INFINITY)));
    for nowhere in [Vec3::INFINITY, Vec3::NEG_INFINITY] {
        let nowhere = Aabb::from_points([nowhere]);
        assert_eq!(interval(&nowhere, &Ray::new([0.0; 3], [1.0; 3])), None);
    }
}

/// Numbers that coincide often, of wildly mixed scale.
fn coordinate() -> impl Strategy<Value = f32> {
    prop_oneof![
        4 => prop::sample::select(vec![
            0.0, -0.0, 1.0, -1.0, 3.0, -3.0, 0.1, -0.3, 1e-20, -1e20, 1e10, f32::MIN_POSITIVE
        ]),
        2 => -10.0_f32..10.0,
        1 => prop::num::f32::NORMAL,
    ]
}

fn point() -> impl Strategy<Value = Vec3> {
    [coordinate(), coordinate(), coordinate()].prop_map(Vec3::from)
}

fn element() -> impl Strategy<Value = f32> {
    prop_oneof![
        2 => prop::sample::select(vec![0.0, -0.0, 1.0, -1.0, 1e-30, -1e-30, 1e12]),
        3 => -10.0_f32..10.0,
    ]
}

/// The exact interval, by the same slabs in rational numbers.
fn exact_interval(bounds: &Aabb, ray: &Ray) -> Option<(BigRational, BigRational)> {
    let exact = |x: f32| BigRational::from_float(x).expect("finite");
    let mut reach: Option<(BigRational, BigRational)> = None;
    for axis in 0..3 {
        let [min, max, origin, dir] =
            [bounds.min, bounds.max, ray.origin, ray.dir].map(|v| exact(v[axis]));
        if ray.dir[axis] == 0.0 {
            if origin < min || origin > max {
                return None;
            }
            continue;
        }
        let (a, b) = ((min - &origin) / &dir, (max - &origin) / &dir);
        let (near, far) = if a < b { (a, b) } else { (b, a) };
        reach = Some(match reach {
            None => (near, far),
            Some((enter, exit)) => (enter.max(near), exit.min(far)),
        });
    }
    reach.filter(|(enter, exit)| enter <= exit)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn transformed_is_the_box_of_the_moved_corners(
        columns in prop::array::uniform12(element()),
        a in prop::array::uniform3(-1e6_f32..1e6),
        b in prop::array::uniform3(element()),
    ) {
        let transform = Affine3A::from_cols_array(&columns);
        let bounds = Aabb::from_points([a, b]);
        let corners = bounds.corners().map(|corner| transform_point(&transform, corner));
        prop_assert_eq!(bounds.transformed(&transform), Aabb::from_points(corners));
    }

    #[test]
    fn transformed_holds_every_moved_point(
        columns in prop::array::uniform12(element()),
        a in prop::array::uniform3(-1e3_f32..1e3),
        b in prop::array::uniform3(-1e3_f32..1e3),
        weights in prop::array::uniform3(0.0_f32..=1.0),
    ) {
        let transform = Affine3A::from_cols_array(&columns);
        let bounds = Aabb::from_points([a, b]);
        let inside = bounds.closest_point(bounds.min + Vec3::from(weights) * bounds.size());
        prop_assert!(bounds.transformed(&transform).contains(transform_point(&transform, inside)));
    }

    #[test]
    fn ray_interval_never_loses_what_exact_arithmetic_finds(
        a in point(), b in point(), origin in point(), dir in point(),
    ) {
        prop_assume!(dir != Vec3::ZERO);
        let bounds = Aabb::from_points([a, b]);
        let ray = Ray::new(origin, dir);
        let found = bounds.ray_interval(&ray);
        if let Some((enter, exit)) = exact_interval(&bounds, &ray) {
            let found = found.expect("rounding lost a touch");
            let ratio = |x: f32| BigRational::from_float(x);
            // Every `f32` in the exact interval is in ours: the next one outside it is not.
            if let Some(inner) = ratio(found.enter.next_down()) {
                prop_assert!(inner < enter);
            }
            if let Some(inner) = ratio(found.exit.next_up()) {
                prop_assert!(inner > exit);
            }
        } else if let Some(found) = found {
            // A false touch is one of the last bit.
            prop_assert!(found.exit <= found.enter.next_up());
        }
    }

    #[test]
    fn closest_point_is_inside_and_nearest(
        a in prop::array::uniform3(-9.0_f32..9.0),
        b in prop::array::uniform3(-9.0_f32..9.0),
        from in prop::array::uniform3(-20.0_f32..20.0),
        other in prop::array::uniform3(-9.0_f32..9.0),
    ) {
        let bounds = Aabb::from_points([a, b]);
        let from = Vec3::from(from);
        let nearest = bounds.closest_point(from);
        prop_assert!(bounds.contains(nearest));
        let other = bounds.closest_point(other);
        prop_assert!(nearest.distance_squared(from) <= other.distance_squared(from));
    }
}
