//! Islands of triangles that are wound the other way round than the surface around them.
//!
//! Two triangles of a mesh that share an edge with no other are neighbours. If both use the edge in
//! the same direction, one of the two is turned over. Neighbours that are wound alike form an
//! island. Of two islands that meet, the smaller one is flipped, if it has at most half as many
//! triangles: of equally large ones nobody knows which one is.

use std::collections::HashMap;

use hitscan::Triangle;
use hitscan::query::MeshTriangle;

/// A use of an edge: its ends, the lower number first, its triangle, and whether that goes from the
/// lower to the higher number.
type Use = (u32, u32, usize, bool);

/// Where the triangles of flipped islands are in the list, in order. The list is in order of
/// meshes.
pub(super) fn flipped(triangles: &[MeshTriangle]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut start = 0;
    for mesh in triangles.chunk_by(|a, b| a.mesh == b.mesh) {
        found.extend(flipped_in_mesh(mesh).into_iter().map(|at| start + at));
        start += mesh.len();
    }
    found
}

fn flipped_in_mesh(triangles: &[MeshTriangle]) -> Vec<usize> {
    let uses = uses(triangles);
    let mut islands = Islands((0..triangles.len()).collect());
    let mut turned = Vec::new();
    for edge in uses.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        if let &[(_, _, one, forwards), (_, _, other, also)] = edge {
            if forwards == also { turned.push((one, other)) } else { islands.unite(one, other) }
        }
    }
    let mut sizes = vec![0; triangles.len()];
    for at in 0..triangles.len() {
        sizes[islands.first(at)] += 1;
    }
    let mut is_flipped = vec![false; triangles.len()];
    for (one, other) in turned {
        let (one, other) = (islands.first(one), islands.first(other));
        let (small, large) = if sizes[one] < sizes[other] { (one, other) } else { (other, one) };
        is_flipped[small] |= 2 * sizes[small] <= sizes[large];
    }
    (0..triangles.len()).filter(|&at| is_flipped[islands.first(at)]).collect()
}

/// All uses of edges, sorted. Vertices with the same coordinates are one; minus zero is zero.
fn uses(triangles: &[MeshTriangle]) -> Vec<Use> {
    let mut numbers = HashMap::new();
    let mut uses = Vec::with_capacity(3 * triangles.len());
    for (at, MeshTriangle { vertices, .. }) in triangles.iter().enumerate() {
        let Triangle { v0, v1, v2 } = *vertices;
        let [a, b, c] = [v0, v1, v2].map(|vertex| {
            let key = (vertex + 0.0).to_array().map(f32::to_bits);
            let next = numbers.len() as u32;
            *numbers.entry(key).or_insert(next)
        });
        for (from, to) in [(a, b), (b, c), (c, a)] {
            uses.push((from.min(to), from.max(to), at, from < to));
        }
    }
    uses.sort_unstable();
    uses
}

/// Sets of triangles, each known by its first (disjoint sets, with path halving).
struct Islands(Vec<usize>);

impl Islands {
    fn first(&mut self, mut at: usize) -> usize {
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    fn unite(&mut self, one: usize, other: usize) {
        let (one, other) = (self.first(one), self.first(other));
        self.0[one.max(other)] = one.min(other);
    }
}
