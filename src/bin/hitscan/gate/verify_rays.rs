//! The rays that `hitscan verify` casts: those that are hard to answer, and random ones. They are
//! the same for the same level on every machine.

use hitscan::glam::Vec3;
use hitscan::{Aabb, Ray, Triangle};

use super::brute_force::BruteForce;
use crate::random::Random;

/// Of each kind as many as of the others.
const KINDS: [fn(&mut Random, &Level<'_>) -> Ray; 8] =
    [random, segment, through_vertex, towards_vertex, along_edge, in_plane, far_away, from_surface];

/// How far away a ray starts that starts far away, in sizes of the level.
const FAR: f64 = 1e5;

struct Level<'a> {
    triangles: &'a BruteForce<'a>,
    bounds: Aabb,
}

impl Level<'_> {
    fn triangle(&self, random: &mut Random) -> [[f64; 3]; 3] {
        let triangle = match self.triangles.len() {
            0 => None,
            count => self.triangles.triangle(random.below(count)),
        };
        let none = Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y);
        let Triangle { v0, v1, v2 } = triangle.unwrap_or(none);
        [v0, v1, v2].map(|corner| corner.to_array().map(f64::from))
    }
}

pub(crate) fn rays(triangles: &BruteForce<'_>, bounds: Aabb, count: usize) -> Vec<Ray> {
    let unit = Aabb::from_min_max([0.0; 3], [1.0; 3]);
    let level = Level { triangles, bounds: if bounds.is_empty() { unit } else { bounds } };
    let mut state = Random(1);
    (0..count).map(|i| KINDS[i % KINDS.len()](&mut state, &level)).collect()
}

fn random(random: &mut Random, level: &Level<'_>) -> Ray {
    let (from, to) = (random.point_in(&level.bounds), random.point_in(&level.bounds));
    Ray::new(from, to - from)
}

fn segment(random: &mut Random, level: &Level<'_>) -> Ray {
    Ray::between(random.point_in(&level.bounds), random.point_in(&level.bounds))
}

/// Along an axis, so that no rounding moves the ray off the vertex.
fn through_vertex(random: &mut Random, level: &Level<'_>) -> Ray {
    let vertex = level.triangle(random)[random.below(3)].map(|x| x as f32);
    let (axis, before) = (random.below(3), random.below(2) == 0);
    let (mut from, mut dir) = (vertex, [0.0; 3]);
    let end = if before { level.bounds.min } else { level.bounds.max };
    from[axis] = end[axis];
    dir[axis] = if before { 1.0 } else { -1.0 };
    Ray::new(from, dir)
}

fn towards_vertex(random: &mut Random, level: &Level<'_>) -> Ray {
    let vertex = level.triangle(random)[random.below(3)];
    let from = random.point_in(&level.bounds);
    Ray::new(from, rounded(vertex) - from)
}

/// From before the edge to its other end and on.
fn along_edge(random: &mut Random, level: &Level<'_>) -> Ray {
    let (triangle, edge) = (level.triangle(random), random.below(3));
    let [a, b] = [triangle[edge], triangle[(edge + 1) % 3]];
    let edge = difference(b, a);
    Ray::new(rounded(sum(a, edge, -1.0)), rounded(edge))
}

fn in_plane(random: &mut Random, level: &Level<'_>) -> Ray {
    let [a, b, c] = level.triangle(random);
    let [ab, ac] = [difference(b, a), difference(c, a)];
    let mut on_plane = || {
        let along = sum(a, ab, 3.0 * random.fraction() - 1.0);
        sum(along, ac, 3.0 * random.fraction() - 1.0)
    };
    let (from, to) = (on_plane(), on_plane());
    Ray::new(rounded(from), rounded(difference(to, from)))
}

fn far_away(random: &mut Random, level: &Level<'_>) -> Ray {
    let target = inner(random, level);
    let away = difference(
        random.point_in(&level.bounds).to_array().map(f64::from),
        random.point_in(&level.bounds).to_array().map(f64::from),
    );
    let from = rounded(sum(target, away, FAR));
    Ray::new(from, rounded(target) - from)
}

/// From a point of a triangle, rounded.
fn from_surface(random: &mut Random, level: &Level<'_>) -> Ray {
    let from = rounded(inner(random, level));
    Ray::new(from, random.point_in(&level.bounds) - from)
}

/// A point of a triangle.
fn inner(random: &mut Random, level: &Level<'_>) -> [f64; 3] {
    let [a, b, c] = level.triangle(random);
    let u = random.fraction();
    let v = random.fraction() * (1.0 - u);
    sum(sum(a, difference(b, a), u), difference(c, a), v)
}

fn difference(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// `a + b * factor`
fn sum(a: [f64; 3], b: [f64; 3], factor: f64) -> [f64; 3] {
    [a[0] + b[0] * factor, a[1] + b[1] * factor, a[2] + b[2] * factor]
}

fn rounded(vector: [f64; 3]) -> Vec3 {
    vector.map(|x| x as f32).into()
}
