//! What there is to say of a baked tree, for those who made the level: its meshes, then the tree.

use hitscan::bvh::TreeStats;
use hitscan::glam::Vec3;
use hitscan::mesh::Topology;
use hitscan::{Bvh, Triangle};

use super::{Cell, Section};
use crate::terminal::text;

/// Rows of a table of meshes.
const MESHES_SHOWN: usize = 500;

/// A baked tree, and how the edges of its meshes fit together.
pub(crate) struct LevelPage<'a> {
    bvh: &'a Bvh,
    stats: TreeStats,
    topology: Topology,
}

/// What a mesh costs, and how many triangles it has, as parts of the tree's.
pub(super) struct Share {
    pub(super) mesh: u32,
    pub(super) cost: f64,
    pub(super) count: u32,
    pub(super) triangles: f64,
}

impl<'a> LevelPage<'a> {
    pub(crate) fn new(bvh: &'a Bvh, topology: Topology) -> Self {
        Self { bvh, stats: bvh.stats(), topology }
    }

    /// What each mesh costs, the costliest first.
    pub(super) fn shares(&self) -> Vec<Share> {
        let whole = self.stats.expected_leaves.max(f64::MIN_POSITIVE);
        let all = self.triangle_count().max(1) as f64;
        let costs = (0..).zip(&self.stats.expected_leaves_by_mesh);
        let mut shares: Vec<_> = costs
            .map(|(mesh, &cost)| {
                let count = self.bvh.mesh(mesh).map_or(0, |info| info.triangles);
                Share { mesh, cost: cost / whole, count, triangles: f64::from(count) / all }
            })
            .collect();
        shares.sort_by(|a, b| b.cost.total_cmp(&a.cost));
        shares
    }

    /// Tables of meshes, the costliest first, and of those that are open.
    pub(crate) fn meshes(&self) -> Vec<Section> {
        let shares = self.shares();
        let most = shares.first().map_or(1.0, |share| share.cost).max(f64::MIN_POSITIVE);
        let rows = shares.iter().take(MESHES_SHOWN).map(|share| {
            let mesh = self.topology.meshes.get(share.mesh as usize);
            let closed = mesh.is_some_and(|mesh| mesh.is_closed());
            vec![
                Cell::Number(share.mesh.to_string(), share.mesh.into()),
                Cell::Text(self.name(share.mesh).to_owned()),
                Cell::Number(percent(share.cost), share.cost),
                Cell::Bar(share.cost / most),
                Cell::Number(text::count(share.count), share.count.into()),
                Cell::Number(percent(share.triangles), share.triangles),
                Cell::Text(if closed { "closed" } else { "open" }.to_owned()),
            ]
        });
        let mut sections = vec![Section::table(
            "Meshes",
            "Which part of the work of a random line each takes, by the boxes of the tree, against \
             its part of the triangles. A mesh that takes much more than its part has large, thin \
             or overlapping triangles. (hitscan why counts rays instead: other numbers.)",
            &["mesh", "name", "work", "", "triangles", "part of all", "surface"],
            rows.collect(),
        )];
        let open: Vec<_> = self.open_meshes().take(MESHES_SHOWN).collect();
        if !open.is_empty() {
            let rows = open.into_iter().map(|(mesh, edges)| {
                let place = self.open_edge(mesh).map_or(String::new(), text::point);
                vec![
                    Cell::Number(mesh.to_string(), mesh.into()),
                    Cell::Text(self.name(mesh).to_owned()),
                    Cell::Number(text::count(edges), edges as f64),
                    Cell::Text(place),
                ]
            });
            sections.push(Section::table(
                "Open meshes",
                "Edges that belong to one triangle only, and where one of them is.",
                &["mesh", "name", "open edges", "one is at"],
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
            let share = |count: f64, all| {
                format!("{} ({:.1} %)", text::count(count as u64), 100.0 * count / all)
            };
            bars(title, note, counts, share)
        });
        tables.collect()
    }

    pub(crate) fn bvh(&self) -> &Bvh {
        self.bvh
    }

    pub(super) fn topology(&self) -> &Topology {
        &self.topology
    }

    pub(crate) fn stats(&self) -> &TreeStats {
        &self.stats
    }

    pub(crate) fn triangle_count(&self) -> u64 {
        self.bvh.metadata().summary.triangles_in
    }

    /// The number of a mesh, and its name if it has one.
    pub(super) fn label(&self, mesh: u32) -> String {
        match self.bvh.mesh_name(mesh) {
            Some(name) => format!("{mesh} \"{name}\""),
            None => mesh.to_string(),
        }
    }

    fn name(&self, mesh: u32) -> &str {
        self.bvh.mesh_name(mesh).unwrap_or_default()
    }

    /// The meshes with open edges, and how many: the most first.
    pub(super) fn open_meshes(&self) -> impl Iterator<Item = (u32, usize)> {
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

pub(super) fn percent(part: f64) -> String {
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
    Section::table(title, note, &[], rows.collect())
}
