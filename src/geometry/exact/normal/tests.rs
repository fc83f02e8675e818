use super::*;
use crate::test_rng::climb;

fn of_numbers(numbers: &[f32; 12]) -> (Normal, [[f32; 3]; 2]) {
    let point = |i: usize| [0, 1, 2].map(|k| numbers[3 * i + k]);
    (Normal::of([point(0), point(1), point(2)]), [point(0), point(3)])
}

/// Numbers of 22 binary places: products of three fit into 128 bits.
const PLACES: f32 = (1u32 << 22) as f32;

/// The error of a height, in parts of its bound.
fn part_of_bound(numbers: &[f32; 12]) -> f64 {
    let whole = numbers.map(|x| (x * PLACES) as i128);
    let way = |i: usize| [0, 1, 2].map(|k| whole[3 * i + k] - whole[k]);
    let [a, b, c] = [way(1), way(2), way(3)];
    let minor = |i: usize, j: usize| a[i] * b[j] - a[j] * b[i];
    let exact = minor(1, 2) * c[0] + minor(2, 0) * c[1] + minor(0, 1) * c[2];
    let (normal, [from, to]) = of_numbers(numbers);
    assert_eq!(normal.sign(from, to), exact.signum() as i32, "{numbers:?}");
    let scale = f64::from(PLACES).powi(3);
    let off = ((normal.height(from, to) * scale) as i128 - exact).unsigned_abs() as f64;
    let room = ROOM * dot(normal.magnitude, difference(to, from).map(f64::abs)) * scale;
    if off == 0.0 { 0.0 } else { off / room }
}

#[test]
fn heights_are_within_their_bounds_which_are_not_much_too_large() {
    let start = [0.3, 0.7, -1.1, 1.3, 0.1, 0.9, -0.7, 1.7, 0.2, 1.9, -1.3, 0.6];
    let score = |numbers: &[f32; 12]| {
        let part = part_of_bound(&numbers.map(|x| (x.clamp(-2.0, 2.0) * PLACES).round() / PLACES));
        assert!(part <= 1.0, "{numbers:?}");
        Some(part)
    };
    let (best, numbers) = climb(&[start; 4], if cfg!(miri) { 50 } else { 20_000 }, score);
    println!("{best} of the bound at {numbers:?}");
    assert!(cfg!(miri) || best > 0.05, "{best}");
}

#[test]
fn signs_of_the_largest_and_the_smallest_numbers_are_known() {
    let [most, least] = [f32::MAX, f32::from_bits(1)];
    for unit in [most, least] {
        let normal = Normal::of([[-unit, 0.0, 0.0], [0.0, unit, 0.0], [0.0, 0.0, unit]]);
        let [above, on, below] = [[0.0; 3], [unit, unit, unit], [0.0, unit, unit]];
        let from = [-unit, 0.0, 0.0];
        assert_eq!([below, on, above].map(|point| normal.sign(from, point)), [-1, 0, 1]);
        assert_eq!(normal.sign([0.0, unit, 0.0], [0.0, 0.0, unit]), 0);
    }
    let flat = Normal::of([[0.1; 3], [0.2; 3], [0.7; 3]]);
    assert_eq!(flat.sign([0.0; 3], [1.0, 2.0, 3.0]), flat.exact_sign([0.0; 3], [1.0, 2.0, 3.0]));
}
