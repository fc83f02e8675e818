//! How far the hulls of some points are apart, and where they are nearest.

use smallvec::SmallVec;

use super::vec3_f64::{Vec3F64, add, cross, dot, scale, sub};
use crate::array::Each;

/// More than any search has needed: it ends where it gets no nearer.
const MAX_STEPS: usize = 100;

/// Where two hulls are nearest to each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest {
    /// The way from the nearest point of the second hull to the nearest point of the first; zero if
    /// they overlap.
    pub(super) way: Vec3F64,
    /// The nearest point of the second hull.
    pub(super) on_other: Vec3F64,
    /// They are at least this far apart: along `normal` there is so much room between them.
    pub(super) at_least: f64,
    /// Of unit length, towards the first hull; zero if no plane between them was found.
    pub(super) normal: Vec3F64,
    /// The points of the second hull, by number, whose sum with these weights is the nearest. A
    /// number may come more than once.
    pub(super) parts: [(usize, f64); 4],
}

impl Nearest {
    /// How far apart the nearest points are.
    pub(super) fn at_most(&self) -> f64 {
        dot(self.way, self.way).sqrt()
    }
}

/// Where the hulls of some points, of which the first is moved by `offset`, are nearest to each
/// other (Gilbert, Johnson and Keerthi, "A fast procedure for computing the distance between
/// complex objects in three-dimensional space", 1988).
///
/// Ends as soon as `is_decided` says so of a distance that is no larger and one that is no less
/// than the true one, or where roundings let it get no nearer: then they overlap or are as far
/// apart as `f64` can tell.
pub(super) fn nearest(
    one: &[Vec3F64],
    other: &[Vec3F64],
    offset: Vec3F64,
    is_decided: &dyn Fn(f64, f64) -> bool,
) -> Nearest {
    let between =
        |a: usize, b: usize| Vertex { way: add(sub(one[a], other[b]), offset), on_other: b };
    let mut simplex = SmallVec::<[Vertex; 4]>::from_slice(&[between(0, 0)]);
    let (way, mut weights) = (simplex[0].way, [1.0, 0.0, 0.0, 0.0]);
    let parts = [(0, 0.0); 4];
    let mut found = Nearest { way, on_other: [0.0; 3], at_least: 0.0, normal: [0.0; 3], parts };
    for _ in 0..MAX_STEPS {
        let square = dot(found.way, found.way);
        let length = square.sqrt();
        if length == 0.0 || is_decided(found.at_least, length) {
            break;
        }
        let next = between(lowest(one, found.way), lowest(other, scale(found.way, -1.0)));
        // No difference of points is lower: a plane at this height is between.
        let height = dot(found.way, next.way) / length;
        if height > found.at_least {
            (found.at_least, found.normal) = (height, scale(found.way, 1.0 / length));
        }
        if is_decided(found.at_least, length) || simplex.contains(&next) {
            break;
        }
        simplex.push(next);
        let (way, shares, choice) = nearest_to_zero(&simplex);
        if dot(way, way) >= square {
            break;
        }
        simplex = choice.iter().map(|&i| simplex[i]).collect();
        (found.way, weights) = (way, shares);
    }
    for ((vertex, weight), part) in simplex.iter().zip(weights).zip(&mut found.parts) {
        found.on_other = add(found.on_other, scale(other[vertex.on_other], weight));
        *part = (vertex.on_other, weight);
    }
    found
}

/// Whether two bounds of a distance differ by no more than a rounding.
pub(super) fn is_close(at_least: f64, at_most: f64) -> bool {
    at_most - at_least <= at_most * f64::EPSILON
}

/// The number of the lowest of some points in a direction.
fn lowest(points: &[Vec3F64], direction: Vec3F64) -> usize {
    let mut best = (f64::INFINITY, 0);
    for (number, &point) in points.iter().enumerate() {
        let height = dot(direction, point);
        if height < best.0 {
            best = (height, number);
        }
    }
    best.1
}

/// A difference of two points, and the number of the second.
#[derive(Clone, Copy, PartialEq)]
struct Vertex {
    way: Vec3F64,
    on_other: usize,
}

/// Which of two to four differences, the last of which is one, span the part of their hull that may
/// be nearest to zero. Fewer first: of equally near choices they are the better ones.
const CHOICES: [&[&[usize]]; 3] = [
    &[&[1], &[0, 1]],
    &[&[2], &[0, 2], &[1, 2], &[0, 1, 2]],
    &[&[3], &[0, 3], &[1, 3], &[2, 3], &[0, 1, 3], &[0, 2, 3], &[1, 2, 3], &[0, 1, 2, 3]],
];

/// The point nearest to zero of the hull of two to four differences, and the differences that span
/// the part of the hull which it is in, with their weights. A part without the last of them is no
/// nearer than the one before that was added, which is the nearest of the others.
fn nearest_to_zero(points: &[Vertex]) -> (Vec3F64, [f64; 4], &'static [usize]) {
    let mut best = (f64::INFINITY, [0.0; 3], [0.0; 4], CHOICES[0][0]);
    for &choice in CHOICES[points.len() - 2] {
        let Some((foot, weights)) = foot(points, choice) else { continue };
        let square = dot(foot, foot);
        if square < best.0 {
            best = (square, foot, weights, choice);
        }
    }
    (best.1, best.2, best.3)
}

/// The foot of the perpendicular from zero to a point, a line, a plane or the space that some of
/// the points span, and their weights in it, if it is inside the part between them.
fn foot(points: &[Vertex], choice: &[usize]) -> Option<(Vec3F64, [f64; 4])> {
    let way = |i: usize| points[i].way;
    match *choice {
        [a] => Some((way(a), [1.0, 0.0, 0.0, 0.0])),
        [a, b] => {
            let (a, b) = (way(a), way(b));
            let along = sub(b, a);
            let at = -dot(a, along) / dot(along, along);
            let weights = [1.0 - at, at, 0.0, 0.0];
            (0.0 < at && at < 1.0).then(|| (add(a, scale(along, at)), weights))
        }
        [a, b, c] => {
            let (a, b, c) = (way(a), way(b), way(c));
            let (to_b, to_c) = (sub(b, a), sub(c, a));
            let normal = cross(to_b, to_c);
            let square = dot(normal, normal);
            let u = dot(cross(to_c, a), normal) / square;
            let v = dot(cross(a, to_b), normal) / square;
            let weights = [1.0 - u - v, u, v, 0.0];
            // Not the weighted sum of the points, which loses more where zero is near the plane.
            let foot = || (scale(normal, dot(a, normal) / square), weights);
            (u > 0.0 && v > 0.0 && u + v < 1.0).then(foot)
        }
        [a, b, c, d] => {
            let (a, b, c, d) = (way(a), way(b), way(c), way(d));
            let volume = |a, b, c| dot(a, cross(b, c));
            let parts = [volume(b, d, c), volume(a, c, d), volume(a, d, b), volume(a, b, c)];
            let is_inside = parts.iter().all(|&x| x > 0.0) || parts.iter().all(|&x| x < 0.0);
            let sum = parts[0] + parts[1] + parts[2] + parts[3];
            is_inside.then(|| ([0.0; 3], parts.each(|part| part / sum)))
        }
        _ => None,
    }
}
