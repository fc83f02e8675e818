//! The binary tree that a bake goes through.

use std::ops::Range;

use super::bounds::Bounds;
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
    pub(super) fn new(bounds: &Bounds, left: Child, right: Child) -> Self {
        Self {
            min: bounds.min(),
            left,
            max: bounds.max(),
            right,
        }
    }

    /// The references in it, if it is parted no further: two of them, or more if leaves are taken as they
    /// come.
    pub(crate) fn run(&self) -> Option<Range<usize>> {
        let place = |child: Child| (child & !PRIM) as usize;
        (self.left & self.right & PRIM != 0).then(|| place(self.left)..place(self.right) + 1)
    }
}

/// Subtrees with fewer places are one thread's work, and [packed](Packed).
pub(crate) const PACKED: usize = 4096;

/// The nodes of a subtree with fewer than [`PACKED`] places: as they are made, parents before
/// children and left sides before right ones, so that a walk down the tree goes straight on in
/// memory.
pub(super) struct Packed<'a> {
    nodes: &'a mut [Binary],
    first: usize,
    used: usize,
}

impl<'a> Packed<'a> {
    /// With these places, which number from `first`.
    pub(super) fn new(nodes: &'a mut [Binary], first: usize) -> Self {
        let used = 0;
        Self { nodes, first, used }
    }

    /// A place for a node whose children come next.
    pub(super) fn place(&mut self) -> Child {
        self.used += 1;
        (self.first + self.used - 1) as Child
    }

    pub(super) fn set(&mut self, place: Child, bounds: &Bounds, left: Child, right: Child) {
        self.nodes[place as usize - self.first] = Binary::new(bounds, left, right);
    }
}

/// The binary tree: down to single references, or to leaves that are taken as they come.
///
/// A subtree that may grow to `n` references keeps `n` places for them and `n - 1` for its inner
/// nodes. So every subtree knows its places before it is built, and threads never meet; with spatial
/// splits some places stay empty. From [`PACKED`] places on a root's place is between those of its
/// left side and those of its right side.
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
