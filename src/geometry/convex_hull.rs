//! The convex hull of a few points.

use std::sync::Arc;

use glam::Vec3;

use super::aabb::Aabb;
use super::exact::polytope::{Polytope, sides};
use super::turned_bounds::TurnedBounds;
use super::vec3_f64::{cross, difference, unit};
use crate::array::Each;

#[cfg(test)]
mod tests;

/// The convex hull of up to 64 points, prepared so that it can move: see
/// [`Bvh::first_contact`](crate::Bvh::first_contact).
///
/// A clone shares its memory.
///
/// ```
/// use hitscan::geometry::{ConvexHull, ConvexShape};
/// use hitscan::glam::Vec3;
/// use hitscan::Triangle;
///
/// // A pyramid that stands on its tip.
/// let corners = [[-1.0, 3.0, -1.0], [1.0, 3.0, -1.0], [1.0, 3.0, 1.0], [-1.0, 3.0, 1.0]];
/// let tip = [0.0, 2.0, 0.0];
/// let pyramid = ConvexHull::from_points(corners.into_iter().chain([tip])).expect("not flat");
/// let floor = Triangle::new([-9.0, 0.0, -9.0], [0.0, 0.0, 9.0], [9.0, 0.0, -9.0]);
/// let contact = ConvexShape::from(&pyramid).first_contact([0.0, -4.0, 0.0], &floor);
/// assert_eq!(contact.map(|contact| (contact.t, contact.point)), Some((0.5, Vec3::ZERO)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ConvexHull(Arc<Prepared>);

#[derive(Debug, PartialEq)]
struct Prepared {
    polytope: Polytope,
    /// If it is clearly smaller than the box along the axes.
    turned_bounds: Option<TurnedBounds>,
}

impl ConvexHull {
    /// The most points.
    pub const MOST_POINTS: usize = 64;

    /// The hull of some points. `None` if they are more than [`MOST_POINTS`](Self::MOST_POINTS), if
    /// one is not finite, or if all are in a plane. Which points and edges are on it is decided
    /// without rounding.
    ///
    /// Takes time with the fourth power of the number of points at worst: for 64 some
    /// tens of milliseconds.
    #[must_use]
    pub fn from_points<P: Into<Vec3>>(points: impl IntoIterator<Item = P>) -> Option<Self> {
        let mut all: Vec<[f32; 3]> = Vec::new();
        for point in points {
            // Zero has one sign.
            let point = (point.into() + Vec3::ZERO).to_array();
            if all.contains(&point) {
                continue;
            }
            if all.len() == Self::MOST_POINTS || !point.iter().all(|x| x.is_finite()) {
                return None;
            }
            all.push(point);
        }
        Self::of(all)
    }

    /// Of different points.
    fn of(mut all: Vec<[f32; 3]>) -> Option<Self> {
        let mut planes = planes(&all);
        let on_any = planes.iter().fold(0, |all, (_, on)| all | on);
        if on_any.count_ones() as usize != all.len() {
            // Without the points inside.
            let mut number = 0..;
            all.retain(|_| number.next().is_some_and(|i: u32| on_any >> i & 1 == 1));
            planes = self::planes(&all);
        }
        let mut edges = Vec::new();
        for (i, (_, one)) in planes.iter().enumerate() {
            for (_, other) in &planes[..i] {
                // All that two planes have in common is on a line.
                let common = one & other;
                let rest = common & common.wrapping_sub(1);
                if rest != 0 {
                    edges.push([common.trailing_zeros() as u8, rest.trailing_zeros() as u8]);
                }
            }
        }
        let faces: Vec<_> = planes.iter().map(|&(face, _)| face).collect();
        let polytope = Polytope { points: all, faces, edges };
        (!polytope.faces.is_empty()).then(|| {
            let turned_bounds = turned_bounds(&polytope, &planes);
            Self(Arc::new(Prepared { polytope, turned_bounds }))
        })
    }

    /// The points that it was made of, each once, but for those inside.
    pub fn points(&self) -> impl Iterator<Item = Vec3> + '_ {
        self.0.polytope.points.iter().map(|&point| point.into())
    }

    /// The smallest box around it.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        Aabb::from_points(self.points())
    }

    pub(super) fn polytope(&self) -> &Polytope {
        &self.0.polytope
    }

    pub(super) fn turned_bounds(&self) -> Option<TurnedBounds> {
        self.0.turned_bounds
    }
}

/// The smallest of the boxes that have a face in common with the hull, and an edge of that face.
/// (A smallest box may have other faces: O'Rourke, "Finding minimal enclosing boxes", 1985.)
/// `planes` are the planes of the faces, with a bit for each point that is on one.
fn turned_bounds(polytope: &Polytope, planes: &[([u8; 3], u64)]) -> Option<TurnedBounds> {
    let Polytope { points, edges, .. } = polytope;
    let between = |i: u8, j: u8| difference(points[usize::from(j)], points[usize::from(i)]);
    let mut best = None;
    let [x, y, z] = [0, 1, 2].each(|k| {
        let of_axis = points.iter().map(|point| f64::from(point[k]));
        of_axis.clone().fold(f64::MIN, f64::max) - of_axis.fold(f64::MAX, f64::min)
    });
    // Of the box along the axes, and less: the test of a turned one takes longer.
    let mut least = x * y * z * (1.0 / 8.0) * 0.8;
    for &([i, j, k], on) in planes {
        let normal = unit(cross(between(i, j), between(i, k)));
        let is_on = |point: u8| on >> point & 1 == 1;
        for &[from, to] in edges {
            if !(is_on(from) && is_on(to)) {
                continue;
            }
            let along = unit(between(from, to));
            let axes = [normal, along, cross(normal, along)];
            if let Some(bounds) = TurnedBounds::along(&axes, points)
                && bounds.volume() < least
            {
                (best, least) = (Some(bounds), bounds.volume());
            }
        }
    }
    best
}

/// The planes that have all points on one side: three points each, and a bit for each that is on
/// it. None if all points are in a plane.
fn planes(all: &[[f32; 3]]) -> Vec<([u8; 3], u64)> {
    let mut planes: Vec<([u8; 3], u64)> = Vec::new();
    for i in 0..all.len() {
        for j in 0..i {
            for k in 0..j {
                let bits = 1 << i | 1 << j | 1 << k;
                if planes.iter().any(|(_, on)| on & bits == bits) {
                    continue;
                }
                match sides(&[all[i], all[j], all[k]], all) {
                    None => {}
                    Some(([false, false], _)) => return Vec::new(),
                    Some((_, on)) => planes.push(([i as u8, j as u8, k as u8], on)),
                }
            }
        }
    }
    planes
}
