//! From meshes to a baked tree.

mod options;
mod report;

pub use options::{BadTriangles, Builder, Progress, Stage};
pub use report::{BakeReport, BakeSummary, StageTime};
