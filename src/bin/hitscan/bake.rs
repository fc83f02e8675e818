//! `hitscan bake`: models in, a baked tree out.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use hitscan::Import;
use hitscan::bake::{BakeSummary, SkippedTriangle};
use hitscan::file::Source;
use hitscan::{
    BadTriangles, BakeError, BakeReport, Builder, Bvh, LoadErrorKind, MeshView, Quality,
};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::args;
use crate::exit::{self, Failure};
use crate::memory;
use crate::output::Output;
use crate::page::Form;
use crate::record;
use crate::report;
use crate::text::{self, SourceRow};

/// Bake models into a file that answers rays.
///
/// Meshes are numbered from 0 on, file after file in the order of the arguments; hits name
/// them by these numbers and `hitscan info` lists them. The same inputs and options give the
/// same file, byte for byte, on any machine and with any number of threads; where that file is there
/// already, nothing is done.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Bake {
    /// Models to bake: glTF, GLB, OBJ, PLY, STL or OFF
    #[arg(value_name = "IN", required = true)]
    inputs: Vec<PathBuf>,
    /// The baked file to write
    #[arg(short, long, value_name = "OUT.hbvh")]
    output: PathBuf,
    /// How much work goes into the tree: `fast` for edits; `best` splits large triangles among
    /// leaves, which takes longer, and asks less of rays in most architecture
    #[arg(long, value_name = "QUALITY", value_enum, default_value_t = Preset::Balanced)]
    quality: Preset,
    /// Rays like those that the baked file will be asked, a thousand or more: such rays will cost less,
    /// others hardly more (a file as for `hitscan rays`)
    #[arg(long, value_name = "RAYS")]
    rays: Option<PathBuf>,
    /// Threads to bake with [default: one a core]
    #[arg(long, value_name = "N", value_parser = args::threads())]
    threads: Option<usize>,
    /// Refuse to begin a bake that would take more memory than so many MB, models not counted
    /// [default: what the system has to spare]
    #[arg(long, value_name = "MB")]
    memory_limit: Option<u64>,
    /// Leave out triangles with NaN or infinite coordinates or with indices out of range
    /// (and count them), instead of refusing the bake; an OBJ that names vertices it does not have is
    /// refused all the same
    #[arg(long)]
    skip_bad: bool,
    /// Put this file's bytes into the baked file, for the program that will open it
    #[arg(long, value_name = "FILE")]
    user_data: Option<PathBuf>,
    /// Bake even if the output is there already: whole, and baked from the same inputs with the
    /// same options by this version, or another file than a baked one
    #[arg(long)]
    force: bool,
    /// Write a page about the bake and the tree: how long it took and what became of it, with the
    /// tree's shape; Markdown or HTML by the extension (.md, .html)
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

/// [`Quality`] as an argument.
#[derive(Clone, Copy, ValueEnum)]
enum Preset {
    Fast,
    Balanced,
    Best,
}

impl From<Preset> for Quality {
    fn from(preset: Preset) -> Self {
        match preset {
            Preset::Fast => Self::Fast,
            Preset::Balanced => Self::Balanced,
            Preset::Best => Self::Best,
        }
    }
}

const AFTER_HELP: &str = "\
Example: bake a level and its props into one file, and keep the report
  hitscan bake level.glb props.obj -o level.hbvh --json > report.json

Example: look at what became of it in a browser
  hitscan bake level.glb -o level.hbvh --report level.html

Example: make it best for rays that were asked in a test run
  hitscan bake level.glb -o level.hbvh --rays asked.bin

The SAH cost is what a random line through the level is expected to cost, in node tests: the
lower, the faster, but for rays that are not like random lines. Triangles without area are
always left out and counted; numbers of triangles stay as they are in the model.";

/// Skipped triangles shown.
const SKIPPED_SHOWN: usize = 8;

/// Warnings shown; a damaged model can have one a triangle.
const WARNINGS_SHOWN: usize = 20;

impl Bake {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let mut read: Vec<&Path> = self.inputs.iter().map(PathBuf::as_path).collect();
        read.extend(self.rays.as_deref());
        read.extend(self.user_data.as_deref());
        args::refuse_overwrite(&self.output, &read)?;
        self.refuse_other_files()?;
        args::refuse_missing_folder(&self.output)?;
        let form = match &self.report {
            Some(file) => Some(self.form(file, &mut read)?),
            None => None,
        };

        let bar = progress_bar();
        let mut warnings = Vec::new();
        let outcome = self.bake(&bar, &mut warnings);
        // Before anything is said, so that a half-drawn bar does not run into it.
        bar.finish_and_clear();
        // They may tell why the bake failed.
        say_warnings(&warnings);
        let (outcome, bvh) = outcome?;

        if let (Some(file), Some(form)) = (&self.report, form) {
            let mut output = Output::create(file)?;
            output.write_all(report::page(&outcome, &bvh).write(form).as_bytes())?;
            output.finish()?;
        }
        if self.json { text::print_json(&outcome) } else { text::print(&outcome.to_text()) }
    }

    /// Whether it matters what is in the output. A pipe is only to be written to: to read from it would be to
    /// wait for ever.
    fn minds_old(&self) -> bool {
        !self.force && fs::metadata(&self.output).is_ok_and(|output| output.is_file())
    }

    /// A name mistyped should not cost a model that happens to have it.
    fn refuse_other_files(&self) -> Result<(), Failure> {
        if !self.minds_old() {
            return Ok(());
        }
        let mut start = Vec::new();
        File::open(&self.output)
            .and_then(|file| file.take(64).read_to_end(&mut start))
            .map_err(|error| Failure::io(&self.output, "reading", &error))?;
        let opened = Bvh::from_bytes(&start);
        let is_other = opened.is_err_and(|error| error.kind() == LoadErrorKind::NotHitscan);
        if is_other && !start.is_empty() {
            return Err(Failure::Usage(format!(
                "the output `{}` is there already, and is no baked tree: --force writes over it",
                self.output.display()
            )));
        }
        Ok(())
    }

    /// The form of the report, which must not be written over what else there is.
    fn form<'a>(&'a self, file: &Path, used: &mut Vec<&'a Path>) -> Result<Form, Failure> {
        args::refuse_missing_folder(file)?;
        if file == self.output {
            let message = "the report and the baked file have one name";
            return Err(Failure::Usage(message.to_owned()));
        }
        used.push(&self.output);
        args::refuse_overwrite(file, used)?;
        Form::of(file).ok_or_else(|| {
            let message = "expected a report with the extension .md or .html";
            Failure::Usage(message.to_owned())
        })
    }

    /// The files' warnings go to `warnings`, whatever comes of the bake.
    fn bake(
        &self,
        bar: &ProgressBar,
        warnings: &mut Vec<String>,
    ) -> Result<(Outcome, Bvh), Failure> {
        let start = Instant::now();
        let mut sources = Vec::new();
        let mut model = Import::default();
        // Number of meshes before and in each file, to name the file that a bad mesh is from.
        let mut mesh_ends = Vec::new();
        for input in &self.inputs {
            bar.set_message(text::printable(&format!("reading {}", input.display())));
            let source = Source::read(input).map_err(|e| Failure::io(input, "reading", &e))?;
            let mut part = Import::open(input).map_err(|e| Failure::in_file(input, &e))?;
            let named = part.warnings.drain(..);
            warnings.extend(named.map(|warning| exit::in_file(input, &warning)));
            sources.push(source);
            model.append(part);
            mesh_ends.push(model.meshes.len());
        }
        let user_data = match &self.user_data {
            Some(path) => fs::read(path).map_err(|e| Failure::io(path, "reading", &e))?,
            None => Vec::new(),
        };
        let mut stages = vec![StageSeconds::new("import", start.elapsed())];

        let in_file = |error: BakeError| {
            let mesh = error.mesh().map_or(usize::MAX, |mesh| mesh as usize);
            let file = mesh_ends.partition_point(|&end| end <= mesh);
            match self.inputs.get(file) {
                Some(input) => Failure::in_file(input, &error),
                None => Failure::in_file(all_names(&self.inputs), &error),
            }
        };
        let rays = match &self.rays {
            Some(path) => {
                let rays = record::read(path)?;
                if rays.is_empty() {
                    warnings.push(format!("{}: no rays are given", path.display()));
                }
                rays
            }
            None => Vec::new(),
        };
        let given_rays = rays.len();
        let builder =
            self.builder(&sources).rays(rays).material_names(model.material_names.clone());
        let views: Vec<MeshView<'_>> = model.meshes.iter().map(MeshView::from).collect();
        let mut skipped = Vec::new();
        let (bvh, summary, up_to_date) = match self.old(&builder, &views, &user_data) {
            Some(bvh) => {
                let summary = bvh.metadata().summary;
                (bvh, summary, true)
            }
            None => {
                let (mut bvh, report) = build(&builder, &views, bar).map_err(in_file)?;
                self.refuse_nothing(&report.summary)?;
                let baked = report.stages.iter();
                stages.extend(baked.map(|s| StageSeconds::new(s.stage.name(), s.time)));
                bvh.set_user_data(user_data);

                bar.set_message("writing");
                let save_start = Instant::now();
                bvh.save(&self.output).map_err(|error| Failure::in_file(&self.output, &error))?;
                stages.push(StageSeconds::new("save", save_start.elapsed()));
                skipped = report.skipped;
                (bvh, report.summary, false)
            }
        };
        let file_bytes = fs::metadata(&self.output)
            .map_err(|error| Failure::io(&self.output, "reading back", &error))?
            .len();
        let outcome = Outcome {
            output: self.output.display().to_string(),
            up_to_date,
            file_bytes,
            meshes: model.meshes.len(),
            materials: model.material_names,
            rays: given_rays,
            bytes_per_triangle: ratio(summary.tree_bytes, summary.triangles_kept),
            summary,
            skipped,
            peak_bytes: memory::peak_bytes(),
            sources: sources.iter().map(SourceRow::new).collect(),
            stages,
            seconds: start.elapsed().as_secs_f64(),
            warnings: warnings.clone(),
        };
        Ok((outcome, bvh))
    }

    /// What is in the output, if it is whole and a bake would give the same again.
    fn old(&self, builder: &Builder, views: &[MeshView<'_>], user_data: &[u8]) -> Option<Bvh> {
        if !self.minds_old() {
            return None;
        }
        let old = Bvh::open(&self.output).ok()?;
        let content_hash = Some(builder.content_hash(views));
        let same = old.content_hash() == content_hash && old.user_data() == user_data;
        same.then_some(old)
    }

    fn refuse_nothing(&self, summary: &BakeSummary) -> Result<(), Failure> {
        let reason = match (summary.triangles_kept, summary.triangles_in) {
            (1.., _) => return Ok(()),
            (0, 0) => "there are no triangles to bake".to_owned(),
            (0, n) => format!("not one of {n} triangles can be baked: {}", skipped(summary)),
        };
        Err(Failure::at(all_names(&self.inputs), "whole file", &reason))
    }

    fn builder(&self, sources: &[Source]) -> Builder {
        let mut builder = Builder::new().quality(self.quality.into()).sources(sources.to_vec());
        if let Some(threads) = self.threads {
            builder = builder.threads(threads);
        }
        let limit = self.memory_limit.map(|mb| mb.saturating_mul(1_000_000));
        if let Some(bytes) = limit.or_else(memory::available_bytes) {
            builder = builder.memory_limit(bytes);
        }
        if self.skip_bad {
            builder = builder.bad_triangles(BadTriangles::Skip);
        }
        builder
    }
}

fn say_warnings(warnings: &[String]) {
    let shown = warnings.iter().take(WARNINGS_SHOWN);
    shown.for_each(|warning| exit::say(&format!("hitscan: warning: {warning}")));
    if let Some(more) = warnings.len().checked_sub(WARNINGS_SHOWN + 1) {
        exit::say(&format!("hitscan: warning: {} more warnings", more + 1));
    }
}

fn build(
    builder: &Builder,
    views: &[MeshView<'_>],
    bar: &ProgressBar,
) -> Result<(Bvh, BakeReport), BakeError> {
    builder.bake_with_progress(views, &mut |progress| {
        bar.set_message(progress.stage.name());
        // The position saturates, so any fraction is safe here.
        bar.set_position((f64::from(progress.fraction) * BAR_LENGTH as f64) as u64);
        ControlFlow::Continue(())
    })
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
pub(crate) struct Outcome {
    pub(crate) output: String,
    /// It was there already, and nothing was done.
    pub(crate) up_to_date: bool,
    pub(crate) file_bytes: u64,
    pub(crate) meshes: usize,
    /// Names of the materials by the numbers that hits give.
    materials: Vec<String>,
    /// Rays that the tree is to be good for, as given.
    rays: usize,
    #[serde(flatten)]
    pub(crate) summary: BakeSummary,
    /// The first of each reason; none where nothing was done.
    pub(crate) skipped: Vec<SkippedTriangle>,
    /// Of the tree alone, without names and header.
    pub(crate) bytes_per_triangle: f64,
    pub(crate) sources: Vec<SourceRow>,
    pub(crate) stages: Vec<StageSeconds>,
    /// All stages and what lies between them.
    pub(crate) seconds: f64,
    /// Of the whole program; `null` where the system does not say.
    pub(crate) peak_bytes: Option<u64>,
    pub(crate) warnings: Vec<String>,
}

#[derive(Serialize)]
pub(crate) struct StageSeconds {
    pub(crate) stage: String,
    pub(crate) seconds: f64,
}

impl StageSeconds {
    fn new(stage: impl Into<String>, time: Duration) -> Self {
        Self { stage: stage.into(), seconds: time.as_secs_f64() }
    }
}

impl Outcome {
    fn to_text(&self) -> String {
        let s = &self.summary;
        let mut text = String::new();
        let mut line = |label: &str, value: String| {
            let _ = writeln!(text, "{label:<10} {}", text::printable(&value));
        };
        let done = if self.up_to_date { "up to date" } else { "baked" };
        line(done, format!("{} ({} bytes)", self.output, self.file_bytes));
        line("triangles", format!("in {}, kept {}", s.triangles_in, s.triangles_kept));
        line("skipped", skipped(s));
        if !self.skipped.is_empty() {
            // A few show where to look; JSON and the page have more.
            let first = self.skipped.iter().take(SKIPPED_SHOWN);
            let mut shown: Vec<String> =
                first.map(|t| format!("{}:{}", t.mesh, t.triangle)).collect();
            if self.skipped.len() > SKIPPED_SHOWN {
                shown.push("...".to_owned());
            }
            line("", format!("(mesh:triangle) {}", shown.join(", ")));
        }
        line("meshes", format!("{}, materials {}", self.meshes, self.materials.len()));
        if self.rays > 0 {
            line("rays", format!("{} given", self.rays));
        }
        line("tree", text::tree(s));
        line("SAH cost", format!("{:.3}", s.sah_cost));
        line("bytes", format!("{:.1} per triangle", self.bytes_per_triangle));
        let mut seconds: Vec<String> = self.stages.iter().map(StageSeconds::to_text).collect();
        seconds.push(format!("all {:.3}", self.seconds));
        line("seconds", seconds.join(", "));
        if let Some(bytes) = self.peak_bytes {
            line("memory", format!("{} MB at the peak", bytes.div_ceil(1_000_000)));
        }
        text
    }
}

impl StageSeconds {
    fn to_text(&self) -> String {
        format!("{} {:.3}", self.stage, self.seconds)
    }
}

pub(crate) fn skipped(summary: &BakeSummary) -> String {
    format!(
        "{} without area, {} not finite, {} with indices out of range",
        summary.skipped_degenerate, summary.skipped_non_finite, summary.skipped_out_of_range
    )
}

fn all_names(inputs: &[PathBuf]) -> String {
    let names: Vec<String> = inputs.iter().map(|p| p.display().to_string()).collect();
    names.join(", ")
}

fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}
