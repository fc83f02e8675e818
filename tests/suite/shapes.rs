//! [`Shape::overlap`] is exact: it equals rational numbers, above all where shapes just touch.
//!
//! `HITSCAN_LONG=50` asks fifty times as many questions.

use crate::support;
pub(crate) mod judge;

use hitscan::geometry::{Capsule, Containment, ConvexHull, Frustum, Shape};
use hitscan::glam::{Affine3A, Mat3, Vec3, Vec4};
use hitscan::{Aabb, Obb, Sphere, Triangle};
use judge::{in_half_spaces, is_within, of_obb, of_planes, of_points, squared_distance};
use support::{Random, long};

fn triangle(random: &mut Random, kind: usize) -> Triangle {
    let [a, b, c] = [(); 3].map(|()| random.point(kind));
    match random.below(12) {
        // Without an area, or a sliver.
        0 => Triangle::new(a, b, a),
        1 => Triangle::new(a, a, a),
        2 => Triangle::new(a, b, a * 0.5 + b * 0.5),
        3 => Triangle::new(a, b, a * 0.3 + b * 0.7),
        // Flat.
        4 => Triangle::new(a, b.with_y(a.y), c.with_y(a.y)),
        _ => Triangle::new(a, b, c),
    }
}

fn on(random: &mut Random, t: &Triangle) -> Vec3 {
    match random.below(4) {
        0 => t.v0,
        1 => t.v1 * 0.5 + t.v2 * 0.5,
        2 => t.v0 * 0.5 + t.v1 * 0.25 + t.v2 * 0.25,
        _ => t.v2,
    }
}

/// As the judge says it: 0 for apart, 1 for touching, 2 for inside.
fn number(overlap: Option<Containment>) -> u8 {
    match overlap {
        None => 0,
        Some(Containment::Touching) => 1,
        Some(Containment::Inside) => 2,
    }
}

/// How often each answer was seen: apart, touching, inside.
#[derive(Debug, Default)]
struct Seen([usize; 3]);

impl Seen {
    fn check(&mut self, shape: impl Into<Shape>, triangle: &Triangle, expected: u8) {
        let shape = shape.into();
        let found = number(shape.overlap(triangle));
        assert_eq!(found, expected, "{shape:?} {triangle:?}");
        self.0[usize::from(expected)] += 1;
    }

    #[track_caller]
    fn has_all(&self, least: usize) {
        println!("{self:?}");
        assert!(self.0.iter().all(|&count| count >= least), "{self:?}");
    }
}

fn cases(count: usize, mut each: impl FnMut(&mut Random, usize)) {
    let mut random = Random::new(11);
    for kind in 0..count * long() {
        each(&mut random, kind);
    }
}

#[test]
fn boxes_are_exact() {
    let mut seen = Seen::default();
    cases(2_000, |random, kind| {
        let t = triangle(random, kind);
        let center = if random.below(2) == 0 { on(random, &t) } else { random.point(kind) };
        let bounds = Aabb::from_points([center, random.point(kind)]);
        let mut planes = Vec::new();
        for k in 0..3 {
            let mut axis = Vec4::ZERO;
            axis[k] = 1.0;
            planes.push(axis.with_w(-bounds.min[k]));
            planes.push((-axis).with_w(bounds.max[k]));
        }
        seen.check(bounds, &t, in_half_spaces(&of_planes(&planes), &t));
    });
    seen.has_all(100);
}

#[test]
fn oriented_boxes_are_exact() {
    let mut seen = Seen::default();
    cases(1_500, |random, kind| {
        let t = triangle(random, kind);
        let unit = |random: &mut Random| random.point([0, 7][kind % 2]);
        let mut matrix = Mat3::from_cols(unit(random), unit(random), unit(random));
        if kind % 3 == 0 {
            matrix = Mat3::from_axis_angle(random.direction(), 1.0 + random.unit());
        }
        let center = if random.below(2) == 0 { on(random, &t) } else { random.point(kind) };
        let transform = Affine3A::from_mat3_translation(matrix, center);
        let local = Aabb::from_points([Vec3::ZERO, random.point(kind)]);
        if let Some(obb) = Obb::from_transform(&transform, local) {
            seen.check(obb, &t, in_half_spaces(&of_obb(&obb), &t));
        }
    });
    seen.has_all(50);
}

#[test]
fn frusta_are_exact() {
    let mut seen = Seen::default();
    cases(1_500, |random, kind| {
        let t = triangle(random, kind);
        let mut plane = |_| {
            let normal = random.point([0, 7, 0, 0, 3, 4, 6][kind % 7]);
            // Through a point of the triangle, or near it.
            let at = match random.below(3) {
                0 => random.point(kind),
                _ => on(random, &t),
            };
            normal.extend((-normal.dot(at)).clamp(-f32::MAX, f32::MAX))
        };
        let planes: Vec<Vec4> = (0..kind % 7).map(&mut plane).filter(|p| p.is_finite()).collect();
        let frustum = Frustum::from_planes(&planes, [0.0; 3]).expect("finite");
        seen.check(frustum, &t, in_half_spaces(&of_planes(&planes), &t));
        let inside = in_half_spaces(&of_planes(&planes), &Triangle::new(t.v0, t.v0, t.v0));
        assert_eq!(frustum.contains(t.v0), inside == 2, "{frustum:?} {t:?}");
    });
    seen.has_all(100);
}

#[test]
fn hulls_are_exact() {
    let mut seen = Seen::default();
    cases(1_000, |random, kind| {
        let t = triangle(random, kind);
        // About the triangle, with points of it and near it.
        let points: Vec<Vec3> = (0..4 + kind % 5)
            .map(|_| if random.below(3) == 0 { on(random, &t) } else { random.point(kind) })
            .map(|at| if kind % 4 == 0 { at * 3.0 } else { at })
            .filter(|at| at.is_finite())
            .collect();
        if let Ok(hull) = ConvexHull::from_points(points.iter().copied()) {
            seen.check(hull, &t, in_half_spaces(&of_points(&points), &t));
        }
    });
    seen.has_all(50);
}

#[test]
fn capsules_are_exact() {
    let (mut seen, mut exactly) = (Seen::default(), 0);
    cases(700, |random, kind| {
        let t = triangle(random, kind);
        let a = random.point(kind);
        let b = if random.below(6) == 0 { a } else { random.point(kind) };
        let (a, b) =
            if random.below(5) == 0 { (a + 2.5 * (a - on(random, &t)), b) } else { (a, b) };
        if !a.is_finite() {
            return;
        }
        let distance = |points: &[Vec3]| squared_distance(&[a, b], points);
        let (whole, corners) =
            (distance(&[t.v0, t.v1, t.v2]), [t.v0, t.v1, t.v2].map(|v| distance(&[v])));
        let near = {
            let capsule = Capsule::new(a, b, 0.0);
            let [x, y, z] = [t.v0, t.v1, t.v2].map(|v| capsule.distance(v));
            [x, y, z, x * 0.5]
        };
        for radius in
            [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, near[0], near[1], near[2], near[3], near[0].next_down()]
        {
            if !(radius >= 0.0 && radius.is_finite()) {
                continue;
            }
            let (touches, is_exact) = is_within(&whole, radius);
            exactly += usize::from(is_exact);
            let inside = corners.iter().all(|distance| is_within(distance, radius).0);
            let expected = u8::from(touches) + u8::from(inside);
            seen.check(Capsule::new(a, b, radius), &t, expected);
            if a == b {
                seen.check(Sphere::new(a, radius), &t, expected);
            }
            let holds = Capsule::new(a, b, radius).contains(t.v1);
            assert_eq!(holds, is_within(&corners[1], radius).0, "{a} {b} {radius} {t:?}");
        }
    });
    println!("{exactly} at exactly the radius");
    seen.has_all(200);
    assert!(exactly > 50);
}

#[test]
fn triangles_are_exact() {
    let mut seen = Seen::default();
    cases(700, |random, kind| {
        let t = triangle(random, kind);
        let mut other = triangle(random, kind);
        match random.below(8) {
            0 => other.v0 = on(random, &t),
            1 => other = Triangle::new(t.v1, t.v0, other.v2),
            2 => other = Triangle::new(t.v2, t.v0, t.v1),
            3 => {
                // In the same plane.
                let (e1, e2) = (t.v1 - t.v0, t.v2 - t.v0);
                let v = |x: f32, y: f32| t.v0 + x * e1 + y * e2;
                other = Triangle::new(v(0.25, 0.25), v(0.5, 0.5), v(-0.5, 2.0));
            }
            4 => other = Triangle::new(on(random, &t), on(random, &t), on(random, &t)),
            _ => {}
        }
        if ![other.v0, other.v1, other.v2].iter().all(|v| v.is_finite()) {
            return;
        }
        let corners = |t: &Triangle| [t.v0, t.v1, t.v2];
        let touches = is_within(&squared_distance(&corners(&t), &corners(&other)), 0.0).0;
        for (shape, t) in [(other, t), (t, other)] {
            let holds = |&v: &Vec3| is_within(&squared_distance(&corners(&shape), &[v]), 0.0).0;
            let inside = touches && corners(&t).iter().all(holds);
            seen.check(shape, &t, u8::from(touches) + u8::from(inside));
        }
    });
    seen.has_all(50);
}

#[test]
fn shapes_that_are_empty_touch_nothing() {
    let t = Triangle::new([0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
    let nan = Vec3::NAN;
    for shape in [
        Shape::from(Aabb::EMPTY),
        Aabb { min: Vec3::ONE, max: Vec3::ZERO }.into(),
        Aabb { min: nan, max: Vec3::ONE }.into(),
        Aabb { min: Vec3::ZERO, max: nan }.into(),
        Sphere::new([0.0; 3], -1.0).into(),
        Sphere::new([0.0; 3], f32::NAN).into(),
        Sphere::new(nan, 1.0).into(),
        Sphere::new(Vec3::INFINITY, f32::INFINITY).into(),
        Capsule::new([0.0; 3], [1.0; 3], -0.5).into(),
        Capsule::new([0.0; 3], [1.0; 3], f32::NAN).into(),
        Capsule::new([0.0; 3], nan, 1.0).into(),
        Triangle::new([0.0; 3], nan, [1.0; 3]).into(),
        Triangle::new([0.0; 3], Vec3::INFINITY, [1.0; 3]).into(),
        Frustum::from_planes(&[Vec4::new(0.0, 0.0, 0.0, -1.0)], [0.0; 3]).unwrap().into(),
    ] {
        assert_eq!(shape.overlap(&t), None, "{shape:?}");
    }
    let everything = [
        Shape::from(Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY }),
        Sphere::new([0.0; 3], f32::INFINITY).into(),
        Capsule::new([0.0; 3], [1.0; 3], f32::INFINITY).into(),
        Frustum::from_planes(&[], [0.0; 3]).unwrap().into(),
    ];
    for shape in everything {
        assert_eq!(shape.overlap(&t), Some(Containment::Inside), "{shape:?}");
        for v in [nan, Vec3::INFINITY] {
            assert_eq!(shape.overlap(&Triangle::new([0.0; 3], [1.0; 3], v)), None, "{shape:?}");
        }
    }
}
