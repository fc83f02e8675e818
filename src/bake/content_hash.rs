//! A hash of everything that decides the outcome of a bake.

use xxhash_rust::xxh3::Xxh3;

use super::preset::Preset;
use super::triangles::BadTriangles;
use crate::bvh::{FORMAT_VERSION, Metadata, Quality, Source, source_hash};
use crate::geometry::Ray;
use crate::mesh::{MeshView, materials_hash, positions_hash};

/// What decides the outcome of a bake, besides the meshes.
pub(super) struct Recipe<'a> {
    pub(super) builder: &'a str,
    pub(super) quality: Quality,
    pub(super) preset: Preset,
    pub(super) bad_triangles: BadTriangles,
    pub(super) rays: &'a [Ray],
    pub(super) sources: &'a [Source],
    pub(super) material_names: &'a [String],
}

impl Recipe<'_> {
    /// The hash of recipe and meshes, never 0. `index_hashes` are the meshes'
    /// [`index_hash`](crate::mesh::index_hash)es. `keep_going` is called with the number of
    /// positions that come next; if it says no, the hash must not be used.
    pub(super) fn content_hash(
        &self,
        meshes: &[MeshView<'_>],
        index_hashes: impl Iterator<Item = u64>,
        keep_going: &(impl Fn(usize) -> bool + Sync),
    ) -> u64 {
        let mut hash = Xxh3::new();
        let head = Metadata {
            builder: self.builder.to_owned(),
            quality: self.quality,
            spatial_budget: self.preset.spatial_budget,
            ..Metadata::default()
        };
        hash.update(&FORMAT_VERSION.to_le_bytes());
        // A record this short is always encoded.
        hash.update(&head.encode().unwrap_or_default());
        hash.update(&[u8::from(self.bad_triangles == BadTriangles::Skip)]);
        hash.update(&source_hash(self.sources).to_le_bytes());
        hash.update(&(self.material_names.len() as u64).to_le_bytes());
        for name in self.material_names {
            hash.update(&(name.len() as u64).to_le_bytes());
            hash.update(name.as_bytes());
        }
        hash.update(&(self.rays.len() as u64).to_le_bytes());
        for ray in self.rays {
            let [origin, dir] = [ray.origin, ray.dir].map(|v| v.to_array());
            for number in origin.into_iter().chain(dir).chain([ray.t_min, ray.t_max]) {
                hash.update(&number.to_le_bytes());
            }
        }
        for (mesh, index_hash) in meshes.iter().zip(index_hashes) {
            let name = mesh.name().as_bytes();
            let materials = mesh.materials();
            let materials = materials.map(|given| materials_hash(given, &|_| keep_going(0)));
            for number in [
                name.len() as u64,
                mesh.user_id(),
                mesh.mask().into(),
                mesh.index_count() as u64,
                index_hash,
                mesh.positions().len() as u64,
                positions_hash(&mesh.positions(), keep_going),
                materials.is_some().into(),
                materials.unwrap_or(0),
            ] {
                hash.update(&number.to_le_bytes());
            }
            hash.update(name);
            for number in mesh.transform().to_cols_array() {
                hash.update(&number.to_le_bytes());
            }
        }
        hash.digest().max(1)
    }
}
