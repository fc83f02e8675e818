//! What a bake did: as text, as JSON, and as a page.

use std::time::Duration;

use hitscan::Bvh;
use hitscan::bake::{BakeSummary, SkippedTriangle};
use hitscan::file::Source;
use hitscan::mesh::{EdgeCounts, Topology};
use serde::Serialize;

use crate::level::Level;
use crate::page::advice::{advice, skipped};
use crate::page::level_page::{LevelPage, bars};
use crate::page::level_pictures;
use crate::page::report::{COSTS, what_to_do};
use crate::page::{Cell, Page, Section};
use crate::terminal::text::{self, Rows};

/// Skipped triangles in the text. The JSON and the page have more.
const SKIPPED_SHOWN: usize = 8;

/// Warnings on the page.
const WARNINGS_SHOWN: usize = 1000;

#[derive(Serialize)]
pub(crate) struct Report {
    pub(crate) output: String,
    /// The file was there already, and nothing was baked.
    pub(crate) up_to_date: bool,
    pub(crate) file_bytes: u64,
    pub(crate) meshes: usize,
    /// Names of the materials by the numbers in hits.
    pub(crate) materials: Vec<String>,
    /// The number of rays that the tree was tuned for.
    pub(crate) rays: usize,
    #[serde(flatten)]
    pub(crate) summary: BakeSummary,
    /// The first of each reason; none where nothing was baked.
    pub(crate) skipped: Vec<SkippedTriangle>,
    #[serde(skip)]
    pub(crate) topology: Topology,
    pub(crate) edges: EdgeRow,
    pub(crate) closed_meshes: usize,
    /// Of the tree alone, without names and header.
    pub(crate) bytes_per_triangle: f64,
    pub(crate) sources: Vec<SourceRow>,
    pub(crate) stages: Vec<StageSeconds>,
    /// The whole time, with what lies between the stages.
    pub(crate) seconds: f64,
    /// Of the whole program; `null` where the system does not tell.
    pub(crate) peak_bytes: Option<u64>,
    pub(crate) warnings: Vec<String>,
}

/// The edges of all meshes together that are not shared by two triangles as they should be.
#[derive(Serialize)]
pub(crate) struct EdgeRow {
    open: usize,
    inconsistent: usize,
    non_manifold: usize,
    nearly_matching: usize,
    t_junctions: usize,
    exact_t_junctions: usize,
}

impl EdgeRow {
    pub(crate) fn new(topology: &Topology) -> Self {
        let EdgeCounts { open, inconsistent, non_manifold, .. } = topology.edges;
        let &Topology { nearly_matching, t_junctions, exact_t_junctions, .. } = topology;
        Self { open, inconsistent, non_manifold, nearly_matching, t_junctions, exact_t_junctions }
    }

    fn to_text(&self) -> String {
        let kinds = text::kinds_of_gaps(self.nearly_matching, self.t_junctions);
        let with_gap = format!("of them with a gap ({kinds})");
        let counts = [
            (self.open, "open"),
            (self.nearly_matching + self.t_junctions, &with_gap),
            (self.exact_t_junctions, "T-junctions without a gap"),
            (self.inconsistent, "of inconsistent winding"),
            (self.non_manifold, "non-manifold"),
        ];
        counts.map(|(number, what)| format!("{} {what}", text::count(number))).join(", ")
    }
}

/// A source file. Its hash is in hexadecimal, as few JSON readers keep all 64 bits of a number.
#[derive(Serialize)]
pub(crate) struct SourceRow {
    pub(crate) name: String,
    pub(crate) hash: String,
}

impl SourceRow {
    pub(crate) fn new(source: &Source) -> Self {
        Self { name: source.name.clone(), hash: format!("{:016x}", source.hash) }
    }
}

#[derive(Serialize)]
pub(crate) struct StageSeconds {
    stage: String,
    seconds: f64,
}

impl StageSeconds {
    pub(crate) fn new(stage: impl Into<String>, time: Duration) -> Self {
        Self { stage: stage.into(), seconds: time.as_secs_f64() }
    }
}

impl Report {
    pub(crate) fn rows(&self) -> Rows {
        let mut rows = Rows::default();
        let done = if self.up_to_date { "up to date" } else { "baked" };
        rows.add(done, format!("{} ({} bytes)", self.output, text::count(self.file_bytes)));
        rows.add_summary(&self.summary);
        rows.add("bytes", format!("{:.1} per triangle", self.bytes_per_triangle));
        let (meshes, materials) = (text::count(self.meshes), text::count(self.materials.len()));
        let closed = text::count(self.closed_meshes);
        rows.add("meshes", format!("{meshes} ({closed} closed), materials {materials}"));
        rows.add("edges", self.edges.to_text());
        if self.rays > 0 {
            rows.add("rays", format!("{} given", text::count(self.rays)));
        }
        let first = self.skipped.iter().take(SKIPPED_SHOWN);
        let mut shown: Vec<String> = first.map(|t| format!("{}:{}", t.mesh, t.triangle)).collect();
        if self.skipped.len() > SKIPPED_SHOWN {
            shown.push("...".to_owned());
        }
        if !shown.is_empty() {
            rows.add("skipped", format!("(mesh:triangle) {}", shown.join(", ")));
        }
        let stages = self.stages.iter().map(|s| format!("{} {:.3}", s.stage, s.seconds));
        let seconds = stages.chain([format!("all {:.3}", self.seconds)]);
        rows.add("seconds", seconds.collect::<Vec<_>>().join(", "));
        if let Some(bytes) = self.peak_bytes {
            rows.add("memory", format!("{} MB at the peak", bytes.div_ceil(1_000_000)));
        }
        rows
    }

    /// What could be better, in plain words, the most important first.
    fn advice(&self, level: &LevelPage<'_>) -> Vec<String> {
        let skipped = skipped(&self.summary);
        let mut lines: Vec<_> =
            skipped.map(|line| format!("{line} The tables below name them.")).into_iter().collect();
        if !self.warnings.is_empty() {
            let warnings = text::counted(self.warnings.len(), "warning");
            lines.push(format!("The models gave {warnings}: see the list below."));
        }
        lines.extend(advice(&[(None, level)]));
        lines
    }

    pub(crate) fn page(&self, bvh: &Bvh) -> Page {
        let level = LevelPage::new(bvh, self.topology.clone());
        let mut rows = self.rows();
        rows.add_stats(level.stats(), bvh.epo_cost());
        rows.add("builder", bvh.metadata().builder);
        let mut sections = vec![what_to_do(self.advice(&level))];
        sections.extend(level_pictures::sections(Level::Tree(bvh)));
        sections.extend(level.meshes());
        let skipped = self.skipped.iter().map(|skipped| {
            let reason = skipped.reason.name().to_owned();
            [skipped.mesh.to_string(), skipped.triangle.to_string(), reason]
        });
        let sources = self.sources.iter().map(|source| [source.name.clone(), source.hash.clone()]);
        for section in [
            Section::table(
                "Skipped triangles",
                "The first thousand of each reason, as numbered in the models.",
                &["mesh", "triangle", "reason"],
                texts(skipped),
            ),
            Section::table("Sources", "", &["file", "xxh3-64"], texts(sources)),
        ] {
            if !section.is_empty() {
                sections.push(section);
            }
        }
        if !self.warnings.is_empty() {
            let warnings = self.warnings.iter().take(WARNINGS_SHOWN).cloned().collect();
            sections.push(Section::list("Warnings", "", warnings));
        }
        sections.push(Section::facts("The bake", COSTS, rows));
        let stages = self.stages.iter().map(|s| (s.stage.clone(), s.seconds));
        sections.push(bars("Time", "", stages, |seconds, _| format!("{seconds:.3} s")));
        sections.extend(level.tree());
        Page { title: format!("Bake of {}", self.output), sections }
    }
}

fn texts<const N: usize>(rows: impl Iterator<Item = [String; N]>) -> Vec<Vec<Cell>> {
    rows.map(|row| row.map(Cell::Text).into()).collect()
}
