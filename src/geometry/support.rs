//! Bounds and planes around shapes, on the safe side.

use smallvec::SmallVec;

use super::aabb::Aabb;
use super::capsule::Capsule;
use super::shape::{Shape, finite_bounds};
use super::vec3_f64::{
    Vec3F64, add, cross, dot, dot_magnitude, max, max_abs, round_down, round_up, scale, sub, to_f64,
};
use crate::array::Each;

#[cfg(test)]
mod tests;

/// How far a shape reaches in any direction: the points within a distance of the hull of some
/// points, or those above some planes.
pub(crate) struct Support {
    points: SmallVec<[Vec3F64; 8]>,
    radius: f64,
    /// The largest number that points are made of.
    size: f64,
    /// More than the error of a coordinate of a point, and of its height in any direction.
    margin: f64,
    /// Inward normals of planes that fit well, and where planes are given, the least height along
    /// each.
    planes: SmallVec<[(Vec3F64, Option<f64>); 6]>,
}

impl Support {
    /// `None` if the shape is empty.
    pub(crate) fn of(shape: &Shape) -> Option<Self> {
        let (mut points, mut radius) = (SmallVec::<[Vec3F64; 8]>::new(), 0.0);
        let mut planes = SmallVec::<[(Vec3F64, Option<f64>); 6]>::new();
        // What the points are made of may be larger than they are.
        let mut size = 0.0;
        let both_sides = |normals: [Vec3F64; 3]| {
            normals.into_iter().flat_map(|n| [(n, None), (scale(n, -1.0), None)])
        };
        match shape {
            Shape::Aabb(bounds) => {
                points.extend(finite_bounds(bounds)?.each(|corner| corner.each(f64::from)));
            }
            Shape::Obb(obb) => {
                let (columns, local) = obb.columns_and_local();
                let [a, b, c, origin] = columns.each(|column| column.each(f64::from));
                for i in 0..8 {
                    let at = [0, 1, 2].each(|k: usize| f64::from(local[i >> k & 1][k]));
                    let terms = [scale(a, at[0]), scale(b, at[1]), scale(c, at[2]), origin];
                    size = terms.iter().fold(size, |size, &term| max(max_abs(term), size));
                    points.push(terms.into_iter().fold([0.0; 3], add));
                }
                planes.extend(both_sides([cross(b, c), cross(c, a), cross(a, b)]));
            }
            Shape::Sphere(sphere) => {
                let capsule = Capsule::new(sphere.center, sphere.center, sphere.radius);
                return Self::of(&Shape::Capsule(capsule));
            }
            Shape::Capsule(capsule) => {
                if capsule.is_empty() {
                    return None;
                }
                let [a, b] = [capsule.a, capsule.b].each(to_f64);
                let along = sub(b, a);
                let mut least = [0.0; 3];
                let smallest = along.iter().fold(f64::INFINITY, |least, x| least.min(x.abs()));
                least[(0..3).find(|&k| along[k].abs() == smallest).unwrap_or(0)] = 1.0;
                let beside = cross(along, least);
                points.extend([a, b]);
                planes.extend(both_sides([along, beside, cross(along, beside)]));
                radius = capsule.radius.into();
            }
            // Its box, so that nothing is allocated for many points.
            Shape::Hull(hull) => return Self::of(&hull.bounds().into()),
            Shape::Frustum(frustum) => {
                planes.extend(frustum.planes().each(|plane| {
                    let [x, y, z, w] = plane.to_array().each(f64::from);
                    ([x, y, z], Some(-w))
                }));
            }
            Shape::Triangle(triangle) => {
                let corners = [triangle.v0, triangle.v1, triangle.v2];
                if !corners.iter().all(|corner| corner.is_finite()) {
                    return None;
                }
                let corners = corners.each(to_f64);
                let sides = [0, 1, 2].each(|i| sub(corners[(i + 1) % 3], corners[i]));
                let normal = cross(sides[0], sides[1]);
                points.extend(corners);
                planes.extend([(normal, None), (scale(normal, -1.0), None)]);
                planes.extend(sides.each(|side| (cross(normal, side), None)));
            }
        }
        // A coordinate of an oriented box's corner passes three roundings of 2^-53 of sums of at
        // most four numbers, and a height six of sums of at most three products.
        size = points.iter().fold(size, |size, &point| max(max_abs(point), size));
        let margin = (size + radius) * (1.0 / (1u64 << 44) as f64);
        Some(Self { points, radius, size, margin, planes })
    }

    /// The points, the distance from their hull, and the largest number that they are made of. Of
    /// a frustum, a hull and a box along the axes points say too little.
    pub(super) fn into_core(self) -> (SmallVec<[Vec3F64; 8]>, f64, f64) {
        (self.points, self.radius, self.size)
    }

    /// The largest number that the shape is made of, but for frustums.
    pub(crate) fn size(&self) -> f64 {
        max(self.radius, self.size)
    }

    /// A box around the shape, rounded outwards.
    pub(crate) fn bounds(&self) -> Aabb {
        if self.points.is_empty() {
            return Aabb { min: glam::Vec3::NEG_INFINITY, max: glam::Vec3::INFINITY };
        }
        let mut bounds = Aabb::EMPTY;
        let reach = self.radius + self.margin;
        for point in &self.points {
            bounds.extend_point(point.each(|x| round_down(x - reach)));
            bounds.extend_point(point.each(|x| round_up(x + reach)));
        }
        bounds
    }

    /// Planes that have the shape on one side: normals of any length, and the least height of a
    /// point of the shape, or less.
    pub(crate) fn planes(&self) -> impl Iterator<Item = (Vec3F64, f64)> + '_ {
        self.planes.iter().map(|&(normal, given)| {
            let heights = self.points.iter().map(|&point| dot(normal, point));
            let least = heights.fold(f64::INFINITY, f64::min);
            let length = dot_magnitude(normal, normal).sqrt();
            let off = (self.radius + 4.0 * self.margin) * length;
            (normal, given.unwrap_or(least - off))
        })
    }
}
