//! Triangles and the points within a distance of a segment, which may move: capsules.

use smallvec::SmallVec;

use super::bigint::Int3392;
use super::moment::{Moment, Timed};
use super::number::{Approx, Number, add, cross, dot, point, sub};
use crate::array::Each;
use crate::geometry::containment::Containment;
use crate::geometry::vec3_f64::Corners;

pub(in crate::geometry) type Segment = [[f32; 3]; 2];

type Point<N> = [N; 3];

/// Whether a triangle has a point within a distance, which is not negative, of a segment. The outer
/// `None` says that a sign is in doubt.
///
/// The least distance is the distance of a vertex and the segment, of an end and an edge or the
/// face, or of an edge and the segment between their ends. Or it is zero, where the segment goes
/// through the face. So it is within the radius if one of these is.
pub(in crate::geometry) fn near_segment<N: Number>(
    segment: &Segment,
    radius: f32,
    corners: &Corners,
) -> Option<Option<Containment>> {
    let square = &square_of(radius);
    let (segment, corners) = (&segment.each(point::<N>), &corners.each(point));
    let vertex = |i: usize| is_near(&corners[i], segment, square);
    let (a, b, c) = (vertex(0)?, vertex(1)?, vertex(2)?);
    if a && b && c {
        return Some(Some(Containment::Inside));
    }
    let touches = a || b || c || is_near_but_for_vertices(segment, square, corners)?;
    Some(touches.then_some(Containment::Touching))
}

/// Whether a triangle has a point within a distance, which is not negative, of a segment that moves
/// along `motion`, at a time or before.
pub(in crate::geometry) fn comes_near(
    segment: &Segment,
    motion: [f32; 3],
    until: f64,
    radius: f32,
    corners: &Corners,
) -> bool {
    let until = Moment::new(until);
    near_moving_segment::<Approx>(segment, motion, until, radius, corners)
        .unwrap_or_else(|| in_integers(segment, motion, until, radius, corners))
}

/// Apart, because its numbers fill pages of the stack.
#[cold]
#[inline(never)]
fn in_integers(
    segment: &Segment,
    motion: [f32; 3],
    until: Moment,
    radius: f32,
    corners: &Corners,
) -> bool {
    near_moving_segment::<Int3392>(segment, motion, until, radius, corners) == Some(true)
}

/// As [`comes_near`]: `None` says that a sign is in doubt.
///
/// The segment sweeps a parallelogram, whose corners are exact. The least distance is the distance
/// of one of its sides and the triangle, or of a vertex and its inside. Or it is zero, where an
/// edge goes through its inside.
pub(in crate::geometry) fn near_moving_segment<N: Timed>(
    segment: &Segment,
    motion: [f32; 3],
    until: Moment,
    radius: f32,
    corners: &Corners,
) -> Option<bool> {
    let still = |point: [f32; 3]| point.each(|x| N::still(x, until));
    let radius = N::still(radius, until);
    let square = &radius.mul(&radius);
    // As seen from one end, where short ways are rounded least.
    let from = still(segment[0]);
    let seen = |point: [f32; 3]| sub(&still(point), &from);
    let (to, way) = (seen(segment[1]), motion.each(|x| N::way(x, until)));
    let zero = [0.0; 3].each(N::from_f32);
    let (corners, swept) = (&corners.each(seen), [zero, to, add(&to, &way), way]);
    let is_near_side = |side: &[Point<N>; 2]| {
        let vertices = corners.iter().map(|vertex| is_near(vertex, side, square));
        any(vertices
            .chain(std::iter::once_with(|| is_near_but_for_vertices(side, square, corners))))
    };
    let side = |i: usize| [swept[i], swept[(i + 1) % 4]];
    if segment[0] == segment[1] {
        return is_near_side(&side(1));
    }
    let edges = [[0, 1], [1, 2], [2, 0]].each(|edge| edge.each(|i: usize| corners[i]));
    any((0..4)
        .map(|i| is_near_side(&side(i)))
        .chain(corners.iter().map(|vertex| is_over(vertex, &swept, square)))
        .chain(edges.iter().map(|edge| goes_through(edge, &swept))))
}

fn square_of<N: Number>(radius: f32) -> N {
    N::from_f32(radius).mul(&N::from_f32(radius))
}

/// Whether one of the distances that are not a vertex's is within the radius.
fn is_near_but_for_vertices<N: Number>(
    segment: &[Point<N>; 2],
    square: &N,
    corners: &[Point<N>; 3],
) -> Option<bool> {
    let edges = [[0, 1], [1, 2], [2, 0]].each(|edge| edge.each(|i: usize| corners[i]));
    let edges = &edges;
    let of_end = |end| {
        let beside = edges.iter().map(move |edge| is_beside(end, edge, square));
        any(beside.chain(std::iter::once_with(move || is_over(end, corners, square))))
    };
    any(std::iter::once_with(|| goes_through(segment, corners))
        .chain(segment.iter().map(of_end))
        .chain(edges.iter().map(|edge| are_between_ends(segment, edge, square))))
}

/// Whether a point is within a distance, which is not negative, of a segment.
pub(in crate::geometry) fn holds(segment: &Segment, radius: f32, of: [f32; 3]) -> bool {
    is_near::<Approx>(&point(of), &segment.each(point), &square_of(radius)).unwrap_or_else(|| {
        is_near::<Int3392>(&point(of), &segment.each(point), &square_of(radius)) == Some(true)
    })
}

/// Whether a point is within a distance, given by its square, of a segment.
fn is_near<N: Number>(point: &Point<N>, segment: &[Point<N>; 2], square: &N) -> Option<bool> {
    let to_end = |end| {
        let way = sub(point, end);
        at_least_zero(&square.sub(&dot(&way, &way)))
    };
    let beside = std::iter::once_with(|| is_beside(point, segment, square));
    any(segment.iter().map(to_end).chain(beside))
}

/// Whether the foot of a point is between the ends of a segment, and within the distance.
fn is_beside<N: Number>(point: &Point<N>, segment: &[Point<N>; 2], square: &N) -> Option<bool> {
    let (edge, way) = (sub(&segment[1], &segment[0]), sub(point, &segment[0]));
    let (along, length) = (dot(&way, &edge), dot(&edge, &edge));
    // The square of the distance times the length of the segment.
    let off = dot(&way, &way).mul(&length).sub(&along.mul(&along));
    all([
        at_least_zero(&along),
        at_least_zero(&length.sub(&along)),
        at_least_zero(&square.mul(&length).sub(&off)),
        // A segment without a length is a point: its ends decide.
        length.sign().map(|sign| sign > 0),
    ])
}

/// Whether the foot of a point is in a convex polygon, and within the distance.
fn is_over<N: Number>(point: &Point<N>, polygon: &[Point<N>], square: &N) -> Option<bool> {
    let edge = |i: usize| sub(&polygon[(i + 1) % polygon.len()], &polygon[i]);
    let normal = cross(&edge(0), &edge(1));
    let area = dot(&normal, &normal);
    let way = |i: usize| sub(point, &polygon[i]);
    let height = dot(&normal, &way(0));
    let inward = |i: usize| at_least_zero(&dot(&cross(&normal, &edge(i)), &way(i)));
    all((0..polygon.len()).map(inward).chain([
        at_least_zero(&square.mul(&area).sub(&height.mul(&height))),
        area.sign().map(|sign| sign > 0),
    ]))
}

/// Whether the common perpendicular of two segments meets both, and is within the distance.
fn are_between_ends<N: Number>(
    one: &[Point<N>; 2],
    other: &[Point<N>; 2],
    square: &N,
) -> Option<bool> {
    let (u, v) = (sub(&one[1], &one[0]), sub(&other[1], &other[0]));
    let way = sub(&other[0], &one[0]);
    let (a, b, c) = (dot(&u, &u), dot(&u, &v), dot(&v, &v));
    let (d, e) = (dot(&u, &way), dot(&v, &way));
    let whole = a.mul(&c).sub(&b.mul(&b));
    let (s, t) = (c.mul(&d).sub(&b.mul(&e)), b.mul(&d).sub(&a.mul(&e)));
    let normal = cross(&u, &v);
    let height = dot(&normal, &way);
    all([
        at_least_zero(&s),
        at_least_zero(&whole.sub(&s)),
        at_least_zero(&t),
        at_least_zero(&whole.sub(&t)),
        at_least_zero(&square.mul(&dot(&normal, &normal)).sub(&height.mul(&height))),
        whole.sign().map(|sign| sign > 0),
    ])
}

/// Whether the ends of a segment are on different sides of a convex polygon's plane, and the
/// polygon is between them.
fn goes_through<N: Number>(segment: &[Point<N>; 2], polygon: &[Point<N>]) -> Option<bool> {
    let edge = |i: usize| sub(&polygon[(i + 1) % polygon.len()], &polygon[i]);
    let normal = cross(&edge(0), &edge(1));
    let side = |end: &Point<N>| dot(&normal, &sub(end, &polygon[0])).sign();
    let along = sub(&segment[1], &segment[0]);
    // Around which way each edge goes.
    let around = |i: usize| dot(&cross(&along, &sub(&polygon[i], &segment[0])), &edge(i)).sign();
    let around: SmallVec<[_; 4]> = (0..polygon.len()).map(around).collect();
    let has = |sign: i32| any(around.iter().map(|around| around.map(|around| around == sign)));
    all([
        both(side(&segment[0]), side(&segment[1]), |from, to| from * to < 0),
        both(has(1), has(-1), |left, right| !(left && right)),
    ])
}

fn at_least_zero<N: Number>(number: &N) -> Option<bool> {
    number.sign().map(|sign| sign >= 0)
}

fn both<T, R>(a: Option<T>, b: Option<T>, f: impl FnOnce(T, T) -> R) -> Option<R> {
    Some(f(a?, b?))
}

/// Whether one is true; one that is in doubt only counts if no other is true.
fn any(parts: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let mut answer = Some(false);
    for part in parts {
        match part {
            Some(true) => return Some(true),
            Some(false) => {}
            None => answer = None,
        }
    }
    answer
}

/// Whether all are true; one that is in doubt only counts if no other is false.
fn all(parts: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    any(parts.into_iter().map(|part| part.map(|part| !part))).map(|not_all| !not_all)
}
