//! Collectors of many rays.

// What the callers of many rays are told, worked out eight at a time.
//
// Many unlike rays are put side by side before the first are worked out: what is written number by number,
// and read as a vector right away, is waited for. Neighbours mostly hit triangles of one block or two, of which
// vectors are made without that.

use super::collector::{Collector, corners};
use super::report::{block_and_lane, report};
use super::{Any, Closest, Filter};
use crate::bvh::TreeView;
use crate::geometry::Ray;
use crate::simd::Isa;
use crate::traverse::hit::Hit;
use crate::traverse::ray::exact_hit::{HitPointX8, RAYS_AT_ONCE, RayTriangleX8};

/// Unlike rays are put side by side so many at a time.
pub(crate) const SOME: usize = 4 * RAYS_AT_ONCE;

/// Unlike rays side by side that hit something, and where.
pub(crate) struct ExactHitBatch {
    count: usize,
    abreast: [RayTriangleX8; SOME / RAYS_AT_ONCE],
    hit_point: [HitPointX8; SOME / RAYS_AT_ONCE],
    /// Each ray's number, its triangle's, and where that is kept.
    hits: [(usize, u32, u32); SOME],
}

impl ExactHitBatch {
    /// Nobody.
    pub(crate) const NONE: Self = Self {
        count: 0,
        abreast: [RayTriangleX8::ROOM; SOME / RAYS_AT_ONCE],
        hit_point: [HitPointX8::ROOM; SOME / RAYS_AT_ONCE],
        hits: [(0, 0, 0); SOME],
    };

    /// Takes rays, [`SOME`] at the most, and works out where they hit: `found` brings where a ray's triangle is
    /// kept, or `NO_SLOT`, by the ray's number. Results of those that hit nothing are written.
    #[inline(always)]
    pub(crate) fn take<I: Isa>(
        &mut self,
        tree: &TreeView<'_>,
        found: impl Iterator<Item = (usize, u32)>,
        rays: &[Ray],
        results: &mut [Option<Hit>],
    ) {
        debug_assert_eq!(self.count, 0, "what was worked out before is written");
        let mut count = 0;
        for (number, slot) in found {
            let Some((block, lane)) = block_and_lane(tree, slot) else {
                results[number] = None;
                continue;
            };
            let eight = &mut self.abreast[count / RAYS_AT_ONCE];
            eight.set_ray(count, &rays[number]);
            eight.set_triangle(count, &corners(block, lane));
            self.hits[count] = (number, block.id[lane], slot);
            count += 1;
        }
        self.count = count;
        let eights = self.abreast[..count.div_ceil(RAYS_AT_ONCE)].iter();
        for (eight, hit_point) in eights.zip(&mut self.hit_point) {
            *hit_point = eight.exact_hit::<I>();
        }
    }

    /// Writes the results of those that hit something.
    #[inline(always)]
    pub(crate) fn write(&mut self, tree: &TreeView<'_>, rays: &[Ray], results: &mut [Option<Hit>]) {
        let count = std::mem::take(&mut self.count);
        let eights = self.abreast.iter().zip(&self.hit_point);
        for ((eight, hit_point), hits) in eights.zip(self.hits[..count].chunks(RAYS_AT_ONCE)) {
            for (i, &(number, id, slot)) in hits.iter().enumerate() {
                let hit_point = hit_point.one(i, &rays[number], &|| eight.corners(i));
                results[number] =
                    hit_point.and_then(|hit_point| report(tree, id, slot, &hit_point));
            }
        }
    }
}

/// A visitor of one of many rays, whose results are worked out side by side.
pub(crate) trait BatchCollector: Collector<Input: Copy> + Copy {
    /// What is worked out of results, but not written yet.
    type Answers;
    /// Nothing.
    const NO_ANSWERS: Self::Answers;
    /// Results of so many are worked out at once.
    const MOST: usize;

    /// Some walks are over, [`MOST`](Self::MOST) at the most: each visitor's ray, and where its result goes, goes by
    /// its number. Works their results out; what is known as soon as that is written, the rest by
    /// [`write`](Self::write), which must have been called since the last time.
    fn answer<'a, I: Isa>(
        collectors: impl Iterator<Item = (usize, &'a Self)>,
        tree: &TreeView<'_>,
        rays: &[Ray],
        results: &mut [Self::Output],
        answers: &mut Self::Answers,
    ) where
        Self: 'a;

    /// Writes the results that are worked out.
    fn write(
        answers: &mut Self::Answers,
        tree: &TreeView<'_>,
        rays: &[Ray],
        results: &mut [Self::Output],
    );
}

impl<'a, F: Filter + Copy> BatchCollector for Closest<'a, F> {
    type Answers = ExactHitBatch;
    const NO_ANSWERS: ExactHitBatch = ExactHitBatch::NONE;
    const MOST: usize = SOME;

    #[inline(always)]
    fn answer<'b, I: Isa>(
        collectors: impl Iterator<Item = (usize, &'b Self)>,
        tree: &TreeView<'_>,
        rays: &[Ray],
        results: &mut [Option<Hit>],
        answers: &mut ExactHitBatch,
    ) where
        Self: 'b,
    {
        let found = collectors.map(|(number, collector)| (number, collector.slot));
        answers.take::<I>(tree, found, rays, results);
    }

    #[inline(always)]
    fn write(
        answers: &mut ExactHitBatch,
        tree: &TreeView<'_>,
        rays: &[Ray],
        results: &mut [Option<Hit>],
    ) {
        answers.write(tree, rays, results);
    }
}

impl<'a, F: Filter + Copy> BatchCollector for Any<'a, F> {
    type Answers = ();
    const NO_ANSWERS: () = ();
    const MOST: usize = usize::MAX;

    #[inline(always)]
    fn answer<'b, I: Isa>(
        collectors: impl Iterator<Item = (usize, &'b Self)>,
        _tree: &TreeView<'_>,
        _rays: &[Ray],
        results: &mut [bool],
        _answers: &mut (),
    ) where
        Self: 'b,
    {
        for (number, collector) in collectors {
            results[number] = collector.found.is_some();
        }
    }

    #[inline(always)]
    fn write(_: &mut (), _: &TreeView<'_>, _: &[Ray], _: &mut [bool]) {}
}
