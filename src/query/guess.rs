//! Which of a node's children is next, guessed where it need not be waited for.
//!
//! A ray's way down is a chain of results: boxes are met, the first bit of a mask is found, what is in that
//! lane is loaded, and then the boxes there. A lane that is come by through branches, one for each, is no link
//! of it: the processor goes on with the lane that it guesses, and finds out whether it was right while the next
//! boxes are met (value prediction: Lipasti and Shen 1996). It guesses well where a ray takes the way of the
//! one before, and only there is it worth the wrong guesses.

use std::cell::Cell;

use super::prepare::Prepared;
use crate::bvh::{BvhView, WIDTH};
use crate::simd::{Point, opaque};

/// How far apart shears may be of rays that take much the same way.
const SPREAD: f32 = 1.0 / 16.0;

/// A ray's origin and shears, as in [`Prepared`].
type Line = [[f32; 4]; 2];

thread_local! {
    /// The last ray of this thread.
    static LAST: Cell<Line> = const { Cell::new([[0.0; 4]; 2]) };
}

/// Whether a ray is likely to take the way of the one that this thread asked last. (Whichever it is, hits are
/// the same.)
///
/// # Safety
/// As for [`Point`].
#[inline(always)]
pub(super) unsafe fn follows<P: Point>(tree: &BvhView<'_>, ray: &Prepared) -> bool {
    let last: *mut f32 = LAST.with(Cell::as_ptr).cast();
    // SAFETY: the caller vouches for the CPU. Loads and stores are of four numbers each, and nobody but this
    // thread, here, has to do with the last ray.
    unsafe {
        let (origin, shear) = (P::load(ray.origin.as_ptr()), P::load(ray.shear.as_ptr()));
        let (last_origin, last_shear) = (P::load(last), P::load(last.add(4)));
        origin.store(last);
        shear.store(last.add(4));
        let near = origin.sub(last_origin).abs().le(P::splat(tree.facts.near));
        let alike = shear.sub(last_shear).abs().le(P::splat(SPREAD));
        // Of the shears two count. (Of the origins, too: it is nearly always so of the third.)
        near & alike & 3 == 3
    }
}

/// What is in the lane of the lowest bit, of which there is one at least.
#[inline(always)]
pub(super) fn guessed<T: Copy>(lanes: &[T; WIDTH], bits: u32) -> T {
    macro_rules! first {
        ($($lane:literal)*) => {
            $(if bits & 1 << $lane != 0 { return *opaque(&lanes[$lane]); })*
        };
    }
    first!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14);
    *opaque(&lanes[15])
}
