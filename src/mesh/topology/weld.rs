//! Vertices that have the same position, made one.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::super::{Indices, MeshView, Placement};
use crate::geometry::is_finite;

/// The triangles that a bake keeps, by vertices that all meshes share.
pub(super) struct Welded {
    /// Without repeats or negative zeros.
    pub(super) positions: Vec<[f32; 3]>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// For each triangle its mesh.
    meshes: Vec<u32>,
    /// For each mesh where its triangles end.
    ends: Vec<usize>,
}

/// What can be numbered, with room for a last triangle. More would take hundreds of gigabytes.
const MOST_TRIANGLES: usize = 1 << 31;
const MOST_VERTICES: usize = u32::MAX as usize - 3;
/// In place of a vertex's number: not known yet.
const UNKNOWN: u32 = u32::MAX;

/// The number of each position, by its bits.
type Numbers = HashMap<[u32; 3], u32, Seed>;

/// The seed of a fast hash. It is random, so that nothing in a file can make many positions meet
/// in one slot.
struct Seed(u64);

impl BuildHasher for Seed {
    type Hasher = PositionHasher;

    fn build_hasher(&self) -> PositionHasher {
        PositionHasher(self.0)
    }
}

struct PositionHasher(u64);

impl Hasher for PositionHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64_with_seed(bytes, self.0);
    }

    /// The length, which is always three.
    fn write_usize(&mut self, _: usize) {}

    fn finish(&self) -> u64 {
        self.0
    }
}

impl Welded {
    pub(super) fn new(meshes: &[MeshView<'_>]) -> Self {
        let mut welded = Self {
            positions: Vec::new(),
            triangles: Vec::new(),
            meshes: Vec::new(),
            ends: Vec::new(),
        };
        let mut numbers = HashMap::with_hasher(Seed(RandomState::new().hash_one(0)));
        for (number, mesh) in (0..=u32::MAX).zip(meshes) {
            welded.add(mesh, &mut numbers);
            welded.meshes.resize(welded.triangles.len(), number);
            welded.ends.push(welded.triangles.len());
        }
        welded
    }

    fn add(&mut self, mesh: &MeshView<'_>, numbers: &mut Numbers) {
        let (placement, positions) = (Placement::new(mesh), mesh.positions());
        // The numbers of vertices that were met, unless hardly any is met twice.
        let is_shared =
            !matches!(mesh.indices(), Indices::None) && positions.len() <= mesh.index_count();
        let mut known = vec![UNKNOWN; if is_shared { positions.len() } else { 0 }];
        // Most surfaces have half as many vertices as triangles.
        numbers.reserve(mesh.triangle_count() / 2);
        let triangles = (0..mesh.triangle_count()).filter_map(|i| mesh.triangle_indices(i));
        for mut corners in triangles {
            let Some(triangle) = placement.place(&positions, corners) else { continue };
            let places = triangle.to_arrays();
            let is_full =
                self.positions.len() > MOST_VERTICES || self.triangles.len() >= MOST_TRIANGLES;
            if !is_finite(&places) || triangle.is_degenerate() || is_full {
                continue;
            }
            if placement.mirrored() {
                corners.swap(1, 2);
            }
            for (corner, position) in corners.iter_mut().zip(places) {
                let mut unshared = UNKNOWN;
                let known = known.get_mut(*corner as usize).unwrap_or(&mut unshared);
                if *known == UNKNOWN {
                    // The sum turns -0 into 0.
                    let position = position.map(|x| x + 0.0);
                    *known = *numbers.entry(position.map(f32::to_bits)).or_insert_with(|| {
                        self.positions.push(position);
                        (self.positions.len() - 1) as u32
                    });
                }
                *corner = *known;
            }
            self.triangles.push(corners);
        }
    }

    /// The mesh of a triangle.
    pub(super) fn mesh_of(&self, triangle: u32) -> u32 {
        self.meshes[triangle as usize]
    }

    /// The triangles of each mesh.
    pub(super) fn by_mesh(&self) -> impl Iterator<Item = &[[u32; 3]]> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.triangles[start..end])
    }
}
