//! Baking: from meshes to a tree that answers rays.
//!
//! [`Builder`] takes [meshes](crate::mesh), checks their triangles and builds a bounding volume
//! hierarchy over them. A bake takes O(n log n) time for n triangles and runs on all cores with
//! the feature `parallel`. The same meshes and settings give the same tree, byte for byte, on any
//! machine and with any number of threads.
//!
//! ```
//! use hitscan::{Builder, Mesh, Quality};
//!
//! let floor = Mesh::from_soup(vec![[0.0, 0.0, 0.0], [0.0, 0.0, 9.0], [9.0, 0.0, 0.0]]);
//! let (bvh, report) = Builder::new().quality(Quality::Best).bake(&[floor])?;
//! println!("{} triangles, {:?}", report.summary.triangles_kept, report.total);
//! # assert_eq!(bvh.metadata().quality, Quality::Best);
//! # Ok::<(), hitscan::BakeError>(())
//! ```
//!
//! Choose a [`Quality`]: it decides how long the bake takes, how large the tree is and how fast
//! queries are. It changes no hit. Bad input is refused with a [`BakeError`](crate::BakeError)
//! that names the mesh and the triangle, or [skipped](BadTriangles) and reported. Triangles
//! without area are always skipped: no ray can hit them.

// The stages, in order:
//   triangles   meshes -> checked input triangles
//   split/      triangles -> references with boxes (prim_ref) -> binary tree (bvh2)
//   collapse    which binary nodes become wide nodes and leaf blocks, weighted by ray_sample
//   emit        -> wide nodes and leaf blocks, parents before children
// Nothing here knows an instruction set, and no float is summed across threads: the result does
// not depend on the machine or the number of threads.

mod bounds;
mod builder;
mod bvh2;
mod collapse;
mod emit;
mod input;
mod memory_estimate;
mod preset;
mod prim_ref;
mod progress;
mod ray_sample;
mod report;
mod split;
mod triangles;

pub use builder::Builder;
pub use input::BakeInput;
pub use progress::{Progress, Stage};
pub use report::{BakeReport, SkipReason, SkippedTriangle, StageTime};
pub use triangles::BadTriangles;

#[doc(inline)]
pub use crate::bvh::{BakeSummary, Quality};
