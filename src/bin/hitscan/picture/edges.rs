//! The kinds of edges, and the mode that draws them.

use std::collections::{BTreeMap, HashMap};

use hitscan::{Bvh, Hit, InstanceId, Ray};
use rayon::prelude::*;

use super::colour::{Rgb, lit};
use super::legend::{Entry, Key, Legend};
use super::surface::{Picture, light};
use super::traced::Traced;
use super::vector::Vector;
use crate::level::edge_uses::{EdgeUse, edge_uses};
use crate::level::{Level, Placed};

/// How triangles meet at an edge, the most remarkable last. Edges are the same if their ends have
/// the same coordinates, as in [`Topology`](hitscan::mesh::Topology).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EdgeKind {
    /// Two triangles go on in nearly the same plane.
    Flat,
    /// The surface bends away from its front.
    Convex,
    /// The surface bends towards its front.
    Concave,
    /// There is one triangle only.
    Open,
    /// Two triangles use it in the same direction: one of them is turned over.
    Inconsistent,
    /// There are more than two.
    NotManifold,
}

impl EdgeKind {
    const ALL: [(Self, Rgb, &'static str); 6] = [
        (Self::Flat, [150; 3], "no edge, or flat"),
        (Self::Convex, [30, 120, 220], "convex"),
        (Self::Concave, [20, 150, 60], "concave"),
        (Self::Open, [230, 40, 40], "open"),
        (Self::Inconsistent, [240, 140, 0], "inconsistent winding"),
        (Self::NotManifold, [200, 0, 200], "not manifold"),
    ];

    fn colour(self) -> Rgb {
        Self::ALL[self as usize].1
    }
}

/// The cosine of one degree: what bends less is flat.
const FLAT: f64 = 0.999_848;
/// How far from its edge a pixel is drawn, in pixels.
const REACH: f64 = 1.0;

/// The kinds of the edges of a tree's triangles.
struct TreeEdges {
    /// The place of each mesh's first triangle in `kinds`.
    first: Vec<usize>,
    /// Of the edges that start at each vertex of each triangle.
    kinds: Vec<[EdgeKind; 3]>,
}

impl TreeEdges {
    /// Takes time and memory in proportion to the triangles.
    fn new(bvh: &Bvh) -> Self {
        let mut count = 0;
        let mut first = Vec::new();
        for mesh in 0..bvh.mesh_count() {
            first.push(count);
            count += bvh.mesh(mesh).map_or(0, |info| info.triangles as usize);
        }
        let triangles = bvh.triangles();
        let uses =
            edge_uses(triangles.map(|found| {
                (first[found.mesh as usize] + found.triangle as usize, found.vertices)
            }));
        let mut kinds = vec![[EdgeKind::Flat; 3]; count];
        for edge in uses.chunk_by(|one, other| one.ends == other.ends) {
            let kind = kind_of(bvh, &first, edge);
            edge.iter().for_each(|one| kinds.as_flattened_mut()[one.place as usize] = kind);
        }
        Self { first, kinds }
    }

    fn of(&self, hit: &Hit) -> Option<&[EdgeKind; 3]> {
        self.kinds.get(self.first.get(hit.mesh as usize)? + hit.triangle as usize)
    }
}

fn kind_of(bvh: &Bvh, first: &[usize], edge: &[EdgeUse]) -> EdgeKind {
    match edge {
        [_] => EdgeKind::Open,
        [one, other] if one.is_forward == other.is_forward => EdgeKind::Inconsistent,
        [one, other] => {
            let corners = |one: &EdgeUse| corners_of(bvh, first, one.place as usize);
            let bend = corners(one).zip(corners(other));
            bend.map_or(EdgeKind::Flat, |(one, other)| bend_of(one, other))
        }
        _ => EdgeKind::NotManifold,
    }
}

/// The ends of an edge, and the corner of the triangle across from it.
fn corners_of(bvh: &Bvh, first: &[usize], place: usize) -> Option<[Vector; 3]> {
    let (triangle, edge) = (place / 3, place % 3);
    let mesh = first.partition_point(|&first| first <= triangle) - 1;
    let triangle = bvh.mesh_triangle(mesh as u32, (triangle - first[mesh]) as u32)?;
    let corners = [triangle.v0, triangle.v1, triangle.v2].map(Vector::from);
    Some([0, 1, 2].map(|k| corners[(edge + k) % 3]))
}

fn bend_of([a, b, c]: [Vector; 3], [d, e, f]: [Vector; 3]) -> EdgeKind {
    let [one, other] = [(b - a).cross(c - a), (e - d).cross(f - d)].map(Vector::normalized);
    if one.dot(other) > FLAT {
        EdgeKind::Flat
    } else if one.dot(f - a) < 0.0 {
        EdgeKind::Convex
    } else {
        EdgeKind::Concave
    }
}

/// The kinds of the edges of all trees of a level.
struct LevelEdges {
    /// By the number of the tree. Instances may share one.
    trees: BTreeMap<u32, TreeEdges>,
    tree_of: HashMap<InstanceId, u32>,
}

impl LevelEdges {
    fn new(level: Level<'_>) -> Self {
        let (mut trees, mut tree_of) = (BTreeMap::new(), HashMap::new());
        for Placed { instance, tree, bvh, .. } in level.trees() {
            trees.entry(tree).or_insert_with(|| TreeEdges::new(bvh));
            tree_of.insert(instance, tree);
        }
        Self { trees, tree_of }
    }

    fn of(&self, hit: &Hit) -> Option<&[EdgeKind; 3]> {
        self.trees.get(self.tree_of.get(&hit.instance)?)?.of(hit)
    }
}

/// Edges as lines of two pixels: on each triangle up to a pixel from the edge.
pub(crate) fn edges(traced: &Traced<'_>) -> Picture {
    let edges = LevelEdges::new(traced.level);
    let kinds: Vec<Option<EdgeKind>> = traced
        .hits
        .par_iter()
        .enumerate()
        .map(|(pixel, hit)| Some(shown(traced, &edges, pixel, &(*hit)?).unwrap_or(EdgeKind::Flat)))
        .collect();
    let image = traced.paint(|pixel, hit| match kinds[pixel] {
        None | Some(EdgeKind::Flat) => lit(EdgeKind::Flat.colour(), light(traced, hit)),
        Some(kind) => kind.colour(),
    });
    let entries = EdgeKind::ALL.map(|(kind, colour, name)| Entry {
        colour,
        name: name.to_owned(),
        count: kinds.iter().filter(|&&shown| shown == Some(kind)).count(),
    });
    let key = Key { title: "edges", entries: entries.into() };
    Picture { image, legend: Some(Legend::Key(key)) }
}

/// The most remarkable edge of the triangle that a pixel shows, of those that are near.
fn shown(traced: &Traced<'_>, edges: &LevelEdges, pixel: usize, hit: &Hit) -> Option<EdgeKind> {
    /// The step, in pixels, with which the distances to edges are differentiated.
    const STEP: f64 = 0.5;
    let width = traced.camera.size().width as usize;
    let (x, y) = ((pixel % width) as f64 + 0.5, (pixel / width) as f64 + 0.5);
    let kinds = edges.of(hit)?;
    let weights = |x: f64, y: f64| {
        let (bvh, ray) = traced.level.local(hit, &traced.camera.ray(x, y))?;
        let triangle = bvh.triangle(hit)?;
        Some(edge_weights([triangle.v0, triangle.v1, triangle.v2].map(Vector::from), &ray))
    };
    let (here, right, below) = (weights(x, y)?, weights(x + STEP, y)?, weights(x, y + STEP)?);
    let near = (0..3).filter(|&k| {
        let (dx, dy) = ((right[k] - here[k]) / STEP, (below[k] - here[k]) / STEP);
        here[k] < REACH * (dx * dx + dy * dy).sqrt()
    });
    near.map(|k| kinds[k]).max()
}

/// How far the point where a ray meets a triangle's plane is from the edge that starts at each
/// corner: 0 on the edge, 1 at the corner across from it.
fn edge_weights(corners: [Vector; 3], ray: &Ray) -> [f64; 3] {
    let [a, b, c] = corners;
    let (origin, dir) = (Vector::from(ray.origin), Vector::from(ray.dir));
    let normal = (b - a).cross(c - a);
    let point = origin + dir * ((a - origin).dot(normal) / dir.dot(normal));
    [0, 1, 2].map(|k| {
        let (from, to) = (corners[k], corners[(k + 1) % 3]);
        (to - from).cross(point - from).dot(normal) / normal.dot(normal)
    })
}

#[cfg(test)]
mod tests {
    use hitscan::glam::Vec3;
    use hitscan::{Builder, Mesh};

    use super::*;

    /// The kinds of the edges of a soup's triangles.
    fn kinds(soup: &[[f32; 3]]) -> Vec<[EdgeKind; 3]> {
        let (bvh, _) = Builder::new().bake(&[Mesh::from_soup(soup.to_vec())]).unwrap();
        TreeEdges::new(&bvh).kinds
    }

    #[test]
    fn an_edge_is_of_the_kind_that_its_triangles_make() {
        use EdgeKind::*;
        let [a, b] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
        // Its front is +y. Beyond the edge the surface goes on, down, or up.
        let floor = [a, b, [0.0, 0.0, -1.0]];
        let with = |p: [f32; 3]| kinds(&[floor, [b, a, p]].concat());
        assert_eq!(with([0.0, 0.0, 1.0]), [[Flat, Open, Open]; 2]);
        assert_eq!(with([0.0, -1.0, 0.2]), [[Convex, Open, Open]; 2]);
        assert_eq!(with([0.0, 1.0, 0.2]), [[Concave, Open, Open]; 2]);
        assert_eq!(with([0.0, 0.01, 1.0]), [[Flat, Open, Open]; 2]);
        assert_eq!(with([0.0, 0.1, 1.0]), [[Concave, Open, Open]; 2]);
        let turned = [floor, [a, b, [0.0, 0.0, 1.0]]].concat();
        assert_eq!(kinds(&turned), [[Inconsistent, Open, Open]; 2]);
        let three = [floor, [b, a, [0.0, 1.0, 1.0]], [a, b, [0.0, -1.0, 1.0]]].concat();
        assert!(kinds(&three).iter().filter(|kinds| kinds.contains(&NotManifold)).count() == 3);
        // Minus zero is zero.
        let signs = [floor, [b, [-0.0; 3], [0.0, 0.0, 1.0]]].concat();
        assert_eq!(kinds(&signs), [[Flat, Open, Open]; 2]);
    }

    #[test]
    fn weights_are_distances_from_edges() {
        let corners = [[0.0, 0.0, 2.0], [4.0, 0.0, 2.0], [0.0, 4.0, 2.0]];
        let corners = corners.map(|corner| Vector::from(Vec3::from_array(corner)));
        let weights = |x: f32, y: f32| edge_weights(corners, &Ray::new([x, y, 0.0], Vec3::Z));
        assert_eq!(weights(1.0, 2.0), [0.5, 0.25, 0.25]);
        assert_eq!(weights(0.0, 0.0), [0.0, 1.0, 0.0]);
        assert_eq!(weights(4.0, 4.0), [1.0, -1.0, 1.0]);
    }
}
