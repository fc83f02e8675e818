//! How far a shape that moves passes from a triangle that it never touches.

use glam::Vec3;
use smallvec::SmallVec;

use crate::array::Each;
use crate::geometry::convex_shape::ConvexShape;
use crate::geometry::shape::finite_bounds;
use crate::geometry::support::Support;
use crate::geometry::triangle::Triangle;
use crate::geometry::vec3_f64::{Vec3F64, add, cross, dot, scale, sub, to_f64};

/// Steps towards the nearest points. Each is nearer than the one before, and a few are enough.
const STEPS: usize = 64;
/// A step that gains less than this part of the squared distance is the last.
const ENOUGH: f64 = 1e-13;

/// The nearest that a moving shape comes to a triangle. All numbers are rounded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clearance {
    /// At least zero.
    pub(crate) distance: f64,
    /// When, in units of the motion: 0 to 1.
    pub(crate) t: f64,
    /// The point of the triangle.
    pub(crate) point: Vec3F64,
    /// The point of the shape, as it then is.
    pub(crate) on_shape: Vec3F64,
}

/// A point of the shape's core, at the start or the end, seen from a corner of the triangle.
#[derive(Clone, Copy)]
struct Difference {
    vector: Vec3F64,
    corner: Vec3F64,
    at_end: bool,
}

impl ConvexShape {
    /// The nearest that the shape comes to a triangle on its way: of the convex hull of the shape
    /// at the start and at the end. `None` if the shape is empty, or a number is not finite.
    ///
    /// The hull's distance is found as by Gilbert, Johnson and Keerthi (1988), in `f64`.
    pub(crate) fn clearance(&self, motion: Vec3, triangle: &Triangle) -> Option<Clearance> {
        let (points, radius) = match self {
            Self::Hull(hull) => (hull.points().map(to_f64).collect(), 0.0),
            Self::Aabb(bounds) => {
                finite_bounds(bounds)?;
                (bounds.corners().into_iter().map(to_f64).collect(), 0.0)
            }
            other => {
                let (points, radius, _) = Support::of(&other.into())?.into_core();
                (points, radius)
            }
        };
        let corners = [triangle.v0, triangle.v1, triangle.v2];
        if !motion.is_finite() || !corners.iter().all(|corner| corner.is_finite()) {
            return None;
        }
        Some(nearest(&points, radius, to_f64(motion), &corners.each(to_f64)))
    }
}

fn nearest(
    points: &SmallVec<[Vec3F64; 8]>,
    radius: f64,
    motion: Vec3F64,
    corners: &[Vec3F64; 3],
) -> Clearance {
    let lowest = |points: &[Vec3F64], direction: Vec3F64| {
        let height = |point: &Vec3F64| dot(direction, *point);
        let least = points.iter().copied().min_by(|a, b| height(a).total_cmp(&height(b)));
        least.unwrap_or_default()
    };
    // The difference that is farthest against a direction.
    let farthest = |direction: Vec3F64| {
        let at_end = dot(direction, motion) < 0.0;
        let start = lowest(points, direction);
        let corner = lowest(corners, scale(direction, -1.0));
        let end = if at_end { add(start, motion) } else { start };
        Difference { vector: sub(end, corner), corner, at_end }
    };
    let mut simplex = SmallVec::<[Difference; 4]>::new();
    simplex.push(farthest(sub(points[0], corners[0])));
    let mut weights = SmallVec::<[f64; 4]>::from_elem(1.0, 1);
    let mut vector = simplex[0].vector;
    for _ in 0..STEPS {
        let square = dot(vector, vector);
        let next = farthest(vector);
        if square == 0.0 || square - dot(vector, next.vector) <= ENOUGH * square {
            break;
        }
        simplex.push(next);
        let (kept, of_kept) = nearest_part(&simplex);
        let nearer = combined(&kept, &of_kept, |one| one.vector);
        if dot(nearer, nearer) >= square {
            break;
        }
        (simplex, weights, vector) = (kept, of_kept, nearer);
    }
    let length = dot(vector, vector).sqrt();
    let point = combined(&simplex, &weights, |one| one.corner);
    let ended = simplex.iter().zip(&weights).filter(|(one, _)| one.at_end);
    // From the triangle to the shape's core, less its radius.
    let off =
        if length > 0.0 { scale(vector, (length - radius).max(0.0) / length) } else { vector };
    Clearance {
        distance: (length - radius).max(0.0),
        t: ended.map(|(_, weight)| weight).sum::<f64>().min(1.0),
        point,
        on_shape: add(point, off),
    }
}

fn combined(
    simplex: &[Difference],
    weights: &[f64],
    of: impl Fn(&Difference) -> Vec3F64,
) -> Vec3F64 {
    let parts = simplex.iter().zip(weights).map(|(one, &weight)| scale(of(one), weight));
    parts.fold([0.0; 3], add)
}

/// The corners of a simplex around its point that is nearest to the origin, and their weights.
fn nearest_part(simplex: &[Difference]) -> (SmallVec<[Difference; 4]>, SmallVec<[f64; 4]>) {
    let mut best = (SmallVec::new(), SmallVec::new(), f64::INFINITY);
    for part in 1u32..1 << simplex.len() {
        let corners = simplex.iter().enumerate().filter(|(i, _)| part >> i & 1 != 0);
        let corners: SmallVec<[Difference; 4]> = corners.map(|(_, one)| *one).collect();
        let vectors: SmallVec<[Vec3F64; 4]> = corners.iter().map(|one| one.vector).collect();
        let Some(weights) = weights_of_nearest(&vectors) else { continue };
        let vector = combined(&corners, &weights, |one| one.vector);
        let square = dot(vector, vector);
        if square < best.2 {
            best = (corners, weights, square);
        }
    }
    (best.0, best.1)
}

/// The weights of the corners of a simplex in the point of its plane that is nearest to the origin,
/// if that is in the simplex.
fn weights_of_nearest(vectors: &[Vec3F64]) -> Option<SmallVec<[f64; 4]>> {
    let weights: SmallVec<[f64; 4]> = match *vectors {
        [_] => SmallVec::from_slice(&[1.0]),
        [a, b] => {
            let side = sub(b, a);
            let along = -dot(a, side) / dot(side, side);
            SmallVec::from_slice(&[1.0 - along, along])
        }
        [a, b, c] => {
            let normal = cross(sub(b, a), sub(c, a));
            let square = dot(normal, normal);
            let part = |from: Vec3F64, to: Vec3F64| dot(normal, cross(from, to)) / square;
            SmallVec::from_slice(&[part(b, c), part(c, a), part(a, b)])
        }
        [a, b, c, d] => {
            let volume = |a: Vec3F64, b: Vec3F64, c: Vec3F64| dot(a, cross(b, c));
            let [da, db, dc] = [a, b, c].each(|corner| sub(corner, d));
            let whole = volume(da, db, dc);
            let parts = [-volume(b, c, d), volume(a, c, d), -volume(a, b, d), volume(a, b, c)];
            SmallVec::from_slice(&parts.each(|part| part / whole))
        }
        _ => return None,
    };
    // Not so where it is no number: corners in one place or on one line.
    weights.iter().all(|&weight| weight >= 0.0 && weight.is_finite()).then_some(weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Aabb, Capsule, ConvexHull, Sphere};
    use crate::test_rng;

    #[test]
    fn simple_distances_are_as_they_should_be() {
        let floor = Triangle::new([-9.0, 0.0, -9.0], [0.0, 0.0, 9.0], [9.0, 0.0, -9.0]);
        let ball = ConvexShape::from(Sphere::new([0.0, 5.0, 0.0], 1.0));
        let found = ball.clearance(Vec3::new(0.0, -2.0, 0.0), &floor).unwrap();
        assert_eq!((found.distance, found.t), (2.0, 1.0));
        assert_eq!((found.point, found.on_shape), ([0.0; 3], [0.0, 2.0, 0.0]));
        let cube = ConvexShape::from(Aabb::from_min_max([10.0, 1.0, -9.0], [11.0, 2.0, -8.0]));
        let found = cube.clearance(Vec3::new(5.0, 0.0, 0.0), &floor).unwrap();
        assert!((found.distance - 2f64.sqrt()).abs() < 1e-12 && found.t == 0.0, "{found:?}");
        let empty = ConvexShape::from(Sphere::new([0.0; 3], -1.0));
        assert!(empty.clearance(Vec3::ZERO, &floor).is_none());
    }

    /// No other time and no direction shows anything else: at the time that is told, planes across
    /// the way between the points separate the shape, all along its way, from the triangle.
    #[test]
    fn a_plane_between_the_points_separates_the_whole_way() {
        let mut state = 3;
        let mut point = || [0; 3].map(|_| test_rng::number(&mut state));
        let mut apart = 0;
        for i in 0..2000 {
            let [a, b, motion] = [point(), point(), point()].map(Vec3::from_array);
            let triangle = Triangle::new(point(), point(), point());
            let shape: ConvexShape = match i % 4 {
                0 => Sphere::new(a, 0.1).into(),
                1 => Capsule::new(a, b, 0.1).into(),
                2 => Aabb::from_points([a, b]).into(),
                _ => match ConvexHull::from_points((0..9).map(|_| point())) {
                    Ok(hull) => hull.into(),
                    Err(_) => continue,
                },
            };
            let found = shape.clearance(motion, &triangle).unwrap();
            let touches = shape.first_contact(motion, &triangle).is_some();
            assert!(
                (found.distance < 1e-6) == touches,
                "{shape:?} {motion} {triangle:?} {found:?}"
            );
            if touches {
                continue;
            }
            apart += 1;
            let across = scale(sub(found.on_shape, found.point), 1.0 / found.distance);
            let of_triangle = |corner: Vec3| dot(across, sub(to_f64(corner), found.point));
            let corners = [triangle.v0, triangle.v1, triangle.v2];
            assert!(corners.into_iter().all(|corner| of_triangle(corner) < 1e-6));
            let direction = Vec3::from_array(across.each(|x| x as f32));
            let ahead = f64::from(direction.dot(motion)).min(0.0);
            let lowest = shape.lowest(direction) + ahead - dot(across, found.point);
            assert!((lowest - found.distance).abs() < 1e-5, "{lowest} {found:?}");
        }
        assert!(apart > 500, "{apart}");
    }
}
