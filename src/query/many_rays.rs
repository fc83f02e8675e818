//! Many rays in one call, on all threads with the feature `parallel`.

use crate::bvh::Bvh;
use crate::error::BatchError;
use crate::geometry::Ray;
use crate::platform::parallel;
use crate::traverse::{AnyPacket, Batch, ClosestPacket, Hit, MAX_INCOHERENT, Query, trace_tree};

/// The most rays that a thread takes at a time: enough for some lines of a picture.
const MAX_CHUNK: usize = MAX_INCOHERENT;
/// The fewest, where there would be too little for all threads.
pub(crate) const MIN_CHUNK: usize = 1024;
/// The fewest of questions that take longer than a ray's, by some microseconds.
const MIN_SHAPES: usize = 64;

/// Fewer rays are asked one by one whether they hit anything: each first looks at what stopped the
/// ray before it, so a packet of them is slower.
pub(crate) const MIN_ANY: usize = 24;

impl Bvh {
    /// The nearest hit of each ray: the same bits as [`closest_hit`](Self::closest_hit), whatever
    /// the number of threads.
    ///
    /// Neighbours in the slice that run nearly the same way are traced together in packets: a
    /// picture's rays line by line, or rays from nearby points to one light. Other rays are traced
    /// many at a time (with AVX2 and AVX-512). If the tree is larger than the caches and those rays
    /// are shuffled, they are sorted by origin first. The batch decides this by itself. A batch of
    /// hundreds of rays takes 10 to 65 % less time than single queries, depending on the rays and
    /// the CPU. From sixteen rays on it takes no more.
    ///
    /// With the feature `parallel`, more than 1,024 rays are divided among the threads of the rayon
    /// pool that the caller is in (`ThreadPool::install`), or of the global one. To stay on the
    /// calling thread, pass at most 1,024 rays per call, or call it inside a rayon pool of one
    /// thread. The same holds for the other batch methods.
    ///
    /// ```
    /// use hitscan::{Builder, Mesh, Query, Ray};
    ///
    /// let floor = Mesh::from_soup(vec![[-9.0, 0.0, -9.0], [0.0, 0.0, 9.0], [9.0, 0.0, -9.0]]);
    /// let (bvh, _report) = Builder::new().bake(&[floor])?;
    /// let rays = [1.0, 2.0, -3.0].map(|y| Ray::new([0.0, y, 0.0], [0.0, -1.0, 0.0]));
    /// let mut hits = [None; 3];
    /// bvh.closest_hit_batch(&rays, &Query::new(), &mut hits)?;
    /// assert_eq!(hits.map(|hit| hit.map(|hit| hit.t)), [Some(1.0), Some(2.0), None]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If `hits` is not as long as `rays`; then nothing is written.
    pub fn closest_hit_batch(
        &self,
        rays: &[Ray],
        query: &Query<'_>,
        hits: &mut [Option<Hit>],
    ) -> Result<(), BatchError> {
        in_chunks(rays, hits, |first, rays, hits| {
            self.closest_hit_chunk(first, rays, query, hits);
        })
    }

    /// Whether each ray hits anything: the same as [`any_hit`](Self::any_hit), on all threads as
    /// [`closest_hit_batch`](Self::closest_hit_batch).
    ///
    /// # Errors
    ///
    /// If `found` is not as long as `rays`; then nothing is written.
    pub fn any_hit_batch(
        &self,
        rays: &[Ray],
        query: &Query<'_>,
        found: &mut [bool],
    ) -> Result<(), BatchError> {
        in_chunks(rays, found, |first, rays, found| {
            self.any_hit_chunk(first, rays, query, found);
        })
    }

    /// Every hit of each ray, in a list for each: the same as [`all_hits`](Self::all_hits), on all
    /// threads as [`closest_hit_batch`](Self::closest_hit_batch). Lists keep their memory.
    ///
    /// # Errors
    ///
    /// If `hits` is not as long as `rays`; then nothing is written.
    pub fn all_hits_batch(
        &self,
        rays: &[Ray],
        query: &Query<'_>,
        hits: &mut [Vec<Hit>],
    ) -> Result<(), BatchError> {
        in_chunks(rays, hits, |first, rays, hits| {
            self.all_hits_chunk(first, rays, query, hits);
        })
    }
}

/// Chunks of a batch: `first` is the number of the first ray.
impl Bvh {
    pub(crate) fn closest_hit_chunk(
        &self,
        first: usize,
        rays: &[Ray],
        query: &Query<'_>,
        hits: &mut [Option<Hit>],
    ) {
        let input = &self.accepted_by(query);
        let batch = Batch { tree: input.tree, first, rays, input };
        trace_tree::<ClosestPacket<'_>>(batch, query.isa, hits);
    }

    pub(crate) fn any_hit_chunk(
        &self,
        first: usize,
        rays: &[Ray],
        query: &Query<'_>,
        found: &mut [bool],
    ) {
        let input = &self.accepted_by(query);
        if rays.len() < MIN_ANY {
            for (i, (ray, found)) in rays.iter().zip(found).enumerate() {
                *found = input.any(first + i, ray);
            }
            return;
        }
        let batch = Batch { tree: input.tree, first, rays, input };
        trace_tree::<AnyPacket<'_>>(batch, query.isa, found);
    }

    pub(crate) fn all_hits_chunk(
        &self,
        first: usize,
        rays: &[Ray],
        query: &Query<'_>,
        hits: &mut [Vec<Hit>],
    ) {
        let filter = &self.accepted_by(query);
        for (i, (ray, hits)) in rays.iter().zip(hits).enumerate() {
            filter.all(first + i, ray, hits);
        }
    }
}

/// How many questions a thread takes at a time, at least `least`.
pub(crate) fn chunk_size(least: usize, count: usize) -> usize {
    let fair = count / (4 * parallel::threads());
    fair.next_power_of_two().clamp(least, MAX_CHUNK)
}

/// Fills `results` with an answer for each ray: `answer` is given the index of the first
/// of some rays, the rays, and their results, on any thread.
pub(crate) fn in_chunks<Q: Sync, R: Send>(
    rays: &[Q],
    results: &mut [R],
    answer: impl Fn(usize, &[Q], &mut [R]) + Sync,
) -> Result<(), BatchError> {
    in_chunks_of(MIN_CHUNK, rays, results, answer)
}

/// Fills `results` with an answer for each shape: `answer` is given the index of a shape and the
/// shape, on any thread.
pub(crate) fn for_each_shape<Q: Sync, R: Send>(
    shapes: &[Q],
    results: &mut [R],
    answer: impl Fn(usize, &Q) -> R + Sync,
) -> Result<(), BatchError> {
    in_chunks_of(MIN_SHAPES, shapes, results, |first, shapes, results| {
        for (i, (shape, result)) in shapes.iter().zip(results).enumerate() {
            *result = answer(first + i, shape);
        }
    })
}

fn in_chunks_of<Q: Sync, R: Send>(
    least: usize,
    questions: &[Q],
    results: &mut [R],
    answer: impl Fn(usize, &[Q], &mut [R]) + Sync,
) -> Result<(), BatchError> {
    if questions.len() != results.len() {
        return Err(BatchError::results(questions.len(), results.len()));
    }
    if questions.len() <= least || cfg!(not(feature = "parallel")) {
        answer(0, questions, results);
        return Ok(());
    }
    let size = chunk_size(least, questions.len());
    let chunks = questions.chunks(size).zip(results.chunks_mut(size)).enumerate().collect();
    parallel::map_each(true, chunks, |(i, (questions, results))| {
        answer(i * size, questions, results);
    });
    Ok(())
}
