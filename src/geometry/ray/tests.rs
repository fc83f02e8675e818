use glam::{Affine3A, Mat4, Vec2, Vec3, Vec4};

use super::{DepthRange, Ray, RayInterval};

const NEAR: f32 = 0.1;
const FAR: f32 = 500.0;

/// Every kind of projection, with the camera at the origin looking along `-z`.
fn projections() -> Vec<(Mat4, DepthRange)> {
    let mut all = Vec::new();
    for depth in [DepthRange::ZeroToOne, DepthRange::OneToZero, DepthRange::NegativeOneToOne] {
        let (near, far) = depth.near_and_far();
        let (near, far) = (near as f32, far as f32);
        let perspective = |a: f32, b: f32| {
            Mat4::from_cols(
                Vec4::X * 1.2,
                Vec4::Y * 1.6,
                Vec4::new(0.0, 0.0, a, -1.0),
                Vec4::new(0.0, 0.0, b, 0.0),
            )
        };
        let b = (near - far) / (1.0 / NEAR - 1.0 / FAR);
        all.push((perspective(b / NEAR - near, b), depth));
        all.push((perspective(-far, NEAR * (near - far)), depth));
        let a = (near - far) / (FAR - NEAR);
        let orthographic = Mat4::from_cols(
            Vec4::X * 0.1,
            Vec4::Y * 0.15,
            Vec4::Z * a,
            Vec4::new(0.0, 0.0, near + NEAR * a, 1.0),
        );
        all.push((orthographic, depth));
    }
    all
}

fn view() -> Mat4 {
    Mat4::from_rotation_y(0.7) * Mat4::from_rotation_x(-0.3) * Mat4::from_translation(-eye())
}

fn eye() -> Vec3 {
    Vec3::new(30.0, 2.0, -12.0)
}

#[test]
fn picking_hits_what_was_drawn_there() {
    let viewport = Vec2::new(1280.0, 720.0);
    let camera_to_world = view().inverse();
    for (projection, depth) in projections() {
        let matrix = projection * view();
        for target in [[0.0, 0.0, -5.0], [1.0, -2.0, -8.0], [-30.0, 20.0, -90.0]] {
            let world = camera_to_world.transform_point3(Vec3::from(target));
            let clip = matrix * world.extend(1.0);
            let ndc = clip / clip.w;
            let screen = Vec2::new(0.5 + 0.5 * ndc.x, 0.5 - 0.5 * ndc.y) * viewport;

            let ray = Ray::from_screen(screen, viewport, &matrix.inverse(), depth)
                .expect("an invertible camera");
            assert!((ray.dir.length() - 1.0).abs() < 1e-6);
            assert_eq!((ray.t_min, ray.t_max), (0.0, f32::INFINITY));
            let t = (world - ray.origin).dot(ray.dir);
            assert!(t > 0.0, "{depth:?}: points away");
            assert!(ray.at(t).distance(world) < 2e-3 * t.max(1.0), "{depth:?}");
            let depth_of_origin = view().transform_point3(ray.origin).z;
            assert!((depth_of_origin + NEAR).abs() < 1e-2, "{depth:?}");
        }
    }
}

#[test]
fn screen_y_points_down() {
    for (projection, depth) in projections() {
        let inverse = projection.inverse();
        let pick = |x: f32, y: f32| {
            let ray = Ray::from_screen([x, y], [200.0, 100.0], &inverse, depth);
            let ray = ray.expect("an invertible camera");
            ray.at(10.0)
        };
        let middle = pick(100.0, 50.0);
        assert!(middle.x.abs() < 1e-5 && middle.y.abs() < 1e-5 && middle.z < -10.0);
        let upper_left = pick(0.0, 0.0);
        assert!(upper_left.x < -1.0 && upper_left.y > 1.0);
    }
}

#[test]
fn invalid_cameras_give_no_ray() {
    let pick = |position: [f32; 2], viewport: [f32; 2], inverse: &Mat4| {
        Ray::from_screen(position, viewport, inverse, DepthRange::ZeroToOne)
    };
    let screen = [640.0, 480.0];
    let good = Mat4::IDENTITY;
    assert!(pick([1.0, 1.0], screen, &good).is_some());
    assert!(pick([-50.0, 9e3], screen, &good).is_some());
    assert_eq!(pick([1.0, 1.0], [0.0, 480.0], &good), None);
    assert_eq!(pick([1.0, 1.0], [640.0, -480.0], &good), None);
    assert_eq!(pick([f32::NAN, 1.0], screen, &good), None);
    assert_eq!(pick([1.0, 1.0], [f32::NAN, 480.0], &good), None);
    assert_eq!(pick([1.0, 1.0], screen, &Mat4::ZERO), None);
    assert_eq!(pick([1.0, 1.0], screen, &Mat4::NAN), None);
    let flat = Mat4::from_scale(Vec3::new(1.0, 1.0, 0.0));
    assert_eq!(pick([1.0, 1.0], screen, &flat), None);
    assert_eq!(pick([1.0, 1.0], screen, &flat.inverse()), None);
}

#[test]
fn only_valid_rays_are_castable() {
    let valid = Ray::new([0.0; 3], [0.0, 0.0, 1e-30]);
    assert!(valid.is_castable());
    assert!(valid.with_range(f32::NEG_INFINITY, 3.0).is_castable());
    assert!(valid.with_range(3.0, 3.0).is_castable());
    assert!(!valid.with_range(3.0, 2.0).is_castable());
    assert!(!valid.with_range(f32::NAN, 2.0).is_castable());
    assert!(!valid.with_range(0.0, f32::NAN).is_castable());
    assert!(!Ray::new([0.0; 3], [0.0, -0.0, 0.0]).is_castable());
    assert!(!Ray::new(Vec3::INFINITY, Vec3::X).is_castable());
    assert!(!Ray::new(Vec3::ZERO, Vec3::NAN).is_castable());
    assert!(!Ray::between(Vec3::splat(-f32::MAX), Vec3::MAX).is_castable());
}

#[test]
fn clipping_keeps_the_closed_part() {
    let ray = Ray::new([0.0; 3], [1.0, 0.0, 0.0]);
    let interval = RayInterval { enter: -2.0, exit: 5.0, origin_inside: true };
    let clipped = interval.clipped(&ray).expect("in front");
    assert_eq!((clipped.enter, clipped.exit), (0.0, 5.0));
    assert!(interval.clipped(&ray.with_range(5.0, 6.0)).is_some());
    assert!(interval.clipped(&ray.with_range(5.1, 6.0)).is_none());
    assert!(interval.clipped(&ray.with_range(1.0, 0.5)).is_none());
    assert!(interval.clipped(&ray.with_range(f32::NAN, 6.0)).is_none());
    assert!(interval.clipped(&ray.with_range(0.0, f32::NAN)).is_none());
}

#[test]
fn an_interval_around_the_origin_holds_zero() {
    let of = |enter: f64, exit: f64, origin_inside: bool| {
        let interval = RayInterval::outward(enter, exit, origin_inside);
        (interval.enter, interval.exit)
    };
    assert_eq!(of(1e-9, 2.0, true), (0.0, 2.0));
    assert_eq!(of(-2.0, -1e-9, true), (-2.0, 0.0));
    assert_eq!(of(1.0, 2.0, false), (1.0, 2.0));
    assert_eq!(of(-2.0, -1.0, false), (-2.0, -1.0));
    assert_eq!(of(-3.0, 4.0, true), (-3.0, 4.0));
}

#[test]
fn between_ends_at_its_target() {
    let ray = Ray::between([1.0, 2.0, 3.0], [5.0, 2.0, 1.0]);
    assert_eq!((ray.at(0.0), ray.at(1.0)), (Vec3::new(1.0, 2.0, 3.0), Vec3::new(5.0, 2.0, 1.0)));
    assert_eq!((ray.t_min, ray.t_max), (0.0, 1.0));
}

#[test]
fn a_transformed_ray_hits_the_transformed_triangle_at_the_same_t() {
    let triangle = [[0.0, 0.0, 4.0], [8.0, 0.0, 4.0], [0.0, 8.0, 4.0]].map(Vec3::from_array);
    let ray = Ray::new([1.0, 2.0, 0.0], [0.0, 0.0, 2.0]).with_range(0.5, 3.0);
    for map in [
        Affine3A::IDENTITY,
        Affine3A::from_translation(Vec3::new(3.0, -5.0, 0.25)),
        Affine3A::from_scale(Vec3::new(-2.0, 0.5, 4.0)),
        Affine3A::from_mat3(glam::Mat3::from_cols(Vec3::Y, Vec3::Z, Vec3::X)),
    ] {
        let moved = ray.transformed(&map);
        assert_eq!((moved.t_min, moved.t_max), (0.5, 3.0));
        let [v0, v1, v2] = triangle.map(|v| map.transform_point3(v));
        let hit = crate::Triangle { v0, v1, v2 }.intersect(&moved).unwrap();
        assert_eq!((hit.t, hit.u, hit.v), (2.0, 0.125, 0.25));
        assert_eq!(moved.at(2.0), map.transform_point3(ray.at(2.0)));
    }
}
