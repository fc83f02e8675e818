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
