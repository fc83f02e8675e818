//! The command line.

use std::path::PathBuf;

use crate::kind::{BASIC, Kind};

pub const USAGE: &str = "\
Measures hitscan against its peers: one run, one thread, the same rays.

    HITSCAN_MESHES=FOLDER HITSCAN_EMBREE=LIBRARY cargo run --release -- [OPTIONS]

    --scenes A,B      these scenes only, or `all` (default: eleven of them)
    --kinds A,B       of primary, bounce, random, shadow (default: these), soft-0, soft-0.5, soft-2,
                      soft-5, soft-15, ao, sight, ground, probe, soft-shuffled, sight-shuffled;
                      `soft` for the five radii, `many` for all eleven
    --peers A,B       these peers only (default: all that can be loaded)
    --no-ours         the peers without hitscan
    --isa ISA         hitscan's instruction set: auto, scalar, sse, avx2, avx512, avx512-256, neon, simd128
    --passes N        timed passes over each set of rays (default: 9)
    --terrain N       triangles of the generated terrain (default: 4000000)
    --cpu N           the CPU to run on (default: the last one allowed)
    --verbose         let Embree tell which instruction set it uses
    --images FOLDER   write what the cameras see, as PGM pictures, and measure nothing
    --builds          measure how fast trees are built, on --threads, and no rays
    --scaling         measure what batches gain by --threads in place of one
    --threads N       for those two (default: 2); hitscan's need the feature `parallel`
    --find-cameras    print new cameras and lights for `scenes.rs`, and measure nothing
    --help            this text

HITSCAN_MESHES   a folder of `.tri` files
HITSCAN_EMBREE   Embree 4's shared library; without it, Embree is left out
HITSCAN_NATIVE   the library that `native/` builds (default: where cargo puts it)
";

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// Time rays.
    Rays,
    /// Time builds.
    Builds,
    /// Time batches on one thread and on several.
    Scaling,
    /// Write what the cameras see to a folder.
    Images(PathBuf),
    /// Look for new cameras.
    FindCameras,
}

pub struct Options {
    pub task: Task,
    pub scenes: Option<Vec<String>>,
    pub kinds: Vec<Kind>,
    pub peers: Option<Vec<String>>,
    pub ours: bool,
    pub isa: hitscan::InstructionSet,
    pub passes: usize,
    pub terrain: usize,
    pub cpu: Option<usize>,
    pub verbose: bool,
    pub threads: usize,
}

impl Options {
    /// From the command line; `None` if help is asked for.
    pub fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Option<Self>, String> {
        let mut options = Self {
            task: Task::Rays,
            scenes: None,
            kinds: BASIC.to_vec(),
            peers: None,
            ours: true,
            isa: hitscan::InstructionSet::detect(),
            passes: 9,
            terrain: 4_000_000,
            cpu: None,
            verbose: false,
            threads: 2,
        };
        while let Some(name) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{name} needs a value"));
            match name.as_str() {
                "--scenes" => options.scenes = Some(list(&value()?)),
                "--kinds" => {
                    let kinds = list(&value()?);
                    let kinds = kinds.iter().map(|kind| kinds_named(kind));
                    options.kinds = kinds.collect::<Result<Vec<_>, _>>()?.concat();
                }
                "--peers" => options.peers = Some(list(&value()?)),
                "--no-ours" => options.ours = false,
                "--isa" => {
                    options.isa = value()?
                        .parse()
                        .map_err(|error: hitscan::InstructionSetError| error.to_string())?;
                }
                "--passes" => options.passes = number(&value()?)?.max(1),
                "--terrain" => options.terrain = number(&value()?)?,
                "--cpu" => options.cpu = Some(number(&value()?)?),
                "--verbose" => options.verbose = true,
                "--images" => options.task = Task::Images(value()?.into()),
                "--builds" => options.task = Task::Builds,
                "--scaling" => options.task = Task::Scaling,
                "--threads" => options.threads = number(&value()?)?.max(1),
                "--find-cameras" => options.task = Task::FindCameras,
                "--help" => return Ok(None),
                _ => return Err(format!("no such option: {name}")),
            }
        }
        Ok(Some(options))
    }
}

fn list(text: &str) -> Vec<String> {
    text.split(',').map(str::to_owned).collect()
}

fn number(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| format!("not a number: {text}"))
}

fn kinds_named(name: &str) -> Result<Vec<Kind>, String> {
    Kind::named(name).ok_or(format!("no such kind of rays: {name}"))
}
