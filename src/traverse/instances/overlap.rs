//! What touches a shape, in a scene.

use std::ops::ControlFlow;

use super::TopLevels;
use super::collectors::SceneQuery;
use super::visit::{Test, for_each_tree};
use crate::geometry::Shape;
use crate::traverse::overlap::{Overlap, OverlapQuery, ShapeSetup};
use crate::traverse::place::Place;

/// A question about a shape in a scene: which triangles touch it.
pub(crate) struct OverlapInScene<'a> {
    pub(crate) tops: &'a TopLevels<'a>,
    pub(crate) query: SceneQuery<'a>,
    pub(crate) shape: &'a Shape,
}

impl OverlapInScene<'_> {
    /// Calls `found` for each triangle that touches the shape and that the query accepts, with a
    /// function that reports it. One that a spatial split cut may come several times.
    #[inline(always)]
    pub(crate) fn for_each(
        &self,
        mut found: impl FnMut(&dyn Fn() -> Option<Overlap>) -> ControlFlow<()>,
    ) {
        let Self { tops, ref query, shape } = *self;
        let Some(world) = ShapeSetup::new(&tops.facts.boxes, shape) else { return };
        let bound = f32::INFINITY;
        for_each_tree(tops, query.query, &Test::Shape(&world), bound, |at, tree| {
            let place = &Place::new(&at.transform, &tree.facts);
            let filter = &query.filter_in(at.id, tree, Some(place));
            let mut flow = ControlFlow::Continue(bound);
            if let Some(nodes) = &world.in_place(place, &tree.facts, shape) {
                OverlapQuery { filter, shape }.for_each_with(&world, nodes, |here, touching| {
                    let next = found(&|| here.report(touching));
                    if next.is_break() {
                        flow = ControlFlow::Break(());
                    }
                    next
                });
            }
            flow
        });
    }
}
