//! `hitscan ray`: casts one ray and shows what it hits.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{ArgGroup, Args};
use hitscan::glam::Vec3;
use hitscan::{Bvh, Face, Hit, Metadata, Ray, Scene};
use serde::Serialize;

use crate::aim;
use crate::args::{self, QueryArgs};
use crate::baked::{Baked, instance_number};
use crate::failure::Failure;
use crate::output;
use crate::text::{self, Rows};

/// Cast one ray, or a line between two points, and show what it hits.
///
/// By default this is the hit closest to --from. Both sides of a triangle are hit.
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
    query: QueryArgs,
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
those of its tree, point and normal those of the world.

A ray that hits nothing prints \"no hit\", and the exit code is 0. `t` is in units of --dir, or
with --to from 0 at the start to 1 at the end. The distance is in units of the level. The normal
has unit length and points to the triangle's front, even where the ray hits the back.";

impl CastOne {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let ray = aim::ray(self.from, self.dir, self.to)?;
        match Baked::open(&self.file)? {
            Baked::Tree(bvh) => self.cast(&ray, &bvh),
            Baked::Scene(scene) => self.cast_in_scene(&ray, &scene),
        }
    }

    fn cast(&self, ray: &Ray, bvh: &Bvh) -> Result<(), Failure> {
        let query = self.query.query();
        let mut found = Vec::new();
        let closest;
        let hits = if self.any {
            return self.print(&Answer { hit: bvh.any_hit(ray, &query), hits: None });
        } else if self.all {
            bvh.all_hits(ray, &query, &mut found);
            &found[..]
        } else {
            closest = bvh.closest_hit(ray, &query);
            closest.as_slice()
        };
        let metadata = bvh.metadata();
        let rows = hits.iter().map(|hit| HitRow::new(bvh, &metadata, ray, hit));
        self.print(&Answer { hit: !hits.is_empty(), hits: Some(rows.collect()) })
    }

    fn cast_in_scene(&self, ray: &Ray, scene: &Scene) -> Result<(), Failure> {
        let (now, query) = (scene.snapshot(), self.query.query());
        let mut found = Vec::new();
        let closest;
        let hits = if self.any {
            return self.print(&Answer { hit: now.any_hit(ray, &query), hits: None });
        } else if self.all {
            now.all_hits(ray, &query, &mut found);
            &found[..]
        } else {
            closest = now.closest_hit(ray, &query);
            closest.as_slice()
        };
        let rows = hits.iter().filter_map(|hit| HitRow::in_scene(scene, ray, hit));
        self.print(&Answer { hit: !hits.is_empty(), hits: Some(rows.collect()) })
    }

    fn print(&self, answer: &Answer) -> Result<(), Failure> {
        if self.json { output::print_json(answer) } else { output::print(&answer.to_text()) }
    }
}

#[derive(Serialize)]
struct Answer {
    hit: bool,
    /// Absent with --any.
    #[serde(skip_serializing_if = "Option::is_none")]
    hits: Option<Vec<HitRow>>,
}

/// The instance of a hit in a scene.
#[derive(Serialize)]
struct InstanceRow {
    instance: u32,
    instance_name: String,
    instance_user_id: u64,
}

#[derive(Serialize)]
struct HitRow {
    /// Absent in a tree.
    #[serde(flatten)]
    instance: Option<InstanceRow>,
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
    /// Absent if there is no material, or it has no name.
    #[serde(skip_serializing_if = "Option::is_none")]
    material_name: Option<String>,
}

impl HitRow {
    fn new(bvh: &Bvh, metadata: &Metadata, ray: &Ray, hit: &Hit) -> Self {
        let name = |names: &[String], number: u32| names.get(number as usize).cloned();
        // In f64, where the squares of small and of large components stay in range.
        let [x, y, z] = ray.dir.to_array().map(f64::from);
        let length = (x * x + y * y + z * z).sqrt();
        let (&Hit { mesh, triangle, t, u, v, user_id, .. }, material) = (hit, hit.material());
        Self {
            instance: None,
            mesh,
            mesh_name: name(&metadata.mesh_names, mesh).unwrap_or_default(),
            triangle,
            point: ray.at(t).to_array(),
            // Adding zero turns minus zero into zero.
            normal: bvh.normal(hit).map(|normal| (normal + 0.0).to_array()),
            distance: (f64::from(t) * length) as f32,
            t,
            u,
            v,
            facing: match hit.face {
                Face::Front => "front",
                Face::Back => "back",
            },
            user_id,
            material,
            material_name: material.and_then(|material| name(&metadata.material_names, material)),
        }
    }

    /// `None` never happens for a hit of the scene.
    fn in_scene(scene: &Scene, ray: &Ray, hit: &Hit) -> Option<Self> {
        let now = scene.snapshot();
        let bvh = now.bvh(hit.instance)?;
        let instance = InstanceRow {
            instance: instance_number(hit.instance),
            instance_name: now.name(hit.instance)?.to_owned(),
            instance_user_id: now.user_id(hit.instance)?,
        };
        Some(Self {
            instance: Some(instance),
            normal: now.normal(hit).map(|normal| (normal + 0.0).to_array()),
            ..Self::new(bvh, &bvh.metadata(), ray, hit)
        })
    }

    fn to_text(&self) -> String {
        let mut rows = Rows::default();
        if let Some(InstanceRow { instance, instance_name, instance_user_id }) = &self.instance {
            rows.add("instance", format!("{instance} {instance_name}").trim_end());
            if *instance_user_id != 0 {
                rows.add("its id", instance_user_id.to_string());
            }
        }
        rows.add("mesh", format!("{} {}", self.mesh, self.mesh_name));
        rows.add("triangle", self.triangle.to_string());
        rows.add("point", text::point(self.point));
        if let Some(normal) = self.normal {
            rows.add("normal", text::point(normal));
        }
        rows.add("distance", format!("{} (t {})", self.distance, self.t));
        rows.add("facing", self.facing);
        rows.add("user id", self.user_id.to_string());
        if let Some(material) = self.material {
            let name = self.material_name.as_deref().unwrap_or_default();
            rows.add("material", format!("{material} {name}").trim_end());
        }
        rows.to_text()
    }
}

impl Answer {
    fn to_text(&self) -> String {
        match &self.hits {
            Some(hits) if hits.len() > 1 => table(hits),
            Some(hits) if !hits.is_empty() => hits[0].to_text(),
            _ if self.hit => "hit\n".to_owned(),
            _ => "no hit\n".to_owned(),
        }
    }
}

/// A line for each hit.
fn table(hits: &[HitRow]) -> String {
    let in_scene = hits.iter().any(|hit| hit.instance.is_some());
    let mut text = String::from("  distance            t");
    text += if in_scene { "  instance" } else { "" };
    text += "   mesh   triangle  facing  ";
    text += if in_scene { "instance, name, material\n" } else { "name, material\n" };
    for hit in hits {
        let &HitRow { distance, t, mesh, triangle, facing, .. } = hit;
        let material = hit.material_name.as_deref().unwrap_or_default();
        let names = [hit.mesh_name.as_str(), material].map(text::printable).join(", ");
        let names = names.trim_end_matches(", ");
        let _ = write!(text, "{distance:>10.4} {t:>12.6}");
        if let Some(InstanceRow { instance, .. }) = &hit.instance {
            let _ = write!(text, " {instance:>9}");
        }
        let _ = write!(text, " {mesh:>6} {triangle:>10}  {facing:<6}  ");
        if let Some(InstanceRow { instance_name, .. }) = &hit.instance {
            let _ = write!(text, "{}, ", text::printable(instance_name));
        }
        let _ = writeln!(text, "{names}");
    }
    text
}
