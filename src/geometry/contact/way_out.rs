//! The shortest way out of a triangle, for all that is within a radius of a segment.
//!
//! The triangle less the segment is a polytope `D`: each of its points is the way from a point of
//! the one to a point of the other. In a direction, the segment is out of the triangle once it has
//! moved as far as `D` reaches there. So the shortest way out is the one along which `D` reaches
//! the least, and if zero is outside of `D` that is less than nothing: how far the two are apart.
//! Inside of `D` this is the normal of a face, outside the way from the nearest point of `D`.

use super::face_normal::{NOTHING, face_normal, size_of_products};
use super::triangle_contact::Way;
use crate::array::Each;
use crate::geometry::exact::near_segment::Segment;
use crate::geometry::exact::{Double, Number, Ordered, cross, difference, dot};
use crate::geometry::vec3_f64::{self, Corners, Vec3F64, max, max_abs, min, scale, sub, unit};

#[cfg(test)]
mod tests;

type Precise = [Double; 3];

/// Of two ways that are as long but for this, in parts of them, the first one is taken.
const ALIKE: f64 = 1.0 / (1u64 << 40) as f64;

fn value(v: &Precise) -> Vec3F64 {
    v.refs().each(Double::value)
}

/// The shortest way out of the triangle of these corners. `depth` is less than zero if nothing
/// within the radius is in it. `motion` is zero or chooses one of two sides that are as near.
pub(in crate::geometry) fn way_out(
    segment: &Segment,
    radius: f64,
    motion: Vec3F64,
    corners: &Corners,
) -> Way {
    let crossing = Crossing::new(segment, radius, motion, corners);
    crossing.quick().unwrap_or_else(|| precise_way_out(segment, radius, motion, corners))
}

/// A segment, which leads from zero to `to`, and a triangle, in `f64`.
struct Crossing<'a> {
    to: Vec3F64,
    /// As they are, and as seen from the segment's first end.
    own: &'a Corners,
    corners: [Vec3F64; 3],
    /// The largest coordinate.
    far: f64,
    radius: f64,
    motion: Vec3F64,
}

impl<'a> Crossing<'a> {
    fn new(segment: &Segment, radius: f64, motion: Vec3F64, own: &'a Corners) -> Self {
        let to = vec3_f64::difference(segment[1], segment[0]);
        let corners = (*own).each(|corner| vec3_f64::difference(corner, segment[0]));
        let far = corners.iter().fold(max_abs(to), |far, &corner| max(max_abs(corner), far));
        Self { to, own, corners, far, radius, motion }
    }

    /// By the faces of `D`: the triangle, and what the segment and an edge span. `None` if zero is
    /// not clearly inside, or if a way may be wrong by more than [`CLEAR`] of itself, or [`REACH`]
    /// of the largest coordinate and the radius: so no depth is longer than the depths along the
    /// axes of coordinates, but for roundings to `f32`.
    ///
    /// **Lemma 112 (ways out in `f64`).** Let `e = 2^-53`, `z` the largest coordinate of corners
    /// and segment as seen from one end of it, `r` the radius, `A` and `B` the largest coordinates
    /// of the two vectors that a normal of length `n` is across. These are off by `3 e z` at most.
    /// So a coordinate of the normal is off by `6 e z (A + B)` for these, and by `6 e A B` for
    /// roundings, where `A B` is less than `z (A + B)`: the normal turns by `21 e z (A + B) / n`,
    /// which lifts a corner by `37 e z^2 (A + B) / n`. The roundings of a height are less than `18
    /// e z`, which is less than `54 e z^2 (A + B) / n`. So a way is off by less than `128 e z (z +
    /// r) (A + B) / n`. Where that is little of the way, the normal turns by less than 2^-17, by
    /// which the way becomes longer by less than 2^-34 of itself.
    fn quick(&self) -> Option<Way> {
        let mut best = Way { depth: f64::INFINITY, direction: [0.0; 3] };
        for number in 0..4 {
            let OnAxis { normal, up, down, off } = self.on_axis(number);
            let (depth, slack) = (min(up, down), 16.0 * off);
            // Also false for NaN.
            let most = (CLEAR * (depth + self.radius)).min(REACH * (self.far + self.radius));
            let is_clear = depth > off && slack <= most;
            if !is_clear {
                return None;
            }
            let is_even = (up - down).abs() <= slack;
            let is_up = if is_even { vec3_f64::dot(normal, self.motion) <= 0.0 } else { up < down };
            if depth < best.depth - slack {
                let normal = if number == 0 { face_normal(self.own) } else { normal };
                best = Way { depth, direction: scale(normal, if is_up { 1.0 } else { -1.0 }) };
            }
        }
        Some(Way { depth: self.radius + best.depth, ..best })
    }

    #[inline]
    fn on_axis(&self, number: usize) -> OnAxis {
        let Self { to, corners, .. } = *self;
        let edge = |i: usize| sub(corners[(i + 1) % 3], corners[i]);
        let (one, other) = if number == 0 { (edge(0), edge(1)) } else { (to, edge(number - 1)) };
        let normal = vec3_f64::cross(one, other);
        let length = vec3_f64::dot(normal, normal).sqrt();
        let sizes = max_abs(one) + max_abs(other);
        let off = ROUNDINGS * self.far * (self.far + self.radius) * sizes / length;
        let [a, b, c] = corners.each(|corner| vec3_f64::dot(normal, corner) / length);
        let end = vec3_f64::dot(normal, to) / length;
        let (up, down) = (max(a, max(b, c)) - min(end, 0.0), max(end, 0.0) - min(a, min(b, c)));
        OnAxis { normal, up, down, off }
    }
}

/// How far the segment has to move along a normal, and against it, and what that is off by.
struct OnAxis {
    normal: Vec3F64,
    up: f64,
    down: f64,
    off: f64,
}

const ROUNDINGS: f64 = 128.0 / (1u64 << 53) as f64;
const CLEAR: f64 = 1.0 / (1u64 << 12) as f64;
const REACH: f64 = 1.0 / (1u64 << 30) as f64;

/// The same in numbers of twice the digits, wherever zero is.
#[cold]
#[inline(never)]
fn precise_way_out(segment: &Segment, radius: f64, motion: Vec3F64, corners: &Corners) -> Way {
    let own = corners;
    let to: Precise = difference(segment[1], segment[0]);
    let corners: [Precise; 3] = (*own).each(|corner| difference(corner, segment[0]));
    let edges: [Precise; 3] = [0, 1, 2].each(|i| difference(own[(i + 1) % 3], own[i]));
    let mut ways = Ways::new(to, corners, radius, motion);

    // The faces of `D`.
    let (e1, e2): (Precise, Precise) = (difference(own[1], own[0]), difference(own[2], own[0]));
    if ways.consider_across(&e1, &e2) {
        // With the bits that the face's normal has elsewhere.
        ways.turn_to(face_normal(own));
    }
    for edge in &edges {
        ways.consider_across(&to, edge);
    }
    if ways.best.is_none() {
        // Segment and triangle are on a line.
        let along = edges.iter().fold(&to, |a, b| if size(b) > size(a) { b } else { a });
        let across = vec3_f64::across(unit(value(along)), unit(scale(motion, -1.0)));
        ways.consider(&across.each(Double::from_f64), 1.0);
        ways.forget_roundings();
    }
    // The feet of zero on the edges of `D`, and its vertices.
    let minus = |a: &Precise, b: &Precise| [0, 1, 2].each(|k| a[k].sub(&b[k]));
    for i in 0..3 {
        let (corner, seen) = (&corners[i], difference(own[i], segment[1]));
        ways.consider_foot(corner, &edges[i]);
        ways.consider_foot(&seen, &edges[i]);
        ways.consider_foot(corner, &to);
        ways.consider(corner, size(corner));
        ways.consider(&minus(corner, &to), size(&seen));
    }
    let Some(way) = ways.best else { return Way { depth: radius, direction: [0.0, 1.0, 0.0] } };
    Way { depth: radius + way.depth, ..way }
}

fn size(v: &Precise) -> f64 {
    max_abs(value(v))
}

/// The shortest way that was found so far.
struct Ways {
    to: Precise,
    corners: [Precise; 3],
    radius: f64,
    motion: Vec3F64,
    /// The largest coordinate.
    far: f64,
    best: Option<Way>,
}

impl Ways {
    fn new(to: Precise, corners: [Precise; 3], radius: f64, motion: Vec3F64) -> Self {
        let far = corners.iter().fold(size(&to), |far, corner| max(size(corner), far));
        Self { to, corners, far, radius, motion, best: None }
    }

    /// The way across two vectors. Whether it is the shortest.
    fn consider_across(&mut self, one: &Precise, other: &Precise) -> bool {
        self.consider(&cross(one, other), size_of_products(value(one), value(other)))
    }

    /// The way from the line through `from` along `edge` to zero, and the way back.
    fn consider_foot(&mut self, from: &Precise, edge: &Precise) {
        let (square, along) = (dot(edge, edge), dot(from, edge));
        let foot = [0, 1, 2].each(|k| from[k].mul(&square).sub(&edge[k].mul(&along)));
        self.consider(&foot, size(from) * square.value());
    }

    /// A direction across a line is rounded, so that the line seems to reach somewhere.
    fn forget_roundings(&mut self) {
        let most = self.far * ROUNDINGS;
        if let Some(best) = self.best.as_mut().filter(|best| best.depth.abs() <= most) {
            best.depth = 0.0;
        }
    }

    /// All but the same direction, or the opposite one.
    fn turn_to(&mut self, direction: Vec3F64) {
        if let Some(best) = &mut self.best {
            let side = if vec3_f64::dot(direction, best.direction) < 0.0 { -1.0 } else { 1.0 };
            best.direction = scale(direction, side);
        }
    }

    /// A direction, made of numbers of a size, and the opposite one. Whether one is the best.
    fn consider(&mut self, direction: &Precise, made_of: f64) -> bool {
        if size(direction) <= NOTHING * made_of {
            return false;
        }
        let [a, b, c] = self.corners.refs().each(|corner| dot(direction, corner));
        let (end, zero) = (dot(direction, &self.to), Double::ZERO);
        let (most, least) = (a.max(&b).max(&c), a.min(&b).min(&c));
        let (up, down) = (most.sub(&end.min(&zero)), end.max(&zero).sub(&least));
        let direction = value(direction);
        let length = vec3_f64::dot(direction, direction).sqrt();
        let (depth, uneven) = (up.min(&down).value() / length, up.sub(&down).value() / length);
        let slack = (self.radius + depth).abs() * ALIKE + self.far * NOTHING;
        let is_even = uneven.abs() <= slack;
        let is_up =
            if is_even { vec3_f64::dot(direction, self.motion) <= 0.0 } else { uneven < 0.0 };
        let is_best = self.best.is_none_or(|best| depth < best.depth - slack);
        if is_best {
            let direction = scale(direction, if is_up { 1.0 } else { -1.0 });
            self.best = Some(Way { depth, direction });
        }
        is_best
    }
}
