//! `hitscan sweep`: shows what stops a shape that moves.

use std::path::PathBuf;

use clap::Args;
use hitscan::Contact;
use hitscan::geometry::{SlidePlane, slide};
use hitscan::glam::Vec3;
use serde::Serialize;

use super::answer::Answer;
use super::shape_args::ShapeArgs;
use super::triangle_row::{Found, TriangleRow, feature};
use crate::level::baked::Baked;
use crate::terminal::args::{self, TargetedQueryArgs};
use crate::terminal::failure::Failure;
use crate::terminal::output;
use crate::terminal::text::{self, Rows};

/// Show what stops a shape that moves, or what it is in and the way out. Give one shape.
#[derive(Args)]
#[command(after_help = AFTER_HELP, override_usage = "hitscan sweep [OPTIONS] --by <x,y,z> <FILE>")]
pub(crate) struct Sweep {
    /// The baked file: a tree or a scene
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    shape: ShapeArgs,
    /// The motion; 0,0,0 asks for the planes that the shape is in or touches
    #[arg(long, value_name = "x,y,z", allow_hyphen_values = true, value_parser = args::point)]
    by: Vec3,
    #[command(flatten)]
    query: TargetedQueryArgs,
    /// List all triangles that the shape touches on its way if nothing stops it
    #[arg(long)]
    all: bool,
    /// Print JSON (schema 1)
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Example: how far can a character walk ahead?
  hitscan sweep level.hbvh --capsule 0,0.5,0,0,1.5,0,0.4 --by 0,0,-5
Example: what is it stuck in, and which way is out?
  hitscan sweep level.hbvh --capsule 0,0.1,0,0,1.1,0,0.4 --by 0,0,0

JSON, schema 1: found, triangles, each with mesh, mesh_name, triangle, facing, user_id, material,
material_name, t, distance, point, normal, depth and feature, and for --by 0,0,0 way_out. In a
scene each also has instance, instance_name and instance_user_id, as `hitscan ray --help` says.

`t` is from 0 at the start to 1 at the end of the way. The normal leads from the triangle to the
shape. The depth is how far the shape is in the triangle at the start. The feature is the part of
the triangle that is touched: see `hitscan near --help`. If the way is free, that is printed, and
the exit code is 0.

For --by 0,0,0 there is one triangle for each plane that the shape has to be pushed out of, the
deepest first (with --all one for each triangle that it touches), and the way out of all planes.";

impl Sweep {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let (shape, query) = (self.shape.shape()?, self.query.query());
        let baked = Baked::open(&self.file)?;
        let mut contacts = Vec::new();
        let mut way_out = None;
        if self.by == Vec3::ZERO {
            baked.level().penetrations(&shape, &query, &mut contacts);
            let planes: Vec<_> = contacts.iter().map(SlidePlane::from).collect();
            way_out = Some((slide(Vec3::ZERO, &planes) + 0.0).to_array());
        }
        if self.all {
            baked.level().all_contacts(&shape, self.by, &query, &mut contacts);
        } else if way_out.is_none() {
            contacts.extend(baked.level().first_contact(&shape, self.by, &query));
        }
        let rows = contacts.iter().map(|contact| ContactRow::new(&baked, self.by, contact));
        let report = Report { answer: Answer::of(rows), way_out };
        if self.json { output::print_json(&report) } else { output::print(&report.to_text()) }
    }
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    answer: Answer<ContactRow>,
    /// Absent if the shape moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    way_out: Option<[f32; 3]>,
}

impl Report {
    fn to_text(&self) -> String {
        let nothing = if self.way_out.is_some() { "it is free" } else { "the way is free" };
        let mut text = self.answer.to_text(["", nothing]);
        if let Some(way_out) = self.way_out.filter(|_| self.answer.is_found()) {
            let mut rows = Rows::default();
            rows.add("way out", text::point(way_out));
            text += &rows.to_text();
        }
        text
    }
}

#[derive(Serialize)]
struct ContactRow {
    #[serde(flatten)]
    triangle: TriangleRow,
    t: f32,
    distance: f32,
    point: [f32; 3],
    normal: [f32; 3],
    depth: f32,
    feature: String,
}

impl ContactRow {
    fn new(baked: &Baked, motion: Vec3, contact: &Contact) -> Self {
        // In f64, where the squares of small and of large components stay in range.
        let [x, y, z] = motion.to_array().map(f64::from);
        let length = (x * x + y * y + z * z).sqrt();
        Self {
            triangle: TriangleRow::new(baked, &contact.hit),
            t: contact.t,
            distance: (f64::from(contact.t) * length) as f32,
            // Adding zero turns minus zero into zero.
            point: (contact.point + 0.0).to_array(),
            normal: (contact.normal + 0.0).to_array(),
            depth: contact.depth,
            feature: feature(contact.feature),
        }
    }
}

impl Found for ContactRow {
    const COLUMNS: &'static str = "  distance            t      depth  feature ";

    fn triangle(&self) -> &TriangleRow {
        &self.triangle
    }

    fn columns(&self) -> String {
        let Self { distance, t, depth, feature, .. } = self;
        format!("{distance:>10.4} {t:>12.6} {depth:>10.4}  {feature:<8}")
    }

    fn add_to(&self, rows: &mut Rows) {
        rows.add("point", text::point(self.point));
        rows.add("normal", text::point(self.normal));
        rows.add("distance", format!("{} (t {})", self.distance, self.t));
        rows.add("depth", self.depth.to_string());
        rows.add("feature", &self.feature);
    }
}
