//! Capsules and spheres that move.

use super::face_normal::face_normal;
use super::triangle_contact::{Touch, Wanted, Way};
use super::way_out::way_out;
use crate::array::Each;
use crate::geometry::distance::point_distance::Feature;
use crate::geometry::distance::segment_distance::{Pair, nearest_pair};
use crate::geometry::exact::near_segment::{Segment, comes_near};
use crate::geometry::exact::{Double, intersect_exact};
use crate::geometry::ray::Ray;
use crate::geometry::real::Real;
use crate::geometry::shape::touches_segment;
use crate::geometry::vec3_f64::{Corners, Vec3F64, cross, dot, max, max_abs, min, scale, sub};

mod contact_time;
#[cfg(test)]
mod tests;

/// More than all roundings of a point, of its height and of a motion, in roundings of the largest
/// coordinate.
///
/// **Lemma 89 (clear sweeps).** All coordinates are relative to one end of the segment, and none is
/// larger than three times `size`: the motion is cut off where nothing can be touched any more. Let
/// `e` be a rounding: 2^-53 in `f64`, and less than 2^-102 with twice the digits. A coordinate of a
/// moved vertex is off by `8 e size`, a height, with its own three roundings, by 32 times `e size`,
/// times the length of the direction. The time that a height gives is rounded, and so are the speed
/// and a time in units of the whole motion, which moves the shape by twenty more at most. The
/// points of a pair are off by forty (see Lemma 85). So:
///
/// - A direction in which all vertices are above both ends by more than `radius + 2 * margin` keeps
///   them apart, and as long as the motion has not used that up, they stay apart. Nothing is
///   touched where nothing is found, and nothing before the time that is found.
/// - Two points that are nearer to each other than `radius - margin` touch.
///
/// - Steps end where two points are nearer than `radius + 3 * margin`, or where the way between
///   them separates the two no further. The coordinates of a way are off by `32 e size`; of a way
///   to a face, by this times the square of the longest edge over twice the area. So the heights of
///   points `reach` across, of segment and triangle together, are off by this error times `reach /
///   radius`. If the product is less than half of [`SLACK`] margins, then no more than half of
///   [`SLACK`] margins are left. Lengths are measured by the largest coordinates of two edges, by
///   which the product may seem 42 times too small: see [`PART`].
/// - Say a direction `w` of unit length keeps them apart by `radius` and [`SLACK`] margins until a
///   time, and the time of the contact is rounded to the same `f32`. Then it is less than `off =
///   2^-23 * |motion|` away, so the way of the contact is at least `radius - off` and that much
///   long along `w`, and not longer than the radius and the margins that are left. The square of
///   the sine of their angle is less than `2 * off / radius`. Where the square of the sine of the
///   angle between `w` and the triangle's normal is four times as large, the contact's normal is
///   not the face's normal. [`OFF_BY_TIME`] is `2^-23` times 2, times 1.8 for the length of a
///   motion of which the largest coordinate is known, times four. What a normal loses in rounding
///   is less than [`OFF_BY_ROUNDING`] if the radius is [`TELLS`] margins and the triangle large
///   enough. Times below [`f32::MIN_POSITIVE`] are rounded by more.
///
/// The time of the contact is between two such times. If both round to the same number, it is that.
/// Else the same is done with twice the digits, and then [`comes_near`] decides. So the time is the
/// exact one, rounded once, and depends on nothing but shape, motion and triangle.
const MARGIN: f64 = 64.0;

/// More than is left of the way to the contact where steps end, in margins.
const SLACK: f64 = (1u64 << 14) as f64;
/// 1 / 42, and less: by which half of the slack is enough for 32 roundings of 1 / 64 margin.
const PART: f64 = 1.0 / 64.0;
/// A radius by which directions are told, in margins.
const TELLS: f64 = (1u64 << 27) as f64;
const OFF_BY_TIME: f64 = 1.0 / (1u64 << 19) as f64;
const OFF_BY_ROUNDING: f64 = 1.0 / (1u64 << 36) as f64;

/// Each step at least halves the rest of the way to the contact.
const MOST_STEPS: usize = 64;

/// Where all within `radius` of a segment first touches a triangle on its way, if it does so at
/// `bound` or before. All numbers are finite, but for the radius, which is not negative.
pub(in crate::geometry) fn touch(
    segment: &Segment,
    radius: f32,
    motion: [f32; 3],
    corners: &Corners,
    wanted: &Wanted,
) -> Option<Touch> {
    let bound = wanted.until;
    let moving = Moving::new(segment, radius, motion, corners);
    if radius == 0.0
        && segment[0] == segment[1]
        && let Some(hit) = intersect_exact(&Ray::new(segment[0], motion), &|| *corners)
    {
        return (0.0 <= hit.t && hit.t <= bound).then(|| moving.hit(hit.t, corners));
    }
    if moving.is_unwanted(wanted) {
        return None;
    }
    let found = moving.first_touch(0.0, [0.0; 3], bound)?;
    let is_clear = found.pair.distance() <= moving.radius - moving.margin;
    if found.at == 0.0 && (is_clear || touches_segment(segment, radius, corners)) {
        let (way, pair) = (moving.overlap(segment, corners, &found.pair), found.pair);
        return Some(Touch { t: 0.0, way, weights: pair.weights, feature: pair.feature });
    }
    let (t, found) = match moving.times(&found) {
        (least, Some(most)) if least as f32 == most as f32 => (least as f32, found),
        _ => precise_touch(segment, radius, motion, corners, &found, bound)?,
    };
    if t > bound {
        return None;
    }
    let Found { pair, direction, .. } = found;
    let direction = if let Some(direction) = moving.direction(&pair, corners) {
        direction
    } else if direction == [0.0; 3] {
        moving.overlap(segment, corners, &pair).direction
    } else {
        scale(direction, -1.0)
    };
    let way = Way { depth: 0.0, direction };
    Some(Touch { t, way, weights: pair.weights, feature: pair.feature })
}

/// The time of the first contact, and data about it, where `f64` does not decide: with twice the
/// digits, and at last in integers. Nothing is touched before `found`.
#[cold]
#[inline(never)]
fn precise_touch(
    segment: &Segment,
    radius: f32,
    motion: [f32; 3],
    corners: &Corners,
    found: &Found,
    bound: f32,
) -> Option<(f32, Found)> {
    let moving = Moving::<Double>::new(segment, radius, motion, corners);
    let found = moving.first_touch(found.at.into(), found.direction.each(Double::from), bound)?;
    let touches_by = |time: f64| comes_near(segment, motion, time, radius, corners);
    let [least, most] = match moving.times(&found) {
        (least, Some(most)) => [least, most],
        (least, None) if touches_by(1.0) => [least, 1.0],
        _ => return None,
    };
    Some((
        contact_time::rounded(least, most, bound, touches_by)?,
        Found {
            at: found.at.to_f64(),
            pair: found.pair.rounded(),
            direction: found.direction.each(Double::to_f64),
        },
    ))
}

/// A segment that leads from zero to `to`, and all points within the radius of it.
struct Moving<T = f64> {
    to: [T; 3],
    radius: T,
    /// That part of the motion, of 1, in which something may be touched. Times are in units of it.
    part: T,
    motion: [T; 3],
    corners: [[T; 3]; 3],
    margin: T,
}

/// About the first contact.
struct Found<T = f64> {
    at: T,
    /// At that time.
    pair: Pair<T>,
    /// A direction from the segment to the triangle that keeps them apart until then; zero if there
    /// is none.
    direction: [T; 3],
}

impl<T: Real> Moving<T> {
    #[inline]
    fn new(segment: &Segment, radius: f32, motion: [f32; 3], corners: &Corners) -> Self {
        let number = |x: f32| T::from(f64::from(x));
        let seen = |point: [f32; 3]| sub(point.each(number), segment[0].each(number));
        let (to, corners) = (seen(segment[1]), (*corners).each(seen));
        let far = max(max_abs(corners[0]), max(max_abs(corners[1]), max_abs(corners[2])));
        let (radius, motion) = (number(radius), motion.each(number));
        let size = far + max_abs(to) + radius;
        let (length, most) = (max_abs(motion), size + size);
        let part = if length > most { most / length } else { T::from(1.0) };
        let motion = scale(motion, part);
        Self { to, radius, part, motion, corners, margin: size * T::from(MARGIN * T::ROUNDING) }
    }

    fn corners_at(&self, at: T) -> [[T; 3]; 3] {
        let way = scale(self.motion, at);
        self.corners.each(|corner| sub(corner, way))
    }

    /// More than the radius by this many margins.
    fn with_room(&self, margins: f64) -> T {
        self.radius + T::from(margins) * self.margin
    }

    /// How long a direction from the segment to the triangle keeps them apart by a distance: `None`
    /// if to the end.
    #[inline]
    fn apart(&self, at: T, direction: [T; 3], distance: T) -> Option<T> {
        let zero = T::from(0.0);
        let length = dot(direction, direction).sqrt();
        let heights = self.corners_at(at).each(|corner| dot(direction, corner));
        let least = min(heights[0], min(heights[1], heights[2]));
        let gap = least - max(dot(direction, self.to), zero) - distance * length;
        let is_apart = gap > zero;
        // Also for NaN.
        if !is_apart {
            return Some(at);
        }
        let speed = dot(direction, self.motion);
        let next = at + gap / speed;
        (speed > zero && next <= T::from(1.0)).then_some(next)
    }

    /// No time of the whole motion that is larger than this one of its part.
    #[inline]
    fn time(&self, at: T) -> f64 {
        max((at * self.part).to_f64().next_down(), 0.0)
    }

    /// The first contact with a radius that is a little larger, up to a time. Distances of convex
    /// sets are convex in time: steps along the tangents never go too far. The direction `ahead`
    /// keeps segment and triangle apart until `from`.
    #[inline]
    fn first_touch(&self, from: T, ahead: [T; 3], bound: f32) -> Option<Found<T>> {
        let (near, touching) = (self.with_room(3.0), self.with_room(2.0));
        let normal = self.normal();
        let is_behind = dot(normal, self.corners[0]) < T::from(0.0);
        let normal = if is_behind { normal.each(|x| -x) } else { normal };
        let mut at = self.apart(from, normal, touching)?;
        let mut direction = if at > from { normal } else { ahead };
        let mut steps = 0;
        loop {
            if self.time(at) as f32 > bound {
                return None;
            }
            let pair = nearest_pair(self.to, &self.corners_at(at));
            let mut next = at;
            if pair.distance() > near && steps < MOST_STEPS {
                for way in [Some(pair.way), self.way_ahead(&pair)].into_iter().flatten() {
                    let later = self.apart(at, way, touching)?;
                    if later > next {
                        (next, direction) = (later, way);
                    }
                }
            }
            if next <= at {
                return Some(Found { at, pair, direction });
            }
            at = next;
            steps += 1;
        }
    }

    /// The way from the segment to the triangle at the time when two features of them touch, if
    /// that is another one than now. Only a direction to try.
    #[inline]
    fn way_ahead(&self, pair: &Pair<T>) -> Option<[T; 3]> {
        let zero = T::from(0.0);
        let along = match (pair.feature, pair.is_of_end) {
            (Feature::Vertex(_), true) => [zero; 3],
            (Feature::Vertex(_), false) => self.to,
            (Feature::Edge(i), true) => {
                let i = usize::from(i);
                sub(self.corners[(i + 1) % 3], self.corners[i])
            }
            _ => return None,
        };
        // Both features may slide along this.
        let square = dot(along, along);
        let part = if square > zero { dot(along, self.motion) / square } else { zero };
        let motion = sub(self.motion, scale(along, part));
        let (speed, toward) = (dot(motion, motion), dot(pair.way, motion));
        let left = dot(pair.way, pair.way) - self.radius * self.radius;
        let root = toward * toward - speed * left;
        // Where they pass each other, the time when they are nearest.
        let later = if root > zero { left / (toward + root.sqrt()) } else { toward / speed };
        Some(sub(pair.way, scale(motion, later)))
    }

    /// The time that is found, before which nothing is touched, and one just after it, if segment
    /// and triangle clearly touch then: two points of them do, or the one goes through the other.
    #[inline]
    fn times(&self, found: &Found<T>) -> (f64, Option<f64>) {
        let Found { at, direction, .. } = *found;
        let speed = dot(direction, self.motion) / dot(direction, direction).sqrt();
        let margins = |count: f64| T::from(count) * self.margin / speed;
        let way = sub(found.pair.way, scale(self.motion, margins(8.0)));
        let later = if dot(way, way).sqrt() <= self.with_room(-1.0) {
            at + margins(8.0)
        } else if self.radius <= self.margin && self.goes_through(at + margins(1024.0)) {
            at + margins(1024.0)
        } else {
            T::from(f64::INFINITY)
        };
        let is_touched = speed > T::from(0.0) && later <= T::from(1.0);
        let after = (later * self.part).to_f64().next_up();
        (self.time(at), is_touched.then_some(after))
    }

    /// Whether the segment clearly goes through the triangle at a time: of six products of three
    /// lengths each, none of which is off by more than a margin of the largest, all signs tell.
    fn goes_through(&self, at: T) -> bool {
        let corners = self.corners_at(at);
        let far = max(max_abs(corners[0]), max(max_abs(corners[1]), max_abs(corners[2])));
        let room = self.margin * far * max(far, max_abs(self.to));
        let [a, b, c] = corners;
        let normal = cross(sub(b, a), sub(c, a));
        let [from, to] = [dot(normal, a), dot(normal, sub(a, self.to))];
        let around = |one, other| dot(cross(one, other), self.to);
        let around = [around(a, b), around(b, c), around(c, a)];
        let (above, below) = (|x: T| x > room, |x: T| x < -room);
        (above(from) && below(to) || below(from) && above(to))
            && (around.into_iter().all(above) || around.into_iter().all(below))
    }

    fn normal(&self) -> [T; 3] {
        let [a, b, c] = self.corners;
        cross(sub(b, a), sub(c, a))
    }
}

impl Moving {
    /// Whether nothing that is wanted is touched, as far as one direction tells.
    #[inline]
    fn is_unwanted(&self, wanted: &Wanted) -> bool {
        let Wanted { until, until_beside, ahead } = *wanted;
        if ahead == [0.0; 3] {
            return false;
        }
        let Some(at) = self.apart(0.0, ahead, self.with_room(SLACK)) else { return true };
        let at = self.time(at) as f32;
        let is_told = at > until_beside && at >= f32::MIN_POSITIVE;
        at > until || (is_told && self.is_beside(ahead) && self.ends_near())
    }

    /// Whether steps end within half of [`SLACK`] margins of the contact.
    #[inline]
    fn ends_near(&self) -> bool {
        let (edge, normal) = (self.longest_edge(), max_abs(self.normal()));
        let reach = edge + max_abs(self.to);
        // Also false if there is no area.
        normal > 0.0 && edge * edge * reach <= normal * (PART * SLACK * self.radius)
    }

    /// About the longest edge, by coordinates.
    fn longest_edge(&self) -> f64 {
        let [a, b, c] = self.corners;
        max(max_abs(sub(b, a)), max_abs(sub(c, a)))
    }

    /// Whether a contact's normal is certainly not the face's normal if this direction keeps them
    /// apart until the contact.
    fn is_beside(&self, direction: Vec3F64) -> bool {
        let normal = self.normal();
        let across = cross(direction, normal);
        let whole = dot(direction, direction) * dot(normal, normal);
        let off = max_abs(self.motion) * OFF_BY_TIME + self.radius * OFF_BY_ROUNDING;
        // The roundings of the corners turn the face's normal as well.
        let least = self.margin * TELLS;
        dot(across, across) * self.radius > off * whole
            && self.radius > least
            && max_abs(normal) > least * self.longest_edge()
    }

    /// What a point touches that hits the triangle as a ray.
    fn hit(&self, t: f32, corners: &Corners) -> Touch {
        let pair = nearest_pair(self.to, &self.corners_at(f64::from(t) / self.part));
        let normal = face_normal(corners);
        // Where it comes from.
        let direction = if dot(normal, self.motion) > 0.0 { scale(normal, -1.0) } else { normal };
        let Pair { weights, feature, .. } = pair;
        // Not minus zero.
        Touch { t: t.abs(), way: Way { depth: 0.0, direction }, weights, feature }
    }

    /// The direction from the second point to the first, if they are far enough apart to tell it.
    /// Over a face it is exactly the normal's.
    fn direction(&self, pair: &Pair, corners: &Corners) -> Option<Vec3F64> {
        let normal = face_normal(corners);
        let direction = if pair.feature != Feature::Face || normal == [0.0; 3] {
            scale(pair.way, -1.0)
        } else if dot(normal, pair.way) > 0.0 {
            scale(normal, -1.0)
        } else {
            normal
        };
        (pair.distance() > 16.0 * self.margin).then_some(direction)
    }

    /// The shortest way out of the triangle, which is touched at the start.
    fn overlap(&self, segment: &Segment, corners: &Corners, pair: &Pair) -> Way {
        match self.direction(pair, corners) {
            Some(direction) if self.is_kept_apart(pair, direction) => {
                Way { depth: self.radius - pair.distance(), direction }
            }
            _ => way_out(segment, self.radius, self.motion, corners),
        }
    }

    /// Whether a direction from the triangle to the segment shows that the two are as far apart as
    /// their points: otherwise these may be wrong, or too near to tell a direction.
    ///
    /// **Lemma 113 (distances that are right).** With the roundings of heights, 2^-3 margins, the
    /// two are then no nearer to each other than `pair` by 2^-26 of the radius. So the shape is out
    /// once it has moved by what the radius is longer than the distance, but for that much, and no
    /// way out is shorter by more.
    fn is_kept_apart(&self, pair: &Pair, direction: Vec3F64) -> bool {
        let length = dot(direction, direction).sqrt();
        let heights = self.corners.each(|corner| dot(direction, corner));
        let most = max(heights[0], max(heights[1], heights[2]));
        let gap = min(dot(direction, self.to), 0.0) - most;
        let off = self.radius * OFF_BY_DISTANCE;
        self.margin <= 8.0 * off && gap >= (pair.distance() - off) * length
    }
}

/// What distances may be wrong by, in parts of the radius.
const OFF_BY_DISTANCE: f64 = 1.0 / (1u64 << 27) as f64;
