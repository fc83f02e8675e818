//! What both levels answer to the same rays, and what the answers cost.

use hitscan::glam::Vec3;
use hitscan::query::Question;
use hitscan::{Face, Hit, Query, Ray};
use serde::Serialize;

use super::level_changes::LevelChanges;
use super::samples::Sample;
use super::tree_changes::Material;
use crate::level::Level;
use crate::terminal::text;

/// Differences that are kept.
pub(super) const SHOWN: usize = 5;

#[derive(Serialize)]
pub(super) struct Answers {
    pub(super) rays: usize,
    pub(super) closest_different: usize,
    /// Of those the ones whose distance differs, or that miss in one file only.
    pub(super) closest_elsewhere: usize,
    pub(super) any_different: usize,
    /// The first ones; those at another distance before others.
    pub(super) differences: Vec<DifferenceRow>,
}

#[derive(Serialize)]
pub(super) struct DifferenceRow {
    question: &'static str,
    from: Vec3,
    dir: Vec3,
    /// `null` without an end.
    t_max: f32,
    a: Answer,
    b: Answer,
}

#[derive(Serialize)]
struct Answer {
    hit: bool,
    /// The triangle that is hit, where it was asked for.
    #[serde(flatten)]
    closest: Option<HitRow>,
}

#[derive(Serialize)]
struct HitRow {
    /// Absent in a tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    instance: Option<usize>,
    mesh: u32,
    mesh_name: String,
    triangle: u32,
    t: f32,
    u: f32,
    v: f32,
    facing: &'static str,
}

impl Answers {
    /// The answers of both levels to these rays.
    pub(super) fn new(changes: &LevelChanges<'_>, samples: &[Sample]) -> Self {
        let rays: Vec<Ray> = samples.iter().map(|sample| sample.ray).collect();
        let lines: Vec<Ray> = samples.iter().map(|sample| sample.line).collect();
        let [before, after] = changes.contents.map(|content| closest(content.level, &rays));
        let [blocked_before, blocked_after] =
            changes.contents.map(|content| blocked(content.level, &lines));
        let mut answers = Self {
            rays: rays.len(),
            closest_different: 0,
            closest_elsewhere: 0,
            any_different: 0,
            differences: Vec::new(),
        };
        let mut others = Vec::new();
        for i in 0..rays.len() {
            let (one, other) = (&before[i], &after[i]);
            if !is_same(changes, one.as_ref(), other.as_ref()) {
                let t = [one, other].map(|hit| hit.map(|hit| hit.t.to_bits()));
                let is_elsewhere = t[0] != t[1];
                answers.closest_different += 1;
                answers.closest_elsewhere += usize::from(is_elsewhere);
                keep(if is_elsewhere { &mut answers.differences } else { &mut others }, || {
                    let hits = [one, other];
                    let hit = |side: usize| Answer::closest(changes, side, hits[side].as_ref());
                    DifferenceRow::new("closest", &rays[i], [hit(0), hit(1)])
                });
            }
            let hits = [blocked_before[i], blocked_after[i]];
            if hits[0] != hits[1] {
                answers.any_different += 1;
                keep(&mut answers.differences, || {
                    let answers = hits.map(|hit| Answer { hit, closest: None });
                    DifferenceRow::new("any", &lines[i], answers)
                });
            }
        }
        answers.differences.extend(others);
        answers.differences.truncate(SHOWN);
        answers
    }

    pub(super) fn different(&self) -> usize {
        self.closest_different + self.any_different
    }
}

fn keep(rows: &mut Vec<DifferenceRow>, row: impl FnOnce() -> DifferenceRow) {
    if rows.len() < SHOWN {
        rows.push(row());
    }
}

/// The closest hit of each ray.
fn closest(level: Level<'_>, rays: &[Ray]) -> Vec<Option<Hit>> {
    let mut hits = vec![None; rays.len()];
    level.closest_hit_batch(rays, &Query::new(), &mut hits).expect("a place for each hit");
    hits
}

/// Whether each line is blocked.
fn blocked(level: Level<'_>, lines: &[Ray]) -> Vec<bool> {
    let mut hits = vec![false; lines.len()];
    level.any_hit_batch(lines, &Query::new(), &mut hits).expect("a place for each answer");
    hits
}

/// Whether two hits are the same, bit for bit, but for the numbers of instances, meshes and
/// materials: a number may name something else in the other file.
fn is_same(changes: &LevelChanges<'_>, before: Option<&Hit>, after: Option<&Hit>) -> bool {
    let (before, after) = match (before, after) {
        (None, None) => return true,
        (Some(before), Some(after)) => (before, after),
        _ => return false,
    };
    let bits = |hit: &Hit| {
        let &Hit { t, u, v, face, triangle, user_id, .. } = hit;
        ([t, u, v].map(f32::to_bits), face == Face::Front, triangle, user_id)
    };
    let found = [changes.contents[1].instance_of(after), after.mesh as usize];
    let [one, other] = [(0, before), (1, after)].map(|(side, hit)| {
        let bvh = changes.contents[side].level.tree_of(hit)?;
        Some(Material::new(bvh, hit.material()))
    });
    bits(before) == bits(after) && one == other && changes.partner(before) == Some(found)
}

impl Answer {
    fn closest(changes: &LevelChanges<'_>, side: usize, hit: Option<&Hit>) -> Self {
        let content = changes.contents[side];
        let row = hit.map(|hit| HitRow {
            instance: content.level.is_scene().then(|| content.instance_of(hit)),
            mesh: hit.mesh,
            mesh_name: content.level.mesh_name(hit).unwrap_or_default().to_owned(),
            triangle: hit.triangle,
            t: hit.t,
            u: hit.u,
            v: hit.v,
            facing: if hit.face == Face::Front { "front" } else { "back" },
        });
        Self { hit: hit.is_some(), closest: row }
    }

    fn said(&self) -> String {
        match &self.closest {
            Some(HitRow { instance, mesh, mesh_name, triangle, t, u, v, facing }) => {
                let instance = instance.map(|instance| format!("instance {instance}, "));
                let name = if mesh_name.is_empty() { "" } else { &format!(" {mesh_name}") };
                let instance = instance.unwrap_or_default();
                let triangle = format!("{instance}mesh {mesh}{name}, triangle {triangle}");
                format!("{triangle}, {facing}, t {t}, u {u}, v {v}")
            }
            None => if self.hit { "hit" } else { "no hit" }.to_owned(),
        }
    }
}

impl DifferenceRow {
    fn new(question: &'static str, ray: &Ray, [a, b]: [Answer; 2]) -> Self {
        let &Ray { origin: from, dir, t_max, .. } = ray;
        Self { question, from, dir, t_max, a, b }
    }

    /// The ray as `hitscan ray` takes it, and both answers.
    pub(super) fn to_text(&self) -> String {
        let Self { question, from, dir, t_max, a, b } = self;
        let aim = match t_max.is_finite() {
            true => format!("--to {}", text::point(*from + *dir)),
            false => format!("--dir {}", text::point(*dir)),
        };
        let any = if *question == "any" { " --any" } else { "" };
        let [a, b] = [a, b].map(|answer| text::printable(&answer.said()));
        format!("--from {} {aim}{any}\n  a  {a}\n  b  {b}\n", text::point(*from))
    }
}

/// What the closest hit of a ray costs, on average.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Cost {
    pub(super) nodes: f64,
    pub(super) triangles: f64,
}

impl Cost {
    pub(super) fn new(level: Level<'_>, samples: &[Sample]) -> Self {
        let (mut nodes, mut triangles) = (0, 0);
        for sample in samples {
            let stats = level.query_stats(&sample.ray, &Query::new(), Question::ClosestHit);
            nodes += u64::from(stats.nodes);
            triangles += u64::from(stats.triangles);
        }
        let per_ray = |count: u64| count as f64 / samples.len().max(1) as f64;
        Self { nodes: per_ray(nodes), triangles: per_ray(triangles) }
    }
}
