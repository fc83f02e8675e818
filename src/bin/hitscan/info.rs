//! `hitscan info`: what is in a baked file, and whether it is sound.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use clap::Args;
use hitscan::bake::BakeSummary;
use hitscan::bvh::TreeStats;
use hitscan::file::FORMAT_VERSION;
use hitscan::{Aabb, Bvh, Quality};
use serde::Serialize;

use crate::exit::{Failure, with_causes};
use crate::text::{self, SourceRow};

/// Tell what is in a baked file, and whether it is sound.
///
/// The whole file is checked: checksums, and every rule of the format. A file that passes can
/// be queried without fear; one that does not is refused with the place and the reason.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Info {
    /// The baked file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Tell the tree's shape, too: how full nodes and leaves are, and what a random ray is expected
    /// to meet
    #[arg(long)]
    stats: bool,
    /// Print JSON; a file that is not sound is told so there, too
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Example: which mesh has the most triangles?
  hitscan info level.hbvh --json | jq '.meshes | max_by(.triangles) | .name'

With --stats, `children` counts nodes by their children, `fill` leaves by their triangles, `levels`
leaves by the level of the node above. The EPO cost is what rays are expected to search in vain
because of where they end. A random ray is one that meets the tree's box.

Triangles are counted as in the model, with those that the bake left out. The mask has a bit
for each layer that the mesh lies in.";

impl Info {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let bvh = match Bvh::open(&self.file) {
            Ok(bvh) => bvh,
            Err(error) => {
                if self.json {
                    text::print_json(&Unsound {
                        file: self.file.display().to_string(),
                        sound: false,
                        reason: with_causes(&error),
                    })?;
                }
                return Err(Failure::in_file(&self.file, &error));
            }
        };
        let file_bytes = fs::metadata(&self.file)
            .map_err(|error| Failure::io(&self.file, "reading", &error))?
            .len();
        let mut report = Report::new(self.file.display().to_string(), file_bytes, &bvh);
        if self.stats {
            report.stats = Some(bvh.stats());
            report.epo_cost = Some(bvh.epo_cost());
        }
        if self.json { text::print_json(&report) } else { text::print(&report.to_text()) }
    }
}

#[derive(Serialize)]
struct Unsound {
    file: String,
    sound: bool,
    reason: String,
}

#[derive(Serialize)]
struct Report {
    file: String,
    file_bytes: u64,
    sound: bool,
    format_version: u32,
    builder: String,
    quality: Quality,
    spatial_budget: f64,
    /// In hexadecimal; `null` for a tree that was refitted or moved after its bake.
    content_hash: Option<String>,
    sources: Vec<SourceRow>,
    /// `null` for a tree without triangles.
    bounds: Option<Bounds>,
    #[serde(flatten)]
    summary: BakeSummary,
    user_bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    stats: Option<TreeStats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    epo_cost: Option<f64>,
    meshes: Vec<MeshRow>,
}

#[derive(Serialize)]
struct Bounds {
    min: [f32; 3],
    max: [f32; 3],
}

#[derive(Serialize)]
struct MeshRow {
    mesh: usize,
    name: String,
    triangles: u32,
    user_id: u64,
    mask: u32,
}

impl Report {
    fn new(file: String, file_bytes: u64, bvh: &Bvh) -> Self {
        let view = bvh.view();
        let metadata = view.metadata();
        let mut names = metadata.mesh_names.into_iter();
        let records = (0..).map_while(|mesh| view.mesh(mesh));
        let meshes = records.enumerate().map(|(mesh, record)| MeshRow {
            mesh,
            name: names.next().unwrap_or_default(),
            triangles: record.triangles,
            user_id: record.user_id,
            mask: record.mask,
        });
        let meshes = meshes.collect();
        let Aabb { min, max } = view.bounds();
        Self {
            file,
            file_bytes,
            sound: true,
            format_version: FORMAT_VERSION,
            builder: metadata.builder,
            quality: metadata.quality,
            spatial_budget: metadata.spatial_budget,
            content_hash: view.content_hash().map(|hash| format!("{hash:016x}")),
            sources: metadata.sources.iter().map(SourceRow::new).collect(),
            bounds: min.cmple(max).all().then(|| Bounds { min: min.into(), max: max.into() }),
            summary: metadata.summary,
            user_bytes: view.user_data().len(),
            stats: None,
            epo_cost: None,
            meshes,
        }
    }

    fn to_text(&self) -> String {
        let s = &self.summary;
        let mut text = String::new();
        let mut line = |label: &str, value: String| {
            let _ = writeln!(text, "{label:<10} {}", text::printable(&value));
        };
        line("file", format!("{} ({} bytes)", self.file, self.file_bytes));
        line("format", format!("version {}", self.format_version));
        line("sound", "yes".to_owned());
        line("builder", self.builder.clone());
        let quality = format!("{:?}", self.quality).to_lowercase();
        line("quality", format!("{quality}, spatial budget {}", self.spatial_budget));
        let hash = self.content_hash.as_deref();
        line("content", hash.unwrap_or("not that of a bake").to_owned());
        for source in &self.sources {
            line("source", format!("{} (xxh3 {})", source.name, source.hash));
        }
        line(
            "bounds",
            self.bounds.as_ref().map_or_else(
                || "none".to_owned(),
                |b| format!("{} to {}", text::point(b.min.into()), text::point(b.max.into())),
            ),
        );
        line("triangles", format!("in {}, kept {}", s.triangles_in, s.triangles_kept));
        line("tree", text::tree(s));
        line("SAH cost", format!("{:.3}", s.sah_cost));
        if let Some(cost) = self.epo_cost {
            line("EPO cost", format!("{cost:.3}"));
        }
        if let Some(stats) = &self.stats {
            line(
                "a ray",
                format!(
                    "meets {:.2} nodes, {:.2} leaves, {:.2} overlaps",
                    stats.expected_nodes, stats.expected_leaves, stats.expected_overlaps
                ),
            );
            line("children", histogram(&stats.nodes_by_children));
            line("fill", histogram(&stats.leaves_by_triangles));
            line("levels", histogram(&stats.leaves_by_level));
        }
        line("user data", format!("{} bytes", self.user_bytes));
        line("meshes", self.meshes.len().to_string());
        if !self.meshes.is_empty() {
            let _ = writeln!(
                text,
                "\n{:>6} {:>10} {:>20} {:>8}  name",
                "mesh", "triangles", "user id", "mask"
            );
        }
        for m in &self.meshes {
            let name = text::printable(&m.name);
            let _ = writeln!(
                text,
                "{:>6} {:>10} {:>20} {:08x}  {name}",
                m.mesh, m.triangles, m.user_id, m.mask
            );
        }
        text
    }
}

/// How many there are with 1, 2, ... of something; those that are not there are left out.
fn histogram(counts: &[u64]) -> String {
    let named = (1..).zip(counts).filter(|&(_, &count)| count > 0);
    let parts: Vec<String> = named.map(|(i, count)| format!("{i}: {count}")).collect();
    parts.join(", ")
}
