//! Distances of points and triangles as fractions of integers.

use std::cmp::Ordering;

use hitscan::Triangle;
use hitscan::glam::Vec3;
use hitscan::query::MeshTriangle;
use num_bigint::BigInt;

use super::integers::{Big3, cross, dot, minus, parts, whole};

/// The square of a distance: a fraction, times a power of two.
pub(crate) struct Distance {
    over: BigInt,
    under: BigInt,
    exponent: i32,
}

impl Distance {
    /// By the regions of the vertices and edges, and the plane for the rest.
    pub(crate) fn of(point: Vec3, triangle: &Triangle) -> Self {
        let ([a, b, c, p], exponent) = whole([triangle.v0, triangle.v1, triangle.v2, point]);
        let (corners, zero) = ([a, b, c], BigInt::from(0));
        let normal = cross(&minus(&corners[1], &corners[0]), &minus(&corners[2], &corners[0]));
        let square = dot(&normal, &normal);
        let inside = |i: usize| {
            let edge = minus(&corners[(i + 1) % 3], &corners[i]);
            dot(&cross(&normal, &edge), &minus(&p, &corners[i])) >= zero
        };
        if square > zero && (0..3).all(inside) {
            let height = dot(&normal, &minus(&p, &corners[0]));
            return Self { over: &height * &height, under: square, exponent: 2 * exponent };
        }
        let edge = |i: usize| {
            let (over, under) = to_segment(&p, &corners[i], &corners[(i + 1) % 3]);
            Self { over, under, exponent: 2 * exponent }
        };
        let least = |a: Self, b: Self| if a.compare(&b) == Ordering::Greater { b } else { a };
        least(edge(0), least(edge(1), edge(2)))
    }

    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        let least = self.exponent.min(other.exponent);
        let left = (&self.over * &other.under) << (self.exponent - least);
        let right = (&other.over * &self.under) << (other.exponent - least);
        left.cmp(&right)
    }

    /// Compares the distance with a number that is not negative.
    pub(crate) fn cmp(&self, x: f32) -> Ordering {
        if x == f32::INFINITY {
            return Ordering::Less;
        }
        self.cmp_sum(x, 0.0, 1)
    }

    /// Compares `distance * times` with `a + b`.
    fn cmp_sum(&self, a: f32, b: f32, times: i32) -> Ordering {
        let [(a, a_exponent), (b, b_exponent)] = [a, b].map(parts);
        let exponent = a_exponent.min(b_exponent);
        let exponent = if exponent == i32::MAX { 0 } else { exponent };
        let term = |x: i64, at: i32| {
            if x == 0 { BigInt::from(0) } else { BigInt::from(x) << (at - exponent) }
        };
        let sum = term(a, a_exponent) + term(b, b_exponent);
        let other =
            Self { over: &sum * &sum, under: BigInt::from(times * times), exponent: 2 * exponent };
        self.compare(&other)
    }

    /// Whether the distance, rounded to the nearest number, is `x`.
    pub(crate) fn rounds_to(&self, x: f32) -> bool {
        let is_even = x.to_bits() & 1 == 0;
        let fits = |order: Ordering, wrong: Ordering| order != wrong && (is_even || order.is_ne());
        (x == 0.0 || fits(self.cmp_sum(x, x.next_down(), 2), Ordering::Less))
            && fits(self.cmp_sum(x, x.next_up(), 2), Ordering::Greater)
    }
}

fn to_segment(p: &Big3, from: &Big3, to: &Big3) -> (BigInt, BigInt) {
    let (edge, way, zero) = (minus(to, from), minus(p, from), BigInt::from(0));
    let (along, length) = (dot(&edge, &way), dot(&edge, &edge));
    if along <= zero {
        (dot(&way, &way), BigInt::from(1))
    } else if along >= length {
        let way = minus(p, to);
        (dot(&way, &way), BigInt::from(1))
    } else {
        (dot(&way, &way) * &length - &along * &along, length)
    }
}

/// All triangles of a level, to be tested one by one.
pub(crate) struct Nearby {
    triangles: Vec<MeshTriangle>,
}

/// A triangle that is closest.
pub(crate) struct Judged {
    pub(crate) mesh: u32,
    pub(crate) number: u32,
    pub(crate) front: bool,
    pub(crate) distance: Distance,
}

/// Whether a mesh and a side count.
type Sees<'a> = &'a dyn Fn(u32, bool) -> bool;

impl Nearby {
    pub(crate) fn new(triangles: &[MeshTriangle]) -> Self {
        Self { triangles: triangles.to_vec() }
    }

    /// Those of the least exact distance, by mesh and number.
    pub(crate) fn nearest(&self, point: Vec3, sees: Sees<'_>) -> Vec<Judged> {
        let seen: Vec<_> = self.seen(point, sees).collect();
        let least = seen.iter().map(|(_, _, range)| range[1]).fold(f64::INFINITY, f64::min);
        let mut best: Vec<Judged> = Vec::new();
        for (one, front, range) in seen {
            if range[0] > least {
                continue;
            }
            let distance = Distance::of(point, &one.vertices);
            match best.first().map_or(Ordering::Less, |best| distance.compare(&best.distance)) {
                Ordering::Less => best.clear(),
                Ordering::Equal => {}
                Ordering::Greater => continue,
            }
            best.push(Judged { mesh: one.mesh, number: one.triangle, front, distance });
        }
        best.sort_by_key(|judged| (judged.mesh, judged.number));
        best
    }

    /// Those within a distance, by mesh and number.
    pub(crate) fn within(&self, point: Vec3, limit: f32, sees: Sees<'_>) -> Vec<(u32, u32)> {
        let is_within = |one: &MeshTriangle, [low, high]: [f64; 2]| {
            high <= f64::from(limit)
                || (low <= f64::from(limit)
                    && Distance::of(point, &one.vertices).cmp(limit) != Ordering::Greater)
        };
        let near = self.seen(point, sees).filter(|(one, _, range)| is_within(one, *range));
        let mut near: Vec<_> = near.map(|(one, ..)| (one.mesh, one.triangle)).collect();
        near.sort_unstable();
        near
    }

    /// Triangles with the side that the point is on and bounds on their distance.
    fn seen<'a>(
        &'a self,
        point: Vec3,
        sees: Sees<'a>,
    ) -> impl Iterator<Item = (&'a MeshTriangle, bool, [f64; 2])> {
        self.triangles.iter().filter_map(move |one| {
            let front = is_in_front(point, &one.vertices);
            sees(one.mesh, front).then(|| (one, front, distance_range(point, &one.vertices)))
        })
    }
}

type Real3 = [f64; 3];

fn real(v: Vec3) -> Real3 {
    v.to_array().map(f64::from)
}

fn sub(a: Real3, b: Real3) -> Real3 {
    [0, 1, 2].map(|k| a[k] - b[k])
}

fn along(a: Real3, b: Real3, t: f64) -> Real3 {
    [0, 1, 2].map(|k| a[k] + b[k] * t)
}

fn product(a: Real3, b: Real3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn across(a: Real3, b: Real3) -> Real3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn length(a: Real3) -> f64 {
    product(a, a).sqrt()
}

pub(crate) fn separation(a: Vec3, b: Vec3) -> f64 {
    length(sub(real(a), real(b)))
}

/// Also in the plane.
fn is_in_front(point: Vec3, triangle: &Triangle) -> bool {
    let [a, b, c, p] = [triangle.v0, triangle.v1, triangle.v2, point].map(real);
    let (e1, e2, way) = (sub(b, a), sub(c, a), sub(p, a));
    let height = product(across(e1, e2), way);
    if height.abs() > 1e-13 * length(e1) * length(e2) * length(way) {
        return height > 0.0;
    }
    let ([a, b, c, p], _) = whole([triangle.v0, triangle.v1, triangle.v2, point]);
    let normal = cross(&minus(&b, &a), &minus(&c, &a));
    dot(&normal, &minus(&p, &a)) >= BigInt::from(0)
}

/// Bounds on a distance, in plain `f64`.
fn distance_range(point: Vec3, triangle: &Triangle) -> [f64; 2] {
    let corners = [triangle.v0, triangle.v1, triangle.v2].map(real);
    let p = real(point);
    let side = |i: usize| sub(corners[(i + 1) % 3], corners[i]);
    let segment = |i: usize| {
        let (edge, way) = (side(i), sub(p, corners[i]));
        let square = product(edge, edge);
        let t = if square > 0.0 { (product(way, edge) / square).clamp(0.0, 1.0) } else { 0.0 };
        length(sub(along(corners[i], edge, t), p))
    };
    let mut distance = segment(0).min(segment(1)).min(segment(2));
    let normal = across(side(0), side(1));
    let long = length(normal);
    if long > 0.0 {
        let unit = normal.map(|x| x / long);
        let height = product(sub(p, corners[0]), unit);
        let foot = along(p, unit, -height);
        let inside = |i: usize| product(across(side(i), sub(foot, corners[i])), unit) >= 0.0;
        if (0..3).all(inside) {
            distance = distance.min(height.abs());
        }
    }
    let far = corners.map(|v| length(sub(v, p))).into_iter().fold(0.0, f64::max);
    let longest = length(side(0)).max(length(side(1))).max(length(side(2)));
    // The normals of needles are not sure.
    let error = far * if long > 1e-5 * longest * longest { 1e-9 } else { 1.0 };
    [distance - error, distance + error]
}
