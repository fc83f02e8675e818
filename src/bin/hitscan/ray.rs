//! `hitscan ray`: one ray, answered in words.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{ArgGroup, Args};
use hitscan::glam::Vec3;
use hitscan::{Bvh, Face, Hit, HitList, Metadata, Query, Ray};
use serde::Serialize;

use crate::exit::Failure;
use crate::{args, text};

/// Cast one ray, or one line from point to point, and tell what it hits.
///
/// By default that is the hit closest to --from. Both sides of a triangle count.
#[derive(Args)]
#[command(
    after_help = AFTER_HELP,
    group(ArgGroup::new("aim").required(true).args(["dir", "to"]))
)]
pub(crate) struct CastOne {
    /// The baked file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Where the ray starts
    #[arg(long, value_name = "x,y,z", allow_hyphen_values = true, value_parser = args::point)]
    from: Vec3,
    /// Its direction, of any length; the ray has no end
    #[arg(long, value_name = "x,y,z", allow_hyphen_values = true, value_parser = args::point)]
    dir: Option<Vec3>,
    /// The point where it ends
    #[arg(long, value_name = "x,y,z", allow_hyphen_values = true, value_parser = args::point)]
    to: Option<Vec3>,
    /// List every triangle along the ray, in order of distance
    #[arg(long, conflicts_with = "any")]
    all: bool,
    /// Only tell whether anything is in the way
    #[arg(long)]
    any: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Example: what is under this point?
  hitscan ray level.hbvh --from 0,10,0 --dir 0,-1,0
Example: can a guard at the door see the player?
  hitscan ray level.hbvh --from 4,1.7,-2 --to 9,1.7,6 --any

A ray that hits nothing prints \"no hit\", and the exit code is 0 all the same. `t` counts in
units of --dir (with --to: 0 at the start, 1 at the end); the distance is in units of the
level. The normal has unit length and points to the triangle's front, whichever side was met.";

impl CastOne {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let ray = match (self.dir, self.to) {
            (Some(Vec3::ZERO), _) => {
                let message = "--dir is zero: a ray that goes nowhere hits nothing";
                return Err(Failure::Usage(message.to_owned()));
            }
            (Some(dir), _) => Ray::new(self.from, dir),
            (None, Some(to)) => Ray::between(self.from, to),
            (None, None) => return Err(Failure::Usage("give --dir or --to".to_owned())),
        };
        let bvh = Bvh::open(&self.file).map_err(|error| Failure::in_file(&self.file, &error))?;
        let (view, query) = (&bvh, Query::new());

        if self.any {
            return self.print(&Answer { hit: view.any_hit(&ray, &query), hits: None });
        }
        let mut found = HitList::new();
        let closest;
        let hits = if self.all {
            view.all_hits(&ray, &query, &mut found);
            &found[..]
        } else {
            closest = view.closest_hit(&ray, &query);
            closest.as_slice()
        };
        let metadata = view.metadata();
        let rows = hits.iter().map(|hit| HitRow::new(view, &metadata, &ray, hit));
        self.print(&Answer { hit: !hits.is_empty(), hits: Some(rows.collect()) })
    }

    fn print(&self, answer: &Answer) -> Result<(), Failure> {
        if self.json { text::print_json(answer) } else { text::print(&answer.to_text()) }
    }
}

#[derive(Serialize)]
struct Answer {
    hit: bool,
    /// Absent where only yes or no was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    hits: Option<Vec<HitRow>>,
}

#[derive(Serialize)]
struct HitRow {
    mesh: u32,
    mesh_name: String,
    triangle: u32,
    point: [f32; 3],
    normal: Option<[f32; 3]>,
    distance: f32,
    t: f32,
    u: f32,
    v: f32,
    facing: &'static str,
    user_id: u64,
    material: Option<u32>,
    /// Absent where there is none, or it has no name.
    #[serde(skip_serializing_if = "Option::is_none")]
    material_name: Option<String>,
}

impl HitRow {
    fn new(view: &Bvh, metadata: &Metadata, ray: &Ray, hit: &Hit) -> Self {
        let name = |names: &[String], number: u32| names.get(number as usize).cloned();
        // (Minus zero is zero to a reader.)
        let normal = view.normal(hit).map(|normal| (normal + 0.0).to_array());
        Self {
            mesh: hit.mesh,
            mesh_name: name(&metadata.mesh_names, hit.mesh).unwrap_or_default(),
            triangle: hit.triangle,
            point: ray.at(hit.t).to_array(),
            normal,
            distance: (f64::from(hit.t) * length(ray.dir)) as f32,
            t: hit.t,
            u: hit.u,
            v: hit.v,
            facing: match hit.face {
                Face::Front => "front",
                Face::Back => "back",
            },
            user_id: hit.user_id,
            material: hit.material,
            material_name: hit
                .material
                .and_then(|material| name(&metadata.material_names, material)),
        }
    }

    fn to_text(&self) -> String {
        let mut text = String::new();
        let mut line = |label: &str, value: String| {
            let _ = writeln!(text, "{label:<10} {}", text::printable(&value));
        };
        line("mesh", format!("{} {}", self.mesh, self.mesh_name));
        line("triangle", self.triangle.to_string());
        line("point", text::point(self.point.into()));
        if let Some(normal) = self.normal {
            line("normal", text::point(normal.into()));
        }
        line("distance", format!("{} (t {})", self.distance, self.t));
        line("facing", self.facing.to_owned());
        line("user id", self.user_id.to_string());
        if let Some(material) = self.material {
            let name = self.material_name.as_deref().unwrap_or_default();
            line("material", format!("{material} {name}").trim_end().to_owned());
        }
        text
    }
}

impl Answer {
    fn to_text(&self) -> String {
        match &self.hits {
            Some(hits) if !hits.is_empty() => {
                let blocks: Vec<String> = hits.iter().map(HitRow::to_text).collect();
                blocks.join("\n")
            }
            _ if self.hit => "hit\n".to_owned(),
            _ => "no hit\n".to_owned(),
        }
    }
}

/// In `f64`, where the squares of small and of large components keep within range.
fn length(v: Vec3) -> f64 {
    let [x, y, z] = v.to_array().map(f64::from);
    (x * x + y * y + z * z).sqrt()
}
