use glam::{Affine3A, Mat3, Vec3};

use super::*;
use crate::geometry::{Obb, Sphere, Triangle};
use crate::test_rng::number;

/// Points of shapes, in `f64`, are in their bounds and on the inner side of their planes, which are
/// close.
#[test]
fn planes_and_bounds_hold_shapes_closely() {
    let mut state = 6;
    let mut planes = 0;
    for i in 0..3_000 {
        let size = [1.0, 1e-25, 1e25, 1e5][i % 4];
        let mut point = |size: f32| Vec3::from([0; 3].map(|_| number(&mut state) * size));
        let away = point([0.0, 1e3][i % 3 % 2] * size);
        let (a, b, c) = (away + point(size), away + point(size), away + point(size));
        let radius = [0.0, 0.4, 3.0][i / 4 % 3] * size;
        let (u, v, w) = (to_f64(a), to_f64(b), to_f64(c));
        let (shape, points, radius) = match i / 12 % 4 {
            0 => (Shape::from(Capsule::new(a, b, radius)), vec![u, v], f64::from(radius)),
            1 => (Sphere::new(a, radius).into(), vec![u], f64::from(radius)),
            2 => (Triangle::new(a, b, c).into(), vec![u, v, w], 0.0),
            _ => {
                let matrix = Mat3::from_cols(point(1.0), point(1.0), point(1.0));
                let transform = Affine3A::from_mat3_translation(matrix, away);
                let local = Aabb::from_points([point(size), point(size)]);
                let obb = Obb::from_transform(&transform, local).expect("not flat");
                let corners = (0..8).map(|i| {
                    let at = to_f64(local.corner(i));
                    let [x, y, z] = matrix.to_cols_array_2d().map(|column| column.map(f64::from));
                    let sum = add(add(scale(x, at[0]), scale(y, at[1])), scale(z, at[2]));
                    add(to_f64(away), sum)
                });
                (obb.into(), corners.collect(), 0.0)
            }
        };
        let support = Support::of(&shape).expect("not empty");
        let bounds = support.bounds();
        let most = points.iter().fold(radius, |most, &p| max(max_abs(p), most));
        let close = most * 1e-9;
        for k in 0..3 {
            let low = points.iter().fold(f64::INFINITY, |low, p| low.min(p[k])) - radius;
            assert!(f64::from(bounds.min[k]) <= low, "{shape:?}");
            assert!(f64::from(bounds.min[k]) >= low - most * 2e-7, "{shape:?}");
        }
        for (normal, least) in support.planes() {
            planes += 1;
            let length = dot(normal, normal).sqrt();
            if length < 1e-150 {
                continue;
            }
            let low = points.iter().fold(f64::INFINITY, |low, &p| low.min(dot(normal, p)));
            let low = low / length - radius;
            assert!(least / length <= low, "{shape:?} {normal:?}");
            assert!(least / length >= low - close, "{shape:?} {normal:?}");
        }
    }
    assert!(planes > 5_000);
}

#[test]
fn planes_are_on_all_sides() {
    let planes = |shape: Shape| -> Vec<(Vec3F64, f64)> {
        Support::of(&shape).expect("not empty").planes().collect()
    };
    let is_opposite = |pair: &[(Vec3F64, f64)]| pair[0].0 == scale(pair[1].0, -1.0);
    let axes =
        [[1.0, 0.0, 0.0], [0.0, -2.0, 0.0], [0.0, 0.0, 3.0], [1.0, 1.0, 1.0], [3.0, 1.0, 2.0]];
    for along in axes.map(Vec3::from) {
        for size in [1.0, 1e-45, 1e38] {
            let capsule = planes(Capsule::new([0.0; 3], along * size, 0.0).into());
            assert!(capsule.len() == 6 && capsule.chunks(2).all(is_opposite));
            let [a, b, c] = [0, 2, 4].map(|i| capsule[i].0);
            assert!([a, b, c].iter().all(|normal| dot(*normal, *normal) > 0.0), "{along} {size}");
            let across = dot(a, b).abs() + dot(b, c).abs() + dot(c, a).abs();
            assert!(across <= 1e-15 * max_abs(a) * max_abs(c), "{along} {size}");
        }
    }
    let obb = Obb::from_axes([1.0; 3], axes.map(Vec3::from)[..3].try_into().unwrap(), [1.0; 3]);
    let obb = planes(obb.expect("not flat").into());
    assert!(obb.len() == 6 && obb.chunks(2).all(is_opposite));

    let corners = [[0.0, 0.0, 1.0], [4.0, 0.0, 1.0], [0.0, 3.0, 2.0]];
    let triangle = planes(Triangle::new(corners[0], corners[1], corners[2]).into());
    assert!(triangle.len() == 5 && is_opposite(&triangle[..2]));
    for (i, (normal, least)) in triangle[2..].iter().enumerate() {
        // Through one edge, across the face.
        let height = |corner: usize| dot(*normal, corners[corner % 3].map(f64::from)) - least;
        assert!(height(i).abs() < 1e-9 && height(i + 1).abs() < 1e-9 && height(i + 2) > 1.0);
        assert_eq!(dot(*normal, triangle[0].0), 0.0);
    }

    let plane = glam::Vec4::new(1.0, 2.0, 3.0, -5.0);
    let frustum = crate::geometry::Frustum::from_planes(&[plane], [0.0; 3]).expect("finite");
    assert_eq!(planes(frustum.into())[0], ([1.0, 2.0, 3.0], 5.0));
}

/// The rest of a corner's coordinate when terms cancel is below their rounding.
#[test]
fn corners_whose_terms_cancel_are_held() {
    let rest = 1.0 / (1u64 << 60) as f32;
    let columns = [[1.0, 0.0, 0.0], [rest, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Vec3::from);
    for sign in [1.0, -1.0] {
        let matrix = Mat3::from_cols(columns[0], columns[1] * sign, columns[2]);
        let transform = Affine3A::from_mat3_translation(matrix, Vec3::NEG_X);
        let local = Aabb::from_points([Vec3::new(1.0, 1.0, 0.0)]);
        let obb = Obb::from_transform(&transform, local).expect("not flat");
        let support = Support::of(&obb.into()).expect("not empty");
        let corner = Vec3::new(rest * sign, sign, 0.0);
        assert!(support.bounds().contains(corner));
        for (normal, least) in support.planes() {
            assert!(least <= dot(normal, to_f64(corner)), "{normal:?}");
        }
    }
}

#[test]
fn a_radius_that_is_rounded_away_is_held() {
    let radius = 1.0 / (1u64 << 44) as f32;
    let support = Support::of(&Capsule::new([1.0; 3], [1.0; 3], radius).into());
    assert!(support.expect("not empty").bounds().max.x > 1.0);
}
