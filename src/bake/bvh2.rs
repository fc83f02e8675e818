//! The binary tree that a bake goes through.

use std::mem;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::bounds::Bounds;
use super::prim_ref::PrimRef;
use crate::geometry::half_area;

/// A subtree: a node's index, or a reference's with [`PRIM_FLAG`] set.
pub(super) type Child = u32;
/// Marks a child that is a single reference.
pub(super) const PRIM_FLAG: u32 = 1 << 31;

/// An inner node.
#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct Bvh2Node {
    pub(super) min: [f32; 3],
    pub(super) left: Child,
    pub(super) max: [f32; 3],
    pub(super) right: Child,
}

impl Bvh2Node {
    pub(super) fn new(bounds: &Bounds, left: Child, right: Child) -> Self {
        Self { min: bounds.min(), left, max: bounds.max(), right }
    }

    /// The references of a node that is not split further: two of them, or a leaf. Its children
    /// are then the first and the last of the range.
    pub(super) fn prim_range(&self) -> Option<Range<usize>> {
        let index = |child: Child| (child & !PRIM_FLAG) as usize;
        (self.left & self.right & PRIM_FLAG != 0).then(|| index(self.left)..index(self.right) + 1)
    }
}

/// A subtree with fewer places for references than this is the work of one thread, and
/// [serial](SerialNodes).
pub(super) const SERIAL_LIMIT: usize = 4096;

/// The nodes of a subtree that one thread builds: parents before children and left sides before
/// right ones, so that a walk down the tree reads memory in order. They are numbered from 0 until
/// they are [appended](NodePool::append) to the others.
pub(super) type SerialNodes = Vec<Bvh2Node>;

/// Where threads put the nodes of the tree that they build together. The indices that a subtree
/// gets depend on the order in which threads finish; nothing that is made of the tree depends on
/// the indices.
pub(super) struct NodePool<'a>(Mutex<Free<'a>>);

/// The free places: those in front and behind are taken.
struct Free<'a> {
    /// The index of the first free place.
    first: usize,
    places: &'a mut [Bvh2Node],
}

impl<'a> NodePool<'a> {
    /// A tree needs one place less than it has references.
    pub(super) fn new(places: &'a mut [Bvh2Node]) -> Self {
        Self(Mutex::new(Free { first: 0, places }))
    }

    fn free(&self) -> MutexGuard<'_, Free<'a>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a serial subtree, from the front. Returns its root.
    pub(super) fn append(&self, nodes: &[Bvh2Node], root: Child) -> Child {
        let (first, places) = {
            let mut free = self.free();
            let (places, rest) = mem::take(&mut free.places).split_at_mut(nodes.len());
            free.places = rest;
            free.first += places.len();
            (free.first - places.len(), places)
        };
        let renumber = |child: Child| match child & PRIM_FLAG {
            0 => first as Child + child,
            _ => child,
        };
        for (place, node) in places.iter_mut().zip(nodes) {
            *place = Bvh2Node { left: renumber(node.left), right: renumber(node.right), ..*node };
        }
        renumber(root)
    }

    /// Adds the root of a subtree that several threads built, from the back.
    pub(super) fn push(&self, node: Bvh2Node) -> Child {
        let mut free = self.free();
        if let Some((place, rest)) = mem::take(&mut free.places).split_last_mut() {
            *place = node;
            free.places = rest;
        }
        (free.first + free.places.len()) as Child
    }

    /// How many nodes of serial subtrees there are.
    pub(super) fn serial_nodes(&self) -> usize {
        self.free().first
    }
}

/// A binary tree down to single references, or to sets that are leaves as they are.
///
/// A subtree that may grow to `n` references has `n` places for them. The places are known before
/// it is built, so threads share nothing. With spatial splits some places stay empty.
pub(super) struct Bvh2 {
    /// The nodes of [serial](SerialNodes) subtrees, then places that were never touched, then the
    /// other nodes.
    pub(super) nodes: Vec<Bvh2Node>,
    /// How many nodes belong to serial subtrees.
    pub(super) serial_nodes: usize,
    pub(super) prims: Vec<PrimRef>,
    /// `None` if there are no references.
    pub(super) root: Option<Child>,
    /// How many references there are.
    pub(super) references: usize,
}

impl Bvh2 {
    /// Whether a subtree is a reference or serial: not worth more than one thread.
    pub(super) fn is_serial(&self, child: Child) -> bool {
        child & PRIM_FLAG != 0 || (child as usize) < self.serial_nodes
    }

    /// The box of a subtree: its least and greatest corner.
    pub(super) fn bounds(&self, child: Child) -> (&[f32; 3], &[f32; 3]) {
        if child & PRIM_FLAG != 0 {
            let prim = &self.prims[(child & !PRIM_FLAG) as usize];
            (&prim.min, &prim.max)
        } else {
            let node = &self.nodes[child as usize];
            (&node.min, &node.max)
        }
    }

    /// Half the surface area of a subtree's box.
    pub(super) fn half_area(&self, child: Child) -> f64 {
        let (min, max) = self.bounds(child);
        half_area(min, max)
    }
}
