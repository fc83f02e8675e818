//! `hitscan ray`: casts one ray and shows what it hits.

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use hitscan::glam::Vec3;
use hitscan::{Hit, Ray};
use serde::Serialize;

use super::aim;
use super::triangle_row::{Found, TriangleRow, list};
use crate::level::baked::Baked;
use crate::terminal::args::{self, TargetedQueryArgs};
use crate::terminal::failure::Failure;
use crate::terminal::output;
use crate::terminal::text::{self, Rows};

/// Cast one ray, or a line between two points, and show the hit that is closest to --from.
#[derive(Args)]
#[command(
    after_help = AFTER_HELP,
    group(ArgGroup::new("aim").required(true).args(["dir", "to"]))
)]
pub(crate) struct CastOne {
    /// The baked file: a tree or a scene
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Where the ray starts
    #[arg(long, value_name = "x,y,z", allow_hyphen_values = true, value_parser = args::point)]
    from: Vec3,
    /// Its direction, of any length; the ray is infinitely long
    #[arg(long, value_name = "x,y,z", allow_hyphen_values = true, value_parser = args::point)]
    dir: Option<Vec3>,
    /// The point where it ends
    #[arg(long, value_name = "x,y,z", allow_hyphen_values = true, value_parser = args::point)]
    to: Option<Vec3>,
    #[command(flatten)]
    query: TargetedQueryArgs,
    /// List all hits along the ray, in order of distance
    #[arg(long, conflicts_with = "any")]
    all: bool,
    /// Show only whether the ray hits anything
    #[arg(long)]
    any: bool,
    /// Print JSON (schema 1)
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Example: what is under this point?
  hitscan ray level.hbvh --from 0,10,0 --dir 0,-1,0
Example: can a guard at the door see the player?
  hitscan ray level.hbvh --from 4,1.7,-2 --to 9,1.7,6 --any

JSON, schema 1: hit, and without --any hits, each with mesh, mesh_name, triangle, point, normal,
distance, t, u, v, facing, user_id, material and material_name. In a scene each also has instance
(its number, as `hitscan info` lists it), instance_name and instance_user_id; mesh and triangle are
those of its tree, point and normal those of the world. Of a volume, mesh and triangle are null.

A ray that hits nothing prints \"no hit\", and the exit code is 0. `t` is in units of --dir, or
with --to from 0 at the start to 1 at the end. The distance is in units of the level. The normal
has unit length and points to the triangle's front, even where the ray hits the back.";

impl CastOne {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let ray = aim::ray(self.from, self.dir, self.to)?;
        let answer = self.answer(&ray, &Baked::open(&self.file)?);
        if self.json { output::print_json(&answer) } else { output::print(&answer.to_text()) }
    }

    fn answer(&self, ray: &Ray, baked: &Baked) -> Answer {
        let query = self.query.query();
        let mut hits = Vec::new();
        if self.any {
            return Answer { hit: baked.level().any_hit(ray, &query), hits: None };
        } else if self.all {
            baked.level().all_hits(ray, &query, &mut hits);
        } else {
            hits.extend(baked.level().closest_hit(ray, &query));
        }
        let rows = hits.iter().map(|hit| HitRow::new(baked, ray, hit));
        Answer { hit: !hits.is_empty(), hits: Some(rows.collect()) }
    }
}

#[derive(Serialize)]
struct Answer {
    hit: bool,
    /// Absent with --any.
    #[serde(skip_serializing_if = "Option::is_none")]
    hits: Option<Vec<HitRow>>,
}

impl Answer {
    fn to_text(&self) -> String {
        match &self.hits {
            Some(hits) => list(hits, "no hit"),
            None if self.hit => "hit\n".to_owned(),
            None => "no hit\n".to_owned(),
        }
    }
}

#[derive(Serialize)]
struct HitRow {
    #[serde(flatten)]
    triangle: TriangleRow,
    point: [f32; 3],
    normal: Option<[f32; 3]>,
    distance: f32,
    t: f32,
    u: f32,
    v: f32,
}

impl HitRow {
    fn new(baked: &Baked, ray: &Ray, hit: &Hit) -> Self {
        // In f64, where the squares of small and of large components stay in range.
        let [x, y, z] = ray.dir.to_array().map(f64::from);
        let length = (x * x + y * y + z * z).sqrt();
        let &Hit { t, u, v, .. } = hit;
        Self {
            triangle: TriangleRow::new(baked, hit),
            point: ray.at(t).to_array(),
            // Adding zero turns minus zero into zero.
            normal: baked.level().normal(hit).map(|normal| (normal + 0.0).to_array()),
            distance: (f64::from(t) * length) as f32,
            t,
            u,
            v,
        }
    }
}

impl Found for HitRow {
    const COLUMNS: &'static str = "  distance            t";

    fn triangle(&self) -> &TriangleRow {
        &self.triangle
    }

    fn columns(&self) -> String {
        format!("{:>10.4} {:>12.6}", self.distance, self.t)
    }

    fn add_to(&self, rows: &mut Rows) {
        rows.add("point", text::point(self.point));
        if let Some(normal) = self.normal {
            rows.add("normal", text::point(normal));
        }
        rows.add("distance", format!("{} (t {})", self.distance, self.t));
    }
}
