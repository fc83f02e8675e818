//! How the line of a ray passes a triangle that it does not meet.

use glam::Vec3;

use super::exact::{direction_side, edge_sides, origin_side};
use super::ray::Ray;
use super::triangle::Triangle;
use super::vec3_f64::{
    Vec3F64, add, cross, distance_squared, dot, max_abs, scale, sub, to_f32, to_f64,
};
use crate::array::Each;

/// How the line of a ray passes a triangle. Which of these it is, is decided without rounding; the
/// numbers are rounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Passing {
    /// The line runs in the triangle's plane.
    InPlane,
    /// The line is parallel to the plane, at this distance.
    Parallel {
        /// At least zero.
        distance: f32,
    },
    /// The line meets the plane outside of the triangle.
    Outside {
        /// The edge that is nearest there: from the vertex of this number to the next, as stored.
        edge: u8,
        /// The distance from the edge.
        distance: f32,
        /// Where the line meets the plane, and at which `t`.
        point: Vec3,
        t: f32,
        /// The point of the edge that is nearest to it.
        closest: Vec3,
    },
    /// The line meets the triangle, so far away that `t` is beyond the range of `f32`.
    TooFar {
        /// Plus or minus infinity.
        t: f32,
    },
}

impl Triangle {
    /// How the line of a ray passes a triangle that it does not meet at any finite `t`. The ray
    /// defines a line, and the triangle has an area.
    pub(crate) fn passing(&self, ray: &Ray) -> Passing {
        let corners = self.to_arrays();
        let direction = direction_side(ray, &corners);
        let origin = origin_side(ray, &corners);
        match (direction, origin) {
            (0, 0) => return Passing::InPlane,
            (0, _) => return Passing::Parallel { distance: self.height(ray).abs() as f32 },
            _ => {}
        }
        let (t, point) = self.in_plane(ray);
        let mut nearest: Option<(f64, u8, Vec3F64)> = None;
        for (edge, side) in (0..3).zip(edge_sides(ray, &corners)) {
            if side < 0 {
                let closest = self.closest_on_edge(edge, point);
                let square = distance_squared(closest, point);
                if nearest.is_none_or(|(least, ..)| square < least) {
                    nearest = Some((square, edge, closest));
                }
            }
        }
        let Some((square, edge, closest)) = nearest else {
            // In front of the plane, a line that leads behind it meets it ahead.
            let sign = if origin == direction { -1.0 } else { 1.0 };
            return Passing::TooFar { t: sign * f32::INFINITY };
        };
        Passing::Outside {
            edge,
            distance: square.sqrt() as f32,
            point: to_f32(point),
            t: t as f32,
            closest: to_f32(closest),
        }
    }

    /// About how far from the triangle the line of a ray meets its plane, to tell which of many
    /// triangles it passes nearest to. Infinite if the line is parallel to the plane.
    pub(crate) fn about_miss(&self, ray: &Ray) -> f64 {
        if direction_side(ray, &self.to_arrays()) == 0 {
            return f64::INFINITY;
        }
        let (_, point) = self.in_plane(ray);
        let edges =
            [0, 1, 2].each(|edge| distance_squared(self.closest_on_edge(edge, point), point));
        let least = edges.iter().fold(f64::INFINITY, |a, &b| if b < a { b } else { a });
        least.sqrt()
    }

    /// The height of a ray's origin over the plane.
    fn height(&self, ray: &Ray) -> f64 {
        let (normal, size) = self.scaled_normal();
        if size == 0.0 {
            return 0.0;
        }
        dot(sub(to_f64(ray.origin), to_f64(self.v0)), normal) / dot(normal, normal).sqrt()
    }

    /// Where the line of a ray meets the plane: `t`, and the point.
    fn in_plane(&self, ray: &Ray) -> (f64, Vec3F64) {
        let (normal, _) = self.scaled_normal();
        let (origin, dir) = (to_f64(ray.origin), to_f64(ray.dir));
        let t = dot(sub(to_f64(self.v0), origin), normal) / dot(dir, normal);
        (t, add(origin, scale(dir, t)))
    }

    /// The normal, divided by its largest component so that no square of it underflows, and that
    /// component.
    fn scaled_normal(&self) -> (Vec3F64, f64) {
        let [a, b, c] = [self.v0, self.v1, self.v2].each(to_f64);
        let normal = cross(sub(b, a), sub(c, a));
        let size = max_abs(normal);
        (normal.each(|x| if size > 0.0 { x / size } else { 0.0 }), size)
    }

    /// The point of an edge that is nearest to a point.
    fn closest_on_edge(&self, edge: u8, point: Vec3F64) -> Vec3F64 {
        let [a, b, c] = [self.v0, self.v1, self.v2].each(to_f64);
        let [from, to] = [[a, b], [b, c], [c, a]][usize::from(edge) % 3];
        let along = sub(to, from);
        let reach = dot(sub(point, from), along) / dot(along, along);
        // Not between 0 and 1 for a NaN: then the edge's start is as good as any point of it.
        let reach = if reach > 0.0 { reach } else { 0.0 };
        add(from, scale(along, if reach < 1.0 { reach } else { 1.0 }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOOR: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];

    fn passing(origin: [f32; 3], dir: [f32; 3]) -> Passing {
        let [a, b, c] = FLOOR;
        Triangle::new(a, b, c).passing(&Ray::new(origin, dir))
    }

    #[test]
    fn the_edge_that_is_passed_is_named_with_the_distance() {
        let down = [0.0, 0.0, -2.0];
        let outside = |x: f32, y: f32, edge: u8, distance: f32, closest: [f32; 3]| {
            let found = passing([x, y, 6.0], down);
            let (point, closest) = ([x, y, 0.0].into(), closest.into());
            assert_eq!(found, Passing::Outside { edge, distance, point, t: 3.0, closest });
        };
        outside(1.0, -2.0, 0, 2.0, [1.0, 0.0, 0.0]);
        outside(-0.5, 1.0, 2, 0.5, [0.0, 1.0, 0.0]);
        outside(4.0, 4.0, 1, 8f32.sqrt(), [2.0, 2.0, 0.0]);
        // Past a corner.
        outside(7.0, -4.0, 0, 5.0, [4.0, 0.0, 0.0]);
        // By the least number that there is.
        let tiny = f32::from_bits(1);
        outside(1.0, -tiny, 0, tiny, [1.0, 0.0, 0.0]);
    }

    #[test]
    fn a_line_along_the_plane_is_in_it_or_beside_it() {
        assert_eq!(passing([9.0, 0.0, 0.0], [-1.0, 0.1, 0.0]), Passing::InPlane);
        let beside = passing([9.0, 0.0, -0.25], [-1.0, 0.1, 0.0]);
        assert_eq!(beside, Passing::Parallel { distance: 0.25 });
    }

    #[test]
    fn a_hit_at_no_finite_t_is_too_far() {
        let far = |z: f32, dir: f32| passing([1.0, 1.0, z], [0.0, 0.0, dir]);
        let t = f32::INFINITY;
        assert_eq!(far(1e30, -1e-30), Passing::TooFar { t });
        assert_eq!(far(1e30, 1e-30), Passing::TooFar { t: -t });
    }
}
