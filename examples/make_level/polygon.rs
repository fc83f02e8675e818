//! Flat polygons with holes: cut into triangles, or given a thickness.
//!
//! Only the polygon's own corners become vertices, so a wall with ten windows has no T-junction.

use glam::{Vec2, Vec3};

use crate::mesh::Mesh;

/// An outline and its holes, all counter-clockwise.
#[derive(Clone, Default)]
pub(crate) struct Polygon {
    pub(crate) outline: Vec<Vec2>,
    pub(crate) holes: Vec<Vec<Vec2>>,
}

impl Polygon {
    /// Gives the polygon a thickness: `place(p, 1.0)` is on the face that sees it
    /// counter-clockwise, `place(p, 0.0)` on the opposite one.
    pub(crate) fn extrude(&self, place: impl Fn(Vec2, f32) -> Vec3) -> Mesh {
        let mut mesh = Mesh::default();
        for [a, b, c] in self.triangles() {
            mesh.triangle(place(a, 1.0), place(b, 1.0), place(c, 1.0));
            mesh.triangle(place(a, 0.0), place(c, 0.0), place(b, 0.0));
        }
        let mut side = |a, b| {
            mesh.quad(place(a, 0.0), place(b, 0.0), place(b, 1.0), place(a, 1.0));
        };
        for (a, b) in edges(&self.outline) {
            side(a, b);
        }
        for hole in &self.holes {
            for (a, b) in edges(hole) {
                side(b, a);
            }
        }
        mesh.closed()
    }

    /// One flat face, seen counter-clockwise.
    pub(crate) fn face(&self, place: impl Fn(Vec2) -> Vec3) -> Mesh {
        let mut mesh = Mesh::default();
        for [a, b, c] in self.triangles() {
            mesh.triangle(place(a), place(b), place(c));
        }
        mesh
    }

    /// Ear clipping; of all ears, the one with the shortest cut goes first.
    fn triangles(&self) -> Vec<[Vec2; 3]> {
        let mut ring = self.without_holes();
        let mut triangles = Vec::with_capacity(ring.len());
        while ring.len() > 3 {
            let n = ring.len();
            let ear = (0..n)
                .filter(|&i| is_ear(&ring, i))
                .min_by(|&i, &j| cut(&ring, i).total_cmp(&cut(&ring, j)))
                .expect("a simple polygon has an ear");
            triangles.push([ring[(ear + n - 1) % n], ring[ear], ring[(ear + 1) % n]]);
            ring.remove(ear);
        }
        triangles.push([ring[0], ring[1], ring[2]]);
        let covered: f64 = triangles.iter().map(|&[a, b, c]| cross(a, b, c)).sum();
        let area = doubled_area(&self.outline)
            - self.holes.iter().map(|hole| doubled_area(hole)).sum::<f64>();
        assert!((covered - area).abs() < 1e-9 * area, "the triangles do not cover the polygon");
        triangles
    }

    /// One ring: every hole is joined to the outline by a bridge walked both ways.
    fn without_holes(&self) -> Vec<Vec2> {
        let mut ring = self.outline.clone();
        for (k, hole) in self.holes.iter().enumerate() {
            let mut walls: Vec<_> = edges(&ring).collect();
            self.holes[k..].iter().for_each(|h| walls.extend(edges(h)));
            let (at, from) = bridge(&ring, hole, &walls);
            // Out to the hole, round it the other way, and back.
            let tour = (0..=hole.len()).map(|i| hole[(from + 2 * hole.len() - i) % hole.len()]);
            let tour: Vec<_> = tour.chain([ring[at]]).collect();
            ring.splice(at + 1..at + 1, tour);
        }
        ring
    }
}

/// The shortest way from the ring to the hole that crosses nothing: an index in each.
fn bridge(ring: &[Vec2], hole: &[Vec2], walls: &[(Vec2, Vec2)]) -> (usize, usize) {
    let n = ring.len();
    let mut best: Option<(f32, usize, usize)> = None;
    for (i, &a) in ring.iter().enumerate() {
        for (j, &b) in hole.iter().enumerate() {
            let length = (b - a).length_squared();
            if best.is_none_or(|(shortest, ..)| length < shortest)
                && in_corner(ring[(i + n - 1) % n], a, ring[(i + 1) % n], b)
                && !walls.iter().any(|&(c, d)| meet(a, b, c, d))
            {
                best = Some((length, i, j));
            }
        }
    }
    let (_, i, j) = best.expect("some corner of the ring sees the hole");
    (i, j)
}

fn is_ear(ring: &[Vec2], i: usize) -> bool {
    let n = ring.len();
    let (a, b, c) = (ring[(i + n - 1) % n], ring[i], ring[(i + 1) % n]);
    cross(a, b, c) > 0.0
        && ring.iter().all(|&p| {
            p == a || p == b || p == c || {
                cross(a, b, p) < 0.0 || cross(b, c, p) < 0.0 || cross(c, a, p) < 0.0
            }
        })
}

fn cut(ring: &[Vec2], i: usize) -> f32 {
    let n = ring.len();
    (ring[(i + 1) % n] - ring[(i + n - 1) % n]).length_squared()
}

/// Whether `p` lies strictly inside the corner that the ring makes at `b`.
fn in_corner(a: Vec2, b: Vec2, c: Vec2, p: Vec2) -> bool {
    let (left, right) = (cross(a, b, p) > 0.0, cross(b, c, p) > 0.0);
    if cross(a, b, c) > 0.0 { left && right } else { left || right }
}

/// Whether two segments touch other than at an end that they share.
fn meet(a: Vec2, b: Vec2, c: Vec2, d: Vec2) -> bool {
    if a == c || a == d || b == c || b == d {
        return false;
    }
    cross(a, b, c) * cross(a, b, d) <= 0.0 && cross(c, d, a) * cross(c, d, b) <= 0.0
}

/// Twice the area of a triangle, positive when counter-clockwise, without rounding to speak of.
fn cross(a: Vec2, b: Vec2, c: Vec2) -> f64 {
    wide(a, b) + wide(b, c) + wide(c, a)
}

fn wide(a: Vec2, b: Vec2) -> f64 {
    f64::from(a.x) * f64::from(b.y) - f64::from(a.y) * f64::from(b.x)
}

fn doubled_area(ring: &[Vec2]) -> f64 {
    edges(ring).map(|(a, b)| wide(a, b)).sum()
}

fn edges(ring: &[Vec2]) -> impl Iterator<Item = (Vec2, Vec2)> + '_ {
    (0..ring.len()).map(|i| (ring[i], ring[(i + 1) % ring.len()]))
}
