//! The binary tree that a bake goes through.

use std::ops::Range;

use super::prim::Prim;
use crate::geometry::half_area;

/// A subtree: a node's number, or a reference's with `PRIM` set.
pub(crate) type Child = u32;
/// Marks a child that is a single reference.
pub(crate) const PRIM: u32 = 1 << 31;

/// An inner node.
#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct Binary {
    pub(crate) min: [f32; 3],
    pub(crate) left: Child,
    pub(crate) max: [f32; 3],
    pub(crate) right: Child,
}

impl Binary {
    /// The references in it, if it is parted no further: two of them, or more if leaves are taken as they
    /// come.
    pub(crate) fn run(&self) -> Option<Range<usize>> {
        let place = |child: Child| (child & !PRIM) as usize;
        (self.left & self.right & PRIM != 0).then(|| place(self.left)..place(self.right) + 1)
    }
}

/// The binary tree: down to single references, which nodes of it stay is decided later.
///
/// A subtree that may grow to `n` references keeps `n` places for them and `n - 1` for its inner
/// nodes, its root's between its left side's and its right side's. So every subtree knows its
/// places before it is built, and threads never meet; with spatial splits some places stay empty.
pub(crate) struct BinaryTree {
    pub(crate) nodes: Vec<Binary>,
    pub(crate) prims: Vec<Prim>,
    /// `None` for no references.
    pub(crate) root: Option<Child>,
    /// References in the tree.
    pub(crate) references: usize,
}

impl BinaryTree {
    /// The box of a subtree.
    pub(crate) fn bounds(&self, child: Child) -> (&[f32; 3], &[f32; 3]) {
        if child & PRIM != 0 {
            let prim = &self.prims[(child & !PRIM) as usize];
            (&prim.min, &prim.max)
        } else {
            let node = &self.nodes[child as usize];
            (&node.min, &node.max)
        }
    }

    /// Half the surface area of a subtree's box.
    pub(crate) fn half_area(&self, child: Child) -> f64 {
        let (min, max) = self.bounds(child);
        half_area(min, max)
    }
}
