//! The frustum of a camera.

use glam::{Mat4, Vec2, Vec3, Vec4};

use super::exact::half_spaces::of_planes;
use super::exact::{Approx, Int3392, Number};
use super::ray::{DepthRange, clip, columns};
use super::vec3_f64::{Vec3F64, add, cross, dot, max_abs, scale, to_f32};
use crate::array::Each;

#[cfg(test)]
mod tests;

/// The points that a camera sees, or a part of its picture: all points on the inner side of up to
/// six planes.
///
/// A plane is four numbers: its inward normal, of any length, and an offset. Points with
/// `normal . p + offset >= 0` are inside, the plane itself included. The frustum is exactly that
/// set, for the four numbers as they are: overlap queries decide without rounding. It may be
/// unbounded, flat or empty.
///
/// ```
/// use hitscan::geometry::{DepthRange, Frustum};
/// use hitscan::glam::Mat4;
///
/// // A camera that looks along -z, 90 degrees wide and high, near plane 1, far plane 3.
/// let projection = Mat4::from_cols_array(&[
///     1.0, 0.0, 0.0, 0.0, //
///     0.0, 1.0, 0.0, 0.0,
///     0.0, 0.0, -1.5, -1.0,
///     0.0, 0.0, -1.5, 0.0,
/// ]);
/// let frustum = Frustum::from_view_projection(&projection, DepthRange::ZeroToOne).unwrap();
/// assert!(frustum.contains([2.0, 0.0, -2.0]) && !frustum.contains([2.1, 0.0, -2.0]));
/// assert!(!frustum.contains([0.0, 0.0, -0.9]) && frustum.contains([0.0, 0.0, -3.0]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frustum {
    planes: [Vec4; 6],
    eye: Vec3,
}

impl Frustum {
    /// All points on the inner sides of at most six planes, each its inward normal and its offset.
    /// `eye` is the point from which sides of triangles are seen (see [`eye`](Self::eye)).
    ///
    /// `None` if there are more than six planes, or a number is not finite. Without planes every
    /// point is inside. A plane with a normal of zero holds all points or none, by its offset.
    ///
    /// ```
    /// use hitscan::geometry::Frustum;
    /// use hitscan::glam::Vec4;
    ///
    /// // All that is above the ground, to the right of x = 2.
    /// let planes = [Vec4::new(0.0, 1.0, 0.0, 0.0), Vec4::new(1.0, 0.0, 0.0, -2.0)];
    /// let corner = Frustum::from_planes(&planes, [3.0, 1.0, 0.0]).unwrap();
    /// assert!(corner.contains([2.0, 0.0, 7.0]) && !corner.contains([1.9, 0.0, 7.0]));
    /// ```
    #[must_use]
    pub fn from_planes(planes: &[Vec4], eye: impl Into<Vec3>) -> Option<Self> {
        let eye = eye.into();
        let mut all = [Vec4::ZERO; 6];
        all.get_mut(..planes.len())?.copy_from_slice(planes);
        let is_sound = eye.is_finite() && all.iter().all(|plane| plane.is_finite());
        is_sound.then_some(Self { planes: all, eye })
    }

    /// What a camera sees, from the product of its projection and its view matrix (Gribb and
    /// Hartmann, "Fast Extraction of Viewing Frustum Planes from the World-View-Projection Matrix",
    /// 2001). Perspective and orthographic projections work, also with an infinite far plane.
    ///
    /// The planes are computed in `f64` and rounded once. `None` if the matrix is not finite or
    /// gives no near plane in finite space.
    #[must_use]
    pub fn from_view_projection(view_projection: &Mat4, depth: DepthRange) -> Option<Self> {
        let whole = [[-1.0, -1.0], [1.0, 1.0]];
        Self::from_clip_rectangle(whole, &columns(view_projection), depth)
    }

    /// What a camera sees in a rectangle of its picture, given by two opposite corners in any
    /// order: for selecting with a rubber band.
    ///
    /// Corners and viewport are as in [`Ray::from_screen`](super::Ray::from_screen): usually in
    /// pixels, `(0, 0)` is the upper left corner of the viewport and `y` points down. The rectangle
    /// may reach out of the viewport. It may be a line or a point: its frustum is then flat or a
    /// line, as exact as its rounded planes are.
    ///
    /// `None` as in [`from_view_projection`](Self::from_view_projection), and if the viewport is
    /// not of positive size or a corner is not finite.
    ///
    /// ```
    /// use hitscan::geometry::{DepthRange, Frustum};
    /// use hitscan::glam::Mat4;
    ///
    /// // An orthographic camera: x and y from -1 to 1, z from 0 to -1.
    /// let camera = Mat4::from_cols_array(&[
    ///     1.0, 0.0, 0.0, 0.0, //
    ///     0.0, 1.0, 0.0, 0.0,
    ///     0.0, 0.0, -1.0, 0.0,
    ///     0.0, 0.0, 0.0, 1.0,
    /// ]);
    /// let (drag, viewport) = ([[0.0, 0.0], [400.0, 300.0]], [800.0, 600.0]);
    /// let depth = DepthRange::ZeroToOne;
    /// let upper_left = Frustum::from_rectangle(drag, viewport, &camera, depth).unwrap();
    /// assert!(upper_left.contains([-0.5, 0.5, -0.5]) && !upper_left.contains([0.5, 0.5, -0.5]));
    /// ```
    #[must_use]
    pub fn from_rectangle<P: Into<Vec2>>(
        corners: [P; 2],
        viewport: impl Into<Vec2>,
        view_projection: &Mat4,
        depth: DepthRange,
    ) -> Option<Self> {
        let corners = corners.each(Into::into);
        Self::from_corners(corners, viewport.into(), &columns(view_projection), depth)
    }

    /// The same for a matrix of `f64`, given by columns.
    pub(super) fn from_corners(
        corners: [Vec2; 2],
        viewport: Vec2,
        view_projection: &[[f64; 4]; 4],
        depth: DepthRange,
    ) -> Option<Self> {
        if !corners.iter().all(|corner| corner.is_finite()) {
            return None;
        }
        let [one, other] = [clip(corners[0], viewport)?, clip(corners[1], viewport)?];
        let pick = |f: fn(f64, f64) -> f64| [f(one[0], other[0]), f(one[1], other[1])];
        let rectangle = [pick(f64::min), pick(f64::max)];
        Self::from_clip_rectangle(rectangle, view_projection, depth)
    }

    fn from_clip_rectangle(
        [min, max]: [[f64; 2]; 2],
        columns: &[[f64; 4]; 4],
        depth: DepthRange,
    ) -> Option<Self> {
        let [x, y, z, w] = [0, 1, 2, 3].each(|r: usize| columns.each(|column| column[r]));
        // `(row - w * at) . p` is zero where the row's clip coordinate is `at`.
        let beyond = |row: [f64; 4], at: f64| [0, 1, 2, 3].each(|i: usize| row[i] - at * w[i]);
        let turn = |plane: [f64; 4], by: f64| plane.each(|x| x * by);
        let (near, far) = depth.near_and_far();
        let forward = if near < far { 1.0 } else { -1.0 };
        let planes = [
            beyond(x, min[0]),
            turn(beyond(x, max[0]), -1.0),
            beyond(y, min[1]),
            turn(beyond(y, max[1]), -1.0),
            turn(beyond(z, near), forward),
            turn(beyond(z, far), -forward),
        ];
        // In the middle of the near plane.
        let middle = |k: usize| 0.5 * (min[k] + max[k]);
        let eye = common_point([beyond(x, middle(0)), beyond(y, middle(1)), planes[4]]);
        Self::from_planes(&planes.each(rounded), to_f32(eye))
    }

    /// The planes, each its inward normal and its offset. Those that are not used are zero.
    #[must_use]
    pub fn planes(&self) -> [Vec4; 6] {
        self.planes
    }

    /// The point from which sides of triangles are seen: for a camera, the middle of the
    /// rectangle on the near plane.
    #[must_use]
    pub fn eye(&self) -> Vec3 {
        self.eye
    }

    /// Whether a point is inside, the surface included. Decided without rounding; false for a point
    /// that is not finite.
    #[must_use]
    pub fn contains(&self, point: impl Into<Vec3>) -> bool {
        let point = point.into();
        let planes = &self.planes.each(|plane| plane.to_array());
        let corners = &[point.to_array(); 3];
        let inside = |signs: [Option<i32>; 6]| {
            let is_above = |sign: &Option<i32>| sign.map(|sign| sign >= 0);
            signs.iter().map(is_above).try_fold(true, |all, above| Some(all && above?))
        };
        point.is_finite()
            && inside(of_planes::<Approx>(planes, corners).each(|height| height[0].sign()))
                .or_else(|| inside(of_planes::<Int3392>(planes, corners).each(|h| h[0].sign())))
                .unwrap_or(false)
    }
}

/// A plane's numbers, rounded once, times a power of two with which they neither overflow nor
/// underflow.
fn rounded(plane: [f64; 4]) -> Vec4 {
    let size = plane.iter().fold(0.0f64, |size, x| size.max(x.abs()));
    // By the exponent: 2 to the power of 1023 less it.
    let exponent = (size.to_bits() >> 52).clamp(1, 2045);
    let scale = f64::from_bits((2046 - exponent) << 52);
    Vec4::from(plane.each(|x| (x * scale) as f32))
}

/// The point that three planes have in common; not finite if there is none.
fn common_point(planes: [[f64; 4]; 3]) -> Vec3F64 {
    let [(a, a_offset), (b, b_offset), (c, c_offset)] = planes.each(|[x, y, z, w]| {
        let size = max_abs([x, y, z]);
        ([x / size, y / size, z / size], w / size)
    });
    let sum = add(
        add(scale(cross(b, c), a_offset), scale(cross(c, a), b_offset)),
        scale(cross(a, b), c_offset),
    );
    scale(sum, -1.0 / dot(a, cross(b, c)))
}
