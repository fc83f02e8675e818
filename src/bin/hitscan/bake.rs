//! `hitscan bake`: models in, a baked tree out.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use hitscan::bake::BakeSummary;
use hitscan::file::Source;
use hitscan::mesh::import::{self, Import};
use hitscan::{BadTriangles, BakeError, BakeReport, Builder, Bvh, MeshView, Quality, Stage};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::args;
use crate::exit::{self, Failure};
use crate::text::{self, SourceRow};

/// Bake models into a file that answers rays.
///
/// Meshes are numbered from 0 on, file after file in the order of the arguments; hits name
/// them by these numbers and `hitscan info` lists them. The same inputs and options give the
/// same file, byte for byte, on any machine and with any number of threads.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Bake {
    /// Models to bake: glTF, GLB, OBJ, PLY, STL or OFF
    #[arg(value_name = "IN", required = true)]
    inputs: Vec<PathBuf>,
    /// The baked file to write
    #[arg(short, long, value_name = "OUT.hbvh")]
    output: PathBuf,
    /// How much work goes into the tree: `best` splits large triangles among leaves, which takes
    /// longer, and asks less of rays in most architecture
    #[arg(long, value_name = "QUALITY", value_enum, default_value_t = Preset::Balanced)]
    quality: Preset,
    /// Threads to bake with [default: one a core]
    #[arg(long, value_name = "N", value_parser = args::threads())]
    threads: Option<usize>,
    /// Leave out triangles with NaN or infinite coordinates or with indices out of range
    /// (and count them), instead of refusing the bake
    #[arg(long)]
    skip_bad: bool,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

/// [`Quality`] as an argument.
#[derive(Clone, Copy, ValueEnum)]
enum Preset {
    Balanced,
    Best,
}

impl From<Preset> for Quality {
    fn from(preset: Preset) -> Self {
        match preset {
            Preset::Balanced => Self::Balanced,
            Preset::Best => Self::Best,
        }
    }
}

const AFTER_HELP: &str = "\
Example: bake a level and its props into one file, and keep the report
  hitscan bake level.glb props.obj -o level.hbvh --json > report.json

The SAH cost is what a random ray through the level is expected to cost, in box and triangle
tests: the lower, the faster. Triangles without area are always left out and counted; numbers
of triangles stay as they are in the model.";

/// Warnings shown; a damaged model can have one a triangle.
const WARNINGS_SHOWN: usize = 20;

impl Bake {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let inputs: Vec<&Path> = self.inputs.iter().map(PathBuf::as_path).collect();
        args::refuse_overwrite(&self.output, &inputs)?;

        let bar = progress_bar();
        let outcome = self.bake(&bar);
        // Before anything is said, so that a half-drawn bar does not run into it.
        bar.finish_and_clear();
        let outcome = outcome?;

        let shown = outcome.warnings.iter().take(WARNINGS_SHOWN);
        shown.for_each(|warning| exit::say(&format!("hitscan: warning: {warning}")));
        if let Some(more) = outcome.warnings.len().checked_sub(WARNINGS_SHOWN + 1) {
            exit::say(&format!("hitscan: warning: {} more warnings", more + 1));
        }
        if self.json {
            text::print_json(&outcome)
        } else {
            text::print(&outcome.to_text())
        }
    }

    fn bake(&self, bar: &ProgressBar) -> Result<Outcome, Failure> {
        let start = Instant::now();
        let mut sources = Vec::new();
        let mut model = Import::default();
        let mut warnings = Vec::new();
        // Number of meshes before and in each file, to name the file that a bad mesh is from.
        let mut mesh_ends = Vec::new();
        for input in &self.inputs {
            bar.set_message(text::printable(&format!("reading {}", input.display())));
            let source = Source::read(input).map_err(|e| Failure::io(input, "reading", &e))?;
            let mut part = import::import(input).map_err(|e| Failure::in_file(input, &e))?;
            let named = part.warnings.drain(..);
            warnings.extend(named.map(|warning| exit::in_file(input, &warning)));
            sources.push(source);
            model.append(part);
            mesh_ends.push(model.meshes.len());
        }
        let import_time = start.elapsed();

        let (bvh, report) = self.build(&model, &sources, bar).map_err(|error| {
            let mesh = error.mesh().map_or(usize::MAX, |mesh| mesh as usize);
            let file = mesh_ends.partition_point(|&end| end <= mesh);
            match self.inputs.get(file) {
                Some(input) => Failure::in_file(input, &error),
                None => Failure::in_file(all_names(&self.inputs), &error),
            }
        })?;
        if report.summary.triangles_kept == 0 {
            let reason = match report.summary.triangles_in {
                0 => "there are no triangles to bake".to_owned(),
                n => format!(
                    "not one of {n} triangles can be baked: {}",
                    skipped(&report)
                ),
            };
            return Err(Failure::at(all_names(&self.inputs), "whole file", &reason));
        }

        bar.set_message("writing");
        let save_start = Instant::now();
        bvh.save(&self.output)
            .map_err(|error| Failure::io(&self.output, "writing", &error))?;
        let save_time = save_start.elapsed();
        let file_bytes = fs::metadata(&self.output)
            .map_err(|error| Failure::io(&self.output, "reading back", &error))?
            .len();

        let mut stages = vec![StageSeconds::new("import", import_time)];
        let baked = report.stages.iter();
        stages.extend(baked.map(|stage| StageSeconds::new(stage_name(stage.stage), stage.time)));
        stages.push(StageSeconds::new("save", save_time));
        Ok(Outcome {
            output: self.output.display().to_string(),
            file_bytes,
            meshes: model.meshes.len(),
            materials: model.material_names,
            bytes_per_triangle: ratio(report.summary.tree_bytes, report.summary.triangles_kept),
            summary: report.summary,
            sources: sources.iter().map(SourceRow::new).collect(),
            stages,
            seconds: start.elapsed().as_secs_f64(),
            warnings,
        })
    }

    fn build(
        &self,
        model: &Import,
        sources: &[Source],
        bar: &ProgressBar,
    ) -> Result<(Bvh, BakeReport), BakeError> {
        let mut builder = Builder::new()
            .quality(self.quality.into())
            .sources(sources.to_vec());
        if let Some(threads) = self.threads {
            builder = builder.threads(threads);
        }
        if self.skip_bad {
            builder = builder.bad_triangles(BadTriangles::Skip);
        }
        let views: Vec<MeshView<'_>> = model.meshes.iter().map(MeshView::from).collect();
        builder.bake_with_progress(&views, &mut |progress| {
            bar.set_message(stage_name(progress.stage));
            // The position saturates, so any fraction is safe here.
            bar.set_position((f64::from(progress.fraction) * BAR_LENGTH as f64) as u64);
            ControlFlow::Continue(())
        })
    }
}

const BAR_LENGTH: u64 = 1000;

/// A bar on a terminal, nothing at all in a pipe.
fn progress_bar() -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(BAR_LENGTH);
    if let Ok(style) = ProgressStyle::with_template("[{bar:40}] {percent:>3} % {msg}") {
        bar.set_style(style.progress_chars("=> "));
    }
    bar
}

/// What was done, for people (`to_text`) and for programs (JSON).
#[derive(Serialize)]
struct Outcome {
    output: String,
    file_bytes: u64,
    meshes: usize,
    /// Names of the materials by the numbers that hits give.
    materials: Vec<String>,
    #[serde(flatten)]
    summary: BakeSummary,
    /// Of the tree alone, without names and header.
    bytes_per_triangle: f64,
    sources: Vec<SourceRow>,
    stages: Vec<StageSeconds>,
    /// All stages and what lies between them.
    seconds: f64,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct StageSeconds {
    stage: String,
    seconds: f64,
}

impl StageSeconds {
    fn new(stage: impl Into<String>, time: Duration) -> Self {
        Self {
            stage: stage.into(),
            seconds: time.as_secs_f64(),
        }
    }
}

impl Outcome {
    fn to_text(&self) -> String {
        let s = &self.summary;
        let mut text = String::new();
        let mut line = |label: &str, value: String| {
            let _ = writeln!(text, "{label:<10} {}", text::printable(&value));
        };
        line(
            "baked",
            format!("{} ({} bytes)", self.output, self.file_bytes),
        );
        line(
            "triangles",
            format!("in {}, kept {}", s.triangles_in, s.triangles_kept),
        );
        line("skipped", skipped_of(s));
        line(
            "meshes",
            format!("{}, materials {}", self.meshes, self.materials.len()),
        );
        line("tree", text::tree(s));
        line("SAH cost", format!("{:.3}", s.sah_cost));
        line(
            "bytes",
            format!("{:.1} per triangle", self.bytes_per_triangle),
        );
        let mut seconds: Vec<String> = self.stages.iter().map(StageSeconds::to_text).collect();
        seconds.push(format!("all {:.3}", self.seconds));
        line("seconds", seconds.join(", "));
        text
    }
}

impl StageSeconds {
    fn to_text(&self) -> String {
        format!("{} {:.3}", self.stage, self.seconds)
    }
}

fn skipped(report: &BakeReport) -> String {
    skipped_of(&report.summary)
}

fn skipped_of(summary: &BakeSummary) -> String {
    format!(
        "{} without area, {} not finite, {} with indices out of range",
        summary.skipped_degenerate, summary.skipped_non_finite, summary.skipped_out_of_range
    )
}

/// The stage's name in lower case. From its `Debug` form, so that a stage which the library
/// adds has its name here at once.
fn stage_name(stage: Stage) -> String {
    format!("{stage:?}").to_lowercase()
}

fn all_names(inputs: &[PathBuf]) -> String {
    let names: Vec<String> = inputs.iter().map(|p| p.display().to_string()).collect();
    names.join(", ")
}

fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}
