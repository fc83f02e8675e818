//! Meshes that move, and what the tests of refits have in common.

#![allow(dead_code, unreachable_pub, reason = "included by several test binaries")]

use hitscan::glam::{Affine3A, Mat3, Quat, Vec3};
use hitscan::{Builder, Bvh, Mesh, Quality, RefitError, RefitReport};

use crate::scenes;
use crate::support::{self, Judge, Random};

/// Whether two trees are equal except for the content hash, which a moved tree has lost.
pub fn same(a: &Bvh, b: &Bvh) -> bool {
    a.to_bytes()[64..] == b.to_bytes()[64..]
}

pub fn bake(meshes: &[Mesh]) -> Bvh {
    bake_both(meshes)[0].clone()
}

/// A tree without spatial splits, and one with them.
pub fn bake_both(meshes: &[Mesh]) -> [Bvh; 2] {
    [Quality::Balanced, Quality::Best].map(|quality| {
        let baked = Builder::new().quality(quality).bake(meshes);
        baked.expect("the meshes are sound").0
    })
}

pub fn refit(bvh: &mut Bvh, meshes: &[Mesh]) -> Result<RefitReport, RefitError> {
    let views: Vec<_> = meshes.iter().map(Mesh::view).collect();
    bvh.refit(&views)
}

/// The meshes to refit and transform: five generated levels, and the first triangles of five real
/// meshes if they are there.
pub fn subjects() -> Vec<(String, Vec<Mesh>)> {
    let mut subjects = vec![
        ("terrain".to_owned(), vec![scenes::terrain(24, 1)]),
        ("sphere".to_owned(), vec![scenes::sphere(32, 16, 5.0, Vec3::new(3.0, -2.0, 40.0))]),
        ("city".to_owned(), vec![scenes::city(80, 3)]),
        ("soup".to_owned(), vec![scenes::soup(1000, 10.0, 1.5, 4)]),
        ("level".to_owned(), scenes::level(5)),
    ];
    for name in
        ["ogre_tudorhouse", "godot_living_room", "recast_dungeon", "jam_city", "sponza_crytek"]
    {
        if let Some(mut mesh) = support::shared_mesh(name) {
            mesh.positions.truncate(3 * 1500 * support::long());
            subjects.push((name.to_owned(), vec![mesh]));
        }
    }
    subjects
}

/// Checks that every child's box is within its parent's and every triangle within its leaf's.
pub fn assert_valid(bvh: &Bvh, what: &str) {
    bvh.validate().unwrap_or_else(|error| panic!("{what}: {error}"));
}

/// Brute force over the moved triangles, without those that had no area in the bake.
pub fn moved_judge(baked: &[Mesh], moved: &[Mesh]) -> Judge {
    let kept = Judge::new(baked).triangles;
    let mut judge = Judge::new(moved);
    assert_eq!(judge.triangles.len(), kept.len());
    let mut kept = kept.iter().map(|judged| !judged.triangle.is_degenerate());
    judge.triangles.retain(|_| kept.next().unwrap());
    judge
}

pub fn size_of(judge: &Judge) -> f32 {
    let all = judge.triangles.iter().flat_map(|j| [j.triangle.v0, j.triangle.v1, j.triangle.v2]);
    all.map(|v| v.abs().max_element()).fold(1e-3, f32::max)
}

/// A random smooth deformation: two waves.
pub fn deformation(random: &mut Random, size: f32) -> impl Fn(Vec3) -> Vec3 + use<> {
    let wave = |random: &mut Random| {
        let along = random.direction() * random.range(0.5, 6.0) / size;
        (along, random.direction() * random.range(0.0, 0.2) * size, random.range(0.0, 6.0))
    };
    let waves = [wave(random), wave(random)];
    move |p| waves.iter().fold(p, |q, (along, by, phase)| q + *by * (along.dot(p) + phase).sin())
}

/// A random invertible map: rotation, shear, uneven scale, mirror, translation.
pub fn affine(random: &mut Random, size: f32) -> Affine3A {
    let turn = |random: &mut Random| {
        Mat3::from_quat(Quat::from_axis_angle(random.direction(), random.range(-3.0, 3.0)))
    };
    let mut scale =
        Vec3::new(random.range(0.2, 3.0), random.range(0.2, 3.0), random.range(0.2, 3.0));
    if random.below(2) == 0 {
        scale[random.below(3)] *= -1.0;
    }
    let mut shear = Mat3::IDENTITY;
    if random.below(2) == 0 {
        shear.y_axis.x = random.range(-2.0, 2.0);
        shear.z_axis.y = random.range(-2.0, 2.0);
    }
    let linear = turn(random) * shear * Mat3::from_diagonal(scale) * turn(random);
    Affine3A::from_mat3_translation(linear, random.direction() * size * random.range(0.0, 3.0))
}
