//! Convex shapes and volumes, judged by brute force over their corners, edges and faces in `f64`:
//! no search, and nothing that the crate computes, but where a volume is in the world.

use hitscan::geometry::Volume;
use hitscan::glam::{Affine3A, Vec3};
use hitscan::{Aabb, Capsule, ConvexShape, Obb, Sphere};

use super::real::Real3;

/// The points within a radius of the hull of some points.
pub(super) struct Solid {
    pub(super) points: Vec<Real3>,
    /// Corners of triangles that make up the surface of the hull; of a point or a segment without
    /// an area.
    faces: Vec<[usize; 3]>,
    pub(super) radius: f64,
    /// The largest coordinate that it is made of.
    pub(super) size: f64,
}

impl Solid {
    fn hull(points: Vec<Real3>, size: f64) -> Self {
        let mut faces = Vec::new();
        for i in 0..points.len() {
            for j in 0..i {
                for k in 0..j {
                    let normal = (points[j] - points[i]).cross(points[k] - points[i]).normalized();
                    let heights = points.iter().map(|&point| normal.dot(point - points[i]));
                    let slack = 1e-13 * size;
                    let (low, high) =
                        heights.fold((0.0f64, 0.0f64), |(a, b), x| (a.min(x), b.max(x)));
                    if normal.largest() > 0.0 && (low >= -slack || high <= slack) {
                        faces.push([i, j, k]);
                    }
                }
            }
        }
        Self { points, faces, radius: 0.0, size }
    }

    fn round(a: Vec3, b: Vec3, radius: f32) -> Self {
        let points = vec![a.into(), b.into()];
        let size = f64::from(a.abs().max(b.abs()).max_element().max(radius));
        Self { points, faces: vec![[0, 0, 1]], radius: radius.into(), size }
    }

    fn of_obb(obb: &Obb) -> Self {
        let map = obb.transform();
        let columns = map.matrix3.to_cols_array_2d().map(|column| Real3::from(Vec3::from(column)));
        let origin = Real3::from(Vec3::from(map.translation));
        let Aabb { min, max } = obb.local_box();
        let corner = |i: usize| {
            let side = |k: usize| f64::from(if i >> k & 1 == 0 { min[k] } else { max[k] });
            (0..3).fold(origin, |sum, k| sum + columns[k] * side(k))
        };
        let far = |k: usize| f64::from(min[k].abs().max(max[k].abs()));
        let size = (0..3).map(|k| far(k) * columns[k].largest());
        Self::of_corners((0..8).map(corner).collect(), size.fold(origin.largest(), f64::max))
    }

    /// A box, of which some corners may be in one place.
    fn of_corners(points: Vec<Real3>, size: f64) -> Self {
        let quads =
            [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
        let faces = quads.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        Self { points, faces, radius: 0.0, size }
    }

    pub(super) fn of(shape: &ConvexShape) -> Self {
        match shape {
            ConvexShape::Aabb(bounds) => {
                Self::of_obb(&Obb::from_transform(&Affine3A::IDENTITY, *bounds).expect("sound"))
            }
            ConvexShape::Obb(obb) => Self::of_obb(obb),
            ConvexShape::Sphere(Sphere { center, radius }) => {
                Self::round(*center, *center, *radius)
            }
            ConvexShape::Capsule(Capsule { a, b, radius }) => Self::round(*a, *b, *radius),
            ConvexShape::Hull(hull) => {
                let points: Vec<_> = hull.points().map(Real3::from).collect();
                let size = points.iter().fold(0.0, |size, p: &Real3| p.largest().max(size));
                Self::hull(points, size)
            }
            _ => panic!("of another kind"),
        }
    }

    pub(super) fn of_volume(volume: &Volume) -> Self {
        Self::of(&(*volume).into())
    }

    pub(super) fn of_point(point: Real3) -> Self {
        let size = point.largest();
        Self { points: vec![point], faces: vec![[0; 3]], radius: 0.0, size }
    }

    pub(super) fn moved(&self, way: Real3) -> Self {
        let points = self.points.iter().map(|&point| point + way).collect();
        let size = self.size.max(way.largest());
        Self { points, faces: self.faces.clone(), radius: self.radius, size }
    }

    fn triangles(&self) -> impl Iterator<Item = [Real3; 3]> + '_ {
        self.faces.iter().map(|face| face.map(|i| self.points[i]))
    }

    /// Whether a point is in the hull, and not near its surface.
    fn holds(&self, point: Real3) -> bool {
        let sum = self.points.iter().fold(Real3([0.0; 3]), |sum, &point| sum + point);
        let middle = sum * (1.0 / self.points.len() as f64);
        let reach = self.points.iter().fold(0.0, |reach, &p| (p - middle).length().max(reach));
        let mut has_area = false;
        for [a, b, c] in self.triangles() {
            let normal = (b - a).cross(c - a);
            if normal.largest() == 0.0 {
                continue;
            }
            has_area = true;
            // A flat one has no inside.
            let (inside, height) = (normal.dot(middle - a), normal.dot(point - a));
            if inside.abs() <= 1e-9 * reach * normal.length() || inside * height <= 0.0 {
                return false;
            }
        }
        has_area
    }

    /// How far the hulls of both are apart; zero if they overlap.
    fn hull_distance(&self, other: &Self) -> f64 {
        if self.points.iter().any(|&p| other.holds(p))
            || other.points.iter().any(|&p| self.holds(p))
        {
            return 0.0;
        }
        let mut least = f64::INFINITY;
        for one in self.triangles() {
            for triangle in other.triangles() {
                least = least.min(between_triangles(&one, &triangle));
            }
        }
        least
    }

    /// How far they are apart, radii included; less than zero if only the radii overlap.
    pub(super) fn distance(&self, other: &Self) -> f64 {
        self.hull_distance(other) - self.radius - other.radius
    }

    /// How far they are apart along a direction of unit length, which leads to this one.
    pub(super) fn room(&self, other: &Self, normal: Real3) -> f64 {
        let low = self.points.iter().map(|p| normal.dot(*p)).fold(f64::INFINITY, f64::min);
        let high = other.points.iter().map(|p| normal.dot(*p)).fold(f64::NEG_INFINITY, f64::max);
        low - high - self.radius - other.radius
    }
}

fn between_triangles(one: &[Real3; 3], other: &[Real3; 3]) -> f64 {
    let mut least = f64::INFINITY;
    for i in 0..3 {
        least = least.min(to_triangle(one[i], other)).min(to_triangle(other[i], one));
        for j in 0..3 {
            let edge = [one[i], one[(i + 1) % 3]];
            least = least.min(between_segments(edge, [other[j], other[(j + 1) % 3]]));
        }
        if pierces([one[i], one[(i + 1) % 3]], other)
            || pierces([other[i], other[(i + 1) % 3]], one)
        {
            return 0.0;
        }
    }
    least
}

/// Whether a segment goes through the inside of a triangle.
fn pierces([from, to]: [Real3; 2], [a, b, c]: &[Real3; 3]) -> bool {
    let normal = (*b - *a).cross(*c - *a);
    let (p, q) = (normal.dot(from - *a), normal.dot(to - *a));
    if p * q >= 0.0 {
        return false;
    }
    let at = from + (to - from) * (p / (p - q));
    let side = |x: Real3, y: Real3| normal.dot((y - x).cross(at - x));
    side(*a, *b) > 0.0 && side(*b, *c) > 0.0 && side(*c, *a) > 0.0
}

fn to_triangle(point: Real3, [a, b, c]: &[Real3; 3]) -> f64 {
    let normal = (*b - *a).cross(*c - *a);
    let square = normal.square();
    let edges = [[*a, *b], [*b, *c], [*c, *a]];
    let inside = edges.iter().all(|[x, y]| normal.dot((*y - *x).cross(point - *x)) > 0.0);
    if square > 0.0 && inside {
        return normal.dot(point - *a).abs() / square.sqrt();
    }
    edges.iter().map(|edge| to_segment(point, *edge)).fold(f64::INFINITY, f64::min)
}

fn to_segment(point: Real3, [a, b]: [Real3; 2]) -> f64 {
    let along = b - a;
    let square = along.square();
    let at = if square > 0.0 { ((point - a).dot(along) / square).clamp(0.0, 1.0) } else { 0.0 };
    (a + along * at - point).length()
}

fn between_segments([a, b]: [Real3; 2], [c, d]: [Real3; 2]) -> f64 {
    let ends = to_segment(a, [c, d]).min(to_segment(b, [c, d]));
    let ends = ends.min(to_segment(c, [a, b])).min(to_segment(d, [a, b]));
    // Of the lines, where the nearest points are within both segments.
    let (u, v, w) = (b - a, d - c, a - c);
    let across = u.cross(v);
    let square = across.square();
    if square == 0.0 {
        return ends;
    }
    let s = v.cross(w).dot(across) / square;
    let t = u.cross(w).dot(across) / square;
    let is_within = (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t);
    if is_within { ends.min(w.dot(across).abs() / square.sqrt()) } else { ends }
}
