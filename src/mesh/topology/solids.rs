//! Which meshes enclose a volume, by themselves or together.

use super::parts::Parts;
use super::sets::Sets;
use super::weld::Welded;
use super::{Edges, MeshView, Use, by_mesh};
use crate::geometry::Corners;

/// Meshes that are one surface, since each has an edge that is open without another of them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Solid {
    /// Their numbers, in order.
    pub(crate) meshes: Vec<u32>,
    /// What keeps them from enclosing a volume, if anything does.
    pub(crate) open: Option<UnbalancedEdge>,
    /// If it is not open: a triangle, and its mesh, of a part that is there twice, once in each
    /// direction, so that nothing is enclosed.
    pub(crate) cancelled: Option<(u32, Corners)>,
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
/// Takes expected O(n log n) for n triangles.
pub(crate) fn solids(meshes: &[MeshView<'_>]) -> Vec<Solid> {
    let welded = Welded::new(meshes);
    let mut sets = Sets::new(meshes.len());
    let mut open: Vec<Option<UnbalancedEdge>> = vec![None; meshes.len()];
    let edges = Edges::new(&welded);
    edges.for_each(|from, edge| {
        let is_balanced = |uses: &[Use]| {
            let [forwards, backwards] = Use::directions(uses);
            forwards == backwards
        };
        let mut unbalanced = by_mesh(&welded, edge).filter(|of_mesh| !is_balanced(of_mesh));
        let Some(part) = unbalanced.next() else { return };
        let (mesh, mut triangles) = (welded.mesh_of(part[0].triangle()), part.len());
        for other in unbalanced {
            sets.unite(mesh, welded.mesh_of(other[0].triangle()));
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
        let first = sets.first(mesh as u32) as usize;
        if first == mesh {
            places[mesh] = solids.len();
            solids.push(Solid { meshes: Vec::new(), open: None, cancelled: None });
        }
        places[mesh] = places[first];
        let solid = &mut solids[places[mesh]];
        solid.meshes.push(mesh as u32);
        solid.open = worse(solid.open, open[mesh]);
    }
    let closed = |triangle: u32| {
        let solid = places[welded.mesh_of(triangle) as usize];
        solids[solid].open.is_none().then_some(solid)
    };
    let cancelled = Parts::new(&welded, &edges, closed).cancelled(solids.len());
    for (solid, triangle) in solids.iter_mut().zip(cancelled) {
        let Some(triangle) = triangle else { continue };
        let corners = welded.triangles[triangle as usize];
        let corners = corners.map(|corner| welded.positions[corner as usize]);
        solid.cancelled = Some((welded.mesh_of(triangle), corners));
    }
    solids
}

/// The first, unless only the other is where a surface ends: that says more than that triangles are
/// wound in different ways.
fn worse(one: Option<UnbalancedEdge>, other: Option<UnbalancedEdge>) -> Option<UnbalancedEdge> {
    let ends = |edge: &UnbalancedEdge| edge.triangles % 2 == 1;
    if other.as_ref().is_some_and(ends) { one.filter(ends).or(other) } else { one.or(other) }
}
