use super::*;
use crate::geometry::containment::Containment;
use crate::geometry::exact::Int3392;
use crate::geometry::exact::near_segment::{holds, near_segment};
use crate::test_rng::point;

/// Clear answers are right, and almost all answers are clear.
#[test]
fn what_is_clear_is_exact() {
    let mut state = 9;
    let (mut near, mut apart, mut unclear) = (0, 0, 0);
    for i in 0..if cfg!(miri) { 20 } else { 600 } {
        let size = [1.0, 1e-30, 1e30, 1e3][i % 4];
        let grid = i / 4 % 3 == 0;
        let mut point = || point(&mut state, size, grid);
        let (segment, mut corners) = ([point(), point()], [point(), point(), point()]);
        match i / 12 % 5 {
            0 => corners[2] = corners[0],
            1 => corners[2] = [0, 1, 2].map(|k| corners[0][k] * 0.3 + corners[1][k] * 0.7),
            _ => {}
        }
        let segment = if i / 60 % 4 == 0 { [segment[0]; 2] } else { segment };
        // Also the distance itself, with its neighbours.
        let [mut low, mut high] = [0.0f32, 20.0 * size];
        for _ in 0..40 {
            let middle = low * 0.5 + high * 0.5;
            let exact = near_segment::<Int3392>(&segment, middle, &corners).expect("decided");
            if exact.is_some() { high = middle } else { low = middle }
        }
        for radius in [0.0, low, high, low * 0.999, high * 1.001, size * 0.3, size * 2.0] {
            let exact = near_segment::<Int3392>(&segment, radius, &corners).expect("decided");
            let holds_all = corners.iter().all(|&corner| holds(&segment, radius, corner));
            assert_eq!(exact == Some(Containment::Inside), holds_all, "{segment:?} {corners:?}");
            match is_clearly_near(&segment, radius, &corners) {
                None => unclear += 1,
                Some(clear) => {
                    assert_eq!(clear, exact.is_some(), "{segment:?} {radius} {corners:?}");
                    *(if clear { &mut near } else { &mut apart }) += 1;
                }
            }
        }
    }
    println!("{near} near, {apart} apart, {unclear} unclear");
    assert!(cfg!(miri) || (near > 1_200 && apart > 700 && unclear < near), "{near} {apart}");
}

/// At a distance that no `f32` is as near as: a point of the margin, which both exact signs tell.
#[test]
fn a_distance_within_the_margin_is_not_clear() {
    let off = 2f32.powi(-50);
    let segment = [[0.0; 3], [1.0, 0.0, 0.0]];
    let corners = |y: f32| [[0.5, y, -1.0], [0.5, y, 1.0], [0.5, 1.5, 0.0]];
    for (y, radius) in [(off, 0.0), (off, 1.5 * off), (1.0, 1.0)] {
        assert_eq!(is_clearly_near(&segment, radius, &corners(y)), None, "{y} {radius}");
    }
    let clear = 2f32.powi(-45);
    assert_eq!(is_clearly_near(&segment, 0.0, &corners(clear)), Some(false));
    assert_eq!(is_clearly_near(&segment, 2.0 * clear, &corners(off)), Some(true));
}

/// The way between the nearest points separates the two: all vertices are beyond its end, and both
/// ends of the segment before its start.
#[test]
fn pairs_are_nearest() {
    let (mut state, mut features, mut crossing) = (13, [0; 3], 0);
    for i in 0..if cfg!(miri) { 50 } else { 6_000 } {
        let mut point = || point(&mut state, 1.0, i % 3 == 0).map(f64::from);
        let (to, corners) = (point(), [point(), point(), point()]);
        let to = if i / 3 % 4 == 0 { [0.0; 3] } else { to };
        let [a, b, c] = corners;
        let normal = cross(sub(b, a), sub(c, a));
        if max_abs(normal) < 1e-3 {
            continue;
        }
        let Pair { square, way, weights: [v, w], feature, .. } = nearest_pair(to, &corners);
        let context = format!("{to:?} {corners:?} {way:?} {v} {w} {feature:?}");
        assert_eq!(square, dot(way, way));
        let end = add(scale(a, 1.0 - v - w), add(scale(b, v), scale(c, w)));
        let start = sub(end, way);
        let part = if to == [0.0; 3] { 0.0 } else { dot(start, to) / dot(to, to) };
        assert!((-1e-9..=1.0 + 1e-9).contains(&part), "{context}");
        assert!(max_abs(sub(start, scale(to, part))) < 1e-9, "{context}");
        for corner in corners {
            assert!(dot(way, sub(corner, end)) > -1e-9, "{context}");
        }
        for from in [[0.0; 3], to] {
            assert!(dot(way, sub(start, from)) > -1e-9, "{context}");
        }
        crossing += usize::from(square < 1e-20);
        let weights = [1.0 - v - w, v, w];
        match feature {
            Feature::Face => assert!(weights.iter().all(|&x| x >= -1e-9), "{context}"),
            Feature::Edge(i) => {
                let i = usize::from(i);
                assert!(weights[i] > 0.0 && weights[(i + 1) % 3] > 0.0, "{context}");
                assert!(weights[(i + 2) % 3].abs() < 1e-15, "{context}");
            }
            Feature::Vertex(i) => assert_eq!(weights[usize::from(i)], 1.0, "{context}"),
        }
        features[match feature {
            Feature::Face => 0,
            Feature::Edge(_) => 1,
            Feature::Vertex(_) => 2,
        }] += 1;
    }
    println!("{features:?} faces, edges and vertices, {crossing} crossing");
    assert!(cfg!(miri) || features.iter().all(|&count| count > 200) && crossing > 100);
}

/// The first end's comes before the second's, and the face's before an edge's.
#[test]
fn of_pairs_as_near_as_each_other_the_first_is_taken() {
    let corners =
        [[0.0, 0.0, 2.0], [8.0, 0.0, 2.0], [0.0, 8.0, 2.0]].map(|[x, y, z]| [x - 1.0, y - 1.0, z]);
    let pair = nearest_pair([1.0, 2.0, 0.0], &corners);
    assert_eq!((pair.weights, pair.feature), ([0.125, 0.125], Feature::Face));
    let corners = corners.map(|[x, y, z]| [x, y + 1.0, z]);
    let pair = nearest_pair([0.0, 0.0, -1.0], &corners);
    assert_eq!((pair.weights, pair.feature), ([0.125, 0.0], Feature::Face));
}
