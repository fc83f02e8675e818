use super::*;
use crate::geometry::exact::bigint::{self, Int1024};
use crate::test_rng::bits;

fn determinants(ray: &Ray, corners: &Corners) -> Option<Determinants> {
    Determinants::new(ray, axis_of(ray.dir.to_array())?, corners)
}

/// A whole number of at most this many bits, or its negative.
fn whole(state: &mut u64, size: u32) -> f32 {
    let number = (bits(state) >> (32 - size)) as f32;
    if bits(state) >> 31 == 0 { number } else { -number }
}

/// Rays up and down along the axes and triangles of whole numbers, many of them level, and many
/// with the ray exactly through an edge or a vertex.
fn for_each_case(count: usize, mut each: impl FnMut(&Ray, &Corners)) {
    let mut state = 11;
    for i in 0..count {
        let axis = i % 3;
        let size = [4, 12, 20][i / 3 % 3];
        let mut point = || [(); 3].map(|()| 8.0 * whole(&mut state, size));
        let mut corners = [point(), point(), point()];
        let mut origin = point();
        let [a, b, c] = corners;
        let part = |u: f32, v: f32| [0, 1, 2].map(|k| a[k] * (1.0 - u - v) + b[k] * u + c[k] * v);
        let height = origin[axis];
        origin = match i / 9 % 5 {
            0 => origin,
            1 => part(0.25, 0.5),
            2 => [a, b, c][i / 45 % 3],
            3 => part(0.5, 0.0),
            _ => part(0.5, 0.5),
        };
        origin[axis] = height;
        if i / 45 % 2 == 0 {
            corners = corners.map(|mut corner| {
                corner[axis] = a[axis];
                corner
            });
        }
        let mut dir = [0.0; 3];
        dir[axis] = [-1.0, 1.0, -3.0, 0.7][i / 90 % 4];
        each(&Ray::new(origin, dir), &corners);
    }
}

#[test]
fn answers_are_those_of_integers() {
    let (mut hits, mut misses, mut edges, mut rounded) = (0, 0, 0, 0);
    for_each_case(if cfg!(miri) { 500 } else { 60_000 }, |ray, corners| {
        let Some(found) = determinants(ray, corners) else { return };
        let [det, u, v, t] = bigint::determinants(ray, corners);
        let w = det.sub(&u).sub(&v);
        let is_hit =
            |side: i32, weights: [i32; 3]| side != 0 && weights.iter().all(|w| w * side >= 0);
        let weights = [&u, &v, &w].map(Int1024::signum);
        let (side, signs) = found.signs();
        assert_eq!(signs, weights, "{ray:?} {corners:?}");
        let hit = is_hit(det.signum(), weights);
        assert_eq!(is_hit(side, signs), hit, "{ray:?} {corners:?}");
        if !hit {
            misses += 1;
            return;
        }
        assert_eq!(side, det.signum());
        hits += 1;
        edges += usize::from(weights.contains(&0));
        let Some(quotients) = found.quotients() else { return };
        rounded += 1;
        let exact = [t, u, v].map(|over| over.quotient(&det));
        assert_eq!(quotients.map(f32::to_bits), exact.map(f32::to_bits), "{ray:?} {corners:?}");
    });
    println!("{hits} hits, {edges} of them on edges, {rounded} decided, {misses} misses");
    assert!(cfg!(miri) || edges > 10_000 && misses > 5_000 && 10 * rounded > 9 * hits);
}

#[test]
fn what_does_not_fit_is_left_to_integers() {
    let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let along = |origin: [f32; 3], dir: [f32; 3], corners: &Corners| {
        determinants(&Ray::new(origin, dir), corners).is_some()
    };
    let (origin, down) = ([0.5, 0.0, 1.0], [0.0, -0.0, -1.0]);
    assert!(along(origin, down, &corners));
    assert!(!along(origin, [0.0, 1e-30, -1.0], &corners));
    assert!(!along([0.5, 1e-30, 1.0], down, &corners));
    assert!(!along([0.1, 1e5, 1.0], down, &corners));
    assert!(along([0.5, 0.0, 1e30], down, &corners));
    assert!(!along([0.5, 0.0, 1e30], down, &[[1.0; 3]; 3]));
    assert!(!along(origin, [0.0, 0.0, f32::NEG_INFINITY], &corners));
    assert!(!along(origin, [0.0, 0.0, f32::NAN], &corners));
    assert!(!along([0.5, f32::NAN, 1.0], down, &corners));
    assert!(!along([0.5, 0.0, f32::INFINITY], down, &corners));
    let infinite = [corners[0], corners[1], [0.0, f32::INFINITY, 0.0]];
    assert!(!along(origin, down, &infinite));
    // A `t` in the middle of two numbers.
    let ray = Ray::new([0.5, 0.0, 16_777_216.0], [0.0, 0.0, -1.0]);
    let below = corners.map(|[x, y, _]| [x, y, -1.0]);
    let found = determinants(&ray, &below).expect("all differences are exact");
    assert_eq!(found.quotients().map(|[t, ..]| t), Some(16_777_216.0));
}

/// The largest parts of the bounds of Lemma 99 that random triangles need.
#[test]
fn bounds_are_those_of_lemma_99() {
    let (mut state, mut worst) = (5, [0f64; 2]);
    for _ in 0..if cfg!(miri) { 100 } else { 200_000 } {
        // Ways of 24 bits, times up to 2^12.
        let mut way = || {
            let scale = f32::exp2((bits(&mut state) % 13) as f32);
            [scale * whole(&mut state, 24), whole(&mut state, 24), 512.0 + whole(&mut state, 8)]
        };
        let corners = [way(), way(), way()];
        let ray = Ray::new([0.0; 3], [0.0, 0.0, 1.0]);
        let Some(found) = determinants(&ray, &corners) else { continue };
        let (side, weights) = found.signs();
        if side == 0 || weights.iter().any(|w| w * side < 0) {
            continue;
        }
        let [a, b, c] = corners.map(|corner| corner.map(|x| x as i128));
        let area = |p: [i128; 3], q: [i128; 3]| p[0] * q[1] - p[1] * q[0];
        let areas = [area(c, a), area(a, b), area(b, c)];
        let sum: i128 = areas.iter().sum();
        let over = areas[0] * b[2] + areas[1] * c[2] + areas[2] * a[2];
        // Off by so much, in parts of the bound.
        let part = |[x, error]: [f64; 2], over: i128, bits: i32| {
            let unit = f64::from(bits).exp2();
            let off = (x * unit) as i128 * sum - over * (1i128 << bits);
            (off as f64 / sum as f64 / unit).abs() / error
        };
        let [t, u, v] = found.bounded();
        worst[0] = worst[0].max(part(t, over, 44));
        for (weight, area) in [(u, areas[0]), (v, areas[1])] {
            if weight[0] > 0.125 {
                worst[1] = worst[1].max(part(weight, area, 56));
            }
        }
    }
    println!("{worst:?}");
    assert!(worst.iter().all(|&worst| worst <= 1.0), "{worst:?}");
    assert!(cfg!(miri) || worst.iter().all(|&worst| worst > 0.2), "{worst:?}");
}
