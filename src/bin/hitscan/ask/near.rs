//! `hitscan near`: shows what is nearest to a point.

use std::path::PathBuf;

use clap::Args;
use hitscan::ClosestPoint;
use hitscan::glam::Vec3;
use serde::Serialize;

use super::answer::Answer;
use super::triangle_row::{Found, TriangleRow, feature};
use crate::level::baked::Baked;
use crate::terminal::args::{self, TargetedQueryArgs};
use crate::terminal::failure::Failure;
use crate::terminal::text::{self, Rows};

/// Show the point of a level that is closest to a point, or all triangles within a distance.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Near {
    /// The baked file: a tree or a scene
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The point
    #[arg(long, value_name = "x,y,z", allow_hyphen_values = true, value_parser = args::point)]
    point: Vec3,
    /// How far away counts [default: any distance]
    #[arg(long, value_name = "D", allow_hyphen_values = true, value_parser = args::distance)]
    within: Option<f32>,
    #[command(flatten)]
    query: TargetedQueryArgs,
    /// List all triangles within the distance, the nearest first
    #[arg(long, requires = "within", conflicts_with = "any")]
    all: bool,
    /// Show only whether anything is within the distance
    #[arg(long, requires = "within")]
    any: bool,
    /// Print JSON (schema 1)
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Example: how far is it from here to the nearest wall?
  hitscan near level.hbvh --point 0,1.7,0
Example: what does an explosion of 3 m reach?
  hitscan near level.hbvh --point 0,1.7,0 --within 3 --all

JSON, schema 1: found, and without --any triangles, each with mesh, mesh_name, triangle, facing,
user_id, material, material_name, point, normal, distance, feature, u and v. In a scene each also
has instance, instance_name and instance_user_id, as `hitscan ray --help` says.

The point is the closest one of the triangle. The feature is the part of the triangle that it is
on: `face`, `edge 0` to `edge 2` (from the vertex of this number to the next one) or `vertex 0` to
`vertex 2`. Facing is the side of the triangle that --point is on. The normal points to the front.
If nothing is found, \"nothing is near\" is printed, and the exit code is 0.";

impl Near {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let baked = Baked::open(&self.file)?;
        let (query, distance) = (self.query.query(), self.within.unwrap_or(f32::INFINITY));
        let mut near = Vec::new();
        let answer = if self.any {
            Answer::any(baked.level().any_within(self.point, distance, &query))
        } else {
            if self.all {
                baked.level().all_within(self.point, distance, &query, &mut near);
            } else {
                near.extend(baked.level().closest_point(self.point, distance, &query));
            }
            Answer::of(near.iter().map(|near| NearRow::new(&baked, near)))
        };
        answer.print(self.json, ["something is near", "nothing is near"])
    }
}

#[derive(Serialize)]
struct NearRow {
    #[serde(flatten)]
    triangle: TriangleRow,
    point: [f32; 3],
    normal: Option<[f32; 3]>,
    distance: f32,
    feature: String,
    u: f32,
    v: f32,
}

impl NearRow {
    fn new(baked: &Baked, near: &ClosestPoint) -> Self {
        Self {
            triangle: TriangleRow::new(baked, &near.hit),
            point: (near.point + 0.0).to_array(),
            normal: baked.level().normal(&near.hit).map(|normal| (normal + 0.0).to_array()),
            distance: near.distance,
            feature: feature(near.feature),
            u: near.hit.u,
            v: near.hit.v,
        }
    }
}

impl Found for NearRow {
    const COLUMNS: &'static str = "  distance  feature ";

    fn triangle(&self) -> &TriangleRow {
        &self.triangle
    }

    fn columns(&self) -> String {
        format!("{:>10.4}  {:<8}", self.distance, self.feature)
    }

    fn add_to(&self, rows: &mut Rows) {
        rows.add("point", text::point(self.point));
        if let Some(normal) = self.normal {
            rows.add("normal", text::point(normal));
        }
        rows.add("distance", self.distance.to_string());
        rows.add("feature", &self.feature);
    }
}
