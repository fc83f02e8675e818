//! What a bake can be told, and what it tells while it runs.

use serde::{Deserialize, Serialize};

use super::split::Splitting;

/// How much work goes into the tree, by what is done. Hits are the same bit for bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Quality {
    /// Binned surface area heuristic (Wald 2007) down to single triangles, 32 bins an axis, and the
    /// optimal collapse into nodes of sixteen (Ylitie, Karras and Laine 2017). Each triangle is in
    /// one leaf. Right for meshes of evenly sized triangles: scans, terrains.
    #[default]
    Balanced,
    /// The same with spatial splits (Stich, Friedrich and Dietrich 2009): where large triangles lie
    /// across small ones, as in most architecture, they are referred to from several leaves, up to
    /// half as many references more than triangles. Takes two to five times as long to bake;
    /// queries take up to a fifth less time, at worst a few percent more.
    Best,
}

impl Quality {
    /// How much spatial splitting there is.
    pub(super) fn splitting(self) -> Option<Splitting> {
        match self {
            Self::Balanced => None,
            // A lower gate than this makes trees larger and no faster, by measurement on levels.
            Self::Best => Some(Splitting {
                gate: 1e-4,
                budget: 0.5,
            }),
        }
    }
}

/// What to do with triangles that have non-finite coordinates or name vertices that are
/// not there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BadTriangles {
    /// Refuse the bake with an error that names mesh and triangle.
    #[default]
    Error,
    /// Leave them out and count them.
    Skip,
}

/// A stage of the bake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Reading and checking triangles.
    Gather,
    /// Building the binary tree.
    Split,
    /// Choosing the wide tree.
    Collapse,
    /// Writing nodes and leaf blocks.
    Layout,
}

impl Stage {
    /// Its name in small letters.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Gather => "gather",
            Self::Split => "split",
            Self::Collapse => "collapse",
            Self::Layout => "layout",
        }
    }

    /// The parts of the whole at which the stage starts and ends, by measurement.
    pub(crate) fn span(self) -> (f32, f32) {
        match self {
            Self::Gather => (0.0, 0.1),
            Self::Split => (0.1, 0.75),
            Self::Collapse => (0.75, 0.9),
            Self::Layout => (0.9, 1.0),
        }
    }
}

/// How far a bake is.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// The stage that it is in.
    pub stage: Stage,
    /// The part of the whole that is done, 0 to 1; never falls, ends at 1.
    pub fraction: f32,
}
