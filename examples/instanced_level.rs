//! A level whose props repeat, baked into a scene: each prop is stored once, with the places where
//! it stands. It is saved as one file, opened again, and asked the same rays as the level that was
//! baked in one piece.
//!
//! ```sh
//! cargo run --release --features import --example instanced_level
//! ```

use hitscan::glam::{Quat, Vec3};
use hitscan::import::InstancedImport;
use hitscan::{Builder, Import, Query, Ray, Scene};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/data/level.glb");
    let builder = Builder::new();
    let (whole, _report) = builder.bake(&Import::open(model)?)?;

    let import = InstancedImport::open(model)?;
    let (scene, _reports) = Scene::bake_import(&builder, &import)?;
    let file = std::env::temp_dir().join(format!("instanced-level-{}.hscn", std::process::id()));
    scene.save(&file)?;
    let scene = Scene::open(&file)?;
    let bytes = std::fs::metadata(&file)?.len();
    std::fs::remove_file(&file)?;

    let (stored, placed) = (import.stored_triangle_count(), import.triangle_count());
    println!("{} instances of {} trees", scene.len(), import.repeated.len() + 1);
    println!("{stored} triangles stored for {placed} that are there");
    let in_one_piece = whole.to_bytes().len();
    println!("{bytes} bytes in place of {in_one_piece}");
    assert_eq!(placed as u64, whole.metadata().summary.triangles_in);
    assert!(3 * bytes < 2 * in_one_piece as u64);

    // What a ray hits there is called by its name.
    let now = scene.snapshot();
    let hall = Vec3::new(-29.0, 1.7, 17.0);
    let forward = Ray::between(hall, [-29.0, 4.5, -10.0]);
    if let Some(hit) = now.closest_hit(&forward, &Query::new()) {
        let name = now.name(hit.instance).unwrap_or_default();
        println!("ahead of the hall's entrance: {name:?}, mesh {:?}", now.mesh_name(&hit));
    }

    // The same rays, in one piece and in parts. Vertices of copies were moved and rounded before
    // the bake; rays into instances are moved when they are asked. So distances differ a little,
    // and a ray along an edge may hit on one side of it and miss on the other.
    let places = [hall, Vec3::new(9.5, 2.4, 10.2), Vec3::new(18.5, 1.7, -19.5)];
    let (mut same, mut other, mut worst, mut in_instances) = (0, 0, 0f32, 0);
    for place in places {
        for i in 0..2000 {
            // Directions that fill a sphere evenly, by the golden angle.
            let height = 1.0 - 2.0 * (i as f32 + 0.5) / 2000.0;
            let turn = Quat::from_rotation_y(2.399_963 * i as f32);
            let dir = turn * Vec3::new((1.0 - height * height).sqrt(), height, 0.0);
            let ray = Ray::new(place, dir);
            let one = whole.closest_hit(&ray, &Query::new());
            let parts = now.closest_hit(&ray, &Query::new());
            match (one, parts) {
                (None, None) => same += 1,
                (Some(one), Some(parts)) if (one.t - parts.t).abs() < 1e-3 => {
                    same += 1;
                    worst = worst.max((one.t - parts.t).abs());
                    in_instances += usize::from(now.name(parts.instance) != Some(""));
                }
                _ => other += 1,
            }
        }
    }
    println!("{same} rays agree to {worst:.6} metres, {in_instances} of them hit instances");
    println!("{other} rays pass an edge on the other side");
    assert!(other <= 6 && worst < 1e-3 && in_instances > 500);
    Ok(())
}
