//! Contacts whose numbers are known. `tests/suite/scene_targets.rs` judges any others.

use glam::Affine3A;

use super::*;
use crate::geometry::{Capsule, ConvexHull, Obb, Sphere};

fn contact(
    shape: impl Into<ConvexShape>,
    motion: impl Into<Vec3>,
    volume: impl Into<Volume>,
) -> Option<VolumeContact> {
    let shape = shape.into();
    VolumeSweep::new(&shape, motion.into()).first_contact(&volume.into(), 1.0)
}

fn unit_box() -> Aabb {
    Aabb::from_min_max([0.0; 3], [1.0; 3])
}

#[test]
fn shapes_stop_at_the_face_of_a_box() {
    let hull = Aabb::from_center_half_size([0.5, 4.0, 0.5], [0.25, 0.5, 0.25]);
    let turned = Obb::from_transform(&Affine3A::IDENTITY, hull).expect("a box");
    for shape in [
        ConvexShape::from(Sphere::new([0.5, 4.0, 0.5], 0.5)),
        Capsule::new([0.5, 4.0, 0.5], [0.5, 6.0, 0.5], 0.5).into(),
        hull.into(),
        turned.into(),
        ConvexHull::from_points(hull.corners()).expect("a box").into(),
    ] {
        let found = contact(&shape, [0.0, -5.0, 0.0], unit_box()).expect("it falls onto it");
        assert_eq!((found.t, found.depth, found.point.y), (0.5, 0.0, 1.0), "{shape:?}");
        assert_eq!((found.normal, found.face_normal), (Vec3::Y, Vec3::Y), "{shape:?}");
        assert_eq!(contact(&shape, [0.0, -2.0, 0.0], unit_box()), None, "{shape:?}");
        assert_eq!(contact(&shape, [5.0, 0.0, 0.0], unit_box()), None, "{shape:?}");
        // The very end of the way counts.
        let end = contact(&shape, [0.0, -2.5, 0.0], unit_box()).expect("it touches");
        assert_eq!((end.t, end.normal), (1.0, Vec3::Y), "{shape:?}");
    }
}

#[test]
fn what_is_inside_goes_the_shortest_way() {
    // Into a box by less than half, along each axis.
    for (center, normal, depth) in [
        ([0.5, 1.25, 0.5], Vec3::Y, 0.25),
        ([-0.125, 0.5, 0.5], Vec3::NEG_X, 0.375),
        ([0.5, 0.5, 0.75], Vec3::Z, 0.75),
    ] {
        let found = contact(Sphere::new(center, 0.5), [0.0; 3], unit_box()).expect("inside");
        assert_eq!((found.t, found.normal, found.depth), (0.0, normal, depth));
    }
    let low = Aabb::from_min_max([0.25, 0.75, 0.25], [0.5, 9.0, 0.5]);
    let found = contact(low, [0.0; 3], unit_box()).expect("inside");
    assert_eq!((found.normal, found.depth, found.point.y), (Vec3::Y, 0.25, 1.0));
    // Both middles in one place: up, or against the motion.
    let ball = Sphere::new([0.0; 3], 1.0);
    let found = contact(ball, [0.0; 3], ball).expect("the same");
    assert_eq!((found.normal, found.depth), (Vec3::Y, 2.0));
    let found = contact(ball, [1.0, 0.0, 0.0], ball).expect("the same");
    assert_eq!((found.normal, found.depth, found.t), (Vec3::NEG_X, 2.0, 0.0));
    // Across the line of both, wherever they are on it.
    let line = |x: f32| Capsule::new([x, 0.0, 0.0], [x + 2.0, 0.0, 0.0], 0.5);
    let found = contact(line(0.0), [0.0, 0.0, -1.0], line(1.0)).expect("on a line");
    assert_eq!((found.normal, found.depth), (Vec3::Z, 1.0));
    // As far to both sides: against the motion.
    let slab = Aabb::from_min_max([-1.0; 3], [1.0; 3]);
    let down = contact(slab, [0.0, 0.0, 1.0], slab).expect("the same");
    assert_eq!(down.depth, 2.0);
}

#[test]
fn an_edge_is_beside_the_faces() {
    let body = Capsule::new([-2.0, 1.3, 0.5], [-2.0, 2.0, 0.5], 0.5);
    let found = contact(body, [4.0, 0.0, 0.0], unit_box()).expect("it brushes the edge");
    assert!((found.point - Vec3::new(0.0, 1.0, 0.5)).length() < 1e-6, "{found:?}");
    assert!((found.normal - Vec3::new(-0.8, 0.6, 0.0)).length() < 1e-6, "{found:?}");
    assert_eq!(found.face_normal, Vec3::NEG_X);
    assert!((found.t - 0.4).abs() < 1e-6, "{found:?}");
}

#[test]
fn a_box_without_end_touches_what_is_near() {
    let half_space =
        Aabb { min: Vec3::NEG_INFINITY, max: Vec3::new(f32::INFINITY, -1.0, f32::INFINITY) };
    let found = contact(half_space, [0.0, 4.0, 0.0], unit_box()).expect("it rises");
    assert_eq!((found.t, found.normal), (0.25, Vec3::NEG_Y));
    assert_eq!(contact(half_space, [0.0, 0.5, 0.0], unit_box()), None);
    let all = Sphere::new([9.0; 3], f32::INFINITY);
    assert_eq!(contact(all, [0.0; 3], unit_box()).map(|found| found.depth), Some(f32::INFINITY));
}
