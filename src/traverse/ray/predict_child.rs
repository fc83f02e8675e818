//! The next child, by branch prediction (value prediction: Lipasti and Shen 1996).
//!
//! A walk down the tree is a chain of results: boxes are tested, the first bit of the mask is
//! found, the child in that lane is loaded, and then its boxes. Where a branch for each lane finds
//! the child, it is no link of that chain: the processor continues with the predicted lane, and
//! checks the prediction while the next boxes are tested. Predictions are good where a ray is
//! similar to the one before, and only there do they outweigh the wrong ones.

use crate::bvh::WIDTH;
use crate::simd::opaque;

/// The number in the lane of the lowest bit. There is at least one bit.
#[inline(always)]
pub(crate) fn predict_child<T: Copy>(lanes: &[T; WIDTH], bits: u32) -> T {
    const { assert!(WIDTH == 16) }
    // `opaque`, or a compiler would make one load of all of these.
    macro_rules! first {
        ($($lane:literal)*, $last:literal) => {{
            $(if bits & 1 << $lane != 0 { return *opaque(&lanes[$lane]); })*
            *opaque(&lanes[$last])
        }};
    }
    if bits & 0xff == 0 {
        if bits & 0xfff == 0 { first!(12 13 14, 15) } else { first!(8 9 10, 11) }
    } else if bits & 0xf == 0 {
        first!(4 5 6, 7)
    } else {
        first!(0 1 2, 3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lane_is_that_of_the_lowest_bit() {
        let lanes: [usize; WIDTH] = std::array::from_fn(|i| i);
        for bits in 1..1u32 << WIDTH {
            assert_eq!(predict_child(&lanes, bits), bits.trailing_zeros() as usize);
        }
    }
}
