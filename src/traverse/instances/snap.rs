//! Which vertices and edges are near a ray, in a scene.

use std::ops::ControlFlow;

use super::collectors::SceneQuery;
use super::{TopLevelView, TopLevels};
use crate::array::Each;
use crate::geometry::{Aabb, to_f64};
use crate::traverse::best_first::{BoxVisitor, visit_boxes};
use crate::traverse::place::Place;
use crate::traverse::snap::SnapSearch;

/// Searches all instances, the most promising first.
pub(crate) fn snap_in_scene(
    tops: &TopLevels<'_>,
    query: SceneQuery<'_>,
    search: &mut SnapSearch<'_>,
) {
    for view in &tops.levels {
        visit_boxes(&view.top.nodes, &mut InInstances { tops, view, query, search });
    }
}

/// A search in a tree of instances.
struct InInstances<'a, 's> {
    tops: &'a TopLevels<'a>,
    view: &'a TopLevelView<'a>,
    query: SceneQuery<'a>,
    search: &'a mut SnapSearch<'s>,
}

impl BoxVisitor for InInstances<'_, '_> {
    fn enter(&mut self, bounds: &Aabb) -> Option<f32> {
        self.search.enter([bounds.min, bounds.max].each(to_f64))
    }

    fn leaf(&mut self, number: u32) -> ControlFlow<()> {
        if let Some(at) = self.view.get(number, self.query.query)
            && let Some(tree) = self.tops.tree(at)
        {
            let place = &Place::new(&at.transform, &tree.facts);
            self.search.search(&self.query.filter_in(at.id, tree, Some(place)));
        }
        ControlFlow::Continue(())
    }
}
