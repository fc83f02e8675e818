//! How the cameras and lights of `scenes.rs` were found: `--find-cameras` prints them
//! anew. They are kept in the table so that a change here moves no measurement.

use std::collections::HashSet;

use crate::peer::{Answer, Peer, Ray};
use crate::rays::{any, closest, endless, primary, shadow, surface_points};
use hitscan_levels::Level;
use hitscan_levels::math::{
    Random, Vec3, add, cross, dot, length, normalize, round, scale, sub, vec3,
};

use crate::scenes::{Place, View};

const SEED: u64 = 3;
/// Points that are tried.
const CANDIDATES: usize = 2000;
/// Directions in which each looks around.
const DIRECTIONS: usize = 128;
/// Distances beyond this part of the diagonal count no more.
const FAR: f64 = 0.02;
/// Candidates lie no farther than this part of the diagonal from some vertex.
const NEAR: f64 = 0.05;

/// A point and what can be seen from there.
struct Candidate {
    position: Vec3,
    /// See [`seen`].
    worth: f64,
}

/// Four views and a light.
pub fn find(level: &Level, place: Place, tracer: &mut dyn Peer) -> ([View; 4], [f32; 3]) {
    let views = if place == Place::Around { around(level) } else { within(level, place, tracer) };
    (views, light(level, place, &views, tracer))
}

/// Around the level's box, looking at its middle.
fn around(level: &Level) -> [View; 4] {
    let middle = scale(add(vec3(level.min), vec3(level.max)), 0.5);
    let distance = 0.5 * level.diagonal();
    [[1.0, 0.3], [-0.3, 1.0], [-1.0, -0.3], [0.3, -1.0]].map(|[x, z]| {
        let way = normalize([x, 0.4, z]);
        View { eye: round(add(middle, scale(way, distance))), dir: round(scale(way, -1.0)) }
    })
}

/// At places worth seeing, well apart from each other, each looking where most can be seen.
fn within(level: &Level, place: Place, tracer: &mut dyn Peer) -> [View; 4] {
    let mut places = candidates(level, place, tracer);
    places.sort_by(|a, b| b.worth.total_cmp(&a.worth));
    places.truncate(CANDIDATES / 8);
    let mut chosen: Vec<Vec3> = Vec::new();
    let mut apart = 0.3 * level.diagonal();
    while chosen.len() < 4 {
        let next = places
            .iter()
            .find(|place| chosen.iter().all(|&other| length(sub(other, place.position)) >= apart));
        match next {
            Some(place) => chosen.push(place.position),
            None => apart *= 0.8,
        }
    }
    [0, 1, 2, 3].map(|i| View {
        eye: round(chosen[i]),
        dir: round(best_direction(level, place, chosen[i], tracer)),
    })
}

/// Of eight directions, a little downward, the one in which most can be seen.
fn best_direction(level: &Level, place: Place, eye: Vec3, tracer: &mut dyn Peer) -> Vec3 {
    let ways = [[1.0, 0.0], [0.7, 0.7], [0.0, 1.0], [-0.7, 0.7]];
    let dirs = ways.map(|[x, z]| [normalize([x, -0.15, z]), normalize([-x, -0.15, -z])]);
    let mut score = |dir: Vec3| {
        let view = View { eye: round(eye), dir: round(dir) };
        let rays: Vec<Ray> = primary(&[view]).into_iter().step_by(61).collect();
        seen(level, place, &rays, tracer)
    };
    let best =
        dirs.as_flattened().iter().map(|&dir| (score(dir), dir)).max_by(|a, b| a.0.total_cmp(&b.0));
    best.expect("there are eight").1
}

/// Random points near random triangles.
fn candidates(level: &Level, place: Place, tracer: &mut dyn Peer) -> Vec<Candidate> {
    let mut random = Random(SEED);
    let near = NEAR * level.diagonal();
    let around: Vec<Vec3> = (0..DIRECTIONS).map(|_| random.direction()).collect();
    (0..CANDIDATES)
        .map(|_| {
            let triangle = random.next() % level.triangles.len() as u64;
            let vertex = vec3(level.triangles[triangle as usize][0]);
            let offset = scale(random.direction(), near * random.unit());
            let position = add(vertex, offset);
            let rays: Vec<Ray> = around.iter().map(|&dir| endless(position, dir)).collect();
            Candidate { position, worth: seen(level, place, &rays, tracer) }
        })
        .collect()
}

/// How much rays see: the mean distance, of sides that should be seen less that of
/// others, nothing counting as zero, times how many triangles they tell apart.
fn seen(level: &Level, place: Place, rays: &[Ray], tracer: &mut dyn Peer) -> f64 {
    let answers = closest(tracer, rays);
    let far = FAR * level.diagonal();
    let distance = |(ray, answer): (&Ray, &Answer)| {
        let Some(&triangle) = level.triangles.get(answer.triangle as usize) else {
            return 0.0;
        };
        let [a, b, c] = triangle.map(vec3);
        let front = dot(cross(sub(b, a), sub(c, a)), vec3(ray.dir)) < 0.0;
        let distance = f64::from(answer.t).min(far);
        if front == (place == Place::Within) { distance } else { -distance }
    };
    let sum: f64 = rays.iter().zip(&answers).map(distance).sum();
    let triangles: HashSet<u32> = answers.iter().map(|answer| answer.triangle).collect();
    sum / rays.len() as f64 * triangles.len() as f64
}

/// The place from which nearest to half of what the views see is lit.
fn light(level: &Level, place: Place, views: &[View; 4], tracer: &mut dyn Peer) -> [f32; 3] {
    let places: Vec<Vec3> = if place == Place::Around {
        let mut random = Random(SEED);
        let middle = scale(add(vec3(level.min), vec3(level.max)), 0.5);
        (0..64).map(|_| add(middle, scale(random.direction(), level.diagonal()))).collect()
    } else {
        let mut places = candidates(level, place, tracer);
        places.sort_by(|a, b| b.worth.total_cmp(&a.worth));
        places.iter().take(64).map(|place| place.position).collect()
    };
    let points = surface_points(level, &primary(views), tracer);
    let off_half = |light: &Vec3, tracer: &mut dyn Peer| {
        let rays = shadow(&points, round(*light));
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
