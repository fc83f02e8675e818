//! A good view of a level, found by looking around: from outside, and from places to stand inside.

use hitscan::glam::Vec3;
use hitscan::{Aabb, Face, Hit, Query, Ray};
use rayon::prelude::*;

use super::camera::{Camera, half_size};
use super::image::Size;
use super::level::Level;
use super::vector::Vector;

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
const COLUMNS: usize = 5;
/// The most places to stand in one column.
const FLOORS: usize = 3;
/// The height of an eye above the floor, as a part of the room above it.
const EYE: f64 = 0.5;
/// And at most this part of the level's size.
const HIGHEST_EYE: f64 = 0.04;
/// What is nearer than this part of the level's size is too near to be a good view.
const TOO_NEAR: f64 = 0.01;
/// What a mesh counts, in triangles.
const MESH: usize = 4;
/// The size of the pictures that are compared: as many rays as one thread takes at a time.
const ROWS: u32 = 20;

/// The view with the most different triangles and meshes, seen from the front, over the largest
/// part of the picture. Of equally good ones it is the first, from outside before inside.
pub(crate) fn best(level: Level<'_>, query: &Query<'_>, fov: f64, size: Size) -> View {
    let bounds = level.bounds();
    let mut views = outside(&bounds, fov, size);
    views.extend(inside(level, query, &bounds));
    let width = (f64::from(ROWS) * f64::from(size.width) / f64::from(size.height)) as u32;
    let small = Size::new(width.clamp(2, 2 * ROWS), ROWS).expect("it has pixels");
    let scores = views.par_iter().map(|view| score(level, query, &bounds, view, fov, small));
    let scores: Vec<usize> = scores.collect();
    let best = (0..views.len()).rev().max_by_key(|&i| scores[i]).unwrap_or(0);
    views[best]
}

fn outside(bounds: &Aabb, fov: f64, size: Size) -> Vec<View> {
    let view = |down: f64, (x, z): (f64, f64)| {
        let forward = Vector::new(x, -down, z);
        View { eye: Camera::around(bounds, forward, fov, size), target: bounds.center() }
    };
    DOWN.iter().flat_map(|&down| AROUND.map(|around| view(down, around))).collect()
}

fn inside(level: Level<'_>, query: &Query<'_>, bounds: &Aabb) -> Vec<View> {
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
        let down = Ray::new(top, Vec3::NEG_Y);
        level.all_hits(&down, query, &mut hits);
        for (floor, room) in floors(level, &hits).take(FLOORS) {
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

/// How far below the start of a ray that falls there are floors, and how much room is above each.
fn floors(level: Level<'_>, hits: &[Hit]) -> impl Iterator<Item = (f64, f64)> {
    let mut above = f64::NEG_INFINITY;
    let floor = move |hit: &Hit| {
        let (t, room) = (f64::from(hit.t), f64::from(hit.t) - above);
        above = t;
        let is_floor = hit.face == Face::Front && level.normal(hit).y > 0.5;
        (is_floor && room > 0.0).then_some((t, room))
    };
    hits.iter().filter_map(floor)
}

fn score(
    level: Level<'_>,
    query: &Query<'_>,
    bounds: &Aabb,
    view: &View,
    fov: f64,
    size: Size,
) -> usize {
    let camera = Camera::looking_at(view.eye, view.target, fov, size);
    let rays: Vec<Ray> = (0..size.pixels()).map(|pixel| camera.ray_of_pixel(pixel)).collect();
    let mut hits = vec![None; rays.len()];
    level.closest_hits(&rays, query, &mut hits);
    let near = TOO_NEAR * half_size(bounds).length();
    let good = |hit: &&Hit| hit.face == Face::Front && f64::from(hit.t) > near;
    let mut seen: Vec<_> = hits.iter().flatten().filter(good).collect();
    let covered = seen.len();
    seen.sort_unstable_by_key(|hit| (hit.instance, hit.mesh, hit.triangle));
    seen.dedup_by_key(|hit| (hit.instance, hit.mesh, hit.triangle));
    let triangles = seen.len();
    seen.dedup_by_key(|hit| (hit.instance, hit.mesh));
    (triangles + MESH * seen.len()) * covered
}
