//! Rays that are asked of a tree, and what they test.

use std::collections::BTreeMap;

use hitscan::explain::{Outcome, Step};
use hitscan::query::{MeshTriangle, Question};
use hitscan::{Bvh, Query, Ray};
use serde::Serialize;

use crate::terminal::text;

/// What rays test.
pub(super) struct Sample<'a> {
    bvh: &'a Bvh,
    pub(super) rays: u64,
    pub(super) hits: u64,
    pub(super) nodes: u64,
    pub(super) blocks: u64,
    /// All triangles, in order of mesh and triangle, and what is counted of each.
    pub(super) triangles: Vec<MeshTriangle>,
    pub(super) counts: Vec<Count>,
}

/// How often a triangle is tested, and how often in vain.
#[derive(Clone, Copy, Default)]
pub(super) struct Count {
    pub(super) tests: u64,
    pub(super) in_vain: u64,
}

/// The part of all triangle tests that one mesh, material or triangle takes.
#[derive(Serialize)]
pub(super) struct Share {
    #[serde(skip_serializing_if = "Option::is_none")]
    mesh: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    triangle: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    material: Option<u32>,
    name: String,
    tests: f64,
    share: f64,
    in_vain: f64,
}

impl<'a> Sample<'a> {
    pub(super) fn new(bvh: &'a Bvh) -> Self {
        let triangles: Vec<_> = bvh.triangles().collect();
        let counts = vec![Count::default(); triangles.len()];
        Self { bvh, rays: 0, hits: 0, nodes: 0, blocks: 0, triangles, counts }
    }

    pub(super) fn ask(&mut self, ray: &Ray, query: &Query<'_>) {
        let walk = self.bvh.explain(ray, query, Question::ClosestHit);
        self.rays += 1;
        self.hits += u64::from(walk.hit.is_some());
        for step in &walk.steps {
            let Step::Block { triangles, .. } = step else {
                self.nodes += 1;
                continue;
            };
            self.blocks += 1;
            for one in triangles {
                let Some(at) = self.place(one.mesh, one.triangle) else { continue };
                self.counts[at].tests += 1;
                let is_met = matches!(one.outcome, Outcome::Best { .. } | Outcome::Farther { .. });
                self.counts[at].in_vain += u64::from(!is_met);
            }
        }
    }

    /// Where a triangle is in the list of all.
    fn place(&self, mesh: u32, triangle: u32) -> Option<usize> {
        self.triangles.binary_search_by_key(&(mesh, triangle), |t| (t.mesh, t.triangle)).ok()
    }

    /// All tests of triangles.
    pub(super) fn tests(&self) -> u64 {
        self.counts.iter().map(|count| count.tests).sum()
    }

    /// The part of all tests that these triangles take.
    pub(super) fn share_of(&self, places: impl Iterator<Item = usize>) -> f64 {
        let tests: u64 = places.map(|at| self.counts[at].tests).sum();
        tests as f64 / self.tests().max(1) as f64
    }

    pub(super) fn by_mesh(&self, bvh: &Bvh) -> Vec<Share> {
        let shares = self.grouped(|triangle| Some(triangle.mesh));
        let named = shares.into_iter().map(|(mesh, share)| Share {
            mesh: Some(mesh),
            name: bvh.mesh_name(mesh).unwrap_or_default().to_owned(),
            ..share
        });
        named.collect()
    }

    pub(super) fn by_material(&self, bvh: &Bvh) -> Vec<Share> {
        let shares = self.grouped(|one| bvh.triangle_material(one.mesh, one.triangle));
        let named = shares.into_iter().map(|(material, share)| Share {
            material: Some(material),
            name: bvh.material_name(material).unwrap_or_default().to_owned(),
            ..share
        });
        named.collect()
    }

    /// The triangles that are tested most.
    pub(super) fn by_triangle(&self, bvh: &Bvh, most: usize) -> Vec<Share> {
        let mut places: Vec<usize> = (0..self.counts.len()).collect();
        places.retain(|&at| self.counts[at].tests > 0);
        places.sort_by_key(|&at| (std::cmp::Reverse(self.counts[at].tests), at));
        places.truncate(most);
        let share = |at: usize| {
            let MeshTriangle { mesh, triangle, .. } = self.triangles[at];
            Share {
                mesh: Some(mesh),
                triangle: Some(triangle),
                name: bvh.mesh_name(mesh).unwrap_or_default().to_owned(),
                ..self.share(self.counts[at])
            }
        };
        places.into_iter().map(share).collect()
    }

    /// Shares of groups of triangles, the largest first.
    fn grouped(&self, group: impl Fn(&MeshTriangle) -> Option<u32>) -> Vec<(u32, Share)> {
        let mut groups = BTreeMap::<u32, Count>::new();
        for (triangle, count) in self.triangles.iter().zip(&self.counts) {
            if let Some(number) = group(triangle) {
                let sum = groups.entry(number).or_default();
                sum.tests += count.tests;
                sum.in_vain += count.in_vain;
            }
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_by_key(|&(number, count)| (std::cmp::Reverse(count.tests), number));
        groups.into_iter().map(|(number, count)| (number, self.share(count))).collect()
    }

    fn share(&self, count: Count) -> Share {
        Share {
            mesh: None,
            triangle: None,
            material: None,
            name: String::new(),
            tests: count.tests as f64 / self.rays.max(1) as f64,
            share: count.tests as f64 / self.tests().max(1) as f64,
            in_vain: count.in_vain as f64 / count.tests.max(1) as f64,
        }
    }
}

impl Share {
    pub(super) fn to_line(&self) -> String {
        let Self { tests, share, in_vain, .. } = self;
        let number = self.material.or(self.mesh).unwrap_or_default();
        let triangle =
            self.triangle.map_or(String::new(), |triangle| format!("{triangle} of mesh "));
        let what = format!("{triangle}{number} {}", text::printable(&self.name));
        let (share, in_vain) = (100.0 * share, 100.0 * in_vain);
        format!("{share:>6.1} % {tests:>12.3} {in_vain:>6.1} %  {}\n", what.trim_end())
    }
}
