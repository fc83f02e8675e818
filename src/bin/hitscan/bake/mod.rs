//! `hitscan bake`: reads models and writes a baked tree. Scenes are made in `bake_scene.rs`.

mod layers;
mod memory;
pub(crate) mod report;
mod scene;

use std::fs::{self, File};
use std::io::Read as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};
use hitscan::mesh::Topology;
use hitscan::scene::file::is_scene;
use hitscan::{
    BadTriangles, BakeError, BakeErrorKind, Builder, Bvh, Import, LoadErrorKind, MeshView,
    Progress, Quality,
};
use indicatif::ProgressBar;

use self::layers::LayerRule;
use self::report::{EdgeRow, Report, SourceRow, StageSeconds};
use self::scene::SceneBake;
use crate::level::baked::{bytes_per_triangle, wrong_extension};
use crate::page::{Form, Page};
use crate::ray_file::RayReader;
use crate::terminal::args;
use crate::terminal::failure::{self, Failure};
use crate::terminal::output::{self, Output};
use crate::terminal::progress::{progress_bar, show_progress};
use crate::terminal::text;

/// Bake models into a file that answers ray queries. The same inputs and options give the same
/// file, byte for byte, on any machine. If the output is that file already, nothing is baked.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Bake {
    /// Models to bake: glTF (no meshopt compression), GLB, OBJ, PLY, STL or OFF
    #[arg(value_name = "IN", required = true)]
    inputs: Vec<PathBuf>,
    /// The baked file to write
    #[arg(short, long, value_name = "OUT.hbvh")]
    output: PathBuf,
    /// Write a scene (.hscn): glTF meshes that are there more than once, also by
    /// EXT_mesh_gpu_instancing, are stored once, with their places. All else is one tree
    #[arg(long, conflicts_with_all = ["rays", "user_data"])]
    instanced: bool,
    /// How much time to spend on the tree; `best` suits architecture
    #[arg(long, value_name = "QUALITY", value_enum, default_value_t = Preset::Balanced)]
    quality: Preset,
    /// Put meshes into a layer, 0 to 31, by name or material: 'glass*=2', 'material:leaves=4'. They
    /// are then in no others, and a ray sees them if its mask has one of the bits 1 << LAYER
    #[arg(long = "layer", value_name = "PATTERN=LAYER")]
    layers: Vec<LayerRule>,
    /// A file of typical rays, a thousand or more, to tune the tree for (see `hitscan rays`)
    #[arg(long, value_name = "RAYS")]
    rays: Option<PathBuf>,
    /// Threads to use [default: one for each core]
    #[arg(long, value_name = "N", value_parser = args::threads())]
    threads: Option<usize>,
    /// Refuse a bake that needs more memory than this, besides the models [default: what is free]
    #[arg(long, value_name = "MB")]
    memory_limit: Option<u64>,
    /// Skip triangles that are not finite or have indices out of range, instead of refusing the
    /// bake
    #[arg(long)]
    skip_bad: bool,
    /// Store this file's bytes in the baked file, for the program that opens it
    #[arg(long, value_name = "FILE")]
    user_data: Option<PathBuf>,
    /// Bake even if the output is up to date, and overwrite it even if it is not a baked file
    #[arg(long)]
    force: bool,
    /// Write a page about the level, as `hitscan report` does: Markdown or HTML by the extension
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Print the report as JSON (schema 1)
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
Example: bake a level and its props into one file
  hitscan bake level.glb props.obj -o level.hbvh --report level.html
Example: a forest of a few trees, each stored once
  hitscan bake --instanced forest.glb -o forest.hscn

JSON, schema 1: output, up_to_date, file_bytes, meshes, materials, rays, triangles_in,
triangles_kept, skipped_degenerate, skipped_non_finite, skipped_out_of_range, nodes, leaves, depth,
references, sah_cost, tree_bytes, skipped, edges (open, inconsistent, non_manifold, nearly_matching,
t_junctions and exact_t_junctions), closed_meshes, bytes_per_triangle, sources, stages, seconds,
peak_bytes, warnings. With --instanced: output, up_to_date, file_bytes, trees, instances,
triangles_stored, triangles_placed, tree_bytes, copies_bytes (if each instance had a copy),
skipped_degenerate, skipped_non_finite, skipped_out_of_range, materials, sources, seconds,
peak_bytes, warnings.

Meshes and triangles are numbered as in the models, file by file. The SAH cost is the expected cost
of a random line, in node tests. Edges are counted over all meshes together. An open edge belongs to
one triangle; if it misses another by rounding alone, rays can slip through, and a warning names a
place. A mesh is closed if it encloses a volume by itself.";

/// Warnings shown. A damaged model can have one for each triangle.
const WARNINGS_SHOWN: usize = 20;

impl Bake {
    pub(crate) fn run(self) -> Result<(), Failure> {
        if self.inputs.iter().any(|input| input.as_os_str() == "-") {
            let message = "a model is read from a file, not from standard input: its extension \
                           tells its format, and it may name other files";
            return Err(Failure::Usage(message.to_owned()));
        }
        let mut read: Vec<&Path> = self.inputs.iter().map(PathBuf::as_path).collect();
        read.extend(self.rays.as_deref());
        read.extend(self.user_data.as_deref());
        args::refuse_overwrite(&self.output, &read)?;
        if let Some(what) = wrong_extension(&self.output, self.instanced) {
            let hint = if self.instanced { "" } else { ", or bake a scene with --instanced" };
            let output = self.output.display();
            return Err(Failure::Usage(format!("the output `{output}` would be {what}{hint}")));
        }
        self.refuse_other_files()?;
        args::refuse_missing_folder(&self.output)?;
        let form = match &self.report {
            Some(file) => Some(self.form(file, &mut read)?),
            None => None,
        };

        let bar = progress_bar();
        let mut warnings = Vec::new();
        if self.instanced {
            return self.bake_scene(&bar, &mut warnings, form);
        }
        let result = self.bake(&bar, &mut warnings);
        // Cleared first: other text would run into a half-drawn bar.
        bar.finish_and_clear();
        // Also after an error: they may explain it.
        say_warnings(&warnings);
        let (report, bvh) = result?;

        self.write_page(form, || report.page(&bvh))?;
        if self.json {
            output::print_json(&report)
        } else {
            output::print(&report.rows().to_text())
        }
    }

    /// Whether to look at the old output. A pipe must not be read: that would wait forever.
    fn reads_old(&self) -> bool {
        !self.force && fs::metadata(&self.output).is_ok_and(|output| output.is_file())
    }

    /// Protects a model whose name was given as the output by mistake.
    fn refuse_other_files(&self) -> Result<(), Failure> {
        if !self.reads_old() {
            return Ok(());
        }
        let mut start = Vec::new();
        File::open(&self.output)
            .and_then(|file| file.take(64).read_to_end(&mut start))
            .map_err(|error| Failure::io(&self.output, "reading", &error))?;
        let opened = Bvh::from_bytes(&start);
        let is_other = opened.is_err_and(|error| error.kind() == LoadErrorKind::NotHitscan);
        if is_other && !is_scene(&start) && !start.is_empty() {
            return Err(Failure::Usage(format!(
                "the output `{}` exists and is not a baked tree or scene: use --force to \
                 overwrite it",
                self.output.display()
            )));
        }
        Ok(())
    }

    /// The form of the page, which must not overwrite any other file of this bake.
    fn form<'a>(&'a self, page: &Path, used: &mut Vec<&'a Path>) -> Result<Form, Failure> {
        args::refuse_missing_folder(page)?;
        if page == self.output {
            let message = "the report and the baked file have the same name";
            return Err(Failure::Usage(message.to_owned()));
        }
        used.push(&self.output);
        args::refuse_overwrite(page, used)?;
        let message = "expected a report with the extension .md or .html";
        Form::of(page).ok_or_else(|| Failure::Usage(message.to_owned()))
    }

    /// Writes the page, if there is to be one.
    fn write_page(&self, form: Option<Form>, page: impl FnOnce() -> Page) -> Result<(), Failure> {
        let (Some(file), Some(form)) = (&self.report, form) else { return Ok(()) };
        let mut output = Output::create(file)?;
        output.write_all(page().write(form).as_bytes())?;
        output.finish()
    }

    fn bake_scene(
        &self,
        bar: &ProgressBar,
        warnings: &mut Vec<String>,
        form: Option<Form>,
    ) -> Result<(), Failure> {
        let job = SceneBake {
            inputs: &self.inputs,
            output: &self.output,
            layers: &self.layers,
            builder: self.builder(&Import::default()),
            reads_old: self.reads_old(),
        };
        let mut progress = |progress| show_stage(bar, progress);
        let result = job.run(bar, warnings, &mut progress, |ends, error| self.failed(ends, error));
        bar.finish_and_clear();
        say_warnings(warnings);
        let (report, scene) = result?;
        self.write_page(form, || report.page(&scene))?;
        if self.json {
            output::print_json(&report)
        } else {
            output::print(&report.rows().to_text())
        }
    }

    /// Collects the models' warnings in `warnings`, also when the bake fails.
    fn bake(
        &self,
        bar: &ProgressBar,
        warnings: &mut Vec<String>,
    ) -> Result<(Report, Bvh), Failure> {
        let start = Instant::now();
        let mut model = Import::default();
        // The number of meshes up to the end of each file, to find the file of a bad mesh.
        let mut mesh_ends = Vec::new();
        for input in &self.inputs {
            bar.set_message(text::printable(&format!("reading {}", input.display())));
            let mut part = Import::open(input).map_err(|e| Failure::opening(input, &e))?;
            let named = part.warnings.drain(..);
            warnings.extend(named.map(|warning| failure::in_file(input, &warning)));
            model.append(part);
            mesh_ends.push(model.meshes.len());
        }
        warnings.extend(layers::apply(&self.layers, &mut model));
        let user_data = match &self.user_data {
            Some(path) => fs::read(path).map_err(|e| Failure::opening(path, &e))?,
            None => Vec::new(),
        };
        let mut stages = vec![StageSeconds::new("import", start.elapsed())];

        let mut rays = Vec::new();
        if let Some(path) = &self.rays {
            let mut reader = RayReader::open(path, None)?;
            while let Some(more) = reader.read()? {
                rays.extend(more);
            }
            if rays.is_empty() {
                warnings.push(format!("{}: there are no rays in it", path.display()));
            }
        }
        let ray_count = rays.len();
        let builder = self.builder(&model).rays(rays);
        let views: Vec<MeshView<'_>> = model.meshes.iter().map(MeshView::from).collect();
        bar.set_message("checking edges");
        let edges_start = Instant::now();
        let topology = Topology::of_views(&views);
        warnings.extend(gap_warning(&topology, &model));
        stages.push(StageSeconds::new("edges", edges_start.elapsed()));
        let old = self.old(&builder, &views, &user_data);
        let up_to_date = old.is_some();
        let mut skipped = Vec::new();
        let bvh = match old {
            Some(bvh) => bvh,
            None => {
                let baked = builder.bake_with_progress(&views, &mut |progress| {
                    show_stage(bar, progress);
                    ControlFlow::Continue(())
                });
                let (mut bvh, report) = baked.map_err(|error| self.failed(&mesh_ends, &error))?;
                if report.summary.triangles_kept == 0 {
                    let skipped = text::skipped(&report.summary);
                    let reason = match report.summary.triangles_in {
                        0 => {
                            // The models' warnings that say the same.
                            warnings.retain(|text| !text.ends_with(": there is no triangle"));
                            "there are no triangles to bake".to_owned()
                        }
                        1 => format!("the only triangle cannot be baked: {skipped}"),
                        n => {
                            format!("none of {} triangles can be baked: {skipped}", text::count(n))
                        }
                    };
                    return Err(Failure::at(all_names(&self.inputs), "whole file", &reason));
                }
                let baked = report.stages.iter();
                stages.extend(baked.map(|s| StageSeconds::new(s.stage.name(), s.time)));
                skipped = report.skipped;

                bvh.set_user_data(user_data);
                bar.set_message("writing");
                let save_start = Instant::now();
                bvh.save(&self.output).map_err(|error| Failure::in_file(&self.output, &error))?;
                stages.push(StageSeconds::new("save", save_start.elapsed()));
                bvh
            }
        };
        let file = fs::metadata(&self.output)
            .map_err(|error| Failure::io(&self.output, "reading back", &error))?;
        let summary = bvh.metadata().summary;
        let report = Report {
            output: self.output.display().to_string(),
            up_to_date,
            file_bytes: file.len(),
            meshes: model.meshes.len(),
            materials: model.material_names,
            rays: ray_count,
            bytes_per_triangle: bytes_per_triangle(&bvh),
            summary,
            skipped,
            edges: EdgeRow::new(&topology),
            closed_meshes: topology.meshes.iter().filter(|mesh| mesh.is_closed()).count(),
            topology,
            peak_bytes: memory::peak_bytes(),
            sources: model.sources.iter().map(SourceRow::new).collect(),
            stages,
            seconds: start.elapsed().as_secs_f64(),
            warnings: warnings.clone(),
        };
        Ok((report, bvh))
    }

    /// The tree in the output, if the file is sound and a bake would give the same again.
    fn old(&self, builder: &Builder, views: &[MeshView<'_>], user_data: &[u8]) -> Option<Bvh> {
        if !self.reads_old() {
            return None;
        }
        let old = Bvh::open(&self.output).ok()?;
        let content_hash = Some(builder.content_hash(views));
        let same = old.content_hash() == content_hash && old.user_data() == user_data;
        same.then_some(old)
    }

    /// Names the file that a bake failed for, or all of them.
    fn failed(&self, mesh_ends: &[usize], error: &BakeError) -> Failure {
        let mesh = error.mesh().map_or(usize::MAX, |mesh| mesh as usize);
        let file = mesh_ends.partition_point(|&end| end <= mesh);
        let name = match self.inputs.get(file) {
            Some(input) => input.display().to_string(),
            None => all_names(&self.inputs),
        };
        match error.kind() {
            BakeErrorKind::NonFinite | BakeErrorKind::IndexOutOfRange => {
                Failure::Input(failure::in_file(name, &format!("{error} with --skip-bad")))
            }
            _ => Failure::in_file(name, error),
        }
    }

    fn builder(&self, model: &Import) -> Builder {
        let builder = Builder::new().sources(model.sources.clone());
        let builder = builder.material_names(model.material_names.clone());
        let mut builder = builder.quality(self.quality.into());
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

/// Tells of gaps between edges that were meant to meet, and where one is.
fn gap_warning(topology: &Topology, model: &Import) -> Option<String> {
    let gap = topology.example?;
    let label = |mesh: usize| format!("{mesh} `{}`", model.meshes[mesh].name);
    let meshes = text::between_meshes(gap.meshes.map(label));
    let (count, of) = (text::count(topology.gaps()), text::count(topology.edges.open));
    let kinds = text::kinds_of_gaps(topology.nearly_matching, topology.t_junctions);
    Some(format!(
        "edges: {count} of {of} open edges have a gap to others ({kinds}), and rays can slip \
         through: {} wide at {} {meshes}; weld vertices, or place tiles on exact coordinates",
        gap.width,
        text::point(gap.point),
    ))
}

fn say_warnings(warnings: &[String]) {
    let shown = warnings.iter().take(WARNINGS_SHOWN);
    shown.for_each(|warning| text::say(&format!("hitscan: warning: {warning}")));
    if let Some(more) = warnings.len().checked_sub(WARNINGS_SHOWN + 1) {
        let more = text::counted(more + 1, "more warning");
        text::say(&format!("hitscan: warning: {more}"));
    }
}

fn show_stage(bar: &ProgressBar, progress: Progress) {
    show_progress(bar, progress.stage.name(), progress.fraction.into());
}

fn all_names(inputs: &[PathBuf]) -> String {
    let names: Vec<String> = inputs.iter().map(|path| path.display().to_string()).collect();
    names.join(", ")
}
