//! What rays cost, where, and what stands out, as text and as JSON.

use serde::Serialize;

use super::causes::{self, Cause};
use super::sample::Sample;
use super::scene_causes;
use super::scene_sample::SceneSample;
use super::share::Share;
use crate::terminal::text::{self, Rows};

/// Rows of each table in the text, and triangles in the JSON.
const SHOWN: usize = 5;

#[derive(Serialize)]
pub(super) struct Report {
    rays: u64,
    hits: u64,
    /// In a scene, of trees of instances too.
    nodes: f64,
    blocks: f64,
    triangles_tested: f64,
    #[serde(flatten)]
    placed: Option<OfScene>,
    meshes: Vec<Share>,
    materials: Vec<Share>,
    triangles: Vec<Share>,
    causes: Vec<Cause>,
}

/// What only a scene has.
#[derive(Serialize)]
struct OfScene {
    /// Nodes of trees of instances.
    instance_nodes: f64,
    instances_asked: f64,
    asked_in_vain: f64,
    instances: Vec<Share>,
    trees: Vec<Share>,
}

impl Report {
    pub(super) fn of_tree(sample: &Sample<'_>) -> Self {
        let per_ray = |count: u64| part(count, sample.rays);
        Self {
            rays: sample.rays,
            hits: sample.hits,
            nodes: per_ray(sample.nodes),
            blocks: per_ray(sample.blocks),
            triangles_tested: per_ray(sample.all_tests),
            placed: None,
            meshes: sample.by_mesh(),
            materials: sample.by_material(),
            triangles: sample.by_triangle(SHOWN),
            causes: causes::find(sample),
        }
    }

    pub(super) fn of_scene(sample: &SceneSample<'_>) -> Self {
        let per_ray = |count: u64| part(count, sample.rays);
        let in_trees = |of: fn(&Sample<'_>) -> u64| sample.trees.values().map(of).sum::<u64>();
        let asked = sample.sum(|one| one.entered);
        let placed = OfScene {
            instance_nodes: per_ray(sample.nodes),
            instances_asked: per_ray(asked),
            asked_in_vain: part(sample.sum(|one| one.in_vain), asked),
            instances: sample.by_instance(),
            trees: sample.by_tree(),
        };
        let mut triangles = sample.of_trees(|tree| tree.by_triangle(SHOWN));
        triangles.truncate(SHOWN);
        Self {
            rays: sample.rays,
            hits: sample.hits,
            nodes: per_ray(sample.nodes + in_trees(|tree| tree.nodes)),
            blocks: per_ray(in_trees(|tree| tree.blocks)),
            triangles_tested: per_ray(sample.tests()),
            placed: Some(placed),
            meshes: sample.of_trees(|tree| tree.by_mesh()),
            materials: sample.of_trees(|tree| tree.by_material()),
            triangles,
            causes: scene_causes::find(sample),
        }
    }

    pub(super) fn to_text(&self) -> String {
        let mut rows = Rows::default();
        let percent = 100.0 * part(self.hits, self.rays);
        rows.add("rays", format!("{}, {percent:.0} % hit", text::count(self.rays)));
        let (nodes, blocks, triangles) = (self.nodes, self.blocks, self.triangles_tested);
        let what = format!("tests {nodes:.2} nodes, {blocks:.2} leaf blocks");
        rows.add("a ray", format!("{what} with {triangles:.2} triangles"));
        if let Some(OfScene { instance_nodes, instances_asked, asked_in_vain, .. }) = &self.placed {
            let percent = 100.0 * asked_in_vain;
            let of_nodes = format!("{instance_nodes:.2} of the nodes are of trees of instances");
            let asks = format!("asks {instances_asked:.2} instances, {percent:.0} % in vain");
            rows.add("", format!("{asks}; {of_nodes}"));
        }
        let mut text = rows.to_text();
        if let Some(OfScene { instances, trees, .. }) = &self.placed {
            text += &table("instance", instances);
            text += &table("tree", trees);
        }
        text += &table("mesh", &self.meshes);
        text += &table("material", &self.materials);
        text += &table("triangle", &self.triangles);
        if self.causes.is_empty() {
            text += "\nNothing stands out.\n";
        }
        for cause in &self.causes {
            let Cause { cause, finding, advice, .. } = cause;
            let (finding, advice) = (text::printable(finding), text::printable(advice));
            text += &format!("\n{cause}: {finding}\n  what to do: {advice}\n");
        }
        text
    }
}

fn table(title: &str, shares: &[Share]) -> String {
    if shares.is_empty() {
        return String::new();
    }
    let mut text = format!("\n   share  tests a ray  in vain  {title}\n");
    for share in shares.iter().take(SHOWN) {
        text += &share.to_line();
    }
    if shares.len() > SHOWN {
        text += &format!("  and {} more\n", text::count(shares.len() - SHOWN));
    }
    text
}

fn part(number: u64, of: u64) -> f64 {
    number as f64 / of.max(1) as f64
}
