//! Which of a node's children is next, predict_child where it need not be waited for.
//!
//! A ray's way down is a chain of results: boxes are met, the first bit of a mask is found, what is in that
//! lane is loaded, and then the boxes there. A lane that is come by through branches, one for each, is no link
//! of it: the processor goes on with the lane that it guesses, and finds out whether it was right while the next
//! boxes are met (value prediction: Lipasti and Shen 1996). It guesses well where a ray takes the way of the
//! one before, and only there is it worth the wrong guesses.

use crate::bvh::WIDTH;
use crate::simd::opaque;

/// What is in the lane of the lowest bit, of which there is one at least.
#[inline(always)]
pub(crate) fn predict_child<T: Copy>(lanes: &[T; WIDTH], bits: u32) -> T {
    const { assert!(WIDTH == 16) }
    // (`opaque` keeps a compiler from making one load of all these.)
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
    fn the_guess_is_the_lowest_lane() {
        let lanes: [usize; WIDTH] = std::array::from_fn(|i| i);
        for bits in 1..1u32 << WIDTH {
            assert_eq!(predict_child(&lanes, bits), bits.trailing_zeros() as usize);
        }
    }
}
