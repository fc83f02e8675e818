//! A floor plan: the level from above, cut open, shaded by ambient occlusion.
//!
//! `cargo run --release --features import --example floor_plan [MODEL [HEIGHT]]`
//!
//! Walls are cut at `HEIGHT`. Every point of the floor sends rays into all directions: the more of
//! them get away, the brighter it is. Two batches of rays make the picture.

use std::error::Error;
use std::f32::consts::{PI, TAU};
use std::fs::File;
use std::path::PathBuf;
use std::time::Instant;

use hitscan::glam::Vec3;
use hitscan::{Builder, Face, Hit, Import, Query, Ray};

/// The longer side of the picture, in pixels.
const SIDE: f32 = 1000.0;
/// Rays from each point.
const SAMPLES: usize = 32;
/// How far a wall darkens the floor, as a part of the level's longer side.
const REACH: f32 = 0.08;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let level = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data/level.glb");
    let model = args.next().map_or_else(level, PathBuf::from);
    let height = args.next().map_or(Ok(2.2), |text| text.parse())?;
    let (bvh, _report) = Builder::new().bake(&Import::open(&model)?)?;

    // A ray for each pixel, straight down from where the level is cut.
    let (bounds, start) = (bvh.bounds(), Instant::now());
    let size = bounds.max - bounds.min;
    let pixel = size.x.max(size.z) / SIDE;
    let (width, rows) = ((size.x / pixel) as usize, (size.z / pixel) as usize);
    let down = |i: usize| {
        let (x, z) = ((i % width) as f32 + 0.5, (i / width) as f32 + 0.5);
        let origin = Vec3::new(bounds.min.x + x * pixel, height, bounds.min.z + z * pixel);
        Ray::new(origin, Vec3::NEG_Y)
    };
    let rays: Vec<_> = (0..width * rows).map(down).collect();
    let mut floor = vec![None; rays.len()];
    bvh.closest_hit_batch(&rays, &Query::new(), &mut floor)?;

    // Where a ray meets the back of a surface, it began inside a wall. All others meet a floor.
    let floor_hits: Vec<_> = floor.iter().flatten().filter(|hit| hit.face == Face::Front).collect();
    let reach = REACH * size.x.max(size.z);
    let around = |(n, hit): (usize, &&Hit)| {
        let normal = bvh.normal(hit)?;
        let (side, up) = normal.any_orthonormal_pair();
        // Off the floor. All rays that lead to the same side of it can share this origin.
        let leaving = bvh.ray_from(hit, normal)?.with_range(0.0, reach);
        let turned = (n % 97) as f32 * TAU / 97.0;
        // Directions in a spiral, denser around the normal, turned from pixel to pixel.
        Some((0..SAMPLES).map(move |i| {
            let i = i as f32 + 0.5;
            let (sin, cos) = (i * PI * (3.0 - 5f32.sqrt()) + turned).sin_cos();
            let radius = (i / SAMPLES as f32).sqrt();
            let dir = (side * cos + up * sin) * radius + normal * (1.0 - radius * radius).sqrt();
            Ray { dir, ..leaving }
        }))
    };
    let rays: Vec<_> = floor_hits.iter().enumerate().filter_map(around).flatten().collect();
    let mut blocked = vec![false; rays.len()];
    bvh.any_hit_batch(&rays, &Query::new(), &mut blocked)?;

    let mut free = blocked.chunks(SAMPLES).map(|chunk| chunk.iter().filter(|hit| !**hit).count());
    let shade = |hit: &Option<Hit>| match hit {
        None => 255,
        Some(hit) if hit.face == Face::Back => 40,
        Some(_) => (60 + 190 * free.next().unwrap_or(0) / SAMPLES) as u8,
    };
    let pixels: Vec<u8> = floor.iter().map(shade).collect();
    let path = std::env::temp_dir().join("floor_plan.png");
    let mut png = png::Encoder::new(File::create(&path)?, width as u32, rows as u32);
    png.set_color(png::ColorType::Grayscale);
    png.write_header()?.write_image_data(&pixels)?;
    println!("{} rays, {:.2?}: {}", floor.len() + rays.len(), start.elapsed(), path.display());
    Ok(())
}
