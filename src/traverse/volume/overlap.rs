//! Which triangles touch a shape.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::shape_setup::ShapeSetup;
use crate::bvh::{LANES, LeafBlock, ROOT, TreeView};
use crate::geometry::{Containment, Corners, Ray, Shape, origin_side};
use crate::simd::{self, Isa, Task, opaque};
use crate::traverse::collect::report::report;
use crate::traverse::collect::{Filter, QueryFilter, RayIndex, corners};
use crate::traverse::hit::Hit;
use crate::traverse::ray::exact_hit::HitPoint;
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
    corners: Corners,
    id: u32,
    slot: u32,
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

    fn is_in_front(&self, touching: &Touching) -> bool {
        origin_side(&Ray::new(self.shape.center(), [1.0, 0.0, 0.0]), &touching.corners) >= 0
    }

    fn accepts(&self, touching: &Touching) -> bool {
        self.filter.accepts_hit(
            F::Index::new(0),
            touching.id,
            || self.is_in_front(touching),
            || Some(self.report(touching)?.hit),
        )
    }

    /// The result in the user's numbers.
    pub(crate) fn report(&self, touching: &Touching) -> Option<Overlap> {
        let third = 1.0 / 3.0;
        let point = HitPoint { t: 0.0, u: third, v: third, front: self.is_in_front(touching) };
        let hit = report(self.filter.tree, touching.id, touching.slot, &point)?;
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
            let corners = corners(block, lane);
            let is_certain = certain >> lane & 1 != 0;
            if let Some(containment) = search.decide(&corners, is_certain) {
                let slot = index * LANES as u32 + lane as u32;
                (search.visit)(&Touching { containment, corners, id: block.id[lane], slot })?;
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
