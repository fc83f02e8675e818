use super::*;
use crate::test_rng::point;

/// What is clear is right, at all times and above all where shapes just touch.
#[test]
fn what_is_clear_is_exact() {
    let mut state = 7;
    let (mut near, mut apart, mut unclear) = (0, 0, 0);
    for i in 0..if cfg!(miri) { 8 } else { 480 } {
        let size = [1.0, 1e-30, 1e30, 1e3][i % 4];
        let grid = i / 4 % 3 == 0;
        let mut point = |size: f32| point(&mut state, size, grid);
        let (a, mut b) = (point(size), point(size));
        let motion = point([size, size * 100.0, size * 1e-3][i / 12 % 3]);
        let mut corners = [point(size), point(size), point(size)];
        match i / 36 % 5 {
            0 => corners[2] = corners[0],
            1 => corners[2] = [0, 1, 2].map(|k| corners[0][k] * 0.3 + corners[1][k] * 0.7),
            _ => {}
        }
        if i % 2 == 0 {
            b = a;
        }
        let segment = [a, b];
        let touches = |radius: f32| {
            near_moving_segment::<Int1728>(&segment, motion, radius, &corners) == Some(true)
        };
        let [mut low, mut high] = [0.0f32, 20.0 * size];
        for _ in 0..40 {
            let middle = low * 0.5 + high * 0.5;
            if touches(middle) { high = middle } else { low = middle }
        }
        for radius in [0.0, low, high, low * 0.999, high * 1.001, size * 0.3, size * 2.0] {
            let exact = touches(radius);
            let context = format!("{segment:?} {motion:?} {radius} {corners:?}");
            if let Some(sure) = near_moving_segment::<Approx>(&segment, motion, radius, &corners) {
                assert_eq!(sure, exact, "{context}");
            }
            let moving = Moving::new(&segment, radius, motion, &corners);
            match moving.first_touch(1.0) {
                None => {
                    assert!(!exact, "{context}");
                    apart += 1;
                }
                Some(found) if moving.is_clear(&found) => {
                    assert!(exact, "{context}");
                    near += 1;
                }
                Some(_) => unclear += 1,
            }
        }
    }
    println!("{near} near, {apart} apart, {unclear} unclear");
    assert!(cfg!(miri) || (near > 400 && apart > 400), "{near} {apart} {unclear}");
}

/// Steps along tangents come to an end.
#[test]
fn the_shape_at_the_time_that_is_found_is_neither_deep_nor_far() {
    let (mut state, mut found, mut worst) = (3, 0, 0.0f64);
    for i in 0..if cfg!(miri) { 50 } else { 20_000 } {
        let mut point = |size: f32| point(&mut state, size, false);
        let a = point(1.0);
        let b = if i % 3 == 0 { a } else { point(1.0) };
        let (motion, corners) = (point(4.0), [point(1.0), point(1.0), point(1.0)]);
        let radius = [0.1, 0.5, 1e-3, 0.0][i % 4];
        let moving = Moving::new(&[a, b], radius, motion, &corners);
        if let Some(touch) = moving.first_touch(1.0)
            && touch.at > 0.0
        {
            let pair = nearest_pair(moving.to, &moving.corners_at(touch.at));
            worst = worst.max((pair.distance() - f64::from(radius)).abs());
            found += 1;
        }
    }
    println!("{found} contacts, off by {worst:e} at most");
    assert!(cfg!(miri) || found > 2_000);
    assert!(worst < 1e-12, "{worst:e}");
}

/// Of triangles that share a vertex or an edge with one that is touched, in all positions.
#[test]
fn what_is_unwanted_does_not_come_first() {
    let mut state = 11;
    let (mut later, mut beside, mut kept, mut equal) = (0, 0, 0, 0);
    for i in 0..if cfg!(miri) { 40 } else { 60_000 } {
        let size = [1.0f32, 1e-30, 1e30, 1e3][i % 4];
        let mut point = |size: f32| point(&mut state, size, i / 4 % 4 == 0);
        let (a, b) = (point(size), point(size * [1.0, 1e-2][i / 16 % 2]));
        let mut segment = [a, [0, 1, 2].map(|k| a[k] + b[k])];
        if i / 32 % 3 == 0 {
            segment[1] = segment[0];
        }
        let mut motion = point([4.0, 40.0, 0.5][i / 96 % 3] * size);
        let mut one = [point(size), point(size), point(size)];
        let mut other = [one[0], one[1], point(size)];
        if i / 288 % 2 == 0 {
            other[1] = point(size);
        }
        // Nearly or quite in one plane, or in the plane that the shape comes to.
        let flat = [1.0, 1e-2, 1e-4, 0.0][i / 576 % 4];
        for corner in one.iter_mut().chain(&mut other) {
            corner[2] *= flat;
        }
        if i / 5 % 4 != 0 {
            motion = [0, 1, 2].map(|k| 1.2 * (one[i % 3][k] - a[k]));
        }
        let radius = size * [0.3, 0.02, 1e-4, 0.0][i / 7 % 4];
        let touch_of = |corners, wanted: &Wanted| touch(&segment, radius, motion, corners, wanted);
        let all = Wanted::until(1.0);
        let Some(first) = touch_of(&one, &all).filter(|first| first.t > 0.0) else { continue };
        let wanted = Wanted {
            until: first.t,
            until_beside: first.t.next_down(),
            ahead: scale(first.way.direction, -1.0),
        };
        let context = format!("{segment:?} {radius} {motion:?} {one:?} {other:?}");
        let second = touch_of(&other, &all);
        let rank = second.map(|touch| touch.way.rank(touch.t, each(motion, f64::from), &other));
        match (rank, touch_of(&other, &wanted)) {
            (Some(rank), Some(touch)) => {
                assert!(touch.t == rank.t && touch.t <= first.t, "{context}");
                kept += 1;
                equal += usize::from(touch.t == first.t);
            }
            (Some(rank), None) if rank.t == first.t => {
                assert!(rank.is_beside, "{context}");
                beside += 1;
            }
            (Some(rank), None) => {
                assert!(rank.t > first.t, "{context}");
                later += 1;
            }
            (None, touch) => assert!(touch.is_none(), "{context}"),
        }
    }
    println!("{later} later, {beside} beside, {kept} kept, {equal} of them at the same time");
    assert!(cfg!(miri) || (later > 500 && beside > 150 && kept > 500));
}

/// Shapes that pass a vertex at less than what roundings of `f64` might be: only integers can tell.
#[test]
fn what_passes_by_within_the_roundings_does_not_touch() {
    for off in [0.0f32, 1.0, -1.0, 2.0, 3.0, 5.0, 8.0].map(|off| off / (1u32 << 24) as f32) {
        for height in [0.0, 2.0] {
            for far in [0.5f32, 4.0] {
                let segment = [[0.0; 3], [0.0, 0.0, height]];
                let corners = [[1.0, off, far], [3.0, 1.0, far], [3.0, -2.0, far]];
                let motion = [0.0, 0.0, 10.0];
                let touch = touch(&segment, 1.0, motion, &corners, &Wanted::until(1.0));
                assert_eq!(touch.is_some(), off == 0.0, "{off:e} {height} {far}");
            }
        }
    }
}
