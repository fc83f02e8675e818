//! Volumes in a scene: things that are picked by coarse shapes, and a trigger.
//!
//! `cargo run --release --features import --example proxies`
//!
//! A box, an oriented box, a sphere or a capsule stands for each thing. A cursor asks the level
//! first, then the things in front of it. Then a player walks through them, and the scene says
//! which he touches.

use std::error::Error;
use std::path::Path;

use hitscan::geometry::Volume;
use hitscan::glam::{Affine3A, Vec3};
use hitscan::scene::{Instance, Scene};
use hitscan::{Aabb, Builder, Capsule, Import, Layers, Obb, Query, Ray, Sphere};

/// Four kinds of things, standing at zero.
fn thing(i: usize) -> Option<(&'static str, Volume)> {
    let cart = Aabb::from_min_max([-0.4, 0.0, -0.7], [0.4, 1.0, 0.7]);
    Some(match i % 4 {
        0 => ("chest", Aabb::from_min_max([-0.5, 0.0, -0.3], [0.5, 0.6, 0.3]).into()),
        1 => ("cart", Obb::from_transform(&Affine3A::from_rotation_y(0.6), cart)?.into()),
        2 => ("ball", Sphere::new([0.0, 0.4, 0.0], 0.4).into()),
        _ => ("player", Capsule::new([0.0, 0.4, 0.0], [0.0, 1.4, 0.0], 0.4).into()),
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/level.glb");
    let (bvh, _report) = Builder::new().bake(&Import::open(model)?)?;
    let mut scene = Scene::new();
    scene.insert(Instance::new(&bvh))?;

    // Two lines of things in the hall.
    for i in 0..20 {
        let at = Vec3::new(-30.0 + 2.0 * (i % 2) as f32, 0.0, 14.0 - 1.2 * i as f32);
        let (kind, volume) = thing(i).ok_or("it has no room")?;
        let instance = Instance::new(volume).with_name(format!("{kind} {i}"));
        scene.insert(instance.with_transform(Affine3A::from_translation(at)))?;
    }
    let now = scene.commit();

    let eye = Vec3::new(-29.0, 1.7, 17.0);
    for turn in -4..=4 {
        let dir = Vec3::new(0.05 * turn as f32, -0.1, -1.0).normalize();
        let mut cursor = Ray::new(eye, dir);
        let wall = now.closest_hit(&cursor, &Query::new());
        if let Some(wall) = &wall {
            // From here on only what is nearer counts.
            cursor = cursor.with_range(0.0, wall.t);
        }
        let (t, what) = match (now.closest_volume_hit(&cursor, Layers::ALL), wall) {
            (Some(thing), _) => (thing.enter, now.name(thing.instance)),
            (None, Some(wall)) => (wall.t, now.mesh_name(&wall)),
            (None, None) => (f32::INFINITY, Some("nothing")),
        };
        println!("turned {turn:2}: {} at {t:.2} m", what.unwrap_or_default());
    }

    let mut touched = Vec::new();
    for step in 0..10 {
        let feet = Vec3::new(-29.4, 0.0, 14.6 - 1.2 * step as f32);
        let body = Capsule::new(feet + 0.4 * Vec3::Y, feet + 1.4 * Vec3::Y, 0.4);
        now.all_volume_overlaps(body, Layers::ALL, &mut touched);
        let names: Vec<_> = touched.iter().filter_map(|&id| now.name(id)).collect();
        let names = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
        println!("at {:4.1}: touches {names}", feet.z);
    }
    Ok(())
}
