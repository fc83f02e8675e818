//! Points that have moved until a time.

use super::bigint::Int3392;
use super::number::{Approx, Number};

/// A time from 0 to 1, of which all 53 binary digits count: a whole number of units of
/// 2^-`places`.
#[derive(Clone, Copy, Debug)]
pub(in crate::geometry) struct Moment {
    time: f64,
    whole: u64,
    places: u32,
}

impl Moment {
    /// Of a number that is not below 2^-151, or zero.
    pub(in crate::geometry) fn new(time: f64) -> Self {
        let bits = time.to_bits();
        if bits == 0 {
            return Self { time, whole: 0, places: 0 };
        }
        let whole = bits & ((1 << 52) - 1) | 1 << 52;
        let places = 1075 - (bits >> 52) as u32;
        let zeros = whole.trailing_zeros().min(places);
        Self { time, whole: whole >> zeros, places: places - zeros }
    }
}

/// Numbers of what moves, which may be scaled, all of them by the same power of two for a time.
pub(in crate::geometry) trait Timed: Number {
    /// A number that does not change.
    fn still(number: f32, until: Moment) -> Self;
    /// A way, by its length at the end.
    fn way(whole: f32, until: Moment) -> Self;
}

impl Timed for Approx {
    #[inline]
    fn still(number: f32, _: Moment) -> Self {
        Self::from_f32(number)
    }

    #[inline]
    fn way(whole: f32, until: Moment) -> Self {
        Self::product(whole.into(), until.time)
    }
}

impl Timed for Int3392 {
    fn still(number: f32, until: Moment) -> Self {
        Self::from_f32(number).scaled(until.places)
    }

    fn way(whole: f32, until: Moment) -> Self {
        Self::from_f32(whole).mul(&Self::of_word(until.whole))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn moments_are_whole_numbers_of_their_units() {
        let least = f64::from(f32::from_bits(1)) * 0.5;
        for time in [0.0, 1.0, 0.5, 0.75, 1.0f64.next_down(), 0.3, least, least.next_down()] {
            let Moment { whole, places, .. } = Moment::new(time);
            assert_eq!(whole as f64 * 2f64.powi(-(places as i32)), time);
            assert!(places <= 203, "{places}");
        }
        let Moment { whole, places, .. } = Moment::new(1.0);
        assert_eq!((whole, places), (1, 0));
    }

    /// Moved by a quarter of the way.
    #[test]
    fn points_move_in_the_same_units_as_they_stand() {
        fn sign<N: Timed>(number: f32, way: f32, place: f32) -> Option<i32> {
            let until = Moment::new(0.25);
            let moved = N::still(number, until).add(&N::way(way, until));
            moved.sub(&N::still(place, until)).sign()
        }
        for (place, expected) in [(1.0, -1), (0.5, -1), (-0.5, 0), (-1.0, 1)] {
            assert_eq!(sign::<Int3392>(1.5, -8.0, place), Some(expected));
            if expected != 0 {
                assert_eq!(sign::<Approx>(1.5, -8.0, place), Some(expected));
            }
        }
    }
}
