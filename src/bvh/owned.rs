//! The baked tree in memory of its own.

use super::{BvhView, Facts, LeafBlock, MeshRecord, Node};

/// A baked tree in memory of its own.
///
/// It comes from a [`Builder`](crate::Builder) or a file, answers queries, and can be refitted
/// and moved. Queries take `&self` and may run on any number of threads at once.
#[derive(Clone, Debug)]
pub struct Bvh {
    pub(crate) nodes: Vec<Node>,
    pub(crate) blocks: Vec<LeafBlock>,
    pub(crate) meshes: Vec<MeshRecord>,
    pub(crate) materials: Vec<u32>,
    pub(crate) metadata: Vec<u8>,
    pub(crate) facts: Facts,
}

impl Bvh {
    pub(crate) fn new(
        nodes: Vec<Node>,
        blocks: Vec<LeafBlock>,
        meshes: Vec<MeshRecord>,
        materials: Vec<u32>,
        metadata: Vec<u8>,
    ) -> Self {
        let facts = Facts::new(&nodes, &meshes);
        Self {
            nodes,
            blocks,
            meshes,
            materials,
            metadata,
            facts,
        }
    }

    /// The tree as a view.
    #[must_use]
    #[inline]
    pub fn view(&self) -> BvhView<'_> {
        BvhView {
            nodes: &self.nodes,
            blocks: &self.blocks,
            meshes: &self.meshes,
            materials: &self.materials,
            metadata: &self.metadata,
            facts: self.facts,
        }
    }
}

impl PartialEq for Bvh {
    /// Whether the two are the same bit for bit: the same tree in the same order, not merely
    /// the same geometry.
    fn eq(&self, other: &Self) -> bool {
        // As bytes: the unused lanes of leaf blocks hold NaNs, and minus zero is not zero.
        bytes(&self.nodes) == bytes(&other.nodes)
            && bytes(&self.blocks) == bytes(&other.blocks)
            && self.meshes == other.meshes
            && self.materials == other.materials
            && self.metadata == other.metadata
    }
}

impl Eq for Bvh {}

fn bytes<T: bytemuck::Pod>(records: &[T]) -> &[u8] {
    bytemuck::cast_slice(records)
}
