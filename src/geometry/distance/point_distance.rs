//! The point of a triangle that is closest to a point.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::array::Each;
use crate::geometry::exact::SquaredDistance;
use crate::geometry::vec3_f64::{
    Corners, Vec3F64, add, difference_down, difference_up, round_within,
};

pub(crate) mod closest_of;
pub(crate) mod relative;
#[cfg(test)]
mod tests;

use self::closest_of::{EDGE, FACE, NUMBERS, VERTEX, closest_of};

/// A part of a triangle.
///
/// In answers of trees and scenes vertices are numbered as the caller gave them to the bake: also
/// where a mesh, a tree or an instance is mirrored, and [`Bvh::triangle`](crate::Bvh::triangle) has
/// the second and the third in the other order. [`Bvh::feature_points`](crate::Bvh::feature_points)
/// and [`Snapshot::feature_points`](crate::Snapshot::feature_points) give the points.
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
    /// Whether the closest point certainly is on this feature.
    is_certain: bool,
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

impl PointDistance {
    /// Of the triangle with these corners to `point`. All coordinates are finite.
    #[inline]
    pub(crate) fn new(point: [f32; 3], corners: &Corners) -> Self {
        let numbers = |point: [f32; 3]| point.each(f64::from);
        Self::from_numbers(&closest_of(numbers(point), (*corners).each(numbers)))
    }

    /// What [`closest_of`] gives of one triangle.
    #[inline(always)]
    pub(crate) fn from_numbers(closest: &[f64; NUMBERS]) -> Self {
        let [distance, error, x, y, z, second, third, feature, is_certain] = *closest;
        let feature = match feature as u8 {
            number @ VERTEX..EDGE => Feature::Vertex(number - VERTEX),
            number @ EDGE..FACE => Feature::Edge(number - EDGE),
            _ => Feature::Face,
        };
        Self {
            distance,
            error,
            offset: [x, y, z],
            weights: [second, third],
            feature,
            is_certain: is_certain != 0.0,
        }
    }

    /// Where the closest point certainly is, on the triangle with these corners.
    fn place(&self, corners: &Corners) -> Option<Place> {
        if !self.is_certain {
            return None;
        }
        let corner = |i: u8| corners[usize::from(i) % 3];
        match self.feature {
            Feature::Face => Place::plane(corners),
            Feature::Edge(i) => Some(Place::edge([corner(i), corner(i + 1)])),
            Feature::Vertex(i) => Some(Place::edge([corner(i); 2])),
        }
    }

    /// The closest point itself.
    pub(crate) fn position(&self, point: [f32; 3]) -> [f32; 3] {
        add(point.each(f64::from), self.offset).each(|x| x as f32)
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
        } else if self.is_at_same_place(corners, (other, other_corners))
            || (corners.iter().all(|corner| other_corners.contains(corner))
                && other_corners.iter().all(|corner| corners.contains(corner)))
        {
            // The same place, or the same triangle from its other side.
            Ordering::Equal
        } else {
            self.cmp_in_doubt(corners, (other, other_corners), point)
        }
    }

    #[cold]
    #[inline(never)]
    fn cmp_in_doubt(
        &self,
        corners: &Corners,
        (other, other_corners): (&Self, &Corners),
        point: [f32; 3],
    ) -> Ordering {
        self.cmp_by_difference(corners, (other, other_corners), point).unwrap_or_else(|| {
            SquaredDistance::new(point, corners).cmp(&SquaredDistance::new(point, other_corners))
        })
    }

    fn is_at_same_place(
        &self,
        corners: &Corners,
        (other, other_corners): (&Self, &Corners),
    ) -> bool {
        let place = self.place(corners);
        place.is_some() && place == other.place(other_corners)
    }

    /// Whether the exact distance is at most `limit`, which is not negative.
    #[inline]
    pub(crate) fn is_within(&self, limit: f32, point: [f32; 3], corners: &Corners) -> bool {
        let difference = self.distance - f64::from(limit);
        if difference.abs() > self.error {
            difference < 0.0
        } else if let Some(exact) = self.exact(point, corners) {
            exact <= f64::from(limit)
        } else {
            let order = self
                .cmp_with_limit(limit, point, corners)
                .unwrap_or_else(|| SquaredDistance::new(point, corners).cmp_mean(limit, limit));
            order != Ordering::Greater
        }
    }

    /// The exact distance where it is the difference of two coordinates that `f64` holds, as it is
    /// over most walls and floors. Then it is often halfway between two `f32`.
    #[cold]
    #[inline(never)]
    fn exact(&self, point: [f32; 3], corners: &Corners) -> Option<f64> {
        let mut at = [None; 3];
        match self.place(corners)? {
            Place::Plane(axis, x) => at[axis] = Some(x),
            Place::Line(axis, [x, y]) => {
                at[(axis + 1) % 3] = Some(x);
                at[(axis + 2) % 3] = Some(y);
            }
            Place::Edge([a, b]) if a == b => at = a.each(Some),
            Place::Edge(_) => return None,
        }
        let mut distance = 0.0;
        for (from, at) in point.into_iter().zip(at) {
            let (from, at) = (f64::from(from), f64::from(at.unwrap_or(from)));
            if from != at {
                let is_held = difference_down(from, at) == difference_up(from, at);
                if distance != 0.0 || !is_held {
                    return None;
                }
                distance = (from - at).abs();
            }
        }
        Some(distance)
    }

    /// The exact distance, rounded once.
    pub(crate) fn rounded(&self, point: [f32; 3], corners: &Corners) -> f32 {
        // Also to cover the rounding of the bounds themselves.
        let error = self.error * 1.001;
        round_within(self.distance, error).unwrap_or_else(|| {
            if let Some(exact) = self.exact(point, corners) {
                return exact as f32;
            }
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
        let differs = [0, 1, 2].each(|k| a[k] != b[k]);
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
