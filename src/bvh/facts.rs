//! What every query needs of the whole tree.

use super::{MeshRecord, Node};

/// Worked out when a tree is made, opened or moved, so that no query has to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Facts {
    /// The box of all triangles; `+inf` and `-inf` where there are none.
    pub(crate) min: [f32; 3],
    pub(crate) max: [f32; 3],
    /// The greatest size of a coordinate on each axis, infinite where there are no triangles: so no
    /// ray is prepared for a tree without a node, whose first one kernels would read unchecked. (The
    /// fourth lane is spare, here and below: it makes whole vectors.)
    pub(crate) size: [f32; 4],
    /// How far the box reaches to either side of its middle, at most.
    pub(crate) reach: f32,
    /// The layers that all meshes have in common.
    pub(crate) common_mask: u32,
}

impl Facts {
    pub(crate) fn new(nodes: &[Node], meshes: &[MeshRecord]) -> Self {
        let bounds = nodes.first().unwrap_or(&Node::EMPTY).whole();
        let (min, max) = (bounds.min.to_array(), bounds.max.to_array());
        let size = |k: usize| min[k].abs().max(max[k].abs());
        let half = |k: usize| 0.5 * max[k] - 0.5 * min[k];
        Self {
            min,
            max,
            size: [size(0), size(1), size(2), 0.0],
            reach: half(0).max(half(1)).max(half(2)),
            common_mask: meshes.iter().fold(u32::MAX, |mask, mesh| mask & mesh.mask),
        }
    }
}
