//! Volumes in a scene: things that are picked by coarse shapes, and a trigger.
//!
//! `cargo run --release --features import --example proxies`
//!
//! A box, an oriented box, a sphere or a capsule stands for each thing. A cursor asks the level and
//! the things together. Then a player walks through them: the scene says which he touches, and
//! whom an explosion at his place meets, but for himself.

use std::error::Error;
use std::path::Path;

use hitscan::geometry::Volume;
use hitscan::glam::{Affine3A, Vec3};
use hitscan::scene::{Instance, Scene};
use hitscan::{Aabb, Builder, Capsule, Import, Obb, Query, Ray, Sphere, Targets};

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

    let both = Query::new().targets(Targets::Both);
    let eye = Vec3::new(-29.0, 1.7, 17.0);
    for turn in -4..=4 {
        let dir = Vec3::new(0.05 * turn as f32, -0.1, -1.0).normalize();
        match now.closest_hit(&Ray::new(eye, dir), &both) {
            Some(hit) => {
                // The name of a mesh, or of an instance whose volume is hit.
                let what = now.mesh_name(&hit).unwrap_or_default();
                println!("turned {turn:2}: {what} at {:.2} m", hit.t);
            }
            None => println!("turned {turn:2}: nothing"),
        }
    }

    let things = Query::new().targets(Targets::Volumes);
    let (mut touched, mut hurt) = (Vec::new(), Vec::new());
    for step in 0..10 {
        let feet = Vec3::new(-29.4, 0.0, 14.6 - 1.2 * step as f32);
        let body = Capsule::new(feet + 0.4 * Vec3::Y, feet + 1.4 * Vec3::Y, 0.4);
        now.all_overlaps(body, &things, &mut touched);
        let names: Vec<_> = touched.iter().filter_map(|one| now.mesh_name(&one.hit)).collect();
        let names = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
        println!("at {:4.1}: touches {names}", feet.z);

        // The thrower is not hurt himself; the nearest is hurt most.
        let Some(thrower) = touched.first().map(|one| one.hit.instance) else { continue };
        now.all_within(feet + Vec3::Y, 2.5, &things.except(thrower), &mut hurt);
        for near in &hurt {
            let name = now.mesh_name(&near.hit).unwrap_or_default();
            println!("          and hurts {name}, {:.2} m away", near.distance);
        }
    }
    Ok(())
}
