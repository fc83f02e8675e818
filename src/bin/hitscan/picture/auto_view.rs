//! A good view of a level, found by looking around: from outside, and from places to stand inside.

use hitscan::glam::Vec3;
use hitscan::{Aabb, Face, Hit, Query, Ray};
use rayon::prelude::*;

use super::camera::{Camera, half_size};
use super::image::Size;
use super::vector::Vector;
use crate::level::Level;

/// Where a camera is, and what it looks at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct View {
    pub(crate) eye: Vec3,
    pub(crate) target: Vec3,
}

/// The directions around, seen from above.
const AROUND: [(f64, f64); 8] = [
    (0.6, -1.0),
    (-0.6, -1.0),
    (1.0, -0.6),
    (-1.0, -0.6),
    (0.6, 1.0),
    (-0.6, 1.0),
    (1.0, 0.6),
    (-1.0, 0.6),
];
/// How steeply the level is looked down upon from outside.
const DOWN: [f64; 2] = [0.5, 1.0];
/// How steeply from inside.
const DOWN_INSIDE: f64 = 0.15;
/// Columns in which places to stand are looked for, on each axis.
const COLUMNS: usize = 7;
/// The most places to stand in one column, the lowest first: above them may be vaults and roofs.
const FLOORS: usize = 2;
/// The height of an eye above the floor, as a part of the room above it.
const EYE: f64 = 0.5;
/// And at most this part of the level's size.
const HIGHEST_EYE: f64 = 0.04;
/// Hits farther than this part of the level's size count fully, nearer ones less: a view should not
/// show the next wall.
const FAR_ENOUGH: f64 = 0.2;
/// What a mesh counts, in triangles.
const MESH: usize = 4;
/// How many times better backs must look than fronts.
const TURNED: u64 = 4;
/// The size of the pictures that are compared: as many rays as one thread takes at a time.
const ROWS: u32 = 20;

/// The view with the most different triangles and meshes, seen from the front, over the largest
/// part of the picture and not too near. Of equally good ones it is the first, from outside before
/// inside.
///
/// Some levels are turned inside out. If the best view of the backs is far better, it is taken.
pub(crate) fn best(level: Level<'_>, query: &Query<'_>, fov: f64, size: Size) -> View {
    let bounds = level.bounds();
    let small = small(size);
    let outside = outside(&bounds, fov, size);
    let best_of = |face: Face| {
        let looker = Looker { level, query, face, bounds, fov, size: small };
        let mut views = outside.clone();
        views.extend(looker.inside());
        let scores: Vec<u64> = views.par_iter().map(|view| looker.score(view)).collect();
        let best = (0..views.len()).rev().max_by_key(|&i| scores[i]).unwrap_or(0);
        (scores[best], views[best])
    };
    let [(front_score, front), (back_score, back)] = [Face::Front, Face::Back].map(best_of);
    if back_score / TURNED > front_score { back } else { front }
}

/// How much larger than a part of a level the boxes are that views of the part show: the whole
/// level comes before all of them.
const AROUND_PART: [f32; 4] = [12.0, 6.0, 3.0, 1.5];
/// Something is seen well if it takes this part of the picture.
const ENOUGH: usize = 24;

/// The widest view of a part of a level in which enough of it is seen: `seen` counts the pixels
/// that a small camera sees of it. If no view shows enough, it is the one that shows most; of a
/// part that no view shows, the best of the level.
pub(crate) fn of_part(
    level: Level<'_>,
    query: &Query<'_>,
    part: &Aabb,
    fov: f64,
    size: Size,
    seen: &(dyn Fn(&Camera) -> usize + Sync),
) -> View {
    let bounds = level.bounds();
    let small = small(size);
    let mut views = outside(&bounds, fov, size);
    // A part may be a flat piece, or a point.
    let least = 1e-3 * bounds.half_size().max_element();
    for factor in AROUND_PART {
        let half = part.half_size().max(Vec3::splat(least)) * factor;
        let around = Aabb::from_center_half_size(part.center(), half);
        views.extend(outside(&around, fov, size));
    }
    views.retain(|view| view.eye.is_finite() && view.eye != view.target);
    let enough = small.pixels() / ENOUGH;
    let counts: Vec<usize> = views
        .par_iter()
        .map(|view| seen(&Camera::looking_at(view.eye, view.target, fov, small)).min(enough))
        .collect();
    // The first of those that are equal.
    let most = (0..views.len()).rev().max_by_key(|&i| counts[i]).filter(|&i| counts[i] > 0);
    most.map_or_else(|| best(level, query, fov, size), |most| views[most])
}

/// A size with few pixels and the same shape.
fn small(size: Size) -> Size {
    let width = (f64::from(ROWS) * f64::from(size.width) / f64::from(size.height)) as u32;
    Size::new(width.clamp(2, 2 * ROWS), ROWS).expect("it has pixels")
}

fn outside(bounds: &Aabb, fov: f64, size: Size) -> Vec<View> {
    let view = |down: f64, (x, z): (f64, f64)| {
        let forward = Vector::new(x, -down, z);
        View { eye: Camera::around(bounds, forward, fov, size), target: bounds.center() }
    };
    DOWN.iter().flat_map(|&down| AROUND.map(|around| view(down, around))).collect()
}

/// Looks at a level for one side of its triangles.
struct Looker<'a> {
    level: Level<'a>,
    query: &'a Query<'a>,
    face: Face,
    bounds: Aabb,
    fov: f64,
    size: Size,
}

impl Looker<'_> {
    /// From places to stand.
    fn inside(&self) -> Vec<View> {
        let bounds = &self.bounds;
        let size = half_size(bounds).length();
        let mut views = Vec::new();
        let mut hits = Vec::new();
        for column in 0..COLUMNS * COLUMNS {
            let at = |index: usize, low: f32, high: f32| {
                let part = (index as f64 + 0.5) / COLUMNS as f64;
                f64::from(low) + part * (f64::from(high) - f64::from(low))
            };
            let x = at(column % COLUMNS, bounds.min.x, bounds.max.x);
            let z = at(column / COLUMNS, bounds.min.z, bounds.max.z);
            let top = Vector::new(x, f64::from(bounds.max.y) + size, z).rounded();
            self.level.all_hits(&Ray::new(top, Vec3::NEG_Y), self.query, &mut hits);
            for (floor, room) in self.floors(&hits).into_iter().rev().take(FLOORS) {
                let height = (EYE * room).min(HIGHEST_EYE * size);
                let eye = Vector::new(x, f64::from(top.y) - floor + height, z);
                views.extend(AROUND.map(|(x, z)| {
                    let target = eye + Vector::new(x, -DOWN_INSIDE, z) * (0.1 * size);
                    View { eye: eye.rounded(), target: target.rounded() }
                }));
            }
        }
        // Where coordinates are so large that the way between eye and target is lost.
        views.retain(|view| view.eye != view.target);
        views
    }

    /// How far below the start of a ray that falls there are floors, and how much room is above
    /// each.
    fn floors(&self, hits: &[Hit]) -> Vec<(f64, f64)> {
        let mut above = f64::NEG_INFINITY;
        let mut floors = Vec::new();
        for hit in hits {
            let (t, room) = (f64::from(hit.t), f64::from(hit.t) - above);
            above = t;
            let is_level = self.level.normal(hit).unwrap_or_default().y.abs() > 0.5;
            if hit.face == self.face && is_level && room > 0.0 {
                floors.push((t, room));
            }
        }
        floors
    }

    /// How good a view is.
    fn score(&self, view: &View) -> u64 {
        let camera = Camera::looking_at(view.eye, view.target, self.fov, self.size);
        let pixels = 0..self.size.pixels();
        let rays: Vec<Ray> = pixels.map(|pixel| camera.ray_of_pixel(pixel)).collect();
        let mut hits = vec![None; rays.len()];
        self.level.closest_hit_batch(&rays, self.query, &mut hits).expect("a place for each hit");
        let mut seen: Vec<_> = hits.iter().flatten().filter(|hit| hit.face == self.face).collect();
        let far_enough = FAR_ENOUGH * half_size(&self.bounds).length();
        let weight = |hit: &&Hit| (256.0 * (f64::from(hit.t) / far_enough).min(1.0)) as u64;
        let covered: u64 = seen.iter().map(weight).sum();
        seen.sort_unstable_by_key(|hit| (hit.instance, hit.mesh, hit.triangle));
        seen.dedup_by_key(|hit| (hit.instance, hit.mesh, hit.triangle));
        let triangles = seen.len();
        seen.dedup_by_key(|hit| (hit.instance, hit.mesh));
        // Squared: many small triangles in a corner of the picture do not make a good view.
        (triangles + MESH * seen.len()) as u64 * covered * covered
    }
}
