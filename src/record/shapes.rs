//! Shapes in a file: a kind and its numbers.

use glam::{Affine3A, Vec3, Vec4};

use super::wire::{Cursor, Fault, put};
use crate::geometry::{
    Aabb, Capsule, ConvexHull, ConvexShape, Frustum, Obb, Shape, Sphere, Triangle,
};

const AABB: u32 = 1;
const OBB: u32 = 2;
const SPHERE: u32 = 3;
const CAPSULE: u32 = 4;
const HULL: u32 = 5;
const FRUSTUM: u32 = 6;
const TRIANGLE: u32 = 7;

/// The kind of a shape and its numbers, as the specification lists them.
pub(super) fn numbers_of(shape: &Shape) -> (u32, Vec<f32>) {
    fn flat(points: &[Vec3]) -> Vec<f32> {
        points.iter().flat_map(Vec3::to_array).collect()
    }
    match shape {
        Shape::Aabb(Aabb { min, max }) => (AABB, flat(&[*min, *max])),
        Shape::Obb(obb) => {
            let Aabb { min, max } = obb.local_box();
            let columns = obb.transform().to_cols_array();
            (OBB, columns.into_iter().chain(flat(&[min, max])).collect())
        }
        Shape::Sphere(Sphere { center, radius }) => {
            (SPHERE, flat(&[*center]).into_iter().chain([*radius]).collect())
        }
        Shape::Capsule(Capsule { a, b, radius }) => {
            (CAPSULE, flat(&[*a, *b]).into_iter().chain([*radius]).collect())
        }
        Shape::Hull(hull) => (HULL, flat(&hull.points().collect::<Vec<_>>())),
        Shape::Frustum(frustum) => {
            let planes = frustum.planes().into_iter().flat_map(|plane| plane.to_array());
            (FRUSTUM, planes.chain(frustum.eye().to_array()).collect())
        }
        Shape::Triangle(Triangle { v0, v1, v2 }) => (TRIANGLE, flat(&[*v0, *v1, *v2])),
    }
}

pub(super) fn put_shape(out: &mut Vec<u8>, shape: &Shape) {
    let (kind, numbers) = numbers_of(shape);
    put(out, &[kind, numbers.len() as u32]);
    for number in numbers {
        put(out, &[number.to_bits()]);
    }
}

pub(super) fn read_shape(from: &mut Cursor<'_>) -> Result<Shape, Fault> {
    let [kind, count] = from.words()?;
    let (quads, _) = from.bytes(4 * u64::from(count))?.as_chunks();
    let numbers: Vec<f32> = quads.iter().map(|&quad| f32::from_le_bytes(quad)).collect();
    shape(kind, &numbers).ok_or("a shape is none of its kind")
}

fn shape(kind: u32, numbers: &[f32]) -> Option<Shape> {
    let point = |at: usize| Vec3::from_slice(&numbers[at..at + 3]);
    let bounds = |at: usize| Aabb { min: point(at), max: point(at + 3) };
    Some(match (kind, numbers.len()) {
        (AABB, 6) => bounds(0).into(),
        (OBB, 18) => {
            Obb::from_transform(&Affine3A::from_cols_slice(&numbers[..12]), bounds(12))?.into()
        }
        (SPHERE, 4) => Sphere::new(point(0), numbers[3]).into(),
        (CAPSULE, 7) => Capsule::new(point(0), point(3), numbers[6]).into(),
        // A hull of the corners of a hull is the same one: none of them is left out.
        (HULL, count) if count.is_multiple_of(3) && count <= 3 * ConvexHull::MOST_CORNERS => {
            ConvexHull::from_points((0..count / 3).map(|i| point(3 * i))).ok()?.into()
        }
        (FRUSTUM, 27) => {
            let (planes, _) = numbers.as_chunks::<4>();
            let planes: [Vec4; 6] = std::array::from_fn(|i| Vec4::from_array(planes[i]));
            Frustum::from_planes(&planes, point(24))?.into()
        }
        (TRIANGLE, 9) => Triangle::new(point(0), point(3), point(6)).into(),
        _ => return None,
    })
}

/// The shape that can move, if it is one.
pub(super) fn convex(shape: Shape) -> Result<ConvexShape, Fault> {
    Ok(match shape {
        Shape::Aabb(bounds) => bounds.into(),
        Shape::Obb(obb) => obb.into(),
        Shape::Sphere(sphere) => sphere.into(),
        Shape::Capsule(capsule) => capsule.into(),
        Shape::Hull(hull) => hull.into(),
        Shape::Frustum(_) | Shape::Triangle(_) => return Err("a shape of this kind cannot move"),
    })
}
