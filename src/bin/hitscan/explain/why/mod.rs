//! `hitscan why`: what rays cost in a level, where, and what to do; or the walk of one ray.
//!
//! ```text
//! sample, scene_sample   ask rays, and count what they test
//! share                  the part of all tests that something takes
//! causes, scene_causes   name what stands out
//! report                 all of this as text and JSON
//! given_rays             rays from a file, or a recording
//! pixel                  the ray of a pixel
//! walk, scene_walk       the steps of one ray
//! ```

use std::path::PathBuf;

use clap::Args;
use hitscan::query::Question;
use hitscan::{Query, Ray};
use serde::Serialize;

mod causes;
mod given_rays;
mod pixel;
mod report;
mod sample;
mod scene_causes;
mod scene_sample;
mod scene_walk;
mod share;
mod walk;

use self::pixel::Pixel;
use self::report::Report;
use self::sample::Sample;
use self::scene_sample::SceneSample;
use self::scene_walk::ToldScene;
use self::walk::Told;
use crate::ask::Aim;
use crate::level::Level;
use crate::level::baked::Baked;
use crate::sampled_rays::through_box;
use crate::terminal::args::QueryArgs;
use crate::terminal::failure::Failure;
use crate::terminal::output;

/// The rays that are asked if none are given.
const RAYS: usize = 10_000;

/// Say what makes rays slow in a level, worst first, with what to do; or show step by step why one
/// ray ends where it does (--from, --pixel).
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Why {
    /// The baked file: a tree or a scene
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Rays to ask: a file for `hitscan rays`, or a recording (.hrays) [default: 10,000 through
    /// the level's box]
    #[arg(long, value_name = "RAYS", conflicts_with_all = ["from", "dir", "to", "pixel"])]
    rays: Option<PathBuf>,
    #[command(flatten)]
    aim: Aim,
    /// With one ray: stop at the first hit, as `hitscan ray --any` does
    #[arg(long, conflicts_with = "rays")]
    any: bool,
    #[command(flatten)]
    pixel: Pixel,
    #[command(flatten)]
    query: QueryArgs,
    /// Print JSON (schema 1)
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Example: what makes this level slow?
  hitscan why level.hbvh
Example: why does this ray end where it does, and that of a pixel?
  hitscan why level.hbvh --from 0,1.7,0 --dir 0,0,-1
  hitscan why level.hbvh --pixel 320,200 --eye 0,1.7,0 --target 0,1,-9 --size 640x400

JSON, schema 1: rays, hits; nodes, blocks and triangles_tested per ray; meshes, materials and
triangles (each with tests per ray, share of all, and in_vain, a part of the tests); causes, each
with cause, finding, advice, share, mesh and triangle. In a scene also instance_nodes,
instances_asked, asked_in_vain, instances and trees. Of one ray: steps, end, text and hit.

A ray tests the sixteen boxes of a node at once, and the eight triangles of a leaf block. A test is
in vain if it finds no hit, or one that is refused or known already.";

impl Why {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let is_one_ray = self.aim.is_given() || self.pixel.is_given();
        if self.any && !is_one_ray {
            return Err(Failure::Usage("--any is for one ray: give --from or --pixel".to_owned()));
        }
        self.pixel.check()?;
        let aimed = self.aim.is_given().then(|| self.aim.ray()).transpose()?;
        let (baked, query) = (Baked::open(&self.file)?, self.query.query());
        let level = baked.level();
        if self.pixel.is_given() && level.bounds().is_empty() {
            return Err(Failure::at(&self.file, "whole file", "there are no triangles in it"));
        }
        match aimed.or_else(|| self.pixel.ray(level, &query)) {
            Some(ray) => self.tell(level, &ray, &query),
            None => {
                let report = self.ask(level, &query)?;
                self.print(&report, &|| report.to_text())
            }
        }
    }

    /// The walk of one ray.
    fn tell(&self, level: Level<'_>, ray: &Ray, query: &Query<'_>) -> Result<(), Failure> {
        let question = if self.any { Question::AnyHit } else { Question::ClosestHit };
        match level {
            Level::Tree(bvh) => {
                let told = Told::new(bvh, &bvh.explain(ray, query, question));
                self.print(&told, &|| told.to_text())
            }
            Level::Scene(scene) => {
                let now = scene.snapshot();
                let told = ToldScene::new(now, &now.explain(ray, query, question));
                self.print(&told, &|| told.to_text())
            }
        }
    }

    /// What many rays cost.
    fn ask(&self, level: Level<'_>, query: &Query<'_>) -> Result<Report, Failure> {
        match level {
            Level::Tree(bvh) => {
                let mut sample = Sample::new(bvh);
                self.each_ray(level, query, &mut |ray, query, question| {
                    sample.ask(ray, query, question);
                })?;
                Ok(Report::of_tree(&sample))
            }
            Level::Scene(scene) => {
                let mut sample = SceneSample::new(scene);
                self.each_ray(level, query, &mut |ray, query, question| {
                    sample.ask(ray, query, question);
                })?;
                sample.finish();
                Ok(Report::of_scene(&sample))
            }
        }
    }

    fn each_ray(
        &self,
        level: Level<'_>,
        query: &Query<'_>,
        ask: &mut dyn FnMut(&Ray, &Query<'_>, Question),
    ) -> Result<(), Failure> {
        match &self.rays {
            None => {
                let rays = through_box(&level.bounds(), RAYS);
                rays.for_each(|ray| ask(&ray, query, Question::ClosestHit));
                Ok(())
            }
            Some(path) => {
                let is_scene = matches!(level, Level::Scene(_));
                given_rays::read(path, is_scene, query, ask)
            }
        }
    }

    fn print(&self, value: &impl Serialize, text: &dyn Fn() -> String) -> Result<(), Failure> {
        if self.json { output::print_json(value) } else { output::print(&text()) }
    }
}
