//! The edges of a tree's triangles, and how they bend.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::surface::MeshTriangle;
use crate::bvh::Bvh;
use crate::geometry::{Corners, Feature, cross, difference, dot};
use crate::mesh::{EdgeUse, for_each_edge};
use crate::traverse::Hit;

#[cfg(test)]
mod tests;

/// How triangles meet at an edge, the most remarkable last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum EdgeKind {
    /// Two triangles of one mesh go on in nearly the same plane: the diagonal of a quad.
    Flat,
    /// Two triangles of different meshes do so.
    Border,
    /// The surface bends away from its front.
    Convex,
    /// The surface bends towards its front.
    Concave,
    /// There is one triangle only.
    Open,
    /// Two triangles use it in the same direction: one of them is turned over.
    Inconsistent,
    /// There are more than two.
    NotManifold,
}

/// An edge where triangles of a tree meet.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Edge {
    /// Its ends.
    pub ends: [Vec3; 2],
    /// How its triangles meet.
    pub kind: EdgeKind,
    /// The mesh of the first triangle that has it.
    pub mesh: u32,
    /// This triangle, as numbered in its mesh.
    pub triangle: u32,
    /// The number of the edge there, in the caller's order: as in [`Feature::Edge`].
    pub number: u8,
}

/// The edges of a tree's triangles where they were when [`Bvh::edges`] was called.
#[derive(Clone, Debug)]
pub struct Edges {
    all: Vec<Edge>,
    /// The triangles in order, by mesh and number, each with the places of its edges in `all`, in
    /// the caller's order.
    of_triangle: Vec<((u32, u32), [u32; 3])>,
    /// The ends of all that are not flat, in order.
    hard_ends: Vec<[u32; 3]>,
}

impl Bvh {
    /// The edges of all triangles, each once, with how the surface bends there: for outlines, and
    /// for editors that snap to the edges of what was modelled and not to the diagonals of quads.
    ///
    /// Edges are the same if their ends have the same coordinates (-0 is 0), whatever meshes their
    /// triangles belong to. One is flat if its two triangles belong to one mesh, are wound alike,
    /// and the cosine of the angle between their normals is *above* `flat`: 0.9998 is about one
    /// degree, 0.866 is 30 degrees. All others are hard. With a `flat` of more than 1, or NaN, all
    /// are. A cosine is computed in `f64`, without functions of a platform, so the kinds are the
    /// same on every machine.
    ///
    /// Triangles that the bake has skipped are missing, and so is one that has no area any more
    /// after a refit. Takes expected O(n log n) for n triangles; the result keeps about 80 bytes a
    /// triangle.
    ///
    /// ```
    /// use hitscan::query::EdgeKind;
    /// use hitscan::{Builder, Mesh};
    ///
    /// // A roof of two quads.
    /// let corners = vec![
    ///     [0.0, 0.0, 0.0], [0.0, 0.0, 4.0], [2.0, 1.0, 4.0], [2.0, 1.0, 0.0],
    ///     [4.0, 0.0, 4.0], [4.0, 0.0, 0.0],
    /// ];
    /// let roof = Mesh::new(corners, vec![0, 1, 2, 0, 2, 3, 3, 2, 4, 3, 4, 5]);
    /// let (bvh, _report) = Builder::new().bake(&[roof])?;
    /// let edges = bvh.edges(0.9998);
    /// let count = |kind| edges.all().iter().filter(|edge| edge.kind == kind).count();
    /// assert_eq!([EdgeKind::Flat, EdgeKind::Convex, EdgeKind::Open].map(count), [2, 1, 6]);
    /// assert_eq!(edges.hard().count(), 7);
    /// # Ok::<(), hitscan::BakeError>(())
    /// ```
    #[must_use]
    pub fn edges(&self, flat: f32) -> Edges {
        let records = self.view().meshes;
        let triangles: Vec<_> =
            self.triangles().filter(|found| !found.vertices.is_degenerate()).collect();
        let soup: Vec<_> = triangles.iter().flat_map(|found| found.vertices.to_arrays()).collect();
        let mut all = Vec::new();
        let mut of_triangle: Vec<_> =
            triangles.iter().map(|found| ((found.mesh, found.triangle), [0; 3])).collect();
        for_each_edge(&soup, &mut |ends, uses| {
            let mut first = 0;
            for one in uses.iter().rev() {
                let mesh = of_triangle[one.triangle].0.0 as usize;
                first = if records[mesh].is_swapped() { 2 - one.number } else { one.number };
                of_triangle[one.triangle].1[usize::from(first)] = all.len() as u32;
            }
            let (mesh, triangle) = of_triangle[uses[0].triangle].0;
            let (ends, kind) = (ends.map(Vec3::from_array), kind_of(&triangles, uses, flat));
            all.push(Edge { ends, kind, mesh, triangle, number: first });
        });
        let hard = all.iter().filter(|edge| edge.kind != EdgeKind::Flat);
        let mut hard_ends: Vec<_> = hard.flat_map(|edge| edge.ends.map(bits)).collect();
        hard_ends.sort_unstable();
        hard_ends.dedup();
        Edges { all, of_triangle, hard_ends }
    }
}

impl Edges {
    /// All edges, each once. Their order depends on the triangles and their numbers alone.
    #[must_use]
    pub fn all(&self) -> &[Edge] {
        &self.all
    }

    /// The edges that are not flat.
    pub fn hard(&self) -> impl Iterator<Item = &Edge> {
        self.all.iter().filter(|edge| edge.kind != EdgeKind::Flat)
    }

    /// An edge of a triangle, by its number in the caller's order. `None` if there is no such
    /// triangle or edge, or the triangle is missing. Takes logarithmic time.
    #[must_use]
    pub fn get(&self, mesh: u32, triangle: u32, number: u8) -> Option<&Edge> {
        let at = self.of_triangle.binary_search_by_key(&(mesh, triangle), |of| of.0).ok()?;
        let place = *self.of_triangle[at].1.get(usize::from(number))?;
        self.all.get(place as usize)
    }

    /// Whether a part of a hit's triangle belongs to a hard edge: an edge that is one, or a vertex
    /// where one ends. A face never does. For
    /// [`SnapOptions::features`](crate::query::SnapOptions::features), and for contacts and closest
    /// points. Takes logarithmic time.
    #[must_use]
    pub fn is_hard(&self, hit: &Hit, feature: Feature) -> bool {
        let edge = |number| self.get(hit.mesh, hit.triangle, number);
        match feature {
            Feature::Face => false,
            Feature::Edge(number) => edge(number).is_some_and(|edge| edge.kind != EdgeKind::Flat),
            Feature::Vertex(number) => {
                // The vertex is where this edge and the one before it meet.
                let (Some(from), Some(to)) = (edge(number), edge((number % 3 + 2) % 3)) else {
                    return false;
                };
                let common = from.ends.iter().find(|end| to.ends.contains(end));
                common.is_some_and(|&end| self.hard_ends.binary_search(&bits(end)).is_ok())
            }
        }
    }
}

/// The bits of an end of an edge, which has no minus zero.
fn bits(end: Vec3) -> [u32; 3] {
    end.to_array().map(f32::to_bits)
}

/// How the triangles that use an edge meet there.
fn kind_of(triangles: &[MeshTriangle], uses: &[EdgeUse], flat: f32) -> EdgeKind {
    let corners = |one: &EdgeUse| {
        let corners = triangles[one.triangle].vertices.to_arrays();
        [0, 1, 2].map(|k| corners[(usize::from(one.number) + k) % 3])
    };
    match uses {
        [_] => EdgeKind::Open,
        [one, other] if one.is_forwards == other.is_forwards => EdgeKind::Inconsistent,
        [one, other] => {
            let is_border = triangles[one.triangle].mesh != triangles[other.triangle].mesh;
            match bend(&corners(one), &corners(other), flat) {
                EdgeKind::Flat if is_border => EdgeKind::Border,
                kind => kind,
            }
        }
        _ => EdgeKind::NotManifold,
    }
}

/// How a surface bends at an edge, from the corners of two triangles: each from the edge's start
/// there.
fn bend(one: &Corners, other: &Corners, flat: f32) -> EdgeKind {
    let normal = |[a, b, c]: &Corners| {
        let normal = cross(difference(*b, *a), difference(*c, *a));
        let length = dot(normal, normal).sqrt();
        normal.map(|x| x / length)
    };
    let (n, m) = (normal(one), normal(other));
    if dot(n, m) > f64::from(flat) {
        EdgeKind::Flat
    } else if dot(n, difference(other[2], one[0])) < 0.0 {
        EdgeKind::Convex
    } else {
        EdgeKind::Concave
    }
}
