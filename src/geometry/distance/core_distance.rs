//! How far the hull of some points and a triangle are apart, and where they are nearest.

use smallvec::{SmallVec, smallvec};

use super::segment_distance::{Pair, nearest_pair};
use crate::array::Each;
use crate::geometry::vec3_f64::{Vec3F64, add, cross, dot, max, scale, sub};

/// More than any search has needed: it ends where it gets no nearer.
const MAX_STEPS: usize = 64;
/// The search ends where the two bounds differ by less, in parts of the distance.
const ENOUGH: f64 = 1.0 / (1u64 << 46) as f64;

/// Where the hull of some points and a triangle are nearest to each other.
#[derive(Clone, Copy, Debug)]
pub(in crate::geometry) struct Nearest {
    /// From the point of the triangle to the point of the hull; zero if they overlap.
    pub(in crate::geometry) way: Vec3F64,
    /// The weights of the triangle's corners in its point.
    pub(in crate::geometry) weights: [f64; 3],
    /// There is a plane between them with so much room, or zero.
    pub(in crate::geometry) at_least: f64,
}

/// The nearest points of the hull of some points and a triangle; `None` as soon as a plane shows
/// that they are farther apart than `past`.
///
/// A search for the point nearest to zero of all differences (Gilbert, Johnson and Keerthi, "A fast
/// procedure for computing the distance between complex objects in three-dimensional space", 1988).
/// The nearest points are sums of corners with weights from 0 to 1, so they are points of both, but
/// for roundings; so is the plane. What lies between the two bounds is all that the search may be
/// off by.
pub(in crate::geometry) fn nearest(
    points: &[Vec3F64],
    corners: &[Vec3F64; 3],
    past: f64,
) -> Option<Nearest> {
    let middle = |points: &[Vec3F64]| {
        let sum = points.iter().fold([0.0; 3], |sum, &point| add(sum, point));
        scale(sum, 1.0 / points.len() as f64)
    };
    let first = lowest(points, corners, sub(middle(points), middle(corners)));
    let mut simplex = Simplex { vertices: smallvec![first], weights: smallvec![1.0] };
    let (mut way, mut at_least) = (first.way, 0.0);
    for _ in 0..MAX_STEPS {
        let square = dot(way, way);
        if square == 0.0 {
            break;
        }
        let length = square.sqrt();
        let next = lowest(points, corners, way);
        // No difference is lower: there is a plane at this height.
        at_least = max(dot(way, next.way) / length, at_least);
        if at_least > past {
            return None;
        }
        if length - at_least <= ENOUGH * length || simplex.vertices.contains(&next) {
            break;
        }
        simplex.vertices.push(next);
        if let Some(weights) = simplex.weights_of_zero() {
            (simplex.weights, way) = (weights, [0.0; 3]);
            break;
        }
        let nearer = simplex.nearest_part();
        let shorter = nearer.sum();
        if dot(shorter, shorter) >= square {
            simplex.vertices.pop();
            break;
        }
        (simplex, way) = (nearer, shorter);
    }
    let mut weights = [0.0; 3];
    for (vertex, weight) in simplex.vertices.iter().zip(&simplex.weights) {
        weights[vertex.corner] += weight;
    }
    Some(Nearest { way, weights, at_least })
}

/// From a corner of the triangle to one of the points.
#[derive(Clone, Copy, PartialEq)]
struct Difference {
    way: Vec3F64,
    corner: usize,
}

/// The lowest difference in a direction.
fn lowest(points: &[Vec3F64], corners: &[Vec3F64; 3], direction: Vec3F64) -> Difference {
    let (mut point, mut least) = (points[0], f64::INFINITY);
    for &next in points {
        let height = dot(direction, next);
        if height < least {
            (point, least) = (next, height);
        }
    }
    let heights = corners.refs().each(|&corner| dot(direction, corner));
    let mut corner = usize::from(heights[1] > heights[0]);
    if heights[2] > heights[corner] {
        corner = 2;
    }
    Difference { way: sub(point, corners[corner]), corner }
}

/// One to four differences, the newest last, and weights that add up to 1.
struct Simplex {
    vertices: SmallVec<[Difference; 4]>,
    weights: SmallVec<[f64; 4]>,
}

impl Simplex {
    fn sum(&self) -> Vec3F64 {
        let parts = self.vertices.iter().zip(&self.weights);
        parts.map(|(vertex, &weight)| scale(vertex.way, weight)).fold([0.0; 3], add)
    }

    /// The weights in which four differences add up to zero, if it is inside of them.
    fn weights_of_zero(&self) -> Option<SmallVec<[f64; 4]>> {
        let [a, b, c, d] = <[Difference; 4]>::try_from(&*self.vertices).ok()?.each(|v| v.way);
        let volume = |a: Vec3F64, b: Vec3F64, c: Vec3F64| dot(a, cross(b, c));
        let parts = [volume(b, d, c), volume(a, c, d), volume(a, d, b), volume(a, b, c)];
        let is_inside = parts.iter().all(|&x| x > 0.0) || parts.iter().all(|&x| x < 0.0);
        let sum = parts[0] + parts[1] + parts[2] + parts[3];
        is_inside.then(|| parts.each(|part| part / sum).into())
    }

    /// The part that is nearest to zero. Of four differences it has the newest.
    fn nearest_part(&self) -> Self {
        let choices: &[[usize; 3]] = match self.vertices.len() {
            1 => &[[0, 0, 0]],
            2 => &[[0, 1, 1]],
            3 => &[[0, 1, 2]],
            _ => &[[0, 1, 3], [1, 2, 3], [2, 0, 3]],
        };
        let pair_of = |choice: &[usize; 3]| {
            nearest_pair([0.0; 3], &choice.refs().each(|&i| self.vertices[i].way))
        };
        let mut best = (&choices[0], pair_of(&choices[0]));
        for choice in &choices[1..] {
            let pair = pair_of(choice);
            if pair.distance() < best.1.distance() {
                best = (choice, pair);
            }
        }
        let (choice, Pair { weights: [u, v], .. }) = best;
        let mut part = Self { vertices: SmallVec::new(), weights: SmallVec::new() };
        for (&i, weight) in choice.iter().zip([1.0 - u - v, u, v]) {
            if weight > 0.0 {
                part.vertices.push(self.vertices[i]);
                part.weights.push(weight);
            }
        }
        part
    }
}
