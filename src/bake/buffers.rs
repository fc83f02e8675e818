//! The large arrays of a bake that do not go into the tree.

use super::bvh2::{Bvh2, Bvh2Node};
use super::collapse::{AtomicChoice, Collapsed};
use super::emit::LeafTriangles;
use super::prim_ref::PrimRef;
use super::triangles::InputTriangle;

/// What to do with an array when it has been used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Afterwards {
    /// Free it, before the next is made.
    #[default]
    Free,
    /// Keep it for the next bake.
    Keep,
}

/// Arrays from the bake before, if any. Each is taken by the stage that makes it, filled anew, and
/// given back when the last stage has used it; what a bake that failed had taken is freed.
#[derive(Default)]
pub(super) struct Buffers {
    pub(super) afterwards: Afterwards,
    pub(super) kept: Vec<InputTriangle>,
    pub(super) prims: Vec<PrimRef>,
    pub(super) nodes: Vec<Bvh2Node>,
    pub(super) choices: Vec<AtomicChoice>,
    pub(super) leaves: Vec<LeafTriangles>,
}

impl Buffers {
    pub(super) fn give_back_tree(&mut self, collapsed: Collapsed) {
        if self.afterwards == Afterwards::Keep {
            let Collapsed { tree, choices } = collapsed;
            let Bvh2 { nodes, prims, .. } = tree;
            (self.nodes, self.prims) = (nodes, prims);
            self.choices = choices;
        }
    }

    pub(super) fn give_back_leaves(&mut self, leaves: Vec<LeafTriangles>) {
        if self.afterwards == Afterwards::Keep {
            self.leaves = leaves;
        }
    }

    pub(super) fn give_back_kept(&mut self, kept: Vec<InputTriangle>) {
        if self.afterwards == Afterwards::Keep {
            self.kept = kept;
        }
    }

    /// How much memory they take.
    pub(super) fn bytes(&self) -> usize {
        fn bytes<T>(array: &Vec<T>) -> usize {
            array.capacity() * size_of::<T>()
        }
        let tree = bytes(&self.prims) + bytes(&self.nodes) + bytes(&self.choices);
        bytes(&self.kept) + tree + bytes(&self.leaves)
    }
}
