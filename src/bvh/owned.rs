//! The baked tree in memory of its own.

use super::{BvhView, LeafBlock, MeshRecord, Node};

/// A baked tree in memory of its own.
#[derive(Clone, Debug)]
pub struct Bvh {
    pub(crate) nodes: Vec<Node>,
    pub(crate) blocks: Vec<LeafBlock>,
    pub(crate) meshes: Vec<MeshRecord>,
    pub(crate) materials: Vec<u32>,
    pub(crate) metadata: Vec<u8>,
}

/// How a refit or a move changed the tree.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RefitReport {
    /// Cost by the surface area heuristic before.
    pub sah_before: f64,
    /// The same after.
    pub sah_after: f64,
}

impl Bvh {
    /// The tree as a view.
    #[must_use]
    pub fn view(&self) -> BvhView<'_> {
        BvhView {
            nodes: &self.nodes,
            blocks: &self.blocks,
            meshes: &self.meshes,
            materials: &self.materials,
            metadata: &self.metadata,
        }
    }
}
