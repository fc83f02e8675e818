//! The small record that tells where a tree came from.

use serde::{Deserialize, Serialize};

use crate::bake::BakeSummary;

/// What a file says about itself beside the tree. It is the same for the same bake:
/// no times, no machine, no directories.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Metadata {
    /// The crate and version that baked the tree.
    pub builder: String,
    /// The files it was baked from, without directories.
    pub sources: Vec<Source>,
    /// Names of the meshes, in order.
    pub mesh_names: Vec<String>,
    /// The part of the bake report that is the same for the same bake.
    pub summary: BakeSummary,
}

/// A file that a tree was baked from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Its name, without directories.
    pub name: String,
    /// xxh3-64 of its bytes.
    pub hash: u64,
}

impl Metadata {
    pub(crate) fn encode(&self) -> Vec<u8> {
        bincode::serde::encode_to_vec(self, bincode::config::standard().with_fixed_int_encoding())
            .unwrap_or_default()
    }
}
