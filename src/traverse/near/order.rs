//! The order of many points: along a Z-order curve (Morton 1966), so that each is near the one
//! before and needs the same nodes and leaf blocks.

use glam::Vec3;

use crate::array::Each;
use crate::bvh::Facts;

/// The most points that are put in order at once.
pub(crate) const MAX_ORDERED: usize = 1 << 12;

/// A point's place on the curve, then its index.
pub(crate) type Keys = [u64; MAX_ORDERED];

/// Indices of at most [`MAX_ORDERED`] points along the curve.
pub(crate) fn in_order<'k>(
    facts: &Facts,
    points: &[Vec3],
    keys: &'k mut Keys,
) -> impl Iterator<Item = usize> + use<'k> {
    let (min, max) = (Vec3::from_array(facts.min), Vec3::from_array(facts.max));
    let cells = 1023.0 / (max - min).max(Vec3::splat(f32::MIN_POSITIVE));
    let keys = &mut keys[..points.len()];
    for ((i, point), key) in points.iter().enumerate().zip(&mut *keys) {
        // A NaN is in the first cell.
        let cell = ((*point - min) * cells).to_array().each(|x| x.clamp(0.0, 1023.0) as u64);
        let place = spread(cell[0]) | spread(cell[1]) << 1 | spread(cell[2]) << 2;
        *key = place << 32 | i as u64;
    }
    keys.sort_unstable();
    keys.iter().map(|key| (key & 0xffff_ffff) as usize)
}

/// Ten bits, two apart.
fn spread(x: u64) -> u64 {
    let x = (x | x << 16) & 0x0300_00ff;
    let x = (x | x << 8) & 0x0300_f00f;
    let x = (x | x << 4) & 0x030c_30c3;
    (x | x << 2) & 0x0924_9249
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_spread_in_order() {
        for x in [0, 1, 2, 3, 512, 682, 1023] {
            let slow = (0..10).fold(0, |sum, bit| sum | (x >> bit & 1) << (3 * bit));
            assert_eq!(spread(x), slow);
        }
    }
}
