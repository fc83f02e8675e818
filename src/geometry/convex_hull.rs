//! The convex hull of a few points.

use std::sync::Arc;

use glam::{Affine3A, Vec3};

use self::corners::{Fault, corners_and_faces, on_plane};
use super::aabb::Aabb;
use super::exact::polytope::Polytope;
use super::placement::transform::{columns, place};
use super::turned_bounds::TurnedBounds;
use super::vec3_f64::{cross, difference, dot, max, unit};
use crate::array::Each;
use crate::error::{HullError, HullErrorKind};

mod corners;
mod round;
#[cfg(test)]
mod tests;

/// The convex hull of points, with up to 64 corners, prepared so that it can move: see
/// [`Bvh::first_contact`](crate::Bvh::first_contact).
///
/// A clone shares its memory. A hull that moves about is made once, and asked about where it is:
/// [`transformed`](Self::transformed).
///
/// ```
/// use hitscan::geometry::{ConvexHull, ConvexShape};
/// use hitscan::glam::Vec3;
/// use hitscan::Triangle;
///
/// // A pyramid that stands on its tip.
/// let corners = [[-1.0, 3.0, -1.0], [1.0, 3.0, -1.0], [1.0, 3.0, 1.0], [-1.0, 3.0, 1.0]];
/// let tip = [0.0, 2.0, 0.0];
/// let pyramid = ConvexHull::from_points(corners.into_iter().chain([tip]))?;
/// let floor = Triangle::new([-9.0, 0.0, -9.0], [0.0, 0.0, 9.0], [9.0, 0.0, -9.0]);
/// let contact = ConvexShape::from(&pyramid).first_contact([0.0, -4.0, 0.0], &floor);
/// assert_eq!(contact.map(|contact| (contact.t, contact.point)), Some((0.5, Vec3::ZERO)));
/// # Ok::<(), hitscan::HullError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ConvexHull(Arc<Prepared>);

#[derive(Debug)]
struct Prepared {
    polytope: Polytope,
    /// Corners of a face that the smallest box has in common with the hull, and first the two of an
    /// edge that it has, too.
    sides: Option<[u8; 3]>,
    /// That box, if it is clearly smaller than the box along the axes.
    turned_bounds: Option<TurnedBounds>,
}

impl ConvexHull {
    /// The most corners.
    pub const MOST_CORNERS: usize = corners::MOST;

    /// The hull of any number of points. Which of them are corners, and which faces and edges there
    /// are, is decided without rounding. Points that are inside, on a face or on an edge make no
    /// difference, nor do points that come twice.
    ///
    /// Takes time in proportion to the number of points times the number of faces: some
    /// microseconds for a box, some 0.15 milliseconds for 64 corners.
    ///
    /// # Errors
    ///
    /// If a coordinate is NaN or infinite, if all points are in a plane, or if the hull has more
    /// corners than [`MOST_CORNERS`](Self::MOST_CORNERS).
    ///
    /// ```
    /// use hitscan::{ConvexHull, HullErrorKind};
    ///
    /// // A box with points all over its faces has eight corners.
    /// let grid = (0..216).map(|i| [i % 6, i / 6 % 6, i / 36].map(|x| x as f32));
    /// assert_eq!(ConvexHull::from_points(grid)?.points().count(), 8);
    ///
    /// let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let refused = ConvexHull::from_points(square).unwrap_err();
    /// assert_eq!(refused.kind(), HullErrorKind::Flat);
    /// # Ok::<(), hitscan::HullError>(())
    /// ```
    pub fn from_points<P: Into<Vec3>>(
        points: impl IntoIterator<Item = P>,
    ) -> Result<Self, HullError> {
        // Zero has one sign.
        let points = points.into_iter().map(|point| (point.into() + Vec3::ZERO).to_array());
        let polytope = polytope(&points.collect::<Vec<_>>())?;
        let sides = smallest_box(&polytope);
        Ok(Self::prepared(polytope, sides))
    }

    fn prepared(polytope: Polytope, sides: Option<[u8; 3]>) -> Self {
        let turned_bounds = sides
            .and_then(|sides| box_on(&polytope, sides))
            // The test of a turned one takes longer.
            .filter(|bounds| bounds.volume() < 0.8 * volume_along_axes(&polytope.points));
        Self(Arc::new(Prepared { polytope, sides, turned_bounds }))
    }

    /// The hull where a transform takes it: the hull of the moved corners, the same as
    /// [`from_points`](Self::from_points) makes of them.
    ///
    /// A corner is moved to `((x * a + y * b) + z * c) + t`, where `a`, `b` and `c` are the columns
    /// of the transform and `t` is its translation: in `f64`, then each coordinate is rounded once.
    /// So corners of instances are moved [in a scene](crate::scene#points-and-shapes). All that is
    /// promised of questions about hulls holds for the hull of these points. The transform may
    /// scale, shear and mirror.
    ///
    /// Move the hull that was made first, not one that was moved before: so roundings do not add
    /// up.
    ///
    /// **The lists of faces and edges** are kept if the moved corners have the same. That is so if
    /// the plane of each face still has the same corners on it, and all others on one side. This is
    /// decided without rounding, and takes about a microsecond for 16 corners, and up to twenty for
    /// 64. It fails if rounding bends a face of four or more corners, as turns mostly do, or moves
    /// a corner into the hull. Then the lists are made anew, in some microseconds for a box.
    ///
    /// # Errors
    ///
    /// If a number of the transform or a coordinate of a moved corner is not finite, or if all
    /// moved corners are in a plane.
    ///
    /// ```
    /// use hitscan::glam::{Affine3A, Vec3};
    /// use hitscan::{Builder, ConvexHull, Mesh, Query};
    ///
    /// let floor = Mesh::from_soup(vec![[-9.0, 0.0, -9.0], [0.0, 0.0, 9.0], [9.0, 0.0, -9.0]]);
    /// let (bvh, _report) = Builder::new().bake(&[floor])?;
    /// let tips = [Vec3::X, Vec3::Y, Vec3::Z];
    /// let gem = ConvexHull::from_points(tips.into_iter().chain(tips.map(|tip| -tip)))?;
    ///
    /// // It falls from a height of three.
    /// let at = gem.transformed(&Affine3A::from_translation(Vec3::Y * 3.0))?;
    /// let fall = bvh.first_contact(&at, [0.0, -4.0, 0.0], &Query::new()).expect("the floor");
    /// assert_eq!((fall.t, fall.normal), (0.5, Vec3::Y));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn transformed(&self, transform: &Affine3A) -> Result<Self, HullError> {
        let Polytope { points, topology } = &self.0.polytope;
        let (linear, translation) = columns(transform);
        // Zero has one sign.
        let moved = |&point: &[f32; 3]| place(linear, translation, point.into()) + Vec3::ZERO;
        let points: Vec<_> = points.iter().map(|point| moved(point).to_array()).collect();
        let are_finite = points.as_flattened().iter().all(|x| x.is_finite());
        let size = corners::size(&points);
        // Planes with the same corners, and all others on one side, are faces. Each has as many
        // edges with others of them as it has corners, so there are no other faces.
        let stays = |(&face, &on): (&[u8; 3], &u64)| on_plane(&points, size, face) == Some(on);
        if are_finite && topology.faces.iter().zip(&topology.on).all(stays) {
            let polytope = Polytope { points, topology: topology.clone() };
            return Ok(Self::prepared(polytope, self.0.sides));
        }
        let polytope = polytope(&points)?;
        // The same corners have the same numbers.
        let is_smaller = polytope.points.len() < points.len();
        let sides = if is_smaller { smallest_box(&polytope) } else { self.0.sides };
        Ok(Self::prepared(polytope, sides))
    }

    /// The corners: in the order of the points that it was made of, each once.
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

/// Whether they have the same corners in the same order.
impl PartialEq for ConvexHull {
    fn eq(&self, other: &Self) -> bool {
        self.0.polytope.points == other.0.polytope.points
    }
}

/// The hull of some points.
fn polytope(points: &[[f32; 3]]) -> Result<Polytope, HullError> {
    if let Some(number) = points.iter().position(|point| !point.iter().all(|x| x.is_finite())) {
        let message = format!("point {number} is not finite: {:?}", points[number]);
        return Err(HullError::new(HullErrorKind::NonFinite, message));
    }
    let (points, topology) = corners_and_faces(points).map_err(|fault| match fault {
        Fault::Flat => {
            let message = format!("all {} points are in a plane", points.len());
            HullError::new(HullErrorKind::Flat, message)
        }
        Fault::TooManyCorners => {
            let most = corners::MOST;
            let message = format!("the hull has more than {most} corners: leave some out");
            HullError::new(HullErrorKind::TooManyCorners, message)
        }
    })?;
    Ok(Polytope { points, topology: Arc::new(topology) })
}

/// How many faces are tried as a side of the smallest box.
const THINNEST: usize = 8;

/// About the smallest of the boxes that have a face in common with the hull, and an edge of that
/// face: of the faces that the hull is least high over. (A smallest box may have other faces:
/// O'Rourke, "Finding minimal enclosing boxes", 1985.)
fn smallest_box(polytope: &Polytope) -> Option<[u8; 3]> {
    let Polytope { points, topology } = polytope;
    let height = |face: &[u8; 3]| {
        let [a, b, c] = face.each(|corner| points[usize::from(corner)]);
        let normal = unit(cross(difference(b, a), difference(c, a)));
        points.iter().fold(0.0, |most, &point| max(dot(normal, difference(point, a)).abs(), most))
    };
    let mut faces: Vec<_> = topology.faces.iter().map(height).zip(&topology.on).collect();
    faces.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let (mut best, mut least) = (None, f64::INFINITY);
    for (_, on) in faces.into_iter().take(THINNEST) {
        for &[from, to] in &topology.edges {
            let rest = on & !(1 << from) & !(1 << to);
            if (on ^ rest).count_ones() < 2 {
                continue;
            }
            let sides = [from, to, rest.trailing_zeros() as u8];
            if let Some(bounds) = box_on(polytope, sides)
                && bounds.volume() < least
            {
                (best, least) = (Some(sides), bounds.volume());
            }
        }
    }
    best
}

/// The box that has the plane through three corners for a side, and another one through the first
/// two.
fn box_on(Polytope { points, .. }: &Polytope, [from, to, beside]: [u8; 3]) -> Option<TurnedBounds> {
    let way = |to: u8| difference(points[usize::from(to)], points[usize::from(from)]);
    let along = unit(way(to));
    let normal = unit(cross(way(to), way(beside)));
    TurnedBounds::along(&[normal, along, cross(normal, along)], points)
}

/// Of an eighth of the box along the axes.
fn volume_along_axes(points: &[[f32; 3]]) -> f64 {
    let [x, y, z] = [0, 1, 2].each(|k| {
        let of_axis = points.iter().map(|point| f64::from(point[k]));
        of_axis.clone().fold(f64::MIN, f64::max) - of_axis.fold(f64::MAX, f64::min)
    });
    x * y * z * (1.0 / 8.0)
}
