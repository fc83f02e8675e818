//! `hitscan why`: what rays cost in a tree, where, and what to do about it; or the walk of one ray.
//!
//! `sample.rs` asks rays and counts, `causes.rs` names what stands out, `walk.rs` tells the steps
//! of one ray.

use std::path::PathBuf;

use clap::Args;
use hitscan::Bvh;
use hitscan::query::Question;
use serde::Serialize;

mod causes;
mod islands;
mod sample;
mod walk;

use self::causes::Cause;
use self::sample::{Sample, Share};
use crate::ask::Aim;
use crate::level::baked::Baked;
use crate::ray_file::RayReader;
use crate::sampled_rays::through_box;
use crate::terminal::args::QueryArgs;
use crate::terminal::failure::Failure;
use crate::terminal::output;
use crate::terminal::text::{self, Rows};

/// The rays that are asked if none are given.
const RAYS: usize = 10_000;

/// Triangles and materials in the text. The JSON has as many.
const SHOWN: usize = 5;

/// Say why rays are slow in a tree, or why one ray ends where it does.
///
/// What rays test is counted, and what stands out is named, worst first, with what to do.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Why {
    /// The baked file: a tree
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Rays to ask, as `hitscan rays` takes them [default: 10,000 through the tree's box]
    #[arg(long, value_name = "RAYS", conflicts_with = "ray")]
    rays: Option<PathBuf>,
    /// Show the walk of one ray: give --from, and --dir or --to
    #[arg(long)]
    ray: bool,
    #[command(flatten)]
    aim: Aim,
    /// With --ray: stop at the first hit, as `hitscan ray --any` does
    #[arg(long, requires = "ray")]
    any: bool,
    #[command(flatten)]
    query: QueryArgs,
    /// Print JSON (schema 1)
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Example: what makes this level slow?
  hitscan why level.hbvh
Example: why does this ray end where it does?
  hitscan why level.hbvh --ray --from 0,1.7,0 --dir 0,0,-1

JSON, schema 1: rays, hits, the nodes, blocks and triangles per ray, meshes, materials and
triangles (each with tests per ray, the share of all, and the part in vain), and causes, each with
cause, finding, advice, share, mesh and triangle. With --ray: steps, end, text and hit.

A ray tests the sixteen boxes of a node at once, and the eight triangles of a leaf block. A test is
in vain if it finds no hit, or one that is refused or known already. The default rays are the same
at each call. A scene has many trees: `why` takes a tree only.";

impl Why {
    pub(crate) fn run(self) -> Result<(), Failure> {
        if self.aim.is_given() && !self.ray {
            let message = "--from, --dir and --to are for one ray: give --ray, too";
            return Err(Failure::Usage(message.to_owned()));
        }
        let ray = self.ray.then(|| self.aim.ray()).transpose()?;
        let Baked::Tree(bvh) = Baked::open(&self.file)? else {
            let message = "`why` is for a tree: a scene has many, so bake a model of it as a tree";
            return Err(Failure::Usage(message.to_owned()));
        };
        let query = self.query.query();
        if let Some(ray) = ray {
            let question = if self.any { Question::AnyHit } else { Question::ClosestHit };
            let told = walk::Told::new(&bvh, &bvh.explain(&ray, &query, question));
            return match self.json {
                true => output::print_json(&told),
                false => output::print(&told.to_text()),
            };
        }
        let mut sample = Sample::new(&bvh);
        match &self.rays {
            None => through_box(&bvh.bounds(), RAYS).for_each(|ray| sample.ask(&ray, &query)),
            Some(file) => {
                let mut reader = RayReader::open(file, None)?;
                while let Some(rays) = reader.read()? {
                    rays.iter().for_each(|ray| sample.ask(ray, &query));
                }
                if sample.rays == 0 {
                    return Err(Failure::Input(format!("{}: it has no rays", file.display())));
                }
            }
        }
        let report = Report::new(&bvh, &sample);
        if self.json { output::print_json(&report) } else { output::print(&report.to_text()) }
    }
}

#[derive(Serialize)]
struct Report {
    rays: u64,
    hits: u64,
    nodes: f64,
    blocks: f64,
    triangles_tested: f64,
    meshes: Vec<Share>,
    materials: Vec<Share>,
    triangles: Vec<Share>,
    causes: Vec<Cause>,
}

impl Report {
    fn new(bvh: &Bvh, sample: &Sample) -> Self {
        let per_ray = |count: u64| count as f64 / sample.rays.max(1) as f64;
        Self {
            rays: sample.rays,
            hits: sample.hits,
            nodes: per_ray(sample.nodes),
            blocks: per_ray(sample.blocks),
            triangles_tested: per_ray(sample.tests()),
            meshes: sample.by_mesh(bvh),
            materials: sample.by_material(bvh),
            triangles: sample.by_triangle(bvh, SHOWN),
            causes: causes::find(bvh, sample),
        }
    }

    fn to_text(&self) -> String {
        let mut rows = Rows::default();
        let part = 100.0 * self.hits as f64 / self.rays.max(1) as f64;
        rows.add("rays", format!("{}, {part:.0} % hit", text::count(self.rays)));
        let (nodes, blocks, triangles) = (self.nodes, self.blocks, self.triangles_tested);
        let what = format!("tests {nodes:.2} nodes, {blocks:.2} leaf blocks");
        rows.add("a ray", format!("{what} with {triangles:.2} triangles"));
        let mut text = rows.to_text();
        for (title, shares) in
            [("mesh", &self.meshes), ("material", &self.materials), ("triangle", &self.triangles)]
        {
            if shares.is_empty() {
                continue;
            }
            text += &format!("\n   share  tests a ray  in vain  {title}\n");
            for share in shares.iter().take(SHOWN) {
                text += &share.to_line();
            }
            if shares.len() > SHOWN {
                text += &format!("  and {} more\n", text::count(shares.len() - SHOWN));
            }
        }
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
