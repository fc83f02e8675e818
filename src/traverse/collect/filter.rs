//! The user's filter, as the kernels see it.

use crate::traverse::hit::Hit;
use crate::traverse::options::HitFilter;

pub(crate) use crate::traverse::options::AcceptAll;

/// Which hits the user accepts.
pub(crate) trait Filter {
    /// Whether it accepts every hit, so that no kernel needs to call it.
    const ACCEPTS_ALL: bool;
    /// What it is told of the ray beside the hit.
    type Index: RayIndex;

    fn accepts(&self, ray: Self::Index, hit: &Hit) -> bool;
}

/// A ray's index in its batch, or nothing where no filter asks for it: then it costs nothing.
pub(crate) trait RayIndex: Copy {
    fn new(index: usize) -> Self;
}

impl RayIndex for () {
    #[inline(always)]
    fn new(_: usize) {}
}

impl RayIndex for usize {
    #[inline(always)]
    fn new(index: usize) -> usize {
        index
    }
}

impl Filter for AcceptAll {
    const ACCEPTS_ALL: bool = true;
    type Index = ();

    #[inline(always)]
    fn accepts(&self, (): (), _: &Hit) -> bool {
        true
    }
}

/// The filter of a query for one ray, whose index is 0.
#[derive(Clone, Copy)]
pub(crate) struct SingleFilter<'a, F>(pub(crate) &'a F);

impl<F: HitFilter> Filter for SingleFilter<'_, F> {
    const ACCEPTS_ALL: bool = F::ACCEPTS_ALL;
    type Index = ();

    #[inline(always)]
    fn accepts(&self, (): (), hit: &Hit) -> bool {
        self.0.accepts(0, hit)
    }
}

/// The filter of a batch, called with the ray's index. Called through a pointer, so that the code
/// for batches is compiled once and not for each filter of a program.
#[derive(Clone, Copy)]
pub(crate) struct BatchFilter<'a>(pub(crate) &'a (dyn Fn(usize, &Hit) -> bool + Sync));

impl Filter for BatchFilter<'_> {
    const ACCEPTS_ALL: bool = false;
    type Index = usize;

    #[inline(always)]
    fn accepts(&self, ray: usize, hit: &Hit) -> bool {
        (self.0)(ray, hit)
    }
}
