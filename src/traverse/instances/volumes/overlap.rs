//! Which volumes of a scene touch a shape.

use std::ops::ControlFlow;

use glam::Vec3;

use super::VolumesInScene;
use crate::geometry::{Face, Shape, SurfacePlace, Volume, VolumeNearest};
use crate::traverse::instances::visit::{Test, for_each_instance};
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
        let (facts, query) = (&self.tops.facts.boxes, self.query.query);
        let setup = match shape {
            Shape::Frustum(_) => ShapeSetup::new(facts, shape),
            _ => {
                let bounds = self.bounds_of(shape, Vec3::ZERO);
                bounds.and_then(|bounds| ShapeSetup::new(facts, &bounds.into()))
            }
        };
        let Some(setup) = setup else { return };
        let (test, bound, middle) = (&Test::Shape(&setup), f32::INFINITY, shape.center());
        for_each_instance(self.tops, query, test, bound, &mut |instance, volume| {
            if let Some(volume) = volume
                && !self.leaves_out(instance)
                && let Some(containment) = shape.volume_overlap(volume)
                && let Some((face, place)) = seen_from(volume, middle)
                && let Some(hit) = self.accepted(instance, (0.0, face), place)
            {
                found(Overlap { containment, hit })?;
            }
            ControlFlow::Continue(bound)
        });
    }
}

/// The side of a volume that a point is on, and the place that is nearest to it.
fn seen_from(volume: &Volume, point: Vec3) -> Option<(Face, SurfacePlace)> {
    let VolumeNearest { point, distance, outwards } = volume.nearest_to(point)?;
    let face = if distance == 0.0 { Face::Back } else { Face::Front };
    Some((face, volume.place_near(point, outwards)))
}
