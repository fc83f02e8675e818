//! Ambient occlusion: how much of the sky a hit sees nearby.
//!
//! Each pixel casts a few rays. Pixels that are neighbours take different directions, and their
//! answers are then mixed where they lie on one surface, so that all directions count.

use hitscan::Ray;
use rayon::prelude::*;

use super::traced::{BAND, Progress, Traced};
use super::vector::Vector;

/// Rays of a pixel.
const RAYS: usize = 8;
/// Pixels in a square of this side have different directions.
const SIDE: usize = 4;
/// How far rays look, as a part of the picture's height at the middle depth.
const REACH: f64 = 0.12;
/// Rays start this part of their length from the hit, so that they do not meet its triangle.
const START: f64 = 1.0 / 512.0;

/// For each pixel the part of the rays that are free, from 0 to 1. It means nothing where nothing
/// was hit.
pub(super) fn open_sky(traced: &Traced<'_>, progress: Progress<'_>) -> Vec<f32> {
    let directions = directions();
    let reach = REACH * traced.camera.height_at(f64::from(traced.middle_depth()));
    let mut free = vec![0.0; traced.hits.len()];
    let whole = free.len();
    // As many rays at a time as when the hits were traced.
    for (band, free) in free.chunks_mut(BAND / RAYS).enumerate() {
        let first = band * (BAND / RAYS);
        progress(first as f64 / whole as f64);
        free.copy_from_slice(&free_rays(traced, first, free.len(), &directions, reach));
    }
    smoothed(traced, &free)
}

/// Of `count` pixels from the `first`.
fn free_rays(
    traced: &Traced<'_>,
    first: usize,
    count: usize,
    directions: &[Vector],
    reach: f64,
) -> Vec<f32> {
    let width = traced.camera.size().width as usize;
    let hits = traced.hits[first..first + count].par_iter().enumerate();
    let rays = hits.flat_map_iter(|(i, hit)| {
        let (x, y) = ((first + i) % width % SIDE, (first + i) / width % SIDE);
        let rays = hit.map(|hit| {
            let ray = traced.camera.ray_of_pixel(first + i);
            let from = Vector::from(ray.origin) + Vector::from(ray.dir) * f64::from(hit.t);
            let normal = traced.seen_normal(&hit);
            let own = directions.iter().skip(y * SIDE + x).step_by(SIDE * SIDE);
            own.map(move |&on_sphere| {
                // By the cosine of the angle to the normal, as light falls in.
                let dir = (normal + on_sphere).normalized();
                let end = reach.min(traced.camera.room(hit.t.into(), dir));
                let ray = Ray::new(from.rounded(), dir.rounded());
                ray.with_range((START * reach) as f32, end as f32)
            })
        });
        rays.into_iter().flatten()
    });
    let rays: Vec<Ray> = rays.collect();
    let mut blocked = vec![false; rays.len()];
    traced.level.any_hit_batch(&rays, traced.query, &mut blocked).expect("a place for each answer");
    let mut answers = blocked.chunks(RAYS).map(|blocked| {
        let free = blocked.iter().filter(|&&blocked| !blocked).count();
        free as f32 / RAYS as f32
    });
    let hits = &traced.hits[first..first + count];
    hits.iter().map(|hit| hit.and_then(|_| answers.next()).unwrap_or(1.0)).collect()
}

/// Directions that are spread evenly: points of the sequence R3 (Roberts 2018) within the unit
/// ball, moved to its surface. The first ones go to one pixel each.
fn directions() -> Vec<Vector> {
    const STEPS: [f64; 3] =
        [0.819_172_513_396_164_5, 0.671_043_606_703_789_3, 0.549_700_477_901_970_3];
    let points = (1..).map(|i| {
        let at = |k: usize| {
            let x = 0.5 + f64::from(i) * STEPS[k];
            2.0 * (x - x.floor()) - 1.0
        };
        Vector::new(at(0), at(1), at(2))
    });
    let in_ball = points.filter(|point| (0.1..=1.0).contains(&point.length()));
    in_ball.map(Vector::normalized).take(RAYS * SIDE * SIDE).collect()
}

/// The mean over the pixels of a square around each one that lie on the same surface.
fn smoothed(traced: &Traced<'_>, free: &[f32]) -> Vec<f32> {
    let size = traced.camera.size();
    let (width, height) = (size.width as usize, size.height as usize);
    let normals: Vec<Vector> = traced
        .hits
        .par_iter()
        .map(|hit| hit.map_or(Vector::default(), |hit| traced.seen_normal(&hit)))
        .collect();
    let mean = |i: usize| {
        let Some(hit) = traced.hits[i] else { return free[i] };
        let (x, y) = (i % width, i / width);
        let (mut sum, mut count) = (0.0, 0.0);
        for y in y.saturating_sub(SIDE / 2)..(y + SIDE / 2).min(height) {
            for x in x.saturating_sub(SIDE / 2)..(x + SIDE / 2).min(width) {
                let j = y * width + x;
                let Some(other) = traced.hits[j] else { continue };
                let is_near = (other.t - hit.t).abs() < 0.05 * hit.t.abs();
                if is_near && normals[i].dot(normals[j]) > 0.9 {
                    sum += free[j];
                    count += 1.0;
                }
            }
        }
        // The pixel itself is among them, unless its normal is none.
        if count > 0.0 { sum / count } else { free[i] }
    };
    (0..free.len()).into_par_iter().map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_spread_evenly() {
        let directions = directions();
        assert_eq!(directions.len(), 128);
        let sum = directions.iter().fold(Vector::default(), |sum, &dir| sum + dir);
        assert!(sum.length() < 8.0, "{sum:?}");
        assert!(directions.iter().all(|dir| (dir.length() - 1.0).abs() < 1e-12));
        for axis in [Vector::new(1.0, 0.0, 0.0), Vector::new(0.6, 0.0, -0.8)] {
            let half = directions.iter().filter(|dir| dir.dot(axis) > 0.0).count();
            assert!((50..=78).contains(&half), "{half}");
        }
    }
}
