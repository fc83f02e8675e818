//! Bakes one after another.

use std::fmt;
use std::ops::ControlFlow;

use super::buffers::{Afterwards, Buffers};
use super::{BakeReport, Builder, Progress};
use crate::bvh::Bvh;
use crate::error::BakeError;
use crate::mesh::{Mesh, MeshView};

/// Bakes again and again, for a running tool: it keeps its memory from one bake to the next, which
/// need not be asked for and cleared again. By measurement that is nothing to speak of below some
/// hundred thousand triangles, 3 to 6 % of the time for half a million, and an eighth for four million.
/// At its peak it takes up to half as much memory again as a [`Builder`] that is used once. The trees
/// are those of its builder, byte for byte.
///
/// ```
/// use hitscan::{Baker, Builder, Mesh, Quality};
///
/// let mut baker = Baker::new(Builder::new().quality(Quality::Fast));
/// let mut floor = Mesh::from_soup(vec![[0.0, 0.0, 0.0], [0.0, 0.0, 9.0], [9.0, 0.0, 0.0]]);
/// for edit in 0..3 {
///     floor.positions[0][1] = edit as f32;
///     let (bvh, _report) = baker.bake(std::slice::from_ref(&floor))?;
///     assert_eq!(bvh.bounds().max.y, edit as f32);
/// }
/// # Ok::<(), hitscan::BakeError>(())
/// ```
pub struct Baker {
    builder: Builder,
    buffers: Buffers,
}

impl Baker {
    /// Bakes as `builder` does.
    #[must_use]
    pub fn new(builder: Builder) -> Self {
        let buffers = Buffers { afterwards: Afterwards::Keep, ..Buffers::default() };
        Self { builder, buffers }
    }

    /// What it bakes as.
    #[must_use]
    pub fn builder(&self) -> &Builder {
        &self.builder
    }

    /// From now on bakes as another `builder` does.
    pub fn set_builder(&mut self, builder: Builder) {
        self.builder = builder;
    }

    /// How many bytes it keeps: 115 to 160 a triangle of the last bake, or of the largest before it.
    /// They are free again when the baker is gone.
    #[must_use]
    pub fn kept_bytes(&self) -> usize {
        self.buffers.bytes()
    }

    /// See [`Builder::bake`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn bake(&mut self, meshes: &[Mesh]) -> Result<(Bvh, BakeReport), BakeError> {
        let views: Vec<_> = meshes.iter().map(Mesh::view).collect();
        self.bake_views(&views)
    }

    /// See [`Builder::bake_views`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn bake_views(&mut self, meshes: &[MeshView<'_>]) -> Result<(Bvh, BakeReport), BakeError> {
        self.bake_with_progress(meshes, &mut |_| ControlFlow::Continue(()))
    }

    /// See [`Builder::bake_with_progress`]. What a bake that was cancelled had in hand is not kept.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn bake_with_progress(
        &mut self,
        meshes: &[MeshView<'_>],
        progress: &mut (dyn FnMut(Progress) -> ControlFlow<()> + Send),
    ) -> Result<(Bvh, BakeReport), BakeError> {
        self.builder.bake_in(&mut self.buffers, meshes, progress)
    }
}

impl fmt::Debug for Baker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Baker")
            .field("builder", &self.builder)
            .field("kept_bytes", &self.kept_bytes())
            .finish()
    }
}
