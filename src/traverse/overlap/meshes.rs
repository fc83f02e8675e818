//! Which meshes touch a shape.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::candidates::{ShapeTests, for_each_candidate};
use super::setup::ShapeSetup;
use crate::bvh::{MeshRecord, TreeView};
use crate::geometry::{Containment, Shape};
use crate::simd::InstructionSet;
use crate::traverse::place::Place;

/// A mesh that touches a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MeshOverlap {
    /// The mesh, as numbered in the bake.
    pub mesh: u32,
    /// Whether the shape holds all of its triangles.
    pub containment: Containment,
}

impl MeshOverlap {
    pub(crate) fn new(mesh: u32, containment: Containment) -> Self {
        Self { mesh, containment }
    }
}

/// A question about a shape: which meshes touch it.
#[derive(Clone, Copy)]
pub(crate) struct MeshOverlapQuery<'a> {
    pub(crate) tree: &'a TreeView<'a>,
    pub(crate) isa: InstructionSet,
    pub(crate) shape: &'a Shape,
    /// Where the tree stands, if not where it was baked.
    pub(crate) place: Option<&'a Place<'a>>,
}

/// Told the mesh of a triangle that may touch the shape, and how to find out whether it does.
type Visit<'v> = &'v mut dyn FnMut(usize, &dyn Fn() -> bool) -> ControlFlow<()>;

impl MeshOverlapQuery<'_> {
    /// Calls `visit` for each triangle that may touch the shape.
    pub(crate) fn for_each(&self, visit: Visit<'_>) {
        if let Some(setup) = &ShapeSetup::new(&self.tree.facts, self.shape) {
            self.for_each_with(setup, setup, visit);
        }
    }

    /// As [`for_each`](Self::for_each), with these tests of leaf blocks and nodes.
    pub(crate) fn for_each_with(&self, blocks: &ShapeSetup, nodes: &ShapeSetup, visit: Visit<'_>) {
        let Self { tree, isa, shape, place } = *self;
        let is_box = matches!(shape, Shape::Aabb(_));
        let tests = ShapeTests { blocks, nodes, place };
        for_each_candidate(tree, isa, tests, &mut |found, is_certain| {
            let mesh = MeshRecord::find(tree.meshes, found.id);
            let touches =
                || is_box && is_certain || shape.overlap_corners(&found.corners).is_some();
            mesh.map_or(ControlFlow::Continue(()), |mesh| visit(mesh, &touches))
        });
    }
}
