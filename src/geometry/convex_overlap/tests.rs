//! Against exact judges: triangles, segments, and the triangles around boxes.

use glam::{Affine3A, Mat3, Vec3};

use super::*;
use crate::geometry::exact::Int3392;
use crate::geometry::exact::near_segment::near_segment;
use crate::geometry::{Capsule, ConvexHull, DepthRange, Frustum, Obb, Sphere, Triangle};
use crate::test_rng::{bits, number, point};

/// The sides of a box, two triangles each.
fn sides(bounds: &Aabb) -> impl Iterator<Item = Triangle> {
    let corners = bounds.corners();
    (0..12).map(move |i| {
        let (axis, is_high, is_second) = (i / 4, i >> 1 & 1, i & 1);
        let corner = |b: usize, c: usize| {
            corners[is_high << axis | b << ((axis + 1) % 3) | c << ((axis + 2) % 3)]
        };
        Triangle::new(corner(0, 0), corner(is_second, 1), corner(1, 1 - is_second))
    })
}

#[test]
fn the_sides_of_a_box_are_its_surface() {
    let bounds = Aabb::from_min_max([1.0, 2.0, 4.0], [2.0, 4.0, 8.0]);
    let area: f64 = sides(&bounds)
        .map(|side| {
            let n = (side.v1 - side.v0).cross(side.v2 - side.v0);
            f64::from(n.length()) / 2.0
        })
        .sum();
    assert_eq!(area, f64::from(bounds.surface_area()));
}

/// Whether a box touches a shape, of which `inside` is a point if it is not empty: exact.
fn judge(bounds: &Aabb, shape: &Shape, inside: Vec3) -> bool {
    bounds.contains(inside) || sides(bounds).any(|side| shape.overlap(&side).is_some())
}

fn vec(state: &mut u64, size: f32, is_whole: bool) -> Vec3 {
    point(state, size, is_whole).into()
}

/// A shape of each kind with a point inside.
fn shape(kind: usize, state: &mut u64, size: f32, whole: bool) -> (Shape, Vec3) {
    let at = vec(state, size, whole);
    let half = vec(state, size, whole).abs().max(Vec3::splat(0.25 * size));
    match kind {
        0 => (Aabb::from_center_half_size(at, half).into(), at),
        1 => {
            let turn = match whole {
                true => Mat3::from_cols(Vec3::Y, Vec3::NEG_X, Vec3::Z),
                false => {
                    let axis = vec(state, 1.0, false).normalize_or(Vec3::X);
                    Mat3::from_axis_angle(axis, 3.0 * number(state))
                }
            };
            let shear = Mat3::from_cols(Vec3::X, Vec3::new(0.5, 1.0, 0.0), Vec3::Z);
            let linear = if bits(state).is_multiple_of(2) { turn } else { turn * shear };
            let map = Affine3A::from_mat3_translation(linear, at);
            let local = Aabb::from_center_half_size(Vec3::ZERO, half);
            (Obb::from_transform(&map, local).unwrap().into(), at)
        }
        2 => (Sphere::new(at, half.x).into(), at),
        3 => (Capsule::new(at, vec(state, size, whole), half.x * 0.5).into(), at),
        4 => {
            let view = glam::camera::rh::view::look_at_mat4(at, at + half, Vec3::Y);
            let near_far = [0.5 * size, 2.0 * size];
            let projection =
                glam::camera::rh::proj::directx::perspective(1.0, 1.0, near_far[0], near_far[1]);
            let frustum =
                Frustum::from_view_projection(&(projection * view), DepthRange::ZeroToOne);
            (frustum.unwrap().into(), at + half.normalize() * size)
        }
        _ => {
            let triangle = Triangle::new(at, vec(state, size, whole), vec(state, size, whole));
            (triangle.into(), at)
        }
    }
}

/// Boxes with shapes that come nearer until they touch: to the neighbouring number.
#[test]
fn boxes_touch_exactly_what_touches_their_sides() {
    let state = &mut 7;
    let (mut touching, mut apart, mut doubtful) = (0, 0, 0);
    for i in 0..if cfg!(miri) { 12 } else { 480 } {
        let size = [1.0, 1e-20, 1e12, 30.0][i / 6 % 4];
        let whole = i / 24 % 2 == 0;
        let (shape, inside) = shape(i % 6, state, size, whole);
        let bounds = Aabb::from_center_half_size(Vec3::ZERO, vec(state, size, whole).abs());
        let direction = vec(state, 1.0, whole).normalize_or(Vec3::X);
        let at = |distance: f32| {
            let offset = direction * distance;
            Aabb { min: bounds.min + offset, max: bounds.max + offset }
        };
        // The far end is apart, or the frustum is large; the near end is anything.
        let [mut near, mut far] = [0.0, 20.0 * size];
        for _ in 0..45 {
            let middle = 0.5 * (near + far);
            if judge(&at(middle), &shape, inside) { near = middle } else { far = middle }
        }
        for distance in [0.0, near * 0.9, near, far, far + 1e-6 * size, far * 1.1, -near, -far] {
            let bounds = at(distance);
            let exact = judge(&bounds, &shape, inside);
            let found = [
                shape.overlaps(bounds),
                ConvexHull::from_points(bounds.corners())
                    .map_or(exact, |hull| shape.overlaps(hull)),
            ];
            for found in found {
                match (exact, found) {
                    (true, true) => touching += 1,
                    (false, false) => apart += 1,
                    (false, true) => doubtful += 1,
                    (true, false) => panic!("{bounds:?} {shape:?} {distance}"),
                }
            }
            // Shapes that are clearly apart are never in doubt.
            if distance > 0.0 && !exact && distance == far + 1e-6 * size {
                assert!(!found[0], "{bounds:?} {shape:?}");
            }
        }
    }
    println!("{touching} touching, {apart} apart, {doubtful} in doubt");
    assert!(cfg!(miri) || touching > 1_500 && apart > 1_500 && doubtful < 80, "{doubtful}");
}

#[test]
fn capsules_touch_within_the_sum_of_their_radii() {
    let state = &mut 3;
    let (mut touching, mut apart, mut doubtful) = (0, 0, 0);
    for i in 0..if cfg!(miri) { 10 } else { 210 } {
        let (size, whole) = ([1.0, 1e-25, 1e25][i % 3], i % 2 == 0);
        let [a, b, c, d] = [(); 4].map(|()| point(state, size, whole));
        let b = if i % 5 == 0 { a } else { b };
        let d = if i % 7 == 0 { c } else { d };
        let within = |radius: f32| near_segment::<Int3392>(&[a, b], radius, &[c, d, d]);
        let [mut low, mut high] = [0.0f32, 20.0 * size];
        for _ in 0..45 {
            let middle = 0.5 * (low + high);
            if within(middle).unwrap().is_some() { high = middle } else { low = middle }
        }
        for radius in [0.0, low, high, high * 2.0, low * 0.999_999] {
            // Half of a number is exact.
            let half = 0.5 * radius;
            let one = Shape::from(Capsule::new(a, b, half));
            let other = Capsule::new(c, d, half);
            let found = one.overlaps(other);
            assert_eq!(found, Shape::from(other).overlaps(Capsule::new(a, b, half)));
            match (within(radius).unwrap().is_some(), found) {
                (true, true) => touching += 1,
                (false, false) => apart += 1,
                (false, true) => doubtful += 1,
                (true, false) => panic!("{a:?} {b:?} {c:?} {d:?} {radius}"),
            }
        }
    }
    println!("{touching} touching, {apart} apart, {doubtful} in doubt");
    assert!(cfg!(miri) || touching > 300 && apart > 300 && doubtful < 20, "{doubtful}");
}

#[test]
fn what_is_empty_touches_nothing() {
    let ball = Sphere::new([0.0; 3], 1.0);
    for empty in [
        Shape::from(Aabb::EMPTY),
        Sphere::new([0.0; 3], -1.0).into(),
        Capsule::new([0.0; 3], [1.0; 3], f32::NAN).into(),
    ] {
        assert!(!empty.overlaps(ball) && !Shape::from(ball).overlaps_shape(&empty), "{empty:?}");
    }
}

/// The size of what reaches to infinity does not count.
#[test]
fn boxes_without_end_are_as_exact_as_others() {
    let half_space = Aabb::from_min_max([0.0, -f32::INFINITY, -1.0], [f32::INFINITY; 3]);
    let ball = |x: f32| Sphere::new([x, 7.0, 3.0], 1.0);
    for (x, expected) in [(-1.0, true), (-1.000_001, false), (1e30, true)] {
        assert_eq!(Shape::from(half_space).overlaps(ball(x)), expected, "{x}");
        assert_eq!(Shape::from(ball(x)).overlaps(half_space), expected, "{x}");
    }
    let all = Sphere::new([0.0; 3], f32::INFINITY);
    assert!(Shape::from(all).overlaps(ball(9.0)) && Shape::from(ball(9.0)).overlaps(all));
}

/// What a corner is made of is much larger than the corner, and is lost in `f64`.
#[test]
fn an_oriented_box_is_as_uncertain_as_its_numbers_are_large() {
    let unit = f32::EPSILON;
    let map = Affine3A::from_mat3_translation(
        Mat3::from_cols(Vec3::X, Vec3::new(1.0 + unit, 1.0, 0.0), Vec3::Z),
        Vec3::new(-(2f32.powi(40)), 0.0, 0.0),
    );
    let corner = Vec3::new(2f32.powi(40), 1.0 + unit, 0.0);
    let point = Obb::from_transform(&map, Aabb::from_min_max(corner, corner)).expect("sound");
    // Its exact place is nearer than the radius.
    let ball = Sphere::new([1.0 + 2.0 * unit, 1.0 + unit, 0.0], 2f32.powi(-40));
    assert!(Shape::from(ball).overlaps(point) && Shape::from(point).overlaps(ball));
}
