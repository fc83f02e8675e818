//! Triangles and the points within a distance of a segment: capsules.

use super::bigint::Int1728;
use super::number::{Approx, Number, cross, difference, dot};
use crate::geometry::containment::Containment;
use crate::geometry::vec3_f64::Corners;

pub(in crate::geometry) type Segment = [[f32; 3]; 2];

/// Whether a triangle has a point within a distance, which is not negative, of a segment. The outer
/// `None` says that a sign is in doubt.
///
/// The least distance is that of a vertex and the segment, of an end and an edge or the face, of
/// an edge and the segment between their ends, or zero, where the segment goes through the
/// face. So it is within the radius if one of these is.
pub(in crate::geometry) fn near_segment<N: Number>(
    segment: &Segment,
    radius: f32,
    corners: &Corners,
) -> Option<Option<Containment>> {
    let radius = N::from_f32(radius);
    let square = &radius.mul(&radius);
    let vertex = |i: usize| is_near(corners[i], segment, square);
    let (a, b, c) = (vertex(0)?, vertex(1)?, vertex(2)?);
    if a && b && c {
        return Some(Some(Containment::Inside));
    }
    let edges = [[corners[0], corners[1]], [corners[1], corners[2]], [corners[2], corners[0]]];
    let of_end = |&end: &[f32; 3]| {
        let beside = edges.iter().map(move |edge| is_beside(end, edge, square));
        any(beside.chain(std::iter::once_with(move || is_over(end, corners, square))))
    };
    let touches = any([Some(a || b || c)]
        .into_iter()
        .chain(std::iter::once_with(|| goes_through::<N>(segment, corners)))
        .chain(segment.iter().map(of_end))
        .chain(edges.iter().map(|edge| are_between_ends(segment, edge, square))))?;
    Some(touches.then_some(Containment::Touching))
}

/// Whether a point is within a distance, which is not negative, of a segment.
pub(in crate::geometry) fn holds(segment: &Segment, radius: f32, point: [f32; 3]) -> bool {
    let square = Approx::from_f32(radius).mul(&Approx::from_f32(radius));
    is_near(point, segment, &square).unwrap_or_else(|| {
        let radius = Int1728::from_f32(radius);
        is_near(point, segment, &radius.mul(&radius)) == Some(true)
    })
}

/// Whether a point is within a distance, given by its square, of a segment.
fn is_near<N: Number>(point: [f32; 3], segment: &Segment, square: &N) -> Option<bool> {
    let to_end = |&end: &[f32; 3]| {
        let way = difference(point, end);
        at_least_zero(&square.sub(&dot(&way, &way)))
    };
    let beside = std::iter::once_with(|| is_beside(point, segment, square));
    any(segment.iter().map(to_end).chain(beside))
}

/// Whether the foot of a point is between the ends of a segment, and within the distance.
fn is_beside<N: Number>(point: [f32; 3], segment: &Segment, square: &N) -> Option<bool> {
    let (edge, way) = (difference(segment[1], segment[0]), difference(point, segment[0]));
    let (along, length): (N, N) = (dot(&way, &edge), dot(&edge, &edge));
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

/// Whether the foot of a point is in the face of a triangle, and within the distance.
fn is_over<N: Number>(point: [f32; 3], corners: &Corners, square: &N) -> Option<bool> {
    let edge = |i: usize| difference(corners[(i + 1) % 3], corners[i]);
    let normal: [N; 3] = cross(&edge(0), &edge(1));
    let area = dot(&normal, &normal);
    let way = |i: usize| difference(point, corners[i]);
    let height = dot(&normal, &way(0));
    let inward = |i: usize| at_least_zero(&dot(&cross(&normal, &edge(i)), &way(i)));
    all([
        inward(0),
        inward(1),
        inward(2),
        at_least_zero(&square.mul(&area).sub(&height.mul(&height))),
        area.sign().map(|sign| sign > 0),
    ])
}

/// Whether the common perpendicular of two segments meets both, and is within the distance.
fn are_between_ends<N: Number>(one: &Segment, other: &Segment, square: &N) -> Option<bool> {
    let (u, v) = (difference(one[1], one[0]), difference(other[1], other[0]));
    let way = difference(other[0], one[0]);
    let (a, b, c): (N, N, N) = (dot(&u, &u), dot(&u, &v), dot(&v, &v));
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

/// Whether the ends of a segment are on different sides of a triangle's plane, and the triangle is
/// between them.
fn goes_through<N: Number>(segment: &Segment, corners: &Corners) -> Option<bool> {
    let edge = |i: usize| difference(corners[(i + 1) % 3], corners[i]);
    let normal: [N; 3] = cross(&edge(0), &edge(1));
    let side = |end: [f32; 3]| dot(&normal, &difference(end, corners[0])).sign();
    let along = difference(segment[1], segment[0]);
    // Around which way each edge goes.
    let around =
        |i: usize| dot(&cross(&along, &difference(corners[i], segment[0])), &edge(i)).sign();
    let around = [around(0), around(1), around(2)];
    let has = |sign: i32| any(around.iter().map(|around| around.map(|around| around == sign)));
    all([
        both(side(segment[0]), side(segment[1]), |from, to| from * to < 0),
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
