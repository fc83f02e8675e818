//! Questions with a width, asked in many scenes.

#![allow(dead_code, missing_docs, unreachable_pub, reason = "each test binary uses a part of it")]

use hitscan::glam::Vec3;
use hitscan::query::MeshTriangle;
use hitscan::{Aabb, Builder, Bvh, Facing, Mesh, Quality, Query, Triangle};

use crate::scenes;
use crate::support::{Random, long, shared_mesh, shared_names};

/// The sides and layers that a query sees. Meshes of odd numbers have the mask 2, others 1.
pub struct Seen {
    pub facing: Facing,
    pub mask: u32,
}

impl Seen {
    pub fn query(&self) -> Query<'static> {
        Query::new().facing(self.facing).mask(self.mask)
    }

    pub fn has_mesh(&self, mesh: u32) -> bool {
        (1 << (mesh % 2)) & self.mask != 0
    }
}

/// Where to ask: two places, and about which size.
pub struct Asked {
    pub at: Vec3,
    pub other: Vec3,
    pub size: f32,
    /// The size of the whole scene.
    pub whole: f32,
    pub seen: Seen,
}

/// Places of all kinds: in the bounds, on vertices, edges and faces, on a grid, outside.
fn place(random: &mut Random, bounds: &Aabb, all: &[MeshTriangle]) -> Vec3 {
    let inside = random.in_box(bounds.min, bounds.max);
    let Triangle { v0, v1, v2, .. } = all[random.below(all.len())].vertices;
    match random.below(8) {
        0 => v0,
        1 => v0 * 0.5 + v1 * 0.5,
        2 => v0 * 0.5 + v1 * 0.25 + v2 * 0.25,
        3 => inside.round(),
        4 => inside + 0.6 * (bounds.max - bounds.min) * random.direction(),
        _ => inside,
    }
}

/// Asks `count` questions about a tree, of sizes that are these parts of the scene's. `ask` says
/// how much it found.
pub fn ask_many(
    bvh: &Bvh,
    (count, seed): (usize, u64),
    sizes: &[f32],
    ask: impl Fn(&mut Random, usize, &[MeshTriangle], Asked) -> usize,
) -> usize {
    let all: Vec<_> = bvh.triangles().collect();
    let mut random = Random::new(seed);
    let bounds = bvh.bounds();
    let whole = (bounds.max - bounds.min).max_element();
    let mut question = |i: usize| {
        let (at, other) = (place(&mut random, &bounds, &all), place(&mut random, &bounds, &all));
        let size = whole * sizes[i / 3 % sizes.len()];
        let facing = [Facing::Both, Facing::Front, Facing::Both, Facing::Back][i / 5 % 4];
        let mask = if i % 7 == 5 { 2 } else { u32::MAX };
        ask(&mut random, i, &all, Asked { at, other, size, whole, seen: Seen { facing, mask } })
    };
    (0..count).map(&mut question).sum()
}

/// Trees of all kinds for the same meshes.
pub fn trees(meshes: &[Mesh]) -> [Bvh; 2] {
    [Quality::Fast, Quality::Best]
        .map(|quality| Builder::new().quality(quality).bake(meshes).expect("sound").0)
}

/// The small scenes, with their masks.
pub fn small_scenes() -> impl Iterator<Item = (&'static str, Vec<Mesh>)> {
    scenes::many().into_iter().map(|(what, meshes)| (what, scenes::masked(meshes)))
}

/// Real meshes, if they are there.
pub fn real_scenes() -> impl Iterator<Item = (String, Vec<Mesh>)> {
    let names = shared_names(if long() > 1 { 100_000 } else { 3_000 }).into_iter();
    names.filter_map(|name| {
        let mesh = shared_mesh(&name)?;
        Some((name, scenes::masked(vec![mesh])))
    })
}

/// Trees that were changed. Flattened, many triangles have no area any more.
pub fn refit_trees() -> [(&'static str, Bvh); 2] {
    let mesh = scenes::city(10, 3).with_mask(1);
    let (mut bvh, _) = Builder::new().bake(std::slice::from_ref(&mesh)).expect("sound");
    let bend = |p: &[f32; 3]| [p[0] + 0.1 * p[1] * p[1], p[1] * 1.3, p[2] - 0.2 * p[0]];
    let flat = |p: &[f32; 3]| [p[0], 1.0, p[2]];
    [
        ("refit", mesh.positions.iter().map(bend).collect()),
        ("flattened", mesh.positions.iter().map(flat).collect()),
    ]
    .map(|(what, positions)| {
        let moved = Mesh { positions, ..mesh.clone() };
        bvh.refit(&[moved.view()]).expect("the same meshes");
        (what, bvh.clone())
    })
}
