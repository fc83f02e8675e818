//! Which triangles touch a shape.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::found::Found;
use super::shape_setup::ShapeSetup;
use crate::bvh::{LANES, LeafBlock, ROOT, TreeView};
use crate::geometry::{Containment, Corners, Feature, Shape};
use crate::simd::{self, Isa, Task, opaque};
use crate::traverse::collect::{Filter, QueryFilter, RayIndex};
use crate::traverse::hit::Hit;
use crate::traverse::walk::{Bound, LeafTest, walk};

/// A triangle that touches a shape.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Overlap {
    /// Whether the shape holds all of the triangle.
    pub containment: Containment,
    /// The triangle. Here `t` is zero, `u` and `v` are those of its middle, 1/3 each, and `face` is
    /// the side of its plane that the middle of the shape is on: the front if it is in the plane.
    pub hit: Hit,
}

/// What is asked about a shape.
#[derive(Clone, Copy)]
pub(crate) struct OverlapQuery<'a, F> {
    pub(crate) filter: &'a QueryFilter<'a, F>,
    pub(crate) shape: &'a Shape,
}

/// A triangle that touches the shape.
#[derive(Clone, Copy)]
pub(crate) struct Touching {
    containment: Containment,
    found: Found,
}

impl<F: Filter> OverlapQuery<'_, F> {
    /// Calls `found` for each triangle that touches the shape and that the query accepts. One that
    /// a spatial split cut may come several times.
    #[inline(always)]
    pub(crate) fn for_each(&self, mut found: impl FnMut(&Self, &Touching) -> ControlFlow<()>) {
        // Called through a pointer, so that kernels are compiled once and not for each filter.
        let mut visit = |touching: &Touching| {
            if self.accepts(touching) { found(self, touching) } else { ControlFlow::Continue(()) }
        };
        let tree = self.filter.tree;
        if let Some(setup) = &ShapeSetup::new(tree, self.shape) {
            let search = Search { tree, setup, shape: self.shape, visit: &mut visit };
            simd::run(self.filter.query.isa, search);
        }
    }

    fn accepts(&self, touching: &Touching) -> bool {
        let is_in_front = || touching.found.is_in_front(self.shape.center().to_array());
        let report = || Some(self.report(touching)?.hit);
        self.filter.accepts_hit(F::Index::new(0), touching.found.id, is_in_front, report)
    }

    /// The result in the user's numbers.
    pub(crate) fn report(&self, touching: &Touching) -> Option<Overlap> {
        let (middle, center) = ((0.0, [1.0 / 3.0; 2], Feature::Face), self.shape.center());
        let (hit, _) = touching.found.report(self.filter.tree, center.to_array(), middle)?;
        Some(Overlap { containment: touching.containment, hit })
    }
}

/// A walk, as a task for an instruction set.
struct Search<'a> {
    tree: &'a TreeView<'a>,
    setup: &'a ShapeSetup,
    shape: &'a Shape,
    visit: &'a mut dyn FnMut(&Touching) -> ControlFlow<()>,
}

impl Task for Search<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(mut self, isa: I) {
        let Self { tree, setup, .. } = self;
        // SAFETY: a view is of a valid tree, which has a node: there would be no setup otherwise.
        let _ = unsafe {
            walk::<I, _, _, _, false>(isa, tree, (setup, &OverlapLeafTest), ROOT, &mut self)
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

/// Visits the triangles of a leaf block that touch the shape.
struct OverlapLeafTest;

impl<I: Isa> LeafTest<I, Search<'_>> for OverlapLeafTest {
    #[inline(always)]
    fn test(
        &self,
        isa: I,
        block: &LeafBlock,
        index: u32,
        search: &mut Search<'_>,
    ) -> ControlFlow<()> {
        let (mut mask, certain) = opaque(search.setup).touches(isa, block);
        while mask != 0 {
            let lane = mask.trailing_zeros() as usize % LANES;
            mask &= mask - 1;
            let found = Found::new(block, index, lane);
            let is_certain = certain >> lane & 1 != 0;
            if let Some(containment) = search.decide(&found.corners, is_certain) {
                (search.visit)(&Touching { containment, found })?;
            }
        }
        ControlFlow::Continue(())
    }
}

impl Search<'_> {
    #[inline(always)]
    fn decide(&self, corners: &Corners, is_certain: bool) -> Option<Containment> {
        match self.shape {
            Shape::Aabb(bounds) if is_certain => {
                let inside = corners.iter().all(|&corner| bounds.contains(corner));
                Some(if inside { Containment::Inside } else { Containment::Touching })
            }
            shape => shape.overlap_corners(corners),
        }
    }
}
