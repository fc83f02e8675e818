//! Whether a point is inside a closed surface, in a scene.

use std::ops::ControlFlow;

use super::visit::{Test, for_each_tree};
use super::{PlacedInstance, TopLevels};
use crate::bvh::placed_bounds;
use crate::geometry::{Aabb, Shape};
use crate::traverse::options::Query;
use crate::traverse::overlap::{InsideQuery, PointLocation, ShapeSetup, WayOut};
use crate::traverse::place::Place;

/// A question about a point in a scene: whether it is inside.
pub(crate) struct InsideInScene<'a> {
    pub(crate) tops: &'a TopLevels<'a>,
    pub(crate) query: &'a Query<'a>,
    pub(crate) point: [f32; 3],
}

impl InsideInScene<'_> {
    /// Where the point is as seen from the solids of all instances, each of which has a ray of its
    /// own: the shortest way out of its box.
    pub(crate) fn location(&self) -> PointLocation {
        let Self { tops, query, point } = *self;
        let mut location = PointLocation::Outside;
        let here = Shape::Aabb(Aabb { min: point.into(), max: point.into() });
        let Some(here) = ShapeSetup::new(&tops.facts.boxes, &here) else { return location };
        for_each_tree(tops, query, &Test::Shape(&here), f32::INFINITY, |at, _| {
            match self.location_in(at) {
                None | Some(PointLocation::Outside) => {}
                Some(PointLocation::Inside) => location = PointLocation::Inside,
                Some(PointLocation::OnSurface) => {
                    location = PointLocation::OnSurface;
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(f32::INFINITY)
        });
        location
    }

    /// As seen from the solids of one instance. `None` if it is outside their box.
    fn location_in(&self, at: &PlacedInstance) -> Option<PointLocation> {
        let Self { tops, query, point } = *self;
        let bvh = tops.trees.get(at.tree as usize)?;
        let (tree, solids) = (bvh.view(), bvh.solids());
        let place = &Place::new(&at.transform, &tree.facts);
        let way = WayOut::of(&placed_bounds(tree, &at.transform), point)?;
        let blocks = ShapeSetup::new(&tops.facts.boxes, &way.shape)?;
        let nodes = blocks.in_place(place, &tree.facts, &way.shape)?;
        let question = InsideQuery { tree, query, solids, point, place: Some(place) };
        Some(question.location_along(&way, &blocks, &nodes))
    }
}
