use super::*;
use crate::test_rng::number;

fn projection() -> Mat4 {
    // `perspective(1.0, 16 / 9, 0.1, 4000)`, depth from 0 to 1.
    let (near, far) = (0.1f32, 4000.0f32);
    let height = 1.0 / 0.5f32.tan();
    Mat4::from_cols_array(&[
        height * 9.0 / 16.0,
        0.0,
        0.0,
        0.0, //
        0.0,
        height,
        0.0,
        0.0, //
        0.0,
        0.0,
        far / (near - far),
        -1.0, //
        0.0,
        0.0,
        near * far / (near - far),
        0.0,
    ])
}

const SCREEN: [f32; 2] = [1920.0, 1080.0];

/// How far a ray passes from a point that it should meet, in pixels on the screen.
fn drift(camera: &Camera, ray: &Ray, position: Vec2) -> f32 {
    // The point of the ray at some distance, on the screen again.
    let drawn = camera.project(ray.at(20.0)).expect("in front");
    drawn.truncate().distance(position)
}

#[test]
fn picks_are_right_far_from_the_origin() {
    let mut state = 4;
    for away in [0.0, 300.0, 3_000.0, 30_000.0] {
        let (mut worst, mut plain_worst) = (0.0f32, 0.0f32);
        for _ in 0..300 {
            let mut signed = || number(&mut state);
            let eye = Vec3::new(away + signed(), 2.0, -0.6 * away + signed());
            let turn =
                Mat4::from_rotation_x(0.5 * signed()) * Mat4::from_rotation_y(3.0 * signed());
            let view = turn * Mat4::from_translation(-eye);
            let position = Vec2::new(960.0 + 900.0 * signed(), 540.0 + 500.0 * signed());
            let depth = DepthRange::ZeroToOne;
            let camera = Camera::new(&view, &projection(), SCREEN, depth).expect("sound");
            // The view matrix has rounded itself; a ray is judged by the matrix that draws, in
            // coordinates around the eye, where an `f32` point is exact enough.
            let ray = camera.ray(position).expect("sound");
            let inverse = (projection() * view).inverse();
            let plain = Ray::from_screen(position, SCREEN, &inverse, depth).expect("sound");
            let of = |ray: &Ray| {
                let [o, d] = [ray.origin, ray.dir].map(|v| v.to_array().map(f64::from));
                let p = [0, 1, 2].map(|k| o[k] + 20.0 * d[k]);
                let [x, y, _, w] = product(&camera.view_projection, [p[0], p[1], p[2], 1.0]);
                let x = 0.5 * (x / w + 1.0) * 1920.0 - f64::from(position.x);
                let y = 0.5 * (1.0 - y / w) * 1080.0 - f64::from(position.y);
                x.hypot(y) as f32
            };
            worst = worst.max(of(&ray));
            plain_worst = plain_worst.max(of(&plain));
            if away == 0.0 {
                assert!(drift(&camera, &ray, position) < 0.01);
            }
        }
        println!("at {away}: {worst} pixels, {plain_worst} with an inverse in f32");
        // What is left is the origin, rounded to `f32`, seen from twenty units.
        assert!(worst < 0.001 + 5e-6 * away, "{away}: {worst}");
        assert!(plain_worst > 20.0 * worst || away == 0.0, "{away}: {plain_worst}");
    }
}

#[test]
fn a_point_on_the_screen_is_on_the_ray_through_it() {
    let view = Mat4::from_rotation_y(0.7) * Mat4::from_translation(Vec3::new(-3.0, 1.0, -8.0));
    let camera = Camera::new(&view, &projection(), SCREEN, DepthRange::ZeroToOne).expect("sound");
    let point = Vec3::new(1.0, 0.0, -4.0);
    let at = camera.project(point).expect("in front");
    let ray = camera.ray(at.truncate()).expect("sound");
    let along = (point - ray.origin).dot(ray.dir);
    assert!(ray.at(along).distance(point) < 1e-5 && (0.9..1.0).contains(&at.z), "{at}");
    let (low, high) = (at.truncate() - 2.0, at.truncate() + 2.0);
    assert!(camera.frustum([low, high]).expect("sound").contains(point));
    assert!(!camera.frustum([high, high + 9.0]).expect("sound").contains(point));
    // Behind, beside, nowhere.
    let eye = view.inverse().transform_point3(Vec3::ZERO);
    assert_eq!(camera.project(2.0 * eye - point), None);
    assert_eq!(camera.project(Vec3::NAN), None);
    assert_eq!(camera.project([f32::MAX, 0.0, f32::INFINITY]), None);
    assert_eq!(camera.ray([f32::NAN, 0.0]), None);
    assert_eq!(camera.frustum([[0.0, f32::INFINITY], [1.0, 1.0]]), None);
}

#[test]
fn cameras_that_see_nothing_are_none() {
    let camera = |view: Mat4, projection: Mat4, screen: [f32; 2]| {
        Camera::new(&view, &projection, screen, DepthRange::ZeroToOne)
    };
    assert!(camera(Mat4::IDENTITY, projection(), SCREEN).is_some());
    assert!(camera(Mat4::ZERO, projection(), SCREEN).is_none());
    assert!(camera(Mat4::IDENTITY, Mat4::NAN, SCREEN).is_none());
    for screen in [[0.0, 9.0], [9.0, -1.0], [f32::NAN, 9.0], [f32::INFINITY, 9.0]] {
        assert!(camera(Mat4::IDENTITY, projection(), screen).is_none(), "{screen:?}");
    }
}

/// Any matrix, with rows and columns of all kinds, times its inverse.
#[test]
fn a_matrix_times_its_inverse_is_one() {
    let mut state = 5;
    for _ in 0..1000 {
        let matrix: Columns =
            std::array::from_fn(|_| std::array::from_fn(|_| f64::from(number(&mut state))));
        let inverse = inverse(&matrix).expect("regular");
        let size = inverse.as_flattened().iter().fold(1.0f64, |size, x| size.max(x.abs()));
        for (k, column) in inverse.iter().enumerate() {
            let one = product(&matrix, *column);
            for (r, x) in one.iter().enumerate() {
                let expected = if r == k { 1.0 } else { 0.0 };
                assert!((x - expected).abs() < 1e-13 * size * size, "{matrix:?}");
            }
        }
    }
}

#[test]
fn a_cone_of_some_pixels_holds_what_is_drawn_within_them() {
    let mut state = 6;
    for away in [0.0, 3_000.0, 30_000.0] {
        for _ in 0..100 {
            let mut signed = || number(&mut state);
            let eye = Vec3::new(away + signed(), 2.0, -0.6 * away + signed());
            let turn =
                Mat4::from_rotation_x(0.5 * signed()) * Mat4::from_rotation_y(3.0 * signed());
            let view = turn * Mat4::from_translation(-eye);
            let camera = Camera::new(&view, &projection(), SCREEN, DepthRange::ZeroToOne).unwrap();
            // Near the middle of the picture, where pixels are round.
            let position = Vec2::new(960.0 + 40.0 * signed(), 540.0 + 40.0 * signed());
            let cone = camera.cone(position, 10.0).expect("sound");
            let beside = Vec2::from_angle(6.3 * signed());
            for distance in [5.0, 200.0] {
                let radius = |pixels: f32| {
                    let ray = camera.ray(position + pixels * beside).expect("sound");
                    // Where the cursor's ray has gone as far as this one.
                    let point = ray.at(distance / ray.dir.dot(cone.ray.dir));
                    let from = cone.ray.at(distance);
                    (point - from).cross(cone.ray.dir).length()
                        / (cone.radius + cone.growth * distance)
                };
                // The points are rounded to `f32`: at 30,000 by a fortieth of this radius.
                let room = 0.02 + 4e-6 * away;
                assert!((radius(10.0) - 1.0).abs() < room, "{}", radius(10.0));
                assert!((radius(5.0) - 0.5).abs() < room, "{}", radius(5.0));
            }
        }
    }
    let camera =
        Camera::new(&Mat4::IDENTITY, &projection(), SCREEN, DepthRange::ZeroToOne).unwrap();
    for (position, pixels) in [([9.0, 9.0], -1.0), ([9.0, 9.0], f32::NAN), ([f32::NAN, 0.0], 1.0)] {
        assert_eq!(camera.cone(position, pixels), None);
    }
    let line = camera.cone([9.0, 9.0], 0.0).expect("sound");
    assert!(line.radius < 1e-12 && line.growth < 1e-12, "{line:?}");
}
