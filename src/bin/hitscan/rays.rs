//! `hitscan rays`: a file of rays in, a file of hits out.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use clap::builder::PossibleValuesParser;
use hitscan::{BatchError, Bvh, Face, Hit, InstructionSet, Query, Ray};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::args;
use crate::exit::{self, Failure};
use crate::output::Output;
use crate::record::{self, RECORD};

/// Cast a file of rays and write a file of hits.
///
/// Memory stays bounded however long the input is, so rays can be streamed through a pipe.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct CastMany {
    /// The baked file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Rays to cast; `-` is standard input
    #[arg(long, value_name = "RAYS")]
    input: PathBuf,
    /// Hits to write; `-` is standard output
    #[arg(long, value_name = "HITS")]
    output: PathBuf,
    /// Only tell whether anything is in the way
    #[arg(long)]
    any: bool,
    /// The instruction set to use; each gives the same bytes, so this is for tests and
    /// measurements
    #[arg(long, value_name = "L", default_value = "auto", value_parser = instruction_sets())]
    isa: String,
    /// Threads to cast with [default: one a core]
    #[arg(long, value_name = "N", value_parser = args::threads())]
    threads: Option<usize>,
}

const AFTER_HELP: &str = "\
Example:
  hitscan rays level.hbvh --input rays.bin --output hits.bin
Example: through a pipe, on one thread, yes or no only
  make-rays | hitscan rays level.hbvh --input - --output - --any --threads 1 | count-hits

Both files are records of 32 bytes, little-endian:
  RAYS  f32 origin x, y, z; f32 t_min; f32 direction x, y, z; f32 t_max
        (t_min between the two, unlike in the library's `Ray` in memory)
  HITS  f32 t, u, v; u32 flags; u32 mesh; u32 triangle; u64 user_id
Flag bit 0: hit. Flag bit 1: the front was met. A miss has the ray's t_max as t and zero for
the rest. With --any only flag bit 0 is set and all else is zero, hit or miss.

Rays per second are printed on standard error; reading and writing do not count.";

fn instruction_sets() -> PossibleValuesParser {
    ["auto", "scalar", "sse", "avx2", "avx512", "avx512-256", "neon"].into()
}

/// Rays in memory at a time: enough to keep every core busy, some 40 MB with their hits.
const CHUNK: usize = 1 << 18;

impl CastMany {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let isa: InstructionSet = self
            .isa
            .parse()
            .map_err(|error| Failure::Input(format!("--isa {}: {error}", self.isa)))?;
        if self.output.as_os_str() != "-" {
            args::refuse_overwrite(&self.output, &[&self.file, &self.input])?;
        }
        let threads = |n| ThreadPoolBuilder::new().num_threads(n).build();
        let pool = self
            .threads
            .map(threads)
            .transpose()
            .map_err(|error| Failure::Input(format!("--threads: {error}")))?;
        let bvh = Bvh::open(&self.file).map_err(|error| Failure::in_file(&self.file, &error))?;
        let mut input = Input::open(&self.input)?;
        let mut output = Output::create(&self.output)?;

        let mut caster = Caster {
            view: &bvh,
            query: Query::new().instruction_set(isa),
            pool,
            rays: Vec::new(),
            hits: Vec::new(),
            any: Vec::new(),
            time: Duration::ZERO,
        };
        let (mut ray_count, mut hit_count) = (0_u64, 0_u64);
        let mut results = Vec::new();
        while let Some(records) = input.next_records()? {
            results.clear();
            hit_count += caster
                .cast(records, self.any, &mut results)
                .map_err(|error| Failure::in_file(&self.input, &error))?;
            ray_count += records.len() as u64;
            output.write_all(&results)?;
        }
        output.finish()?;

        let seconds = caster.time.as_secs_f64();
        exit::say(&format!(
            "{ray_count} rays, {hit_count} hits, {seconds:.3} s: {:.0} rays per second ({isa})",
            ray_count as f64 / seconds.max(1e-9)
        ));
        Ok(())
    }
}

/// Rays, a chunk at a time.
struct Input {
    path: PathBuf,
    reader: Box<dyn Read>,
    bytes: Vec<u8>,
    /// Bytes of the chunks before this one.
    done: u64,
}

impl Input {
    fn open(path: &Path) -> Result<Self, Failure> {
        let (path, reader): (_, Box<dyn Read>) = if path.as_os_str() == "-" {
            (Path::new("standard input"), Box::new(io::stdin().lock()))
        } else {
            let file = File::open(path).map_err(|error| Failure::io(path, "opening", &error))?;
            (path, Box::new(file))
        };
        Ok(Self { path: path.to_owned(), reader, bytes: Vec::new(), done: 0 })
    }

    /// The next records, or `None` at the end.
    fn next_records(&mut self) -> Result<Option<&[[u8; RECORD]]>, Failure> {
        self.done += self.bytes.len() as u64;
        self.bytes.clear();
        let limit = (CHUNK * RECORD) as u64;
        (&mut self.reader)
            .take(limit)
            .read_to_end(&mut self.bytes)
            .map_err(|error| Failure::io(&self.path, "reading", &error))?;
        let (records, rest) = self.bytes.as_chunks();
        if !rest.is_empty() {
            let at = self.done + (self.bytes.len() - rest.len()) as u64;
            return Err(record::cut_off(&self.path, at, rest));
        }
        Ok((!records.is_empty()).then_some(records))
    }
}

/// Casts chunks of rays; the buffers are kept from chunk to chunk.
struct Caster<'a> {
    view: &'a Bvh,
    query: Query,
    pool: Option<ThreadPool>,
    rays: Vec<Ray>,
    hits: Vec<Option<Hit>>,
    any: Vec<bool>,
    /// Time in queries.
    time: Duration,
}

impl Caster<'_> {
    /// Appends one record a ray to `results` and returns how many hit.
    fn cast(
        &mut self,
        records: &[[u8; RECORD]],
        any: bool,
        results: &mut Vec<u8>,
    ) -> Result<u64, BatchError> {
        self.rays.clear();
        self.rays.extend(records.iter().map(record::ray));
        let (view, query, rays) = (&self.view, &self.query, &self.rays[..]);
        let mut hit_count = 0;
        if any {
            let hits = &mut self.any;
            hits.clear();
            hits.resize(rays.len(), false);
            let start = Instant::now();
            install(&self.pool, || view.any_hits(rays, query, hits))?;
            self.time += start.elapsed();
            for &hit in &*hits {
                hit_count += u64::from(hit);
                results.extend(any_record(hit));
            }
        } else {
            let hits = &mut self.hits;
            hits.clear();
            hits.resize(rays.len(), None);
            let start = Instant::now();
            install(&self.pool, || view.closest_hits(rays, query, hits))?;
            self.time += start.elapsed();
            for (hit, ray) in hits.iter().zip(records) {
                hit_count += u64::from(hit.is_some());
                results.extend(hit.as_ref().map_or_else(|| miss_record(ray), hit_record));
            }
        }
        Ok(hit_count)
    }
}

/// Runs a batch on the pool that was asked for, or on the one of all cores.
fn install<R: Send>(pool: &Option<ThreadPool>, batch: impl FnOnce() -> R + Send) -> R {
    match pool {
        Some(pool) => pool.install(batch),
        None => batch(),
    }
}

const HIT: u32 = 1;
const FRONT: u32 = 2;

fn hit_record(hit: &Hit) -> [u8; RECORD] {
    let flags = match hit.face {
        Face::Front => HIT | FRONT,
        Face::Back => HIT,
    };
    let mut record = [0; RECORD];
    record[0..4].copy_from_slice(&hit.t.to_le_bytes());
    record[4..8].copy_from_slice(&hit.u.to_le_bytes());
    record[8..12].copy_from_slice(&hit.v.to_le_bytes());
    record[12..16].copy_from_slice(&flags.to_le_bytes());
    record[16..20].copy_from_slice(&hit.mesh.to_le_bytes());
    record[20..24].copy_from_slice(&hit.triangle.to_le_bytes());
    record[24..32].copy_from_slice(&hit.user_id.to_le_bytes());
    record
}

/// The bytes of `t_max` are copied rather than read and written, so that even those of a NaN
/// stay as they are.
fn miss_record(ray: &[u8; RECORD]) -> [u8; RECORD] {
    let mut record = [0; RECORD];
    record[0..4].copy_from_slice(&ray[28..32]);
    record
}

fn any_record(hit: bool) -> [u8; RECORD] {
    let mut record = [0; RECORD];
    record[12] = u8::from(hit);
    record
}
