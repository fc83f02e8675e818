//! How the edges of triangles fit together.

mod edge_uses;
mod gaps;
mod parts;
mod sets;
mod solids;
mod weld;

#[cfg(test)]
mod tests;

use bytemuck::{Pod, Zeroable};

pub(crate) use self::edge_uses::{EdgeUse, for_each_edge};
pub use self::gaps::Gap;
pub(crate) use self::solids::{Solid, solids};

use self::gaps::{Gaps, OpenEdge};
use self::weld::Welded;
use super::{Mesh, MeshView};

/// How the edges of meshes fit together: which are open, which are wound differently on both
/// sides, and which *nearly* match another, so that rays can slip through between them.
///
/// It sees the triangles that a bake keeps, with the coordinates that are baked. Edges match if
/// their ends have the same coordinates, no matter how they are indexed; -0 is 0. Triangles
/// without area, with NaN or infinite coordinates, or with indices out of range are left out, and
/// so are triangles behind 2^32 - 3 different vertices or 2^31 triangles.
///
/// # Nearly matching edges
///
/// An open edge of length `l`, whose largest coordinate is `c`, has a tolerance of `l / 65,536`
/// plus `c / 2,097,152` (four to eight steps of `f32`), but at most `l / 8`. The edge counts in
/// the first of these that holds:
///
/// - [`nearly_matching`](Self::nearly_matching): both its ends are within the tolerance of the
///   ends of another open edge. Tiles that are placed one by one are like this.
/// - [`t_junctions`](Self::t_junctions): another open edge runs along it within the tolerance and
///   ends between its ends, beside its line.
/// - [`exact_t_junctions`](Self::exact_t_junctions): the same, but exactly on its line. No ray
///   slips through.
///
/// Wider gaps are part of the shape and not counted.
///
/// ```
/// use hitscan::Mesh;
/// use hitscan::mesh::Topology;
///
/// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let faces = vec![0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3];
/// let tetrahedron = Mesh::new(corners.to_vec(), faces);
/// let topology = Topology::of(&[tetrahedron]);
/// assert!(topology.meshes[0].is_closed());
/// assert_eq!(topology.gaps(), 0);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Topology {
    /// The edges of all meshes together: one that two meshes share is not open.
    pub edges: EdgeCounts,
    /// The edges of each mesh by itself.
    pub meshes: Vec<EdgeCounts>,
    /// Open edges that miss another open edge by a little.
    pub nearly_matching: usize,
    /// Open edges with the end of another beside them.
    pub t_junctions: usize,
    /// Open edges with the end of another exactly on them.
    pub exact_t_junctions: usize,
    /// One of the gaps, if there are any: the first in the order of the vertices.
    pub example: Option<Gap>,
}

/// How often edges are used. An edge has a direction in each triangle, which follows its winding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EdgeCounts {
    /// The triangles that these edges belong to.
    pub triangles: usize,
    /// Edges of one triangle: where a surface ends. Also called boundary edges.
    pub open: usize,
    /// Edges of two triangles that use them in the same direction: one of the two is turned over.
    pub inconsistent: usize,
    /// Edges of more than two triangles.
    pub non_manifold: usize,
    /// Edges that are used more often in one direction than in the other.
    pub unbalanced: usize,
}

impl EdgeCounts {
    /// Whether the triangles enclose a volume, so that inside can be told from outside (see
    /// [`Bvh::contains`](crate::Bvh::contains)): each edge is used as often in one direction as in
    /// the other. Parts may touch at edges. A mesh without triangles is not closed. One that is
    /// there twice, once in each direction, is; but `contains` refuses it.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.triangles > 0 && self.unbalanced == 0
    }

    /// Counts an edge with these numbers of uses, forwards and backwards.
    fn add(&mut self, uses: [usize; 2]) {
        match uses {
            [1, 0] | [0, 1] => self.open += 1,
            [2, 0] | [0, 2] => self.inconsistent += 1,
            [forwards, backwards] => self.non_manifold += usize::from(forwards + backwards > 2),
        }
        self.unbalanced += usize::from(uses[0] != uses[1]);
    }
}

impl Topology {
    /// The topology of these meshes, as a bake would see them.
    ///
    /// The answer does not depend on the order of the triangles or on the machine; only the
    /// example depends on the order.
    ///
    /// Takes expected O(n) for n triangles, and O(m log m) for m open edges. At worst an edge is
    /// compared with 2,000 others; where more are near, some gaps may stay uncounted. Needs about
    /// 100 bytes for each triangle of a connected mesh, and at most 400 where none touch.
    #[must_use]
    pub fn of(meshes: &[Mesh]) -> Self {
        let views: Vec<_> = meshes.iter().map(Mesh::view).collect();
        Self::of_views(&views)
    }

    /// [`of`](Self::of) for meshes in the caller's own buffers.
    #[must_use]
    pub fn of_views(meshes: &[MeshView<'_>]) -> Self {
        let welded = Welded::new(meshes);
        let mut counts = vec![EdgeCounts::default(); meshes.len()];
        for (count, triangles) in counts.iter_mut().zip(welded.by_mesh()) {
            count.triangles = triangles.len();
        }
        let mut edges = EdgeCounts { triangles: welded.triangles.len(), ..EdgeCounts::default() };

        let mut open = Vec::new();
        Edges::new(&welded).for_each(|from, edge| {
            edges.add(Use::directions(edge));
            for part in by_mesh(&welded, edge) {
                let mesh = welded.mesh_of(part[0].triangle());
                counts[mesh as usize].add(Use::directions(part));
            }
            if let [only] = edge {
                let mesh = welded.mesh_of(only.triangle());
                open.push(OpenEdge { ends: [from, only.to()], mesh });
            }
        });
        let Gaps { nearly_matching, t_junctions, exact_t_junctions, example } =
            gaps::find(&welded.positions, &open);
        Self { edges, meshes: counts, nearly_matching, t_junctions, exact_t_junctions, example }
    }

    /// How many open edges nearly match others: [`nearly_matching`](Self::nearly_matching) and
    /// [`t_junctions`](Self::t_junctions). Between them rays can slip through.
    #[must_use]
    pub fn gaps(&self) -> usize {
        self.nearly_matching + self.t_junctions
    }
}

/// The use of an edge by a triangle, packed so that uses sort by edge, then triangle, and so by
/// mesh.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(transparent)]
struct Use(u64);

impl Use {
    fn new(to: u32, triangle: u32, forwards: bool) -> Self {
        Self(u64::from(to) << 32 | u64::from(triangle) << 1 | u64::from(forwards))
    }

    /// The edge's end with the higher number.
    fn to(self) -> u32 {
        (self.0 >> 32) as u32
    }

    fn triangle(self) -> u32 {
        self.0 as u32 >> 1
    }

    fn is_forwards(self) -> bool {
        self.0 & 1 == 1
    }

    /// How many of these uses go forwards, and how many backwards.
    fn directions(uses: &[Self]) -> [usize; 2] {
        let forwards = uses.iter().filter(|one| one.is_forwards()).count();
        [forwards, uses.len() - forwards]
    }
}

/// The uses of an edge, in one group for each mesh.
fn by_mesh<'a>(welded: &Welded, edge: &'a [Use]) -> impl Iterator<Item = &'a [Use]> {
    edge.chunk_by(|a, b| welded.mesh_of(a.triangle()) == welded.mesh_of(b.triangle()))
}

/// All edges with their uses.
struct Edges {
    /// By the end with the lower number, then by the other, then by triangle.
    uses: Vec<Use>,
    /// For each vertex where its uses end.
    ends: Vec<usize>,
}

impl Edges {
    fn new(welded: &Welded) -> Self {
        let (mut uses, ends) = uses_by_vertex(welded);
        let mut start = 0;
        for &end in &ends {
            bytemuck::cast_slice_mut::<Use, u64>(&mut uses[start..end]).sort_unstable();
            start = end;
        }
        Self { uses, ends }
    }

    /// Calls `visit` for each edge with its end of the lower number and all its uses, in order of
    /// meshes.
    fn for_each(&self, mut visit: impl FnMut(u32, &[Use])) {
        let mut start = 0;
        for (from, &end) in (0..).zip(&self.ends) {
            for edge in self.uses[start..end].chunk_by(|a, b| a.to() == b.to()) {
                visit(from, edge);
            }
            start = end;
        }
    }
}

/// All uses of edges, by the end with the lower number; and for each vertex where its uses end.
fn uses_by_vertex(welded: &Welded) -> (Vec<Use>, Vec<usize>) {
    let edges = |[a, b, c]: [u32; 3]| [(a, b), (b, c), (c, a)];
    let mut places = vec![0; welded.positions.len()];
    for (a, b) in welded.triangles.iter().copied().flat_map(edges) {
        places[a.min(b) as usize] += 1;
    }
    let mut sum = 0;
    for place in &mut places {
        sum += std::mem::replace(place, sum);
    }
    let mut uses = vec![Use(0); sum];
    for (triangle, &corners) in (0..).zip(&welded.triangles) {
        for (a, b) in edges(corners) {
            let place = &mut places[a.min(b) as usize];
            uses[*place] = Use::new(a.max(b), triangle, a < b);
            *place += 1;
        }
    }
    (uses, places)
}
