//! The boxes of a tree, to draw them.

use crate::bvh::{Bvh, LEAF, TreeView};
use crate::geometry::Aabb;

/// What a box of a tree is around.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Below {
    /// The node of this number, with up to sixteen children.
    Node(u32),
    /// The leaf block of this number, with up to eight triangles.
    Block(u32),
}

impl Below {
    pub(super) fn of(child: u32) -> Self {
        if child & LEAF == 0 { Self::Node(child) } else { Self::Block(child & !LEAF) }
    }
}

/// A box of a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TreeBox {
    /// The box.
    pub bounds: Aabb,
    /// What it is around.
    pub below: Below,
    /// How many triangles are in the leaf blocks below. A triangle that a spatial split has cut
    /// counts in each block that it is in.
    pub triangles: u64,
}

impl Bvh {
    /// The boxes of a depth, from left to right: at depth 0 the box of the whole tree, at depth 1
    /// the boxes of its children, and so on. Leaf blocks end at different depths, and each is given
    /// at its own. None if the depth is beyond the tree's, or the tree is empty.
    ///
    /// Takes O(n) time and memory for n nodes.
    ///
    /// ```
    /// use hitscan::{Builder, Mesh};
    ///
    /// let tile = |x: f32| [[x, 0.0, 0.0], [x, 0.0, 1.0], [x + 1.0, 0.0, 0.0]];
    /// let floor = Mesh::from_soup((0..100).flat_map(|i| tile(i as f32)).collect());
    /// let (bvh, _report) = Builder::new().bake(&[floor])?;
    /// let whole = bvh.boxes_at(0);
    /// assert_eq!((whole.len(), whole[0].triangles), (1, 100));
    /// let parts = bvh.boxes_at(1);
    /// assert_eq!(parts.iter().map(|part| part.triangles).sum::<u64>(), 100);
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    #[must_use]
    pub fn boxes_at(&self, depth: u32) -> Vec<TreeBox> {
        let tree = self.view();
        let Some(root) = tree.nodes.first() else { return Vec::new() };
        let counts = triangles_below(tree);
        let root = TreeBox { bounds: root.whole(), below: Below::Node(0), triangles: counts[0] };
        let mut boxes = vec![root];
        for _ in 0..depth {
            let mut next = Vec::new();
            for TreeBox { below, .. } in boxes {
                let Below::Node(number) = below else { continue };
                let node = &tree.nodes[number as usize];
                next.extend((0..node.len()).map(|lane| {
                    let below = Below::of(node.child[lane]);
                    let triangles = match below {
                        Below::Node(node) => counts[node as usize],
                        Below::Block(block) => tree.blocks[block as usize].len() as u64,
                    };
                    TreeBox { bounds: node.bounds(lane), below, triangles }
                }));
            }
            if next.is_empty() {
                return next;
            }
            boxes = next;
        }
        boxes
    }
}

/// The triangles in the leaf blocks below each node.
fn triangles_below(tree: &TreeView<'_>) -> Vec<u64> {
    let mut counts = vec![0u64; tree.nodes.len()];
    // Children come after their parents.
    for (number, node) in tree.nodes.iter().enumerate().rev() {
        let blocks = node.leaves().map(|(_, block)| tree.blocks[block].len() as u64);
        let nodes = node.inner().map(|(_, child)| counts[child]);
        counts[number] = blocks.sum::<u64>() + nodes.sum::<u64>();
    }
    counts
}
