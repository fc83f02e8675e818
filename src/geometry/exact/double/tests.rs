use num_rational::BigRational;

use super::*;
use crate::test_rng::{bits, climb, number};

/// A number of at most 106 bits as the sum of two, and in units of 2^-106.
fn whole(state: &mut u64, exponent: u32) -> (Double, i128) {
    let mut word = |size: u32| {
        let number = i128::from(bits(state) << 32 | bits(state)) >> (64 - size);
        if bits(state).is_multiple_of(2) { number } else { -number }
    };
    let (high, low) = (word(53) << exponent, word(40));
    let (high, low) = if exponent == 0 { (high, 0) } else { (high, low) };
    (two_sum(high as f64, low as f64), high + low)
}

fn exact(double: &Double) -> i128 {
    double.high as i128 + double.low as i128
}

/// Sums are off by no more than their bound, however much cancels; where no bit is lost they are
/// exact.
#[test]
fn sums_are_nearly_exact() {
    let (mut state, mut exact_ones) = (3, 0);
    for i in 0..if cfg!(miri) { 200 } else { 100_000 } {
        let (a, a_exact) = whole(&mut state, [0, 30, 60][i % 3]);
        let (mut b, mut b_exact) = whole(&mut state, [0, 60][i / 3 % 2]);
        if i % 7 == 0 {
            // All but the last bits cancel.
            let less = bits(&mut state) as f64;
            b = Double::from_f64(-a.high) - Double::from_f64(less);
            b_exact = exact(&b);
        }
        let (found, expected) = (exact(&(a + b)), a_exact + b_exact);
        let off = (found - expected).unsigned_abs() as f64;
        assert!(off <= 3.01 * 2f64.powi(-106) * expected.unsigned_abs() as f64, "{a:?} {b:?}");
        exact_ones += usize::from(off == 0.0);
        let (less, more) = (a.min(&b), a.max(&b));
        assert_eq!((exact(&less), exact(&more)), (a_exact.min(b_exact), a_exact.max(b_exact)));
        assert_eq!(exact(&a.abs()), a_exact.abs());
        assert_eq!(exact(&(a - a)), 0);
    }
    println!("{exact_ones} exact");
    assert!(cfg!(miri) || exact_ones > 50_000);
}

/// A magnitude of two words, and the sign.
fn wide(words: [i128; 2]) -> (u128, u128, bool) {
    let [a, b] = words.map(i128::unsigned_abs);
    let [(ah, al), (bh, bl)] = [a, b].map(|x| (x >> 64, x & u128::from(u64::MAX)));
    let (low, middle) = (al * bl, ah * bl + ((al * bl) >> 64));
    let (middle, carry) = (middle & u128::from(u64::MAX), middle >> 64);
    let middle = middle + al * bh;
    let high = ah * bh + carry + (middle >> 64);
    (high, middle << 64 | low & u128::from(u64::MAX), (words[0] < 0) != (words[1] < 0))
}

/// What a product is off by, in parts of its bound.
fn part_of_bound(a: &Double, b: &Double) -> f64 {
    let (high, low, is_negative) = wide([exact(a), exact(b)]);
    let product = *a * *b;
    // Less what was found, word by word.
    let sign = if is_negative { -1.0 } else { 1.0 };
    let (mut high, mut low) = (high, low);
    let mut take = |x: f64| {
        let bits = x.abs().to_bits();
        let mut mantissa = u128::from(bits & ((1 << 52) - 1) | 1 << 52);
        let shift = (bits >> 52) as i32 - 1075;
        if x == 0.0 {
            return;
        }
        assert!((-52..=200).contains(&shift) && x == x.trunc(), "{x}");
        if shift < 0 {
            mantissa >>= -shift;
        }
        let shift = shift.max(0) as u32;
        let upper = if shift >= 128 {
            mantissa << (shift - 128)
        } else if shift == 0 {
            0
        } else {
            mantissa >> (128 - shift)
        };
        let lower = if shift >= 128 { 0 } else { mantissa << shift };
        // In two's complement.
        if x > 0.0 {
            let (next, borrow) = low.overflowing_sub(lower);
            (low, high) = (next, high.wrapping_sub(upper).wrapping_sub(u128::from(borrow)));
        } else {
            let (next, carry) = low.overflowing_add(lower);
            (low, high) = (next, high.wrapping_add(upper).wrapping_add(u128::from(carry)));
        }
    };
    take(product.high * sign);
    take(product.low * sign);
    let off = if high >> 127 == 1 {
        -((!high) as f64 * 2f64.powi(128) + (!low) as f64)
    } else {
        high as f64 * 2f64.powi(128) + low as f64
    };
    off.abs() / (5.0 * 2f64.powi(-106) * product.high.abs())
}

/// The largest part of the bound of a product that a search finds.
#[test]
fn products_are_nearly_exact() {
    let double = |[a, b, c]: [f32; 3]| {
        let part = |x: f32| i128::from((x.clamp(1.0, 2.0) * 8_388_608.0) as u32);
        let number = part(a) << 82 | part(b) << 58 | part(c) << 34;
        let high = number as f64;
        Double { high, low: (number - high as i128) as f64 }
    };
    let score = |numbers: &[f32; 6]| {
        let [a, b, c, d, e, f] = *numbers;
        Some(part_of_bound(&double([a, b, c]), &double([d, e, f])))
    };
    let starts = [[1.1; 6], [1.9, 1.2, 1.4, 1.01, 1.7, 1.3]];
    let (best, numbers) = climb(&starts, if cfg!(miri) { 50 } else { 30_000 }, score);
    println!("{best} of the bound at {numbers:?}");
    assert!(best <= 1.0 && (cfg!(miri) || best > 0.2), "{best}");
}

#[test]
fn products_of_single_numbers_are_exact() {
    let mut state = 5;
    for _ in 0..1_000 {
        let mut next = || (bits(&mut state) << 21 | 1) as f64;
        let (a, b) = (Double::from_f64(next()), Double::from_f64(next()));
        assert_eq!(part_of_bound(&a, &b), 0.0, "{a:?} {b:?}");
    }
    let [tiny, huge] = [f32::from_bits(1), f32::MAX].map(Double::from_f32);
    for (x, f32) in [(tiny, f32::from_bits(1)), (huge, f32::MAX)] {
        let power = (1..6).fold(x, |product, _| product * x);
        let off = power.high / f64::from(f32).powi(6) - 1.0;
        assert!(power.low.is_finite() && off.abs() < 1e-15, "{power:?}");
    }
}

/// What the worst of many quotients and roots is off by, in parts of 2^-102 of itself.
#[test]
fn quotients_and_roots_are_nearly_exact() {
    let rational = |x: Double| {
        let of = |x: f64| BigRational::from_float(x).expect("finite");
        of(x.high) + of(x.low)
    };
    let unit = BigRational::new(1.into(), num_bigint::BigInt::from(1) << 102);
    let (mut state, mut worst) = (1, [0.0f64; 2]);
    for _ in 0..if cfg!(miri) { 20 } else { 4_000 } {
        let mut next = || {
            let mut of = |places: i32| f64::from(number(&mut state)) * 2f64.powi(-places);
            two_sum(of(0), of(24)) + two_sum(of(60), of(90))
        };
        let (a, b) = (next(), next());
        let root = Ordered::abs(&a).sqrt();
        let results =
            [(a / b, rational(a) / rational(b)), (root * root, rational(Ordered::abs(&a)))];
        for (worst, (found, right)) in worst.iter_mut().zip(results) {
            let off = (rational(found) - &right) / &right / &unit;
            let [over, under] = [off.numer(), off.denom()].map(|x| x.to_string().parse::<f64>());
            *worst = worst.max((over.expect("a number") / under.expect("a number")).abs());
        }
    }
    println!("{worst:?} of the bound");
    assert!(worst.iter().all(|&off| off < 1.0 && (cfg!(miri) || off > 0.05)), "{worst:?}");
}

#[test]
fn both_parts_count_in_an_order() {
    let one = Double::from(1.0);
    let more = one + Double::from(1e-30);
    assert!(more > one && -more < -one && more != one && (more - one).value() == 1e-30);
    assert_eq!(Ordered::abs(&-more), more);
    assert_eq!(Double::ZERO.sqrt(), Double::ZERO);
    assert!(Double::from(f64::NAN).partial_cmp(&one).is_none());
}
