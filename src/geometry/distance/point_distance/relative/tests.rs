//! Lemma 114 against inputs that need it, and its decisions against integers.

use num_bigint::BigInt;
use num_rational::BigRational;

use super::*;
use crate::array::Each;
use crate::geometry::exact::SquaredDistance;
use crate::test_rng::{bits, climb, number};

fn exact(x: f64) -> BigRational {
    BigRational::from_float(x).expect("finite")
}

fn to_f64(x: &BigRational) -> f64 {
    use num_bigint::Sign;
    // Enough bits of a quotient that is not small.
    let shift = 1u32 << 9;
    let scaled = (x.numer() << shift) / x.denom();
    let (sign, digits) = scaled.to_u64_digits();
    let whole = digits.iter().rev().fold(0.0, |sum, &word| sum * 2f64.powi(64) + word as f64);
    let whole = whole * 2f64.powi(-(shift as i32));
    if sign == Sign::Minus { -whole } else { whole }
}

#[test]
fn differences_are_off_by_no_more_than_the_bound_and_a_fifth_is_needed() {
    let score = |numbers: &[f32; 9]| {
        if numbers.iter().any(|x| !(1e-3..1e6).contains(&x.abs())) {
            return None;
        }
        let part = |i: usize| [0, 1, 2].map(|k| f64::from(numbers[i + k]));
        // Coordinates in `f64`, of which the last bits count too.
        let [point, x, y] = [part(0), part(3).map(|x| x / 3.0), part(6).map(|x| x / 7.0)];
        let Sum { value, error } = rounded_difference(point, [x, y]);
        let mut sum = BigRational::from_integer(BigInt::from(0));
        for k in 0..3 {
            let [p, x, y] = [point[k], x[k], y[k]].map(exact);
            sum += (&x - &y) * (&x + &y - &p - &p);
        }
        Some(to_f64(&(exact(value) - sum)).abs() / error)
    };
    let state = &mut 1;
    let starts: Vec<[f32; 9]> = (0..6)
        .map(|i| {
            let mut start = [0f32; 9].map(|_| number(state) + 0.01);
            start[..3].iter_mut().for_each(|x| *x *= [1.0, 1e2, 1e5][i % 3]);
            start
        })
        .collect();
    let (worst, numbers) = climb(&starts, if cfg!(miri) { 20 } else { 1_500 }, score);
    println!("{worst} of the bound at {numbers:?}");
    assert!(worst <= 1.0, "{worst} {numbers:?}");
    assert!(cfg!(miri) || worst > 0.2, "{worst}");
}

/// Triangles that share corners, edges and planes, as seen from near and far.
fn case(state: &mut u64, i: usize) -> ([f32; 3], [Corners; 2]) {
    let is_whole = i.is_multiple_of(2);
    let mut corner = || {
        [0; 3].map(|_| {
            let x = 4.0 * number(state);
            if is_whole { x.round() } else { x }
        })
    };
    let (mut one, mut other) = ([corner(), corner(), corner()], [corner(), corner(), corner()]);
    match i / 2 % 6 {
        0 => other[0] = one[1],
        1 => (other[0], other[2]) = (one[1], one[0]),
        2 => {
            // On one floor.
            one.iter_mut().for_each(|corner| corner[1] = 3.3);
            other.iter_mut().for_each(|corner| corner[1] = 3.3);
        }
        3 => other = [one[2], one[1], one[0]],
        _ => {}
    }
    let far = 10f32.powi((bits(state) % 36) as i32);
    let point = match bits(state) % 4 {
        0 => [1.0, far, 2.0],
        1 => [far, far, -far],
        2 => [3.0 * far, 4.0 * far, 0.0],
        _ => [0; 3].map(|_| far * number(state)),
    };
    (point, [one, other])
}

#[test]
fn what_is_told_is_right_and_from_far_away_nearly_all_is() {
    let (state, mut doubts, mut told) = (&mut 3, 0, 0);
    for i in 0..if cfg!(miri) { 10 } else { 2_000 } {
        let (point, [one, other]) = case(state, i);
        let [near, next] = [&one, &other].map(|corners| PointDistance::new(point, corners));
        let exact = [&one, &other].map(|corners| SquaredDistance::new(point, corners));
        let order = near.cmp_by_difference(&one, (&next, &other), point);
        if let Some(order) = order {
            assert_eq!(order, exact[0].cmp(&exact[1]), "{point:?} {one:?} {other:?}");
            told += 1;
        }
        doubts += usize::from(order.is_none());

        // The references that a walk makes of them.
        let at = ReferencePoint::new(&near, point, &one);
        let of_other = ReferencePoint::new(&next, point, &other);
        let from = point.each(f64::from);
        if at.is_nearer_than_triangle(from, (&of_other, &other)) {
            assert_eq!(exact[0].cmp(&exact[1]), Ordering::Less, "{point:?} {one:?} {other:?}");
        }
        let corner = other[i % 3];
        if at.is_nearer_than(from, corner.each(f64::from)) {
            let corner = SquaredDistance::new(point, &[corner; 3]);
            assert_eq!(exact[0].cmp(&corner), Ordering::Less, "{point:?} {one:?} {other:?}");
        }
    }
    println!("{told} told, {doubts} left in doubt");
    assert!(cfg!(miri) || told > 3 * doubts);
}

#[test]
fn limits_are_compared_right() {
    let (state, mut doubts, mut told) = (&mut 4, 0, 0);
    for i in 0..if cfg!(miri) { 10 } else { 2_000 } {
        let (point, [corners, _]) = case(state, i);
        let near = PointDistance::new(point, &corners);
        let about = near.distance as f32;
        let limit = [about, about.next_up(), about.next_down()][i % 3];
        let exact = SquaredDistance::new(point, &corners).cmp_mean(limit, limit);
        match near.cmp_with_limit(limit, point, &corners) {
            Some(order) => {
                assert_eq!(order, exact, "{point:?} {corners:?} {limit}");
                told += 1;
            }
            None => doubts += 1,
        }
    }
    println!("{told} told, {doubts} left in doubt");
    assert!(cfg!(miri) || told > 3 * doubts);
}

/// Hills with a flat square in the middle, 96 units wide; turned if asked.
fn level(is_turned: bool) -> Vec<Corners> {
    let turn = glam::Quat::from_rotation_x(if is_turned { 0.7 } else { 0.0 });
    let at = |x: usize, z: usize| {
        let [x, z] = [x, z].map(|i| 6.0 * (i as f32 - 8.0));
        let is_flat = x.abs() < 20.0 && z.abs() < 20.0;
        let y = if is_flat { 4.0 } else { (x * 0.31).sin() + (z * 0.17).cos() };
        (turn * glam::Vec3::new(x, y, z)).to_array()
    };
    let mut level = Vec::new();
    for (x, z) in (0..16).flat_map(|x| (0..16).map(move |z| (x, z))) {
        let [a, b, c, d] = [at(x, z), at(x + 1, z), at(x, z + 1), at(x + 1, z + 1)];
        level.extend([[a, c, b], [b, c, d]]);
    }
    level
}

/// All but those that are exactly as far as the nearest.
#[test]
fn from_far_away_hardly_any_triangle_of_a_level_stays_in_doubt() {
    let state = &mut 5;
    let mut doubts = 0;
    for is_turned in [false, true] {
        let level = level(is_turned);
        for i in 0..if cfg!(miri) { 2 } else { 39 * 20 } {
            let far = 10f32.powi(i % 39);
            let sign = |k: i32| if (i / 39) >> k & 1 == 0 { far } else { -far };
            let mut point = [sign(0), sign(1), sign(2)];
            let axis = (i % 3) as usize;
            match i / 39 % 5 {
                0 => point[axis] = 0.0,
                1 => (point[axis], point[(axis + 1) % 3]) = (2.0, 0.0),
                2 => point = [0; 3].map(|_| far * number(state)),
                3 => point[axis] *= 0.5,
                _ => {}
            }
            let near: Vec<_> = level.iter().map(|each| PointDistance::new(point, each)).collect();
            let order =
                |n: usize, best: usize| near[n].cmp(&level[n], (&near[best], &level[best]), point);
            let best = (1..level.len())
                .fold(0, |best, n| if order(n, best) == Ordering::Less { n } else { best });
            let (reference, from) =
                (ReferencePoint::new(&near[best], point, &level[best]), point.each(f64::from));
            let in_doubt = (0..level.len()).filter(|&n| {
                let other = ReferencePoint::new(&near[n], point, &level[n]);
                let is_farther = reference.is_nearer_than_triangle(from, (&other, &level[n]));
                !is_farther && order(n, best) != Ordering::Equal
            });
            let count = in_doubt.count();
            assert!(count < 8, "{count} {point:?}");
            doubts += count;
        }
    }
    println!("{doubts} in doubt");
    assert!(doubts < 40);
}
