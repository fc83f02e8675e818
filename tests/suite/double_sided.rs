//! What is inside of surfaces that are there twice (F4): an error where nothing is, and the right
//! answer beside them.

use hitscan::glam::{Affine3A, Vec3};
use hitscan::query::PointLocation::{Inside, OnSurface, Outside};
use hitscan::{Builder, Bvh, InsideError, InsideErrorKind, Layers, Mesh, PointLocation, Quality};

type Triangles = Vec<[Vec3; 3]>;

/// The quads of a box, counter-clockwise as seen from outside.
fn quads(min: Vec3, max: Vec3) -> Vec<[Vec3; 4]> {
    let at = |i: usize| {
        let side = |k: usize| if i >> k & 1 == 1 { max[k] } else { min[k] };
        Vec3::new(side(0), side(1), side(2))
    };
    let corners =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    corners.map(|quad| quad.map(at)).to_vec()
}

fn fan(quads: &[[Vec3; 4]]) -> Triangles {
    quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect()
}

fn cube(at: f32) -> Triangles {
    fan(&quads(Vec3::splat(at), Vec3::splat(at + 2.0)))
}

fn reversed(triangles: &Triangles) -> Triangles {
    triangles.iter().map(|&[a, b, c]| [c, b, a]).collect()
}

fn both_sides(triangles: &Triangles) -> Triangles {
    [triangles.clone(), reversed(triangles)].concat()
}

fn soup(triangles: &Triangles) -> Mesh {
    Mesh::from_soup(triangles.iter().flatten().map(Vec3::to_array).collect())
}

/// Each position once.
fn indexed(triangles: &Triangles) -> Mesh {
    let mut positions: Vec<[f32; 3]> = Vec::new();
    let mut number = |corner: &Vec3| {
        let corner = corner.to_array();
        let known = positions.iter().position(|position| *position == corner);
        known.unwrap_or_else(|| {
            positions.push(corner);
            positions.len() - 1
        }) as u32
    };
    let indices = triangles.iter().flatten().map(&mut number).collect();
    Mesh::new(positions, indices)
}

fn bake(meshes: &[Mesh]) -> [Bvh; 2] {
    [Quality::Fast, Quality::Best]
        .map(|quality| Builder::new().quality(quality).bake(meshes).expect("sound").0)
}

fn location(meshes: &[Mesh], point: [f32; 3]) -> Result<PointLocation, InsideError> {
    let [one, other] = bake(meshes).map(|bvh| {
        let found = bvh.contains(point, Layers::ALL);
        let distance = bvh.signed_distance(point, f32::INFINITY, Layers::ALL);
        match (&found, distance) {
            (Ok(Inside), Ok(Some(distance))) => assert!(distance < 0.0),
            (Ok(Outside), Ok(Some(distance))) => assert!(distance > 0.0),
            (Ok(OnSurface), Ok(Some(distance))) => assert_eq!(distance, 0.0),
            (Err(error), Err(other)) => assert_eq!(error.kind(), other.kind()),
            (found, distance) => panic!("{found:?} {distance:?}"),
        }
        found
    });
    assert_eq!(one.as_ref().ok(), other.as_ref().ok());
    one
}

#[track_caller]
fn assert_double_sided(meshes: &[Mesh], mesh: u32) {
    // In the middle, on the surface and far away.
    for point in [[1.0; 3], [0.0, 1.0, 1.0], [9.0; 3]] {
        let error = location(meshes, point).expect_err("nothing is inside");
        assert_eq!((error.kind(), error.mesh()), (InsideErrorKind::DoubleSided, mesh), "{error}");
        let message = error.to_string();
        assert!(message.contains("twice, once in each direction"), "{message}");
        assert!(message.contains(&format!("mesh {mesh}")), "{message}");
    }
}

#[test]
fn a_closed_mesh_that_is_there_twice_has_no_inside() {
    let one = cube(0.0);
    let twice = both_sides(&one);
    assert_double_sided(&[indexed(&twice)], 0);
    // Through vertices of its own, and in another order of triangles and of their vertices.
    assert_double_sided(&[soup(&twice)], 0);
    let turned = |i: usize, [a, b, c]: [Vec3; 3]| [[a, b, c], [b, c, a], [c, a, b]][i % 3];
    let mut mixed: Triangles = twice.iter().enumerate().map(|(i, &t)| turned(i, t)).collect();
    mixed.rotate_left(5);
    mixed.swap(2, 20);
    assert_double_sided(&[soup(&mixed)], 0);
    assert_double_sided(&[indexed(&mixed)], 0);
    // Quads whose reversed copies are cut along the other diagonal.
    let quads = quads(Vec3::ZERO, Vec3::splat(2.0));
    assert_double_sided(&[indexed(&[fan(&quads), fan(&turned_over(&quads))].concat())], 0);
    // Three times in each direction; mirrored; with zeros of both signs.
    assert_double_sided(&[soup(&[twice.clone(), twice.clone(), twice.clone()].concat())], 0);
    let mirror = Affine3A::from_scale(Vec3::new(-1.0, 1.0, 1.0));
    assert_double_sided(&[indexed(&twice).with_transform(mirror)], 0);
    let negative = |x: f32| if x == 0.0 { -0.0 } else { x };
    let back: Triangles =
        reversed(&one).iter().map(|t| t.map(|at| at.to_array().map(negative).into())).collect();
    assert_double_sided(&[soup(&[one, back].concat())], 0);
}

#[test]
fn a_part_that_is_there_twice_has_no_inside_beside_others() {
    let (here, there) = (both_sides(&cube(0.0)), cube(5.0));
    assert_double_sided(&[indexed(&[here.clone(), there.clone()].concat())], 0);
    assert_double_sided(&[soup(&[there.clone(), here.clone()].concat())], 0);
    // They touch at a corner; and two that are there twice have a face in common.
    assert_double_sided(&[indexed(&[here.clone(), cube(2.0)].concat())], 0);
    let above = fan(&quads(Vec3::new(0.0, 2.0, 0.0), Vec3::new(2.0, 4.0, 2.0)));
    assert_double_sided(&[indexed(&[here.clone(), both_sides(&above)].concat())], 0);
    // With a card on it, seen from both sides.
    let card = vec![[Vec3::ZERO, 2.0 * Vec3::X, Vec3::new(1.0, -3.0, -1.0)]];
    let flagged = [here.clone(), both_sides(&card), there.clone()].concat();
    assert_double_sided(&[soup(&flagged)], 0);

    // Another mesh is named, and can be left out.
    let meshes = [indexed(&there).with_mask(1), indexed(&here).with_mask(2)];
    assert_double_sided(&meshes, 1);
    for bvh in bake(&meshes) {
        assert_eq!(bvh.contains([6.0; 3], Layers::of(1)).unwrap(), Inside);
        assert_eq!(bvh.contains([1.0; 3], Layers::of(1)).unwrap(), Outside);
    }
}

#[test]
fn what_meshes_are_together_can_be_there_twice() {
    let one = cube(0.0);
    // A box without a lid, and the same reversed: only both have no open edge. It is a bent card.
    let open = one[..10].to_vec();
    let meshes = [indexed(&open), soup(&reversed(&open))];
    assert_eq!(location(&meshes, [1.0; 3]).unwrap(), Outside);
    // With the lid in other meshes it is closed.
    let lid = one[10..].to_vec();
    let lids = [soup(&lid), indexed(&reversed(&lid))];
    assert_double_sided(&[meshes, lids].concat(), 0);
    // Two halves of a cube, and the same reversed.
    let halves = [one[..4].to_vec(), one[4..].to_vec()];
    let meshes = [&halves[0], &halves[1], &reversed(&halves[0]), &reversed(&halves[1])];
    assert_double_sided(&meshes.map(indexed), 0);
    // Meshes that are closed by themselves are two surfaces in one place.
    let meshes = [indexed(&one), indexed(&reversed(&one))];
    assert_eq!(location(&meshes, [1.0; 3]).unwrap(), Inside);
    assert_eq!(location(&meshes, [3.0; 3]).unwrap(), Outside);
}

/// A strip of quads, of which none is in the plane of the next.
fn ribbon(quads: i32) -> Vec<[Vec3; 4]> {
    let at = |i: i32| Vec3::new(i as f32, 2.0 + (i * i % 3) as f32, 0.0);
    let quad = |i| [at(i), at(i + 1), at(i + 1) + Vec3::Z, at(i) + Vec3::Z];
    (0..quads).map(quad).collect()
}

/// As where a quad is turned over: along the other diagonal.
fn turned_over(quads: &[[Vec3; 4]]) -> Vec<[Vec3; 4]> {
    quads.iter().map(|&[a, b, c, d]| [d, c, b, a]).collect()
}

#[test]
fn cards_alone_enclose_nothing() {
    let ribbon = ribbon(12);
    let card = vec![[Vec3::ZERO, 2.0 * Vec3::X, 2.0 * Vec3::Y + 0.5 * Vec3::Z]];
    let cards = (0..9).map(|i| card[0].map(|corner| corner + i as f32 * Vec3::Z)).collect();
    // Three that meet at an edge.
    let star = (0..3).map(|i| [Vec3::ZERO, Vec3::Z, [Vec3::X, Vec3::Y, -Vec3::ONE][i]]).collect();
    for triangles in [
        both_sides(&card),
        both_sides(&cards),
        both_sides(&star),
        both_sides(&fan(&ribbon)),
        [fan(&ribbon), fan(&turned_over(&ribbon))].concat(),
    ] {
        for mesh in [indexed(&triangles), soup(&triangles)] {
            let at = |point: [f32; 3]| location(std::slice::from_ref(&mesh), point).unwrap();
            let [a, b, c] = triangles[0];
            let near = (0.25 * a + 0.5 * b + 0.25 * c) + Vec3::new(0.01, 0.02, 0.03);
            assert_eq!([at(near.to_array()), at([0.1, -0.2, 0.3])], [Outside; 2]);
            assert_eq!(at(a.to_array()), OnSurface);
        }
    }
    // Seen from one side, they are open.
    let error = location(&[indexed(&fan(&ribbon))], [1.0; 3]).unwrap_err();
    assert_eq!(error.kind(), InsideErrorKind::Open);
}

#[test]
fn cards_beside_a_solid_change_nothing() {
    let ribbon = ribbon(4);
    let inner = vec![[Vec3::splat(0.5), Vec3::new(1.5, 0.5, 0.75), Vec3::new(0.5, 1.5, 1.0)]];
    let through: Triangles = inner.iter().map(|t| t.map(|at| at * 3.0 - 2.0)).collect();
    for cards in [
        both_sides(&fan(&ribbon)),
        [fan(&ribbon), fan(&turned_over(&ribbon))].concat(),
        both_sides(&inner),
        both_sides(&through),
        [both_sides(&inner), both_sides(&fan(&ribbon))].concat(),
    ] {
        for shell in [cube(0.0), reversed(&cube(0.0))] {
            let mesh = [cards.clone(), shell].concat();
            for mesh in [indexed(&mesh), soup(&mesh)] {
                let at = |point: [f32; 3]| location(std::slice::from_ref(&mesh), point).unwrap();
                assert_eq!(at([1.75; 3]), Inside);
                assert_eq!(at([0.125; 3]), Inside);
                assert_eq!(at([2.5; 3]), Outside);
                assert_eq!(at(cards[0][0].to_array()), OnSurface);
            }
        }
    }
}

#[test]
fn faces_within_solids_are_there_in_both_directions() {
    // Two crates with a common face, one of them lower.
    let low = fan(&quads(Vec3::new(2.0, 0.0, 0.0), Vec3::new(4.0, 2.0, 2.0)));
    let crates = [cube(0.0), low].concat();
    for mesh in [indexed(&crates), soup(&crates)] {
        let at = |point: [f32; 3]| location(std::slice::from_ref(&mesh), point).unwrap();
        assert_eq!([at([1.0; 3]), at([3.0, 1.0, 1.0])], [Inside; 2]);
        assert_eq!([at([2.0, 1.0, 1.0]), at([2.0, 1.0, 3.0])], [OnSurface, Outside]);
    }
    // All faces of many boxes: the one in the middle has none that is there once.
    let mut blocks = Triangles::new();
    for i in 0..27 {
        let min = Vec3::new((i % 3) as f32, (i / 3 % 3) as f32, (i / 9) as f32);
        blocks.extend(fan(&quads(min, min + 1.0)));
    }
    let at = |point: [f32; 3]| location(&[indexed(&blocks)], point).unwrap();
    assert_eq!([at([1.5; 3]), at([0.25; 3]), at([3.5; 3])], [Inside, Inside, Outside]);
}

#[test]
fn faces_that_are_there_again_keep_the_inside() {
    let one = cube(0.0);
    // Twice in one direction; two against one; one face more in both directions.
    let twice = [one.clone(), one.clone()].concat();
    let against = [twice.clone(), reversed(&one)].concat();
    let face = one[..2].to_vec();
    let more = [one.clone(), both_sides(&face)].concat();
    for triangles in [twice, against, more] {
        for mesh in [indexed(&triangles), soup(&triangles)] {
            let at = |point: [f32; 3]| location(std::slice::from_ref(&mesh), point).unwrap();
            assert_eq!([at([1.0; 3]), at([3.0; 3])], [Inside, Outside]);
        }
    }
    // Some faces in the other direction leave a hole.
    let holed = [one.clone(), reversed(&face)].concat();
    let error = location(&[indexed(&holed)], [1.0; 3]).unwrap_err();
    assert_eq!(error.kind(), InsideErrorKind::Open);
}

/// Many edges around one line, each triangle of which is there twice: no square of their number.
#[test]
fn a_fan_of_cards_around_one_edge_takes_no_time() {
    let count = 30_000;
    let card = |i: usize| {
        let angle = i as f32 / count as f32 * 6.0;
        [Vec3::ZERO, Vec3::Z, Vec3::new(angle.cos(), angle.sin(), 0.5)]
    };
    let cards: Triangles = (0..count).map(card).collect();
    let (bvh, _) =
        Builder::new().quality(Quality::Fast).bake(&[soup(&both_sides(&cards))]).unwrap();
    assert_eq!(bvh.contains([0.5; 3], Layers::ALL).unwrap(), Outside);
    let (bvh, _) = Builder::new()
        .quality(Quality::Fast)
        .bake(&[soup(&[both_sides(&cards), cube(5.0)].concat())])
        .unwrap();
    assert_eq!(bvh.contains([6.0; 3], Layers::ALL).unwrap(), Inside);
}
