//! Rays of a batch through a scene, and what they are asked.

use std::marker::PhantomData;

use super::collectors::{KeepBest, SceneQuery};
use super::{CastInScene, TopLevels};
use crate::geometry::Ray;
use crate::simd::Isa;
use crate::traverse::options::Query;

/// Consecutive rays of the caller's batch, and what they are asked.
pub(crate) struct ManyInScene<'a, K> {
    pub(crate) tops: &'a TopLevels<'a>,
    /// The index of the first of `rays` in the caller's batch.
    pub(crate) first: usize,
    pub(crate) rays: &'a [Ray],
    pub(crate) query: &'a Query<'a>,
    /// What each keeps.
    pub(crate) kept: PhantomData<fn() -> K>,
}

impl<K> Clone for ManyInScene<'_, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for ManyInScene<'_, K> {}

impl<'a, K: KeepBest> ManyInScene<'a, K> {
    /// What the ray of this index is asked.
    #[inline(always)]
    pub(super) fn question(&self, index: usize) -> SceneQuery<'a> {
        SceneQuery { query: self.query, index: self.first + index }
    }

    /// Asks the ray of this index by itself.
    #[inline(always)]
    pub(super) fn cast_alone<I: Isa>(&self, isa: I, index: usize) -> K {
        let (query, kept) = (self.question(index), K::default());
        isa.call_outlined(CastInScene { tops: self.tops, ray: &self.rays[index], query, kept })
    }
}
