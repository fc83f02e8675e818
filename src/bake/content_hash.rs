//! What goes into a bake, as one number.

use xxhash_rust::xxh3::Xxh3;

use super::{BadTriangles, BakeOptions};
use crate::file::Metadata;
use crate::file::{FORMAT_VERSION, Source, source_hash};
use crate::geometry::Ray;
use crate::mesh::MeshView;
use crate::mesh::{materials_hash, positions_hash};

/// All that decides what a bake gives, but for the meshes.
pub(super) struct Recipe<'a> {
    pub(super) builder: &'a str,
    pub(super) options: &'a BakeOptions,
    pub(super) bad_triangles: BadTriangles,
    pub(super) rays: &'a [Ray],
    pub(super) sources: &'a [Source],
    pub(super) material_names: &'a [String],
}

impl Recipe<'_> {
    /// One number for recipe and meshes, never 0. `index_hashes` are the meshes'
    /// [`index_hash`](crate::mesh::index_hash)es. `keep_going` is asked on the way, and told how many
    /// positions come next; the number is not to be used if it said no.
    pub(super) fn content_hash(
        &self,
        meshes: &[MeshView<'_>],
        index_hashes: impl Iterator<Item = u64>,
        keep_going: &(impl Fn(usize) -> bool + Sync),
    ) -> u64 {
        let mut hash = Xxh3::new();
        let head = Metadata {
            builder: self.builder.to_owned(),
            options: *self.options,
            ..Metadata::default()
        };
        hash.update(&FORMAT_VERSION.to_le_bytes());
        // So short a record is always encoded.
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
