//! The winding number of a point in `f64`, and whether it is exactly on a triangle.

use std::cmp::Ordering;

use hitscan::glam::Vec3;
use hitscan::{Aabb, PointLocation, Triangle};

use num_bigint::Sign;

use super::distances::Distance;
use super::integers::{Big3, cross, dot as dot_of_integers, minus, whole};

/// A closed surface.
pub(crate) struct Solid {
    triangles: Vec<Triangle>,
    bounds: Vec<Aabb>,
}

impl Solid {
    pub(crate) fn new(triangles: Vec<Triangle>) -> Self {
        let bounds = triangles.iter().map(Triangle::bounds).collect();
        Self { triangles, bounds }
    }

    pub(crate) fn has_on_surface(&self, point: Vec3) -> bool {
        self.triangles.iter().zip(&self.bounds).any(|(triangle, bounds)| {
            bounds.contains(point) && Distance::of(point, triangle).cmp(0.0) == Ordering::Equal
        })
    }

    /// The generalised winding number (Jacobson, Kavan and Sorkine-Hornung, "Robust Inside-Outside
    /// Segmentation using Generalized Winding Numbers", 2013), by solid angles (van Oosterom and
    /// Strackee, "The Solid Angle of a Plane Triangle", 1983).
    ///
    /// `None` within some roundings of an edge, where angles are not certain.
    fn winding_number(&self, point: Vec3) -> Option<f64> {
        let angle = |triangle: &Triangle| {
            let way = |corner: Vec3| [0, 1, 2].map(|k| f64::from(corner[k]) - f64::from(point[k]));
            let (a, b, c) = (way(triangle.v0), way(triangle.v1), way(triangle.v2));
            let [i, j, k] = [a, b, c].map(|v| dot(v, v).sqrt());
            let normal = [0, 1, 2].map(|k| {
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                b[i] * c[j] - b[j] * c[i]
            });
            let width = i * j * k + dot(a, b) * k + dot(b, c) * i + dot(c, a) * j;
            let height = dot(a, normal);
            (height.hypot(width) > 1e-11 * i * j * k).then(|| height.atan2(width))
        };
        let sum = self.triangles.iter().map(angle).sum::<Option<f64>>()?;
        Some(sum / std::f64::consts::TAU)
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The sign of the volume of a tetrahedron if a point is inside it, else zero. Exact.
pub(crate) fn winding_in_tetrahedron(corners: [Vec3; 4], point: Vec3) -> i32 {
    let [a, b, c, d] = corners;
    let ([a, b, c, d, p], _) = whole([a, b, c, d, point]);
    let volume = |[a, b, c, d]: [&Big3; 4]| {
        dot_of_integers(&minus(d, a), &cross(&minus(b, a), &minus(c, a))).sign()
    };
    let whole = volume([&a, &b, &c, &d]);
    let parts = [[&p, &b, &c, &d], [&a, &p, &c, &d], [&a, &b, &p, &d], [&a, &b, &c, &p]];
    if whole == Sign::NoSign || parts.into_iter().any(|part| volume(part) != whole) {
        return 0;
    }
    if whole == Sign::Plus { 1 } else { -1 }
}

/// Where a point is as seen from some solids; `None` if that is not certain.
pub(crate) fn location(solids: &[Solid], point: Vec3) -> Option<PointLocation> {
    if solids.iter().any(|solid| solid.has_on_surface(point)) {
        return Some(PointLocation::OnSurface);
    }
    let mut location = PointLocation::Outside;
    for solid in solids {
        let winding = solid.winding_number(point)?;
        let whole = winding.round();
        assert!((winding - whole).abs() < 1e-5, "{winding} at {point:?}");
        if whole != 0.0 {
            location = PointLocation::Inside;
        }
    }
    Some(location)
}
