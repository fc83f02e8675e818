//! How much a number of references counts in what a plane costs.

use crate::bvh::LANES;

/// Their number, and half of the places that the leaf blocks they take would leave empty: a block costs a
/// ray the same however full it is. (Half, since which references share a block is up to the planes further
/// down.)
#[inline(always)]
pub(super) fn weight(count: u32) -> f32 {
    let blocks = count.div_ceil(LANES as u32);
    0.5 * (count as i32 as f32 + LANES as f32 * blocks as i32 as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_blocks_weigh_what_they_hold() {
        let weights = [0, 1, 4, 7, 8, 9, 16, 17].map(weight);
        assert_eq!(weights, [0.0, 4.5, 6.0, 7.5, 8.0, 12.5, 16.0, 20.5]);
        // The most references that a plane may have on one side.
        assert_eq!(weight((1 << 31) - 1), (1u32 << 31) as f32);
    }

    /// Else references in one place, of which one block is made, would come to lie in a chain.
    #[test]
    fn what_fits_in_a_block_weighs_the_same_however_it_is_parted() {
        for count in 2..=LANES as u32 {
            for left in 1..count {
                let parted = weight(left) + weight(count - left);
                assert_eq!(parted, weight(1) + weight(count - 1));
            }
        }
    }
}
