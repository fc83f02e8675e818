//! How much of the sky over a point is blocked nearby.

use std::ops::ControlFlow;

use super::batch::{BATCH, any_hit};
use super::hemisphere::{directions, frame, turned};
use super::watch::{Progress, Watch};
use crate::bvh::Bvh;
use crate::error::VisibilityError;
use crate::geometry::Ray;
use crate::platform::parallel;
use crate::scene::Snapshot;
use crate::traverse::Query;
use crate::world::World;

impl Bvh {
    /// Ambient occlusion: for each point the part of the sky over it that is blocked, from 0 (open)
    /// to 1. Each part of the sky counts by the cosine of its angle to the normal, as light falls
    /// in.
    ///
    /// A point is a ray: its origin, and the normal as its direction. Its range says how far
    /// away things block, in lengths of the normal. So
    /// `ray_from(&hit, normal)?.with_range(0.0, radius)` is the sky over a [hit](Self::ray_from) or
    /// a [texel](Self::hit_at), within a radius. 0 for a point whose normal is zero or not finite.
    ///
    /// Every point casts `samples` rays in the same directions, turned to its normal. So what is
    /// blocked depends on the point alone, whatever else is asked, and has no noise: neighbours
    /// differ by steps of `1 / samples`. 64 are enough for most pictures, 256 for smooth ones. None
    /// gives zeros.
    ///
    /// A filter [by index](Query::filter_by_index) is given indexes without meaning.
    ///
    /// Runs on all threads with the feature `parallel`; the answers are the same bits with any
    /// number of them, and with every instruction set. It is fastest if neighbours in the slice are
    /// neighbours in space.
    ///
    /// ```
    /// use hitscan::{Builder, Mesh, Query, Ray};
    ///
    /// let wall = vec![[1.0, -99.0, 99.0], [1.0, 99.0, 0.0], [1.0, -99.0, -99.0]];
    /// let (bvh, _report) = Builder::new().bake(&[Mesh::from_soup(wall)])?;
    /// let ground = |x: f32| Ray::new([x, 0.0, 0.0], [0.0, 1.0, 0.0]).with_range(0.0, 2.0);
    /// let blocked = bvh.occlusion(&[ground(0.9), ground(0.0), ground(-2.0)], 256, &Query::new());
    /// assert!(blocked[0] > 0.4 && blocked[0] < 0.5);
    /// assert!(blocked[1] > 0.1 && blocked[1] < blocked[0]);
    /// assert_eq!(blocked[2], 0.0);
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    #[must_use]
    pub fn occlusion(&self, points: &[Ray], samples: u16, query: &Query<'_>) -> Vec<f32> {
        let progress = &mut |_| ControlFlow::Continue(());
        occlusion((World::Tree(self), query), points, samples, progress).0
    }

    /// As [`occlusion`](Self::occlusion), and calls `progress` with the part that is done: often,
    /// on any thread, never twice at once. It rises from 0 to 1. The work stops soon after
    /// `progress` breaks.
    ///
    /// # Errors
    ///
    /// If `progress` breaks.
    pub fn occlusion_with_progress(
        &self,
        points: &[Ray],
        samples: u16,
        query: &Query<'_>,
        progress: &mut (dyn FnMut(f32) -> ControlFlow<()> + Send),
    ) -> Result<Vec<f32>, VisibilityError> {
        let (blocked, outcome) = occlusion((World::Tree(self), query), points, samples, progress);
        outcome.map(|()| blocked)
    }
}

impl Snapshot {
    /// For each point the part of the sky over it that is blocked, as [`Bvh::occlusion`].
    #[must_use]
    pub fn occlusion(&self, points: &[Ray], samples: u16, query: &Query<'_>) -> Vec<f32> {
        let progress = &mut |_| ControlFlow::Continue(());
        occlusion((World::Scene(self), query), points, samples, progress).0
    }

    /// As [`occlusion`](Self::occlusion), with progress as [`Bvh::occlusion_with_progress`] reports
    /// it.
    ///
    /// # Errors
    ///
    /// If `progress` breaks.
    pub fn occlusion_with_progress(
        &self,
        points: &[Ray],
        samples: u16,
        query: &Query<'_>,
        progress: &mut (dyn FnMut(f32) -> ControlFlow<()> + Send),
    ) -> Result<Vec<f32>, VisibilityError> {
        let (blocked, outcome) = occlusion((World::Scene(self), query), points, samples, progress);
        outcome.map(|()| blocked)
    }
}

/// Rays that a thread takes at a time.
const PIECE: usize = 16 * BATCH;

/// How much is blocked, and whether all of it was asked.
fn occlusion<'p>(
    (world, query): (World<'_>, &Query<'_>),
    points: &[Ray],
    samples: u16,
    progress: &'p mut Progress<'p>,
) -> (Vec<f32>, Result<(), VisibilityError>) {
    let watch = Watch::new(points.len().saturating_mul(samples.into()), progress);
    let mut blocked = vec![0.0; points.len()];
    let (directions, threads) = (directions(samples), parallel::threads());
    // Each point is answered by itself, so how many are taken at a time changes no answer.
    let most = PIECE / usize::from(samples.max(1));
    let piece = most.min(points.len().div_ceil(8 * threads)).max(1);
    let pieces = points.chunks(piece).zip(blocked.chunks_mut(piece));
    parallel::share(threads, pieces, Workspace::default, |workspace, (points, blocked)| {
        workspace.count((world, query), points, &directions, &watch);
        for (blocked, &count) in blocked.iter_mut().zip(&workspace.counts) {
            *blocked = count as f32 / f32::from(samples.max(1));
        }
    });
    (blocked, watch.finish())
}

/// The memory of a thread.
#[derive(Default)]
struct Workspace {
    /// Points as frames, with their numbers. Those without a normal are left out.
    frames: Vec<(usize, [[f64; 3]; 3])>,
    rays: Vec<Ray>,
    found: Vec<bool>,
    /// Blocked rays of each point.
    counts: Vec<u32>,
}

impl Workspace {
    /// Counts the blocked rays of each point, for one direction after the other: rays from
    /// neighbours in one direction are coherent.
    fn count(
        &mut self,
        (world, query): (World<'_>, &Query<'_>),
        points: &[Ray],
        directions: &[[f64; 3]],
        watch: &Watch<'_>,
    ) {
        let Self { frames, rays, found, counts } = self;
        counts.clear();
        counts.resize(points.len(), 0);
        frames.clear();
        frames.extend(points.iter().enumerate().filter_map(|(i, at)| Some((i, frame(at.dir)?))));
        let whole = frames.len() * directions.len();
        for first in (0..whole).step_by(BATCH) {
            if !watch.keeps_going() {
                return;
            }
            let batch = first..whole.min(first + BATCH);
            rays.clear();
            rays.extend(batch.clone().map(|i| {
                let (point, frame) = &frames[i % frames.len()];
                let dir = turned(frame, directions[i / frames.len()]);
                Ray { dir, ..points[*point] }
            }));
            found.resize(rays.len(), false);
            any_hit(world, query, rays, found);
            for (i, &blocked) in batch.clone().zip(&*found) {
                counts[frames[i % frames.len()].0] += u32::from(blocked);
            }
            watch.advance(batch.len());
        }
    }
}
