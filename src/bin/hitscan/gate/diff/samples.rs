//! The rays that both levels are asked: through all of the level, and at what has changed.

use hitscan::{Aabb, Ray};

use super::level_changes::LevelChanges;
use super::targets::Targets;
use crate::random::Random;
use crate::sampled_rays::through_box;

/// A ray whose closest hit is asked for, and a line that may be free or not.
pub(super) struct Sample {
    pub(super) ray: Ray,
    pub(super) line: Ray,
}

/// The box of both levels.
pub(super) fn bounds(changes: &LevelChanges<'_>) -> Aabb {
    let [mut bounds, other] = changes.contents.map(|content| content.level.bounds());
    bounds.extend_box(&other);
    bounds
}

/// Sampled rays, and lines from the start of each to the start of the next one.
pub(super) fn through_level(bounds: &Aabb, count: usize) -> Vec<Sample> {
    let rays: Vec<Ray> = through_box(bounds, count).collect();
    let next = rays.iter().cycle().skip(1);
    let pairs = rays.iter().zip(next);
    pairs.map(|(&ray, next)| Sample { ray, line: Ray::between(ray.origin, next.origin) }).collect()
}

/// Rays and lines from around the boxes of what has changed to points in them.
pub(super) fn at_changes(changes: &LevelChanges<'_>, count: usize) -> Vec<Sample> {
    let targets = Targets::new(changes);
    let mut random = Random(0);
    let samples = (0..count).map_while(|_| {
        let [from, to] = targets.line(&mut random)?;
        Some(Sample { ray: Ray::new(from, to - from), line: Ray::between(from, to) })
    });
    samples.collect()
}
