//! Batches: many rays in one call, on all cores.
//!
//! `cargo run --release --features import --example batches`
//!
//! Guards look for intruders: all sight lines of a frame in one call. The answers are those of one
//! ray at a time, bit for bit, in the same order.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use hitscan::glam::Vec3;
use hitscan::{Builder, Hit, Import, Query, Ray};

fn main() -> Result<(), Box<dyn Error>> {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/level.glb");
    let (bvh, _report) = Builder::new().bake(&Import::open(model)?)?;

    // A thousand people on the ground: where rays from the sky end, at the height of an eye.
    let bounds = bvh.bounds();
    let size = bounds.max - bounds.min;
    let drop = |i: usize| {
        let (x, z) = ((i % 40) as f32 / 40.0, (i / 40) as f32 / 25.0);
        Ray::new(bounds.min + size * Vec3::new(x, 1.1, z), Vec3::NEG_Y)
    };
    let rays: Vec<_> = (0..1000).map(drop).collect();
    let mut ground = vec![None; rays.len()];
    bvh.closest_hit_batch(&rays, &Query::new(), &mut ground)?;
    let points = ground.iter().flatten().filter_map(|hit| bvh.point(hit));
    let eyes: Vec<_> = points.map(|point| point + 1.7 * Vec3::Y).collect();

    // Every tenth is a guard. One line for each guard and each intruder, guard by guard: lines from
    // one eye go through the tree together.
    let (guards, intruders): (Vec<_>, Vec<_>) = (0..eyes.len()).partition(|i| i % 10 == 0);
    let pairs = guards.iter().flat_map(|&a| intruders.iter().map(move |&b| (a, b)));
    let lines: Vec<_> = pairs.map(|(a, b)| Ray::between(eyes[a], eyes[b])).collect();
    let mut blocked = vec![false; lines.len()];
    let start = Instant::now();
    bvh.any_hit_batch(&lines, &Query::new(), &mut blocked)?;
    let batch = start.elapsed();

    let start = Instant::now();
    let single: Vec<_> = lines.iter().map(|line| bvh.any_hit(line, &Query::new())).collect();
    let one_by_one = start.elapsed();
    assert_eq!(single, blocked);

    let seen = blocked.iter().filter(|blocked| !**blocked).count();
    println!("{} guards, {} intruders: {seen} are seen", guards.len(), intruders.len());
    println!("{} lines: {batch:.2?} in a batch, {one_by_one:.2?} one by one", lines.len());

    // A filter may depend on the ray. Here each line ignores what is within 2 m of its guard.
    let lengths: Vec<_> = lines.iter().map(|line| line.dir.length()).collect();
    let is_far = |ray: usize, hit: &Hit| hit.t * lengths[ray] > 2.0;
    bvh.any_hit_batch(&lines, &Query::new().filter_by_index(&is_far), &mut blocked)?;
    let seen = blocked.iter().filter(|blocked| !**blocked).count();
    println!("if they could look through what is near: {seen}");
    Ok(())
}
