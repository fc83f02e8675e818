//! `hitscan diff`: what has changed from one baked file to another, and which answers differ.
//!
//! ```text
//! content        what a file holds, in one form for trees and scenes
//! matching       which things of one file are which of the other
//! motion         how a shape has moved as a whole
//! geometry       what has happened to the triangles of a mesh
//! tree_changes   from one tree to another
//! level_changes  from one level to another
//! targets        where there are changes
//! samples        the rays that both are asked
//! answers        what they answer, and at what cost
//! rows, report   JSON and text
//! picture        the level with its changes in colours
//! ```

use std::path::{Path, PathBuf};

use clap::Args;
use rayon::ThreadPoolBuilder;

mod answers;
mod content;
mod geometry;
mod level_changes;
mod matching;
mod motion;
mod picture;
mod report;
mod rows;
mod samples;
mod targets;
mod tree_changes;

use self::content::Content;
use self::level_changes::LevelChanges;
use self::report::Report;
use self::samples::{at_changes, bounds, through_level};
use crate::level::baked::Baked;
use crate::picture_file;
use crate::terminal::args;
use crate::terminal::failure::{self, Failure};
use crate::terminal::output;
use crate::terminal::progress::{progress_bar, show_progress};
use crate::terminal::text::{self, Rows};

/// Show what has changed from one baked file to another, and which rays are answered otherwise.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Diff {
    /// The file before: a tree or a scene
    #[arg(value_name = "A")]
    a: PathBuf,
    /// The file after, of the same kind
    #[arg(value_name = "B")]
    b: PathBuf,
    /// Also draw a picture: B with what has changed in colours
    #[arg(short, long, value_name = "OUT.png")]
    output: Option<PathBuf>,
    /// Also fail if any mesh or instance has changed, even if all answers are the same
    #[arg(long)]
    any_change: bool,
    /// The number of rays through the level, and of rays at what has changed
    #[arg(long, value_name = "N", default_value_t = 4096, allow_hyphen_values = true,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    rays: u32,
    /// Threads to use [default: one for each core]
    #[arg(long, value_name = "N", value_parser = args::threads())]
    threads: Option<usize>,
    /// Print JSON (schema 1)
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Example: what does another preset change?
  hitscan bake level.glb -o fast.hbvh --quality fast
  hitscan bake level.glb -o best.hbvh --quality best
  hitscan diff fast.hbvh best.hbvh

Meshes are matched by name. Of several with one name, or without a name, those with the same
triangles belong together, then those with as many, then the rest, each time in order of their
numbers. What is left is `renamed` if its triangles are the same. So are instances of scenes; trees
are matched by their triangles, then by the instances that they stand in.

A mesh is `moved`, `turned`, `scaled` or `mirrored` if that takes each vertex to its place, but for
roundings of its coordinates; else it is `changed`: how many triangles, how far a vertex.

The rays are the same at each call: through the box of both levels, as `hitscan check` has them, and
from around what has changed into it. The closest hit of each is asked for, and whether a line is
free. An answer is the same if all bits are, and mesh, instance and material are the same by name:
their numbers may differ. What a closest hit costs is counted, over the rays through the level.

JSON, schema 1: a and b (file, counts, bytes_per_triangle, cost: nodes and triangles), alike,
changed, meshes and instances (a row for each change; numbers as [before, after]), same_meshes,
renumbered_meshes and so on, answers and at_changes (rays, closest_different, closest_elsewhere: at
another distance, any_different, and the first differences).

Exit code 0 if all answers are the same, 3 if one differs.";

impl Diff {
    pub(crate) fn run(self) -> Result<(), Failure> {
        if let Some(output) = &self.output {
            picture_file::refuse_bad_name(output)?;
            args::refuse_overwrite(output, &[&self.a, &self.b])?;
        }
        let (before, after) = (Baked::open(&self.a)?, Baked::open(&self.b)?);
        refuse_other_kinds([&self.a, &self.b], [&before, &after])?;
        let pool = self.threads.map(|n| ThreadPoolBuilder::new().num_threads(n).build());
        let pool = pool.transpose().map_err(|e| Failure::Input(format!("--threads: {e}")))?;
        let report = match &pool {
            Some(pool) => pool.install(|| self.report([&before, &after])),
            None => self.report([&before, &after]),
        }?;
        match self.json {
            true => output::print_json(&report)?,
            false => output::print(&report.to_text())?,
        }
        let reason = match report.different() {
            0 if self.any_change && report.changed => "it has changed".to_owned(),
            0 => return Ok(()),
            count => format!("{} answered otherwise", text::counted(count, "question")),
        };
        Err(Failure::Verdict(failure::in_file(&self.b, &reason)))
    }

    fn report(&self, [before, after]: [&Baked; 2]) -> Result<Report, Failure> {
        let contents = [&Content::new(before), &Content::new(after)];
        let changes = LevelChanges::new(contents);
        let (bounds, count) = (bounds(&changes), self.rays as usize);
        let samples = through_level(&bounds, count);
        let aimed = at_changes(&changes, count);
        let drawn = match &self.output {
            Some(output) => Some(self.draw(output, &changes)?),
            None => None,
        };
        let files = [&self.a, &self.b].map(|path| path.display().to_string());
        Ok(Report::new(files, changes, [&samples, &aimed], drawn))
    }

    /// Draws the picture, and says what was drawn.
    fn draw(&self, output: &Path, changes: &LevelChanges<'_>) -> Result<Rows, Failure> {
        let bar = progress_bar();
        let drawn = picture::draw(changes, &|message, done| show_progress(&bar, message, done));
        bar.finish_and_clear();
        let Some((image, mut rows)) = drawn else {
            return Err(Failure::at(&self.b, "whole file", "there are no triangles in it to draw"));
        };
        let written = picture_file::write(output, &image, &rows)?;
        rows.0.insert(0, ("drawn", written));
        Ok(rows)
    }
}

fn refuse_other_kinds(paths: [&Path; 2], baked: [&Baked; 2]) -> Result<(), Failure> {
    let [a, b] = baked.map(|baked| baked.level().is_scene());
    if a == b {
        return Ok(());
    }
    let kind = |is_scene| if is_scene { "a scene" } else { "a tree" };
    let reason = format!("it is {}, and {} is {}", kind(b), paths[0].display(), kind(a));
    Err(Failure::Input(failure::in_file(paths[1], &format!("{reason}: bake both alike"))))
}
