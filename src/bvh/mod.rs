//! The baked tree: plain old data, owned ([`Bvh`]) or borrowed ([`BvhView`]).

mod layout;
mod owned;
mod view;

pub(crate) use layout::{
    LANES, LEAF, LeafBlock, MAX_DEPTH, MeshRecord, Node, UNUSED_COORDINATE, UNUSED_ID, WIDTH,
};
pub use owned::{Bvh, RefitReport};
pub use view::BvhView;
