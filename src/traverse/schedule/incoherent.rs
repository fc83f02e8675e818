//! Unlike rays: each on a way of its own.

use crate::bvh::TreeView;
use crate::geometry::Ray;
use crate::simd::{Isa, Task};
use crate::traverse::collect::RayIndex;
use crate::traverse::collect::batch::BatchCollector;
use crate::traverse::collect::collector::Collector;
use crate::traverse::ray::Cast;
use crate::traverse::stream;

/// Fewer unlike rays than this are as soon done one by one as in a wave.
const A_WAVE: usize = 16;

/// Unlike rays, many in flight at a time or one by one, as a task for an instruction set.
pub(crate) struct Alone<'a, V: Collector> {
    pub(crate) tree: &'a TreeView<'a>,
    /// The index of the first of `rays` in the batch.
    pub(crate) first: usize,
    pub(crate) rays: &'a [Ray],
    /// Which of them, if not all.
    pub(crate) numbers: Option<&'a [u32]>,
    pub(crate) input: V::Input,
    pub(crate) results: &'a mut [V::Output],
}

impl<V: BatchCollector> Task for Alone<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { tree, first, rays, numbers, input, results } = self;
        let count = numbers.map_or(rays.len(), <[u32]>::len);
        if I::BRANCH_FREE && count >= A_WAVE {
            // SAFETY: every view is of a valid tree.
            unsafe { stream::walk::<I, V>(isa, tree, (first, rays), numbers, input, results) };
            return;
        }
        for i in 0..count {
            let number = numbers.map_or(i, |numbers| numbers[i] as usize);
            let ray = &rays[number];
            let index = V::Index::new(first + number);
            results[number] = Cast::<V> { tree, ray, index, input }.run(isa);
        }
    }
}
