use super::*;
use crate::geometry::Ray;

fn camera(depth: DepthRange, infinite: bool) -> Mat4 {
    let (near, far) = (0.5f32, 80.0f32);
    // Depth as `(a z + b) / -z`.
    let (a, b) = match (depth, infinite) {
        (DepthRange::ZeroToOne, false) => (far / (near - far), near * far / (near - far)),
        (DepthRange::ZeroToOne, true) => (-1.0, -near),
        (DepthRange::OneToZero, false) => (near / (far - near), near * far / (far - near)),
        (DepthRange::OneToZero, true) => (0.0, near),
        (DepthRange::NegativeOneToOne, false) => {
            ((far + near) / (near - far), 2.0 * near * far / (near - far))
        }
        (DepthRange::NegativeOneToOne, true) => (-1.0, -2.0 * near),
    };
    let projection = Mat4::from_cols_array(&[
        1.2, 0.0, 0.0, 0.0, //
        0.0, 1.6, 0.0, 0.0, //
        0.0, 0.0, a, -1.0, //
        0.0, 0.0, b, 0.0,
    ]);
    projection * Mat4::from_rotation_y(0.7) * Mat4::from_translation(Vec3::new(-3.0, 1.0, -8.0))
}

const DEPTHS: [DepthRange; 3] =
    [DepthRange::ZeroToOne, DepthRange::OneToZero, DepthRange::NegativeOneToOne];

/// Points on a ray through a pixel are in the rectangle around the pixel, between near and far.
#[test]
fn points_on_rays_through_a_rectangle_are_in_its_frustum() {
    let viewport = [640.0, 480.0];
    for depth in DEPTHS {
        for infinite in [false, true] {
            let camera = camera(depth, infinite);
            let corners = [[400.0, 300.0], [200.0, 100.0]];
            let frustum =
                Frustum::from_rectangle(corners, viewport, &camera, depth).expect("sound");
            let whole = Frustum::from_view_projection(&camera, depth).expect("sound");
            for (x, y, inside) in [
                (201.0, 101.0, true),
                (399.0, 299.0, true),
                (300.0, 200.0, true),
                (199.0, 200.0, false),
                (401.0, 200.0, false),
                (300.0, 99.0, false),
                (300.0, 301.0, false),
            ] {
                let ray = Ray::from_screen([x, y], viewport, &camera.inverse(), depth).unwrap();
                for t in [0.01, 1.0, 30.0] {
                    assert_eq!(frustum.contains(ray.at(t)), inside, "{depth:?} {x} {y} {t}");
                    assert!(whole.contains(ray.at(t)), "{depth:?} {x} {y} {t}");
                }
                assert!(!frustum.contains(ray.at(-0.01)) && !whole.contains(ray.at(-0.01)));
                assert_eq!(whole.contains(ray.at(200.0)), infinite);
            }
            let middle = Ray::from_screen([320.0, 240.0], viewport, &camera.inverse(), depth);
            assert!(whole.eye().distance(middle.unwrap().origin) < 1e-5);
        }
    }
}

#[test]
fn a_camera_has_its_frustum_at_any_scale_of_its_matrix() {
    for depth in DEPTHS {
        let camera = camera(depth, false);
        let of = |camera: &Mat4| Frustum::from_view_projection(camera, depth).expect("sound");
        for power in [-100, 100] {
            let (one, other) = (of(&camera), of(&(camera * 2f32.powi(power))));
            assert_eq!(one.planes(), other.planes());
            assert_eq!(one.eye(), other.eye());
        }
    }
    let planes = [Vec4::new(1.0, 2.0, 3.0, 4.0), Vec4::Y];
    let frustum = Frustum::from_planes(&planes, [0.0; 3]).expect("finite");
    assert_eq!(
        frustum.planes(),
        [planes[0], planes[1], Vec4::ZERO, Vec4::ZERO, Vec4::ZERO, Vec4::ZERO]
    );
}

#[test]
fn a_rectangle_without_a_size_is_a_line() {
    let depth = DepthRange::ZeroToOne;
    let at = [[320.0, 240.0]; 2];
    let frustum = Frustum::from_rectangle(at, [640.0, 480.0], &Mat4::IDENTITY, depth).unwrap();
    assert!(frustum.contains([0.0, 0.0, 0.5]) && !frustum.contains([1e-30, 0.0, 0.5]));
    assert!(!frustum.contains([0.0, 0.0, 1.0000001]));
}

#[test]
fn what_is_not_a_camera_is_refused() {
    let depth = DepthRange::ZeroToOne;
    let of = |m: &Mat4| Frustum::from_view_projection(m, depth);
    assert_eq!(of(&Mat4::ZERO), None);
    assert_eq!(of(&(Mat4::IDENTITY * f32::NAN)), None);
    assert_eq!(of(&Mat4::from_scale(Vec3::new(1.0, 0.0, 1.0))), None);
    let (identity, viewport) = (&Mat4::IDENTITY, [2.0, 2.0]);
    let rectangle = |corners: [[f32; 2]; 2], viewport: [f32; 2]| {
        Frustum::from_rectangle(corners, viewport, identity, depth)
    };
    assert!(rectangle([[0.0; 2], [1.0; 2]], viewport).is_some());
    assert_eq!(rectangle([[0.0; 2], [f32::NAN; 2]], viewport), None);
    assert_eq!(rectangle([[0.0; 2], [f32::INFINITY; 2]], viewport), None);
    assert_eq!(rectangle([[0.0; 2], [1.0; 2]], [0.0, 2.0]), None);
    assert_eq!(rectangle([[0.0; 2], [1.0; 2]], [2.0, f32::NAN]), None);
    assert_eq!(Frustum::from_planes(&[Vec4::ONE; 7], [0.0; 3]), None);
    assert_eq!(Frustum::from_planes(&[Vec4::INFINITY], [0.0; 3]), None);
    assert_eq!(Frustum::from_planes(&[Vec4::ONE], [f32::NAN; 3]), None);
}

/// Where the sum of products is zero in exact arithmetic only.
#[test]
fn points_on_a_plane_are_inside_exactly() {
    let plane = Vec4::new(0.1, 0.2, 0.3, 0.0);
    let frustum = Frustum::from_planes(&[plane], [0.0; 3]).unwrap();
    let on = Vec3::new(0.2, -0.1, 0.0);
    assert!(frustum.contains(on) && !frustum.contains(on.with_z(-f32::from_bits(1))));
    assert!(!frustum.contains([f32::NAN, 0.0, 0.0]) && !frustum.contains([f32::INFINITY; 3]));
}
