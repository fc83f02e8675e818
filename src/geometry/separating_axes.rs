//! The directions along which two convex shapes can be apart, if they can be apart at all.

use smallvec::SmallVec;

use super::convex_shape::ConvexShape;
use super::turned_bounds::ALONG_AXES;
use super::vec3_f64::{Vec3F64, cross, difference, dot, scale, unit};
use crate::array::Each;

/// Edges that are as parallel as this have no direction across both.
const PARALLEL: f64 = 1.0 / (1u64 << 45) as f64;

/// The normals of the faces of a shape, without a side, and the directions of its edges: of unit
/// length. A capsule has the edge in its middle.
#[derive(Clone, Debug, Default)]
pub(super) struct Directions {
    pub(super) faces: SmallVec<[Vec3F64; 3]>,
    edges: SmallVec<[Vec3F64; 3]>,
}

impl Directions {
    pub(super) fn of(shape: &ConvexShape) -> Self {
        match shape {
            ConvexShape::Aabb(_) => Self::of_box(&ALONG_AXES),
            ConvexShape::Obb(obb) => Self::of_box(&obb.columns_and_local().0),
            ConvexShape::Sphere(_) => Self::default(),
            ConvexShape::Capsule(capsule) => {
                let along = unit(difference(capsule.b.to_array(), capsule.a.to_array()));
                let edges = (along != [0.0; 3]).then_some(along);
                Self { faces: SmallVec::new(), edges: edges.into_iter().collect() }
            }
            ConvexShape::Hull(hull) => {
                let hull = hull.polytope();
                let between = |i: u8, j: u8| {
                    difference(hull.points[usize::from(j)], hull.points[usize::from(i)])
                };
                let face = |&[i, j, k]: &[u8; 3]| unit(cross(between(i, j), between(i, k)));
                let edge = |&[i, j]: &[u8; 2]| unit(between(i, j));
                Self {
                    faces: hull.topology.faces.iter().map(face).collect(),
                    edges: hull.topology.edges.iter().map(edge).collect(),
                }
            }
        }
    }

    fn of_box(columns: &[[f32; 3]; 4]) -> Self {
        let [a, b, c, _] = columns.each(|column| unit(column.each(f64::from)));
        Self { faces: face_normals([a, b, c]).into(), edges: [a, b, c].into() }
    }
}

/// The normals of the faces of a box with edges along these axes, of unit length: each on the side
/// to which its axis leads.
pub(super) fn face_normals(axes: [Vec3F64; 3]) -> [Vec3F64; 3] {
    let [a, b, c] = axes.each(unit);
    let normals = [cross(b, c), cross(c, a), cross(a, b)].each(unit);
    let side = if dot(a, normals[0]) < 0.0 { -1.0 } else { 1.0 };
    normals.each(|normal| scale(normal, side))
}

/// Calls `each` with the directions that decide whether two shapes are apart: the normals of the
/// first one's faces, then the other's, and all directions across an edge of both (Gottschalk, Lin
/// and Manocha, "OBBTree: a hierarchical structure for rapid interference detection", 1996). If
/// both are segments on a line, or points, there are none.
pub(super) fn for_each_axis(first: &Directions, other: &Directions, each: &mut dyn FnMut(Vec3F64)) {
    first.faces.iter().chain(&other.faces).for_each(|&normal| each(normal));
    for &one in &first.edges {
        for &edge in &other.edges {
            let across = cross(one, edge);
            if dot(across, across) > PARALLEL * PARALLEL {
                each(unit(across));
            }
        }
    }
}
