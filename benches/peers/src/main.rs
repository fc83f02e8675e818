//! Measures hitscan against its peers: one run, one thread, the same rays.
//! `benches/README.md` explains how to get the peers and what is fair.

mod builds;
mod cameras;
mod embree_packet;
mod embree_ray;
mod embree_scene;
mod kind;
mod machine;
mod many;
mod measure;
mod options;
mod peer;
mod peers;
mod rays;
#[cfg(feature = "parallel")]
mod scaling;
mod scenes;
mod table;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use hitscan_levels::Level;
use kind::Kind;
use options::{Options, Task, USAGE};
use peer::Peer;
use peers::{Entrant, embree, native, ours};
use scenes::{BASIC_SCENES, SCENES, Scene};
use table::Results;

fn main() -> ExitCode {
    let result = match Options::parse(env::args().skip(1)) {
        Ok(Some(options)) => run(&options),
        Ok(None) => {
            print!("{USAGE}");
            Ok(())
        }
        Err(error) => Err(error),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("hitscan-peers: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    let meshes = env::var_os("HITSCAN_MESHES").map(PathBuf::from);
    let scenes = chosen_scenes(options)?;
    match &options.task {
        Task::Builds => return builds::run(&scenes, meshes.as_deref(), options),
        #[cfg(feature = "parallel")]
        Task::Scaling => return scaling::run(&scenes, meshes.as_deref(), options),
        #[cfg(not(feature = "parallel"))]
        Task::Scaling => return Err("--scaling needs the feature `parallel`".to_owned()),
        Task::Rays | Task::Images(_) | Task::FindCameras => {}
    }
    let cpu = machine::pin(options.cpu);
    let entrants = entrants(options)?;
    print_setting(options, cpu, &entrants);

    let mut all = Vec::new();
    for scene in scenes {
        let level = Level::load(scene.name, meshes.as_deref(), options.terrain)?;
        println!("## {}\n", scene.name);
        match &options.task {
            Task::FindCameras => {
                let mut tracer = (entrants[0].build)(&level.triangles);
                let (views, light) = cameras::find(&level, scene.place, tracer.as_mut());
                println!("views: {views:?},\nlight: {light:?},\n");
            }
            Task::Images(folder) => {
                let mut tracer = (entrants[0].build)(&level.triangles);
                write_image(scene, &level, tracer.as_mut(), folder)?;
            }
            _ => {
                let results = measure_scene(scene, &level, &entrants, options);
                results.print();
                all.push(results);
            }
        }
    }
    if all.len() > 1 {
        table::print_summary(&all);
    }
    Ok(())
}

fn chosen_scenes(options: &Options) -> Result<Vec<&'static Scene>, String> {
    let Some(names) = &options.scenes else {
        return Ok(SCENES.iter().take(BASIC_SCENES).collect());
    };
    if *names == ["all"] {
        return Ok(SCENES.iter().collect());
    }
    let named = |name: &String| {
        SCENES.iter().find(|scene| scene.name == name).ok_or(format!("no such scene: {name}"))
    };
    names.iter().map(named).collect()
}

/// All that can be measured, hitscan first.
fn entrants(options: &Options) -> Result<Vec<Entrant>, String> {
    load(
        options,
        || ours::entrants(options.isa),
        |path| embree::entrants(path, options.verbose),
        native::entrants,
        |entrant| &entrant.name,
    )
}

/// What hitscan, Embree and the Rust crates give, each from the path of its library: all that can be
/// loaded and is asked for.
fn load<T>(
    options: &Options,
    ours: impl FnOnce() -> Vec<T>,
    embree: impl FnOnce(&Path) -> Result<Vec<T>, libloading::Error>,
    crates: impl FnOnce(&Path) -> Result<Vec<T>, libloading::Error>,
    name: impl Fn(&T) -> &String,
) -> Result<Vec<T>, String> {
    let mut all = Vec::new();
    if options.ours {
        all.extend(ours());
    }
    match env::var_os("HITSCAN_EMBREE") {
        Some(path) => all
            .extend(embree(Path::new(&path)).map_err(|error| format!("HITSCAN_EMBREE: {error}"))?),
        None => eprintln!("HITSCAN_EMBREE is not set: Embree is left out"),
    }
    let path = env::var_os("HITSCAN_NATIVE").map_or_else(native::default_path, PathBuf::from);
    match crates(&path) {
        Ok(some) => all.extend(some),
        Err(error) => eprintln!("the Rust peers are left out: {error}"),
    }
    chosen(all, options.peers.as_deref(), name)
}

/// Those that are asked for, or all.
fn chosen<T>(
    mut all: Vec<T>,
    names: Option<&[String]>,
    name: impl Fn(&T) -> &String,
) -> Result<Vec<T>, String> {
    if let Some(names) = names {
        let missing = |wanted: &&String| all.iter().all(|one| name(one) != *wanted);
        if let Some(missing) = names.iter().find(missing) {
            return Err(format!("no such peer, or it could not be loaded: {missing}"));
        }
        all.retain(|one| names.contains(name(one)));
    }
    if all.is_empty() {
        return Err("there is nothing to measure".to_owned());
    }
    Ok(all)
}

/// Machine, versions and options.
fn print_setting(options: &Options, cpu: Option<usize>, entrants: &[Entrant]) {
    println!("# hitscan and its peers\n");
    let cpu = cpu.map_or("not pinned".to_owned(), |cpu| format!("pinned to CPU {cpu}"));
    println!("- {}, {cpu}", machine::cpu_name());
    println!("- one thread, {} passes in turn", options.passes);
    for entrant in entrants {
        println!("- {}: {}", entrant.name, entrant.version);
    }
    println!(
        "\nCells: nanoseconds a ray in the fastest (and the middle) pass, **speed against \
         the best peer** by the same measure. The best peer is the fastest of those that \
         take one ray at a time in their fast mode.\n"
    );
}

fn measure_scene(scene: &Scene, level: &Level, entrants: &[Entrant], options: &Options) -> Results {
    let mut peers: Vec<Box<dyn Peer>> = Vec::new();
    let mut seconds = Vec::new();
    for entrant in entrants {
        let _float_control = machine::FloatControl::keep();
        let start = Instant::now();
        peers.push((entrant.build)(&level.triangles));
        let elapsed = start.elapsed().as_secs_f64();
        seconds.push(format!("{} {elapsed:.1}", entrant.name));
    }
    print!("{} triangles", level.triangles.len());
    print!("; seconds to build: {}", seconds.join(", "));

    let mut rows: Vec<_> =
        entrants.iter().map(|entrant| (entrant.name.clone(), entrant.role, Vec::new())).collect();
    let mut sets = Vec::new();
    let mut looked_at = Vec::new();
    for &kind in &options.kinds {
        let rays = kind.rays(level, scene, peers[0].as_mut());
        let hits = count_hits(kind, &rays, peers[0].as_mut()) as f64 / rays.len() as f64;
        sets.push(format!("{} {} ({:.0} % hit)", rays.len(), kind.name(), 100.0 * hits));
        let tolerance = 1e-6 * level.diagonal();
        let measurements = measure::measure(&mut peers, kind, &rays, options.passes, tolerance);
        for (row, measurement) in rows.iter_mut().zip(measurements) {
            row.2.push(measurement);
        }
        for (entrant, peer) in entrants.iter().zip(&peers) {
            if let Some(counts) = peer.looked_at(kind.asks_any(), &rays) {
                looked_at.push((entrant.name.clone(), kind, counts));
            }
        }
    }
    println!("; rays: {}.\n", sets.join(", "));
    Results { rows, kinds: options.kinds.clone(), looked_at }
}

fn count_hits(kind: Kind, rays: &[peer::Ray], tracer: &mut dyn Peer) -> usize {
    if kind.asks_any() {
        let answers = rays::any(tracer, rays);
        answers.iter().filter(|&&hit| hit).count()
    } else {
        let answers = rays::closest(tracer, rays);
        answers.iter().filter(|answer| answer.t.is_finite()).count()
    }
}

/// What the cameras see, one under the other: dark far away, half as bright in shadow.
fn write_image(
    scene: &Scene,
    level: &Level,
    tracer: &mut dyn Peer,
    folder: &Path,
) -> Result<(), String> {
    let rays = rays::primary(&scene.views);
    let pixels = rays::shade(level, &rays, scene.light, tracer);
    let side = rays::SIDE;
    let mut image = format!("P5 {side} {} 255\n", rays.len() / side).into_bytes();
    image.extend(pixels);
    let path = folder.join(scene.name).with_extension("pgm");
    fs::write(&path, image).map_err(|error| format!("{}: {error}", path.display()))
}
