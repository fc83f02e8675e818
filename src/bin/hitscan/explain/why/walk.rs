//! The walk of one ray, in short lines.

use hitscan::explain::{Below, Child, End, Entry, Outcome, Refusal, Step, Tested, Walk};
use hitscan::{Bvh, Hit};
use serde::Serialize;

use crate::terminal::text;

/// A walk in words.
#[derive(Serialize)]
pub(super) struct Told {
    steps: Vec<ToldStep>,
    end: &'static str,
    text: String,
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
struct Test {
    /// `node`, `block` or `triangle`.
    what: &'static str,
    number: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    mesh: Option<u32>,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    t: Option<f32>,
}

#[derive(Serialize)]
struct ToldHit {
    mesh: u32,
    mesh_name: String,
    triangle: u32,
    t: f32,
}

impl Told {
    pub(super) fn new(bvh: &Bvh, walk: &Walk) -> Self {
        let hit = walk.hit.map(|Hit { mesh, triangle, t, .. }| {
            let mesh_name = bvh.mesh_name(mesh).unwrap_or_default().to_owned();
            ToldHit { mesh, mesh_name, triangle, t }
        });
        let (end, why) = end(walk.end);
        let found = hit.as_ref().map_or("no hit".to_owned(), |hit| {
            let mesh = format!("mesh {} {}", hit.mesh, hit.mesh_name);
            format!("hit at t {}: {}, triangle {}", hit.t, mesh.trim_end(), hit.triangle)
        });
        let steps = walk.steps.iter().filter_map(ToldStep::new).collect();
        Self { steps, end, text: format!("{found}; {why}"), hit }
    }

    pub(super) fn to_text(&self) -> String {
        let mut text = String::new();
        for ToldStep { step, number, depth, tests } in &self.steps {
            let name = if *step == "node" { "node" } else { "leaf block" };
            text += &format!("{name} {number} (depth {depth})\n");
            let mut silent = 0;
            for test in tests {
                match test.to_line() {
                    Some(line) => text += &line,
                    None => silent += 1,
                }
            }
            if silent > 0 {
                let what = if *step == "node" { "box" } else { "triangle" };
                let misses = text::counted(silent, what).replace("boxs", "boxes");
                text += &format!("  the line misses {misses}\n");
            }
        }
        text + &text::printable(&self.text) + "\n"
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
        let (outcome, t) = match child.entry {
            Entry::Enters { t } => ("enters", Some(t)),
            Entry::PastBest { t } => ("past-best", Some(t)),
            Entry::OutsideInterval { enter, .. } => ("outside-interval", Some(enter)),
            Entry::Misses => ("misses", None),
            _ => return None,
        };
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
            (what, _) => format!("{what} {}", self.number),
        };
        let outcome = match self.outcome {
            "enters" => format!("entered at t {t}"),
            "past-best" => format!("left out: entered at t {t}, past the best hit"),
            "best" => format!("hit at t {t}, the nearest so far"),
            "farther" => format!("hit at t {t}, but something was nearer"),
            "again" => format!("hit at t {t}, the same as in another leaf block"),
            "mask" => format!("hit at t {t}, refused by --mask"),
            "facing" => format!("hit at t {t}, refused by --facing"),
            "filter" => format!("hit at t {t}, refused by the filter"),
            _ => format!("met at t {t}, outside of the ray"),
        };
        Some(format!("  {what}: {outcome}\n"))
    }
}

/// Why a walk ends, as a name and in words.
fn end(end: End) -> (&'static str, String) {
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
