//! Many rays in one call, on every core with the feature `parallel`: on the threads of the rayon pool that the caller
//! is in, or of the global one; up to 1,024 rays on the caller's alone.

use super::RaySoa;
use crate::bvh::BvhView;
use crate::error::BatchError;
use crate::geometry::Ray;
use crate::simd::InstructionSet;
use crate::traverse::collect::collector::Collector;
use crate::traverse::collect::{AcceptAll, BatchFilter};
use crate::traverse::hit::{Hit, HitList};
use crate::traverse::options::Query;
use crate::traverse::packet::{AnyGroup, ClosestGroup, Group};
use crate::traverse::schedule;

/// The most rays that one thread takes at a time, enough for some lines of a picture; and the fewest, if
/// there would not be something for everybody.
#[cfg(feature = "parallel")]
const CHUNK: usize = schedule::UNLIKE;
#[cfg(feature = "parallel")]
const SMALL_CHUNK: usize = 1024;

/// Fills `results` with an answer for each of `rays` rays: `chunk` is given some of them, and the
/// number of the first.
fn chunks<R: Send>(
    rays: usize,
    results: &mut [R],
    chunk: impl Fn(usize, &mut [R]) + Sync,
) -> Result<(), BatchError> {
    if rays != results.len() {
        return Err(BatchError::results(rays, results.len()));
    }
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        // As few as one thread takes at a time need no other, nor anything that would start some.
        if rays <= SMALL_CHUNK {
            chunk(0, results);
            return Ok(());
        }
        let fair = rays / (4 * rayon::current_num_threads());
        let size = fair.next_power_of_two().clamp(SMALL_CHUNK, CHUNK);
        let chunks = results.par_chunks_mut(size).enumerate();
        chunks.for_each(|(i, results)| chunk(i * size, results));
    }
    #[cfg(not(feature = "parallel"))]
    chunk(0, results);
    Ok(())
}

/// Fills `results` with an answer a ray, one by one.
fn each<R: Send>(
    rays: &[Ray],
    results: &mut [R],
    answer: impl Fn(usize, &Ray, &mut R) + Sync,
) -> Result<(), BatchError> {
    chunks(rays.len(), results, |first, results| {
        for (i, result) in results.iter_mut().enumerate() {
            answer(first + i, &rays[first + i], result);
        }
    })
}

/// Fills `results` with a visitor's answer a ray, as [`bundle`] does it.
fn bundles<G>(
    tree: &BvhView<'_>,
    rays: &[Ray],
    input: <G::One as Collector>::Input,
    isa: InstructionSet,
    results: &mut [<G::One as Collector>::Output],
) -> Result<(), BatchError>
where
    G: Group<One: Collector<Input: Copy + Sync, Output: Send> + Copy>,
{
    chunks(rays.len(), results, |first, results| {
        let rays = &rays[first..first + results.len()];
        schedule::ask::<G>(tree, (first, rays), input, isa, results);
    })
}

/// As [`bundles`], for rays column by column.
fn bundles_soa<G>(
    tree: &BvhView<'_>,
    columns: &RaySoa<'_>,
    input: <G::One as Collector>::Input,
    isa: InstructionSet,
    results: &mut [<G::One as Collector>::Output],
) -> Result<(), BatchError>
where
    G: Group<One: Collector<Input: Copy + Sync, Output: Send> + Copy>,
{
    /// Rays that are put together at a time: few enough for a small stack.
    const TOGETHER: usize = 1024;
    chunks(columns.len(), results, |first, results| {
        let mut room = [Ray::new([0.0; 3], [0.0; 3]); TOGETHER];
        for (i, results) in results.chunks_mut(TOGETHER).enumerate() {
            let rays = &mut room[..results.len()];
            let first = first + i * TOGETHER;
            columns.rays(first, rays);
            schedule::ask::<G>(tree, (first, rays), input, isa, results);
        }
    })
}

impl BvhView<'_> {
    /// The nearest hit of each ray: the same bits as
    /// [`closest_hit`](BvhView::closest_hit) for each, whatever the number of threads.
    ///
    /// Neighbours in the slice that run much the same way, such as the rays of a picture line by
    /// line or those from neighbouring points to one light, go through the tree together, by tiles of
    /// several lines if they come in lines. Of unlike ones many are on their way at a time, with AVX2
    /// and AVX-512; where they come shuffled, and the tree is larger than the caches, in the order of where they begin.
    /// Over eleven levels either saves 40 (bounce rays) to 65 % (a picture's) of the time of one
    /// ray after the other on a Zen 5, and 10 to 60 % on a Cascade Lake, from some sixteen rays on, and
    /// nobody need say which they are, or how wide a picture is.
    ///
    /// With the feature `parallel` more than 1,024 rays are shared out among the threads of the rayon pool that the
    /// caller is in (`ThreadPool::install`), or of the global one, as those of every batch are. To keep to
    /// the calling thread, as a program with a job system of its own wants, ask 1,024 at a time, or be in a
    /// pool of one.
    ///
    /// # Errors
    ///
    /// If `hits` is not as long as `rays`; then nothing is written.
    pub fn closest_hits(
        &self,
        rays: &[Ray],
        query: &Query,
        hits: &mut [Option<Hit>],
    ) -> Result<(), BatchError> {
        bundles::<ClosestGroup<'_, _>>(
            self,
            rays,
            &self.hit_filter(query, AcceptAll),
            query.isa,
            hits,
        )
    }

    /// As [`closest_hits`](Self::closest_hits), for rays column by column.
    ///
    /// # Errors
    ///
    /// If `hits` is not as long as `rays`; then nothing is written.
    pub fn closest_hits_soa(
        &self,
        rays: &RaySoa<'_>,
        query: &Query,
        hits: &mut [Option<Hit>],
    ) -> Result<(), BatchError> {
        bundles_soa::<ClosestGroup<'_, _>>(
            self,
            rays,
            &self.hit_filter(query, AcceptAll),
            query.isa,
            hits,
        )
    }

    /// The nearest hit of each ray that a filter accepts (see
    /// [`closest_hit_where`](BvhView::closest_hit_where)). The filter is given the ray's index too, and may be
    /// called from several threads at once. What it costs itself aside, it adds a tenth to the time of
    /// [`closest_hits`](Self::closest_hits).
    ///
    /// # Errors
    ///
    /// If `hits` is not as long as `rays`; then nothing is written.
    pub fn closest_hits_where(
        &self,
        rays: &[Ray],
        query: &Query,
        hits: &mut [Option<Hit>],
        filter: impl Fn(usize, &Hit) -> bool + Sync,
    ) -> Result<(), BatchError> {
        let hit_filter = self.hit_filter(query, BatchFilter(&filter));
        bundles::<ClosestGroup<'_, _>>(self, rays, &hit_filter, query.isa, hits)
    }

    /// Whether each ray hits anything.
    ///
    /// # Errors
    ///
    /// If `found` is not as long as `rays`; then nothing is written.
    pub fn any_hits(
        &self,
        rays: &[Ray],
        query: &Query,
        found: &mut [bool],
    ) -> Result<(), BatchError> {
        bundles::<AnyGroup<'_, _>>(self, rays, &self.hit_filter(query, AcceptAll), query.isa, found)
    }

    /// As [`any_hits`](Self::any_hits), for rays column by column.
    ///
    /// # Errors
    ///
    /// If `found` is not as long as `rays`; then nothing is written.
    pub fn any_hits_soa(
        &self,
        rays: &RaySoa<'_>,
        query: &Query,
        found: &mut [bool],
    ) -> Result<(), BatchError> {
        bundles_soa::<AnyGroup<'_, _>>(
            self,
            rays,
            &self.hit_filter(query, AcceptAll),
            query.isa,
            found,
        )
    }

    /// Whether each ray hits anything that a filter accepts (see
    /// [`closest_hits_where`](Self::closest_hits_where)).
    ///
    /// # Errors
    ///
    /// If `found` is not as long as `rays`; then nothing is written.
    pub fn any_hits_where(
        &self,
        rays: &[Ray],
        query: &Query,
        found: &mut [bool],
        filter: impl Fn(usize, &Hit) -> bool + Sync,
    ) -> Result<(), BatchError> {
        let hit_filter = self.hit_filter(query, BatchFilter(&filter));
        bundles::<AnyGroup<'_, _>>(self, rays, &hit_filter, query.isa, found)
    }

    /// Every hit of each ray, in a list each, one ray by one (see [`all_hits`](BvhView::all_hits)). Lists
    /// keep their memory.
    ///
    /// # Errors
    ///
    /// If `hits` is not as long as `rays`; then nothing is written.
    pub fn all_hits_each(
        &self,
        rays: &[Ray],
        query: &Query,
        hits: &mut [HitList],
    ) -> Result<(), BatchError> {
        each(rays, hits, |_, ray, hits| self.all(ray, query, hits, AcceptAll))
    }

    /// Every hit of each ray that a filter accepts (see
    /// [`closest_hits_where`](Self::closest_hits_where)).
    ///
    /// # Errors
    ///
    /// If `hits` is not as long as `rays`; then nothing is written.
    pub fn all_hits_each_where(
        &self,
        rays: &[Ray],
        query: &Query,
        hits: &mut [HitList],
        filter: impl Fn(usize, &Hit) -> bool + Sync,
    ) -> Result<(), BatchError> {
        each(rays, hits, |i, ray, hits| {
            self.all_hits_where(ray, query, hits, |hit| filter(i, hit));
        })
    }
}
