use super::*;
use crate::test_rng::bits;

/// A whole number of at most this many bits, or its negative.
fn whole(state: &mut u64, size: u32) -> f32 {
    let number = (bits(state) >> (32 - size)) as f32;
    if bits(state) >> 31 == 0 { number } else { -number }
}

fn whole_point(state: &mut u64, size: u32) -> [f32; 3] {
    [(); 3].map(|()| whole(state, size))
}

fn add(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [0, 1, 2].map(|k| a[k] + b[k])
}

fn times(a: [f32; 3], by: f32) -> [f32; 3] {
    a.map(|x| x * by)
}

/// Rays and triangles of whole numbers, most of them not rounded: any, slivers, far away;
/// rays to anywhere, to the inside, exactly to vertices and to edges, nearly in the plane.
fn for_each_case(count: usize, mut each: impl FnMut(&Ray, &Corners)) {
    let mut state = 3;
    for i in 0..count {
        let size = [20, 9, 4][i % 3];
        let mut point = |size: u32| whole_point(&mut state, size).map(|x| x * 16.0);
        let away = if i / 3 % 4 == 0 { point(20) } else { [0.0; 3] };
        let mut corners = [point(size), point(size), point(size)];
        if i / 12 % 4 == 0 {
            let edge = times(add(corners[1], times(corners[0], -1.0)), 0.25);
            corners[2] = add(add(corners[0], edge), point(2));
        }
        let corners = corners.map(|corner| add(corner, away));
        let [a, b, c] = corners;
        let origin = add(point(size), away);
        let part = |u: f32, v: f32| add(times(a, 1.0 - u - v), add(times(b, u), times(c, v)));
        let target = match i / 48 % 6 {
            0 => add(point(size), away),
            1 => part(0.25, 0.5),
            2 => corners[i % 3],
            3 => [part(0.5, 0.0), part(0.5, 0.5), part(0.0, 0.25)][i % 3],
            _ => add(origin, add(b, times([a, c][i % 2], -1.0))),
        };
        let mut dir = add(target, times(origin, -1.0));
        if i / 48 % 6 == 5 {
            dir = add(dir, point(2));
        }
        each(&Ray::new(origin, dir), &corners);
    }
}

/// Asserts that the test in `f64` gives the same answer as integers, to the last bit.
fn compare(ray: &Ray, corners: &Corners) -> Option<ExactHit> {
    let numbers = |hit: &ExactHit| {
        let (u, v) = hit.barycentrics(ray, &|| *corners);
        (hit.t, u, v, hit.front)
    };
    let found = intersect_exact(ray, &|| *corners);
    let right = intersect_integers(ray, corners);
    let same = found.as_ref().map(numbers) == right.as_ref().map(numbers);
    assert!(same, "{ray:?} {corners:?}: {found:?}, not {right:?}");
    found
}

#[test]
fn answers_are_those_of_integers() {
    let (mut hits, mut misses, mut sure) = (0, 0, 0);
    for_each_case(if cfg!(miri) { 300 } else { 40_000 }, |ray, corners| {
        let found = compare(ray, corners);
        *(if found.is_some() { &mut hits } else { &mut misses }) += 1;
        sure += usize::from(found.is_some_and(|hit| hit.error > 0.0));
    });
    println!("{hits} hits, {sure} of them without integers, {misses} misses");
    assert!(cfg!(miri) || hits > 15_000 && misses > 10_000 && sure > 4_000);
}

/// Coordinates that are too far apart for integers of 128 bits.
#[test]
fn answers_are_those_of_large_integers() {
    let (mut state, mut sides) = (4, [0; 2]);
    for _ in 0..if cfg!(miri) { 50 } else { 3_000 } {
        let mut number = || {
            let shift = bits(&mut state) as i32 % 30;
            crate::test_rng::number(&mut state) * 2f32.powi(-shift)
        };
        let mut point = || [number(), number(), number()];
        let (origin, corners) = (point(), [point(), point(), point()]);
        let target = add(times(corners[0], 0.25), times(add(corners[1], corners[2]), 0.375));
        let ray = Ray::new(origin, add(target, times(origin, -1.0)));
        let Some(hit) = compare(&ray, &corners) else { continue };
        sides[usize::from(hit.front)] += 1;
    }
    println!("{sides:?}");
    assert!(cfg!(miri) || sides.iter().all(|&count| count > 500));
}

#[test]
fn what_is_not_finite_is_no_hit() {
    let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let (origin, dir) = ([0.25, 0.25, 1.0], [0.0, 0.0, -1.0]);
    let is_hit = |origin: [f32; 3], dir: [f32; 3], corners: Corners| {
        intersect_exact(&Ray::new(origin, dir), &|| corners).is_some()
    };
    assert!(is_hit(origin, dir, corners));
    for bad in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
        for k in 0..3 {
            let spoil = |mut v: [f32; 3]| {
                v[k] = bad;
                v
            };
            assert!(!is_hit(spoil(origin), dir, corners));
            assert!(!is_hit(origin, spoil(dir), corners));
            for i in 0..3 {
                let mut corners = corners;
                corners[i] = spoil(corners[i]);
                assert!(!is_hit(origin, dir, corners));
            }
        }
    }
}

/// By the formulas of the determinants, in integers of the machine.
#[test]
fn sides_are_those_of_integers() {
    let mut seen = [0; 3];
    for_each_case(if cfg!(miri) { 300 } else { 40_000 }, |ray, corners| {
        let exact = |v: [f32; 3]| v.map(|x| x as i128);
        let [a, b, c] = corners.map(exact);
        let minus = |a: [i128; 3], b: [i128; 3]| [0, 1, 2].map(|k| a[k] - b[k]);
        let (x, y) = (minus(b, a), minus(c, a));
        let side = |v: [i128; 3]| {
            let turned = |i: usize, j: usize| x[i] * y[j] - x[j] * y[i];
            (v[0] * turned(1, 2) + v[1] * turned(2, 0) + v[2] * turned(0, 1)).signum() as i32
        };
        let (dir, origin) = (exact(ray.dir.to_array()), exact(ray.origin.to_array()));
        assert_eq!(direction_side(ray, corners), side(dir), "{ray:?} {corners:?}");
        assert_eq!(origin_side(ray, corners), side(minus(origin, a)), "{ray:?} {corners:?}");
        seen[(side(dir) + 1) as usize] += 1;
    });
    println!("{seen:?}");
    assert!(cfg!(miri) || seen.iter().all(|&seen| seen > 4_000));
    let flat = [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [3.0, 3.0, 3.0]];
    let ray = Ray::new([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]);
    assert_eq!((direction_side(&ray, &flat), origin_side(&ray, &flat)), (0, 0));
    assert_eq!(side([0.0; 3], &flat), None);
}

/// Whatever the unit of length or time, random rays need no integers.
#[test]
fn error_bounds_do_not_depend_on_units() {
    let (mut state, mut hits) = (5, 0);
    while hits < if cfg!(miri) { 20 } else { 1_000 } {
        let mut point = || crate::test_rng::point(&mut state, 1.0, false);
        let (origin, dir, corners) = (point(), point(), [point(), point(), point()]);
        let hit = |length: f32, speed: f32| {
            let ray = Ray::new(times(origin, length), times(dir, speed));
            let corners = corners.map(|corner| times(corner, length));
            let side = side(ray.dir.to_array().map(f64::from), &corners);
            Some((intersect_exact(&ray, &|| corners)?, side))
        };
        let Some((first, side)) = hit(1.0, 1.0) else { continue };
        hits += 1;
        assert!(first.error > 0.0 && side.is_some(), "{origin:?} {dir:?} {corners:?}");
        for (length, speed) in [(-40.0, 0.0), (40.0, 0.0), (0.0, -40.0), (0.0, 40.0)] {
            let (length, speed) = (f32::exp2(length), f32::exp2(speed));
            let (again, its_side) = hit(length, speed).expect("the same hit");
            assert_eq!(again.error, first.error, "{length} {speed}");
            assert_eq!(again.t * speed / length, first.t, "{length} {speed}");
            assert_eq!(its_side, side, "{length} {speed}");
        }
    }
}

/// The largest coordinates are 4 of the edges, 8 of the way to the origin and 2 of the direction;
/// the determinant is 16.
#[test]
fn error_bounds_are_those_of_lemmas_1_and_2() {
    let corners = [[0.0; 3], [4.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
    let hit = |dir: [f32; 3]| intersect_exact(&Ray::new([1.0, 0.5, 8.0], dir), &|| corners);
    let hit = hit([-0.125, 0.0, -2.0]).expect("aimed at the inside");
    let determinants = 128.0 * 2f64.powi(-53) / 16.0;
    let of_whole = 2.0 * 4.0 * 4.0 * determinants;
    let of_weights = 2.0 * 4.0 * 8.0 * determinants;
    assert_eq!(hit.error, 3.0 * of_weights + 2.0 * of_whole);
}

/// The exact `t` is `1 + 2^-24`, in the middle of two numbers. No product of the normal is exact.
#[test]
fn a_time_between_two_numbers_rounds_to_even() {
    let mut state = 7;
    for _ in 0..if cfg!(miri) { 50 } else { 2_000 } {
        let mut point = || whole_point(&mut state, 18);
        let (e1, e2) = (point(), point());
        let way = whole_point(&mut state, 10);
        // Seen from the first vertex the ray begins at `(2^24 + 1) * way + e1 + e2`.
        let vertex = add(times(way, -1.0), times(add(e1, e2), -1.0));
        let corners = [vertex, add(vertex, times(e1, 3.0)), add(vertex, times(e2, 3.0))];
        let ray = Ray::new(times(way, 2f32.powi(24)), times(way, -(2f32.powi(24))));
        match intersect_exact(&ray, &|| corners) {
            Some(hit) => assert_eq!(hit.t, 1.0, "{ray:?} {corners:?}"),
            None => assert_eq!(direction_side(&ray, &corners), 0, "{ray:?} {corners:?}"),
        }
    }
}
