//! Shapes that move, and the volumes that they touch.

use glam::Vec3;

use crate::array::Each;
use crate::geometry::aabb::Aabb;
use crate::geometry::convex_core::{Core, TOLERANCE};
use crate::geometry::convex_shape::ConvexShape;
use crate::geometry::core_distance::{Nearest, is_close, nearest};
use crate::geometry::separating_axes::{Directions, for_each_axis};
use crate::geometry::vec3_f64::{
    Vec3F64, across, add, cross, dot, max, max_abs, min, scale, sub, to_f32, to_f64, unit,
};
use crate::geometry::volume::Volume;
use crate::geometry::volume_surface::SurfacePlace;

#[cfg(test)]
mod tests;

/// Where a shape that moves first touches a volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct VolumeContact {
    pub(crate) t: f32,
    /// On the surface of the volume.
    pub(crate) point: Vec3,
    /// From the volume towards the shape.
    pub(crate) normal: Vec3,
    /// The normal of the face of a box that `point` is on and that looks most along `normal`; of
    /// another volume `normal`.
    pub(crate) face_normal: Vec3,
    /// How far the shape has to move along `normal` to be out.
    pub(crate) depth: f32,
    pub(crate) place: SurfacePlace,
}

/// A shape that moves among volumes.
pub(crate) struct VolumeSweep<'a> {
    shape: &'a ConvexShape,
    directions: Directions<'a>,
    motion: Vec3F64,
}

/// More than any search has needed: each step goes most of the way.
const MAX_STEPS: usize = 100;

/// Parts of a box that are farther away than this, in parts of the largest number of the volume and
/// the motion, are cut off, so that a box that reaches to infinity has finite corners.
const FAR: f64 = (1u64 << 16) as f64;

/// A distance that tells a direction well, in parts of the largest number.
const CLEAR: f64 = 1.0 / (1u64 << 30) as f64;

/// A direction is the normal of a face if it is off by no more than this.
const ON_FACE: f64 = 1.0 / (1u64 << 26) as f64;

impl<'a> VolumeSweep<'a> {
    pub(crate) fn new(shape: &'a ConvexShape, motion: Vec3) -> Self {
        Self { shape, directions: Directions::of(shape), motion: to_f64(motion) }
    }

    /// Where the shape first touches a volume, if it does so at `until` or before.
    ///
    /// Computed in `f64`, with the [`TOLERANCE`] of overlaps.
    pub(crate) fn first_contact(&self, volume: &Volume, until: f32) -> Option<VolumeContact> {
        let pair = self.pair(volume)?;
        let (t, normal) = pair.first_touch(f64::from(until))?;
        (t as f32 <= until).then(|| pair.contact(volume, t, normal))
    }

    fn pair(&self, volume: &Volume) -> Option<Pair<'_>> {
        let other = Core::near(&(*volume).into(), || volume.bounds())?;
        let far = FAR * max(other.size, max_abs(self.motion));
        let reach = if far > 0.0 { far as f32 } else { f32::INFINITY };
        let near = || Aabb::from_min_max([-reach; 3], [reach; 3]);
        let one = Core::near(&self.shape.into(), near)?;
        let sizes = [one.size, other.size, max_abs(self.motion)];
        let size = sizes.into_iter().filter(|size| size.is_finite()).fold(0.0, max);
        let (of_volume, of_shape) = (Directions::of_volume(volume), &self.directions);
        let (motion, radius) = (self.motion, one.radius + other.radius);
        Some(Pair { one, other, motion, radius, size, of_volume, of_shape })
    }
}

/// A shape that moves and a volume.
struct Pair<'a> {
    one: Core,
    other: Core,
    motion: Vec3F64,
    /// Of both together.
    radius: f64,
    /// The largest number that matters.
    size: f64,
    of_volume: Directions<'static>,
    of_shape: &'a Directions<'a>,
}

/// A direction from the volume to the shape, and how far they are apart along it: less than zero
/// if they overlap.
#[derive(Clone, Copy)]
struct Way {
    normal: Vec3F64,
    room: f64,
}

impl Pair<'_> {
    fn slack(&self) -> f64 {
        TOLERANCE * self.size
    }

    fn nearest(&self, offset: Vec3F64, is_decided: &dyn Fn(f64, f64) -> bool) -> Nearest {
        nearest(&self.one.points, &self.other.points, offset, is_decided)
    }

    /// When they touch first, and the normal of the plane that keeps them apart before that, where
    /// it is known.
    fn first_touch(&self, until: f64) -> Option<(f64, Option<Vec3F64>)> {
        let has_faces = self.of_volume.has_faces() || self.of_shape.has_faces();
        if self.radius == 0.0 && has_faces { self.by_axes() } else { self.by_steps(until) }
    }

    /// Of two polytopes: when they are apart along no direction any more.
    fn by_axes(&self) -> Option<(f64, Option<Vec3F64>)> {
        let slack = self.slack();
        let (mut enter, mut normal) = (0.0, None);
        // A little earlier and later: these decide whether they touch.
        let (mut earliest, mut latest) = (0.0, f64::INFINITY);
        self.for_each_way([0.0; 3], &mut |Way { normal: of, room }| {
            let speed = -dot(of, self.motion);
            if room > slack {
                if speed <= 0.0 {
                    latest = f64::NEG_INFINITY;
                    return;
                }
                earliest = max(earliest, (room - slack) / speed);
                // The first of those that are as late.
                let t = room / speed;
                if normal.is_none() || (t - enter) * speed > slack {
                    (enter, normal) = (t, Some(of));
                }
            } else if speed < 0.0 {
                latest = min(latest, (slack - room) / -speed);
            }
        });
        (earliest <= latest).then_some((enter, normal))
    }

    /// By conservative advancement: they move until the plane between them is reached, and again
    /// with the next plane (van den Bergen, "Ray casting against general convex objects with
    /// application to continuous collision detection", 2004). The distance is a convex function of
    /// time, so these are the steps of Newton's method from below.
    fn by_steps(&self, until: f64) -> Option<(f64, Option<Vec3F64>)> {
        let (radius, slack) = (self.radius, self.slack());
        let is_decided = |at_least: f64, at_most: f64| {
            at_most - radius <= slack || at_least - radius >= 0.875 * (at_most - radius)
        };
        let mut t = 0.0;
        for _ in 0..MAX_STEPS {
            let near = self.nearest(scale(self.motion, t), &is_decided);
            let room = near.at_least - radius;
            if room <= slack {
                break;
            }
            let speed = -dot(near.normal, self.motion);
            if speed <= 0.0 {
                return None;
            }
            t += room / speed;
            // Of times that are rounded to `until` none is left out.
            if t > max(2.0 * until, f32::MIN_POSITIVE.into()) {
                return None;
            }
        }
        Some((t, None))
    }

    fn contact(&self, volume: &Volume, t: f64, normal: Option<Vec3F64>) -> VolumeContact {
        let offset = scale(self.motion, t);
        let mut near = self.nearest(offset, &is_close);
        let distance = near.at_most();
        let is_clear = distance > CLEAR * self.size;
        let Way { normal, room } = match normal {
            Some(normal) => Way { normal, room: self.room(normal, offset) },
            None if is_clear => Way { normal: scale(near.way, 1.0 / distance), room: distance },
            None => self.way_out(offset, t == 0.0),
        };
        if !is_clear {
            // What they touch with once they are a little apart.
            let apart = scale(normal, 1024.0 * CLEAR * self.size - room);
            near = self.nearest(add(offset, apart), &is_close);
        }
        let point = add(near.on_other, scale(normal, self.other.radius));
        let ahead =
            |one: Vec3F64, other| if dot(other, normal) > dot(one, normal) { other } else { one };
        let face = volume.faces_near(point, CLEAR * self.size).reduce(ahead).unwrap_or(normal);
        let normal = if max_abs(cross(face, normal)) <= ON_FACE { face } else { normal };
        let t = t as f32;
        let depth = if t == 0.0 { max(self.radius - room, 0.0) as f32 } else { 0.0 };
        let place = volume.place_near(point, normal);
        let [point, normal, face_normal] = [point, normal, face].each(to_f32);
        VolumeContact { t, point, normal, face_normal, depth, place }
    }

    /// The direction in which they are apart most, or overlap least. Of several the first; of a
    /// direction and the opposite one that is as good, the one against the motion; on the way no
    /// other comes into question.
    fn way_out(&self, offset: Vec3F64, is_start: bool) -> Way {
        let slack = self.slack();
        let mut best: Option<Way> = None;
        self.for_each_way(offset, &mut |way| {
            let is_against = dot(way.normal, self.motion) < 0.0;
            if !is_start && !is_against {
                return;
            }
            let is_better = best.is_none_or(|best| {
                let is_opposite = way.normal == scale(best.normal, -1.0);
                let more = if is_opposite && is_against { -slack } else { slack };
                way.room > best.room + more
            });
            if is_better {
                best = Some(way);
            }
        });
        best.unwrap_or_else(|| {
            // Both are points, or segments on a line.
            let line = [&self.one, &self.other].each(|core| {
                let end = |i: usize| core.points[i.min(core.points.len() - 1)];
                unit(sub(end(1), end(0)))
            });
            let line = if line[0] == [0.0; 3] { line[1] } else { line[0] };
            Way { normal: across(line, unit(scale(self.motion, -1.0))), room: 0.0 }
        })
    }

    fn for_each_way(&self, offset: Vec3F64, each: &mut dyn FnMut(Way)) {
        for_each_axis(&self.of_volume, self.of_shape, &mut |normal| {
            for normal in [normal, scale(normal, -1.0)] {
                each(Way { normal, room: self.room(normal, offset) });
            }
        });
    }

    /// How far the cores are apart along a direction.
    fn room(&self, normal: Vec3F64, offset: Vec3F64) -> f64 {
        let heights = |core: &Core| -> [f64; 2] {
            let heights = core.points.iter().map(|&point| dot(normal, point));
            heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| {
                [min(x, low), max(x, high)]
            })
        };
        heights(&self.one)[0] + dot(normal, offset) - heights(&self.other)[1]
    }
}
