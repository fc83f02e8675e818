//! What a batch gains by several threads in place of one.

use std::path::Path;
use std::time::Instant;

use hitscan_levels::Level;
use hitscan_levels::math::{Random, add, round, sub, vec3};

use crate::machine;
use crate::measure::Time;
use crate::options::Options;
use crate::peers::ours;
use crate::scenes::Scene;

/// Rays of a batch.
const RAYS: usize = 1_000_000;

/// Measures it over all scenes, and prints what it gives.
pub fn run(scenes: &[&Scene], meshes: Option<&Path>, options: &Options) -> Result<(), String> {
    let (threads, passes) = (options.threads, options.passes);
    let pools = [pool(1)?, pool(threads)?];
    println!("# What batches gain by threads\n");
    println!("- {}", machine::cpu_name());
    println!("- hitscan, {}", options.isa);
    println!("- {RAYS} rays between random points, their nearest hits");
    println!("- {passes} passes in turn after one that is not counted");
    println!("\nCells: milliseconds a batch in the fastest (and the middle) pass.\n");
    println!("| | one thread | {threads} threads | times as fast |");
    println!("|---|---|---|---|");
    for scene in scenes {
        let level = Level::load(scene.name, meshes, options.terrain)?;
        let [one, several] = measure(&level, &pools, options);
        println!(
            "| {} | {:.1} ({:.1}) | {:.1} ({:.1}) | {:.2} ({:.2}) |",
            scene.name,
            one.min,
            one.median,
            several.min,
            several.median,
            one.min / several.min,
            one.median / several.median
        );
    }
    Ok(())
}

fn pool(threads: usize) -> Result<rayon::ThreadPool, String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| error.to_string())
}

/// Milliseconds a batch on each of the pools, which take turns.
fn measure(level: &Level, pools: &[rayon::ThreadPool; 2], options: &Options) -> [Time; 2] {
    let bvh = ours::bake(&level.triangles);
    let view = &bvh;
    let query = hitscan::Query::new().instruction_set(options.isa);
    let rays = between_points(level);
    let mut hits = vec![None; RAYS];
    let mut times = [const { Vec::new() }; 2];
    for pass in 0..=options.passes {
        for (pool, times) in pools.iter().zip(&mut times) {
            let start = Instant::now();
            pool.install(|| view.closest_hit_batch(&rays, &query, &mut hits))
                .expect("there are as many hits as rays");
            if pass > 0 {
                times.push(start.elapsed().as_secs_f64() * 1e3);
            }
        }
    }
    times.map(Time::of)
}

/// Rays from random points of the level's box to others.
fn between_points(level: &Level) -> Vec<hitscan::Ray> {
    const SEED: u64 = 3;
    let mut random = Random(SEED);
    let (min, max) = (vec3(level.min), vec3(level.max));
    let extent = sub(max, min);
    let mut point = || add(min, extent.map(|length| length * random.unit()));
    let mut ray = || {
        let (from, to) = (point(), point());
        hitscan::Ray::new(round(from), round(sub(to, from)))
    };
    (0..RAYS).map(|_| ray()).collect()
}
