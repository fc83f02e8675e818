//! Shapes that rest on something, or nearly, and slide: the hardest sweeps, of all sizes.

#![allow(unreachable_pub, reason = "shared by test binaries")]

use hitscan::geometry::ConvexHull;
use hitscan::glam::{Affine3A, Mat3, Vec3};
use hitscan::{Aabb, Capsule, ConvexShape, Mesh, Obb, Sphere};

use crate::support::Random;

/// Sizes of all coordinates.
pub const SIZES: [f32; 4] = [1e-3, 1.0, 100.0, 1e6];

pub const KINDS: [&str; 5] = ["spheres", "capsules", "boxes", "turned boxes", "hulls"];

/// Grounds to rest on, in units of their squares. Triangles are meshes of their own in none.
pub fn grounds(random: &mut Random) -> Vec<(&'static str, Mesh)> {
    vec![
        ("floor", grid(12, |x, z| Vec3::new(x, 0.0, z))),
        ("far floor", grid(12, |x, z| Vec3::new(x + 4096.0, 16.0, z - 2048.0))),
        ("slope", grid(8, |x, z| Vec3::new(x, 0.25 * x + 0.0625 * z, z))),
        ("steps", grid(12, |x, z| Vec3::new((x * 0.5).round(), ((x + 1.0) * 0.5).round(), z))),
        ("terrain", {
            let heights: Vec<f32> = (0..144).map(|_| random.unit()).collect();
            grid(11, move |x, z| Vec3::new(x, heights[(x + 5.5 + 12.0 * (z + 5.5)) as usize], z))
        }),
        ("fan", {
            let mut around = || random.direction() * (1.0 + random.unit());
            soup((0..14).flat_map(|_| [Vec3::ZERO, around(), around()]))
        }),
        ("needles", {
            let mut from = || random.direction() * 6.0;
            let needles: Vec<_> = (0..60).map(|_| (from(), from())).collect();
            let mut side = || random.direction() * [1e-2, 1e-4, 1e-5][random.below(3)];
            soup(needles.into_iter().flat_map(|(a, b)| [a, b, a + side()]))
        }),
    ]
}

fn soup(corners: impl Iterator<Item = Vec3>) -> Mesh {
    Mesh::from_soup(corners.map(|corner| corner.to_array()).collect())
}

/// `side` squares in each direction, about the origin.
fn grid(side: i32, at: impl Fn(f32, f32) -> Vec3) -> Mesh {
    let half = side as f32 * 0.5;
    let at = |i: i32, j: i32| at(i as f32 - half, j as f32 - half);
    soup((0..side * side).flat_map(|square| {
        let (i, j) = (square % side, square / side);
        let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i, j + 1), at(i + 1, j + 1));
        [a, c, d, a, d, b]
    }))
}

/// A shape of a kind that is near a corner, an edge or a face of a mesh without indices, and a
/// motion.
pub fn case(random: &mut Random, i: usize, mesh: &Mesh, size: f32) -> (ConvexShape, Vec3) {
    let kind = i % KINDS.len();
    let triangle = random.below(mesh.positions.len() / 3);
    let corner = |k: usize| Vec3::from(mesh.positions[3 * triangle + k]);
    let (a, b, c) = (corner(0), corner(1), corner(2));
    let (u, v) = (random.unit() * 0.5, random.unit() * 0.5);
    let on = match random.below(4) {
        0 => a,
        1 => a + (b - a) * u,
        _ => a + (b - a) * u + (c - a) * v,
    };
    let normal = (b - a).cross(c - a).normalize_or(Vec3::Y);
    let normal = if normal.y < 0.0 { -normal } else { normal };
    let up = [Vec3::Y, normal, random.direction()][random.below(3)];
    let reach = size * [0.4, 0.5, 0.05, 2.0][random.below(4)];
    // From touching and one rounding up.
    let gap = reach * [0.0, 1e-7, 1e-6, 1e-5, 1e-3, 0.3][random.below(6)];
    let mut at = on + up * (reach + gap);
    for k in 0..3 {
        if random.below(4) == 0 {
            at[k] = [at[k].next_up(), at[k].next_down()][random.below(2)];
        }
    }
    let edge = [b - a, c - a, c - b][random.below(3)];
    let slide = [Vec3::X, Vec3::Z, edge, random.direction()][random.below(4)];
    let slide = slide * [0.25, 1.0, 4.0][random.below(3)] * size.max(gap);
    let down = [0.0, 1.0, 1.5, 100.0][random.below(4)] * gap
        + [0.0, 3e-7, 1e-3, 1.0][random.below(4)] * size;
    let motion = [slide - up * down, -up * down, slide][random.below(3)];
    let along = match random.below(4) {
        0 => edge,
        1 => edge + random.direction() * size * [1e-7, 1e-5][random.below(2)],
        2 => Vec3::Y * reach,
        _ => random.direction() * reach,
    };
    let turn = Mat3::from_axis_angle(up.any_orthonormal_vector(), 6.0 * random.unit());
    let sides = reach * Vec3::new(1.0, [1.0, 0.5][random.below(2)], [1.0, 0.0][random.below(2)]);
    let shape = match kind {
        0 => Sphere::new(at, reach * [1.0, 1.0, 1.0, 0.0][random.below(4)]).into(),
        1 => Capsule::new(at, at + along, reach * [1.0, 1.0, 1e-3, 0.0][random.below(4)]).into(),
        2 => Aabb::from_center_half_size(at, Vec3::splat(reach)).into(),
        3 => {
            let sides = sides.max(Vec3::splat(reach * 0.25));
            let local = Aabb::from_center_half_size([0.0; 3], sides);
            let place = Affine3A::from_mat3_translation(turn, at);
            Obb::from_transform(&place, local).expect("a rotation").into()
        }
        _ => {
            let corners = (0..8).map(|i| {
                let side = |k: usize| if i >> k & 1 == 0 { -sides[k] } else { sides[k] };
                at + turn * Vec3::new(side(0), side(1), side(2))
            });
            let hull = ConvexHull::from_points(corners.take(5 + random.below(4)));
            hull.map_or_else(|_| Sphere::new(at, reach).into(), ConvexShape::from)
        }
    };
    (shape, motion)
}
