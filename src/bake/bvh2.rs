//! The binary tree that a bake goes through.

use std::mem;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::bounds::Bounds;
use super::prim_ref::PrimRef;
use crate::geometry::half_area;

/// A subtree: a node's number, or a reference's with `PRIM_FLAG` set.
pub(crate) type Child = u32;
/// Marks a child that is a single reference.
pub(crate) const PRIM_FLAG: u32 = 1 << 31;

/// An inner node.
#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct Bvh2Node {
    pub(crate) min: [f32; 3],
    pub(crate) left: Child,
    pub(crate) max: [f32; 3],
    pub(crate) right: Child,
}

impl Bvh2Node {
    pub(super) fn new(bounds: &Bounds, left: Child, right: Child) -> Self {
        Self { min: bounds.min(), left, max: bounds.max(), right }
    }

    /// The references in it, if it is parted no further: two of them, or more that are a leaf.
    pub(crate) fn run(&self) -> Option<Range<usize>> {
        let place = |child: Child| (child & !PRIM_FLAG) as usize;
        (self.left & self.right & PRIM_FLAG != 0).then(|| place(self.left)..place(self.right) + 1)
    }
}

/// Subtrees with fewer places for references are one thread's work, and [packed](SerialNodes).
pub(crate) const SERIAL_LIMIT: usize = 4096;

/// The nodes of a subtree with fewer than [`SERIAL_LIMIT`] places: as they are made, parents before
/// children and left sides before right ones, so that a walk down the tree goes straight on in
/// memory. They are numbered from 0, until they are [added](NodePool::append) to the others.
pub(super) struct SerialNodes(Vec<Bvh2Node>);

impl SerialNodes {
    /// With room for those of so many references.
    pub(super) fn new(references: usize) -> Self {
        Self(Vec::with_capacity(references))
    }

    /// A place for a node whose children come next.
    pub(super) fn place(&mut self) -> Child {
        self.0.push(Bvh2Node::default());
        (self.0.len() - 1) as Child
    }

    pub(super) fn set(&mut self, place: Child, bounds: &Bounds, left: Child, right: Child) {
        self.0[place as usize] = Bvh2Node::new(bounds, left, right);
    }
}

/// Where threads that build a tree put its nodes. Which numbers a subtree gets is up to which thread is
/// sooner; nothing that is made of the tree depends on them. So there are no gaps, and of much room little is
/// touched where leaves are taken as they come.
pub(super) struct NodePool<'a>(Mutex<Room<'a>>);

/// What is left.
struct Room<'a> {
    /// The number of the first place.
    first: usize,
    places: &'a mut [Bvh2Node],
}

impl<'a> NodePool<'a> {
    /// With room for a node less than there are references.
    pub(super) fn new(places: &'a mut [Bvh2Node]) -> Self {
        Self(Mutex::new(Room { first: 0, places }))
    }

    fn room(&self) -> MutexGuard<'_, Room<'a>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a packed subtree, from the front; returns its root.
    pub(super) fn append(&self, packed: &SerialNodes, root: Child) -> Child {
        let (first, places) = {
            let mut room = self.room();
            let (places, rest) = mem::take(&mut room.places).split_at_mut(packed.0.len());
            room.places = rest;
            room.first += places.len();
            (room.first - places.len(), places)
        };
        let renumber = |child: Child| match child & PRIM_FLAG {
            0 => first as Child + child,
            _ => child,
        };
        for (place, node) in places.iter_mut().zip(&packed.0) {
            *place = Bvh2Node { left: renumber(node.left), right: renumber(node.right), ..*node };
        }
        renumber(root)
    }

    /// Adds the root of a subtree that is not packed, from the back.
    pub(super) fn add(&self, node: Bvh2Node) -> Child {
        let mut room = self.room();
        if let Some((place, rest)) = mem::take(&mut room.places).split_last_mut() {
            *place = node;
            room.places = rest;
        }
        (room.first + room.places.len()) as Child
    }

    /// How many nodes of packed subtrees there are.
    pub(super) fn packed(&self) -> usize {
        self.room().first
    }
}

/// The binary tree: down to single references, or to sets that are leaves as they came.
///
/// A subtree that may grow to `n` references keeps `n` places for them: it knows them before it is built,
/// and threads never meet. With spatial splits some stay empty.
pub(crate) struct Bvh2 {
    /// Those of [packed](SerialNodes) subtrees, then places that nobody has touched, then the others.
    pub(crate) nodes: Vec<Bvh2Node>,
    /// How many nodes are of packed subtrees.
    pub(crate) packed: usize,
    pub(crate) prims: Vec<PrimRef>,
    /// `None` for no references.
    pub(crate) root: Option<Child>,
    /// References in the tree.
    pub(crate) references: usize,
}

impl Bvh2 {
    /// Whether a subtree is a reference or packed: not worth more than one thread.
    pub(crate) fn is_serial(&self, child: Child) -> bool {
        child & PRIM_FLAG != 0 || (child as usize) < self.packed
    }

    /// The box of a subtree.
    pub(crate) fn bounds(&self, child: Child) -> (&[f32; 3], &[f32; 3]) {
        if child & PRIM_FLAG != 0 {
            let prim = &self.prims[(child & !PRIM_FLAG) as usize];
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
