//! Incoherent rays: as a stream, or one by one.

use crate::simd::{Isa, Task};
use crate::traverse::collect::Collector;
use crate::traverse::collect::RayIndex;
use crate::traverse::collect::batch::{Batch, BatchCollector};
use crate::traverse::ray::Cast;
use crate::traverse::stream;

/// A stream of fewer rays than this is no faster than the rays one by one.
const MIN_STREAM: usize = 16;

/// Traces incoherent rays, as a task for an instruction set.
pub(crate) struct Incoherent<'a, C: Collector> {
    pub(crate) batch: Batch<'a, C::Input>,
    /// The rays to trace, if not all.
    pub(crate) indices: Option<&'a [u32]>,
    pub(crate) results: &'a mut [C::Output],
}

impl<C: BatchCollector> Task for Incoherent<'_, C> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { batch, indices, results } = self;
        let Batch { tree, first, rays, input } = batch;
        let count = indices.map_or(rays.len(), <[u32]>::len);
        if I::BRANCH_FREE && count >= MIN_STREAM {
            // SAFETY: a view is always of a valid tree.
            unsafe { stream::walk::<I, C>(isa, batch, indices, results) };
            return;
        }
        for i in 0..count {
            let index = indices.map_or(i, |indices| indices[i] as usize);
            let (ray, number) = (&rays[index], C::Index::new(first + index));
            results[index] = Cast::<C> { tree, ray, index: number, input }.run(isa);
        }
    }
}
