//! Which meshes enclose a volume, by themselves or together.

use super::weld::Welded;
use super::{MeshView, Use, for_each_edge};

/// Meshes that are one surface, since each has an edge that is open without another of them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Solid {
    /// Their numbers, in order.
    pub(crate) meshes: Vec<u32>,
    /// What keeps them from enclosing a volume, if anything does.
    pub(crate) open: Option<UnbalancedEdge>,
}

/// An edge that is used more often in one direction than in the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct UnbalancedEdge {
    /// A mesh that has it.
    pub(crate) mesh: u32,
    pub(crate) ends: [[f32; 3]; 2],
    /// How many triangles of the solid use it.
    pub(crate) triangles: usize,
}

/// The solids, in order of their first meshes. A mesh without triangles is one by itself.
///
/// Takes expected O(n) for n triangles.
pub(crate) fn solids(meshes: &[MeshView<'_>]) -> Vec<Solid> {
    let welded = Welded::new(meshes);
    let mut first: Vec<u32> = (0..meshes.len() as u32).collect();
    let mut open: Vec<Option<UnbalancedEdge>> = vec![None; meshes.len()];
    for_each_edge(&welded, |from, edge| {
        let is_balanced = |uses: &[Use]| {
            let [forwards, backwards] = Use::directions(uses);
            forwards == backwards
        };
        let parts = edge.chunk_by(|a, b| a.mesh() == b.mesh());
        let mut unbalanced = parts.filter(|part| !is_balanced(part));
        let Some(part) = unbalanced.next() else { return };
        let (mesh, mut triangles) = (part[0].mesh(), part.len());
        for other in unbalanced {
            unite(&mut first, mesh, other[0].mesh());
            triangles += other.len();
        }
        if !is_balanced(edge) {
            let ends = [from, edge[0].to()].map(|end| welded.positions[end as usize]);
            let found = Some(UnbalancedEdge { mesh, ends, triangles });
            open[mesh as usize] = worse(open[mesh as usize], found);
        }
    });
    let mut solids: Vec<Solid> = Vec::new();
    let mut places = vec![0; meshes.len()];
    for mesh in 0..meshes.len() {
        let first = find(&mut first, mesh as u32) as usize;
        if first == mesh {
            places[mesh] = solids.len();
            solids.push(Solid { meshes: Vec::new(), open: None });
        }
        let solid = &mut solids[places[first]];
        solid.meshes.push(mesh as u32);
        solid.open = worse(solid.open, open[mesh]);
    }
    solids
}

/// The first, unless only the other is where a surface ends: that says more than that triangles are
/// wound in different ways.
fn worse(one: Option<UnbalancedEdge>, other: Option<UnbalancedEdge>) -> Option<UnbalancedEdge> {
    let ends = |edge: &UnbalancedEdge| edge.triangles % 2 == 1;
    if other.as_ref().is_some_and(ends) { one.filter(ends).or(other) } else { one.or(other) }
}

/// The first mesh that is one surface with this one.
fn find(first: &mut [u32], mut mesh: u32) -> u32 {
    while first[mesh as usize] != mesh {
        let next = first[mesh as usize];
        first[mesh as usize] = first[next as usize];
        mesh = next;
    }
    mesh
}

fn unite(first: &mut [u32], one: u32, other: u32) {
    let (one, other) = (find(first, one), find(first, other));
    first[one.max(other) as usize] = one.min(other);
}
