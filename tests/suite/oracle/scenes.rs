//! Generated scenes with what real levels have, and with faults.

use hitscan::Mesh;
use hitscan::glam::{Affine3A, Mat3, Quat, Vec3};

use crate::support::Random;

pub(crate) type Scene = (String, Vec<Mesh>);

/// All of them.
pub(crate) fn all() -> Vec<Scene> {
    let mut scenes = vec![
        ("level".to_owned(), level(Affine3A::IDENTITY)),
        ("grid".to_owned(), grid()),
        ("soup".to_owned(), soup()),
        ("strip".to_owned(), strip()),
        ("one triangle".to_owned(), vec![triangle()]),
    ];
    let far = Affine3A::from_translation(Vec3::new(1e6, -3e5, 2.5e6));
    scenes.push(("level far from zero".to_owned(), level(far)));
    let mirror = Affine3A::from_scale(Vec3::new(1.0, -2.0, 0.5));
    scenes.push(("level upside down".to_owned(), level(mirror)));
    // The last four are outside the range of the `f32` kernels.
    for scale in [1e-6, 1e8, 1e-9, 1e12, 1e-30, 1e30] {
        let transform = Affine3A::from_scale(Vec3::splat(scale));
        scenes.push((format!("level times {scale:e}"), level(transform)));
    }
    scenes
}

/// Some rooms of a level: many meshes, moved, rotated, mirrored and sheared, with masks, with and
/// without materials; a mesh that coincides with another; cards with two faces; an empty mesh and
/// one without area.
fn level(world: Affine3A) -> Vec<Mesh> {
    let mut meshes = Vec::new();
    let mut put = |mesh: Mesh, transform: Affine3A, mask: u32| {
        let number = meshes.len() as u64;
        let mesh = mesh
            .with_transform(world * transform)
            .with_user_id(u64::MAX - 7 * number)
            .with_mask(mask);
        meshes.push(if number % 3 == 1 {
            mesh
        } else {
            let count = mesh.triangle_count() as u32;
            mesh.with_materials((0..count).map(|i| i * 5 + number as u32).collect())
        });
    };
    let at = |x, y, z| Affine3A::from_translation(Vec3::new(x, y, z));
    let (x, y, z) = (Vec3::X * 24.0, Vec3::Y * 4.0, Vec3::Z * 24.0);

    let floor = sheet(Vec3::ZERO, z, x, 12, |_, _| 0.0);
    put(floor.clone(), Affine3A::IDENTITY, 1);
    put(Mesh::default(), Affine3A::IDENTITY, 1);
    put(sheet(y, x, z, 1, |_, _| 0.0), Affine3A::IDENTITY, 3);
    for (from, along) in [(Vec3::ZERO, x), (z, x), (Vec3::ZERO, z), (x, z), (x * 0.5, z * 0.75)] {
        put(sheet(from, along, y, 5, |_, _| 0.0), Affine3A::IDENTITY, 2);
    }
    // A carpet on the floor, triangle for triangle: every hit is a tie.
    put(floor, Affine3A::IDENTITY, 4);
    for step in 0..8 {
        let (height, depth) = (0.25 * (step + 1) as f32, 0.5 * step as f32);
        put(block(Vec3::new(2.0, height, 0.5)), at(3.0, 0.0, 4.0 + depth), 1);
    }
    let column = tube(16, 4);
    for i in 0..6 {
        let place = at(15.0 + 1.7 * i as f32, 0.0, 6.0);
        let shape = match i % 3 {
            0 => Affine3A::IDENTITY,
            1 => Affine3A::from_scale(Vec3::new(-0.8, 1.0, 0.8)),
            _ => Affine3A::from_mat3(Mat3::from_cols(
                Vec3::new(0.5, 0.0, 0.1),
                Vec3::new(0.2, 1.0, 0.0),
                Vec3::new(0.0, 0.3, 0.7),
            )),
        };
        put(column.clone(), place * shape, [1, 2, 8][i % 3]);
    }
    let ball = ball(12, 8);
    for i in 0..9 {
        let turn = Quat::from_rotation_x(i as f32) * Quat::from_rotation_y(0.3 * i as f32);
        let size = Vec3::new(0.6, 0.4, 0.5) * [1.0, 0.1, 0.01][i % 3];
        let size = if i % 2 == 0 { size } else { size * Vec3::new(1.0, 1.0, -1.0) };
        let place = Vec3::new(2.0 + 0.9 * i as f32, 0.7, 18.0);
        put(ball.clone(), Affine3A::from_scale_rotation_translation(size, turn, place), u32::MAX);
    }
    let hills = |i: usize, j: usize| ((i * 7 + j * 13) % 11) as f32 * 0.1;
    put(sheet(x, x * 0.5, z, 16, hills), at(0.0, -0.5, 0.0), 16);
    for i in 0..12 {
        let turn = Affine3A::from_rotation_y(0.7 * i as f32);
        put(card(), at(26.0 + 0.6 * i as f32, 0.5, 3.0 + i as f32) * turn, 16);
    }
    let point = [1.0, 1.0, 1.0];
    put(
        Mesh::from_soup(vec![point, [2.0, 2.0, 2.0], [3.0, 3.0, 3.0], point, point, point]),
        Affine3A::IDENTITY,
        1,
    );
    meshes
}

/// Squares on whole numbers, in all three directions: flat boxes, and rays that lie in planes and
/// on edges.
fn grid() -> Vec<Mesh> {
    let mut meshes = Vec::new();
    for level in [-3.0, 0.0, 2.0] {
        for k in 0..3 {
            let axis =
                |i: usize| Vec3::from_array([0, 1, 2].map(|j| f32::from(u8::from(i % 3 == j))));
            let from = axis(k) * level - (axis(k + 1) + axis(k + 2)) * 4.0;
            let mesh = sheet(from, axis(k + 1) * 8.0, axis(k + 2) * 8.0, 8, |_, _| 0.0);
            let number = meshes.len();
            meshes.push(mesh.with_mask(1 << (number % 4)).with_user_id(number as u64));
        }
    }
    meshes
}

/// Triangles of all sizes and shapes that intersect each other, with long thin ones; some twice, in
/// the same mesh and in another.
fn soup() -> Vec<Mesh> {
    let mut random = Random::new(4);
    let mut points = Vec::new();
    for i in 0..1500 {
        let at = random.in_box(Vec3::splat(-10.0), Vec3::splat(10.0));
        let size = 10f32.powf(random.range(-4.0, 1.0));
        let mut corners = [(); 3].map(|()| at + random.direction() * size);
        if i % 3 == 0 {
            corners[2] = corners[0].lerp(corners[1], 0.4) + random.direction() * size * 1e-5;
        }
        if i % 7 == 0 {
            let axis = i % 3;
            corners.iter_mut().for_each(|corner| corner[axis] = at[axis].round());
        }
        points.extend(corners.map(|corner| corner.to_array()));
    }
    let mut twice = points[..900].to_vec();
    points.extend_from_within(300..600);
    // The same triangles from another corner and from the other side.
    twice[..300].as_chunks_mut::<3>().0.iter_mut().for_each(|t| t.rotate_left(1));
    twice[300..600].as_chunks_mut::<3>().0.iter_mut().for_each(|t| t.swap(1, 2));
    vec![
        Mesh::from_soup(points).with_mask(5).with_user_id(1),
        Mesh::from_soup(twice).with_mask(6).with_user_id(2),
    ]
}

/// A long road of small pieces, tilted so that no coordinate is round: far along it, pieces are
/// seen edge on.
fn strip() -> Vec<Mesh> {
    let along = Vec3::new(811.3, 17.7, 584.1);
    let aside = along.cross(Vec3::new(0.1, 1.0, -0.3)).normalize() * 900.0;
    let mut road = sheet(Vec3::ZERO, along, aside, 900, |_, _| 0.0);
    // Three lanes of the nine hundred.
    if let Some(indices) = &mut road.indices {
        indices.truncate(3 * 900 * 6);
    }
    vec![road]
}

fn triangle() -> Mesh {
    Mesh::from_soup(vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.5]]).with_user_id(9)
}

/// A parallelogram of `n` by `n` pieces with shared corners, raised by `height`.
fn sheet(from: Vec3, u: Vec3, v: Vec3, n: usize, height: impl Fn(usize, usize) -> f32) -> Mesh {
    let up = u.cross(v).normalize();
    let mut positions = Vec::new();
    for j in 0..=n {
        for i in 0..=n {
            let (s, t) = (i as f32 / n as f32, j as f32 / n as f32);
            positions.push((from + u * s + v * t + up * height(i, j)).to_array());
        }
    }
    Mesh::new(positions, quads(n, n, n + 1))
}

/// Two triangles for each square of a grid with `row` points in a row.
fn quads(columns: usize, rows: usize, row: usize) -> Vec<u32> {
    let mut indices = Vec::new();
    for j in 0..rows {
        for i in 0..columns {
            let corner = |i: usize, j: usize| (j * row + i) as u32;
            let [a, b, c, d] =
                [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
            indices.extend([a, b, c, a, c, d]);
        }
    }
    indices
}

fn block(size: Vec3) -> Mesh {
    let corner =
        |i: u32| (size * Vec3::from_array([0, 1, 2].map(|k| (i >> k & 1) as f32))).to_array();
    let faces =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let indices = faces.iter().flat_map(|&[a, b, c, d]| [a, b, c, a, c, d]).collect();
    Mesh::new((0..8).map(corner).collect(), indices)
}

fn tube(sides: usize, rings: usize) -> Mesh {
    let mut positions = Vec::new();
    for j in 0..=rings {
        for i in 0..=sides {
            let angle = (i % sides) as f32 / sides as f32 * std::f32::consts::TAU;
            positions.push([0.4 * angle.cos(), j as f32, 0.4 * angle.sin()]);
        }
    }
    Mesh::new(positions, quads(sides, rings, sides + 1))
}

/// A ball as a grid, with rows of triangles without area at its poles.
fn ball(sides: usize, rings: usize) -> Mesh {
    let mut positions = Vec::new();
    for j in 0..=rings {
        for i in 0..=sides {
            let angle = (i % sides) as f32 / sides as f32 * std::f32::consts::TAU;
            let (y, r) = (j as f32 / rings as f32 * std::f32::consts::PI).sin_cos();
            let y = if j == 0 || j == rings { 0.0 } else { y };
            positions.push([y * angle.cos(), r, y * angle.sin()]);
        }
    }
    Mesh::new(positions, quads(sides, rings, sides + 1))
}

/// Two crossed squares, each with two faces.
fn card() -> Mesh {
    let mut points = Vec::new();
    for side in [[1.0, 0.0], [0.0, 1.0]] {
        let p = |s: f32, y: f32| [s * side[0], y, s * side[1]];
        let [a, b, c, d] = [p(-0.5, 0.0), p(0.5, 0.0), p(0.5, 1.0), p(-0.5, 1.0)];
        points.extend([a, b, c, a, c, d, a, c, b, a, d, c]);
    }
    Mesh::from_soup(points)
}
