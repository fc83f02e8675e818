//! The baked tree over borrowed memory.

use std::ops::ControlFlow;

use super::{LeafBlock, MeshRecord, Node};
use crate::file::Outline;
use crate::{Aabb, BatchError, Hit, HitList, Metadata, Query, Ray, Triangle};

/// A baked tree over memory that somebody else owns: a file's bytes in place, or a
/// [`Bvh`](crate::Bvh).
#[derive(Clone, Copy, Debug)]
pub struct BvhView<'a> {
    pub(crate) nodes: &'a [Node],
    pub(crate) blocks: &'a [LeafBlock],
    pub(crate) meshes: &'a [MeshRecord],
    /// One a triangle as the caller counts them, or none at all.
    pub(crate) materials: &'a [u32],
    /// The encoded [`Metadata`].
    pub(crate) metadata: &'a [u8],
}

#[allow(missing_docs, clippy::missing_errors_doc, unused_variables)]
impl<'a> BvhView<'a> {
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        todo!()
    }
    #[must_use]
    pub fn mesh_count(&self) -> usize {
        self.meshes.len()
    }
    /// The name of a mesh, or `None` if there is no such mesh. It walks over the whole
    /// encoded record; for many names, take them from [`metadata`](Self::metadata).
    #[must_use]
    pub fn mesh_name(&self, mesh: u32) -> Option<String> {
        let outline = Outline::read(self.metadata).ok()?;
        outline.mesh_name(mesh).map(str::to_owned)
    }
    /// What the file says about itself beside the tree, decoded anew at each call.
    ///
    /// Metadata that does not decode, which only the `unchecked` doors let in, gives the
    /// default record.
    #[must_use]
    pub fn metadata(&self) -> Metadata {
        Metadata::decode(self.metadata).unwrap_or_default()
    }
    #[must_use]
    pub fn triangle(&self, hit: &Hit) -> Option<Triangle> {
        todo!()
    }
    #[must_use]
    pub fn closest_hit(&self, ray: &Ray, query: &Query) -> Option<Hit> {
        todo!()
    }
    #[must_use]
    pub fn closest_hit_where(
        &self,
        ray: &Ray,
        query: &Query,
        filter: impl Fn(&Hit) -> bool,
    ) -> Option<Hit> {
        todo!()
    }
    #[must_use]
    pub fn any_hit(&self, ray: &Ray, query: &Query) -> bool {
        todo!()
    }
    #[must_use]
    pub fn any_hit_where(&self, ray: &Ray, query: &Query, filter: impl Fn(&Hit) -> bool) -> bool {
        todo!()
    }
    pub fn all_hits(&self, ray: &Ray, query: &Query, hits: &mut HitList) {
        todo!()
    }
    pub fn all_hits_where(
        &self,
        ray: &Ray,
        query: &Query,
        hits: &mut HitList,
        filter: impl Fn(&Hit) -> bool,
    ) {
        todo!()
    }
    pub fn for_each_hit(
        &self,
        ray: &Ray,
        query: &Query,
        buffer: &mut HitList,
        each: impl FnMut(&Hit) -> ControlFlow<()>,
    ) {
        todo!()
    }
    pub fn closest_hits(
        &self,
        rays: &[Ray],
        query: &Query,
        hits: &mut [Option<Hit>],
    ) -> Result<(), BatchError> {
        todo!()
    }
    pub fn any_hits(
        &self,
        rays: &[Ray],
        query: &Query,
        hits: &mut [bool],
    ) -> Result<(), BatchError> {
        todo!()
    }
}
