//! Places on surfaces, there and back.

use glam::Affine3A;

use super::*;
use crate::test_rng::{number, point};

fn volumes(state: &mut u64) -> [Volume; 5] {
    let at: Vec3 = point(state, 5.0, false).into();
    let half = Vec3::from(point(state, 2.0, false)).abs();
    let map = Affine3A::from_cols_array(&[
        1.0, 0.2, 0.0, -0.5, 1.5, 0.3, 0.1, 0.0, -0.8, at.x, at.y, at.z,
    ]);
    let local = Aabb::from_center_half_size(at, half);
    [
        local.into(),
        Obb::from_transform(&map, local).expect("sheared").into(),
        Sphere::new(at, half.x).into(),
        Capsule::new(at, at + half, half.y).into(),
        Capsule::new(at, at, half.z).into(),
    ]
}

/// Whether a point is beside the segment of a capsule, not past an end of it.
fn is_between_ends(volume: &Volume, point: Vec3F64) -> bool {
    let Volume::Capsule(Capsule { a, b, .. }) = volume else { return false };
    let [a, b] = [a, b].map(|end| to_f64(*end));
    dot(sub(point, a), sub(b, a)) > 0.0 && dot(sub(point, b), sub(a, b)) > 0.0
}

#[test]
fn every_place_has_a_point_that_is_there() {
    let state = &mut 1;
    for _ in 0..200 {
        for volume in volumes(state) {
            let parts = match volume {
                Volume::Aabb(_) | Volume::Obb(_) => 6,
                Volume::Capsule(Capsule { a, b, .. }) if a != b => 16,
                Volume::Sphere(_) | Volume::Capsule(_) => 12,
            };
            for part in 0..parts {
                let weights = [0; 2].map(|_| 0.5 + 0.49 * number(state));
                let place = SurfacePlace { part, weights };
                let SurfacePoint { point, normal } = volume.surface_point(&place).expect("a part");
                assert!((dot(normal, normal) - 1.0).abs() < 1e-12, "{volume:?} {place:?}");
                // The other half of a cap's ball is inside of the capsule.
                if parts == 16 && part < CAPS && is_between_ends(&volume, point) {
                    continue;
                }
                let outside = to_f32(add(point, scale(normal, 1e-3)));
                assert!(!volume.contains(outside), "{volume:?} {place:?}");
                // From a little outside it is the nearest, or a point right there is.
                let again = volume.place_near(point, normal);
                let back = volume.surface_point(&again).expect("a part");
                let off = max_abs(sub(back.point, point));
                assert!(off < 1e-5, "{volume:?} {place:?} {again:?}: {off}");
                let turned = max_abs(sub(back.normal, normal));
                assert!(turned < 1e-5, "{volume:?} {place:?} {again:?}: {turned}");
            }
            let no_part = SurfacePlace { part: parts, weights: [0.5; 2] };
            assert!(volume.surface_point(&no_part).is_none(), "{volume:?}");
        }
    }
}

#[test]
fn a_ray_enters_through_the_face_that_it_comes_from() {
    let unit = Volume::from(Aabb::from_min_max([0.0; 3], [1.0; 3]));
    // At an edge, from both sides of it.
    for (dir, expected) in [([1.0, -0.5, 0.0], Vec3::NEG_X), ([0.5, -1.0, 0.0], Vec3::NEG_X)] {
        let ray = Ray::new(Vec3::new(0.0, 1.0, 0.5) - 4.0 * Vec3::from(dir), dir);
        let t = unit.ray_interval(&ray).expect("it touches the edge").enter;
        let entered = unit.surface_point(&unit.place_entered(&ray, t)).expect("a face");
        let normal = entered.normal();
        assert!(normal == expected || normal == Vec3::Y, "{dir:?}: {normal}");
        assert_eq!(entered.point(), Vec3::new(0.0, 1.0, 0.5));
    }
    let down = Ray::new([0.25, 9.0, 0.999_999_9], [0.0, -1.0, 0.0]);
    let entered = unit.surface_point(&unit.place_entered(&down, 8.0)).expect("a face");
    assert_eq!((entered.normal(), entered.point().y), (Vec3::Y, 1.0));
}

#[test]
fn from_far_away_the_normal_of_a_ball_is_not_rounded_off() {
    let ball = Volume::from(Sphere::new([0.0; 3], 0.5));
    let ray = Ray::new([1e5, 1e5, 0.0], [-1.0, -1.0, 0.0]);
    let t = ball.ray_interval(&ray).expect("it is hit").enter;
    let normal = ball.surface_point(&ball.place_entered(&ray, t)).expect("there").normal();
    let expected = Vec3::new(1.0, 1.0, 0.0).normalize();
    assert!((normal - expected).abs().max_element() < 1e-6, "{normal}");
}
