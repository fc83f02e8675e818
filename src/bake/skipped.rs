//! Triangles that the bake leaves out.

use serde::{Deserialize, Serialize};

/// Why a triangle was left out.
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
    /// All of them, in order.
    const ALL: [Self; 3] = [Self::Degenerate, Self::NonFinite, Self::OutOfRange];

    /// In a few words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Degenerate => "without area",
            Self::NonFinite => "not finite",
            Self::OutOfRange => "with indices out of range",
        }
    }
}

/// A triangle that was left out, as the caller numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SkippedTriangle {
    /// Its mesh.
    pub mesh: u32,
    /// Its number in the mesh.
    pub triangle: u32,
    /// Why.
    pub reason: SkipReason,
}

/// The most triangles that are listed for each reason.
const LISTED: usize = 1000;

/// Triangles that were left out: their number by reason, and the first of each.
#[derive(Default)]
pub(super) struct Skipped {
    counts: [u64; 3],
    listed: Vec<SkippedTriangle>,
}

impl Skipped {
    /// How many for a reason.
    pub(super) fn count(&self, reason: SkipReason) -> u64 {
        self.counts[reason as usize]
    }

    /// The first of each reason, by mesh and number.
    pub(super) fn into_list(self) -> Vec<SkippedTriangle> {
        self.listed
    }

    pub(super) fn add(&mut self, reason: SkipReason, mesh: usize, triangle: usize) {
        if self.counts[reason as usize] < LISTED as u64 {
            self.listed.push(SkippedTriangle {
                mesh: mesh as u32,
                triangle: triangle as u32,
                reason,
            });
        }
        self.counts[reason as usize] += 1;
    }

    /// Takes in those that come behind these.
    pub(super) fn append(&mut self, others: Self) {
        let mut room =
            SkipReason::ALL.map(|reason| LISTED as u64 - self.count(reason).min(LISTED as u64));
        self.listed.extend(others.listed.into_iter().filter(|skipped| {
            let room = &mut room[skipped.reason as usize];
            let fits = *room > 0;
            *room = room.saturating_sub(1);
            fits
        }));
        for (count, other) in self.counts.iter_mut().zip(others.counts) {
            *count += other;
        }
    }
}
