//! Inside and outside: every answer is that of winding numbers, on every instruction set, above all
//! next to vertices, edges and faces, and where rays run through edges and in planes.
//!
//! `HITSCAN_LONG=1000` asks about twelve million points next to six shapes, and more elsewhere.

use crate::nearest::judge as distances;
use crate::reference::judge as integers;
use crate::{questions, scenes, support};
pub(crate) mod judge;
mod peers;

use hitscan::glam::{Affine3A, Quat, Vec3};
use hitscan::mesh::Topology;
use hitscan::query::MeshTriangle;
use hitscan::{
    Builder, Bvh, InsideErrorKind, InstructionSet, Layers, Mesh, PointLocation, Quality, Query,
    Triangle,
};
use judge::{Solid, location};
use support::{Random, long};

/// A ring around the y axis.
pub(crate) fn torus(segments: usize, sides: usize, [radius, tube]: [f32; 2]) -> Mesh {
    let angle = |i: usize, count: usize| std::f32::consts::TAU * i as f32 / count as f32;
    let mut positions = Vec::new();
    for i in 0..segments {
        let (sin, cos) = angle(i, segments).sin_cos();
        for j in 0..sides {
            let (up, out) = angle(j, sides).sin_cos();
            let from_axis = radius + tube * out;
            positions.push([from_axis * cos, tube * up, from_axis * sin]);
        }
    }
    let at = |i: usize, j: usize| (i % segments * sides + j % sides) as u32;
    let mut indices = Vec::new();
    for i in 0..segments {
        for j in 0..sides {
            let (a, b, c, d) = (at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j));
            indices.extend([a, b, c, a, c, d]);
        }
    }
    Mesh::new(positions, indices)
}

const CUBE: [u32; 36] = [
    0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3,
    7, 1, 7, 5,
];

/// A box with fronts outwards.
pub(crate) fn cuboid(min: impl Into<Vec3>, max: impl Into<Vec3>) -> Mesh {
    let (min, max) = (min.into(), max.into());
    let corner = |i: usize| [0, 1, 2].map(|k| if i >> k & 1 == 1 { max[k] } else { min[k] });
    Mesh::new((0..8).map(corner).collect(), CUBE.to_vec())
}

/// The same with its fronts on the other side.
pub(crate) fn turned(mut mesh: Mesh) -> Mesh {
    for triangle in mesh.indices.as_mut().expect("it has indices").chunks_exact_mut(3) {
        triangle.swap(1, 2);
    }
    mesh
}

/// Several meshes made one.
pub(crate) fn joined(meshes: impl IntoIterator<Item = Mesh>) -> Mesh {
    let (mut positions, mut indices) = (Vec::new(), Vec::new());
    for mesh in meshes {
        let first = positions.len() as u32;
        indices.extend(mesh.indices.expect("it has indices").iter().map(|i| i + first));
        positions.extend(mesh.positions);
    }
    Mesh::new(positions, indices)
}

/// A sphere whose vertices are pulled out and pushed in: all edges are sharp.
fn spikes() -> Mesh {
    let mut mesh = scenes::sphere(20, 12, 1.0, Vec3::ZERO);
    for (i, position) in mesh.positions.iter_mut().enumerate() {
        *position = position.map(|x| x * [3.0, 0.5, 1.0][i % 3]);
    }
    mesh
}

/// Boxes in boxes, wound in turn outwards and inwards: walls and hollows.
fn nest() -> Mesh {
    joined((0..6).map(|i| {
        let size = Vec3::new(6.0 - i as f32, 5.0 - 0.5 * i as f32, 4.0 - 0.25 * i as f32);
        if i % 2 == 0 { cuboid(-size, size) } else { turned(cuboid(-size, size)) }
    }))
}

/// Much wider than thick, and cut into many triangles on its upper side.
fn slab() -> Mesh {
    let (count, thin) = (12usize, 1e-4f32);
    let mut positions = Vec::new();
    for y in [0.0, thin] {
        for i in 0..=count {
            positions.extend((0..=count).map(|j| [i as f32, y, j as f32]));
        }
    }
    let at =
        |layer: usize, i: usize, j: usize| ((layer * (count + 1) + i) * (count + 1) + j) as u32;
    let mut indices = Vec::new();
    let mut quad = |[a, b, c, d]: [u32; 4]| indices.extend([a, b, c, a, c, d]);
    for i in 0..count {
        for j in 0..count {
            quad([at(1, i, j), at(1, i, j + 1), at(1, i + 1, j + 1), at(1, i + 1, j)]);
            quad([at(0, i, j), at(0, i + 1, j), at(0, i + 1, j + 1), at(0, i, j + 1)]);
        }
        let n = count;
        quad([at(0, i, 0), at(1, i, 0), at(1, i + 1, 0), at(0, i + 1, 0)]);
        quad([at(0, i, n), at(0, i + 1, n), at(1, i + 1, n), at(1, i, n)]);
        quad([at(0, 0, i), at(0, 0, i + 1), at(1, 0, i + 1), at(1, 0, i)]);
        quad([at(0, n, i), at(1, n, i), at(1, n, i + 1), at(0, n, i + 1)]);
    }
    Mesh::new(positions, indices)
}

fn moved(mesh: Mesh, by: Affine3A) -> Mesh {
    mesh.with_transform(by)
}

/// The shapes, some of them tilted, far away or tiny.
fn shapes() -> [(&'static str, Mesh); 6] {
    let tilt = Quat::from_rotation_x(0.4) * Quat::from_rotation_y(1.1);
    let far = Affine3A::from_rotation_translation(tilt, Vec3::new(4000.0, -300.0, 7000.0));
    [
        ("sphere", scenes::sphere(24, 16, 9.0, Vec3::ZERO)),
        ("torus", moved(torus(24, 12, [3.0, 1.0]), far)),
        ("nest of boxes", nest()),
        ("tilted nest", moved(nest(), Affine3A::from_quat(tilt))),
        ("thin slab", slab()),
        ("spikes", moved(spikes(), Affine3A::from_scale(Vec3::splat(1e-20)))),
    ]
}

/// A neighbour of a number, but not so near that the judge fails.
fn next_to(random: &mut Random, x: f32, least: f32) -> f32 {
    let step = least.max(x.abs().next_up() - x.abs());
    match random.below(6) {
        0 => x + step,
        1 => x - step,
        2 => x + 2.0 * step,
        _ => x,
    }
}

/// Points next to vertices, edges and faces above all, and those that share coordinates with them.
fn place(random: &mut Random, kind: usize, bvh: &Bvh, all: &[MeshTriangle]) -> Vec3 {
    let bounds = bvh.bounds();
    let size = bounds.max - bounds.min;
    let any = |random: &mut Random| all[random.below(all.len())].vertices;
    let Triangle { v0, v1, v2, .. } = any(random);
    let on_face = {
        let (u, v) = (random.unit(), random.unit());
        let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
        v0 + (v1 - v0) * u + (v2 - v0) * v
    };
    let least = size.max_element() / (1 << 26) as f32;
    let next_to =
        |random: &mut Random, p: Vec3| Vec3::from(p.to_array().map(|x| next_to(random, x, least)));
    match kind % 12 {
        0 => v0,
        1 | 2 => next_to(random, v0),
        3 => next_to(random, (v0 + v1) * 0.5),
        4 => {
            let part = random.unit();
            next_to(random, v0 + (v1 - v0) * part)
        }
        5 | 6 => next_to(random, on_face),
        7 => on_face + random.direction() * size * 1e-4,
        8 => {
            let (a, b) = (any(random).v0, any(random).v1);
            next_to(random, Vec3::new(a.x, b.y, v0.z))
        }
        9 => {
            // In line with a vertex, along an axis.
            let mut p = v0;
            let k = random.below(3);
            p[k] = random.range(bounds.min[k], bounds.max[k]);
            p
        }
        10 => random.in_box(bounds.min - 0.1 * size, bounds.max + 0.1 * size),
        _ => random.in_box(bounds.min, bounds.max).round(),
    }
}

fn solid(bvh: &Bvh, meshes: &[u32]) -> Solid {
    let triangles = bvh.triangles().filter(|triangle| meshes.contains(&triangle.mesh));
    Solid::new(triangles.map(|triangle| triangle.vertices).collect())
}

/// Asks about points, and counts those inside, on the surface and outside, and those that the judge
/// is not certain of.
fn test_tree(bvh: &Bvh, solids: &[Solid], mask: u32, count: usize, seed: u64) -> [usize; 4] {
    let all: Vec<_> = bvh.triangles().collect();
    let (mut random, mut seen) = (Random::new(seed), [0; 4]);
    for kind in 0..count {
        let point = place(&mut random, kind, bvh, &all);
        let Some(expected) = location(solids, point) else {
            seen[3] += 1;
            continue;
        };
        for isa in InstructionSet::available() {
            let layers = Layers::of(mask).instruction_set(isa);
            let found = bvh.contains(point, layers).expect("closed");
            assert_eq!(found, expected, "{point:?} on {isa}");
        }
        seen[expected as usize] += 1;
        if kind % 8 == 0 {
            let query = &Query::new().mask(mask);
            let near = bvh.closest_point(point, f32::INFINITY, query).expect("finite").distance;
            let signed =
                bvh.signed_distance(point, f32::INFINITY, Layers::of(mask)).expect("closed");
            let is_inside = expected == PointLocation::Inside;
            assert_eq!(signed, Some(if is_inside { -near } else { near }), "{point:?}");
        }
    }
    seen
}

#[test]
fn points_next_to_closed_surfaces_are_where_their_winding_numbers_say() {
    for (what, mesh) in shapes() {
        for (quality, seed) in [(Quality::Balanced, 1), (Quality::Best, 2)] {
            let builder = Builder::new().quality(quality).spatial_budget(0.5);
            let (bvh, _) = builder.bake(std::slice::from_ref(&mesh)).expect("sound");
            let solids = [solid(&bvh, &[0])];
            let seen = test_tree(&bvh, &solids, u32::MAX, 1_000 * long(), seed);
            println!("{what}: {seen:?} inside, on the surface, outside, not certain");
            assert!(seen[0] > 100 && seen[1] > 50 && seen[2] > 100, "{what} {seen:?}");
            assert!(seen[3] * 100 < seen[0], "{what} {seen:?}");
        }
    }
}

/// Tetrahedra of all sizes, in each other, flat, and on a grid, where rays run through vertices and
/// edges and in planes. Held against integers.
#[test]
fn tetrahedra_of_all_sizes_hold_what_integers_say() {
    let (mut random, mut seen, mut cut) = (Random::new(9), [0; 3], 0);
    for kind in 0..16 {
        let mut tetrahedra: Vec<[Vec3; 4]> = Vec::new();
        while tetrahedra.len() < 60 {
            let [a, b, c, d] = [0; 4].map(|_| random.point(kind));
            // Every other one is long and thin, so that spatial splits cut it.
            let near = |other: Vec3| a * 0.96875 + other * 0.03125;
            let corners = match tetrahedra.len() % 2 {
                0 => [a, b, c, d],
                _ => [a, near(b), near(c), d],
            };
            let faces = FACES.map(|face| face.map(|i| corners[i]));
            if !faces.iter().any(|&[a, b, c]| Triangle::new(a, b, c).is_degenerate()) {
                tetrahedra.push(corners);
            }
        }
        let corners = tetrahedra.iter().flat_map(|&corners| FACES.map(|f| f.map(|i| corners[i])));
        let soup = corners.flatten().map(|corner| corner.to_array()).collect();
        let quality = [Quality::Balanced, Quality::Best][kind / 8];
        let builder = Builder::new().quality(quality);
        let (bvh, _) = builder.bake(&[Mesh::from_soup(soup)]).expect("sound");
        let surface = solid(&bvh, &[0]);
        let summary = bvh.metadata().summary;
        cut += summary.references - summary.triangles_kept;
        for i in 0..40 * long().min(20) {
            let [a, b, c, d] = tetrahedra[random.below(60)];
            let other = tetrahedra[random.below(60)][0];
            let point = match i % 6 {
                0 => a * 0.25 + b * 0.25 + c * 0.25 + d * 0.25,
                1 => a * 0.5 + b * 0.5,
                2 => Vec3::new(a.x, other.y, c.z),
                3 => Vec3::from((a * 0.5 + b * 0.25 + c * 0.25).to_array().map(f32::next_up)),
                4 => random.point(kind),
                _ => a,
            };
            let windings = tetrahedra.iter().map(|t| judge::winding_in_tetrahedron(*t, point));
            let expected = if surface.has_on_surface(point) {
                PointLocation::OnSurface
            } else if windings.sum::<i32>() != 0 {
                PointLocation::Inside
            } else {
                PointLocation::Outside
            };
            for isa in InstructionSet::available() {
                let layers = Layers::ALL.instruction_set(isa);
                let found = bvh.contains(point, layers).expect("closed");
                assert_eq!(found, expected, "{kind}: {point:?} on {isa}");
            }
            seen[expected as usize] += 1;
        }
    }
    println!("{seen:?} inside, on the surface, outside; {cut} more references than triangles");
    assert!(seen.iter().all(|&count| count > 60) && cut > 100, "{seen:?} {cut}");
}

/// The faces of a tetrahedron.
const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

#[test]
fn surfaces_of_several_meshes_are_told_apart() {
    let ball = scenes::sphere(12, 8, 3.0, Vec3::ZERO);
    let indices = ball.indices.clone().expect("it has indices");
    // The upper and the lower part, as if of different materials.
    let half = |is_upper: bool| {
        let triangles = indices.chunks_exact(3).enumerate();
        let chosen = triangles.filter(|(i, _)| (*i % 14 < 7) == is_upper);
        Mesh::new(ball.positions.clone(), chosen.flat_map(|(_, t)| t.to_vec()).collect())
    };
    let meshes = [
        // A room with its fronts inwards, and crates in it and through its walls.
        turned(cuboid([-8.0; 3], [8.0; 3])),
        half(true),
        cuboid([4.0; 3], [6.0; 3]),
        half(false),
        cuboid([5.0, 5.0, 5.0], [9.0, 9.0, 9.0]),
        Mesh::default(),
        cuboid([-12.0, -1.0, -1.0], [-4.0, 1.0, 1.0]).with_mask(2),
    ];
    for quality in [Quality::Balanced, Quality::Best] {
        let (bvh, _) = Builder::new().quality(quality).bake(&meshes).expect("sound");
        let groups: [&[u32]; 5] = [&[0], &[1, 3], &[2], &[4], &[6]];
        let solids = groups.map(|group| solid(&bvh, group));
        test_tree(&bvh, &solids, u32::MAX, 300 * long(), 3);
        // One mesh by its layer alone.
        let mask = 2;
        let all = meshes.clone().map(|mesh| if mesh.mask == 2 { mesh } else { mesh.with_mask(1) });
        let (bvh, _) = Builder::new().quality(quality).bake(&all).expect("sound");
        test_tree(&bvh, &[solid(&bvh, &[6])], mask, 100 * long(), 4);
        assert_eq!(bvh.contains([5.0; 3], Layers::of(mask)).unwrap(), PointLocation::Outside);
        assert_eq!(bvh.contains([5.0; 3], Layers::ALL).unwrap(), PointLocation::OnSurface);
    }
}

#[test]
fn real_meshes_are_open_or_hold_what_winding_numbers_say() {
    for (what, meshes) in questions::real_scenes() {
        let is_closed = Topology::of(&meshes).meshes[0].is_closed();
        let (bvh, _) = Builder::new().quality(Quality::Best).bake(&meshes).expect("sound");
        match bvh.contains([0.0; 3], Layers::ALL) {
            Err(error) => {
                let is_twice = error.kind() == InsideErrorKind::DoubleSided;
                assert_eq!(is_closed, is_twice, "{what}: {error}");
            }
            Ok(_) => {
                assert!(is_closed, "{what}");
                let seen = test_tree(&bvh, &[solid(&bvh, &[0])], u32::MAX, 60 * long(), 6);
                println!("{what}: {seen:?} inside, on the surface, outside, not certain");
            }
        }
    }
}

/// The winding number counts, not whether a ray crosses an even number of triangles.
#[test]
fn shells_within_shells_are_hollow_only_if_they_are_wound_the_other_way() {
    let (outer, inner) = (cuboid([-2.0; 3], [2.0; 3]), cuboid([-1.0; 3], [1.0; 3]));
    for (meshes, middle) in [
        (vec![joined([outer.clone(), turned(inner.clone())])], PointLocation::Outside),
        (vec![joined([outer.clone(), inner.clone()])], PointLocation::Inside),
        (vec![turned(joined([outer.clone(), turned(inner.clone())]))], PointLocation::Outside),
        // By themselves, both are solid.
        (vec![outer.clone(), turned(inner.clone())], PointLocation::Inside),
        (vec![outer, inner], PointLocation::Inside),
    ] {
        let (bvh, _) = Builder::new().bake(&meshes).expect("sound");
        let ask = |x: f32| bvh.contains([x, 0.0, 0.0], Layers::ALL).expect("closed");
        assert_eq!(ask(0.5), middle);
        assert_eq!([ask(1.5), ask(-1.5)], [PointLocation::Inside; 2]);
        assert_eq!([ask(1.0), ask(2.0)], [PointLocation::OnSurface; 2]);
        assert_eq!(ask(3.0), PointLocation::Outside);
    }
}

/// More than there is room for at once.
#[test]
fn any_number_of_surfaces_may_be_in_the_way() {
    let shell = |i: usize| {
        let (outer, inner) = (Vec3::splat(2.0 + i as f32), Vec3::splat(1.5 + i as f32));
        joined([cuboid(-outer, outer), turned(cuboid(-inner, inner))])
    };
    let apart: Vec<Mesh> = (0..700).map(shell).collect();
    let together = [joined(apart.iter().cloned())];
    for meshes in [&apart[..], &together] {
        for quality in [Quality::Balanced, Quality::Best] {
            let (bvh, _) = Builder::new().quality(quality).bake(meshes).expect("sound");
            for i in 0..700 {
                let at = |x: f32| [0.25, 0.125 - x - i as f32, 0.375];
                let ask = |x: f32| bvh.contains(at(x), Layers::ALL).expect("closed");
                assert_eq!(ask(1.375), PointLocation::Outside, "{i}");
                assert_eq!(ask(1.825), PointLocation::Inside, "{i}");
            }
            let middle = bvh.contains([0.0; 3], Layers::ALL).expect("closed");
            assert_eq!(middle, PointLocation::Outside);
        }
    }
}

#[test]
fn a_surface_that_is_open_or_wound_in_different_ways_is_an_error() {
    let cube = || cuboid([0.0; 3], [1.0; 3]);
    let mut open = cube();
    open.indices.as_mut().unwrap().truncate(33);
    let mut mixed = cube();
    mixed.indices.as_mut().unwrap().swap(1, 2);
    let mut both = open.clone();
    both.indices.as_mut().unwrap().swap(1, 2);
    for (mesh, kind, text) in [
        (open, InsideErrorKind::Open, "mesh 1 (\"box\"): the edge from ["),
        (mixed, InsideErrorKind::MixedWinding, "belongs to 2 triangles, which are wound in"),
        (both, InsideErrorKind::Open, "belongs to 1 triangle, so the surface is not closed"),
    ] {
        let meshes = [cube().with_mask(1), mesh.with_mask(2).with_name("box")];
        let (mut bvh, _) = Builder::new().bake(&meshes).expect("sound");
        // No matter where the point is.
        for point in [Vec3::splat(0.5), Vec3::splat(1e9), Vec3::ZERO, Vec3::NAN] {
            let error = bvh.contains(point, Layers::ALL).unwrap_err();
            assert_eq!((error.kind(), error.mesh()), (kind, 1));
            assert!(error.to_string().contains(text), "{error}");
            let error = bvh.signed_distance(point, 0.1, Layers::ALL).unwrap_err();
            assert_eq!((error.kind(), error.mesh()), (kind, 1));
        }
        let middle = bvh.contains([0.5; 3], Layers::of(1)).unwrap();
        assert_eq!(middle, PointLocation::Inside);
        bvh.set_mask(1, 0);
        assert_eq!(bvh.contains([0.5; 3], Layers::ALL).unwrap(), PointLocation::Inside);
    }
}

#[test]
fn a_part_that_is_hidden_leaves_its_surface_open() {
    let cube = cuboid([0.0; 3], [1.0; 3]);
    let (lid, rest) = CUBE.split_at(6);
    let part = |indices: &[u32]| Mesh::new(cube.positions.clone(), indices.to_vec());
    let meshes = [part(rest).with_mask(3).with_name("pot"), part(lid).with_mask(1)];
    let (bvh, _) = Builder::new().bake(&meshes).expect("sound");
    for mask in [1, 3] {
        let middle = bvh.contains([0.5; 3], Layers::of(mask)).unwrap();
        assert_eq!(middle, PointLocation::Inside);
    }
    let error = bvh.contains([0.5; 3], Layers::of(2)).unwrap_err();
    assert_eq!((error.kind(), error.mesh()), (InsideErrorKind::Hidden, 0));
    let text = "mesh 0 (\"pot\") is closed only together with mesh 1, which the query's mask hides";
    assert_eq!(error.to_string(), text);
    assert_eq!(bvh.contains([0.5; 3], Layers::of(4)).unwrap(), PointLocation::Outside);
}

/// Also of a tree that was asked before.
#[test]
fn triangles_that_move_are_looked_at_anew() {
    let cube = cuboid([0.0; 3], [1.0; 3]);
    let corners = CUBE.map(|i| cube.positions[i as usize]);
    let mut soup = Mesh::from_soup(corners.to_vec());
    let (mut bvh, _) = Builder::new().bake(std::slice::from_ref(&soup)).expect("sound");
    let ask = |bvh: &Bvh, x: f32| bvh.contains([x, 0.5, 0.25], Layers::ALL);
    assert_eq!(ask(&bvh, 0.5).unwrap(), PointLocation::Inside);

    let before = bvh.clone();
    soup.positions[0] = [0.0, 0.0, -1.0];
    bvh.refit(&[soup.view()]).expect("the same mesh");
    assert_eq!(ask(&bvh, 0.5).unwrap_err().kind(), InsideErrorKind::Open);
    assert_eq!(ask(&before, 0.5).unwrap(), PointLocation::Inside);

    soup.positions = corners.map(|[x, y, z]| [x + 4.0, y, z]).to_vec();
    bvh.refit(&[soup.view()]).expect("the same mesh");
    let found = [ask(&bvh, 0.5).unwrap(), ask(&bvh, 4.5).unwrap()];
    assert_eq!(found, [PointLocation::Outside, PointLocation::Inside]);

    let mirrored = Affine3A::from_scale(Vec3::new(-1.0, 1.0, 1.0));
    bvh.apply_transform(&mirrored).expect("it has an inverse");
    assert_eq!(ask(&bvh, -4.5).unwrap(), PointLocation::Inside);
    let opened = Bvh::from_bytes(&bvh.to_bytes()).expect("sound");
    assert_eq!(ask(&opened, -4.5).unwrap(), PointLocation::Inside);
}

#[test]
fn what_is_empty_flat_or_not_finite_has_no_inside() {
    let (empty, _) = Builder::new().bake(&[] as &[Mesh]).expect("sound");
    assert_eq!(empty.contains([0.0; 3], Layers::ALL).unwrap(), PointLocation::Outside);
    assert_eq!(empty.signed_distance([0.0; 3], 9.0, Layers::ALL).unwrap(), None);

    // Triangles on both sides.
    let corners = vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
    let (flat, _) = Builder::new().bake(&[Mesh::new(corners, vec![0, 1, 2, 0, 2, 1])]).unwrap();
    let ask = |x: f32, z: f32| flat.contains([x, 1.0, z], Layers::ALL).unwrap();
    assert_eq!([ask(1.0, 0.0), ask(0.0, 0.0)], [PointLocation::OnSurface; 2]);
    assert_eq!([ask(1.0, 0.1), ask(1.0, -0.1), ask(-0.1, 0.0)], [PointLocation::Outside; 3]);

    let (cube, _) = Builder::new().bake(&[cuboid([-1.0; 3], [1.0; 3])]).unwrap();
    for point in [Vec3::NAN, Vec3::INFINITY, Vec3::new(0.0, f32::NAN, 0.0), Vec3::MAX] {
        assert_eq!(cube.contains(point, Layers::ALL).unwrap(), PointLocation::Outside);
    }
    assert_eq!(cube.signed_distance(Vec3::NAN, 9.0, Layers::ALL).unwrap(), None);
    assert_eq!(cube.signed_distance([0.0; 3], f32::NAN, Layers::ALL).unwrap(), None);
    assert_eq!(cube.signed_distance([-0.0; 3], 1.0, Layers::ALL).unwrap(), Some(-1.0));
    assert_eq!(cube.signed_distance([0.0; 3], 0.9, Layers::ALL).unwrap(), None);
    assert_eq!(cube.signed_distance([1.0; 3], 0.0, Layers::ALL).unwrap(), Some(0.0));
}
