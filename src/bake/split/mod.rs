//! The second stage: from triangles to a binary tree.
//!
//! ```text
//! build          top-down, set by set, on all threads; chooses the kind of split
//!   binned         object split: a plane between centroids, by bins
//!   sweep_sah      whole subtrees of at most 16 references, by sorted sweeps
//!   median         object split at the median, where no plane is of use
//!   spatial        spatial split: a plane that cuts triangles in two
//!     spatial_bins   what the parts of triangles between planes look like
//!     clip           how to cut a triangle's box so that no hit is lost
//!   sah            the surface area heuristic: bins, and the cheapest plane between them
//!   denormal       meshes of denormal size are scaled up for the build
//! ```

mod binned;
mod build;
mod clip;
mod denormal;
mod median;
mod sah;
mod spatial;
mod spatial_bins;
mod sweep_sah;

pub(super) use build::{MAX_REFERENCES, split};
