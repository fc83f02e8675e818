//! The baked tree in memory of its own.

use std::fmt;

use super::{BvhView, Facts, LeafBlock, MeshRecord, Node};

/// A baked tree in memory of its own.
///
/// It comes from a [`Builder`](crate::Builder) or a file, answers queries, and can be refitted
/// and moved. Queries take `&self` and may run on any number of threads at once.
#[derive(Clone)]
pub struct Bvh {
    pub(crate) nodes: Vec<Node>,
    pub(crate) blocks: Vec<LeafBlock>,
    pub(crate) meshes: Vec<MeshRecord>,
    pub(crate) materials: Vec<u32>,
    pub(crate) metadata: Vec<u8>,
    /// The caller's own data.
    pub(crate) user: Vec<u8>,
    /// What it was baked from, as one number; 0 where that is not known.
    pub(crate) content_hash: u64,
    pub(crate) facts: Facts,
}

impl fmt::Debug for Bvh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().describe("Bvh", f)
    }
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
            user: Vec::new(),
            content_hash: 0,
            facts,
        }
    }

    /// Bytes of the caller's own that travel with the tree: see [`BvhView::user_data`].
    #[must_use]
    pub fn user_data(&self) -> &[u8] {
        &self.user
    }

    /// Puts bytes of the caller's own into the tree, which are saved with it; up to 2^40. What was
    /// there before is gone.
    pub fn set_user_data(&mut self, bytes: Vec<u8>) {
        self.user = bytes;
    }

    /// Puts a mesh into other layers: queries see it whose [mask](crate::Query::mask) has a bit in common with
    /// this one, none with 0. So a door that opened is out of the way of all rays without a new bake, and the
    /// next file saved says so. Returns what was there before; `None`, and nothing is done, if there is no such
    /// mesh. Takes time in proportion to the number of meshes.
    ///
    /// The tree is no longer what its meshes bake to, so that its [`content_hash`](Self::content_hash) is gone.
    ///
    /// ```
    /// use hitscan::{Builder, Mesh, Query, Ray};
    ///
    /// let door = Mesh::from_soup(vec![[0.0, 0.0, 1.0], [2.0, 0.0, 1.0], [0.0, 4.0, 1.0]]);
    /// let (mut bvh, _) = Builder::new().bake(&[door])?;
    /// let sight = Ray::between([0.5, 1.0, 0.0], [0.5, 1.0, 9.0]);
    /// assert!(bvh.any_hit(&sight, &Query::new()));
    /// let shut = bvh.set_mask(0, 0).unwrap();
    /// assert!(!bvh.any_hit(&sight, &Query::new()));
    /// bvh.set_mask(0, shut);
    /// assert!(bvh.any_hit(&sight, &Query::new()));
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    pub fn set_mask(&mut self, mesh: u32, mask: u32) -> Option<u32> {
        let record = self.meshes.get_mut(mesh as usize)?;
        let before = std::mem::replace(&mut record.mask, mask);
        self.facts = Facts::new(&self.nodes, &self.meshes);
        self.content_hash = 0;
        Some(before)
    }

    /// See [`BvhView::content_hash`].
    #[must_use]
    pub fn content_hash(&self) -> Option<u64> {
        self.view().content_hash()
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
            user: &self.user,
            content_hash: self.content_hash,
            facts: self.facts,
        }
    }
}

impl BvhView<'_> {
    /// A copy in memory of its own, which can be refitted, moved and changed: of a mapped file's tree, say. Nothing
    /// is checked anew.
    #[must_use]
    pub fn to_bvh(&self) -> Bvh {
        Bvh {
            nodes: self.nodes.to_vec(),
            blocks: self.blocks.to_vec(),
            meshes: self.meshes.to_vec(),
            materials: self.materials.to_vec(),
            metadata: self.metadata.to_vec(),
            user: self.user.to_vec(),
            content_hash: self.content_hash,
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
            && self.user == other.user
            && self.content_hash == other.content_hash
    }
}

impl Eq for Bvh {}

fn bytes<T: bytemuck::Pod>(records: &[T]) -> &[u8] {
    bytemuck::cast_slice(records)
}
