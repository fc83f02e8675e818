//! Many rays, as games and bakers ask them: soft shadows, ambient occlusion, sight lines, ground
//! probes, light probes.

use hitscan_levels::Level;
use hitscan_levels::math::{Random, Vec3, add, scale, vec3};

use crate::peer::{Peer, Ray};
use crate::rays::{SurfacePoint, between, closest, endless, hemisphere};

const SEED: u64 = 4;

/// How far above the level's box the middle of the area light is, as a part of the diagonal.
const LIGHT_HEIGHT: f64 = 0.1;

/// Rays that look for what is near a surface point.
const OCCLUSION_RAYS: usize = 4;
/// Their length, as a part of the diagonal.
const OCCLUSION_LENGTH: f64 = 0.05;

/// Points that see each other or not.
const SIGHT_POINTS: usize = 1024;

/// Rays along a side of the grid of ground probes.
const GROUND_SIDE: usize = 512;

/// Light probes, and directions of each.
const PROBES: usize = 1024;
const PROBE_DIRECTIONS: usize = 256;

/// From each point to a random point of the area light, whose radius is a part of the diagonal.
pub fn soft(level: &Level, points: &[SurfacePoint], radius: f64) -> Vec<Ray> {
    let mut random = Random(SEED);
    let middle = scale(add(vec3(level.min), vec3(level.max)), 0.5);
    let height = f64::from(level.max[1]) + LIGHT_HEIGHT * level.diagonal();
    let light = [middle[0], height, middle[2]];
    let mut of_light = || add(light, scale(random.direction(), radius * level.diagonal()));
    let ray = |point: &SurfacePoint| between(point.position, of_light());
    points.iter().map(ray).collect()
}

/// Short rays from each point, over the hemisphere by the cosine law.
pub fn occlusion(level: &Level, points: &[SurfacePoint]) -> Vec<Ray> {
    let mut random = Random(SEED);
    let t_max = (OCCLUSION_LENGTH * level.diagonal()) as f32;
    let mut rays = Vec::with_capacity(OCCLUSION_RAYS * points.len());
    for point in points {
        for _ in 0..OCCLUSION_RAYS {
            let dir = hemisphere(point, &mut random);
            rays.push(Ray { t_max, ..endless(point.position, dir) });
        }
    }
    rays
}

/// Between each two of some random points.
pub fn sight(points: &[SurfacePoint]) -> Vec<Ray> {
    let mut random = Random(SEED);
    let chosen: Vec<Vec3> = (0..SIGHT_POINTS)
        .map(|_| points[(random.next() % points.len() as u64) as usize].position)
        .collect();
    let mut rays = Vec::with_capacity(SIGHT_POINTS * (SIGHT_POINTS - 1) / 2);
    for (i, &from) in chosen.iter().enumerate() {
        let others = chosen[i + 1..].iter().filter(|&&to| to != from);
        rays.extend(others.map(|&to| between(from, to)));
    }
    rays
}

/// Straight down from a grid a little above the level, line by line.
pub fn ground(level: &Level) -> Vec<Ray> {
    let height = f64::from(level.max[1]) + 1e-3 * level.diagonal();
    let at = |i: usize, axis: usize| {
        let (min, max) = (f64::from(level.min[axis]), f64::from(level.max[axis]));
        min + (max - min) * (i as f64 + 0.5) / GROUND_SIDE as f64
    };
    let mut rays = Vec::with_capacity(GROUND_SIDE * GROUND_SIDE);
    for z in 0..GROUND_SIDE {
        for x in 0..GROUND_SIDE {
            rays.push(endless([at(x, 0), height, at(z, 2)], [0.0, -1.0, 0.0]));
        }
    }
    rays
}

/// In random directions from random points of these rays, before they hit anything.
pub fn probe(sight: &[Ray], tracer: &mut dyn Peer) -> Vec<Ray> {
    let mut random = Random(SEED);
    let answers = closest(tracer, sight);
    let mut rays = Vec::with_capacity(PROBES * PROBE_DIRECTIONS);
    while rays.len() < PROBES * PROBE_DIRECTIONS {
        let i = (random.next() % sight.len() as u64) as usize;
        let (ray, t) = (&sight[i], f64::from(answers[i].t));
        if !t.is_finite() {
            continue;
        }
        let point = add(vec3(ray.origin), scale(vec3(ray.dir), random.unit() * t));
        rays.extend((0..PROBE_DIRECTIONS).map(|_| endless(point, random.direction())));
    }
    rays
}
