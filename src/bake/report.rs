//! What a bake reports.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::progress::Stage;
use crate::bvh::BakeSummary;

/// What a bake did and how long it took.
///
/// On `wasm32-unknown-unknown`, which has no clock, all times are zero.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BakeReport {
    /// Counts and costs. They are the same for the same bake and are stored with the tree.
    pub summary: BakeSummary,
    /// Triangles that were skipped, in order: the first 1,000 of each reason. The summary counts
    /// all of them.
    pub skipped: Vec<SkippedTriangle>,
    /// How long each stage took, in order.
    pub stages: Vec<StageTime>,
    /// How long the whole bake took.
    pub total: Duration,
}

/// How long a stage of a bake took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StageTime {
    /// The stage.
    pub stage: Stage,
    /// Wall-clock time.
    pub time: Duration,
}

/// Why a triangle was skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum SkipReason {
    /// Its area is zero: see [`Triangle::is_degenerate`](crate::Triangle::is_degenerate).
    Degenerate,
    /// A coordinate is NaN or infinite.
    NonFinite,
    /// An index names no vertex.
    OutOfRange,
}

impl SkipReason {
    /// A short description.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["without area", "not finite", "with indices out of range"][self as usize]
    }
}

/// A triangle that was skipped, as the caller numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SkippedTriangle {
    /// The mesh.
    pub mesh: u32,
    /// The triangle's number in the mesh.
    pub triangle: u32,
    /// Why it was skipped.
    pub reason: SkipReason,
}

/// The most triangles that are listed for each reason.
const LISTED_EACH: u64 = 1000;

/// Skipped triangles: how many for each reason, and the first of each.
#[derive(Default)]
pub(super) struct Skipped {
    counts: [u64; 3],
    pub(super) listed: Vec<SkippedTriangle>,
}

impl Skipped {
    pub(super) fn count(&self, reason: SkipReason) -> u64 {
        self.counts[reason as usize]
    }

    pub(super) fn add(&mut self, reason: SkipReason, mesh: usize, triangle: usize) {
        let count = &mut self.counts[reason as usize];
        if *count < LISTED_EACH {
            let (mesh, triangle) = (mesh as u32, triangle as u32);
            self.listed.push(SkippedTriangle { mesh, triangle, reason });
        }
        *count += 1;
    }

    /// Appends the skipped triangles of a later piece of the input.
    pub(super) fn append(&mut self, later: Self) {
        let mut listed = self.counts;
        self.listed.extend(later.listed.into_iter().filter(|skipped| {
            let count = &mut listed[skipped.reason as usize];
            *count += 1;
            *count <= LISTED_EACH
        }));
        for (count, more) in self.counts.iter_mut().zip(later.counts) {
            *count += more;
        }
    }
}
