//! The builder and its options.

use std::ops::ControlFlow;

use crate::file::Source;
use crate::{BakeError, BakeReport, Bvh, Mesh, MeshView};

/// What to do with triangles that have non-finite coordinates or name vertices that are
/// not there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BadTriangles {
    /// Refuse the bake with an error that names mesh and triangle.
    #[default]
    Error,
    /// Leave them out and count them.
    Skip,
}

/// A stage of the bake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Reading and checking triangles.
    Gather,
    /// Building the binary tree.
    Split,
    /// Collapsing it to the wide tree.
    Collapse,
    /// Writing nodes and leaf blocks.
    Layout,
}

/// How far a bake is.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// The stage that it is in.
    pub stage: Stage,
    /// The part of the whole that is done, 0 to 1; never falls, ends at 1.
    pub fraction: f32,
}

/// Bakes meshes into a [`Bvh`].
#[derive(Clone, Debug, Default)]
pub struct Builder {
    bad_triangles: BadTriangles,
    threads: Option<usize>,
    sources: Vec<Source>,
}

#[allow(missing_docs, clippy::missing_errors_doc, unused_variables)]
impl Builder {
    /// A builder with default options.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    #[must_use]
    pub fn bad_triangles(self, bad_triangles: BadTriangles) -> Self {
        Self {
            bad_triangles,
            ..self
        }
    }
    /// Threads to bake with. Default: the caller's rayon pool.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        Self {
            threads: Some(threads),
            ..self
        }
    }
    #[must_use]
    pub fn sources(self, sources: Vec<Source>) -> Self {
        Self { sources, ..self }
    }
    pub fn bake(&self, meshes: &[Mesh]) -> Result<(Bvh, BakeReport), BakeError> {
        todo!()
    }
    pub fn bake_views(&self, meshes: &[MeshView<'_>]) -> Result<(Bvh, BakeReport), BakeError> {
        todo!()
    }
    pub fn bake_with_progress(
        &self,
        meshes: &[MeshView<'_>],
        progress: &mut (dyn FnMut(Progress) -> ControlFlow<()> + Send),
    ) -> Result<(Bvh, BakeReport), BakeError> {
        todo!()
    }
}
