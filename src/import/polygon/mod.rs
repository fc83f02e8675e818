//! Polygons into triangles, by the rule that the module `import` states.

mod ears;
mod point_tree;

use super::work;
use ears::{Ears, Rule, orientation};

/// Of the polygon's area, what rounding may turn over.
const ROUNDING: f64 = 1e-12;
/// The part of the polygon's area that may be reversed without a warning: coordinates in `f32` let
/// edges cross that should touch.
const UNSEEN: f64 = 1e-6;
/// The limits of steps for each corner, so that hostile polygons take time in proportion to
/// their size. Most polygons need less than a hundred.
const STEPS: usize = 512;
const STEPS_IF_TOUCHING: usize = 48;
const CROSSING: &str = "a polygon crosses itself; its triangles cover other places than it";

/// Triangulates polygons by ear clipping, and keeps its buffers for the next polygon.
#[derive(Default)]
pub(super) struct Triangulator {
    ears: Ears,
}

impl Triangulator {
    /// Appends the `corners.len() - 2` triangles of a polygon, three corners each. Returns a
    /// warning if they cannot be right.
    pub(super) fn triangulate(
        &mut self,
        corners: &[u32],
        positions: &[[f32; 3]],
        triangles: &mut Vec<u32>,
    ) -> Option<&'static str> {
        work::count(corners.len());
        let area = if corners.len() > 3 { self.project(corners, positions) } else { None };
        if let Some(area) = area
            && area > 0.0
            && !self.is_fan()
        {
            return self.clip(area, corners, triangles);
        }
        let start = triangles.len();
        let (&first, rest) = corners.split_first()?;
        for pair in rest.windows(2) {
            triangles.extend([first, pair[0], pair[1]]);
        }
        let is_flat = |triangle: &[u32]| {
            let [a, b, c] = [0, 1, 2].map(|k| positions[triangle[k] as usize].map(f64::from));
            let edge = |to: [f64; 3]| [0, 1, 2].map(|k| to[k] - a[k]);
            let (b, c) = (edge(b), edge(c));
            (0..3).all(|k| b[k] * c[(k + 1) % 3] == b[(k + 1) % 3] * c[k])
        };
        // Areas that cancel out.
        let crosses = area == Some(0.0) && !triangles[start..].chunks(3).all(is_flat);
        crosses.then_some(CROSSING)
    }

    fn clip(
        &mut self,
        area: f64,
        corners: &[u32],
        triangles: &mut Vec<u32>,
    ) -> Option<&'static str> {
        let start = triangles.len();
        let emit = |ear: [usize; 3]| triangles.extend(ear.map(|corner| corners[corner]));
        let turned_over = self.ears.clip(&[Rule::Simple], STEPS, emit);
        // The signed areas of the triangles cover each point as often as the outline goes
        // round it. So if none is turned over, no point outside is covered, and none twice.
        if turned_over <= ROUNDING * area {
            return None;
        }
        let end = triangles.len();
        if !self.ears.has_given_up() {
            let emit = |ear: [usize; 3]| triangles.extend(ear.map(|corner| corners[corner]));
            let rules = [Rule::Touching, Rule::Tight];
            if self.ears.clip(&rules, STEPS_IF_TOUCHING, emit) <= ROUNDING * area {
                triangles.drain(start..end);
                return None;
            }
            triangles.truncate(end);
        }
        (turned_over > UNSEEN * area).then_some(CROSSING)
    }

    /// Projects the corners onto the coordinate plane that the polygon faces most, turned
    /// counter-clockwise, and returns twice its area. `None` if the normal is not finite or a
    /// corner is missing.
    fn project(&mut self, corners: &[u32], positions: &[[f32; 3]]) -> Option<f64> {
        let position = |corner: u32| positions.get(corner as usize);
        // Relative to the first corner, so that polygons far from zero keep their shape.
        let origin = position(*corners.first()?)?;
        let at = |corner: u32| {
            let p = position(corner)?;
            Some([0, 1, 2].map(|k| f64::from(p[k]) - f64::from(origin[k])))
        };
        // Newell's normal: twice the signed areas of the projections along the three axes.
        let mut normal = [0.0; 3];
        let mut a = at(*corners.last()?)?;
        for &corner in corners {
            let b = at(corner)?;
            for (k, n) in normal.iter_mut().enumerate() {
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                *n += a[i] * b[j] - a[j] * b[i];
            }
            a = b;
        }
        let size = normal.map(f64::abs);
        if !(size[0] + size[1] + size[2]).is_finite() {
            return None;
        }
        let mut axis = 0;
        for k in [1, 2] {
            if size[k] > size[axis] {
                axis = k;
            }
        }
        let (mut i, mut j) = ((axis + 1) % 3, (axis + 2) % 3);
        if normal[axis] < 0.0 {
            (i, j) = (j, i);
        }
        self.ears.points.clear();
        self.ears.points.extend(corners.iter().filter_map(|&c| at(c)).map(|p| [p[i], p[j]]));
        Some(size[axis])
    }

    /// Whether the polygon is convex: a fan around its first corner.
    fn is_fan(&self) -> bool {
        let points = &self.ears.points;
        let n = points.len();
        let turn =
            |a: usize, b: usize, c: usize| orientation(points[a % n], points[b % n], points[c % n]);
        // A star turns left everywhere too, but its fan does not.
        let is_left = |b: usize| turn(b + n - 1, b, b + 1) > 0.0;
        (0..n).all(is_left) && (2..n).all(|c| turn(0, c - 1, c) >= 0.0)
    }
}

#[cfg(test)]
mod tests;
