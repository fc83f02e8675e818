use glam::{Affine3A, Vec3};

use super::EdgeKind::*;
use super::{EdgeKind, Edges};
use crate::bake::Builder;
use crate::bvh::Bvh;
use crate::geometry::{Feature, FeaturePoints};
use crate::mesh::Mesh;
use crate::test_rng::bits;
use crate::traverse::Query;

/// The cosine of one degree.
const FLAT: f32 = 0.999_848;

fn bake(soup: &[[f32; 3]]) -> Bvh {
    Builder::new().bake(&[Mesh::from_soup(soup.to_vec())]).unwrap().0
}

/// The kinds of the edges of each triangle of the first mesh.
fn kinds_of(edges: &Edges) -> Vec<[EdgeKind; 3]> {
    let kinds = |triangle| [0, 1, 2].map(|number| Some(edges.get(0, triangle, number)?.kind));
    (0..)
        .map_while(|triangle| kinds(triangle)[0].map(|_| kinds(triangle).map(Option::unwrap)))
        .collect()
}

fn kinds(soup: &[[f32; 3]]) -> Vec<[EdgeKind; 3]> {
    kinds_of(&bake(soup).edges(FLAT))
}

#[test]
fn an_edge_is_of_the_kind_that_its_triangles_make() {
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
fn the_angle_is_compared_with_the_cosine() {
    let [a, b] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
    // The normals are (0, 1, 0) and (0, 3, 4) / 5, exactly.
    let bent = bake(&[a, b, [0.0, 0.0, -1.0], b, a, [0.0, -4.0, 3.0]]);
    let at_edge = |flat: f32| bent.edges(flat).get(0, 0, 0).unwrap().kind;
    assert_eq!(at_edge(0.59), Flat);
    assert_eq!([at_edge(0.61), at_edge(1.0), at_edge(f32::NAN)], [Convex; 3]);
    assert_eq!(at_edge(-1.0), Flat);
    for scale in [1e-30, 1e30] {
        let soup: Vec<_> = bent.triangles().flat_map(|t| t.vertices.to_arrays()).collect();
        let scaled: Vec<_> = soup.iter().map(|p| p.map(|x| x * scale)).collect();
        assert_eq!(bake(&scaled).edges(0.61).get(0, 0, 0).unwrap().kind, Convex);
        assert_eq!(bake(&scaled).edges(0.59).get(0, 0, 0).unwrap().kind, Flat);
    }
}

#[test]
fn meshes_that_go_on_in_each_other_have_a_border() {
    let [a, b] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
    let meshes = [vec![a, b, [0.0, 0.0, -1.0]], vec![b, a, [0.0, 0.0, 1.0]]].map(Mesh::from_soup);
    let (bvh, _) = Builder::new().bake(&meshes).unwrap();
    let edges = bvh.edges(FLAT);
    assert_eq!(edges.get(1, 0, 0).map(|edge| (edge.kind, edge.mesh)), Some((Border, 0)));
    assert_eq!(edges.get(0, 0, 0), edges.get(1, 0, 0));
    assert_eq!((edges.all().len(), edges.hard().count()), (5, 5));
    for none in [edges.get(2, 0, 0), edges.get(0, 1, 0), edges.get(0, 0, 3)] {
        assert_eq!(none, None);
    }
}

/// A grid of quads, the right half bent down: its middle line and its rim are hard.
fn folded(mirrored: bool) -> Bvh {
    const SIDE: usize = 8;
    let height = |i: usize| -((i as f32 - 4.0).max(0.0));
    let point = |i: usize, j: usize| [i as f32, height(i), j as f32];
    let mut soup = Vec::new();
    for i in 0..SIDE {
        for j in 0..SIDE {
            let [a, b, c, d] = [point(i, j), point(i, j + 1), point(i + 1, j + 1), point(i + 1, j)];
            soup.extend([a, b, c, a, c, d]);
        }
    }
    let x = if mirrored { -1.0 } else { 1.0 };
    let mesh = Mesh::from_soup(soup).with_transform(Affine3A::from_scale(Vec3::new(x, 1.0, 1.0)));
    Builder::new().bake(&[mesh]).unwrap().0
}

#[test]
fn diagonals_of_quads_are_flat_and_folds_are_hard() {
    for mirrored in [false, true] {
        let bvh = folded(mirrored);
        let edges = bvh.edges(FLAT);
        assert_eq!(edges.hard().count(), 8 + 4 * 8);
        assert_eq!(edges.all().len(), 8 * 8 + 2 * 8 * 9);
        let convex: Vec<_> = edges.hard().filter(|edge| edge.kind == Convex).collect();
        assert!(convex.iter().all(|edge| edge.ends.iter().all(|end| end.x.abs() == 4.0)));
        assert_eq!(convex.len(), 8);
        // Numbers are the caller's, for mirrored meshes too.
        for edge in edges.all() {
            let again = edges.get(edge.mesh, edge.triangle, edge.number).unwrap();
            assert_eq!(again, edge);
        }
        let mut state = 5;
        for _ in 0..300 {
            let point = [0; 3].map(|_| (bits(&mut state) % 1000) as f32 / 100.0 - 1.0);
            let point = Vec3::from(point) * Vec3::new(if mirrored { -1.0 } else { 1.0 }, 1.0, 1.0);
            let near = bvh.closest_point(point, f32::INFINITY, &Query::new()).unwrap();
            for feature in (0..3).flat_map(|k| [Feature::Edge(k), Feature::Vertex(k)]) {
                let on_line = |p: &Vec3| {
                    let (x, z) = (p.x.abs(), p.z);
                    [x == 4.0, x == 0.0, x == 8.0, z == 0.0, z == 8.0]
                };
                let (expected, points) = match bvh.feature_points(&near.hit, feature).unwrap() {
                    FeaturePoints::Edge(ends) => {
                        let [a, b] = ends.each_ref().map(on_line);
                        (a.iter().zip(b).any(|(&a, b)| a && b), ends.to_vec())
                    }
                    FeaturePoints::Vertex(p) => (on_line(&p).contains(&true), vec![p]),
                    FeaturePoints::Face(_) => unreachable!("it was not asked for"),
                };
                assert_eq!(edges.is_hard(&near.hit, feature), expected, "{feature:?} {points:?}");
            }
            for none in [Feature::Face, Feature::Edge(3), Feature::Vertex(255)] {
                assert!(!edges.is_hard(&near.hit, none));
            }
        }
    }
}

#[test]
fn triangles_that_have_lost_their_area_are_missing() {
    let [a, b] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
    let mut mesh = Mesh::from_soup(vec![a, b, [0.0, 0.0, -1.0], b, a, [0.0, 0.0, 1.0]]);
    let (mut bvh, _) = Builder::new().bake(&[mesh.clone()]).unwrap();
    mesh.positions[5] = a;
    bvh.refit(&[mesh.view()]).unwrap();
    let edges = bvh.edges(FLAT);
    assert_eq!(kinds_of(&edges), [[Open; 3]]);
    assert_eq!(edges.get(0, 1, 0), None);
    let (empty, _) = Builder::new().bake(&[] as &[Mesh]).unwrap();
    assert!(empty.edges(FLAT).all().is_empty());
}
