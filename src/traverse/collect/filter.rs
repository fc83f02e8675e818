//! The caller's own say in what counts as a hit.

use std::ptr;

use crate::geometry::Ray;
use crate::traverse::hit::Hit;
use crate::traverse::options::HitFilter;

/// What the caller accepts.
pub(crate) trait Filter {
    /// Whether it accepts everything, so that nobody need ask.
    const ACCEPTS_ALL: bool;

    fn accepts(&self, ray: &Ray, hit: &Hit) -> bool;
}

pub(crate) use crate::traverse::options::AcceptAll;

impl Filter for AcceptAll {
    const ACCEPTS_ALL: bool = true;

    #[inline(always)]
    fn accepts(&self, _: &Ray, _: &Hit) -> bool {
        true
    }
}

/// The filter of a query for one ray, whose index is 0.
#[derive(Clone, Copy)]
pub(crate) struct SingleFilter<'a, F>(pub(crate) &'a F);

impl<F: HitFilter> Filter for SingleFilter<'_, F> {
    const ACCEPTS_ALL: bool = F::ACCEPTS_ALL;

    #[inline(always)]
    fn accepts(&self, _: &Ray, hit: &Hit) -> bool {
        self.0.accepts(0, hit)
    }
}

/// Of many rays, which it is told by their numbers. (Called through a pointer, so that the code for bundles of
/// rays is not made anew for each of a program's filters.)
#[derive(Clone, Copy)]
pub(crate) struct BatchFilter<'a> {
    pub(crate) rays: &'a [Ray],
    pub(crate) accepts: &'a (dyn Fn(usize, &Hit) -> bool + Sync),
}

impl Filter for BatchFilter<'_> {
    const ACCEPTS_ALL: bool = false;

    #[inline(always)]
    fn accepts(&self, ray: &Ray, hit: &Hit) -> bool {
        // However rays go through the tree, they are shown from where they lie: where that is says which it is.
        let from_first = ptr::from_ref(ray).addr() - self.rays.as_ptr().addr();
        let number = from_first / size_of::<Ray>();
        debug_assert!(ptr::eq(ray, &self.rays[number]));
        (self.accepts)(number, hit)
    }
}
