//! From meshes to a baked tree.
//!
//! ```text
//! gather     meshes -> checked triangles and their boxes
//! split      boxes -> binary tree, by the binned surface area heuristic:
//!   object     a plane between centroids;
//!   few        whole subtrees of a few, without bins;
//!   halve      in half by count, where no plane is of use;
//!   spatial    a plane that cuts triangles in two;
//!   chop       what parts a triangle would have between many planes;
//!   clip       how to cut one so that no hit is lost;
//!   sweep      the cheapest plane of either kind; weight: what numbers count there;
//!   bounds     boxes; areas: theirs, four at a time;
//!   tiny       all of it for denormal numbers
//! skipped    triangles that were left out
//! monitor    progress and cancellation; pass: piece by piece on the way over many things
//! collapse   binary tree -> which of its nodes stay, as nodes of sixteen or leaf blocks
//!   sample     rays that it is to be cheap for
//! layout     -> nodes and leaf blocks, parents before children
//!   measure    how many of them, subtree by subtree
//! content    what went in, as one number
//! buffers    large arrays, for the next bake to use again
//! estimate   how much memory all this takes
//! ```
//!
//! Nothing here knows what instruction set will query the tree, and nothing depends on how
//! many threads work on it: floats are only compared, not summed, across threads.

mod areas;
mod baker;
mod bounds;
mod buffers;
mod builder;
mod bvh2;
mod collapse;
mod content_hash;
mod emit;
mod measure;
mod memory_estimate;
mod options;
mod pass;
mod prim_ref;
mod progress;
mod ray_sample;
mod report;
mod skipped;
mod split;
mod triangles;
mod weight;

pub use baker::Baker;
pub use builder::Builder;
pub use options::{Axes, BadTriangles, BakeOptions, Leaves, Progress, Quality, Stage};
pub use report::{BakeReport, BakeSummary, StageTime};
pub use skipped::{SkipReason, SkippedTriangle};

use crate::error::{BakeError, BakeErrorKind};

/// There is no memory for the bake's `what`.
fn no_memory(what: &str, error: std::collections::TryReserveError) -> BakeError {
    let message = format!("there is no memory for {what}");
    BakeError::new(BakeErrorKind::TooLarge, message).with_source(error)
}
