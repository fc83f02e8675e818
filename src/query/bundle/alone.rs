//! Unlike rays: each on a way of its own.

use crate::bvh::BvhView;
use crate::geometry::Ray;
use crate::query::cast::Cast;
use crate::query::visitor::{Many, Visitor};
use crate::query::wave;
use crate::simd::{Isa, Task, Wave as _};

/// Fewer unlike rays than this are as soon done one by one as in a wave.
const A_WAVE: usize = 16;

/// Unlike rays, many in flight at a time or one by one, as a task for an instruction set.
pub(super) struct Alone<'a, V: Visitor> {
    pub(super) tree: &'a BvhView<'a>,
    pub(super) rays: &'a [Ray],
    /// Which of them, if not all.
    pub(super) numbers: Option<&'a [u32]>,
    pub(super) input: V::Input,
    pub(super) results: &'a mut [V::Output],
}

impl<V: Many> Task for Alone<'_, V> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<I: Isa>(self) {
        let Self { tree, rays, numbers, input, results } = self;
        let count = numbers.map_or(rays.len(), <[u32]>::len);
        if I::Wave::PAYS && count >= A_WAVE {
            // SAFETY: the caller vouches for the instruction set.
            unsafe { wave::walk::<I, V>(tree, rays, numbers, input, results) };
            return;
        }
        for i in 0..count {
            let number = numbers.map_or(i, |numbers| numbers[i] as usize);
            let ray = &rays[number];
            // SAFETY: the caller vouches for the instruction set.
            results[number] = unsafe { Cast::<V> { tree, ray, input }.run::<I>() };
        }
    }
}
