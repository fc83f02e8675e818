//! What stands out in a tree, and what to do about it.
//!
//! All criteria are here. "Tests" are tests of triangles by the rays that were asked; "in vain"
//! means that no new hit was found.
//!
//! - Long thin triangles: triangles that are 50 times as long as wide take 10 % of the tests, of
//!   which 75 % are in vain.
//! - Triangle that spans the level: its box is half as long as the tree's, it is not thin, and each
//!   ray tests it 0.1 times in vain, which are 75 % of its tests.
//! - Coincident copies: triangles with the same three corners as an earlier one take 1 % of the
//!   tests.
//! - Dense detail in a sparse place: a cube that is 1/20 as long as the tree's box holds half of
//!   the triangles, and at least 1,000.
//! - Open seams: open edges nearly match others, so that rays slip through: see `Topology`.
//! - Flipped islands: neighbouring triangles are wound in opposite ways, and the smaller side has
//!   at most half as many triangles: see `level/islands.rs`.
//! - Far from the origin: the middle is 10 times as far from it as the tree is long, and a step of
//!   `f32` there is 1/1000 of the median triangle's length.
//!
//! The first two are not named where rays are cheap anyway: in a tree of fewer than 100 triangles,
//! or if a ray tests fewer than 4. In a scene, tests are counted in
//! all its trees together.
//!
//! The first four are in order of their share of the tests; the others say nothing about speed, and
//! come after them.

use std::collections::HashSet;

use hitscan::glam::Vec3;
use hitscan::query::MeshTriangle;
use hitscan::{Aabb, Bvh, Triangle};
use serde::Serialize;

use super::sample::Sample;
use super::share::Count;
use crate::level::baked::topology;
use crate::level::islands;
use crate::terminal::text;

const CHEAP_TESTS: f64 = 4.0;
const CHEAP_TRIANGLES: usize = 100;
const IN_VAIN: f64 = 0.75;
const THIN: f64 = 50.0;
const THIN_SHARE: f64 = 0.1;
const SPAN: f64 = 0.5;
const SPAN_IN_VAIN_A_RAY: f64 = 0.1;
const COPIES_SHARE: f64 = 0.01;
const DENSE_PART: f64 = 0.5;
const DENSE_TRIANGLES: usize = 1000;
const DENSE_LENGTH: f64 = 1.0 / 20.0;
const FAR: f64 = 10.0;
const FAR_STEP: f64 = 1e-3;

/// A cause of slow rays or wrong answers.
#[derive(Serialize)]
pub(super) struct Cause {
    pub(super) cause: &'static str,
    /// What was measured.
    pub(super) finding: String,
    /// What to do.
    pub(super) advice: &'static str,
    /// The part of all tests that it takes; 0 for what says nothing about speed.
    share: f64,
    /// The triangle that is tested most, or the first.
    mesh: Option<u32>,
    triangle: Option<u32>,
    /// In a scene: the tree that it is in, or the instance that is the worst.
    #[serde(skip_serializing_if = "Option::is_none")]
    tree: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instance: Option<u32>,
}

/// The causes that stand out, the worst first.
pub(super) fn find(sample: &Sample<'_>) -> Vec<Cause> {
    let bvh = sample.bvh;
    let causes = [
        thin_triangles(sample),
        spanning_triangles(bvh, sample),
        copies(sample),
        dense_detail(bvh, sample),
        seams(bvh),
        flipped(sample),
        far_away(bvh, sample),
    ];
    let mut causes: Vec<Cause> = causes.into_iter().flatten().collect();
    sort(&mut causes);
    causes
}

/// Puts the worst first. Those that say nothing about speed stay in their order, at the end.
pub(super) fn sort(causes: &mut [Cause]) {
    causes.sort_by(|a, b| b.share.total_cmp(&a.share));
}

fn thin_triangles(sample: &Sample) -> Option<Cause> {
    let places: Vec<usize> =
        places(sample).filter(|&at| slenderness(&sample.triangles[at].vertices) >= THIN).collect();
    let share = sample.share_of(places.iter().copied());
    if is_cheap(sample) || share < THIN_SHARE || in_vain(sample, &places) < IN_VAIN {
        return None;
    }
    let thin = text::counted(places.len(), "triangle");
    let finding = format!("{thin} at least {THIN} times as long as wide, {}", takes(share));
    let advice = "cut them along their length, or model them with rounder triangles: the box of \
                  a long triangle that is not along an axis is mostly empty, and rays enter it in \
                  vain";
    Some(Cause::new("long thin triangles", finding, advice, share).at(sample, &places))
}

fn spanning_triangles(bvh: &Bvh, sample: &Sample) -> Option<Cause> {
    let whole = length(&bvh.bounds());
    let spans = |&at: &usize| {
        let count = sample.counts[at];
        let in_vain = count.in_vain as f64;
        let vertices = &sample.triangles[at].vertices;
        length(&vertices.bounds()) >= SPAN * whole
            && slenderness(vertices) < THIN
            && in_vain >= SPAN_IN_VAIN_A_RAY * sample.rays as f64
            && in_vain >= IN_VAIN * count.tests as f64
    };
    let places: Vec<usize> = places(sample).filter(spans).collect();
    if is_cheap(sample) || places.is_empty() {
        return None;
    }
    let share = sample.share_of(places.iter().copied());
    let number = text::counted(places.len(), "triangle");
    let finding = format!("{number} half as long as the level or longer, {}", takes(share));
    let advice = "cut it into pieces of the size of what is around it: its box is nearly the whole \
                  level, so most rays test it in vain";
    Some(Cause::new("triangle that spans the level", finding, advice, share).at(sample, &places))
}

fn copies(sample: &Sample) -> Option<Cause> {
    let mut seen = HashSet::new();
    let is_copy = |&at: &usize| {
        let Triangle { v0, v1, v2 } = sample.triangles[at].vertices;
        // Adding zero turns minus zero into zero.
        let mut corners = [v0, v1, v2].map(|v| (v + 0.0).to_array().map(f32::to_bits));
        corners.sort_unstable();
        !seen.insert(corners)
    };
    let places: Vec<usize> = places(sample).filter(is_copy).collect();
    let share = sample.share_of(places.iter().copied());
    if places.is_empty() || share < COPIES_SHARE {
        return None;
    }
    let number = text::counted(places.len(), "triangle");
    let finding = format!("{number} in the same place as others, {}", takes(share));
    let advice = "remove the copies: a ray that comes near tests all of them";
    Some(Cause::new("coincident copies", finding, advice, share).at(sample, &places))
}

fn dense_detail(bvh: &Bvh, sample: &Sample) -> Option<Cause> {
    let whole = length(&bvh.bounds());
    let middles: Vec<Vec3> =
        sample.triangles.iter().map(|one| one.vertices.bounds().center()).collect();
    // If half of the triangles are in one place, the shortest interval with half of them is there.
    let axis = |k: usize| shortest_half(middles.iter().map(|middle| middle[k]).collect());
    let middle = Vec3::new(axis(0)?, axis(1)?, axis(2)?);
    let size = DENSE_LENGTH * whole;
    let cube = Aabb::from_center_half_size(middle, Vec3::splat((0.5 * size) as f32));
    let places: Vec<usize> = places(sample).filter(|&at| cube.contains(middles[at])).collect();
    let part = places.len() as f64 / middles.len() as f64;
    if places.len() < DENSE_TRIANGLES || part < DENSE_PART {
        return None;
    }
    let share = sample.share_of(places.iter().copied());
    let (number, percent) = (text::count(places.len()), 100.0 * part);
    let mesh = fullest_mesh(sample, &places)?;
    let finding = format!(
        "{number} triangles, {percent:.0} % of all, in a cube of {size} around {} in a level that \
         is {whole} long, {}, mostly of mesh {mesh}",
        text::point(middle),
        takes(share)
    );
    let advice = "give rays a simpler mesh of it, or bake it as a tree of its own in a scene: it \
                  takes most of the memory for a place that few rays come to";
    let cause = Cause::new("dense detail in a sparse place", finding, advice, share);
    Some(Cause { mesh: Some(mesh), ..cause })
}

/// The mesh that most of these triangles are of; the places are in order of meshes.
fn fullest_mesh(sample: &Sample, places: &[usize]) -> Option<u32> {
    let mesh_of = |at: &usize| sample.triangles[*at].mesh;
    let meshes = places.chunk_by(|a, b| mesh_of(a) == mesh_of(b));
    meshes.max_by_key(|of_mesh| of_mesh.len()).and_then(|of_mesh| of_mesh.first()).map(mesh_of)
}

/// The middle of the shortest interval that holds half of some numbers.
fn shortest_half(mut numbers: Vec<f32>) -> Option<f32> {
    numbers.sort_unstable_by(f32::total_cmp);
    let half = numbers.len() / 2;
    let ends = numbers.iter().zip(numbers.get(half..)?);
    let shortest = ends.min_by(|a, b| (a.1 - a.0).total_cmp(&(b.1 - b.0)))?;
    Some(shortest.0.midpoint(*shortest.1))
}

fn seams(bvh: &Bvh) -> Option<Cause> {
    let topology = topology(bvh);
    let example = topology.example.as_ref().filter(|_| topology.gaps() > 0)?;
    let (gaps, point, width) = (topology.gaps(), text::point(example.point), example.width);
    let edges = text::counted(gaps, "open edge");
    let finding = format!(
        "{edges} nearly matching others, so that rays slip through, as at {point}, where the gap \
         is {width} wide"
    );
    let advice = "weld the vertices, so that both sides of a seam have the same coordinates";
    let mesh = u32::try_from(example.meshes[0]).ok();
    Some(Cause { mesh, ..Cause::new("open seams", finding, advice, 0.0) })
}

fn flipped(sample: &Sample) -> Option<Cause> {
    let places = islands::flipped(&sample.triangles);
    if places.is_empty() {
        return None;
    }
    let finding = format!(
        "{} wound the other way round than their neighbours",
        text::counted(places.len(), "triangle")
    );
    let advice = "turn them over, or rays that see one side only (--facing) go through them";
    Some(Cause::new("flipped islands", finding, advice, 0.0).at(sample, &places))
}

fn far_away(bvh: &Bvh, sample: &Sample) -> Option<Cause> {
    let bounds = bvh.bounds();
    let (size, middle) = (length(&bounds), size_of(bounds.center()));
    let mut lengths: Vec<f64> =
        sample.triangles.iter().map(|one| longest_edge(&one.vertices)).collect();
    lengths.sort_unstable_by(f64::total_cmp);
    let median = *lengths.get(lengths.len() / 2)?;
    let farthest = bounds.min.abs().max(bounds.max.abs()).max_element();
    // From this coordinate to the next that `f32` has.
    let step = f64::from(farthest.next_up()) - f64::from(farthest);
    if middle < FAR * size || step < FAR_STEP * median {
        return None;
    }
    let finding = format!(
        "the level is {size} long and {middle} away from the origin, where the numbers of f32 are \
         {step} apart, and half of the triangles are at most {median} long"
    );
    let advice = "move the level to the origin before the bake, and rays with it: vertices and \
                  rays are rounded to these numbers";
    Some(Cause::new("far from the origin", finding, advice, 0.0))
}

impl Cause {
    pub(super) fn new(
        cause: &'static str,
        finding: String,
        advice: &'static str,
        share: f64,
    ) -> Self {
        let (mesh, triangle, tree, instance) = (None, None, None, None);
        Self { cause, finding, advice, share, mesh, triangle, tree, instance }
    }

    /// Of this tree of a scene.
    pub(super) fn in_tree(self, tree: u32) -> Self {
        let finding = format!("in tree {tree}: {}", self.finding);
        Self { finding, tree: Some(tree), ..self }
    }

    pub(super) fn at_instance(self, instance: u32) -> Self {
        Self { instance: Some(instance), ..self }
    }

    /// Of these triangles, of which the most tested is named.
    fn at(self, sample: &Sample, places: &[usize]) -> Self {
        // The first of equal ones.
        let worst = places.iter().rev().max_by_key(|&&at| sample.counts[at].tests);
        let Some(&worst) = worst else { return self };
        let MeshTriangle { mesh, triangle, .. } = sample.triangles[worst];
        let finding = format!("{}, such as triangle {triangle} of mesh {mesh}", self.finding);
        Self { finding, mesh: Some(mesh), triangle: Some(triangle), ..self }
    }
}

fn takes(share: f64) -> String {
    format!("with {:.0} % of the triangle tests", 100.0 * share)
}

fn places(sample: &Sample) -> std::ops::Range<usize> {
    0..sample.triangles.len()
}

fn is_cheap(sample: &Sample) -> bool {
    let tests = CHEAP_TESTS * sample.rays as f64;
    sample.triangles.len() < CHEAP_TRIANGLES || (sample.all_tests as f64) < tests
}

/// The part of the tests of these triangles that are in vain.
fn in_vain(sample: &Sample, places: &[usize]) -> f64 {
    let sum =
        |of: fn(&Count) -> u64| -> u64 { places.iter().map(|&at| of(&sample.counts[at])).sum() };
    sum(|count| count.in_vain) as f64 / sum(|count| count.tests).max(1) as f64
}

/// How many times as long as wide a triangle is.
fn slenderness(triangle: &Triangle) -> f64 {
    let longest = longest_edge(triangle);
    let Triangle { v0, v1, v2 } = triangle;
    let way = |to: &Vec3| [0, 1, 2].map(|k| f64::from(to[k]) - f64::from(v0[k]));
    let ([a, b, c], [x, y, z]) = (way(v1), way(v2));
    let normal = [b * z - c * y, c * x - a * z, a * y - b * x];
    let twice_the_area = normal.iter().map(|n| n * n).sum::<f64>().sqrt();
    longest * longest / twice_the_area
}

fn longest_edge(triangle: &Triangle) -> f64 {
    let Triangle { v0, v1, v2 } = *triangle;
    [(v0, v1), (v1, v2), (v2, v0)].into_iter().map(|(a, b)| distance(a, b)).fold(0.0, f64::max)
}

/// The longest side of a box.
fn length(bounds: &Aabb) -> f64 {
    let side = |k: usize| f64::from(bounds.max[k]) - f64::from(bounds.min[k]);
    side(0).max(side(1)).max(side(2))
}

fn size_of(vector: Vec3) -> f64 {
    distance(vector, Vec3::ZERO)
}

fn distance(a: Vec3, b: Vec3) -> f64 {
    let square = |k: usize| (f64::from(a[k]) - f64::from(b[k])).powi(2);
    (square(0) + square(1) + square(2)).sqrt()
}
