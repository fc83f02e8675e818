use glam::Vec3;

use super::Plane;
use crate::geometry::Ray;

#[test]
fn three_points_face_the_side_where_they_are_counter_clockwise() {
    let plane = Plane::from_points([0.0; 3], [1e-20, 0.0, 0.0], [0.0, 1e-20, 0.0]);
    let plane = plane.expect("a small plane is a plane");
    assert_eq!(plane.normal, Vec3::Z);
    assert_eq!(Plane::from_points([0.0; 3], [1.0; 3], [2.0; 3]), None);
    assert_eq!(Plane::from_points([0.0; 3], Vec3::NAN, Vec3::X), None);
}

#[test]
fn distance_is_in_units_of_length() {
    let plane = Plane::from_point_normal([0.0, 5.0, 0.0], [0.0, 10.0, 0.0]);
    assert_eq!(plane.signed_distance([3.0, 7.0, 9.0]), 2.0);
    assert_eq!(plane.signed_distance([3.0, 1.0, 9.0]), -4.0);
    let none = Plane::from_point_normal([0.0; 3], [0.0; 3]);
    assert!(none.signed_distance([1.0; 3]).is_nan());
}

#[test]
fn parallel_needs_no_epsilon() {
    let ground = Plane::from_point_normal([0.0; 3], [0.0, 1.0, 0.0]);
    let shallow = Ray::new([0.0, 1.0, 0.0], [1.0, -1e-9, 0.0]);
    assert_eq!(ground.intersect(&shallow), Some(1e9));
    let above = Ray::new([0.0, 1.0, 0.0], [1.0, 0.0, 0.0]);
    assert_eq!(ground.intersect(&above), None);
    let within = Ray::new([0.0; 3], [1.0, -0.0, 0.0]);
    assert_eq!(ground.intersect(&within), None);
}

#[test]
fn hits_lie_within_the_bounds() {
    let ground = Plane::from_point_normal([0.0; 3], [0.0, 1.0, 0.0]);
    let down = Ray::new([0.0, 4.0, 0.0], [0.0, -2.0, 0.0]);
    assert_eq!(ground.intersect(&down), Some(2.0));
    assert_eq!(ground.intersect(&down.with_range(0.0, 2.0)), Some(2.0));
    assert_eq!(ground.intersect(&down.with_range(0.0, 1.9)), None);
    let up = Ray::new([0.0, 4.0, 0.0], [0.0, 2.0, 0.0]);
    assert_eq!(ground.intersect(&up), None);
    assert_eq!(ground.intersect(&up.with_range(-9.0, 0.0)), Some(-2.0));
    assert_eq!(ground.intersect(&Ray::new(Vec3::NAN, Vec3::Y)), None);
    assert_eq!(ground.intersect(&Ray::new([0.0, 1.0, 0.0], [0.0, f32::NEG_INFINITY, 0.0])), None);
    let endless = Ray::new([0.0, 3e38, 0.0], [0.0, -1e-38, 0.0]);
    assert_eq!(ground.intersect(&endless), None);
}

#[test]
fn planes_far_away_keep_their_bits() {
    let plane = Plane::from_point_normal([1e7, 0.0, 0.0], [0.3, 0.7, 0.1]);
    assert_eq!(plane.signed_distance([1e7, 0.0, 0.0]), 0.0);
}
