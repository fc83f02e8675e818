//! What rays are made of: cameras, surface points, bounces, shadows.

use crate::peer::{Answer, MISS, Peer, Ray};
use hitscan_levels::Level;
use hitscan_levels::math::{
    Random, Vec3, add, cross, dot, length, normalize, round, scale, sub, vec3,
};

use crate::scenes::View;

/// Rays along a side of a view's square picture.
pub const SIDE: usize = 256;

/// Half the picture's width at distance one: an opening of 70 degrees.
const TAN_HALF_OPENING: f64 = 0.700_207_538_209_709_7;

const BOUNCE_SEED: u64 = 1;
const SHUFFLE_SEED: u64 = 2;

/// A ray without end.
pub fn endless(origin: Vec3, dir: Vec3) -> Ray {
    Ray { origin: round(origin), t_min: 0.0, dir: round(dir), t_max: f32::INFINITY }
}

/// What these views see, in scan-line order.
pub fn primary(views: &[View]) -> Vec<Ray> {
    let mut rays = Vec::with_capacity(views.len() * SIDE * SIDE);
    for view in views {
        let forward = normalize(vec3(view.dir));
        let up = if forward[1].abs() < 0.99 { [0.0, 1.0, 0.0] } else { [0.0, 0.0, 1.0] };
        let right = normalize(cross(forward, up));
        let up = cross(right, forward);
        let at = |i: usize| ((i as f64 + 0.5) / SIDE as f64 * 2.0 - 1.0) * TAN_HALF_OPENING;
        for y in 0..SIDE {
            for x in 0..SIDE {
                let dir = add(forward, add(scale(right, at(x)), scale(up, -at(y))));
                rays.push(endless(vec3(view.eye), normalize(dir)));
            }
        }
    }
    rays
}

/// What these rays hit first.
pub fn closest(tracer: &mut dyn Peer, rays: &[Ray]) -> Vec<Answer> {
    let mut answers = vec![MISS; rays.len()];
    tracer.prepare(rays);
    tracer.closest_all(rays, &mut answers);
    tracer.collect_closest(&mut answers);
    answers
}

/// Which of these rays hit anything.
pub fn any(tracer: &mut dyn Peer, rays: &[Ray]) -> Vec<bool> {
    let mut answers = vec![false; rays.len()];
    tracer.prepare(rays);
    tracer.any_all(rays, &mut answers);
    tracer.collect_any(&mut answers);
    answers
}

/// A picture of what the rays see: brighter where they meet surfaces head on, darker in
/// shadow, black where there is nothing.
pub fn shade(level: &Level, rays: &[Ray], light: [f32; 3], tracer: &mut dyn Peer) -> Vec<u8> {
    let shade = |ray: &Ray| {
        let points = surface_points(level, std::slice::from_ref(ray), tracer);
        let Some(point) = points.first() else {
            return 0;
        };
        let blocked = any(tracer, &shadow(&points, light))[0];
        let cosine = dot(point.normal, vec3(ray.dir)).abs();
        (if blocked { 90.0 } else { 180.0 } * cosine + 60.0) as u8
    };
    rays.iter().map(shade).collect()
}

/// A point just off a surface, on the side that a ray came from, and the normal there.
pub struct SurfacePoint {
    pub position: Vec3,
    pub normal: Vec3,
}

/// Where the rays hit. Hit points are worked out from the triangles hit, in `f64`, so
/// that they do not depend on the tracer's rounding.
pub fn surface_points(level: &Level, rays: &[Ray], tracer: &mut dyn Peer) -> Vec<SurfacePoint> {
    let answers = closest(tracer, rays);
    let offset = 1e-5 * level.diagonal();
    let point = |(ray, answer): (&Ray, &Answer)| {
        let [a, b, c] = level.triangles.get(answer.triangle as usize)?.map(vec3);
        let (origin, dir) = (vec3(ray.origin), vec3(ray.dir));
        let normal = normalize(cross(sub(b, a), sub(c, a)));
        let t = dot(sub(a, origin), normal) / dot(dir, normal);
        if !t.is_finite() {
            return None; // a degenerate triangle, or edge on
        }
        let normal = if dot(dir, normal) > 0.0 { scale(normal, -1.0) } else { normal };
        let position = add(add(origin, scale(dir, t)), scale(normal, offset));
        Some(SurfacePoint { position, normal })
    };
    rays.iter().zip(&answers).filter_map(point).collect()
}

/// A direction per point, more often near the normal by the cosine law.
pub fn bounce(points: &[SurfacePoint]) -> Vec<Ray> {
    let mut random = Random(BOUNCE_SEED);
    let ray = |point: &SurfacePoint| endless(point.position, hemisphere(point, &mut random));
    points.iter().map(ray).collect()
}

/// A direction away from a surface, more often near the normal by the cosine law.
pub fn hemisphere(point: &SurfacePoint, random: &mut Random) -> Vec3 {
    loop {
        let dir = add(point.normal, random.direction());
        if length(dir) > 1e-3 {
            return normalize(dir);
        }
    }
}

pub fn shadow(points: &[SurfacePoint], light: [f32; 3]) -> Vec<Ray> {
    let ray = |point: &SurfacePoint| between(point.position, vec3(light));
    points.iter().map(ray).collect()
}

/// From one point to another.
pub fn between(from: Vec3, to: Vec3) -> Ray {
    let way = sub(to, from);
    Ray { t_max: length(way) as f32, ..endless(from, normalize(way)) }
}

pub fn shuffle(rays: &mut [Ray]) {
    let mut random = Random(SHUFFLE_SEED);
    for i in (1..rays.len()).rev() {
        rays.swap(i, (random.next() % (i as u64 + 1)) as usize);
    }
}
