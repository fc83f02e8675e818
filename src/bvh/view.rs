//! The baked tree over borrowed memory.

use std::fmt;

use glam::Vec3;

use super::{Facts, LeafBlock, MeshRecord, Node};
use crate::geometry::Aabb;

/// A baked tree over memory that somebody else owns: a file's bytes in place, or a
/// [`Bvh`](crate::Bvh).
///
/// Copying it copies a few pointers. All queries are its methods (see
/// [`query`](crate::query)); [`Bvh`](crate::Bvh) has the same.
#[derive(Clone, Copy)]
pub struct BvhView<'a> {
    pub(crate) nodes: &'a [Node],
    pub(crate) blocks: &'a [LeafBlock],
    pub(crate) meshes: &'a [MeshRecord],
    /// One a triangle as the caller counts them, or none at all.
    pub(crate) materials: &'a [u32],
    /// The encoded [`Metadata`](crate::Metadata).
    pub(crate) metadata: &'a [u8],
    /// The caller's own data.
    pub(crate) user: &'a [u8],
    /// What it was baked from, as one number; 0 where that is not known.
    pub(crate) content_hash: u64,
    pub(crate) facts: Facts,
}

impl BvhView<'_> {
    /// How much there is of everything: the nodes of a level themselves would be megabytes of text.
    pub(crate) fn describe(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(name)
            .field("nodes", &self.nodes.len())
            .field("leaves", &self.blocks.len())
            .field("meshes", &self.meshes.len())
            .field("bounds", &self.bounds())
            .field("content_hash", &self.content_hash())
            .field("user_data", &self.user.len())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for BvhView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.describe("BvhView", f)
    }
}

/// What a tree knows of a mesh. Its name is in the tree's [`Metadata`](crate::Metadata).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MeshInfo {
    /// Triangles as the caller counted them, dropped ones included.
    pub triangles: u32,
    /// Positions in the caller's buffer.
    pub vertices: u32,
    /// The caller's number.
    pub user_id: u64,
    /// Layers.
    pub mask: u32,
}

impl<'a> BvhView<'a> {
    /// How many meshes the tree was baked from.
    #[must_use]
    pub fn mesh_count(&self) -> u32 {
        self.meshes.len() as u32
    }

    /// A mesh, as numbered in the bake; `None` past the last.
    #[must_use]
    pub fn mesh(&self, mesh: u32) -> Option<MeshInfo> {
        let record = self.meshes.get(mesh as usize)?;
        Some(MeshInfo {
            triangles: record.triangle_count,
            vertices: record.vertex_count,
            user_id: record.user_id,
            mask: record.mask,
        })
    }

    /// Bytes of the caller's own that travel with the tree, whatever they are: spawn points, the
    /// sounds of materials. Their checksum is right, but what they mean is for the caller to
    /// check. They start on a 64-byte boundary where the tree is a file's bytes in place. Empty
    /// unless [set](crate::Bvh::set_user_data).
    #[must_use]
    pub fn user_data(&self) -> &'a [u8] {
        self.user
    }

    /// The [`content_hash`](crate::Builder::content_hash) of the bake that the tree is from; `None`
    /// if it has been refitted or moved since.
    #[must_use]
    pub fn content_hash(&self) -> Option<u64> {
        (self.content_hash != 0).then_some(self.content_hash)
    }

    /// The box of all triangles; [`Aabb::EMPTY`] where there are none.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        Aabb { min: Vec3::from_array(self.facts.min), max: Vec3::from_array(self.facts.max) }
    }
}
