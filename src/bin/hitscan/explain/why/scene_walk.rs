//! The walk of one ray through a scene, in short lines.

use hitscan::explain::{Entry, SceneBelow, SceneChild, SceneStep, SceneWalk};
use hitscan::{InstanceId, Snapshot};
use serde::Serialize;

use super::walk::{Test, Told, ToldHit, end, entry, found, lines};
use crate::level::baked::instance_number;
use crate::terminal::text;

/// A walk through a scene in words.
#[derive(Serialize)]
pub(super) struct ToldScene {
    steps: Vec<ToldStep>,
    end: &'static str,
    text: String,
    hit: Option<ToldHit>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ToldStep {
    Node(ToldNode),
    Instance(ToldInstance),
}

/// A node of a tree of instances.
#[derive(Serialize)]
struct ToldNode {
    /// `instances`.
    step: &'static str,
    /// Which tree of instances.
    level: u8,
    number: u32,
    depth: u32,
    tests: Vec<Test>,
}

#[derive(Serialize)]
struct ToldInstance {
    /// `instance`.
    step: &'static str,
    number: u32,
    name: String,
    /// Three columns, then the translation.
    transform: [f32; 12],
    /// The ray in the coordinates of the instance's tree.
    origin: [f32; 3],
    dir: [f32; 3],
    #[serde(flatten)]
    walk: Told,
}

impl ToldScene {
    pub(super) fn new(now: &Snapshot, walk: &SceneWalk) -> Self {
        let hit = walk.hit.map(|hit| ToldHit::new(&hit, now.mesh_name(&hit)));
        let (end, why) = end(walk.end);
        let why = why.replace("the tree has no triangles", "no tree stands in the scene");
        let steps = walk.steps.iter().filter_map(|step| ToldStep::new(now, step)).collect();
        Self { steps, end, text: format!("{}; {why}", found(hit.as_ref())), hit }
    }

    /// First what was found, then how.
    pub(super) fn to_text(&self) -> String {
        let steps: String = self.steps.iter().map(ToldStep::to_text).collect();
        format!("{}\n{steps}", text::printable(&self.text))
    }
}

impl ToldStep {
    fn new(now: &Snapshot, step: &SceneStep) -> Option<Self> {
        match step {
            SceneStep::Node { level, node, depth, children } => {
                let tests = children.iter().filter_map(of_child).collect();
                let (level, number, depth) = (*level, *node, *depth);
                Some(Self::Node(ToldNode { step: "instances", level, number, depth, tests }))
            }
            SceneStep::Instance { instance, transform, ray, walk } => {
                Some(Self::Instance(ToldInstance {
                    step: "instance",
                    number: instance_number(*instance),
                    name: now.name(*instance).unwrap_or_default().to_owned(),
                    transform: transform.to_cols_array(),
                    origin: ray.origin.to_array(),
                    dir: ray.dir.to_array(),
                    walk: Told::new(now.bvh(*instance)?, walk),
                }))
            }
            _ => None,
        }
    }

    fn to_text(&self) -> String {
        match self {
            Self::Node(ToldNode { level, number, depth, tests, .. }) => {
                let which = ["that stand still", "that are new", "that move"];
                let which = which.get(usize::from(*level)).copied().unwrap_or_default();
                let of = format!("of the tree of instances {which}");
                format!("node {number} {of} (depth {depth})\n{}", lines(tests, "box"))
            }
            Self::Instance(ToldInstance {
                number, name, transform: m, origin, dir, walk, ..
            }) => {
                let point = |at: usize| text::point([m[at], m[at + 1], m[at + 2]]);
                let name = text::printable(&format!("instance {number} {name}"));
                let mut text = format!(
                    "{}: its axes are {}; {}; {}, and it stands at {}\n  in its tree, the ray \
                     goes from {} in direction {}\n",
                    name.trim_end(),
                    point(0),
                    point(3),
                    point(6),
                    point(9),
                    text::point(*origin),
                    text::point(*dir)
                );
                for line in walk.to_text().lines() {
                    text += &format!("  {line}\n");
                }
                text
            }
        }
    }
}

fn of_child(child: &SceneChild) -> Option<Test> {
    let number = |instance: InstanceId| instance_number(instance);
    let (what, number, is_seen) = match child.below {
        SceneBelow::Node(number) => ("node", number, true),
        SceneBelow::Instance(instance) => ("instance", number(instance), true),
        SceneBelow::Masked { instance, .. } => ("instance", number(instance), false),
        SceneBelow::Gone => ("gone", 0, true),
        _ => return None,
    };
    let (outcome, t) = match child.entry {
        Entry::Enters { t } if !is_seen => ("not-seen", Some(t)),
        other => entry(other)?,
    };
    Some(Test { what, number, mesh: None, outcome, t })
}
