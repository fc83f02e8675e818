//! Convex polytopes that move.

use smallvec::SmallVec;

use super::axes::{Axes, Axis, Solid, estimate, exact};
use super::bigint::{Int1024, Int1728};
use super::number::{Estimate, Number, Ordered, add, cross, difference, dot, point};
use super::quick_times::{CrossAxes, quick};
use crate::geometry::vec3_f64::{Corners, max, max_abs};

/// The points of a convex hull, and which of them its faces and edges go through.
#[derive(Debug, PartialEq)]
pub(in crate::geometry) struct Polytope {
    pub(in crate::geometry) points: Vec<[f32; 3]>,
    pub(in crate::geometry) faces: Vec<[u8; 3]>,
    pub(in crate::geometry) edges: Vec<[u8; 2]>,
}

/// The axes are the triangle's normal, those of the polytope's faces, and those across an edge of
/// each.
pub(in crate::geometry) struct PolytopeAxes<'a, N> {
    polytope: &'a Polytope,
    /// The points and the triangle's vertices, as seen from the first point.
    points: SmallVec<[[N; 3]; 64]>,
    vertices: [[N; 3]; 3],
    edges: [[N; 3]; 3],
    motion: [N; 3],
}

impl Solid for Polytope {
    type Axes<'a, N: Ordered> = PolytopeAxes<'a, N>;

    #[inline]
    fn axes<N: Ordered>(&self, motion: [f32; 3], corners: &Corners) -> PolytopeAxes<'_, N> {
        let double = |v: [N; 3]| add(&v, &v);
        let seen = |of: [f32; 3]| double(difference(of, self.points[0]));
        PolytopeAxes {
            polytope: self,
            points: self.points.iter().map(|&of| seen(of)).collect(),
            vertices: corners.map(seen),
            edges: [0, 1, 2].map(|i| difference(corners[(i + 1) % 3], corners[i])),
            motion: double(point(motion)),
        }
    }

    #[inline(always)]
    fn quick(&self, motion: [f32; 3], corners: &Corners, bound: f32) -> Option<Option<f32>> {
        let axes = self.axes(motion, corners);
        quick(&axes, axes.largest(), bound)
    }

    #[inline(never)]
    fn slow(&self, motion: [f32; 3], corners: &Corners) -> Option<f32> {
        estimate(&self.axes(motion, corners), 1.0)
            .unwrap_or_else(|| exact(&self.axes::<Int1728>(motion, corners)))
    }
}

impl<N: Ordered> PolytopeAxes<'_, N> {
    /// Each axis is across two vectors.
    #[inline]
    fn factors(&self, number: usize) -> [[N; 3]; 2] {
        let Polytope { points, faces, edges } = self.polytope;
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
        let all = self.points.iter().chain(&self.vertices);
        all.fold(max_abs(self.motion), |largest, &v| max(max_abs(v), largest))
    }
}

impl CrossAxes for PolytopeAxes<'_, f64> {
    #[inline]
    fn factors(&self, number: usize) -> [[f64; 3]; 2] {
        self.factors(number)
    }
}

impl<N: Ordered> Axes<N> for PolytopeAxes<'_, N> {
    fn count(&self) -> usize {
        1 + self.polytope.faces.len() + 3 * self.polytope.edges.len()
    }

    fn faces(&self) -> usize {
        self.polytope.faces.len()
    }

    #[inline]
    fn axis(&self, number: usize) -> Axis<N> {
        let [one, other] = self.factors(number);
        let normal = cross(&one, &other);
        let mut solid = [N::from_f32(0.0); 2];
        for point in &self.points {
            let height = dot(&normal, point);
            solid = [solid[0].min(&height), solid[1].max(&height)];
        }
        Axis::new(normal, &self.vertices, solid, &self.motion)
    }
}

/// Whether points are on the one and the other side of the plane through three of them, and a bit
/// for each that is on it. `None` if there are some on both sides, or if the three are on a line.
pub(in crate::geometry) fn sides(
    plane: &[[f32; 3]; 3],
    points: &[[f32; 3]],
) -> Option<([bool; 2], u64)> {
    let (mut sides, mut unclear, mut on) = ([false; 2], 0u64, 0);
    let estimate = Plane::<Estimate>::new(plane);
    for (number, &of) in points.iter().enumerate() {
        match estimate.height(of).sign() {
            Some(1) => sides[0] = true,
            Some(-1) => sides[1] = true,
            _ => unclear |= 1 << number,
        }
        if sides == [true; 2] {
            return None;
        }
    }
    let exact = Plane::<Int1024>::new(plane);
    if exact.normal.iter().all(|x| x.signum() == 0) {
        return None;
    }
    for (number, &of) in points.iter().enumerate().filter(|(number, _)| unclear >> number & 1 == 1)
    {
        match exact.height(of).signum() {
            1 => sides[0] = true,
            -1 => sides[1] = true,
            _ => on |= 1 << number,
        }
    }
    (sides != [true; 2]).then_some((sides, on))
}

/// A plane through a point.
struct Plane<N> {
    normal: [N; 3],
    origin: [f32; 3],
}

impl<N: Number> Plane<N> {
    fn new([a, b, c]: &[[f32; 3]; 3]) -> Self {
        Self { normal: cross(&difference(*b, *a), &difference(*c, *a)), origin: *a }
    }

    /// Times the length of the normal.
    fn height(&self, of: [f32; 3]) -> N {
        dot(&self.normal, &difference(of, self.origin))
    }
}
