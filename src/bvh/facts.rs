//! What every query needs of the whole tree.

use super::{MeshRecord, Node};

/// Worked out when a tree is made, opened or moved, so that no query has to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Facts {
    /// The box of all triangles; `+inf` and `-inf` where there are none.
    pub(crate) min: [f32; 3],
    pub(crate) max: [f32; 3],
    /// The greatest size of a coordinate on each axis. (The fourth lane is spare, here and below:
    /// it makes whole vectors.)
    pub(crate) size: [f32; 4],
    /// The middle of the box, and how far it reaches to either side, rounded up.
    pub(crate) center: [f32; 4],
    pub(crate) half: [f32; 4],
    /// The layers that all meshes have in common.
    pub(crate) common_mask: u32,
}

impl Facts {
    pub(crate) fn new(nodes: &[Node], meshes: &[MeshRecord]) -> Self {
        let bounds = nodes.first().unwrap_or(&Node::EMPTY).whole();
        let (min, max) = (bounds.min.to_array(), bounds.max.to_array());
        let center = [0, 1, 2].map(|k| 0.5 * min[k] + 0.5 * max[k]);
        Self {
            min,
            max,
            size: with_spare([0, 1, 2].map(|k| min[k].abs().max(max[k].abs()))),
            center: with_spare(center),
            half: with_spare(
                [0, 1, 2].map(|k| (max[k] - center[k]).max(center[k] - min[k]).next_up()),
            ),
            common_mask: meshes.iter().fold(u32::MAX, |mask, mesh| mask & mesh.mask),
        }
    }
}

fn with_spare([x, y, z]: [f32; 3]) -> [f32; 4] {
    [x, y, z, 0.0]
}
