//! Measures hitscan's questions about points and shapes against its peers: one run, one thread,
//! the same questions.

mod cases;
#[path = "../../peers/src/embree_scene.rs"]
#[expect(dead_code, reason = "rays need more of it")]
mod embree_scene;
#[path = "../../peers/src/machine.rs"]
#[expect(dead_code, reason = "rays need more of it")]
mod machine;
mod peer;
mod peers;
mod tick;

use std::path::PathBuf;
use std::process::ExitCode;

use hitscan_levels::Level;
use machine::thread_time;
use peer::{Kind, Peer};

const USAGE: &str = "\
Measures hitscan's questions about points and shapes against its peers.

    HITSCAN_MESHES=FOLDER HITSCAN_EMBREE=LIBRARY cargo run --release -- [OPTIONS] LEVEL...

    --kinds A,B   kinds whose names contain one of these words (default: all)
    --peers A,B   peers whose names contain one of these words (default: all)
    --passes N    timed passes over each set of questions (default: 7)
    --count N     questions of each kind (default: 20000)
    --tick        one tick of a game server, on the project's own level, instead of levels
    --help        this text

LEVEL is the name of a `.tri` file in HITSCAN_MESHES, or `terrain`. Without HITSCAN_EMBREE, Embree
is left out. The features `box3d` and `jolt` build these peers.
";

struct Options {
    kinds: Vec<Kind>,
    peers: Option<String>,
    levels: Vec<String>,
    passes: usize,
    count: usize,
    tick: bool,
}

impl Options {
    fn has(&self, peer: &str) -> bool {
        // hitscan is what others are compared with.
        let words = self.peers.as_ref();
        peer == "hitscan" || words.is_none_or(|w| w.split(',').any(|word| peer.contains(word)))
    }
}

fn options() -> Result<Option<Options>, String> {
    let mut options = Options {
        kinds: Kind::ALL.to_vec(),
        peers: None,
        levels: Vec::new(),
        passes: 7,
        count: 20_000,
        tick: false,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--kinds" {
            let words = arguments.next().ok_or("--kinds needs a value")?;
            let is_asked = |kind: &Kind| words.split(',').any(|word| kind.name().contains(word));
            options.kinds.retain(is_asked);
            continue;
        }
        if argument == "--peers" {
            options.peers = Some(arguments.next().ok_or("--peers needs a value")?);
            continue;
        }
        let mut number = || {
            let value = arguments.next().ok_or(format!("{argument} needs a value"))?;
            value.parse::<usize>().map_err(|_| format!("not a number: {value}"))
        };
        match argument.as_str() {
            "--passes" => options.passes = number()?.max(1),
            "--count" => options.count = number()?.max(1),
            "--tick" => options.tick = true,
            "--help" => return Ok(None),
            _ if argument.starts_with('-') => return Err(format!("no such option: {argument}")),
            _ => options.levels.push(argument),
        }
    }
    if options.levels.is_empty() {
        options.levels.push(hitscan_levels::TERRAIN.to_owned());
    }
    Ok(Some(options))
}

fn main() -> ExitCode {
    let result = options().and_then(|options| match options {
        Some(options) => run(&options),
        None => {
            print!("{USAGE}");
            Ok(())
        }
    });
    if let Err(error) = result {
        eprintln!("error: {error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn run(options: &Options) -> Result<(), String> {
    if options.tick {
        machine::pin(None);
        return tick::run(options.passes);
    }
    let meshes = std::env::var_os("HITSCAN_MESHES").map(PathBuf::from);
    let embree = std::env::var_os("HITSCAN_EMBREE").map(PathBuf::from);
    let builds = peers::all(embree.as_deref())?;
    let cpu = machine::pin(None);
    println!("{}, CPU {cpu:?}, {} passes, fastest", machine::cpu_name(), options.passes);
    println!("hitscan: {}", hitscan::InstructionSet::detect());
    // By kind and peer: the product of ratios to hitscan, and how many levels.
    let mut ratios = vec![vec![(0.0, 0_u32); builds.len()]; options.kinds.len()];
    let mut names = vec![String::new(); builds.len()];
    for name in &options.levels {
        let level = Level::load(name, meshes.as_deref(), 1_000_000)?;
        println!("\n{name}: {} triangles", level.triangles.len());
        let mut peers = Vec::new();
        for (i, build) in builds.iter().enumerate() {
            match build(&level) {
                Ok(peer) if !options.has(peer.name()) => peers.push(None),
                Ok(peer) => {
                    names[i] = peer.name().to_owned();
                    peers.push(Some(peer));
                }
                Err(error) => {
                    println!("  {error}");
                    peers.push(None);
                }
            }
        }
        for (&kind, ratios) in options.kinds.iter().zip(&mut ratios) {
            let times = measure(kind, &level, &peers, options);
            for (ratio, time) in ratios.iter_mut().zip(&times) {
                if let (Some(time), Some(ours)) = (time, times[0]) {
                    ratio.0 += (time / ours).ln();
                    ratio.1 += 1;
                }
            }
        }
    }
    println!("\nTime of each in times of hitscan's, geometric mean over the levels:\n");
    println!("| | {} |", names.join(" | "));
    println!("|---{}|", "|---".repeat(names.len()));
    for (kind, ratios) in options.kinds.iter().zip(&ratios) {
        let cell = |&(sum, count): &(f64, u32)| match count {
            0 => String::new(),
            _ => format!("{:.2}", (sum / f64::from(count)).exp()),
        };
        println!(
            "| {} | {} |",
            kind.name(),
            ratios.iter().map(cell).collect::<Vec<_>>().join(" | ")
        );
    }
    Ok(())
}

/// Nanoseconds a question of each peer, in the fastest pass. The peers take turns, so that what
/// slows the machine down slows all of them. A first pass is not counted; its answers are compared
/// with the first peer's.
fn measure(
    kind: Kind,
    level: &Level,
    peers: &[Option<Box<dyn Peer>>],
    options: &Options,
) -> Vec<Option<f64>> {
    let distance = |at: [f32; 3]| {
        let case = peer::Case { at, motion: [0.0; 3], turn: peer::NO_TURN };
        let mut answer = [0.0];
        let ours = peers[0].as_ref().expect("hitscan comes first");
        ours.ask(
            Kind::ClosestNear,
            peer::Sizes { radius: 0.0, half_height: 0.0 },
            &[case],
            &mut answer,
        );
        answer[0]
    };
    let (sizes, cases) = cases::cases(kind, level, options.count, distance);
    let mut times = vec![None; peers.len()];
    let mut answers = vec![0.0; cases.len()];
    let mut first = Vec::new();
    let tolerance = match kind {
        Kind::ClosestAnywhere | Kind::ClosestNear => 1e-5 * level.diagonal(),
        Kind::SphereOverlap | Kind::BoxOverlap => 0.0,
        // Distances are compared as they are, of which all bits count.
        Kind::ClosestFar => 0.0,
        _ => 1e-3,
    };
    println!("  {}", kind.name());
    for pass in 0..=options.passes {
        for (peer, best) in peers.iter().zip(&mut times) {
            let Some(peer) = peer else { continue };
            let start = thread_time();
            let answered = peer.ask(kind, sizes, &cases, &mut answers);
            let time = (thread_time() - start) as f64 / cases.len() as f64;
            if !answered {
                continue;
            }
            if pass > 0 {
                *best = Some(best.map_or(time, |best: f64| best.min(time)));
                continue;
            }
            if first.is_empty() {
                first.clone_from(&answers);
            }
            let (others, off) = compare(&first, &answers, tolerance);
            let found =
                answers.iter().filter(|answer| answer.is_finite() && **answer > 0.0).count();
            println!(
                "    {:<24} {found:>6} answers above 0, {others} another, {off} off",
                peer.name()
            );
        }
    }
    for (peer, time) in peers.iter().zip(&times) {
        if let (Some(peer), Some(time)) = (peer, time) {
            println!("    {:<24} {time:>9.1} ns", peer.name());
        }
    }
    times
}

/// How many answers are others (one is touched, and the other not), and how many are off.
fn compare(first: &[f32], answers: &[f32], tolerance: f64) -> (usize, usize) {
    let (mut others, mut off) = (0, 0);
    for (&a, &b) in first.iter().zip(answers) {
        if a.is_finite() != b.is_finite() {
            others += 1;
        } else if a.is_finite() && f64::from(a - b).abs() > tolerance {
            off += 1;
        }
    }
    (others, off)
}
