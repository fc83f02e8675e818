//! Which volumes of a scene touch a shape.

use std::ops::ControlFlow;

use glam::Vec3;

use super::VolumesInScene;
use super::near::seen_at;
use crate::geometry::Shape;
use crate::traverse::instances::visit::Test;
use crate::traverse::overlap::{Overlap, ShapeSetup};

impl VolumesInScene<'_> {
    /// Whether any touches a shape.
    pub(crate) fn any_overlap(&self, shape: &Shape) -> bool {
        let mut any = false;
        self.for_each_touching(shape, &mut |_| {
            any = true;
            ControlFlow::Break(())
        });
        any
    }

    /// All that touch a shape, in no order.
    pub(crate) fn all_overlaps(&self, shape: &Shape, overlaps: &mut Vec<Overlap>) {
        self.for_each_touching(shape, &mut |overlap| {
            overlaps.push(overlap);
            ControlFlow::Continue(())
        });
    }

    fn for_each_touching(&self, shape: &Shape, found: &mut dyn FnMut(Overlap) -> ControlFlow<()>) {
        let facts = &self.tops.facts.boxes;
        let setup = match shape {
            Shape::Frustum(_) => ShapeSetup::new(facts, shape),
            _ => {
                let bounds = self.bounds_of(shape, Vec3::ZERO);
                bounds.and_then(|bounds| ShapeSetup::new(facts, &bounds.into()))
            }
        };
        let Some(setup) = setup else { return };
        let (bound, middle) = (f32::INFINITY, shape.center());
        self.for_each(&Test::Shape(&setup), bound, &mut |instance, volume| {
            if let Some(containment) = shape.volume_overlap(volume)
                && let Some(near) = volume.nearest_to(middle)
                && let (face, place) = seen_at(volume, &near)
                && let Some(hit) = self.accepted(instance, (0.0, face), place)
            {
                found(Overlap { containment, hit })?;
            }
            ControlFlow::Continue(bound)
        });
    }
}
