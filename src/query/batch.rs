//! Many rays in one call, on every core with the feature `parallel`.

use super::bundle::Bundle;
use super::visitors::{Any, Closest, Every};
use super::{Hit, HitList, Query};
use crate::BatchError;
use crate::bvh::BvhView;
use crate::geometry::Ray;
use crate::simd;

/// Rays that one thread takes at a time.
#[cfg(feature = "parallel")]
const CHUNK: usize = 1024;

/// Fills `results` with an answer a ray: `chunk` is given the number of its first one, some rays and
/// as many results.
fn chunks<R: Send>(
    rays: &[Ray],
    results: &mut [R],
    chunk: impl Fn(usize, &[Ray], &mut [R]) + Sync,
) -> Result<(), BatchError> {
    if rays.len() != results.len() {
        return Err(BatchError {
            rays: rays.len(),
            results: results.len(),
        });
    }
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        let chunks = rays.par_chunks(CHUNK).zip(results.par_chunks_mut(CHUNK));
        chunks
            .enumerate()
            .for_each(|(i, (rays, results))| chunk(i * CHUNK, rays, results));
    }
    #[cfg(not(feature = "parallel"))]
    chunk(0, rays, results);
    Ok(())
}

/// Fills `results` with an answer a ray, one by one.
fn each<R: Send>(
    rays: &[Ray],
    results: &mut [R],
    answer: impl Fn(usize, &Ray, &mut R) + Sync,
) -> Result<(), BatchError> {
    chunks(rays, results, |first, rays, results| {
        for (i, (ray, result)) in rays.iter().zip(results).enumerate() {
            answer(first + i, ray, result);
        }
    })
}

impl BvhView<'_> {
    /// The nearest hit of each ray: the same bits as
    /// [`closest_hit`](BvhView::closest_hit) for each, whatever the number of threads.
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
        let input = &self.sieve(query, Every);
        chunks(rays, hits, |_, rays, results| {
            simd::run(
                query.level,
                Bundle::<Closest<'_, _>> {
                    tree: self,
                    rays,
                    input,
                    results,
                },
            );
        })
    }

    /// The nearest hit of each ray that a filter accepts. The filter is given the ray's index
    /// too, and may be called from several threads at once.
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
        each(rays, hits, |i, ray, hit| {
            *hit = self.closest_hit_where(ray, query, |hit| filter(i, hit));
        })
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
        let input = &self.sieve(query, Every);
        chunks(rays, found, |_, rays, results| {
            simd::run(
                query.level,
                Bundle::<Any<'_, _>> {
                    tree: self,
                    rays,
                    input,
                    results,
                },
            );
        })
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
        each(rays, found, |i, ray, found| {
            *found = self.any_hit_where(ray, query, |hit| filter(i, hit));
        })
    }

    /// Every hit of each ray, in a list each (see [`all_hits`](BvhView::all_hits)). Lists keep
    /// their memory.
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
        each(rays, hits, |_, ray, hits| self.all(ray, query, hits, Every))
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
