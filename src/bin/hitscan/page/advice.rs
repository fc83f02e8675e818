//! What could be better in a level, in plain words, the most important first.

use hitscan::{BakeSummary, Quality};

use super::level_page::{LevelPage, Share, percent};
use crate::level::islands;
use crate::terminal::text;

/// Meshes that the advice names: the costliest, from this part of all leaf tests on, if they take
/// this many times their part of the triangles, in trees with enough of them. In a small tree some
/// mesh always takes much.
const COSTLY_SHOWN: usize = 3;
const COSTLY: f64 = 0.05;
const OUT_OF_PROPORTION: f64 = 3.0;
const TRIANGLES_TO_BE_COSTLY: u64 = 200;

/// References per triangle from which on the memory is worth a word.
const MANY_REFERENCES: f64 = 1.5;

/// Lines of one kind. A scene may have thousands of trees.
const LINES_SHOWN: usize = 5;

/// What there is to do for some trees, each with its name in a scene.
pub(crate) fn advice(trees: &[(Option<&str>, &LevelPage<'_>)]) -> Vec<String> {
    let mut advice = Vec::new();
    let each = |lines_of: &dyn Fn(&LevelPage<'_>) -> Vec<String>| {
        let lines = trees.iter().flat_map(|&(name, level)| {
            let in_tree = name.map_or(String::new(), |name| format!("Tree {name}: "));
            lines_of(level).into_iter().map(move |line| format!("{in_tree}{line}"))
        });
        let mut lines: Vec<_> = lines.collect();
        if let Some(more) = lines.len().checked_sub(LINES_SHOWN).filter(|&more| more > 0) {
            lines.truncate(LINES_SHOWN);
            lines.push(format!("{} more like these.", text::count(more)));
        }
        lines
    };
    advice.extend(each(&|level| seams(level).into_iter().collect()));
    advice.extend(each(&|level| flipped(level).into_iter().collect()));
    // A mesh of a tree in a scene matters little, however much it takes of that tree.
    if let [(None, level)] = trees {
        advice.extend(costly_meshes(level));
    }
    if trees.iter().any(|(_, level)| level.bvh().metadata().quality != Quality::Best) {
        advice.push("Before you ship, bake with --quality best: rays get faster.".to_owned());
    }
    advice.extend(each(&|level| memory(level).into_iter().collect()));
    let open = trees.iter().map(|(_, level)| level.open_meshes().count()).sum();
    if open > 0 {
        let (meshes, are) = match open {
            1 => ("1 mesh".to_owned(), "is"),
            open => (format!("{} meshes", text::count(open)), "are"),
        };
        advice.push(format!(
            "{meshes} {are} open: see Open meshes. That is right for floors, cards and curtains. \
             One that is meant to be solid lets rays in, and has no inside."
        ));
    }
    advice
}

/// How many triangles a bake has left out, and why.
pub(crate) fn skipped(summary: &BakeSummary) -> Option<String> {
    let lost = summary.triangles_in - summary.triangles_kept;
    (lost > 0).then(|| {
        format!(
            "{} of {} triangles are not in the tree: {}.",
            text::count(lost),
            text::count(summary.triangles_in),
            text::skipped(summary)
        )
    })
}

fn seams(level: &LevelPage<'_>) -> Option<String> {
    let topology = level.topology();
    let gap = topology.example?;
    let between = text::between_meshes(gap.meshes.map(|mesh| level.label(mesh as u32)));
    let have = if topology.gaps() == 1 { "has" } else { "have" };
    Some(format!(
        "{} {have} a gap to others ({}), and rays can slip through. One is {} wide, at {}, \
         {between}. Weld the vertices there, or place the parts on exact coordinates.",
        text::counted(topology.gaps(), "open edge"),
        text::kinds_of_gaps(topology.nearly_matching, topology.t_junctions),
        gap.width,
        text::point(gap.point),
    ))
}

fn flipped(level: &LevelPage<'_>) -> Option<String> {
    let triangles: Vec<_> = level.bvh().triangles().collect();
    let flipped = islands::flipped(&triangles);
    let first = triangles.get(*flipped.first()?)?;
    let are = match flipped.len() {
        1 => "1 triangle is wound the other way round than its neighbours".to_owned(),
        count => {
            let count = text::count(count);
            format!("{count} triangles are wound the other way round than their neighbours")
        }
    };
    Some(format!(
        "{are}, such as triangle {} of mesh {}. Turn them over, or rays that see one side only go \
         through them.",
        first.triangle,
        level.label(first.mesh),
    ))
}

fn costly_meshes(level: &LevelPage<'_>) -> Vec<String> {
    if level.bvh().mesh_count() == 1 || level.triangle_count() < TRIANGLES_TO_BE_COSTLY {
        return Vec::new();
    }
    let shares = level.shares().into_iter().take(COSTLY_SHOWN);
    let costly = shares
        .filter(|share| share.cost >= COSTLY && share.cost > OUT_OF_PROPORTION * share.triangles);
    let line = |share: Share| {
        format!(
            "Mesh {} takes {} of the leaf tests of a ray, with {} of the triangles: few large \
             triangles that overlap others. Leave it out if no ray needs it, or cut it into parts.",
            level.label(share.mesh),
            percent(share.cost),
            percent(share.triangles)
        )
    };
    costly.map(line).collect()
}

fn memory(level: &LevelPage<'_>) -> Option<String> {
    let summary = level.bvh().metadata().summary;
    let ratio = summary.references as f64 / summary.triangles_kept.max(1) as f64;
    (ratio > MANY_REFERENCES).then(|| {
        format!(
            "Each triangle is stored {ratio:.2} times, because large ones were split. If memory \
             is short, --quality balanced stores fewer."
        )
    })
}
