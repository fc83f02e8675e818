//! Shapes, from the block: the kind, then the numbers. JavaScript writes them: see `src/shape.js`.

use border::{Fault, Kind, block};
use hitscan::geometry::{DepthRange, Volume};
use hitscan::glam::{Affine3A, Mat4, Vec3};
use hitscan::{Aabb, Capsule, ConvexHull, ConvexShape, Frustum, Obb, Shape, Sphere, Triangle};

/// A shape that triangles may touch.
pub(crate) fn shape() -> Result<Shape, Fault> {
    match block::word(0) {
        5 => {
            let [a, b, c] = points(1);
            Ok(Triangle::new(a, b, c).into())
        }
        6 => frustum().map(Shape::from),
        _ => Ok(convex_shape()?.into()),
    }
}

/// A shape that can move.
pub(crate) fn convex_shape() -> Result<ConvexShape, Fault> {
    match block::word(0) {
        4 => hull().map(ConvexShape::from),
        _ => Ok(volume()?.into()),
    }
}

/// A shape that can stand in a scene.
pub(crate) fn volume() -> Result<Volume, Fault> {
    match block::word(0) {
        0 => Ok(local_box(1).into()),
        1 => {
            let obb = Obb::from_transform(&transform(7)?, local_box(1));
            Ok(obb.ok_or_else(|| fault("the oriented box is flat, empty or not finite"))?.into())
        }
        2 => Ok(Sphere::new(block::numbers::<3>(1), block::number(4)).into()),
        3 => {
            let [a, b] = points(1);
            Ok(Capsule::new(a, b, block::number(7)).into())
        }
        _ => Err(fault("no shape of this kind can be used here")),
    }
}

/// A matrix of sixteen numbers in columns.
pub(crate) fn transform(at: usize) -> Result<Affine3A, Fault> {
    transform_of(&block::numbers(at))
}

/// A matrix whose last row is `0 0 0 1`.
pub(crate) fn transform_of(numbers: &[f32; 16]) -> Result<Affine3A, Fault> {
    let last_row = [3, 7, 11, 15].map(|i| numbers[i]);
    if last_row != [0.0, 0.0, 0.0, 1.0] {
        return Err(fault("the last row of a transform is 0 0 0 1"));
    }
    Ok(Affine3A::from_mat4(Mat4::from_cols_array(numbers)))
}

fn local_box(at: usize) -> Aabb {
    let [min, max] = points(at);
    Aabb::from_min_max(min, max)
}

fn hull() -> Result<ConvexHull, Fault> {
    // As many as the block holds.
    let count = (block::word(1) as usize).min(64);
    let points = (0..count).map(|i| Vec3::from(block::numbers::<3>(2 + 3 * i)));
    let hull = ConvexHull::from_points(points);
    hull.map_err(|error| fault(&error.to_string()))
}

fn frustum() -> Result<Frustum, Fault> {
    let depth = match block::word(1) {
        0 => DepthRange::NegativeOneToOne,
        1 => DepthRange::ZeroToOne,
        _ => DepthRange::OneToZero,
    };
    let matrix = Mat4::from_cols_array(&block::numbers(2));
    let frustum = Frustum::from_view_projection(&matrix, depth);
    frustum.ok_or_else(|| fault("the matrix is not finite, or has no near plane"))
}

fn points<const N: usize>(at: usize) -> [Vec3; N] {
    std::array::from_fn(|i| block::numbers::<3>(at + 3 * i).into())
}

fn fault(text: &str) -> Fault {
    Fault::new(Kind::Argument, text)
}
