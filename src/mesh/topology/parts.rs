//! Parts of closed surfaces, and which of them are there twice, once in each direction.

use std::ops::Range;

use super::sets::Sets;
use super::weld::Welded;
use super::{Edges, Use};
use crate::geometry::{HalfPlane, half_planes, is_in_plane};

/// The triangles of closed surfaces, in parts that are connected through edges.
///
/// A part *cancels* if around each of its edges, in each plane, it has equally many triangles of
/// both directions. Then it covers each place of each plane as often with one winding as with the
/// other, so the winding number is the same on both sides of all of it: it encloses nothing. The
/// simplest such part is a triangle that is there twice, wound in both ways.
///
/// Proof: in a plane, take the sum of the triangles, of each 1 within it if it is wound in one way
/// and -1 if in the other. The sum changes only across edges, by the number of triangles that have
/// the edge in one direction less the number in the other. So it is the same everywhere: zero, as
/// far away.
pub(super) struct Parts<'a, F> {
    welded: &'a Welded,
    surface_of: F,
    sets: Sets,
    /// Of the first triangle of each part: whether it has an edge around which it does not cancel.
    is_folded: Vec<bool>,
}

impl<'a, F: Fn(u32) -> Option<usize>> Parts<'a, F> {
    /// `surface_of` gives the number of a triangle's surface, or `None` if that is open.
    pub(super) fn new(welded: &'a Welded, edges: &Edges, surface_of: F) -> Self {
        let count = welded.triangles.len();
        let (sets, is_folded) = (Sets::new(count), vec![false; count]);
        let mut parts = Self { welded, surface_of, sets, is_folded };
        let mut sorted = Vec::new();
        edges.for_each(|from, edge| {
            let surface_of = |one: &Use| (parts.surface_of)(one.triangle());
            let surface = surface_of(&edge[0]);
            if edge.iter().all(|one| surface_of(one) == surface) {
                if surface.is_some() {
                    parts.add(from, edge);
                }
                return;
            }
            // By surface, then by their place in the edge, which is their order.
            sorted.clear();
            let packed = |(one, place)| Some((surface_of(one)? as u64) << 32 | place);
            sorted.extend(edge.iter().zip(0u64..).filter_map(packed));
            sorted.sort_unstable();
            for of_surface in sorted.chunk_by(|a, b| a >> 32 == b >> 32) {
                let uses: Vec<_> =
                    of_surface.iter().map(|&one| edge[one as u32 as usize]).collect();
                parts.add(from, &uses);
            }
        });
        parts
    }

    /// Adds the uses of one edge by one surface.
    fn add(&mut self, from: u32, uses: &[Use]) {
        let mut first = self.sets.first(uses[0].triangle());
        let mut is_folded = self.is_folded[first as usize];
        for one in &uses[1..] {
            is_folded |= self.is_folded[self.sets.first(one.triangle()) as usize];
            first = self.sets.unite(first, one.triangle());
        }
        self.is_folded[first as usize] = is_folded || is_fold(self.welded, from, uses);
    }

    fn cancels(&mut self, triangle: u32) -> bool {
        !self.is_folded[self.sets.first(triangle) as usize]
    }

    /// For each of the `surfaces` a triangle, if it has a part that cancels and is closed: more
    /// than cards.
    pub(super) fn cancelled(&mut self, surfaces: usize) -> Vec<Option<u32>> {
        let mut cancelling = Vec::new();
        for triangle in 0..self.welded.triangles.len() as u32 {
            let Some(surface) = (self.surface_of)(triangle) else { continue };
            if self.cancels(triangle) {
                cancelling.push((triangle, surface));
            }
        }
        let mut found = vec![None; surfaces];
        for (triangle, surface) in self.without_cards(cancelling) {
            found[surface].get_or_insert(triangle);
        }
        found
    }

    /// Those triangles that are left when the ones at a free edge are taken away, again and again:
    /// none of a card, a flag or a fin, however it is bent, and all of a closed surface. An edge is
    /// free if all that is left around it is on one side of it in one plane.
    fn without_cards(&mut self, triangles: Vec<(u32, usize)>) -> Vec<(u32, usize)> {
        /// A triangle at an edge.
        struct Side {
            /// The part, then the ends of the edge.
            edge: [u32; 3],
            /// Where the triangle is in `triangles`.
            place: usize,
        }
        /// An edge.
        struct Edge {
            sides: Range<usize>,
            /// In how many half planes there are triangles.
            half_planes: usize,
        }
        let welded = self.welded;
        let mut sides: Vec<Side> = Vec::with_capacity(3 * triangles.len());
        for (place, &(triangle, _)) in triangles.iter().enumerate() {
            let part = self.sets.first(triangle);
            let [a, b, c] = welded.triangles[triangle as usize];
            for (from, to) in [(a, b), (b, c), (c, a)] {
                sides.push(Side { edge: [part, from.min(to), from.max(to)], place });
            }
        }
        sides.sort_unstable_by_key(|side| (side.edge, side.place));

        let mut edges = Vec::new();
        // For each side its edge and its half plane, for each half plane how many are in it, and
        // for each triangle its sides. Half planes are numbered from the first side of the edge on.
        let mut place_of = Vec::with_capacity(sides.len());
        let mut count = vec![0usize; sides.len()];
        let mut sides_of = vec![[0; 3]; triangles.len()];
        let mut sides_known = vec![0; triangles.len()];
        for run in sides.chunk_by(|a, b| a.edge == b.edge) {
            let start = place_of.len();
            let [_, from, to] = run[0].edge;
            let found = run.iter().map(|side| triangles[side.place].0).collect();
            let mut half_planes = 0;
            for (side, half_plane) in
                run.iter().zip(numbered_half_planes(welded, [from, to], found))
            {
                let known = &mut sides_known[side.place];
                sides_of[side.place][*known] = place_of.len();
                *known += 1;
                half_planes += usize::from(count[start + half_plane] == 0);
                count[start + half_plane] += 1;
                place_of.push((edges.len(), start + half_plane));
            }
            edges.push(Edge { sides: start..place_of.len(), half_planes });
        }

        let mut is_left = vec![true; triangles.len()];
        let mut free: Vec<usize> =
            (0..edges.len()).filter(|&i| edges[i].half_planes == 1).collect();
        while let Some(edge) = free.pop() {
            for side in edges[edge].sides.clone() {
                let place = sides[side].place;
                if !std::mem::replace(&mut is_left[place], false) {
                    continue;
                }
                for (other, half_plane) in sides_of[place].map(|side| place_of[side]) {
                    count[half_plane] -= 1;
                    if count[half_plane] == 0 {
                        edges[other].half_planes -= 1;
                        if edges[other].half_planes == 1 {
                            free.push(other);
                        }
                    }
                }
            }
        }
        let left = triangles.into_iter().zip(is_left).filter(|(_, is_left)| *is_left);
        left.map(|(triangle, _)| triangle).collect()
    }
}

/// The half planes of triangles at an edge, numbered from zero on.
fn numbered_half_planes(welded: &Welded, ends: [u32; 2], triangles: Vec<u32>) -> Vec<usize> {
    let apexes: Vec<_> = triangles.iter().map(|&one| apex(welded, ends, one)).collect();
    let Some(planes) = half_planes(positions(welded, ends), &apexes) else {
        // No area, but for roundings: then none is like another.
        return (0..triangles.len()).collect();
    };
    // Each plane has two halves, of which some are there.
    let place = |&(plane, half): &HalfPlane| 2 * plane + usize::from(half > 0);
    let mut numbers = vec![0; 2 * planes.len()];
    for plane in &planes {
        numbers[place(plane)] = 1;
    }
    let mut count = 0;
    for number in &mut numbers {
        count += std::mem::replace(number, count);
    }
    planes.iter().map(|plane| numbers[place(plane)]).collect()
}

/// Whether a plane through an edge has more triangles of one direction than of the other there.
fn is_fold(welded: &Welded, from: u32, uses: &[Use]) -> bool {
    let ends = [from, uses[0].to()];
    let apex_of = |one: &Use| apex(welded, ends, one.triangle());
    if let [one, other] = uses {
        let ([a, b], apex) = (positions(welded, ends), apex_of(one));
        return one.is_forwards() == other.is_forwards()
            || !is_in_plane(apex_of(other), &[a, b, apex]);
    }
    let apexes: Vec<_> = uses.iter().map(apex_of).collect();
    let Some(planes) = half_planes(positions(welded, ends), &apexes) else {
        return true;
    };
    let mut sums = vec![0i32; uses.len()];
    for (one, (plane, _)) in uses.iter().zip(planes) {
        sums[plane] += if one.is_forwards() { 1 } else { -1 };
    }
    sums.iter().any(|&sum| sum != 0)
}

/// The corner of a triangle that is not on an edge of it.
fn apex(welded: &Welded, ends: [u32; 2], triangle: u32) -> [f32; 3] {
    let corners = welded.triangles[triangle as usize];
    let apex = corners.into_iter().find(|corner| !ends.contains(corner));
    welded.positions[apex.unwrap_or(ends[0]) as usize]
}

fn positions(welded: &Welded, ends: [u32; 2]) -> [[f32; 3]; 2] {
    ends.map(|end| welded.positions[end as usize])
}
