//! Which triangle is nearest to a shape, in a scene.

use super::TopLevels;
use super::collectors::SceneQuery;
use crate::geometry::NearShape;
use crate::traverse::near::{Around, ShapeDistance, ShapeQuery, for_each_near};
use crate::traverse::place::Place;

/// A question about a shape in a scene: which triangle is nearest.
pub(crate) struct NearShapeInScene<'a> {
    pub(crate) tops: &'a TopLevels<'a>,
    pub(crate) query: SceneQuery<'a>,
    pub(crate) shape: &'a NearShape,
}

impl NearShapeInScene<'_> {
    /// The nearest triangle, if it is no farther away than `bound`. Of equally near ones the lowest
    /// handle decides, then the lowest number.
    pub(crate) fn nearest(&self, mut bound: f32) -> Option<ShapeDistance> {
        let Self { tops, query, shape } = self;
        let around = &Around::new(shape, tops.facts.boxes.sizes());
        let mut best: Option<ShapeDistance> = None;
        for view in &tops.levels {
            for_each_near(&view.top.nodes, None, around, bound, &mut |index| {
                let instance = view.get(index, query.query);
                let tree = instance.and_then(|instance| tops.tree(instance));
                if let (Some(instance), Some(tree)) = (instance, tree) {
                    let place = &Place::new(&instance.transform, &tree.facts);
                    let filter = &query.filter_in(instance.id, tree, Some(place));
                    if let Some(near) = (ShapeQuery { filter, shape }).nearest(bound) {
                        let is_nearer = best.as_ref().is_none_or(|best| {
                            near.distance < best.distance || near.hit.key() < best.hit.key()
                        });
                        if is_nearer {
                            bound = near.distance;
                            best = Some(near);
                        }
                    }
                }
                bound
            });
        }
        best
    }
}
