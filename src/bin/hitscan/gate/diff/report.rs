//! The report of a comparison, as JSON and as text.

use serde::Serialize;

use super::answers::{Answers, Cost, SHOWN};
use super::content::Content;
use super::level_changes::LevelChanges;
use super::rows::{Change, InstanceRow, MeshRow};
use super::samples::Sample;
use crate::terminal::text::{self, Rows};

/// Rows of each table in the text. The JSON has all.
const LINES: usize = 20;

#[derive(Serialize)]
pub(super) struct Report {
    a: Side,
    b: Side,
    /// Whether all answers are the same.
    pub(super) alike: bool,
    /// Whether a mesh or an instance has changed, or its number has.
    pub(super) changed: bool,
    same_instances: usize,
    renumbered_instances: usize,
    instances: Vec<InstanceRow>,
    same_meshes: usize,
    renumbered_meshes: usize,
    meshes: Vec<MeshRow>,
    /// Of rays through all of the level.
    answers: Answers,
    /// Of rays at what has changed.
    at_changes: Answers,
    /// About the picture, if one was drawn.
    #[serde(skip)]
    drawn: Option<Rows>,
    #[serde(skip)]
    is_scene: bool,
}

#[derive(Serialize)]
struct Side {
    file: String,
    instances: usize,
    meshes: usize,
    /// Of all trees, each once.
    triangles: u64,
    tree_bytes: u64,
    bytes_per_triangle: f64,
    cost: Cost,
}

impl Side {
    fn new(file: String, content: &Content<'_>, samples: &[Sample]) -> Self {
        let summaries = content.trees.iter().map(|tree| tree.bvh.metadata().summary);
        let (mut triangles, mut tree_bytes) = (0, 0);
        for summary in summaries {
            triangles += summary.triangles_kept;
            tree_bytes += summary.tree_bytes;
        }
        Self {
            file,
            instances: content.instances.len(),
            meshes: content.trees.iter().map(|tree| tree.meshes.len()).sum(),
            triangles,
            tree_bytes,
            bytes_per_triangle: tree_bytes as f64 / triangles.max(1) as f64,
            cost: Cost::new(content.level, samples),
        }
    }

    fn said(&self, is_scene: bool) -> String {
        let Self { file, instances, meshes, triangles, .. } = self;
        let instances = match is_scene {
            true => format!(", {}", text::counted(*instances, "instance")),
            false => String::new(),
        };
        let meshes = text::counted(*meshes, "mesh").replace("meshs", "meshes");
        format!("{file}{instances}, {meshes}, {} triangles", text::count(*triangles))
    }
}

impl Report {
    pub(super) fn new(
        files: [String; 2],
        mut changes: LevelChanges<'_>,
        [samples, aimed]: [&[Sample]; 2],
        drawn: Option<Rows>,
    ) -> Self {
        let (answers, at_changes) =
            (Answers::new(&changes, samples), Answers::new(&changes, aimed));
        let [before, after] = changes.contents;
        let [a, b] = files;
        Self {
            a: Side::new(a, before, samples),
            b: Side::new(b, after, samples),
            alike: answers.different() + at_changes.different() == 0,
            changed: changes.is_any(),
            same_instances: changes.same[0],
            renumbered_instances: changes.renumbered[0],
            instances: std::mem::take(&mut changes.instances),
            same_meshes: changes.same[1],
            renumbered_meshes: changes.renumbered[1],
            meshes: std::mem::take(&mut changes.meshes),
            answers,
            at_changes,
            drawn,
            is_scene: before.level.is_scene(),
        }
    }

    pub(super) fn different(&self) -> usize {
        self.answers.different() + self.at_changes.different()
    }

    pub(super) fn to_text(&self) -> String {
        let mut rows = Rows::default();
        rows.add("a", self.a.said(self.is_scene));
        rows.add("b", self.b.said(self.is_scene));
        if self.is_scene {
            let changes = self.instances.iter().map(|row| row.change);
            rows.add("instances", counts(changes, self.same_instances, self.renumbered_instances));
        }
        let changes = self.meshes.iter().map(|row| row.change);
        rows.add("meshes", counts(changes, self.same_meshes, self.renumbered_meshes));
        let [a, b] = [&self.a, &self.b];
        rows.add("bytes", change(a.bytes_per_triangle, b.bytes_per_triangle, "a triangle"));
        rows.add("nodes", change(a.cost.nodes, b.cost.nodes, "tested by a ray"));
        rows.add("triangles", change(a.cost.triangles, b.cost.triangles, "tested by a ray"));
        let [all, aimed] = [&self.answers, &self.at_changes];
        let aimed_rays = match aimed.rays {
            0 => String::new(),
            count => format!(", {} at what has changed", text::count(count)),
        };
        rows.add("rays", format!("{} through the level{aimed_rays}", text::count(all.rays)));
        let both = |number: fn(&Answers) -> usize| match aimed.rays {
            0 => text::count(number(all)),
            _ => format!("{} and {}", text::count(number(all)), text::count(number(aimed))),
        };
        let different = both(|answers| answers.closest_different);
        let elsewhere = both(|answers| answers.closest_elsewhere);
        rows.add(
            "closest",
            format!("{different} are answered otherwise, {elsewhere} at another distance"),
        );
        let different = both(|answers| answers.any_different);
        rows.add("any", format!("{different} are answered otherwise"));
        rows.0.extend(self.drawn.iter().flat_map(|drawn| drawn.0.clone()));
        let mut text = rows.to_text();
        text += &table(InstanceRow::COLUMNS, &self.instances, InstanceRow::to_line);
        text += &table(MeshRow::COLUMNS, &self.meshes, MeshRow::to_line);
        let differences = all.differences.iter().chain(&aimed.differences).take(SHOWN);
        for (number, difference) in differences.enumerate() {
            text += if number == 0 { "\nRays that are answered otherwise:\n" } else { "" };
            text += &difference.to_text();
        }
        text
    }
}

/// How many there are of each change.
fn counts(changes: impl Iterator<Item = Change>, same: usize, renumbered: usize) -> String {
    let mut changes: Vec<Change> = changes.collect();
    changes.sort_unstable();
    let same = (same > 0 || changes.is_empty()).then(|| format!("{} the same", text::count(same)));
    let renumbered =
        (renumbered > 0).then(|| format!("{} with another number", text::count(renumbered)));
    let counted = changes.chunk_by(|one, other| one == other);
    let counted = counted.map(|same| format!("{} {}", text::count(same.len()), same[0].word()));
    counted.chain(same).chain(renumbered).collect::<Vec<_>>().join(", ")
}

/// Two numbers, and the change in percent.
fn change(a: f64, b: f64, what: &str) -> String {
    let percent = match a > 0.0 {
        // Adding zero turns minus zero into zero.
        true => format!(" ({:+.2} %)", (10_000.0 * (b - a) / a).round() / 100.0 + 0.0),
        false => String::new(),
    };
    format!("{a:.2} to {b:.2} {what}{percent}")
}

fn table<T>(columns: &str, rows: &[T], to_line: impl Fn(&T) -> String) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let lines: String = rows.iter().take(LINES).map(to_line).collect();
    let more = match rows.len().saturating_sub(LINES) {
        0 => String::new(),
        more => format!("  and {} more\n", text::count(more)),
    };
    format!("\n{columns}{lines}{more}")
}
