//! Shapes that hold volumes, or touch them.

use glam::{Affine3A, Vec3, Vec4};

use super::*;
use crate::geometry::{Capsule, ConvexHull, Frustum, Obb, Sphere, Triangle};
use crate::test_rng::{number, point};

#[test]
fn a_volume_is_inside_if_its_surface_is() {
    let volume = Volume::from(Capsule::new([0.0; 3], [2.0, 0.0, 0.0], 1.0));
    let around = Aabb::from_min_max([-1.0, -1.0, -1.0], [3.0, 1.0, 1.0]);
    let turned = Affine3A::from_rotation_y(0.5);
    let hull = ConvexHull::from_points(around.corners()).expect("a box");
    // All that is above a height.
    let frustum = |y: f32| Frustum::from_planes(&[Vec4::new(0.0, 1.0, 0.0, -y)], [0.0; 3]).unwrap();
    let inside = Some(Containment::Inside);
    for (shape, expected) in [
        (Shape::from(around), inside),
        (Aabb::from_min_max([-1.0, -1.0, -0.999], [3.0, 1.0, 1.0]).into(), None),
        (Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY }.into(), inside),
        (Aabb { min: Vec3::NEG_INFINITY, max: Vec3::splat(2.9) }.into(), None),
        (hull.into(), inside),
        (Obb::from_transform(&Affine3A::IDENTITY, around).unwrap().into(), inside),
        (Obb::from_transform(&turned, around).unwrap().into(), None),
        (Sphere::new([1.0, 0.0, 0.0], 2.0).into(), inside),
        (Sphere::new([1.0, 0.0, 0.0], 1.999).into(), None),
        (Capsule::new([-1.0, 0.0, 0.0], [3.0, 0.0, 0.0], 1.0).into(), inside),
        (Capsule::new([0.5, 0.0, 0.0], [2.0, 0.0, 0.0], 1.0).into(), None),
        (frustum(-1.0).into(), inside),
        (frustum(0.5).into(), None),
        (Triangle::new([0.0; 3], [9.0, 0.0, 0.0], [0.0, 9.0, 0.0]).into(), None),
    ] {
        let expected = expected.or(Some(Containment::Touching));
        assert_eq!(shape.volume_overlap(&volume), expected, "{shape:?}");
    }
    let far = Shape::from(Sphere::new([0.0, 9.0, 0.0], 1.0));
    assert_eq!(far.volume_overlap(&volume), None);
}

/// By points of the volume: one that is outside is enough.
#[test]
fn what_is_inside_has_no_point_outside() {
    let state = &mut 3;
    let (mut inside, mut touching) = (0, 0);
    for _ in 0..4_000 {
        let mut near = |size: f32| Vec3::from(point(state, size, false));
        let (at, to, half) = (near(1.0), near(1.0), near(2.0).abs());
        let volume = Volume::from(Capsule::new(at, to, 0.3));
        let (ball, bounds) =
            (Sphere::new([0.0; 3], half.x), Aabb::from_center_half_size([0.0; 3], half));
        for (shape, outer) in
            [(Shape::from(ball), Volume::from(ball)), (bounds.into(), bounds.into())]
        {
            let Some(found) = shape.volume_overlap(&volume) else { continue };
            let directions = (0..40).map(|_| Vec3::from([0; 3].map(|_| number(state))));
            let mut points = directions.flat_map(|direction| {
                let out = 0.2999 * direction.normalize_or_zero();
                [at + out, to + out]
            });
            match found {
                Containment::Inside => {
                    inside += 1;
                    assert!(points.all(|point| outer.contains(point)), "{shape:?} {volume:?}");
                }
                Containment::Touching => touching += 1,
            }
        }
    }
    assert!(inside > 100 && touching > 1_000, "{inside} {touching}");
}
