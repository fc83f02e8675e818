//! Open edges that nearly match: a search with tolerance among the open edges alone.

use std::cmp::Ordering;
use std::ops::Range;

use glam::Vec3;

use crate::geometry::{Triangle, cross, difference, dot};

/// A place where two edges nearly match.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Gap {
    /// The meshes that the two edges belong to. Both can be the same.
    pub meshes: [usize; 2],
    /// A vertex at the gap, as it is baked.
    pub point: Vec3,
    /// The width of the gap there.
    pub width: f32,
}

/// What [`Topology`](super::Topology) tells of gaps.
#[derive(Default)]
pub(super) struct Gaps {
    pub(super) nearly_matching: usize,
    pub(super) t_junctions: usize,
    pub(super) exact_t_junctions: usize,
    pub(super) example: Option<Gap>,
}

/// An edge of one triangle, by its vertices.
pub(super) struct OpenEdge {
    pub(super) ends: [u32; 2],
    pub(super) mesh: u32,
}

/// The tolerance, in parts of an edge's length and of its largest coordinate, and the most that it
/// may be of the length: the two ends must stay apart.
const OF_LENGTH: f64 = 1.0 / 65_536.0;
const OF_COORDINATE: f64 = 1.0 / 2_097_152.0;
const AT_MOST: f64 = 1.0 / 8.0;

/// Vertices and edges that one edge is compared with, at most. It keeps the time in proportion to
/// the number of edges, whatever their shape.
const COMPARISONS: usize = 2_000;

/// A vertex at which open edges end.
struct Vertex {
    number: u32,
    position: [f32; 3],
    /// Its edges in `Search::links`.
    links: Range<usize>,
}

struct Search<'a> {
    positions: &'a [[f32; 3]],
    open: &'a [OpenEdge],
    /// A vertex and an edge that ends there, in the order of the vertices.
    links: Vec<(u32, usize)>,
}

/// Finds the gaps between open edges.
pub(super) fn find(positions: &[[f32; 3]], open: &[OpenEdge]) -> Gaps {
    let mut links = Vec::with_capacity(2 * open.len());
    for (i, edge) in open.iter().enumerate() {
        links.extend(edge.ends.map(|number| (number, i)));
    }
    links.sort_unstable();
    let by_vertex = || links.chunk_by(|a, b| a.0 == b.0);
    let mut vertices: Vec<Vertex> = Vec::with_capacity(by_vertex().count());
    for links_here in by_vertex() {
        let start = vertices.last().map_or(0, |last| last.links.end);
        let (number, links) = (links_here[0].0, start..start + links_here.len());
        vertices.push(Vertex { number, position: positions[number as usize], links });
    }
    sort_tree(&mut vertices, 0);

    let search = Search { positions, open, links };
    let mut gaps = Gaps::default();
    for edge in 0..open.len() {
        let found = search.gap(edge, &vertices);
        match found.kind {
            Kind::None => continue,
            Kind::ExactTJunction => gaps.exact_t_junctions += 1,
            Kind::TJunction => gaps.t_junctions += 1,
            Kind::NearlyMatching => gaps.nearly_matching += 1,
        }
        gaps.example = gaps.example.or(found.gap);
    }
    gaps
}

/// Sorts the vertices into a k-d tree: the middle one divides the others by the axis, and so on
/// on both sides with the next axis. The order depends on the positions alone.
fn sort_tree(vertices: &mut [Vertex], axis: usize) {
    if vertices.len() > 1 {
        let middle = vertices.len() / 2;
        let (below, _, above) =
            vertices.select_nth_unstable_by(middle, |a, b| order(a.position, b.position, axis));
        sort_tree(below, (axis + 1) % 3);
        sort_tree(above, (axis + 1) % 3);
    }
}

/// The order by the coordinate of this axis, then by the others.
fn order(a: [f32; 3], b: [f32; 3], axis: usize) -> Ordering {
    let axes = (axis..axis + 3).map(|i| a[i % 3].total_cmp(&b[i % 3]));
    axes.fold(Ordering::Equal, Ordering::then)
}

/// What an edge is. A later one is more important.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    None,
    ExactTJunction,
    TJunction,
    NearlyMatching,
}

/// An open edge, and what was found near it.
struct Probe {
    edge: usize,
    start: [f32; 3],
    end: [f32; 3],
    /// From start to end.
    along: [f64; 3],
    tolerance: f64,
    comparisons: usize,
    kind: Kind,
    gap: Option<Gap>,
}

impl Search<'_> {
    fn gap(&self, edge: usize, vertices: &[Vertex]) -> Probe {
        let mut ends = self.open[edge].ends.map(|number| self.positions[number as usize]);
        // Rounding must not depend on how the vertices are numbered.
        ends.sort_unstable_by(|&a, &b| order(a, b, 0));
        let [start, end] = ends;
        let length = distance(start, end);
        let largest = ends.as_flattened().iter().fold(0.0, |most, x| x.abs().max(most));
        let tolerance = length * OF_LENGTH + f64::from(largest) * OF_COORDINATE;
        let mut probe = Probe {
            edge,
            start,
            end,
            along: difference(end, start),
            tolerance: tolerance.min(length * AT_MOST),
            comparisons: 0,
            kind: Kind::None,
            gap: None,
        };
        self.descend(&mut probe, vertices, 0, [0.0, 1.0]);
        probe
    }

    /// Compares with the vertices of this part of the tree that are near the edge's part from
    /// `range[0]` to `range[1]`.
    fn descend(&self, probe: &mut Probe, vertices: &[Vertex], axis: usize, range: [f64; 2]) {
        let (below, above) = vertices.split_at(vertices.len() / 2);
        let Some((middle, above)) = above.split_first() else { return };
        probe.comparisons += 1;
        if probe.kind == Kind::NearlyMatching || probe.comparisons > COMPARISONS {
            return;
        }
        let (at, along) = (f64::from(probe.start[axis]), probe.along[axis]);
        let split = f64::from(middle.position[axis]);
        let next = (axis + 1) % 3;
        let [below_range, above_range] = [
            clip(at, along, split + probe.tolerance, range),
            clip(-at, -along, probe.tolerance - split, range),
        ];
        if let Some(range) = below_range {
            self.descend(probe, below, next, range);
        }
        if below_range.is_some() && above_range.is_some() {
            self.compare(probe, middle);
        }
        if let Some(range) = above_range {
            self.descend(probe, above, next, range);
        }
    }

    fn compare(&self, probe: &mut Probe, vertex: &Vertex) {
        let from_start = distance(vertex.position, probe.start);
        let is_at_start = from_start <= probe.tolerance;
        if !is_at_start && !probe.is_inside(vertex.position) {
            return;
        }
        for &(_, edge) in &self.links[vertex.links.clone()] {
            if edge == probe.edge {
                continue;
            }
            probe.comparisons += 1;
            if probe.comparisons > COMPARISONS {
                return;
            }
            let [a, b] = self.open[edge].ends;
            let other = self.positions[if a == vertex.number { b } else { a } as usize];
            let (kind, point, width) = if is_at_start {
                let from_end = distance(other, probe.end);
                if from_end > probe.tolerance {
                    continue;
                }
                // Where the two match less.
                let point = if from_end > from_start { other } else { vertex.position };
                (Kind::NearlyMatching, point, from_start.max(from_end))
            } else {
                let beside = probe.distance(other);
                let short = distance(other, vertex.position) * AT_MOST;
                if beside > probe.tolerance.min(short) {
                    continue;
                }
                let is_exact = probe.is_on_line(vertex.position) && probe.is_on_line(other);
                let kind = if is_exact { Kind::ExactTJunction } else { Kind::TJunction };
                (kind, vertex.position, probe.distance(vertex.position).max(beside))
            };
            if kind > probe.kind {
                let meshes = [probe.edge, edge].map(|edge| self.open[edge].mesh as usize);
                probe.kind = kind;
                probe.gap = (kind > Kind::ExactTJunction).then_some(Gap {
                    meshes,
                    point: point.into(),
                    width: width as f32,
                });
            }
        }
    }
}

impl Probe {
    /// The distance of a point from the edge's line.
    fn distance(&self, point: [f32; 3]) -> f64 {
        length(cross(difference(point, self.start), self.along)) / length(self.along)
    }

    /// Whether a point is beside the edge within the tolerance, and not at its ends.
    fn is_inside(&self, point: [f32; 3]) -> bool {
        let place = dot(difference(point, self.start), self.along);
        place > 0.0
            && place < dot(self.along, self.along)
            && self.distance(point) <= self.tolerance
            && distance(point, self.end) > self.tolerance
    }

    fn is_on_line(&self, point: [f32; 3]) -> bool {
        Triangle::new(self.start, self.end, point).is_degenerate()
    }
}

fn length(vector: [f64; 3]) -> f64 {
    dot(vector, vector).sqrt()
}

fn distance(a: [f32; 3], b: [f32; 3]) -> f64 {
    length(difference(a, b))
}

/// The part of `range` in which `at + t * along` is at most `limit`.
fn clip(at: f64, along: f64, limit: f64, [first, last]: [f64; 2]) -> Option<[f64; 2]> {
    let t = (limit - at) / along;
    let [first, last] = match along {
        _ if along > 0.0 => [first, last.min(t)],
        _ if along < 0.0 => [first.max(t), last],
        _ if at <= limit => [first, last],
        _ => return None,
    };
    (first <= last).then_some([first, last])
}
