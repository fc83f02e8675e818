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

/// How far apart the shears of rays may be that take much the same way; and their origins, in units of half the
/// tree's size.
const SPREAD: f32 = 1.0 / 16.0;

/// A ray's origin and shears, as in [`Prepared`].
type Line = [[f32; 4]; 2];

thread_local! {
    /// The last ray of this thread.
    static LAST: Cell<Line> = const { Cell::new([[0.0; 4]; 2]) };
}

/// Whether a ray is likely to take the way of the one that this thread asked last. Hits do not depend on it.
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
        let near = origin
            .sub(last_origin)
            .abs()
            .le(P::splat(SPREAD * tree.facts.reach));
        let alike = shear.sub(last_shear).abs().le(P::splat(SPREAD));
        // Of the shears two count. (Of the origins, too: it is nearly always so of the third.)
        near & alike & 3 == 3
    }
}

/// What is in the lane of the lowest bit, of which there is one at least.
#[inline(always)]
pub(super) fn guessed<T: Copy>(lanes: &[T; WIDTH], bits: u32) -> T {
    const { assert!(WIDTH == 16) }
    // (`opaque` keeps a compiler from making one load of all these.)
    macro_rules! first {
        ($($lane:literal)*, $last:literal) => {{
            $(if bits & 1 << $lane != 0 { return *opaque(&lanes[$lane]); })*
            *opaque(&lanes[$last])
        }};
    }
    if bits & 0xff == 0 {
        if bits & 0xfff == 0 {
            first!(12 13 14, 15)
        } else {
            first!(8 9 10, 11)
        }
    } else if bits & 0xf == 0 {
        first!(4 5 6, 7)
    } else {
        first!(0 1 2, 3)
    }
}

#[cfg(test)]
mod tests {
    use std::mem::MaybeUninit;

    use super::*;
    use crate::geometry::Ray;
    use crate::query::prepare::prepare;
    use crate::simd::{self, Isa, Level, Task};
    use crate::{Builder, Bvh, Mesh, Query, made_up};

    #[test]
    fn the_guess_is_the_lowest_lane() {
        let lanes: [usize; WIDTH] = std::array::from_fn(|i| i);
        for bits in 1..1u32 << WIDTH {
            assert_eq!(guessed(&lanes, bits), bits.trailing_zeros() as usize);
        }
    }

    const WIDE: usize = 64;
    const LINES: usize = if cfg!(miri) { 2 } else { WIDE };

    fn tree() -> Bvh {
        let mut state = 1;
        let mut number = || made_up::number(&mut state);
        let corners: Vec<[f32; 3]> = (0..60 * LINES)
            .map(|i| [0; 3].map(|_| 10.0 * number() + 0.01 * i as f32))
            .collect();
        Builder::new().bake(&[Mesh::from_soup(corners)]).unwrap().0
    }

    /// Line by line.
    fn picture() -> Vec<Ray> {
        let part = |i: usize| i as f32 / WIDE as f32 - 0.5;
        (0..WIDE * LINES)
            .map(|i| Ray::new([5.0, 5.0, -20.0], [part(i % WIDE), part(i / WIDE), 1.0]))
            .collect()
    }

    /// How many of some rays follow the one before.
    struct Followers<'a>(&'a Bvh, &'a [Ray]);

    impl Task for Followers<'_> {
        type Output = usize;

        #[inline(always)]
        unsafe fn run<I: Isa>(self) -> usize {
            let tree = &self.0.view();
            let follows = |ray: &&Ray| {
                let mut prepared = MaybeUninit::uninit();
                // SAFETY: the caller vouches for the instruction set, and a ray that is worked out is there.
                unsafe {
                    prepare::<I::Point>(tree, ray, &mut prepared)
                        && follows::<I::Point>(tree, prepared.assume_init_ref())
                }
            };
            self.1.iter().filter(follows).count()
        }
    }

    #[test]
    fn neighbours_in_a_picture_follow_and_rays_from_elsewhere_do_not() {
        let tree = tree();
        let picture = picture();
        let away = Ray::new([5.0, 9.0, -20.0], [0.0, 0.0, 1.0]);
        let back = Ray::new([5.0, 5.0, -20.0], [0.4, -0.4, 1.0]);
        for level in Level::available() {
            let count = |rays: &[Ray]| simd::run(level, Followers(&tree, rays));
            // All but those that begin a line.
            let followers = count(&picture);
            assert!(followers >= LINES * (WIDE - 1), "{level}: {followers}");
            assert_eq!(count(&[back, away, back, away]), 0, "{level}");
            let turned = Ray::new(back.origin, [-0.4, 0.4, 1.0]);
            assert_eq!(count(&[turned, back, turned]), 0, "{level}");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes many minutes there")]
    fn hits_are_the_same_whichever_ray_came_before() {
        let tree = tree();
        let picture = picture();
        for level in Level::available() {
            let query = Query::new().level(level);
            let ask = |i: usize| {
                let ray = &picture[i];
                (tree.closest_hit(ray, &query), tree.any_hit(ray, &query))
            };
            let in_order: Vec<_> = (0..picture.len()).map(ask).collect();
            assert!(in_order.iter().any(|hits| hits.1));
            // In an order in which hardly any follows.
            for i in (0..picture.len()).map(|i| i * 1013 % picture.len()) {
                assert_eq!(ask(i), in_order[i], "{level}");
            }
        }
    }
}
