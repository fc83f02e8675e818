//! Rays that are asked of a tree, and what they test.

use std::collections::BTreeMap;

use hitscan::explain::{Outcome, Step, Walk};
use hitscan::query::{MeshTriangle, Question};
use hitscan::{Bvh, Query, Ray};

use super::share::{Count, Share, largest_first};

/// What rays test.
pub(super) struct Sample<'a> {
    pub(super) bvh: &'a Bvh,
    pub(super) rays: u64,
    pub(super) hits: u64,
    pub(super) nodes: u64,
    pub(super) blocks: u64,
    /// All triangles, in order of mesh and triangle, and what is counted of each.
    pub(super) triangles: Vec<MeshTriangle>,
    pub(super) counts: Vec<Count>,
    /// All tests that shares are parts of. In a scene, of all its trees.
    pub(super) all_tests: u64,
}

impl<'a> Sample<'a> {
    pub(super) fn new(bvh: &'a Bvh) -> Self {
        let triangles: Vec<_> = bvh.triangles().collect();
        let counts = vec![Count::default(); triangles.len()];
        Self { bvh, rays: 0, hits: 0, nodes: 0, blocks: 0, triangles, counts, all_tests: 0 }
    }

    pub(super) fn ask(&mut self, ray: &Ray, query: &Query<'_>, question: Question) {
        let walk = self.bvh.explain(ray, query, question);
        self.rays += 1;
        self.hits += u64::from(walk.hit.is_some());
        self.all_tests += self.count(&walk).tests;
    }

    /// Counts what a walk tests, and gives the tests of triangles.
    pub(super) fn count(&mut self, walk: &Walk) -> Count {
        let mut sum = Count::default();
        for step in &walk.steps {
            let Step::Block { triangles, .. } = step else {
                self.nodes += 1;
                continue;
            };
            self.blocks += 1;
            for one in triangles {
                let Some(at) = self.place(one.mesh, one.triangle) else { continue };
                let is_met = matches!(one.outcome, Outcome::Best { .. } | Outcome::Farther { .. });
                let count = Count { tests: 1, in_vain: u64::from(!is_met) };
                self.counts[at].add(count);
                sum.add(count);
            }
        }
        sum
    }

    /// Where a triangle is in the list of all.
    fn place(&self, mesh: u32, triangle: u32) -> Option<usize> {
        self.triangles.binary_search_by_key(&(mesh, triangle), |t| (t.mesh, t.triangle)).ok()
    }

    /// The part of all tests that these triangles take.
    pub(super) fn share_of(&self, places: impl Iterator<Item = usize>) -> f64 {
        let tests: u64 = places.map(|at| self.counts[at].tests).sum();
        tests as f64 / self.all_tests.max(1) as f64
    }

    pub(super) fn by_mesh(&self) -> Vec<Share> {
        let shares = self.grouped(|triangle| Some(triangle.mesh));
        let named = shares.into_iter().map(|(mesh, share)| Share {
            mesh: Some(mesh),
            name: self.bvh.mesh_name(mesh).unwrap_or_default().to_owned(),
            ..share
        });
        named.collect()
    }

    pub(super) fn by_material(&self) -> Vec<Share> {
        let shares = self.grouped(|one| self.bvh.triangle_material(one.mesh, one.triangle));
        let named = shares.into_iter().map(|(material, share)| Share {
            material: Some(material),
            name: self.bvh.material_name(material).unwrap_or_default().to_owned(),
            ..share
        });
        named.collect()
    }

    /// The triangles that are tested most.
    pub(super) fn by_triangle(&self, most: usize) -> Vec<Share> {
        let mut places: Vec<usize> = (0..self.counts.len()).collect();
        places.retain(|&at| self.counts[at].tests > 0);
        places.sort_by_key(|&at| (std::cmp::Reverse(self.counts[at].tests), at));
        places.truncate(most);
        let share = |at: usize| {
            let MeshTriangle { mesh, triangle, .. } = self.triangles[at];
            Share {
                mesh: Some(mesh),
                triangle: Some(triangle),
                name: self.bvh.mesh_name(mesh).unwrap_or_default().to_owned(),
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
                groups.entry(number).or_default().add(*count);
            }
        }
        let groups = groups.into_iter().map(|(number, count)| (number, self.share(count)));
        let mut groups: Vec<_> = groups.collect();
        groups.sort_by(|(_, a), (_, b)| largest_first(a, b));
        groups
    }

    fn share(&self, count: Count) -> Share {
        Share::new(count, self.rays, self.all_tests)
    }
}
