//! Parts of closed surfaces, and which of them are there twice, once in each direction.

use super::Use;
use super::sets::Sets;
use super::weld::Welded;
use crate::geometry::{HalfPlane, half_planes, is_in_plane};

/// The triangles of closed surfaces, in parts that are connected through edges.
///
/// A part *cancels* if around each of its edges, in each plane, it has as many triangles of one
/// direction as of the other. Then it covers each place of each plane as often with one winding as
/// with the other, so the winding number is the same on both sides of all of it: it encloses
/// nothing. The simplest such part is a triangle that is there twice, wound in both ways.
///
/// Proof: in a plane, take the sum of the triangles, of each 1 within it if it is wound in one way
/// and -1 if in the other. The sum changes only across edges, by the number of triangles that have
/// the edge in one direction less that of the other. So it is the same everywhere: zero, as far
/// away.
pub(super) struct Parts {
    sets: Sets,
    /// Of the first triangle of each part: whether it has an edge around which it does not cancel.
    is_folded: Vec<bool>,
}

impl Parts {
    pub(super) fn new(triangles: usize) -> Self {
        Self { sets: Sets::new(triangles), is_folded: vec![false; triangles] }
    }

    /// Adds the uses of one edge that belong together.
    pub(super) fn add(&mut self, welded: &Welded, from: u32, uses: &[Use]) {
        let mut first = self.sets.first(uses[0].triangle());
        let mut is_folded = self.is_folded[first as usize];
        for one in &uses[1..] {
            is_folded |= self.is_folded[self.sets.first(one.triangle()) as usize];
            first = self.sets.unite(first, one.triangle());
        }
        self.is_folded[first as usize] = is_folded || is_fold(welded, from, uses);
    }

    fn cancels(&mut self, triangle: u32) -> bool {
        !self.is_folded[self.sets.first(triangle) as usize]
    }

    /// Of all triangles in surfaces of which `surface_of` gives the number: for each of the
    /// `surfaces` a triangle, if a part of it that is closed cancels, or all of it does.
    pub(super) fn cancelled(
        &mut self,
        welded: &Welded,
        surface_of: impl Fn(u32) -> usize,
        surfaces: usize,
    ) -> Vec<Option<u32>> {
        let mut found = vec![None; surfaces];
        let mut has_more = vec![false; surfaces];
        let mut cancelling = Vec::new();
        for triangle in 0..welded.triangles.len() as u32 {
            if self.cancels(triangle) {
                cancelling.push(triangle);
            } else {
                has_more[surface_of(triangle)] = true;
            }
        }
        // Without anything else even a card, which is open, leaves nothing.
        let only: Vec<u32> =
            cancelling.iter().copied().filter(|&one| !has_more[surface_of(one)]).collect();
        cancelling.retain(|&one| has_more[surface_of(one)]);
        let closed = self.without_cards(welded, cancelling);
        for triangle in closed.into_iter().chain(only) {
            let first = &mut found[surface_of(triangle)];
            *first = Some(first.map_or(triangle, |first: u32| first.min(triangle)));
        }
        found
    }

    /// The triangles of these that are left when those at a free edge are taken away, again and
    /// again: none of a card, a flag or a fin, however it is bent, and all of a closed surface. An
    /// edge is free if all that is left around it is on one side of it in one plane.
    fn without_cards(&mut self, welded: &Welded, triangles: Vec<u32>) -> Vec<u32> {
        /// A triangle at an edge.
        struct Side {
            /// The part, then the ends of the edge.
            edge: [u32; 3],
            /// Where the triangle is in `triangles`.
            place: usize,
        }
        let mut sides: Vec<Side> = Vec::with_capacity(3 * triangles.len());
        for (place, &triangle) in triangles.iter().enumerate() {
            let part = self.sets.first(triangle);
            let [a, b, c] = welded.triangles[triangle as usize];
            for (from, to) in [(a, b), (b, c), (c, a)] {
                sides.push(Side { edge: [part, from.min(to), from.max(to)], place });
            }
        }
        sides.sort_unstable_by_key(|side| (side.edge, side.place));

        // For each side its edge, and its half plane among those of the edge; for each edge its
        // sides, how many half planes have a triangle, and in each half plane how many there are.
        let mut edge_of = Vec::with_capacity(sides.len());
        let mut class_of = vec![0; sides.len()];
        let mut in_class = vec![0usize; sides.len()];
        let mut edges = Vec::new();
        let mut of_triangle = vec![Vec::with_capacity(3); triangles.len()];
        for run in sides.chunk_by(|a, b| a.edge == b.edge) {
            let start = edge_of.len();
            let [_, from, to] = run[0].edge;
            let corners = run.iter().map(|side| triangles[side.place]);
            let classes = classes(welded, [from, to], corners.collect());
            let mut count = 0;
            for (at, class) in (start..).zip(classes) {
                class_of[at] = start + class;
                in_class[start + class] += 1;
                count = count.max(class + 1);
                of_triangle[sides[at].place].push(at);
                edge_of.push(edges.len());
            }
            edges.push((start..start + run.len(), count));
        }

        let mut is_left = vec![true; triangles.len()];
        let mut free: Vec<usize> = (0..edges.len()).filter(|&edge| edges[edge].1 == 1).collect();
        while let Some(edge) = free.pop() {
            for at in edges[edge].0.clone() {
                let place = sides[at].place;
                if !std::mem::replace(&mut is_left[place], false) {
                    continue;
                }
                for &side in &of_triangle[place] {
                    in_class[class_of[side]] -= 1;
                    if in_class[class_of[side]] == 0 {
                        let count = &mut edges[edge_of[side]].1;
                        *count -= 1;
                        if *count == 1 {
                            free.push(edge_of[side]);
                        }
                    }
                }
            }
        }
        triangles
            .into_iter()
            .zip(is_left)
            .filter_map(|(one, is_left)| is_left.then_some(one))
            .collect()
    }
}

/// The half planes of triangles at an edge, numbered from zero.
fn classes(welded: &Welded, ends: [u32; 2], triangles: Vec<u32>) -> Vec<usize> {
    let apexes: Vec<_> = triangles.iter().map(|&one| apex(welded, ends, one)).collect();
    let Some(planes) = half_planes(positions(welded, ends), &apexes) else {
        // No area, but for roundings: then none is like another.
        return (0..triangles.len()).collect();
    };
    let mut sorted: Vec<HalfPlane> = planes.clone();
    sorted.sort_unstable();
    sorted.dedup();
    planes.iter().map(|plane| sorted.partition_point(|other| other < plane)).collect()
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
