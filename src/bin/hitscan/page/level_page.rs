//! What there is to say of a baked tree, for those who made the level: what to do first, then its
//! meshes, then the tree.

use hitscan::bvh::TreeStats;
use hitscan::glam::Vec3;
use hitscan::mesh::Topology;
use hitscan::{Bvh, Quality, Triangle};

use super::{Cell, Section};
use crate::terminal::text;

/// Meshes that the advice names: the costliest, from this part of all leaf tests on.
const COSTLY_SHOWN: usize = 3;
const COSTLY: f64 = 0.05;

/// Rows of a table of meshes.
const MESHES_SHOWN: usize = 500;

/// A baked tree, and how the edges of its meshes fit together.
pub(crate) struct LevelPage<'a> {
    bvh: &'a Bvh,
    stats: TreeStats,
    topology: Topology,
}

impl<'a> LevelPage<'a> {
    pub(crate) fn new(bvh: &'a Bvh, topology: Topology) -> Self {
        Self { bvh, stats: bvh.stats(), topology }
    }

    /// What could be better, in plain words, the most important first.
    pub(crate) fn advice(&self) -> Vec<String> {
        let metadata = self.bvh.metadata();
        let mut advice = Vec::new();
        if let Some(gap) = self.topology.example {
            let between = text::between_meshes(gap.meshes.map(|mesh| self.label(mesh as u32)));
            advice.push(format!(
                "{} nearly match another edge, and rays can slip through. One is {} wide, at {}, \
                 {between}. Weld the vertices there, or place the parts on exact coordinates.",
                text::counted(self.topology.gaps(), "edge"),
                gap.width,
                text::point(gap.point),
            ));
        }
        advice.extend(self.costly_meshes());
        if metadata.quality != Quality::Best {
            advice.push("Before you ship, bake with `--quality best`: rays get faster.".to_owned());
        }
        let summary = metadata.summary;
        let ratio = summary.references as f64 / summary.triangles_kept.max(1) as f64;
        if ratio > 1.5 {
            advice.push(format!(
                "Each triangle is stored {ratio:.2} times, because large ones were split. If \
                 memory is short, `--quality balanced` stores fewer."
            ));
        }
        let open = self.open_meshes().count();
        if open > 0 {
            let (meshes, are) = match open {
                1 => ("1 mesh".to_owned(), "is"),
                open => (format!("{} meshes", text::count(open)), "are"),
            };
            advice.push(format!(
                "{meshes} {are} open: see the table. That is right for floors, cards and \
                 curtains. One that is meant to be solid lets rays in, and has no inside."
            ));
        }
        advice
    }

    fn costly_meshes(&self) -> Vec<String> {
        let Self { bvh, stats, .. } = self;
        let whole = stats.expected_leaves.max(f64::MIN_POSITIVE);
        let all = self.triangle_count().max(1) as f64;
        let mut costs: Vec<_> = (0..).zip(&stats.expected_leaves_by_mesh).collect();
        costs.sort_by(|a, b| b.1.total_cmp(a.1));
        let costs = costs.into_iter().map(|(mesh, cost)| (mesh, cost / whole));
        let costly = costs.take(COSTLY_SHOWN).take_while(|&(_, cost)| cost >= COSTLY);
        let line = |(mesh, cost)| {
            let triangles = bvh.mesh(mesh).map_or(0, |info| info.triangles);
            let part = f64::from(triangles) / all;
            let advice_on = if cost > 3.0 * part {
                ": few large triangles that overlap others. Leave it out if no ray needs it, or \
                 cut it into parts."
            } else {
                "."
            };
            format!(
                "Mesh {} takes {} of the leaf tests of a ray, with {} of the triangles{advice_on}",
                self.label(mesh),
                percent(cost),
                percent(part)
            )
        };
        if bvh.mesh_count() == 1 { Vec::new() } else { costly.map(line).collect() }
    }

    /// Tables of meshes, the costliest first, and of those that are open.
    pub(crate) fn meshes(&self) -> Vec<Section> {
        let Self { bvh, stats, topology } = self;
        let whole = stats.expected_leaves.max(f64::MIN_POSITIVE);
        let all = self.triangle_count().max(1) as f64;
        let mut costs: Vec<_> = (0..).zip(&stats.expected_leaves_by_mesh).collect();
        costs.sort_by(|a, b| b.1.total_cmp(a.1));
        let rows = costs.iter().take(MESHES_SHOWN).map(|&(mesh, cost)| {
            let triangles = bvh.mesh(mesh).map_or(0, |info| info.triangles);
            let closed = topology.meshes.get(mesh as usize).is_some_and(|m| m.is_closed());
            vec![
                Cell::Text(self.label(mesh)),
                Cell::Number(percent(cost / whole), cost / whole),
                Cell::Bar(cost / whole),
                Cell::Number(text::count(triangles), triangles.into()),
                Cell::Number(percent(f64::from(triangles) / all), f64::from(triangles) / all),
                Cell::Text(if closed { "closed" } else { "open" }.to_owned()),
            ]
        });
        let mut sections = vec![Section::table(
            "Meshes",
            "Which part of a ray's work each takes, against its part of the triangles. A mesh that \
             takes much more than its part has large, thin or overlapping triangles.",
            &["mesh", "work", "", "triangles", "part of all", "surface"],
            rows.collect(),
        )];
        let open: Vec<_> = self.open_meshes().take(MESHES_SHOWN).collect();
        if !open.is_empty() {
            let rows = open.into_iter().map(|(mesh, edges)| {
                let place = self.open_edge(mesh).map_or(String::new(), text::point);
                vec![
                    Cell::Text(self.label(mesh)),
                    Cell::Number(text::count(edges), edges as f64),
                    Cell::Text(place),
                ]
            });
            sections.push(Section::table(
                "Open meshes",
                "Edges that belong to one triangle only, and where one of them is.",
                &["mesh", "open edges", "one is at"],
                rows.collect(),
            ));
        }
        sections
    }

    /// The shape of the tree.
    pub(crate) fn tree(&self) -> Vec<Section> {
        let stats = &self.stats;
        let tables = [
            ("Triangles per leaf", "", &stats.leaves_by_triangles[..]),
            ("Children per node", "", &stats.nodes_by_children),
            ("Leaves by level", "The root's own leaves are on level 1.", &stats.leaves_by_level),
        ];
        let tables = tables.into_iter().map(|(title, note, counts)| {
            let counts = (1..).zip(counts).map(|(i, &count)| (i.to_string(), count as f64));
            let share = |count, all| format!("{count} ({:.1} %)", 100.0 * count / all);
            bars(title, note, counts, share)
        });
        tables.collect()
    }

    pub(crate) fn stats(&self) -> &TreeStats {
        &self.stats
    }

    pub(crate) fn triangle_count(&self) -> u64 {
        self.bvh.metadata().summary.triangles_in
    }

    /// The number of a mesh, and its name if it has one.
    fn label(&self, mesh: u32) -> String {
        match self.bvh.mesh_name(mesh) {
            Some(name) => format!("{mesh} `{name}`"),
            None => mesh.to_string(),
        }
    }

    /// The meshes with open edges, and how many: the most first.
    fn open_meshes(&self) -> impl Iterator<Item = (u32, usize)> {
        let edges = (0..).zip(&self.topology.meshes).map(|(mesh, counts)| (mesh, counts.open));
        let mut open: Vec<_> = edges.filter(|&(_, open)| open > 0).collect();
        open.sort_by_key(|&(mesh, open)| (std::cmp::Reverse(open), mesh));
        open.into_iter()
    }

    /// The middle of an open edge of a mesh.
    fn open_edge(&self, mesh: u32) -> Option<Vec3> {
        let edges = self.bvh.mesh_triangles(mesh).flat_map(|one| {
            let Triangle { v0, v1, v2 } = one.vertices;
            [[v0, v1], [v1, v2], [v2, v0]]
        });
        // Both ends, the lower first; without minus zero.
        let mut keys: Vec<_> = edges
            .map(|ends| {
                let mut ends = ends.map(|end| (end + 0.0).to_array().map(f32::to_bits));
                ends.sort_unstable();
                ends
            })
            .collect();
        keys.sort_unstable();
        let ends = keys.chunk_by(|a, b| a == b).find(|same| same.len() == 1)?[0];
        let [a, b] = ends.map(|end| Vec3::from_array(end.map(f32::from_bits)));
        Some(a.midpoint(b))
    }
}

fn percent(part: f64) -> String {
    match 100.0 * part {
        percent if percent < 0.1 => "under 0.1 %".to_owned(),
        percent if percent < 10.0 => format!("{percent:.1} %"),
        percent => format!("{percent:.0} %"),
    }
}

/// A bar for each value. `shown` writes a value, given the sum of all.
pub(crate) fn bars(
    title: &str,
    note: &'static str,
    values: impl Iterator<Item = (String, f64)>,
    shown: impl Fn(f64, f64) -> String,
) -> Section {
    let values: Vec<_> = values.collect();
    let sum: f64 = values.iter().map(|(_, value)| value).sum();
    let largest = values.iter().fold(0.0, |largest: f64, (_, value)| largest.max(*value));
    let rows = values.into_iter().map(|(label, value)| {
        let bar = Cell::Bar(if largest > 0.0 { value / largest } else { 0.0 });
        vec![Cell::Text(label), Cell::Number(shown(value, sum.max(f64::MIN_POSITIVE)), value), bar]
    });
    Section::table(title, note, &["", "", ""], rows.collect())
}
