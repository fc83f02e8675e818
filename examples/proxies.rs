//! Picking among things that move: first coarse shapes, then the level behind them.
//!
//! `cargo run --release --features import --example proxies`
//!
//! What moves is in no tree. A box, an oriented box, a sphere or a capsule stands for each thing.
//! Around each is a box with a margin that it may move in, so boxes need not be made anew in each
//! frame. One prepared ray asks all boxes, and only the shapes of those that it meets.

use std::error::Error;
use std::path::Path;

use hitscan::geometry::{PreparedRay, RayInterval};
use hitscan::glam::{Affine3A, Vec3};
use hitscan::{Aabb, Builder, Capsule, Import, Obb, Query, Ray, Sphere};

enum Proxy {
    Chest(Aabb),
    Cart(Obb),
    Ball(Sphere),
    Player(Capsule),
}

impl Proxy {
    fn bounds(&self) -> Aabb {
        match self {
            Self::Chest(shape) => *shape,
            Self::Cart(shape) => shape.bounds(),
            Self::Ball(shape) => Aabb::from_center_half_size(shape.center, [shape.radius; 3]),
            Self::Player(shape) => shape.bounds(),
        }
    }

    fn ray_interval(&self, ray: &Ray) -> Option<RayInterval> {
        match self {
            Self::Chest(shape) => shape.ray_interval(ray),
            Self::Cart(shape) => shape.ray_interval(ray),
            Self::Ball(shape) => shape.ray_interval(ray),
            Self::Player(shape) => shape.ray_interval(ray),
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/level.glb");
    let (bvh, _report) = Builder::new().bake_import(&Import::open(model)?)?;

    // Two lines of things in the hall.
    let thing = |i: usize| {
        let at = Vec3::new(-30.0 + 2.0 * (i % 2) as f32, 0.0, 14.0 - 1.2 * i as f32);
        let turned =
            Affine3A::from_translation(at + 0.5 * Vec3::Y) * Affine3A::from_rotation_y(0.6);
        let cart = Aabb::from_center_half_size([0.0; 3], [0.4, 0.5, 0.7]);
        Some(match i % 4 {
            0 => Proxy::Chest(Aabb::from_center_half_size(at + 0.3 * Vec3::Y, [0.5, 0.3, 0.3])),
            1 => Proxy::Cart(Obb::from_transform(&turned, cart)?),
            2 => Proxy::Ball(Sphere::new(at + 0.4 * Vec3::Y, 0.4)),
            _ => Proxy::Player(Capsule::new(at + 0.4 * Vec3::Y, at + 1.4 * Vec3::Y, 0.4)),
        })
    };
    let things: Vec<Proxy> = (0..20).filter_map(thing).collect();
    let boxes: Vec<Aabb> = things.iter().map(|thing| thing.bounds().expanded([0.2; 3])).collect();

    let eye = Vec3::new(-29.0, 1.7, 17.0);
    for turn in -4..=4 {
        let dir = Vec3::new(0.05 * turn as f32, -0.1, -1.0).normalize();
        let (mut ray, mut nearest, mut asked) = (PreparedRay::new(Ray::new(eye, dir)), None, 0);
        for (i, bounds) in boxes.iter().enumerate() {
            if ray.intersects(bounds) {
                asked += 1;
                let interval = things[i].ray_interval(ray.ray());
                if let Some(hit) = interval.and_then(|interval| interval.clipped(ray.ray())) {
                    // From here on only what is nearer counts.
                    (ray, nearest) = (ray.with_range(0.0, hit.enter), Some(i));
                }
            }
        }
        // The level is asked only as far as the nearest thing.
        let (t, what) = match (bvh.closest_hit(ray.ray(), &Query::new()), nearest) {
            (Some(hit), _) => (hit.t, bvh.mesh_name(hit.mesh).unwrap_or_default().to_owned()),
            (None, Some(i)) => (ray.ray().t_max, format!("thing {i}")),
            (None, None) => (f32::INFINITY, "nothing".to_owned()),
        };
        println!(
            "turned {turn:2}: {what} at {t:.2} m; {asked} of {} shapes were asked",
            boxes.len()
        );
    }
    Ok(())
}
