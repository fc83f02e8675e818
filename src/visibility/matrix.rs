//! Which of some points see which others.

use std::fmt;
use std::ops::ControlFlow;

use glam::Vec3;

use super::batch::{BATCH, any_hit};
use super::watch::{Progress, Watch};
use crate::bvh::Bvh;
use crate::error::{VisibilityError, VisibilityErrorKind};
use crate::geometry::Ray;
use crate::platform::parallel;
use crate::scene::Snapshot;
use crate::traverse::Query;
use crate::world::World;

/// Which of some points see which others: a bit for each pair. See [`Bvh::visibility`].
#[derive(Clone, PartialEq, Eq)]
pub struct Visibility {
    rows: usize,
    columns: usize,
    /// Row by row, without gaps. Bits beyond the last pair are zero.
    words: Vec<u64>,
}

impl Visibility {
    /// The number of points that look.
    #[must_use]
    pub fn from_count(&self) -> usize {
        self.rows
    }

    /// The number of points that are looked at.
    #[must_use]
    pub fn to_count(&self) -> usize {
        self.columns
    }

    /// Whether the point number `from` sees the point number `to`; `false` if there is no such
    /// point.
    #[must_use]
    pub fn sees(&self, from: usize, to: usize) -> bool {
        if from >= self.rows || to >= self.columns {
            return false;
        }
        let pair = from * self.columns + to;
        self.words[pair / 64] >> (pair % 64) & 1 != 0
    }

    /// The numbers of the points that the point number `from` sees, in order; none if there is no
    /// such point.
    pub fn seen_from(&self, from: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.columns).filter(move |&to| self.sees(from, to))
    }

    /// How many pairs see each other.
    #[must_use]
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }
}

/// The numbers of points and pairs: the bits may be megabytes of text.
impl fmt::Debug for Visibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Visibility")
            .field("from_count", &self.rows)
            .field("to_count", &self.columns)
            .field("count", &self.count())
            .finish_non_exhaustive()
    }
}

impl Bvh {
    /// Which of the points `from` see which of the points `to`: those with nothing in the way on
    /// [the line between them](Ray::between), ends included, that the query counts.
    ///
    /// A point that lies on a surface sees nothing, as far as rounding puts it on or behind that
    /// surface: give the origin of [`ray_from`](Self::ray_from), which is beside it. Points in the
    /// same place see each other. A point with a coordinate that is not finite sees nothing, and so
    /// do points whose difference is beyond the range of `f32`.
    ///
    /// A filter [by index](Query::filter_by_index) is given indexes without meaning.
    ///
    /// Takes a bit of memory for each pair. Runs on all threads with the feature `parallel`; the
    /// answers are the same with any number of them, and with every instruction set. The rays from
    /// one point follow each other, so it is fastest if neighbours in `to` are near each other.
    ///
    /// ```
    /// use hitscan::{Builder, Mesh, Query};
    ///
    /// let wall = Mesh::from_soup(vec![[0.0, -9.0, -9.0], [0.0, 9.0, 0.0], [0.0, -9.0, 9.0]]);
    /// let (bvh, _report) = Builder::new().bake(&[wall])?;
    /// let lamps = [[-2.0, 0.0, 0.0], [2.0, 0.0, 0.0]];
    /// let rooms = [[-3.0, 1.0, 0.0], [3.0, 1.0, 0.0], [4.0, -1.0, 0.0]];
    /// let seen = bvh.visibility(&lamps, &rooms, &Query::new())?;
    /// assert!(seen.sees(0, 0) && !seen.sees(0, 1));
    /// assert!(seen.seen_from(1).eq([1, 2]));
    /// assert_eq!(seen.count(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If there is not enough memory for a bit for each pair.
    pub fn visibility(
        &self,
        from: &[[f32; 3]],
        to: &[[f32; 3]],
        query: &Query<'_>,
    ) -> Result<Visibility, VisibilityError> {
        self.visibility_with_progress(from, to, query, &mut |_| ControlFlow::Continue(()))
    }

    /// As [`visibility`](Self::visibility), and calls `progress` with the part that is done: often,
    /// on any thread, never twice at once. It rises from 0 to 1. The work stops soon after
    /// `progress` breaks.
    ///
    /// # Errors
    ///
    /// If there is not enough memory for a bit for each pair, or `progress` breaks.
    pub fn visibility_with_progress(
        &self,
        from: &[[f32; 3]],
        to: &[[f32; 3]],
        query: &Query<'_>,
        progress: &mut (dyn FnMut(f32) -> ControlFlow<()> + Send),
    ) -> Result<Visibility, VisibilityError> {
        matrix((World::Tree(self), query), from, to, progress)
    }
}

impl Snapshot {
    /// Which of the points `from` see which of the points `to`, as [`Bvh::visibility`].
    ///
    /// # Errors
    ///
    /// If there is not enough memory for a bit for each pair.
    pub fn visibility(
        &self,
        from: &[[f32; 3]],
        to: &[[f32; 3]],
        query: &Query<'_>,
    ) -> Result<Visibility, VisibilityError> {
        self.visibility_with_progress(from, to, query, &mut |_| ControlFlow::Continue(()))
    }

    /// As [`visibility`](Self::visibility), with progress as
    /// [`Bvh::visibility_with_progress`] reports it.
    ///
    /// # Errors
    ///
    /// If there is not enough memory for a bit for each pair, or `progress` breaks.
    pub fn visibility_with_progress(
        &self,
        from: &[[f32; 3]],
        to: &[[f32; 3]],
        query: &Query<'_>,
        progress: &mut (dyn FnMut(f32) -> ControlFlow<()> + Send),
    ) -> Result<Visibility, VisibilityError> {
        matrix((World::Scene(self), query), from, to, progress)
    }
}

/// Words whose bits are one batch.
const WORDS: usize = BATCH / 64;

fn matrix<'p>(
    (world, query): (World<'_>, &Query<'_>),
    from: &[[f32; 3]],
    to: &[[f32; 3]],
    progress: &'p mut Progress<'p>,
) -> Result<Visibility, VisibilityError> {
    let too_large = || {
        let message = format!("there is not enough memory for {} by {} bits", from.len(), to.len());
        VisibilityError::new(VisibilityErrorKind::TooLarge, message)
    };
    let pairs = from.len().checked_mul(to.len()).ok_or_else(too_large)?;
    let mut words = Vec::new();
    words.try_reserve_exact(pairs.div_ceil(64)).map_err(|_| too_large())?;
    words.resize(pairs.div_ceil(64), 0);

    let watch = Watch::new(pairs, progress);
    let line = |pair: usize| {
        let [a, b] = [from[pair / to.len()], to[pair % to.len()]].map(Vec3::from_array);
        Ray::between(a, b)
    };
    let batches = words.chunks_mut(WORDS).enumerate();
    let memory = || (Vec::with_capacity(BATCH), [false; BATCH]);
    parallel::share(parallel::threads(), batches, memory, |(rays, found), (batch, words)| {
        if !watch.keeps_going() {
            return;
        }
        let first = batch * BATCH;
        let count = BATCH.min(pairs - first);
        rays.clear();
        rays.extend((first..first + count).map(line));
        any_hit(world, query, rays, &mut found[..count]);
        for (i, (ray, blocked)) in rays.iter().zip(&*found).enumerate() {
            let sees = !blocked && ray.origin.is_finite() && ray.dir.is_finite();
            words[i / 64] |= u64::from(sees) << (i % 64);
        }
        watch.advance(count);
    });
    watch.finish()?;
    Ok(Visibility { rows: from.len(), columns: to.len(), words })
}
