//! The baked tree, [`Bvh`]: what it is made of, and how it is moved and measured.

// In the order in which rustdoc lists their methods.
mod tree;

mod metadata;

mod refit;

mod transform;

mod cost;
#[cfg(feature = "stats")]
mod epo;
mod keyed;
mod mesh_bounds;
mod names;
mod owner;
mod pieces;
mod placed_bounds;
mod places;
mod records;
mod solids;
mod stats;
mod view;

pub(crate) use cost::{chance, sah_cost_while};
pub(crate) use keyed::Keyed;
pub use metadata::{BakeSummary, FORMAT_VERSION, Metadata, Quality, Source, source_hash};
pub(crate) use metadata::{METADATA_LIMIT, Outline};
pub(crate) use placed_bounds::placed_bounds;
pub(crate) use records::{
    LANES, LEAF, LeafBlock, MAX_BLOCKS, MAX_DEPTH, MAX_NODES, MeshRecord, Node, ROOT,
    UNUSED_COORDINATE, UNUSED_ID, WIDTH,
};
pub use refit::RefitReport;
pub(crate) use solids::Solids;
pub use stats::TreeStats;
pub use tree::{Bvh, MeshInfo};
pub(crate) use tree::{BvhKey, Sections};
pub(crate) use view::{Facts, TreeView};
