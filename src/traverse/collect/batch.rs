//! Collectors of batches: the results of several rays are computed together.
//!
//! Incoherent rays that hit something are gathered side by side, several vectors of them before the
//! first is computed: a vector load right after the stores of its single numbers would stall. (The
//! rays of a packet mostly hit triangles of one or two blocks, whose vectors are made without such
//! stores.)

use bytemuck::Zeroable;

use super::report::{block_and_lane, report};
use super::{Any, Closest};
use super::{Collector, corners};
use crate::bvh::TreeView;
use crate::geometry::Ray;
use crate::simd::Isa;
use crate::traverse::hit::Hit;
use crate::traverse::ray::exact_hit::{HitPointX8, RAYS_AT_ONCE, RayTriangleX8};

/// Consecutive rays of the caller's batch, and what they are asked.
#[derive(Clone, Copy)]
pub(crate) struct Batch<'a, In> {
    pub(crate) tree: &'a TreeView<'a>,
    /// The index of the first of `rays` in the caller's batch.
    pub(crate) first: usize,
    pub(crate) rays: &'a [Ray],
    /// What a [`Collector`] is made of.
    pub(crate) input: In,
}

/// Rays in an [`ExactHitBatch`], and vectors of them.
const BATCH: usize = VECTORS * RAYS_AT_ONCE;
const VECTORS: usize = 4;

/// Rays that hit something, with their triangles, and where they hit them.
#[derive(Zeroable)]
pub(crate) struct ExactHitBatch {
    count: usize,
    ray_triangles: [RayTriangleX8; VECTORS],
    hit_points: [HitPointX8; VECTORS],
    /// Each ray's index, and its triangle's id and slot.
    hits: [(usize, u32, u32); BATCH],
}

impl ExactHitBatch {
    /// Computes where rays hit, at most [`BATCH`] of them. `found` gives each ray's index and the
    /// slot of its triangle, or `NO_SLOT`: those results are written now, the others by
    /// [`write`](Self::write).
    #[inline(always)]
    pub(crate) fn compute<I: Isa>(
        &mut self,
        isa: I,
        tree: &TreeView<'_>,
        found: impl Iterator<Item = (usize, u32)>,
        rays: &[Ray],
        results: &mut [Option<Hit>],
    ) {
        debug_assert_eq!(self.count, 0, "the batch before is written");
        let mut count = 0;
        for (index, slot) in found {
            let Some((block, lane)) = block_and_lane(tree, slot) else {
                results[index] = None;
                continue;
            };
            let ray_triangles = &mut self.ray_triangles[count / RAYS_AT_ONCE];
            ray_triangles.set_ray(count, &rays[index]);
            ray_triangles.set_triangle(count, &corners(block, lane));
            self.hits[count] = (index, block.id[lane], slot);
            count += 1;
        }
        self.count = count;
        let ray_triangles = self.ray_triangles[..count.div_ceil(RAYS_AT_ONCE)].iter();
        for (ray_triangles, hit_points) in ray_triangles.zip(&mut self.hit_points) {
            *hit_points = ray_triangles.exact_hit(isa);
        }
    }

    /// Writes the results of the rays computed last.
    #[inline(always)]
    pub(crate) fn write(&mut self, tree: &TreeView<'_>, rays: &[Ray], results: &mut [Option<Hit>]) {
        let count = std::mem::take(&mut self.count);
        let vectors = self.ray_triangles.iter().zip(&self.hit_points);
        let hits = self.hits[..count].chunks(RAYS_AT_ONCE);
        for ((ray_triangles, hit_points), hits) in vectors.zip(hits) {
            for (i, &(index, id, slot)) in hits.iter().enumerate() {
                let hit_point = hit_points.one(i, &rays[index], &|| ray_triangles.corners(i));
                results[index] = hit_point.and_then(|hit_point| report(tree, id, slot, &hit_point));
            }
        }
    }
}

/// A collector whose results are computed for several rays together.
pub(crate) trait BatchCollector: Collector<Input: Copy> + Copy {
    /// Results that are computed but not yet written: zeros if there are none.
    type Pending: Zeroable;
    /// Rays whose results may be computed together.
    const MAX_BATCH: usize;

    /// Computes the results of at most [`MAX_BATCH`](Self::MAX_BATCH) rays, given by their indices
    /// and collectors. Writes what takes no time to compute; [`write`](Self::write) writes the rest
    /// and must be called before the next batch.
    fn compute<'a, I: Isa>(
        isa: I,
        collectors: impl Iterator<Item = (usize, &'a Self)>,
        tree: &TreeView<'_>,
        rays: &[Ray],
        results: &mut [Self::Output],
        pending: &mut Self::Pending,
    ) where
        Self: 'a;

    fn write(
        pending: &mut Self::Pending,
        tree: &TreeView<'_>,
        rays: &[Ray],
        results: &mut [Self::Output],
    );
}

impl BatchCollector for Closest<'_> {
    type Pending = ExactHitBatch;
    const MAX_BATCH: usize = BATCH;

    #[inline(always)]
    fn compute<'b, I: Isa>(
        isa: I,
        collectors: impl Iterator<Item = (usize, &'b Self)>,
        tree: &TreeView<'_>,
        rays: &[Ray],
        results: &mut [Option<Hit>],
        pending: &mut ExactHitBatch,
    ) where
        Self: 'b,
    {
        let found = collectors.map(|(index, collector)| (index, collector.slot));
        pending.compute(isa, tree, found, rays, results);
    }

    #[inline(always)]
    fn write(
        pending: &mut ExactHitBatch,
        tree: &TreeView<'_>,
        rays: &[Ray],
        results: &mut [Option<Hit>],
    ) {
        pending.write(tree, rays, results);
    }
}

impl BatchCollector for Any<'_> {
    type Pending = ();
    const MAX_BATCH: usize = usize::MAX;

    #[inline(always)]
    fn compute<'b, I: Isa>(
        _isa: I,
        collectors: impl Iterator<Item = (usize, &'b Self)>,
        _tree: &TreeView<'_>,
        _rays: &[Ray],
        results: &mut [bool],
        _pending: &mut (),
    ) where
        Self: 'b,
    {
        for (index, collector) in collectors {
            results[index] = collector.found.is_some();
        }
    }

    #[inline(always)]
    fn write(_: &mut (), _: &TreeView<'_>, _: &[Ray], _: &mut [bool]) {}
}
