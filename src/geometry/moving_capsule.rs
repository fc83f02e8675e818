//! Capsules and spheres that move.

use super::exact::near_segment::{Segment, near_moving_segment};
use super::exact::{Approx, Int1728, intersect_exact};
use super::face_normal::face_normal;
use super::point_distance::Feature;
use super::ray::Ray;
use super::segment_distance::{Pair, nearest_pair};
use super::shape::touches_segment;
use super::triangle_contact::{Touch, Wanted, Way};
use super::vec3_f64::{
    Corners, Vec3F64, cross, difference, dot, each, max, max_abs, min, scale, sub,
};
use super::way_out::way_out;

#[cfg(test)]
mod tests;

/// More than all roundings of a point, of its height and of a motion, in parts of the largest
/// coordinate.
///
/// **Lemma 89 (clear sweeps).** All coordinates are relative to one end of the segment, and none is
/// larger than three times `size`: the motion is cut off where nothing can be touched any more.
/// A coordinate of a moved vertex is off by `8 * 2^-53 * size`, a height, with its own three
/// roundings, by 32 times `2^-53 * size`, times the length of the direction. The time that a height
/// gives is rounded, and so is the speed, which moves the shape by twenty more at most. The points
/// of a pair are off by forty (see Lemma 85). The margin is 64 of these. So:
///
/// - A direction in which all vertices are above both ends by more than `radius + 2 * margin` keeps
///   them apart, and as long as the motion has not used that up, they stay apart. Nothing is
///   touched where nothing is found.
/// - Two points that are nearer to each other than `radius - margin` touch.
/// - Steps end where two points are nearer than `radius + 3 * margin`, or where the way between
///   them separates the two no further. Its coordinates are off by 32 times `2^-53 * size`, those
///   of a face by that times the square of the longest edge over twice the area. So the heights of
///   what is `reach` across, of segment and triangle together, are off by that times `reach /
///   radius`. If it is less than half of [`SLACK`] margins, then no more than those are left, and
///   if a direction keeps the two apart by `radius` and [`SLACK`] margins until a time, the contact
///   that is found is not before that. Lengths are those of the largest coordinates of two edges,
///   by which the product may seem 42 times too small: see [`PART`].
/// - Say a direction `w` of unit length keeps them apart by `radius` and that much until a time,
///   and the time of the contact is rounded to the same `f32`. Then it is less than `off = 2^-23 *
///   |motion|` away, so the way of the contact is at least `radius - off` long along `w`, and not
///   longer than the radius. The square of the sine of their angle is less than `2 * off / radius`.
///   Where that of the angle between `w` and the triangle's normal is four times as large, the
///   contact's normal is not that of the face. [`OFF_BY_TIME`] is `2^-23` times 2, times 1.8 for
///   the length of a motion of which the largest coordinate is known, times four. What a normal
///   loses in rounding is less than [`OFF_BY_ROUNDING`] if the radius is [`TELLS`] margins and the
///   triangle large enough. Times below [`f32::MIN_POSITIVE`] are rounded by more.
const MARGIN: f64 = 1.0 / (1u64 << 47) as f64;

/// More than is left of the way to the contact where steps end, in margins.
const SLACK: f64 = (1u64 << 14) as f64;
/// 1 / 42, and less: by which half of the slack is enough for 32 roundings of 1 / 64 margin.
const PART: f64 = 1.0 / 64.0;
/// A radius by which directions are told, in margins.
const TELLS: f64 = (1u64 << 27) as f64;
const OFF_BY_TIME: f64 = 1.0 / (1u64 << 19) as f64;
const OFF_BY_ROUNDING: f64 = 1.0 / (1u64 << 36) as f64;

/// Each step at least halves what is left of the way to the contact.
const MOST_STEPS: usize = 64;

/// Where all within `radius` of a segment first touches a triangle on its way, if it does so at
/// `bound` or before. All numbers are finite, but for the radius, which is not negative.
pub(super) fn touch(
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
    let found = moving.first_touch(bound)?;
    let Found { at, pair, direction } = found;
    let is_clear = pair.distance() <= moving.radius - moving.margin;
    if at == 0.0 && (is_clear || touches_segment(segment, radius, corners)) {
        let way = moving.overlap(segment, corners, &pair);
        return Some(Touch { t: 0.0, way, weights: pair.weights, feature: pair.feature });
    }
    let is_touching = moving.is_clear(&found)
        || near_moving_segment::<Approx>(segment, motion, radius, corners).unwrap_or_else(|| {
            near_moving_segment::<Int1728>(segment, motion, radius, corners) == Some(true)
        });
    if !is_touching {
        return None;
    }
    let t = (at * moving.part) as f32;
    (t <= bound).then(|| {
        let direction = if let Some(direction) = moving.direction(&pair, corners) {
            direction
        } else if direction == [0.0; 3] {
            moving.overlap(segment, corners, &pair).direction
        } else {
            scale(direction, -1.0)
        };
        let way = Way { depth: 0.0, direction };
        Touch { t, way, weights: pair.weights, feature: pair.feature }
    })
}

/// A segment that leads from zero to `to`, and what is within the radius of it.
struct Moving {
    to: Vec3F64,
    radius: f64,
    /// That part of the motion, of 1, in which something may be touched. Times are in units of it.
    part: f64,
    motion: Vec3F64,
    corners: [Vec3F64; 3],
    margin: f64,
}

/// About the first contact.
struct Found {
    at: f64,
    /// At that time.
    pair: Pair,
    /// A direction from the segment to the triangle that keeps them apart until then; zero if there
    /// is none.
    direction: Vec3F64,
}

impl Moving {
    #[inline]
    fn new(segment: &Segment, radius: f32, motion: [f32; 3], corners: &Corners) -> Self {
        let to = difference(segment[1], segment[0]);
        let corners = each(*corners, |corner| difference(corner, segment[0]));
        let far = corners.iter().fold(0.0, |far, &corner| max(max_abs(corner), far));
        let (radius, motion) = (f64::from(radius), each(motion, f64::from));
        let size = far + max_abs(to) + radius;
        let (length, most) = (max_abs(motion), 2.0 * size);
        let part = if length > most { most / length } else { 1.0 };
        let motion = scale(motion, part);
        Self { to, radius, part, motion, corners, margin: size * MARGIN }
    }

    fn corners_at(&self, at: f64) -> [Vec3F64; 3] {
        let way = scale(self.motion, at);
        each(self.corners, |corner| sub(corner, way))
    }

    /// How long a direction from the segment to the triangle keeps them apart by a distance: `None`
    /// if to the end.
    #[inline]
    fn apart(&self, at: f64, direction: Vec3F64, distance: f64) -> Option<f64> {
        let length = dot(direction, direction).sqrt();
        let heights = each(self.corners_at(at), |corner| dot(direction, corner));
        let least = min(heights[0], min(heights[1], heights[2]));
        let gap = least - max(dot(direction, self.to), 0.0) - distance * length;
        if gap <= 0.0 || gap.is_nan() {
            return Some(at);
        }
        let speed = dot(direction, self.motion);
        let next = at + gap / speed;
        (speed > 0.0 && next <= 1.0).then_some(next)
    }

    /// The first contact with a radius that is a little larger, up to a time. Distances of convex
    /// sets are convex in time: steps along the tangents never go too far.
    #[inline]
    fn first_touch(&self, bound: f32) -> Option<Found> {
        let (near, touching) = (self.radius + 3.0 * self.margin, self.radius + 2.0 * self.margin);
        let normal = self.normal();
        let side = if dot(normal, self.corners[0]) < 0.0 { -1.0 } else { 1.0 };
        let mut direction = scale(normal, side);
        let mut at = self.apart(0.0, direction, touching)?;
        if at == 0.0 {
            direction = [0.0; 3];
        }
        let mut steps = 0;
        loop {
            if (at * self.part) as f32 > bound {
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
    fn way_ahead(&self, pair: &Pair) -> Option<Vec3F64> {
        let along = match (pair.feature, pair.is_of_end) {
            (Feature::Vertex(_), true) => [0.0; 3],
            (Feature::Vertex(_), false) => self.to,
            (Feature::Edge(i), true) => {
                let i = usize::from(i);
                sub(self.corners[(i + 1) % 3], self.corners[i])
            }
            _ => return None,
        };
        // Both features may slide along this.
        let square = dot(along, along);
        let part = if square > 0.0 { dot(along, self.motion) / square } else { 0.0 };
        let motion = sub(self.motion, scale(along, part));
        let (speed, toward) = (dot(motion, motion), dot(pair.way, motion));
        let left = dot(pair.way, pair.way) - self.radius * self.radius;
        let root = toward * toward - speed * left;
        // Where they pass each other, the time when they are nearest.
        let later = if root > 0.0 { left / (toward + root.sqrt()) } else { toward / speed };
        Some(sub(pair.way, scale(motion, later)))
    }

    /// Whether nothing that is wanted is touched, as far as one direction tells. With room for
    /// what the time of a contact may be off by.
    #[inline]
    fn is_unwanted(&self, wanted: &Wanted) -> bool {
        let Wanted { until, until_beside, ahead } = *wanted;
        if ahead == [0.0; 3] {
            return false;
        }
        let is_late = match self.apart(0.0, ahead, self.radius + self.margin * SLACK) {
            None => true,
            Some(at) => {
                let at = (at * self.part) as f32;
                let is_told = at > until_beside && at >= f32::MIN_POSITIVE;
                at > until || (is_told && self.is_beside(ahead))
            }
        };
        is_late && self.ends_near()
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

    /// Whether a contact's normal is certainly not that of the face if this direction keeps them
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

    fn normal(&self) -> Vec3F64 {
        let [a, b, c] = self.corners;
        cross(sub(b, a), sub(c, a))
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

    /// Whether segment and triangle clearly touch just after a time: its two points do.
    fn is_clear(&self, found: &Found) -> bool {
        let Found { direction, .. } = *found;
        let speed = dot(direction, self.motion) / dot(direction, direction).sqrt();
        let later = 8.0 * self.margin / speed;
        let way = sub(found.pair.way, scale(self.motion, later));
        let is_near = dot(way, way).sqrt() <= self.radius - self.margin;
        speed > 0.0 && found.at + later <= 1.0 && is_near
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
        let heights = each(self.corners, |corner| dot(direction, corner));
        let most = max(heights[0], max(heights[1], heights[2]));
        let gap = min(dot(direction, self.to), 0.0) - most;
        let off = self.radius * OFF_BY_DISTANCE;
        self.margin <= 8.0 * off && gap >= (pair.distance() - off) * length
    }
}

/// What distances may be wrong by, in parts of the radius.
const OFF_BY_DISTANCE: f64 = 1.0 / (1u64 << 27) as f64;
