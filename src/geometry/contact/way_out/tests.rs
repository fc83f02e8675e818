use super::*;
use crate::test_rng::{bits, climb, number, point};

/// The ends of a segment and three corners.
fn parts(numbers: &[f32; 15]) -> (Segment, Corners) {
    let point = |i: usize| [0, 1, 2].map(|k| numbers[3 * i + k]);
    ([point(0), point(1)], [point(2), point(3), point(4)])
}

/// What a way in `f64` is off by on an axis, in parts of the bound of Lemma 112.
fn part_of_bound(numbers: &[f32; 15], number: usize) -> Option<f64> {
    let (segment, corners) = parts(numbers);
    let OnAxis { up, down, off, .. } =
        Crossing::new(&segment, 0.0, [0.0; 3], &corners).on_axis(number);
    let edge = |i: usize| difference::<Double>(corners[(i + 1) % 3], corners[i]);
    let to = difference(segment[1], segment[0]);
    let normal =
        if number == 0 { cross(&edge(0), &edge(1)) } else { cross(&to, &edge(number - 1)) };
    let length = vec3_f64::dot(value(&normal), value(&normal)).sqrt();
    let heights = |of: [f32; 3]| dot(&normal, &difference(of, segment[0]));
    let ([a, b, c], end) = (corners.map(heights), dot(&normal, &to));
    let exact_up = a.max(&b).max(&c).sub(&end.min(&Double::ZERO)).value() / length;
    let exact_down = end.max(&Double::ZERO).sub(&a.min(&b).min(&c)).value() / length;
    let part = (up - exact_up).abs().max((down - exact_down).abs()) / off;
    // Nothing is claimed where the bound is no part of the way.
    let is_clear = off.is_finite() && off < 1.0 / 64.0 * (up.abs() + down.abs());
    is_clear.then_some(part)
}

#[test]
fn ways_are_off_by_no_more_than_their_bound() {
    let needle =
        [0.1, -0.7, 0.2, -0.1, 0.8, 0.1, -1.0, -0.4, 0.3, 1.1, 0.2, -0.3, 1.1, 0.2001, -0.3001];
    let plain = [0.2, -1.0, 0.1, -0.1, 0.9, 0.2, 0.9, 0.1, 0.8, -0.9, 0.2, 0.7, 0.1, -0.1, -1.1];
    let far = plain.map(|x| x + 1e5);
    for axis in 0..4 {
        let steps = if cfg!(miri) { 50 } else { 20_000 };
        let (best, numbers) = climb(&[needle, plain, far], steps, |x| part_of_bound(x, axis));
        println!("{axis}: {best} of the bound at {numbers:?}");
        assert!(best <= 1.0 && (cfg!(miri) || best > 0.01), "{best}");
    }
}

/// A segment through the inside of a triangle, or nearly so.
fn crossing(state: &mut u64, i: usize) -> (Segment, Corners) {
    let size = [1.0, 1e-3, 1e6, 1e-30, 1e30][i % 5];
    let mut next = |size: f32| point(state, size, (i / 5).is_multiple_of(4));
    let (a, b, off, way) = (next(size), next(size), next(size), next(size));
    let width = f32::exp2(-((i / 20 % 22) as f32));
    let c = [0, 1, 2].map(|k| b[k] + (off[k] - b[k]) * width);
    let (u, v) = (number(state).abs() * 0.5, number(state).abs() * 0.5);
    let at = [0, 1, 2].map(|k| a[k] + (b[k] - a[k]) * u + (c[k] - a[k]) * v);
    ([[0, 1, 2].map(|k| at[k] - way[k] * 0.5), [0, 1, 2].map(|k| at[k] + way[k])], [a, b, c])
}

/// A clear answer in `f64` is the answer with twice the digits, and most answers but for needles
/// are clear.
#[test]
fn ways_are_right_or_in_doubt() {
    let (mut state, mut clear, mut unclear) = (7, [0; 2], [0; 2]);
    for i in 0..if cfg!(miri) { 100 } else { 20_000 } {
        let (segment, corners) = crossing(&mut state, i);
        let radius = f64::from(number(&mut state).abs()) * f64::from(corners[0][0].abs());
        let radius = [radius, 0.0, radius * 1e3][bits(&mut state) as usize % 3];
        let is_needle = usize::from(i / 20 % 22 > 8);
        match Crossing::new(&segment, radius, [0.0; 3], &corners).quick() {
            None => unclear[is_needle] += 1,
            Some(found) => {
                let expected = precise_way_out(&segment, radius, [0.0; 3], &corners);
                let off = (found.depth - expected.depth).abs();
                assert!(off <= 2.0 * CLEAR * expected.depth, "{segment:?} {corners:?} {radius}");
                clear[is_needle] += 1;
            }
        }
    }
    println!("{clear:?} clear, {unclear:?} unclear");
    assert!(cfg!(miri) || (clear[0] > 3_000 && clear[0] > 2 * unclear[0] && clear[1] > 1_000));
}

/// All on a line, or in a point: there is a way across, against the motion if that is possible.
#[test]
fn what_is_on_a_line_is_left_across_it() {
    let way = |segment: &Segment, corners: &Corners, motion| {
        let Way { depth, direction } = way_out(segment, 0.5, motion, corners);
        (depth, unit(direction))
    };
    let at = |x: f32| [x, 0.0, 0.0];
    let line = [at(0.0), at(4.0), at(2.0)];
    assert_eq!(way(&[at(1.0), at(9.0)], &line, [0.0, 0.0, -1.0]), (0.5, [0.0, 0.0, 1.0]));
    assert_eq!(way(&[at(1.0), at(9.0)], &line, [3.0, 0.0, 0.0]), (0.5, [0.0, 1.0, 0.0]));
    assert_eq!(way(&[at(1.0); 2], &[at(1.0); 3], [0.0, -2.0, 0.0]), (0.5, [0.0, 1.0, 0.0]));
    assert_eq!(way(&[at(1.0); 2], &[at(1.0); 3], [0.0; 3]), (0.5, [0.0, 1.0, 0.0]));
    // Beyond its end, and beside it.
    assert_eq!(way(&[at(4.25), at(9.0)], &line, [0.0; 3]), (0.25, [1.0, 0.0, 0.0]));
    let beside = [[1.0, 0.0, -0.25], [9.0, 0.0, -0.25]];
    assert_eq!(way(&beside, &line, [0.0; 3]), (0.25, [0.0, 0.0, -1.0]));
}

/// A segment in the plane of a triangle, and one along an edge.
#[test]
fn what_is_in_a_plane_is_left_across_it() {
    let corners = [[0.0, 2.0, 0.0], [0.0, 2.0, 4.0], [4.0, 2.0, 0.0]];
    for segment in [
        [[-9.0, 2.0, 1.0], [9.0, 2.0, 1.5]],
        [[0.0, 2.0, 1.0], [0.0, 2.0, 9.0]],
        [[1.0, 2.0, 1.0]; 2],
    ] {
        for motion in [[0.0; 3], [0.0, -1.0, 0.0], [1.0, 1.0, 0.0]] {
            let Way { depth, direction } = way_out(&segment, 0.5, motion, &corners);
            let up = if motion[1] > 0.0 { -1.0 } else { 1.0 };
            assert_eq!((depth, unit(direction)), (0.5, [0.0, up, 0.0]), "{segment:?} {motion:?}");
        }
    }
}
