//! What every query needs of the whole tree.

use super::{MeshRecord, Node};

/// Worked out when a tree is made, opened or moved, so that no query has to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Facts {
    /// The box of all triangles; `+inf` and `-inf` where there are none.
    pub(crate) min: [f32; 3],
    pub(crate) max: [f32; 3],
    /// The layers that all meshes have in common.
    pub(crate) common_mask: u32,
}

impl Facts {
    pub(crate) fn new(nodes: &[Node], meshes: &[MeshRecord]) -> Self {
        let root = nodes.first().unwrap_or(&Node::EMPTY);
        Self {
            min: root
                .min
                .map(|row| row.into_iter().fold(f32::INFINITY, f32::min)),
            max: root
                .max
                .map(|row| row.into_iter().fold(f32::NEG_INFINITY, f32::max)),
            common_mask: meshes.iter().fold(u32::MAX, |mask, mesh| mask & mesh.mask),
        }
    }
}
