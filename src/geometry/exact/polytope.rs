//! Convex polytopes that move.

use std::sync::Arc;

use smallvec::SmallVec;

use super::axes::{Axes, Axis};
use super::number::{Ordered, add, cross, difference, dot, point};
use super::quick_times::CrossAxes;
use crate::array::Each;
use crate::geometry::vec3_f64::{Corners, max, max_abs};

/// The corners of a convex hull, and which of them its faces and edges go through.
#[derive(Debug, PartialEq)]
pub(in crate::geometry) struct Polytope {
    pub(in crate::geometry) points: Vec<[f32; 3]>,
    /// Shared by all hulls that are the same but for where their corners are.
    pub(in crate::geometry) topology: Arc<Topology>,
}

/// The faces and edges of a convex hull, by the numbers of its corners.
#[derive(Debug, PartialEq)]
pub(in crate::geometry) struct Topology {
    /// Three corners of each face.
    pub(in crate::geometry) faces: Vec<[u8; 3]>,
    /// A bit for each corner that is on the face of the same number.
    pub(in crate::geometry) on: Vec<u64>,
    pub(in crate::geometry) edges: Vec<[u8; 2]>,
    /// The two faces that meet in the edge of the same number.
    pub(in crate::geometry) beside: Vec<[u8; 2]>,
}

/// The axes are the triangle's normal, the normals of the polytope's faces, and the axes across an
/// edge of each.
pub(in crate::geometry) struct PolytopeAxes<'a, N, P = Seen<N>> {
    polytope: &'a Polytope,
    points: P,
    /// The triangle's vertices, as seen from the first point.
    vertices: [[N; 3]; 3],
    edges: [[N; 3]; 3],
    motion: [N; 3],
}

/// A polytope's points, as seen from the first.
pub(in crate::geometry) trait Points<N> {
    /// The least and the greatest height over a plane through the first.
    fn heights(&self, normal: &[N; 3]) -> [N; 2];
}

/// All of them.
pub(in crate::geometry) struct Seen<N>(SmallVec<[[N; 3]; 64]>);

/// Each is computed when it is needed: 64 long integers would take most of a small stack.
pub(super) struct Unseen<'a>(pub(super) &'a [[f32; 3]]);

impl<N: Ordered> Points<N> for Seen<N> {
    #[inline(always)]
    fn heights(&self, normal: &[N; 3]) -> [N; 2] {
        range(self.0.iter().map(|point| dot(normal, point)))
    }
}

impl<N: Ordered> Points<N> for Unseen<'_> {
    fn heights(&self, normal: &[N; 3]) -> [N; 2] {
        let seen = |&point: &[f32; 3]| dot(normal, &seen_from(self.0[0], point));
        range(self.0.iter().map(seen))
    }
}

/// The least and the greatest of some numbers, one of which is zero.
#[inline(always)]
fn range<N: Ordered>(numbers: impl Iterator<Item = N>) -> [N; 2] {
    let mut range = [N::from_f32(0.0); 2];
    for number in numbers {
        range = [range[0].min(&number), range[1].max(&number)];
    }
    range
}

/// Doubled, as heights and speeds are.
#[inline(always)]
fn seen_from<N: Ordered>(from: [f32; 3], of: [f32; 3]) -> [N; 3] {
    let way = difference(of, from);
    add(&way, &way)
}

impl Polytope {
    /// All axes of the hull, its way and a triangle.
    #[inline]
    pub(super) fn seen_axes<N: Ordered>(
        &self,
        motion: [f32; 3],
        corners: &Corners,
    ) -> PolytopeAxes<'_, N> {
        let points = self.points.iter().map(|&of| seen_from(self.points[0], of));
        PolytopeAxes::new(self, Seen(points.collect()), motion, corners)
    }
}

impl<'a, N: Ordered, P> PolytopeAxes<'a, N, P> {
    #[inline(always)]
    pub(super) fn new(
        polytope: &'a Polytope,
        points: P,
        motion: [f32; 3],
        corners: &Corners,
    ) -> Self {
        let motion = point(motion);
        Self {
            polytope,
            points,
            vertices: corners.each(|corner| seen_from(polytope.points[0], corner)),
            edges: [0, 1, 2].each(|i| difference(corners[(i + 1) % 3], corners[i])),
            motion: add(&motion, &motion),
        }
    }

    /// Each axis is across two vectors.
    #[inline]
    fn factors(&self, number: usize) -> [[N; 3]; 2] {
        let Polytope { points, topology } = self.polytope;
        let Topology { faces, edges, .. } = &**topology;
        let between = |i: u8, j: u8| difference(points[usize::from(j)], points[usize::from(i)]);
        if number == 0 {
            [self.edges[0], self.edges[1]]
        } else if let Some(&[i, j, k]) = faces.get(number - 1) {
            [between(i, j), between(i, k)]
        } else {
            let number = number - 1 - faces.len();
            let [i, j] = edges[number / 3];
            [between(i, j), self.edges[number % 3]]
        }
    }
}

impl PolytopeAxes<'_, f64> {
    /// `z` of Lemma 104.
    pub(super) fn largest(&self) -> f64 {
        let all = self.points.0.iter().chain(&self.vertices);
        all.fold(max_abs(self.motion), |largest, &v| max(max_abs(v), largest))
    }

    /// The corners of the hull, as seen from the first, doubled.
    pub(super) fn points(&self) -> &[[f64; 3]] {
        &self.points.0
    }

    /// The vertices of the triangle, as seen from there, doubled.
    pub(super) fn vertices(&self) -> [[f64; 3]; 3] {
        self.vertices
    }

    /// The edges of the triangle.
    pub(super) fn edges(&self) -> [[f64; 3]; 3] {
        self.edges
    }

    /// Doubled.
    pub(super) fn motion(&self) -> [f64; 3] {
        self.motion
    }
}

impl CrossAxes for PolytopeAxes<'_, f64> {
    #[inline]
    fn factors(&self, number: usize) -> [[f64; 3]; 2] {
        self.factors(number)
    }
}

impl<N: Ordered, P: Points<N>> Axes<N> for PolytopeAxes<'_, N, P> {
    fn count(&self) -> usize {
        let Topology { faces, edges, .. } = &*self.polytope.topology;
        1 + faces.len() + 3 * edges.len()
    }

    fn faces(&self) -> usize {
        self.polytope.topology.faces.len()
    }

    #[inline]
    fn axis(&self, number: usize) -> Axis<N> {
        let [one, other] = self.factors(number);
        let normal = cross(&one, &other);
        let solid = self.points.heights(&normal);
        Axis::new(normal, &self.vertices, solid, &self.motion)
    }
}
