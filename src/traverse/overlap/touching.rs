//! Which triangles touch a shape.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::candidates::{ShapeTests, for_each_candidate};
use super::setup::ShapeSetup;
use crate::geometry::{Containment, Feature, Shape};
use crate::traverse::collect::QueryFilter;
use crate::traverse::found::Found;
use crate::traverse::hit::Hit;

/// A triangle or a [volume](crate::scene#volumes) that touches a shape.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Overlap {
    /// Whether the shape holds all of the triangle or volume. Of a volume this is computed in `f64`
    /// as [`Shape::overlaps`] says, and a triangle as a shape holds none.
    pub containment: Containment,
    /// The triangle. Here `t` is zero, `u` and `v` are the weights of its middle, 1/3 each, and
    /// `face` is the side of its plane that the middle of the shape is on: the front if it is in
    /// the plane.
    pub hit: Hit,
}

/// Puts the lowest first, and those that were found twice into one: a triangle that a spatial split
/// cut is in several leaves.
pub(crate) fn sort_overlaps(overlaps: &mut Vec<Overlap>) {
    overlaps.sort_unstable_by_key(|overlap| overlap.hit.key());
    overlaps.dedup_by_key(|overlap| overlap.hit.key());
}

/// A question about a shape: which triangles touch it.
#[derive(Clone, Copy)]
pub(crate) struct OverlapQuery<'a> {
    pub(crate) filter: &'a QueryFilter<'a>,
    pub(crate) shape: &'a Shape,
}

/// A triangle that touches the shape.
#[derive(Clone, Copy)]
pub(crate) struct Touching {
    containment: Containment,
    found: Found,
}

impl OverlapQuery<'_> {
    /// Calls `found` for each triangle that touches the shape and that the query accepts. One that
    /// a spatial split cut may come several times.
    #[inline(always)]
    pub(crate) fn for_each(&self, found: impl FnMut(&Self, &Touching) -> ControlFlow<()>) {
        if let Some(setup) = &ShapeSetup::new(&self.filter.tree.facts, self.shape) {
            self.for_each_with(setup, setup, found);
        }
    }

    /// As [`for_each`](Self::for_each), with these tests of leaf blocks and nodes.
    #[inline(always)]
    pub(crate) fn for_each_with(
        &self,
        blocks: &ShapeSetup,
        nodes: &ShapeSetup,
        mut found: impl FnMut(&Self, &Touching) -> ControlFlow<()>,
    ) {
        let (tree, isa) = (self.filter.tree, self.filter.query.isa);
        let tests = ShapeTests { blocks, nodes, place: self.filter.place };
        for_each_candidate(tree, isa, tests, &mut |candidate, is_certain| match self
            .decide(candidate, is_certain)
        {
            Some(touching) if self.accepts(&touching) => found(self, &touching),
            _ => ControlFlow::Continue(()),
        });
    }

    fn decide(&self, candidate: &Found, is_certain: bool) -> Option<Touching> {
        let corners = &candidate.corners;
        let containment = match self.shape {
            Shape::Aabb(bounds) if is_certain => {
                let inside = corners.iter().all(|&corner| bounds.contains(corner));
                if inside { Containment::Inside } else { Containment::Touching }
            }
            shape => shape.overlap_corners(corners)?,
        };
        Some(Touching { containment, found: *candidate })
    }

    fn accepts(&self, touching: &Touching) -> bool {
        let is_in_front = || touching.found.is_in_front(self.shape.center().to_array());
        let report = || Some(self.report(touching)?.hit);
        self.filter.accepts_hit(0, touching.found.id, is_in_front, report)
    }

    /// The result in the user's numbers.
    pub(crate) fn report(&self, touching: &Touching) -> Option<Overlap> {
        let (middle, center) = ((0.0, [1.0 / 3.0; 2], Feature::Face), self.shape.center());
        let (hit, _) = touching.found.report(self.filter, center.to_array(), middle)?;
        Some(Overlap { containment: touching.containment, hit })
    }
}
