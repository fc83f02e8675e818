//! Text for a terminal.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use hitscan::bake::BakeSummary;
use hitscan::bvh::TreeStats;
use hitscan::glam::Vec3;

/// The text with control characters escaped. Names come from files of unknown origin, and must
/// neither break a line nor control the terminal.
pub(crate) fn printable(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() { safe.extend(c.escape_default()) } else { safe.push(c) }
    }
    safe
}

/// Writes one line to standard error. A closed standard error is ignored.
pub(crate) fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{}", printable(line));
}

/// A number with a comma before each three digits.
pub(crate) fn count(number: impl TryInto<u64>) -> String {
    let digits = number.try_into().unwrap_or(u64::MAX).to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of things: `1 ray`, `2 rays`.
pub(crate) fn counted(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", count(number))
}

/// Where a gap is, from the labels of the meshes on its sides.
pub(crate) fn between_meshes([one, other]: [String; 2]) -> String {
    match one == other {
        true => format!("in mesh {one}"),
        false => format!("between mesh {one} and mesh {other}"),
    }
}

/// A point as the arguments take it, with the fewest digits that give the same numbers again.
pub(crate) fn point(p: impl Into<Vec3>) -> String {
    let p = p.into();
    format!("{},{},{}", p.x, p.y, p.z)
}

/// Lines of a label and a value.
#[derive(Default)]
pub(crate) struct Rows(pub(crate) Vec<(&'static str, String)>);

impl Rows {
    pub(crate) fn add(&mut self, label: &'static str, value: impl Into<String>) {
        self.0.push((label, value.into()));
    }

    /// What a bake made.
    pub(crate) fn add_summary(&mut self, summary: &BakeSummary) {
        let &BakeSummary { nodes, leaves, depth, references, .. } = summary;
        let kept = summary.triangles_kept;
        self.add("triangles", format!("in {}, kept {}", count(summary.triangles_in), count(kept)));
        self.add("skipped", skipped(summary));
        let (nodes, leaves) = (count(nodes), count(leaves));
        self.add("tree", format!("nodes {nodes}, leaves {leaves}, depth {depth}"));
        let ratio = references as f64 / kept.max(1) as f64;
        self.add("references", format!("{} ({ratio:.3} per triangle)", count(references)));
        self.add("SAH cost", format!("{:.3}", summary.sah_cost));
    }

    /// What rays through the tree are expected to cost.
    pub(crate) fn add_stats(&mut self, stats: &TreeStats, epo_cost: f64) {
        self.add("EPO cost", format!("{epo_cost:.3}"));
        let (nodes, leaves) = (stats.expected_nodes, stats.expected_leaves);
        let overlaps = stats.expected_overlaps;
        let ray = format!("meets {nodes:.2} nodes, {leaves:.2} leaves, {overlaps:.2} overlaps");
        self.add("a ray", ray);
    }

    pub(crate) fn to_text(&self) -> String {
        let mut text = String::new();
        for (label, value) in &self.0 {
            let _ = writeln!(text, "{label:<10} {}", printable(value));
        }
        text
    }
}

/// How many triangles a bake skipped, by reason.
pub(crate) fn skipped(summary: &BakeSummary) -> String {
    format!(
        "{} without area, {} not finite, {} with indices out of range",
        count(summary.skipped_degenerate),
        count(summary.skipped_non_finite),
        count(summary.skipped_out_of_range)
    )
}

/// How many open edges have a gap to others, by kind. All gaps are the sum.
pub(crate) fn kinds_of_gaps(nearly_matching: usize, t_junctions: usize) -> String {
    let (nearly, t) = (count(nearly_matching), count(t_junctions));
    format!("nearly matching {nearly}, T-junctions {t}")
}
