//! `hitscan why-not`: why a ray does not hit a triangle or a mesh.

use std::path::PathBuf;

use clap::Args;
use hitscan::explain::{MeshWhyNot, WhyNot};
use hitscan::{Bvh, Face, Hit, InstanceId, Ray, Scene};
use serde::Serialize;

use crate::ask::Aim;
use crate::level::baked::{Baked, instance_number};
use crate::terminal::args::QueryArgs;
use crate::terminal::failure::Failure;
use crate::terminal::output;
use crate::terminal::text;

/// Say why a ray does not hit a mesh, or a triangle of it.
///
/// Whether it is hit is decided as by `hitscan ray`, without rounding; the numbers are rounded.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct AskWhyNot {
    /// The baked file: a tree or a scene
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    aim: Aim,
    /// The mesh: its number, or its name as `hitscan info` lists it
    #[arg(long, value_name = "MESH")]
    mesh: String,
    /// The triangle, as numbered in its mesh [default: the one that comes nearest to being hit]
    #[arg(long, value_name = "N")]
    triangle: Option<u32>,
    /// In a scene, the instance: its number, as `hitscan info` lists it
    #[arg(long, value_name = "N")]
    instance: Option<u32>,
    #[command(flatten)]
    query: QueryArgs,
    /// Print JSON (schema 1)
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Example: why does this ray go through the wall?
  hitscan why-not level.hbvh --from 0,1.7,0 --dir 0,0,-1 --mesh 0

JSON, schema 1: reason, text, mesh, mesh_name, triangle (null if the reason holds for the whole
mesh), and by reason: t; distance, edge, point and closest; mask; by, with instance, mesh,
mesh_name, triangle and t. The reasons, of which the first that holds is given: no-triangle,
skipped, no-area, instance-mask, mesh-mask, in-plane, parallel, outside-edge, outside-interval,
facing, nearer, hit.

Edges are numbered as they lead from vertex to vertex: 0, 1 and 2. Points and distances are in the
coordinates of the tree, in a scene in the coordinates of the instance's tree.";

impl AskWhyNot {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let ray = self.aim.ray()?;
        match (Baked::open(&self.file)?, self.instance) {
            (Baked::Tree(_), Some(_)) => {
                Err(Failure::Usage("--instance is for a scene: this is a tree".to_owned()))
            }
            (Baked::Scene(_), None) => Err(Failure::Usage(
                "give --instance: in a scene a mesh may stand in many places".to_owned(),
            )),
            (Baked::Tree(bvh), None) => self.ask(&ray, &bvh),
            (Baked::Scene(scene), Some(number)) => self.ask_in_scene(&ray, &scene, number),
        }
    }

    fn ask(&self, ray: &Ray, bvh: &Bvh) -> Result<(), Failure> {
        let (mesh, query) = (self.mesh_of(bvh)?, self.query.query());
        let found = match self.triangle {
            Some(number) => (Some(number), bvh.why_not(ray, &query, mesh, number)),
            None => both(bvh.why_not_mesh(ray, &query, mesh)),
        };
        let name = |hit: &Hit| Some(bvh.mesh_name(hit.mesh)?.to_owned());
        self.print(bvh, mesh, found, ray, &name)
    }

    fn ask_in_scene(&self, ray: &Ray, scene: &Scene, number: u32) -> Result<(), Failure> {
        let (now, query) = (scene.snapshot(), self.query.query());
        let Some(instance) = scene.instances().find(|&id| instance_number(id) == number) else {
            let count = text::counted(scene.instances().count(), "instance");
            return Err(self.missing(&format!("--instance: no instance {number}: it has {count}")));
        };
        let Some(bvh) = now.bvh(instance) else {
            let why = "it is disabled, or a volume stands there";
            return Err(self.missing(&format!("--instance: no tree is at {number}: {why}")));
        };
        let mesh = self.mesh_of(bvh)?;
        let found = match self.triangle {
            Some(number) => (Some(number), now.why_not(ray, &query, instance, mesh, number)),
            None => both(now.why_not_mesh(ray, &query, instance, mesh)),
        };
        let name = |hit: &Hit| Some(now.mesh_name(hit)?.to_owned());
        self.print(bvh, mesh, found, ray, &name)
    }

    /// The mesh of a name, else of a number.
    fn mesh_of(&self, bvh: &Bvh) -> Result<u32, Failure> {
        let named = (0..bvh.mesh_count()).filter(|&mesh| bvh.mesh_name(mesh) == Some(&self.mesh));
        let named: Vec<u32> = named.collect();
        match named[..] {
            [mesh] => return Ok(mesh),
            [first, second, ..] => {
                let name = &self.mesh;
                let reason =
                    format!("more than one is named `{name}`, such as {first} and {second}");
                return Err(self.missing(&format!("--mesh: {reason}: give a number")));
            }
            [] => {}
        }
        let number = self.mesh.parse().ok().filter(|&mesh| mesh < bvh.mesh_count());
        number.ok_or_else(|| {
            let count = text::counted(bvh.mesh_count() as usize, "mesh").replace("meshs", "meshes");
            self.missing(&format!(
                "--mesh: nothing is named or numbered `{}`: it has {count}",
                self.mesh
            ))
        })
    }

    fn missing(&self, message: &str) -> Failure {
        Failure::Input(format!("{}: {message}", self.file.display()))
    }

    fn print(
        &self,
        bvh: &Bvh,
        mesh: u32,
        (triangle, reason): (Option<u32>, WhyNot),
        ray: &Ray,
        name: &dyn Fn(&Hit) -> Option<String>,
    ) -> Result<(), Failure> {
        let mut answer = Answer {
            mesh,
            mesh_name: bvh.mesh_name(mesh).unwrap_or_default().to_owned(),
            triangle,
            ..Answer::default()
        };
        answer.tell(&reason, ray, name);
        if self.json { output::print_json(&answer) } else { output::print(&answer.to_text()) }
    }
}

#[derive(Default, Serialize)]
struct Answer {
    reason: &'static str,
    text: String,
    mesh: u32,
    mesh_name: String,
    triangle: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    t: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    edge: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    point: Option<[f32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    closest: Option<[f32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mask: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<By>,
}

/// What is hit first.
#[derive(Serialize)]
struct By {
    /// Absent in a tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    instance: Option<u32>,
    mesh: u32,
    mesh_name: String,
    triangle: u32,
    t: f32,
}

impl Answer {
    fn tell(&mut self, reason: &WhyNot, ray: &Ray, name: &dyn Fn(&Hit) -> Option<String>) {
        let (code, text) = match *reason {
            WhyNot::NoInstance => ("no-instance", "there is no such instance".to_owned()),
            WhyNot::NoMesh => ("no-mesh", "there is no such mesh".to_owned()),
            WhyNot::NoTriangle { triangles } => {
                let count = text::counted(triangles as usize, "triangle");
                ("no-triangle", format!("there is no such triangle: the mesh has {count}"))
            }
            WhyNot::Skipped => {
                let why = "it has no area, or a vertex that is not finite or not there";
                ("skipped", format!("the bake skipped it: {why}"))
            }
            WhyNot::NoArea => ("no-area", "it has no area any more".to_owned()),
            WhyNot::InstanceMask { mask } => {
                self.mask = Some(mask);
                ("instance-mask", masked("instance", mask))
            }
            WhyNot::MeshMask { mask } => {
                self.mask = Some(mask);
                ("mesh-mask", masked("mesh", mask))
            }
            WhyNot::InPlane => {
                ("in-plane", "the ray runs in its plane, and such rays hit no triangle".to_owned())
            }
            WhyNot::Parallel { distance } => {
                self.distance = Some(distance);
                (
                    "parallel",
                    format!("the ray is parallel to its plane, at a distance of {distance}"),
                )
            }
            WhyNot::OutsideEdge { edge, distance, point, closest, t } => {
                self.edge = Some(edge);
                (self.distance, self.t) = (Some(distance), Some(t));
                (self.point, self.closest) = (Some(point.into()), Some(closest.into()));
                let (point, closest) = (text::point(point), text::point(closest));
                (
                    "outside-edge",
                    format!(
                        "the line passes {distance} outside of its edge {edge}: it meets the plane \
                         at {point} (t {t}), and the nearest point of the edge is {closest}"
                    ),
                )
            }
            WhyNot::OutsideInterval { t } => {
                self.t = Some(t);
                let (t_min, t_max) = (ray.t_min, ray.t_max);
                let side = if t < t_min { "before the ray begins" } else { "past the ray's end" };
                (
                    "outside-interval",
                    format!("the line meets it at t {t}, {side}: {t_min} to {t_max}"),
                )
            }
            WhyNot::Facing { hit } => {
                self.t = Some(hit.t);
                let side = if hit.face == Face::Front { "front" } else { "back" };
                (
                    "facing",
                    format!("the ray hits its {side} at t {}, which --facing refuses", hit.t),
                )
            }
            WhyNot::Filter { hit } => {
                self.t = Some(hit.t);
                ("filter", format!("the filter refuses the hit at t {}", hit.t))
            }
            WhyNot::Nearer { t, by } => {
                self.t = Some(t);
                let mesh_name = name(&by).unwrap_or_default();
                let instance =
                    (by.instance != InstanceId::NONE).then(|| instance_number(by.instance));
                let place = instance.map_or(String::new(), |number| format!("instance {number}, "));
                let mesh = format!("{} {mesh_name}", by.mesh);
                let what = format!("{place}mesh {}, triangle {}", mesh.trim_end(), by.triangle);
                self.by =
                    Some(By { instance, mesh: by.mesh, mesh_name, triangle: by.triangle, t: by.t });
                let before = if by.t < t { "first" } else { "as near, with lower numbers" };
                ("nearer", format!("the ray hits it at t {t}, but {before} {what}, at t {}", by.t))
            }
            WhyNot::Hit(hit) => {
                self.t = Some(hit.t);
                ("hit", format!("it is hit, at t {}: this is the nearest hit", hit.t))
            }
            WhyNot::InvalidRay => ("invalid-ray", "the ray can hit nothing".to_owned()),
            _ => ("other", "another reason".to_owned()),
        };
        (self.reason, self.text) = (code, text);
    }

    fn to_text(&self) -> String {
        let mesh = format!("mesh {} {}", self.mesh, self.mesh_name);
        let triangle = self.triangle.map_or(String::new(), |number| format!(", triangle {number}"));
        let what = format!("{}{triangle}", mesh.trim_end());
        format!("{}\n  {}\n", text::printable(&what), text::printable(&self.text))
    }
}

fn both(found: MeshWhyNot) -> (Option<u32>, WhyNot) {
    (found.triangle, found.reason)
}

fn masked(what: &str, mask: u32) -> String {
    format!("the {what} is in none of the layers of --mask: its own mask is 0x{mask:08x}")
}
