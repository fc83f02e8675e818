//! The shape of a tree.

use serde::{Deserialize, Serialize};

use super::cost::{Chances, sah_cost};
use super::{Bvh, LANES, MeshRecord, WIDTH};

/// The shape of a tree, and what rays through it are expected to meet.
///
/// Expectations are those of a random line that meets the tree's box: it meets a box within with
/// the ratio of their surface areas for probability.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TreeStats {
    /// Nodes with 1, 2, ... 16 children.
    pub nodes_by_children: [u64; WIDTH],
    /// Leaf blocks with 1, 2, ... 8 triangles.
    pub leaves_by_triangles: [u64; LANES],
    /// Leaf blocks below nodes of level 1 (the root), 2, ...
    pub leaves_by_level: Vec<u64>,
    /// The cost of a ray by the surface area heuristic (Goldsmith and Salmon 1987), in node tests.
    pub sah_cost: f64,
    /// Nodes that a ray is expected to meet.
    pub expected_nodes: f64,
    /// Leaf blocks that a ray is expected to meet.
    pub expected_leaves: f64,
    /// The part that each mesh has in them: a leaf block counts for the meshes of its triangles.
    pub expected_leaves_by_mesh: Vec<f64>,
    /// Pairs of children of one node that a ray is expected to meet where both are: room that is
    /// searched twice.
    pub expected_overlaps: f64,
}

impl Bvh {
    /// The tree's shape, worked out anew at each call: O(nodes). See
    /// [`epo_cost`](Self::epo_cost) for what takes longer.
    #[must_use]
    pub fn stats(&self) -> TreeStats {
        let view = self.view();
        let mut stats = TreeStats { sah_cost: sah_cost(view.nodes), ..TreeStats::default() };
        let chances = Chances::in_tree(view.nodes);
        stats.expected_leaves_by_mesh = vec![0.0; view.meshes.len()];
        // Parents come before their children.
        let mut levels = vec![0; view.nodes.len()];
        for (at, node) in view.nodes.iter().enumerate() {
            let level = levels[at];
            count(&mut stats.nodes_by_children, node.len());
            if at == 0 {
                stats.expected_nodes = 1.0;
            }
            for lane in 0..node.len() {
                let bounds = node.bounds(lane);
                if let Some(leaf) = node.leaf(lane) {
                    let chance = chances.of(&bounds);
                    stats.expected_leaves += chance;
                    let known = stats.leaves_by_level.len().max(level + 1);
                    stats.leaves_by_level.resize(known, 0);
                    stats.leaves_by_level[level] += 1;
                    let ids = view.blocks.get(leaf).map_or(&[][..], |b| &b.id[..b.len()]);
                    count(&mut stats.leaves_by_triangles, ids.len());
                    for mesh in ids.iter().filter_map(|&id| MeshRecord::find(view.meshes, id)) {
                        stats.expected_leaves_by_mesh[mesh] += chance / ids.len() as f64;
                    }
                } else {
                    stats.expected_nodes += chances.of(&bounds);
                    if let Some(below) = levels.get_mut(node.child[lane] as usize) {
                        *below = level + 1;
                    }
                }
                for other in 0..lane {
                    let shared = bounds.intersection(&node.bounds(other));
                    if !shared.is_empty() {
                        stats.expected_overlaps += chances.of(&shared);
                    }
                }
            }
        }
        stats
    }
}

/// Counts one more thing with `many` parts, which is at least 1.
fn count(histogram: &mut [u64], many: usize) {
    if let Some(counted) = many.checked_sub(1).and_then(|i| histogram.get_mut(i)) {
        *counted += 1;
    }
}
