use num_bigint::BigInt;
use num_rational::BigRational;

use super::*;
use crate::test_rng;

type Exact = [BigRational; 3];

fn exact(p: [f32; 3]) -> Exact {
    p.map(|x| BigRational::from_float(x).expect("finite"))
}

fn minus(a: &Exact, b: &Exact) -> Exact {
    std::array::from_fn(|k| &a[k] - &b[k])
}

fn dot_exact(a: &Exact, b: &Exact) -> BigRational {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

/// The squared distance by the conditions of a least square: the best weights of each set of
/// vertices, if none of them is negative. Shares no formula with the others.
fn squared_distance(point: [f32; 3], corners: &Corners) -> BigRational {
    let zero = BigRational::from_integer(BigInt::from(0));
    let one = BigRational::from_integer(BigInt::from(1));
    let corner = corners.map(exact);
    let from = |i: usize| minus(&exact(point), &corner[i]);
    let mut best = dot_exact(&from(0), &from(0));
    let mut offer = |d: BigRational| {
        if d < best {
            best = d;
        }
    };
    for i in 0..3 {
        offer(dot_exact(&from(i), &from(i)));
        let edge = minus(&corner[(i + 1) % 3], &corner[i]);
        let square = dot_exact(&edge, &edge);
        if square > zero {
            let t = dot_exact(&from(i), &edge) / square;
            if t > zero && t < one {
                let rest: Exact = std::array::from_fn(|k| &from(i)[k] - &t * &edge[k]);
                offer(dot_exact(&rest, &rest));
            }
        }
    }
    let (e1, e2, way) = (minus(&corner[1], &corner[0]), minus(&corner[2], &corner[0]), from(0));
    let (a, b, c) = (dot_exact(&e1, &e1), dot_exact(&e1, &e2), dot_exact(&e2, &e2));
    let (d, e) = (dot_exact(&way, &e1), dot_exact(&way, &e2));
    let determinant = &a * &c - &b * &b;
    if determinant > zero {
        let (u, v) = ((&c * &d - &b * &e) / &determinant, (&a * &e - &b * &d) / &determinant);
        if u > zero && v > zero && &u + &v < one {
            let rest: Exact = std::array::from_fn(|k| &way[k] - &u * &e1[k] - &v * &e2[k]);
            offer(dot_exact(&rest, &rest));
        }
    }
    best
}

fn square(x: f64) -> BigRational {
    let x = BigRational::from_float(x).expect("finite");
    &x * &x
}

/// Points and triangles of all kinds: large, tiny, slivers, far away, on a grid, touching.
fn for_each_case(count: usize, mut each: impl FnMut([f32; 3], &Corners)) {
    let mut state = 5u64;
    for i in 0..count {
        let mut number = || test_rng::number(&mut state);
        let size = [1.0, 1e-3, 1e-30, 1e6, 1e30][i % 5];
        let grid = i / 5 % 3 == 0;
        let mut point = |size: f32| {
            [0; 3].map(|_| if grid { (number() * 4.0).round() * size } else { number() * size })
        };
        let away = point([0.0, 1.0, 1e3][i / 15 % 3] * size);
        let mut near = |size: f32| {
            let offset = point(size);
            [0, 1, 2].map(|k| away[k] + offset[k])
        };
        let mut corners = [near(size), near(size), near(size)];
        let mut from = near([1.0, 10.0, 1e-4][i / 45 % 3] * size);
        match i / 135 % 4 {
            // A sliver.
            1 => corners[2] = [0, 1, 2].map(|k| corners[0][k] * 0.3 + corners[1][k] * 0.7),
            2 => {
                let weights = [number().abs(), number().abs()];
                from = [0, 1, 2].map(|k| {
                    let rest = 1.0 - weights[0] - weights[1];
                    corners[0][k] * weights[0] + corners[1][k] * weights[1] + corners[2][k] * rest
                });
            }
            3 => from = corners[i % 3],
            _ => {}
        }
        each(from, &corners);
    }
}

#[test]
fn distances_are_within_their_bound_and_round_once() {
    let (mut worst, mut unclear) = (0.0f64, 0);
    for_each_case(if cfg!(miri) { 50 } else { 1_500 }, |point, corners| {
        let closest = PointDistance::new(point, corners);
        let truth = squared_distance(point, corners);
        let (low, high) = (closest.distance - closest.error, closest.at_most());
        assert!(low <= 0.0 || square(low) <= truth, "{point:?} {corners:?} {closest:?}");
        assert!(square(high) >= truth, "{point:?} {corners:?} {closest:?}");
        for part in [0.5, 0.25, 0.125, 0.0625] {
            let (low, high) =
                (closest.distance - part * closest.error, closest.distance + part * closest.error);
            if (low > 0.0 && square(low) > truth) || square(high) < truth {
                worst = worst.max(part);
            }
        }

        let distance = closest.rounded(point, corners);
        let half = |a: f32, b: f32| square((f64::from(a) + f64::from(b)) / 2.0);
        assert!(distance == 0.0 || half(distance.next_down(), distance) <= truth);
        assert!(half(distance, distance.next_up()) >= truth, "{distance} {point:?} {corners:?}");
        assert!(closest.is_within(distance.next_up(), point, corners));
        assert!(distance == 0.0 || !closest.is_within(distance.next_down(), point, corners));
        unclear += usize::from(round_within(closest.distance, closest.error).is_none());

        // The point is where the distance says, and on the triangle.
        let position = closest.position(point);
        let off = PointDistance::new(position, corners).rounded(position, corners);
        let largest = corners.as_flattened().iter().chain(&point).fold(0f32, |m, x| m.max(x.abs()));
        assert!(f64::from(off) <= f64::from(largest) * 1e-7 + closest.error, "{off} {largest}");
    });
    println!("{worst} of the bound, {unclear} in integers");
    assert!(cfg!(miri) || unclear > 50);
}

#[test]
fn distances_are_compared_as_fractions_are() {
    let (mut equal, mut before) = (0, None);
    for_each_case(if cfg!(miri) { 50 } else { 1_500 }, |point, corners| {
        if let Some(other) = before.replace(*corners) {
            // The neighbours of a triangle are often as near, but for the last bits.
            let fan = [corners[1], corners[0], other[0]];
            let turned = [corners[2], corners[0], corners[1]];
            for other in [other, fan, turned] {
                let (a, b) =
                    (PointDistance::new(point, corners), PointDistance::new(point, &other));
                let order = a.cmp(corners, (&b, &other), point);
                let truth = squared_distance(point, corners).cmp(&squared_distance(point, &other));
                assert_eq!(order, truth, "{point:?} {corners:?} {other:?}");
                equal += usize::from(order == Ordering::Equal && other != turned);
            }
        }
    });
    assert!(cfg!(miri) || equal > 100, "{equal}");
}

#[test]
fn features_are_the_parts_that_are_closest() {
    let corners = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
    for (point, feature, weights, distance) in [
        ([1.0, 1.0, 3.0], Feature::Face, [0.25, 0.25], 3.0),
        ([1.0, -3.0, 4.0], Feature::Edge(0), [0.25, 0.0], 5.0),
        ([4.0, 4.0, 0.0], Feature::Edge(1), [0.5, 0.5], 8f32.sqrt()),
        ([-2.0, 3.0, 0.0], Feature::Edge(2), [0.0, 0.75], 2.0),
        ([-3.0, -4.0, 0.0], Feature::Vertex(0), [0.0, 0.0], 5.0),
        ([9.0, -1.0, 0.0], Feature::Vertex(1), [1.0, 0.0], 26f32.sqrt()),
        ([-1.0, 7.0, 0.0], Feature::Vertex(2), [0.0, 1.0], 10f32.sqrt()),
    ] {
        let closest = PointDistance::new(point, &corners);
        assert_eq!((closest.feature, closest.weights), (feature, weights), "{point:?}");
        assert!((1e-15..1e-12).contains(&closest.error), "{closest:?}");
        assert_eq!(closest.rounded(point, &corners), distance, "{point:?}");
    }
}

#[test]
fn a_distance_between_two_numbers_rounds_to_even() {
    let unit = 2f32.powi(-24);
    for (below, distance) in [(unit, 1.0), (3.0 * unit, 1.0 + 4.0 * unit)] {
        let corners = [[-4.0, -4.0, -below], [4.0, -4.0, -below], [0.0, 8.0, -below]];
        let point = [0.0, 0.0, 1.0];
        assert_eq!(PointDistance::new(point, &corners).rounded(point, &corners), distance);
    }
}

#[test]
fn a_triangle_that_is_a_point_is_at_no_distance_from_it() {
    let point = [1.0, 2.0, 3.0];
    let corners = [point; 3];
    let closest = PointDistance::new(point, &corners);
    assert!(closest.is_within(0.0, point, &corners));
    assert_eq!(closest.rounded(point, &corners), 0.0);
}

#[test]
fn places_are_shared_by_what_has_the_same_edge_or_plane() {
    let [a, b, c] = [[1.0, 2.0, 3.0], [1.0, 5.0, 7.0], [2.0, 2.0, 3.0]];
    assert_eq!(Place::edge([a, b]), Place::edge([b, a]));
    assert_ne!(Place::edge([a, b]), Place::edge([c, b]));
    assert_ne!(Place::edge([a, b]), Place::edge([a, a]));
    for k in 0..3 {
        let mut ends = [a, a];
        ends[1][k] = 9.0;
        assert_eq!(
            Place::edge(ends),
            Place::edge([ends[1], a].map(|mut end| {
                end[k] += 1.0;
                end
            }))
        );
    }
    // Along an axis the ends do not matter.
    assert_eq!(Place::edge([a, c]), Place::edge([[9.0, 2.0, 3.0], a]));
    assert_ne!(Place::edge([a, c]), Place::edge([[9.0, 2.0, 4.0], [8.0, 2.0, 4.0]]));
    for k in 0..3 {
        let mut corners = [a, b, c];
        for corner in &mut corners {
            corner[k] = 6.0;
        }
        assert_eq!(Place::plane(&corners), Some(Place::Plane(k, 6.0)));
        for i in 0..3 {
            let mut tilted = [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]];
            for j in [(i + 1) % 3, (i + 2) % 3] {
                tilted[j][k] = 6.0;
            }
            tilted[i][k] = 9.0;
            assert_eq!(Place::plane(&tilted), None, "{tilted:?}");
        }
    }
}

#[test]
fn features_change_places_where_two_vertices_do() {
    let corners = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
    let [a, b, c] = corners;
    let vertices = [[-3.0, -4.0, 0.0], [9.0, -1.0, 0.0], [-1.0, 7.0, 0.0]];
    let others = [[1.0, 1.0, 3.0], [1.0, -3.0, 4.0], [4.0, 4.0, 0.0], [-2.0, 3.0, 0.0]];
    for point in vertices.into_iter().chain(others) {
        let [one, other] = [corners, [a, c, b]].map(|corners| PointDistance::new(point, &corners));
        assert_eq!(one.feature.mirrored(), other.feature, "{point:?}");
    }
}

#[test]
fn distances_along_an_axis_need_no_integers() {
    let unit = 2f32.powi(-24);
    for k in 0..3 {
        let turned = |[x, y, z]: [f32; 3]| {
            let mut turned = [x, y, z];
            turned.rotate_right(k);
            turned
        };
        let corners = [[0.5, 0.0, 0.0], [0.5, 4.0, 0.0], [0.5, 0.0, 4.0]].map(turned);
        for (point, distance) in [
            // Over the face, beside an edge, in the plane.
            ([4.5 + 32.0 * unit, 1.0, 1.0], Some(4.0 + 32.0 * f64::from(unit))),
            ([0.5, 1.0, -3.0], Some(3.0)),
            ([0.5, 1.0, 1.0], Some(0.0)),
            // Along no axis, and so far away that `f64` does not hold it.
            ([1.5, 1.0, -3.0], None),
            ([1e-30, 1.0, 1.0], None),
        ] {
            let closest = PointDistance::new(turned(point), &corners);
            assert_eq!(closest.exact(turned(point), &corners), distance, "{point:?}");
        }
        let pointed = [[0.5, 0.0, 0.0], [0.5, 4.0, 1.0], [0.5, 4.0, -1.0]].map(turned);
        let point = turned([0.5, -3.0, 0.0]);
        assert_eq!(PointDistance::new(point, &pointed).exact(point, &pointed), Some(3.0));
        let slanted = [[0.0, 0.0, 0.0], [1.0, 4.0, 0.0], [1.0, 0.0, 4.0]].map(turned);
        let point = turned([2.0, 1.0, 1.0]);
        assert_eq!(PointDistance::new(point, &slanted).exact(point, &slanted), None);
        // Between two numbers.
        let wall = [[-unit, -9.0, -9.0], [-unit, 9.0, -9.0], [-unit, 0.0, 9.0]].map(turned);
        let point = turned([1.0, 0.0, 0.0]);
        let closest = PointDistance::new(point, &wall);
        assert_eq!(closest.exact(point, &wall), Some(1.0 + f64::from(unit)));
        assert_eq!(closest.rounded(point, &wall), 1.0);
        assert!(closest.is_within(1.0 + 2.0 * unit, point, &wall));
        assert!(!closest.is_within(1.0, point, &wall));
    }
}

/// All corners of the one without an area are corners of the other, whose face is nearer by less
/// than `f64` tells.
#[test]
fn a_triangle_without_an_area_is_not_the_same_as_one_with_its_corners() {
    let [a, b, c] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let point = [0.5, 1e-10, 1.0];
    let (flat, face) = ([a, a, b], [a, b, c]);
    let [one, other] = [flat, face].map(|corners| PointDistance::new(point, &corners));
    assert_eq!(one.cmp(&flat, (&other, &face), point), Ordering::Greater);
    assert_eq!(other.cmp(&face, (&one, &flat), point), Ordering::Less);
}

/// Two edges that are nearly parallel leave open which side of them a point is on, also far beyond
/// the vertex where they meet.
#[test]
fn beyond_the_tip_of_a_needle_the_tip_is_closest() {
    let mut state = 9u64;
    let mut vector = || [0; 3].map(|_| test_rng::number(&mut state));
    let mut beyond = 0;
    for i in 0..if cfg!(miri) { 10 } else { 600 } {
        let size = [1.0, 1e-12, 1e24][i % 3];
        let width = [1e-18, 1e-25, 1e-12, 1e-16, 1e-8][i / 3 % 5];
        let (tip, side) = (vector(), vector());
        let scaled = |v: [f32; 3], by: f32| v.map(|x| x * by);
        let mut corners =
            [scaled(side, 1e-9 * width * size), scaled(tip, size), scaled(side, width * size)];
        corners.rotate_left(i % 3);
        let along = [2.0, 1.5, 3.0, 64.0, -1.0, -8.0, 0.5][i / 15 % 7];
        let point = scaled(tip, along * size);
        let closest = PointDistance::new(point, &corners);
        let truth = squared_distance(point, &corners);
        let low = closest.distance - closest.error;
        let context = format!("{point:?} {corners:?} {closest:?}");
        assert!(low <= 0.0 || square(low) <= truth, "{context}");
        assert!(square(closest.at_most()) >= truth, "{context}");
        assert!(closest.weights.iter().all(|weight| (0.0..=1.0).contains(weight)), "{context}");
        let distance = closest.rounded(point, &corners);
        let half = |a: f32, b: f32| square((f64::from(a) + f64::from(b)) / 2.0);
        assert!(distance == 0.0 || half(distance.next_down(), distance) <= truth, "{context}");
        assert!(half(distance, distance.next_up()) >= truth, "{context}");
        assert!(closest.is_within(distance.next_up(), point, &corners), "{context}");
        assert!(distance == 0.0 || !closest.is_within(distance.next_down(), point, &corners));
        beyond += usize::from(closest.feature != Feature::Face && distance > 0.0);
    }
    assert!(cfg!(miri) || beyond > 300, "{beyond}");
}
