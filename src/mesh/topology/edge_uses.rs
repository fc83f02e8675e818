//! Which triangles meet at each edge.

use super::weld::Welded;
use super::{Edges, Use};
use crate::mesh::{Indices, MeshView, Positions};

/// The use of an edge by a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EdgeUse {
    /// The triangle, by its place in the soup.
    pub(crate) triangle: usize,
    /// The edge leads from the corner of this number to the next one.
    pub(crate) number: u8,
    /// Whether it leads from the first end to the second.
    pub(crate) is_forwards: bool,
}

/// Told the ends of an edge, and its uses.
type Visit<'v> = &'v mut dyn FnMut([[f32; 3]; 2], &[EdgeUse]);

/// Calls `visit` for each edge of a soup with its ends and all its uses, in order of triangles.
/// Edges match if their ends have the same coordinates; -0 is 0. All triangles are finite and have
/// an area. The order of the edges depends on the soup alone.
///
/// Takes expected O(n log n) for n triangles.
pub(crate) fn for_each_edge(soup: &[[f32; 3]], visit: Visit<'_>) {
    let welded = Welded::new(&[MeshView::new(Positions::Arrays(soup), Indices::None)]);
    let mut uses = Vec::new();
    Edges::new(&welded).for_each(|from, edge| {
        let ends = [from, edge[0].to()];
        uses.clear();
        uses.extend(edge.iter().map(|&one| edge_use(&welded, ends, one)));
        visit(ends.map(|end| welded.positions[end as usize]), &uses);
    });
}

fn edge_use(welded: &Welded, [from, to]: [u32; 2], one: Use) -> EdgeUse {
    let corners = welded.triangles[one.triangle() as usize];
    let start = if one.is_forwards() { from } else { to };
    let number = corners.iter().zip(0..).find(|&(&corner, _)| corner == start);
    let (triangle, is_forwards) = (one.triangle() as usize, one.is_forwards());
    EdgeUse { triangle, number: number.map_or(0, |(_, number)| number), is_forwards }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_edge_comes_once_with_the_triangles_that_meet_there() {
        let [a, b, c, d] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, -0.0]];
        let mut edges = Vec::new();
        for_each_edge(&[a, b, c, d, c, b], &mut |ends, uses| edges.push((ends, uses.to_vec())));
        assert_eq!(edges.len(), 5);
        let one = |triangle, number, is_forwards| EdgeUse { triangle, number, is_forwards };
        let (_, diagonal) = edges.iter().find(|(ends, _)| *ends == [b, c]).expect("it is there");
        assert_eq!(*diagonal, [one(0, 1, true), one(1, 1, false)]);
        assert_eq!(edges.iter().filter(|(_, uses)| uses.len() == 1).count(), 4);
        let (_, side) = edges.iter().find(|(ends, _)| *ends == [a, c]).expect("it is there");
        assert_eq!(*side, [one(0, 2, false)]);
    }
}
