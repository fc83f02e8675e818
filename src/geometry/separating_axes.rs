//! The directions along which two convex shapes can be apart, if they can be apart at all.

use smallvec::SmallVec;

use super::convex_shape::ConvexShape;
use super::exact::polytope::Polytope;
use super::turned_bounds::ALONG_AXES;
use super::vec3_f64::{Vec3F64, cross, difference, dot, scale, unit};
use super::volume::Volume;
use crate::array::Each;

/// Edges that are as parallel as this have no direction across both.
const PARALLEL: f64 = 1.0 / (1u64 << 45) as f64;

/// The normals of the faces of a shape, without a side, and the directions of its edges: of unit
/// length. A capsule has the edge in its middle.
#[derive(Clone, Debug, Default)]
pub(super) struct Directions<'a> {
    faces: SmallVec<[Vec3F64; 3]>,
    edges: SmallVec<[Vec3F64; 3]>,
    /// Has as many as are asked for one by one, so that nothing is allocated.
    hull: Option<&'a Polytope>,
}

impl<'a> Directions<'a> {
    pub(super) fn of(shape: &'a ConvexShape) -> Self {
        match shape {
            ConvexShape::Aabb(bounds) => Directions::of_volume(&(*bounds).into()),
            ConvexShape::Obb(obb) => Directions::of_volume(&(*obb).into()),
            ConvexShape::Sphere(_) => Self::default(),
            ConvexShape::Capsule(capsule) => Directions::of_volume(&(*capsule).into()),
            ConvexShape::Hull(hull) => Self { hull: Some(hull.polytope()), ..Self::default() },
        }
    }

    /// Whether it has any faces.
    pub(super) fn has_faces(&self) -> bool {
        !self.faces.is_empty() || self.hull.is_some()
    }

    pub(super) fn faces(&self) -> impl Iterator<Item = Vec3F64> + '_ {
        let of_hull = self.hull.into_iter().flat_map(|hull| {
            let normal =
                |&[i, j, k]: &[u8; 3]| unit(cross(between(hull, i, j), between(hull, i, k)));
            hull.topology.faces.iter().map(normal)
        });
        self.faces.iter().copied().chain(of_hull)
    }

    fn edges(&self) -> impl Iterator<Item = Vec3F64> + '_ {
        let of_hull = self
            .hull
            .into_iter()
            .flat_map(|hull| hull.topology.edges.iter().map(|&[i, j]| unit(between(hull, i, j))));
        self.edges.iter().copied().chain(of_hull)
    }
}

impl Directions<'static> {
    pub(super) fn of_volume(volume: &Volume) -> Self {
        match volume {
            Volume::Aabb(_) => Self::of_box(&ALONG_AXES),
            Volume::Obb(obb) => Self::of_box(&obb.columns_and_local().0),
            Volume::Sphere(_) => Self::default(),
            Volume::Capsule(capsule) => {
                let along = unit(difference(capsule.b.to_array(), capsule.a.to_array()));
                let edges = (along != [0.0; 3]).then_some(along).into_iter().collect();
                Self { edges, ..Self::default() }
            }
        }
    }

    fn of_box(columns: &[[f32; 3]; 4]) -> Self {
        let [a, b, c, _] = columns.each(|column| unit(column.each(f64::from)));
        Self { faces: face_normals([a, b, c]).into(), edges: [a, b, c].into(), hull: None }
    }
}

fn between(hull: &Polytope, i: u8, j: u8) -> Vec3F64 {
    difference(hull.points[usize::from(j)], hull.points[usize::from(i)])
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
    first.faces().chain(other.faces()).for_each(&mut *each);
    for one in first.edges() {
        for edge in other.edges() {
            let across = cross(one, edge);
            if dot(across, across) > PARALLEL * PARALLEL {
                each(unit(across));
            }
        }
    }
}
