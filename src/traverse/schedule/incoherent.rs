//! Incoherent rays.

use std::marker::PhantomData;

use super::batched::Batched;
use crate::simd::{Isa, Task};

/// Traces incoherent rays, as a task for an instruction set.
pub(super) struct Incoherent<'a, 's, B: Batched<'a>> {
    pub(super) batch: B,
    /// The rays to trace, if not all.
    pub(super) indices: Option<&'s [u32]>,
    pub(super) results: &'s mut [B::Answer],
    pub(super) lifetime: PhantomData<&'a ()>,
}

impl<'a, B: Batched<'a>> Task for Incoherent<'a, '_, B> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        self.batch.trace_incoherent(isa, self.indices, self.results);
    }
}
