//! What a bake did.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{SkippedTriangle, Stage};

/// The part of a report that is the same for the same bake; it is stored in the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BakeSummary {
    /// Triangles given, dropped ones counted.
    pub triangles_in: u64,
    /// Triangles in the tree.
    pub triangles_kept: u64,
    /// Places that the tree keeps triangles in: more than there are triangles where spatial splits
    /// put some into several leaves.
    pub references: u64,
    /// Triangles skipped because their area is zero.
    pub skipped_degenerate: u64,
    /// Triangles skipped, on request, because a coordinate is NaN or infinite.
    pub skipped_non_finite: u64,
    /// Triangles skipped, on request, because an index names no vertex.
    pub skipped_out_of_range: u64,
    /// Wide nodes.
    pub nodes: u64,
    /// Leaf blocks.
    pub leaves: u64,
    /// Levels of wide nodes; 0 for an empty tree.
    pub depth: u32,
    /// Expected cost of a random ray by the surface area heuristic.
    pub sah_cost: f64,
    /// Bytes of nodes, leaf blocks, mesh table and materials.
    pub tree_bytes: u64,
}

/// What a bake did, times included.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BakeReport {
    /// What is the same for the same bake.
    pub summary: BakeSummary,
    /// Triangles that were left out, by mesh and number: the first 1,000 of each reason. The summary
    /// counts all of them.
    pub skipped: Vec<SkippedTriangle>,
    /// How long each stage took, in order.
    pub stages: Vec<StageTime>,
    /// How long it all took.
    pub total: Duration,
}

/// How long a stage of the bake took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StageTime {
    /// The stage.
    pub stage: Stage,
    /// Its time.
    pub time: Duration,
}
