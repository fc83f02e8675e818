//! A camera: from the screen into the world, and back.

use glam::{Mat4, Vec2, Vec3};

use super::frustum::Frustum;
use super::ray::{DepthRange, Ray, clip, columns};
use super::ray_cone::RayCone;
use super::vec3_f64::{dot, max, scale, sub, unit};
use crate::array::Each;

#[cfg(test)]
mod tests;

/// A 4x4 matrix, by columns.
type Columns = [[f64; 4]; 4];

/// A camera with its viewport, for picks, labels and rubber bands.
///
/// It takes the view and the projection matrix apart, and multiplies and inverts them in `f64`. So
/// a pick is right to a ten-thousandth of a pixel far from the origin too, where the inverse of
/// their product in `f32` is off by pixels.
///
/// Positions are as in [`Ray::from_screen`]: usually in pixels, `(0, 0)` is the upper left corner
/// of the viewport, and `y` points down.
///
/// ```
/// use hitscan::geometry::{Camera, DepthRange};
/// use hitscan::glam::camera::rh::{proj::directx, view::look_at_mat4};
/// use hitscan::glam::Vec3;
///
/// // Far from the origin.
/// let (eye, target) = (Vec3::new(30_000.0, 1.5, 5.0), Vec3::new(30_001.0, 0.0, -2.0));
/// let view = look_at_mat4(eye, target, Vec3::Y);
/// let projection = directx::perspective(1.2, 800.0 / 600.0, 0.1, 100.0);
/// let camera = Camera::new(&view, &projection, [800.0, 600.0], DepthRange::ZeroToOne).unwrap();
///
/// // What is under the mouse, and where a label belongs.
/// let ray = camera.ray([200.0, 450.0]).unwrap();
/// let label = camera.project(ray.at(5.0)).unwrap();
/// assert!(label.truncate().distance([200.0, 450.0].into()) < 0.5);
/// // A rubber band, as a shape for `all_overlaps`.
/// let band = camera.frustum([[100.0, 400.0], [300.0, 500.0]]).unwrap();
/// assert!(band.contains(ray.at(5.0)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    view_projection: Columns,
    inverse: Columns,
    viewport: Vec2,
    depth: DepthRange,
}

impl Camera {
    /// A camera from the matrices that draw its picture: `view` leads from the world to the
    /// camera, `projection` from there to clip space. [`DepthRange`] says which `depth` goes with
    /// which projection.
    ///
    /// `None` if the viewport is not of positive size, or the product of the matrices has no
    /// inverse or is not finite.
    #[must_use]
    pub fn new(
        view: &Mat4,
        projection: &Mat4,
        viewport: impl Into<Vec2>,
        depth: DepthRange,
    ) -> Option<Self> {
        let viewport = viewport.into();
        let (view, projection) = (columns(view), columns(projection));
        let view_projection = view.each(|column| product(&projection, column));
        let inverse = inverse(&view_projection)?;
        let is_sound = viewport.is_finite() && viewport.x > 0.0 && viewport.y > 0.0;
        is_sound.then_some(Self { view_projection, inverse, viewport, depth })
    }

    /// The ray through a position of the screen, as [`Ray::from_screen`] gives it: from the near
    /// plane, with a direction of unit length. `None` if the position is not finite, or no such
    /// ray exists.
    #[must_use]
    pub fn ray(&self, position: impl Into<Vec2>) -> Option<Ray> {
        Ray::from_clip(clip(position.into(), self.viewport)?, &self.inverse, self.depth)
    }

    /// Where a point is on the screen: `x` and `y` as in [`ray`](Self::ray), `z` the depth in the
    /// range of the projection. It may lie beside the viewport, or before the near plane. `None` if
    /// it is behind the camera or beside it, or not finite.
    #[must_use]
    pub fn project(&self, point: impl Into<Vec3>) -> Option<Vec3> {
        let [x, y, z] = point.into().to_array().each(f64::from);
        let [x, y, z, w] = product(&self.view_projection, [x, y, z, 1.0]);
        let on_side = |clip: f64, size: f32| (0.5 * (clip / w + 1.0) * f64::from(size)) as f32;
        let (x, y) = (on_side(x, self.viewport.x), on_side(-y, self.viewport.y));
        let position = Vec3::new(x, y, (z / w) as f32);
        (w > 0.0 && position.is_finite()).then_some(position)
    }

    /// What lies within some pixels of a position of the screen: around the ray that
    /// [`ray`](Self::ray) gives, for [`Bvh::snap`](crate::Bvh::snap). Its radius is the length of
    /// that many pixels as they are drawn there; where those are longer in one direction of the
    /// screen than in the other, as far from the middle of a wide picture, the longer one.
    ///
    /// `None` as in `ray`, or if `pixels` is negative or not finite.
    ///
    /// ```
    /// use hitscan::geometry::{Camera, DepthRange};
    /// use hitscan::glam::Mat4;
    ///
    /// // An orthographic camera: x and y from -1 to 1, 800 pixels each.
    /// let (view, projection) = (Mat4::IDENTITY, Mat4::IDENTITY);
    /// let camera = Camera::new(&view, &projection, [800.0; 2], DepthRange::ZeroToOne).unwrap();
    /// let cone = camera.cone([400.0, 400.0], 8.0).unwrap();
    /// assert_eq!((cone.radius, cone.growth), (0.02, 0.0));
    /// ```
    #[must_use]
    pub fn cone(&self, position: impl Into<Vec2>, pixels: f32) -> Option<RayCone> {
        let position = position.into();
        let ray = self.ray(position)?;
        let (near, far) = self.depth.near_and_far();
        // At the near plane and beyond it, where it is finite for any projection.
        let depths = [near, 0.5 * (near + far)];
        let at = |position: Vec2| {
            let [x, y] = clip(position, self.viewport)?;
            Some(depths.each(|depth| {
                let [x, y, z, w] = product(&self.inverse, [x, y, depth, 1.0]);
                [x / w, y / w, z / w]
            }))
        };
        let [from, to] = at(position)?;
        let dir = unit(sub(to, from));
        let (mut radius, mut growth) = (0.0f64, 0.0f64);
        for step in [Vec2::X, Vec2::Y] {
            let [(t, beside), (far_t, far_beside)] = at(position + pixels * step)?.each(|point| {
                let t = dot(sub(point, from), dir);
                let beside = sub(sub(point, from), scale(dir, t));
                (t, dot(beside, beside).sqrt())
            });
            let by_t = (far_beside - beside) / (far_t - t);
            (radius, growth) = (max(beside - by_t * t, radius), max(by_t, growth));
        }
        let cone = RayCone::new(ray, radius as f32, growth as f32);
        let is_sound = pixels >= 0.0 && cone.radius.is_finite() && cone.growth.is_finite();
        (is_sound && pixels.is_finite()).then_some(cone)
    }

    /// What the camera sees in a rectangle of the screen: see [`Frustum::from_rectangle`].
    #[must_use]
    pub fn frustum<P: Into<Vec2>>(&self, corners: [P; 2]) -> Option<Frustum> {
        let corners = corners.each(Into::into);
        Frustum::from_corners(corners, self.viewport, &self.view_projection, self.depth)
    }
}

fn product(matrix: &Columns, v: [f64; 4]) -> [f64; 4] {
    let [a, b, c, d] = matrix;
    [0, 1, 2, 3].each(|r: usize| a[r] * v[0] + b[r] * v[1] + c[r] * v[2] + d[r] * v[3])
}

/// By minors of two rows.
fn inverse(matrix: &Columns) -> Option<Columns> {
    let m = |row: usize, column: usize| matrix[column][row];
    let minor = |rows: [usize; 2], i: usize, j: usize| {
        m(rows[0], i) * m(rows[1], j) - m(rows[0], j) * m(rows[1], i)
    };
    const PAIRS: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    let upper = PAIRS.each(|[i, j]: [usize; 2]| minor([0, 1], i, j));
    let lower = PAIRS.each(|[i, j]: [usize; 2]| minor([2, 3], i, j));
    let [s0, s1, s2, s3, s4, s5] = upper;
    let [c0, c1, c2, c3, c4, c5] = lower;
    let determinant = s0 * c5 - s1 * c4 + s2 * c3 + s3 * c2 - s4 * c1 + s5 * c0;
    // A row of the inverse from a row of another half, for the columns that are given.
    let sum = |row: usize, [x, y, z]: [usize; 3], [a, b, c]: [f64; 3]| {
        m(row, x) * a - m(row, y) * b + m(row, z) * c
    };
    let columns = [
        [
            sum(1, [1, 2, 3], [c5, c4, c3]),
            -sum(1, [0, 2, 3], [c5, c2, c1]),
            sum(1, [0, 1, 3], [c4, c2, c0]),
            -sum(1, [0, 1, 2], [c3, c1, c0]),
        ],
        [
            -sum(0, [1, 2, 3], [c5, c4, c3]),
            sum(0, [0, 2, 3], [c5, c2, c1]),
            -sum(0, [0, 1, 3], [c4, c2, c0]),
            sum(0, [0, 1, 2], [c3, c1, c0]),
        ],
        [
            sum(3, [1, 2, 3], [s5, s4, s3]),
            -sum(3, [0, 2, 3], [s5, s2, s1]),
            sum(3, [0, 1, 3], [s4, s2, s0]),
            -sum(3, [0, 1, 2], [s3, s1, s0]),
        ],
        [
            -sum(2, [1, 2, 3], [s5, s4, s3]),
            sum(2, [0, 2, 3], [s5, s2, s1]),
            -sum(2, [0, 1, 3], [s4, s2, s0]),
            sum(2, [0, 1, 2], [s3, s1, s0]),
        ],
    ];
    let inverse = columns.each(|column: [f64; 4]| column.each(|x: f64| x / determinant));
    inverse.as_flattened().iter().all(|x| x.is_finite()).then_some(inverse)
}
