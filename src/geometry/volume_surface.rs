//! Places on the surfaces of volumes, as numbers that fit into a hit.
//!
//! A surface has parts, and two weights from 0 to 1 say where on one of them:
//!
//! ```text
//! box      a part for each face: twice its axis, and one more on the low side
//! sphere   the same parts, of the cube around the center, seen from there
//! capsule  0 to 5 the cap around the first end, 6 to 11 the other one, like a sphere;
//!          12 to 15 the side: the first weight leads from end to end
//! ```

use glam::Vec3;

use super::aabb::Aabb;
use super::capsule::Capsule;
use super::obb::Obb;
use super::ray::Ray;
use super::separating_axes::face_normals;
use super::shape::finite_bounds;
use super::sphere::Sphere;
use super::turned_bounds::ALONG_AXES;
use super::vec3_f64::{
    Vec3F64, across, add, cross, dot, max, max_abs, min, product, scale, sub, to_f32, to_f64, unit,
};
use super::volume::Volume;
use crate::array::Each;

#[cfg(test)]
mod tests;

/// A place on the surface of a volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SurfacePlace {
    pub(crate) part: u32,
    pub(crate) weights: [f32; 2],
}

/// A point of a surface, and the normal there, of unit length, outwards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SurfacePoint {
    point: Vec3F64,
    normal: Vec3F64,
}

impl SurfacePoint {
    pub(crate) fn point(&self) -> Vec3 {
        to_f32(self.point)
    }

    pub(crate) fn normal(&self) -> Vec3 {
        to_f32(self.normal)
    }
}

/// What a surface is made of.
enum Surface {
    Box(Faces),
    /// The points within a radius of a segment.
    Round {
        ends: [Vec3F64; 2],
        radius: f64,
    },
}

/// The parts of a capsule that come before its side.
const CAPS: u32 = 12;

/// How often a ray is moved twice as far to be off a surface.
const LEAVES: u32 = 8;

/// A face counts as near a point if it is this near, in parts of the largest coordinate.
const NEAR: f64 = 1.0 / (1u64 << 30) as f64;

impl Volume {
    /// The place on the surface that is nearest to a point. `outwards` is about the normal there,
    /// or zero if it is not known. Of several faces that the point is on, the one that looks most
    /// in this direction.
    pub(crate) fn place_near(&self, point: Vec3F64, outwards: Vec3F64) -> SurfacePlace {
        match self.surface() {
            Surface::Box(faces) => faces.place(faces.near(point, outwards), point),
            Surface::Round { ends, .. } => round_place(&ends, point, outwards),
        }
    }

    /// The place where a ray enters at `t`.
    pub(crate) fn place_entered(&self, ray: &Ray, t: f32) -> SurfacePlace {
        let (origin, dir, t) = (to_f64(ray.origin), to_f64(ray.dir), f64::from(t));
        let at = |t: f64| add(origin, scale(dir, t));
        match self.surface() {
            Surface::Box(faces) => faces.place(faces.entered(origin, dir), at(t)),
            Surface::Round { ends, radius } => {
                // From far away a rounding of `t` is far beside the surface.
                let step = |t: f64| {
                    let out = sub(at(t), on_segment(&ends, at(t)).1);
                    let (height, speed) = (dot(out, out).sqrt() - radius, dot(unit(out), dir));
                    let is_steep = speed * speed * 64.0 > dot(dir, dir);
                    if speed < 0.0 && is_steep { t - height / speed } else { t }
                };
                round_place(&ends, at(step(step(t))), [0.0; 3])
            }
        }
    }

    /// The point of a place; `None` if the volume has no such part.
    pub(crate) fn surface_point(&self, place: &SurfacePlace) -> Option<SurfacePoint> {
        let weights = place.weights.each(|x| from_0_to_1(x.into()));
        match self.surface() {
            Surface::Box(faces) => faces.point(place.part, weights),
            Surface::Round { ends, radius } => {
                let (on_axis, normal) = match place.part.checked_sub(CAPS) {
                    None => (
                        ends[usize::from(place.part >= CAPS / 2)],
                        from_cube(place.part % 6, weights),
                    ),
                    Some(side) if side < 4 && ends[0] != ends[1] => {
                        let [a, b] = ends;
                        let along = sub(b, a);
                        let [one, other] = frame(along);
                        let [x, y] = from_square(side, weights[1]);
                        let normal = add(scale(one, x), scale(other, y));
                        (add(a, scale(along, weights[0])), normal)
                    }
                    Some(_) => return None,
                };
                Some(SurfacePoint { point: add(on_axis, scale(normal, radius)), normal })
            }
        }
    }

    /// A ray that leaves a place in a direction, to the side to which that leads: if outwards, it
    /// does not meet the volume.
    pub(crate) fn ray_from(&self, place: &SurfacePlace, dir: Vec3) -> Option<Ray> {
        let SurfacePoint { point, normal } = self.surface_point(place)?;
        let is_outwards = dot(normal, to_f64(dir)) >= 0.0;
        let bounds = self.bounds();
        let size = f64::from(bounds.min.abs().max(bounds.max.abs()).max_element());
        let from = |part: f64| {
            let way = scale(normal, if is_outwards { part * size } else { -part * size });
            Ray::new(to_f32(add(point, way)), dir)
        };
        let is_off = |ray: &Ray| match is_outwards {
            true => !self.intersects_ray(ray),
            false => self.contains(ray.origin),
        };
        // A millionth is enough but for flat volumes and needles.
        let parts = (0..LEAVES).map(|i| f64::from(1u32 << i) / f64::from(1u32 << 20));
        let mut rays = parts.map(from);
        let first = rays.next()?;
        Some(if is_off(&first) { first } else { rays.find(is_off).unwrap_or(first) })
    }

    /// The normals of the faces that are as near to a point as `reach`: of boxes only.
    pub(crate) fn normals_near(
        &self,
        point: Vec3,
        reach: f32,
    ) -> impl Iterator<Item = Vec3> + use<> {
        self.faces_near(to_f64(point), reach.into()).map(to_f32)
    }

    /// The same in `f64`.
    pub(super) fn faces_near(
        &self,
        point: Vec3F64,
        reach: f64,
    ) -> impl Iterator<Item = Vec3F64> + use<> {
        let faces = match self.surface() {
            Surface::Box(faces) => Some(faces),
            Surface::Round { .. } => None,
        };
        faces.into_iter().flat_map(move |faces| {
            let is_near = move |&part: &u32| faces.height(part, point).abs() <= reach;
            (0..6).filter(is_near).map(move |part| faces.normal(part))
        })
    }

    fn surface(&self) -> Surface {
        let of_box = |columns: [[f32; 3]; 4], local: [[f32; 3]; 2]| {
            Surface::Box(Faces::new(columns.each(|column| column.each(f64::from)), local))
        };
        let round =
            |ends: [Vec3F64; 2], radius: f32| Surface::Round { ends, radius: radius.into() };
        match *self {
            Self::Aabb(Aabb { min, max }) => {
                let local = finite_bounds(&Aabb { min, max });
                of_box(ALONG_AXES, local.unwrap_or_default())
            }
            Self::Obb(obb) => {
                let (columns, local) = Obb::columns_and_local(&obb);
                of_box(columns, local)
            }
            Self::Sphere(Sphere { center, radius }) => round([to_f64(center); 2], radius),
            Self::Capsule(Capsule { a, b, radius }) => round([to_f64(a), to_f64(b)], radius),
        }
    }
}

/// The faces of a box in any position.
#[derive(Clone, Copy)]
struct Faces {
    origin: Vec3F64,
    axes: [Vec3F64; 3],
    /// The low sides and the high sides on the axes.
    local: [Vec3F64; 2],
    normals: [Vec3F64; 3],
    /// The largest number that corners are made of.
    size: f64,
}

impl Faces {
    fn new([a, b, c, origin]: [Vec3F64; 4], local: [[f32; 3]; 2]) -> Self {
        let axes = [a, b, c];
        let local = local.each(|side| side.each(f64::from));
        let far = |k: usize| max(local[0][k].abs(), local[1][k].abs());
        let size = [0, 1, 2].each(|k| max_abs(axes[k]) * far(k));
        let size = max(max_abs(size), max_abs(origin));
        Self { origin, axes, local, normals: face_normals(axes), size }
    }

    fn normal(&self, part: u32) -> Vec3F64 {
        let [axis, is_low] = axis_and_side(part);
        scale(self.normals[axis], if is_low == 1 { -1.0 } else { 1.0 })
    }

    /// How far a point is in front of a face.
    fn height(&self, part: u32, point: Vec3F64) -> f64 {
        let [axis, is_low] = axis_and_side(part);
        let on = add(self.origin, scale(self.axes[axis], self.local[1 - is_low][axis]));
        dot(self.normal(part), sub(point, on))
    }

    /// The face that a point is on, or is nearest to from inside.
    fn near(&self, point: Vec3F64, outwards: Vec3F64) -> u32 {
        let heights = [0, 1, 2, 3, 4, 5].each(|part| self.height(part, point));
        let highest = heights.iter().fold(f64::NEG_INFINITY, |most, &x| max(x, most));
        let looks = |part: u32| dot(self.normal(part), outwards);
        let on = (0..6).filter(|&part| heights[part as usize] >= highest - NEAR * self.size);
        on.reduce(|best, part| if looks(part) > looks(best) { part } else { best }).unwrap_or(0)
    }

    /// The face through which a line enters.
    fn entered(&self, origin: Vec3F64, dir: Vec3F64) -> u32 {
        let mut latest = (f64::NEG_INFINITY, 0);
        for part in 0..6 {
            let speed = -dot(self.normal(part), dir);
            let t = self.height(part, origin) / speed;
            if speed > 0.0 && t > latest.0 {
                latest = (t, part);
            }
        }
        latest.1
    }

    /// About where on a face a point is.
    fn place(&self, part: u32, point: Vec3F64) -> SurfacePlace {
        let [axis, _] = axis_and_side(part);
        let from_origin = sub(point, self.origin);
        // The rows of the inverse, but for the scale.
        let rows = [(1, 2), (2, 0), (0, 1)].each(|(j, k)| cross(self.axes[j], self.axes[k]));
        let weight = |k: usize| {
            let at = dot(rows[k], from_origin) / dot(rows[k], self.axes[k]);
            let [low, high] = self.local.each(|side| side[k]);
            from_0_to_1((at - low) / (high - low)) as f32
        };
        SurfacePlace { part, weights: [weight((axis + 1) % 3), weight((axis + 2) % 3)] }
    }

    fn point(&self, part: u32, weights: [f64; 2]) -> Option<SurfacePoint> {
        if part >= 6 {
            return None;
        }
        let [axis, is_low] = axis_and_side(part);
        let mut at = self.local[1 - is_low];
        for (k, weight) in [(axis + 1) % 3, (axis + 2) % 3].into_iter().zip(weights) {
            let [low, high] = self.local.each(|side| side[k]);
            at[k] = low + weight * (high - low);
        }
        let point = add(product(self.axes, at), self.origin);
        Some(SurfacePoint { point, normal: self.normal(part) })
    }
}

/// The nearest number from 0 to 1; zero for NaN, where there is but one place.
fn from_0_to_1(x: f64) -> f64 {
    max(min(1.0, x), 0.0)
}

/// The axis of a face, and 1 on its low side.
fn axis_and_side(part: u32) -> [usize; 2] {
    [part as usize / 2 % 3, part as usize % 2]
}

/// Where on a segment the point nearest to another is, from 0 to 1, and that point.
pub(super) fn on_segment([a, b]: &[Vec3F64; 2], point: Vec3F64) -> (f64, Vec3F64) {
    let along = sub(*b, *a);
    let at = from_0_to_1(dot(sub(point, *a), along) / dot(along, along));
    (at, if at == 1.0 { *b } else { add(*a, scale(along, at)) })
}

/// The place on a sphere or a capsule where a point is, whose normal is `outwards`, or zero if that
/// is not known.
fn round_place(ends: &[Vec3F64; 2], point: Vec3F64, outwards: Vec3F64) -> SurfacePlace {
    let (at, on_axis) = on_segment(ends, point);
    let along = sub(ends[1], ends[0]);
    let [one, other] = frame(along);
    let directions = [outwards, unit(sub(point, on_axis)), one];
    let out = directions.into_iter().find(|out| *out != [0.0; 3]).unwrap_or(one);
    if along != [0.0; 3] && 0.0 < at && at < 1.0 {
        let (side, weight) = to_square([dot(out, one), dot(out, other)]);
        return SurfacePlace { part: CAPS + side, weights: [at as f32, weight] };
    }
    let (part, weights) = to_cube(out);
    SurfacePlace { part: if at < 1.0 { part } else { part + CAPS / 2 }, weights }
}

/// Two directions of unit length across a line, and across each other.
fn frame(along: Vec3F64) -> [Vec3F64; 2] {
    let along = unit(along);
    let one = across(along, [0.0, 1.0, 0.0]);
    [one, cross(along, one)]
}

/// The face of a cube that a direction leads through, and where.
fn to_cube(direction: Vec3F64) -> (u32, [f32; 2]) {
    let largest = max_abs(direction);
    let axis = (0..3).find(|&k| direction[k].abs() == largest).unwrap_or(0);
    let weight = |k: usize| (0.5 + 0.5 * direction[k % 3] / largest) as f32;
    let part = 2 * axis as u32 + u32::from(direction[axis] < 0.0);
    (part, [weight(axis + 1), weight(axis + 2)])
}

fn from_cube(part: u32, weights: [f64; 2]) -> Vec3F64 {
    let [axis, is_low] = axis_and_side(part);
    let mut direction = [0.0; 3];
    direction[axis] = if is_low == 1 { -1.0 } else { 1.0 };
    direction[(axis + 1) % 3] = 2.0 * weights[0] - 1.0;
    direction[(axis + 2) % 3] = 2.0 * weights[1] - 1.0;
    unit(direction)
}

/// The side of a square that a direction leads through, and where.
fn to_square([x, y]: [f64; 2]) -> (u32, f32) {
    let is_first = x.abs() >= y.abs();
    let (large, small) = if is_first { (x, y) } else { (y, x) };
    let part = 2 * u32::from(!is_first) + u32::from(large < 0.0);
    let slope = if large == 0.0 { 0.0 } else { small / large.abs() };
    (part, (0.5 + 0.5 * slope) as f32)
}

fn from_square(part: u32, weight: f64) -> [f64; 2] {
    let (large, small) = (if part % 2 == 1 { -1.0 } else { 1.0 }, 2.0 * weight - 1.0);
    let length = (1.0 + small * small).sqrt();
    let [large, small] = [large, small].each(|x| x / length);
    if part < 2 { [large, small] } else { [small, large] }
}
