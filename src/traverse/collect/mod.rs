//! Collectors: what a query does with the triangles that its ray may hit.
//!
//! ```text
//! collectors   closest hit, any hit, all hits
//! filter       which hits a query accepts
//! report       hits in the user's numbers
//! batch        the results of several rays at once
//! count        a collector that counts what the walk tests
//! record       a collector that records it
//! judge        what becomes of one triangle
//! ```

pub(crate) mod batch;
mod collectors;
#[cfg(any(test, feature = "stats"))]
mod count;
mod filter;
#[cfg(feature = "stats")]
mod judge;
#[cfg(feature = "stats")]
mod record;
pub(crate) mod report;
#[cfg(test)]
mod tests;

pub(crate) use collectors::{All, Any, Closest};
#[cfg(any(test, feature = "stats"))]
pub(crate) use count::Counted;
#[cfg(feature = "stats")]
pub(crate) use count::VisitCounts;
pub(crate) use filter::QueryFilter;
#[cfg(feature = "stats")]
pub use judge::Refusal;
#[cfg(feature = "stats")]
pub(crate) use judge::{Verdict, judge};
#[cfg(feature = "stats")]
pub(crate) use record::{Record, Recorded, Visit};
#[cfg(feature = "stats")]
pub(in crate::traverse) use record::{Slabs, place_in};

use crate::array::Each;
use crate::bvh::{LANES, LeafBlock};
use crate::geometry::{Corners, ExactHit, Ray, intersect_exact};
use crate::simd::Isa;
use crate::traverse::walk::Bound;

/// What a query does with the triangles that its ray may hit. Its [`bound`](Bound::bound) is the
/// ray's `t_max`, lowered by what it has found.
///
/// A kernel knows bounds on a triangle's `t` before it knows `t`. It [offers](Self::offer_certain)
/// a certain hit with its bounds first. If these are not enough for the collector, the triangle is
/// tested exactly and [offered](Self::offer) again.
pub(crate) trait Collector: Bound + Sized {
    /// What it is made of.
    type Input;
    /// Its result.
    type Output;

    /// `index` is the ray's index in its batch.
    fn new(input: Self::Input, index: usize, t_max: f32) -> Self;

    /// Whether any one triangle is enough.
    const ANY: bool = false;

    /// The leaf block of the triangle that was enough, if there was one.
    #[inline(always)]
    fn hit_block(&self) -> Option<u32> {
        None
    }

    /// Offers a triangle that is certainly hit at `t_min <= t <= t_max`. If it is
    /// [taken](Offered::Taken), it is not offered again from this leaf.
    #[inline(always)]
    fn offer_certain(&mut self, _hit: CertainHit) -> Offered {
        Offered::Unclear
    }

    /// Tests a triangle exactly that was taken with its bounds only.
    #[inline(always)]
    fn resolve(&mut self, _ray: &Ray) {}

    /// Offers a triangle that is hit at `t_min <= t <= t_max`. `false` ends the walk.
    fn offer(&mut self, ray: &Ray, candidate: ExactCandidate<'_>) -> bool;

    /// Ends the query.
    fn finish<I: Isa>(self, isa: I, ray: &Ray) -> Self::Output;
}

/// A triangle that a ray hits.
#[derive(Clone, Copy)]
pub(crate) struct ExactCandidate<'a> {
    pub(crate) hit: &'a ExactHit,
    /// The block with its vertices.
    pub(crate) block: &'a LeafBlock,
    /// Its number among all triangles.
    pub(crate) id: u32,
    /// Its place in the tree.
    pub(crate) slot: u32,
}

/// A triangle that a ray certainly hits, with bounds on its `t`.
#[derive(Clone, Copy)]
pub(crate) struct CertainHit {
    /// Its place in the tree.
    pub(crate) slot: u32,
    pub(crate) t_lo: f32,
    pub(crate) t_hi: f32,
}

/// What a collector does with a certain hit.
pub(crate) enum Offered {
    /// It has recorded the hit, or does not need it.
    Taken,
    /// It needs the exact hit.
    Unclear,
    /// It needs no other hit: the walk ends.
    Done,
}

/// Tests a triangle exactly and offers it if it is hit. `false` ends the walk.
#[inline(always)]
pub(crate) fn offer_exact<V: Collector>(
    ray: &Ray,
    block: &LeafBlock,
    index: u32,
    lane: u32,
    collector: &mut V,
) -> bool {
    let lane = lane as usize % LANES;
    match intersect_exact(ray, &|| corners(block, lane)) {
        Some(hit) if ray.t_min <= hit.t && hit.t <= collector.bound() => {
            let slot = index * LANES as u32 + lane as u32;
            collector.offer(ray, ExactCandidate { hit: &hit, block, id: block.id[lane], slot })
        }
        _ => true,
    }
}

/// The three vertices in a lane of a block. Each coordinate is loaded by itself: with AVX-512 a
/// compiler would make a gather of them, which is several times slower.
#[inline(always)]
pub(crate) fn corners(block: &LeafBlock, lane: usize) -> Corners {
    [0, 1, 2].each(|which| {
        [0, 1, 2].each(|k| {
            // SAFETY: the pointer is made of a reference to a number of the block.
            unsafe { std::ptr::read_volatile(&block.vertex[which][k][lane]) }
        })
    })
}
