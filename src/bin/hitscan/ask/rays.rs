//! `hitscan rays`: casts a file of rays and writes a file of hits.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use rayon::ThreadPoolBuilder;

use crate::level::baked::Baked;
use crate::ray_file::RayReader;
use crate::ray_file::format::Format;
use crate::ray_file::hits::{Fields, HitRecord, HitWriter};
use crate::terminal::args::{self, QueryArgs};
use crate::terminal::failure::Failure;
use crate::terminal::output::Output;
use crate::terminal::text;

/// Cast a file of rays and write a file of hits. Memory use is bounded however long the input is,
/// so rays can be streamed through a pipe.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct CastMany {
    /// The baked file: a tree or a scene
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Rays to cast; `-` is standard input
    #[arg(short, long, value_name = "RAYS")]
    input: PathBuf,
    /// Hits to write; `-` is standard output
    #[arg(short, long, value_name = "HITS")]
    output: PathBuf,
    /// The format of RAYS [default: by the extension .csv or .jsonl, else bin]
    #[arg(long, value_name = "FORMAT", value_enum, hide_possible_values = true)]
    from: Option<Format>,
    /// The format of HITS [default: by the extension .csv or .jsonl, else bin]
    #[arg(long, value_name = "FORMAT", value_enum, hide_possible_values = true)]
    to: Option<Format>,
    /// Report only whether each ray hits anything; faster
    #[arg(long)]
    any: bool,
    #[command(flatten)]
    query: QueryArgs,
    /// Threads to use [default: one for each core]
    #[arg(long, value_name = "N", value_parser = args::threads())]
    threads: Option<usize>,
}

const AFTER_HELP: &str = r#"Example:
  hitscan rays level.hbvh --input rays.bin --output hits.bin
Example: texts through a pipe, on one thread, yes or no only
  echo 0,9,0,0,-1,0 | hitscan rays level.hbvh -i - -o - --from csv --to jsonl --any --threads 1

bin: records of 32 bytes, little-endian.
  RAYS  f32 origin x, y, z; f32 direction x, y, z; f32 t_min; f32 t_max
  HITS  f32 t, u, v; u32 flags; u32 mesh; u32 triangle; u64 user_id
  Flag bit 0: the ray hit. Bit 1: it hit the triangle's front. Bits 2 to 31: in a scene, the number
  of the instance, as `hitscan info` lists it. A miss has the ray's t_max as t, else zeros. With
  --any, all but flag bit 0 is zero.
csv: a line for each. Rays have six or eight values in the same order, or a header that names the
  columns: origin_x, origin_y, origin_z, dir_x, dir_y, dir_z, t_min, t_max. Hits have a header.
jsonl: an object on each line, such as {"origin":[0,9,0],"dir":[0,-1,0],"t_min":0,"t_max":5}.
  A hit has hit, t, u, v, facing, mesh, triangle, user_id and, in a scene, instance.

t_min and t_max may be left out: they are 0 and infinity. Rays with a NaN, with a direction that is
zero or infinite, with an infinite origin, or with t_min above t_max count as misses.
Rays per second are printed on standard error, without the time for reading and writing."#;

impl CastMany {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let wrong = |option: &str, error: &dyn ToString| {
            Failure::Input(format!("{option}: {}", error.to_string()))
        };
        if self.output.as_os_str() != "-" {
            args::refuse_missing_folder(&self.output)?;
            args::refuse_overwrite(&self.output, &[&self.file, &self.input])?;
        }
        let pool = self.threads.map(|n| ThreadPoolBuilder::new().num_threads(n).build());
        let pool = pool.transpose().map_err(|error| wrong("--threads", &error))?;
        let baked = Baked::open(&self.file)?;
        let query = self.query.query();
        let mut input = RayReader::open(&self.input, self.from)?;
        let mut output = Output::create(&self.output)?;

        let fields = match (&baked, self.any) {
            (_, true) => Fields::Any,
            (Baked::Tree(_), false) => Fields::Tree,
            (Baked::Scene(_), false) => Fields::Scene,
        };
        let format = self.to.unwrap_or_else(|| Format::of(&self.output));
        let writer = HitWriter { format, fields };
        output.write_all(writer.head().as_bytes())?;
        let (mut hits, mut any_hits) = (Vec::new(), Vec::new());
        let mut records: Vec<HitRecord> = Vec::new();
        let (mut ray_count, mut hit_count) = (0, 0);
        let mut time = Duration::ZERO;
        while let Some(rays) = input.read()? {
            match self.any {
                true => any_hits.resize(rays.len(), false),
                false => hits.resize(rays.len(), None),
            }
            let mut batch = || match self.any {
                true => baked.level().any_hit_batch(&rays, &query, &mut any_hits),
                false => baked.level().closest_hit_batch(&rays, &query, &mut hits),
            };
            let start = Instant::now();
            let result = match &pool {
                Some(pool) => pool.install(batch),
                None => batch(),
            };
            time += start.elapsed();
            result.map_err(|error| Failure::in_file(&self.input, &error))?;

            let closest = rays.iter().zip(&hits);
            records.extend(closest.map(|(ray, hit)| HitRecord::closest(ray, hit.as_ref())));
            records.extend(any_hits.iter().map(|&is_hit| HitRecord::any(is_hit)));
            output.write_all(&writer.bytes(&records))?;
            ray_count += rays.len();
            hit_count += records.iter().filter(|record| record.is_hit()).count();
            records.clear();
        }
        output.finish()?;

        let seconds = time.as_secs_f64();
        let rate = ray_count as f64 / seconds.max(1e-9);
        text::say(&format!(
            "{}, {}, {seconds:.3} s: {} rays per second ({})",
            text::counted(ray_count, "ray"),
            text::counted(hit_count, "hit"),
            text::count(rate as u64),
            self.query.isa()
        ));
        Ok(())
    }
}
