//! `hitscan inside`: shows whether a point is inside a closed surface.

use std::path::PathBuf;

use clap::Args;
use hitscan::glam::Vec3;
use hitscan::{InsideError, InsideErrorKind, PointLocation};
use serde::Serialize;

use crate::level::baked::{Baked, instance_number};
use crate::terminal::args::{self, LayerArgs};
use crate::terminal::failure::{self, Failure};
use crate::terminal::output;
use crate::terminal::text::Rows;

/// Show whether a point is inside a closed surface, and how far from it.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Inside {
    /// The baked file: a tree or a scene
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The point
    #[arg(long, value_name = "x,y,z", allow_hyphen_values = true, value_parser = args::point)]
    point: Vec3,
    #[command(flatten)]
    layers: LayerArgs,
    /// Print JSON (schema 1)
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Example: is it in a rock? (The level was baked with --layer '*=0' --layer 'rock*=2'.)
  hitscan inside level.hbvh --point 1,0.5,1 --mask 4

JSON, schema 1: location (`inside`, `on surface` or `outside`) and signed_distance (`null` if the
layers hold no triangle).

Only closed meshes have an inside, so --mask must choose such meshes; `hitscan bake` prints how many
there are. An open mesh is an error that names the mesh and an edge. Meshes that close each other
are one surface together. A point is inside where the winding number of a surface is not zero,
no matter which way its triangles face. The signed distance is to the nearest triangle: below zero
inside, zero on a surface, above zero outside. In a scene, each instance has surfaces of its own.";

impl Inside {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let baked = Baked::open(&self.file)?;
        let (level, layers) = (baked.level(), self.layers.layers());
        let located = level.contains(self.point, layers);
        let located = located.map_err(|error| self.failed(&baked, &error))?;
        let distance = level.signed_distance(self.point, f32::INFINITY, layers);
        let answer = Answer {
            location: match located {
                PointLocation::Inside => "inside",
                PointLocation::OnSurface => "on surface",
                PointLocation::Outside => "outside",
            },
            signed_distance: distance.map_err(|error| self.failed(&baked, &error))?,
        };
        if self.json { output::print_json(&answer) } else { output::print(&answer.to_text()) }
    }

    /// Says which mesh is not closed, and what to do.
    fn failed(&self, baked: &Baked, error: &InsideError) -> Failure {
        let (mesh, message) = (error.mesh(), error.to_string());
        let (bvh, place, message) = match baked {
            Baked::Tree(bvh) => (Some(bvh), String::new(), message.as_str()),
            Baked::Scene(scene) => {
                let (now, instance) = (scene.snapshot(), error.instance());
                let number = instance_number(instance);
                let [place, begins] = match now.name(instance) {
                    None | Some("") => [format!("instance {number}, "), format!("{instance:?}: ")],
                    Some(name) => [
                        format!("instance {number} `{name}`, "),
                        format!("{instance:?} ({name:?}): "),
                    ],
                };
                (now.bvh(instance), place, message.strip_prefix(&begins).unwrap_or(&message))
            }
        };
        let [named, begins] = match bvh.and_then(|bvh| bvh.mesh_name(mesh)) {
            None | Some("") => [format!("{place}mesh {mesh}"), format!("mesh {mesh}: ")],
            Some(name) => {
                [format!("{place}mesh {mesh} `{name}`"), format!("mesh {mesh} ({name:?}): ")]
            }
        };
        let reason = match error.kind() {
            InsideErrorKind::Hidden => {
                format!("{place}{}", message.replace("the query's mask hides", "--mask hides"))
            }
            _ => {
                let reason = message.strip_prefix(&begins).unwrap_or(message);
                format!("{named} has no inside: {reason}; choose closed meshes with --mask")
            }
        };
        Failure::Input(failure::in_file(&self.file, &reason))
    }
}

#[derive(Serialize)]
struct Answer {
    location: &'static str,
    signed_distance: Option<f32>,
}

impl Answer {
    fn to_text(&self) -> String {
        let mut rows = Rows::default();
        rows.add("location", self.location);
        let distance = self.signed_distance.map(|distance| distance.to_string());
        rows.add("distance", distance.as_deref().unwrap_or("no triangle in these layers"));
        rows.to_text()
    }
}
