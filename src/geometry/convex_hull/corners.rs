//! The corners and the faces of a convex hull, decided without rounding.

use std::cmp::Ordering;

use crate::array::Each;
use crate::geometry::aabb::Aabb;
use crate::geometry::exact::normal::Normal;
use crate::geometry::exact::polytope::Topology;
use crate::geometry::vec3_f64::{difference, max_abs};

/// The most corners: there is a bit for each in a word.
pub(super) const MOST: usize = u64::BITS as usize;

/// Why points have no hull.
pub(super) enum Fault {
    Flat,
    TooManyCorners,
}

/// The corners of the hull of some finite points, in the order of the points, and its faces.
///
/// The hull grows by a corner at a time: the point farthest from one of its triangles (Barber,
/// Dobkin and Huhdanpaa, "The Quickhull Algorithm for Convex Hulls", 1996). Of points that are
/// equally far the one with the greatest coordinates is chosen, so each is a corner of the whole
/// hull, and the search ends at one too many.
pub(super) fn corners_and_faces(points: &[[f32; 3]]) -> Result<(Vec<[f32; 3]>, Topology), Fault> {
    let mut growing = Growing::from_four(points).ok_or(Fault::Flat)?;
    while let Some(next) = growing.triangles.iter().rposition(|triangle| !triangle.is_outermost) {
        let Triangle { corners, normal, .. } = &growing.triangles[next];
        match growing.farthest(normal, &corners.each(|corner| growing.point(corner))) {
            Some(point) if growing.corners.len() < MOST => growing.reach(point),
            Some(_) => return Err(Fault::TooManyCorners),
            None => growing.triangles[next].is_outermost = true,
        }
    }
    Ok(growing.finish())
}

/// The faces whose planes have a bit for each corner that is on it, and the edges between them.
pub(super) fn topology(mut on: Vec<u64>) -> Topology {
    let three = |on: u64| {
        let after = |on: u64| on & on.wrapping_sub(1);
        [after(after(on)), after(on), on].each(|rest| rest.trailing_zeros() as u8)
    };
    on.sort_unstable_by_key(|&on| three(on));
    let (mut edges, mut beside) = (Vec::new(), Vec::new());
    for (i, one) in on.iter().enumerate() {
        for (j, common) in on[..i].iter().map(|other| one & other).enumerate() {
            // Two planes have an edge in common, or a corner, or nothing.
            let rest = common & common.wrapping_sub(1);
            if rest != 0 {
                edges.push([common.trailing_zeros() as u8, rest.trailing_zeros() as u8]);
                beside.push([i as u8, j as u8]);
            }
        }
    }
    Topology { faces: on.iter().map(|&on| three(on)).collect(), on, edges, beside }
}

/// More than any two coordinates along an axis differ by.
pub(super) fn size(points: &[[f32; 3]]) -> f64 {
    let Aabb { min, max } = Aabb::from_points(points.iter().copied());
    max_abs(difference(max.to_array(), min.to_array()))
}

/// A bit for each point that is on the plane through three of them. `None` if points are on both
/// sides of it, or if the three are on a line. `size` is the size of all points.
pub(super) fn on_plane(points: &[[f32; 3]], size: f64, three: [u8; 3]) -> Option<u64> {
    let normal = Normal::of(three.each(|corner| points[usize::from(corner)]));
    let origin = points[usize::from(three[0])];
    let (mut on, mut side) = (three.iter().fold(0, |on, &corner| on | 1 << corner), 0);
    // Most often all but the three are certainly on one side.
    let (room, [mut above, mut below]) = (normal.room(size), [3; 2]);
    for &point in points {
        let height = normal.height(origin, point);
        above += usize::from(height > room);
        below += usize::from(height < -room);
    }
    if above == points.len() || below == points.len() {
        return Some(on);
    }
    for (number, &point) in points.iter().enumerate() {
        if on >> number & 1 == 1 {
            continue;
        }
        let sign = normal.sign(origin, point);
        if sign == 0 {
            on |= 1 << number;
        } else if sign == -side {
            return None;
        } else {
            side = sign;
        }
    }
    (side != 0).then_some(on)
}

/// The hull of some of the points.
struct Growing<'a> {
    points: &'a [[f32; 3]],
    /// More than any two coordinates along an axis differ by.
    size: f64,
    /// The numbers of the points that are corners.
    corners: Vec<usize>,
    triangles: Vec<Triangle>,
}

/// Counter-clockwise, as seen from outside. Several may be in a plane.
struct Triangle {
    corners: [u8; 3],
    normal: Normal,
    /// Whether no point is above it.
    is_outermost: bool,
}

impl<'a> Growing<'a> {
    /// The hull of four corners of the whole hull. `None` if all points are in a plane.
    fn from_four(points: &'a [[f32; 3]]) -> Option<Self> {
        let order = |a: &&[f32; 3], b: &&[f32; 3]| a.partial_cmp(b).unwrap_or(Ordering::Equal);
        let first = points.iter().min_by(order)?;
        let size = size(points);
        let mut growing = Self { points, size, corners: Vec::new(), triangles: Vec::new() };
        let number = |of: &[f32; 3]| points.iter().position(|point| point == of);
        let last = points.iter().max_by(order)?;
        let line = [*first, *last];
        // Across the line, and one of the axes of coordinates.
        let axes =
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].each(|axis| [[0.0; 3], axis]);
        let beside = axes.iter().find_map(|&axis| {
            let [one, other] = [Normal::across([line, axis]), Normal::across([axis, line])];
            growing.farthest(&one, &line).or_else(|| growing.farthest(&other, &line))
        })?;
        let plane = [*first, *last, points[beside]];
        let [a, b, c] = plane;
        growing.corners.extend([number(first)?, number(last)?, beside]);
        if let Some(below) = growing.farthest(&Normal::of([a, c, b]), &plane) {
            growing.corners.push(below);
        } else {
            growing.corners.push(growing.farthest(&Normal::of(plane), &plane)?);
            growing.corners.swap(1, 2);
        }
        for corners in [[0, 1, 2], [1, 0, 3], [2, 1, 3], [0, 2, 3]] {
            growing.add(corners);
        }
        Some(growing)
    }

    fn point(&self, corner: u8) -> [f32; 3] {
        self.points[self.corners[usize::from(corner)]]
    }

    fn add(&mut self, corners: [u8; 3]) {
        let normal = Normal::of(corners.each(|corner| self.point(corner)));
        self.triangles.push(Triangle { corners, normal, is_outermost: false });
    }

    /// The point that is highest above points that are equally high, if one is: of equally high
    /// ones that with the greatest coordinates.
    fn farthest(&self, normal: &Normal, over: &[[f32; 3]]) -> Option<usize> {
        let height = |point: &[f32; 3]| normal.height(over[0], *point);
        let greatest = self.points.iter().map(height).fold(0.0, f64::max);
        let least = greatest - 2.0 * normal.room(self.size);
        let mut best: Option<usize> = None;
        for (number, point) in self.points.iter().enumerate() {
            if height(point) < least || over.contains(point) {
                continue;
            }
            let than = best.map_or(over[0], |best| self.points[best]);
            let sign = normal.sign(than, *point);
            if sign > 0 || (sign == 0 && best.is_some() && *point > than) {
                best = Some(number);
            }
        }
        best
    }

    /// Makes a point a corner. It is no corner yet, and on no line through two.
    fn reach(&mut self, point: usize) {
        let new = self.corners.len() as u8;
        self.corners.push(point);
        // For each corner those that an edge of a triangle leads to which the point is above.
        let mut ways = [0u64; MOST];
        let (points, all) = (self.points, &self.corners);
        self.triangles.retain(|Triangle { corners, normal, is_outermost }| {
            let origin = points[all[usize::from(corners[0])]];
            let is_above = !is_outermost && normal.sign(origin, points[point]) > 0;
            for i in (0..3).filter(|_| is_above) {
                ways[usize::from(corners[i])] |= 1 << corners[(i + 1) % 3];
            }
            !is_above
        });
        for from in 0..new {
            for to in (0..new).filter(|to| ways[usize::from(from)] >> to & 1 == 1) {
                if ways[usize::from(to)] >> from & 1 == 0 {
                    self.add([from, to, new]);
                }
            }
        }
    }

    /// The corners in the order of the points, and the faces that triangles are parts of.
    fn finish(self) -> (Vec<[f32; 3]>, Topology) {
        let mut order: Vec<usize> = (0..self.corners.len()).collect();
        order.sort_unstable_by_key(|&corner| self.corners[corner]);
        let corners: Vec<_> = order.iter().map(|&corner| self.point(corner as u8)).collect();
        let mut number = [0u8; MOST];
        for (new, &old) in order.iter().enumerate() {
            number[old] = new as u8;
        }
        let mut planes: Vec<u64> = Vec::new();
        for triangle in &self.triangles {
            let three = triangle.corners.each(|corner| number[usize::from(corner)]);
            let bits = three.iter().fold(0, |bits, corner| bits | 1 << corner);
            if planes.iter().all(|on| on & bits != bits) {
                planes.extend(on_plane(&corners, self.size, three));
            }
        }
        (corners, topology(planes))
    }
}
