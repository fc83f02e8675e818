//! Rays along an axis, which tell inside from outside by the triangles that they cross.

use super::aabb::Aabb;
use super::distance::point_distance::PointDistance;
use super::exact::{area_side, origin_side};
use super::ray::Ray;
use super::vec3_f64::Corners;
use crate::array::Each;

#[cfg(test)]
mod tests;

/// A ray from a point along an axis.
///
/// It stands for one that begins next to the point: farther along the next axis by a number that is
/// smaller than any other but zero, and along the one after that by a number that is smaller still
/// (Edelsbrunner and Mücke, "Simulation of Simplicity", 1990). That one meets no edge, no vertex
/// and no triangle that is parallel to it. If the point is on no triangle, nothing is between the
/// two points, so both are inside or both outside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AxisRay {
    origin: [f32; 3],
    axis: usize,
    is_forwards: bool,
}

/// What a triangle is to a ray.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Crossing {
    /// The ray does not cross it.
    None,
    /// The ray's point is on it.
    Origin,
    /// The ray crosses it: 1 if it comes out of the triangle's front, -1 if it goes in there.
    Through(i32),
}

impl AxisRay {
    /// The shortest way out of a box from a point; `None` if the point is outside.
    pub(crate) fn out_of(bounds: &Aabb, origin: [f32; 3]) -> Option<Self> {
        if !bounds.contains(origin) {
            return None;
        }
        let ways = (0..3).flat_map(|axis| [(axis, false), (axis, true)]);
        let length = |&(axis, is_forwards): &(usize, bool)| match is_forwards {
            false => origin[axis] - bounds.min[axis],
            true => bounds.max[axis] - origin[axis],
        };
        let (axis, is_forwards) = ways.min_by(|a, b| length(a).total_cmp(&length(b)))?;
        Some(Self { origin, axis, is_forwards })
    }

    /// The part within the box that it leads out of.
    pub(crate) fn within(&self, bounds: &Aabb) -> Aabb {
        let mut part = Aabb { min: self.origin.into(), max: self.origin.into() };
        match self.is_forwards {
            false => part.min[self.axis] = bounds.min[self.axis],
            true => part.max[self.axis] = bounds.max[self.axis],
        }
        part
    }

    /// Whether it crosses a triangle. All coordinates are finite.
    ///
    /// The sum over the triangles of a closed surface is the winding number of the point, unless it
    /// is on one of them. Decided without rounding.
    pub(crate) fn crossing(&self, corners: &Corners) -> Crossing {
        let Self { origin, axis, is_forwards } = *self;
        let along = corners.each(|corner| corner[axis]);
        let is_behind = |x: &f32| if is_forwards { *x < origin[axis] } else { *x > origin[axis] };
        if along.iter().all(is_behind) {
            return Crossing::None;
        }
        let [a, b, c] = *corners;
        let sides = [self.side_of_edge(a, b), self.side_of_edge(b, c), self.side_of_edge(c, a)];
        let is_crossed = sides[0] != 0 && sides[0] == sides[1] && sides[0] == sides[2];
        let way = if is_forwards { sides[0] } else { -sides[0] };
        let has = |is_less: fn(&f32, &f32) -> bool| along.iter().any(|x| is_less(x, &origin[axis]));
        if has(f32::le) && has(f32::ge) {
            // The point may be on it, or past it.
            let side = origin_side(&Ray::new(origin, [1.0, 0.0, 0.0]), corners);
            if side == 0 && PointDistance::new(origin, corners).is_within(0.0, origin, corners) {
                return Crossing::Origin;
            }
            if side != -way {
                return Crossing::None;
            }
        }
        if is_crossed { Crossing::Through(way) } else { Crossing::None }
    }

    /// As seen along the axis: 1 if the ray passes an edge on its left, -1 on its right, 0 if the
    /// edge is a point.
    fn side_of_edge(&self, from: [f32; 3], to: [f32; 3]) -> i32 {
        let seen = |point: [f32; 3]| [point[(self.axis + 1) % 3], point[(self.axis + 2) % 3]];
        let (from, to) = (seen(from), seen(to));
        let sign = |less: f32, more: f32| i32::from(less < more) - i32::from(more < less);
        match area_side(&[from, to, seen(self.origin)]) {
            // The ray meets the edge's line: the side of a ray right next to it counts.
            0 if from[1] == to[1] => sign(from[0], to[0]),
            0 => sign(to[1], from[1]),
            side => side,
        }
    }
}
