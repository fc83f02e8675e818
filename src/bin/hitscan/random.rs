//! Random numbers that are the same on every machine.

use hitscan::Aabb;
use hitscan::glam::Vec3;

/// SplitMix64 (Steele, Lea and Flood 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// From 0 to below 1, a multiple of 2^-24.
    pub(crate) fn fraction(&mut self) -> f64 {
        (self.next() >> 40) as f64 / f64::from(1 << 24)
    }

    /// Below `count`, which is not 0.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    /// A point of a box.
    pub(crate) fn point_in(&mut self, bounds: &Aabb) -> Vec3 {
        let (min, max) = (bounds.min.to_array(), bounds.max.to_array());
        let mut point = [0.0; 3];
        for axis in 0..3 {
            // In f64, where the difference cannot overflow.
            let (min, max) = (f64::from(min[axis]), f64::from(max[axis]));
            point[axis] = (min + (max - min) * self.fraction()) as f32;
        }
        point.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_paper_and_stay_in_range() {
        // The reference implementation's first numbers for the seed 1234567.
        let mut random = Random(1_234_567);
        let numbers = [(); 3].map(|()| random.next());
        assert_eq!(
            numbers,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,]
        );
        let bounds = Aabb::from_min_max([-f32::MAX, 0.0, 2.0], [f32::MAX, 0.0, 3.0]);
        for _ in 0..1000 {
            assert!(bounds.contains(random.point_in(&bounds)));
            assert!((0.0..1.0).contains(&random.fraction()) && random.below(7) < 7);
        }
    }
}
