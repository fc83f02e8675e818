//! Islands of triangles that are wound the other way round than the surface around them.
//!
//! Two triangles of a mesh that share an edge with no other are neighbours. If both use the edge in
//! the same direction, one of the two is turned over. Neighbours that are wound alike form an
//! island. Of two islands that meet, the smaller one is flipped, if it has at most half as many
//! triangles: of equally large ones it is not known which one is.

use hitscan::query::MeshTriangle;

use super::edge_uses::edge_uses;

/// Where the triangles of flipped islands are in the list, in order. The list is in order of
/// meshes.
pub(crate) fn flipped(triangles: &[MeshTriangle]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut start = 0;
    for mesh in triangles.chunk_by(|a, b| a.mesh == b.mesh) {
        found.extend(flipped_in_mesh(mesh).into_iter().map(|at| start + at));
        start += mesh.len();
    }
    found
}

fn flipped_in_mesh(triangles: &[MeshTriangle]) -> Vec<usize> {
    let uses = edge_uses(triangles.iter().map(|found| found.vertices).enumerate());
    let mut islands = Islands((0..triangles.len()).collect());
    let mut turned = Vec::new();
    for edge in uses.chunk_by(|a, b| a.ends == b.ends) {
        if let [a, b] = edge {
            let (one, other) = (a.place as usize / 3, b.place as usize / 3);
            if a.is_forward == b.is_forward {
                turned.push((one, other));
            } else {
                islands.unite(one, other);
            }
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
