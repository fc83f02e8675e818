//! `hitscan overlap`: shows what touches a shape.

use std::path::PathBuf;

use clap::Args;
use hitscan::Overlap as Overlapping;
use hitscan::geometry::Containment;
use serde::Serialize;

use super::answer::Answer;
use super::shape_args::ShapeArgs;
use super::triangle_row::{Found, TriangleRow};
use crate::level::baked::Baked;
use crate::terminal::args::TargetedQueryArgs;
use crate::terminal::failure::Failure;
use crate::terminal::text::Rows;

/// Show which triangles touch a shape, and which of them are all inside of it. Give one shape.
#[derive(Args)]
#[command(after_help = AFTER_HELP, override_usage = "hitscan overlap [OPTIONS] <FILE>")]
pub(crate) struct Overlap {
    /// The baked file: a tree or a scene
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    shape: ShapeArgs,
    #[command(flatten)]
    query: TargetedQueryArgs,
    /// Show only whether anything touches the shape
    #[arg(long)]
    any: bool,
    /// Print JSON (schema 1)
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Example: may a character stand here?
  hitscan overlap level.hbvh --capsule 0,0.5,0,0,1.5,0,0.4 --any
Example: what is in this region?
  hitscan overlap level.hbvh --box -1,0,-1,1,2,1

JSON, schema 1: found, and without --any triangles, each with mesh, mesh_name, triangle, facing,
user_id, material, material_name and containment. In a scene each also has instance, instance_name
and instance_user_id, as `hitscan ray --help` says.

The containment is `inside` if the shape holds all of the triangle, else `touching`. To touch in a
point is enough. Facing is the side of the triangle that the middle of the shape is on. If nothing
is found, \"nothing touches it\" is printed, and the exit code is 0.";

impl Overlap {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let (shape, query) = (self.shape.shape()?, self.query.query());
        let baked = Baked::open(&self.file)?;
        let answer = if self.any {
            Answer::any(baked.level().any_overlap(&shape, &query))
        } else {
            let mut overlaps = Vec::new();
            baked.level().all_overlaps(&shape, &query, &mut overlaps);
            Answer::of(overlaps.iter().map(|overlap| OverlapRow::new(&baked, overlap)))
        };
        answer.print(self.json, ["something touches it", "nothing touches it"])
    }
}

#[derive(Serialize)]
struct OverlapRow {
    #[serde(flatten)]
    triangle: TriangleRow,
    containment: &'static str,
}

impl OverlapRow {
    fn new(baked: &Baked, overlap: &Overlapping) -> Self {
        let containment = match overlap.containment {
            Containment::Inside => "inside",
            Containment::Touching => "touching",
        };
        Self { triangle: TriangleRow::new(baked, &overlap.hit), containment }
    }
}

impl Found for OverlapRow {
    const COLUMNS: &'static str = "   how    ";

    fn triangle(&self) -> &TriangleRow {
        &self.triangle
    }

    fn columns(&self) -> String {
        format!("  {:<8}", self.containment)
    }

    fn add_to(&self, rows: &mut Rows) {
        rows.add("how", self.containment);
    }
}
