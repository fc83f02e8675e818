//! Whether a shape holds a volume.

use smallvec::SmallVec;

use super::aabb::Aabb;
use super::containment::Containment;
use super::convex_core::{Core, TOLERANCE};
use super::convex_shape::ConvexShape;
use super::separating_axes::Directions;
use super::shape::Shape;
use super::turned_bounds::ALONG_AXES;
use super::vec3_f64::{Vec3F64, dot, max, min, sub};
use super::volume::Volume;
use super::volume_surface::on_segment;
use crate::array::Each;

#[cfg(test)]
mod tests;

/// The points between two planes: a normal, and the least and the greatest height along it.
type Slab = (Vec3F64, [f64; 2]);

impl Shape {
    /// Whether the shape touches a volume, as [`overlaps`](Self::overlaps) says, and whether it
    /// holds all of it, within the same tolerance. A triangle holds none.
    pub(crate) fn volume_overlap(&self, volume: &Volume) -> Option<Containment> {
        let touches = self.overlaps_shape(&(*volume).into());
        let of = |is_inside| if is_inside { Containment::Inside } else { Containment::Touching };
        touches.then(|| of(self.holds(volume)))
    }

    fn holds(&self, volume: &Volume) -> bool {
        let Some(inner) = Core::near(&(*volume).into(), || volume.bounds()) else { return false };
        let slabs = match self {
            Self::Triangle(_) => return false,
            Self::Sphere(_) | Self::Capsule(_) => {
                let Some(outer) = Core::near(self, || volume.bounds()) else { return false };
                let ends = [outer.points[0], outer.points[outer.points.len() - 1]];
                let slack = TOLERANCE * max(outer.size, inner.size);
                return inner.points.iter().all(|&point| {
                    let out = sub(point, on_segment(&ends, point).1);
                    dot(out, out).sqrt() + inner.radius <= outer.radius + slack
                });
            }
            Self::Aabb(bounds) => {
                let side = |k: usize| [bounds.min[k], bounds.max[k]].each(f64::from);
                (0..3).map(|k| (ALONG_AXES[k].each(f64::from), side(k))).collect()
            }
            Self::Frustum(frustum) => {
                let planes = frustum.planes().each(|plane| plane.to_array().each(f64::from));
                planes.iter().map(|&[x, y, z, w]| ([x, y, z], [-w, f64::INFINITY])).collect()
            }
            Self::Obb(obb) => slabs_of(self, &(*obb).into()),
            Self::Hull(hull) => slabs_of(self, &hull.into()),
        };
        slabs.iter().all(|&(normal, [least, most])| {
            let length = dot(normal, normal).sqrt();
            let heights = || inner.points.iter().map(|&point| dot(normal, point));
            let reach = inner.radius * length;
            let low = heights().fold(f64::INFINITY, min) - reach;
            let high = heights().fold(f64::NEG_INFINITY, max) + reach;
            let finite = [least, most].into_iter().filter(|x| x.is_finite()).map(f64::abs);
            let slack = TOLERANCE * finite.fold(inner.size * length, max);
            least - slack <= low && high <= most + slack
        })
    }
}

/// Between the faces of a polytope.
fn slabs_of(shape: &Shape, convex: &ConvexShape) -> SmallVec<[Slab; 6]> {
    // Of these the box is not asked for.
    let Some(core) = Core::near(shape, || Aabb::EMPTY) else { return SmallVec::new() };
    let range = |normal: Vec3F64| {
        let heights = || core.points.iter().map(|&point| dot(normal, point));
        [heights().fold(f64::INFINITY, min), heights().fold(f64::NEG_INFINITY, max)]
    };
    Directions::of(convex).faces().map(|normal| (normal, range(normal))).collect()
}
