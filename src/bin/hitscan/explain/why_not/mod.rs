//! `hitscan why-not`: why a ray, a shape that moves or a point is not answered with a mesh, or a
//! triangle of it.
//!
//! `suspect.rs` is the mesh or triangle, `answer.rs` is what is printed; `ray.rs`, `contact.rs` and
//! `nearest.rs` put the library's reasons into words, for each kind of question.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use hitscan::geometry::ConvexShape;
use hitscan::glam::Vec3;
use hitscan::{Bvh, InstanceId, Ray, Snapshot, Sphere};

mod answer;
mod contact;
mod nearest;
mod ray;
mod suspect;

use self::suspect::Suspect;
use crate::ask::{Aim, ShapeArgs};
use crate::level::baked::{Baked, instance_number};
use crate::terminal::args::{self, QueryArgs};
use crate::terminal::failure::Failure;
use crate::terminal::output;
use crate::terminal::text;

/// Say why a ray, a shape that moves or a point is not answered with a mesh, or a triangle of it.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct AskWhyNot {
    /// The baked file: a tree or a scene
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The mesh: its number, or its name as `hitscan info` lists it
    #[arg(long, value_name = "MESH")]
    mesh: String,
    /// The triangle, as numbered in its mesh [default: the one nearest to being the answer]
    #[arg(long, value_name = "N")]
    triangle: Option<u32>,
    /// In a scene, the instance [default: the only one with the mesh]
    #[arg(long, value_name = "N")]
    instance: Option<u32>,
    #[command(flatten)]
    aim: Aim,
    /// With --to: not a ray, but a sphere of this radius that moves there
    #[arg(long, value_name = "R", allow_hyphen_values = true, value_parser = args::distance,
        requires = "to")]
    radius: Option<f32>,
    #[command(flatten)]
    shape: ShapeArgs,
    /// The motion of the shape
    #[arg(long, value_name = "x,y,z", allow_hyphen_values = true, value_parser = args::point)]
    by: Option<Vec3>,
    /// A point: why is the mesh not the nearest to it?
    #[arg(long, value_name = "x,y,z", allow_hyphen_values = true, value_parser = args::point)]
    point: Option<Vec3>,
    /// How far away from the point counts [default: any distance]
    #[arg(long, value_name = "D", allow_hyphen_values = true, value_parser = args::distance,
        requires = "point")]
    within: Option<f32>,
    #[command(flatten)]
    query: QueryArgs,
    /// Print JSON (schema 1)
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Examples: why does this ray, or this ball, go through the wall? Why is the wall not the nearest?
  hitscan why-not level.hbvh --from 0,1.7,0 --dir 0,0,-1 --mesh 0
  hitscan why-not level.hbvh --from 0,1.7,0 --to 0,1.7,-9 --radius 0.4 --mesh 0
  hitscan why-not level.hbvh --point 0,1.7,0 --mesh 0

JSON, schema 1: reason, text, mesh, mesh_name, triangle (null if the reason holds for all), and by
reason: t, distance, edge, point, closest, on_shape, mask, by (instance, mesh, mesh_name, triangle,
t or distance). The first that holds of skipped, no-area, instance-mask, mesh-mask;
in-plane, parallel, outside-edge, outside-interval (rays); never-touched, past-end (shapes); too-far
(points); facing; nearer, hit (rays), later, first (shapes), nearer, nearest (points).";

/// What is asked.
enum Question {
    Ray(Ray),
    Sweep(ConvexShape, Vec3),
    Point(Vec3, f32),
}

impl AskWhyNot {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let question = self.question()?;
        let baked = Baked::open(&self.file)?;
        let suspect = self.suspect(&baked)?;
        let query = self.query.query();
        let answer = match question {
            Question::Ray(ray) => ray::why_not(&suspect, &ray, &query),
            Question::Sweep(shape, motion) => contact::why_not(&suspect, &shape, motion, &query),
            Question::Point(point, within) => nearest::why_not(&suspect, point, within, &query),
        };
        if self.json { output::print_json(&answer) } else { output::print(&answer.to_text()) }
    }

    fn question(&self) -> Result<Question, Failure> {
        let usage = |message: &str| Err(Failure::Usage(message.to_owned()));
        let shape = self.shape.given();
        match (self.aim.is_given(), shape, self.point) {
            (true, None, None) if self.by.is_some() => usage("--by is for a shape, not for a ray"),
            (true, None, None) => {
                let ray = self.aim.ray()?;
                if self.radius.is_some() && ray.t_max.is_infinite() {
                    return usage("--radius needs --to, where the sphere stops");
                }
                let sweep =
                    |radius| Question::Sweep(Sphere::new(ray.origin, radius).into(), ray.dir);
                Ok(self.radius.map_or(Question::Ray(ray), sweep))
            }
            (false, Some(shape), None) => match self.by {
                Some(motion) => Ok(Question::Sweep(shape, motion)),
                None => usage("give --by, the motion of the shape"),
            },
            (false, None, Some(_)) if self.by.is_some() => {
                usage("--by is for a shape, not for a point")
            }
            (false, None, Some(point)) => {
                Ok(Question::Point(point, self.within.unwrap_or(f32::INFINITY)))
            }
            _ => usage("give one question: a ray (--from), a shape with --by, or a --point"),
        }
    }

    fn suspect<'a>(&self, baked: &'a Baked) -> Result<Suspect<'a>, Failure> {
        let (bvh, instance) = match (baked, self.instance) {
            (Baked::Tree(_), Some(_)) => {
                let message = "--instance is for a scene: this is a tree";
                return Err(Failure::Usage(message.to_owned()));
            }
            (Baked::Scene(scene), None) => self.only_place(scene.snapshot())?,
            (Baked::Tree(bvh), None) => (bvh, InstanceId::NONE),
            (Baked::Scene(scene), Some(number)) => {
                let id = scene.instances().find(|&id| instance_number(id) == number);
                let Some(id) = id else {
                    let count = text::counted(scene.instances().count(), "instance");
                    let why = format!("--instance: no instance {number}: it has {count}");
                    return Err(self.missing(&why));
                };
                let Some(bvh) = scene.snapshot().bvh(id) else {
                    let why = "it is disabled, or a volume stands there";
                    let why = format!("--instance: no tree is at {number}: {why}");
                    return Err(self.missing(&why));
                };
                (bvh, id)
            }
        };
        let (level, mesh, triangle) = (baked.level(), self.mesh_of(bvh)?, self.triangle);
        let count = bvh.mesh(mesh).map_or(0, |info| info.triangles);
        if triangle.is_some_and(|triangle| triangle >= count) {
            let count = text::counted(count as usize, "triangle");
            let why = format!("--triangle: there is no such triangle: the mesh has {count}");
            return Err(self.missing(&why));
        }
        Ok(Suspect { level, bvh, instance, mesh, triangle })
    }

    /// The only tree of a scene, where it stands, that has a mesh of the name, else of the number.
    fn only_place<'a>(&self, now: &'a Snapshot) -> Result<(&'a Bvh, InstanceId), Failure> {
        let trees = || now.instances().filter_map(|id| Some((now.bvh(id)?, id)));
        let mut places: Vec<_> = trees().filter(|(bvh, _)| self.named(bvh).count() > 0).collect();
        if places.is_empty() {
            places = trees().filter(|(bvh, _)| self.numbered(bvh).is_some()).collect();
        }
        match places[..] {
            [place] => Ok(place),
            [] => {
                let names = trees().flat_map(|(bvh, _)| names(bvh));
                let tip = self.alike(names).unwrap_or_else(|| "no tree has such a mesh".to_owned());
                Err(self.unknown_mesh(&tip))
            }
            [(_, first), (_, second), ..] => {
                let count = text::count(places.len());
                let [first, second] = [first, second].map(instance_number);
                Err(Failure::Usage(format!(
                    "give --instance: mesh `{}` stands in {count} places, such as instance \
                     {first} and instance {second}",
                    self.mesh
                )))
            }
        }
    }

    fn named(&self, bvh: &Bvh) -> impl Iterator<Item = u32> {
        (0..bvh.mesh_count()).filter(|&mesh| bvh.mesh_name(mesh) == Some(&self.mesh))
    }

    fn numbered(&self, bvh: &Bvh) -> Option<u32> {
        self.mesh.parse().ok().filter(|&mesh| mesh < bvh.mesh_count())
    }

    /// The mesh of a name, else of a number.
    fn mesh_of(&self, bvh: &Bvh) -> Result<u32, Failure> {
        let named: Vec<u32> = self.named(bvh).collect();
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
        self.numbered(bvh).ok_or_else(|| {
            let tip = self.alike(names(bvh)).unwrap_or_else(|| match bvh.mesh_count() {
                0 => "it has no meshes".to_owned(),
                1 => "it has mesh 0 only".to_owned(),
                count => format!("it has meshes 0 to {}", count - 1),
            });
            self.unknown_mesh(&tip)
        })
    }

    /// The first of some names that hold what was given.
    fn alike<'a>(&self, names: impl Iterator<Item = &'a str>) -> Option<String> {
        let given = Some(self.mesh.to_lowercase()).filter(|given| !given.is_empty())?;
        let alike = names.filter(|name| name.to_lowercase().contains(&given));
        let alike: BTreeSet<&str> = alike.collect();
        let first = alike.first()?;
        Some(match alike.len() - 1 {
            0 => format!("did you mean `{first}`?"),
            more => format!("did you mean `{first}`, or one of {more} more whose names hold it?"),
        })
    }

    fn unknown_mesh(&self, tip: &str) -> Failure {
        self.missing(&format!("--mesh: nothing is named or numbered `{}`: {tip}", self.mesh))
    }

    fn missing(&self, message: &str) -> Failure {
        Failure::Input(format!("{}: {message}", self.file.display()))
    }
}

fn names(bvh: &Bvh) -> impl Iterator<Item = &str> {
    (0..bvh.mesh_count()).filter_map(|mesh| bvh.mesh_name(mesh))
}
