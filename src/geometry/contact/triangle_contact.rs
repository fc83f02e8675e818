//! Where a shape that moves first touches a triangle.

use std::cmp::Ordering;

use glam::Vec3;

use super::face_normal::face_normal;
use crate::array::Each;
use crate::geometry::distance::point_distance::Feature;
use crate::geometry::vec3_f64::{Corners, Vec3F64, add, difference, dot, scale, to_f32, unit};

/// Where a shape that moves first touches a triangle: see
/// [`ConvexShape::first_contact`](crate::geometry::ConvexShape::first_contact).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct TriangleContact {
    /// When, in units of the motion: 0 to 1.
    pub t: f32,
    /// A point of the triangle that the shape then touches.
    pub point: Vec3,
    /// The direction from the triangle towards the shape, of unit length.
    pub normal: Vec3,
    /// The normal of the triangle's plane, of unit length, on the side that `normal` leads to. That
    /// is `normal` itself if the triangle has no area.
    pub face_normal: Vec3,
    /// The part of the triangle that `point` is on.
    pub feature: Feature,
    /// How far the shape has to move along `normal` to leave the triangle, which is the shortest
    /// way out: zero if they do not overlap at the start. It is rounded as
    /// [`Contact::depth`](crate::Contact::depth) says.
    pub depth: f32,
    /// The weight of the second vertex in `point`.
    pub u: f32,
    /// The weight of the third vertex in `point`.
    pub v: f32,
}

/// What decides which of two contacts comes first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rank {
    pub(crate) t: f32,
    pub(crate) depth: f32,
    /// Whether the normal is not the face's normal.
    pub(crate) is_beside: bool,
}

impl Rank {
    /// The earlier, then the deeper, then one with a face.
    pub(crate) fn cmp(&self, other: &Self) -> Ordering {
        let order = self.t.total_cmp(&other.t).then(other.depth.total_cmp(&self.depth));
        order.then(self.is_beside.cmp(&other.is_beside))
    }
}

/// Which first touches of a triangle matter: others need not be told of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// Those at this time or before.
    pub(crate) until: f32,
    /// The same for touches whose normal is not the face's normal.
    pub(crate) until_beside: f32,
    /// The direction in which the shape touches something else then, or zero if that is not known.
    /// Any direction will do.
    pub(crate) ahead: [f64; 3],
}

impl Wanted {
    pub(crate) fn until(t: f32) -> Self {
        Self { until: t, until_beside: t, ahead: [0.0; 3] }
    }
}

/// How a shape leaves a triangle: the direction has any length but zero.
#[derive(Clone, Copy)]
pub(in crate::geometry) struct Way {
    pub(in crate::geometry) depth: f64,
    pub(in crate::geometry) direction: Vec3F64,
}

impl Way {
    pub(in crate::geometry) fn rank(&self, t: f32, motion: Vec3F64, corners: &Corners) -> Rank {
        let [normal, face] = self.normals(motion, face_normal(corners));
        Rank { t, depth: self.rounded_depth(), is_beside: normal != face }
    }

    pub(in crate::geometry) fn rounded_depth(&self) -> f32 {
        self.depth.max(0.0) as f32
    }

    /// The direction, and the normal of the face, on the same side, of unit length.
    fn normals(&self, motion: Vec3F64, face: Vec3F64) -> [Vec3; 2] {
        let normal = unit(self.direction);
        let face = unit(face);
        let (side, ahead) = (dot(face, normal), dot(face, motion));
        // Beside an edge both sides are as good: then the one that the shape comes from.
        let is_turned = if side.abs() > EDGE_ON { side < 0.0 } else { ahead > 0.0 };
        let face = if face == [0.0; 3] { normal } else { face };
        let face = if is_turned && face != normal { scale(face, -1.0) } else { face };
        [to_f32(normal), to_f32(face)]
    }
}

/// The data of a contact.
#[derive(Clone, Copy)]
pub(in crate::geometry) struct Touch {
    pub(in crate::geometry) t: f32,
    pub(in crate::geometry) way: Way,
    pub(in crate::geometry) weights: [f64; 2],
    pub(in crate::geometry) feature: Feature,
}

impl Touch {
    pub(in crate::geometry) fn contact(
        &self,
        motion: Vec3F64,
        corners: &Corners,
    ) -> TriangleContact {
        let (e1, e2) = (difference(corners[1], corners[0]), difference(corners[2], corners[0]));
        let [u, v] = self.weights;
        let along = add(scale(e1, u), scale(e2, v));
        let [normal, face_normal] = self.way.normals(motion, face_normal(corners));
        TriangleContact {
            t: self.t,
            point: to_f32(add(corners[0].each(f64::from), along)),
            normal,
            face_normal,
            feature: self.feature,
            depth: self.way.rounded_depth(),
            u: u as f32,
            v: v as f32,
        }
    }
}

/// A cosine that roundings may make of zero.
const EDGE_ON: f64 = 1.0 / (1u64 << 40) as f64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_of_any_length_are_scaled_to_one() {
        for size in [1e-300, 1e-3, 1.0, 1e300] {
            let [x, y, z] = unit([3.0 * size, 0.0, -4.0 * size]);
            assert!((x - 0.6).abs() < 1e-15 && y == 0.0 && (z + 0.8).abs() < 1e-15, "{size}");
        }
        assert_eq!(unit([0.0; 3]), [0.0; 3]);
        assert_eq!(unit([f64::INFINITY, 0.0, 1.0]), [0.0; 3]);
    }
}
