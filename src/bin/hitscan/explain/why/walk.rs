//! The walk of one ray through a tree, in short lines.

use hitscan::explain::{Below, Child, End, Entry, Outcome, Refusal, Step, Tested, Walk};
use hitscan::{Bvh, Hit, InstanceId};
use serde::Serialize;

use crate::level::baked::instance_number;
use crate::terminal::text;

/// A walk in words.
#[derive(Serialize)]
pub(super) struct Told {
    steps: Vec<ToldStep>,
    end: &'static str,
    pub(super) text: String,
    hit: Option<ToldHit>,
}

#[derive(Serialize)]
struct ToldStep {
    /// `node` or `block`.
    step: &'static str,
    number: u32,
    depth: u32,
    /// One for each child or triangle.
    tests: Vec<Test>,
}

#[derive(Serialize)]
pub(super) struct Test {
    /// `node`, `block` or `triangle`; in a tree of instances `node`, `instance` or `gone`.
    pub(super) what: &'static str,
    pub(super) number: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mesh: Option<u32>,
    pub(super) outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) t: Option<f32>,
}

#[derive(Serialize)]
pub(super) struct ToldHit {
    /// Absent in a tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    instance: Option<u32>,
    mesh: u32,
    mesh_name: String,
    triangle: u32,
    t: f32,
}

impl Told {
    pub(super) fn new(bvh: &Bvh, walk: &Walk) -> Self {
        let hit = walk.hit.map(|hit| ToldHit::new(&hit, bvh.mesh_name(hit.mesh)));
        let (end, why) = end(walk.end);
        let steps = walk.steps.iter().filter_map(ToldStep::new).collect();
        Self { steps, end, text: format!("{}; {why}", found(hit.as_ref())), hit }
    }

    /// First what was found, then how.
    pub(super) fn to_text(&self) -> String {
        let mut text = text::printable(&self.text) + "\n";
        for ToldStep { step, number, depth, tests } in &self.steps {
            let (name, what) = match *step {
                "node" => ("node", "box"),
                _ => ("leaf block", "triangle"),
            };
            text += &format!("{name} {number} (depth {depth})\n{}", lines(tests, what));
        }
        text
    }
}

impl ToldHit {
    pub(super) fn new(hit: &Hit, mesh_name: Option<&str>) -> Self {
        let &Hit { instance, mesh, triangle, t, .. } = hit;
        let instance = (instance != InstanceId::NONE).then(|| instance_number(instance));
        Self { instance, mesh, mesh_name: mesh_name.unwrap_or_default().to_owned(), triangle, t }
    }
}

/// What was found.
pub(super) fn found(hit: Option<&ToldHit>) -> String {
    let Some(ToldHit { instance, mesh, mesh_name, triangle, t }) = hit else {
        return "no hit".to_owned();
    };
    let instance = instance.map_or(String::new(), |number| format!("instance {number}, "));
    let mesh = format!("mesh {mesh} {mesh_name}");
    format!("hit at t {t}: {instance}{}, triangle {triangle}", mesh.trim_end())
}

/// A line for each test, and one for all of these things that the ray's line misses.
pub(super) fn lines(tests: &[Test], what: &str) -> String {
    let told = tests.iter().filter_map(Test::to_line).collect::<String>();
    match tests.iter().filter(|test| test.t.is_none()).count() {
        0 => told,
        missed => {
            let missed = text::counted(missed, what).replace("boxs", "boxes");
            format!("{told}  the line misses {missed}\n")
        }
    }
}

impl ToldStep {
    fn new(step: &Step) -> Option<Self> {
        match step {
            Step::Node { node, depth, children } => {
                let tests = children.iter().filter_map(Test::of_child).collect();
                Some(Self { step: "node", number: *node, depth: *depth, tests })
            }
            Step::Block { block, depth, triangles } => {
                let tests = triangles.iter().map(Test::of_triangle).collect();
                Some(Self { step: "block", number: *block, depth: *depth, tests })
            }
            _ => None,
        }
    }
}

impl Test {
    fn of_child(child: &Child) -> Option<Self> {
        let (what, number) = match child.below {
            Below::Node(number) => ("node", number),
            Below::Block(number) => ("block", number),
        };
        let (outcome, t) = entry(child.entry)?;
        Some(Self { what, number, mesh: None, outcome, t })
    }

    fn of_triangle(tested: &Tested) -> Self {
        let (outcome, t) = match tested.outcome {
            Outcome::Best { t } => ("best", Some(t)),
            Outcome::Farther { t } => ("farther", Some(t)),
            Outcome::Again { t } => ("again", Some(t)),
            Outcome::Refused { t, by: Refusal::Mask } => ("mask", Some(t)),
            Outcome::Refused { t, by: Refusal::Facing } => ("facing", Some(t)),
            Outcome::Refused { t, by: Refusal::Filter } => ("filter", Some(t)),
            Outcome::OutsideInterval { t } => ("outside-interval", Some(t)),
            _ => ("misses", None),
        };
        let Tested { mesh, triangle, .. } = *tested;
        Self { what: "triangle", number: triangle, mesh: Some(mesh), outcome, t }
    }

    /// `None` for what the line misses.
    fn to_line(&self) -> Option<String> {
        let t = self.t?;
        let what = match (self.what, self.mesh) {
            (_, Some(mesh)) => format!("mesh {mesh}, triangle {}", self.number),
            ("block", _) => format!("leaf block {}", self.number),
            ("gone", _) => "an instance that is gone".to_owned(),
            (what, _) => format!("{what} {}", self.number),
        };
        let outcome = match self.outcome {
            "enters" => format!("entered at t {t}"),
            "past-best" => format!("left out: entered at t {t}, past the best hit"),
            "best" => format!("hit at t {t}, the nearest so far"),
            "farther" => format!("hit at t {t}, but something was nearer"),
            "not-seen" => format!("entered at t {t}, but in none of the layers of --mask"),
            "again" => format!("hit at t {t}, the same as in another leaf block"),
            "mask" => format!("hit at t {t}, refused by --mask"),
            "facing" => format!("hit at t {t}, refused by --facing"),
            "filter" => format!("hit at t {t}, refused by the filter"),
            _ => format!("met at t {t}, outside of the ray"),
        };
        Some(format!("  {what}: {outcome}\n"))
    }
}

/// What a ray does at a box, and where.
pub(super) fn entry(entry: Entry) -> Option<(&'static str, Option<f32>)> {
    Some(match entry {
        Entry::Enters { t } => ("enters", Some(t)),
        Entry::PastBest { t } => ("past-best", Some(t)),
        Entry::OutsideInterval { enter, .. } => ("outside-interval", Some(enter)),
        Entry::Misses => ("misses", None),
        _ => return None,
    })
}

/// Why a walk ends, as a name and in words.
pub(super) fn end(end: End) -> (&'static str, String) {
    match end {
        End::InvalidRay => ("invalid-ray", "the ray can hit nothing".to_owned()),
        End::EmptyTree => ("empty-tree", "the tree has no triangles".to_owned()),
        End::FirstHit => ("first-hit", "the first hit is enough".to_owned()),
        End::NothingNearer { left_out: 0 } => {
            ("nothing-nearer", "all boxes before it were looked at".to_owned())
        }
        End::NothingNearer { left_out } => {
            let boxes = text::counted(left_out as usize, "box").replace("boxs", "boxes");
            ("nothing-nearer", format!("{boxes} that the ray enters past it were left out"))
        }
        End::IntervalOver => {
            let why = "what is left on its line is behind its start or past its end";
            ("interval-over", format!("all boxes that the ray enters were looked at, and {why}"))
        }
        End::NothingLeft => {
            ("nothing-left", "all boxes that the ray's line enters were looked at".to_owned())
        }
        _ => ("other", "for another reason".to_owned()),
    }
}
