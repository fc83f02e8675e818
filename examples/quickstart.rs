//! From a model to an answer: import, bake, save, open, query.
//!
//! `cargo run --release --features import --example quickstart [MODEL]`

use std::error::Error;
use std::path::PathBuf;

use hitscan::glam::Vec3;
use hitscan::{Builder, Bvh, Import, Query, Ray};

fn main() -> Result<(), Box<dyn Error>> {
    let level = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data/level.glb");
    let model = std::env::args_os().nth(1).map_or_else(level, PathBuf::from);
    let baked = std::env::temp_dir().join("quickstart.hbvh");

    // In the build step: read the model, bake it, and save the file that ships with the game.
    let import = Import::open(&model)?;
    let (bvh, report) = Builder::new().bake(&import)?;
    bvh.save(&baked)?;
    let summary = &report.summary;
    println!(
        "baked {} of {} triangles in {} meshes: {} nodes, depth {}, SAH cost {:.1}, {:.2?}",
        summary.triangles_kept,
        summary.triangles_in,
        import.meshes.len(),
        summary.nodes,
        summary.depth,
        summary.sah_cost,
        report.total,
    );

    // In the game: open the file. It is checked completely, so a damaged file is an error.
    let bvh = Bvh::open(&baked)?;
    let query = Query::new(); // all meshes, both sides

    // What is below? A ray from above the middle of the level, straight down.
    let bounds = bvh.bounds();
    let sky = Vec3::new(bounds.center().x, bounds.max.y + 1.0, bounds.center().z);
    let Some(hit) = bvh.closest_hit(&Ray::new(sky, Vec3::NEG_Y), &query) else {
        println!("nothing below {sky}");
        return Ok(());
    };
    let name = bvh.mesh_name(hit.mesh).unwrap_or_default();
    let material = hit.material().and_then(|number| bvh.material_name(number)).unwrap_or_default();
    let (triangle, ground) = (hit.triangle, sky - Vec3::Y * hit.t);
    println!("below {sky}: `{name}`, triangle {triangle}, material `{material}`, at {ground}");

    // Is the line of sight from there to a corner of the level free?
    let eye = ground + Vec3::Y * 1.7;
    let blocked = bvh.any_hit(&Ray::between(eye, bounds.max), &query);
    let answer = if blocked { "blocked" } else { "free" };
    println!("the line from {eye} to {} is {answer}", bounds.max);
    Ok(())
}
