//! The time of a contact, rounded once.

/// The nearest `f32` to the time of a contact, which is from `least` to `most`, of two as near the
/// even one. `None` if it is larger than `bound`. `touches_by` tells whether the contact is at a
/// time or before.
///
/// Two numbers next to each other have their tie between them, which is exact in `f64`. A contact
/// within 2^-28 of that way from a tie counts as the tie.
pub(super) fn rounded(
    least: f64,
    most: f64,
    bound: f32,
    touches_by: impl Fn(f64) -> bool,
) -> Option<f32> {
    // The last number that is not `bound` or less says that the contact is later.
    let (mut first, mut last) = (least as f32, (most as f32).min(bound.next_up()));
    // After `last`, if the contact is known to be there at the latest.
    let mut tie = f64::INFINITY;
    // Most often it is near `least`.
    let mut reach = 0u32;
    while first < last {
        let half = (last.to_bits() - first.to_bits()) / 2;
        let middle = f32::from_bits(first.to_bits() + half.min(reach));
        reach = reach.saturating_mul(4).saturating_add(1);
        let next = middle.next_up();
        let between = (f64::from(middle) + f64::from(next)) * 0.5;
        if touches_by(between) {
            (last, tie) = (middle, between);
        } else {
            first = next;
        }
    }
    let is_odd = first.to_bits() & 1 == 1;
    if is_odd && first == last && tie.is_finite() && !touches_by(tie.next_down()) {
        first = first.next_up();
    }
    (first <= bound).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rounded_as_ieee_754_rounds() {
        let numbers = [0.0, f32::from_bits(1), f32::MIN_POSITIVE, 0.3, 0.5f32.next_up(), 0.75];
        for time in numbers {
            let next = time.next_up();
            let tie = (f64::from(time) + f64::from(next)) * 0.5;
            let parts = [f64::from(time), tie * (1.0 - 1e-12), tie, tie * (1.0 + 1e-12)];
            for exact in parts {
                let touches_by = |time: f64| exact <= time;
                for (least, most) in
                    [(0.0, 1.0), (exact, exact), (exact * 0.999, exact * 1.001), (exact, 1.0)]
                {
                    let rounded = |bound| rounded(least, most, bound, touches_by);
                    assert_eq!(rounded(1.0), Some(exact as f32), "{exact:e} {least} {most}");
                    assert_eq!(rounded(exact as f32), Some(exact as f32), "{exact:e}");
                    if exact as f32 > 0.0 {
                        assert_eq!(rounded((exact as f32).next_down()), None, "{exact:e}");
                    }
                }
            }
        }
    }

    #[test]
    fn only_what_is_in_doubt_is_asked() {
        let asked = std::cell::Cell::new(0);
        let count = |exact: f64, least: f64, most: f64| {
            asked.set(0);
            let touches_by = |time: f64| {
                asked.set(asked.get() + 1);
                exact <= time
            };
            assert_eq!(rounded(least, most, 1.0, touches_by), Some(exact as f32));
            asked.get()
        };
        assert_eq!(count(0.3, 0.3 - 1e-10, 0.3 + 1e-10), 0);
        assert!(count(0.3, 0.3 - 3e-8, 0.3 + 3e-8) <= 2);
        assert!(count(0.3, 0.0, 1.0) <= 45);
        assert!(count(0.3, 0.3, 1.0) <= 2);
    }
}
