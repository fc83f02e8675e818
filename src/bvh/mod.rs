//! The baked tree: plain old data, owned ([`Bvh`]) or borrowed ([`BvhView`]).

mod layout;
mod owned;
mod view;

pub(crate) use layout::{LANES, LeafBlock, MeshRecord, Node, WIDTH};
pub use owned::{Bvh, RefitReport};
pub use view::BvhView;
