//! Which triangles use which edges.

use std::collections::HashMap;

use hitscan::Triangle;

/// The use of an edge by a triangle.
pub(crate) struct EdgeUse {
    /// The ends, the lower number first. Vertices with the same coordinates have one number; minus
    /// zero is zero.
    pub(crate) ends: [u32; 2],
    /// Three times the triangle's number, plus the number of the edge in it.
    pub(crate) place: u32,
    /// Whether the triangle goes from the first end to the second.
    pub(crate) is_forward: bool,
}

/// All uses of edges by numbered triangles: those of one edge together, in order of their places.
pub(crate) fn edge_uses(triangles: impl Iterator<Item = (usize, Triangle)>) -> Vec<EdgeUse> {
    let mut numbers = HashMap::new();
    let mut uses = Vec::new();
    for (triangle, Triangle { v0, v1, v2 }) in triangles {
        let corners = [v0, v1, v2].map(|corner| {
            let next = numbers.len() as u32;
            // Adding zero turns minus zero into zero.
            let key = (corner + 0.0).to_array().map(f32::to_bits);
            *numbers.entry(key).or_insert(next)
        });
        for (edge, place) in (0..3).zip(3 * triangle as u32..) {
            let (from, to) = (corners[edge], corners[(edge + 1) % 3]);
            let ends = [from.min(to), from.max(to)];
            uses.push(EdgeUse { ends, place, is_forward: from < to });
        }
    }
    uses.sort_unstable_by_key(|one| (one.ends, one.place));
    uses
}
