//! How the cameras and lights of `scenes.rs` were found: `--find-cameras` prints them
//! anew. They are kept in the table so that a change here moves no measurement.

use crate::math::{Random, Vec3, add, cross, dot, length, normalize, round, scale, sub, vec3};
use crate::peer::{Answer, Peer, Ray};
use crate::rays::{Kind, any, closest, endless, primary};
use crate::scenes::{Level, View};

const SEED: u64 = 3;
/// Points that are tried.
const CANDIDATES: usize = 2000;
/// Directions in which each looks around.
const DIRECTIONS: usize = 128;
/// Distances beyond this part of the diagonal count no more.
const FAR: f64 = 0.15;

/// A point and what can be seen from there.
struct Candidate {
    position: Vec3,
    /// Mean distance of what is seen, front sides less back sides.
    openness: f64,
}

/// Four views and a light.
pub fn find(level: &Level, outside: bool, tracer: &mut dyn Peer) -> ([View; 4], [f32; 3]) {
    let views = if outside {
        around(level)
    } else {
        inside(level, tracer)
    };
    (views, light(level, outside, &views, tracer))
}

/// Around the level's box, looking at its middle.
fn around(level: &Level) -> [View; 4] {
    let middle = scale(add(vec3(level.min), vec3(level.max)), 0.5);
    let distance = 0.8 * level.diagonal();
    [[1.0, 0.3], [-0.3, 1.0], [-1.0, -0.3], [0.3, -1.0]].map(|[x, z]| {
        let way = normalize([x, 0.4, z]);
        View {
            eye: round(add(middle, scale(way, distance))),
            dir: round(scale(way, -1.0)),
        }
    })
}

/// At open places well apart from each other, each looking where most can be seen.
fn inside(level: &Level, tracer: &mut dyn Peer) -> [View; 4] {
    let mut places = candidates(level, tracer);
    places.sort_by(|a, b| b.openness.total_cmp(&a.openness));
    places.truncate(CANDIDATES / 8);
    let mut chosen: Vec<Vec3> = Vec::new();
    let mut apart = 0.3 * level.diagonal();
    while chosen.len() < 4 {
        let next = places.iter().find(|place| {
            chosen
                .iter()
                .all(|&other| length(sub(other, place.position)) >= apart)
        });
        match next {
            Some(place) => chosen.push(place.position),
            None => apart *= 0.8,
        }
    }
    [0, 1, 2, 3].map(|i| View {
        eye: round(chosen[i]),
        dir: round(best_direction(level, chosen[i], tracer)),
    })
}

/// Of eight directions, a little downward, the one in which most can be seen.
fn best_direction(level: &Level, eye: Vec3, tracer: &mut dyn Peer) -> Vec3 {
    let ways = [[1.0, 0.0], [0.7, 0.7], [0.0, 1.0], [-0.7, 0.7]];
    let dirs = ways.map(|[x, z]| [normalize([x, -0.15, z]), normalize([-x, -0.15, -z])]);
    let mut score = |dir: Vec3| {
        let view = View {
            eye: round(eye),
            dir: round(dir),
        };
        seen(level, &primary(&[view]), tracer)
    };
    let best = dirs
        .as_flattened()
        .iter()
        .map(|&dir| (score(dir), dir))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    best.expect("there are eight").1
}

/// Random points of the level's box.
fn candidates(level: &Level, tracer: &mut dyn Peer) -> Vec<Candidate> {
    let mut random = Random(SEED);
    let (min, size) = (vec3(level.min), sub(vec3(level.max), vec3(level.min)));
    let around: Vec<Vec3> = (0..DIRECTIONS).map(|_| random.direction()).collect();
    (0..CANDIDATES)
        .map(|_| {
            let position = [0, 1, 2].map(|axis| min[axis] + size[axis] * random.unit());
            let rays: Vec<Ray> = around.iter().map(|&dir| endless(position, dir)).collect();
            Candidate {
                position,
                openness: seen(level, &rays, tracer),
            }
        })
        .collect()
}

/// The mean distance that rays see, front sides less back sides, nothing counting
/// as zero.
fn seen(level: &Level, rays: &[Ray], tracer: &mut dyn Peer) -> f64 {
    let answers = closest(tracer, rays);
    let far = FAR * level.diagonal();
    let distance = |(ray, answer): (&Ray, &Answer)| {
        let Some(&triangle) = level.triangles.get(answer.triangle as usize) else {
            return 0.0;
        };
        let [a, b, c] = triangle.map(vec3);
        let front = dot(cross(sub(b, a), sub(c, a)), vec3(ray.dir)) < 0.0;
        let distance = f64::from(answer.t).min(far);
        if front { distance } else { -distance }
    };
    let sum: f64 = rays.iter().zip(&answers).map(distance).sum();
    sum / rays.len() as f64
}

/// The open place from which nearest to half of what the views see is lit.
fn light(level: &Level, outside: bool, views: &[View; 4], tracer: &mut dyn Peer) -> [f32; 3] {
    let places: Vec<Vec3> = if outside {
        let mut random = Random(SEED);
        let middle = scale(add(vec3(level.min), vec3(level.max)), 0.5);
        (0..64)
            .map(|_| add(middle, scale(random.direction(), level.diagonal())))
            .collect()
    } else {
        let mut places = candidates(level, tracer);
        places.sort_by(|a, b| b.openness.total_cmp(&a.openness));
        places.iter().take(64).map(|place| place.position).collect()
    };
    let off_half = |light: &Vec3, tracer: &mut dyn Peer| {
        let rays = Kind::Shadow.rays(level, views, round(*light), tracer);
        let rays: Vec<Ray> = rays.into_iter().step_by(37).collect();
        let blocked = any(tracer, &rays);
        let blocked = blocked.iter().filter(|&&blocked| blocked).count();
        (blocked as f64 / rays.len() as f64 - 0.5).abs()
    };
    let best = places
        .into_iter()
        .map(|place| (off_half(&place, tracer), place))
        .min_by(|a, b| a.0.total_cmp(&b.0));
    round(best.expect("there are places").1)
}
