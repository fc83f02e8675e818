//! Moving a character: the planes that a shape has to be pushed out of, on every instruction set,
//! and the motions that lead out of them.
//!
//! `HITSCAN_LONG=50` asks fifty times as many questions.

use crate::{scenes, support};
use hitscan::geometry::{ConvexHull, ConvexShape, SlidePlane, slide};
use hitscan::glam::{Affine3A, Vec3};
use hitscan::{
    Aabb, Builder, Bvh, Capsule, Contact, Facing, InstructionSet, Mesh, Obb, Quality, Query, Sphere,
};
use support::{Random, long};

fn bake(meshes: &[Mesh]) -> Bvh {
    Builder::new().quality(Quality::Best).bake(meshes).expect("sound").0
}

/// The planes of a shape, which are the same on every instruction set.
fn penetrations(bvh: &Bvh, shape: &ConvexShape) -> Vec<Contact> {
    let mut all: Option<Vec<Contact>> = None;
    for isa in InstructionSet::available() {
        let mut contacts = Vec::new();
        bvh.penetrations(shape, &Query::new().instruction_set(isa), &mut contacts);
        assert_eq!(all.get_or_insert_with(|| contacts.clone()), &contacts, "{isa}, {shape:?}");
    }
    all.expect("there is always one")
}

/// A floor from 0 to `side`.
fn grid(side: f32, cells: usize, off: f32, turned: impl Fn(usize, usize) -> bool) -> Mesh {
    let (positions, indices) =
        scenes::floor(side, cells, off, &mut Random::new(cells as u64), turned);
    Mesh::new(positions, indices)
}

fn moved(mesh: Mesh, x: f32, z: f32) -> Mesh {
    mesh.with_transform(Affine3A::from_translation(Vec3::new(x, 0.0, z)))
}

/// All points of a circle around the floor's middle, and one in it.
fn fan(center: [f32; 3], count: u32) -> Mesh {
    let mut positions = vec![center];
    positions.extend((0..count).map(|i| {
        let (sin, cos) = (std::f32::consts::TAU * i as f32 / count as f32).sin_cos();
        [4.0 - 9.0 * sin, 0.0, 4.0 + 9.0 * cos]
    }));
    let indices = (0..count).flat_map(|i| [0, 1 + i, 1 + (i + 1) % count]).collect();
    Mesh::new(positions, indices)
}

/// A floor at y = 0 that covers 0 to 8 in x and z, cut in many ways.
fn floors() -> Vec<(&'static str, Vec<Mesh>)> {
    let even = |x: usize, z: usize| (x + z).is_multiple_of(2);
    let tile = |x: usize, z: usize, cells: usize| {
        moved(grid(2.0, cells, 0.0, even), 2.0 * x as f32, 2.0 * z as f32)
    };
    let tiles = |cells: fn(usize, usize) -> usize| -> Vec<Mesh> {
        (0..16).map(|i| tile(i % 4, i / 4, cells(i % 4, i / 4))).collect()
    };
    let strips = |width: f32| {
        let count = (8.0 / width) as usize;
        let strip = |i: usize| {
            let (x, next) = (i as f32 * width, (i + 1) as f32 * width);
            let [a, b, c, d] = [[x, 0.0, 0.0], [x, 0.0, 8.0], [next, 0.0, 8.0], [next, 0.0, 0.0]];
            [a, b, c, a, c, d]
        };
        Mesh::from_soup((0..count).flat_map(strip).collect())
    };
    vec![
        ("grid", vec![grid(8.0, 8, 0.0, |_, _| true)]),
        ("fine grid", vec![grid(8.0, 160, 0.0, even)]),
        ("random points", vec![grid(8.0, 24, 0.8, |x, z| (x * 7 + z * 5) % 3 == 0)]),
        ("fan", vec![fan([4.0, 0.0, 4.0], 60)]),
        ("needles", vec![fan([-4.5, 0.0, 4.0], 900)]),
        ("strips", vec![strips(0.0625)]),
        ("T-junctions", tiles(|x, z| 1 + (3 * x + 5 * z) % 7)),
        ("tiles that overlap", vec![grid(8.0, 5, 0.0, even), fan([3.0, 0.0, 5.0], 17)]),
        ("a mesh for each tile", tiles(|_, _| 4)),
        ("twice", vec![grid(8.0, 9, 0.5, even), grid(8.0, 9, 0.5, even)]),
        (
            "one",
            vec![Mesh::from_soup(vec![[-9.0, 0.0, -9.0], [-9.0, 0.0, 40.0], [40.0, 0.0, -9.0]])],
        ),
    ]
}

/// Shapes that are so deep in a floor at y = 0.
fn sunk(random: &mut Random, at: Vec3, depth: f32) -> Vec<ConvexShape> {
    let low = |y: f32| at.with_y(y - depth);
    let lean = Vec3::new(random.unit() - 0.5, 1.0, random.unit() - 0.5);
    let lying = Vec3::new(random.unit() - 0.5, 0.0, random.unit() - 0.5);
    let turn = Affine3A::from_rotation_y(random.unit() * 3.0);
    let corners = (0..5).map(|i| {
        let (sin, cos) = (i as f32 + random.unit()).sin_cos();
        low(0.0) + Vec3::new(0.4 * cos, 0.0, 0.4 * sin)
    });
    let mut corners: Vec<Vec3> = corners.collect();
    corners.extend([low(0.9), low(0.7) + Vec3::X]);
    vec![
        Capsule::new(low(0.4), low(1.4), 0.4).into(),
        Capsule::new(low(0.4), low(0.4) + lean, 0.4).into(),
        Capsule::new(low(0.3), low(0.3) + lying, 0.3).into(),
        Sphere::new(low(0.5), 0.5).into(),
        Aabb::from_min_max(low(0.0) - Vec3::new(0.3, 0.0, 0.4), low(1.0)).into(),
        Obb::from_transform(
            &(Affine3A::from_translation(low(0.5)) * turn),
            Aabb::from_center_half_size([0.0; 3], [0.4, 0.5, 0.3]),
        )
        .expect("a rotation")
        .into(),
        ConvexHull::from_points(corners).expect("not flat").into(),
    ]
}

#[test]
fn a_flat_floor_is_one_plane_however_it_is_cut() {
    for (what, meshes) in floors() {
        let bvh = bake(&meshes);
        let mut random = Random::new(3);
        let corners: Vec<Vec3> = bvh.triangles().map(|one| one.vertices.v1).collect();
        for i in 0..150 * long() {
            let inside = |x: f32| (1.5..6.5).contains(&x);
            let corner = corners[random.below(corners.len())];
            let any = random.in_box(Vec3::new(1.5, 0.0, 1.5), Vec3::new(6.5, 0.0, 6.5));
            // Also exactly over vertices.
            let is_over = i % 2 == 0 && inside(corner.x) && inside(corner.z);
            let at = if is_over { corner } else { any };
            let depth = random.range(0.01, 0.1);
            for shape in sunk(&mut random, at, depth) {
                let contacts = penetrations(&bvh, &shape);
                let context = format!("{what}, {depth}, {shape:?}: {contacts:#?}");
                assert_eq!(contacts.len(), 1, "{context}");
                assert!((contacts[0].normal - Vec3::Y).length() < 1e-6, "{context}");
                assert!((contacts[0].depth - depth).abs() < 2e-6, "{context}");
            }
        }
    }
}

/// The normals and depths that are found, the deepest first.
fn planes(bvh: &Bvh, shape: impl Into<ConvexShape>) -> Vec<(Vec3, f32)> {
    let contacts = penetrations(bvh, &shape.into());
    contacts.iter().map(|contact| (contact.normal, contact.depth)).collect()
}

fn block(min: [f32; 3], max: [f32; 3]) -> Mesh {
    let corner = |i: usize| [0, 1, 2].map(|k| if i >> k & 1 == 0 { min[k] } else { max[k] });
    let sides =
        [[0, 2, 1, 3], [4, 5, 6, 7], [0, 1, 4, 5], [2, 6, 3, 7], [0, 4, 2, 6], [1, 3, 5, 7]];
    let indices = sides.iter().flat_map(|&[a, b, c, d]| [a, b, c, b, d, c]).collect();
    Mesh::new((0..8).map(corner).collect(), indices)
}

fn body(at: impl Into<Vec3>) -> Capsule {
    let at = at.into();
    Capsule::new(at + Vec3::Y * 0.5, at + Vec3::Y * 1.5, 0.5)
}

#[test]
fn corners_have_a_plane_for_each_side() {
    let room = bake(&[
        block([-8.0, -1.0, -8.0], [8.0, 0.0, 8.0]),
        block([2.0, 0.0, -8.0], [3.0, 4.0, 8.0]),
        block([-8.0, 0.0, 2.0], [8.0, 4.0, 3.0]),
    ]);
    let touching = body([1.5, 0.0, 0.25]);
    assert_eq!(planes(&room, touching), [(Vec3::Y, 0.0), (Vec3::NEG_X, 0.0)]);
    let two = body([1.75, -0.125, 0.25]);
    assert_eq!(planes(&room, two), [(Vec3::NEG_X, 0.25), (Vec3::Y, 0.125)]);
    let three = body([1.75, -0.125, 1.5625]);
    let expected = [(Vec3::NEG_X, 0.25), (Vec3::Y, 0.125), (Vec3::NEG_Z, 0.0625)];
    assert_eq!(planes(&room, three), expected);
    let cube = Aabb::from_center_half_size([1.625, 0.4375, 1.5625], [0.5; 3]);
    let expected = [(Vec3::NEG_X, 0.125), (Vec3::Y, 0.0625), (Vec3::NEG_Z, 0.0625)];
    assert_eq!(planes(&room, cube), expected);
}

#[test]
fn an_edge_that_stands_out_is_one_plane() {
    let step = bake(&[
        block([0.0, -1.0, -8.0], [8.0, 0.0, 8.0]),
        block([1.0, 0.0, -8.0], [8.0, 0.25, 8.0]),
    ]);
    // Beside the nose of the step, over the floor.
    let contacts = planes(&step, body([0.6875, 0.0, 0.0]));
    assert_eq!(contacts.len(), 2, "{contacts:?}");
    assert_eq!(contacts[1], (Vec3::Y, 0.0));
    let way = Vec3::new(-0.3125, 0.25, 0.0);
    assert!((contacts[0].0 - way.normalize()).length() < 1e-6, "{contacts:?}");
    assert!((contacts[0].1 - (0.5 - way.length())).abs() < 1e-6, "{contacts:?}");
    // Half over a cliff, and on the edge of it.
    let cliff = bake(&[block([0.0, -8.0, -8.0], [8.0, 0.0, 8.0])]);
    assert_eq!(planes(&cliff, body([0.0, -0.125, 0.0])), [(Vec3::Y, 0.125)]);
    let contacts = planes(&cliff, body([-0.25, -0.25, 0.0]));
    assert_eq!(contacts.len(), 1, "{contacts:?}");
    assert!((contacts[0].0 - Vec3::new(-1.0, 1.0, 0.0).normalize()).length() < 1e-6);
    // A peak of six triangles.
    let mut peak = fan([4.0, 0.0, 4.0], 6);
    for position in &mut peak.positions[1..] {
        position[1] = -9.0;
    }
    let contacts = planes(&bake(&[peak]), Sphere::new([4.0, 0.25, 4.0], 0.5));
    assert_eq!(contacts, [(Vec3::Y, 0.25)]);
}

#[test]
fn a_crevice_is_left_upwards() {
    let v = [
        [-4.0, 4.0, -9.0],
        [-4.0, 4.0, 9.0],
        [0.0, 0.0, 9.0],
        [0.0, 0.0, -9.0],
        [4.0, 4.0, 9.0],
        [4.0, 4.0, -9.0],
    ];
    let groove = bake(&[Mesh::new(v.to_vec(), vec![0, 1, 2, 0, 2, 3, 3, 2, 4, 3, 4, 5])]);
    let contacts = planes(&groove, body([0.0, 0.0, 0.0]));
    assert_eq!(contacts.len(), 2, "{contacts:?}");
    let walls = contacts.iter().map(|&(normal, depth)| SlidePlane::new(normal, -depth));
    let out = slide(Vec3::ZERO, &walls.collect::<Vec<_>>());
    let expected = Vec3::new(0.0, 0.5 * (2f32.sqrt() - 1.0), 0.0);
    assert!((out - expected).length() < 1e-6, "{out}");
    // It cannot fall back.
    let touching: Vec<_> =
        contacts.iter().map(|&(normal, _)| SlidePlane::new(normal, 0.0)).collect();
    assert!((slide([0.5, -1.0, 1.0], &touching) - Vec3::Z).length() < 1e-6);
}

#[test]
fn a_capsule_whose_core_goes_through_a_triangle_has_a_plane() {
    let floor = bake(&[grid(16.0, 2, 0.0, |_, _| true)]);
    for below in [0.0f32, 0.25, 0.75] {
        let capsule = Capsule::new([5.0, -below, 6.0], [5.0, 3.0 - below, 6.0], 0.5);
        assert_eq!(planes(&floor, capsule), [(Vec3::Y, 0.5 + below)]);
    }
    let lying = Capsule::new([5.0, 0.0, 6.0], [6.0, 0.0, 7.0], 0.5);
    assert_eq!(planes(&floor, lying), [(Vec3::Y, 0.5)]);
    // Through a board, whose edge is nearer than its ends are.
    let board = [[-0.125, 1.0, -9.0], [0.125, 1.0, 9.0], [0.125, 1.0, -9.0]];
    let board = bake(&[Mesh::from_soup(board.to_vec())]);
    let capsule = Capsule::new([0.09375, 0.0, 0.0], [0.09375, 2.0, 0.0], 0.25);
    assert_eq!(planes(&board, capsule), [(Vec3::X, 0.28125)]);
}

/// Pushes a shape out of all planes, up to eight times: how deep it is in the end, and how often
/// it was pushed.
fn push_out(bvh: &Bvh, mut at: Vec3, shape: impl Fn(Vec3) -> ConvexShape) -> (f32, usize) {
    let mut contacts = Vec::new();
    for round in 0..=8 {
        bvh.penetrations(shape(at), &Query::new(), &mut contacts);
        let depth = contacts.first().map_or(0.0, |contact| contact.depth);
        if depth < FREE || round == 8 {
            return (depth, round);
        }
        let planes: Vec<SlidePlane> = contacts.iter().map(SlidePlane::from).collect();
        at += slide(Vec3::ZERO, &planes);
    }
    unreachable!("there is a last round")
}

/// Less is taken for free: some roundings of the largest coordinate.
const FREE: f32 = 1e-5;

/// From free places, shapes are moved into what is there, and pushed out again.
#[test]
fn pushes_lead_out_of_what_a_shape_was_moved_into() {
    let scenes = [
        ("city", vec![scenes::city(40, 3)]),
        ("terrain", vec![scenes::terrain(24, 1)]),
        ("level", scenes::level(1)),
        ("soup", vec![scenes::soup(300, 12.0, 4.0, 5)]),
        ("floor", vec![grid(24.0, 24, 0.4, |_, _| true)]),
    ];
    for (what, meshes) in scenes {
        let bvh = bake(&meshes);
        let bounds = bvh.bounds();
        let mut random = Random::new(7);
        for most in [0.1, 0.2, 0.3, 0.5, 0.7] {
            let (mut asked, mut at_once, mut stuck) = (0, 0, 0);
            while asked < 400 * long() {
                let at = random.in_box(bounds.min - 1.0, bounds.max + 1.0);
                let kind = random.below(4);
                let shape = |at: Vec3| -> ConvexShape {
                    match kind {
                        0 => Sphere::new(at, 0.5).into(),
                        1 => Aabb::from_center_half_size(at, [0.4, 0.5, 0.4]).into(),
                        _ => Capsule::new(at, at + Vec3::Y, 0.5).into(),
                    }
                };
                let is_free =
                    |at| bvh.first_contact(shape(at), Vec3::ZERO, &Query::new()).is_none();
                let moved = at + random.direction() * most * random.unit();
                if !is_free(at) || is_free(moved) {
                    continue;
                }
                asked += 1;
                let (depth, count) = push_out(&bvh, moved, shape);
                at_once += usize::from(depth < FREE && count <= 1);
                stuck += usize::from(depth >= FREE);
            }
            println!("{what}, by {most}: {asked}, {at_once} out at once, {stuck} not out");
            // Of thousands, some end between two sides of a wall: there is no way out.
            assert!(500 * stuck < asked, "{what}, by {most}");
            assert!(100 * at_once > 98 * asked, "{what}, by {most}");
        }
    }
}

#[test]
fn filters_layers_and_sides_count() {
    let floor = grid(8.0, 4, 0.0, |_, _| true).with_mask(1);
    let wall = block([5.0, 0.0, 0.0], [6.0, 4.0, 8.0]).with_mask(2);
    let bvh = bake(&[floor, wall]);
    let shape = ConvexShape::from(body([4.75, -0.125, 4.0]));
    let mut contacts = Vec::new();
    let mut normals = |query: &Query| {
        bvh.penetrations(&shape, query, &mut contacts);
        contacts.iter().map(|contact| contact.normal).collect::<Vec<_>>()
    };
    assert_eq!(normals(&Query::new()), [Vec3::NEG_X, Vec3::Y]);
    assert_eq!(normals(&Query::new().mask(1)), [Vec3::Y]);
    assert_eq!(normals(&Query::new().mask(4)), []);
    assert_eq!(normals(&Query::new().facing(Facing::Front)), [Vec3::NEG_X, Vec3::Y]);
    bvh.penetrations(&shape, &Query::new().filter(&|hit| hit.mesh == 1), &mut contacts);
    assert_eq!(contacts.iter().map(|contact| contact.normal).collect::<Vec<_>>(), [Vec3::NEG_X]);
}

#[test]
fn what_is_empty_or_not_finite_has_no_planes() {
    let (bvh, empty) = (bake(&[scenes::city(4, 3)]), bake(&[]));
    let ball = ConvexShape::from(Sphere::new([0.0; 3], 50.0));
    assert!(!penetrations(&bvh, &ball).is_empty());
    assert_eq!(penetrations(&empty, &ball), []);
    for shape in [
        ConvexShape::from(Aabb::EMPTY),
        Sphere::new(Vec3::NAN, 1.0).into(),
        Sphere::new([0.0; 3], -1.0).into(),
        Capsule::new(Vec3::INFINITY, [0.0; 3], 1.0).into(),
    ] {
        assert_eq!(penetrations(&bvh, &shape), [], "{shape:?}");
    }
    // All of space, and the largest numbers: some planes, and none is NaN.
    for shape in [
        ConvexShape::from(Sphere::new([0.0; 3], f32::INFINITY)),
        Sphere::new([0.0; 3], f32::MAX).into(),
        Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY }.into(),
    ] {
        let contacts = penetrations(&bvh, &shape);
        assert!(contacts.iter().all(|contact| contact.normal.is_normalized()), "{contacts:?}");
        let planes: Vec<SlidePlane> = contacts.iter().map(SlidePlane::from).collect();
        assert!(slide(Vec3::ONE, &planes).is_finite());
    }
}

/// Each contact that is left out is one that a plane implies: once the shape is in front of it, it
/// is not at the contact's point.
#[test]
fn what_is_left_out_is_not_missed() {
    let mut random = Random::new(9);
    let (mut kept, mut all) = (0, 0);
    for (what, meshes) in scenes::many() {
        let bvh = bake(&meshes);
        let bounds = bvh.bounds();
        let whole = (bounds.max - bounds.min).max_element();
        let largest = bounds.min.abs().max(bounds.max.abs()).max_element();
        for _ in 0..200 * long() {
            let at = random.in_box(bounds.min, bounds.max);
            let (b, radius) = (at + 0.05 * whole * random.direction(), 0.04 * whole);
            let shape = ConvexShape::from(Capsule::new(at, b, radius));
            let planes = penetrations(&bvh, &shape);
            let mut contacts = Vec::new();
            bvh.all_contacts(&shape, Vec3::ZERO, &Query::new(), &mut contacts);
            (kept, all) = (kept + planes.len(), all + contacts.len());
            for contact in &contacts {
                let is_kept = planes.contains(contact);
                let is_behind = planes.iter().any(|plane| {
                    let middle = plane.normal.dot(at - contact.point);
                    let lowest = middle.min(plane.normal.dot(b - contact.point)) - radius;
                    lowest + plane.depth > -16.0 * f32::EPSILON * (largest + whole)
                });
                assert!(is_kept || is_behind, "{what}: {shape:?} {contact:?} {planes:?}");
            }
            assert!(planes.is_sorted_by(|a, b| a.depth >= b.depth), "{what}: {shape:?}");
            assert_eq!(planes.is_empty(), contacts.is_empty());
        }
    }
    println!("{kept} planes of {all} contacts");
    assert!(10 * kept < 9 * all && kept > 500);
}

/// Vertices of a plane in any position are rounded, and so are the normals.
#[test]
fn a_tilted_floor_is_one_plane_too() {
    for (angle, far) in [(0.3f32, 0.0f32), (0.3, 50.0), (0.5, 1000.0)] {
        let tilt = Affine3A::from_translation(Vec3::new(far, 0.3 * far, 0.5 * far))
            * Affine3A::from_rotation_x(angle)
            * Affine3A::from_rotation_z(0.7 * angle);
        let normal = tilt.transform_vector3(Vec3::Y);
        for (what, meshes) in floors() {
            let tilted = |mesh: Mesh| Mesh { transform: tilt * mesh.transform, ..mesh };
            let bvh = bake(&meshes.into_iter().map(tilted).collect::<Vec<_>>());
            let mut random = Random::new(3);
            for _ in 0..30 * long() {
                let over = random.in_box(Vec3::new(1.5, 0.0, 1.5), Vec3::new(6.5, 0.0, 6.5));
                let at = tilt.transform_point3(over) + normal * (0.4 - random.range(0.01, 0.1));
                let found = planes(&bvh, Capsule::new(at, at + Vec3::Y, 0.4));
                assert_eq!(found.len(), 1, "{what}, {far} away: {found:?}");
                // The worst are triangles of a few centimetres, a kilometre away.
                assert!((found[0].0 - normal).length() < 2e-3, "{what}, {far} away: {found:?}");
            }
        }
    }
}

/// Where a shape is deeper than triangles are large, the nearest edges lead back into the floor.
#[test]
fn a_shape_deep_in_a_fine_floor_is_lifted() {
    let floor = bake(&[grid(8.0, 40, 0.5, |x, z| (x * 7 + z * 5) % 3 == 0)]);
    let board = bake(&[grid(8.0, 40, 0.0, |_, _| true)]);
    let mut random = Random::new(5);
    for _ in 0..300 * long() {
        let at = random.in_box(Vec3::new(2.0, 0.0, 2.0), Vec3::new(6.0, 0.0, 6.0));
        let depth = random.range(0.5, 0.9);
        let low = at - Vec3::Y * depth;
        for shape in [
            ConvexShape::from(Capsule::new(low + Vec3::Y * 0.4, low + Vec3::Y * 2.0, 0.4)),
            Aabb::from_min_max(low - Vec3::new(0.3, 0.0, 0.4), low + Vec3::new(0.3, 2.0, 0.4))
                .into(),
        ] {
            let found = planes(&floor, shape.clone());
            assert_eq!(found.len(), 1, "{shape:?}: {found:?}");
            assert_eq!(found[0].0, Vec3::Y, "{shape:?}: {found:?}");
            assert!((found[0].1 - depth).abs() < 2e-6, "{shape:?}: {found:?}");
        }
    }
    // Near the border, the way past it is shorter.
    let capsule = Capsule::new([0.0625, -1.0, 4.0625], [0.0625, 1.0, 4.0625], 0.25);
    assert_eq!(planes(&board, capsule), [(Vec3::NEG_X, 0.3125)]);
}

/// A corner of a pillar is an edge for a capsule beside it, also where it stands on a floor that
/// goes on.
#[test]
fn a_pillar_that_stands_on_a_floor_has_its_edge() {
    let side = |from: [f32; 3], to: [f32; 3]| {
        let up = |[x, _, z]: [f32; 3]| [x, 3.0, z];
        [from, to, up(to), from, up(to), up(from)]
    };
    let corner = [0.0, 0.0, 0.0];
    let sides = [side(corner, [4.0, 0.0, 1.0]), side(corner, [4.0, 0.0, -1.0])];
    let floor = [[-9.0, 0.0, -9.0], [-9.0, 0.0, 30.0], [30.0, 0.0, -9.0]];
    let bvh = bake(&[sides.as_flattened(), &floor].map(|soup| Mesh::from_soup(soup.to_vec())));
    for z in [-0.1, -0.02, 0.0, 0.05] {
        let body = Capsule::new([-0.25, 0.5, z], [-0.25, 1.5, z], 0.375);
        let contacts = penetrations(&bvh, &body.into());
        let [contact] = contacts[..] else { panic!("{contacts:?}") };
        let way = Vec3::new(-0.25, 0.0, z);
        assert!((contact.normal - way.normalize()).length() < 1e-6, "{contact:?}");
        assert!((contact.depth - (0.375 - way.length())).abs() < 1e-6, "{contact:?}");
    }
}
