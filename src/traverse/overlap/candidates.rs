//! The triangles that a shape may touch, one after the other.

use std::ops::ControlFlow;

use super::setup::ShapeSetup;
use crate::bvh::{LANES, LeafBlock, ROOT, TreeView};
use crate::simd::{self, InstructionSet, Isa, Task, opaque};
use crate::traverse::found::Found;
use crate::traverse::place::{InWorld, Place};
use crate::traverse::walk::{Bound, LeafTest, walk};

/// Calls `visit` for each triangle that a shape may touch, and says whether it certainly does. One
/// that a spatial split cut may come several times.
///
/// It is called through a pointer, so that kernels are compiled once and not for each question.
pub(super) fn for_each_candidate(
    tree: &TreeView<'_>,
    isa: InstructionSet,
    tests: ShapeTests<'_>,
    visit: &mut dyn FnMut(&Found, bool) -> ControlFlow<()>,
) {
    if !tree.nodes.is_empty() {
        simd::run(isa, Search { tree, tests, visit });
    }
}

/// The tests for a shape.
#[derive(Clone, Copy)]
pub(super) struct ShapeTests<'a> {
    pub(super) blocks: &'a ShapeSetup,
    pub(super) nodes: &'a ShapeSetup,
    /// Where the tree stands, if not where it was baked.
    pub(super) place: Option<&'a Place<'a>>,
}

/// A walk, as a task for an instruction set.
struct Search<'a> {
    tree: &'a TreeView<'a>,
    tests: ShapeTests<'a>,
    visit: &'a mut dyn FnMut(&Found, bool) -> ControlFlow<()>,
}

impl Task for Search<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(mut self, isa: I) {
        let Self { tree, tests: ShapeTests { nodes, place, .. }, .. } = self;
        // SAFETY: a view is of a valid tree, and this one has a node.
        let _ = unsafe {
            let tests = (nodes, &InWorld(place, CandidateLeafTest));
            walk::<I, _, _, _, false>(isa, tree, tests, ROOT, &mut self)
        };
    }
}

impl Bound for Search<'_> {
    const ORDERED: bool = false;

    #[inline(always)]
    fn bound(&self) -> f32 {
        f32::INFINITY
    }
}

struct CandidateLeafTest;

impl<I: Isa> LeafTest<I, Search<'_>> for CandidateLeafTest {
    #[inline(always)]
    fn test(
        &self,
        isa: I,
        block: &LeafBlock,
        index: u32,
        search: &mut Search<'_>,
    ) -> ControlFlow<()> {
        let (mask, certain) = opaque(search.tests.blocks).touches(isa, block);
        // One that is certain may be all that is asked for.
        for (mut mask, is_certain) in [(mask & certain, true), (mask & !certain, false)] {
            while mask != 0 {
                let lane = mask.trailing_zeros() as usize % LANES;
                mask &= mask - 1;
                (search.visit)(&Found::new(block, index, lane), is_certain)?;
            }
        }
        ControlFlow::Continue(())
    }
}
