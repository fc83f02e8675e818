//! What a walk shows of a tree, and to whom.

use super::RayIndex;
use crate::bvh::{LANES, LeafBlock};
use crate::geometry::{Corners, ExactHit, Ray, intersect_exact};
use crate::simd::Isa;

/// What a query does with the triangles that its ray meets.
pub(crate) trait Collector: Sized {
    /// What it is made of.
    type Input;
    /// What it knows of the ray: its index, if a filter wants it.
    type Index: RayIndex;
    /// What it has to say in the end.
    type Output;

    /// Made for the ray of this index.
    fn new(input: Self::Input, index: Self::Index, t_max: f32) -> Self;

    /// Whether near children come first. A query that stops at the first hit is better off
    /// without.
    const ORDERED: bool;

    /// Whether it is enough to find one triangle, whichever it is.
    const ANY: bool = false;

    /// Whether it may call the user's filter, which may make queries of its own.
    const CALLS_USER: bool;

    /// Whether a ray may meet nodes before their turn, which it might not meet at all if it waited for it.
    const NODES_AHEAD: bool = true;

    /// The leaf block of the triangle that was enough, if there was one.
    #[inline(always)]
    fn hit_block(&self) -> Option<u32> {
        None
    }

    /// Hits past this are of no interest. Never rises.
    fn t_max(&self) -> f32;

    /// A node's children are about to be met.
    #[inline(always)]
    fn on_node(&mut self) {}

    /// A block's triangles are about to be met.
    #[inline(always)]
    fn on_block(&mut self, _block: &LeafBlock) {}

    /// Takes note of a triangle that is certain to be met at `t_min <= t <= t_max`, if that is
    /// enough to go on. It is not shown again from this leaf.
    #[inline(always)]
    fn offer_certain(&mut self, _hit: CertainHit) -> Offered {
        Offered::Unclear
    }

    /// Asks the reference about a triangle that it has only taken note of.
    #[inline(always)]
    fn resolve(&mut self, _ray: &Ray) {}

    /// Takes a triangle met at `t_min <= t <= t_max`. `false` ends the walk.
    fn offer(&mut self, ray: &Ray, candidate: ExactCandidate<'_>) -> bool;

    /// The walk is over.
    fn finish<I: Isa>(self, isa: I, ray: &Ray) -> Self::Output;
}

/// A triangle that a ray meets.
#[derive(Clone, Copy)]
pub(crate) struct ExactCandidate<'a> {
    pub(crate) hit: &'a ExactHit,
    /// Where its vertices are kept.
    pub(crate) block: &'a LeafBlock,
    /// Its number among all triangles.
    pub(crate) id: u32,
    /// Where the tree keeps it.
    pub(crate) slot: u32,
}

/// A triangle that a ray is certain to meet.
#[derive(Clone, Copy)]
pub(crate) struct CertainHit {
    /// Where the tree keeps it.
    pub(crate) slot: u32,
    /// Bounds on its `t`.
    pub(crate) t_lo: f32,
    pub(crate) t_hi: f32,
}

/// What a visitor makes of a triangle that is certain to be met.
pub(crate) enum Offered {
    /// It has taken note of it.
    Taken,
    /// It wants to know exactly.
    Unclear,
    /// It has seen all it wants.
    Done,
}

/// Asks the reference about one triangle; `false` ends the walk.
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
        Some(hit) if ray.t_min <= hit.t && hit.t <= collector.t_max() => {
            let slot = index * LANES as u32 + lane as u32;
            collector.offer(ray, ExactCandidate { hit: &hit, block, id: block.id[lane], slot })
        }
        _ => true,
    }
}

/// The three vertices in a lane of a block, each coordinate loaded by itself: a compiler that
/// sees AVX-512 makes a gather of them, which takes several times as long.
#[inline(always)]
pub(crate) fn corners(block: &LeafBlock, lane: usize) -> Corners {
    [0, 1, 2].map(|which| {
        [0, 1, 2].map(|k| {
            // SAFETY: this is a reference to a number of the block.
            unsafe { std::ptr::read_volatile(&block.vertex[which][k][lane]) }
        })
    })
}
