//! How fast trees are built.

use std::path::Path;
use std::time::Duration;

use hitscan_levels::Level;
use hitscan_levels::math::Random;

use crate::measure::Time;
use crate::options::Options;
use crate::peers::{Bakery, embree, native, ours};
use crate::scenes::Scene;
use crate::{load, machine};

/// A scene's rates: millions of triangles a second of each bakery, median and best.
type Rates = Vec<[f64; 2]>;

/// Of the orders in which they take turns.
const SEED: u64 = 1;

/// Measures them all, over all scenes, and prints what they give.
pub fn run(scenes: &[&Scene], meshes: Option<&Path>, options: &Options) -> Result<(), String> {
    // This thread works along, as it does in TBB's pool: else it would fall asleep, and wake two
    // others, each time that hitscan's turn comes.
    #[cfg(feature = "parallel")]
    rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .use_current_thread()
        .build_global()
        .map_err(|error| error.to_string())?;
    let bakeries = bakeries(options)?;
    println!("# How fast hitscan and its peers build\n");
    let (threads, passes) = (options.threads, options.passes);
    println!("- {}", machine::cpu_name());
    println!("- {threads} threads, {passes} passes in turn after one that is not counted");
    for bakery in &bakeries {
        println!("- {}: {}", bakery.name, bakery.version);
    }
    println!(
        "\nCells: millions of triangles a second in the middle (and the fastest) pass, by the clock.\n"
    );
    print!("| |");
    for scene in scenes {
        print!(" {} |", scene.name);
    }
    println!(" mean |\n|---|{}---|", "---|".repeat(scenes.len()));
    let mut columns = Vec::new();
    for scene in scenes {
        let level = Level::load(scene.name, meshes, options.terrain)?;
        // The table comes at the end.
        eprintln!("{}: {} triangles ...", scene.name, level.triangles.len());
        columns.push(measure(&bakeries, &level, passes));
    }
    for (row, bakery) in bakeries.iter().enumerate() {
        print!("| {} |", bakery.name);
        let mut mean = [0.0, 0.0];
        for column in &columns {
            let [median, best] = column[row];
            print!(" {median:.2} ({best:.2}) |");
            mean[0] += median.ln();
            mean[1] += best.ln();
        }
        let [median, best] = mean.map(|sum| (sum / columns.len() as f64).exp());
        println!(" {median:.2} ({best:.2}) |");
    }
    Ok(())
}

/// They take turns, in a new random order for each pass: after one that works on a single thread,
/// the other processors are asleep.
fn measure(bakeries: &[Bakery], level: &Level, passes: usize) -> Rates {
    let mut times = vec![Vec::new(); bakeries.len()];
    let mut order: Vec<usize> = (0..bakeries.len()).collect();
    let mut random = Random(SEED);
    for pass in 0..=passes {
        for i in (1..order.len()).rev() {
            order.swap(i, (random.unit() * (i + 1) as f64) as usize);
        }
        for &which in &order {
            let time: Duration = (bakeries[which].bake)(&level.triangles);
            if pass > 0 {
                times[which].push(time.as_secs_f64());
            }
        }
    }
    let rate = |seconds: f64| level.triangles.len() as f64 * 1e-6 / seconds;
    times
        .into_iter()
        .map(|times| {
            let time = Time::of(times);
            [rate(time.median), rate(time.min)]
        })
        .collect()
}

fn bakeries(options: &Options) -> Result<Vec<Bakery>, String> {
    load(
        options,
        ours::bakeries,
        |path| embree::bakeries(path, options.threads),
        native::bakeries,
        |bakery| &bakery.name,
    )
}
