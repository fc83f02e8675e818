use glam::{Affine3A, Quat, Vec3};
use proptest::prelude::*;

use super::{EdgeCounts, Gap, Topology};
use crate::mesh::{Indices, Mesh, MeshView, Positions};

/// The corners of a cube by their bits: x, y, z.
fn cube_corners() -> Vec<[f32; 3]> {
    (0..8).map(|i| [i & 1, i >> 1 & 1, i >> 2].map(|bit| bit as f32)).collect()
}

const CUBE: [u32; 36] = [
    0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3,
    7, 1, 7, 5,
];

fn cube() -> Mesh {
    Mesh::new(cube_corners(), CUBE.to_vec())
}

/// A square from (x, y) to (x + 1, y + 1) at z = 0, with the front up.
fn square([x, y]: [f32; 2]) -> Mesh {
    let corners = vec![[x, y, 0.0], [x + 1.0, y, 0.0], [x + 1.0, y + 1.0, 0.0], [x, y + 1.0, 0.0]];
    Mesh::new(corners, vec![0, 1, 2, 0, 2, 3])
}

fn soup(mesh: &Mesh) -> Mesh {
    let indices = mesh.indices.iter().flatten();
    let positions = indices.map(|&index| mesh.positions[index as usize]).collect();
    Mesh { positions, indices: None, ..mesh.clone() }
}

/// Triangles, and open, inconsistent, non-manifold, nearly matching edges, and those with
/// T-junctions and exact ones.
fn counts(topology: &Topology) -> [usize; 7] {
    let EdgeCounts { triangles, open, inconsistent, non_manifold, .. } = topology.edges;
    let &Topology { nearly_matching, t_junctions, exact_t_junctions, .. } = topology;
    [triangles, open, inconsistent, non_manifold, nearly_matching, t_junctions, exact_t_junctions]
}

fn closed(topology: &Topology) -> Vec<bool> {
    topology.meshes.iter().map(EdgeCounts::is_closed).collect()
}

/// A floor of 1 by 2 in two triangles, and two squares beside it whose common corner is at `y`.
fn t_junction(x: f32, y: f32) -> Vec<Mesh> {
    let corners = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 2.0, 0.0], [0.0, 2.0, 0.0]];
    let halves = [
        [1.0, 0.0, 0.0],
        [2.0, 0.0, 0.0],
        [2.0, y, 0.0],
        [x, y, 0.0],
        [2.0, 2.0, 0.0],
        [1.0, 2.0, 0.0],
    ];
    let indices = vec![0, 1, 2, 0, 2, 3, 3, 2, 4, 3, 4, 5];
    vec![Mesh::new(corners, vec![0, 1, 2, 0, 2, 3]), Mesh::new(halves.to_vec(), indices)]
}

#[test]
fn edges_are_counted_by_how_they_fit() {
    let mut flipped = cube();
    flipped.indices.as_mut().expect("indexed").swap(0, 1);
    let opened = Mesh::new(cube_corners(), CUBE[6..].to_vec());
    let mut twice = cube();
    twice.indices.as_mut().expect("indexed").extend_from_slice(&CUBE[..3]);
    let moved = |mesh: Mesh, [x, y, z]: [f32; 3]| {
        mesh.with_transform(Affine3A::from_translation(Vec3::new(x, y, z)))
    };
    let mirrored = cube().with_transform(Affine3A::from_scale(Vec3::new(-1.0, 1.0, 1.0)));
    // Both cubes in one mesh, which touch at an edge: four triangles, two in each direction.
    let mut joined = cube_corners();
    joined.extend(cube_corners().iter().map(|&[x, y, z]| [x + 1.0, y + 1.0, z]));
    let joined = Mesh::new(joined, CUBE.into_iter().chain(CUBE.map(|i| i + 8)).collect());
    let one_up = 1.0_f32.next_up();

    #[rustfmt::skip]
    let cases = [
        ("nothing", vec![], [0; 7], vec![]),
        ("an empty mesh", vec![Mesh::default()], [0; 7], vec![false]),
        ("a cube", vec![cube()], [12, 0, 0, 0, 0, 0, 0], vec![true]),
        ("a cube without a side", vec![opened], [10, 4, 0, 0, 0, 0, 0], vec![false]),
        ("a cube with a turned triangle", vec![flipped], [12, 0, 3, 0, 0, 0, 0], vec![false]),
        ("a cube with a triangle twice", vec![twice], [13, 0, 0, 3, 0, 0, 0], vec![false]),
        ("a mirrored cube", vec![mirrored.clone()], [12, 0, 0, 0, 0, 0, 0], vec![true]),
        // The diagonals of the sides that touch cross each other.
        ("a cube that touches its mirror image",
            vec![cube(), mirrored], [24, 0, 0, 5, 0, 0, 0], vec![true; 2]),
        ("two cubes that share an edge", vec![joined], [24, 0, 0, 1, 0, 0, 0], vec![true]),
        ("two cubes that share a side",
            vec![cube(), moved(cube(), [1.0, 0.0, 0.0])], [24, 0, 0, 5, 0, 0, 0], vec![true; 2]),
        ("a square", vec![square([0.0, 0.0])], [2, 4, 0, 0, 0, 0, 0], vec![false]),
        ("two squares that meet",
            vec![square([0.0, 0.0]), square([1.0, 0.0])], [4, 6, 0, 0, 0, 0, 0], vec![false; 2]),
        ("two squares that miss by a unit in the last place",
            vec![square([0.0, 0.0]), square([one_up, 0.0])], [4, 8, 0, 0, 2, 0, 0],
            vec![false; 2]),
        ("two squares with a visible slit",
            vec![square([0.0, 0.0]), square([1.001, 0.0])], [4, 8, 0, 0, 0, 0, 0],
            vec![false; 2]),
        ("a long edge and two halves on it",
            t_junction(1.0, 1.0), [6, 10, 0, 0, 0, 0, 1], vec![false; 2]),
        ("a long edge and two halves beside it",
            t_junction(one_up, 1.0), [6, 10, 0, 0, 0, 1, 0], vec![false; 2]),
        ("a long edge and two halves with a visible slit",
            t_junction(1.001, 1.0), [6, 10, 0, 0, 0, 0, 0], vec![false; 2]),
    ];
    for (what, meshes, expected, expected_closed) in cases {
        let topology = Topology::of(&meshes);
        assert_eq!(counts(&topology), expected, "{what}: {topology:?}");
        assert_eq!(closed(&topology), expected_closed, "{what}");
        assert_eq!(topology.example.is_some(), topology.gaps() > 0, "{what}");

        let soups: Vec<_> = meshes.iter().map(soup).collect();
        assert_eq!(Topology::of(&soups), topology, "{what}, without indices");
        let short: Vec<Vec<u16>> = meshes
            .iter()
            .map(|mesh| mesh.indices.iter().flatten().map(|&i| i as u16).collect())
            .collect();
        let views: Vec<_> = meshes
            .iter()
            .zip(&short)
            .map(|(mesh, short)| {
                let positions = Positions::Arrays(&mesh.positions);
                MeshView::new(positions, Indices::U16(short)).with_transform(mesh.transform)
            })
            .collect();
        assert_eq!(Topology::of_views(&views), topology, "{what}, with short indices");
    }
}

#[test]
fn the_example_names_a_place_in_both_meshes() {
    let one_up = 1.0_f32.next_up();
    let meshes = [cube(), square([0.0, 5.0]), square([one_up, 5.0])];
    let Gap { meshes, point, width } = Topology::of(&meshes).example.expect("a gap");
    assert_eq!(meshes, [1, 2]);
    assert!(point.x == 1.0 || point.x == one_up, "{point}");
    assert_eq!(width, f32::EPSILON);

    let found = Topology::of(&t_junction(one_up, 1.0)).example.expect("a gap");
    assert_eq!((found.meshes, found.point), ([0, 1], Vec3::new(one_up, 1.0, 0.0)));
    assert_eq!(found.width, f32::EPSILON);
}

/// A floor of turned tiles: what one transform makes of a corner another makes of the next one's.
#[test]
fn turned_tiles_nearly_match_and_upright_ones_match() {
    let place = |turn: f32, origin: f32| -> Vec<Mesh> {
        let rotation = Quat::from_rotation_z(turn);
        let tile = |x: i32, y: i32| {
            let corner = rotation * Vec3::new(x as f32, y as f32, 0.0) + Vec3::splat(origin);
            square([0.0, 0.0]).with_transform(Affine3A::from_rotation_translation(rotation, corner))
        };
        (0..100).map(|i| tile(i % 10, i / 10)).collect()
    };
    let upright = Topology::of(&place(0.0, 0.0));
    assert_eq!(counts(&upright), [200, 40, 0, 0, 0, 0, 0]);
    for (turn, origin) in [(0.3, 0.0), (0.3, 1000.0), (1.1, -50_000.0), (0.01, 3.0)] {
        let turned = Topology::of(&place(turn, origin));
        // Of 180 seams each is shared, or nearly matching from both sides.
        let shared = 180 - turned.nearly_matching / 2;
        assert_eq!(turned.edges.open, 40 + turned.nearly_matching, "{turn} {origin}");
        assert!((10..170).contains(&shared), "{turn} {origin}: {shared} of 180 are shared");
    }
}

/// Gaps are told from shapes at any scale and far from the origin.
#[test]
fn the_tolerance_has_no_unit() {
    for exponent in [-120, -60, -20, 0, 20, 60, 120] {
        let scale = 2.0_f32.powi(exponent);
        let scaled = |mut meshes: Vec<Mesh>| {
            for position in meshes.iter_mut().flat_map(|mesh| &mut mesh.positions) {
                *position = position.map(|x| x * scale);
            }
            counts(&Topology::of(&meshes))
        };
        let miss = 1.0_f32.next_up();
        let tiles = vec![square([0.0, 0.0]), square([miss, 0.0])];
        assert_eq!(scaled(tiles), [4, 8, 0, 0, 2, 0, 0], "2^{exponent}");
        assert_eq!(scaled(t_junction(miss, 1.0)), [6, 10, 0, 0, 0, 1, 0], "2^{exponent}");
        assert_eq!(scaled(vec![cube()]), [12, 0, 0, 0, 0, 0, 0], "2^{exponent}");
        let slit = vec![square([0.0, 0.0]), square([1.25, 0.0])];
        assert_eq!(scaled(slit), [4, 8, 0, 0, 0, 0, 0], "2^{exponent}");
    }
}

/// A corner that only touches the edge of another surface is no seam.
#[test]
fn only_edges_that_run_along_another_make_a_t_junction() {
    let needle = Mesh::from_soup(vec![[0.5, 1e-6, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0]]);
    let topology = Topology::of(&[square([0.0, 0.0]), needle]);
    assert_eq!(counts(&topology), [3, 7, 0, 0, 0, 0, 0]);
}

#[test]
fn negative_zeros_match_zeros() {
    let mut other = square([-1.0, 0.0]);
    for x in other.positions.as_flattened_mut().iter_mut().filter(|x| **x == 0.0) {
        *x = -0.0;
    }
    let topology = Topology::of(&[square([0.0, 0.0]), other]);
    assert_eq!(counts(&topology), [4, 6, 0, 0, 0, 0, 0]);
}

#[test]
fn triangles_that_a_bake_skips_are_left_out() {
    let mut mesh = cube();
    let (nan, huge) = (mesh.positions.len() as u32, mesh.positions.len() as u32 + 1);
    mesh.positions.extend([[f32::NAN, 0.0, 0.0], [f32::INFINITY; 3]]);
    let bad = [[0, 1, nan], [huge, 0, 1], [0, 0, 1], [0, 1, 99], [u32::MAX, 0, 1]];
    mesh.indices.as_mut().expect("indexed").extend(bad.as_flattened());
    mesh.indices.as_mut().expect("indexed").push(7);
    assert_eq!(counts(&Topology::of(&[mesh])), [12, 0, 0, 0, 0, 0, 0]);

    // The largest numbers, which a sum or a square may overflow.
    let max = f32::MAX;
    let wide = [[-max, -max, 0.0], [max, -max, 0.0], [max, max, 0.0], [-max, max, 0.0]];
    let wide = Mesh::new(wide.to_vec(), vec![0, 1, 2, 0, 2, 3]);
    assert_eq!(counts(&Topology::of(&[wide])), [2, 4, 0, 0, 0, 0, 0]);
    let far = square([0.0, 0.0]).with_transform(Affine3A::from_scale(Vec3::splat(f32::INFINITY)));
    assert_eq!(counts(&Topology::of(&[far])), [0; 7]);
}

/// Many edges along one another, and many at one vertex: the search gives up, and soon.
#[test]
fn crowded_edges_are_searched_in_bounded_time() {
    let n = 20_000;
    let tip = |i: usize| [1.0, i as f32 * 1e-4, 1.0];
    let fan = (0..n).flat_map(|i| [[0.0; 3], tip(3 * i), tip(3 * i + 1)]).collect();
    let step = |i: usize| i as f32 / n as f32;
    let along = (0..n).flat_map(|i| [[step(i); 3], [2.0 + step(i); 3], [0.0, 9.0, step(i)]]);
    for positions in [fan, along.collect()] {
        let topology = Topology::of(&[Mesh::from_soup(positions)]);
        assert_eq!(topology.edges.triangles, n);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Triangles between few places, some of them a little off: all kinds of edges.
    #[test]
    fn the_order_of_triangles_meshes_and_vertices_changes_no_count(
        faces in prop::collection::vec(
            (prop::array::uniform3((0..9_u32, 0..3_u32)), 0..3_usize),
            1..60,
        ),
        order in prop::collection::vec((any::<u32>(), 0..3_usize), 60),
    ) {
        let place = |(place, off): (u32, u32)| {
            let [x, y] = [place % 3, place / 3].map(|i| i as f32 + 1.0);
            let up = f32::from_bits(x.to_bits() + off * 2);
            [up, y * 0.7, x * y * 0.3]
        };
        let mut meshes = vec![Vec::new(); 3];
        for &(corners, mesh) in &faces {
            meshes[mesh].push(corners.map(place));
        }
        let of = |meshes: &[Vec<[[f32; 3]; 3]>]| {
            let soups = meshes.iter().map(|mesh| Mesh::from_soup(mesh.as_flattened().to_vec()));
            Topology::of(&soups.collect::<Vec<_>>())
        };
        let before = of(&meshes);
        let mut keys = order.iter().cycle();
        for mesh in &mut meshes {
            let mut keyed: Vec<_> = mesh.iter().zip(&mut keys).collect();
            keyed.sort_by_key(|(_, (key, _))| *key);
            *mesh = keyed.into_iter().map(|(&corners, &(_, turn))| {
                let mut corners = corners;
                corners.rotate_left(turn);
                corners
            }).collect();
        }
        meshes.rotate_left(order[0].1);
        let mut after = of(&meshes);
        after.meshes.rotate_right(order[0].1);
        prop_assert_eq!(counts(&after), counts(&before));
        prop_assert_eq!(after.meshes, before.meshes);
    }
}
