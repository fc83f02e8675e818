//! Lemma 115 against fractions of integers.

use num_rational::BigRational;

use super::*;
use crate::test_rng::{bits, number};

fn exact(x: f64) -> BigRational {
    BigRational::from_float(x).expect("finite")
}

/// Of any exponent that coordinates may have, with more bits than a `f32`.
fn factor(state: &mut u64) -> f64 {
    let exponent = match bits(state) % 3 {
        0 => 0,
        1 => (bits(state) % 8) as i32,
        _ => (bits(state) % 270) as i32 - 145,
    };
    f64::from(number(state)) * 2f64.powi(exponent) / [1.0, 3.0][(bits(state) % 2) as usize]
}

#[test]
fn sums_lose_no_bit_and_values_are_off_by_no_more_than_the_bound() {
    let (state, mut worst) = (&mut 1, 0f64);
    for round in 0..if cfg!(miri) { 20 } else { 4_000 } {
        let (mut sum, mut rational) = (ExactSum::new(), exact(0.0));
        for _ in 0..1 + round % 3 {
            let [a, b, c, d] = [0; 4].map(|_| factor(state));
            sum.add_product(two_sum(a, b), two_sum(c, d));
            rational += (exact(a) + exact(b)) * (exact(c) + exact(d));
            // Most of it cancels.
            for _ in 0..round % 4 {
                let value = sum.value();
                sum.add(-value);
                rational -= exact(value);
            }
        }
        let parts = sum.parts[..sum.count].iter();
        assert_eq!(parts.fold(exact(0.0), |sum, &part| sum + exact(part)), rational);
        let value = sum.value();
        assert_eq!(value == 0.0, rational == exact(0.0));
        if value != 0.0 {
            let error = (exact(value) - &rational) / exact(value);
            let error = error * exact(2f64.powi(70));
            // In parts of 2^-70, as an integer.
            let parts: f64 = error.to_integer().to_string().parse().expect("a number");
            worst = worst.max(parts.abs() * 2f64.powi(-20));
        }
    }
    println!("{worst} of the bound");
    assert!(worst < 1.0, "{worst}");
    assert!(cfg!(miri) || worst > 0.1, "{worst}");
}

/// What differs is `2^-200` of the products.
#[test]
fn what_is_left_when_all_else_cancels_is_there() {
    let mut sum = ExactSum::new();
    let far = 3e38;
    sum.add_product(far, two_sum(1.0, 1e-40));
    sum.add_product(-far, 1.0);
    sum.add_product(1e-45, 1e-45);
    sum.add_product(-far, two_sum(1e-40, 0.0));
    assert_eq!(sum.value(), 1e-45 * 1e-45);
    sum.add_product(1e-45, -1e-45);
    assert_eq!(sum.value(), 0.0);
}
