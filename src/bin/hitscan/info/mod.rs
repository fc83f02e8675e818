//! `hitscan info`: checks a baked file and shows its contents. Scenes are in `info_scene.rs`.

mod scene;

use std::fs;
use std::path::PathBuf;

use clap::Args;
use hitscan::bake::BakeSummary;
use hitscan::bvh::{MeshInfo, TreeStats};
use hitscan::file::FORMAT_VERSION;
use hitscan::{Aabb, Bvh, Quality};
use serde::Serialize;

use self::scene::SceneReport;
use crate::bake::report::SourceRow;
use crate::level::baked::Baked;
use crate::terminal::failure::Failure;
use crate::terminal::output::{print, print_json};
use crate::terminal::text::{self, Rows};

/// Check a baked file and show its contents. The whole file is checked: its checksums and every
/// rule of the format. A file that passes is safe to query.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Info {
    /// The baked file: a tree or a scene
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Also show the tree's shape: how full nodes and leaves are, and what a random ray is
    /// expected to meet
    #[arg(long)]
    stats: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Example: how full are its nodes and leaves?
  hitscan info level.hbvh --stats

With --stats, `children` counts nodes by their number of children, `fill` leaves by their number
of triangles, `levels` leaves by the level of their parent node. `a ray` is a random ray that
meets the tree's box. The EPO cost is the work that rays do in vain in overlapping nodes.

JSON, schema 1: file, file_bytes, sound (true: other files give an error), format_version, builder,
quality, spatial_budget, content_hash, sources, bounds, the counts of the bake, user_bytes,
materials (names), and meshes, each with mesh, name, triangles, user_id and mask; with --stats also
stats and epo_cost.

Of a scene, JSON has: file, file_bytes, sound, format_version, triangles_stored (each tree once),
triangles_placed (each as often as it stands somewhere), trees, each with tree, instances, meshes,
triangles, tree_bytes and content_hash, and instances, each with instance, name, tree, enabled,
mask, user_id and transform (three columns, then the translation).

The table of meshes counts triangles as in the model, with those that the bake skipped. The mask
has a bit for each layer that the mesh lies in.";

impl Info {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let baked = Baked::open(&self.file)?;
        let file_bytes = fs::metadata(&self.file)
            .map_err(|error| Failure::io(&self.file, "reading", &error))?
            .len();
        let file = self.file.display().to_string();
        let bvh = match baked {
            Baked::Tree(bvh) => bvh,
            Baked::Scene(_) if self.stats => {
                let message = "--stats is for a tree: a scene has many";
                return Err(Failure::Usage(message.to_owned()));
            }
            Baked::Scene(scene) => {
                let report = SceneReport::new(file, file_bytes, &scene);
                return if self.json { print_json(&report) } else { print(&report.to_text()) };
            }
        };
        let mut report = Report::new(file, file_bytes, &bvh);
        if self.stats {
            report.stats = Some(bvh.stats());
            report.epo_cost = Some(bvh.epo_cost());
        }
        if self.json { print_json(&report) } else { print(&report.to_text()) }
    }
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
    /// In hexadecimal; `null` for a tree that was changed after its bake.
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
    materials: Vec<String>,
    meshes: Vec<MeshRow>,
}

#[derive(Serialize)]
struct Bounds {
    min: [f32; 3],
    max: [f32; 3],
}

#[derive(Serialize)]
struct MeshRow {
    mesh: u32,
    name: String,
    triangles: u32,
    user_id: u64,
    mask: u32,
}

impl Report {
    fn new(file: String, file_bytes: u64, bvh: &Bvh) -> Self {
        let metadata = bvh.metadata();
        let mut names = metadata.mesh_names.into_iter();
        let meshes = (0..).map_while(|mesh| {
            let MeshInfo { triangles, user_id, mask, .. } = bvh.mesh(mesh)?;
            let name = names.next().unwrap_or_default();
            Some(MeshRow { mesh, name, triangles, user_id, mask })
        });
        let meshes = meshes.collect();
        let Aabb { min, max } = bvh.bounds();
        Self {
            file,
            file_bytes,
            sound: true,
            format_version: FORMAT_VERSION,
            builder: metadata.builder,
            quality: metadata.quality,
            spatial_budget: metadata.spatial_budget,
            content_hash: bvh.content_hash().map(|hash| format!("{hash:016x}")),
            sources: metadata.sources.iter().map(SourceRow::new).collect(),
            bounds: min.cmple(max).all().then(|| Bounds { min: min.into(), max: max.into() }),
            summary: metadata.summary,
            user_bytes: bvh.user_data().len(),
            stats: None,
            epo_cost: None,
            materials: metadata.material_names,
            meshes,
        }
    }

    fn to_text(&self) -> String {
        let mut rows = Rows::default();
        rows.add("file", format!("{} ({} bytes)", self.file, text::count(self.file_bytes)));
        rows.add("format", format!("version {}", self.format_version));
        rows.add("sound", "yes");
        rows.add("builder", &self.builder);
        let quality = format!("{:?}", self.quality).to_lowercase();
        rows.add("quality", format!("{quality}, spatial budget {}", self.spatial_budget));
        rows.add("content", self.content_hash.as_deref().unwrap_or("changed since its bake"));
        for source in &self.sources {
            rows.add("source", format!("{} (xxh3 {})", source.name, source.hash));
        }
        let bounds = self.bounds.as_ref();
        let bounds = bounds.map(|b| format!("{} to {}", text::point(b.min), text::point(b.max)));
        rows.add("bounds", bounds.as_deref().unwrap_or("none"));
        rows.add_summary(&self.summary);
        if let (Some(stats), Some(epo_cost)) = (&self.stats, self.epo_cost) {
            rows.add_stats(stats, epo_cost);
            rows.add("children", histogram(&stats.nodes_by_children));
            rows.add("fill", histogram(&stats.leaves_by_triangles));
            rows.add("levels", histogram(&stats.leaves_by_level));
        }
        rows.add("user data", format!("{} bytes", text::count(self.user_bytes)));
        rows.add("meshes", text::count(self.meshes.len()));
        rows.add("materials", text::count(self.materials.len()));
        let mut text = rows.to_text();
        if !self.materials.is_empty() {
            text += "\n  material  name\n";
        }
        for (number, name) in self.materials.iter().enumerate() {
            text += &format!("{number:>10}  {}\n", text::printable(name));
        }
        if !self.meshes.is_empty() {
            text += "\n  mesh  triangles              user id     mask  name\n";
        }
        for MeshRow { mesh, name, triangles, user_id, mask } in &self.meshes {
            let (name, triangles) = (text::printable(name), text::count(*triangles));
            text += &format!("{mesh:>6} {triangles:>10} {user_id:>20} {mask:08x}  {name}\n");
        }
        text
    }
}

/// Counts of things with 1, 2, ... parts, without those that are zero.
fn histogram(counts: &[u64]) -> String {
    let named = (1..).zip(counts).filter(|&(_, &count)| count > 0);
    let parts: Vec<String> =
        named.map(|(i, count)| format!("{i}: {}", text::count(*count))).collect();
    parts.join(", ")
}
