//! `hitscan verify`: compares instruction sets with each other and with brute force.

use std::path::PathBuf;

use clap::Args;
use hitscan::geometry::Feature;
use hitscan::glam::Vec3;
use hitscan::{ClosestPoint, Face, Hit, InstructionSet, Query, Ray};
use rayon::prelude::*;
use serde::Serialize;
use xxhash_rust::xxh3::Xxh3;

use super::brute_force::BruteForce;
use super::verify_rays;
use super::verify_source;
use crate::level::baked::{Baked, instance_number};
use crate::terminal::failure::{self, Failure};
use crate::terminal::output;
use crate::terminal::text::{self, Rows};

/// Compare the answers of all instruction sets with each other and with brute force.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Verify {
    /// The baked file: a tree or a scene
    #[arg(value_name = "LEVEL")]
    file: PathBuf,
    /// Also bake this model again and compare; once for each that the level was baked from
    #[arg(long, value_name = "MODEL")]
    source: Vec<PathBuf>,
    /// The number of rays, and of points
    #[arg(long, value_name = "N", default_value_t = 8192,
        value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    rays: u32,
    /// Print JSON (schema 1)
    #[arg(long)]
    json: bool,
}

const AFTER_HELP: &str = "\
Example: does this machine give the same answers as that one?
  hitscan verify level.hbvh
Example: is the level what a bake of the model gives?
  hitscan verify level.hbvh --source level.glb

JSON, schema 1: file, rays, hits, points, instruction_sets, brute_force_rays, brute_force_points,
source (with --source: `same`, or what differs), difference_count, differences (the first ones) and
answers (the hash, in hexadecimal).

The rays are the same on every machine: an eighth each are random, random segments, along an axis
through a vertex, towards a vertex, along an edge, in the plane of a triangle, from far away, and
from a surface. The points are where the rays start. Closest hits, whether there is any, and closest
points are asked for with each instruction set, one by one and in batches. As many rays and points
as time allows are compared with a loop over all triangles.

The line `answers` is a hash of all answers: two machines that print the same one for the same
LEVEL and --rays have the same answers, bit for bit. --source takes layers and quality from LEVEL;
a tree that was tuned with `bake --rays` cannot be compared. Exit code 0 if all is the same, 3 if
anything differs.";

/// The most tests of triangles by brute force, for rays and again for points: some seconds.
const TESTS: usize = 1 << 26;

/// Differences that are kept.
const SHOWN: usize = 20;

impl Verify {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let baked = Baked::open(&self.file)?;
        let source = match self.source.is_empty() {
            true => None,
            false => Some(verify_source::difference(&baked, &self.source)?),
        };
        let report = self.report(&baked, source);
        if self.json {
            output::print_json(&report)?;
        } else {
            output::print(&report.rows().to_text())?;
        }
        let reason = match report.difference_count {
            0 => return Ok(()),
            count => format!("{}: {}", text::counted(count, "difference"), report.differences[0]),
        };
        Err(Failure::Verdict(failure::in_file(&self.file, &reason)))
    }

    fn report(&self, baked: &Baked, source: Option<Option<&'static str>>) -> Report {
        let brute_force = BruteForce::new(baked);
        let bounds = match baked {
            Baked::Tree(bvh) => bvh.bounds(),
            Baked::Scene(scene) => scene.snapshot().bounds(),
        };
        let rays = verify_rays::rays(&brute_force, bounds, self.rays as usize);
        let mut differences: Vec<String> = Vec::new();
        if let Some(Some(difference)) = source {
            differences.push(format!("the bake of the source has {difference}"));
        }
        let sets = InstructionSet::available();
        let mut answers: Option<Answers> = None;
        for &isa in &sets {
            let found = Answers::of(baked, &rays, isa, &mut differences);
            match &answers {
                None => answers = Some(found),
                Some(first) => first.compare(&found, &rays, isa, &mut differences),
            }
        }
        let answers = answers.unwrap_or_default();
        let part = rays.len().min(TESTS / brute_force.len().max(1));
        // Every kind of ray is among them: they take turns.
        let of_rays = rays[..part].par_iter().zip(&answers.hits).enumerate();
        let wrong = of_rays.filter(|(_, (ray, hit))| !brute_force.is_closest(ray, hit.as_ref()));
        let wrong: Vec<_> = wrong.map(|(i, (ray, _))| named(i, ray, "brute force")).collect();
        differences.extend(wrong);
        let of_points = rays[..part].par_iter().zip(&answers.near).enumerate();
        let wrong = of_points.filter(|(_, (ray, near))| {
            let is_point = ray.origin.is_finite();
            is_point && !brute_force.is_nearest(ray.origin.to_array(), near.as_ref())
        });
        let wrong: Vec<_> = wrong.map(|(i, (ray, _))| named(i, ray, "brute force, near")).collect();
        differences.extend(wrong);
        Report {
            file: self.file.display().to_string(),
            rays: rays.len(),
            hits: answers.hits.iter().flatten().count(),
            points: rays.len(),
            instruction_sets: sets.iter().map(|isa| isa.name()).collect(),
            brute_force_rays: part,
            brute_force_points: part,
            source: source.map(|difference| difference.unwrap_or("same")),
            difference_count: differences.len(),
            differences: differences.into_iter().take(SHOWN).collect(),
            answers: format!("{:016x}", answers.hash()),
        }
    }
}

fn named(number: usize, ray: &Ray, who: &str) -> String {
    let (from, dir) = (text::point(ray.origin), text::point(ray.dir));
    format!("ray {number} from {from} along {dir}: {who} has another answer")
}

/// What an instruction set has found.
#[derive(Default)]
struct Answers {
    hits: Vec<Option<Hit>>,
    near: Vec<Option<ClosestPoint>>,
}

impl Answers {
    /// One by one. Batches and the question whether there is any hit must agree.
    fn of(baked: &Baked, rays: &[Ray], isa: InstructionSet, differences: &mut Vec<String>) -> Self {
        let query = Query::new().instruction_set(isa);
        let hits = rays.iter().map(|ray| baked.level().closest_hit(ray, &query)).collect();
        let near =
            rays.iter().map(|ray| baked.level().closest_point(ray.origin, f32::INFINITY, &query));
        let alone = Self { hits, near: near.collect() };

        let points: Vec<Vec3> = rays.iter().map(|ray| ray.origin).collect();
        let (mut hits, mut near) = (vec![None; rays.len()], vec![None; rays.len()]);
        let (mut any, name) = (vec![false; rays.len()], isa.name());
        let batches = baked.level().closest_hit_batch(rays, &query, &mut hits);
        let batches = batches.and(baked.level().any_hit_batch(rays, &query, &mut any));
        let batches = batches.and(baked.level().closest_point_batch(
            &points,
            f32::INFINITY,
            &query,
            &mut near,
        ));
        if let Err(error) = batches {
            differences.push(format!("{name}: {error}"));
        }
        alone.compare(&Self { hits, near }, rays, format_args!("{name} in a batch"), differences);
        for (i, ray) in rays.iter().enumerate() {
            let is_hit = alone.hits[i].is_some();
            if any[i] != is_hit || baked.level().any_hit(ray, &query) != is_hit {
                differences.push(named(i, ray, &format!("{name} with any hit")));
            }
        }
        alone
    }

    fn compare(
        &self,
        other: &Self,
        rays: &[Ray],
        who: impl std::fmt::Display,
        differences: &mut Vec<String>,
    ) {
        for (i, ray) in rays.iter().enumerate() {
            if hit_words(self.hits[i].as_ref()) != hit_words(other.hits[i].as_ref()) {
                differences.push(named(i, ray, &who.to_string()));
            }
            if near_words(self.near[i].as_ref()) != near_words(other.near[i].as_ref()) {
                differences.push(named(i, ray, &format!("{who}, near")));
            }
        }
    }

    fn hash(&self) -> u64 {
        let mut hash = Xxh3::new();
        let hits = self.hits.iter().map(|hit| hit_words(hit.as_ref()));
        hits.for_each(|words| hash.update(words.map(u32::to_le_bytes).as_flattened()));
        let near = self.near.iter().map(|near| near_words(near.as_ref()));
        near.for_each(|words| hash.update(words.map(u32::to_le_bytes).as_flattened()));
        hash.digest()
    }
}

/// Every bit of a hit.
fn hit_words(hit: Option<&Hit>) -> [u32; 10] {
    let Some(hit) = hit else { return [u32::MAX; 10] };
    let &Hit { t, u, v, face, mesh, triangle, user_id, instance, .. } = hit;
    let [t, u, v] = [t, u, v].map(f32::to_bits);
    let material = hit.material().unwrap_or(u32::MAX);
    let id = [user_id as u32, (user_id >> 32) as u32];
    let face = u32::from(face == Face::Front);
    [t, u, v, face, mesh, triangle, id[0], id[1], material, instance_number(instance)]
}

/// Every bit of a closest point.
fn near_words(near: Option<&ClosestPoint>) -> [u32; 15] {
    let Some(ClosestPoint { point, distance, feature, hit, .. }) = near else {
        return [u32::MAX; 15];
    };
    let feature = match *feature {
        Feature::Face => 0,
        Feature::Edge(number) => 1 + u32::from(number),
        Feature::Vertex(number) => 4 + u32::from(number),
    };
    let [x, y, z] = point.to_array().map(f32::to_bits);
    let mut words = [0; 15];
    words[..5].copy_from_slice(&[x, y, z, distance.to_bits(), feature]);
    words[5..].copy_from_slice(&hit_words(Some(hit)));
    words
}

#[derive(Serialize)]
struct Report {
    file: String,
    rays: usize,
    hits: usize,
    points: usize,
    instruction_sets: Vec<&'static str>,
    brute_force_rays: usize,
    brute_force_points: usize,
    /// Absent if no source was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'static str>,
    difference_count: usize,
    differences: Vec<String>,
    answers: String,
}

impl Report {
    fn rows(&self) -> Rows {
        let mut rows = Rows::default();
        rows.add("level", &self.file);
        rows.add(
            "rays",
            format!("{}, {}", text::count(self.rays), text::counted(self.hits, "hit")),
        );
        rows.add("points", text::count(self.points));
        rows.add("sets", self.instruction_sets.join(", "));
        let (rays, points) = (self.brute_force_rays, self.brute_force_points);
        let compared = [text::counted(rays, "ray"), text::counted(points, "point")];
        rows.add("by force", compared.join(", "));
        if let Some(source) = self.source {
            rows.add("source", source);
        }
        for difference in &self.differences {
            rows.add("differs", difference);
        }
        let count = text::counted(self.difference_count, "difference");
        rows.add("found", if self.difference_count == 0 { "no difference" } else { &count });
        rows.add("answers", &self.answers);
        rows
    }
}
