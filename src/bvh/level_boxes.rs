//! The boxes of a tree, level by level: for pictures.

use super::{Bvh, MAX_DEPTH, Node, ROOT};
use crate::geometry::Aabb;

impl Bvh {
    /// The boxes at a depth of the tree: at 0 the box of all, at 1 the boxes of the root's
    /// children, and so on, subtrees and leaf blocks alike. Leaf blocks that end above that depth
    /// are not among them, so below the deepest leaf there are none.
    ///
    /// They are in the order of the nodes. Takes O(nodes) time, and memory for the boxes.
    ///
    /// ```
    /// use hitscan::{Builder, Mesh};
    ///
    /// let floor = Mesh::from_soup(vec![[-9.0, 0.0, -9.0], [0.0, 0.0, 9.0], [9.0, 0.0, -9.0]]);
    /// let (bvh, _report) = Builder::new().bake(&[floor])?;
    /// assert_eq!(bvh.boxes_at_depth(0), [bvh.bounds()]);
    /// assert_eq!(bvh.boxes_at_depth(1), [bvh.bounds()]); // its only leaf block
    /// assert_eq!(bvh.boxes_at_depth(2), []);
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    #[must_use]
    pub fn boxes_at_depth(&self, depth: u32) -> Vec<Aabb> {
        let nodes = self.view().nodes;
        if nodes.is_empty() {
            return Vec::new();
        }
        if depth == 0 {
            return vec![self.bounds()];
        }
        let mut level = vec![ROOT as usize];
        for _ in 1..depth.min(MAX_DEPTH + 1) {
            let below = |&node: &usize| nodes[node].inner().map(|(_, child)| child);
            level = level.iter().flat_map(below).collect();
        }
        let boxes = |&node: &usize| {
            let node: &Node = &nodes[node];
            (0..node.len()).map(|lane| node.bounds(lane))
        };
        level.iter().flat_map(boxes).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::bake::Builder;
    use crate::bvh::Bvh;
    use crate::mesh::Mesh;
    use crate::test_rng;

    #[test]
    fn each_level_holds_the_children_of_the_nodes_above() {
        let mut state = 8;
        let mut number = || test_rng::number(&mut state);
        let soup = Mesh::from_soup((0..9000).map(|_| [number(), number(), number()]).collect());
        let (bvh, report) = Builder::new().bake(&[soup]).unwrap();
        let depth = report.summary.depth;
        let levels: Vec<_> = (0..=depth).map(|depth| bvh.boxes_at_depth(depth)).collect();
        for pair in levels.windows(2) {
            let is_within_one = |inner: &_| pair[0].iter().any(|outer| outer.contains_box(inner));
            assert!(!pair[1].is_empty() && pair[1].iter().all(is_within_one));
        }
        let all: usize = levels.iter().map(Vec::len).sum();
        // The root, and the children: nodes and leaf blocks.
        assert_eq!(all as u64, report.summary.nodes + report.summary.leaves);
        assert!(bvh.boxes_at_depth(depth + 1).is_empty());
        assert!(bvh.boxes_at_depth(u32::MAX).is_empty());
    }

    #[test]
    fn an_empty_tree_has_no_boxes() {
        let (bvh, _): (Bvh, _) = Builder::new().bake(&[] as &[Mesh]).unwrap();
        assert!(bvh.boxes_at_depth(0).is_empty() && bvh.boxes_at_depth(1).is_empty());
    }
}
