//! Which instances touch a shape.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::visit::{Test, for_each_tree};
use super::{PlacedInstance, TopLevels};
use crate::bvh::{Bvh, MeshRecord, placed_bounds};
use crate::geometry::{Containment, Shape};
use crate::traverse::found::Found;
use crate::traverse::instance_id::InstanceId;
use crate::traverse::options::Query;
use crate::traverse::overlap::{MeshOverlapQuery, ShapeSetup};
use crate::traverse::place::Place;

/// An instance that touches a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct InstanceOverlap {
    /// Its handle.
    pub instance: InstanceId,
    /// Whether the shape holds all of its triangles.
    pub containment: Containment,
}

/// A question about a shape in a scene: which instances touch it.
pub(crate) struct InstancesTouching<'a> {
    pub(crate) tops: &'a TopLevels<'a>,
    /// Its layers count, and no more.
    pub(crate) query: &'a Query<'a>,
    pub(crate) shape: &'a Shape,
}

impl InstancesTouching<'_> {
    /// Calls `found` with each of them, in no order.
    pub(crate) fn for_each(&self, found: &mut dyn FnMut(InstanceOverlap)) {
        let Self { tops, query, shape } = *self;
        let Some(world) = &ShapeSetup::new(&tops.facts.boxes, shape) else { return };
        for_each_tree(tops, query, &Test::Shape(world), f32::INFINITY, |at, _| {
            if let Some(containment) = self.containment_of(at, world) {
                found(InstanceOverlap { instance: at.id, containment });
            }
            ControlFlow::Continue(f32::INFINITY)
        });
    }

    /// How much of an instance the shape holds; `None` if it touches none of it.
    fn containment_of(&self, at: &PlacedInstance, world: &ShapeSetup) -> Option<Containment> {
        let Self { tops, query, shape } = *self;
        let bvh = tops.trees.get(at.tree as usize)?;
        let tree = bvh.view();
        let is_seen = |mesh: usize| tree.meshes[mesh].mask & query.mask != 0;
        if shape.holds_box(&placed_bounds(tree, &at.transform)) {
            return has_triangles(bvh, query.mask).then_some(Containment::Inside);
        }
        let place = &Place::new(&at.transform, &tree.facts);
        let nodes = &world.in_place(place, &tree.facts, shape)?;
        let question = MeshOverlapQuery { tree, isa: query.isa, shape, place: Some(place) };
        let mut is_touched = false;
        question.for_each_with(world, nodes, &mut |mesh, touches| {
            is_touched = is_seen(mesh) && touches();
            if is_touched { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let is_inside = |found: Found| {
            let found = found.moved(Some(place));
            shape.overlap_corners(&found.corners) == Some(Containment::Inside)
        };
        let is_whole = || {
            tree.blocks.iter().zip(0..).all(|(block, number)| {
                let mut all = (0..block.len()).map(|lane| Found::new(block, number, lane));
                all.all(|found| {
                    let mesh = MeshRecord::find(tree.meshes, found.id);
                    !mesh.is_some_and(is_seen) || is_inside(found)
                })
            })
        };
        is_touched.then(|| if is_whole() { Containment::Inside } else { Containment::Touching })
    }
}

/// Whether a tree has a triangle in the layers `mask`.
fn has_triangles(bvh: &Bvh, mask: u32) -> bool {
    let tree = bvh.view();
    tree.facts.common_mask & mask != 0
        || tree
            .meshes
            .iter()
            .zip(bvh.all_mesh_bounds())
            .any(|(mesh, bounds)| mesh.mask & mask != 0 && !bounds.is_empty())
}
