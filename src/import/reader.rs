//! What each reader of a format gets and returns.

use std::path::Path;

use super::error::Warnings;
use crate::mesh::Mesh;

/// What a reader gets besides the bytes.
pub(super) struct Source<'a> {
    /// The name for meshes that have none of their own.
    pub(super) name: &'a str,
    pub(super) folder: Option<&'a Path>,
}

/// What a reader returns.
#[derive(Default)]
pub(super) struct Scene {
    pub(super) meshes: Vec<Mesh>,
    pub(super) material_names: Vec<String>,
    pub(super) warnings: Warnings,
}

impl Scene {
    pub(super) fn of(mesh: Mesh) -> Self {
        Self { meshes: vec![mesh], ..Self::default() }
    }
}
