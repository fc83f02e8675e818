//! The point of a triangle that is closest to a point.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::exact::SquaredDistance;
use super::vec3_f64::{
    Corners, Vec3F64, add, cross, difference, dot, each, max, max_abs, round_within, scale,
};

#[cfg(test)]
mod tests;

/// A part of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Feature {
    /// The inside.
    Face,
    /// An edge: from the vertex of this number to the next one, 0 to 2.
    Edge(u8),
    /// The vertex of this number, 0 to 2.
    Vertex(u8),
}

impl Feature {
    /// The same part, where the second and the third vertex have changed places.
    pub(crate) fn mirrored(self) -> Self {
        match self {
            Self::Face => Self::Face,
            Self::Edge(edge) => Self::Edge(2 - edge),
            Self::Vertex(vertex) => Self::Vertex((3 - vertex) % 3),
        }
    }
}

/// The error of a distance in roundings of the largest coordinate that goes into it.
///
/// **Lemma 71 (error of a distance).** Let `far` be the largest coordinate of a vertex, as seen
/// from the point, and `aspect` the product of the two shorter sides divided by the length of the
/// normal, which is at least 1. Then `distance` is off by at most `64 * 2^-53 * far * (1 + 3
/// aspect)`, and without the aspect where the point is certainly not over the face. Proof:
/// differences of `f32` are rounded once. A point on an edge is found by a quotient whose error
/// moves it along the edge, by some ten roundings of `far`; it is still a point of the edge, so it
/// is not too near, and it is too far by no more than it was moved. The height over the face is a
/// triple product (Lemma 1) divided by the length of the normal, whose own relative error is some
/// roundings of `aspect`. Where rounding takes the point for one inside or outside, it is beside
/// the edge by no more than the error of a triple product (Lemma 1) divided by the lengths of
/// normal and edge, and the distance changes by no more.
const ERROR: f64 = 64.0 / (1u64 << 53) as f64;

/// The point of a triangle that is closest to a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointDistance {
    /// The distance, and a bound on its error.
    distance: f64,
    error: f64,
    /// From the point to the closest one.
    offset: Vec3F64,
    /// The weights of the second and the third vertex.
    pub(crate) weights: [f64; 2],
    pub(crate) feature: Feature,
    /// Where the closest point certainly is.
    certain: Option<Place>,
}

/// A place that several triangles may share.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    /// The ends of an edge in order, or a vertex twice.
    Edge([[f32; 3]; 2]),
    /// The inside of an edge along an axis: the axis, and the other two coordinates.
    Line(usize, [f32; 2]),
    /// A plane across an axis: the axis and the coordinate.
    Plane(usize, f32),
}

/// The closest point of an edge.
#[derive(Clone, Copy)]
struct OnEdge {
    distance: f64,
    offset: Vec3F64,
    /// Where it is between the ends.
    at: f64,
    feature: Feature,
    /// Whether the feature is certain, as far as this edge is concerned.
    is_clear: bool,
}

impl PointDistance {
    /// Of the triangle with these corners to `point`. All coordinates are finite.
    #[inline]
    pub(crate) fn new(point: [f32; 3], corners: &Corners) -> Self {
        let way = each(*corners, |corner| difference(corner, point));
        let far = max(max_abs(way[0]), max(max_abs(way[1]), max_abs(way[2])));
        let error = ERROR * far;
        let edge = each([0, 1, 2], |i: usize| difference(corners[(i + 1) % 3], corners[i]));
        let side = each(edge, max_abs);
        // The two shorter sides give the best normal.
        let longest =
            if side[0] > max(side[1], side[2]) { 0 } else { 1 + usize::from(side[2] > side[1]) };
        let (one, other) = ((longest + 1) % 3, (longest + 2) % 3);
        let normal = cross(edge[one], edge[other]);
        let square = dot(normal, normal);
        // By the area on the inner side of each edge: the weight of the vertex opposite to it.
        let weight = |i: usize| dot(cross(way[i], edge[i]), normal);
        let weights = [weight(1), weight(2), weight(0)];
        let least = weights[0].min(weights[1]).min(weights[2]);
        let product = side[one] * side[other];
        let slanted = error * (1.0 + 3.0 * product / square.sqrt());
        let unsure = error * side[longest] * (max_abs(normal) + product);

        if least >= 0.0 && square > 0.0 {
            let height = dot(normal, way[other]);
            return Self {
                distance: height.abs() / square.sqrt(),
                error: slanted,
                offset: scale(normal, height / square),
                weights: [weights[1] / square, weights[2] / square],
                feature: Feature::Face,
                certain: if least > unsure { Place::plane(corners) } else { None },
            };
        }
        let edges = each([0, 1, 2], |i| OnEdge::new(i, &way, corners));
        let mut best = 0;
        for i in [1, 2] {
            if edges[i].distance < edges[best].distance {
                best = i;
            }
        }
        let nearest = edges[best];
        let is_outside = least < -unsure || square == 0.0;
        let agrees = |other: &OnEdge| {
            if other.feature == nearest.feature {
                other.is_clear
            } else {
                other.distance > nearest.distance + 2.0 * error
            }
        };
        let ends = match nearest.feature {
            Feature::Vertex(i) => [corners[usize::from(i)]; 2],
            _ => [corners[best], corners[(best + 1) % 3]],
        };
        let is_certain = is_outside && edges.iter().all(agrees);
        let mut weights = [0.0; 3];
        weights[best] = 1.0 - nearest.at;
        weights[(best + 1) % 3] = nearest.at;
        Self {
            distance: nearest.distance,
            error: if is_outside { error } else { slanted },
            offset: nearest.offset,
            weights: [weights[1], weights[2]],
            feature: nearest.feature,
            certain: is_certain.then(|| Place::edge(ends)),
        }
    }

    /// The closest point itself.
    pub(crate) fn position(&self, point: [f32; 3]) -> [f32; 3] {
        each(add(each(point, f64::from), self.offset), |x| x as f32)
    }

    /// A lower bound of the distance.
    #[cfg(test)]
    pub(crate) fn at_least(&self) -> f64 {
        self.distance - self.error
    }

    /// An upper bound of the distance.
    #[inline]
    pub(crate) fn at_most(&self) -> f64 {
        self.distance + self.error
    }

    /// Which of two triangles is nearer to the same point.
    #[inline]
    pub(crate) fn cmp(
        &self,
        corners: &Corners,
        other: (&Self, &Corners),
        point: [f32; 3],
    ) -> Ordering {
        let (other, other_corners) = other;
        if (self.distance - other.distance).abs() > self.error + other.error {
            self.distance.total_cmp(&other.distance)
        } else if (self.certain.is_some() && self.certain == other.certain)
            || corners.iter().all(|corner| other_corners.contains(corner))
        {
            // The same place, or the same triangle from its other side.
            Ordering::Equal
        } else {
            SquaredDistance::new(point, corners).cmp(&SquaredDistance::new(point, other_corners))
        }
    }

    /// Whether the exact distance is at most `limit`, which is not negative.
    #[inline]
    pub(crate) fn is_within(&self, limit: f32, point: [f32; 3], corners: &Corners) -> bool {
        let difference = self.distance - f64::from(limit);
        if difference.abs() > self.error {
            difference < 0.0
        } else {
            SquaredDistance::new(point, corners).cmp_mean(limit, limit) != Ordering::Greater
        }
    }

    /// The exact distance, rounded once.
    pub(crate) fn rounded(&self, point: [f32; 3], corners: &Corners) -> f32 {
        // Also to cover the rounding of the bounds themselves.
        let error = self.error * 1.001;
        round_within(self.distance, error).unwrap_or_else(|| {
            let exact = SquaredDistance::new(point, corners);
            let bits = |x: f64| (x as f32).min(f32::MAX).to_bits();
            let (mut low, mut high) =
                (bits((self.distance - error).max(0.0)), bits(self.distance + error));
            // The least number to which, or below which, the distance rounds.
            while low < high {
                let middle = low + (high - low) / 2;
                let order = exact.cmp_mean(f32::from_bits(middle), f32::from_bits(middle + 1));
                let is_even = middle & 1 == 0;
                if order == Ordering::Less || (order == Ordering::Equal && is_even) {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            f32::from_bits(low)
        })
    }
}

impl Place {
    /// The inside of an edge, or a vertex twice.
    fn edge(ends: [[f32; 3]; 2]) -> Self {
        let [a, b] = ends;
        let differs = [0, 1, 2].map(|k| a[k] != b[k]);
        match differs {
            [true, false, false] => Self::Line(0, [a[1], a[2]]),
            [false, true, false] => Self::Line(1, [a[2], a[0]]),
            [false, false, true] => Self::Line(2, [a[0], a[1]]),
            _ => Self::Edge(if b < a { [b, a] } else { ends }),
        }
    }

    fn plane(corners: &Corners) -> Option<Self> {
        let [a, b, c] = corners;
        let axis = (0..3).find(|&k| a[k] == b[k] && a[k] == c[k])?;
        Some(Self::Plane(axis, a[axis]))
    }
}

impl OnEdge {
    /// Of the edge from corner `i` to the next one. All triangles that share an edge get the same
    /// bits.
    #[inline]
    fn new(i: usize, way: &[Vec3F64; 3], corners: &Corners) -> Self {
        let j = (i + 1) % 3;
        let is_turned = corners[j] < corners[i];
        let (from, to) = if is_turned { (j, i) } else { (i, j) };
        let edge = difference(corners[to], corners[from]);
        let (along, square) = (-dot(way[from], edge), dot(edge, edge));
        let unsure = ERROR * max_abs(edge) * max(max_abs(way[from]), max_abs(way[to]));
        let is_clear = along.abs() > unsure && (along - square).abs() > unsure;
        let vertex = |at: f64, i: usize| (at, way[i], Feature::Vertex(i as u8));
        let (at, offset, feature) = if along <= 0.0 {
            vertex(0.0, from)
        } else if along >= square {
            vertex(1.0, to)
        } else {
            let at = along / square;
            (at, add(way[from], scale(edge, at)), Feature::Edge(i as u8))
        };
        let distance = dot(offset, offset).sqrt();
        Self { distance, offset, at: if is_turned { 1.0 - at } else { at }, feature, is_clear }
    }
}
