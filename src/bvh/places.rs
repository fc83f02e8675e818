//! Where the triangles of each mesh are stored, and the lanes above them.

use super::{LEAF, LeafBlock, MeshRecord, Node, UNUSED_ID, WIDTH};

/// No lane of any node: there is none above the root.
pub(super) const NO_LANE: u32 = u32::MAX;

/// Takes 4 bytes for each node, leaf block and mesh, and for each mesh of each leaf block.
pub(super) struct Places {
    /// For each mesh, where its leaf blocks begin in `blocks`; then where the last one's end.
    starts: Vec<u32>,
    /// The leaf blocks in which a mesh has triangles, in order.
    blocks: Vec<u32>,
    /// The lane above each leaf block: `WIDTH` times the node's number, plus the lane's.
    above_block: Vec<u32>,
    /// The lane above each node.
    above_node: Vec<u32>,
}

impl Places {
    pub(super) fn new(nodes: &[Node], blocks: &[LeafBlock], meshes: &[MeshRecord]) -> Self {
        let mut above_block = vec![NO_LANE; blocks.len()];
        let mut above_node = vec![NO_LANE; nodes.len()];
        for (number, node) in nodes.iter().enumerate() {
            for lane in 0..node.len() {
                let child = node.child[lane];
                let (above, at) = if child & LEAF == 0 {
                    (&mut above_node, child)
                } else {
                    (&mut above_block, child & !LEAF)
                };
                above[at as usize] = (WIDTH * number + lane) as u32;
            }
        }

        // How many there are, then the same again to write them down.
        let mut starts = vec![0; meshes.len() + 1];
        each(blocks, meshes, |mesh, _| starts[mesh + 1] += 1);
        for mesh in 0..meshes.len() {
            starts[mesh + 1] += starts[mesh];
        }
        let mut ends = starts.clone();
        let mut in_mesh = vec![0; starts[meshes.len()] as usize];
        each(blocks, meshes, |mesh, block| {
            in_mesh[ends[mesh] as usize] = block;
            ends[mesh] += 1;
        });
        Self { starts, blocks: in_mesh, above_block, above_node }
    }

    /// The leaf blocks in which a mesh has triangles, in order.
    pub(super) fn blocks_of(&self, mesh: usize) -> &[u32] {
        &self.blocks[self.starts[mesh] as usize..self.starts[mesh + 1] as usize]
    }

    /// The node above a leaf block, and the lane there.
    pub(super) fn above_block(&self, block: u32) -> (usize, usize) {
        split(self.above_block[block as usize])
    }

    /// The node above a node, and the lane there; `None` above the root.
    pub(super) fn above_node(&self, node: usize) -> Option<(usize, usize)> {
        let lane = self.above_node[node];
        (lane != NO_LANE).then(|| split(lane))
    }
}

fn split(lane: u32) -> (usize, usize) {
    (lane as usize / WIDTH, lane as usize % WIDTH)
}

/// Calls `found` for each mesh of each leaf block, block by block.
fn each(blocks: &[LeafBlock], meshes: &[MeshRecord], mut found: impl FnMut(usize, u32)) {
    // The last leaf block in which a mesh was found, plus one.
    let mut last = vec![0; meshes.len()];
    for (number, block) in (0..).zip(blocks) {
        for &id in block.id.iter().take_while(|&&id| id != UNUSED_ID) {
            let Some(mesh) = MeshRecord::find(meshes, id) else { continue };
            if last[mesh] <= number {
                last[mesh] = number + 1;
                found(mesh, number);
            }
        }
    }
}
