//! `hitscan bake --instanced`: reads models and writes a scene, in which meshes that repeat are
//! stored once.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use hitscan::bake::Progress;
use hitscan::import::InstancedImport;
use hitscan::{BakeError, Builder, Scene};
use indicatif::ProgressBar;
use serde::Serialize;

use super::layers::{self, LayerRule};
use super::memory;
use super::report::SourceRow;
use crate::level::baked::trees_of;
use crate::page::report;
use crate::page::{Page, Section};
use crate::terminal::failure::{self, Failure};
use crate::terminal::text::{self, Rows};

/// What to bake.
pub(crate) struct SceneBake<'a> {
    pub(crate) inputs: &'a [PathBuf],
    pub(crate) output: &'a Path,
    pub(crate) layers: &'a [LayerRule],
    pub(crate) builder: Builder,
    /// Whether the output may be up to date.
    pub(crate) reads_old: bool,
}

#[derive(Serialize)]
pub(crate) struct SceneReport {
    output: String,
    up_to_date: bool,
    file_bytes: u64,
    trees: usize,
    instances: usize,
    /// Kept by the bake, each tree once.
    triangles_stored: u64,
    /// The same, each as often as it stands somewhere.
    triangles_placed: u64,
    /// Of all trees, each once.
    tree_bytes: u64,
    /// What they would take if each instance had a copy.
    copies_bytes: u64,
    skipped_degenerate: u64,
    skipped_non_finite: u64,
    skipped_out_of_range: u64,
    materials: Vec<String>,
    sources: Vec<SourceRow>,
    seconds: f64,
    peak_bytes: Option<u64>,
    warnings: Vec<String>,
}

impl SceneBake<'_> {
    /// Collects the models' warnings in `warnings`, also when the bake fails. `failed` names the
    /// file that a bake failed for, from the numbers of meshes at which the files end.
    pub(crate) fn run(
        &self,
        bar: &ProgressBar,
        warnings: &mut Vec<String>,
        progress: &mut (dyn FnMut(Progress) + Send),
        failed: impl Fn(&[usize], &BakeError) -> Failure,
    ) -> Result<(SceneReport, Scene), Failure> {
        let start = Instant::now();
        let mut model = InstancedImport::default();
        let mut mesh_ends = Vec::new();
        for input in self.inputs {
            bar.set_message(text::printable(&format!("reading {}", input.display())));
            let part = InstancedImport::open(input);
            let mut part = part.map_err(|error| Failure::opening(input, &error))?;
            let named = part.fixed.warnings.drain(..);
            warnings.extend(named.map(|warning| failure::in_file(input, &warning)));
            model.append(part);
            mesh_ends.push(model.fixed.meshes.len());
        }
        let unmatched = layers::apply_to_instances(self.layers, &mut model);
        warnings.extend(unmatched.map_err(Failure::Input)?);
        if model.triangle_count() == 0 {
            warnings.retain(|text| !text.ends_with(": there is no triangle"));
            let names: Vec<_> = self.inputs.iter().map(|path| path.display().to_string()).collect();
            let reason = "there are no triangles to bake";
            return Err(Failure::at(names.join(", "), "whole file", reason));
        }

        let old = match self.reads_old {
            true => Scene::open(self.output).ok(),
            false => None,
        };
        let old = old.filter(|scene| scene.is_bake_of(&self.builder, &model));
        let up_to_date = old.is_some();
        let scene = match old {
            Some(scene) => scene,
            None => {
                let mut told = |part: Progress| {
                    progress(part);
                    ControlFlow::Continue(())
                };
                let baked = Scene::bake_import_with_progress(&self.builder, &model, &mut told);
                let (scene, _) = baked.map_err(|error| failed(&mesh_ends, &error))?;
                bar.set_message("writing");
                let saved = scene.save(self.output);
                saved.map_err(|error| Failure::in_file(self.output, &error))?;
                scene
            }
        };
        let file = fs::metadata(self.output)
            .map_err(|error| Failure::io(self.output, "reading back", &error))?;
        let mut report = SceneReport {
            output: self.output.display().to_string(),
            up_to_date,
            file_bytes: file.len(),
            trees: 0,
            instances: scene.len(),
            triangles_stored: 0,
            triangles_placed: 0,
            tree_bytes: 0,
            copies_bytes: 0,
            skipped_degenerate: 0,
            skipped_non_finite: 0,
            skipped_out_of_range: 0,
            materials: model.fixed.material_names,
            sources: model.fixed.sources.iter().map(SourceRow::new).collect(),
            seconds: 0.0,
            peak_bytes: memory::peak_bytes(),
            warnings: warnings.clone(),
        };
        report.count(&scene);
        report.seconds = start.elapsed().as_secs_f64();
        Ok((report, scene))
    }
}

impl SceneReport {
    /// Adds up the contents of the trees.
    fn count(&mut self, scene: &Scene) {
        let trees = trees_of(scene);
        self.trees = trees.len();
        for summary in trees.into_iter().map(|bvh| bvh.metadata().summary) {
            self.triangles_stored += summary.triangles_kept;
            self.tree_bytes += summary.tree_bytes;
            self.skipped_degenerate += summary.skipped_degenerate;
            self.skipped_non_finite += summary.skipped_non_finite;
            self.skipped_out_of_range += summary.skipped_out_of_range;
        }
        for bvh in scene.instances().filter_map(|id| scene.bvh(id).ok()) {
            let summary = bvh.metadata().summary;
            self.triangles_placed += summary.triangles_kept;
            self.copies_bytes += summary.tree_bytes;
        }
    }

    pub(crate) fn page(&self, scene: &Scene) -> Page {
        let mut sections = report::of_scene(scene);
        if !self.warnings.is_empty() {
            sections.push(Section::list("Warnings", "", self.warnings.clone()));
        }
        sections.push(Section::facts("The bake", "", self.rows()));
        Page { title: format!("Bake of {}", self.output), sections }
    }

    pub(crate) fn rows(&self) -> Rows {
        let mut rows = Rows::default();
        let done = if self.up_to_date { "up to date" } else { "baked" };
        rows.add(done, format!("{} ({} bytes)", self.output, text::count(self.file_bytes)));
        rows.add("trees", text::count(self.trees));
        rows.add("instances", text::count(self.instances));
        let [stored, placed, bytes, copies] =
            [self.triangles_stored, self.triangles_placed, self.tree_bytes, self.copies_bytes]
                .map(text::count);
        rows.add("triangles", format!("stored {stored}, placed {placed}"));
        rows.add("tree bytes", format!("{bytes}; as copies {copies}"));
        rows.add(
            "skipped",
            format!(
                "{} without area, {} not finite, {} with indices out of range",
                text::count(self.skipped_degenerate),
                text::count(self.skipped_non_finite),
                text::count(self.skipped_out_of_range)
            ),
        );
        rows.add("materials", text::count(self.materials.len()));
        for source in &self.sources {
            rows.add("source", format!("{} (xxh3 {})", source.name, source.hash));
        }
        rows.add("time", format!("{:.3} s", self.seconds));
        rows
    }
}
