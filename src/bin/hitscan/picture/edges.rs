//! The mode that draws edges by their kinds.

use std::collections::{BTreeMap, HashMap};

use hitscan::geometry::{Feature, FeaturePoints};
use hitscan::query::{EdgeKind, Edges};
use hitscan::{Hit, InstanceId, Ray};
use rayon::prelude::*;

use super::colour::{Rgb, lit};
use super::legend::{Entry, Key, Legend};
use super::surface::{Picture, light};
use super::traced::Traced;
use super::vector::Vector;
use crate::level::{Level, Placed};

/// The colour and the name of each kind. The border of a mesh is drawn as flat: other modes show
/// meshes.
const KINDS: [(EdgeKind, Rgb, &str); 6] = [
    (EdgeKind::Flat, [150; 3], "no edge, or flat"),
    (EdgeKind::Convex, [30, 120, 220], "convex"),
    (EdgeKind::Concave, [20, 150, 60], "concave"),
    (EdgeKind::Open, [230, 40, 40], "open"),
    (EdgeKind::Inconsistent, [240, 140, 0], "inconsistent winding"),
    (EdgeKind::NotManifold, [200, 0, 200], "not manifold"),
];

/// The cosine of one degree: what bends less is flat.
const FLAT: f32 = 0.999_848;
/// How far from its edge a pixel is drawn, in pixels.
const REACH: f64 = 1.0;

/// The kind as which an edge is drawn.
fn drawn(kind: EdgeKind) -> EdgeKind {
    if kind == EdgeKind::Border { EdgeKind::Flat } else { kind }
}

fn colour(kind: EdgeKind) -> Rgb {
    KINDS.iter().find(|entry| entry.0 == kind).unwrap_or(&KINDS[0]).1
}

/// The kinds of the edges of all trees of a level.
struct LevelEdges {
    /// By the number of the tree. Instances may share one.
    trees: BTreeMap<u32, Edges>,
    tree_of: HashMap<InstanceId, u32>,
}

impl LevelEdges {
    fn new(level: Level<'_>) -> Self {
        let (mut trees, mut tree_of) = (BTreeMap::new(), HashMap::new());
        for Placed { instance, tree, bvh, .. } in level.trees() {
            trees.entry(tree).or_insert_with(|| bvh.edges(FLAT));
            tree_of.insert(instance, tree);
        }
        Self { trees, tree_of }
    }

    fn of(&self, hit: &Hit) -> Option<&Edges> {
        self.trees.get(self.tree_of.get(&hit.instance)?)
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
        None | Some(EdgeKind::Flat) => lit(colour(EdgeKind::Flat), light(traced, hit)),
        Some(kind) => colour(kind),
    });
    let entries = KINDS.map(|(kind, colour, name)| Entry {
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
    let edges = edges.of(hit)?;
    let weights = |x: f64, y: f64| {
        let (bvh, ray) = traced.level.local(hit, &traced.camera.ray(x, y))?;
        // In the order in which edges are numbered.
        match bvh.feature_points(hit, Feature::Face)? {
            FeaturePoints::Face(corners) => Some(edge_weights(corners.map(Vector::from), &ray)),
            _ => None,
        }
    };
    let (here, right, below) = (weights(x, y)?, weights(x + STEP, y)?, weights(x, y + STEP)?);
    let near = (0..3).filter(|&k| {
        let (dx, dy) = ((right[k] - here[k]) / STEP, (below[k] - here[k]) / STEP);
        here[k] < REACH * (dx * dx + dy * dy).sqrt()
    });
    let kinds = near.filter_map(|k| Some(edges.get(hit.mesh, hit.triangle, k as u8)?.kind));
    kinds.map(drawn).max()
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

    use super::*;

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
