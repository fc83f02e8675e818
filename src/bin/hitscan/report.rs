//! The page about a bake: what went in, what came of it, how long it took, and the tree's shape.

use hitscan::Bvh;

use crate::bake::{self, Outcome};
use crate::page::{Bar, Body, Page, Section};

/// The page. What is in the file already and was not baked now has no times.
pub(crate) fn page(outcome: &Outcome, bvh: &Bvh) -> Page {
    let stats = bvh.stats();
    let summary = &outcome.summary;
    let mut sections = vec![Section {
        title: "The tree",
        note:
            "Costs are in node tests a ray: by the surface area heuristic, and what is searched in \
               vain because of where rays end (EPO). The lower, the faster."
                .to_owned(),
        body: table(&[
            ("File", format!("{} bytes", outcome.file_bytes)),
            ("Built by", bvh.metadata().builder),
            ("Meshes", outcome.meshes.to_string()),
            ("Triangles", format!("{} in, {} kept", summary.triangles_in, summary.triangles_kept)),
            ("Left out", bake::skipped(summary)),
            (
                "References",
                format!(
                    "{} ({:.3} a triangle)",
                    summary.references,
                    summary.references as f64 / summary.triangles_kept.max(1) as f64
                ),
            ),
            (
                "Nodes, leaves, depth",
                format!("{}, {}, {}", summary.nodes, summary.leaves, summary.depth),
            ),
            ("Bytes a triangle", format!("{:.1}", outcome.bytes_per_triangle)),
            ("SAH cost", format!("{:.3}", summary.sah_cost)),
            ("EPO cost", format!("{:.3}", bvh.epo_cost())),
            (
                "A ray meets",
                format!(
                    "{:.2} nodes, {:.2} leaves, {:.2} overlaps",
                    stats.expected_nodes, stats.expected_leaves, stats.expected_overlaps
                ),
            ),
        ]),
    }];

    let stages = outcome.stages.iter().map(|stage| Bar {
        label: stage.stage.clone(),
        value: stage.seconds,
        shown: format!("{:.3} s", stage.seconds),
    });
    let peak = outcome.peak_bytes.map_or_else(String::new, |bytes| {
        let megabytes = bytes.div_ceil(1_000_000);
        format!(" At its peak the program had {megabytes} MB, models included.")
    });
    let seconds = outcome.seconds;
    let note = if outcome.up_to_date {
        format!("The file was up to date: nothing was baked. {seconds:.3} s.{peak}")
    } else {
        format!("{seconds:.3} s in all.{peak}")
    };
    sections.push(bars("Time", &note, stages.collect()));
    sections.push(histogram("Triangles in a leaf", "", &stats.leaves_by_triangles));
    sections.push(histogram("Children of a node", "", &stats.nodes_by_children));
    let note = "Level 1 is that of the root's own leaves.";
    sections.push(histogram("Leaves by level", note, &stats.leaves_by_level));

    if !outcome.skipped.is_empty() {
        let mut rows = vec![["Mesh", "Triangle", "Why"].map(str::to_owned).to_vec()];
        rows.extend(outcome.skipped.iter().map(|skipped| {
            let reason = skipped.reason.name().to_owned();
            vec![skipped.mesh.to_string(), skipped.triangle.to_string(), reason]
        }));
        sections.push(Section {
            title: "Triangles left out",
            note: "The first thousand of each reason, as numbered in the models.".to_owned(),
            body: Body::Table(rows),
        });
    }
    let sources = outcome.sources.iter();
    let mut rows = vec![["File", "xxh3-64"].map(str::to_owned).to_vec()];
    rows.extend(sources.map(|source| vec![source.name.clone(), source.hash.clone()]));
    sections.push(Section { title: "Sources", note: String::new(), body: Body::Table(rows) });
    if !outcome.warnings.is_empty() {
        let mut rows = vec![vec!["Warning".to_owned()]];
        rows.extend(outcome.warnings.iter().take(1000).map(|warning| vec![warning.clone()]));
        sections.push(Section { title: "Warnings", note: String::new(), body: Body::Table(rows) });
    }
    Page { title: format!("Bake of {}", outcome.output), sections }
}

fn table(rows: &[(&str, String)]) -> Body {
    let head = vec![String::new(), String::new()];
    let rows = rows.iter().map(|(name, value)| vec![(*name).to_owned(), value.clone()]);
    Body::Table(std::iter::once(head).chain(rows).collect())
}

fn bars(title: &'static str, note: &str, bars: Vec<Bar>) -> Section {
    Section { title, note: note.to_owned(), body: Body::Bars(bars) }
}

/// How many there are with 1, 2, ... of something.
fn histogram(title: &'static str, note: &str, counts: &[u64]) -> Section {
    let all = counts.iter().sum::<u64>().max(1) as f64;
    let rows = (1..).zip(counts).map(|(number, &count)| Bar {
        label: number.to_string(),
        value: count as f64,
        shown: format!("{count} ({:.1} %)", 100.0 * count as f64 / all),
    });
    bars(title, note, rows.collect())
}
