//! Convex polytopes that move.

use smallvec::SmallVec;

use super::axes::{Axes, Axis, Solid, estimate, exact};
use super::bigint::{Int1024, Int3392};
use super::number::{Estimate, Number, Ordered, add, cross, difference, dot, point};
use super::quick_times::{CrossAxes, quick};
use crate::array::Each;
use crate::geometry::vec3_f64::{Corners, max, max_abs};

/// The points of a convex hull, and which of them its faces and edges go through.
#[derive(Debug, PartialEq)]
pub(in crate::geometry) struct Polytope {
    pub(in crate::geometry) points: Vec<[f32; 3]>,
    pub(in crate::geometry) faces: Vec<[u8; 3]>,
    pub(in crate::geometry) edges: Vec<[u8; 2]>,
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
struct Unseen<'a>(&'a [[f32; 3]]);

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

impl Solid for Polytope {
    type Axes<'a, N: Ordered> = PolytopeAxes<'a, N>;

    #[inline]
    fn axes<N: Ordered>(&self, motion: [f32; 3], corners: &Corners) -> PolytopeAxes<'_, N> {
        let points = self.points.iter().map(|&of| seen_from(self.points[0], of));
        PolytopeAxes::new(self, Seen(points.collect()), motion, corners)
    }

    #[inline(always)]
    fn quick(&self, motion: [f32; 3], corners: &Corners, bound: f32) -> Option<Option<f32>> {
        let axes = self.axes(motion, corners);
        quick(&axes, axes.largest(), bound)
    }

    #[inline(never)]
    fn slow(&self, motion: [f32; 3], corners: &Corners) -> Option<f32> {
        estimate(&self.axes(motion, corners), 1.0).unwrap_or_else(|| {
            let points = Unseen(&self.points);
            exact(&PolytopeAxes::<Int3392, _>::new(self, points, motion, corners))
        })
    }
}

impl<'a, N: Ordered, P> PolytopeAxes<'a, N, P> {
    #[inline(always)]
    fn new(polytope: &'a Polytope, points: P, motion: [f32; 3], corners: &Corners) -> Self {
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
        let all = self.points.0.iter().chain(&self.vertices);
        all.fold(max_abs(self.motion), |largest, &v| max(max_abs(v), largest))
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
        1 + self.polytope.faces.len() + 3 * self.polytope.edges.len()
    }

    fn faces(&self) -> usize {
        self.polytope.faces.len()
    }

    #[inline]
    fn axis(&self, number: usize) -> Axis<N> {
        let [one, other] = self.factors(number);
        let normal = cross(&one, &other);
        let solid = self.points.heights(&normal);
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
