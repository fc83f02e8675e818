//! Boxes in any position, in `f64`.

use super::placement::instance_transform::InstanceTransform;
use super::vec3_f64::{
    Vec3F64, add, cross, difference, dot, max, max_abs, min, product, scale, sub, unit,
};
use crate::array::Each;

#[cfg(test)]
mod tests;

/// A box in any position, in `f64`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TurnedBounds {
    pub(crate) center: Vec3F64,
    /// From the center to three faces.
    pub(crate) sides: [Vec3F64; 3],
    /// The normals of the same faces, of unit length.
    pub(crate) normals: [Vec3F64; 3],
    /// What a coordinate of a point of the box may be off by, along each axis.
    pub(crate) error: Vec3F64,
}

/// The columns of a box along the axes.
pub(crate) const ALONG_AXES: [[f32; 3]; 4] =
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3]];

/// More than the roundings of some sums.
const SLACK: f64 = 1.0 / (1u64 << 40) as f64;

impl TurnedBounds {
    /// The box `local`, moved by the map of these columns, the last of which is the translation.
    pub(crate) fn new(columns: &[[f32; 3]; 4], [min, max]: &[[f32; 3]; 2]) -> Self {
        let [a, b, c, origin] = columns.each(|column| column.each(f64::from));
        let half = |i: usize, sign: f64| (f64::from(max[i]) + sign * f64::from(min[i])) * 0.5;
        let size = |i: usize, column: Vec3F64| {
            max_abs(column) * (f64::from(min[i]).abs() + f64::from(max[i]).abs())
        };
        let size = max_abs(origin) + size(0, a) + size(1, b) + size(2, c);
        let middle = |i: usize, column: Vec3F64| scale(column, half(i, 1.0));
        Self {
            center: add(origin, add(middle(0, a), add(middle(1, b), middle(2, c)))),
            sides: [(0, a), (1, b), (2, c)].each(|(i, column)| scale(column, half(i, -1.0))),
            normals: [[b, c], [c, a], [a, b]].each(|[one, other]| unit(cross(one, other))),
            error: [SLACK * size; 3],
        }
    }

    /// Around points, with faces across three axes. `None` if these are not of unit length, or not
    /// at right angles: they may be roundings of points that are nearly on a line.
    pub(super) fn along(axes: &[Vec3F64; 3], points: &[[f32; 3]]) -> Option<Self> {
        let is_near = |a: usize, b: usize, cosine: f64| {
            (dot(axes[a], axes[b]) - cosine).abs() < 0.125 * SLACK
        };
        let are_unit = (0..3).all(|a| is_near(a, a, 1.0));
        let are_across = (0..3).all(|a| is_near(a, (a + 1) % 3, 0.0));
        let first = *points.first().filter(|_| are_unit && are_across)?;
        let seen = |point: &[f32; 3]| difference(*point, first);
        let (mut center, mut size) = (first.each(f64::from), max_abs(first.each(f64::from)));
        let mut sides = *axes;
        for (axis, side) in axes.iter().zip(&mut sides) {
            let (mut low, mut high) = (0.0, 0.0);
            for height in points.iter().map(|point| dot(*axis, seen(point))) {
                (low, high) = (min(height, low), max(height, high));
            }
            center = add(center, scale(*axis, (low + high) * 0.5));
            size += high - low;
            *side = scale(*axis, (high - low) * 0.5);
        }
        Some(Self { center, sides, normals: *axes, error: [SLACK * size; 3] })
    }

    /// In the coordinates of an instance's tree, where the inverse of its transform takes it.
    pub(crate) fn to_local(self, transform: &InstanceTransform) -> Self {
        let (inverse, linear) = (transform.inverse(), transform.linear());
        let from = sub(self.center, transform.translation().each(f64::from));
        let sides = self.sides.iter().fold(max_abs(from), |size, &side| size + max_abs(side));
        let error = self.error.each(|error| error + SLACK * sides);
        Self {
            center: product(inverse, from),
            sides: self.sides.each(|side| product(inverse, side)),
            normals: self.normals.each(|normal| unit(linear.each(|column| dot(column, normal)))),
            error: product(inverse.each(|column| column.each(f64::abs)), error),
        }
    }

    /// Of an eighth of the box, whose sides are at right angles.
    pub(super) fn volume(&self) -> f64 {
        self.sides.iter().fold(1.0, |volume, &side| volume * dot(side, side).sqrt())
    }

    /// Whether its faces are not along the axes of coordinates.
    pub(crate) fn is_turned(&self) -> bool {
        self.normals.iter().any(|normal| normal.iter().filter(|&&x| x == 0.0).count() < 2)
    }
}
