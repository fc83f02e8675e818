use super::*;
use crate::test_rng::{bits, number};

type Plane64 = (Vec3F64, f64);

/// In `f64`, as `slide` takes them.
fn in_f64(planes: &[SlidePlane]) -> Vec<Plane64> {
    planes.iter().map(|plane| (unit(to_f64(plane.normal)), f64::from(plane.room))).collect()
}

/// The deepest that a motion is in any plane.
fn depth(motion: Vec3F64, planes: &[Plane64]) -> f64 {
    planes.iter().map(|(normal, room)| -room - dot(*normal, motion)).fold(0.0, f64::max)
}

/// The shortest change of `wanted` that meets some planes, by elimination in the equations of its
/// multipliers.
fn on_planes(wanted: Vec3F64, planes: &[Plane64]) -> Option<Vec3F64> {
    let n = planes.len();
    let mut rows: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let (normal, room) = planes[i];
            let mut row: Vec<f64> = planes.iter().map(|(other, _)| dot(normal, *other)).collect();
            row.push(-room - dot(normal, wanted));
            row
        })
        .collect();
    for i in 0..n {
        let pivot = (i..n).max_by(|&a, &b| rows[a][i].abs().total_cmp(&rows[b][i].abs()))?;
        rows.swap(i, pivot);
        if rows[i][i].abs() < 1e-15 {
            return None;
        }
        for k in (0..n).filter(|&k| k != i) {
            let factor = rows[k][i] / rows[i][i];
            for column in 0..=n {
                rows[k][column] -= factor * rows[i][column];
            }
        }
    }
    let mut at = wanted;
    for i in 0..n {
        let force = rows[i][n] / rows[i][i];
        at = [0, 1, 2].map(|k| at[k] + planes[i].0[k] * force);
    }
    Some(at)
}

/// The answer, by all sets of up to three planes: `None` if no motion is within all planes.
fn brute_force(wanted: Vec3F64, planes: &[Plane64]) -> Option<Vec3F64> {
    let n = planes.len();
    let mut best: Option<Vec3F64> = None;
    let mut consider = |chosen: &[usize]| {
        let chosen: Vec<_> = chosen.iter().map(|&i| planes[i]).collect();
        let Some(at) = on_planes(wanted, &chosen) else { return };
        let distance = |at: Vec3F64| length(sub(at, wanted));
        let size = 1.0 + length(at) + length(wanted);
        if depth(at, planes) < 1e-9 * size && best.is_none_or(|best| distance(at) < distance(best))
        {
            best = Some(at);
        }
    };
    consider(&[]);
    for i in 0..n {
        consider(&[i]);
        for j in 0..i {
            consider(&[i, j]);
            for k in 0..j {
                consider(&[i, j, k]);
            }
        }
    }
    best
}

/// Up to twelve planes: in any direction, along axes, doubled, opposite, through a line. If they
/// are noisy, also nearly the same, nearly opposite, nearly through a line.
fn random_planes(state: &mut u64, is_noisy: bool) -> Vec<SlidePlane> {
    let count = below(state, 13);
    let pushes = below(state, 3);
    let mut planes: Vec<SlidePlane> = Vec::new();
    let (one, other) = (direction(state), direction(state));
    for _ in 0..count {
        let old = (!planes.is_empty()).then(|| planes[below(state, planes.len())]);
        let mut axis = Vec3::ZERO;
        axis[below(state, 3)] = if below(state, 2) == 0 { 1.0 } else { -1.0 };
        let normal = match (below(state, 8), old) {
            (0, _) => axis,
            (1, Some(old)) => old.normal,
            (2, Some(old)) => -old.normal,
            (3, Some(old)) if is_noisy => old.normal + direction(state) * 1e-6,
            // In the plane of two: all such planes hold a common line.
            (4, _) if is_noisy => one * range(state, -1.0, 1.0) + other * range(state, -1.0, 1.0),
            (3 | 4, _) => Vec3::new(1.0, below(state, 5) as f32 - 2.0, 0.0),
            // Mostly up, as under a character.
            (5, _) => direction(state) + Vec3::Y,
            _ => direction(state),
        };
        let room = match pushes {
            0 => range(state, 0.0, 1.0),
            1 => range(state, -0.2, 1.0),
            _ => [0.0, 0.0, 0.5, -0.25][below(state, 4)],
        };
        let room = if below(state, 4) == 0 { old.map_or(room, |old| old.room) } else { room };
        planes.push(SlidePlane::new(normal, room));
    }
    planes
}

/// A whole number from 0 to `end - 1`.
fn below(state: &mut u64, end: usize) -> usize {
    bits(state) as usize % end
}

fn range(state: &mut u64, low: f32, high: f32) -> f32 {
    low + (high - low) * (0.5 + 0.5 * number(state))
}

fn direction(state: &mut u64) -> Vec3 {
    loop {
        let v = Vec3::new(number(state), number(state), number(state));
        if (0.01..=1.0).contains(&v.length_squared()) {
            return v.normalize();
        }
    }
}

#[test]
fn the_answer_is_the_closest_motion_within_all_planes() {
    let state = &mut 1;
    let (mut free, mut slid, mut other) = (0, 0, 0);
    for i in 0..100_000 {
        let is_noisy = i % 2 == 0;
        let planes = random_planes(state, is_noisy);
        let wanted = direction(state) * [0.0, 0.1, 1.0, 5.0][i / 2 % 4];
        let found = to_f64(slide(wanted, &planes));
        let (wanted, mut all) = (to_f64(wanted), in_f64(&planes));
        let context = format!("{wanted:?} {planes:?}: {found:?}");
        assert!(found.iter().all(|x| x.is_finite()), "{context}");
        let push = planes.iter().map(|plane| -f64::from(plane.room)).fold(0.0, f64::max);
        // Between planes that are nearly opposite the exact answer is a matter of roundings. What
        // is within all planes by more than these is not closer.
        if is_noisy {
            all.iter_mut().for_each(|plane| plane.1 -= 1e-6);
        }
        let expected = brute_force(wanted, &all)
            .filter(|expected| length(sub(*expected, wanted)) <= length(wanted) + 63.0 * push);
        let Some(expected) = expected else {
            other += 1;
            continue;
        };
        let size = 1e-6 * (length(wanted) + length(expected) + push);
        assert!(depth(found, &in_f64(&planes)) <= size, "{context}");
        let [is, best] = [found, expected].map(|at| length(sub(at, wanted)));
        assert!(is <= best + size, "{context}, not {expected:?}");
        if !is_noisy {
            assert!(length(sub(found, expected)) <= 2.0 * size, "{context}, not {expected:?}");
        }
        if best == 0.0 { free += 1 } else { slid += 1 }
    }
    println!("{free} free, {slid} slid, {other} contradictory or too narrow");
    assert!(free > 5_000 && slid > 30_000 && other > 5_000);
}

#[test]
fn the_order_of_the_planes_does_not_matter() {
    let state = &mut 2;
    for i in 0..20_000 {
        let mut planes = random_planes(state, true);
        let wanted = direction(state) * [0.0, 0.1, 1.0, 5.0][i % 4];
        let found = slide(wanted, &planes);
        for _ in 0..3 {
            for k in (1..planes.len()).rev() {
                planes.swap(k, below(state, k + 1));
            }
            let again = slide(wanted, &planes);
            let size = wanted.length() + found.length() + 0.5;
            assert!((again - found).length() < 1e-5 * size, "{wanted} {planes:?}: {found} {again}");
        }
    }
}

#[test]
fn pushes_that_contradict_each_other_are_balanced() {
    let state = &mut 3;
    let mut count = 0;
    for _ in 0..20_000 {
        let mut planes = random_planes(state, false);
        let push = 0.01 + range(state, 0.0, 1.0);
        let normal = direction(state);
        planes.push(SlidePlane::new(normal, -push));
        planes.push(SlidePlane::new(-normal, -push * range(state, 0.0, 1.0)));
        let all = in_f64(&planes);
        let balanced = to_f64(slide(Vec3::ZERO, &planes));
        // No step makes it better: the price is convex.
        let price = |at: Vec3F64| dot(at, at) + (64.0 * depth(at, &all)).powi(2);
        let (here, size) = (price(balanced), 1e-6 * (1.0 + length(balanced)).powi(2) * 4096.0);
        for _ in 0..30 {
            let step = to_f64(direction(state) * [0.1, 0.01, 0.001][below(state, 3)]);
            let there = price([0, 1, 2].map(|k| balanced[k] + step[k]));
            assert!(there >= here - size, "{planes:?}: {balanced:?} {here} {there}");
        }
        // A motion goes no deeper into any plane.
        let moved = to_f64(slide(direction(state) * 3.0, &planes));
        for (normal, room) in &all {
            let [before, after] = [balanced, moved].map(|at| -room - dot(*normal, at));
            assert!(after <= before.max(0.0) + 1e-4, "{planes:?}: {balanced:?} {moved:?}");
        }
        count += 1;
    }
    assert_eq!(count, 20_000);
}

#[test]
fn walls_that_meet_at_any_angle_give_a_bounded_answer() {
    for angle in [1.0f32, 0.5, 0.1, 0.04, 0.03, 1e-2, 1e-3, 1e-5, 1e-7, 0.0] {
        let (sin, cos) = (angle * 0.5).sin_cos();
        let walls = [Vec3::new(cos, sin, 0.0), Vec3::new(-cos, sin, 0.0)];
        let planes = walls.map(|normal| SlidePlane::new(normal, -0.1));
        let out = slide(Vec3::ZERO, &planes);
        assert!(out.length() <= 6.5 && out.x.abs() < 1e-6 && out.y >= 0.0, "{angle}: {out}");
        if angle > 0.035 {
            assert!((out.y - 0.1 / sin).abs() < 1e-5, "{angle}: {out}");
        }
        // With nothing to get out of, a narrow angle is a corner as any other.
        let planes = walls.map(|normal| SlidePlane::new(normal, 0.0));
        let stopped = slide([0.0, -1.0, 2.0], &planes);
        let expected = if sin > 0.0 { 0.0 } else { -1.0 };
        assert!((stopped - Vec3::new(0.0, expected, 2.0)).length() < 1e-5, "{angle}: {stopped}");
    }
}

#[test]
fn what_is_not_finite_is_left_out() {
    let floor = SlidePlane::new(Vec3::Y, 0.0);
    let down = Vec3::new(1.0, -1.0, 0.0);
    for (normal, room) in [
        (Vec3::ZERO, -1.0),
        (Vec3::NAN, -1.0),
        (Vec3::INFINITY, -1.0),
        (Vec3::X, f32::NAN),
        (Vec3::X, f32::INFINITY),
        (Vec3::X, f32::NEG_INFINITY),
    ] {
        let planes = [SlidePlane::new(normal, room), floor];
        assert_eq!(slide(down, &planes), Vec3::X, "{normal} {room}");
    }
    for motion in [Vec3::NAN, Vec3::INFINITY, Vec3::new(0.0, f32::NAN, 1.0)] {
        assert_eq!(slide(motion, &[floor]), Vec3::ZERO);
    }
    assert_eq!(slide(down, &[]), down);
}

#[test]
fn no_size_is_too_large_or_too_small() {
    for size in [f32::from_bits(1 << 10), 1e-30, 1.0, 1e30, f32::MAX] {
        let planes = [SlidePlane::new(Vec3::X * size, -size), SlidePlane::new(Vec3::Y, 0.0)];
        let found = slide([0.0, -size, size], &planes);
        assert_eq!(found, Vec3::new(size, 0.0, size));
        let closed = [SlidePlane::new(Vec3::X, -size), SlidePlane::new(Vec3::NEG_X, -size)];
        let found = slide([0.0, -size, size], &closed);
        let expected = Vec3::new(0.0, -size, size);
        assert!((found / size - expected / size).length() < 1e-6, "{size}: {found}");
    }
}
