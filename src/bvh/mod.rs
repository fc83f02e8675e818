//! The baked tree: plain old data, owned ([`Bvh`]) or borrowed ([`BvhView`]).

mod cost;
mod epo;
mod facts;
mod layout;
mod metadata;
mod owned;
mod refit;
mod stats;
mod view;

pub(crate) use cost::{chance, sah_cost, sah_cost_while};
pub(crate) use facts::Facts;
pub(crate) use layout::{
    LANES, LEAF, LeafBlock, MAX_BLOCKS, MAX_DEPTH, MAX_NODES, MeshRecord, Node, ROOT,
    UNUSED_COORDINATE, UNUSED_ID, WIDTH,
};
pub use metadata::{BakeSummary, FORMAT_VERSION, Metadata, Quality, Source, source_hash};
pub(crate) use metadata::{METADATA_LIMIT, Outline};
pub use owned::Bvh;
pub use refit::RefitReport;
pub use stats::TreeStats;
pub(crate) use view::BvhView as TreeView;
pub use view::{BvhView, MeshInfo};
