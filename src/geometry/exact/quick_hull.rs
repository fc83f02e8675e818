//! The first try at the time at which a convex hull touches a triangle: on the axes that matter.

use smallvec::SmallVec;

use super::axes::{Axes, Axis};
use super::polytope::{Polytope, PolytopeAxes};
use super::quick_times::{CrossAxes, ROOM, Times, size};
use crate::array::Each;
use crate::geometry::vec3_f64::{Vec3F64, add, cross, dot, min, scale, sub};

/// A face of the hull.
struct Face {
    /// The normal, if it is certain which direction is outwards.
    outwards: Option<Vec3F64>,
    /// The magnitudes of the products in each component of the normal.
    magnitude: Vec3F64,
}

/// What the product of a normal and an edge may be off by, in parts of its magnitudes.
const SIDE: f64 = 16.0 / (1u64 << 53) as f64;

/// When a hull first touches a triangle, as
/// [`Solid::first_touch`](super::axes::Solid::first_touch): `None` if it is in doubt.
pub(super) fn quick_hull(
    polytope: &Polytope,
    axes: &PolytopeAxes<'_, f64>,
    bound: f32,
) -> Option<Option<f32>> {
    let mut times = Times::ALL;
    let may_touch = on_axes_that_matter(polytope, axes, &mut |_, heights, speed, room| {
        times.narrow(heights, speed, room);
        !times.are_after(bound)
    });
    if may_touch { times.first(bound) } else { Some(None) }
}

type Holds<'a> = dyn FnMut(usize, [f64; 2], f64, f64) -> bool + 'a;

/// Whether something holds on all axes that matter. It is told the number of each; between which
/// two numbers the product of a time and the third is while the hull touches the triangle on this
/// axis, one of which may be infinite; and by how much all three may be off for times up to 1.
///
/// **Lemma 120 (axes that matter).** The differences of a triangle's and a hull's points are a
/// polytope, and the two touch at `t` if `t * motion` is in it. Only its faces matter. These are
/// across a face of the hull, across the triangle, or across an edge of each, where the edge of the
/// hull is seen from the direction of the other as a part of its outline: the normals of its two
/// faces, outwards, are not on the same side. (Gottschalk, Lin and Manocha, "OBBTree", 1996, count
/// all pairs of edges.) On the outside of such a face the hull reaches as far as its own face or
/// edge, so no other corner is looked at. All signs are certain, or the axis is tried with all
/// corners, on both sides, which holds for any axis:
///
/// - Heights are off by the room of Lemma 104.
/// - The mean of the corners is in the hull. A sum of 64 numbers is off by `64 e z` for each unit
///   of the axis: four times the room is enough for that and for a height.
/// - The product of an outward normal and an edge is off by `(4 + 1 + 3) e` of the magnitudes.
pub(super) fn on_axes_that_matter(
    polytope: &Polytope,
    axes: &PolytopeAxes<'_, f64>,
    holds: &mut Holds<'_>,
) -> bool {
    let room = ROOM * axes.largest();
    let points = axes.points();
    let sum = points.iter().fold([0.0; 3], |sum, &point| add(sum, point));
    let middle = scale(sum, 1.0 / points.len() as f64);
    let on_both_sides = |number: usize, holds: &mut Holds<'_>| {
        let Axis { low, high, speed, .. } = axes.axis(number);
        holds(number, [low, high], speed, room * size(&axes.factors(number)))
    };
    if !on_both_sides(0, holds) {
        return false;
    }
    let topology = &polytope.topology;
    let mut faces = SmallVec::<[Face; 128]>::new();
    for (number, face) in (1..).zip(&topology.faces) {
        let outside = Outside::new(axes, number, points[usize::from(face[0])], middle, room);
        let stays = match &outside {
            Some(outside) => outside.holds(axes, holds),
            None => on_both_sides(number, holds),
        };
        if !stays {
            return false;
        }
        let magnitude = magnitude(&axes.factors(number));
        faces.push(Face { outwards: outside.map(|outside| outside.normal), magnitude });
    }
    for (k, &edge) in axes.edges().iter().enumerate() {
        let sides: SmallVec<[Side; 128]> = faces.iter().map(|face| face.side_of(edge)).collect();
        for (i, (&[from, _], &[f, g])) in topology.edges.iter().zip(&topology.beside).enumerate() {
            let number = 1 + faces.len() + 3 * i + k;
            let outside = match (sides[usize::from(f)], sides[usize::from(g)]) {
                // Both normals are on the same side; or the axis is one of them.
                (Side::Ahead, Side::Ahead) | (Side::Behind, Side::Behind) => continue,
                (Side::Across, other) | (other, Side::Across) if other != Side::InDoubt => continue,
                (Side::Ahead, Side::Behind) | (Side::Behind, Side::Ahead) => {
                    Outside::new(axes, number, points[usize::from(from)], middle, room)
                }
                _ => None,
            };
            let stays = match outside {
                Some(outside) => outside.holds(axes, holds),
                None => on_both_sides(number, holds),
            };
            if !stays {
                return false;
            }
        }
    }
    true
}

/// An axis that leads outwards at a corner of the hull, than which no other is farther out.
struct Outside {
    number: usize,
    normal: Vec3F64,
    corner: Vec3F64,
    room: f64,
}

impl Outside {
    /// `None` if it is not certain which of its two directions leads outwards. No corner must be
    /// farther out in one of them.
    fn new(
        axes: &PolytopeAxes<'_, f64>,
        number: usize,
        corner: Vec3F64,
        middle: Vec3F64,
        room: f64,
    ) -> Option<Self> {
        let factors = axes.factors(number);
        let (normal, room) = (cross(factors[0], factors[1]), room * size(&factors));
        let height = dot(normal, sub(corner, middle));
        let is_certain = height.abs() > 4.0 * room;
        is_certain.then(|| Self {
            number,
            normal: scale(normal, 1f64.copysign(height)),
            corner,
            room,
        })
    }

    fn holds(&self, axes: &PolytopeAxes<'_, f64>, holds: &mut Holds<'_>) -> bool {
        let [a, b, c] = axes.vertices().each(|vertex| dot(self.normal, vertex));
        let low = min(a, min(b, c)) - dot(self.normal, self.corner);
        holds(self.number, [low, f64::INFINITY], dot(self.normal, axes.motion()), self.room)
    }
}

/// On which side of the plane across an edge of the triangle an outward normal is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Ahead,
    Behind,
    /// In the plane.
    Across,
    InDoubt,
}

impl Face {
    fn side_of(&self, edge: Vec3F64) -> Side {
        let Some(normal) = self.outwards else { return Side::InDoubt };
        let product = dot(normal, edge);
        let off = SIDE * dot(self.magnitude, edge.each(f64::abs));
        if product > off {
            Side::Ahead
        } else if product < -off {
            Side::Behind
        } else if off == 0.0 {
            Side::Across
        } else {
            Side::InDoubt
        }
    }
}

/// The magnitudes of the products in each component of a cross product.
fn magnitude([a, b]: &[Vec3F64; 2]) -> Vec3F64 {
    let products = |p: usize, q: usize| (a[p] * b[q]).abs() + (a[q] * b[p]).abs();
    [products(1, 2), products(2, 0), products(0, 1)]
}
