//! What each reader of a format gets and returns.

use std::path::Path;

use super::error::Warnings;
use super::instances::ImportedInstance;
use crate::mesh::Mesh;

/// What a reader gets besides the bytes.
pub(super) struct Source<'a> {
    /// The name for meshes that have none of their own.
    pub(super) name: &'a str,
    pub(super) folder: Option<&'a Path>,
    pub(super) repeats: Repeats,
}

/// What becomes of a mesh that is there more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeats {
    /// A copy for each place.
    Copy,
    /// One mesh, and its places.
    Keep,
}

/// What a reader returns.
#[derive(Default)]
pub(super) struct Scene {
    pub(super) meshes: Vec<Mesh>,
    /// Meshes that repeat, in groups that stand together.
    pub(super) repeated: Vec<Vec<Mesh>>,
    pub(super) instances: Vec<ImportedInstance>,
    pub(super) material_names: Vec<String>,
    pub(super) warnings: Warnings,
}

impl Scene {
    pub(super) fn of(mesh: Mesh) -> Self {
        Self { meshes: vec![mesh], ..Self::default() }
    }
}
