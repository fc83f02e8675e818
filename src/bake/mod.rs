//! From meshes to a baked tree.
//!
//! ```text
//! gather     meshes -> checked triangles and their boxes
//! split      boxes -> binary tree, by the binned surface area heuristic
//! collapse   binary tree -> which of its nodes stay, as nodes of sixteen or leaf blocks
//! layout     -> nodes and leaf blocks, parents before children
//! ```
//!
//! Nothing here knows what instruction set will query the tree, and nothing depends on how
//! many threads work on it: floats are only compared, not summed, across threads.

mod builder;
mod collapse;
mod gather;
mod layout;
mod monitor;
mod options;
mod parallel;
mod report;
mod split;

pub use builder::Builder;
pub(crate) use gather::index_hash;
pub(crate) use layout::sah_cost;
pub use options::{BadTriangles, Progress, Stage};
pub use report::{BakeReport, BakeSummary, StageTime};
