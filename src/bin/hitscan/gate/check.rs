//! `hitscan check`: gates for continuous integration. They are counts, which are the same on every
//! run, and never times.

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use hitscan::mesh::Topology;
use hitscan::query::Question;
use hitscan::{Bvh, Query};
use serde::Serialize;

use crate::level::baked::{Baked, bytes_per_triangle, topology, trees_of};
use crate::sampled_rays::through_box;
use crate::terminal::args;
use crate::terminal::failure::{self, Failure};
use crate::terminal::output;
use crate::terminal::text;

/// Check that a level keeps to limits, for continuous integration. Give one limit or more.
#[derive(Args)]
#[command(after_help = AFTER_HELP, override_usage = "hitscan check [OPTIONS] <LEVEL>", group(
    ArgGroup::new("gates").required(true).multiple(true).args([
        "max_cost", "max_bytes_per_triangle", "max_depth", "max_open_edges", "max_gaps",
    ])
))]
pub(crate) struct Check {
    /// The baked file: a tree or a scene
    #[arg(value_name = "LEVEL")]
    file: PathBuf,
    /// The most tests of nodes and triangles for a ray, on average
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = limit)]
    max_cost: Option<f64>,
    /// The most bytes of the tree for each of its triangles
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = limit)]
    max_bytes_per_triangle: Option<f64>,
    /// The most levels of nodes
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = args::count)]
    max_depth: Option<u32>,
    /// The most edges that belong to one triangle only
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = args::count)]
    max_open_edges: Option<u32>,
    /// The most open edges that nearly match others, so that rays can slip through
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = args::count)]
    max_gaps: Option<u32>,
    /// Print JSON (schema 1)
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Example: fail if a ray gets costlier, or a gap opens
  hitscan check level.hbvh --max-cost 60 --max-bytes-per-triangle 200 --max-gaps 0

JSON, schema 1: passed, and gates, each with gate, limit, value, passed and, in a scene, tree.

Exit code 0 if every value is at most its limit, 3 if one is above it. Of a scene, each tree is
checked, and the largest value of any tree counts.

The cost is counted over 4,096 rays, always the same ones for the same bounds: the first of those
that `hitscan why` asks, from points in the box of the tree in all directions. The closest hit is
searched, and the nodes and triangles that are tested are counted, in the same way on every machine.
Time is not measured. Edges are counted as in `hitscan bake`, over all triangles of a tree.";

/// Rays that the cost is counted over.
const RAYS: usize = 4096;

impl Check {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let baked = Baked::open(&self.file)?;
        let trees = match &baked {
            Baked::Tree(bvh) => vec![bvh],
            Baked::Scene(scene) => trees_of(scene),
        };
        if trees.is_empty() {
            let reason = "there is no tree in it to check";
            return Err(Failure::Input(failure::in_file(&self.file, reason)));
        }
        let mut gates = self.gates(&trees);
        if let Baked::Tree(_) = baked {
            gates.iter_mut().for_each(|gate| gate.tree = None);
        }
        let failed: Vec<_> = gates.iter().filter(|gate| !gate.passed).map(Gate::said).collect();
        let report = Report { passed: failed.is_empty(), gates };
        if self.json {
            output::print_json(&report)?;
        } else {
            output::print(&report.to_text())?;
        }
        match report.passed {
            true => Ok(()),
            false => Err(Failure::Verdict(failure::in_file(&self.file, &failed.join(", ")))),
        }
    }

    fn gates(&self, trees: &[&Bvh]) -> Vec<Gate> {
        let mut gates = Vec::new();
        let mut gate = |name, limit: Option<f64>, value: &dyn Fn(&Bvh) -> f64| {
            if let Some(limit) = limit {
                gates.push(Gate::new(name, limit, trees, value));
            }
        };
        gate("cost", self.max_cost, &cost);
        gate("bytes per triangle", self.max_bytes_per_triangle, &bytes_per_triangle);
        let depth = |bvh: &Bvh| bvh.metadata().summary.depth.into();
        gate("depth", self.max_depth.map(f64::from), &depth);
        if self.max_open_edges.is_some() || self.max_gaps.is_some() {
            let edges: Vec<_> = trees.iter().map(|bvh| topology(bvh)).collect();
            let mut gate = |name, limit: Option<u32>, value: &dyn Fn(&Topology) -> usize| {
                let values = edges.iter().map(|topology| value(topology) as f64).collect();
                gates.extend(limit.map(|limit| Gate::of_values(name, limit.into(), values)));
            };
            gate("open edges", self.max_open_edges, &|topology| topology.edges.open);
            gate("gaps", self.max_gaps, &Topology::gaps);
        }
        gates
    }
}

fn limit(text: &str) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(limit) if (0.0..=f64::MAX).contains(&limit) => Ok(limit),
        _ => Err("expected a number from zero on, such as 12.5".to_owned()),
    }
}

/// The mean number of tests for a ray.
fn cost(bvh: &Bvh) -> f64 {
    let query = Query::new();
    let tests = through_box(&bvh.bounds(), RAYS).map(|ray| {
        let stats = bvh.query_stats(&ray, &query, Question::ClosestHit);
        u64::from(stats.nodes) + u64::from(stats.triangles)
    });
    tests.sum::<u64>() as f64 / RAYS as f64
}

#[derive(Serialize)]
struct Report {
    passed: bool,
    gates: Vec<Gate>,
}

#[derive(Serialize)]
struct Gate {
    gate: &'static str,
    limit: f64,
    /// The largest of all trees.
    value: f64,
    passed: bool,
    /// The tree that has this value; absent if there are no others.
    #[serde(skip_serializing_if = "Option::is_none")]
    tree: Option<usize>,
}

impl Gate {
    fn new(gate: &'static str, limit: f64, trees: &[&Bvh], value: &dyn Fn(&Bvh) -> f64) -> Self {
        Self::of_values(gate, limit, trees.iter().map(|bvh| value(bvh)).collect())
    }

    fn of_values(gate: &'static str, limit: f64, values: Vec<f64>) -> Self {
        let (mut tree, mut value) = (0, 0.0);
        for (number, &of_tree) in values.iter().enumerate() {
            if of_tree > value {
                (tree, value) = (number, of_tree);
            }
        }
        Self { gate, limit, value, passed: value <= limit, tree: Some(tree) }
    }

    fn said(&self) -> String {
        let Self { gate, limit, value, .. } = self;
        let of_tree = self.tree.map(|tree| format!(" of tree {tree}")).unwrap_or_default();
        format!("{gate}{of_tree} {} is above the limit {limit}", rounded(*value))
    }
}

/// A count as it is, a mean with three digits.
fn rounded(value: f64) -> String {
    if value.fract() == 0.0 { value.to_string() } else { format!("{value:.3}") }
}

impl Report {
    fn to_text(&self) -> String {
        let mut text = String::from("  gate                      limit         value\n");
        for Gate { gate, limit, value, passed, tree } in &self.gates {
            let tree = tree.map(|tree| format!(" (tree {tree})")).unwrap_or_default();
            let verdict = if *passed { "passed" } else { "failed" };
            let value = rounded(*value);
            text += &format!("  {gate:<18} {limit:>12} {value:>13}  {verdict}{tree}\n");
        }
        let failed = self.gates.iter().filter(|gate| !gate.passed).count();
        let all = text::counted(self.gates.len(), "gate");
        text + &match failed {
            0 => format!("{all} passed\n"),
            _ => format!("{failed} of {all} failed\n"),
        }
    }
}
